package io.predicat.spark

import scala.annotation.tailrec

import org.apache.spark.sql.{AnalysisException, SparkSession}
import org.apache.spark.sql.catalyst.analysis.{AnalysisContext, UnresolvedAttribute, UnresolvedHaving}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Filter => FilterNode, LogicalPlan, MergeAction, MergeIntoTable, RepartitionByExpression, Sort, SubqueryAlias, UnaryNode}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types.DataType

/** A column that a filter reads. It binds to the children of its operator only: never to an outer query or an alias. */
case class FilterColumn(qualifier: Seq[String], path: Seq[String], declared: String, filter: String) extends LeafExpression with Unevaluable {
  override lazy val resolved = false
  override def dataType: DataType = throw new UnsupportedOperationException("dataType of an unresolved column")
  override def nullable: Boolean = throw new UnsupportedOperationException("nullable of an unresolved column")
  def nameParts: Seq[String] = qualifier ++ path
  def column: Seq[String] = qualifier :+ path.head
  def shown: String = path.mkString(".")
  override def sql: String = nameParts.mkString(".")
  override def toString: String = s"'$sql"
}

/** Binds the columns of filters to the children of the operator that holds the call. */
case class ResolveFilterColumns(session: SparkSession) extends Rule[LogicalPlan] {
  private def resolver = session.asInstanceOf[org.apache.spark.sql.classic.SparkSession].sessionState.conf.resolver

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case node if node.childrenResolved && node.expressions.exists(unbound) => node.mapExpressions {
      case expression if unbound(expression) =>
        val sources = scope(node, expression)
        expression.transform { case call: FilterCall => bound(call, call.transform { case column: FilterColumn => resolve(node, sources, column, call) }) }
      case expression => expression
    }
  }

  private def bound(call: FilterCall, resolved: Expression): Expression = {
    if (unbound(call) && !resolved.exists(_.isInstanceOf[UnresolvedAttribute])) resolved.setTagValue(MatchesFilter.Bound, ())
    resolved
  }

  private def unbound(expression: Expression): Boolean = !expression.resolved && expression.exists(_.isInstanceOf[FilterColumn])

  /** What an expression of the operator reads. A row of MERGE that matches nothing is in one of the two relations. */
  private def scope(node: LogicalPlan, expression: Expression): Seq[LogicalPlan] = (node, expression) match {
    case (merge: MergeIntoTable, action: MergeAction) if merge.notMatchedActions.exists(_ eq action) => Seq(merge.sourceTable)
    case (merge: MergeIntoTable, action: MergeAction) if merge.notMatchedBySourceActions.exists(_ eq action) => Seq(merge.targetTable)
    case _ => node.children
  }

  private def resolve(node: LogicalPlan, sources: Seq[LogicalPlan], column: FilterColumn, call: FilterCall): Expression = {
    def find(parts: Seq[String]): Option[NamedExpression] =
      try sources match {
        case Seq(one) => one.resolve(parts, resolver)
        case _ => node.resolveChildren(parts, resolver)
      } catch { case error: AnalysisException if error.getCondition == "AMBIGUOUS_REFERENCE" => throw ambiguous(column, sources, call) }
    val whole = find(column.column)
    whole.flatMap(resolved => Types.problem(column.filter, column.path.head, resolved, column.declared)).foreach(problem =>
      throw Errors.analysis(PredicatException(Kind.ColumnType, problem), call.origin))
    (if (column.path.length == 1) whole else find(column.nameParts)).map {
      case Alias(child, _) => child
      case resolved => resolved
    }.getOrElse(node match {
      // ORDER BY, HAVING and QUALIFY may name columns that their child has computed away: Spark's own rules know those.
      case _: Sort | _: RepartitionByExpression | _: UnresolvedHaving | FilterNode(_, _: Aggregate) => sought(node, column, call)
      case later if later.nodeName == "UnresolvedQualify" => sought(node, column, call)
      case FilterNode(_, child) if below(child, column.column) => sought(node, column, call)
      case _ => throw Errors.analysis(PredicatException(Kind.MissingColumn, missing(sources, column)), call.origin)
    })
  }

  /** A column for Spark's own rules; the call keeps what to say if they do not find it. */
  private def sought(node: LogicalPlan, column: FilterColumn, call: FilterCall): Expression = {
    val before = call.getTagValue(MatchesFilter.Sought).getOrElse(Map.empty)
    call.setTagValue(MatchesFilter.Sought, before + (column.nameParts -> missing(node.children, column)))
    UnresolvedAttribute(column.nameParts)
  }

  private def missing(sources: Seq[LogicalPlan], column: FilterColumn): String =
    if (sources.exists(below(_, column.column))) Types.gone(column.filter, column.shown)
    else Types.missing(column.filter, column.shown, sources.flatMap(names))

  private def names(plan: LogicalPlan): Seq[String] = plan.output.map(_.name) ++ (plan match {
    case _: SubqueryAlias => Nil
    case unary: UnaryNode => names(unary.child)
    case _ => Nil
  })

  /** Whether the column was left out on the way, as in `select("id").where(...)`: Spark brings those back. */
  @tailrec private def below(plan: LogicalPlan, column: Seq[String]): Boolean = plan match {
    case _: SubqueryAlias => false
    case unary: UnaryNode => unary.child.resolve(column, resolver).isDefined || below(unary.child, column)
    case _ => false
  }

  private def ambiguous(column: FilterColumn, sources: Seq[LogicalPlan], call: FilterCall): Throwable = {
    val found = sources.flatMap(_.output).filter(one => resolver(one.name, column.path.head))
    val alias = found.map(_.qualifier.lastOption).distinct match {
      case Seq(Some(first), _, _*) => first
      case _ => "o"
    }
    Errors.analysis(PredicatException(Kind.AmbiguousColumn, s"filter ${column.filter} reads the column '${column.path.head}', " +
      s"which more than one relation here has; name one: ${call.reading(s"'$alias'")}"), call.origin)
  }
}

/**
 * Refuses what Spark's own rules have found for a call, or have not. A filter never reads a column of an outer query: what is bound stays so,
 * though Spark moves the conditions of a MERGE into a subquery. A column may be missing until Spark is done with the outermost query.
 */
object RefuseColumns extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    val done = AnalysisContext.get.outerPlan.isEmpty
    plan.foreachWithSubqueries(_.expressions.foreach(_.foreach {
      case call: FilterCall if call.getTagValue(MatchesFilter.Bound).isEmpty =>
        problem(call, if (done) call.getTagValue(MatchesFilter.Sought) else None).foreach(one => throw Errors.analysis(one, call.origin))
      case _ =>
    }))
    plan
  }

  private def problem(call: FilterCall, sought: Option[Map[Seq[String], String]]): Option[PredicatException] = call.collectFirst {
    case outer: OuterReference => PredicatException(Kind.OuterColumn,
      s"filter ${call.name} would read '${outer.name}' of an outer query; give it columns: ${call.reading("o.*")}")
    case column: UnresolvedAttribute if sought.exists(_.contains(column.nameParts)) => PredicatException(Kind.MissingColumn, sought.get(column.nameParts))
  }
}
