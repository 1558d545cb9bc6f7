#!/usr/bin/env bash
# Runs all tests but the ignored ones: Rust on both databases, the page, and the real binary in a real browser.
set -euo pipefail
cd "$(dirname "$0")/.."

./tests/install.sh build-essential perl postgresql chromium-headless-shell curl python3

# The tests count the servers and commands that they start.
processes=$(mktemp)
export APOGEE_TEST_PROCESSES=$processes

# Generated inputs are the same in every run; the daily run generates others.
export PROPTEST_RNG_SEED=28112026

step() { printf '\n== %s (%s s)\n' "$1" "$SECONDS"; }

# The build is that of `make lint`: nothing is compiled twice.
export RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-Dwarnings

step "build, with the page and the tests"
cargo test --lib --tests --no-run
# The page's own tests run beside the Rust tests, some of which wait. Their output follows when it is done.
page_log=$(mktemp)
(cd frontend && npm test) >"$page_log" 2>&1 &
page=$!
trap '[ -z "$page" ] || kill "$page" || true; rm -rf "$page_log" "$processes" "${in_memory:-}"' EXIT
step "Rust tests on SQLite and PostgreSQL"
# Databases are in memory if there is space: nothing of them outlives the run.
in_memory=
if [ "$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1)" -gt 4000000 ] 2>/dev/null; then
  in_memory=$(mktemp -d /dev/shm/apogee-tests.XXXXXX)
  chmod 755 "$in_memory"
fi
# Some tests wait for limits of the program while others compute. A test that runs for more than a minute is named; one that never ends must
# not hold the run.
RUST_TEST_THREADS=$(($(nproc) * 2)) TMPDIR=${in_memory:-${TMPDIR:-/tmp}} \
  ./tests/postgres.sh timeout --verbose 30m cargo test --lib --tests
step "tests of the page"
passed=0
wait "$page" || passed=$?
page=
cat "$page_log"
[ "$passed" -eq 0 ]
step "browser tests on the real binary"
(cd frontend && APOGEE_BIN="$PWD/../target/debug/apogee" npm run test:browser)
printf '%s servers and commands were started as processes\n' "$(wc -l <"$processes")"
step "all passed"
