"""CEL, the Common Expression Language: message -> untyped tree. Source: google/cel-spec, language
definition.
"""

from predicat.language.cel.reader import RULES, parse

__all__ = ["RULES", "parse"]
