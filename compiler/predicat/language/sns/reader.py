"""Amazon SNS subscription filter policies, on message attributes or on the message body.

A body is the policy itself (attribute scope), or a mapping with `FilterPolicyScope` (MessageAttributes or
MessageBody) and `FilterPolicy`; it may be JSON text, or a whole subscription: a CloudFormation resource, or
the attributes that SNS returns. Numbers in string attributes are compared as numbers. Source: Amazon SNS
Developer Guide, "Subscription filter policies" and "Filter policy constraints".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from predicat.diagnostics.messages import policies as say
from predicat.ir import syntax as t
from predicat.language.common.body import Body
from predicat.language.common.policy_reader import MAX_DEPTH, PolicyReader, properties
from predicat.language.common.policy_values import Flavor

_SCOPES = ("MessageAttributes", "MessageBody")
# The other keys of a subscription.
SUBSCRIPTION = (
    "TopicArn",
    "Protocol",
    "Endpoint",
    "Region",
    "RawMessageDelivery",
    "RedrivePolicy",
    "DeliveryPolicy",
    "EffectiveDeliveryPolicy",
    "ReplayPolicy",
    "SubscriptionRoleArn",
    "SubscriptionArn",
    "SubscriptionPrincipal",
    "Owner",
    "ConfirmationWasAuthenticated",
    "PendingConfirmation",
)
_MAX_KEYS = 5
_MAX_COMBINATIONS = 150
MAX_BYTES = 256 * 1024
FLAVOR = Flavor(
    "the filter policy",
    ("prefix", "suffix", "anything-but", "equals-ignore-case", "wildcard", "numeric", "exists", "cidr"),
    empty=False,
    mixed=True,
    any_case_suffix=False,
    limit=1e9,
    decimals=5,
)


def parse(body: Body) -> t.Tree:
    """The untyped tree of a filter policy. Raises PredicatError."""
    reader = _FilterPolicyReader(body, FLAVOR)
    return reader.tree(lambda: reader.top(reader.loaded(MAX_BYTES)))


class _FilterPolicyReader(PolicyReader):
    def top(self, value: Any) -> t.Tree:
        policy = properties(value, "AWS::SNS::Subscription", "SNS")
        entries = self.mapping(policy, say.FILTER_POLICY)
        if list(entries) == ["Attributes"] and isinstance(entries["Attributes"], Mapping):
            policy = entries = entries["Attributes"]
        if policy is not value and "FilterPolicy" not in entries:
            raise self.bad(value, "the subscription", say.no_policy())
        if "FilterPolicy" in entries or "FilterPolicyScope" in entries:
            self.mapping(policy, say.POLICY_WITH_SCOPE, ("FilterPolicy", "FilterPolicyScope", *SUBSCRIPTION))
            scope = entries.get("FilterPolicyScope", _SCOPES[0])
            if scope not in _SCOPES:
                raise self.bad(scope, "FilterPolicyScope", say.no_scope(scope, ", ".join(_SCOPES)))
            self.nested = scope == "MessageBody"
            entries = self.mapping(self.from_text(entries.get("FilterPolicy"), MAX_BYTES), "FilterPolicy")
        if not entries:
            raise self.bad(value, say.FILTER_POLICY, say.no_key())
        if len(entries) > _MAX_KEYS:
            raise self.bad(value, say.FILTER_POLICY, say.too_many_keys(len(entries), _MAX_KEYS))
        if _combinations(entries, 1, 1) > _MAX_COMBINATIONS:
            raise self.bad(value, say.FILTER_POLICY, say.too_many_combinations(_MAX_COMBINATIONS))
        return self.policy(entries)


def _combinations(entries: Mapping[str, Any], depth: int, ways: int) -> int:
    """The number of combinations: the product of each key's count of values times its depth; for `$or` the
    sum. Stops above the limit.
    """
    for name, value in entries.items():
        if ways > _MAX_COMBINATIONS or depth > MAX_DEPTH:
            break
        if name == "$or" and isinstance(value, list):
            ways = sum(_combinations(one, depth, ways) for one in value if isinstance(one, Mapping))
        elif isinstance(value, Mapping):
            ways = _combinations(value, depth + 1, ways)
        else:
            ways *= max(len(value), 1) * depth if isinstance(value, list) else 1
    return ways
