# What is shipped: included by the Makefile, paths from the repository's root. Each script adds to dist/.
.PHONY: dist test-dist test-dist-again
# The processors for which the command, its bundle, the C archive and the Debian package are made.
MACHINES := x86_64 aarch64

dist: ## everything that this machine can make to be shipped, in dist, with SHA256SUMS; installs zig and more under build
	rm -rf dist
	packaging/tools.sh $(MACHINES) windows
	for machine in $(MACHINES); do MACHINE=$$machine packaging/command.sh; done
	packaging/server.sh
	for machine in $(MACHINES); do MACHINE=$$machine packaging/c.sh; done
	packaging/windows.sh
	packaging/crate.sh
	packaging/node.sh
	packaging/python.sh
	packaging/sums.sh

test-dist: ## what `make dist` has made, installed from dist alone into empty folders, and asked by the official client
	packaging/tools.sh
	tests/dist/c.sh
	tests/dist/node.sh
	tests/dist/python.sh
	tests/dist/musl.sh
	tests/dist/windows.sh
	tests/dist/arm64.sh
	tests/dist/rust.sh
	tests/dist/install.sh
	tests/dist/bundlers.sh
	tests/dist/containers.sh

test-dist-again: ## that `make dist` makes equal bytes in another folder; it must be of the current commit
	tests/dist/again.sh
