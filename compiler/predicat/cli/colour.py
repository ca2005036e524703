"""Colours of problems, on a terminal only. NO_COLOR turns them off, FORCE_COLOR on (https://no-color.org)."""

from __future__ import annotations

import os
import re

import click

_HEAD = re.compile(r"^(error|warning|note)(\[[^\]]*\])?(: .*)$")
_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}
_PLACE = re.compile(r"^( *--> )(.*)$")
_GUTTER = re.compile(r"^( *[0-9]* \|)(.*)$")
_HINT = re.compile(r"^( *= hint:)(.*)$")


def wanted() -> bool | None:
    """Whether output is coloured; None: where it is a terminal."""
    if os.environ.get("NO_COLOR"):
        return False
    return True if os.environ.get("FORCE_COLOR") else None


def tell(text: str) -> None:
    """Print rendered problems to standard error."""
    click.echo(painted(text), err=True, color=wanted())


def painted(text: str) -> str:
    """Rendered problems with colours: the severity, places, line numbers, carets and hints."""
    lines: list[str] = []
    colour = _COLOURS["error"]
    for line in text.split("\n"):
        if head := _HEAD.match(line):
            colour = _COLOURS[head[1]]
            lines.append(
                click.style(head[1] + (head[2] or ""), fg=colour, bold=True) + click.style(head[3], bold=True)
            )
        elif place := _PLACE.match(line):
            lines.append(click.style(place[1], fg="blue") + place[2])
        elif gutter := _GUTTER.match(line):
            shown = (
                click.style(gutter[2], fg=colour, bold=True) if set(gutter[2]) <= set(" \t^") else gutter[2]
            )
            lines.append(click.style(gutter[1], fg="blue") + shown)
        elif hint := _HINT.match(line):
            lines.append(click.style(hint[1], fg="cyan") + hint[2])
        else:
            lines.append(line)
    return "\n".join(lines)
