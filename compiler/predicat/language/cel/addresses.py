"""Kubernetes' URLs, IP addresses and networks: strings that match a grammar, and their parts. A string that
does not match is an error.

Sources: Kubernetes, "CEL in Kubernetes", URL, IP address and CIDR libraries; Go, net/url (ParseRequestURI)
and net/netip, which these libraries call.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import NoReturn

from predicat.diagnostics import PredicatError, Span
from predicat.diagnostics import messages as msg
from predicat.ir import syntax as t
from predicat.language.common.trees import (
    Build,
    Methods,
    any_of,
    apply,
    cast_to,
    choose,
    constant,
    let,
    nothing,
    number,
    of_text,
    plus,
    text,
)
from predicat.semantics import cidr

Args = tuple[t.Tree, ...]

_SCHEME = "[A-Za-z][A-Za-z0-9+.-]*"
_ESCAPE = "%[0-9A-Fa-f]{2}"
_USER = rf"(?:(?:[A-Za-z0-9._~!$&'()*+,;=:-]|{_ESCAPE})*@)?"
_NAME = r"[A-Za-z0-9._~!$&'()*+,;=<>\"\x{80}-\x{10FFFF}-]"
_HOST = rf"(?:\[[0-9A-Fa-f:.]*\]|{_NAME}*)(?::[0-9]*)?"
_PATH = rf"(?:[^\x01-\x1f\x7f?%]|{_ESCAPE})*"
_ANY = r"[^\x01-\x1f\x7f]*"
# A host with a scheme, an absolute path, and what has neither (`//x`, `mailto:x`, `*`).
URL = [
    rf"^{_SCHEME}://{_USER}{_HOST}(?:/{_PATH})?(?:\?{_ANY})?$",
    rf"^(?:{_SCHEME}:)?(?:/(?:[^\x01-\x1f\x7f?%/]|{_ESCAPE}){_PATH}|/)(?:\?{_ANY})?$",
    rf"^(?://{_PATH}(?:\?{_ANY})?|{_SCHEME}:(?:[^\x01-\x1f\x7f/]{_ANY})?|\*)$",
]
# Paths that are their own escaped form.
_PLAIN_PATH = rf"^(?:[A-Za-z0-9/._~!$&'()*+,;=:@\[\]-]|{_ESCAPE})*$"

_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_V4 = rf"(?:{_OCTET}\.){{3}}{_OCTET}"
_H = "[0-9A-Fa-f]{1,4}"
_V6 = "|".join(
    [
        f"(?:{_H}:){{7}}(?:{_H}|:)",
        *(f"(?:{_H}:){{{left}}}(?:(?::{_H}){{1,{7 - left}}}|:)" for left in range(6, 0, -1)),
        f":(?:(?::{_H}){{1,7}}|:)",
    ]
)
_BEFORE_V4 = [
    f"(?:{_H}:){{6}}",
    *(f"(?:{_H}:){{{left}}}(?::{_H}){{0,{5 - left}}}:" for left in range(5, 0, -1)),
    f":(?::{_H}){{0,5}}:",
]
_V6_DOTTED = f"(?:{'|'.join(_BEFORE_V4)}){_V4}"
# The addresses of each version, with the zones of version 6.
IP = {4: f"^{_V4}$", 6: rf"^(?:{_V6}|{_V6_DOTTED})(?:%[^\x00]+)?$"}
# IPv4 addresses in IPv6, which these libraries refuse.
_MAPPED = (
    r"^(?:(?:0{1,4}:){5}|(?:(?:0{1,4}:){0,4}0{1,4})?::(?:0{1,4}:){0,4})[Ff]{4}:"
    rf"(?:{_V4}|{_H}:{_H})$"
)

# Variables that nobody can write.
_TEXT, _PARTS, _REST = "a string", "its parts", "the rest"


def _matches(value: t.Tree, patterns: list[str], span: Span) -> t.Tree:
    return any_of(tuple(apply("matches", span, value, text(pattern, span)) for pattern in patterns), span)


def _known(test: Callable[[t.Tree, Span], t.Tree], build: Callable[[t.Tree, Span], t.Tree]) -> Build:
    """A function of a string that passes a test. For any other string it is an error (UNKNOWN)."""
    return lambda args, span: let(
        _TEXT, args[0], lambda value: choose(test(value, span), build(value, span), nothing(span), span), span
    )


# --- URLs


def _is_url(value: t.Tree, span: Span) -> t.Tree:
    return _matches(value, URL, span)


def _piece(value: t.Tree, by: str, place: int, span: Span) -> t.Tree:
    return apply("bracket", span, apply("split", span, value, text(by, span)), number(place, span))


def _last_piece(value: t.Tree, by: str, span: Span) -> t.Tree:
    def last(parts: t.Tree) -> t.Tree:
        return apply("bracket", span, parts, plus(apply("size", span, parts), -1, span))

    return let(_PARTS, apply("split", span, value, text(by, span)), last, span)


def _scheme(value: t.Tree, span: Span) -> t.Tree:
    named = apply("matches", span, value, text(f"^{_SCHEME}:", span))
    return choose(named, apply("lower", span, _piece(value, ":", 0, span)), text("", span), span)


def _host(value: t.Tree, span: Span) -> t.Tree:
    """The host: from `//`, or the `@` after a user, to the next slash."""
    authority = _piece(_piece(value, "?", 0, span), "/", 2, span)
    return choose(
        apply("matches", span, value, text(f"^{_SCHEME}://", span)),
        _last_piece(authority, "@", span),
        text("", span),
        span,
    )


def _host_name(value: t.Tree, span: Span) -> t.Tree:
    def build(host: t.Tree) -> t.Tree:
        inside = _piece(apply("substr", span, host, number(2, span)), "]", 0, span)
        return choose(
            apply("starts_with", span, host, text("[", span)), inside, _piece(host, ":", 0, span), span
        )

    return let(_REST, _host(value, span), build, span)


def _port(value: t.Tree, span: Span) -> t.Tree:
    def build(rest: t.Tree) -> t.Tree:
        return choose(
            apply("contains", span, rest, text(":", span)), _last_piece(rest, ":", span), text("", span), span
        )

    return let(_REST, _last_piece(_host(value, span), "]", span), build, span)


def _path(value: t.Tree, span: Span) -> t.Tree:
    """The path. A path with characters that need escaping is an error."""
    plain = _piece(value, "?", 0, span)
    slash, colon = text("/", span), text(":", span)

    def behind_host(parts: t.Tree) -> t.Tree:
        more = apply("gt", span, apply("size", span, parts), number(3, span))
        return choose(
            more,
            apply("add", span, slash, apply("bracket", span, parts, number(3, span))),
            text("", span),
            span,
        )

    with_host = let(_PARTS, apply("split", span, plain, slash, number(4, span)), behind_host, span)
    behind_scheme = apply("substr", span, plain, plus(apply("position", span, plain, colon), 1, span))
    opaque = apply("matches", span, value, text(f"^{_SCHEME}:(?:[^/]|$)", span))
    named = choose(
        opaque,
        text("", span),
        choose(apply("matches", span, value, text(f"^{_SCHEME}://", span)), with_host, behind_scheme, span),
        span,
    )
    tree = choose(apply("matches", span, value, text(f"^{_SCHEME}:", span)), named, plain, span)
    return let(
        _REST,
        tree,
        lambda path: choose(apply("matches", span, path, text(_PLAIN_PATH, span)), path, nothing(span), span),
        span,
    )


# --- addresses


def _is_ip(value: t.Tree, span: Span) -> t.Tree:
    if (known := constant(value)) is not None:
        return t.Constant(_address(known) is not None, span)
    own = apply(
        "and",
        span,
        _matches(value, [f"^(?:{_V6})$", f"^{_V6_DOTTED}$"], span),
        apply("not", span, apply("matches", span, value, text(_MAPPED, span))),
    )
    return apply("or", span, apply("matches", span, value, text(f"^{_V4}$", span)), own)


def _address(value: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(value)
    except ValueError:
        return None
    return None if "%" in value or (address.version == 6 and address.ipv4_mapped is not None) else address


def _is_cidr(value: t.Tree, span: Span) -> t.Tree:
    four, six = "/(?:3[0-2]|[12]?[0-9])", "/(?:12[0-8]|1[01][0-9]|[1-9]?[0-9])"
    return _matches(value, [f"^{_V4}{four}$", f"^(?:{_V6}){six}$", f"^{_V6_DOTTED}{six}$"], span)


def _family(value: t.Tree, span: Span) -> t.Tree:
    return choose(apply("contains", span, value, text(":", span)), number(6, span), number(4, span), span)


def _in_networks(*names: str) -> Callable[[t.Tree, Span], t.Tree]:
    return lambda value, span: _matches(
        value, [pattern for name in names for pattern in cidr.patterns(name)], span
    )


_LOCAL = _in_networks("169.254.0.0/16", "fe80::/10")
_LOOPBACK = _in_networks("127.0.0.0/8", "::1/128")
_UNSPECIFIED = _in_networks("0.0.0.0/32", "::/128")
_ANY_MULTICAST = _in_networks("224.0.0.0/4", "ff00::/8", "255.255.255.255/32")


def _is_global(value: t.Tree, span: Span) -> t.Tree:
    return apply(
        "not",
        span,
        apply("or", span, *(test(value, span) for test in (_UNSPECIFIED, _LOOPBACK, _LOCAL, _ANY_MULTICAST))),
    )


def _network(tree: t.Tree) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    """The network of a constant. Raises PredicatError if the argument is not a constant, or not a network."""
    written = constant(tree)
    if written is None:
        raise PredicatError.of(msg.not_constant(tree.span, "cidr", "network"))
    address, _, length = written.rpartition("/")
    try:
        return (
            ipaddress.ip_network((address, int(length)), strict=False)
            if _address(address) and length.isdecimal()
            else _no_network(tree, written)
        )
    except ValueError:
        return _no_network(tree, written)


def _no_network(tree: t.Tree, written: str) -> NoReturn:
    raise PredicatError.of(msg.bad_constant(tree.span, "network", written, "10.0.0.0/8"))


def _contains_ip(args: Args, span: Span) -> t.Tree:
    """Whether an address, in any spelling, is in a constant network."""
    patterns = cidr.patterns(str(_network(args[0])))
    return _known(_is_ip, lambda value, at: _matches(value, patterns, at))((args[1],), span)


def _contains_cidr(args: Args, span: Span) -> t.Tree:
    outer, inner = map(_network, args)
    return t.Constant(outer.version == inner.version and inner.subnet_of(outer), span)  # type: ignore[arg-type]


def _in_range(args: Args, span: Span) -> t.Tree:
    """Cerbos: whether an address is one of a network."""
    return _contains_ip(args[::-1], span)


def _prefix_length(args: Args, span: Span) -> t.Tree:
    return _known(_is_cidr, lambda value, at: cast_to("to_int", _piece(value, "/", 1, at), at))(args, span)


def _test(test: Callable[[t.Tree, Span], t.Tree]) -> tuple[tuple[int, ...], Build]:
    return (1,), lambda args, span: test(args[0], span)


def _part(
    test: Callable[[t.Tree, Span], t.Tree], build: Callable[[t.Tree, Span], t.Tree]
) -> tuple[tuple[int, ...], Build]:
    return (0,), _known(test, build)


FUNCTIONS: Methods = of_text({"isURL": _test(_is_url), "isIP": _test(_is_ip), "isCIDR": _test(_is_cidr)})
METHODS: Methods = of_text(
    {
        "inIPAddrRange": ((1,), _in_range),
        "in_cidr": ((1,), _in_range),  # OpenFGA
    }
)
# What may follow `url(x)`, `ip(x)` and `cidr(x)`, which are no values of their own. An argument may be
# one of them too.
VALUES: dict[str, Methods] = {
    "url": of_text(
        {
            "getScheme": _part(_is_url, _scheme),
            "getHost": _part(_is_url, _host),
            "getHostname": _part(_is_url, _host_name),
            "getPort": _part(_is_url, _port),
            "getEscapedPath": _part(_is_url, _path),
        }
    ),
    "ip": of_text(
        {
            "family": _part(_is_ip, _family),
            "isUnspecified": _part(_is_ip, _UNSPECIFIED),
            "isLoopback": _part(_is_ip, _LOOPBACK),
            "isLinkLocalUnicast": _part(_is_ip, _LOCAL),
            "isLinkLocalMulticast": _part(_is_ip, _in_networks("224.0.0.0/24", "ff02::/16")),
            "isGlobalUnicast": _part(_is_ip, _is_global),
        }
    ),
    # OpenFGA's name of an address.
    "ipaddress": of_text({"in_cidr": ((1,), _in_range)}),
    "cidr": {
        "containsIP": ((1,), _contains_ip),
        "containsCIDR": ((1,), _contains_cidr),
        "prefixLength": ((0,), _prefix_length),
    },
}
