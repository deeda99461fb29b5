"""Stands for what the port keeps of zeromcp/mcp.py: the HTTP server."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from .server import WellheadServer


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.server.mcp_server.answer(self, self.rfile.read(int(self.headers["Content-Length"])))

    def send_cors_headers(self) -> None:
        pass

    def log_message(self, *_: object) -> None:
        pass


class McpServer(WellheadServer):
    def serve(self, host: str, port: int) -> None:
        self._http_server = ThreadingHTTPServer((host, port), Handler)
        self._http_server.mcp_server = self
        threading.Thread(target=self._http_server.serve_forever, daemon=True).start()
