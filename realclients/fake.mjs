// What the drivers of all clients have in common: a fake as a program or a server of its
// own. The program that plays it comes in the variable ADAPTERCHECK.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const file = (script) => join(here, `${script}.yaml`);

// home is an empty directory for what a client writes.
export const home = join(here, "home");
mkdirSync(home);

// executable is a program that plays the script with the fake, whatever it is asked to do.
export function executable(fake, script) {
  const path = join(here, `${fake}-${script}`);
  const quoted = (s) => `'${s.replaceAll("'", `'\\''`)}'`;
  writeFileSync(path, `#!/bin/sh\nexec ${quoted(process.env.ADAPTERCHECK)} fake ${fake} --script ${quoted(file(script))} -- "$@"\n`);
  chmodSync(path, 0o700);
  return path;
}

// played is what the fake says that it is, asked as the program that plays a script.
export function played(fake, script) {
  return `the fake of ${execFileSync(executable(fake, script), ["--version"], { encoding: "utf8" }).trim()}`;
}

// serving lets the fake listen and play the script, and calls use with the lines that it
// prints first: its URL, and its token where it has one. It ends with use.
export async function serving(fake, script, lines, use) {
  const server = spawn(process.env.ADAPTERCHECK, ["fake", fake, "--listen", "127.0.0.1:0", "--script", file(script)], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(server, "exit");
  try {
    const said = [];
    for await (const line of createInterface({ input: server.stdout })) {
      said.push(line);
      if (said.length === lines) break;
    }
    if (said.length < lines) throw new Error(`the fake ${fake} ended after ${said.length} lines`);
    return await use(...said);
  } finally {
    server.kill("SIGINT");
    await ended;
  }
}

// tell prints the versions of both sides, then what each story makes of what it heard.
export async function tell(client, against, stories) {
  const { version } = JSON.parse(readFileSync(join(here, "node_modules", client, "package.json"), "utf8"));
  console.log(`${client} ${version} on node ${process.version}, against ${against}`);
  for (const [name, story] of Object.entries(stories)) {
    console.log(`ok   ${name}: ${await story()}`);
  }
}
