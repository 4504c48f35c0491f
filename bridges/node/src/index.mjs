// What the package exports: serving a module from a program of one's own.
export { PROTOCOL, Server } from "./serve.mjs";
