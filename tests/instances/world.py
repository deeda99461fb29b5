"""Two instances of the notes application behind nginx, with Redis between them, all in one folder."""

import http.client
import os
import random
import secrets
import socket
import subprocess
from contextlib import ExitStack, suppress
from pathlib import Path
from queue import Empty, Queue
from threading import Thread

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "bindings/python/examples/instances"
UVICORN = [str(ROOT / "build/python/bin/uvicorn"), "--app-dir", str(EXAMPLE), "--timeout-graceful-shutdown", "1", "app:app", "--port"]
# An instance in each language: its command, which the port follows, and what it says once it listens.
INSTANCES = {
    "python": (UVICORN, "Uvicorn running on"),
    "node": (["node", str(ROOT / "bindings/node/examples/instances.mjs")], "http://"),
}
# What surrounds the example's nginx.conf: answers say where they are from.
NGINX = """
daemon off;
worker_processes 1;
pid nginx.pid;
error_log stderr notice;
events {}
http {
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    add_header X-Instance $upstream_addr always;
    include instances.conf;
}
"""
SERVED_BY = "X-Instance"  # if more than one was tried, the last one answered
PATIENCE = 30.0


class Instance:
    def __init__(self, kind: str, port: int, environment: dict[str, str], log: Path) -> None:
        self.kind = kind
        self.port = port
        self.address = f"127.0.0.1:{port}"
        self._environment = environment
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def is_alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        command, ready = INSTANCES[self.kind]
        self._process = started([*command, str(self.port)], ready, self._log, self._environment)

    def kill(self) -> None:
        """As a machine that is switched off: nothing is said to anybody."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def close(self) -> None:
        if self._process is not None and self.is_alive:
            stop(self._process)


class World:
    def __init__(self, folder: Path, kinds: list[str]) -> None:
        redis, self.port, *ports = free_ports(2 + len(kinds))
        self._folder = folder
        self._redis = redis
        self._ends = ExitStack()
        environment = os.environ | {"REDIS_URL": f"redis://127.0.0.1:{redis}", "CURSOR_KEY": secrets.token_hex(32)}
        self.instances = [Instance(kind, port, environment, folder / f"{kind}-{port}.log") for kind, port in zip(kinds, ports, strict=True)]
        self.url = f"http://127.0.0.1:{self.port}/mcp"

    def __enter__(self) -> "World":
        with self._ends:
            options = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(self._folder)]
            redis = started(["redis-server", "--port", str(self._redis), *options], "Ready to accept connections", self._folder / "redis.log")
            self._ends.callback(stop, redis)
            for instance in self.instances:
                self._ends.callback(instance.close)
                instance.start()
            self._ends.callback(stop, self._nginx())
            self._ends = self._ends.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.close()

    def other(self, instance: Instance) -> Instance:
        [other] = [each for each in self.instances if each is not instance]
        return other

    def at(self, answered_by: str) -> Instance:
        """Returns the instance that answered, by the header."""
        address = answered_by.rpartition(", ")[2]
        [instance] = [each for each in self.instances if each.address == address]
        return instance

    def web(self, method: str, path: str, body: str, port: int | None = None) -> tuple[str, Instance | None]:
        """Returns the answer of the web API, by default through nginx, and the instance that gave it."""
        connection = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body)
            response = connection.getresponse()
            text = response.read().decode()
        finally:
            connection.close()
        if not 200 <= response.status < 300:
            raise AssertionError(f"{method} {path}: {response.status} {text}")
        by = response.getheader(SERVED_BY)
        return text, self.at(by) if by else None

    def token_for(self, instance: Instance) -> str:
        """Returns a token with which nginx leads a client of the handshake era to the instance."""
        for number in range(100):
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
            try:
                connection.request("GET", "/mcp", headers={"Authorization": f"Bearer {number}"})
                by = connection.getresponse().getheader(SERVED_BY)
            finally:
                connection.close()
            if by and self.at(by) is instance:
                return str(number)
        raise AssertionError(f"nginx leads no client to {instance.address}")

    def ask_redis(self, *words: str) -> str:
        command = ["redis-cli", "-p", str(self._redis), "--raw", *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def texts(self) -> dict[str, str]:
        """All notes by their URIs."""
        lines = iter(self.ask_redis("hgetall", "notes:texts").splitlines())
        return {f"notes://{id}": text for id, text in zip(lines, lines, strict=True)}

    def _nginx(self) -> subprocess.Popen[bytes]:
        site = (EXAMPLE / "nginx.conf").read_text()
        for port, ours in zip((8000, 8001, 8002), (self.port, *(each.port for each in self.instances)), strict=True):
            site = site.replace(f"127.0.0.1:{port}", f"127.0.0.1:{ours}")
        (self._folder / "instances.conf").write_text(site)
        user = "user root;\n" if os.geteuid() == 0 else ""  # otherwise its workers may not be let into the folder
        (self._folder / "nginx.conf").write_text(user + NGINX)
        command = ["nginx", "-p", str(self._folder), "-e", "stderr", "-c", "nginx.conf"]
        return started(command, "start worker process ", self._folder / "nginx.log")


def started(command: list[str], ready: str, log: Path, environment: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
    """A process that has said that it is ready. What it says goes to `log`."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
    is_ready: Queue[bool] = Queue()

    def listen() -> None:
        assert process.stdout is not None
        with process.stdout, log.open("ab", buffering=0) as kept:
            for line in process.stdout:
                kept.write(line)
                if ready.encode() in line:
                    is_ready.put(True)
        is_ready.put(False)

    Thread(target=listen, daemon=True).start()
    try:
        if is_ready.get(timeout=PATIENCE):
            return process
    except Empty:
        pass
    stop(process)
    raise AssertionError(f"{command[0]} did not start:\n{log.read_text()}")


def stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def free_ports(count: int) -> list[int]:
    """Returns free ports below those that systems give to connections: an instance that comes back needs its own again."""
    with ExitStack() as held:
        ports: list[int] = []
        for port in random.sample(range(20_000, 32_000), 1000):
            with suppress(OSError):
                held.enter_context(socket.create_server(("127.0.0.1", port)))
                ports.append(port)
            if len(ports) == count:
                return ports
    raise AssertionError("there are no free ports")
