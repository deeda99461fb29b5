#!/usr/bin/env python3
"""Measures the processor time of a read over HTTP while more and more is open in the host: it shall not grow.

    growth.py [--open N] [--reads N] [NAME...]

NAMEs are those of hosts_http.txt; `rust` by default. One client reads one kilobyte after another on a connection that stays.
Everything else that is open has a connection of its own, a plain socket, unless its client has gone, and is silent meanwhile.
"""

import argparse
import itertools
import os
from collections.abc import Callable

from client import LISTEN, Client, allow_descriptors, begin_session, cpu_ms, first_client, host, http, request, stateless

SLOW = "bench://slow/600000"  # not answered while this runs
ROUNDS = 6  # by turns; the first warms up, and the best of the others counts
AT_ONCE = 100  # clients that come together: fewer than a listener's queue holds


class World:
    """A host, a client that reads from it, and everything else that is open."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.reader = first_client(port)
        self.session = begin_session(self.reader)
        self.open: list[Client] = []
        self.ids = itertools.count(10)

    def client(self) -> Client:
        client = Client(self.port)
        self.open.append(client)
        return client

    def read(self, uri: str, session: dict[str, str] | None) -> bytes:
        if session is None:
            return stateless("resources/read", uri, {"uri": uri})
        return http("POST", request("resources/read", {"uri": uri}, next(self.ids)), **session)


def connection(world: World) -> None:
    world.client().send_request(world.read("bench://item/1", None), b"item 1: ")


def call(world: World) -> None:
    world.client().socket.sendall(world.read(SLOW, None))


def stream(world: World) -> None:
    world.client().send_request(LISTEN, b"data:")


def session(world: World) -> None:
    client = world.client()
    client.send_request(http("GET", None, **begin_session(client)), b"data:")


def call_in_session(world: World) -> None:
    world.client().socket.sendall(world.read(SLOW, world.session))


def left_call(world: World) -> None:
    call_in_session(world)
    world.open.pop().socket.close()


def left_session(world: World) -> None:
    client = world.client()
    client.socket.sendall(world.read(SLOW, begin_session(client)))
    world.open.pop().socket.close()


# What is open, how one more is opened, and whether the reads are those of a session.
BESIDE: list[tuple[str, Callable[[World], None], bool]] = [
    ("connections", connection, False),
    ("calls", call, False),
    ("listen streams", stream, False),
    ("other sessions, each with its stream", session, True),
    ("calls in the same session", call_in_session, True),
    ("calls in the same session, their clients gone", left_call, True),
    ("other sessions, each with such a call", left_session, True),
]


def cost(pid: int, world: World, in_session: bool, reads: int) -> float:
    """Microseconds of processor time that a read takes."""
    before = cpu_ms(pid)
    for n in range(reads):
        uri = f"bench://item/{n % 1000}"
        world.reader.send_request(world.read(uri, world.session if in_session else None), f"item {n % 1000}: ".encode())
    return (cpu_ms(pid) - before) * 1e3 / reads


def measure(name: str, options: argparse.Namespace) -> None:
    print(f"{name}: us of processor for a read, with nothing open beside it and with {options.open}")
    for what, open_one, in_session in BESIDE:
        with host(name) as (pid, port), host(name) as (other_pid, other_port):
            alone, beside = World(port), World(other_port)
            for n in range(options.open):
                open_one(beside)
                if n % AT_ONCE == 0:
                    cost(other_pid, beside, in_session, 1)  # those are there
            rounds = [
                (cost(pid, alone, in_session, options.reads), cost(other_pid, beside, in_session, options.reads))
                for _ in range(ROUNDS)
            ]
            without, with_them = (min(times) for times in zip(*rounds[1:], strict=True))  # the hosts are warm
            print(f"  {without:6.1f} {with_them:6.1f}  x {with_them / without:.2f}  {what}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--open", type=int, default=1_000, help="fewer than the host's calls_in_flight")
    parser.add_argument("--reads", type=int, default=1_000, help="in each round")
    parser.add_argument("names", nargs="*", default=["rust"])
    options = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # waking an idle processor costs more than a read, or does not
    allow_descriptors(options.open + 200)
    for name in options.names:
        measure(name, options)


if __name__ == "__main__":
    main()
