"""Amazon EventBridge event patterns.

A body is the pattern, as data or as JSON text, or a rule of CloudFormation with one; an event is the field
that its keys are read from, or the row itself. Source: Amazon EventBridge
User Guide, "Event patterns"; the Event Ruler decides what the guide does not specify.
"""

from __future__ import annotations

from typing import Any

from predicat.diagnostics.messages import policies as say
from predicat.ir import syntax as t
from predicat.language.common.body import Body
from predicat.language.common.policy_reader import PolicyReader, properties
from predicat.language.common.policy_values import Flavor

# The quota of an account is 2,048 characters by default, and may be raised.
_MAX_CHARACTERS = 64 * 1024
_OPERATORS = (
    "prefix",
    "suffix",
    "anything-but",
    "equals-ignore-case",
    "wildcard",
    "numeric",
    "exists",
    "cidr",
    "exactly",
)
FLAVOR = Flavor(
    "the event pattern",
    _OPERATORS,
    empty=True,
    mixed=False,
    any_case_suffix=True,
    addresses=True,
    reserved=(
        *_OPERATORS,
        "=",
        "<",
        "<=",
        ">",
        ">=",
        "regex",
        "not-wildcard",
        "not-equals-ignore-case",
        "date-after",
        "date-on-or-after",
        "date-before",
        "date-on-or-before",
        "in-date-range",
        "ip-address-in-range",
        "ip-address-not-in-range",
    ),
)


def parse(body: Body) -> t.Tree:
    """The untyped tree of an event pattern. Raises PredicatError."""
    reader = _EventPatternReader(body, FLAVOR)
    return reader.tree(lambda: reader.top(reader.loaded(_MAX_CHARACTERS)))


class _EventPatternReader(PolicyReader):
    nested = True

    def top(self, value: Any) -> t.Tree:
        rule = properties(value, "AWS::Events::Rule", "EventBridgeRule", "CloudWatchEvent")
        if rule is not value:
            pattern = rule.get("EventPattern", rule.get("Pattern"))
            if pattern is None:
                raise self.bad(value, "the rule", say.no_event_pattern())
            value = self.from_text(pattern, _MAX_CHARACTERS)
        return self.policy(self.filled(value, say.EVENT_PATTERN))
