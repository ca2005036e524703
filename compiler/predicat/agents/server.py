"""The tools as a server of the Model Context Protocol, on standard input and output or on HTTP.

It is the only module that imports `mcp`. Source: modelcontextprotocol.io/specification.
"""

from __future__ import annotations

import socket
from importlib.metadata import version
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from predicat.agents.tools import TOOLS, CatalogSource, answer
from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import agents as say
from predicat.exporting.skill import instructions

# Addresses that only programs of this machine reach, and how they stand in a URL.
LOOPBACK = {"127.0.0.1": "127.0.0.1", "localhost": "localhost", "::1": "[::1]"}
_MOST_BYTES = 256_000


def create(source: CatalogSource) -> Server[Any]:
    """The server of a catalog. Its questions are answered one after the other: the solver is not for several
    threads.
    """
    one = anyio.Lock()

    async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
        hints = types.ToolAnnotations(read_only_hint=True, open_world_hint=False)
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=name, description=tool.description, input_schema=tool.schema, annotations=hints
                )
                for name, tool in TOOLS.items()
            ]
        )

    async def call_tool(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        async with one:
            text, failed = await anyio.to_thread.run_sync(answer, source, params.name, params.arguments or {})
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=failed)

    return Server(
        "predicat",
        version=version("predicat"),
        instructions=instructions(),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def serve_stdio(source: CatalogSource) -> None:
    """Serve until standard input ends."""
    server = create(source)

    async def run() -> None:
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    anyio.run(run)


def listen(host: str, port: int) -> socket.socket:
    """A socket on an address of this machine alone; port 0 is any that is free. Raises PredicatError."""
    if host not in LOOPBACK:
        raise PredicatError.of(say.not_loopback(host))
    try:
        return socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=64
        )
    except OSError as error:
        raise PredicatError.of(
            say.port_taken(f"{LOOPBACK[host]}:{port}", error.strerror or str(error))
        ) from None


def address(listening: socket.socket, host: str) -> str:
    """The URL of a server that listens on a socket."""
    return f"http://{LOOPBACK[host]}:{listening.getsockname()[1]}/mcp"


def serve_http(source: CatalogSource, listening: socket.socket) -> None:
    """Serve HTTP until the process is told to end. A request whose Host or Origin is another than this server
    is refused, so that no web page reaches it by a name of its own.
    """
    import uvicorn  # noqa: PLC0415  # only for HTTP

    port = listening.getsockname()[1]
    names = [f"{name}:{port}" for name in LOOPBACK.values()]
    security = TransportSecuritySettings(
        allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names]
    )
    app = create(source).streamable_http_app(
        json_response=True,
        stateless_http=True,
        max_request_body_size=_MOST_BYTES,
        transport_security=security,
    )
    config = uvicorn.Config(app, log_level="warning", access_log=False)
    uvicorn.Server(config).run(sockets=[listening])
