"""The real server, asked by the client of the official package, over standard input and over HTTP."""

import asyncio
import http.client
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from predicat.agents.pages import MOST
from predicat.agents.tools import TOOLS
from predicat.diagnostics import PredicatError
from tests.agents.test_tools import CALLS
from tests.processes import completed, in_process

pytest.importorskip("mcp")

CATALOG = Path(__file__).parent / "catalog.yml"
COMMAND = ["-m", "predicat", "mcp", "--catalog", str(CATALOG)]
INITIALIZE = (
    '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",'
    ' "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}'
)


async def asked(target: Any) -> dict[str, str]:
    """What the server says of itself, and the answers of all calls."""
    from mcp import Client

    async with Client(target) as client:
        listed = await client.list_tools()
        assert {tool.name for tool in listed.tools} == set(TOOLS)
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in listed.tools)
        texts = {}
        for name, arguments in [*CALLS, ("match_where", {"where": "status ="}), ("nope", {})]:
            result = await client.call_tool(name, arguments)
            (content,) = result.content
            assert content.type == "text" and len(content.text.encode()) <= MOST
            texts[f"{name} {result.is_error}"] = content.text
        return texts


def check(texts: dict[str, str]) -> None:
    assert "same: orders.cancelled" in texts["match_where False"] or "narrower" in texts["match_where False"]
    assert "error[syntax]" in texts["match_where True"] and "-->" in texts["match_where True"]
    assert "unknown-tool" in texts["nope True"]
    assert not [text for text in texts.values() if "Traceback" in text]


@pytest.mark.slow
def test_standard_input_and_output() -> None:
    from mcp.client.stdio import StdioServerParameters, stdio_client

    server = StdioServerParameters(command=sys.executable, args=COMMAND, env=dict(os.environ))
    check(asyncio.run(asked(stdio_client(server))))


@pytest.fixture
def address() -> Iterator[str]:
    with subprocess.Popen(
        [sys.executable, *COMMAND, "--http", "0"], stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr is not None
        yield server.stderr.readline().strip()
        server.terminate()


@pytest.mark.slow
def test_http(address: str) -> None:
    check(asyncio.run(asked(address)))
    place = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/mcp", address)
    assert place is not None
    port = int(place[1])

    def status(**headers: str) -> int:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        connection.request("POST", "/mcp", INITIALIZE, {**sent, **headers})
        return connection.getresponse().status

    assert status() == 200
    assert status(Origin=f"http://localhost:{port}") == 200
    # A name that resolves to this machine, a page of another site, another port.
    assert status(Host=f"rebound.example:{port}") == 421
    assert status(Host="127.0.0.1:1") == 421
    assert status(Origin="https://example.com") == 403
    assert status(Origin="null") == 403
    assert status(Origin=f"http://127.0.0.1.example.com:{port}") == 403
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("POST", "/mcp", "x" * 300_000, {"Content-Type": "application/json"})
    assert connection.getresponse().status == 413


@pytest.mark.slow
def test_the_start_takes_less_than_a_second_of_the_processor(tmp_path: Path) -> None:
    """Neither the catalog nor the solver is loaded before the first question."""
    program = """if True:
        import sys, time
        from predicat.agents import server, tools
        loaded = [name for name in ("z3", "sqlglot", "yaml") if name in sys.modules]
        print(time.process_time(), *loaded)
    """
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    shown = [completed([sys.executable, "-c", program], env=environment) for _ in range(4)]
    assert not [done.stderr for done in shown if done.returncode]
    first = shown[1].stdout.split()
    assert first[1:] == [] and min(float(done.stdout) for done in shown[1:]) < 1.0


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.0.1", "example.com", "", "::", "127.0.0.2"])
def test_other_addresses_are_refused(host: str) -> None:
    from predicat.agents.server import listen

    with pytest.raises(PredicatError, match="not an address of this machine alone"):
        listen(host, 0)


def test_a_port_that_is_taken() -> None:
    from predicat.agents.server import listen

    with listen("127.0.0.1", 0) as first, pytest.raises(PredicatError, match="cannot listen on"):
        listen("127.0.0.1", first.getsockname()[1])


def test_the_command(tmp_path: Path) -> None:
    done = in_process("mcp", "--skill", cwd=tmp_path)
    assert done.returncode == 0 and done.stdout.startswith("---\nname: predicat-filters\n")
    done = in_process("mcp", "--catalog", "nope", cwd=tmp_path)
    assert done.returncode == 2 and "there is no folder nope" in done.stderr
    done = in_process("mcp", "--catalog", str(CATALOG), "--http", "0", "--host", "0.0.0.0", cwd=tmp_path)
    assert done.returncode == 2 and "not an address of this machine alone" in done.stderr
