"""The command ``wellhead``, which the package installs."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import wellhead

PROGRAM = Path(sysconfig.get_path("scripts")) / "wellhead"
COMMANDS = {"program": [str(PROGRAM)], "module": [sys.executable, "-m", "wellhead"]}
PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_the_command_prints_its_version(command: list[str]) -> None:
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"wellhead {wellhead.__version__}\n"


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_the_command_serves_a_folder(command: list[str], tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Hello, world!")
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "resources/read",
        "params": {
            "uri": (tmp_path / "a.md").as_uri(),
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    }
    done = subprocess.run(
        [*command, "serve", str(tmp_path)], input=json.dumps(request) + "\n", capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)["result"]["contents"][0]["text"] == "Hello, world!"


def test_a_wrong_call_of_the_command_ends_with_2() -> None:
    done = subprocess.run([str(PROGRAM), "notes"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "did you mean 'wellhead serve notes'?" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 0), (signal.SIGINT, -signal.SIGINT)])
def test_the_command_ends_on_a_signal_while_it_waits(tmp_path: Path, number: signal.Signals, status: int) -> None:
    with subprocess.Popen(
        [str(PROGRAM), "serve", str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(PING)
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(number)
        assert process.wait(30) == status
