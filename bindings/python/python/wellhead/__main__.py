"""The command ``wellhead``, which serves folders: ``uvx wellhead serve DIR``, or ``python -m wellhead serve DIR``."""

import signal
import sys

from ._core import _run_command


def main() -> int:
    """Runs the command with the arguments of the process, and returns its exit status."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Python's own handler waits until Python runs again
    return _run_command(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
