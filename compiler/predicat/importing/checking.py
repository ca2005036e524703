"""Whether filters that were found can be read: each is checked as a catalog checks it, with problems told
by their place in the manifest.
"""

from collections.abc import Iterable

from msgspec import Struct

from predicat.api import declared
from predicat.check.resolve import check
from predicat.check.scope import Scope
from predicat.diagnostics import Diagnostic, PredicatError
from predicat.diagnostics.messages import importing as say
from predicat.importing.model import Findings, ImportedFilter, SkippedPart
from predicat.ir.nodes import ParamDecl, fields_of
from predicat.ir.types import STRING
from predicat.language import LANGUAGES
from predicat.language.common.body import Body
from predicat.lower import core

# Filters with the fields that they read.
Accepted = tuple[tuple[ImportedFilter, tuple[str, ...]], ...]


class Checked(Struct, frozen=True):
    """The filters that can be written with the fields that they read, those that are refused, and the
    problems of these.
    """

    accepted: Accepted
    refused: tuple[SkippedPart, ...]
    problems: tuple[Diagnostic, ...]


def checked(findings: Findings) -> Checked:
    """Checks every filter, also after a problem of another."""
    accepted: list[tuple[ImportedFilter, tuple[str, ...]]] = []
    refused: dict[tuple[str, str], SkippedPart] = {}
    problems: list[Diagnostic] = list(findings.problems)
    for entry in findings.imported:
        broken = [name for name in entry.uses if (entry.rows.name, name) in refused]
        try:
            fields = () if entry.uses else tuple(_fields(entry))
            if not broken:
                accepted.append((entry, fields))
                continue
            reason = say.composed_of(", ".join(broken))
        except PredicatError as error:
            problems.extend(error.diagnostics)
            reason = error.diagnostics[0].message
        refused[entry.rows.name, entry.name] = SkippedPart(f"{entry.title}, {entry.path}", reason, entry.span)
    return Checked(tuple(accepted), tuple(refused.values()), tuple(problems))


def _fields(entry: ImportedFilter) -> Iterable[str]:
    """The fields that a filter reads. Raises PredicatError."""
    language = LANGUAGES[entry.language]
    fields = declared(entry.rows.fields)
    params = {
        name: ParamDecl(name, STRING, given.default, given.default is None)
        for name, given in entry.params.items()
    }
    body = Body(entry.body, entry.source or entry.span.source, entry.span, entry.on or language.on, fields)
    tree = language.read(body)
    scope = Scope(fields, params, placeholders=language.placeholders)
    return fields_of(core(check(tree, scope, language.rules)))
