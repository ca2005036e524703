"""A small client for JSON APIs over HTTP, with timeouts, retries, and errors in one sentence."""

import json
import time
from collections.abc import Callable, Mapping
from email.message import Message
from http.client import HTTPException
from typing import Any, TypeVar
from urllib import error, request

from msgspec import Struct

from predicat.diagnostics.messages import review as say

_T = TypeVar("_T")

# How long one request may take.
_REQUEST_SECONDS = 20.0
# Bytes of an answer that are read.
_LARGEST = 20_000_000
# Status codes of troubles that pass. Source: RFC 9110, RFC 8470, RFC 6585.
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_FIRST_WAIT = 1.0


class ApiError(Exception):
    """Why a request failed, as one clause. `status` is the HTTP status, if there was a response; `wait` is
    the number of seconds to wait before a retry, None if a retry is useless.
    """

    def __init__(self, reason: str, status: int | None = None, wait: float | None = None) -> None:
        self.reason, self.status, self.wait = reason, status, wait
        super().__init__(reason)


class _NoRedirect(request.HTTPRedirectHandler):
    """Refuses redirects, which would send the token to another host."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> None:  # noqa: ARG002  # as the base class has it
        return None


class Api(Struct, frozen=True):
    """An API: the name of its host for people, its base URL, and the headers of every request (with the
    token).
    """

    host: str
    base: str
    headers: Mapping[str, str]

    def call(self, method: str, path: str, data: Mapping[str, Any] | None = None) -> tuple[Any, Message]:
        """The response to one request, and its headers. Raises ApiError."""
        if not self.base.startswith(("https://", "http://")):
            raise ApiError(say.no_address(self.base))
        body = None if data is None else json.dumps(data).encode()
        try:
            asked = request.Request(  # noqa: S310  # the address is checked above
                self.base + path, body, {"Content-Type": "application/json", **self.headers}, method=method
            )  # above
            with request.build_opener(_NoRedirect).open(asked, timeout=_REQUEST_SECONDS) as answer:
                text = answer.read(_LARGEST)
                is_json = "json" in answer.headers.get("Content-Type", "json")  # a webhook may answer "ok"
                return (json.loads(text) if text and is_json else None), answer.headers
        except error.HTTPError as answer:
            raise self._refused(answer) from None
        except (error.URLError, HTTPException, OSError) as problem:
            reason = problem.reason if isinstance(problem, error.URLError) else problem
            raise ApiError(say.not_reached(self.host, reason or type(problem).__name__), wait=0) from None
        except UnicodeError:
            raise ApiError(say.NOT_FOR_A_REQUEST) from None
        except ValueError as problem:  # an answer that is no JSON, or a token of several lines
            raise ApiError(say.not_used(self.host, type(problem).__name__)) from None

    def _refused(self, answer: error.HTTPError) -> ApiError:
        try:
            data = json.loads(answer.read(10_000))
            shown = data.get("message") or data.get("error") or answer.reason
        except (OSError, HTTPException, ValueError, AttributeError):
            shown = answer.reason
        reason = " ".join(f"{self.host} answers {answer.code} ({shown})".split())[:300]
        after = answer.headers.get("Retry-After", "")
        limited = answer.code == 403 and (bool(after) or answer.headers.get("X-RateLimit-Remaining") == "0")
        if answer.code not in _PASSING and not limited:
            return ApiError(reason, answer.code)
        return ApiError(reason, answer.code, float(after) if after.isdecimal() else 0)


def with_retries(work: Callable[[], _T], seconds: float, sleep: Callable[[float], None] = time.sleep) -> _T:
    """The result of some work, repeated after temporary failures: after 1, 2, 4, ... seconds or the time that
    the response requests, until `seconds` have passed. Raises ApiError.
    """
    end = time.monotonic() + seconds
    wait = _FIRST_WAIT
    while True:
        try:
            return work()
        except ApiError as problem:
            if problem.wait is None or time.monotonic() + max(wait, problem.wait) > end:
                raise
            sleep(max(wait, problem.wait))
            wait *= 2
