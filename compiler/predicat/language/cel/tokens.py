"""The tokens of CEL as regular expressions, for code that searches a text without parsing it.

Source: google/cel-spec, language definition, "Syntax".
"""

import re

_QUOTED = r"""\"{3}(?:[^\\]|\\.)*?\"{3}|'{3}(?:[^\\]|\\.)*?'{3}|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
TEXT = rf"[rRbB]{{0,2}}(?:{_QUOTED})"
COMMENT = r"//[^\n]*"
NAME = r"[A-Za-z_]\w*"
NUMBER = r"-?\s*(?:0[xX][0-9A-Fa-f]+|(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)[uU]?"
SIGN = r"[-!=<>&|+*/%?:]+"

_QUOTED_NAME = r"`[^`\n]+`"

# One token: a text, a number, a name or a sign.
TOKEN = re.compile(f"{TEXT}|{_QUOTED_NAME}|{NUMBER}|{NAME}|{SIGN}|.", re.DOTALL)
# A name in backticks; or a text or a comment, which is skipped.
NAME_IN_BACKTICKS = re.compile(f"{TEXT}|{COMMENT}|(?P<quoted>{_QUOTED_NAME})", re.DOTALL)
# A name without backticks; or what is skipped.
BARE_NAME = re.compile(rf"{TEXT}|{COMMENT}|{_QUOTED_NAME}|(?P<name>[^\W\d]\w*)", re.DOTALL)
# A parenthesis; or a text or a comment, whose parentheses count for nothing.
PARENTHESIS = re.compile(f"{TEXT}|{COMMENT}|[()]", re.DOTALL)
# A name with the names after its dots; or a text or a comment, which is skipped.
DOTTED_NAME = re.compile(f"{TEXT}|{COMMENT}|(?P<name>(?<![\\w.]){NAME}(?:\\.{NAME})*)", re.DOTALL)
