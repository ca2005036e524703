package io.predicat.spark

import org.apache.spark.sql.catalyst.expressions.Expression

/**
 * How deep the texts of a manifest are nested. Spark reads and plans them by recursion: a text of a few kilobytes could use up the stack of the
 * driver's threads.
 */
object Nesting {
  val Most = 500

  private val reason = s"it is nested more than $Most deep"

  /** The expression of a text. Brackets and CASE are counted before it is read, as Spark reads on to the end at each; other nesting, as of NOT, after it. */
  def bounded(text: String)(read: String => Expression): Expression = {
    if (opened(text) > Most) refuse()
    val expression = caught(read(text))
    if (levels(expression).drop(Most).hasNext) refuse()
    expression
  }

  /** What is found out about a text or an expression by recursion. */
  def caught[T](body: => T): T = try body catch { case _: StackOverflowError => refuse() }

  /** A type that is nested in others. */
  def check(dataType: String): Unit = if (dataType.count(_ == '<') > Most) refuse()

  private def refuse() = throw PredicatException(Kind.Refused, reason)

  private def levels(expression: Expression): Iterator[Seq[Expression]] =
    Iterator.iterate(Seq(expression))(_.flatMap(_.children)).takeWhile(_.nonEmpty)

  private def opened(text: String): Int = {
    var at = 0
    var open = 0
    var most = 0
    while (at < text.length) {
      text.charAt(at) match {
        case quote @ ('\'' | '"' | '`') => at = end(text, at + 1, quote)
        case '(' | '[' => open += 1
        case ')' | ']' => open -= 1
        case letter if Character.isJavaIdentifierStart(letter) =>
          val from = at
          while (at + 1 < text.length && Character.isJavaIdentifierPart(text.charAt(at + 1))) at += 1
          if (at - from == 3 && text.regionMatches(true, from, "CASE", 0, 4)) open += 1
          else if (at - from == 2 && text.regionMatches(true, from, "END", 0, 3)) open -= 1
        case _ =>
      }
      most = math.max(most, open)
      at += 1
    }
    most
  }

  /** Where a quoted text ends. */
  private def end(text: String, from: Int, quote: Char): Int = {
    var at = from
    while (at < text.length && text.charAt(at) != quote) at += (if (quote != '`' && text.charAt(at) == '\\') 2 else 1)
    at
  }
}
