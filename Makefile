# Each target is one plain command; `make help` lists them.
# CARGO_TARGET_DIR is respected throughout.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

TARGET := $(if $(CARGO_TARGET_DIR),$(CARGO_TARGET_DIR),target)
PYTHON ?= python3

include $(wildcard ffi/ffi.mk packaging/dist.mk bindings/python/python.mk bindings/node/node.mk tests/models.mk)

.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  \1\t\2/' | expand -t 20

# ---- the two commands

.PHONY: demo
demo: ## each of the four hosts driven by real clients, as a table
	@echo "Builds the core and its bindings for C, Python and Node first, which takes 4 to 5 minutes from nothing; then comes a table of steps and results."
	@$(MAKE) hosts
	$(PYTHON) tests/clients/run.py --demo

.PHONY: test
test: ## everything that one Rust, one Python and one Node can show; takes 22 to 28 minutes on two cores, and installs what it needs
	$(PYTHON) tests/steps.py test-rust test-c test-models test-c-asan test-c-tsan lint check-header test-release fuzz rows words prose \
	  -- test-node test-python test-clients conformance-one test-docs test-readme

.PHONY: test-all
test-all: ## the same with what is long, and with more Pythons
	$(PYTHON) tests/steps.py test-rust test-c test-models test-c-asan test-c-tsan lint check-header test-release test-packages check-features test-options test-rust-oldest test-windows test-folding test-race test-leaks test-c-valgrind fuzz-long rows words prose \
	  -- test-node test-node-oldest test-runtimes test-python-all test-python-free test-python-leaks test-node-leaks test-clients test-clients-fastmcp test-clients-tools test-clients-go test-clients-java test-clients-rmcp test-inspector test-apps test-languages test-instances test-ports conformance test-docs test-site test-readme

# ---- the parts

# One set for all that is built of the core, so that what is built once serves every target.
FEATURES := cli,schemars,tower
# What a folder does there is not tried, only compiled: a check needs no linker and no system.
OTHER_SYSTEMS := aarch64-apple-darwin x86_64-apple-darwin x86_64-pc-windows-msvc
CLIPPY_ELSEWHERE = PYO3_NO_PYTHON=1 cargo clippy -q -p wellhead -p wellhead-ffi -p wellhead-python --all-features --target-dir $(TARGET)/features
OLDEST_RUST := $(shell sed -n 's/^rust-version = "\([0-9.]*\)".*/\1/p' Cargo.toml)

.PHONY: test-folding
test-folding: ## that a folder hides what its rules name where file names ignore case; needs FUSE, and installs ntfs-3g
	tests/folding.sh

.PHONY: test-leaks
test-leaks: ## that in Rust 100,000 servers, connections, sessions and calls leave no memory behind
	LEAK_ROUNDS=100000 cargo test -p wellhead --features $(FEATURES) --test leaks

.PHONY: lint
lint: licences notices-current check-manifests check-workflows check-docs ## formatting and lints, with warnings as errors
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --features wellhead/cli,wellhead/schemars,wellhead/tower -- -D warnings

.PHONY: check-docs
check-docs: ## that the core's reference builds as docs.rs shows it, with every feature, and has no dead link
	RUSTDOCFLAGS="-D warnings" cargo doc -q -p wellhead --no-deps --all-features

.PHONY: check-features
check-features: ## that the core has no warning: each feature by itself, and all packages for macOS and Windows; needs rustup
	for features in "" simd schema schemars stdio http tower directory skills cli; do \
	    cargo clippy -q -p wellhead --no-default-features --features "$$features" --target-dir $(TARGET)/features -- -D warnings || exit 1; \
	done
	rustup target add $(OTHER_SYSTEMS) x86_64-pc-windows-gnu
	for system in $(OTHER_SYSTEMS); do \
	    $(CLIPPY_ELSEWHERE) -p wellhead-node --target $$system -- -D warnings || exit 1; \
	done
	$(CLIPPY_ELSEWHERE) --target x86_64-pc-windows-gnu -- -D warnings # napi needs a libnode.dll there, which Node does not ship

.PHONY: licences
licences: ## that every crate may be linked by the list of deny.toml
	$(PYTHON) tests/licences.py

.PHONY: check-workflows
check-workflows: ## the workflows of GitHub with actionlint, shellcheck and zizmor, and which files they publish; installs these, and needs Go for the first
	PYTHON="$(PYTHON)" tests/workflows.sh

.PHONY: check-manifests
check-manifests: ## that npm, Python and the lock files have the version and the address of Cargo.toml, the platforms of README, and READMEs that name their own files
	cargo xtask manifests --check
	$(PYTHON) tests/platforms.py
	$(PYTHON) tests/readmes.py

.PHONY: test-release
test-release: ## that `cargo xtask release` raises the version everywhere, in a copy of the tree
	cargo test -q -p xtask
	$(PYTHON) tests/release.py

.PHONY: test-packages
test-packages: ## that the crate, the sdist and the npm tarball hold the right files, that the crate compiles from its own, and bills of materials
	$(PYTHON) tests/sbom.py
	$(PYTHON) tests/packages.py

.PHONY: notices notices-current
notices: ## writes THIRD-PARTY-NOTICES, which goes into every package, from the crates that are linked
	$(PYTHON) tests/notices.py

notices-current: ## whether it is current
	$(PYTHON) tests/notices.py --check

.PHONY: test-rust
test-rust: ## the core: unit tests, vectors, the stdio driver, folders, the command, documentation
	cargo test -p wellhead --features $(FEATURES) --no-fail-fast
	cargo test -p wellhead --test notices a_build_without_schema
	cargo test -p wellhead-ffi
	cargo test -p axum-notes

.PHONY: test-rust-oldest
test-rust-oldest: ## that everything compiles with the oldest Rust that we promise; needs rustup
	rustup toolchain install --profile minimal --no-self-update $(OLDEST_RUST)
	cargo +$(OLDEST_RUST) check --workspace --features wellhead/cli,wellhead/schemars,wellhead/tower --target-dir $(TARGET)/oldest

.PHONY: test-race
test-race: ## that nothing outside a folder is read, in 100,000 reads while links are swapped in
	WELLHEAD_RACE_READS=100000 cargo test -p wellhead --features $(FEATURES) --test directory race

.PHONY: test-windows
test-windows: ## the core's suites, the command, C and Node's vectors for Windows, under Wine; needs rustup, installs mingw-w64 and Wine with apt if it may
	tests/windows/run.sh

.PHONY: hosts
hosts: c python node $(addprefix $(TARGET)/c/,wide wide-cpp shelf shelf-cpp) ## the hosts that clients are tried on, in the four languages
	cargo build -p wellhead --features $(FEATURES) --example notes --example wide --example shelf --bin wellhead

$(TARGET)/c/%: tests/clients/hosts/%.c include/wellhead.h include/wellhead_http.h libwellhead
	mkdir -p $(@D)
	$(CC) -std=c99 -g -Wall -Wextra -Wpedantic -Iinclude $< -o $@ $(TARGET)/debug/libwellhead.a $(NATIVE_LIBS)

$(TARGET)/c/%-cpp: tests/clients/hosts/%.cpp include/wellhead.h include/wellhead.hpp include/wellhead_http.hpp libwellhead
	mkdir -p $(@D)
	$(CXX) -std=c++17 -g -Wall -Wextra -Wpedantic -Iinclude $< -o $@ $(TARGET)/debug/libwellhead.a $(NATIVE_LIBS)

$(TARGET)/c/poll: tests/apps/hosts/poll.c include/wellhead.h libwellhead
	mkdir -p $(@D)
	$(CC) -std=c99 -g -Wall -Wextra -Wpedantic -Iinclude $< -o $@ $(TARGET)/debug/libwellhead.a $(NATIVE_LIBS)

$(TARGET)/c/poll-cpp: tests/apps/hosts/poll.cpp include/wellhead.h include/wellhead.hpp libwellhead
	mkdir -p $(@D)
	$(CXX) -std=c++17 -g -Wall -Wextra -Wpedantic -Iinclude $< -o $@ $(TARGET)/debug/libwellhead.a $(NATIVE_LIBS)

# Those that use a further library.
$(TARGET)/c/conformance-cpp: tests/conformance/hosts/conformance.cpp include/wellhead.h include/wellhead.hpp include/wellhead_http.hpp libwellhead
	tests/c/install.sh
	mkdir -p $(@D)
	$(CXX) -std=c++17 -g -Wall -Wextra -Wpedantic -Iinclude $< -o $@ $(TARGET)/debug/libwellhead.a $(NATIVE_LIBS)
$(TARGET)/c/conformance: tests/conformance/hosts/conformance.c
$(TARGET)/c/clock: ffi/examples/clock.c ffi/examples/microhttpd.c ffi/examples/serve_on_microhttpd.h
$(TARGET)/c/wide-microhttpd: tests/clients/hosts/wide.c ffi/examples/microhttpd.c ffi/examples/serve_on_microhttpd.h
$(TARGET)/c/wide-microhttpd: SWITCHES := -DON_MICROHTTPD -Iffi/examples
$(TARGET)/c/conformance $(TARGET)/c/clock $(TARGET)/c/wide-microhttpd: include/wellhead.h include/wellhead_http.h libwellhead
	tests/c/install.sh
	mkdir -p $(@D)
	$(CC) -std=c99 -g -Wall -Wextra -Wpedantic -Iinclude $(SWITCHES) $(filter %.c,$^) -o $@ $(TARGET)/debug/libwellhead.a -ljansson -lmicrohttpd $(NATIVE_LIBS)

.PHONY: hosts-http
hosts-http: $(TARGET)/c/clock $(TARGET)/c/wide-microhttpd ## programs with an HTTP server of their own, for the same
	cargo build -p axum-notes --bin axum-notes --example wide-axum

.PHONY: test-clients
test-clients: hosts hosts-http ## the official clients against the notes application and everything else they can ask for, in each language
	$(PYTHON) tests/clients/run.py

.PHONY: test-clients-fastmcp
test-clients-fastmcp: hosts ## fastmcp's client against resources as tools and tools of every host, by the points of its own tests, and against skills
	tests/clients/setup.sh
	tests/clients/fastmcp/run.sh

.PHONY: test-clients-tools
test-clients-tools: hosts ## the official TypeScript clients against resources as tools, and their client of skills, on every host; the points of skills
	tests/clients/setup.sh
	node --preserve-symlinks --preserve-symlinks-main build/clients/typescript/tools.mjs $(TARGET)
	node --preserve-symlinks --preserve-symlinks-main build/clients/typescript/skills.mjs $(TARGET)
	$(PYTHON) tests/clients/skills.py

.PHONY: test-clients-go
test-clients-go: hosts hosts-http ## the official client in Go against every wide host; needs Go
	$(PYTHON) tests/clients/run.py --client go-1 --client go-2

.PHONY: test-clients-java
test-clients-java: hosts hosts-http ## the official clients in Java, the old one and the new one, against every wide host; needs Java and Maven
	$(PYTHON) tests/clients/run.py --client java-1 --client java-2

.PHONY: test-clients-rmcp
test-clients-rmcp: hosts hosts-http ## the official client in Rust against every wide host
	$(PYTHON) tests/clients/run.py --client rmcp-1 --client rmcp-2

.PHONY: test-inspector
test-inspector: hosts hosts-http ## the MCP Inspector: its command line on every host, its web page in Chromium on the one in Python
	tests/clients/setup.sh
	$(PYTHON) tests/clients/inspector.py

.PHONY: test-apps
test-apps: python node $(TARGET)/c/poll $(TARGET)/c/poll-cpp ## that the official bridge for MCP Apps shows a poll of each language in Chromium; installs both
	cargo build -p wellhead --features $(FEATURES) --example poll
	$(PYTHON) tests/apps/run.py

.PHONY: test-languages
test-languages: libwellhead ## hosts in Python, Go, LuaJIT and Ruby that call the C library by ctypes, cgo and ffi; needs Go, installs Ruby with apt if it may
	$(PYTHON) tests/languages/run.py

.PHONY: test-docs
test-docs: python node libwellhead ## the programs in docs, asked what their pages say; installs nginx with apt if it may
	tests/clients/setup.sh
	tests/clients/fastmcp/setup.sh
	$(PYTHON) docs/check.py

.PHONY: docs
docs: ## the documentation as a site, in build/docs; installs mdbook with cargo
	test -x build/mdbook/bin/mdbook || cargo install mdbook@0.5.4 --locked --quiet --no-default-features --features search --root build/mdbook
	$(PYTHON) docs/reference.py
	build/mdbook/bin/mdbook build docs --dest-dir "$(CURDIR)/build/docs"

.PHONY: test-site
test-site: docs ## that each page of it fits a wide and a narrow screen in Chromium, with links that lead somewhere; installs Chromium with apt if it may
	$(PYTHON) docs/site.py

.PHONY: test-instances
test-instances: python node ## two instances behind nginx with Redis between them, of which one is killed; installs both with apt if it may
	$(PYTHON) tests/instances/run.py

.PHONY: test-ports
test-ports: libwellhead node python ## that servers which were ported to Wellhead answer as their originals do; installs two of these from npm
	$(PYTHON) ports/check.py

.PHONY: conformance conformance-one
conformance: python node $(TARGET)/c/conformance $(TARGET)/c/conformance-cpp ## the official conformance suite, whole, on hosts in the five languages
	cargo build -p wellhead --features $(FEATURES) --example conformance
	$(PYTHON) tests/conformance/run.py

conformance-one: python node $(TARGET)/c/conformance $(TARGET)/c/conformance-cpp ## the same with one host a revision
	cargo build -p wellhead --features $(FEATURES) --example conformance
	$(PYTHON) tests/conformance/run.py --one

.PHONY: test-readme
test-readme: ## the README's smallest servers, each from an empty folder
	bash tests/readme/run.sh

.PHONY: rows
rows: ## which protocol rows no vector and no named test covers
	$(PYTHON) tests/rows.py

.PHONY: words
words: ## that NAMES.md and the public names of the five languages agree, and that each gap has a reason
	$(PYTHON) tests/words.py

.PHONY: options
options: ## writes OPTIONS.md from the core's table of options, and adds to each language what it lacks; test-rust says whether they are current
	WRITE_OPTIONS=1 cargo test -p wellhead --features $(FEATURES) --test options each_language

.PHONY: test-options
test-options: ## that one row in the core adds an option to each language, in a copy of the tree
	$(PYTHON) tests/options.py

.PHONY: prose
prose: ## that documents, comments, messages and commit subjects keep to the rules of tests/prose.py
	$(PYTHON) tests/prose.py

.PHONY: bench-stdio
bench-stdio: ## the round trip of the stdio driver against canned answers; best as `taskset -c 0 make bench-stdio`
	cargo bench -p wellhead --features stdio --bench stdio

.PHONY: bench-templates
bench-templates: ## what finding a URI costs among 10 to 10,000 templates, and with URIs made to be dear
	cargo bench -p wellhead --bench templates

.PHONY: bench-directory
bench-directory: ## what a client of `wellhead serve` waits for when there are 100,000 files, or 1,000 skills (`BENCH=skills`)
	cargo bench -p wellhead --features cli --bench directory -- $(BENCH)

.PHONY: bench-hosts
bench-hosts: ## the hosts of bench/hosts.txt and hosts_http.txt, in release mode
	bash bench/build.sh

.PHONY: bench-calls
bench-calls: ## what a callback in C, Python and Node adds to a read in process, compared with a closure in Rust
	bash bench/build.sh c python node
	cargo bench -q -p wellhead --bench core calls
	build/bench/calls
	build/bench/venv/bin/python bench/calls/calls.py
	node build/bench/node/calls.mjs

.PHONY: bench-streams
bench-streams: ## memory and processor time of 10,000 idle streams over HTTP, of the Rust host; needs 10,200 descriptors
	bash bench/build.sh rust
	$(PYTHON) bench/streams.py
	$(PYTHON) bench/streams.py --sessions

.PHONY: bench-first-read
bench-first-read: ## the seconds from an empty folder to the first read of a client, in each language, with what `make dist` has made
	packaging/tools.sh
	bench/first_read.sh

.PHONY: bench-growth
bench-growth: ## that a read over HTTP costs the Rust host the same with 1,000 connections, calls, streams or sessions open
	bash bench/build.sh rust
	$(PYTHON) bench/growth.py rust rust-inline

.PHONY: bench-figures
bench-figures: bench-hosts ## README's table: servers of one resource set over stdio, next to servers on rmcp, fastmcp and the TypeScript SDK; installs these
	bash bench/rivals/setup.sh
	$(PYTHON) bench/figures.py

.PHONY: bench-tools
bench-tools: bench-hosts ## calls of a tool over stdio, next to servers on rmcp, fastmcp and the official SDKs; installs these
	bash bench/rivals/setup.sh
	$(PYTHON) bench/tools.py
