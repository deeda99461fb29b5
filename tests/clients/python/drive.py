"""Drives one host through the steps for its kind, with whichever version of the official Python client a session is of.

    v1.py KIND PLACE RECORD COMMAND...

COMMAND is the host behind `witness.py`, or a URL; RECORD tells how it ended. KIND and PLACE are `notes` and the FIFO through which its user edits,
`folder` and the folder that is served, `wide`, `http` (wide over HTTP) and the socket of `breaking.py`, or an example: `axum`, `clock`. Prints one JSON object per line: first the names of all steps, then a verdict for each step that was reached.
"""

import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import examples
import folder
import notes
import wide
from common import Inbox, check

ENDING = "end of input"
Steps = dict[str, Callable[[Any], Awaitable[str]]]


def main(session: Callable[[list[str], Inbox, Callable[[Any], Awaitable[None]]], Awaitable[None]]) -> None:
    """`session` starts the host, hands its client over, and ends both when that has returned."""
    kind, place, record, *command = sys.argv[1:]
    steps: Steps
    match kind:
        case "notes":
            steps = notes.STEPS
        case "folder":
            steps = folder.STEPS
        case "axum" | "clock":
            steps = examples.STEPS[kind]
        case "http":
            steps = wide.STEPS | wide.breaking_steps(place)
        case _:
            steps = wide.STEPS
    say({"steps": [*steps, ENDING]})

    def world(client: Any) -> object:
        match kind:
            case "notes":
                # Open for reading too: neither this nor the host's opening waits, and the host never sees the FIFO end.
                return notes.Notes(client, os.open(place, os.O_RDWR | os.O_NONBLOCK))
            case "folder":
                return folder.Folder(client, Path(place))
            case "axum":
                return examples.Board(client, command[0])
            case _:
                return client

    async def drive(client: Any) -> None:
        seen = world(client)
        for name, step in steps.items():
            if not await report(name, step(seen)) and name == "connect":
                return

    async def run() -> None:
        inbox = Inbox()
        await session(command, inbox, drive)
        await report(ENDING, silent(inbox) if command[0].startswith("http://") else ending(inbox, Path(record)))

    anyio.run(run)


async def ending(inbox: Inbox, record: Path) -> str:
    check(record.exists(), "the host had to be killed")
    end = json.loads(record.read_text().splitlines()[-1])
    check(not end["terminated"], "the host did not end by itself, the client sent it SIGTERM")
    check(end["code"] == 0, f"the host ended with {end['code']}")
    check(not inbox.faults, "; ".join(inbox.faults))
    return "exit status 0, by itself"


async def silent(inbox: Inbox) -> str:
    """Over HTTP the host goes on."""
    check(not inbox.faults, "; ".join(inbox.faults))
    return "the client has nothing to complain of"


async def report(name: str, verdict: Awaitable[str]) -> bool:
    try:
        ok, detail = True, await verdict
    except AssertionError as error:
        ok, detail = False, str(error)
    except Exception as error:  # a failed step is a row of the table, whatever went wrong
        ok, detail = False, repr(error)
    say({"step": name, "ok": ok, "detail": detail})
    return ok


def say(line: dict[str, object]) -> None:
    print(json.dumps(line), flush=True)
