"""An in-memory notes application: pages, a template, edits that notify, one answer given later.

`notes.py FIFO`: a second thread takes `set ID TEXT`, `add ID TEXT` and `del ID` lines from the FIFO.
"""

import os
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Thread

import wellhead

notes = {f"{n:03}": f"# Note {n:03}" for n in range(1, 251)}
server = wellhead.Server("notes", "1.0.0", limits=wellhead.Limits(page_items=100))
server.text("notes://about", "Notes.", mime_type="text/plain")
server.blob("notes://logo", b"\x89PNG\r\n\x1a\n", mime_type="image/png")
pool = ThreadPoolExecutor(1)


@server.resource("notes://{id}", mime_type="text/markdown")
def note(id: str) -> str | None:
    return notes.get(id)


@server.resource("notes://slow")
def slow() -> Future[str]:
    return pool.submit(lambda: "answered by another thread")


@server.list(name="notes")
def listing(after: str | None, limit: int) -> wellhead.Page:
    ids = sorted(id for id in list(notes) if after is None or id > after)
    items = [wellhead.Resource(f"notes://{id}", name=id, key=id, mime_type="text/markdown") for id in ids[:limit]]
    return wellhead.Page(items, more=len(ids) > limit)


def edits(fifo: str) -> None:
    """Carries out what the lines of the FIFO say."""
    with open(os.open(fifo, os.O_RDWR)) as lines:  # for writing too: it does not end when a writer goes
        for line in lines:
            verb, _, rest = line.rstrip("\n").partition(" ")
            id, _, text = rest.partition(" ")
            if not id:
                continue
            if verb == "del":
                notes.pop(id, None)
            else:
                notes[id] = text
            try:
                server.notify_updated(f"notes://{id}")
            except wellhead.UsageError as e:
                print(f"notes: {e}", file=sys.stderr)
                continue
            if verb != "set":
                server.notify_resource_list_changed()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        Thread(target=edits, args=[sys.argv[1]], daemon=True).start()
    server.run()
