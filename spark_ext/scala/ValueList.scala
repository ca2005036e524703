package org.apache.spark.sql.predicat

import java.time.{Instant, LocalDate}
import java.util.{HashSet => JavaSet, LinkedHashMap, Map => JavaMap}

import com.fasterxml.jackson.core.{JsonParser, JsonToken}
import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.expressions.{Expression, ImplicitCastInputTypes, Predicate, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.collection.OpenHashSet

/** The values of a list as a hash table: whole numbers, dates and times by their numbers, other values as they are. */
class ListValues(numbers: OpenHashSet[Long], others: JavaSet[Any]) {
  def holdsNumber(value: Long): Boolean = numbers.contains(value)
  def holds(value: Any): Boolean = others.contains(value)
}

/**
 * A list whose values come to each executor once. They are read when a task first asks for one, and all tasks of a process share them.
 * Here, in Spark's package, for its hash table of numbers.
 */
class ValueList(val digest: String, val dataType: DataType, content: Broadcast[Array[Byte]]) extends Serializable {
  @transient private lazy val values: ListValues = ValueList.shared(digest, dataType, content.value)

  def holdsNumber(value: Long): Boolean = values.holdsNumber(value)
  def holds(value: Any): Boolean = values.holds(value)
  override def equals(other: Any): Boolean = other match {
    case one: ValueList => one.digest == digest
    case _ => false
  }
  override def hashCode: Int = digest.hashCode
}

object ValueList {
  private val Most = 32
  private val mapper = new ObjectMapper()
  private val known = new LinkedHashMap[String, ListValues](Most, 0.75f, true) {
    override def removeEldestEntry(eldest: JavaMap.Entry[String, ListValues]): Boolean = size > Most
  }

  def shared(digest: String, dataType: DataType, content: Array[Byte]): ListValues = known.synchronized {
    val list = Option(known.get(digest)).getOrElse(read(dataType, content))
    known.put(digest, list)
    list
  }

  /** The type of the values, which stands before them. */
  def typeOf(content: Array[Byte]): DataType = withParser(content) { parser =>
    parser.nextToken()
    DataType.fromDDL(parser.nextTextValue())
  }

  private def read(dataType: DataType, content: Array[Byte]): ListValues = withParser(content) { parser =>
    parser.nextToken()
    parser.nextToken()
    parser.nextToken()
    val numbers = new OpenHashSet[Long](64)
    val others = new JavaSet[Any]()
    while (parser.nextToken() != JsonToken.END_ARRAY) dataType match {
      case LongType => numbers.add(parser.getLongValue)
      case DateType => numbers.add(LocalDate.parse(parser.getText).toEpochDay)
      case TimestampType => numbers.add(DateTimeUtils.instantToMicros(Instant.parse(parser.getText)))
      case decimal: DecimalType => others.add(Decimal(new java.math.BigDecimal(parser.getText), decimal.precision, decimal.scale)): Unit
      case _ => others.add(UTF8String.fromString(parser.getText)): Unit
    }
    new ListValues(numbers, others)
  }

  private def withParser[T](content: Array[Byte])(use: JsonParser => T): T = {
    val parser = mapper.getFactory.createParser(content)
    try use(parser) finally parser.close()
  }
}

/** Whether a list has a value: NULL for NULL. */
case class InValueList(child: Expression, list: ValueList) extends UnaryExpression with ImplicitCastInputTypes with Predicate {
  override def inputTypes: Seq[AbstractDataType] = Seq(list.dataType)
  override def nullIntolerant: Boolean = true
  override def prettyName: String = "predicat_in_list"
  override def sql: String = s"$prettyName(${child.sql}, '${list.digest}')"
  override def toString: String = s"$prettyName($child, ${list.digest.take(8)})"

  private val isNumber = list.dataType match {
    case LongType | DateType | TimestampType => true
    case _ => false
  }

  override protected def nullSafeEval(value: Any): Any = value match {
    case number: Long if isNumber => list.holdsNumber(number)
    case number: Int if isNumber => list.holdsNumber(number.toLong)
    case other => list.holds(other)
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val values = ctx.addReferenceObj("list", list, classOf[ValueList].getName)
    val method = if (isNumber) "holdsNumber" else "holds"
    nullSafeCodeGen(ctx, ev, value => s"${ev.value} = $values.$method($value);")
  }

  override protected def withNewChildInternal(newChild: Expression): InValueList = copy(child = newChild)
}
