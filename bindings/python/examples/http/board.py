"""A task board: a web API, and at /mcp its tasks as resources for MCP clients, which are notified of every change.

pip install starlette uvicorn
uvicorn --app-dir bindings/python/examples/http --port 8000 board:app
curl --data 'Water the plants' http://127.0.0.1:8000/tasks
"""

import itertools

import wellhead
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

tasks: dict[int, str] = {}
numbers = itertools.count(1)
server = wellhead.Server("board", "1.0.0")
mcp = server.asgi()


@server.resource("board://tasks/{id}", mime_type="text/plain")
async def task(id: int) -> str | None:
    """One task."""
    return tasks.get(id)


@server.list
async def listing(after: str | None, limit: int) -> wellhead.Page:
    open_tasks = [id for id in sorted(tasks) if after is None or id > int(after)]
    items = [wellhead.Resource(f"board://tasks/{id}", key=str(id), name=tasks[id][:40]) for id in open_tasks[:limit]]
    return wellhead.Page(items, more=len(open_tasks) > limit)


async def all_tasks(request: Request) -> Response:
    return JSONResponse(tasks)


async def add(request: Request) -> Response:
    id = next(numbers)
    tasks[id] = (await request.body()).decode()
    server.notify_resource_list_changed()
    return JSONResponse(id, status_code=201)


async def change(request: Request) -> Response:
    id = request.path_params["id"]
    if id not in tasks:
        return Response(status_code=404)
    tasks[id] = (await request.body()).decode()
    server.notify_updated(f"board://tasks/{id}")
    return Response(status_code=204)


app = Starlette(
    routes=[
        Route("/tasks", all_tasks),
        Route("/tasks", add, methods=["POST"]),
        Route("/tasks/{id:int}", change, methods=["PUT"]),
        Mount("/", app=mcp),
    ],
    lifespan=mcp.lifespan,
)
