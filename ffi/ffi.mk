# The C library: included by the Makefile, paths from the repository's root.
TARGET ?= target
# The system that the library is for: `unix` or `windows`.
SYSTEM ?= unix
# What `rustc --print native-static-libs` says the static library needs. The compiler adds -lgcc_s or what replaces it, and -lc: a
# program without shared libraries has no -lgcc_s.
NATIVE_LIBS_unix := -lutil -lrt -lpthread -lm -ldl
NATIVE_LIBS_windows := -lws2_32 -luserenv -lntdll -lkernel32 -ladvapi32 -lole32 -loleaut32 -lbcrypt -lsynchronization
NATIVE_LIBS = $(NATIVE_LIBS_$(SYSTEM))
WELLHEAD_VERSION := $(shell sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' Cargo.toml)
WELLHEAD_REPOSITORY := $(shell sed -n 's/^repository = "\([^"]*\)".*/\1/p' Cargo.toml)
# Before 1.0 a minor release changes the soname, as in ffi/build.rs.
WELLHEAD_SONAME := libwellhead.so.$(shell echo $(WELLHEAD_VERSION) | sed -E 's/^(0\.[0-9]+|[1-9][0-9]*).*/\1/')

.PHONY: c header check-header test-c test-c-asan test-c-tsan test-c-valgrind install install-library install-command uninstall
c: $(TARGET)/c/notes $(TARGET)/c/notes-cpp ## the C library, and the notes application in C and in C++

.PHONY: libwellhead native-libs
libwellhead:
	cargo build -p wellhead-ffi

native-libs: # for scripts
	@echo "$(NATIVE_LIBS)"

$(TARGET)/c/%: ffi/examples/%.c include/wellhead.h libwellhead
	mkdir -p $(@D)
	$(CC) -std=c99 -g -Wall -Wextra -Wpedantic -Iinclude $< -o $@ $(TARGET)/debug/libwellhead.a $(NATIVE_LIBS)

$(TARGET)/c/%-cpp: ffi/examples/%.cpp include/wellhead.h include/wellhead.hpp libwellhead
	mkdir -p $(@D)
	$(CXX) -std=c++17 -g -Wall -Wextra -Wpedantic -Iinclude $< -o $@ $(TARGET)/debug/libwellhead.a $(NATIVE_LIBS)

header: ## write the headers of include from ffi/src
	cargo run -q -p xtask -- header

check-header: ## whether they are current, and keep the ABI of the last release
	cargo run -q -p xtask -- header --check
	cargo run -q -p xtask -- abi --check

test-c: ## the vectors and tests in C and in C++
	tests/c/run.sh

test-c-asan: ## the same under AddressSanitizer and UndefinedBehaviorSanitizer
	tests/c/run.sh --asan

test-c-tsan: ## C's own tests and the example on libuv under ThreadSanitizer
	tests/c/run.sh --tsan

test-c-valgrind: ## the vectors and tests in C and in C++ under valgrind's memcheck, with the library that is installed, and for leaks
	tests/c/run.sh --valgrind

# ---- what is installed

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DOCDIR ?= $(PREFIX)/share/doc/wellhead
# The shell would take a folder with a space for two.
check_places = $(foreach name,DESTDIR PREFIX BINDIR LIBDIR INCLUDEDIR DOCDIR,$(if $(word 2,x$($(name))x),\
	$(error $(name) must have no space, and is "$($(name))". Choose another folder)))
# How the library and the command are built, and where that puts them: packaging builds for other systems. The system and the folder are named,
# since the user may have set others for cargo. What an earlier build left in the folder would then be installed.
host = $(shell rustc --version --verbose 2> /dev/null | sed -n 's/^host: //p')
CARGO_BUILD ?= cargo build --locked --profile dist --target $(host) --target-dir $(TARGET)
STRIP ?= strip
BUILT ?= $(TARGET)/$(host)/dist
DLLTOOL ?= dlltool
# The parts of the library: `FEATURES=` leaves out all of them. The Makefile has a variable of this name for the core.
all_features := directory http schema skills
install install-library uninstall: FEATURES := $(all_features)
comma := ,
chosen = $(subst $(comma), ,$(FEATURES))
# What is in the library: one part brings another, as in ffi/Cargo.toml.
features = $(sort $(chosen) $(if $(filter skills,$(chosen)),directory))

# CMake takes a name without -l for a target of the program, if there is one. The linker of MSVC knows no -l.
cmake_libs_unix = $(NATIVE_LIBS)
cmake_libs_windows = $(NATIVE_LIBS:-l%=%)
to = $(shell realpath -ms --relative-to='$(1)' '$(2)')
fill = sed -e 's|@VERSION@|$(WELLHEAD_VERSION)|' -e 's|@SONAME@|$(WELLHEAD_SONAME)|' -e 's|@REPOSITORY@|$(WELLHEAD_REPOSITORY)|' \
	-e 's|@LIBDIR@|$(call to,$(PREFIX),$(LIBDIR))|' -e 's|@INCLUDEDIR@|$(call to,$(PREFIX),$(INCLUDEDIR))|' \
	-e 's|@PREFIX_FROM_PC@|$(call to,$(LIBDIR)/pkgconfig,$(PREFIX))|' -e 's|@PREFIX_FROM_CMAKE@|$(call to,$(LIBDIR)/cmake/wellhead,$(PREFIX))|' \
	-e 's|@NATIVE_LIBS@|$(NATIVE_LIBS)|' -e 's|@CMAKE_LIBS@|$(subst $(empty) ,;,$(cmake_libs_$(SYSTEM)))|' -e 's|@FEATURES@|$(features)|'
all_headers := wellhead.h wellhead.hpp wellhead_http.h wellhead_http.hpp
headers = $(filter-out $(if $(filter http,$(features)),,wellhead_http.%),$(all_headers))
licence_files := LICENSE-APACHE LICENSE-MIT THIRD-PARTY-NOTICES
cmake_files := wellhead-config.cmake wellhead-config-version.cmake

# Both are checked before the first is built.
install: ready-library ready-command install-library install-command ## headers, libraries, files for pkg-config and CMake, and the command, under $(DESTDIR)$(PREFIX)

.PHONY: ready-library ready-command
ready-library:
	$(check_places)
	@ffi/ready.sh $(firstword $(CARGO_BUILD)) $(addprefix $(DESTDIR),$(LIBDIR) $(INCLUDEDIR) $(DOCDIR))

ready-command:
	$(check_places)
	@ffi/ready.sh $(firstword $(CARGO_BUILD)) $(addprefix $(DESTDIR),$(BINDIR) $(DOCDIR))

define install_libraries_unix
ffi/archive.sh $(BUILT)/libwellhead.a $(DESTDIR)$(LIBDIR)/libwellhead.a
install -m 644 $(BUILT)/libwellhead.so $(DESTDIR)$(LIBDIR)/libwellhead.so.$(WELLHEAD_VERSION)
ln -sf libwellhead.so.$(WELLHEAD_VERSION) $(DESTDIR)$(LIBDIR)/$(WELLHEAD_SONAME)
ln -sf $(WELLHEAD_SONAME) $(DESTDIR)$(LIBDIR)/libwellhead.so
endef

# The static library keeps its symbols of Rust: import libraries within it define some of them again, so that its parts cannot be one object. Programs
# find a DLL in their own folder or by PATH. They are linked with an import library, for which each compiler has a name.
define install_libraries_windows
install -m 644 $(BUILT)/libwellhead.a $(DESTDIR)$(LIBDIR)
install -d $(DESTDIR)$(BINDIR)
install -m 755 $(BUILT)/wellhead.dll $(DESTDIR)$(BINDIR)
ffi/import.sh '$(DLLTOOL)' include $(DESTDIR)$(LIBDIR)/wellhead.lib
install -m 644 $(DESTDIR)$(LIBDIR)/wellhead.lib $(DESTDIR)$(LIBDIR)/libwellhead.dll.a
endef

# A library that lacks parts is to be small.
only_some = $(if $(filter-out $(features),$(all_features)),--no-default-features --features '$(features)' \
	--config 'profile.dist.opt-level="s"' --config 'profile.dist.package.wellhead.opt-level="s"')
install-library: ready-library ## the same without the command
	$(CARGO_BUILD) -p wellhead-ffi $(only_some)
	install -d $(DESTDIR)$(INCLUDEDIR) $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(LIBDIR)/cmake/wellhead $(DESTDIR)$(DOCDIR)
	rm -f $(addprefix $(DESTDIR)$(INCLUDEDIR)/,$(all_headers)) # an earlier library may have had more
	install -m 644 $(headers:%=include/%) $(DESTDIR)$(INCLUDEDIR)
	$(install_libraries_$(SYSTEM))
	$(fill) ffi/wellhead.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/wellhead.pc
	for file in $(cmake_files); do $(fill) ffi/$$file.in > $(DESTDIR)$(LIBDIR)/cmake/wellhead/$$file; done
	chmod 644 $(DESTDIR)$(LIBDIR)/pkgconfig/wellhead.pc $(addprefix $(DESTDIR)$(LIBDIR)/cmake/wellhead/,$(cmake_files)) # whatever the umask is
	install -m 644 $(licence_files) $(DESTDIR)$(DOCDIR)

command_unix := wellhead
command_windows := wellhead.exe
# A program is linked at the level of its own package, which is for size here: this one waits for files. Cargo strips no program whose
# package has a level of its own.
install-command: ready-command
	$(CARGO_BUILD) --config 'profile.dist.package.wellhead.opt-level="s"' -p wellhead --features cli --bin wellhead
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(DOCDIR)
	install -m 755 $(BUILT)/$(command_$(SYSTEM)) $(DESTDIR)$(BINDIR)
	$(STRIP) $(DESTDIR)$(BINDIR)/$(command_$(SYSTEM))
	install -m 644 $(licence_files) $(DESTDIR)$(DOCDIR)

uninstall: ## removes what `make install` with equal variables has installed
	$(check_places)
	rm -f $(DESTDIR)$(BINDIR)/wellhead $(addprefix $(DESTDIR)$(INCLUDEDIR)/,$(all_headers))
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/,libwellhead.a libwellhead.so $(WELLHEAD_SONAME) libwellhead.so.$(WELLHEAD_VERSION) pkgconfig/wellhead.pc)
	rm -f $(addprefix $(DESTDIR)$(LIBDIR)/cmake/wellhead/,$(cmake_files)) $(addprefix $(DESTDIR)$(DOCDIR)/,$(licence_files))
	# DOCDIR may be a folder that other packages use as well.
	for folder in $(DESTDIR)$(LIBDIR)/cmake/wellhead $(DESTDIR)$(DOCDIR); do [ ! -d $$folder ] || rmdir --ignore-fail-on-non-empty $$folder; done
