"""Checks messages, for `words.py`: no word of a library or of another language, and no clause twice.

It reads the literals of the sources, and those of the tests that compare messages word for word.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import prose

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("core/src", "ffi/src", "bindings/python/src", "bindings/python/python", "bindings/node/src", "bindings/node/lib")
TESTS = (
    "tests/c/abi/messages.c",
    "tests/cpp/messages.cpp",
    "bindings/node/test/mistakes.test.mjs",
    "bindings/node/test/json.test.mjs",
    "bindings/python/tests/test_logged.py",
    "bindings/python/tests/test_messages_arguments.py",
    "bindings/python/tests/test_messages_registration.py",
    "bindings/python/tests/test_messages_running.py",
)
LIBRARY = (
    r"\b(?:serde(?:_json)?|pyo3|napi|hyper|unwrap|[ui](?:8|16|32|64|128|size)|Py(?:Err|Any|Object))\b|\b(?:Option<|Vec<|Some\()|"
    r"missing field|unknown field|invalid (?:type|value|length):|expected value at|trailing characters at|at line \d+ column"
)
OF_PYTHON = r"\b(?:None|True|False)\b"
OF_JAVASCRIPT = r"\b(?:undefined|Uint8Array|bigint|Promise)\b"
# By the beginning of a path: the words that no message there has. The core's messages reach every language.
FOREIGN = {
    "core/": f"{LIBRARY}|{OF_PYTHON}|{OF_JAVASCRIPT}",
    "ffi/": f"{LIBRARY}|{OF_PYTHON}|{OF_JAVASCRIPT}",
    "tests/": f"{LIBRARY}|{OF_PYTHON}|{OF_JAVASCRIPT}",
    "bindings/python/": f"{LIBRARY}|{OF_JAVASCRIPT}",
    "bindings/node/": f"{LIBRARY}|{OF_PYTHON}",
}


def problems() -> Iterator[str]:
    yield from self_test()
    files = [path for folder in SOURCES for path in sorted((ROOT / folder).rglob("*")) if path.suffix in (".rs", ".py", ".ts")]
    for path in [*files, *(ROOT / test for test in TESTS)]:
        name = path.relative_to(ROOT).as_posix()
        for line, text in literals(name, path.read_text("utf-8")):
            yield from (f"{name}:{line}: {problem}" for problem in faults(name, text))


def faults(name: str, text: str) -> Iterator[str]:
    """The faults of one message. A text of less than four words is none, nor is one of several lines, which is a document."""
    if len(text.split()) < 4 or "\n" in text or "\\n" in text:
        return
    words = next(words for beginning, words in FOREIGN.items() if name.startswith(beginning))
    if found := re.search(words, text):
        yield f'a message has the word "{found[0]}", which its reader does not know: {text!r}'
    clauses = (clause.strip().lower() for clause in re.split(r"[:;,.()\n\"]+\s*", text))
    for clause, count in Counter(clauses).items():
        if count > 1 and len(clause.split()) >= 3:
            yield f'a message says "{clause}" twice: {text!r}'


def literals(name: str, text: str) -> Iterator[tuple[int, str]]:
    """The texts between quotation marks with their lines, without those of documentation, of lints and of unit tests."""
    if name.endswith(".py"):
        tree = ast.parse(text)
        documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
                yield node.lineno, node.value
        return
    tests = re.search(r"^#\[cfg\(test\)\]\nmod \w+ \{", text, re.MULTILINE)
    text = text[: tests.start()] if tests else "" if name.endswith("tests.rs") else text
    at, end, whole, start = 0, 0, "", 0
    while found := prose.TOKENS.search(text, at):
        at = found.end()
        if found["single"] and name.endswith(".rs"):
            at = found.start() + 1  # it begins a lifetime
            continue
        if name.endswith(".mjs") and "\n" in (found["string"] or ""):
            at = found.start() + 1  # it stands in a regular expression
            continue
        literal = found["string"] or found["single"]
        if text[: found.start()].endswith("reason = "):
            literal = None
        if literal and not (whole and re.fullmatch(r"\s*\+?\s*", text[end : found.start()])):
            yield start, whole
            whole, start = "", text.count("\n", 0, found.start()) + 1
        if literal:
            whole, end = whole + re.sub(r"\\\n\s*", "", literal[1:-1]).replace('\\"', '"'), found.end()
    yield start, whole


PLANTED = [
    ("core/src/a.rs", 'f("a missing field is `id` here")', "has the word"),
    ("core/src/a.rs", 'f("it is None of the four")', "has the word"),
    ("core/src/a.rs", '// "it is not an absolute URI: it is not an absolute URI"', ""),
    ("core/src/a.rs", 'f("not an absolute URI: \\\n    not an absolute URI: no scheme")', "twice"),
    ("core/src/a.rs", "fn f<'a>(a: &'a str) { f(\"it fits into a usize only\") }", "has the word"),
    ("core/src/a.rs", '#[allow(unused, reason = "serde makes it for us")]', ""),
    ("bindings/node/lib/a.ts", "f('it cannot be read: ' + 'it cannot be read')", "twice"),
    ("bindings/node/lib/a.ts", "f('give a string, not undefined')", ""),
    ("bindings/python/python/a.py", '"""It is undefined, or a usize."""\nf("give a str or None, please")', ""),
    ("bindings/python/python/a.py", 'f("give a str" " and not undefined")', "has the word"),
    ("tests/cpp/messages.cpp", 'f("the file was lost" " (os error 2): the file was lost")', "twice"),
]


def self_test() -> Iterator[str]:
    """Each planted text has the fault that stands with it, or none."""
    for name, text, expected in PLANTED:
        found = [fault for _, literal in literals(name, text) for fault in faults(name, literal)]
        if len(found) != bool(expected) or not all(expected in fault for fault in found):
            yield f"tests/messages.py: in {name} {text!r} it finds {found}, not {expected!r}"
