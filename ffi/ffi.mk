# The C library: included by the Makefile, paths from the repository's root.
TARGET ?= target
PREFIX ?= /usr/local
# What `rustc --print native-static-libs` says the static library needs. The compiler adds -lgcc_s or what replaces it, and -lc.
NATIVE_LIBS := -lutil -lrt -lpthread -lm -ldl
WELLHEAD_VERSION := $(shell sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
WELLHEAD_REPOSITORY := $(shell sed -n 's/^repository = "\([^"]*\)".*/\1/p' Cargo.toml)
# Before 1.0 a minor release changes the soname, as in ffi/build.rs.
WELLHEAD_SONAME := libwellhead.so.$(shell echo $(WELLHEAD_VERSION) | sed -E 's/^(0\.[0-9]+|[1-9][0-9]*).*/\1/')

.PHONY: c header check-header test-c test-c-asan test-c-tsan test-c-valgrind install
c: $(TARGET)/c/notes $(TARGET)/c/notes-cpp ## the C library, and the notes application in C and in C++

.PHONY: libwellhead
libwellhead:
	cargo build -p wellhead-ffi

$(TARGET)/c/%: ffi/examples/%.c include/wellhead.h libwellhead
	mkdir -p $(@D)
	$(CC) -std=c99 -g -Wall -Wextra -Wpedantic -Iinclude $< -o $@ $(TARGET)/debug/libwellhead.a $(NATIVE_LIBS)

$(TARGET)/c/%-cpp: ffi/examples/%.cpp include/wellhead.h include/wellhead.hpp libwellhead
	mkdir -p $(@D)
	$(CXX) -std=c++17 -g -Wall -Wextra -Wpedantic -Iinclude $< -o $@ $(TARGET)/debug/libwellhead.a $(NATIVE_LIBS)

header: ## write the headers of include from ffi/src
	cargo run -q -p xtask -- header

check-header: ## whether they are current
	cargo run -q -p xtask -- header --check

test-c: ## the vectors and tests in C and in C++
	tests/c/run.sh

test-c-asan: ## the same under AddressSanitizer and UndefinedBehaviorSanitizer
	tests/c/run.sh --asan

test-c-tsan: ## C's own tests and the example on libuv under ThreadSanitizer
	tests/c/run.sh --tsan

test-c-valgrind: ## the vectors and tests in C and in C++ under valgrind's memcheck, with the library that is installed, and for leaks
	tests/c/run.sh --valgrind

install: ## headers, libraries, wellhead.pc and the command, under $(DESTDIR)$(PREFIX)
	cargo build --release -p wellhead-ffi
	cargo build --release -p wellhead --features cli --bin wellhead
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/lib/pkgconfig
	install -m 755 $(TARGET)/release/wellhead $(DESTDIR)$(PREFIX)/bin
	install -m 644 include/wellhead.h include/wellhead_http.h include/wellhead.hpp include/wellhead_http.hpp $(DESTDIR)$(PREFIX)/include
	ffi/archive.sh $(TARGET)/release/libwellhead.a $(DESTDIR)$(PREFIX)/lib/libwellhead.a
	install -m 755 $(TARGET)/release/libwellhead.so $(DESTDIR)$(PREFIX)/lib/libwellhead.so.$(WELLHEAD_VERSION)
	ln -sf libwellhead.so.$(WELLHEAD_VERSION) $(DESTDIR)$(PREFIX)/lib/$(WELLHEAD_SONAME)
	ln -sf $(WELLHEAD_SONAME) $(DESTDIR)$(PREFIX)/lib/libwellhead.so
	install -d $(DESTDIR)$(PREFIX)/share/doc/wellhead
	install -m 644 LICENSE-APACHE LICENSE-MIT THIRD-PARTY-NOTICES $(DESTDIR)$(PREFIX)/share/doc/wellhead
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(WELLHEAD_VERSION)|' -e 's|@REPOSITORY@|$(WELLHEAD_REPOSITORY)|' ffi/wellhead.pc.in \
		> $(DESTDIR)$(PREFIX)/lib/pkgconfig/wellhead.pc
