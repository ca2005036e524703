package org.apache.spark.sql.predicat

import io.predicat.spark.{Errors, Kind, PredicatException}
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{ExpectsInputTypes, Expression, ExpressionInfo, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types._

/** The day of a timestamp in UTC, whatever the time zone of the session. */
case class UtcDate(child: Expression) extends UnaryExpression with ExpectsInputTypes {
  override def inputTypes: Seq[AbstractDataType] = Seq(TimestampType)
  override def dataType: DataType = DateType
  override def nullIntolerant: Boolean = true
  override def prettyName: String = UtcDate.Name
  override protected def nullSafeEval(micros: Any): Any = Math.floorDiv(micros.asInstanceOf[Long], UtcDate.DayMicros).toInt
  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    defineCodeGen(ctx, ev, micros => s"(int) Math.floorDiv($micros, ${UtcDate.DayMicros}L)")
  override protected def withNewChildInternal(newChild: Expression): UtcDate = copy(child = newChild)
}

object UtcDate {
  val Name = "predicat_utc_date"
  private val DayMicros = 86400000000L

  val function: (FunctionIdentifier, ExpressionInfo, Seq[Expression] => Expression) = {
    val info = new ExpressionInfo(classOf[UtcDate].getName, null, Name,
      "_FUNC_(t) - The day of a timestamp in UTC, whatever the time zone of the session. The SQL of filters calls it.", "", "", "", "predicate_funcs", "4.0.0", "", "built-in")
    val build: Seq[Expression] => Expression = {
      case Seq(moment) => UtcDate(moment)
      case _ => Errors.guarded(throw PredicatException(Kind.Call, s"$Name takes a timestamp"))
    }
    (FunctionIdentifier(Name), info, build)
  }
}
