#!/bin/sh
# Drives the fakes with the clients that people use: run.sh PROGRAM. The clients come
# from npm, into a directory that is removed in the end.
set -eu

for tool in node npm; do
  command -v "$tool" >/dev/null || { echo "real-clients: no $tool here, and the clients are npm packages" >&2; exit 1; }
done
here=$(cd "$(dirname "$0")" && pwd)
ADAPTERCHECK=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
export ADAPTERCHECK

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
for client in claude-agent-sdk codex-sdk; do
  mkdir "$work/$client"
  cp "$here/fake.mjs" "$here/$client"/* "$work/$client"
  cd "$work/$client"
  # Optional dependencies are the program that the fake stands for.
  npm install --omit=optional --no-package-lock --no-audit --no-fund --loglevel=error >npm.log 2>&1 || {
    echo "real-clients: npm could not install $client:" >&2
    cat npm.log >&2
    exit 1
  }
  node drive.mjs
done
