# The main targets are `make run` and `make test`.

DATA_DIR ?= ./data
LISTEN ?= 127.0.0.1:8080
export CHROMIUM ?= /usr/bin/chromium-headless-shell

.PHONY: run test test-all lint bench bench-web bench-live screenshots firefox accessibility daily fuzz audit licences sbom windows dist tools

## Builds everything and serves the demo site on SQLite.
run: tools
	cargo run -- serve --demo --data-dir $(DATA_DIR) --listen $(LISTEN)

## Installs what the tests need, then runs all of them.
test:
	./tests/run.sh

## Runs all tests on both databases. `make test` runs those whose subject does not depend on the database on SQLite only.
test-all: test
	./tests/postgres.sh cargo test --test it -- --ignored also_on_postgres

## Checks formats, lints and types. Rust is linted by its compiler, in the build that `make test` also uses.
lint: tools
	cargo fmt --all --check
	RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-Dwarnings cargo test --lib --tests --no-run
	cd frontend && npm run typecheck && npm run lint

## Prints every figure of BENCHMARKS.md; needs a release build, 6 GB of disk and some minutes.
bench:
	./tests/install.sh postgresql redis-server
	./tests/postgres.sh sh -c 'psql -q "$$TEST_PG_URL" -c "CREATE DATABASE apogee_bench" && \
		APOGEE_BENCH_PG="$$TEST_PG_URL/apogee_bench" cargo bench'

## Prints Lighthouse figures of three pages, desktop and phone, and how fast the page reads a log, compared with the program.
bench-web: tools
	./tests/install.sh chromium
	cargo build --release
	cd frontend && APOGEE_BIN=../target/release/apogee npm run --silent bench:web
	cd frontend && APOGEE_BIN=../target/release/apogee npm run --silent bench:reading

## Benchmarks the live stream with 10,000 clients (delay, reconnection, throughput, memory; compared with nginx and nchan) and
## 2,000 open leaderboards at 100 events per second (delay from commit to row, and requests, which are 0).
bench-live:
	./tests/install.sh nginx libnginx-mod-nchan
	cargo build --release
	cargo bench --bench live
	cargo bench --bench boards

## Writes screenshots/index.html: every page at three widths, every state at two.
screenshots: tools
	./tests/install.sh chromium-headless-shell
	cargo build
	cd frontend && APOGEE_BIN=../target/debug/apogee npm run screenshots

## Tests hostile texts in Firefox; `make test` does so in Chromium.
firefox: tools
	./tests/install.sh firefox-esr
	cargo build
	cd tests/browser/firefox && npm ci --no-audit --no-fund && APOGEE_BIN=$(CURDIR)/target/debug/apogee npm test

## Checks the accessibility of every page at three widths and of every state; `make test` checks each page once.
accessibility: tools
	./tests/install.sh chromium-headless-shell
	cargo build
	cd frontend && APOGEE_AXE=all APOGEE_BIN=../target/debug/apogee npm run test:browser -- routes ui-states

## Runs all ignored tests one after another on both databases and the release binary: those that depend on the clock, measure memory or
## load for five minutes each, inject faults, kill the server 500 times on each database, send generated requests, or need root. Takes an
## hour and a half. ONLY selects some by name, such as `make daily ONLY=load::`.
daily:
	./tests/install.sh build-essential perl postgresql python3 nginx caddy iproute2
	cargo build --release
	APOGEE_TEST_BINARY=$(CURDIR)/target/release/apogee \
	APOGEE_KILLS=$${APOGEE_KILLS:-500} APOGEE_SOAK_SECS=$${APOGEE_SOAK_SECS:-300} \
	./tests/postgres.sh ./tests/schema.sh cargo test --lib --tests --no-fail-fast -- \
		--ignored --nocapture --test-threads=1 --skip tests::write_lists $(ONLY)

TARGET ?= log_line
SECONDS ?= 600
## Runs a fuzz target of fuzz/ for ten minutes; needs `cargo install cargo-fuzz`. The first build takes 15 minutes.
fuzz:
	mkdir -p fuzz/corpus/$(TARGET)
	cd fuzz && APOGEE_SKIP_FRONTEND=1 RUSTC_BOOTSTRAP=1 \
		cargo fuzz run -s none $(TARGET) corpus/$(TARGET) -- -max_total_time=$(SECONDS) -timeout=10

## Checks all dependencies for known vulnerabilities; needs access to the advisory databases.
audit: tools
	command -v cargo-deny >/dev/null || cargo install --locked cargo-deny
	cargo deny --config packaging/deny.toml check advisories
	cd frontend && npm audit --omit=dev

## Checks licences and sources of all dependencies, and that none is banned.
licences: tools
	command -v cargo-deny >/dev/null || cargo install --locked cargo-deny
	cargo deny --config packaging/deny.toml check bans licenses sources

## Writes bills of materials in CycloneDX format.
sbom: tools
	command -v cargo-cyclonedx >/dev/null || cargo install --locked cargo-cyclonedx
	cargo cyclonedx --format json
	cd frontend && npm sbom --package-lock-only --sbom-format cyclonedx --omit dev > bom.json

## Type-checks the program for Windows with all dependencies; the first run takes 15 minutes.
windows:
	./tests/install.sh gcc-mingw-w64-x86-64
	rustup target add x86_64-pc-windows-gnu
	APOGEE_SKIP_FRONTEND=1 cargo check --target x86_64-pc-windows-gnu --lib --bins

## Builds the release binary with the page, optimized for size, and its checksum, which is signed with the SSH key SIGN_KEY if set.
dist: tools
	cargo build --profile dist --locked
	cd target/dist && sha256sum apogee > SHA256SUMS
	@[ -z "$(SIGN_KEY)" ] || { rm -f target/dist/SHA256SUMS.sig; ssh-keygen -Y sign -f "$(SIGN_KEY)" -n apogee target/dist/SHA256SUMS; }
	@ls -l target/dist/apogee

# OpenSSL (TLS to PostgreSQL) is built from source, which needs make, a C compiler and perl.
tools:
	@command -v npm >/dev/null || { echo "Install Node.js 20 or newer with npm first."; exit 1; }
	@command -v cargo >/dev/null || { echo "Install Rust with rustup (https://rustup.rs) first."; exit 1; }
	@command -v cc >/dev/null && command -v perl >/dev/null || ./tests/install.sh build-essential perl
