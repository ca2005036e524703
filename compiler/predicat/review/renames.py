"""Renames: removed filters and datasets, and new ones with the same meaning."""

from collections import Counter
from collections.abc import Hashable, Mapping

from msgspec.structs import replace

from predicat.ir.canonical import canonical_text
from predicat.ir.nodes import fields_of
from predicat.review.proofs import Prover
from predicat.review.snapshot import CheckedVersion, Data, Place, Snapshot

# The largest number of pairs of removed and new filters for which a proof is tried. If there are more, their
# texts must be equal.
_MAX_PAIRS = 30


def renamed_datasets(before: Snapshot, after: Snapshot) -> dict[str, str]:
    """The new names of renamed datasets by their old names: at least half of the filters have the same name,
    and the same text or meaning.
    """
    gone = [name for name in before.datasets if name not in after.datasets]
    new = [name for name in after.datasets if name not in before.datasets]
    result: dict[str, str] = {}
    for old in gone:
        best = max(
            (name for name in new if name not in result.values()),
            key=lambda name: _alike(before, old, after, name),
            default=None,
        )
        if best is not None and _alike(before, old, after, best) >= 0.5:
            result[old] = best
    return result


def _alike(before: Snapshot, old: str, after: Snapshot, new: str) -> float:
    """The share of the filters of two datasets that are the same."""
    ours, theirs = (
        {name.partition(".")[2]: name for name in side.filters if name.startswith(f"{dataset}.")}
        for side, dataset in ((before, old), (after, new))
    )
    if not ours and not theirs:
        return float(_outside(before.datasets[old]) == _outside(after.datasets[new]))
    pairs = [(name, theirs[short]) for short, name in ours.items() if short in theirs]
    return sum(_same(before, one, after, other) for one, other in pairs) / max(len(ours), len(theirs))


def _same(before: Snapshot, one: str, after: Snapshot, other: str) -> bool:
    """Whether two filters have one text, or one meaning."""
    return before.filters[one]["versions"] == after.filters[other]["versions"] or _meaning(
        before, one
    ) == _meaning(after, other)


def _outside(dataset: Data) -> tuple[object, object]:
    return dataset["relation"], dataset["fields"]


def renamed_filters(before: Snapshot, after: Snapshot, prover: Prover) -> dict[str, str]:
    """The new names of renamed filters by their old names. Each is the only removed, or new, filter of its
    dataset with this meaning.
    """
    gone = [name for name in before.filters if name not in after.filters and name not in after.broken]
    new = [name for name in after.filters if name not in before.filters and name not in before.broken]
    if not gone or not new:
        return {}
    old_meanings, new_meanings = (
        {name: _meaning(side, name) for name in names} for side, names in ((before, gone), (after, new))
    )
    times = Counter(map(_in_dataset, old_meanings.items())), Counter(map(_in_dataset, new_meanings.items()))
    by_meaning = {_in_dataset(item): item[0] for item in new_meanings.items()}
    result: dict[str, str] = {}
    for item in old_meanings.items():
        key = _in_dataset(item)
        if item[1] is not None and times[0][key] == 1 == times[1][key]:
            result[item[0]] = by_meaning[key]
    left = [
        (old, other) for old in gone if old not in result for other in new if other not in result.values()
    ]
    for old, other in left if len(left) <= _MAX_PAIRS else ():
        if old not in result and other not in result.values() and _proved(before, old, after, other, prover):
            result[old] = other
    return result


def _in_dataset(item: tuple[str, Hashable]) -> tuple[str, Hashable]:
    return item[0].partition(".")[0], item[1]


def _proved(before: Snapshot, old: str, after: Snapshot, new: str, prover: Prover) -> bool:
    """Whether two filters with one version each provably have the same meaning."""
    one, other = before.filters[old], after.filters[new]
    if old.partition(".")[0] != new.partition(".")[0] or one["on_unknown"] != other["on_unknown"]:
        return False
    if one["versions"].keys() != other["versions"].keys() or len(one["versions"]) != 1:
        return False
    if [row["params"] for row in one["versions"].values()] != [
        row["params"] for row in other["versions"].values()
    ]:
        return False
    checked = before.check(old, one["latest"]), after.check(new, other["latest"])
    if (
        checked[0] is None
        or checked[1] is None
        or fields_of(checked[0].node).keys() != fields_of(checked[1].node).keys()
    ):
        return False
    verdict = prover.verdict(checked[0].node, checked[1].node, (one["on_unknown"], other["on_unknown"]))
    return verdict.kind == "equivalent" and verdict.same_rows


def _meaning(side: Snapshot, name: str) -> Hashable:
    """The meaning of a filter, independent of its spelling; None for a broken filter."""
    row = side.filters[name]
    parts: list[Hashable] = []
    for number, version in row["versions"].items():
        checked = side.check(name, int(number))
        if checked is None:
            return None
        params = tuple(
            (key, param["type"], str(param["default"])) for key, param in version["params"].items()
        )
        parts.append((number, canonical_text(checked.node), params))
    return row["latest"], row["on_unknown"], tuple(parts)


def renamed(side: Snapshot, datasets: Mapping[str, str], filters: Mapping[str, str]) -> Snapshot:
    """A snapshot under the new names of its datasets, and then of its filters."""
    if not datasets and not filters:
        return side
    names: dict[str, str] = {}
    for name in (*side.filters, *side.broken):
        dataset, _, short = name.partition(".")
        there = f"{datasets.get(dataset, dataset)}.{short}"
        names[name] = filters.get(there, there)
    former = {new: old for old, new in names.items()}
    former_datasets = {new: old for old, new in datasets.items()}

    def check(name: str, number: int) -> CheckedVersion | None:
        result = side.check(former[name], number)
        return result and CheckedVersion(
            result.node, tuple(_reference(names, item) for item in result.references)
        )

    def place(path: tuple[str, ...]) -> Place:
        known = former if path[0] == "filters" else former_datasets
        return side.place((path[0], known.get(path[1], path[1]), *path[2:]) if len(path) > 1 else path)

    data = {
        **side.data,
        "datasets": {datasets.get(name, name): row for name, row in side.datasets.items()},
        "filters": {names[name]: row for name, row in side.filters.items()},
    }
    return replace(
        side, data=data, check=check, place=place, broken=frozenset(names[name] for name in side.broken)
    )


def _reference(names: Mapping[str, str], reference: str) -> str:
    base, sign, version = reference.partition("@")
    return names.get(base, base) + sign + version
