"""IP networks as regular expressions: whether a string is an address of a network, in any of its spellings.

Sources: RFC 4632 (networks), RFC 4291 section 2.2 (the text form of IPv6 addresses: groups of up to four
hexadecimal digits, `::` for one or more groups of zeros, the last two groups as an IPv4 address).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from predicat.semantics.regex import MAX_PATTERN

_ANY = "[0-9A-Fa-f]{1,4}"
_OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_GROUPS = 8
_DIGIT = "[0-9A-Fa-f]"


def patterns(network: str) -> list[str]:
    """RE2 patterns of limited length. A string is an address of the network if one of them matches it.
    Raises ValueError.
    """
    network_ = ipaddress.ip_network(network, strict=False)
    bounds = list(zip(network_.network_address.packed, network_.broadcast_address.packed, strict=True))
    if network_.version == 4:
        return [f"^{_dotted(bounds)}$"]
    packed = [""]
    for text in _spellings(bounds):
        if packed[-1] and len(packed[-1]) + len(text) > MAX_PATTERN - len("^(?:|)$"):
            packed.append("")
        packed[-1] += f"|{text}" if packed[-1] else text
    return [f"^(?:{text})$" for text in packed]


def _dotted(bounds: list[tuple[int, int]]) -> str:
    """The pattern of IPv4 addresses whose bytes lie within bounds."""
    return r"\.".join(map(_octet, bounds))


def _octet(bounds: tuple[int, int]) -> str:
    low, high = bounds
    if bounds == (0, 255):
        return _OCTET
    return str(low) if low == high else f"(?:{'|'.join(map(str, range(low, high + 1)))})"


def _spellings(bounds: list[tuple[int, int]]) -> Iterator[str]:
    """The patterns of IPv6 addresses whose bytes lie within bounds: all groups, or some on the left and some
    on the right of `::`.
    """
    groups = [
        _group(high[0] << 8 | low[0], high[1] << 8 | low[1])
        for high, low in zip(bounds[::2], bounds[1::2], strict=True)
    ]
    zero = [high[0] == low[0] == 0 for high, low in zip(bounds[::2], bounds[1::2], strict=True)]
    fixed = sum(group != _ANY for group in groups)
    tail = _dotted(bounds[-4:])
    yield _right(groups, 0, tail)
    for left in range(_GROUPS):
        head = ":".join(groups[:left]) + "::"
        free = min(_GROUPS - 1 - left, _GROUPS - fixed)
        if all(zero[left:fixed]):
            yield head + _up_to(free, tail)
        for count in range(free + 1, _GROUPS - left):
            if all(zero[left : _GROUPS - count]):
                yield head + _right(groups, _GROUPS - count, tail)


def _right(groups: list[str], first: int, tail: str) -> str:
    """The pattern of the groups from `first` on, the last two in both spellings."""
    whole = ":".join(groups[first:])
    return whole if len(groups) - first < 2 else f"(?:{whole}|{':'.join([*groups[first:-2], tail])})"


def _up_to(count: int, tail: str) -> str:
    """The pattern of at most `count` groups of any value."""
    if count == 0:
        return ""
    plain = f"(?:{_ANY}(?::{_ANY}){{0,{count - 1}}})?"
    return plain if count < 2 else f"(?:{plain}|(?:{_ANY}:){{0,{count - 2}}}{tail})"


def _group(low: int, high: int) -> str:
    """The pattern of a group within bounds that share their first bits. Leading zeros are optional."""
    if (low, high) == (0, 0xFFFF):
        return _ANY
    digits = [_digit(low >> shift & 15, high >> shift & 15) for shift in (12, 8, 4, 0)]
    zeros = next((place for place, digit in enumerate(digits[:3]) if digit != "0"), 3)
    least = max(len(f"{low:x}"), 1)
    shown = "|".join("".join(digits[-count:]) for count in range(4 - zeros, least - 1, -1))
    return (f"0{{0,{zeros}}}" if zeros else "") + (f"(?:{shown})" if "|" in shown else shown)


def _digit(low: int, high: int) -> str:
    if (low, high) == (0, 15):
        return _DIGIT
    result = "".join(f"{value:x}" if value < 10 else f"{value:x}{value:X}" for value in range(low, high + 1))
    return result if len(result) == 1 else f"[{result}]"
