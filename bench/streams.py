#!/usr/bin/env python3
"""What idle listen streams cost a host: memory, and processor time, also that of one change told to all.

    streams.py [--streams N] [--sessions] [--idle SECONDS] [NAME...]

NAMEs are those of hosts_http.txt; `rust` by default. Each stream is a connection of its own, a plain socket. With
--sessions they are the GET streams of sessions of 2025-11-25 that subscribed, without it `subscriptions/listen` of
2026-07-28.
"""

import argparse
import contextlib
import glob
import json
import resource
import select
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODERN, HANDSHAKE = "2026-07-28", "2025-11-25"
WATCHED = "bench://item/0"
COMMENT = b":\n\n"  # what keeps a silent stream alive
AT_ONCE = 200  # clients that come together: fewer than a listener's queue holds
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "streams", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
KIB_A_STREAM = 40  # what is asked for


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


def modern(method: str, name: str | None, params: dict[str, object]) -> bytes:
    named = {"Mcp_Name": name} if name else {}
    message = request(method, params | {"_meta": META})
    return http("POST", message, MCP_Protocol_Version=MODERN, Mcp_Method=method, **named)


LISTEN = modern("subscriptions/listen", None, {"notifications": {"resourceSubscriptions": [WATCHED]}})


class Client:
    """One connection."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))

    def ask(self, sent: bytes, until: bytes) -> bytes:
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
    answer = client.ask(http("POST", request("initialize", info)), b'"serverInfo"')
    session = next(line for line in answer.decode().splitlines() if line.lower().startswith("mcp-session-id:"))
    headers = {"Mcp_Session_Id": session.split(":", 1)[1].strip(), "MCP_Protocol_Version": HANDSHAKE}
    client.ask(http("POST", {"jsonrpc": "2.0", "method": "notifications/initialized"}, **headers), b" 202 ")
    client.ask(http("POST", request("resources/subscribe", {"uri": WATCHED}, 2), **headers), b'"result":{}')
    return headers


def open_streams(port: int, streams: int, sessions: bool) -> list[Client]:
    clients: list[Client] = []
    while len(clients) < streams:
        some = [Client(port) for _ in range(min(AT_ONCE, streams - len(clients)))]
        for client in some:
            if sessions:
                client.socket.sendall(http("GET", None, **begin_session(client)))
            else:
                client.socket.sendall(LISTEN)
        for client in some:
            client.read(b"data:")  # the acknowledgement, or the priming event
        clients += some
    return clients


def rss_kib(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])


def cpu_ms(pid: int) -> float:
    """Processor time of the threads that are alive, which the scheduler counts in nanoseconds."""
    return sum(int(Path(task).read_text().split()[0]) for task in glob.glob(f"/proc/{pid}/task/*/schedstat")) / 1e6


def comments(clients: list[Client]) -> int:
    """How many comments came that nobody has read yet; nothing else has."""
    came = b""
    for client in clients:
        with contextlib.suppress(BlockingIOError):
            came += client.socket.recv(4096, socket.MSG_DONTWAIT)
    return came.count(COMMENT)


def tell_all(port: int, clients: list[Client]) -> float:
    """Milliseconds until every client has its notification of one change."""
    poll, waiting = select.epoll(), {}
    for client in clients:
        poll.register(client.socket, select.EPOLLIN)
        waiting[client.socket.fileno()] = b""
    asker, sockets = Client(port), {client.socket.fileno(): client.socket for client in clients}
    began = time.perf_counter()
    asker.socket.sendall(modern("resources/read", "bench://touch/1", {"uri": "bench://touch/1"}))
    while waiting:
        ready = poll.poll(60)
        if not ready:
            sys.exit(f"{len(waiting)} streams were not told")
        for fd, _ in ready:
            waiting[fd] += sockets[fd].recv(65536)
            if b"resources/updated" in waiting[fd]:
                poll.unregister(fd)
                del waiting[fd]
    took = (time.perf_counter() - began) * 1e3
    asker.read(b"touched 1")
    return took


def measure(name: str, command: str, options: argparse.Namespace) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    host = subprocess.Popen(shlex.split(command.format(root=HERE.parent).replace("PORT", str(port))))
    try:
        for _ in range(200):
            try:
                first = Client(port)
                break
            except ConnectionRefusedError:
                time.sleep(0.05)
        else:
            sys.exit(f"{name} does not listen")
        first.ask(modern("resources/read", WATCHED, {"uri": WATCHED}), b"item 0: ")
        before, cpu = rss_kib(host.pid), cpu_ms(host.pid)
        clients = open_streams(port, options.streams, options.sessions)
        opened, after = cpu_ms(host.pid) - cpu, rss_kib(host.pid)
        time.sleep(1)  # what opening them left to do
        comments(clients)
        cpu = cpu_ms(host.pid)
        time.sleep(options.idle)
        idle, came = (cpu_ms(host.pid) - cpu) / options.idle, comments(clients)
        cpu = cpu_ms(host.pid)
        took = tell_all(port, clients)
        told, told_rss = cpu_ms(host.pid) - cpu, rss_kib(host.pid)
        each, us = (after - before) / options.streams, 1e3 / options.streams
        print(f"{name}: {options.streams} streams")
        print(f"  memory      {each:8.1f} KiB each; asked for: under {KIB_A_STREAM}")
        print(f"              {before} KiB before, {after} after, {told_rss} after a change")
        print(f"  opening     {opened * us:8.1f} us of processor each")
        print(f"  idle        {idle:8.2f} ms of processor a second; asked for: none but for comments, each 15 s")
        each = idle * options.idle * 1e3 / max(came, 1)
        print(f"              {came} comments in {options.idle:.0f} s, {each:.1f} us each")
        print(f"  one change  {told * us:8.1f} us of processor each, {took:.0f} ms until all were told", flush=True)
    finally:
        host.send_signal(signal.SIGKILL)
        host.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, default=10_000)
    parser.add_argument("--sessions", action="store_true", help="streams of sessions")
    parser.add_argument("--idle", type=float, default=10, help="seconds of watching idle streams")
    parser.add_argument("names", nargs="*", default=["rust"])
    options = parser.parse_args()
    need = options.streams + 200
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < need:
        sys.exit(f"{need} descriptors are needed, and {hard} allowed: raise `ulimit -Hn`, or give fewer --streams")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, need), hard))  # the host inherits it
    lines = (HERE / "hosts_http.txt").read_text().splitlines()
    named = (line.split("=", 1) for line in lines if line and not line.startswith("#"))
    hosts = {name.strip(): command.strip() for name, command in named}
    for name in options.names:
        if name not in hosts:
            sys.exit(f"{name} is not in hosts_http.txt: {', '.join(hosts)}")
        measure(name, hosts[name], options)


if __name__ == "__main__":
    main()
