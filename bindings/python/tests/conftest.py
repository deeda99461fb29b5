"""What the tests share."""

import pytest
import test_vectors


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in test_vectors.unreached():
        terminalreporter.write_line(line)
