#!/usr/bin/env bash
# Runs all tests: formatting, lints, Rust on both databases, the page, and the real binary in a real browser.
set -euo pipefail
cd "$(dirname "$0")/.."

./tests/install.sh build-essential perl postgresql chromium curl python3

step() { printf '\n== %s (%s s)\n' "$1" "$SECONDS"; }

step "formatting"
cargo fmt --check
step "build with the page"
cargo build
step "lints"
cargo clippy --all-targets -- -D warnings
step "Rust tests on SQLite and PostgreSQL"
./tests/postgres.sh cargo test
step "types, lints and tests of the page"
(cd frontend && npm run typecheck && npm run lint && npm test)
step "browser tests on the real binary"
(cd frontend && APOGEE_BIN="$PWD/../target/debug/apogee" npm run test:browser)
step "all passed"
