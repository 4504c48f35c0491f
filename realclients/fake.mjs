// What the drivers of all clients have in common: a fake as a program of its own. The
// program that plays it comes in the variable ADAPTERCHECK.

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));

// home is an empty directory for what a client writes.
export const home = join(here, "home");
mkdirSync(home);

// executable is a program that plays the script with the fake, whatever it is asked to do.
export function executable(fake, script) {
  const path = join(here, `${fake}-${script}`);
  const quoted = (s) => `'${s.replaceAll("'", `'\\''`)}'`;
  writeFileSync(path, `#!/bin/sh\nexec ${quoted(process.env.ADAPTERCHECK)} fake ${fake} --script ${quoted(join(here, `${script}.yaml`))} -- "$@"\n`);
  chmodSync(path, 0o700);
  return path;
}

// tell prints the versions of both sides, then what each story makes of what it heard.
export async function tell(client, fake, stories) {
  const { version } = JSON.parse(readFileSync(join(here, "node_modules", client, "package.json"), "utf8"));
  const played = execFileSync(executable(fake, Object.keys(stories)[0]), ["--version"], { encoding: "utf8" }).trim();
  console.log(`${client} ${version} on node ${process.version}, against the fake of ${played}`);
  for (const [name, story] of Object.entries(stories)) {
    console.log(`ok   ${name}: ${await story()}`);
  }
}
