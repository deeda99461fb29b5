"""Stands between a client and a host to see how the host ends: no client library tells its caller.

    witness.py RECORD COMMAND...

The host inherits stdin, stdout and stderr, so nothing of the conversation passes through here. When it has ended, one
JSON line is appended to RECORD. `pid` is that of this process, which is the one that the client knows. `code` is the exit status, or
minus the signal that ended the host. `terminated` says whether the client sent SIGTERM, which is passed on.
"""

import json
import os
import signal
import subprocess
import sys


def main() -> int:
    record, *command = sys.argv[1:]
    host: subprocess.Popen[bytes] | None = None
    terminated = False

    def pass_on(number: int, _frame: object) -> None:
        nonlocal terminated
        terminated = True
        if host is not None:
            host.send_signal(number)

    signal.signal(signal.SIGTERM, pass_on)
    host = subprocess.Popen(command)
    if terminated:  # it came while the host was being started
        host.terminate()
    close_the_pipes()
    code = host.wait()
    line = json.dumps({"pid": os.getpid(), "code": code, "terminated": terminated}) + "\n"
    file = os.open(record, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(file, line.encode())
    os.close(file)
    return code if code >= 0 else 128 - code


def close_the_pipes() -> None:
    """The host alone decides when its input is read to the end and its output ends."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)


if __name__ == "__main__":
    sys.exit(main())
