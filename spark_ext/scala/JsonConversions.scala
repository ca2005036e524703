package io.predicat.spark

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.predicat.JsonConversion
import org.apache.spark.sql.types.{DataType, DoubleType, LongType}
import org.apache.spark.types.variant.{Variant, VariantUtil}
import org.apache.spark.unsafe.types.{UTF8String, VariantVal}

/** Reads numbers of JSON values as filters mean it. Each method says whether the value has one, which it leaves in `out`. */
object JsonConversions {
  private val Limit = 9223372036854775808.0

  /** The number that the value is. */
  def number(value: VariantVal, out: ReadValue): Boolean = number(new Variant(value.getValue, value.getMetadata), out)

  private def number(value: Variant, out: ReadValue): Boolean = {
    val known = value.getType match {
      case VariantUtil.Type.LONG => out.real = value.getLong.toDouble; true
      case VariantUtil.Type.DOUBLE => out.real = value.getDouble; true
      case VariantUtil.Type.DECIMAL => out.real = value.getDecimal.doubleValue; true
      case VariantUtil.Type.FLOAT => out.real = value.getFloat.toDouble; true
      case _ => false
    }
    known
  }

  /** double(j) of CEL: a number, or what a text is read as. */
  def celDouble(value: VariantVal, out: ReadValue): Boolean = {
    val variant = new Variant(value.getValue, value.getMetadata)
    if (isText(variant)) TextConversions.celDouble(text(variant), out) else number(variant, out)
  }

  /** int(j) of CEL. */
  def celInt(value: VariantVal, out: ReadValue): Boolean = whole(value, out, least = false)

  /** CAST(j AS BIGINT): the least integer is a number of it, too. */
  def toBigint(value: VariantVal, out: ReadValue): Boolean = whole(value, out, least = true)

  private def whole(value: VariantVal, out: ReadValue, least: Boolean): Boolean = {
    val variant = new Variant(value.getValue, value.getMetadata)
    if (isText(variant)) TextConversions.celInt(text(variant), out)
    else number(variant, out) && out.real < Limit && (out.real > -Limit || (least && out.real == -Limit)) && {
      out.whole = out.real.toLong
      true
    }
  }

  private def isText(variant: Variant): Boolean = variant.getType == VariantUtil.Type.STRING

  private def text(variant: Variant): UTF8String = UTF8String.fromString(variant.getString)

  /** The functions: name, method, type, and what they mean. */
  private val rows: Seq[(String, String, DataType, String)] = Seq(
    ("predicat_number", "number", DoubleType, "The number of a JSON value"),
    ("predicat_json_double", "celDouble", DoubleType, "double(j) of CEL"),
    ("predicat_json_int", "celInt", LongType, "int(j) of CEL"),
    ("predicat_json_to_bigint", "toBigint", LongType, "CAST(j AS BIGINT)"))

  val names: Set[String] = rows.map(_._1).toSet

  val functions: Seq[(FunctionIdentifier, ExpressionInfo, Seq[Expression] => Expression)] = rows.map { case (name, method, dataType, meaning) =>
    val info = new ExpressionInfo(classOf[JsonConversion].getName, null, name,
      s"_FUNC_(j[, path]) - $meaning, as in filters: NULL if the JSON value, or the one at the path, has no such value. The SQL of filters calls it.",
      "", "", "", "predicate_funcs", "4.0.0", "", "built-in")
    val build: Seq[Expression] => Expression = {
      case Seq(value) => JsonConversion(value, name, method, dataType)
      // Spark reads only what is at the path, where the columns of a file hold the parts of documents.
      case given @ Seq(_, _) => JsonConversion(UnresolvedFunction("try_variant_get", given, isDistinct = false), name, method, dataType)
      case _ => Errors.guarded(throw PredicatException(Kind.Call, s"$name takes a JSON value and a path"))
    }
    (FunctionIdentifier(name), info, build)
  }

  def read(method: String, value: VariantVal, out: ReadValue): Boolean = method match {
    case "number" => number(value, out)
    case "celDouble" => celDouble(value, out)
    case "celInt" => celInt(value, out)
    case "toBigint" => toBigint(value, out)
  }
}
