"""Shows that an option is added in one place.

In a copy of the tree it adds a number, a switch, a word and a text to each table of options, and a number to the limits. Each is a row of
its table and a line of the core that uses the value; a word also has its type. Then it runs `make options` and `make header`. Programs in
Rust, C, C++, Python and Node set each option. The core refuses the values with messages that name the option, so the values arrived.
It refuses 0 as well, except where a row allows it. The documentation must have each option.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCRATCH = ROOT / "build/options"
TREE = SCRATCH / "tree"
TARGET = SCRATCH / "target"
FEATURES = "cli,schemars,tower"


@dataclass
class Place:
    """A thing that has options: where its rows are, where the core uses them, and how programs set one."""

    name: str
    table: str  # the line before the rows
    code: str  # the file of the core that uses the values
    use: str  # the line before which it does
    values: str  # the values there
    flag: str  # the prefix of the constants of C
    switch: bool  # the default of the switch
    rust: str
    c: str
    cpp: str
    python: str
    node: str
    header: str
    docs: str


PLACES = [
    Place(
        "limits", "    pub struct Limits {", "core/src/limits.rs", "        self.check_zeros()", "self", "", False,
        "let mut l = Limits::default(); l.@ = #; show(Server::builder(\"s\", \"1\").limits(l).build());",
        "wellhead_limits o = WELLHEAD_LIMITS_INIT; wellhead_server_options s = WELLHEAD_SERVER_OPTIONS_INIT; @ s.limits = &o;"
        " wellhead_server_new(WELLHEAD_STR(\"s\"), WELLHEAD_STR(\"1\"), &s, &error);",
        "ServerOptions s; auto &o = s.limits; @ Server(\"s\", \"1\", s);",
        "Server('s', '1', limits=wellhead.Limits(@=#))", "new Server('s', '1', { limits: { @: # } })",
        "include/wellhead.h", "bindings/node/lib/options.ts",
    ),
    Place(
        "server", "    pub(crate) struct ServerOptions {", "core/src/server/builder.rs", "        self.policy.options.check_zeros()?;",
        "self.policy.options", "WELLHEAD_", True,
        "show(Server::builder(\"s\", \"1\").@(#).build());",
        "wellhead_server_options o = WELLHEAD_SERVER_OPTIONS_INIT; @ wellhead_server_new(WELLHEAD_STR(\"s\"), WELLHEAD_STR(\"1\"), &o, &error);",
        "ServerOptions o; @ Server(\"s\", \"1\", o);",
        "Server('s', '1', @=#)", "new Server('s', '1', { @: # })", "include/wellhead.h", "bindings/node/lib/options.ts",
    ),
    Place(
        "endpoint", "    pub(crate) struct EndpointOptions {", "core/src/http/endpoint_builder.rs", "        self.values.check_zeros()",
        "self.values", "WELLHEAD_", False,
        "show(server().endpoint().@(#).build(|| ()));",
        "wellhead_endpoint_options o = WELLHEAD_ENDPOINT_OPTIONS_INIT; wellhead_server *s = server(); @ wellhead_endpoint_new(s, &o, NULL, NULL, NULL, &error);",
        "Server s(\"s\", \"1\"); EndpointOptions o; @ Endpoint e(s, std::move(o));",
        "server.asgi(@=#)", "server.handler({ @: # })", "include/wellhead_http.h", "bindings/node/lib/httpOptions.ts",
    ),
    Place(
        "listener", "    pub(crate) struct ListenerOptions {", "core/src/serve/http.rs", "        options.check_zeros()?;",
        "options", "WELLHEAD_HTTP_", True,
        "show(Http::new(server().endpoint()).@(#).bind(\"127.0.0.1:0\"));",
        "wellhead_http_options o = WELLHEAD_HTTP_OPTIONS_INIT; wellhead_server *s = server(); @ wellhead_serve_http(s, WELLHEAD_STR(\"127.0.0.1:0\"), &o, &error);",
        "Server s(\"s\", \"1\"); HttpOptions o; @ s.serve_http(\"127.0.0.1:0\", std::move(o));",
        "server.serve_http(port=0, @=#)", "server.serveHttp({ port: 0, @: # })", "include/wellhead_http.h", "bindings/node/lib/options.ts",
    ),
    Place(
        "stdio", "    pub(crate) struct StdioOptions {", "core/src/serve/stdio.rs", "        self.options.check_zeros()?;",
        "self.options", "WELLHEAD_STDIO_", False,
        "show(Stdio::new().@(#).serve(&server()));",
        "wellhead_stdio_options o = WELLHEAD_STDIO_OPTIONS_INIT; wellhead_server *s = server(); @ wellhead_serve_stdio(s, &o, &error);",
        "Server s(\"s\", \"1\"); StdioOptions o; @ s.serve_stdio(o);",
        "server.run(@=#)", "server.run({ @: # })", "include/wellhead.h", "bindings/node/lib/options.ts",
    ),
    Place(
        "folder", "    pub(crate) struct FolderOptions {", "core/src/directory.rs", "        options.check_zeros()?;",
        "options", "WELLHEAD_", True,
        "show(server().directory(Directory::new(\".\").@(#)));",
        "wellhead_directory o = WELLHEAD_DIRECTORY_INIT; wellhead_server *s = server(); o.path = WELLHEAD_STR(\".\"); @ wellhead_server_add_directory(s, &o, &error);",
        "Server s(\"s\", \"1\"); Directory o(\".\"); @ s.add_directory(o);",
        "server.directory('.', @=#)", "server.directory('.', { @: # })", "include/wellhead.h", "bindings/node/lib/options.ts",
    ),
    Place(
        "skills", "    pub(crate) struct SkillOptions {", "core/src/directory/skills.rs", "        options.check_zeros()?;",
        "options", "WELLHEAD_", False,
        "show(server().skills(Skills::new(\".\").@(#)));",
        "wellhead_skills o = WELLHEAD_SKILLS_INIT; wellhead_server *s = server(); o.path = WELLHEAD_STR(\".\"); @ wellhead_server_add_skills(s, &o, &error);",
        "Server s(\"s\", \"1\"); Skills o(\".\"); @ s.add_skills(o);",
        "server.skills('.', @=#)", "server.skills('.', { @: # })", "include/wellhead.h", "bindings/node/lib/options.ts",
    ),
]  # fmt: skip

# What destructures the options says what it does with each.
OPENED = [
    ("core/src/directory.rs", "let FolderOptions { max_file_bytes, watch, settle_ms }"),
    ("core/src/directory/skills.rs", "let SkillOptions { watch, settle_ms, prefix }"),
]


@dataclass
class Drawer:
    """An option that is added."""

    place: Place
    kind: str

    @property
    def name(self) -> str:
        return f"{self.place.name}_{self.kind}"

    @property
    def camel(self) -> str:
        return self.place.name + self.kind.capitalize()

    @property
    def pascal(self) -> str:
        return self.place.name.capitalize() + self.kind.capitalize()

    @property
    def about(self) -> str:
        return f"Sets the {self.kind} of the drawer of the {self.place.name}."

    def row(self) -> str:
        typed = {
            "number": "usize = 30",
            "zero": "usize or 0 = 5",
            "switch": f"bool = {str(self.place.switch).lower()}",
            "word": f"{self.pascal} = {self.pascal}::Open",
            "text": 'OptionText = OptionText::or("none")',
        }[self.kind]
        reach, default = ("pub", " Default 30.") if self.place.name == "limits" else ("pub(crate)", "")
        return f"        /// {self.about}{default}\n        {reach} {self.name}: {typed},\n"

    def word(self) -> str:
        return f"""
/// A word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum {self.pascal} {{
    /// `open`.
    #[default]
    Open,
    /// `shut`.
    Shut,
}}
words! {{ {self.pascal} {{ Open = "open", Shut = "shut" }} }}
"""

    def use(self) -> str:
        value = f"{self.place.values}.{self.name}"
        arrived = {
            "number": f"{value} == 77",
            "zero": f"{value} == 0",
            "switch": f"{value} != {str(self.place.switch).lower()}",
            "word": f"{value} == crate::{self.pascal}::Shut",
            "text": f'{value}.if_given() == Some("chalk")',
        }[self.kind]
        return f"""        if {arrived} {{
            return Err(Error::new(ErrorKind::InvalidArgument, "the drawer has {self.name}"));
        }}
"""

    def set(self, language: str, number: int) -> str | None:
        """Returns the part of a program that sets it."""
        place, on = self.place, not self.place.switch
        text = "shut" if self.kind == "word" else "chalk"
        if language in ("c", "cpp"):
            if self.kind == "zero":
                return None  # 0 means the default there
            if self.kind == "switch":
                part = f"o.flags = {place.flag}{'NO_' if place.switch else ''}{self.name.upper()};"
            elif self.kind == "number":
                part = f"o.{self.name} = 77;"
            else:
                part = f'o.{self.name} = WELLHEAD_STR("{text}");' if language == "c" else f'o.{self.name} = "{text}";'
            return (place.c if language == "c" else place.cpp).replace("@", part)
        value = {
            "switch": {"python": str(on)}.get(language, str(on).lower()),
            "word": {"rust": f"wellhead::{self.pascal}::Shut"}.get(language, '"shut"'),
            "text": '"chalk"',
        }.get(self.kind, str(number))
        template = {"rust": place.rust, "python": place.python, "node": place.node}[language]
        return template.replace("@", self.camel if language == "node" else self.name).replace("#", value)


DRAWERS = [
    Drawer(place, kind)
    for place in PLACES
    for kind in (["number"] if place.name == "limits" else ["number", "zero", "switch", "word", "text"])
]

RUST = """
//! Sets each option that was added.
use wellhead::serve::{Http, Stdio};
use wellhead::{Directory, Limits, Server, Skills};
fn server() -> Server { Server::new("s", "1") }
fn show<T>(made: wellhead::Result<T>) { if let Err(e) = made { println!("{e}"); } }
fn main() { @ }
"""
C = r"""
#include <stdio.h>
#include <wellhead_http.h>
static wellhead_server *server(void) { return wellhead_server_new(WELLHEAD_STR("s"), WELLHEAD_STR("1"), NULL, NULL); }
static void show(wellhead_error *error) {
    wellhead_str text = wellhead_error_message(error);
    printf("%.*s\n", (int)text.len, (const char *)text.ptr);
    wellhead_error_free(error);
}
int main(void) {
    wellhead_error *error;
    @
    return 0;
}
"""
CPP = r"""
#include <cstdio>
#include <wellhead_http.hpp>
using namespace wellhead;
template <class F> static void show(F run) {
    try { run(); } catch (const std::exception &e) { std::puts(e.what()); }
}
int main() { @ }
"""
PYTHON = """
import wellhead
from wellhead import Server
for made in (@):
    server = Server("s", "1")
    try:
        made(server)
    except wellhead.UsageError as e:
        print(e)
"""
NODE = """
import { Server } from './dist/index.js';
for (const made of [@]) {
  try { await made(new Server('s', '1')); } catch (e) { console.log(e.message); }
}
"""


def main() -> int:
    copy()
    add()
    run("make", "options")
    run("make", "header")
    missing = [f"{file} does not say {drawer.about!r}" for drawer in DRAWERS for file in documents(drawer) if drawer.about not in plain(file)]
    for language, program in (("Rust", rust), ("Python", python), ("C", c), ("C++", cpp), ("Node", node)):
        output = program()
        names = [drawer.name for drawer in DRAWERS if not (drawer.kind == "zero" and language in ("C", "C++"))]
        lost = [name for name in names if f"the drawer has {name}\n" not in output]
        print(f"{language}: {len(names) - len(lost)} of {len(names)} options arrive")
        missing += [f"{language} lost {name}" for name in lost]
        refused = output.count("must be at least 1 (got 0)")
        if language not in ("C", "C++") and refused != len(PLACES):
            missing.append(f"{language} refused 0 in {refused} of {len(PLACES)} places")
        if any(f"{language} lost" in line for line in missing):
            missing.append(f"{language} printed:\n{output}")
    print(*missing or [f"each document has all {len(DRAWERS)} options"], sep="\n")
    return 1 if missing else 0


def add() -> None:
    """Adds the rows, and the code that uses the values."""

    def change(file: str, old: str, new: str) -> None:
        text = (TREE / file).read_text("utf-8")
        assert old in text, f"{file} has no {old!r}"
        (TREE / file).write_text(text.replace(old, new, 1), "utf-8")

    for file, opened in OPENED:
        change(file, opened, opened.replace(" }", ", .. }"))
    for place in PLACES:
        own = [drawer for drawer in DRAWERS if drawer.place is place]
        table = "core/src/limits.rs" if place.name == "limits" else "core/src/options.rs"
        change(table, place.table + "\n", place.table + "\n" + "".join(drawer.row() for drawer in own))
        change(place.code, place.use, "".join(drawer.use() for drawer in own) + place.use)
    words = "".join(drawer.word() for drawer in DRAWERS if drawer.kind == "word")
    types = ", ".join(drawer.pascal for drawer in DRAWERS if drawer.kind == "word")
    change("core/src/lib.rs", "pub use policy::{", f"pub use policy::{{{types}, ")
    change("core/src/policy.rs", "\n/// All choices of a server", words + "\n/// All choices of a server")


def documents(drawer: Drawer) -> list[str]:
    place = drawer.place
    return ["OPTIONS.md", place.code, place.header, "bindings/python/python/wellhead/_core.pyi", place.docs]


def plain(file: str) -> str:
    """The text of a file without the marks of its comments."""
    lines = (line.strip().removeprefix("///").removeprefix("*") for line in (TREE / file).read_text("utf-8").splitlines())
    return " ".join(" ".join(lines).split())


def parts(language: str) -> list[str]:
    """Returns the parts that set each option, and then 0 to each number."""
    made = [drawer.set(language, 0 if drawer.kind == "zero" else 77) for drawer in DRAWERS]
    made += [drawer.set(language, 0) for drawer in DRAWERS if drawer.kind == "number" and language not in ("c", "cpp")]
    return [part for part in made if part is not None]


def copy() -> None:
    """Copies the files of the repository, as they are now."""
    shutil.rmtree(TREE, ignore_errors=True)
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (TREE / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, TREE / name)


def run(*command: str, cwd: Path = TREE, **environment: str) -> str:
    environment = {**os.environ, "CARGO_TARGET_DIR": str(TARGET), **environment}
    done = subprocess.run(command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=1200)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}")
    return done.stdout


def rust() -> str:
    (TREE / "core/examples/drawers.rs").write_text(RUST.replace("@", "\n".join(f"{{ {part} }}" for part in parts("rust"))), "utf-8")
    run("cargo", "build", "-q", "-p", "wellhead", "--features", FEATURES, "--example", "drawers")
    return run(str(TARGET / "debug/examples/drawers"))


def c() -> str:
    return compiled("cc -std=c99", "c", C.replace("@", "\n".join(f"{{ {part} show(error); }}" for part in parts("c"))))


def cpp() -> str:
    return compiled("c++ -std=c++17", "cpp", CPP.replace("@", "\n".join(f"show([] {{ {part} }});" for part in parts("cpp"))))


def compiled(compiler: str, suffix: str, text: str) -> str:
    source, program = SCRATCH / f"drawers.{suffix}", SCRATCH / f"drawers-{suffix}"
    source.write_text(text.replace("wellhead_error *error;", "wellhead_error *error = NULL;"), "utf-8")
    libraries = run("make", "--silent", "--no-print-directory", "-C", str(ROOT), "native-libs").split()
    run(*compiler.split(), f"-I{TREE}/include", str(source), "-o", str(program), str(TARGET / "debug/libwellhead.a"), *libraries)
    return run(str(program))


def python() -> str:
    run("cargo", "build", "-q", "-p", "wellhead-ffi", "-p", "wellhead-python")
    package = TREE / "bindings/python/python"
    shutil.copy2(TARGET / "debug/lib_core.so", package / "wellhead/_core.abi3.so")
    made = ",\n".join(f"lambda server: {part}" for part in parts("python"))
    return run(sys.executable, "-c", PYTHON.replace("@", made), PYTHONPATH=str(package))


def node() -> str:
    folder = TREE / "bindings/node"
    installed = ROOT / "bindings/node/node_modules"
    if installed.exists():
        shutil.copytree(installed, folder / "node_modules", symlinks=True)
    run("bindings/node/build.sh")
    made = ",\n".join(f"(server) => {part}" for part in parts("node"))
    (folder / "drawers.mjs").write_text(NODE.replace("@", made), "utf-8")
    return run("node", "drawers.mjs", cwd=folder)


if __name__ == "__main__":
    sys.exit(main())
