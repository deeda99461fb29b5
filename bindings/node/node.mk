# The Node binding. `include` it: the targets run from the repository's root.

.PHONY: node
node: ## the Node package, in bindings/node
	bindings/node/build.sh

.PHONY: test-node
test-node: node ## the Node package: vectors, connections, standard input and output, workers, types, its tarball
	cd bindings/node && npm run lint --silent && npm test --silent

.PHONY: test-node-leaks
test-node-leaks: node ## that in Node 100,000 servers, connections, sessions and calls leave no memory behind
	cd bindings/node && LEAK_ROUNDS=100000 node --test --test-timeout=900000 test/scale.test.mjs

.PHONY: test-node-oldest
test-node-oldest: node ## the same with the oldest Node that we promise
	npm install --prefix build/node-oldest --silent --no-audit --no-fund node@20.19.0
	cd bindings/node && PATH="$(CURDIR)/build/node-oldest/node_modules/.bin:$$PATH" && test "$$(node --version)" = v20.19.0 && npm test --silent

.PHONY: test-runtimes
test-runtimes: node ## the Node package in Bun and in Deno, which it installs
	tests/runtimes.sh

.PHONY: node-pack
node-pack: ## the tarball of the Node package, built for release, in build/node
	@echo "Builds in release mode first, which takes about 3 minutes from nothing; the last line names the tarball."
	bindings/node/build.sh --release
	mkdir -p build/node
	cd bindings/node && echo "$(CURDIR)/build/node/$$(npm pack --silent --pack-destination ../../build/node)"
