# Two commands are all one needs: `make run` and `make test`.

DATA_DIR ?= ./data
LISTEN ?= 127.0.0.1:8080
export CHROMIUM ?= /usr/bin/chromium

.PHONY: run test rust-test web-test browser-test lint bench bench-live screenshots tools

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

## Prints every figure of BENCHMARKS.md; takes a release build and some minutes.
bench:
	cargo bench

## Readers of the live stream: time to the last of 10,000, events a second, memory; next to nginx with nchan.
bench-live:
	./tests/install.sh nginx libnginx-mod-nchan
	cargo build --release
	cargo bench --bench live

## Writes screenshots/index.html with every page at three widths.
screenshots: tools
	cargo build
	cd frontend && APOGEE_BIN=../target/debug/apogee npm run screenshots

# OpenSSL (TLS to Postgres) is built from source, which takes make, a C compiler and perl.
tools:
	@command -v npm >/dev/null || { echo "Install Node.js 20 or newer with npm first."; exit 1; }
	@command -v cargo >/dev/null || { echo "Install Rust 1.95 or newer first."; exit 1; }
	@command -v cc >/dev/null && command -v perl >/dev/null || ./tests/install.sh build-essential perl
