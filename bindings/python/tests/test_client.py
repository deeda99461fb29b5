"""The client in memory, as a program's own tests use it."""

import threading

import pytest
import wellhead


def test_it_lists_and_reads() -> None:
    server = wellhead.Server("s", "1", limits=wellhead.Limits(page_items=2))
    for n in range(5):
        server.text(f"n:{n}", f"text {n}", title=f"Note {n}")
    server.blob("n:bytes", b"\0\xff")
    with server.test_client() as client:
        listed = client.list()
        assert [resource.uri for resource in listed] == [*(f"n:{n}" for n in range(5)), "n:bytes"]
        assert listed[1].title == "Note 1"
        assert client.read("n:3") == "text 3"
        assert client.read("n:bytes") == b"\0\xff"
        with pytest.raises(wellhead.Error, match="not found"):
            client.read("n:9")


def test_it_is_told_of_changes_from_any_thread() -> None:
    server = wellhead.Server("s", "1")
    handle = server.text("n:1", "one")
    with server.test_client() as client:
        client.subscribe("n:1")
        thread = threading.Thread(target=handle.set, args=["two"])
        thread.start()
        assert client.next_update() == "n:1"
        thread.join()
        assert client.list_changes() == 0
        server.text("n:2", "new")
        assert client.list_changes() == 1
        with pytest.raises(wellhead.LimitError, match="0 s"):
            client.next_update(timeout=0)
