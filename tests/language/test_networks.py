"""Patterns of networks against Python's own reading of addresses, for addresses in all spellings and texts
that are none.
"""

from __future__ import annotations

import ipaddress
import os
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from predicat.semantics import automaton, cidr, regex

EXAMPLES = int(os.environ.get("PREDICAT_FUZZ_EXAMPLES", "1"))


@st.composite
def spellings(draw: Any, number: int) -> str:
    """One of the texts of an IPv6 address."""
    groups = [f"{number >> shift & 0xFFFF:x}" for shift in range(112, -1, -16)]
    groups = [
        draw(st.sampled_from([text, text.zfill(4), text.upper(), text.zfill(min(len(text) + 1, 4))]))
        for text in groups
    ]
    if draw(st.booleans()):
        groups[6:] = [str(ipaddress.IPv4Address(number & 0xFFFFFFFF))]
    runs = [
        (a, b)
        for a in range(len(groups))
        for b in range(a + 1, len(groups) + 1)
        if all(re.fullmatch("0+", text) for text in groups[a:b])
    ]
    if runs and draw(st.booleans()):
        first, last = draw(st.sampled_from(runs))
        return ":".join(groups[:first]) + "::" + ":".join(groups[last:])
    return ":".join(groups)


@st.composite
def cases(draw: Any) -> tuple[str, str]:
    """A network and a text: an address in it or near it, or something like an address."""
    bits = st.sampled_from([0, 0, 1, 0xDB8, 0xFFFF, 0x2001, 0x8000, 0xA0, *range(3)])
    number = sum(draw(st.one_of(bits, st.integers(0, 0xFFFF))) << shift for shift in range(0, 128, 16))
    length = draw(st.integers(0, 128))
    network = str(ipaddress.ip_network((number, length), strict=False))
    other = number ^ draw(st.sampled_from([0, 0, *(1 << place for place in range(128))]))
    text = draw(spellings(other))
    if draw(st.integers(0, 3)) == 0:
        place = draw(st.integers(0, len(text)))
        text = (
            text[:place]
            + draw(st.sampled_from(["", ":", "::", "0", "f", ".", "1.2.3.4", "g", "%1", " ", "\n"]))
            + text[place + draw(st.integers(0, 2)) :]
        )
    return network, text


def inside(text: str, network: str) -> bool:
    try:
        return "%" not in text and ipaddress.ip_address(text) in ipaddress.ip_network(network)
    except ValueError:
        return False


@pytest.mark.long
@settings(max_examples=200 * EXAMPLES, deadline=None, derandomize="PREDICAT_FUZZ_EXAMPLES" not in os.environ)
@given(cases())
def test_patterns_say_what_addresses_are(case: tuple[str, str]) -> None:
    network, text = case
    hits = [pattern for pattern in cidr.patterns(network) if automaton.searcher(pattern)(text)]
    assert bool(hits) == inside(text, network), hits


@pytest.mark.parametrize(
    "network",
    [
        "::/0",
        "2001:db8::/33",
        "::1/128",
        "fe80::/10",
        "::ffff:10.0.0.0/104",
        "a:b:c:d:e:f:1:2/127",
        "10.1.0.0/13",
    ],
)
def test_patterns_are_short(network: str) -> None:
    assert max(map(len, cidr.patterns(network))) <= regex.MAX_PATTERN
