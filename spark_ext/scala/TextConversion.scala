package org.apache.spark.sql.predicat

import io.predicat.spark.{ReadValue, TextConversions}
import org.apache.spark.sql.catalyst.expressions.{Expression, ImplicitCastInputTypes, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** A text as a value of another type, NULL where it has none. */
case class TextConversion(child: Expression, name: String, method: String, dataType: DataType) extends UnaryExpression with ImplicitCastInputTypes {
  override def inputTypes: Seq[AbstractDataType] = Seq(StringType)
  override def nullable: Boolean = true
  override def nullIntolerant: Boolean = true
  override def prettyName: String = name
  override def sql: String = s"$name(${child.sql})"
  override def toString: String = s"$name($child)"

  override protected def nullSafeEval(value: Any): Any = {
    val out = new ReadValue
    if (!TextConversions.read(method, value.asInstanceOf[UTF8String], out)) null
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
    nullSafeCodeGen(ctx, ev, text =>
      s"""if (io.predicat.spark.TextConversions.$method($text, $out)) {
         |  ${ev.value} = $value;
         |} else {
         |  ${ev.isNull} = true;
         |}""".stripMargin)
  }

  override protected def withNewChildInternal(newChild: Expression): TextConversion = copy(child = newChild)
}
