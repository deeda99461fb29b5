# The Node binding. `include` it: the targets run from the repository's root.

.PHONY: node
node: ## the Node package, in bindings/node
	bindings/node/build.sh

.PHONY: test-node
test-node: node ## the Node package: vectors, connections, standard input and output, workers, types, its tarball
	cd bindings/node && npm run lint --silent && npm test --silent

.PHONY: node-pack
node-pack: ## the tarball of the Node package, built for release, in build/node
	bindings/node/build.sh --release
	mkdir -p build/node
	cd bindings/node && echo "$(CURDIR)/build/node/$$(npm pack --silent --pack-destination ../../build/node)"
