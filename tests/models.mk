# Model checking, fuzzing and in-process benchmarks.

.PHONY: test-models
test-models: ## the shell under a model checker: every model under thousands of schedules
	RUSTFLAGS="--cfg shuttle" CARGO_PROFILE_DEV_OPT_LEVEL=1 \
	  cargo test -p wellhead --features stdio --target-dir $(TARGET)/shuttle --lib models::

FUZZ_SECONDS ?= 60
FUZZ_LONG ?= 900

# Debug assertions stay on: they are the invariants about locks.
.PHONY: fuzz
fuzz: ## generated steps against the invariants, for FUZZ_SECONDS (60) from FUZZ_SEED (1)
	CARGO_PROFILE_DEV_OPT_LEVEL=1 FUZZ_SECONDS=$(FUZZ_SECONDS) \
	  cargo run -q -p wellhead-fuzz --target-dir $(TARGET)/fuzz

.PHONY: fuzz-long
fuzz-long: ## the same led by coverage, under AddressSanitizer, for FUZZ_LONG seconds (900)
	mkdir -p $(TARGET)/fuzz/corpus
	RUSTC_BOOTSTRAP=1 RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
	  -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
	  -Cllvm-args=-sanitizer-coverage-trace-compares -Zsanitizer=address -Cdebug-assertions -Ccodegen-units=1" \
	  cargo build --release --manifest-path tests/fuzz/libfuzzer/Cargo.toml \
	  --target x86_64-unknown-linux-gnu --target-dir $(TARGET)/fuzz
	$(TARGET)/fuzz/x86_64-unknown-linux-gnu/release/wellhead-libfuzzer $(TARGET)/fuzz/corpus \
	  -max_total_time=$(FUZZ_LONG) -max_len=1200 -timeout=60

.PHONY: bench
bench: ## what calls, changes and connections cost in process
	cargo bench -p wellhead --features schema --bench core
