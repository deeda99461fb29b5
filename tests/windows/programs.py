"""Asks the programs of this folder, for Windows, what a client would.

tests/windows/programs.py WINE PROGRAM...
"""

import json
import subprocess
import sys
from pathlib import Path


def request(number: int, method: str, params: object) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n"


def main(wine: str, programs: list[str]) -> None:
    client = {"name": "test", "version": "1"}
    shake = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
    asked = request(1, "initialize", shake) + request(2, "resources/read", {"uri": "hello://Ann"})
    for program in programs:
        ran = subprocess.run([wine, program], input=asked, capture_output=True, text=True, timeout=120)
        name = Path(program).name
        assert ran.returncode == 0, (name, ran)
        *answers, last = ran.stdout.splitlines()
        first, second = (json.loads(answer) for answer in answers)
        assert first["result"]["serverInfo"]["name"] == "hello", (name, first)
        assert second["result"]["contents"][0]["text"] == "Ann", (name, second)
        assert last == "served", (name, last)
        said = [line for line in ran.stderr.splitlines() if not line.startswith("wine: ")]  # of Wine's own programs
        assert said == ["a stray print"], (name, ran.stderr)
        print(f"ok   {name}")


main(sys.argv[1], sys.argv[2:])
