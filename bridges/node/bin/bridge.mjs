#!/usr/bin/env node
// adaptercheck-bridge MODULE: serves the adapter of a module on standard input and
// output. See ../README.md.
import { takeStdio } from "../src/stdio.mjs";

// First of all, before anything of the adapter's can print.
const stdio = takeStdio();

const { main } = await import("../src/main.mjs");
await main(process.argv.slice(2), stdio);
