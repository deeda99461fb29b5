"""Checks names and signatures inside the project, for `words.py`: no bare booleans, no `Option` without a meaning, no vague names."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "core/src"
RUST = (CORE, ROOT / "ffi/src", ROOT / "bindings/python/src", ROOT / "bindings/node/src")
# Parameters of functions of the core that may be `bool`, with the reason. Others are enums, or two methods.
BOOLEANS = {
    "add_template(lists)": "is that of the public method",
    "boolean(value)": "is a boolean of JSON",
    "open(guard)": "is the option `guard_stdio`",
}
# Functions whose results may have a `bool` as a part.
PARTS = {
    "boolean": "reads a boolean of JSON, if it is one",
}
# What `None` means for parameters of functions of the core. It never means "all": that is a method of its own, or an enum.
NONE_MEANS = {
    "there is none": "action answer body capabilities caller charge chunk client context counted descriptor details event failure filter group head id if_version input logger "
    "instructions interest_handler mime name number of_resources origin outcome over params partial permit prefix progress_token provider rare request "
    "retry_after_ms revision said session setting stream subject template then timer title tool value verifier gatekeeper version watch observer clock",
    "it begins at the start": "after cursor",
    "there is no limit of time": "at deadline next tick_at time timeout unused",
    "it has no handler of its own": "before_restore complete hurry jobs on_ready run",
    "the array was too long": "elements",
    "the entry is gone": "now",
    "it leads nowhere": "new_target",
    "shares are not counted": "share",
}
# Names that say nothing of what a method does. Those that stay have a reason.
VAGUE = "pass expect again late leave over follow tell told of with look".split()
PLAIN_ENOUGH = {
    "core/src/sync.rs with": "gives access to what a lock guards, as `std::thread::LocalKey::with` does",
}
# Words that no name has as a part, since each stood for several things: what to write instead. Tests are free to say them.
VAGUE_PARTS = {
    **dict.fromkeys("ask asks asked asking".split(), "application_call for a question to the application, require_input for one to the client"),
    **dict.fromkeys("tell tells told untold".split(), "send, notify or report"),
    **dict.fromkeys("watcher watchers".split(), "subscriber, interest_handler or observer"),
    "proceed": "continue or advance",
}
# Getters of `Machine` that search with `&mut self`.
GETTERS = "called_method outbox route_deadline unread_answers wanted_verdicts"
# Names of crates that the project uses.
OF_OTHERS = "RecommendedWatcher Watcher watcher _watcher"
FUNCTION = re.compile(r"\bpub\((?:crate|super|in [\w:]+)\)\s+(?:const |async |unsafe )*fn (\w+)")
NAMED = {
    ".rs": re.compile(r"\bfn (\w+)"),
    ".ts": re.compile(r"^(?:export )?function (\w+)|^  (?:static |async |private |get )*#?(\w+)\([^)]*\)[^;]*\{$", re.MULTILINE),
    ".py": re.compile(r"\bdef (\w+)"),
}

RUST_COMMENTS = re.compile(r'//[^\n]*|/\*.*?\*/|\br(#*)".*?"\1|"(?:\\.|[^"\\])*"|#!?\[(?:[^\]"]|"[^"]*")*\]', re.DOTALL)
C_COMMENTS = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
PYTHON_COMMENTS = re.compile(r'''\"\"\".*?\"\"\"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|#[^\n]*''', re.DOTALL)
TS_COMMENTS = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`""", re.DOTALL)
COMMENTS = {".rs": RUST_COMMENTS, ".h": C_COMMENTS, ".hpp": C_COMMENTS, ".py": PYTHON_COMMENTS, ".pyi": PYTHON_COMMENTS, ".ts": TS_COMMENTS}
"""Comments and literals, which have words but no names."""


def problems() -> Iterator[str]:
    yield from unexplained_parameters()
    yield from vague_names()
    yield from vague_parts()
    yield from steps_without_group()


def unexplained_parameters() -> Iterator[str]:
    """Yields each crate-visible function of the core with a `bool`, or with an `Option` of which no meaning is known. A result may be
    a `bool`, but no part of one."""
    known = {name for names in NONE_MEANS.values() for name in names.split()}
    booleans, options = set(), set()
    for file in sorted(CORE.rglob("*.rs")):
        text = re.sub(r"^\s*//.*", "", file.read_text("utf-8"), flags=re.MULTILINE)
        for found in FUNCTION.finditer(text):
            after_generics = found.end() + len(in_brackets(text, found.end())) if text[found.end()] == "<" else found.end()
            parameters = in_brackets(text, text.index("(", after_generics))
            result = re.match(r"\s*->\s*([^{;]*)", text[text.index(parameters, after_generics) + len(parameters) :])
            if result and re.search(r"(?:\(|,|Option<)\s*bool\b", result[1]) and found[1] not in PARTS:
                yield f"{file.relative_to(ROOT)}: {found[1]} returns a boolean without a name: return a struct or an enum, or make two functions"
            for parameter in split(parameters[1:-1]):
                name, _, kind = (part.strip() for part in parameter.partition(":"))
                name, where = name.removeprefix("mut ").removeprefix("_"), f"{file.relative_to(ROOT)}: {found[1]}"
                if kind == "bool":
                    booleans.add(f"{found[1]}({name})")
                    if f"{found[1]}({name})" not in BOOLEANS:
                        yield f'{where} has a bare boolean "{name}": take an enum, or make two functions'
                if re.match(r"(&mut |&)?Option<", kind) and name:
                    options.add(name)
                    if name not in known:
                        yield f'{where} has an Option "{name}": say in {Path(__file__).name} what `None` means'
    for name in sorted(BOOLEANS.keys() - booleans):
        yield f"{Path(__file__).name}: no function has {name}"
    for name in sorted(known - options):
        yield f'{Path(__file__).name}: no function has an Option "{name}"'


def vague_names() -> Iterator[str]:
    files = [file for root in RUST for file in root.rglob("*.rs")]
    files += (ROOT / "bindings/node/lib").glob("*.ts")
    files += (ROOT / "bindings/python/python/wellhead").glob("*.py")
    used = set()
    for file in sorted(files):
        for found in NAMED[file.suffix].finditer(file.read_text("utf-8")):
            name = next(name for name in found.groups() if name)
            key = f"{file.relative_to(ROOT)} {name}"
            used.add(key)
            if name in VAGUE and key not in PLAIN_ENOUGH:
                yield f'{file.relative_to(ROOT)}: "{name}" says nothing of what the function does: use a plain verb'
    for key in sorted(PLAIN_ENOUGH.keys() - used):
        yield f"{Path(__file__).name}: there is no {key}"


def vague_parts() -> Iterator[str]:
    files = [file for root in RUST for file in root.rglob("*.rs") if file.name != "tests.rs"]
    files += (ROOT / "bindings/node/lib").glob("*.ts")
    files += (ROOT / "bindings/python/python/wellhead").glob("*.py*")
    files += (ROOT / "include").glob("*.h*")
    for file in sorted(file for file in files if file.suffix in COMMENTS):
        text = file.read_text("utf-8").partition("#[cfg(test)]\nmod ")[0]
        for name in sorted(set(re.findall(r"[^\W\d]\w*", COMMENTS[file.suffix].sub(" ", text)))):
            parts = "_" + re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower() + "_"
            for part, instead in VAGUE_PARTS.items():
                if f"_{part}_" in parts and name not in OF_OTHERS.split():
                    yield f'{file.relative_to(ROOT)}: "{name}" has the word "{part}": write {instead}'


def steps_without_group() -> Iterator[str]:
    """Yields each method that changes `Machine`, and whose first word its comment does not list."""
    machine = CORE / "protocol/machine.rs"
    comment = re.search(r"((?:///[^\n]*\n)+)(?:#\[[^\n]*\n)*pub\(crate\) struct Machine ", machine.read_text("utf-8"))
    words = tuple(word.rstrip("…") for word in re.findall(r"`(\w+…?)`", comment[1] if comment else ""))
    getters = set(GETTERS.split())
    for file in sorted(machine.parent.rglob("*.rs")):
        for part in re.finditer(r"^impl Machine \{\n(.*?)^\}", file.read_text("utf-8"), re.MULTILINE | re.DOTALL):
            for name in re.findall(r"^    (?:pub\S* )?fn (\w+)(?:<[^>]*>)?\(\s*&mut self", part[1], re.MULTILINE):
                if not name.startswith(words) and name not in getters:
                    yield f"{file.relative_to(ROOT)}: the first word of {name} is no group of steps; the comment of `Machine` has the list"
                getters.discard(name)
    for name in sorted(getters):
        yield f"{Path(__file__).name}: Machine has no getter {name}"


def in_brackets(text: str, start: int) -> str:
    """The text from a bracket to the one that closes it."""
    depth = 0
    for at in range(start, len(text)):
        depth += step(text, at)
        if depth == 0:
            return text[start : at + 1]
    return text[start:]


def split(parameters: str) -> list[str]:
    parts, depth = [""], 0
    for at, character in enumerate(parameters):
        depth += step(parameters, at)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def step(text: str, at: int) -> int:
    if text[at] in "([{<":
        return 1
    closes = text[at] in ")]}" or (text[at] == ">" and text[at - 1] not in "-=")
    return -1 if closes else 0
