#!/bin/sh
# Judges adapters over the real programs: run.sh PROGRAM [FLAG...], where PROGRAM is
# cmd realruntimes and FLAGs are its own. The programs come from npm, into a cache
# directory of the user's, where they stay; ADAPTERCHECK_CODEX and ADAPTERCHECK_CLAUDE
# name binaries to take instead. Where one of the two is named, it is judged alone.
set -eu

judge=$1
shift

case "$(uname -s)" in
  Linux) system=linux ;;
  Darwin) system=darwin ;;
  *) echo "real-runtimes: programs are played on Linux and macOS, this is $(uname -s)" >&2; exit 1 ;;
esac
case "$(uname -m)" in
  x86_64 | amd64) machine=x64 ;;
  aarch64 | arm64) machine=arm64 ;;
  *) echo "real-runtimes: npm has no programs for $(uname -m)" >&2; exit 1 ;;
esac

# installed NAME PACKAGE gives the directory that a package of npm is installed in, and
# installs it if it is not. What is wanted is the package with the binary: the one that
# people install is a script that starts it, and hides its process id.
installed() {
  home=${XDG_CACHE_HOME:-$HOME/.cache}/adaptercheck/$1
  if [ ! -d "$home" ]; then
    command -v npm >/dev/null || { echo "real-runtimes: no npm here, and $2 is an npm package; or name a binary in ADAPTERCHECK_CODEX or ADAPTERCHECK_CLAUDE" >&2; exit 1; }
    echo "real-runtimes: installing $2 from npm" >&2
    mkdir -p -m 700 "$(dirname "$home")"
    work=$(mktemp -d "$home.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
    npm install --prefix "$work" --ignore-scripts --no-save --no-audit --no-fund --loglevel=error "$2" >"$work/npm.log" 2>&1 || {
      echo "real-runtimes: npm could not install it:" >&2
      cat "$work/npm.log" >&2
      exit 1
    }
    mv "$work" "$home"
    trap - EXIT
  fi
  echo "$home/node_modules"
}

if [ -z "${ADAPTERCHECK_CODEX:-}${ADAPTERCHECK_CLAUDE:-}" ]; then
  build=${CODEX_VERSION:-0.171.0}-$system-$machine
  modules=$(installed "codex-$build" "codex@npm:@openai/codex@$build")
  for file in "$modules"/codex/vendor/*/bin/codex "$modules"/codex/vendor/*/codex/codex; do
    [ -x "$file" ] && ADAPTERCHECK_CODEX=$file && break
  done
  [ -n "${ADAPTERCHECK_CODEX:-}" ] || { echo "real-runtimes: no binary in $modules" >&2; exit 1; }
  version=${CLAUDE_VERSION:-2.1.332}
  modules=$(installed "claude-$version-$system-$machine" "@anthropic-ai/claude-code-$system-$machine@$version")
  ADAPTERCHECK_CLAUDE=$modules/@anthropic-ai/claude-code-$system-$machine/claude
fi
exec "$judge" --codex "${ADAPTERCHECK_CODEX:-}" --claude "${ADAPTERCHECK_CLAUDE:-}" "$@"
