#!/usr/bin/env python3
"""Measures memory and processor time of idle listen streams, also while one change is sent to all.

    streams.py [--streams N] [--sessions] [--idle SECONDS] [NAME...]

NAMEs are those of hosts_http.txt; `rust` by default. Each stream is a connection of its own, a plain socket. With
--sessions they are the GET streams of sessions of 2025-11-25 that subscribed, without it `subscriptions/listen` of
2026-07-28.
"""

import argparse
import contextlib
import select
import socket
import sys
import time
from pathlib import Path

from client import LISTEN, WATCHED, Client, allow_descriptors, begin_session, cpu_ms, first_client, host, http, stateless

COMMENT = b":\n\n"  # what keeps a silent stream alive
AT_ONCE = 200  # clients that come together: fewer than a listener's queue holds
KIB_A_STREAM = 40  # what is asked for


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


def comments(clients: list[Client]) -> int:
    """Returns how many comments have come and are not read yet; nothing else has come."""
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
    asker.socket.sendall(stateless("resources/read", "bench://touch/1", {"uri": "bench://touch/1"}))
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


def measure(name: str, options: argparse.Namespace) -> None:
    with host(name) as (pid, port):
        first_client(port).send_request(stateless("resources/read", WATCHED, {"uri": WATCHED}), b"item 0: ")
        before, cpu = rss_kib(pid), cpu_ms(pid)
        clients = open_streams(port, options.streams, options.sessions)
        opened, after = cpu_ms(pid) - cpu, rss_kib(pid)
        time.sleep(1)  # what opening them left to do
        comments(clients)
        cpu = cpu_ms(pid)
        time.sleep(options.idle)
        idle, came = (cpu_ms(pid) - cpu) / options.idle, comments(clients)
        cpu = cpu_ms(pid)
        took = tell_all(port, clients)
        told, told_rss = cpu_ms(pid) - cpu, rss_kib(pid)
        each, us = (after - before) / options.streams, 1e3 / options.streams
        print(f"{name}: {options.streams} streams")
        print(f"  memory      {each:8.1f} KiB each; asked for: under {KIB_A_STREAM}")
        print(f"              {before} KiB before, {after} after, {told_rss} after a change")
        print(f"  opening     {opened * us:8.1f} us of processor each")
        print(f"  idle        {idle:8.2f} ms of processor a second; asked for: none but for comments, each 15 s")
        each = idle * options.idle * 1e3 / max(came, 1)
        print(f"              {came} comments in {options.idle:.0f} s, {each:.1f} us each")
        print(f"  one change  {told * us:8.1f} us of processor each, {took:.0f} ms until all were told", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--streams", type=int, default=10_000)
    parser.add_argument("--sessions", action="store_true", help="streams of sessions")
    parser.add_argument("--idle", type=float, default=10, help="seconds of watching idle streams")
    parser.add_argument("names", nargs="*", default=["rust"])
    options = parser.parse_args()
    allow_descriptors(options.streams + 200)
    for name in options.names:
        measure(name, options)


if __name__ == "__main__":
    main()
