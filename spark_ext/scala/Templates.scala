package io.predicat.spark

import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{Decimal, StringType}
import org.apache.spark.unsafe.types.UTF8String

/**
 * Reads the SQL of many filters: texts that differ in their constants alone are parsed once. What is not surely of this kind is left to
 * the parser.
 */
object Templates {
  private val Most = 10000
  private val known = new ConcurrentHashMap[String, Option[Expression]]()

  def parse(sql: String): Expression = split(sql).filter(_.constants.nonEmpty).flatMap { parts =>
    if (known.size > Most) known.clear()
    known.computeIfAbsent(s"${SQLConf.get.ansiEnabled} ${parts.key}", _ => template(sql, parts)).map(filled(_, parts.constants))
  }.getOrElse(Generated.parse(sql))

  /** A text with its constants taken out. */
  private case class Parts(key: String, constants: IndexedSeq[String])

  /** The template of a text: parsed with other constants, each of which must occur once; None if the result is not that of the parser. */
  private def template(sql: String, parts: Parts): Option[Expression] = try {
    val marked = parts.constants.indices.foldLeft(parts.key)((text, place) =>
      text.replaceFirst("\u0001.", java.util.regex.Matcher.quoteReplacement(marker(parts.constants(place), place))))
    val parsed = Generated.parse(marked)
    val places = parsed.collect { case literal: Literal => place(literal, parts.constants.length) }.flatten.map(_._1)
    Some(parsed).filter(_ => places.sorted == parts.constants.indices.toList && filled(parsed, parts.constants) == Generated.parse(sql))
  } catch {
    // Some constants must be what they are, as in X'00' and DECIMAL(10, 2).
    case NonFatal(_) => None
  }

  private val Start = 987000000

  private def marker(constant: String, place: Int): String =
    if (constant.startsWith("'")) s"'predicat marker $place'" else if (constant.contains('.')) s"${Start + place}.5" else s"${Start + place}"

  /** Which constant a literal of a template stands for, and whether it is negated. */
  private def place(literal: Literal, most: Int): Option[(Int, Boolean)] = (literal.value match {
    case text: UTF8String if text.toString.startsWith("predicat marker ") => text.toString.stripPrefix("predicat marker ").toIntOption.map((_, false))
    case number: Int => Some((math.abs(number) - Start, number < 0))
    case number: Decimal => Some((math.abs(number.toDouble).toInt - Start, number.toDouble < 0))
    case _ => None
  }).filter { case (place, _) => place >= 0 && place < most }

  private def filled(template: Expression, constants: IndexedSeq[String]): Expression = template.transform {
    case literal: Literal => place(literal, constants.length).map { case (place, negated) =>
      val text = constants(place)
      if (text.startsWith("'")) Literal(UTF8String.fromString(text.substring(1, text.length - 1)), StringType)
      else {
        val signed = if (negated) s"-$text" else text
        if (text.contains('.')) Literal(new java.math.BigDecimal(signed)) else Literal(signed.toInt)
      }
    }.getOrElse(literal)
  }

  private def split(sql: String): Option[Parts] = {
    val key = new java.lang.StringBuilder(sql.length)
    val constants = mutable.ArrayBuffer.empty[String]
    var at = 0
    while (at < sql.length) {
      val from = at
      sql.charAt(at) match {
        case '\'' =>
          val end = sql.indexOf('\'', at + 1)
          // A quote or a backslash in a text, and texts side by side, are for the parser.
          if (end < 0 || sql.indexOf('\\', at) >= 0 || (end + 1 < sql.length && sql.charAt(end + 1) == '\'')) return None
          at = end + 1
          constants += sql.substring(from, at)
          key.append("\u0001s")
        case '`' =>
          at = sql.indexOf('`', at + 1) + 1
          if (at == 0) return None
          key.append(sql, from, at)
        case sign if Character.isJavaIdentifierStart(sign) =>
          while (at < sql.length && Character.isJavaIdentifierPart(sql.charAt(at))) at += 1
          key.append(sql, from, at)
        case digit if digit >= '0' && digit <= '9' =>
          while (at < sql.length && (sql.charAt(at) == '.' || Character.isDigit(sql.charAt(at)))) at += 1
          val text = sql.substring(from, at)
          val plain = text.matches("[0-9]{1,8}(\\.[0-9]{1,8})?")
          if (!plain || (at < sql.length && Character.isJavaIdentifierPart(sql.charAt(at)))) return None
          constants += text
          key.append(if (text.contains('.')) "\u0001d" else "\u0001i")
        case '"' | '\u0001' | '.' => return None
        case sign => key.append(sign); at += 1
      }
    }
    Some(Parts(key.toString, constants.toIndexedSeq))
  }
}
