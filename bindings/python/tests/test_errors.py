"""Exceptions that travel between processes, as with `concurrent.futures.ProcessPoolExecutor`."""

import copy
import pickle

import pytest
import wellhead
from wellhead._wire import refused


def taken() -> wellhead.IoError:
    error = wellhead.IoError("the address is taken", "io")
    error.errno = 98
    return error


ERRORS = [
    wellhead.UsageError("twice", "duplicate"),
    wellhead.ClosedError("forked", "forked"),
    wellhead.ResourceNotFound("gone"),
    wellhead.PermissionDenied(),
    wellhead.Busy(1.5),
    wellhead.Busy(),
    wellhead.InputRequired({"requestState": "x"}),
    wellhead.InsufficientScope("read", "write"),
    wellhead.MissingCapability({"sampling": {}}),
    wellhead.MethodError(7, "seven", {"a": 1}),
    wellhead.ErrorFromServer(-32602, "missing", {"uri": "a:b"}),
    refused({"code": -32002, "message": "Resource not found", "data": {"uri": "a:b"}}),
    refused({"code": 7, "message": "Permission denied"}),
    refused({"code": 8, "message": "Busy", "data": {"retryAfterMs": 5}}),
    taken(),
]


@pytest.mark.parametrize("error", ERRORS, ids=[type(error).__name__ for error in ERRORS])
def test_an_exception_is_the_same_in_another_process(error: wellhead.Error) -> None:
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(twin) is type(error)
        assert (str(twin), twin.args, vars(twin)) == (str(error), error.args, vars(error))
        assert getattr(twin, "errno", None) == getattr(error, "errno", None)
