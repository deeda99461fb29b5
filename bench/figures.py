"""Measures the figures of README over stdio, next to other SDKs, and prints its table: figures.py [NAME...].

NAME stands in hosts.txt or rivals.txt; without names, those of README do. The servers are asked in turn, several rounds long. Shown are
medians over the rounds. A server is ready with its answer of `initialize`, and its memory is that after it. The median read is one of 1 KiB
at a time; the processor time is that of a read while many are in flight. Every answer is checked in full, outside of the time.
"""

import json
import os
import statistics
import sys
import time

from tools import BURST, Server, commands

ROWS = {
    "rust": "Wellhead in Rust",
    "c": "Wellhead in C",
    "node": "Wellhead in Node",
    "python": "Wellhead in Python",
    "rmcp": "rmcp (Rust)",
    "typescript": "TypeScript SDK (Node)",
    "fastmcp": "fastmcp (Python)",
}
ITEMS = 1000
ROUNDS, SECONDS = 3, 1
WARM_UP = 3  # seconds of reads before those that count, in which Node compiles what runs often
SENTENCE = "The quick brown fox jumps over the lazy dog. "


class Reader(Server):
    """A server that is asked for items."""

    def read(self) -> tuple[bytes, int]:
        item = self.number % ITEMS
        return self.message("resources/read", {"uri": f"bench://item/{item}"}), item

    def one_read_at_a_time(self) -> float:
        times, end = [], time.perf_counter() + SECONDS
        while time.perf_counter() < end:
            sent, item = self.read()
            began = time.perf_counter()
            self.write(sent)
            answer = self.process.stdout.readline()
            times.append(time.perf_counter() - began)
            check(json.loads(answer), item)
        return statistics.median(times) * 1e6

    def processor_time(self, seconds: float = SECONDS) -> float:
        """Returns microseconds a read, of bursts."""
        used, reads, end = self.cpu(), 0, time.perf_counter() + seconds
        while time.perf_counter() < end:
            answers = self.send_request([self.read()[0] for _ in range(BURST)])
            reads += BURST
            for answer in answers:
                check(answer, (answer["id"] - 1) % ITEMS)
        return (self.cpu() - used) / reads * 1e6

    def memory(self) -> float:
        """Returns MB."""
        with open(f"/proc/{self.process.pid}/status") as status:
            [kilobytes] = [line.split()[1] for line in status if line.startswith("VmRSS")]
        return int(kilobytes) / 1024


def check(answer: dict, item: int) -> None:
    [contents] = answer["result"]["contents"]
    assert contents["uri"] == f"bench://item/{item}", answer
    assert contents["text"] == f"item {item}: {SENTENCE * 23}"[:1024], answer


def rounded(value: float) -> str:
    return f"{value:,.0f}" if value >= 20 else f"{value:.2g}"


def main() -> None:
    known = commands()
    names = sys.argv[1:] or list(ROWS)
    figures: dict[str, list[tuple[float, ...]]] = {name: [] for name in names}
    for _ in range(ROUNDS):
        for name in names:
            server = Reader(known[name])
            idle = server.memory()
            server.processor_time(WARM_UP)
            figures[name].append((server.ready_ms, idle, server.one_read_at_a_time(), server.processor_time()))
            server.end()
    print(f"load {os.getloadavg()[0]:.2f}, {ROUNDS} rounds\n")
    print("| server | ready after, ms | memory, MB | read, median µs | processor time per read, µs |\n|---|---|---|---|---|")
    for name, rounds in figures.items():
        columns = [rounded(statistics.median(column)) for column in zip(*rounds, strict=True)]
        print(f"| {ROWS.get(name, name)} | {' | '.join(columns)} |")


if __name__ == "__main__":
    main()
