"""Counts the lines of each port that handle the protocol, and makes the ported files in a checkout.

    python3 ports/count.py                    prints the table of README.md, with the counts of the originals in port.json
    python3 ports/count.py NAME CHECKOUT      counts those of an original again, from a checkout of its commit
    python3 ports/count.py --apply NAME CHECKOUT   changes the files of a checkout

A line counts if it has code: blank lines and comments do not. `protocol` in port.json has the ranges of lines of the original that
handle the protocol; `before` is how many of them count. An `.ed` file has the changes of a file as ed commands, so it has no line of the
original: `12,15d` deletes, `12,15c` replaces and `12a` adds, the last change first. Every line of ours counts, except those of
`application`, the ranges of our file that are moved or written for the application itself.
"""

import hashlib
import json
import pathlib
import re
import sys

PORTS = pathlib.Path(__file__).resolve().parent


def names() -> list[str]:
    """Returns the ports, in the order of the alphabet."""
    return sorted(path.parent.name for path in PORTS.glob("*/port.json"))


def read(name: str) -> dict:
    """Returns the description of a port."""
    return json.loads((PORTS / name / "port.json").read_text())


def spans(ranges: list[str]) -> set[int]:
    """Returns the numbers of the lines in ranges such as "12-15" and "20"."""
    numbers: set[int] = set()
    for text in ranges:
        first, _, last = text.partition("-")
        numbers.update(range(int(first), int(last or first) + 1))
    return numbers


def code_lines(path: str, lines: list[str]) -> set[int]:
    """Returns the numbers of the lines that have more than a comment."""
    text = "\n".join(lines)
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())
    if path.endswith(".py"):
        text = re.sub(r'^[ \t]*("""|\'\'\')(?s:.*?)\1[ \t]*$', blank, text, flags=re.M)
        text = re.sub(r"^[ \t]*#.*$", blank, text, flags=re.M)
    else:
        text = re.sub(r"^[ \t]*/\*(?s:.*?)\*/", blank, text, flags=re.M)
        text = re.sub(r"^[ \t]*//.*$", blank, text, flags=re.M)
    return {number for number, line in enumerate(text.split("\n"), 1) if line.strip()}


def ed_changes(script: str) -> list[tuple[int, int, str, list[str]]]:
    """Returns the commands of an ed script: the first line, the last, the letter, and the new lines."""
    changes, lines = [], iter(script.splitlines())
    for line in lines:
        first, last, letter = re.fullmatch(r"(\d+)(?:,(\d+))?([acd])", line).groups()
        new = []
        if letter != "d":
            while (text := next(lines)) != ".":
                new.append(text)
        changes.append((int(first), int(last or first), letter, new))
    return changes


def edited(lines: list[str], script: str) -> list[str]:
    """Returns the lines after an ed script, whose last change comes first."""
    result = list(lines)
    for first, last, letter, new in ed_changes(script):
        result[first if letter == "a" else first - 1 : first if letter == "a" else last] = new
    return result


def after(name: str, port: dict) -> int:
    """Counts the lines of a port that handle the protocol: those of ours, and those of the original that are left."""
    total = 0
    for path, entry in port["files"].items():
        total += entry.get("kept", 0)
        if ours := entry.get("becomes"):
            lines = (PORTS / name / ours).read_text().splitlines()
            if ours.endswith(".ed"):
                for *_, new in ed_changes("\n".join(lines)):
                    total += len(code_lines(path, new))
            else:
                total += len(code_lines(ours, lines) - spans(entry.get("application", [])))
    return total


def measure(name: str, port: dict, checkout: pathlib.Path) -> None:
    """Compares a checkout with port.json: hashes, protocol lines before, and those that the changes leave."""
    for path, entry in port["files"].items():
        if "sha256" not in entry:
            continue
        content = (checkout / path).read_bytes()
        hashed = hashlib.sha256(content).hexdigest()
        lines = content.decode().splitlines()
        counted = code_lines(path, lines) & spans(entry.get("protocol", []))
        gone = set(range(1, len(lines) + 1))
        if (entry.get("becomes") or "").endswith(".ed"):
            script = (PORTS / name / entry["becomes"]).read_text()
            gone = {n for first, last, letter, _ in ed_changes(script) if letter != "a" for n in range(first, last + 1)}
        found = {"sha256": hashed, "before": len(counted), "kept": len(counted - gone)}
        for key, value in found.items():
            if entry.get(key, 0) != value:
                print(f"{name}: {path}: {key} is {value}, and port.json says {entry.get(key)}")


def apply(name: str, port: dict, checkout: pathlib.Path) -> None:
    """Changes the files of a checkout, if each is the one that the port was made for."""
    for path, entry in port["files"].items():
        target = checkout / path
        if "sha256" in entry and hashlib.sha256(target.read_bytes()).hexdigest() != entry["sha256"]:
            sys.exit(f"{target} is another version than that of commit {port['commit']}")
    for path, entry in port["files"].items():
        target, ours = checkout / path, entry.get("becomes")
        if ours is None:
            target.unlink()
        elif ours.endswith(".ed"):
            target.write_text("\n".join(edited(target.read_text().splitlines(), (PORTS / name / ours).read_text())) + "\n")
        else:
            target.write_text((PORTS / name / ours).read_text())


def table() -> None:
    """Prints a row for each port."""
    print("| port | project | commit | language | before | after | gone |\n|---|---|---|---|---|---|---|")
    for name in names():
        port = read(name)
        before = sum(entry.get("before", 0) for entry in port["files"].values())
        now = after(name, port)
        print(
            f"| `{name}` | {port['project']} | {port['commit'][:13]} | {port['language']} | {before} | {now} | {100 - 100 * now / before:.0f} % |"
        )


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if not arguments:
        table()
    else:
        act = apply if arguments[0] == "--apply" else measure
        name, checkout = arguments[-2:]
        act(name, read(name), pathlib.Path(checkout))
