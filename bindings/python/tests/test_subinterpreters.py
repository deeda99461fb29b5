"""A subinterpreter cannot import the package, and leaves the main interpreter alone."""

import subprocess
import sys

import pytest

IMPORT = """
try:
    import wellhead
except ImportError as error:
    print(type(error).__name__, error, flush=True)
"""
PROGRAM = f"""
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
{{before}}
other = interpreters.create()
interpreters.run_string(other, {IMPORT!r})
{{after}}
"""
READ = """
import wellhead
server = wellhead.Server("s", "1")
server.resource("n:1")(lambda: "text of n:1")
with server.test_client() as client:
    print(client.read("n:1"), flush=True)
"""
DESTROY_AND_READ = "interpreters.destroy(other)" + READ


@pytest.mark.parametrize("before", ["", "import wellhead", READ], ids=["nothing", "import", "read"])
@pytest.mark.parametrize("after", ["", READ, DESTROY_AND_READ], ids=["nothing", "read", "destroy"])
def test_an_import_in_a_subinterpreter_fails_and_the_main_one_still_works(before: str, after: str) -> None:
    program = PROGRAM.format(before=before, after=after)
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stderr
    lines = ended.stdout.splitlines()
    refused = [line for line in lines if line.startswith("ImportError ")]
    assert len(refused) == 1
    # A subinterpreter with a lock of its own, as 3.12 and later make them, may refuse the module before it is asked.
    known = "wellhead works in the main interpreter only; ", "module wellhead._core does not support "
    assert refused[0].removeprefix("ImportError ").startswith(known)
    assert lines.count("text of n:1") == [before, after].count(READ) + (after == DESTROY_AND_READ)
