// The program: one module, standard input and output, an exit code.
import { LoadError } from "./loaderror.mjs";
import { Server } from "./serve.mjs";

const USAGE = `usage: adaptercheck-bridge MODULE

MODULE is a JavaScript module whose default export, or what that returns, is an
executor harness (has emit), a wire subject (has makeAdapter) or a history factory
(has create). The adaptercheck tool starts this program; it speaks
adaptercheck-subject-v1 on standard input and output.
`;

/**
 * Runs the bridge and ends the process: 0 when the suite has closed standard input, 2
 * for a wrong command line or a module that is no subject, 1 when the module cannot be
 * loaded or the adapter has thrown where nobody waits for it.
 */
export async function main(args, { input, write }) {
  if (args.length !== 1 || args[0].startsWith("-")) {
    process.stderr.write(USAGE);
    process.exit(args.includes("--help") || args.includes("-h") ? 0 : 2);
  }
  const server = new Server(args[0], write);
  try {
    await server.load();
  } catch (err) {
    if (!(err instanceof LoadError)) throw err; // Node shows the line that it comes from, as nobody else can
    process.stderr.write(`adaptercheck-bridge: ${err.message}\n`);
    process.exit(2);
  }
  for (const event of ["uncaughtException", "unhandledRejection"]) {
    process.on(event, (err) => {
      // The suite must see a dead worker, not one that goes on half broken.
      process.stderr.write(`adaptercheck-bridge: ${event} in the adapter: ${err?.stack ?? err}\n`);
      process.exit(1);
    });
  }
  await server.serve(input);
  process.exit(0);
}
