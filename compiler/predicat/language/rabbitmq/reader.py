"""RabbitMQ topic bindings: words separated by dots, `*` for one word, `#` for zero or more words. They test
the field `routing_key`.

Source: RabbitMQ documentation, "Topic exchange"; AMQP 0-9-1, section 3.1.3.3.
"""

from __future__ import annotations

from predicat.diagnostics import PredicatError, Source, Span
from predicat.diagnostics import messages as msg
from predicat.diagnostics.messages import policies as say
from predicat.ir import syntax as t
from predicat.language.common.body import Body
from predicat.language.common.trees import any_of, apply, decided, present
from predicat.language.rabbitmq.spelling import FIELD, MAX_BYTES, PIECES
from predicat.semantics import regex


def parse(body: Body) -> t.Tree:
    """The untyped tree of a binding key. Raises PredicatError."""
    return _binding(body.text(say.BINDING_KEY), body.source)


def _binding(text: str, source: Source) -> t.Tree:
    span = Span(source, 0, len(text))
    size = len(text.encode("utf-8", "replace"))
    if size > MAX_BYTES:
        raise PredicatError.of(msg.too_large(span, size, MAX_BYTES, "bytes"))
    words = text.split(".") if text else []
    at = 0
    for word in words:
        if len(word) > 1 and ("*" in word or "#" in word):
            place = Span(source, at, at + len(word))
            raise PredicatError.of(say.wildcard_with_text(place, word))
        at += len(word) + 1
    key = t.Name(FIELD, span)
    return decided(_test(words, key, span)) if words != ["#"] else present(key)


def _test(words: list[str], key: t.Tree, span: Span) -> t.Tree:
    if "*" not in words and "#" not in words:
        return apply("eq", span, key, t.Constant(".".join(words), span))
    head, last = words[:-1], words[-1]
    if last == "#" and "*" not in head and "#" not in head:
        text = ".".join(head)
        longer = apply("starts_with", span, key, t.Constant(text + ".", span))
        if not text:  # the empty key has no word, not an empty one
            return longer
        return any_of((apply("eq", span, key, t.Constant(text, span)), longer), span)
    pattern = "".join(PIECES.get(word) or r"\." + regex.escaped(word) for word in words)
    dotted = apply("concat", span, t.Constant(".", span), key)
    tree: t.Tree = apply("matches", span, dotted, t.Constant(f"^{pattern}$", span))
    empty = apply("eq", span, key, t.Constant("", span))
    nothing = t.Constant(all(word == "#" for word in words), span)
    return apply("cond", span, empty, nothing, tree)
