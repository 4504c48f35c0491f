#!/bin/sh
# Judges adapters over the real programs: run.sh PROGRAM [FLAG...], where PROGRAM is
# cmd realruntimes and FLAGs are its own. Codex comes from npm, into a cache directory of
# the user's, where it stays; ADAPTERCHECK_CODEX names a binary to take instead.
set -eu

version=${CODEX_VERSION:-0.171.0}
judge=$1
shift

if [ -z "${ADAPTERCHECK_CODEX:-}" ]; then
  command -v npm >/dev/null || { echo "real-runtimes: no npm here, and Codex is an npm package; or name a binary in ADAPTERCHECK_CODEX" >&2; exit 1; }
  case "$(uname -s)" in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    *) echo "real-runtimes: programs are played on Linux and macOS, this is $(uname -s)" >&2; exit 1 ;;
  esac
  case "$(uname -m)" in
    x86_64 | amd64) machine=x64 ;;
    aarch64 | arm64) machine=arm64 ;;
    *) echo "real-runtimes: npm has no Codex for $(uname -m)" >&2; exit 1 ;;
  esac
  # The package @openai/codex is a script that starts the binary of another package, and
  # hides its process id: that other one is what is wanted.
  build=$version-$system-$machine
  home=${XDG_CACHE_HOME:-$HOME/.cache}/adaptercheck/codex-$build
  if [ ! -d "$home" ]; then
    echo "real-runtimes: installing @openai/codex $build from npm" >&2
    mkdir -p -m 700 "$(dirname "$home")"
    work=$(mktemp -d "$home.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    npm install --prefix "$work" --ignore-scripts --no-save --no-audit --no-fund --loglevel=error "codex@npm:@openai/codex@$build" >"$work/npm.log" 2>&1 || {
      echo "real-runtimes: npm could not install it:" >&2
      cat "$work/npm.log" >&2
      exit 1
    }
    mv "$work" "$home"
    trap - EXIT
  fi
  for file in "$home"/node_modules/codex/vendor/*/bin/codex "$home"/node_modules/codex/vendor/*/codex/codex; do
    [ -x "$file" ] && ADAPTERCHECK_CODEX=$file && break
  done
  [ -n "${ADAPTERCHECK_CODEX:-}" ] || { echo "real-runtimes: no binary in $home" >&2; exit 1; }
fi
exec "$judge" --codex "$ADAPTERCHECK_CODEX" "$@"
