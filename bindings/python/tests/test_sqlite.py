"""The SQLite example, over stdio and against a real database."""

import json
import runpy
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from client import META, Json, Process, outcome, read, request

EXAMPLE = Path(__file__).parents[1] / "examples" / "sqlite.py"
PROGRAM = f"import runpy, sys; sys.argv[0] = 'sqlite.py'; runpy.run_path({str(EXAMPLE)!r}, run_name='__main__')"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as sql, sql:
        sql.execute("CREATE TABLE customer (name TEXT)")
        sql.execute('CREATE TABLE "odd/name" (value BLOB)')
        sql.executemany("INSERT INTO customer VALUES (?)", [(f"Customer {n}",) for n in range(150)])
        sql.execute("INSERT INTO \"odd/name\" VALUES (x'00ff')")
    return path


def text(answer: Json) -> Json:
    return outcome(json.dumps(answer).encode())


def send_request(process: Process, method: str, **params: Json) -> Json:
    process.send(request(1, method, **params))
    return process.receive()["result"]


def test_tables_schemas_and_rows_are_listed_page_by_page_and_read(database: Path) -> None:
    with Process(PROGRAM, str(database)) as process:
        listed: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            page = send_request(process, "resources/list", **cursor)
            listed += [resource["uri"] for resource in page["resources"]]
            if "nextCursor" not in page:
                break
            cursor = {"cursor": page["nextCursor"]}
        rows = [f"sqlite://rows/customer/{n}" for n in range(1, 151)]
        schemas = ["sqlite://schemas/customer", "sqlite://schemas/odd%2Fname"]
        assert listed == [*schemas, *rows, "sqlite://rows/odd%2Fname/1"]
        for uri, expected in {
            "sqlite://schemas/customer": "CREATE TABLE customer (name TEXT)",
            "sqlite://rows/customer/7": '{"name": "Customer 6"}',
            "sqlite://rows/odd%2Fname/1": '{"value": "00ff"}',
            "sqlite://rows/customer/151": "Resource not found",
            "sqlite://rows/nowhere/1": "Resource not found",
        }.items():
            process.send(read(uri))
            assert text(process.receive()) == expected
        ref = {"type": "ref/resource", "uri": "sqlite://rows/{table}/{rowid}"}
        proposed = send_request(process, "completion/complete", ref=ref, argument={"name": "table", "value": "c"})
        assert proposed["completion"]["values"] == ["customer"]
        assert process.end() == (0, "")


def test_a_subscriber_of_a_row_is_notified_when_another_program_changes_it(database: Path) -> None:
    uri = "sqlite://rows/customer/7"
    wanted = {"resourceSubscriptions": [uri], "resourcesListChanged": True}
    with Process(PROGRAM, str(database)) as process, closing(sqlite3.connect(database)) as sql:
        process.send(request("watch", "subscriptions/listen", notifications=wanted))
        assert process.receive()["method"] == "notifications/subscriptions/acknowledged"
        with sql:
            sql.execute("UPDATE customer SET name = 'Ada' WHERE rowid = 7")
        told = process.receive()
        assert (told["method"], told["params"]["uri"]) == ("notifications/resources/updated", uri)
        with sql:
            sql.execute("INSERT INTO customer VALUES ('Grace')")
        assert process.receive()["method"] == "notifications/resources/list_changed"
        cancelled = {"requestId": "watch", "_meta": META}
        message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}
        process.send(json.dumps(message).encode() + b"\n", read(uri))
        assert text(process.receive()) == '{"name": "Ada"}'
        assert process.end() == (0, "")


def test_a_row_is_watched_though_another_program_locks_the_database(
    database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    uri = "sqlite://rows/customer/7"
    example = runpy.run_path(str(EXAMPLE))
    over = threading.Event()
    with closing(example["connect"](str(database))) as own, closing(sqlite3.connect(database)) as other:
        own.execute("PRAGMA busy_timeout = 0")
        server = example["serve"](own)
        thread = example["watch"](server, own, str(database), over)
        try:
            other.execute("BEGIN EXCLUSIVE")
            client = server.test_client()
            client.subscribe(uri)
            assert "database is locked" in capsys.readouterr().err
            other.execute("UPDATE customer SET name = 'Ada' WHERE rowid = 7")
            other.commit()
            assert client.next_update() == uri
        finally:
            over.set()
            thread.join()
