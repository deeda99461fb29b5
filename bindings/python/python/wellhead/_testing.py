"""A client in memory, for a program's tests; imported only then."""

from __future__ import annotations

import base64
import json
import threading

from wellhead import _core
from wellhead._errors import Error, LimitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

    from typing_extensions import Self


class TestClient:
    """Asks a server as a client of its newest revision with a handshake does. Callbacks run on the thread that asks;
    what an `async def` answers needs a loop, and `Connection.handle_async` instead.

    One thread at a time. What the server refuses is raised as `Error`, with the message that the client sees.
    """

    __test__ = False  # for pytest, which collects classes that are named so

    def __init__(self, server: _core.Server) -> None:
        self._woken = threading.Event()
        self._connection = server.connect(self._woken.set)
        self._number = 0
        self._updates: list[str] = []
        self._list_changes = 0
        client = {"name": "wellhead", "version": "0"}
        self.request("initialize", {"protocolVersion": "latest", "capabilities": {}, "clientInfo": client})
        self._connection.handle('{"jsonrpc":"2.0","method":"notifications/initialized"}')

    def list(self) -> list[_core.Resource]:
        """All resources, of all pages."""
        found: list[_core.Resource] = []
        params: dict[str, Any] = {}
        while True:
            page = self.request("resources/list", params)
            found += [resource(item) for item in page["resources"]]
            if "nextCursor" not in page:
                return found
            params = {"cursor": page["nextCursor"]}

    def read(self, uri: str) -> str | bytes:
        """The text or bytes of a resource; of several contents, the first."""
        contents = self.request("resources/read", {"uri": uri})["contents"]
        first = contents[0]
        text: str | None = first.get("text")
        return base64.b64decode(first["blob"]) if text is None else text

    def subscribe(self, uri: str) -> None:
        """From now on `next_update` tells of changes of this resource."""
        self.request("resources/subscribe", {"uri": uri})

    def next_update(self, timeout: float = 5.0) -> str:
        """The URI of the next change, waited for as long as that many seconds.

        Raises:
            LimitError: None came.
        """
        self._pump()
        while not self._updates:
            if not self._woken.wait(timeout):
                raise LimitError(f"no update came within {timeout} s", "limit")
            self._woken.clear()
            self._pump()
        return self._updates.pop(0)

    def list_changes(self) -> int:
        """How many times the list of resources changed since this was asked last."""
        self._pump()
        count, self._list_changes = self._list_changes, 0
        return count

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Any request, and its result."""
        self._number += 1
        message = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        answer = json.loads(self._connection.handle(json.dumps(message)) or b"{}")
        if "error" in answer:
            raise Error(f"{answer['error']['message']} ({answer['error']['code']})")
        result: dict[str, Any] = answer["result"]
        return result

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, t: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None, /) -> None:
        self.close()

    def _pump(self) -> None:
        while self._connection.poll_event():
            pass
        output = b""
        while piece := self._connection.poll_transmit():
            output += piece
        for line in output.splitlines():
            message = json.loads(line)
            if message.get("method") == "notifications/resources/updated":
                self._updates.append(message["params"]["uri"])
            elif message.get("method") == "notifications/resources/list_changed":
                self._list_changes += 1


def resource(item: dict[str, Any]) -> _core.Resource:
    names = {"name": "name", "title": "title", "description": "description", "mimeType": "mime_type", "size": "size"}
    return _core.Resource(item["uri"], **{word: item[name] for name, word in names.items() if name in item})


TestClient.__module__ = "wellhead"
