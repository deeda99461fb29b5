"""`Server.run`: which thread does what, and signals."""

import signal


def run(server, callback_threads, drain, guard):
    on_loop = server._needs_loop()
    if on_loop:
        import asyncio

        from wellhead._asyncio import serve
    with Terminates() as terminates:
        driver = server._start(callback_threads, drain, guard, on_loop and callback_threads == 1)
        try:
            terminates.hand_to(driver)
            if on_loop:
                asyncio.run(serve(driver, callback_threads))
            else:
                with Interrupts(driver):
                    work(driver, callback_threads)
        finally:
            driver.stop()


def work(driver, callback_threads):
    """Runs callbacks until the service is over: on this thread, or on as many others as there shall be."""
    if callback_threads == 1:
        driver.work()
        return
    with Pool(driver, callback_threads) as pool:
        pool.wait()


class Pool:
    """Threads that run callbacks. The thread that waits for them stays free for signals."""

    def __init__(self, driver, count):
        import threading

        self.driver = driver
        self.left = count
        self.error = None
        self.over = threading.Condition()
        self.on_over = None
        self.threads = [threading.Thread(target=self.work, name=f"wellhead-{n}") for n in range(1, count + 1)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.driver.stop()
        for thread in self.threads:
            thread.join()

    def work(self):
        try:
            self.driver.work()
        except BaseException as e:
            self.error = self.error or e
            self.driver.stop()
        finally:
            with self.over:
                self.left -= 1
                self.over.notify_all()
            if self.on_over is not None:
                self.on_over()

    def wait(self):
        with self.over:
            while self.left:
                self.over.wait()
        if self.error is not None:
            raise self.error


class Interrupts:
    """Lets Ctrl-C end a wait: Python's handler writes to a descriptor that a native thread reads."""

    def __init__(self, driver):
        self.driver = driver
        self.before = None

    def __enter__(self):
        try:
            self.before = signal.set_wakeup_fd(-1)
        except ValueError:
            return  # not the main thread: Python runs no signal handler here
        signal.set_wakeup_fd(self.driver.signal_fd(), warn_on_full_buffer=False)

    def __exit__(self, *_):
        if self.before is not None:
            signal.set_wakeup_fd(self.before)


class Terminates:
    """Lets SIGTERM end the service cleanly, where nobody else handles it."""

    def __init__(self):
        self.driver = None
        self.asked = False
        self.ours = False

    def __enter__(self):
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            try:
                signal.signal(signal.SIGTERM, self.terminate)
                self.ours = True
            except ValueError:
                pass  # not the main thread
        return self

    def hand_to(self, driver):
        self.driver = driver
        if self.asked:
            driver.terminate()

    def terminate(self, *_):
        self.asked = True
        if self.driver is not None:
            self.driver.terminate()

    def __exit__(self, *_):
        if self.ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
