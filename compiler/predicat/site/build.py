"""Builds the site: an index with a search, a page for each dataset, a page for each filter."""

import itertools
import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from predicat import backends
from predicat.catalog.manifest import build_manifest
from predicat.catalog.model import Catalog, Filter
from predicat.diagnostics import extras
from predicat.diagnostics.wording import quantity
from predicat.diagnostics.writing import write_text
from predicat.explain.show import row_text
from predicat.explain.text import pushdown, tree
from predicat.site.graph import Entry, Graph, graph
from predicat.site.trend import trend
from predicat.site.uses import uses

HERE = Path(__file__).parent
_LEXERS = {
    **dict.fromkeys(backends.DIALECTS, "sql"),
    "sql": "sql",
    "python": "python",
    "cesql": "sql",
    "jms": "sql",
    "cel": "javascript",
}
Changes = Mapping[str, Sequence[Any]]
Advance = Callable[[int], object]
Report = Mapping[str, Mapping[str, Any]]
History = Mapping[str, Sequence[Mapping[str, Any]]]
# The number of characters of a condition that the search knows.
_SEARCHED = 1000


def build(
    catalog: Catalog,
    out: Path,
    *,
    proofs: bool = True,
    coverage: Report | None = None,
    history: History | None = None,
    released: Collection[str] | None = None,
    changes: Changes | None = None,
    advance: Advance = lambda _: None,
) -> int:
    """Write the site into a folder; returns the number of its pages.

    `proofs` compares each version with the one before it. `coverage` are figures of a quality report by
    filter, `history` the results of all runs by filter, the oldest first. `released` are the names of
    filters that were released; None without a lock file. `changes` are the last changes of each filter, the
    newest first (`review.history.Change`).
    """
    manifest = build_manifest(catalog)
    site = _Site(catalog, manifest, proofs, coverage or {}, history or {}, released, changes or {})
    pages = 0
    for name, text in site.shared():
        write_text(out / name, text)
    for dataset in catalog.datasets.values():
        write_text(out / "datasets" / f"{dataset.name}.html", site.dataset(dataset.name))
        pages += 1
    for filter_ in catalog.filters():
        write_text(out / "filters" / f"{filter_.qualified}.html", site.filter(filter_))
        pages += 1
        advance(1)
    write_text(out / "index.html", site.index())
    kept = {f"{filter_.qualified}.html" for filter_ in catalog.filters()} | {
        f"{name}.html" for name in catalog.datasets
    }
    for old in (*(out / "filters").glob("*.html"), *(out / "datasets").glob("*.html")):
        if old.name not in kept:
            old.unlink()
    return pages + 1


class _Site:
    def __init__(
        self,
        catalog: Catalog,
        manifest: dict[str, Any],
        proofs: bool,
        coverage: Report,
        history: History,
        released: Collection[str] | None,
        changes: Changes,
    ) -> None:
        self.catalog = catalog
        self.coverage = coverage
        self.history = history
        self.released = released
        self.changes = changes
        self.proofs = proofs and extras.installed("z3")
        self.versions: dict[str, list[dict[str, Any]]] = {}
        for version in manifest["filters"]:
            self.versions.setdefault(version["name"], []).append(version)
        self.users = _users(catalog)
        self.environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(HERE / "templates"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
            undefined=jinja2.StrictUndefined,
        )
        self.environment.globals.update(
            quantity=quantity,
            code=highlighted,
            datasets=list(catalog.datasets.values()),
            total=len(catalog.filters()),
        )

    def render(self, template: str, root: str, **values: Any) -> str:
        return self.environment.get_template(template).render(root=root, **values)

    def shared(self) -> list[tuple[str, str]]:
        files = [
            (f"assets/{file.name}", file.read_text(encoding="utf-8"))
            for file in sorted((HERE / "static").iterdir())
        ]
        entries = [
            {
                "n": filter_.qualified,
                "d": filter_.description,
                "o": filter_.owner,
                "t": list(filter_.tags),
                "l": filter_.current.language,
                "b": filter_.current.body[:_SEARCHED],
                "f": list(filter_.current.predicate.fields),
            }
            for filter_ in self.catalog.filters()
        ]
        entries += [
            {"n": name, "d": dataset.description, "k": "dataset"}
            for name, dataset in self.catalog.datasets.items()
        ]
        index = json.dumps(entries, ensure_ascii=True).replace("<", "\\u003c")
        return [
            *files,
            ("assets/search-index.js", f"window.PREDICAT_INDEX = {index};\n"),
            ("assets/code.css", style()),
        ]

    def index(self) -> str:
        owners: dict[str, int] = {}
        tags: dict[str, int] = {}
        for row in self.catalog.filters():
            owners[row.owner or "nobody"] = owners.get(row.owner or "nobody", 0) + 1
            for tag in row.tags:
                tags[tag] = tags.get(tag, 0) + 1
        return self.render(
            "index.html",
            "",
            owners=sorted(owners.items()),
            tags=sorted(tags.items()),
            attention=[(title, rows) for title, rows in self.attention().items() if rows],
        )

    def attention(self) -> dict[str, list[str]]:
        """The filters that somebody should look at, by the reason."""
        names = [filter_.qualified for filter_ in self.catalog.filters()]
        last = {name: runs[-1].get("status") for name, runs in self.history.items() if runs}
        released = names if self.released is None else self.released
        return {
            "Broken: a bound did not hold in the last run": [
                name for name in names if last.get(name) == "fail"
            ],
            "New: not released yet": [name for name in names if name not in released],
            "Unused: nothing in the catalog reads it": [name for name in names if name not in self.users],
        }

    def dataset(self, name: str) -> str:
        dataset = self.catalog.datasets[name]
        readers: dict[str, list[str]] = {}
        for filter_ in dataset.filters.values():
            for field in filter_.current.predicate.fields:
                readers.setdefault(field, []).append(filter_.name)
        return self.render(
            "dataset.html",
            "../",
            dataset=dataset,
            readers=readers,
            users=self.users_of_lists(name),
            coverage=self.coverage,
        )

    def users_of_lists(self, dataset: str) -> dict[str, list[str]]:
        """The filters that use each list of a dataset."""
        result: dict[str, list[str]] = {}
        for filter_ in self.catalog.filters():
            body = str(filter_.current.body)
            for name in self.catalog.datasets[dataset].lists:
                prefix = rf"(?:{re.escape(dataset)}\.){'?' if filter_.dataset == dataset else ''}"
                said = rf"""(?:\blist\(\s*['"]|\blists\.){prefix}{re.escape(name)}(?!\w)"""
                if re.search(said, body):
                    result.setdefault(name, []).append(filter_.qualified)
        return result

    def filter(self, filter_: Filter) -> str:
        predicate, dataset = filter_.current.predicate, self.catalog.datasets[filter_.dataset]
        storage = backends.stored("postgres", dataset.collation, dataset.indexes)
        return self.render(
            "filter.html",
            "../",
            row=filter_,
            version=filter_.current,
            versions=sorted(self.versions[filter_.qualified], key=lambda item: -item["version"]),
            tree=list(tree(predicate.surface)),
            pushdown=list(pushdown(predicate.surface, storage)),
            proofs=self.between(filter_),
            users=self.users.get(filter_.qualified, []),
            graph=self.graph(filter_),
            uses=list(uses(self.catalog, filter_)),
            place=_place(filter_),
            trend=trend(self.history.get(filter_.qualified, ())),
            tests=_tests(filter_),
            coverage=self.coverage.get(filter_.qualified),
            changes=self.changes.get(filter_.qualified, ()),
        )

    def graph(self, filter_: Filter) -> Graph:
        """The lineage graph of a filter."""
        fields: list[Entry] = [
            (name, "field", f"../datasets/{filter_.dataset}.html#field-{name}")
            for name in filter_.current.predicate.fields
        ]
        made: list[Entry] = [
            (name.partition("@")[0], "filter", f"{name.partition('@')[0]}.html")
            for name in filter_.current.references
        ]
        return graph(
            filter_.name,
            [*made, *fields],
            [(name, kind, link) for kind, name, link in self.users.get(filter_.qualified, [])],
        )

    def between(self, filter_: Filter) -> dict[int, dict[str, Any]]:
        """The changes of each version compared with the previous one."""
        numbers = sorted(filter_.versions)
        if not self.proofs or len(numbers) < 2:
            return {}
        from predicat.explain import show  # noqa: PLC0415  # needs z3
        from predicat.proof.compare import compare  # noqa: PLC0415  # as above

        result: dict[int, dict[str, Any]] = {}
        for before, after in itertools.pairwise(numbers):
            verdict = compare(
                filter_.versions[before].predicate,
                filter_.versions[after].predicate,
                on_unknown=(filter_.on_unknown, filter_.on_unknown),
                effort=1,
            )
            rows = [(what, show.witness_text(item, what)) for what, item in show.witnesses(verdict)]
            result[after] = {
                "before": before,
                "kind": show.title(verdict),
                "sentence": show.sentence(verdict),
                "rows": rows,
            }
        return result


def _place(filter_: Filter) -> str:
    """The file and line of a filter."""
    span = filter_.span.outermost()
    return f"{span.source.name}:{span.source.line_column(span.start)[0]}"


def _tests(filter_: Filter) -> list[tuple[str, str, str]]:
    shown = {True: "accepted", False: "rejected", None: "UNKNOWN"}
    return [(row_text(test.row), shown[test.matches], test.description) for test in filter_.tests]


def _users(catalog: Catalog) -> dict[str, list[tuple[str, str, str]]]:
    """The users of each filter: kind, name, link."""
    result: dict[str, list[tuple[str, str, str]]] = {}
    for filter_ in catalog.filters():
        for name in {
            reference.partition("@")[0]
            for version in filter_.versions.values()
            for reference in version.references
        }:
            result.setdefault(name, []).append(("filter", filter_.qualified, f"{filter_.qualified}.html"))
    for name, dataset in catalog.datasets.items():
        for group, spec in dataset.groups.items():
            for member in spec.filters:
                result.setdefault(f"{name}.{member.partition('@')[0]}", []).append(
                    ("group", group, f"../datasets/{name}.html#group-{group}")
                )
        for key, subscription in dataset.subscriptions.items():
            wanted = subscription.filter.partition("@")[0]
            qualified = wanted if "." in wanted else f"{name}.{wanted}"
            result.setdefault(qualified, []).append(
                ("subscription", key, f"../datasets/{name}.html#subscription-{key}")
            )
        if "postgres" in dataset.relation:
            for filter_ in dataset.filters.values():
                if filter_.has_view():
                    result.setdefault(filter_.qualified, []).append(("view", filter_.view, ""))
    return result


@cache
def _lexer(name: str) -> Any:
    from pygments.lexers import get_lexer_by_name  # noqa: PLC0415  # only for a site

    return get_lexer_by_name(name)


@cache
def _formatter() -> Any:
    from pygments.formatters import HtmlFormatter  # noqa: PLC0415  # only for a site

    return HtmlFormatter(nowrap=True, classprefix="c-")


def highlighted(text: str, language: str) -> Markup:
    """A text as coloured HTML."""
    return escape(text) if len(text) > 20_000 else _highlighted(text, _LEXERS.get(language, "json"))


@lru_cache(maxsize=1000)
def _highlighted(text: str, lexer: str) -> Markup:
    from pygments import highlight  # noqa: PLC0415  # only for a site

    return Markup(highlight(text, _lexer(lexer), _formatter()).rstrip())  # noqa: S704  # Pygments escapes the text


def style() -> str:
    """The colours of code, light and dark."""
    from pygments.formatters import HtmlFormatter  # noqa: PLC0415  # only for a site

    def rules(name: str, scope: str) -> str:
        lines = HtmlFormatter(style=name, classprefix="c-").get_style_defs(f"{scope} .code").splitlines()
        return "\n".join(line for line in lines if ".c-" in line)

    return f"{rules('friendly', ':root')}\n{rules('github-dark', ':root[data-theme=dark]')}\n"
