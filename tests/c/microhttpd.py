"""Asks the example on libmicrohttpd, given as a command: its page, a JSON answer, one that becomes a stream, a listen stream,
and its end."""

import http.client
import json
import signal
import subprocess
import sys
from urllib.parse import urlsplit

REVISION = "2026-07-28"


def main(command: str) -> None:
    with subprocess.Popen([command], stdout=subprocess.PIPE, text=True) as program:
        try:
            host = urlsplit(program.stdout.readline().strip()).netloc
            ask(host)
            stream = post(host, "subscriptions/listen", {"notifications": {"resourceSubscriptions": ["uptime://seconds"]}})
            assert next_event(stream)["method"] == "notifications/subscriptions/acknowledged"
            assert next_event(stream)["params"]["uri"] == "uptime://seconds"
            program.send_signal(signal.SIGTERM)
            *updates, last = iter(lambda: next_event(stream), None)
            assert "result" in last, last
            assert all(event["method"] == "notifications/resources/updated" for event in updates), updates
            assert program.wait(60) == 0, program.returncode
        finally:
            program.kill()
    print("the example on libmicrohttpd answers, streams, updates and ends")


def ask(host: str) -> None:
    connection = http.client.HTTPConnection(host, timeout=60)
    connection.request("GET", "/")
    assert b"/mcp" in connection.getresponse().read()
    plain = post(host, "resources/read", {"uri": "primes://below/100"})
    assert plain.headers["content-type"] == "application/json", plain.headers
    assert json.loads(plain.read())["result"]["contents"][0]["text"] == "25"
    told = post(host, "resources/read", {"uri": "primes://below/1000", "_meta": {"progressToken": "t"}})
    assert told.status == 200 and told.headers["content-type"] == "text/event-stream", told.headers
    events = list(iter(lambda: next_event(told), None))
    assert [event["method"] for event in events[:-1]] == ["notifications/progress"] * (len(events) - 1), events
    assert len(events) > 1 and events[-1]["result"]["contents"][0]["text"] == "168", events
    missing = post(host, "resources/read", {"uri": "primes://below/0"})
    assert "error" in json.loads(missing.read())
    connection.request("PUT", "/mcp")
    assert connection.getresponse().status == 405


def post(host: str, method: str, params: dict) -> http.client.HTTPResponse:
    own = {"io.modelcontextprotocol/protocolVersion": REVISION, "io.modelcontextprotocol/clientCapabilities": {}}
    params = {**params, "_meta": {**own, **params.get("_meta", {})}}
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
               "MCP-Protocol-Version": REVISION, "Mcp-Method": method}
    if "uri" in params:
        headers["Mcp-Name"] = params["uri"]
    connection = http.client.HTTPConnection(host, timeout=60)
    connection.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}), headers)
    return connection.getresponse()


def next_event(stream: http.client.HTTPResponse) -> dict | None:
    """The data of the next event; None: the stream is over."""
    while line := stream.readline():
        if line.startswith(b"data:") and line[5:].strip():
            return json.loads(line[5:])
    return None


if __name__ == "__main__":
    main(sys.argv[1])
