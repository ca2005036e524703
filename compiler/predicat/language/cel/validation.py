"""The tests of protovalidate that a pattern or an operator decides.

Sources: protovalidate, "Standard constraints and CEL extensions"; the WHATWG's
definition of a valid e-mail address.
"""

from __future__ import annotations

from predicat.diagnostics import Span
from predicat.ir import syntax as t
from predicat.language.cel import addresses
from predicat.language.common.trees import Methods, all_of, any_of, apply, choose, number, of_text, text

Args = tuple[t.Tree, ...]

# What a name looks like, and what is wrong with the labels of one that does: one is empty, has a hyphen at an
# end, or more than 63 characters. One pattern for all of it is too large for some engines.
_NAME = "[A-Za-z0-9.-]"
_EMAIL = rf"^[A-Za-z0-9.!#$%&'*+/=?^_`{{|}}~-]+@{_NAME}+$"
_WRONG_IN_EMAIL = (f"@(?:[.-]|{_NAME}*(?:[.][.-]|-[.]))", "[.-]$", f"@{_NAME}*[A-Za-z0-9-]{{64}}")
_HOST = f"^{_NAME}+$"
_WRONG = ("^[.-]|[.][.-]|-[.]|-$", "[^.]{64}")
# A name whose last part has only digits.
_NUMBER = r"(?:^|[.])[0-9]+[.]?$"
_LONGEST = 253


def _matches(value: t.Tree, pattern: str, span: Span, *but: str) -> t.Tree:
    """Whether a string matches a pattern, but not one of others."""
    tests = [apply("matches", span, value, text(one, span)) for one in (pattern, *but)]
    return all_of([tests[0], *(apply("not", span, test) for test in tests[1:])], span)


def _email(args: Args, span: Span) -> t.Tree:
    return _matches(args[0], _EMAIL, span, *_WRONG_IN_EMAIL)


def _host_name(args: Args, span: Span) -> t.Tree:
    (name,) = args
    short = apply("le", span, apply("length", span, name), number(_LONGEST, span))
    return all_of([_matches(name, _HOST, span, *_WRONG, _NUMBER), short], span)


def _ip(args: Args, span: Span) -> t.Tree:
    """An address of any version, or of version 4 or 6. In version 6 a zone may follow."""
    value, *version = args
    tests = {kind: _matches(value, pattern, span) for kind, pattern in addresses.IP.items()}
    if not version:
        return any_of(list(tests.values()), span)
    tree: t.Tree = apply("eq", span, version[0], number(0, span))
    tree = choose(tree, any_of(list(tests.values()), span), t.Constant(False, span), span)
    for kind, test in tests.items():
        tree = choose(apply("eq", span, version[0], number(kind, span)), test, tree, span)
    return tree


def _infinite(args: Args, span: Span) -> t.Tree:
    """`x.isInf()`, or with a sign only the infinity of that sign; 0 is both."""
    value, *sign = args
    tree = apply("math.isInf", span, value)
    if not sign:
        return tree
    zero = number(0, span)
    of_sign = [
        all_of([apply(op, span, sign[0], zero), apply(op, span, value, t.Constant(0.0, span))], span)
        for op in ("gt", "lt")
    ]
    return all_of([tree, any_of([apply("eq", span, sign[0], zero), *of_sign], span)], span)


METHODS: Methods = {
    **of_text(
        {
            "isEmail": ((0,), _email),
            "isHostname": ((0,), _host_name),
            "isIp": ((0, 1), _ip),
        }
    ),
    "isNan": ((0,), lambda args, span: apply("math.isNaN", span, *args)),
    "isInf": ((0, 1), _infinite),
}
