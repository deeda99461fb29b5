"""Checks the sentences that people read: documents, documentation comments, comments, error messages and commit subjects.

    prose.py          lists all problems, and fails if there is any
    prose.py PATH...  lists those of these paths, without the subjects of commits

These are problems:

- a banned word, also in the name of a function, a file or a test, or a documentation comment that begins with a banned opening
- "told", "whatever", "goes on" or "lets go" in the name of a test or in the sentence of a vector, or "what" or "who" as the subject there
- a sentence of more than 35 words
- the mention of a document that the repository does not have
- the number of a row without `rows.tsv` or `row:` before it
- the subject of a commit that is longer than 60 characters
- "host" for an actor: the program that embeds Wellhead is the application
- a documentation comment of Rust that begins with "Returns" and stands above no function, callback or macro
"""

import ast
import io
import json
import re
import subprocess
import sys
import textwrap
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SINCE = "48a015b2e3be5553f4fddb958924bbec3d622f02"
"""The commit after which subjects are checked."""
LONGEST_SENTENCE = 35
LONGEST_SUBJECT = 60

WORDS = {
    "whoever": "name the actor",
    "whomever": "name the actor",
    "nobody": "name the actor",
    "somebody": "name the actor",
    "no one": "name the actor",
    "so many": "give the number or say 'at most'",
    "beside": "write 'next to', 'with' or 'other than'",
}
BANNED = re.compile(r"\b(" + "|".join(WORDS).replace(" ", r"\s+") + r")\b", re.IGNORECASE)
TITLE_WORDS = {
    "told": "write 'notified', 'announced', 'logged' or 'gets'",
    "whatever": "say 'any' or 'even if'",
    "go on": "write 'continue'",
    "goes on": "write 'continues'",
    "let go": "write 'dropped', 'closed' or 'released'",
    "lets go": "write 'drops', 'closes' or 'releases'",
}
"""Words that no test's name has."""
BANNED_IN_TITLES = re.compile(r"\b(" + "|".join(TITLE_WORDS).replace(" ", r"\s+") + r")\b", re.IGNORECASE)
ASKING = re.compile(r"(?:test )?(what|who|whom|whose)\b", re.IGNORECASE)
C_TESTS = re.compile(r"^(?:static )?void (?P<title>\w+)\((?:void)?\)", re.MULTILINE)
ABOUT = re.compile(r'^\s*"about":\s*("(?:[^"\\\n]|\\.)*")', re.MULTILINE)
FUNCTION_NAMES = re.compile(r"\b(?:fn|def|func) (\w+)|^ *(?:await )?(?:t\.)?(?:test|describe|it)\(\s*['\"`](?P<title>[^'\"`\n]*)", re.MULTILINE)
VAGUE = re.compile(r"\b(?:fn|def|func|function|void|int|bool|auto) \*?(?P<name>pass|expect|again|late|leave|over|follow|tell|told|of|with|asks|asked|asking)\b(?=[(<])")
"""Functions whose names say less than a plain verb: `retry_once` instead of `again`."""
LOCKS = "core/src/sync.rs"
"""The locks call a function with their value by `with`, as `std::thread::LocalKey` does."""
OPENINGS = re.compile(r"(The same|What|Whether|Who|Which|Does what|Does as)\b")
LEANING = re.compile(r"(How|Why|Where|Whom|Whose|Its|It|Those|That|Of|As|Is|May)\b")
"""Openings that need what stands around the comment."""
OUTER = ("ffi/src/", "include/", "bindings/python/src/", "bindings/python/python/", "bindings/node/src/", "bindings/node/lib/")
"""Where comments do not begin with these."""
ACTING_HOST = re.compile(r"\b(?:the|a|The|A)\s+host(?:'s own|\s+(?:is|was|has|had|holds|keeps|knows|answers|asks|polls|waits|hears|still|does|acts|lets|gives)\b(?! not allowed))")
DRIVEN = ("tests/clients/", "tests/conformance/", "bench/")
"""The suites whose programs are called hosts; tests/README.md defines the word."""
DOCUMENTED = re.compile(r"^[ \t]*///(?P<first>[^\n]*)\n(?:[ \t]*#\[\w+\(\n(?:[^\n]*\n)*?[ \t]*\)\]\n|[ \t]*(?:///|#!?\[)[^\n]*\n)*(?P<item>[^\n]*)", re.MULTILINE)
RETURNING = re.compile(r"\bfn\b|_callback\b|\bmacro_rules!|\$")
"""Items that return something: functions, callbacks of the C interface, macros, and what macros make."""
ABSENT = re.compile(r"\bWIRE\b|\bDESIGN\b|(?<![\w/])spec/|\b(?!SKILL\.md)[A-Z]{3,}\.md\b")
ROW = re.compile(r"(?P<named>\brows?: |\brows\.tsv`?,?\s+)?(?P<rows>\b[A-Z]{1,2}-\d\d\b(?:(?:,| to| and| or)\s+[A-Z]{1,2}-\d\d\b)*)")
"""Rows of tests/vectors/rows.tsv."""

PUBLIC_STRINGS = ("core/src/", "ffi/src/", "xtask/src/", "bindings/python/src/", "bindings/python/python/", "bindings/node/src/", "bindings/node/lib/")
"""Where string literals are messages for people. Those of tests are data."""
NOT_OURS = re.compile(r"(^|/)(package-lock\.json|LICENSE-\w+|Cargo\.lock)$")


@dataclass(frozen=True)
class Block:
    line: int
    text: str
    documentation: bool = False
    margin: int = 4
    """Code is indented by at least this many spaces."""


@dataclass(frozen=True)
class Problem:
    path: str
    line: int
    text: str


def main(arguments: list[str]) -> int:
    faults = list(self_test())
    if faults:
        print(*faults, sep="\n")
        return 1
    found = [p for path in sources() if not arguments or path.startswith(tuple(arguments)) for p in check(path)]
    problems = [f"{problem.path}:{problem.line}: {problem.text}" for problem in found]
    if not arguments:
        problems += subjects()
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{len(problems)} problems")
    return 1 if problems else 0


def sources() -> list[str]:
    """The files of the repository, or, without git, those of the folder but what builds make."""
    listed = git("ls-files", "--cached", "--others", "--exclude-standard")
    if listed is not None:
        names = listed.splitlines()
    else:
        made = {".git", "build", "target", "node_modules", "dist", "__pycache__", ".venv"}
        names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if not made & set(path.relative_to(ROOT).parts)]
    return sorted(name for name in names if not NOT_OURS.search(name) and (ROOT / name).is_file())


def git(*arguments: str) -> str | None:
    """The output of a git command, or None where the folder is not the top of a git checkout."""
    try:
        top = subprocess.run(["git", "rev-parse", "--show-toplevel"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        if Path(top.strip()).resolve() != ROOT:
            return None
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None


# ---- the checks


def check(path: str) -> Iterator[Problem]:
    yield from banned_in_name(path, 1, Path(path).name)
    if reader_of(path) is not None:
        text = (ROOT / path).read_text("utf-8", errors="replace")
        yield from sorted(set(problems_in(path, text)), key=lambda problem: problem.line)


def problems_in(path: str, text: str) -> Iterator[Problem]:
    yield from problems_of(path, reader_of(path)(path, text))
    names = C_TESTS if path.endswith((".c", ".cpp")) else FUNCTION_NAMES
    if path.endswith((".rs", ".py", ".mjs", ".ts", ".go", ".c", ".cpp")):
        for found in names.finditer(text):
            yield from banned_in_name(path, text.count("\n", 0, found.start()) + 1, found["title"] or found[1] or "")
        for found in VAGUE.finditer(text) if path != LOCKS else ():
            yield Problem(path, text.count("\n", 0, found.start()) + 1, f'a function is called "{found["name"]}": say by a verb what it does')
    if reader_of(path) is vector:
        for block in vector(path, text):
            for line, sentence in sentences(block):
                yield from problems_of_title(path, line, sentence)
    if path.endswith(".rs"):
        for found in DOCUMENTED.finditer(text):
            if found["first"].startswith(" Returns ") and not RETURNING.search(found["item"]):
                yield Problem(path, text.count("\n", 0, found.start()) + 1, 'a comment begins with "Returns" above no function')


def banned_in_name(path: str, line: int, name: str) -> Iterator[Problem]:
    if found := BANNED.search(name.replace("_", " ")):
        yield Problem(path, line, f'"{found[0]}" in the name "{name}": {WORDS[found[0].lower()]}')
    yield from problems_of_title(path, line, name.replace("_", " "))


def problems_of_title(path: str, line: int, title: str) -> Iterator[Problem]:
    """Those of a sentence about what a test shows. Names of fewer than four words are no sentences."""
    if len(title.split()) < 4:
        return
    if found := BANNED_IN_TITLES.search(title):
        yield Problem(path, line, f'"{found[0]}" in "{title}": {TITLE_WORDS[" ".join(found[0].lower().split())]}')
    if found := ASKING.match(title):
        yield Problem(path, line, f'"{title}" begins with "{found[1]}": name the actor')


def problems_of(path: str, blocks: Iterable[Block]) -> Iterator[Problem]:
    for block in blocks:
        first = True
        for line, sentence in sentences(block):
            for found in BANNED.finditer(sentence):
                word = re.sub(r"\s+", " ", found[0].lower())
                at = line + sentence.count("\n", 0, found.start())
                yield Problem(path, at, f'"{word}": {WORDS[word]}')
            if (found := ACTING_HOST.search(sentence)) and not path.startswith(DRIVEN):
                at = line + sentence.count("\n", 0, found.start())
                yield Problem(path, at, f'"{" ".join(found[0].split())}": the program that embeds Wellhead is the application')
            for found in ABSENT.finditer(sentence):
                if not (found[0].endswith(".md") and exists(found[0])):
                    at = line + sentence.count("\n", 0, found.start())
                    yield Problem(path, at, f'"{found[0]}" is no document of this repository')
            begins = block.documentation and first
            opening = begins and (OPENINGS.match(sentence) or (path.startswith(OUTER) and LEANING.match(sentence)))
            if opening:
                yield Problem(path, line, f'a documentation comment opens with "{opening[0]}": say what the thing is or does')
            count = sum(any(c.isalnum() for c in word) for word in sentence.split())
            if count > LONGEST_SENTENCE:
                yield Problem(path, line, f"a sentence of {count} words: {' '.join(sentence.split()[:6])} ...")
            first = False
        if path.endswith((".rs", ".c", ".h", ".cpp", ".hpp", ".py", ".ts", ".mjs")):
            for found in ROW.finditer(block.text):
                if not found["named"]:
                    at = block.line + block.text.count("\n", 0, found.start())
                    yield Problem(path, at, f'"{found["rows"]}" is the number of a row: write "`rows.tsv` {found["rows"]}"')


def exists(name: str) -> bool:
    return any(path.endswith(name) for path in (*(p.name for p in ROOT.glob("*.md")), *(p.name for p in ROOT.glob("tests/*.md"))))


def subjects() -> Iterator[str]:
    """Subjects of the commits since SINCE; of all that a shallow clone has, if SINCE is not among them."""
    history = git("log", "--no-merges", "--format=%h %s", f"{SINCE}..HEAD")
    if history is None and (git("rev-parse", "--is-shallow-repository") or "").strip() == "true":
        print(f"a shallow clone: the subjects of the commits that it has are checked, not all since {SINCE[:7]}")
        history = git("log", "--no-merges", "--format=%h %s")
    if history is None:
        print(f"no git checkout with commit {SINCE[:7]}: commit subjects are not checked")
        return
    for entry in history.splitlines():
        commit, _, subject = entry.partition(" ")
        if len(subject) > LONGEST_SUBJECT:
            yield f"commit {commit}: the subject has {len(subject)} characters, at most {LONGEST_SUBJECT}: {subject}"


# ---- sentences


def sentences(block: Block) -> Iterator[tuple[int, str]]:
    """The sentences of a block with their lines. Code spans are one word; fenced and indented code, URLs and table rules are nothing."""
    for line, paragraph in paragraphs(block):
        at = 0
        for end in [*(m.end() for m in re.finditer(r"(?<!e\.g)(?<!i\.e)(?<! cf)[.!?][\"')\]]*\s+(?=[A-Z`\"'(\[*_\d]|$)", paragraph)), len(paragraph)]:
            if paragraph[at:end].strip():
                leading = len(paragraph[at:end]) - len(paragraph[at:end].lstrip())
                yield line + paragraph[: at + leading].count("\n"), paragraph[at:end].strip()
            at = end


def paragraphs(block: Block) -> Iterator[tuple[int, str]]:
    """Splits at blank lines, list items, headings, tags and cells of tables. Line breaks inside a paragraph are kept."""
    start, lines = block.line, list[str]()
    fenced, code, before = False, False, ""

    def flush() -> Iterator[tuple[int, str]]:
        if any(lines):
            yield start, spans("\n".join(lines))
        lines.clear()

    for number, line in enumerate(block.text.split("\n"), block.line):
        stripped = line.strip()
        if re.match(r"(```|~~~)", stripped):
            fenced = not fenced
            yield from flush()
            continue
        deep = line.startswith(" " * block.margin) and number > block.line
        code = not fenced and bool(stripped) and deep and (code or not before or before.endswith(":"))
        before = stripped
        if fenced or code or not stripped or re.fullmatch(r"[-=|: ]+", stripped):
            yield from flush()
            continue
        if stripped.startswith("|"):
            yield from flush()
            for cell in re.split(r"(?<!\\)\|", spans(stripped).strip("|")):
                yield number, cell
            continue
        item = re.match(r"([-*]|\d+\.|#+|@\w+|>>>|--?\w[\w-]*,?|\*?[a-z_]+:(?= [^\n]))\s+", stripped)
        if item:
            yield from flush()
            stripped = stripped[item.end() :]
        if not lines:
            start = number
        lines.append(stripped)
        if item and item[1].startswith("#"):
            yield from flush()
    yield from flush()


def spans(text: str) -> str:
    """The text with code spans and link targets as one word each; what they quote is no prose."""
    text = re.sub(r"(`+)(.+?)\1", lambda m: "`x`" + "\n" * m[2].count("\n"), text, flags=re.DOTALL)
    return re.sub(r"\]\([^)\s]*\)|https?://\S*[\w/]", "", text)


# ---- languages: each reader gives the blocks of a file


def reader_of(path: str):
    name = path.rsplit("/", 1)[-1]
    suffix = name.rsplit(".", 1)[-1]
    if path == "CHANGELOG.md":
        return changelog
    if path.startswith("tests/vectors/") and suffix == "json":
        return vector
    if suffix == "in":
        suffix = name.rsplit(".", 2)[-2]
    by_suffix = {"md": markdown, "py": python, "pyi": python, "sh": hashes, "toml": hashes, "mk": hashes, "conf": hashes, "yml": hashes, "rb": hashes, "go": rust}
    by_suffix |= dict.fromkeys(("rs", "c", "h", "cpp", "hpp", "ts", "mjs", "java", "js"), rust)
    return hashes if name == "Makefile" else by_suffix.get(suffix)


def markdown(path: str, text: str) -> list[Block]:
    return [Block(1, re.sub(r"<!--.*?-->", lambda m: "\n" * m[0].count("\n"), text, flags=re.DOTALL))]


def changelog(path: str, text: str) -> list[Block]:
    """The part that is not released."""
    part = re.search(r"^## Unreleased.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return [Block(text[: part.start()].count("\n") + 1, part[0])] if part else []


def vector(path: str, text: str) -> Iterator[Block]:
    """The sentence in the member `about`."""
    if about := ABOUT.search(text):
        yield Block(text.count("\n", 0, about.start()) + 1, json.loads(about[1]))


def hashes(path: str, text: str) -> Iterator[Block]:
    """Comments that begin with #: whole lines in a row are one block. In a Makefile, `##` begins the help of a target."""
    yield from joined(
        (number, line[: m.start()], "#", m[2])
        for number, line in enumerate(text.splitlines(), 1)
        if (m := re.search(r"(?:^|(?<=\s))(##?)(?!!) ?(.*)", line)) and not line.startswith("#!") and line.count('"', 0, m.start()) % 2 == 0
    )


def python(path: str, text: str) -> Iterator[Block]:
    tree = ast.parse(text)
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)}
    quoted = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node) if part is not node}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in quoted:
            if id(node) in documentation:
                yield Block(node.lineno, dedented(node.value), documentation=True)
            elif path.startswith(PUBLIC_STRINGS):
                yield from message(node.lineno, node.value)
        elif isinstance(node, ast.JoinedStr) and path.startswith(PUBLIC_STRINGS):
            parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
            yield from message(node.lineno, "".join(map(str, parts)))
    comments = (token for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type == tokenize.COMMENT)
    yield from joined((t.start[0], t.line[: t.start[1]], "#", t.string.lstrip("#:").removeprefix(" ")) for t in comments if not t.string.startswith("#!"))


TOKENS = re.compile(
    r"""(?P<line>//[^\n]*)|(?P<block>/\*.*?\*/)|(?P<raw>\br(?P<hashes>\#*)".*?"(?P=hashes))"""
    r"""|(?P<string>"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`)|(?P<short>'(?:\\.[^'\n]{0,8}|[^\\'\n])')|(?P<single>'(?:\\.|[^'\\\n])*')""",
    re.DOTALL,
)
"""Comments and literals of Rust, C, C++, TypeScript, JavaScript, Go and Java. `single` is no literal in Rust, where ' begins a lifetime."""


def rust(path: str, text: str) -> Iterator[Block]:
    header = path.endswith((".h", ".hpp", ".h.in"))
    tests = re.search(r"^#\[cfg\(test\)\]\nmod \w+ \{", text, re.MULTILINE)
    end = 0 if not path.startswith(PUBLIC_STRINGS) or path.endswith("tests.rs") else tests.start() if tests else len(text)
    lines: list[tuple[int, str, str, str]] = []
    at, number, position = 0, 1, 0
    while found := TOKENS.search(text, at):
        at = found.end()
        if found["single"] and path.endswith(".rs"):
            at = found.start() + 1
            continue
        number += text.count("\n", position, found.start())
        position = found.start()
        before = text[text.rfind("\n", 0, position) + 1 : position]
        if found["line"]:
            mark = re.match(r"//[/!]?(?!/)", found["line"])
            kind = mark[0] if mark else "//"
            lines.append((number, before, "///" if header else kind, found["line"][len(kind) :].removeprefix(" ")))
        elif found["block"]:
            body = re.sub(r"^[ \t]*\*(?!/) ?", "", found["block"][2:-2].lstrip("*!"), flags=re.MULTILINE)
            yield Block(number, dedented(body.strip(" -")), documentation=header or found["block"].startswith("/**"), margin=2)
        elif position < end and not found["short"]:
            literal = found["string"] or found["single"]
            if literal:
                yield from message(number, re.sub(r"\\\n\s*", "", literal[1:-1]).replace('\\"', '"').replace("\\n", "\n"))
    yield from joined(lines)


def dedented(text: str) -> str:
    """Without the indentation that all lines but the first share."""
    first, _, rest = text.partition("\n")
    return first + "\n" + textwrap.dedent(rest) if rest else first


def message(line: int, text: str) -> Iterator[Block]:
    """A literal, if it has words enough to be a sentence, and is no signature of a function of Python."""
    is_signature = text.startswith("(") and text.endswith(")") and "=None, " in text
    if len(text.split()) >= 4 and not is_signature and not text.lstrip().startswith(("{\"", "[", "<")):
        yield Block(line, text)


def joined(comments: Iterable[tuple[int, str, str, str]]) -> Iterator[Block]:
    """Makes one block of comments that fill lines in a row. Each is its line, what stands before it, its mark and its text."""
    start, last, mark, texts = 0, 0, "", list[str]()
    for line, before, own, text in comments:
        alone = not before.strip()
        if texts and not (alone and own == mark and line == last + 1):
            yield Block(start, "\n".join(texts), mark in ("///", "//!"))
            texts = []
        if not texts:
            start = line
        texts.append(text)
        mark = own if alone else own + " behind code"
        last = line
    if texts:
        yield Block(start, "\n".join(texts), mark in ("///", "//!"))


# ---- the checker's own test

LONG = "one " * 36
PLANTED = [
    ("a.rs", "/// Nobody hears.\nfn f() {}", '1 "nobody"'),
    ("a.rs", "fn f() {}\n// It goes to\n// whoever asks.", '3 "whoever"'),
    ("a.rs", "let a = 'x'; // there are so\n", ""),
    ("a.rs", "/// There are so\n/// many of them.", '1 "so many"'),
    ("a.rs", "//! The same without waiting.", '1 a documentation comment opens with "The same"'),
    ("a.rs", "// The same without waiting.", ""),
    ("a.rs", "/// Does what [`f`] does, later.", '1 a documentation comment opens with "Does what"'),
    ("ffi/src/a.rs", "/// Its size.", '1 a documentation comment opens with "Its"'),
    ("ffi/src/a.rs", "/// A size. Its unit is bytes.", ""),
    ("a.rs", "/// Its size.", ""),
    ("a.rs", "// The\n// host holds it.", '1 "The host holds"'),
    ("a.rs", "// the host in brackets is wrong", ""),
    ("tests/clients/a.py", "# The host holds it.", ""),
    ("a.rs", "/// Returns it. The same without waiting.", ""),
    ("a.rs", "/// Runs. `nobody` and ```\n/// ```\n/// nobody();\n/// ```", ""),
    ("a.rs", f"/// {LONG}.", "1 a sentence of 36 words"),
    ("a.rs", f"/// {LONG[4:]}.\n/// One {LONG[8:]}.", ""),
    ("a.rs", f"fn f<'a>(x: &'a str) {{}} // {LONG}", "1 a sentence of 36 words"),
    ("a.rs", "/// Keeps the order of WIRE.", '1 "WIRE" is no document'),
    ("a.rs", 'Err("it is for somebody else")', ""),
    ("core/src/a.rs", 'Err("it is for somebody else")', '1 "somebody"'),
    ("core/src/a.rs", 'f("//", "it is for\n somebody else")', '2 "somebody"'),
    ("core/src/a.rs", '#[cfg(test)]\nmod tests {\n    f("it is for somebody else")', ""),
    ("a.rs", "/// Returns it.\n#[derive(Debug)]\nenum A {", '1 a comment begins with "Returns"'),
    ("a.rs", "/// Is it.\n/// Returns it.\nenum A {", ""),
    ("a.rs", "\nfn two_beside_it() {}", '2 "beside" in the name "two_beside_it"'),
    ("a.mjs", "test('nobody hears', f)", '1 "nobody" in the name'),
    ("a.py", "def test_it():\n    pass", ""),
    ("a.py", "\ndef test_a_change_is_told_once():\n    pass", '2 "told" in'),
    ("a.mjs", "test('what throws is an error', f)", '1 "what throws is an error" begins with "what"'),
    ("a.c", "\nstatic void it_goes_on_and_on(void) {}", '2 "goes on" in'),
    ("a.rs", "fn who_am_i() {}\nfn told_of() {}", ""),
    ("a.rs", "\nfn with<T>() {}", '2 a function is called "with"'),
    ("core/src/sync.rs", "\nfn with<T>() {}", ""),
    ("a.mjs", "\nfunction again() {}", '2 a function is called "again"'),
    ("a.c", "\nvoid tell(int a) {}", '2 a function is called "tell"'),
    ("tests/vectors/a.json", '{\n  "about": "What is so, is so.",\n  "x": "told"', '2 "What is so, is so." begins with "What"'),
    ("a.rs", "// U-36", '1 "U-36" is the number of a row'),
    ("a.rs", "// See `rows.tsv` U-36, U-37.\n// row: X-01", ""),
    ("a.h", "/* Whether it is so. */", '1 a documentation comment opens with "Whether"'),
    ("a.h", "int a; /* beside it */", '1 "beside"'),
    ("a.h", f"/* Does it.\n *\n *   nobody();\n * a: {LONG[40:]}\n * b: {LONG[40:]}\n */", ""),
    ("a.ts", "/**\n * Returns it.\n *\n * Somebody calls it.\n */", '4 "somebody"'),
    ("a.ts", "const a = 'it // is'; // See DESIGN 5.2.", '1 "DESIGN" is no document'),
    ("a.py", 'def f():\n    """What it is."""', '2 a documentation comment opens with "What"'),
    ("a.py", "a = 1  # nobody's", '1 "nobody"'),
    ("bindings/python/python/a.py", 'raise ValueError(f"{x} is for nobody at all")', '1 "nobody"'),
    ("a.md", f"- {LONG[:72]}\n- {LONG[:72]}\n\n{LONG[:72]}\n\n| {LONG[:72]} | {LONG[:72]} |", ""),
    ("a.md", "See `a` in ABSENT.md, README.md.", '1 "ABSENT.md" is no document'),
    ("a.md", "    as nobody does", '1 "nobody"'),
    ("a.md", "Thus:\n\n    as nobody does", ""),
    ("CHANGELOG.md", "# All\n\n## Unreleased\n\n- nobody\n\n## 0.1\n\n- nobody", '5 "nobody"'),
    ("core/src/a.rs", f'"Options:\n  --a {LONG[40:]}\n  --b {LONG[40:]}"', ""),
    ("Makefile", "a: b ## that nobody waits\n", '1 "nobody"'),
]


def self_test() -> Iterator[str]:
    """Each planted text has the problem that stands with it, or none."""
    for path, text, expected in PLANTED:
        found = [f"{problem.line} {problem.text}" for problem in problems_in(path, text)]
        if len(found) != bool(expected) or not all(problem.startswith(expected) for problem in found):
            yield f"tests/prose.py: in {path} {text!r} it finds {found}, not {expected!r}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
