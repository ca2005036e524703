package io.predicat.spark

import org.apache.spark.sql.classic
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.predicat.{Install, TextConversion, UtcDate}
import org.apache.spark.sql.types.{DataType, DateType, DoubleType, LongType, TimestampType}
import org.apache.spark.unsafe.types.UTF8String

/** A value that a text was read as: a whole number, also for days and microseconds, or a double. */
final class ReadValue {
  var whole: Long = 0L
  var real: Double = 0.0
}

/** Reads texts as filters mean it, byte by byte. Each method says whether the text has a value, which it leaves in `out`. */
object TextConversions {
  private val LongestDouble = 600
  private val DayMicros = 86400000000L
  private val FirstMicros = -62135596800000000L
  private val LastMicros = 253402300799999999L
  private val ExactDigits = 15
  private val Powers = Array.tabulate(23)(power => java.lang.Double.parseDouble(s"1e$power"))
  private val Scales = Array(100000, 10000, 1000, 100, 10, 1)
  private val NaN = UTF8String.fromString("NaN")
  private val Up = UTF8String.fromString("Infinity")
  private val Down = UTF8String.fromString("-Infinity")

  /** A blank, or one of the characters from the tabulator to the carriage return. */
  private def isBlank(byte: Byte): Boolean = byte == ' ' || (byte >= '\t' && byte <= '\r')

  private def first(text: UTF8String): Int = {
    var at = 0
    while (at < text.numBytes && isBlank(text.getByte(at))) at += 1
    at
  }

  private def last(text: UTF8String, from: Int): Int = {
    var at = text.numBytes
    while (at > from && isBlank(text.getByte(at - 1))) at -= 1
    at
  }

  private def digit(text: UTF8String, at: Int): Int = {
    val value = text.getByte(at) - '0'
    if (value >= 0 && value <= 9) value else -1
  }

  /** CAST(s AS BIGINT) */
  def toBigint(text: UTF8String, out: ReadValue): Boolean = {
    val from = first(text)
    bigint(text, from, last(text, from), out)
  }

  /** int(s) of CEL */
  def celInt(text: UTF8String, out: ReadValue): Boolean = bigint(text, 0, text.numBytes, out)

  private def bigint(text: UTF8String, from: Int, until: Int, out: ReadValue): Boolean = {
    val negative = from < until && text.getByte(from) == '-'
    var at = if (negative) from + 1 else from
    if (at == until || until - from > 20) return false
    var value = 0L
    val safe = math.min(until, at + 18)
    while (at < safe) {
      val next = digit(text, at)
      if (next < 0) return false
      value = value * 10 - next
      at += 1
    }
    // Below zero there is one number more.
    val least = if (negative) Long.MinValue else -Long.MaxValue
    while (at < until) {
      val next = digit(text, at)
      if (next < 0 || value < least / 10 || value * 10 < least + next) return false
      value = value * 10 - next
      at += 1
    }
    out.whole = if (negative) value else -value
    true
  }

  /** CAST(s AS DOUBLE) */
  def toDouble(text: UTF8String, out: ReadValue): Boolean = {
    val from = first(text)
    double(text, from, last(text, from), out)
  }

  /** double(s) of CEL */
  def celDouble(text: UTF8String, out: ReadValue): Boolean = double(text, 0, text.numBytes, out)

  private def double(text: UTF8String, from: Int, until: Int, out: ReadValue): Boolean = {
    if (until - from > LongestDouble) return false
    var at = from
    var negative = false
    if (at < until && (text.getByte(at) == '-' || text.getByte(at) == '+')) {
      negative = text.getByte(at) == '-'
      at += 1
    }
    var digits = 0
    var significant = 0
    var mantissa = 0L
    var exponent = 0
    var behind = false
    var number = true
    while (number && at < until) {
      val next = digit(text, at)
      if (next >= 0) {
        digits += 1
        if (significant > 0 || next > 0) significant += 1
        if (significant <= ExactDigits) mantissa = mantissa * 10 + next
        if (behind) exponent -= 1
        at += 1
      } else if (text.getByte(at) == '.' && !behind) {
        behind = true
        at += 1
      } else number = false
    }
    if (digits == 0) return word(text, from, until, out)
    var written = 0
    if (at < until) {
      if (text.getByte(at) != 'e' && text.getByte(at) != 'E') return false
      at += 1
      val down = at < until && text.getByte(at) == '-'
      if (at < until && (down || text.getByte(at) == '+')) at += 1
      if (at == until) return false
      while (at < until) {
        val next = digit(text, at)
        if (next < 0) return false
        if (written < 10000) written = written * 10 + next
        at += 1
      }
      if (down) written = -written
    }
    val power = exponent + written
    // Of so few digits and so small a power both are doubles, and so the result is the nearest one.
    val value =
      if (significant > ExactDigits || math.abs(power) >= Powers.length)
        math.abs(java.lang.Double.parseDouble(text.substringBytes(from, until)))
      else if (power < 0) mantissa / Powers(-power)
      else mantissa * Powers(power)
    out.real = if (negative) -value else value
    !java.lang.Double.isInfinite(value)
  }

  private implicit class Part(text: UTF8String) {
    def substringBytes(from: Int, until: Int): String =
      new String(text.getBytes, from, until - from, java.nio.charset.StandardCharsets.US_ASCII)
  }

  private def word(text: UTF8String, from: Int, until: Int, out: ReadValue): Boolean = {
    val name = UTF8String.fromBytes(text.getBytes, from, until - from)
    if (name.equals(NaN)) out.real = Double.NaN
    else if (name.equals(Up)) out.real = Double.PositiveInfinity
    else if (name.equals(Down)) out.real = Double.NegativeInfinity
    else return false
    true
  }

  /** CAST(s AS DATE): a day, or a day with a time. */
  def toDate(text: UTF8String, out: ReadValue): Boolean = {
    val from = first(text)
    val until = last(text, from)
    if (!day(text, from, until, out)) return false
    val days = out.whole
    val valid = until - from == 10 || moment(text, from, until, strict = false, anyOffset = true, out)
    out.whole = days
    valid
  }

  /** CAST(s AS TIMESTAMP): in UTC unless the text names a zone. */
  def toTimestamp(text: UTF8String, out: ReadValue): Boolean = {
    val from = first(text)
    val until = last(text, from)
    if (until - from > 10) return moment(text, from, until, strict = false, anyOffset = false, out)
    val valid = day(text, from, until, out)
    out.whole = out.whole * DayMicros
    valid && until - from == 10
  }

  /** timestamp(s) of CEL: RFC 3339. */
  def celTimestamp(text: UTF8String, out: ReadValue): Boolean = moment(text, 0, text.numBytes, strict = true, anyOffset = false, out)

  private def pair(text: UTF8String, at: Int, until: Int): Int =
    if (at + 2 > until) -1 else {
      val (tens, ones) = (digit(text, at), digit(text, at + 1))
      if (tens < 0 || ones < 0) -1 else tens * 10 + ones
    }

  private def is(text: UTF8String, at: Int, until: Int, byte: Char): Boolean = at < until && text.getByte(at) == byte

  /** The days since 1970 of `2026-01-31`. */
  private def day(text: UTF8String, from: Int, until: Int, out: ReadValue): Boolean = {
    if (from + 10 > until || text.getByte(from + 4) != '-' || text.getByte(from + 7) != '-') return false
    val (century, rest) = (pair(text, from, until), pair(text, from + 2, until))
    val (month, date) = (pair(text, from + 5, until), pair(text, from + 8, until))
    if (century < 0 || rest < 0 || month < 1 || month > 12 || date < 1) return false
    val year = century * 100 + rest
    if (year == 0 || date > length(year, month)) return false
    // Years from March on: a leap day is the last day of one. After Howard Hinnant's days_from_civil.
    val shifted = if (month <= 2) year - 1 else year
    val era = shifted / 400
    val ofEra = shifted - era * 400
    val ofYear = (153 * (month + (if (month > 2) -3 else 9)) + 2) / 5 + date - 1
    out.whole = era * 146097L + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719468
    true
  }

  private def length(year: Int, month: Int): Int = month match {
    case 2 => if (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)) 29 else 28
    case 4 | 6 | 9 | 11 => 30
    case _ => 31
  }

  /** A day and a time, with seconds and a zone if it is `strict`. With `anyOffset` a zone may be any that has digits. */
  private def moment(text: UTF8String, from: Int, until: Int, strict: Boolean, anyOffset: Boolean, out: ReadValue): Boolean = {
    if (!day(text, from, until, out) || from + 16 > until) return false
    val between = text.getByte(from + 10)
    if (between != 'T' && between != 't' && (strict || between != ' ')) return false
    val (hour, minute) = (pair(text, from + 11, until), pair(text, from + 14, until))
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || text.getByte(from + 13) != ':') return false
    var micros = out.whole * DayMicros + (hour * 60L + minute) * 60000000L
    if (from + 16 == until) {
      out.whole = micros
      return !strict
    }
    val second = pair(text, from + 17, until)
    if (text.getByte(from + 16) != ':' || second < 0 || second > 59) return false
    micros += second * 1000000L
    var at = from + 19
    if (is(text, at, until, '.')) {
      val start = at + 1
      at = start
      while (at < until && digit(text, at) >= 0) {
        if (at - start < Scales.length) micros += digit(text, at).toLong * Scales(at - start)
        at += 1
      }
      if (at == start || at - start > 9) return false
    }
    val offset = zone(text, at, until, strict, anyOffset)
    out.whole = micros - offset * 60000000L
    offset != NoZone && (anyOffset || (out.whole >= FirstMicros && out.whole <= LastMicros))
  }

  private val NoZone = Int.MinValue

  /** The minutes of an offset: 0 for Z, and for nothing unless it is `strict`; NoZone for any other text. */
  private def zone(text: UTF8String, at: Int, until: Int, strict: Boolean, anyOffset: Boolean): Int = {
    if (at == until) return if (strict) NoZone else 0
    if (at + 1 == until && (text.getByte(at) == 'Z' || text.getByte(at) == 'z')) return 0
    val down = text.getByte(at) == '-'
    if (!down && text.getByte(at) != '+') return NoZone
    val hours = pair(text, at + 1, until)
    if (hours < 0 || (hours > 14 && !anyOffset)) return NoZone
    val minutes = if (at + 3 == until) (if (strict) -1 else 0) else if (at + 6 == until && text.getByte(at + 3) == ':') pair(text, at + 4, until) else -1
    if (minutes < 0 || (minutes > 59 && !anyOffset)) return NoZone
    if (down) -(hours * 60 + minutes) else hours * 60 + minutes
  }

  /** The functions: name, method, type, and what they mean. */
  private val rows: Seq[(String, String, DataType, String)] = Seq(
    ("predicat_to_bigint", "toBigint", LongType, "CAST(s AS BIGINT)"),
    ("predicat_to_double", "toDouble", DoubleType, "CAST(s AS DOUBLE)"),
    ("predicat_to_date", "toDate", DateType, "CAST(s AS DATE)"),
    ("predicat_to_timestamp", "toTimestamp", TimestampType, "CAST(s AS TIMESTAMP), in UTC unless s names a zone"),
    ("predicat_int", "celInt", LongType, "int(s) of CEL"),
    ("predicat_double", "celDouble", DoubleType, "double(s) of CEL"),
    ("predicat_timestamp", "celTimestamp", TimestampType, "timestamp(s) of CEL"))

  val names: Set[String] = rows.map(_._1).toSet

  val functions: Seq[(FunctionIdentifier, ExpressionInfo, Seq[Expression] => Expression)] = rows.map { case (name, method, dataType, meaning) =>
    val info = new ExpressionInfo(classOf[TextConversion].getName, null, name,
      s"_FUNC_(s) - $meaning, as in filters: NULL if the string has no such value. The SQL of filters calls it.", "", "", "", "predicate_funcs", "4.0.0", "", "built-in")
    val build: Seq[Expression] => Expression = {
      case Seq(text) => TextConversion(text, name, method, dataType)
      case _ => Errors.guarded(throw PredicatException(Kind.Call, s"$name takes a string"))
    }
    (FunctionIdentifier(name), info, build)
  }

  /** Make the functions known in a session that runs without the extension. */
  def install(session: classic.SparkSession): Unit = {
    val known = session.sessionState.functionRegistry.listFunction().map(_.funcName).toSet
    (functions ++ JsonConversions.functions :+ UtcDate.function :+ JsonTexts.function).foreach { case (name, info, build) => if (!known.contains(name.funcName)) Install.function(session, name, info, build) }
  }

  def read(method: String, text: UTF8String, out: ReadValue): Boolean = method match {
    case "toBigint" => toBigint(text, out)
    case "toDouble" => toDouble(text, out)
    case "toDate" => toDate(text, out)
    case "toTimestamp" => toTimestamp(text, out)
    case "celInt" => celInt(text, out)
    case "celDouble" => celDouble(text, out)
    case "celTimestamp" => celTimestamp(text, out)
  }
}
