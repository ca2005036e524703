"""Messages about the files that filters are imported from. Each function is one: see the package."""

from __future__ import annotations

from predicat.diagnostics import messages as msg
from predicat.diagnostics.diagnostic import Diagnostic
from predicat.diagnostics.messages import files as say_files
from predicat.diagnostics.messages import keys as say_keys
from predicat.diagnostics.source import Span

_OTHER_OBJECTS = "it looks up other objects, which no row has"
_IMAGES = "it looks up images, which no row has"
OUTSIDE_A_REQUEST = {
    "authorizer": "it queries the authorizer, which no row has",
    "resource": _OTHER_OBJECTS,
    "images": _IMAGES,
    "image": _IMAGES,
    "globalContext": _OTHER_OBJECTS,
    "http": "it queries a server",
    "user": "it reads the user by a function of Kyverno",
    "exceptions": "it reads the exceptions of the policy, which no row has",
}
"""Names of admission policies that stand for what is outside of a request, and why no filter has them."""
CONDITION_IS_A_SCRIPT = "its condition is a script (JSR 223), which is not a filter language"
CONDITION_IS_A_JSONPATH = "its condition is a JSONPath, which is not a filter language"
POLICY_APPLIES = "The policy applies where its conditions match."
WHOLE_POLICY = "The whole policy."
PREDICATE_NOT_USED = "No transformation uses it."
ACTION = "an action changes messages"
ANOTHER_VERSION_STORED = "it is not the stored version, whose rules are used"
APPLIED_TO_EVERY_RECORD = "it is applied to every record"
BROKER_WITHOUT_FILTER = "a broker has no filter; its triggers have"
DROPS_EVERY_RECORD = "without a predicate it drops every record"
ESCAPED_PROPERTY = "it escapes the name of a property (__dash__)"
EXCHANGE_NOT_DEFINED = "the file does not define its exchange"
FILTERS_GO_FIRST = "spec.filters has priority"
FORCE_REPLACES = "--force replaces it"
NAMESPACES_OR_ADDRESSES = "it selects namespaces or addresses, not labels of pods"
NO_BINDINGS = "it has no bindings"
NO_CEL_INTERCEPTOR = "it is not a CEL interceptor"
NO_CONDITION = "it has no condition; it accepts everything or nothing"
NO_EXPRESSION = "it has no expression"
NO_FILTERS = "it has no filters: it accepts every event"
NO_FILTER_CRITERIA = "it has no filter criteria: it accepts every event"
NO_FILTER_POLICY = "it has no filter policy: it accepts every message"
NO_INTERCEPTORS = "it has no interceptors: it accepts every event"
ODD_MANIFEST = "a part of it is not of the kind that its format has there"
NO_MANIFEST = "it is not a manifest with filters"
NO_PATTERN = "it has no pattern"
NO_RESOURCE_WITH_FILTER = "none of its resources has a filter"
NO_RULES_IN_CEL = "it has no rules in CEL"
NO_RULE_IN_CEL = "it is not a rule in CEL"
NO_SETTING = "it is not a setting of a predicate; Connect ignores it"
NO_TRANSFORMATION = "it has no transformation with a predicate"
NO_TRIGGER = "it does not name its own trigger"
NO_VALIDATIONS = "it has no validations"
NO_VALUE = "AWS::NoValue removes the property"
OLD_SELF_IN_A_LIST = (
    "oldSelf in a list or a map is the previous element with the same key, which an expression cannot look up"
)
ONLY_OVERLAYS = "it has no filter, only overlays"
OPTIONAL_OLD_SELF = "optionalOldSelf: oldSelf is an optional value"
PARTS_LEFT_OUT = "parts of it are left out"
RUNS_AT_TIMES = "it has no event pattern; it runs on a schedule"
SAYS_WHICH_REQUESTS = "it selects the requests; the filters are for any row"
SAYS_WHICH_REQUESTS_OR_HOW = "it selects the requests, or how they are evaluated; the filters are for any row"
SQL_GIVEN = "its SQL is known only when the template is deployed"
TAKES_EVERY_MESSAGE = "it has no filter: it accepts every message"
TEXT_PUT_TOGETHER = "its text is known only when it is deployed"
UNKNOWN_TYPE = "its type is unknown"
VALUE_GIVEN = "its value is known only when it is deployed"
WILDCARD_IN_DIRECT_KEY = (
    "a direct exchange compares the key literally, and this key has a word that is a wildcard in "
    "topic exchanges"
)
WITH_NAMESPACE_SELECTOR = "it is combined with a namespaceSelector, which is not about labels of pods"


def records_of(transform: str, *, drops: bool) -> str:
    return f"The records that transforms.{transform} {'lets pass' if drops else 'is applied to'}."


def version_of(title: str, version: str) -> str:
    return f"{title}, version {version}"


def worked_out(name: str) -> str:
    return f"{name!r} is computed when it is deployed"


def differs_between_copies(name: str) -> str:
    return f"{name} differs between the copies of the resource"


def defined_by_itself(name: str) -> str:
    return f"local.{name} is defined by itself"


def variable_given(name: str, kind: str) -> str:
    return f"var.{name} is a {kind} that is known only when it is deployed"


def worked_out_with_template(name: str) -> str:
    return f"{name} is computed when the template is deployed"


def events_without_filter(kind: str) -> str:
    return f"events of the type {kind} have no filter"


def parameter_is_a_list(name: str) -> str:
    return f"the parameter {name} is a list that is known only when the template is deployed"


def parameter_is_a_number(name: str) -> str:
    return f"the parameter {name} is a number that is known only when the template is deployed"


def action_of(title: str) -> str:
    return f"{title}, its action"


def no_variable(name: str) -> str:
    return f"the template has no variable {name!r}"


def own_program(name: str) -> str:
    return f"the interceptor {name!r} checks signatures and events with its own program"


def another_trigger(name: str) -> str:
    return f"it is the Trigger {name}"


def as_a_whole(title: str) -> str:
    return f"{title} as a whole"


def other_exchange(kind: str) -> str:
    return f"exchanges of the type {kind!r} do not route by binding keys or headers"


def header_no_text(name: str, value: str) -> str:
    return f"the header {name!r} is compared with {value!r}, which is not a string"


def own_header(mode: str, name: str) -> str:
    return f"x-match: {mode} tests {name}, a header of the broker itself"


def composed_of(names: str) -> str:
    return f"it is composed of {names}, which cannot be used"


def aliases(span: Span) -> Diagnostic:
    return say_keys.yaml_limit(span, "with its aliases expanded it is too large, or nested too deeply")


def invalid_hcl(span: Span) -> Diagnostic:
    return msg.syntax(span, "this is not valid HCL")


def hcl_too_deep(span: Span) -> Diagnostic:
    return msg.syntax(span, "this HCL is nested too deeply")


def target_no_yaml(span: Span, reason: str) -> Diagnostic:
    return say_files.import_target(span, f"it is not valid YAML: {reason}")


def target_no_catalog(span: Span) -> Diagnostic:
    return say_files.import_target(span, "it is not a catalog file")


def target_of_another_dataset(span: Span, result: object, dataset: str) -> Diagnostic:
    return say_files.import_target(
        span,
        f"it belongs to the dataset {result}, and these filters belong to {dataset}",
        f"write them to another file, or give --dataset {result}",
    )


def no_header(*, every: bool) -> str:
    """`every`: every message passes, otherwise none."""
    return "it tests no header" + (": every message passes" if every else ": no message passes")
