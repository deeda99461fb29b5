"""Plays the recorded session of each port against the port, and compares the answers with those of the original.

    python3 ports/check.py [NAME...]                 compares; `make test-ports` builds first what the ports need
    python3 ports/check.py --record FILE COMMAND...  writes the answers of an original into a session
    python3 ports/check.py --differences NAME        writes what differs now, with "?" for the reason

A session is a list of steps. `send` is a message, or a line as text; `answer` is what the original answered. `client` has what the
client answers to requests of the server from then on, by method; `hears` is the request that the server sends after a notification.
A step with `until` is sent again until its answer has that text, for at most 30 seconds; the last answer counts.
`differs` lists where the port answers otherwise: a JSON Pointer, the value of the port, and the name of a reason in reasons.json. An
undeclared difference fails, and so does a declared one that is not there. "…" stands for a text of the project: any text equals it.
Where the original is a package that is installed next to the port, both run, and no answer is stored: `differs` then holds the value
of the original, too.
"""

import http.client
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

import run
from count import PORTS, names

MISSING = "(absent)"
FOLDER = "{folder}"  # stands in a session for the folder in which the server runs


def differences(was: object, now: object, at: str = "") -> list[dict]:
    """Returns each place where two JSON values differ, as pointers with both values."""
    if isinstance(was, dict) and isinstance(now, dict):
        names = list(was) + [name for name in now if name not in was]
        escaped = {name: name.replace("~", "~0").replace("/", "~1") for name in names}
        return [
            found
            for name in names
            for found in differences(was.get(name, MISSING), now.get(name, MISSING), f"{at}/{escaped[name]}")
        ]
    if isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        return [found for index, pair in enumerate(zip(was, now)) for found in differences(*pair, f"{at}/{index}")]
    same = was == now and type(was) is type(now) or was == "…" and isinstance(now, str) and now not in ("", MISSING)
    return [] if same else [{"at": at, "was": was, "is": now}]


def many(at: str) -> str:
    """Returns a pointer with `*` for each index."""
    return re.sub(r"/\d+(?=/|$)", "/*", at)


def together(found: list[dict], known: list[dict]) -> list[dict]:
    """Returns the differences, with one in the place of all that a declared one with `*` stands for."""
    wide = [entry for entry in known if "*" in entry["at"]]
    result = []
    for one in found:
        for entry in wide:
            if entry["at"] == many(one["at"]) and all(entry[key] == one[key] for key in one if key != "at"):
                one = {**one, "at": entry["at"]}
        if one not in result:
            result.append(one)
    return result


def merged(found: list[dict]) -> list[dict]:
    """Returns the differences, with one in the place of all that are the same in several elements of a list."""
    wide = [{**one, "at": many(one["at"])} for one in found]
    kept = [every if wide.count(every) > 2 else one for one, every in zip(found, wide)]
    return [one for index, one in enumerate(kept) if one not in kept[:index]]


def plain(answer: object) -> object:
    """Returns an answer without `isError: false` and capabilities that are false, which say the same as their absence."""
    if isinstance(answer, list):
        return [plain(one) for one in answer]
    if isinstance(answer, dict) and "body" in answer:
        return {**answer, "body": plain(answer["body"])}
    if not (isinstance(answer, dict) and isinstance(answer.get("result"), dict)):
        return answer
    result = {name: value for name, value in answer["result"].items() if (name, value) != ("isError", False)}
    if "capabilities" in result:
        result["capabilities"] = {name: declared(value) for name, value in result["capabilities"].items()}
    return {**answer, "result": result}


def declared(capability: dict) -> dict:
    return {name: value for name, value in capability.items() if value is not False}


class Stdio:
    """A server as a child process, and the client of its standard input and output."""

    def __init__(self, command: list[str], session: dict, folder: pathlib.Path, environment: dict[str, str]) -> None:
        self.client: dict[str, object] = dict(session.get("client", {}))
        self.folder = str(folder)
        self.told: list[object] = []
        self.server = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=folder,
            env={**os.environ, **environment},
        )

    def play(self, step: dict) -> object:
        """Sends the message of a step, and returns its answer; None if it needs none, once the server has sent what the step hears."""
        self.client.update(step.get("client", {}))
        message = step["send"]
        self.write(message if isinstance(message, str) else json.dumps(message, ensure_ascii=False, separators=(",", ":")))
        hears = step.get("hears")
        if isinstance(message, dict) and "id" not in message and hears is None:
            return None
        timer = threading.Timer(30, self.server.kill)
        timer.start()
        try:
            while line := self.server.stdout.readline():
                got = json.loads(line.replace(self.folder, FOLDER))
                if isinstance(got, list) or "method" not in got:
                    return got
                self.hear(got)
                if got["method"] == hears:
                    return None
        finally:
            timer.cancel()
        return "no answer"

    def hear(self, message: dict) -> None:
        """Keeps a notification of the server, and answers a request of it."""
        if "id" not in message:
            self.told.append(message)
            return
        result = self.client[message["method"]]
        self.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}))

    def write(self, line: str) -> None:
        self.server.stdin.write(line.replace(FOLDER, self.folder) + "\n")
        self.server.stdin.flush()

    def end(self) -> list[object]:
        """Closes the input, and returns the notifications of the server."""
        self.server.stdin.close()
        try:
            self.server.wait(10)
        except subprocess.TimeoutExpired:
            self.server.kill()
            self.server.wait()
        self.server.stdout.close()
        return self.told


class Http:
    """A server as a child process that writes its port to standard output, and a client of it.

    A step may have a `path`, `headers` and a `method`. `Mcp-Session-Id: {session}` is what the last response gave. A step with
    `open` is sent without waiting for its answer, until the server writes a line; its answer is one of the notifications.
    """

    def __init__(self, command: list[str], session: dict, folder: pathlib.Path, environment: dict[str, str]) -> None:
        self.server = subprocess.Popen(
            [*command, "http"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=folder,
            env={**os.environ, **environment},
        )
        self.port = int(self.server.stdout.readline())
        self.client = self.connect()
        self.open: list[http.client.HTTPConnection] = []
        self.name = ""

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def play(self, step: dict) -> object:
        """Sends the request of a step, and returns the status, the type and the body of the response."""
        message = step["send"]
        body = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False, separators=(",", ":"))
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **step.get("headers", {})}
        headers = {name: value.replace("{session}", self.name) for name, value in headers.items()}
        method = step.get("method", "POST")
        client = self.connect() if "open" in step else self.client
        client.request(method, step.get("path", "/mcp"), body.encode() if method == "POST" else None, headers)
        if client is self.client:
            return self.answer(client)
        self.open.append(client)
        timer = threading.Timer(30, self.server.kill)
        timer.start()
        try:
            return self.server.stdout.readline().strip()
        finally:
            timer.cancel()

    def answer(self, client: http.client.HTTPConnection) -> object:
        response = client.getresponse()
        text = response.read().decode()
        self.name = response.getheader("Mcp-Session-Id", self.name)
        return {"status": response.status, "allow": response.getheader("Allow"), "body": body_of(text)}

    def end(self) -> list[object]:
        """Ends the server, and returns the answers of the requests that are open."""
        try:
            return [self.answer(client) for client in self.open]
        finally:
            for client in (self.client, *self.open):
                client.close()
            self.server.kill()
            self.server.wait()
            self.server.stdout.close()


def body_of(text: str) -> object:
    """Returns the JSON of a body, or a text that is none."""
    try:
        return json.loads(text) if text else None
    except ValueError:
        return text


def ask(server: Stdio | Http, step: dict) -> object:
    """Plays a step, and returns its answer; plays a step with `until` again until the answer has that text."""
    deadline = time.monotonic() + 30
    while True:
        answer = server.play(step)
        if step.get("until", "") in json.dumps(answer, ensure_ascii=False) or time.monotonic() > deadline:
            return answer


def play(
    command: list[str], session: dict, folder: pathlib.Path, environment: dict[str, str] | None = None
) -> list[object]:
    """Plays a session, and returns the answers; the last one is the list of notifications."""
    server = (Http if session.get("http") else Stdio)(command, session, folder, environment or {})
    try:
        answers = [ask(server, step) for step in session["steps"]]
    finally:
        told = server.end()
    return [*answers, told]


def compare(path: pathlib.Path, commands: run.Commands, write: bool) -> bool:
    """Plays one session of a port, and returns whether its answers are those that are expected."""
    name = str(path.relative_to(PORTS))
    session = json.loads(path.read_text())
    reasons = json.loads((PORTS / "reasons.json").read_text())
    now = play(commands.port, session, commands.folder(), commands.environment)
    steps = [*session["steps"], session.setdefault("told", {})]
    live = commands.original is not None
    if live:
        was = play(commands.original, session, commands.folder(), commands.environment)
    else:
        was = [step.get("answer") for step in steps]
    good = True
    same = 0
    for step, before, after in zip(steps, was, now):
        found = differences(plain(before), plain(after))
        for difference in found:
            if not live:
                del difference["was"]
        known = {entry["at"]: entry for entry in step.get("differs", [])}
        if write:
            step["differs"] = [{**one, "why": known.get(one["at"], {}).get("why", "?")} for one in merged(found)]
            if not found:
                del step["differs"]
            continue
        found = together(found, step.get("differs", []))
        same += not found
        expected = [{key: entry[key] for key in entry if key != "why"} for entry in known.values()]
        for one in [one for one in found if one not in expected]:
            good = False
            print(f"{name}: {json.dumps(step.get('send', 'notifications'))}\n  differs without a reason: {json.dumps(one)}")
        for one in [one for one in expected if one not in found]:
            good = False
            print(f"{name}: {json.dumps(step.get('send', 'notifications'))}\n  does not differ as declared: {json.dumps(one)}")
        for entry in known.values():
            if entry["why"] not in reasons:
                good = False
                print(f"{name}: reasons.json has no reason {entry['why']!r}")
    if write:
        save(path, session)
        return True
    print(f"{name}: {len(steps) - 1} steps, {same - (not found)} equal, {len(steps) - same} differ, {'as declared' if good else 'NOT as declared'}")
    return good


def save(path: pathlib.Path, session: dict) -> None:
    """Writes a session with one step on each line."""
    told = session.get("told")
    head = "".join(f" {json.dumps(key)}: {json.dumps(session[key])},\n" for key in session if key not in ("steps", "told"))
    lines = ",\n".join("  " + json.dumps(step, ensure_ascii=False) for step in session["steps"])
    tail = f",\n \"told\": {json.dumps(told, ensure_ascii=False)}" if told else ""
    path.write_text("{\n" + head + f" \"steps\": [\n{lines}\n ]{tail}\n}}\n")


def record(path: pathlib.Path, command: list[str]) -> None:
    """Writes the answers of an original into a session."""
    session = json.loads(path.read_text())
    *answers, told = play(command, session, pathlib.Path.cwd())
    for step, answer in zip(session["steps"], answers):
        step["answer"] = answer
    session["told"] = {"answer": told}
    save(path, session)


def all_of(name: str, write: bool) -> bool:
    """Compares each session of a port."""
    commands = run.commands(name)
    return all([compare(path, commands, write) for path in sorted((PORTS / name).glob("session*.json"))])


def reasons_are_used() -> bool:
    """Returns whether each reason of reasons.json stands in a session."""
    sessions = "".join(path.read_text() for path in PORTS.glob("*/session*.json"))
    unused = [name for name in json.loads((PORTS / "reasons.json").read_text()) if f'"why": "{name}"' not in sessions]
    for name in unused:
        print(f"reasons.json: no session has the reason {name!r}")
    return not unused


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[:1] == ["--record"]:
        record(pathlib.Path(arguments[1]), arguments[2:])
    elif arguments[:1] == ["--differences"]:
        all_of(arguments[1], write=True)
    else:
        results = [all_of(name, write=False) for name in arguments or names()]
        sys.exit(0 if all(results) and reasons_are_used() else 1)
