"""Compares the tables of NAMES.md with the public names of Rust, C, C++, Python and Node, and wellhead.hpp with wellhead.h.

    words.py          fails on a public name that no row has, on a name that its language does not have, on a gap without a reason,
                    on a setting that Node's log lines and errors would spell as Rust does, on two types of the core with one name, on a
                    comment of a C function that does not name an argument or a status, and on what `signatures.py` and `messages.py` find
    words.py --list   prints the public names of each language

NAMES.md says how a name is written.
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import messages
import signatures

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "NAMES.md"
HEADER = ROOT / "include/wellhead.h"
HEADER_HTTP = ROOT / "include/wellhead_http.h"
HEADERS_CPP = [ROOT / "include/wellhead.hpp", ROOT / "include/wellhead_http.hpp"]
CRATE = ROOT / "core/src"
SPELLING = CRATE / "spelling.rs"
OPTIONS = ROOT / "OPTIONS.md"
PYTHON = ROOT / "bindings/python/python/wellhead"
NODE = ROOT / "bindings/node/lib"

LANGUAGES = ("Rust", "C", "C++", "Python", "Node")
GAP = re.compile(r"– (\w+)$")
# Functions of Python whose keywords are options, each with its own.
TAKE_OPTIONS = ("asgi", "serve_http", "run", "directory", "skills", "connect", "test_client", "limit_tool")
# Types of which a build has one: the name is the same so that their users do not see which.
ALTERNATIVES = (
    "fork.rs sync.rs",
    "sync.rs",
    "schema/compiled.rs schema/unchecked.rs",
    "directory/watch/inotify.rs directory/watch/portable.rs",
    "serve/platform/modelled.rs serve/platform/unix.rs serve/platform/windows.rs",
    "serve/platform/signal.rs serve/platform/unix.rs",
)
# Types of Rust that `*Call::item` stands for.
CALLS = ("Call", "ListCall", "CompleteCall", "MethodCall", "AuthorizeCall", "AroundCall", "Responder")
MOST_NAMES = 6
"""The names of one language in a row. A longer cell hides that one is missing."""
CONSTRUCTORS_OF_OPTIONS = ("Server", "Limits")

Names = dict[str, Path]  # a public name, and the file that it was found in


@dataclass(frozen=True)
class Row:
    line: int
    columns: dict[str, list[str]]  # by the table's heads: the names in code font
    gaps: dict[str, str]  # by language: the cell without a name, as it is written


def main(arguments: list[str]) -> int:
    found = {"Rust": rust(), "C": c(HEADER) | c(HEADER_HTTP), "C++": cpp(), "Python": python(), "Node": node()}
    if arguments == ["--list"]:
        for language, names in found.items():
            for name, file in sorted(names.items()):
                print(f"{language:<8}{name:<48}{file.relative_to(ROOT)}")
        return 0
    rows = list(tables())
    problems = [*missing(found, rows), *stale(found, rows), *unexplained(rows), *other_words(rows), *other_numbers(rows), *beyond_cpp(), *unspelled(rows), *doubled_types(), *dangling(), *undescribed(), *signatures.problems(), *messages.problems()]
    for problem in problems:
        print(problem)
    counts = ", ".join(f"{len(names)} in {language}" for language, names in found.items())
    print(f"{len(rows)} rows; public names: {counts}; {len(problems)} problems")
    return 1 if problems else 0


# ---- the checks


def missing(found: dict[str, Names], rows: list[Row]) -> Iterator[str]:
    for language, names in found.items():
        known = {name for row in rows for name in row.columns.get(language, [])}
        for name, file in sorted(names.items()):
            if name not in known:
                where = file.relative_to(ROOT)
                yield f'{language}: the public name "{name}" ({where}) stands in no row of NAMES.md'


def dangling() -> Iterator[str]:
    """Names that the comments of a header mention and no header declares. One that ends with `_` is the beginning of names."""
    comment, name = re.compile(r"/\*.*?\*/", re.DOTALL), re.compile(r"\bwellhead_\w+\b(?!\.h)", re.IGNORECASE)
    texts = {file: file.read_text("utf-8") for file in (HEADER, HEADER_HTTP, *HEADERS_CPP)}
    declared = {one for text in texts.values() for one in name.findall(comment.sub("", text))}
    for file, text in texts.items():
        for one in sorted({one for found in comment.findall(text) for one in name.findall(found)} - declared):
            if not (one.endswith("_") and any(known.startswith(one) for known in declared)):
                yield f"{file.relative_to(ROOT)}: a comment mentions {one}, which no header declares"


def undescribed() -> Iterator[str]:
    """C functions whose comments leave out an argument, or each status. The first argument, the handle, and `error` are the same in all."""
    statuses = set(re.findall(r"^#define WELLHEAD_STATUS_(\w+)", HEADER.read_text("utf-8"), re.MULTILINE))
    for file in (HEADER, HEADER_HTTP):
        text = file.read_text("utf-8")
        for found in re.finditer(r"/\*((?:(?!\*/).)*)\*/\n(WELLHEAD_API [^;]*;)", text, re.DOTALL):
            name, listed = re.search(r"(\w+)\(([^)]*)\)", found[2]).groups()
            named = set(re.findall(r"\w+", found[1]))
            arguments = [(kind, argument) for kind, argument in re.findall(r"(\w[\w *]*?)(\w+)(?:,|$)", listed) if argument != "error"]
            for kind, argument in arguments[1:]:
                if ("*" in kind or "wellhead_str" in kind or "_callback" in kind) and argument not in named:
                    yield f"{file.relative_to(ROOT)}: the comment of {name} does not name its argument {argument}"
            fails = found[2].startswith("WELLHEAD_API wellhead_status ") or "wellhead_error **error" in listed
            if fails and not named & statuses and "the status" not in found[1]:
                yield f"{file.relative_to(ROOT)}: the comment of {name} names no status"


def stale(found: dict[str, Names], rows: list[Row]) -> Iterator[str]:
    for row in rows:
        for language, names in found.items():
            for name in row.columns.get(language, []):
                if name not in names:
                    yield f'{language}: NAMES.md:{row.line} names "{name}", which is not public there'


def unexplained(rows: list[Row]) -> Iterator[str]:
    """A cell without a name is a gap with one of the reasons that the document lists, and each reason explains a gap."""
    reasons = {cell for row in rows if (cell := row.gaps.get("reason"))}
    used = set()
    for row in rows:
        for language in LANGUAGES:
            cell = row.gaps.get(language)
            reason = GAP.match(cell or "")
            if reason:
                used.add(reason[1])
            if cell is not None and (reason is None or reason[1] not in reasons):
                yield f'{language}: NAMES.md:{row.line} has a gap without a reason of the table "Gaps": "{cell}"'
    for reason in sorted(reasons - used):
        yield f'NAMES.md: the reason "{reason}" explains no gap'


def other_words(rows: list[Row]) -> Iterator[str]:
    """In the tables that begin with the word itself, each language uses that word."""
    for row in rows:
        for word in row.columns.get("word", []):
            for language in LANGUAGES:
                for name in row.columns.get(language, []):
                    own = re.split(r"::|\.|\(", name)[-1].rstrip("=)")
                    own = re.sub(r"^(WELLHEAD_STATUS|ERR_WELLHEAD)_", "", own)
                    if plain(own) != plain(word) and language_has_own_words(language, row):
                        yield f'{language}: NAMES.md:{row.line}: "{name}" is not the word "{word}"'


def language_has_own_words(language: str, row: Row) -> bool:
    """An error's row gives Python's exception, whose `code` is the word."""
    return not (language == "Python" and "status" in row.columns)


def other_numbers(rows: list[Row]) -> Iterator[str]:
    kinds = dict(re.findall(r"^    ([A-Z]\w+) = (\d+),$", (CRATE / "error.rs").read_text("utf-8"), re.MULTILINE))
    statuses = dict(re.findall(r"^#define (WELLHEAD_STATUS_\w+) (\d+)", HEADER.read_text("utf-8"), re.MULTILINE))
    for row in rows:
        for number in row.columns.get("status", []):
            for language, numbers in (("Rust", kinds), ("C", statuses)):
                for name in row.columns.get(language, []):
                    has = numbers.get(name.split("::")[-1])
                    if has != number:
                        yield f'{language}: NAMES.md:{row.line} gives "{name}" the number {number}, it has {has}'


def beyond_cpp() -> Iterator[str]:
    """C++ has the words of C: its header uses each function and each field, but those that hosts use as they are, or whose form with options it uses. Its callbacks are functions."""
    as_they_are = ("wellhead_cstr", "wellhead_str_equal", "wellhead_limits.", "wellhead_value.", "wellhead_str.", "wellhead_observed.", "wellhead_counters.")
    text = "".join(re.sub(r"/\*.*?\*/|//[^\n]*", "", header.read_text("utf-8"), flags=re.DOTALL) for header in HEADERS_CPP)
    names = [*c(HEADER), *c(HEADER_HTTP)]
    for name in names:
        used = rf"(\.|->){name.split('.')[1]}\b" if "." in name else rf"\b{name}\b"
        is_ours = name.startswith("wellhead_") and not name.startswith(as_they_are) and not name.endswith("_callback") and f"{name}_with" not in names
        if is_ours and not re.search(used, text):
            yield f'C++: wellhead.hpp and wellhead_http.hpp do not use "{name}"'


def unspelled(rows: list[Row]) -> Iterator[str]:
    """Each name that a hint puts between backticks is a setting, so that each language spells it in its own way."""
    settings = set(re.findall(r"^\| `(\w+)` \|", OPTIONS.read_text("utf-8"), re.MULTILINE))
    settings |= set(re.findall(r'OTHER_SETTINGS: .* = \["(\w+)"\]', SPELLING.read_text("utf-8")))
    for path in sorted(CRATE.rglob("*.rs")):
        text = re.sub(r"^\s*//.*", "", code(path), flags=re.MULTILINE)
        for name in re.findall(r"`([a-z]+(?:_[a-z]+)+)`", text):
            if name not in settings:
                yield f'{path.relative_to(ROOT)}: a hint names `{name}`, which is no option of {OPTIONS.name}, and which {SPELLING.name} does not have'


def plain(name: str) -> str:
    return name.replace("_", "").lower()


# ---- the document


def tables() -> Iterator[Row]:
    heads: list[str] = []
    for number, line in enumerate(DOCUMENT.read_text("utf-8").splitlines(), 1):
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            heads = []
        elif not heads:
            heads = cells
        elif not set(cells[0]) <= {"-", ":"}:
            if len(cells) != len(heads):
                sys.exit(f"NAMES.md:{number} has {len(cells)} cells under {len(heads)} heads")
            named = dict(zip(heads, cells, strict=True))
            names = {head: re.findall(r"`([^`]+)`", cell) for head, cell in named.items()}
            for head, listed in names.items():
                if head in LANGUAGES and len(listed) > MOST_NAMES:
                    sys.exit(f"NAMES.md:{number} has {len(listed)} names for {head}, at most {MOST_NAMES}: make two concepts of it")
            names["Rust"] = [name for one in names.get("Rust", []) for name in of_calls(one)]
            yield Row(number, names, {head: cell for head, cell in named.items() if not names[head]})


def of_calls(name: str) -> list[str]:
    family, _, item = name.partition("*Call::")
    return [f"{call}::{item}" for call in CALLS] if item and not family else [name]


# ---- Rust: what lib.rs exports, with its inherent functions, fields, variants and methods of traits


def rust() -> Names:
    names: Names = {}
    exported(CRATE / "lib.rs", "", names)
    return names


def exported(file: Path, prefix: str, names: Names) -> None:
    text = code(file)
    for module in re.findall(r"^pub mod (\w+);", text, re.MULTILINE):
        names[f"{prefix}{module}"] = file
        exported(next(sources(file, module)), f"{prefix}{module}::", names)
    for root, module, listed in re.findall(r"^pub use (crate::|self::)?(\w+)::(\{[^}]*\}|\w+);", text, re.MULTILINE):
        declaring = CRATE / "lib.rs" if root == "crate::" else file
        members(re.findall(r"\w+", listed), list(sources(declaring, module)), prefix, names)
    own = re.findall(r"^pub (?:fn|struct|enum|trait|type|const) (\w+)", text, re.MULTILINE)
    members(own, [file], prefix, names)


def sources(file: Path, module: str) -> Iterator[Path]:
    """The files of a module that is declared in `file`, its own first."""
    folder = file.parent if file.name == "lib.rs" else file.with_suffix("")
    candidates = [folder / f"{module}.rs", *sorted((folder / module).rglob("*.rs"))]
    yield from dict.fromkeys(path for path in candidates if path.is_file())


def members(items: list[str], files: list[Path], prefix: str, names: Names) -> None:
    def keep(item: str, found: list[str], path: Path) -> None:
        if item in items:
            names.update({f"{prefix}{item}::{member}": path for member in found})

    for item in items:
        names[prefix + item] = files[0]
    for path in sorted(CRATE.rglob("*.rs")):  # any file may hold an impl
        for item, body in blocks(code(path)):
            keep(item, re.findall(r"^    pub (?:const |async )*(?:fn |const )?(\w+)[(<:]", body, re.MULTILINE), path)
    for path in files:
        for item, body in re.findall(r"^pub trait (\w+)[^{;]*\{\n(.*?)^\}", code(path), re.MULTILINE | re.DOTALL):
            keep(item, re.findall(r"^    fn (\w+)", body, re.MULTILINE), path)
        for item, body in re.findall(r"^pub enum (\w+)[^{;]*\{\n(.*?)^\}", code(path), re.MULTILINE | re.DOTALL):
            keep(item, re.findall(r"^    ([A-Z]\w*)\b", body, re.MULTILINE), path)
        for item, body in re.findall(r"^pub struct (\w+)[^{;(]*\{\n(.*?)^\}", code(path), re.MULTILINE | re.DOTALL):
            keep(item, re.findall(r"^    pub (\w+):", body, re.MULTILINE), path)


def code(path: Path) -> str:
    """A file without its tests and without what is hidden from the documentation."""
    text = path.read_text("utf-8").split("#[cfg(test)]\nmod ")[0]
    text = re.sub(r"^(?:options|counters|optional_limits)! \{\n(.*?)^\}\n", lambda made: shifted(made[1]), text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"#\[doc\(hidden\)\]\n(?:\s*#\[[^\n]*\n)*\s*(?:pub )?(?:fn|use|mod|struct|enum) [^\n]*", "", text)


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """(type, body) of each inherent impl; what macros make is written out."""
    macros = dict(re.findall(r"^macro_rules! (\w+) \{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL))
    for item, body in re.findall(r"^impl(?:<[^\n]*>)? (\w+)(?:<[^\n]*>)? \{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL):
        called = re.findall(r"^    (\w+)!\(\);", body, re.MULTILINE)
        yield item, body + "".join(shifted(macro(one)) for one in called)
    for name, body in macros.items():
        for made in re.findall(r"^        impl \$\w+ \{\n(.*?)^        \}", body, re.MULTILINE | re.DOTALL):
            for given in re.findall(rf"^{name}!\((.*?)\);", text, re.MULTILINE | re.DOTALL):
                for item in re.findall(r"(?:^|,)\s*(\w+)", given):
                    yield item, shifted(shifted(made))


def macro(name: str) -> str:
    for path in sorted(CRATE.rglob("*.rs")):
        found = re.search(rf"^macro_rules! {name} \{{\n(.*?)^\}}", code(path), re.MULTILINE | re.DOTALL)
        if found:
            return found[1]
    return ""


def shifted(text: str) -> str:
    return re.sub(r"^    ", "", text, flags=re.MULTILINE)


# ---- C: functions, types, fields and macros of a header


def c(header: Path) -> Names:
    text = re.sub(r"/\*.*?\*/", "", header.read_text("utf-8"), flags=re.DOTALL)
    names = re.findall(r"\b(wellhead_\w+)\(", "\n".join(re.findall(r"^WELLHEAD_API.*?;", text, re.MULTILINE | re.DOTALL)))
    names += re.findall(r"^typedef struct (wellhead_\w+)", text, re.MULTILINE)
    names += re.findall(r"^typedef \w+ (wellhead_\w+);", text, re.MULTILINE)
    names += re.findall(r"^typedef [^;{]*?\(\*(wellhead_\w+)\)\(", text, re.MULTILINE)
    names += re.findall(r"^#\s*define (WELLHEAD_\w+)[( ]", text, re.MULTILINE)
    for struct, body in re.findall(r"^typedef struct (wellhead_\w+) \{(.*?)^\}", text, re.MULTILINE | re.DOTALL):
        for field in body.split(";"):
            callback = re.search(r"\(\*(\w+)\)\(", field)
            plain_field = re.search(r"(\w+)\s*$", field)
            one = callback or plain_field
            if one:
                names.append(f"{struct}.{one[1]}")
    ours = {"WELLHEAD_API"}  # an attribute of the declarations, not for hosts
    return {name: header for name in names if name not in ours and not name.endswith(".struct_size")}


# ---- C++: what the two headers declare in the namespace, without what C has


def cpp() -> Names:
    names: Names = {}
    bases: dict[str, str] = {}
    members_of: dict[str, list[str]] = {}
    for header in HEADERS_CPP:
        whole = re.sub(r"/\*.*?\*/|^#.*?[^\\]$", "", header.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
        text = re.sub(r"//[^\n]*", "", whole)
        types = r"^(?:template <[^\n]*> )?(class|struct|enum class) (\w+)\s*(:[^{;]*?)?\s*\{\n(.*?)^\};"
        for keyword, name, base, body in re.findall(types, text, re.DOTALL | re.MULTILINE):
            own = re.findall(r"^    (\w+)", body, re.MULTILINE) if keyword == "enum class" else declared(body, name, keyword == "struct")
            members_of.setdefault(name, []).extend(own)
            bases.update({name: parent for parent in re.findall(r"detail::(\w+)<", base)})
        public = re.sub(r"^namespace detail \{.*?^\} // namespace detail", "", whole, flags=re.DOTALL | re.MULTILINE)
        for found in re.findall(types, public, re.DOTALL | re.MULTILINE):
            names[found[1]] = header
        for name in re.findall(r"^inline (?:[\w:<>]+ )+(\w+)\(|^using (\w+) =", public, re.MULTILINE):
            names[name[0] or name[1]] = header
    for name, header in list(names.items()):
        for member in [*members_of.get(name, []), *members_of.get(bases.get(name, ""), [])]:
            if not re.match(r"capi|drop$|fail$|move_to$", member):  # the ways to C
                names[f"{name}::{member}"] = header
    return names


def declared(body: str, own: str, public: bool) -> list[str]:
    """The names that a class declares for everybody, but for its constructors and operators."""
    names: list[str] = []
    for statement in without_depth(body).split(";"):
        for access in re.findall(r"\b(public|private|protected):", statement):
            public = access == "public"
        text = re.sub(r"\b(public|private|protected):|\btemplate\b", "", statement).strip()
        if not text or not public or re.match(r"(using|friend|class|struct)\b", text) or "operator" in text:
            continue
        before = text.split("=")[0]
        if "(" in before:
            function = re.search(r"~?(\w+)\s*\(", before)
            names += [function[1]] if function and function[1] != own else []
        else:
            names += [field[1] for part in text.split(",") if (field := re.search(r"(\w+)\s*(?:=.*)?$", part.strip(), re.DOTALL))]
    return names


def without_depth(body: str) -> str:
    """The text with ";" for each pair of braces, and without the arguments of templates."""
    before, body = None, re.sub(r"= \{\}", "= 0", body)
    while before != body:
        before, body = body, re.sub(r"<[^<>{};]*>", "", re.sub(r"\{[^{}]*\}", ";", body))
    return body


# ---- Python: what `__all__` lists, as the stubs describe it


def python() -> Names:
    package = ast.parse((PYTHON / "__init__.py").read_text("utf-8"))
    lists = [node.value for node in package.body if isinstance(node, ast.Assign) and node.targets[0].id == "__all__"]
    public = set(ast.literal_eval(lists[0]))
    names: Names = {}
    for stub in [*sorted(PYTHON.glob("*.pyi")), PYTHON / "_endpoint.py", PYTHON / "_testing.py"]:  # which have their types inline
        for node in ast.parse(stub.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and node.name in public:
                names[node.name] = stub
                class_members(node, stub, names)
    for name in public - names.keys():
        names[name] = PYTHON / "__init__.py"
    return names


def class_members(node: ast.ClassDef, stub: Path, names: Names) -> None:
    functions = [item for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)]
    constructors = [item for item in functions if item.name in ("__new__", "__init__")]
    given = {keyword for item in constructors for keyword in keywords(item)}
    if node.name in CONSTRUCTORS_OF_OPTIONS:
        names.update({f"{node.name}({keyword})": stub for keyword in given})
    elif not node.name.endswith("TestClient"):  # which `test_client` makes
        names.update({keyword: stub for keyword in given})
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            names[f"{node.name}.{item.target.id}"] = stub
    for item in functions:
        if not item.name.startswith("_"):
            taker = "asgi" if item.name == "endpoint" else item.name.removesuffix("_async")
            own = keywords(item)
            names.update({f"{taker}({keyword})" if taker in TAKE_OPTIONS else keyword: stub for keyword in own})
            if not (item.decorator_list and f"{item.name}=" in given):
                names[f"{node.name}.{item.name}"] = stub


def keywords(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    return [f"{argument.arg}=" for argument in [*function.args.args[1:], *function.args.kwonlyargs]]


# ---- the core's own types


def doubled_types() -> Iterator[str]:
    """Yields each name that two types of the core have, unless a build has only one of them."""
    places: dict[str, list[str]] = {}
    for file in sorted(CRATE.rglob("*.rs")):
        text = file.read_text("utf-8")
        for name in re.findall(r"^ *(?:pub(?:\([^)]*\))? )?(?:struct|enum|union|trait) (\w+)|^(?:pub(?:\([^)]*\))? )?type (\w+)", text, re.M):
            places.setdefault("".join(name), []).append(file.relative_to(CRATE).as_posix())
    for name, files in sorted(places.items()):
        if len(files) > 1 and " ".join(dict.fromkeys(files)) not in ALTERNATIVES:
            yield f"core/src: {len(files)} types have the name {name}, in {', '.join(files)}: rename all but one"


# ---- Node: what index.ts exports, with the members of classes and interfaces


def node() -> Names:
    index = (NODE / "index.ts").read_text("utf-8")
    names: Names = {}
    for listed, source in re.findall(r"^export (?:type )?\{([^}]*)\} from '\./(\w+)\.js';", index, re.MULTILINE):
        file = NODE / f"{source}.ts"
        text = file.read_text("utf-8")
        for item in re.findall(r"(?:type )?(\w+)\s*(?:,|$)", listed.strip()):
            names[item] = file
            declared = re.search(rf"^export (?:class|interface) {item}\b.*?\{{\n(.*?)^\}}", text, re.MULTILINE | re.DOTALL)
            body = re.sub(r"  /\*\* @internal \*/\n  [^\n]*\n", "", declared[1]) if declared else ""
            for member in re.findall(r"^  (?:readonly |static |async |get |set )*([A-Za-z]\w*)\??\s*[(<:]", body, re.M):
                if member != "constructor":
                    names[f"{item}.{member}"] = file
        for words in re.findall(r"^type Word =\n(.*?);", text, re.MULTILINE | re.DOTALL):
            names.update({f"ERR_WELLHEAD_{word}": file for word in re.findall(r"'(\w+)'", words)})
    return names


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
