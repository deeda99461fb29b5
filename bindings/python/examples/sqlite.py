"""A SQLite database as resources: its tables, their schemas and their rows.

`sqlite.py DATABASE` serves it over stdio. Subscribers of a row are notified when another program commits a change.
"""

import json
import sqlite3
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import wellhead

LOOK = 0.2  # seconds between two looks for commits
ROW = "sqlite://rows/{table}/{rowid}"
SCHEMA = "sqlite://schemas/{table}"


def serve(database: sqlite3.Connection) -> wellhead.Server:
    """The server. Its callbacks run on the thread of `run`, which is the one that the connection belongs to."""
    server = wellhead.Server("sqlite", "1.0.0", instructions="Read the schema of a table before its rows.")

    def proposed(typed: str) -> list[str]:
        return [table for table in tables(database) if table.startswith(typed)]

    @server.resource(SCHEMA, mime_type="application/sql", complete={"table": proposed})
    def schema(table: str) -> str | None:
        """The SQL that made a table."""
        return tables(database).get(table)

    @server.resource(ROW, mime_type="application/json", complete={"table": proposed})
    def row(table: str, rowid: int) -> str | None:
        """A row as a JSON object."""
        return contents(database, table, rowid)

    @server.list(name="schemas")
    def schemas(after: str | None, limit: int) -> wellhead.Page:
        names = [table for table in tables(database) if after is None or table > after]
        items = [
            wellhead.Resource(uri(SCHEMA, table), key=table, name=table, mime_type="application/sql")
            for table in names[:limit]
        ]
        return wellhead.Page(items, more=len(names) > limit)

    @server.list(name="rows")
    def rows(after: str | None, limit: int) -> wellhead.Page:
        found = list(rows_behind(database, after, limit + 1))
        items = [
            wellhead.Resource(uri(ROW, table, rowid), key=f"{rowid} {table}", name=f"{table} {rowid}")
            for table, rowid in found[:limit]
        ]
        return wellhead.Page(items, more=len(found) > limit)

    return server


def watch(server: wellhead.Server, database: sqlite3.Connection, path: str, over: threading.Event) -> threading.Thread:
    """A thread that looks for what others commit, until `over` is set."""
    watched: dict[str, str | None] = {}
    looking = threading.Lock()

    @server.on_interest
    def interest(uri: str, wanted: bool) -> None:
        with looking:
            if not wanted:
                watched.pop(uri, None)
                return
            try:
                watched[uri] = read(database, uri)
            except sqlite3.OperationalError as e:  # such as a lock that another program holds for long
                print(f"sqlite: {e}", file=sys.stderr)
                watched[uri] = None  # so the look after the next commit notifies the subscribers

    def look(listed: list[tuple[object, ...]]) -> None:
        with closing(connect(path)) as own:
            version = -1  # the first look is at everything
            while not over.wait(LOOK):
                try:
                    if version == (version := committed(own)):
                        continue
                    if listed != (listed := sizes(own)):
                        server.notify_resource_list_changed()
                    with looking:
                        now = {uri: read(own, uri) for uri in watched}
                        changed = [uri for uri in now if now[uri] != watched[uri]]
                        watched.update(now)
                except sqlite3.OperationalError as e:  # such as a lock that another program holds for long
                    print(f"sqlite: {e}", file=sys.stderr)
                    version = -1  # the next look is at everything, too
                    continue
                for uri in changed:
                    server.notify_updated(uri)

    thread = threading.Thread(target=look, args=[sizes(database)])
    thread.start()
    return thread


def connect(path: str) -> sqlite3.Connection:
    database = sqlite3.connect(Path(path).absolute().as_uri() + "?mode=ro", uri=True)
    database.row_factory = sqlite3.Row
    return database


def tables(database: sqlite3.Connection) -> dict[str, str]:
    """The SQL of each table that has row ids, by name."""
    found = database.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    return {name: sql for name, sql in found if not name.startswith("sqlite_") and "WITHOUT ROWID" not in sql.upper()}


def contents(database: sqlite3.Connection, table: str, rowid: int) -> str | None:
    if table not in tables(database):
        return None
    found = database.execute(f"SELECT * FROM {quoted(table)} WHERE rowid = ?", [rowid]).fetchone()
    return None if found is None else json.dumps(dict(found), default=bytes.hex, ensure_ascii=False)


def read(database: sqlite3.Connection, uri: str) -> str | None:
    """The table and the key of a row's URI; nothing for the URI of a schema."""
    kind, _, path = uri.removeprefix("sqlite://").partition("/")
    table, _, rowid = path.rpartition("/")
    names = {wellhead.expand("{table}", {"table": name}): name for name in tables(database)}
    return contents(database, names[table], int(rowid)) if kind == "rows" and table in names else None


def rows_behind(database: sqlite3.Connection, after: str | None, limit: int) -> Iterator[tuple[str, int]]:
    """At most `limit` rows behind that of a key, table by table."""
    rowid, _, table = ("", "", "") if after is None else after.partition(" ")
    for name in tables(database):
        if name < table:
            continue
        least = int(rowid) + 1 if name == table else -(1 << 63)
        select = f"SELECT rowid FROM {quoted(name)} WHERE rowid >= ? ORDER BY rowid LIMIT ?"
        for (found,) in database.execute(select, [least, limit]).fetchall():
            yield name, found
            limit -= 1


def sizes(database: sqlite3.Connection) -> list[tuple[object, ...]]:
    """A value that changes when rows come and go."""
    select = "SELECT count(*), min(rowid), max(rowid) FROM"
    return [(name, *database.execute(f"{select} {quoted(name)}").fetchone()) for name in tables(database)]


def committed(database: sqlite3.Connection) -> int:
    """A number that changes whenever another program has committed."""
    number: int = database.execute("PRAGMA data_version").fetchone()[0]
    return number


def uri(template: str, table: str, rowid: int = 0) -> str:
    return wellhead.expand(template, {"table": table, "rowid": str(rowid)})


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


if __name__ == "__main__":
    with closing(connect(sys.argv[1])) as database:
        server = serve(database)
        over = threading.Event()
        thread = watch(server, database, sys.argv[1], over)
        try:
            server.run()
        finally:
            over.set()
            thread.join()
