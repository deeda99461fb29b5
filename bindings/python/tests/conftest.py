"""Settings of all tests."""

import inspect
import signal
import sys
import sysconfig

import pytest

# A shell ignores it in what it starts in the background, and the servers that the tests start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Why a test does not run on several threads at once with `--parallel-threads`: by module, fixture, or a name in it.
PROCESSES = "starts processes of its own"
LINES = "expects log lines of its own only"
MODULES = {
    "test_asgi_servers": PROCESSES,
    "test_command": PROCESSES,
    "test_docs": "reads docstrings and stubs",
    "test_exit": PROCESSES,
    "test_fork": PROCESSES,
    "test_interrupts": "sends signals to the main thread",
    "test_leaks": "measures the memory of the whole process",
    "test_readme": PROCESSES,
    "test_reload": PROCESSES,
    "test_stdio": PROCESSES,
    "test_subinterpreters": PROCESSES,
}
FIXTURES = {
    "caplog": LINES,
    "monkeypatch": "changes a module",
    "warnings": LINES,
}
NAMES = {"Process": PROCESSES, "served": PROCESSES, "subprocess": PROCESSES, "addHandler": LINES}


def sequential(item: pytest.Item) -> str | None:
    """Returns why a test does not run on several threads at once, or None if it does."""
    assert isinstance(item, pytest.Function)
    found = [MODULES.get(item.path.stem)]
    found += [FIXTURES.get(name) for name in item.fixturenames]
    found += [NAMES.get(name) for name in inspect.unwrap(item.function).__code__.co_names]
    return next(filter(None, found), None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        reason = sequential(item)
        if reason is not None:
            item.add_marker(pytest.mark.thread_unsafe(reason=reason))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fails if a module turned the global interpreter lock on in a Python without one."""
    if sysconfig.get_config_var("Py_GIL_DISABLED") and getattr(sys, "_is_gil_enabled", bool)():
        session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
        print("\na module turned the global interpreter lock on", file=sys.stderr)
