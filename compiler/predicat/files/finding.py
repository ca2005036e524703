"""Finds bad cells again that an engine has counted, because an engine knows no lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from predicat.backends.sql.shown import value
from predicat.catalog.file_formats import FileFormat
from predicat.diagnostics.messages import tables as say
from predicat.files.bad_cells import SAMPLES, BadCells, Sample
from predicat.files.cells import Converter, shown
from predicat.files.records import records
from predicat.ir.nodes import FieldDecl
from predicat.ir.python_values import RowError


def samples(
    files: Iterable[str], form: FileFormat, columns: Mapping[str, FieldDecl], counts: Mapping[str, int]
) -> dict[str, list[Sample]]:
    """Some of the bad cells, with their places.

    Args:
        files: CSV or JSON files.
        form: How they are written.
        columns: The fields, by the name of their column.
        counts: How many bad cells there are of each field. The search ends when there are enough of each.
    """
    decls = {name.lower(): decl for name, decl in columns.items() if decl.name in counts}
    found = BadCells()
    for file in files:
        casts = {name: Converter(decl, form) for name, decl in decls.items()}
        for record in records(file, form):
            if record.wrong and say.RECORD in counts:
                found.add(say.RECORD, record.wrong, file, record.line)
            for column, cell in record.cells.items():
                if (decl := decls.get(column.lower())) is not None:
                    try:
                        casts[column.lower()](cell)
                    except RowError:
                        found.add(decl.name, value(decl, shown(cell)), file, record.line)
            if all(len(found.samples.get(name, ())) >= min(counts[name], SAMPLES) for name in counts):
                return found.samples
    return found.samples
