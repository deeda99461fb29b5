"""Measures calls of a tool `add(a, b)` over stdio, whose arguments each server checks: tools.py [NAME...].

NAME stands in hosts.txt or rivals.txt; without names, all do. The servers answer in turn, several rounds long. Shown are
medians over the rounds: a call at a time (p50 in microseconds), calls of a burst a second, and the processor time of the
server for each of those. The last column has the ratio of the p50 to that of the first server in the same round.
"""

import json
import os
import shlex
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROUNDS, SECONDS = 5, 0.5
BURST = 200  # all of it, and all answers, fit into the pipes
TICKS = os.sysconf("SC_CLK_TCK")
START = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


def commands() -> dict[str, str]:
    lines = [line for name in ("hosts.txt", "rivals.txt") for line in (HERE / name).read_text().splitlines()]
    pairs = (line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
    return {name.strip(): command.strip().replace("{root}", str(HERE.parent)) for name, command in pairs}


class Server:
    """A server that runs, after its handshake."""

    def __init__(self, command: str) -> None:
        began = time.perf_counter()
        self.process = subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.send_request([self.message("initialize", START)])
        self.ready_ms = (time.perf_counter() - began) * 1e3
        self.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')

    def message(self, method: str, params: object) -> bytes:
        self.number += 1
        return json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}).encode() + b"\n"

    def call(self, a: object, b: object) -> bytes:
        return self.message("tools/call", {"name": "add", "arguments": {"a": a, "b": b}})

    def write(self, sent: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(sent)
        self.process.stdin.flush()

    def send_request(self, messages: list[bytes]) -> list[dict]:
        """Sends requests in one write, and returns their answers, which may come in any order."""
        assert self.process.stdout
        self.write(b"".join(messages))
        answers = []
        while len(answers) < len(messages):
            line = self.process.stdout.readline()
            assert line, "the server has ended"
            answers.append(line)
        parsed = [json.loads(line) for line in answers]
        assert all("id" in answer for answer in parsed)
        return parsed

    def one_at_a_time(self) -> float:
        times, end = [], time.perf_counter() + SECONDS
        while time.perf_counter() < end:
            sent = self.call(self.number, 1)
            began = time.perf_counter()
            self.write(sent)
            answer = self.process.stdout.readline()
            times.append(time.perf_counter() - began)
            check(json.loads(answer))
        return statistics.median(times) * 1e6

    def bursts(self) -> tuple[float, float]:
        took, used, calls, end = 0.0, self.cpu(), 0, time.perf_counter() + SECONDS
        while time.perf_counter() < end:
            sent = [self.call(self.number, 1) for _ in range(BURST)]
            began = time.perf_counter()
            answers = self.send_request(sent)
            took += time.perf_counter() - began
            calls += BURST
            for answer in answers:
                check(answer)
        return calls / took, (self.cpu() - used) / calls * 1e6

    def cpu(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def end(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(10)


def check(answer: dict) -> None:
    """The first number of a call is one less than its id."""
    text = answer["result"]["content"][0]["text"]
    assert int(text) == answer["id"], answer


def main() -> None:
    known = commands()
    names = sys.argv[1:] or list(known)
    servers = {name: Server(known[name]) for name in names}
    for name, server in servers.items():
        refused = server.send_request([server.call("one", 2)])[0]
        assert "error" in refused or refused["result"].get("isError"), f"{name} does not check arguments: {refused}"
    figures: dict[str, list[tuple[float, float, float]]] = {name: [] for name in names}
    for _ in range(ROUNDS):
        for name, server in servers.items():
            figures[name].append((server.one_at_a_time(), *server.bursts()))
    print(f"{'server':<14} {'p50 us':>8} {'calls/s':>9} {'CPU us':>8} {'p50, ratio':>11}")
    for name, rounds in figures.items():
        one, many, cpu = (statistics.median(column) for column in zip(*rounds, strict=True))
        ratio = statistics.median(mine[0] / first[0] for mine, first in zip(rounds, figures[names[0]], strict=True))
        print(f"{name:<14} {one:>8.1f} {many:>9.0f} {cpu:>8.2f} {ratio:>10.2f}x")
    for server in servers.values():
        server.end()


if __name__ == "__main__":
    main()
