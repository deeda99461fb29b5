"""Settings of all tests."""

import signal

# A shell ignores it in what it starts in the background, and the servers that the tests start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
