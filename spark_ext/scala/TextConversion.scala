package org.apache.spark.sql.predicat

import io.predicat.spark.{JsonConversions, ReadValue, TextConversions}
import org.apache.spark.sql.catalyst.expressions.{ExpectsInputTypes, Expression, ImplicitCastInputTypes, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.{UTF8String, VariantVal}

/** A text as a value of another type, NULL where it has none. */
case class TextConversion(child: Expression, name: String, method: String, dataType: DataType) extends Conversion with ImplicitCastInputTypes {
  override def inputTypes: Seq[AbstractDataType] = Seq(StringType)
  override protected def reader: String = "io.predicat.spark.TextConversions"
  override protected def read(value: Any, out: ReadValue): Boolean = TextConversions.read(method, value.asInstanceOf[UTF8String], out)
  override protected def withNewChildInternal(newChild: Expression): TextConversion = copy(child = newChild)
}

/** A JSON value as a number, NULL where it has none. */
case class JsonConversion(child: Expression, name: String, method: String, dataType: DataType) extends Conversion with ExpectsInputTypes {
  override def inputTypes: Seq[AbstractDataType] = Seq(VariantType)
  override protected def reader: String = "io.predicat.spark.JsonConversions"
  override protected def read(value: Any, out: ReadValue): Boolean = JsonConversions.read(method, value.asInstanceOf[VariantVal], out)
  override protected def withNewChildInternal(newChild: Expression): JsonConversion = copy(child = newChild)
}

/** Calls a method of an object that leaves the value in a `ReadValue`, and says whether there is one. */
trait Conversion extends UnaryExpression {
  def name: String
  def method: String
  protected def reader: String
  protected def read(value: Any, out: ReadValue): Boolean
  override def nullable: Boolean = true
  override def nullIntolerant: Boolean = true
  override def prettyName: String = name
  override def sql: String = s"$name(${child.sql})"
  override def toString: String = s"$name($child)"

  override protected def nullSafeEval(value: Any): Any = {
    val out = new ReadValue
    if (!read(value, out)) null
    else dataType match {
      case DoubleType => out.real
      case DateType => out.whole.toInt
      case _ => out.whole
    }
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val kind = classOf[ReadValue].getName
    val out = ctx.addMutableState(kind, "readValue", variable => s"$variable = new $kind();")
    val value = dataType match {
      case DoubleType => s"$out.real()"
      case DateType => s"(int) $out.whole()"
      case _ => s"$out.whole()"
    }
    nullSafeCodeGen(ctx, ev, input =>
      s"""if ($reader.$method($input, $out)) {
         |  ${ev.value} = $value;
         |} else {
         |  ${ev.isNull} = true;
         |}""".stripMargin)
  }
}
