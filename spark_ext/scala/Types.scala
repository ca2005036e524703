package io.predicat.spark

import java.util.Locale

import org.apache.spark.sql.catalyst.expressions.{Expression, NamedExpression}
import org.apache.spark.sql.types._

/** What a filter can read. */
object Types {
  def missing(filter: String, column: String, known: Iterable[String]): String =
    s"filter $filter reads the column '$column', which the relation here does not have" + Near.hint(column, known)

  /** What a filter cannot read: a column of another type than the catalog declares. */
  def problem(filter: String, column: String, expression: Expression, declared: String): Option[String] = {
    val wanted = Generated.withDefaultParserConf(DataType.fromDDL(declared.replaceAll("\\bjson\\b(?!:)", "variant")))
    val other = paddedCharType(expression).orElse(Some(expression.dataType.sql.toLowerCase(Locale.ROOT)).filterNot(_ => typeAccepts(expression.dataType, wanted)))
    other.map(kind => s"filter $filter reads the column '$column' as $declared, but the relation here has $kind in it")
  }

  /** CHAR(n) of a column that has one: Spark fills it with blanks, which count in some operators and not in others. */
  private def paddedCharType(expression: Expression): Option[String] = expression match {
    case named: NamedExpression if named.metadata.contains("__CHAR_VARCHAR_TYPE_STRING") =>
      Some(named.metadata.getString("__CHAR_VARCHAR_TYPE_STRING")).filter(kind => kind.startsWith("char(") && kind != "char(1)")
    case _ => None
  }

  private def typeAccepts(actual: DataType, wanted: DataType): Boolean = (actual, wanted) match {
    case (NullType, _) => true
    case (text: StringType, _: StringType) => text.collationId == StringType.collationId
    case (_: ByteType | _: ShortType | _: IntegerType | _: LongType, _: LongType | _: DecimalType) => true
    // Fields that are declared narrower: their SQL counts on their range.
    case (_: ByteType, _: ShortType) | (_: ByteType | _: ShortType, _: IntegerType) => true
    case (_: ByteType | _: ShortType | _: IntegerType, _: FloatType) => true
    case (_: NumericType, _: DoubleType) => true
    case (_: DecimalType, _: DecimalType) => true
    case (one: ArrayType, other: ArrayType) => typeAccepts(one.elementType, other.elementType)
    case (one: MapType, other: MapType) => typeAccepts(one.keyType, other.keyType) && typeAccepts(one.valueType, other.valueType)
    case (one: StructType, other: StructType) => other.forall(field =>
      one.exists(actual => actual.name.equalsIgnoreCase(field.name) && typeAccepts(actual.dataType, field.dataType)))
    case _ => actual == wanted
  }
}
