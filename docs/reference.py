"""Writes the parts of the reference that come from sources, into build/reference: the C headers, the codes of errors, and what
there is of the protocol.

The pages `header.md`, `errors.md` and `protocol.md` include them, as `options.md` includes OPTIONS.md. `make docs` and `docs/check.py` run this.
"""

import html
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "build/reference"
SECTION = re.compile(r"^/\* ---- (.*?) -+ \*/$", re.MULTILINE)
NAMES = (
    re.compile(r"^WELLHEAD_API [^(]*?\b(wellhead_\w+)\(", re.MULTILINE),
    re.compile(r"^typedef void \(\*(wellhead_\w+)\)", re.MULTILINE),
    re.compile(r"^typedef [^\n{(]*?\b(wellhead_\w+);", re.MULTILINE),
    re.compile(r"^} (wellhead_\w+);", re.MULTILINE),
    re.compile(r"^#\s*define (WELLHEAD_\w+)", re.MULTILINE),
)
# What a field of a revision in revision.rs stands for.
FIELDS = {
    "era": "era",
    "titles": "titles of resources, tools and prompts",
    "icons": "icons",
    "completions": "the capability `completions`; the method is in all",
    "completion_context": "completion sees the values chosen before",
    "tool_annotations": "annotations of tools",
    "structured": "structured results of tools",
    "audio": "audio",
    "resource_links": "links to resources in results",
    "elicitation": "questions to the user",
    "progress_messages": "messages with progress",
    "batches": "batches of messages",
    "extensions": "extensions",
}
TOPICS = {
    "E": "Messages of JSON-RPC", "L": "Handshake", "D": "The revision of a request", "1": "Revisions", "2": "Revisions", "3": "Revisions",
    "T": "Titles in contents", "M": "Methods of resources", "X": "Errors", "P": "Pages", "C": "Caching", "G": "Progress",
    "I": "Questions to the client", "S": "Standard input and output", "H": "Streamable HTTP", "O": "Origins and hosts", "A": "Authorization",
    "Q": "The dialect resources/get", "U": "URIs and templates", "TA": "Arguments of tools", "TC": "Calls of tools",
    "TI": "Questions of tools", "TS": "Schemas of tools", "TD": "Definitions of tools", "TR": "Results of tools", "PR": "Prompts",
    "EX": "Extensions", "RT": "Resources as tools", "SK": "Skills", "AP": "Apps", "TX": "Tools", "SE": "Sessions",
}  # fmt: skip


def write() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / "header.md").write_text(header(), "utf-8")
    (OUT / "errors.md").write_text(errors(), "utf-8")
    (OUT / "protocol.md").write_text(protocol(), "utf-8")


def header() -> str:
    """An index by section, then each declaration with its comment, as it stands in the header."""
    index, text = [], []
    for name in ("wellhead.h", "wellhead_http.h"):
        for title, blocks in sections((ROOT / "include" / name).read_text("utf-8")):
            names = [name for block in blocks for name in declared(block)]
            if names:
                index.append(f"- **{title}**: {', '.join(f'[`{name}`](#{name})' for name in names)}")
            text.append(f"## {name}: {title}\n\n")
            text += [declaration(block) for block in blocks]
    return "\n".join(index) + "\n\n" + "".join(text)


def sections(source: str) -> Iterator[tuple[str, list[str]]]:
    parts = SECTION.split(source.partition("#endif /* WELLHEAD")[0])
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        yield title, [block for block in re.split(r"\n\s*\n", body.strip("\n")) if block.strip()]


def declared(block: str) -> list[str]:
    """The names that a block of the header declares, in its order, each once."""
    found = sorted((match.start(), match[1]) for name in NAMES for match in name.finditer(block))
    return list(dict.fromkeys(name for _, name in found))


def declaration(block: str) -> str:
    anchors = "".join(f'<a id="{name}"></a>' for name in declared(block))
    return f"{anchors}\n\n```c\n{block}\n```\n\n" if anchors else f"```c\n{block}\n```\n\n"


def errors() -> str:
    """The kinds of errors, as the comments of the core describe them."""
    source = (ROOT / "core/src/error.rs").read_text("utf-8")
    codes = dict(re.findall(r'ErrorKind::(\w+) => "(\w+)"', source))
    kinds = re.findall(r"((?:^    /// .*\n)+)    (\w+) = (\d+),", source, re.MULTILINE)
    return "\n".join(f"| `{codes[kind]}` | {number} | {prose(comment)} |" for comment, kind, number in kinds)


def prose(comment: str) -> str:
    """The text of a comment in one line, with its links to the reference of Rust as names."""
    text = " ".join(line.strip().removeprefix("/// ") for line in comment.splitlines())
    return re.sub(r"\[`(?:crate::)?(.*?)`\]", r"`\1`", text)


def protocol() -> str:
    source = (ROOT / "core/src/revision.rs").read_text("utf-8")
    revisions = [dict(re.findall(r"(\w+): ([^,\n]+),", body)) for body in re.findall(r"^    Revision \{\n(.*?)^    \},", source, re.M | re.S)]
    dates = [revision["date"].strip('"') for revision in revisions]
    lines = [f"| | {' | '.join(dates)} |", f"|---|{'---|' * len(dates)}"]
    lines += [f"| {words} | {' | '.join(cell(revision[field]) for revision in revisions)} |" for field, words in FIELDS.items()]
    return "## What each revision has\n\n" + "\n".join(lines) + "\n\n" + rules()


def cell(value: str) -> str:
    word = re.sub(r"(?<!^)([A-Z])", r" \1", value.rpartition("::")[2]).lower()
    return {"true": "yes", "false": "–"}.get(word, word)


def rules() -> str:
    """The rows of rows.tsv that a vector or a test shows, by topic."""
    rows = [line.split("\t") for line in (ROOT / "tests/vectors/rows.tsv").read_text("utf-8").splitlines()[1:]]
    topics: dict[str, list[str]] = {}
    for row, stage, meaning, *_ in rows:
        if stage != "none":
            topics.setdefault(TOPICS[re.split(r"[-.]", row)[0]], []).append(f"| {row} | {html.escape(meaning).replace('|', '&#124;')} |")
    tables = (f"## {topic}\n\n| row | rule |\n|---|---|\n" + "\n".join(lines) for topic, lines in topics.items())
    return "\n\n".join(tables) + "\n"


if __name__ == "__main__":
    write()
