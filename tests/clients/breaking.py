"""Stands between a client and a host over HTTP, and breaks their connections when it is told to.

A driver connects to its socket file, writes lines, and gets one back for each. `break` cuts every connection, as a lost network does.
`resumed` returns the number of requests so far that named the last event they had seen.
"""

import socket
import threading
from pathlib import Path

RESUMING = b"last-event-id:"


class Breaking:
    def __init__(self, host: tuple[str, int], commands: Path) -> None:
        self._host = host
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._resumed = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._commands = socket.socket(socket.AF_UNIX)
        self._commands.bind(str(commands))
        self._commands.listen()
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        for work in (self._accept, self._obey):
            threading.Thread(target=work, daemon=True).start()

    def close(self) -> None:
        for listener in (self._listener, self._commands):
            listener.close()
        self._break()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:  # closed
                return
            host = socket.create_connection(self._host)
            with self._lock:
                self._open |= {client, host}
            threading.Thread(target=self._connect, args=(client, host), daemon=True).start()

    def _connect(self, client: socket.socket, host: socket.socket) -> None:
        answers = threading.Thread(target=self._pass_on, args=(host, client), daemon=True)
        answers.start()
        self._pass_on(client, host)
        answers.join()
        # Closed only when no thread uses them: the next connection gets their descriptors, and would lose its bytes.
        for connection in (client, host):
            connection.close()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        rest = b""
        try:
            while data := source.recv(65536):
                seen = (rest + data).lower()
                rest = seen[1 - len(RESUMING) :]
                with self._lock:
                    self._resumed += seen.count(RESUMING)
                target.sendall(data)
        except OSError:  # broken
            pass
        self._cut({source, target})

    def _obey(self) -> None:
        while True:
            try:
                conversation, _ = self._commands.accept()
            except OSError:  # closed
                return
            with conversation, conversation.makefile("rw") as lines:
                for line in lines:
                    if line == "break\n":
                        self._break()
                    with self._lock:
                        lines.write(f"{self._resumed}\n")
                    lines.flush()

    def _break(self) -> None:
        with self._lock:
            everybody = set(self._open)
        self._cut(everybody)

    def _cut(self, connections: set[socket.socket]) -> None:
        with self._lock:
            mine = connections & self._open
            self._open -= mine
        for connection in mine:
            try:
                connection.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits in recv
            except OSError:  # by its other end
                pass
