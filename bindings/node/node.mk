# The Node binding. `include` it: the targets run from the repository's root.

.PHONY: node test-node node-pack

# Builds bindings/node in place.
node:
	bindings/node/build.sh

# Its tests: the vectors, the connection, standard input and output, workers, types, the package.
test-node: node
	cd bindings/node && npm test --silent

# Packs it, built for release, into build/node/.
node-pack:
	bindings/node/build.sh --release
	mkdir -p build/node
	cd bindings/node && npm pack --silent --pack-destination ../../build/node
