#!/bin/sh
# Measures the fake provider beside its bounds and its peer: run.sh PROGRAM [FLAG...],
# where PROGRAM is adaptercheck and FLAGs are those of bench/provider. The peer comes from
# npm, into a directory that is removed in the end; without npm it is left out.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
if command -v npm >/dev/null && command -v node >/dev/null &&
  npm install --prefix "$work" --no-save --no-audit --no-fund --loglevel=error @copilotkit/aimock@1.43.0 >"$work/npm.log" 2>&1; then
  set -- -aimock "$work" "$@"
else
  echo "bench: aimock is left out: no npm here, or it could not install it" >&2
fi
cd "$here/../.."
${GO:-go} build -o "$work/bench" ./bench/provider
"$work/bench" -adaptercheck "$program" "$@"
