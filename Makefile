# Two commands are all one needs: `make run` and `make test`.

DATA_DIR ?= ./data
LISTEN ?= 127.0.0.1:8080
export CHROMIUM ?= /usr/bin/chromium

.PHONY: run test lint bench bench-web bench-live screenshots firefox faults schema soak fuzz audit sbom windows dist tools

## Builds everything and serves the demo site on SQLite.
run: tools
	cargo run -- serve --demo --data-dir $(DATA_DIR) --listen $(LISTEN)

## Installs what the tests need, then runs all of them.
test:
	./tests/run.sh

lint:
	cargo fmt --check
	cargo clippy --all-targets -- -D warnings
	cd frontend && npm run typecheck && npm run lint

## Prints every figure of BENCHMARKS.md; takes a release build, 6 GB of disk and some minutes.
bench:
	./tests/install.sh postgresql redis-server
	./tests/postgres.sh cargo bench

## Prints what Lighthouse measures on three pages, desktop and phone.
bench-web: tools
	cargo build --release
	cd frontend && APOGEE_BIN=../target/release/apogee npm run --silent bench:web

## Readers of the live stream: time to the last of 10,000, until all are back, events a second, memory; next to nginx with
## nchan. Then 2,000 open boards at 100 events a second: time from commit to row, and requests (0).
bench-live:
	./tests/install.sh nginx libnginx-mod-nchan
	cargo build --release
	cargo bench --bench live
	cargo bench --bench boards

## Writes screenshots/index.html with every page at three widths and every state at two.
screenshots: tools
	cargo build
	cd frontend && APOGEE_BIN=../target/debug/apogee npm run screenshots

## Hostile texts in Firefox too; `make test` shows them to Chromium.
firefox: tools
	./tests/install.sh firefox-esr
	cargo build
	cd tests/browser/firefox && npm ci --no-audit --no-fund && APOGEE_BIN=$(CURDIR)/target/debug/apogee npm test

## Faults that take minutes or root: full disk, failing writes, killed migrations, a database that restarts or swallows packets,
## slow senders, proxies, a read-only root.
faults:
	./tests/install.sh nginx caddy iproute2
	./tests/postgres.sh cargo test --test it -- --ignored --nocapture --test-threads=1 \
		faults proxies nth_write killed_migrations slowloris blackhole stream_churn memory image

## Made-up requests of every kind against the description of the API, in every role, on both databases.
schema:
	./tests/postgres.sh ./tests/schema.sh cargo test --test it -- --ignored --nocapture --test-threads=1 schema::

## A thousand kills in the middle of ingest, and load for APOGEE_SOAK_SECS (1800) seconds, on the release binary.
soak:
	cargo build --release
	APOGEE_KILLS=$${APOGEE_KILLS:-1000} ./tests/postgres.sh cargo test --test it kill -- --nocapture
	APOGEE_TEST_BINARY=$(CURDIR)/target/release/apogee APOGEE_SOAK_SECS=$${APOGEE_SOAK_SECS:-1800} \
		cargo test --test it -- --ignored --nocapture --test-threads=1 load soak

TARGET ?= log_line
SECONDS ?= 600
## One fuzz target of fuzz/ for ten minutes; needs `cargo install cargo-fuzz`. The first time takes a quarter of an hour to build.
fuzz:
	mkdir -p fuzz/corpus/$(TARGET)
	cd fuzz && APOGEE_SKIP_FRONTEND=1 RUSTC_BOOTSTRAP=1 \
		cargo fuzz run -s none $(TARGET) corpus/$(TARGET) -- -max_total_time=$(SECONDS) -timeout=10

## Known faults, licences and sources of all that is compiled in; needs the network.
audit:
	command -v cargo-deny >/dev/null || cargo install --locked cargo-deny
	cargo deny --config packaging/deny.toml check
	cd frontend && npm audit --omit=dev

## What is inside, as CycloneDX.
sbom:
	command -v cargo-cyclonedx >/dev/null || cargo install --locked cargo-cyclonedx
	cargo cyclonedx --format json
	cd frontend && npm sbom --sbom-format cyclonedx --omit dev > bom.json

## Checks the program for Windows, with all that is compiled in; the first time takes a quarter of an hour.
windows:
	./tests/install.sh gcc-mingw-w64-x86-64
	rustup target add x86_64-pc-windows-gnu
	APOGEE_SKIP_FRONTEND=1 cargo check --target x86_64-pc-windows-gnu --lib --bins

## The binary as it is handed out: whole, small, with its page; its sum, signed where SIGN_KEY names an SSH key.
dist: tools
	cargo build --profile dist --locked
	cd target/dist && sha256sum apogee > SHA256SUMS
	@[ -z "$(SIGN_KEY)" ] || { rm -f target/dist/SHA256SUMS.sig; ssh-keygen -Y sign -f "$(SIGN_KEY)" -n apogee target/dist/SHA256SUMS; }
	@ls -l target/dist/apogee

# OpenSSL (TLS to Postgres) is built from source, which takes make, a C compiler and perl.
tools:
	@command -v npm >/dev/null || { echo "Install Node.js 20 or newer with npm first."; exit 1; }
	@command -v cargo >/dev/null || { echo "Install Rust 1.95 or newer first."; exit 1; }
	@command -v cc >/dev/null && command -v perl >/dev/null || ./tests/install.sh build-essential perl
