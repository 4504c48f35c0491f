/** Why a module is no subject. Its message is for whoever wrote the module. */
export class LoadError extends Error {
  constructor(message) {
    super(message);
    this.name = "LoadError";
  }
}
