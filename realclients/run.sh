#!/bin/sh
# Drives the fakes with the clients that people use: run.sh PROGRAM [CLIENT...]. The
# clients come from npm, into a directory that is removed in the end. So does Node.js,
# where the one that is here is too old for some of them.
set -eu

for tool in node npm; do
  command -v "$tool" >/dev/null || { echo "real-clients: no $tool here, and the clients are npm packages" >&2; exit 1; }
done
here=$(cd "$(dirname "$0")" && pwd)
ADAPTERCHECK=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
export ADAPTERCHECK
shift
[ $# -gt 0 ] || set -- claude-agent-sdk codex-sdk openclaw-node openclaw-gateway-client anthropic-sdk openai-sdk

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# install NAME [PACKAGE...] installs into the current directory. Optional dependencies
# are programs that the fakes stand for.
install() {
  name=$1
  shift
  npm install --omit=optional --no-package-lock --no-audit --no-fund --loglevel=error "$@" >npm.log 2>&1 || {
    echo "real-clients: npm could not install $name:" >&2
    cat npm.log >&2
    exit 1
  }
}

node=node
if ! node -e 'const [major, minor] = process.versions.node.split("."); process.exit(major > 22 || (major == 22 && minor >= 19) ? 0 : 1)'; then
  mkdir "$work/node"
  cd "$work/node"
  install Node.js node@22.23.3
  node=$work/node/node_modules/node/bin/node
fi
for client; do
  mkdir "$work/$client"
  cp "$here"/*.mjs "$here"/*.yaml "$here/$client"/* "$work/$client"
  cd "$work/$client"
  install "$client"
  "$node" drive.mjs
done
