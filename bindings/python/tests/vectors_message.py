"""Messages of a script: how they are written, and how expected lines are compared. See the vectors' README."""

import json
import re

STATELESS = '{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
SERVER = '{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}'
TOKEN = re.compile(r"@\{(?:(?P<text>[^}]*)\*(?P<times>[0-9]+)|(?P<any>\*)|(?P<name>[^}*]+))\}")

Kept = dict[str, str]


def written(message: object) -> str:
    text = message if isinstance(message, str) else compact(message)
    return text.replace('"$stateless"', STATELESS).replace('"$server"', SERVER)


def compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def sent(message: object, kept: Kept) -> str:
    """The line to send."""

    def fill(token: re.Match[str]) -> str:
        if token["times"] is not None:
            return token["text"] * int(token["times"])
        assert not token["any"], "@{*} cannot be sent"
        return kept[token["name"]]

    return TOKEN.sub(fill, written(message))


def matches(expected: object, line: str, kept: Kept) -> bool:
    """Returns whether a line that came out is the expected message; keeps what a name matches for the first time."""
    text, at, pattern, names = written(expected), 0, "", []
    for token in TOKEN.finditer(text):
        pattern += re.escape(text[at : token.start()])
        at = token.end()
        if token["times"] is not None:
            pattern += re.escape(token["text"] * int(token["times"]))
        elif token["any"]:
            pattern += '[^"]+'
        elif token["name"] in kept:
            pattern += re.escape(kept[token["name"]])
        else:
            names.append(token["name"])
            pattern += '([^"]+)'
    found = re.fullmatch(pattern + re.escape(text[at:]), line, re.DOTALL)
    if found is None:
        return False
    kept.update(zip(names, found.groups(), strict=True))
    return True
