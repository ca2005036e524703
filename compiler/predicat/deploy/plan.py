"""The plan that makes a database match its catalog: a step for each view, with its reason, and the problems
that prevent it.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct, field
from msgspec.structs import replace

from predicat.catalog.filters import is_open
from predicat.catalog.keys import VIEW_OPTIONS
from predicat.catalog.model import Catalog
from predicat.deploy import marks
from predicat.deploy.inventory import TRUE, Existing
from predicat.deploy.names import VIEW_KINDS
from predicat.deploy.views import View
from predicat.diagnostics import Diagnostic, Reporter
from predicat.diagnostics.messages import deploy as say

# The version of PostgreSQL that has security_invoker.
INVOKER_SINCE = 150_000


class Action(StrEnum):
    """An action on a view. `RECREATE` drops and creates it, with its grants and comments and everything built
    on it.
    """

    CREATE = "create"
    REPLACE = "replace"
    RECREATE = "recreate"
    OPTIONS = "options"
    COMMENT = "comment"
    DROP = "drop"
    KEEP = "keep"


class Cause(StrEnum):
    """Why a view changes."""

    NEW = "new"
    BY_HAND = "changed by hand"
    FORMER = "earlier version"
    QUERY = "query"
    ROLES = "roles"
    COLUMNS = "columns"
    PLACE = "place"
    RELATION = "relation"
    KIND = "kind"
    INDEX = "index"
    OPTIONS = "options"
    DESCRIPTION = "description"
    REMOVED = "removed"
    BELOW = "a view below"


class Step(Struct, frozen=True):
    """A view that is wanted, one that exists, or both. `options` are all those that it gets, `set_here`
    those that the catalog or the default sets or has set.
    """

    action: Action
    causes: Sequence[Cause]
    reason: str
    view: View | None = None
    existing: Existing | None = None
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    set_here: Mapping[str, bool] = field(default_factory=dict[str, bool])

    @property
    def is_renewed(self) -> bool:
        """Whether the view stays, and the server stores it in another way than its mark says."""
        there = self.existing
        return (
            self.action == Action.KEEP
            and there is not None
            and there.mark is not None
            and there.mark.rule != there.rule
        )

    @property
    def is_filled(self) -> bool:
        """Whether a new materialized view is filled."""
        return self.action == Action.CREATE and self.view is not None and self.view.materialized

    @property
    def shown(self) -> str:
        """The name of the view in messages."""
        named = self.view or self.existing
        return named.shown if named is not None else ""


class Rules(Struct, frozen=True):
    """What the user allows: `force` to undo changes by hand, `adopt` to take over the views of the edition
    before marks. With `standalone` views call no functions of the schema `predicat`.
    """

    force: bool = False
    adopt: bool = False
    standalone: bool = False


class Planner(Struct):
    """Compares the views of a catalog with the existing views. `definitions` reads the fingerprints of the
    text of views, `made_here` those that the queries of the catalog have on this server.
    """

    catalog: Catalog
    name: str
    rules: Rules
    server: int
    definitions: Callable[[Collection[int]], Mapping[int, str]]
    made_here: Callable[[Sequence[View]], Mapping[tuple[str, str], Collection[str]]]
    place: str = "relation"
    schema: str | None = None
    schemas: frozenset[str] = frozenset()
    reporter: Reporter = field(default_factory=Reporter)

    def steps(self, views: Sequence[View], existing: Sequence[Existing]) -> list[Step]:
        """A step for each view. The reporter gets the problems that prevent them."""
        self.schemas = frozenset(view.schema for view in views)
        there = {present.place: present for present in existing}
        ours = {present.oid: present for present in existing if self.is_ours(present)}
        moved = self.moved_views(views, there, ours.values())
        touched = self.edited_views(views, list(ours.values()))
        steps = [
            self.step_for_view(view, moved.get(view.place) or there.get(view.place), touched)
            for view in views
        ]
        kept = {step.existing.oid for step in steps if step.existing is not None}
        steps += [
            self.step_for_removed(present, touched)
            for present in ours.values()
            if present.oid not in kept and self.in_scope(present)
        ]
        return sorted(steps, key=lambda step: step.action == Action.DROP)

    def is_ours(self, existing: Existing) -> bool:
        """Whether a view has our mark, or that of the edition before and may be adopted, on a view of a
        trusted owner.
        """
        if existing.kind not in VIEW_KINDS or not existing.trusted:
            return False
        mark = existing.mark
        if mark is None:
            return (
                self.rules.adopt
                and existing.kind == "v"
                and marks.is_former(existing.comment)
                and self.former(existing) is not None
            )
        return mark.catalog == self.name

    def former(self, existing: Existing) -> tuple[str, str] | None:
        """The dataset and filter in the name of a view."""
        known = [name for name in self.catalog.datasets if existing.name.startswith(f"{name}__")]
        longest = max(known, key=len, default=None)
        return None if longest is None else (longest, existing.name.removeprefix(f"{longest}__"))

    def in_scope(self, existing: Existing) -> bool:
        """Whether a view belongs to this deployment: in the schemas of the relations, or in one schema."""
        mark = existing.mark
        if mark is None:
            return existing.schema in self.schemas
        return mark.place == self.place and (self.schema in (None, existing.schema))

    def moved_views(
        self, views: Sequence[View], there: Mapping[tuple[str, str], Existing], ours: Collection[Existing]
    ) -> dict[tuple[str, str], Existing]:
        """The views that must be moved, by their new places."""
        by_identity: dict[tuple[str, str], list[Existing]] = {}
        for present in ours:
            if present.mark is not None and self.in_scope(present):
                by_identity.setdefault(present.mark.identity, []).append(present)
        result: dict[tuple[str, str], Existing] = {}
        for view in views:
            rows = by_identity.get(view.mark.identity, [])
            at_home = [present for present in rows if present.place == view.place]
            for present in rows if at_home else rows[1:]:
                if present.place != view.place:
                    self.reporter.add(say.view_twice(present.shown, view.shown, present.word))
            if rows and not at_home and view.place not in there:
                result[view.place] = rows[0]
        return result

    def edited_views(self, views: Sequence[View], present: Sequence[Existing]) -> Mapping[int, str]:
        """The views that were changed by hand, by their OIDs, with the change."""
        marked = {view.oid: (view, view.mark) for view in present if view.mark is not None}
        other = [oid for oid, (view, mark) in marked.items() if mark.rule != view.rule]
        texts = self.definitions(other) if other else {}
        differ = [oid for oid, text in texts.items() if text != marked[oid][1].definition]
        as_made = self.as_made(views, {oid: marked[oid][1] for oid in differ}, texts)
        result: dict[int, str] = {}
        for oid, (view, mark) in marked.items():
            if view.name != f"{mark.dataset}__{mark.filter}":
                result[oid] = f"it was {mark.dataset}__{mark.filter}"
            elif oid in differ and not as_made.get(oid, not mark.definition):
                result[oid] = "its query is different"
        return result

    def as_made(
        self, views: Sequence[View], differ: Mapping[int, marks.Mark], texts: Mapping[int, str]
    ) -> dict[int, bool]:
        """Whether views have the text that this server makes of their queries, if these are still those of
        the catalog.
        """
        wanted = {view.mark.identity: view for view in views}
        asked = {
            oid: view
            for oid, mark in differ.items()
            if (view := wanted.get(mark.identity)) is not None and view.mark.hash == mark.hash
        }
        here = self.made_here(list(asked.values())) if asked else {}
        return {oid: texts[oid] in here[view.place] for oid, view in asked.items() if view.place in here}

    # --- one view

    def step_for_view(self, view: View, existing: Existing | None, touched: Mapping[int, str]) -> Step:
        """The step for a view that the catalog asks for; `existing` is the present one. Problems go to
        the reporter.
        """
        options, set_here = self.options(view, existing)
        if not view.materialized:  # `materialized` has the problems of these
            self.check_readers(view, options)
        if existing is None:
            return Step(Action.CREATE, [Cause.NEW], "a new filter", view, None, options, set_here)
        step = Step(Action.KEEP, [], "unchanged", view, existing, options, set_here)
        if (problem := self.not_ours(view, existing)) is not None:
            self.reporter.add(problem)
            return step
        changed: dict[Cause, str] = {}
        if existing.oid in touched:
            changed[Cause.BY_HAND] = f"changed by hand: {touched[existing.oid]}"
        if changed and not self.rules.force:
            self.reporter.add(say.view_edited(existing.shown, touched[existing.oid]))
            return step
        mark = existing.mark
        if mark is None:
            changed[Cause.FORMER] = "created by an earlier version of predicat"
        elif mark.hash != view.mark.hash:
            same = existing.columns[: len(view.columns)] == _columns(view)
            changed[Cause.QUERY if same else Cause.COLUMNS] = (
                "its SQL changed" if same else "the columns of its relation changed"
            )
        elif view.relation not in existing.reads:
            changed[Cause.RELATION] = "its relation is another table now"
        if existing.place != view.place:
            changed[Cause.PLACE] = f"moved from {existing.shown}"
        if existing.kind != view.kind:
            changed[Cause.KIND] = f"it becomes a {view.word.lower()}"
        elif existing.key != view.key:
            changed[Cause.INDEX] = "it has no index on the key"
        if changed:
            return replace(
                step,
                action=Action.REPLACE if can_replace(view, existing) else Action.RECREATE,
                causes=list(changed),
                reason="; ".join(changed.values()),
            )
        return self.option_changes(step, existing)

    def check_readers(self, view: View, options: Mapping[str, str]) -> None:
        """Report a view with which readers could see rows that they may not see."""
        if self.is_of_owner(options):
            if is_open({**view.stated, "security_invoker": False}):
                self.reporter.add(say.open_view(view.span))
        elif view.past_policies is not None:
            self.reporter.add(say.past_policies(view.mark.dataset, *view.past_policies))

    def option_changes(self, step: Step, existing: Existing) -> Step:
        """The step for a view whose query stays: its options or its comment may change."""
        if step.options != existing.options:
            changes = ", ".join(
                f"{key}={step.options.get(key, 'default')}"
                for key in VIEW_OPTIONS
                if step.options.get(key) != existing.options.get(key)
            )
            return replace(step, action=Action.OPTIONS, causes=[Cause.OPTIONS], reason=changes)
        if (
            existing.mark is not None
            and comment(step, existing.mark.rule, existing.mark.definition) != existing.comment
        ):
            return replace(
                step, action=Action.COMMENT, causes=[Cause.DESCRIPTION], reason="its description changed"
            )
        return step

    def not_ours(self, view: View, existing: Existing) -> Diagnostic | None:
        """Why the object at the place of a view must not be changed; None if it is a view of ours."""
        mark = existing.mark
        if existing.kind not in VIEW_KINDS or (existing.kind == "m" and mark is None):
            return say.another_kind(view.span, existing.shown, KINDS.get(existing.kind, "no view"))
        if mark is None and not marks.is_former(existing.comment):
            return say.not_by_predicat(view.span, existing.shown)
        if not existing.trusted:
            return say.another_role(
                view.span, existing.shown, existing.owner, f"{existing.word} {existing.sql}"
            )
        if mark is None:
            return None if self.rules.adopt else say.view_former(existing.shown)
        if mark.catalog != self.name:
            return say.another_catalog(view.span, existing.shown, mark.catalog, self.name)
        return None

    def step_for_removed(self, existing: Existing, touched: Mapping[int, str]) -> Step:
        """The step for a view of ours that is no longer in the catalog."""
        mark = existing.mark
        dataset, name = mark.identity if mark is not None else self.former(existing) or ("", "")
        known = self.catalog.datasets.get(dataset)
        if known is None:
            reason = say.without_dataset(dataset)
        elif name not in known.filters:
            reason = say.without_filter(name)
        else:
            reason = say.NO_DEFAULTS if "postgres" in known.relation else say.without_relation(dataset)
        if existing.oid in touched and not self.rules.force:
            self.reporter.add(say.edited_and_gone(existing.shown, touched[existing.oid], reason))
        return Step(Action.DROP, [Cause.REMOVED], reason, None, existing)

    def options(self, view: View, existing: Existing | None) -> tuple[dict[str, str], dict[str, bool]]:
        """All options that a view gets, and those that the catalog or the default sets or has set. What
        users set otherwise stays, if the kind of the view does.
        """
        existing = existing if existing is not None and existing.kind == view.kind else None
        if view.materialized:
            return dict(existing.options) if existing is not None else {}, {}
        result = dict(existing.options) if existing is not None else {}
        before = existing.mark.options if existing is not None and existing.mark is not None else {}
        set_here: dict[str, bool] = {}
        unchanged: dict[str, bool] = {}
        for key in VIEW_OPTIONS:
            present = existing.switch(key) if existing is not None else None
            needed = key == "security_invoker" or self.is_of_owner({**result, **set_here})
            if key == "security_invoker" and self.server < INVOKER_SINCE:
                self.needs_no_invoker(view)
            elif key in view.stated:
                set_here[key] = bool(view.stated[key])
            elif (
                existing is None
                or (key in before and present == before[key])
                or (key == "security_barrier" and present is None and needed)
            ):
                set_here |= {key: True} if needed else {}
                if not needed:
                    result.pop(key, None)
            elif key in before:
                unchanged[key] = before[key]
        for key, value in set_here.items():
            if existing is None or existing.switch(key) != value:
                result[key] = str(value).lower()
        return result, {**set_here, **unchanged}

    def is_of_owner(self, options: Mapping[str, str | bool]) -> bool:
        """Whether a view with these options shows the rows that its owner may see. Then it needs
        `security_barrier`: without it, functions of readers run on rows that the filter rejects.
        """
        return self.server < INVOKER_SINCE or str(options.get("security_invoker")).lower() not in TRUE

    def needs_no_invoker(self, view: View) -> None:
        """Report a view with `security_invoker` on a server that does not support this option."""
        if view.stated.get("security_invoker"):
            self.reporter.add(say.view_option(view.span, "security_invoker", self.server // 10_000))


# What pg_class calls things.
KINDS = {
    "r": "a table",
    "p": "a table",
    "m": "a materialized view",
    "f": "a foreign table",
    "S": "a sequence",
    "i": "an index",
    "I": "an index",
    "c": "a composite type",
}


def _columns(view: View) -> tuple[tuple[str, str], ...]:
    return tuple((column.name, column.identity) for column in view.columns)


def can_replace(view: View, existing: Existing) -> bool:
    """Whether CREATE OR REPLACE can change the columns: the present ones stay, and new ones are added at the
    end.
    """
    replaceable = view.kind == existing.kind == "v"
    return replaceable and _columns(view)[: len(existing.columns)] == existing.columns


def comment(step: Step, rule: str, definition: str) -> str:
    """The comment of a view after a step, with the fingerprints of the stored view."""
    if step.view is None:
        return ""
    mark = replace(step.view.mark, options=step.set_here, rule=rule, definition=definition)
    return marks.write(step.existing.comment if step.existing is not None else "", step.view.note, mark)
