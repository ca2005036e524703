"""Messages about the files that filters are imported from. Each row is one: see the package."""

from __future__ import annotations

from predicat.diagnostics.message import Problem, Text

_OTHER_OBJECTS = "it looks up other objects, which no row has"
_IMAGES = "it looks up images, which no row has"
# Names of admission policies that stand for what is outside of a request, and why no filter has them.
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
FLAG_DISABLED = "it is disabled"
FLAG_IS_ON = "The contexts for which the flag is on."
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
NO_TARGETING = "it has no targeting: every context gets the default variant"
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

not_read = Text[str]("it cannot be read: {message}")
records_of = Text[str, bool]("The records that transforms.{transform} {drops:if lets pass|is applied to}.")
version_of = Text[str, str]("{title}, version {version}")
worked_out = Text[str]("{name!r} is computed when it is deployed")
differs_between_copies = Text[str]("{name} differs between the copies of the resource")
defined_by_itself = Text[str]("{name} is defined by itself")
variable_given = Text[str, str]("var.{name} is a {kind} that is known only when it is deployed")
worked_out_with_template = Text[str]("{name} is computed when the template is deployed")
events_without_filter = Text[str]("events of the type {kind} have no filter")
parameter_is_a_list = Text[str]("""the parameter {name} is a list that is known only when the template is
    deployed""")
parameter_is_a_number = Text[str]("""the parameter {name} is a number that is known only when the template
    is deployed""")
action_of = Text[str]("{title}, its action")
no_variable = Text[str]("the template has no variable {name!r}")
own_program = Text[str]("the interceptor {name!r} checks signatures and events with its own program")
gets_variant = Text[str]("The contexts that get the variant {name}.")
no_operator = Text[str, str]("{operator}: {reason}")
no_evaluator = Text[str]("$evaluators has no rule {name!r} for it")
another_trigger = Text[str]("it is the Trigger {name}")
as_a_whole = Text[str]("{title} as a whole")
other_exchange = Text[str]("exchanges of the type {kind!r} do not route by binding keys or headers")
header_no_text = Text[str, str]("the header {name!r} is compared with {value!r}, which is not a string")
own_header = Text[str, str]("x-match: {mode} tests {name}, a header of the broker itself")
composed_of = Text[str]("it is composed of {names}, which cannot be used")
aliases = Problem[()]("yaml-limit: with its aliases expanded it is too large, or nested too deeply")
invalid_hcl = Problem[()]("syntax: this is not valid HCL")
hcl_too_deep = Problem[()]("syntax: this HCL is nested too deeply")
target_no_yaml = Problem[str]("""import: nothing can be imported into this file: it is not valid YAML:
    {reason}""")
target_no_catalog = Problem[()]("import: nothing can be imported into this file: it is not a catalog file")
target_of_another_dataset = Problem[object, str]("""import: nothing can be imported into this file: it belongs
    to the dataset {result}, and these filters belong to {dataset}
    hint: write them to another file, or give --dataset {result}""")
# `every`: every message passes, otherwise none.
no_header = Text[bool]("it tests no header{every:if : every message passes|: no message passes}")
