# The Python binding's tests; included by the Makefile at the root.
.PHONY: python python-stubs test-python test-python-all test-python-free test-python-leaks

PYTHON ?= python3
PYTHON_VERSIONS ?= 3.10 3.12 3.13 3.14
PYTHON_FREE ?= 3.14t

PYTHON_SOURCES = $(shell find Cargo.toml Cargo.lock core/Cargo.toml core/src $(addprefix bindings/python/,Cargo.toml pyproject.toml README.md src python) \
    -not -name '*.pyc' -not -name __pycache__)
# One build at a time. Without flock, as on macOS, do not start two.
PYTHON_LOCK = $(if $(shell command -v flock),flock build/python.lock)

python: ## the Python package, unoptimised, in an environment of its own: build/python
	@mkdir -p build
	@$(PYTHON_LOCK) $(MAKE) --silent build/python/installed

python-stubs: python ## the docstrings of the Python package, which stand in its sources, into its stubs
	build/python/bin/python bindings/python/stubs.py

# A file of its own, so that nothing is installed again under a running program if nothing changed.
build/python/installed: $(PYTHON_SOURCES)
	test -x build/python/bin/python || $(PYTHON) -m venv build/python
	CARGO_TARGET_DIR=$(abspath $(TARGET)) build/python/bin/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps \
	    --config-settings=build-args="--profile dev" ./bindings/python
	touch $@

test-python: ## the Python package: code, types, stubs, vectors, with the Python at hand
	sh bindings/python/test.sh $(PYTHON)

test-python-all: ## the same with the oldest and the newest Pythons that we promise, from pyenv or built here
	@for version in $(PYTHON_VERSIONS); do \
	    python=$$(sh bindings/python/interpreter.sh $$version) && sh bindings/python/test.sh "$$python" || exit 1; \
	done

test-python-free: ## the same with a Python without the global interpreter lock, and most tests on four threads at once; builds that Python if it must
	@python=$$(sh bindings/python/interpreter.sh $(PYTHON_FREE)) && sh bindings/python/test.sh "$$python"

# Optimised, in an environment of its own: the rounds then take 90 seconds of processor time.
test-python-leaks: ## that in Python 100,000 servers, connections, sessions and calls leave no memory, and 1,000 forks of each kind no lock
	@mkdir -p build
	test -x build/python-leaks/bin/python || $(PYTHON) -m venv build/python-leaks
	build/python-leaks/bin/pip install --quiet --disable-pip-version-check --requirement bindings/python/requirements-test.txt
	CARGO_TARGET_DIR=$(abspath $(TARGET)) $(PYTHON_LOCK) build/python-leaks/bin/pip install --quiet --disable-pip-version-check \
	    --force-reinstall --no-deps ./bindings/python
	cd bindings/python && LEAK_ROUNDS=100000 WELLHEAD_FORKS=1000 ../../build/python-leaks/bin/pytest --quiet tests/test_leaks.py tests/test_fork.py
