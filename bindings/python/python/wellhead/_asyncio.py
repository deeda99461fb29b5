"""What needs asyncio; imported only then."""

import asyncio


async def run_async(server, drain, guard):
    driver = server._start(1, drain, guard, True)
    try:
        await serve(driver, 1)
    finally:
        driver.stop()


async def serve(driver, callback_threads):
    """Serves on the running loop: coroutines as tasks, and `def` callbacks too unless there are threads for them."""
    loop = asyncio.get_running_loop()
    driver.use_loop(loop)
    try:
        if callback_threads == 1:
            await pump(driver, loop)
        else:
            await pool(driver, loop, callback_threads)
    finally:
        tasks = driver.take_tasks()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*(asyncio.wrap_future(task) for task in tasks), return_exceptions=True)
        driver.use_loop(None)


async def pump(driver, loop):
    over = loop.create_future()

    def turn():
        try:
            ended = driver.pump()
        except BaseException as e:
            ended = True
            if not over.done():
                over.set_exception(e)
        if ended and not over.done():
            over.set_result(None)

    descriptor = driver.fileno()
    loop.add_reader(descriptor, turn)
    try:
        turn()
        await over
    finally:
        loop.remove_reader(descriptor)


async def pool(driver, loop, callback_threads):
    from wellhead._run import Pool

    threads = Pool(driver, callback_threads)
    over = asyncio.Event()
    threads.on_over = lambda: loop.call_soon_threadsafe(over.set)
    for thread in threads.threads:
        thread.start()
    try:
        while threads.left:
            await over.wait()
            over.clear()
    finally:
        driver.stop()
        await asyncio.gather(*(asyncio.to_thread(thread.join) for thread in threads.threads))
    if threads.error is not None:
        raise threads.error


def start(awaitable, loop):
    """A task for what a callback returned: on this thread's loop, or on `loop` from another thread."""
    try:
        running = asyncio.get_running_loop()
    except RuntimeError:
        running = None
    try:
        if running is not None and loop in (None, running):
            return asyncio.ensure_future(awaitable, loop=running)
        if loop is not None:
            return asyncio.run_coroutine_threadsafe(awaited(awaitable), loop)
        raise RuntimeError(
            "an awaitable needs an event loop: register an async def before run(), use run_async(), "
            "or poll the connection where a loop runs"
        )
    except BaseException:
        if hasattr(awaitable, "close"):
            awaitable.close()  # or Python warns that it was never awaited
        raise


async def awaited(awaitable):
    return await awaitable


def cancel(task):
    """Cancels a task from any thread."""
    loop = task.get_loop() if hasattr(task, "get_loop") else None
    if loop is None or loop.is_closed():
        task.cancel()
        return
    try:
        here = asyncio.get_running_loop() is loop
    except RuntimeError:
        here = False
    if here:
        task.cancel()
    else:
        loop.call_soon_threadsafe(task.cancel)


async def handle(connection, message):
    """`Connection.handle_async`."""
    exchange = connection._begin(message)
    if exchange is None or isinstance(exchange, bytes):
        return exchange
    loop = asyncio.get_running_loop()
    woken = asyncio.Event()

    def wake():
        try:
            loop.call_soon_threadsafe(woken.set)
        except RuntimeError:
            pass  # the loop is closed, and nobody waits any more

    exchange.on_wake(wake)
    try:
        while True:
            answer = exchange.take()
            if answer is not None:
                return answer[0]
            await woken.wait()
            woken.clear()
    finally:
        exchange.off_wake(wake)
