"""A client over HTTP for the benchmarks: plain sockets, and the host that it asks."""

import contextlib
import glob
import json
import resource
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
STATELESS, HANDSHAKE = "2026-07-28", "2025-11-25"
WATCHED = "bench://item/0"
META = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def http(method: str, message: object, **headers: str) -> bytes:
    body = b"" if message is None else json.dumps(message).encode()
    fields = {"Host": "127.0.0.1", "Accept": "application/json, text/event-stream", "Content-Length": str(len(body))}
    if body:
        fields["Content-Type"] = "application/json"
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{method} /mcp HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
    return "\r\n".join(lines).encode() + body


def request(method: str, params: object, number: int = 1) -> object:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def stateless(method: str, name: str | None, params: dict[str, object]) -> bytes:
    named = {"Mcp_Name": name} if name else {}
    message = request(method, params | {"_meta": META})
    return http("POST", message, MCP_Protocol_Version=STATELESS, Mcp_Method=method, **named)


LISTEN = stateless("subscriptions/listen", None, {"notifications": {"resourceSubscriptions": [WATCHED]}})


class Client:
    """One connection."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))

    def send_request(self, sent: bytes, until: bytes) -> bytes:
        self.socket.sendall(sent)
        return self.read(until)

    def read(self, until: bytes) -> bytes:
        got = b""
        while until not in got:
            more = self.socket.recv(65536)
            if not more or got.startswith(b"HTTP/1.1 4") or got.startswith(b"HTTP/1.1 5"):
                sys.exit(f"expected {until!r}, got {got + more!r}")
            got += more
        return got


def begin_session(client: Client) -> dict[str, str]:
    info = {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": {"name": "streams", "version": "1"}}
    answer = client.send_request(http("POST", request("initialize", info)), b'"serverInfo"')
    session = next(line for line in answer.decode().splitlines() if line.lower().startswith("mcp-session-id:"))
    headers = {"Mcp_Session_Id": session.split(":", 1)[1].strip(), "MCP_Protocol_Version": HANDSHAKE}
    client.send_request(http("POST", {"jsonrpc": "2.0", "method": "notifications/initialized"}, **headers), b" 202 ")
    client.send_request(http("POST", request("resources/subscribe", {"uri": WATCHED}, 2), **headers), b'"result":{}')
    return headers


def cpu_ms(pid: int) -> float:
    """Processor time of the threads that are alive, which the scheduler counts in nanoseconds."""
    return sum(int(Path(task).read_text().split()[0]) for task in glob.glob(f"/proc/{pid}/task/*/schedstat")) / 1e6


def first_client(port: int) -> Client:
    """The first, when the host listens."""
    for _ in range(200):
        with contextlib.suppress(ConnectionRefusedError):
            return Client(port)
        time.sleep(0.05)
    sys.exit(f"no server listens on port {port}")


@contextlib.contextmanager
def host(name: str) -> Iterator[tuple[int, int]]:
    """Starts a host of hosts_http.txt: the number of its process, and its port."""
    lines = (HERE / "hosts_http.txt").read_text().splitlines()
    named = (line.split("=", 1) for line in lines if line and not line.startswith("#"))
    hosts = {name.strip(): command.strip() for name, command in named}
    if name not in hosts:
        sys.exit(f"{name} is not in hosts_http.txt: {', '.join(hosts)}")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = hosts[name].format(root=HERE.parent).replace("PORT", str(port))
    process = subprocess.Popen(shlex.split(command))
    try:
        yield process.pid, port
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def allow_descriptors(need: int) -> None:
    """Raises the limit for this process and the hosts that it starts."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < need:
        sys.exit(f"{need} descriptors are needed, and {hard} allowed: raise `ulimit -Hn`, or open fewer")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, need), hard))
