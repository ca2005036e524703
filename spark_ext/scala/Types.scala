package io.predicat.spark

import java.util.Locale
import java.util.concurrent.ConcurrentHashMap

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.catalyst.expressions.{Expression, NamedExpression}
import org.apache.spark.sql.catalyst.util.{CharVarcharUtils, QuotingUtils}
import org.apache.spark.sql.types._

/** What a filter can read. */
object Types {
  /** The table of declared types and types of columns, from the compiler (backends/column_types.py). */
  private lazy val table: JsonNode = new ObjectMapper().readTree(getClass.getResource("/predicat-columns.json"))

  def missing(filter: String, column: String, known: Iterable[String]): String =
    s"filter $filter reads the column '$column', which the relation here does not have" + Near.hint(column, known) +
      s"; if it has another name here: matches_filter('$filter', ${QuotingUtils.quoteIfNeeded(column)} => ...)"

  def gone(filter: String, column: String): String =
    s"filter $filter reads the column '$column', which the rows here no longer have after GROUP BY, DISTINCT or SELECT: group by it or select it, " +
      "apply the filter before that, or count its rows: count_if(matches_filter(...))"

  /** What a filter cannot read: a column that does not hold the type that the catalog declares; columns of expressions declare none. */
  def problem(filter: String, column: String, expression: Expression, declared: String): Option[String] = if (declared.isEmpty) None else {
    val wanted = read(declared)
    val actual = columnType(expression)
    refused(actual, wanted).map { row =>
      def filled(text: String): String = text.replace("{cast}", row.path("cast").asText).replace("{declared}", declared).replace("{column}", column)
      val declare = natural(actual).map(kind => table.path("declare").asText.replace("{natural}", kind)).getOrElse("")
      s"filter $filter reads the column '$column' as $declared, but the relation here has ${actual.sql.toLowerCase(Locale.ROOT)} in it: " +
        s"${filled(row.path("why").asText)}; $declare${filled(table.path("view").asText)}"
    }
  }

  private val Most = 10000
  private val known = new ConcurrentHashMap[String, DataType]()

  private def read(declared: String): DataType = {
    if (known.size > Most) known.clear()
    known.computeIfAbsent(declared, _ => Generated.withDefaultParserConf(DataType.fromDDL(declared.replaceAll("\\bjson\\b(?!:)", "variant"))))
  }

  /** The type of a column, with the CHAR(n) in it, which Spark shows as a string and fills with blanks. */
  private def columnType(expression: Expression): DataType = (expression match {
    case named: NamedExpression => CharVarcharUtils.getRawType(named.metadata)
    case _ => None
  }).getOrElse(expression.dataType)

  /** The row of the table that refuses a column. Containers are compared part by part, decimals by their digits. */
  private def refused(actual: DataType, wanted: DataType): Option[JsonNode] = (actual, wanted) match {
    case (NullType, _) => None
    case (one: ArrayType, other: ArrayType) => refused(one.elementType, other.elementType)
    case (one: MapType, other: MapType) => refused(one.keyType, other.keyType).orElse(refused(one.valueType, other.valueType))
    case (one: StructType, other: StructType) => other.flatMap(field => one.find(_.name.equalsIgnoreCase(field.name))
      .fold(Option(table.path("other")))(part => refused(part.dataType, field.dataType))).headOption
    case _ => Some(rowOf(kind(actual), kind(wanted))).filter(row => row.path("verdict").asText == "refused" || !fits(row.path("digits").asText, actual, wanted))
  }

  private def rowOf(column: String, declared: String): JsonNode =
    Option(table.path("rows").get(s"$declared $column")).getOrElse(table.path("other"))

  private def fits(digits: String, actual: DataType, wanted: DataType): Boolean = (digits, actual, wanted) match {
    case ("fitting", one: DecimalType, other: DecimalType) => one.scale <= other.scale && one.precision - one.scale <= other.precision - other.scale
    case ("", _, _) => true
    case (most, one: DecimalType, _) => one.precision <= most.toInt
    case _ => false
  }

  /** What the table calls a type. */
  private def kind(actual: DataType): String = actual match {
    case padded: CharType => if (padded.length == 1) "string" else "char"
    case _: VarcharType => "string"
    case text: StringType => if (text.collationId == StringType.collationId) "string" else "collated"
    case VariantType => "json"
    case other => other.sql.toLowerCase(Locale.ROOT).takeWhile(letter => letter.isLetter || letter == '_')
  }

  /** The type to declare for a column. */
  private def natural(actual: DataType): Option[String] = actual match {
    case decimal: DecimalType => Some(s"decimal(${decimal.precision},${decimal.scale})")
    case other => Option(table.path("fields").get(kind(other))).map(_.asText)
  }
}
