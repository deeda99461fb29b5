"""`run` and `run_async` in a process of their own."""

import json
import os
import signal
from pathlib import Path

import pytest
from client import Process, cancel, outcome, read, request

EXAMPLES = Path(__file__).parents[1] / "examples"


def text(answer: object) -> object:
    return outcome(json.dumps(answer).encode())


def test_a_client_is_served_on_the_thread_that_runs_the_server() -> None:
    program = """
    import threading
    import wellhead
    server = wellhead.Server("s", "1")
    server.text("n:about", "about")

    @server.resource("n:{id}")
    def callback(id: str) -> str:
        print("a stray line")
        return f"{id} {threading.current_thread() is threading.main_thread()}"

    server.run()
    """
    with Process(program) as process:
        process.send(read("n:about", 1))
        assert text(process.receive()) == "about"
        process.send(read("n:x", 2))
        assert text(process.receive()) == "x True"
        status, errors = process.end()
        assert (status, errors.splitlines()) == (0, ["a stray line"])


@pytest.mark.parametrize("guard", [True, False])
@pytest.mark.parametrize("run", ["server.run(guard_stdio={})", "asyncio.run(server.run_async(guard_stdio={}))"])
def test_the_guard_decides_whether_a_callback_has_the_clients_descriptors(run: str, guard: bool) -> None:
    program = f"""
    import asyncio
    import os
    import wellhead
    server = wellhead.Server("s", "1")
    client = os.fstat(0)

    @server.resource("n:x")
    def callback() -> str:
        print("a stray line", flush=True)
        return str(os.path.samestat(os.fstat(0), client))

    {run.format(guard)}
    print("served", os.path.samestat(os.fstat(0), client))
    """
    with Process(program) as process:
        process.send(read("n:x", 1))
        if not guard:
            assert process.output.readline() == b"a stray line\n"
        assert text(process.receive()) == str(not guard)
        process.input.close()
        assert process.output.read() == b"served True\n"
        assert process.end() == (0, "a stray line\n" if guard else "")


def test_an_answer_overtakes_one_that_another_thread_gives_later() -> None:
    program = """
    import threading
    from concurrent.futures import Future
    import wellhead
    server = wellhead.Server("s", "1")
    slow: "Future[str]" = Future()
    server.resource("n:slow")(lambda: slow)

    @server.resource("n:now")
    def now() -> str:
        thread.start()
        return "now"

    thread = threading.Thread(target=lambda: (go.wait(), slow.set_result("later")))
    go = threading.Event()
    server.resource("n:go")(lambda: go.set() or "go")
    server.run()
    """
    with Process(program) as process:
        process.send(read("n:slow", 1), read("n:now", 2))
        assert text(process.receive()) == "now"
        process.send(read("n:go", 3))
        assert sorted(str(text(process.receive())) for _ in range(2)) == ["go", "later"]
        assert process.end() == (0, "")


@pytest.mark.parametrize("run", ["server.run()", "asyncio.run(server.run_async())", "server.run(callback_threads=2)"])
def test_async_callbacks_and_others_are_served_together(run: str) -> None:
    program = f"""
    import asyncio
    import wellhead
    server = wellhead.Server("s", "1")
    gate = asyncio.Event()

    @server.resource("n:wait")
    async def wait() -> str:
        await gate.wait()
        return "waited"

    @server.resource("n:open")
    async def open() -> str:
        gate.set()
        return "opened"

    server.resource("n:def")(lambda: "def")
    {run}
    """
    with Process(program) as process:
        process.send(read("n:wait", 1), read("n:def", 2))
        assert text(process.receive()) == "def"
        process.send(read("n:open", 3))
        assert sorted(str(text(process.receive())) for _ in range(2)) == ["opened", "waited"]
        process.send(*(read("n:open", n) for n in range(500)))
        assert {text(process.receive()) for _ in range(500)} == {"opened"}
        assert process.end() == (0, "")


def test_cancellation_reaches_a_task_and_a_blocking_callback() -> None:
    program = """
    import asyncio, sys
    import wellhead
    server = wellhead.Server("s", "1")

    @server.resource("n:task")
    async def task() -> str:
        print("began", file=sys.stderr, flush=True)
        try:
            await asyncio.Event().wait()
        finally:
            print("cancelled", file=sys.stderr, flush=True)

    server.run()
    """
    with Process(program) as process:
        process.send(read("n:task", 1))
        assert process.error_line() == "began\n"
        process.send(cancel(1))
        assert process.error_line() == "cancelled\n"
        assert process.end() == (0, "")


@pytest.mark.parametrize("threads", [1, 3])
def test_a_blocking_callback_sees_its_cancellation_over_stdio(threads: int) -> None:
    program = f"""
    import sys
    import wellhead
    server = wellhead.Server("s", "1")

    @server.resource("n:x")
    def callback(call: wellhead.Call) -> str:
        print("began", file=sys.stderr, flush=True)
        while not call.cancelled:
            pass
        print("cancelled", file=sys.stderr, flush=True)
        return ""

    server.run(callback_threads={threads})
    """
    with Process(program) as process:
        process.send(read("n:x", 1))
        assert process.error_line() == "began\n"
        process.send(cancel(1))
        assert process.error_line() == "cancelled\n"
        assert process.end() == (0, "")


def test_ping_is_answered_while_a_callback_blocks(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    program = """
    import sys
    import wellhead
    server = wellhead.Server("s", "1")

    @server.resource("n:x")
    def callback() -> str:
        with open(sys.argv[1]) as gate:
            return gate.read()

    server.run()
    """
    with Process(program, str(gate)) as process:
        process.send(read("n:x", 1), request(2, "ping"))
        assert process.receive()["id"] == 2
        gate.write_text("opened")
        assert text(process.receive()) == "opened"


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", ["def", "async def"])
def test_ctrl_c_interrupts_a_wait_and_is_raised(kind: str, threads: int) -> None:
    program = f"""
    import wellhead
    server = wellhead.Server("s", "1")

    @server.resource("n:x")
    {kind} callback() -> str:
        return "x"

    try:
        server.run(callback_threads={threads})
    except KeyboardInterrupt:
        raise SystemExit(7)
    """
    with Process(program) as process:
        process.send(read("n:x", 1))
        assert text(process.receive()) == "x"  # it serves, and waits from now on
        process.process.send_signal(signal.SIGINT)
        assert process.process.wait() == 7


def test_ctrl_c_interrupts_a_wait_after_a_coroutine_has_run_where_loops_take_signals() -> None:
    """As Windows' default loop, which takes the signals if the main thread makes it."""
    program = """
    import asyncio, signal, socket, threading
    import wellhead

    new_event_loop = asyncio.new_event_loop
    _, own = socket.socketpair()
    own.setblocking(False)

    def taking():
        if threading.current_thread() is threading.main_thread():
            signal.set_wakeup_fd(own.fileno())
        return new_event_loop()

    asyncio.new_event_loop = taking
    server = wellhead.Server("s", "1")

    @server.resource("n:x")
    def callback():
        async def answer():
            return "x"
        return answer()

    try:
        server.run()
    except KeyboardInterrupt:
        raise SystemExit(7)
    """
    with Process(program) as process:
        process.send(read("n:x", 1))
        assert text(process.receive()) == "x"
        process.process.send_signal(signal.SIGINT)
        assert process.process.wait(20) == 7


def test_the_wakeup_descriptor_and_handlers_are_put_back() -> None:
    program = """
    import signal
    import wellhead
    server = wellhead.Server("s", "1")
    server.run()
    assert signal.set_wakeup_fd(-1) == -1
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    """
    with Process(program) as process:
        assert process.end() == (0, "")


@pytest.mark.parametrize("end", ["await served", "served.cancel(); await asyncio.wait([served])"])
def test_a_loop_without_add_reader_serves_as_well(end: str) -> None:
    """As Windows' default loop, which refuses `add_reader`."""
    program = f"""
    import asyncio
    import wellhead

    class Proactor(asyncio.SelectorEventLoop):
        def add_reader(self, *_):
            raise NotImplementedError

    server = wellhead.Server("s", "1")
    read = asyncio.Event()

    @server.resource("n:{{id}}")
    async def callback(id: str) -> str:
        await asyncio.sleep(0)
        if id == "last":
            read.set()
        return id

    async def main() -> None:
        served = asyncio.ensure_future(server.run_async())
        await read.wait()
        {end}

    loop = Proactor()
    loop.run_until_complete(main())
    loop.close()
    """
    with Process(program) as process:
        process.send(read("n:x", 1))
        assert text(process.receive()) == "x"
        process.send(read("n:last", 2))
        assert process.end() == (0, "")


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_sigterm_ends_the_service_cleanly(kind: str) -> None:
    program = f"""
    import wellhead
    server = wellhead.Server("s", "1")

    @server.resource("n:x")
    {kind} callback() -> str:
        return "x"

    server.run()
    """
    with Process(program) as process:
        listen = request("L", "subscriptions/listen", notifications={"resourcesListChanged": True})
        process.send(listen)
        assert process.receive()["method"] == "notifications/subscriptions/acknowledged"
        process.process.send_signal(signal.SIGTERM)
        assert process.receive()["id"] == "L"  # the stream ends as the protocol asks
        assert process.process.wait() == 0


def test_a_programs_own_sigterm_handler_stays() -> None:
    program = """
    import signal, sys
    import wellhead
    server = wellhead.Server("s", "1")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(9))
    server.resource("n:x")(lambda: "x")
    server.run()
    """
    with Process(program) as process:
        process.send(read("n:x", 1))
        process.receive()
        process.process.send_signal(signal.SIGTERM)
        assert process.process.wait() == 9


@pytest.mark.parametrize("threads", [1, 2])
def test_an_exit_from_a_callback_passes_through_run(threads: int) -> None:
    program = f"""
    import sys
    import wellhead
    server = wellhead.Server("s", "1")
    server.resource("n:x")(lambda: sys.exit(3))
    server.run(callback_threads={threads})
    """
    with Process(program) as process:
        process.send(read("n:x", 1))
        assert process.process.wait() == 3


def test_the_end_of_the_program_ends_a_service_on_a_daemon_thread() -> None:
    program = """
    import threading
    from concurrent.futures import Future
    import wellhead
    server = wellhead.Server("s", "1")
    asked = threading.Event()
    pending: "Future[str]" = Future()
    server.resource("n:x")(lambda: asked.set() or pending)
    threading.Thread(target=server.run, daemon=True).start()
    asked.wait()
    """
    with Process(program) as process:
        process.send(read("n:x", 1))
        assert process.process.wait() == 0
        assert process.end() == (0, "")


def test_the_end_of_the_program_waits_for_answers_under_way() -> None:
    program = """
    import threading, sys
    from concurrent.futures import ThreadPoolExecutor
    import wellhead
    server = wellhead.Server("s", "1")
    pool = ThreadPoolExecutor(1)
    server.resource("n:x")(lambda: pool.submit(lambda: "later"))
    server.run()
    """
    with Process(program) as process:
        process.send(*(read("n:x", n) for n in range(100)))
        process.input.close()
        lines = process.output.read().splitlines()
        assert len(lines) == 100 and all(b"later" in line for line in lines)
        assert process.process.wait() == 0


def test_the_program_ends_despite_calls_without_an_answer() -> None:
    program = """
    from concurrent.futures import Future
    import wellhead
    server = wellhead.Server("s", "1")
    pending: "Future[str]" = Future()
    server.resource("n:x")(lambda: pending)
    server.run(shutdown_ms=0)
    """
    with Process(program) as process:
        process.send(read("n:x", 1))
        assert process.end() == (0, "")


def test_close_from_another_thread_ends_run() -> None:
    program = """
    import threading
    import wellhead
    server = wellhead.Server("s", "1")

    @server.resource("n:x")
    def callback() -> str:
        threading.Thread(target=server.close).start()
        return "x"

    server.run()
    """
    with Process(program) as process:
        process.send(read("n:x", 1))
        assert process.process.wait() == 0


def test_a_second_service_is_refused_while_one_runs() -> None:
    program = """
    import wellhead
    server = wellhead.Server("s", "1")

    @server.resource("n:x")
    def callback() -> str:
        try:
            server.run()
        except wellhead.UsageError as e:
            return e.code

    server.run()
    """
    with Process(program) as process:
        process.send(read("n:x", 1))
        assert text(process.receive()) == "invalid_argument"


def test_run_inside_a_loop_names_the_function_to_use() -> None:
    program = """
    import asyncio
    import wellhead
    server = wellhead.Server("s", "1")

    @server.resource("n:x")
    async def callback() -> str:
        return "x"

    async def main() -> None:
        try:
            server.run()
        except RuntimeError as e:
            assert "run_async" in str(e)
        await server.run_async()

    asyncio.run(main())
    """
    with Process(program) as process:
        process.send(read("n:x", 1))
        assert text(process.receive()) == "x"
        assert process.end() == (0, "")


def test_the_notes_are_edited_through_a_fifo(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    program = f"import runpy; runpy.run_path({str(EXAMPLES / 'notes.py')!r}, run_name='__main__')"
    with Process(program, str(fifo)) as process:
        notifications = {"resourcesListChanged": True, "resourceSubscriptions": ["notes://007"]}
        process.send(request("L", "subscriptions/listen", notifications=notifications))
        assert process.receive()["method"] == "notifications/subscriptions/acknowledged"
        with fifo.open("w") as lines:
            lines.write("set 007 changed text\n")
        assert process.receive()["params"]["uri"] == "notes://007"
        process.send(read("notes://about", 0))
        assert text(process.receive()) == "Notes."
        process.send(read("notes://007", 1))
        assert text(process.receive()) == "changed text"
        process.send(read("notes://slow", 2))
        assert text(process.receive()) == "answered by another thread"


# Unoptimised, it takes 15 s of a processor: on a machine with much else to do more than the usual 60 s of time.
@pytest.mark.timeout(300)
def test_a_read_of_64_mib_takes_one_more_chunk_and_a_ping_behind_it_is_answered() -> None:
    program = """
    import wellhead

    server = wellhead.Server("s", "1")
    kept = b"k" * (64 << 20)
    server.resource("n:kept")(lambda: kept)
    server.resource("n:made")(lambda: b"m" * (64 << 20))

    @server.resource("n:peak")
    def peak() -> str:
        with open("/proc/self/status") as status:
            return next(line.split()[1] for line in status if line.startswith("VmHWM"))

    server.run()
    """
    ping = b'{"jsonrpc":"2.0","id":"ping","method":"ping"}\n'

    def peak(process: Process) -> int:
        process.send(read("n:peak"))
        return int(str(text(process.receive()))) >> 10

    def rise(process: Process, *uris: str) -> int:
        before = peak(process)
        for uri in uris:
            process.send(read(uri, "large"), ping)
            answers = {answer["id"]: answer for answer in (process.receive(), process.receive())}
            assert answers["ping"]["result"] == {}
            assert len(str(text(answers["large"]))) == ((64 << 20) + 2) // 3 * 4
        return peak(process) - before

    with Process(program) as process:
        kept = rise(process, "n:kept", "n:kept", "n:kept")
        assert kept < 16, f"{kept} MiB more for what is kept"
        made = rise(process, "n:made")
        assert made < 64 + 16, f"{made} MiB more for what is made"
        assert process.end() == (0, "")
