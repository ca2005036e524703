"""The comments of a pull request, as GitHub and GitLab serve them, on this machine."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

SHAPES = {
    "github": (
        re.compile(r"/repos/o/r/issues/7/comments"),
        re.compile(r"/repos/o/r/issues/comments/(\d+)"),
        "PATCH",
    ),
    "gitlab": (
        re.compile(r"/projects/11/merge_requests/7/notes"),
        re.compile(r"/projects/11/merge_requests/7/notes/(\d+)"),
        "PUT",
    ),
}


class Forge(ThreadingHTTPServer):
    """A host with one pull request. `refusals` are answers (status, headers) given first; `read_only`
    refuses what writes.
    """

    daemon_threads = True

    def __init__(self, kind: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.kind, self.comments, self.requests = kind, list[dict[str, Any]](), list[tuple[str, str, Any]]()
        self.refusals: list[tuple[int, dict[str, str]]] = []
        # Answers to lose after the work was done.
        self.lose: int = 0
        self.read_only = False
        self.token = "s3cret"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def add(self, body: str, name: str) -> dict[str, Any]:
        item = {
            "id": 1000 + len(self.comments),
            "body": body,
            "html_url": f"{self.url}/c/{1000 + len(self.comments)}",
            "user": {"login": name, "type": "Bot" if name.endswith("[bot]") else "User"},
            "author": {"username": name},
        }
        self.comments.append(item)
        return item

    def ours(self) -> list[str]:
        return [
            item["body"]
            for item in self.comments
            if item["user"]["login"] in ("github-actions[bot]", "project_11_bot")
        ]

    def written(self) -> list[str]:
        """The methods of the requests that write."""
        return [method for method, _, _ in self.requests if method != "GET"]


class _Handler(BaseHTTPRequestHandler):
    server: Forge

    def do_GET(self) -> None:
        self._serve(None)

    def do_POST(self) -> None:
        self._serve(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    do_PATCH = do_PUT = do_POST  # noqa: N815  # http.server's names

    def _serve(self, data: Any) -> None:
        forge = self.server
        forge.requests.append((self.command, self.path, data))
        known, one, update = SHAPES[forge.kind]
        address = urlsplit(self.path)
        given = (
            self.headers.get("Authorization", "").removeprefix("Bearer ")
            if forge.kind == "github"
            else self.headers.get("PRIVATE-TOKEN")
        )
        if forge.refusals:
            status, headers = forge.refusals.pop(0)
            return self._answer(status, {"message": "not now"}, **headers)
        if given != forge.token:
            return self._answer(401, {"message": "Bad credentials"})
        if address.path == "/user":
            return (
                self._answer(403, {"message": "Resource not accessible by integration"})
                if forge.kind == "github"
                else self._answer(200, {"username": "project_11_bot"})
            )
        if self.command != "GET" and forge.read_only:
            return self._answer(403, {"message": "Resource not accessible by integration"})
        if known.fullmatch(address.path):
            if self.command == "POST":
                return self._answer(
                    201,
                    forge.add(
                        data["body"], "github-actions[bot]" if forge.kind == "github" else "project_11_bot"
                    ),
                )
            query = parse_qs(address.query)
            size, page = int(query["per_page"][0]), int(query["page"][0])
            more = (
                {"Link": f'<{forge.url}{known.pattern}?page={page + 1}>; rel="next"'}
                if page * size < len(forge.comments)
                else {}
            )
            return self._answer(200, forge.comments[(page - 1) * size : page * size], **more)
        if (found := one.fullmatch(address.path)) and self.command == update:
            item = forge.comments[int(found[1]) - 1000]
            item["body"] = data["body"]
            return self._answer(200, item)
        return self._answer(404, {"message": "Not Found"})

    def _answer(self, status: int, data: Any, **headers: str) -> None:
        if self.server.lose and self.command == "POST" and status == 201:
            self.server.lose -= 1
            return self.connection.close()
        body = json.dumps(data).encode()
        self.send_response(status)
        for key, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(key.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)
        return None

    def log_message(self, *args: Any) -> None:
        """Nothing."""


@contextmanager
def forge(kind: str) -> Iterator[Forge]:
    """A host that serves until the end of the block."""
    with Forge(kind) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
