package io.predicat.spark

import com.fasterxml.jackson.core.{JsonFactory, StreamReadConstraints}
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.types.{StringType, VariantType}
import org.apache.spark.types.variant.VariantBuilder
import org.apache.spark.unsafe.types.{UTF8String, VariantVal}

import scala.util.control.NonFatal

/** The JSON in a text as filters mean it: Spark's own reader takes the character NUL, and whatever follows the first value. */
object JsonTexts {
  val Name = "predicat_parse_json"
  private val MostBytes = 2000000
  private val LongestKey = 50000
  private val ExponentDigits = 4
  private val Limits = StreamReadConstraints.builder().maxNestingDepth(100).maxNumberLength(1000).maxNameLength(LongestKey).build()
  private val Factory = new JsonFactory().setStreamReadConstraints(Limits)

  /** NULL where the text is no JSON. */
  def parse(text: UTF8String): VariantVal =
    if (text.numBytes > MostBytes || !fits(text)) null
    else try {
      val parser = Factory.createParser(text.toString)
      try {
        parser.nextToken()
        val variant = VariantBuilder.parseJson(parser, false)
        if (parser.nextToken() == null) new VariantVal(variant.getValue, variant.getMetadata) else null
      } finally parser.close()
    } catch { case NonFatal(_) => null }

  /** Whether no key, no exponent and no character is beyond the limits. The text need not be JSON. */
  private def fits(text: UTF8String): Boolean = {
    var at = 0
    var good = true
    while (good && at < text.numBytes) text.getByte(at) match {
      case '"' =>
        val end = closing(text, at + 1)
        good = end >= 0 && !(text.numBytes > LongestKey && isLongKey(text, at + 1, end))
        at = end + 1
      case 'e' | 'E' =>
        val first = if (at + 1 < text.numBytes && (text.getByte(at + 1) == '-' || text.getByte(at + 1) == '+')) at + 2 else at + 1
        at = first
        while (at < text.numBytes && text.getByte(at) >= '0' && text.getByte(at) <= '9') at += 1
        good = at - first <= ExponentDigits
      case _ => at += 1
    }
    good
  }

  /** The place of the quote that ends a string; -1 without one, and where the character NUL is in it. */
  private def closing(text: UTF8String, from: Int): Int = {
    var at = from
    while (at < text.numBytes && text.getByte(at) != '"')
      if (text.getByte(at) != '\\') at += 1
      else if (isNul(text, at + 1)) return -1
      else at += 2
    if (at < text.numBytes) at else -1
  }

  private def isNul(text: UTF8String, at: Int): Boolean =
    at + 4 < text.numBytes && text.getByte(at) == 'u' && (at + 1 to at + 4).forall(place => text.getByte(place) == '0')

  /** A character has one byte that is no continuation. */
  private def isLongKey(text: UTF8String, from: Int, end: Int): Boolean = {
    var next = end + 1
    while (next < text.numBytes && " \t\n\r".indexOf(text.getByte(next)) >= 0) next += 1
    next < text.numBytes && text.getByte(next) == ':' && (from until end).count(place => (text.getByte(place) & 0xC0) != 0x80) > LongestKey
  }

  val function: (FunctionIdentifier, ExpressionInfo, Seq[Expression] => Expression) = {
    val info = new ExpressionInfo(classOf[StaticInvoke].getName, null, Name,
      "_FUNC_(s) - The JSON value in a string, as in filters: NULL if it is not valid JSON. The SQL of filters calls it.", "", "", "", "predicate_funcs", "4.0.0", "", "built-in")
    val build: Seq[Expression] => Expression = {
      case Seq(text) => StaticInvoke(JsonTexts.getClass, VariantType, "parse", Seq(text), Seq(StringType))
      case _ => Errors.guarded(throw PredicatException(Kind.Call, s"$Name takes a string"))
    }
    (FunctionIdentifier(Name), info, build)
  }
}
