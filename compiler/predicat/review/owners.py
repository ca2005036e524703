"""Generates CODEOWNERS from the owners of filters."""

from predicat.catalog.model import Catalog

HEAD = "# Written by `predicat owners` from the owners of filters.\n"


def codeowners(catalog: Catalog) -> str:
    """A line for each catalog file: its path, and the owners of the filters that it defines (GitHub and
    GitLab read it).
    """
    files: dict[str, dict[str, None]] = {}
    for filter_ in catalog.filters():
        outer = filter_.span.outermost().source.name
        if filter_.owner:
            files.setdefault(outer, {}).setdefault(filter_.owner)
    return HEAD + "".join(
        f"/{name.replace(' ', chr(92) + ' ')} {' '.join(sorted(owners))}\n"
        for name, owners in sorted(files.items())
    )
