"""Starts a smallest server, asks it what README promises, and checks the answers.

    ask.py [--expect JSON] COMMAND...

JSON is an object of URIs and texts; without it, those of README's smallest servers.
"""

import json
import subprocess
import sys

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
EXPECTED = {"hello://world": "Hello, world!", "hello://people/Ada": "Hello, Ada!"}


def main(command: list[str]) -> int:
    expected = EXPECTED
    if command[0] == "--expect":
        expected, command = json.loads(command[1]), command[2:]
    requests = [
        {"jsonrpc": "2.0", "id": uri, "method": "resources/read", "params": {"uri": uri, "_meta": META}}
        for uri in expected
    ]
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=60, check=False)
    answers = {}
    for line in done.stdout.splitlines():
        message = json.loads(line)
        answers[message["id"]] = message.get("result", {}).get("contents", [{}])[0].get("text", message)
    if answers != expected or done.returncode != 0:
        print(f"FAIL {command}: exit {done.returncode}, answers {answers}\n{done.stderr}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
