"""Shows that an option is added in one place.

In a copy of the tree it adds one row for a limit, and one for an option of an endpoint, each with a line of the core that uses it.
Then it runs `make options` and `make header`. Programs in C, C++, Python and Node set both. The core refuses the values with messages
that have the numbers, so the values arrived. The documentation must have both as well.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCRATCH = ROOT / "build/options"
TREE = SCRATCH / "tree"
TARGET = SCRATCH / "target"

# Files, the lines that are there, and the lines to add before them.
ROWS = [
    ("core/src/limits.rs", "        /// Milliseconds until a pending call", "        /// Notes in one drawer. Refuses. Default 30.\n        pub drawer_notes: usize = 30,\n"),
    ("core/src/limits.rs", "        match self.zero(", '        if self.drawer_notes == 77 {\n            return Err(Error::new(ErrorKind::InvalidArgument, "the drawer has 77 notes"));\n        }\n'),
    ("core/src/options.rs", "        /// Bytes of events that a session keeps", "        /// Bytes of the drawer.\n        pub(crate) drawer_bytes: usize = 1 << 10,\n"),
    ("core/src/http/endpoint_builder.rs", "        let zero = self.values.zero(", '        if self.values.drawer_bytes == 78 {\n            return Err(Error::new(ErrorKind::InvalidArgument, "the drawer has 78 bytes"));\n        }\n'),
]

# What a reader finds, with the beginning of its line.
DOCUMENTS = [
    ("OPTIONS.md", "| `drawer_notes` | number | 30 | Notes in one drawer."),
    ("OPTIONS.md", "| `drawer_bytes` | number of bytes | 1 KiB | Bytes of the drawer."),
    ("NAMES.md", "| `drawer_bytes` | `http::EndpointBuilder::drawer_bytes` |"),
    ("core/src/http/endpoint_builder.rs", "/// Bytes of the drawer. Default: 1 KiB."),
    ("include/wellhead.h", "Notes in one drawer. Refuses. Default: 30."),
    ("include/wellhead_http.h", "Bytes of the drawer. Default: 1 KiB."),
    ("bindings/python/python/wellhead/_core.pyi", "drawer_notes: Notes in one drawer. Refuses. Default: 30."),
    ("bindings/python/python/wellhead/_core.pyi", "drawer_bytes: Bytes of the drawer."),
    ("bindings/node/lib/options.ts", "/** Notes in one drawer. Refuses. Default: 30. */"),
    ("bindings/node/lib/httpOptions.ts", "/** Bytes of the drawer. Default: 1 KiB. */"),
]

C = r"""
#include <stdio.h>
#include <wellhead_http.h>
static void show(wellhead_error *error) {
    wellhead_str text = wellhead_error_message(error);
    printf("%.*s\n", (int)text.len, (const char *)text.ptr);
    wellhead_error_free(error);
}
int main(void) {
    wellhead_error *error = NULL;
    wellhead_limits limits = WELLHEAD_LIMITS_INIT;
    wellhead_server_options options = WELLHEAD_SERVER_OPTIONS_INIT;
    wellhead_endpoint_options endpoint = WELLHEAD_ENDPOINT_OPTIONS_INIT;
    wellhead_server *server;
    limits.drawer_notes = 77;
    options.limits = &limits;
    if (!wellhead_server_new(WELLHEAD_STR("s"), WELLHEAD_STR("1"), &options, &error)) show(error);
    error = NULL;
    server = wellhead_server_new(WELLHEAD_STR("s"), WELLHEAD_STR("1"), NULL, NULL);
    endpoint.drawer_bytes = 78;
    if (!wellhead_endpoint_new(server, &endpoint, NULL, NULL, NULL, &error)) show(error);
    wellhead_server_free(server);
    return 0;
}
"""
CPP = r"""
#include <cstdio>
#include <wellhead_http.hpp>
template <class F> static void show(F run) {
    try { run(); } catch (const std::exception &e) { std::puts(e.what()); }
}
int main() {
    show([] { wellhead::ServerOptions o; o.limits.drawer_notes = 77; wellhead::Server s("s", "1", o); });
    show([] { wellhead::Server s("s", "1"); wellhead::EndpointOptions o; o.drawer_bytes = 78; wellhead::Endpoint e(s, o); });
}
"""
PYTHON = """
import wellhead
for made in (lambda: wellhead.Server("s", "1", limits=wellhead.Limits(drawer_notes=77)),
             lambda: wellhead.Server("s", "1").asgi(drawer_bytes=78)):
    try:
        made()
    except wellhead.RegistrationError as e:
        print(e)
"""
NODE = """
import { Server } from './dist/index.js';
for (const made of [() => new Server('s', '1', { limits: { drawerNotes: 77 } }),
                    () => new Server('s', '1').fetch(new Request('http://localhost/mcp'), { drawerBytes: 78 }),
                    () => new Server('s', '1').handler({ drawerBytes: 78 })]) {
  try { made(); } catch (e) { console.log(e.message); }
}
"""


def main() -> int:
    copy()
    for file, before, lines in ROWS:
        text = (TREE / file).read_text("utf-8")
        assert before in text, f"{file} has no {before!r}"
        (TREE / file).write_text(text.replace(before, lines + before, 1), "utf-8")
    run("make", "options")
    run("make", "header")
    missing = [f"{file}: no {line!r}" for file, line in DOCUMENTS if line not in (TREE / file).read_text("utf-8")]
    run("cargo", "build", "-q", "-p", "wellhead-ffi", "-p", "wellhead-python")
    for language, output in (("C", c("cc -std=c99", "c", C)), ("C++", c("c++ -std=c++17", "cpp", CPP)), ("Python", python()), ("Node", node())):
        arrived = ["77 notes" in output, "78 bytes" in output]
        print(f"{language}: the limit {'arrives' if arrived[0] else 'IS LOST'}, the option {'arrives' if arrived[1] else 'IS LOST'}")
        missing += [] if all(arrived) else [f"{language} printed {output!r}"]
    print(*missing or ["each document has both"], sep="\n")
    return 1 if missing else 0


def copy() -> None:
    """Copies the files of the repository, as they are now."""
    shutil.rmtree(TREE, ignore_errors=True)
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (TREE / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, TREE / name)


def run(*command: str, cwd: Path = TREE, **environment: str) -> str:
    done = subprocess.run(command, cwd=cwd, env={**os.environ, "CARGO_TARGET_DIR": str(TARGET), **environment}, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}")
    return done.stdout


def c(compiler: str, suffix: str, text: str) -> str:
    source, program = SCRATCH / f"drawer.{suffix}", SCRATCH / f"drawer-{suffix}"
    source.write_text(text, "utf-8")
    libraries = ["-lutil", "-lrt", "-lpthread", "-lm", "-ldl"]  # as NATIVE_LIBS in ffi/ffi.mk
    run(*compiler.split(), f"-I{TREE}/include", str(source), "-o", str(program), str(TARGET / "debug/libwellhead.a"), *libraries)
    return run(str(program))


def python() -> str:
    package = TREE / "bindings/python/python"
    shutil.copy2(TARGET / "debug/lib_core.so", package / "wellhead/_core.abi3.so")
    return run(sys.executable, "-c", PYTHON, PYTHONPATH=str(package))


def node() -> str:
    folder = TREE / "bindings/node"
    installed = ROOT / "bindings/node/node_modules"
    if installed.exists():
        shutil.copytree(installed, folder / "node_modules", symlinks=True)
    run("bindings/node/build.sh")
    (folder / "drawer.mjs").write_text(NODE, "utf-8")
    return run("node", "drawer.mjs", cwd=folder)


if __name__ == "__main__":
    sys.exit(main())
