# Model checking, fuzzing and in-process benchmarks.

.PHONY: test-models
test-models: ## the shell under a model checker: every model under thousands of schedules
	RUSTFLAGS="--cfg shuttle" CARGO_PROFILE_DEV_OPT_LEVEL=1 \
	  cargo test -p wellhead --target-dir $(TARGET)/shuttle --test models
