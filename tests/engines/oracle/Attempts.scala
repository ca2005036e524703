package predicat.test

import scala.util.control.NonFatal

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, BindReferences, Expression}
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan, Project}

/** Spark's answers to many conditions, with an error for the row that raises it, not for all rows. */
object Attempts {

  /** For each condition a letter per row of a view: T, F, N for NULL, E for an error; or "!" and the message if Spark does
    * not take the condition.
    */
  def run(session: SparkSession, view: String, conditions: Array[String]): Array[String] = {
    val rows = session.table(view).queryExecution.executedPlan.executeCollect()
    val found = new Array[String](conditions.length)
    (0 until conditions.length).foreach(i => found(i) = answers(session, view, conditions(i), rows))
    found
  }

  private def answers(session: SparkSession, view: String, condition: String, rows: Array[InternalRow]): String =
    try {
      val plan = session.sql(s"SELECT ($condition) AS c FROM $view").queryExecution.optimizedPlan
      val expression = bound(plan)
      rows.map(row => letter(expression, row)).mkString
    } catch {
      case error @ (_: AnalysisException | _: ParseException | _: IllegalStateException) =>
        "!" + String.valueOf(error.getMessage).linesIterator.take(1).mkString
      case NonFatal(_) => "E" * rows.length // of a constant
    }

  /** The one expression of the projections over a leaf, in terms of the leaf's columns. */
  private def bound(plan: LogicalPlan): Expression = plan match {
    case Project(Seq(named), child) => BindReferences.bindReference(inlined(named, child), child.collectLeaves().head.output)
    case _ => throw new IllegalStateException(s"no projection: $plan")
  }

  private def inlined(expression: Expression, child: LogicalPlan): Expression = child match {
    case Project(list, below) =>
      val values = list.collect { case alias: Alias => alias.exprId -> alias.child }.toMap
      inlined(expression.transform { case column: Attribute => values.getOrElse(column.exprId, column) }, below)
    case _: LeafNode => expression
    case _ => throw new IllegalStateException(s"no projection: $child")
  }

  private def letter(expression: Expression, row: InternalRow): Char =
    try expression.eval(row) match {
      case null => 'N'
      case true => 'T'
      case false => 'F'
      case other => throw new IllegalStateException(s"no truth value: $other")
    } catch { case NonFatal(_) => 'E' }
}
