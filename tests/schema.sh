#!/usr/bin/env bash
# Runs a command with SCHEMATHESIS set to the path of schemathesis, which is installed below target/ if it is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${SCHEMATHESIS:-}" ]; then
  home=target/schemathesis
  if [ ! -x "$home/bin/st" ]; then
    ./tests/install.sh python3-venv
    python3 -m venv "$home"
    "$home/bin/pip" install --quiet 'schemathesis>=4.32,<5'
  fi
  export SCHEMATHESIS="$PWD/$home/bin/st"
fi
"$@"
