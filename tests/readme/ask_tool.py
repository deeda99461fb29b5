"""Starts a server with README's first tool, calls it with arguments that fit and that do not, and checks the results.

    ask_tool.py COMMAND...
"""

import json
import subprocess
import sys

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def call(name: str, arguments: object) -> str:
    params = {"name": "add", "arguments": arguments, "_meta": META}
    return json.dumps({"jsonrpc": "2.0", "id": name, "method": "tools/call", "params": params}) + "\n"


def main(command: list[str]) -> int:
    lines = call("good", {"a": 2.25, "b": 3}) + call("bad", {"a": "two"})
    done = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=60, check=False)
    results = {}
    for line in done.stdout.splitlines():
        message = json.loads(line)
        results[message["id"]] = message.get("result", message)
    good, bad = (results.get(name, {}) for name in ("good", "bad"))
    added = float(good.get("content", [{}])[0].get("text", "nan"))
    refused = bad.get("isError") is True and "- b: is missing" in bad["content"][0]["text"]
    if added != 5.25 or not refused or done.returncode != 0:
        print(f"FAIL {command}: exit {done.returncode}, results {results}\n{done.stderr}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
