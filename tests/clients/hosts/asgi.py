"""The ASGI application of a server, alone or mounted in another one, behind uvicorn or hypercorn until SIGTERM."""

import asyncio
import signal
import socket
import sys
from typing import Any

import wellhead


def serve(server: wellhead.Server, program: str, framework: str = "") -> None:
    """Prints the URL first. `program` is `uvicorn` or `hypercorn`, `framework` nothing, `starlette` or `fastapi`."""
    application, path = mounted(server.asgi(), framework)
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}{path}", flush=True)
    {"uvicorn": by_uvicorn, "hypercorn": by_hypercorn}[program](application, listener, server)


def mounted(mcp: Any, framework: str) -> tuple[Any, str]:
    """The application that has this one in it, and the path that clients ask for."""
    if not framework:
        return mcp, "/mcp"
    if framework == "starlette":
        from starlette.applications import Starlette
        from starlette.routing import Mount

        return Starlette(routes=[Mount("/api", app=mcp)], lifespan=mcp.lifespan), "/api/mcp"
    from fastapi import FastAPI

    application = FastAPI(lifespan=mcp.lifespan)
    application.mount("/api", mcp)
    return application, "/api/mcp"


def by_uvicorn(application: Any, listener: socket.socket, _server: wellhead.Server) -> None:
    """It ends a second after SIGTERM at the latest, and raises it again then."""
    import uvicorn

    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    config = uvicorn.Config(application, log_level="warning", timeout_graceful_shutdown=1)
    uvicorn.Server(config).run(sockets=[listener])


def by_hypercorn(application: Any, listener: socket.socket, server: wellhead.Server) -> None:
    """It waits for streams without an end, which closing the server gives them."""
    from hypercorn.asyncio import serve
    from hypercorn.config import Config

    config = Config()
    config.bind = [f"fd://{listener.detach()}"]
    config.loglevel = "WARNING"

    async def run() -> None:
        ending = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ending.set)

        async def ended() -> None:
            await ending.wait()
            server.close()

        await serve(application, config, shutdown_trigger=ended)

    asyncio.run(run())
