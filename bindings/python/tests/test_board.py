"""The example examples/http, under uvicorn."""

import http.client
from pathlib import Path

from http_client import Client, served

PROGRAM = """
import socket
import sys
import uvicorn
sys.path.insert(0, sys.argv[1])
from board import app
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen()
print(listener.getsockname()[1], flush=True)
config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
uvicorn.Server(config).run(sockets=[listener])
"""


def web(client: Client, method: str, path: str, body: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=30)
    connection.request(method, path, body)
    status = connection.getresponse().status
    connection.close()
    return status


def test_a_change_over_the_web_api_reaches_mcp_clients() -> None:
    folder = Path(__file__).parents[1] / "examples" / "http"
    with served(PROGRAM, str(folder)) as (_, client):
        assert [web(client, "POST", "/tasks", text) for text in ("Water", "Weed", "Rest")] == [201] * 3
        listed = client.send_request("resources/list").json()["result"]["resources"]
        assert [(item["uri"], item["name"]) for item in listed] == [
            ("board://tasks/1", "Water"),
            ("board://tasks/2", "Weed"),
            ("board://tasks/3", "Rest"),
        ]
        with client.listen("board://tasks/2") as stream:
            assert web(client, "PUT", "/tasks/2", "Weed and mow") == 204
            assert stream.event()["params"]["uri"] == "board://tasks/2"
        assert client.read("board://tasks/2") == "Weed and mow"
        assert client.read("board://tasks/9") == "Resource not found"
        assert web(client, "PUT", "/tasks/9", "") == 404
