package io.predicat.spark

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.{NamedParameter, UnresolvedAttribute, UnresolvedExtractValue}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.trees.{BinaryLike, TreeNodeTag}
import org.apache.spark.sql.catalyst.util.QuotingUtils
import org.apache.spark.sql.predicat.Usage

/** A call that reads columns of filters, which are those of its own operator. */
trait FilterCall extends Expression {
  def name: String
  /** The call as it names its columns itself: `o.*`, or `'o'` for an alias. */
  def reading(columns: String): String
  /** The filters in it, `name@version`. */
  def used: Seq[String]
}

/** `matches_filter('name')`: two-valued, shown by its name, replaced by its predicate before execution. */
case class MatchesFilter(name: String, version: Int, parameters: Seq[Expression], replacement: Expression)
    extends RuntimeReplaceable with InheritAnalysisRules with FilterCall {
  override def reading(columns: String): String = s"matches_filter('$name', $columns)"
  override def used: Seq[String] = Seq(s"$name@$version")
  override def prettyName: String = "matches_filter"
  override def nullable: Boolean = false
  override def toString: String = s"matches_filter($name)"
  override protected def withNewChildInternal(child: Expression): MatchesFilter = copy(replacement = child)
}

/** Whether a filter accepts the row, and a condition that is TRUE for the same rows, and FALSE or NULL for others. */
case class WithCondition(decided: Expression, condition: Expression) extends Expression with BinaryLike[Expression] with RuntimeReplaceable {
  override def left: Expression = decided
  override def right: Expression = condition
  override def replacement: Expression = decided
  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): WithCondition = copy(newLeft, newRight)
}

/** Builds the expression of a call. */
object MatchesFilter {
  /** The columns of a call are those of its own operator. */
  val Bound = new TreeNodeTag[Unit]("predicat.bound")
  /** What to say if a column of this name is not found by Spark's own rules, which look further than the operator of the call. */
  val Sought = new TreeNodeTag[Map[Seq[String], String]]("predicat.sought")

  def build(arguments: Seq[Expression]): Expression = Errors.guarded {
    val session = Settings.session
    val filter = Settings.manifest().find(Arguments.text(arguments.headOption.getOrElse(throw PredicatException(Kind.Call,
      "matches_filter needs the name of a filter: matches_filter('name')"))))
    if (filter.executed.isEmpty) throw PredicatException(Kind.UnsupportedFilter, s"filter ${filter.name} cannot run on Spark: ${filter.refusal}")
    filter.vet()
    val (named, scope) = Arguments.split(arguments.tail)
    if (Settings.singlePass && scope.isInstanceOf[Names] && filter.columns.nonEmpty) throw PredicatException(Kind.Call,
      s"Spark's single-pass analyzer finds no columns for ${filter.name} by name: write matches_filter('${filter.name}', " +
        s"${filter.columns.keys.toSeq.sorted.map(column => s"t.${QuotingUtils.quoteIfNeeded(column)}").mkString(", ")})")
    val values = Arguments.values(filter, named)
    val columns = Arguments.columns(filter, named)
    // Each call has nodes of its own: analysis tags them.
    def bound(parsed: Option[Expression]) = parsed.map(one => bind(filter, one.clone(), scope, values, columns))
    val predicate = bound(filter.parsed).get
    Usage.seen(session, Seq(filter))
    val decided =
      if (filter.acceptUnknown) Not(EqualNullSafe(predicate, Literal.FalseLiteral))
      else EqualNullSafe(predicate, Literal.TrueLiteral)
    val both = bound(filter.parsedCondition).fold[Expression](decided)(WithCondition(decided, _))
    own(MatchesFilter(filter.name, filter.version, arguments, both), arguments, scope)
  }

  /** A call that is given its columns reads no others. */
  def own(call: FilterCall, arguments: Seq[Expression], scope: Scope): Expression = {
    if (scope.isInstanceOf[Columns] && !arguments.exists(_.exists(_.isInstanceOf[OuterReference]))) call.setTagValue(Bound, ())
    call
  }

  /** Names become columns that bind where the call stands; names of lambdas stay; parameters become their values. */
  private def bind(filter: Filter, sql: Expression, scope: Scope, params: Map[String, Expression], columns: Map[String, Expression]): Expression = sql transform {
    case NamedParameter(name) => params.getOrElse(name, throw PredicatException(Kind.Manifest,
      s"the manifest's SQL of ${filter.name} has an unknown parameter '$name'"))
    case attribute: UnresolvedAttribute if filter.columns.contains(attribute.nameParts.head) =>
      val name = attribute.nameParts.head
      (columns.get(name.toLowerCase(Locale.ROOT)), scope) match {
        case (Some(value), _) => member(value, attribute)
        case (None, Names(qualifier)) => FilterColumn(qualifier, attribute.nameParts, filter.columns(name), filter.name)
        case (None, Columns(byName)) => member(given(filter.name, name, filter.columns(name), byName), attribute)
      }
  }

  private def member(base: Expression, attribute: UnresolvedAttribute): Expression =
    attribute.nameParts.tail.foldLeft(base)((inner, part) => UnresolvedExtractValue(inner, Literal(part)))

  def given(filter: String, name: String, declared: String, byName: Map[String, Seq[Expression]]): Expression =
    byName.getOrElse(name.toLowerCase(Locale.ROOT), Nil) match {
      case Seq(only) =>
        if (only.resolved) Types.problem(filter, name, only, declared).foreach(problem =>
          throw PredicatException(Kind.ColumnType, problem))
        only
      case Nil => throw PredicatException(Kind.MissingColumn, Types.missing(filter, name, byName.keys))
      case _ => throw PredicatException(Kind.Call, s"the column '$name' of filter $filter is among the given columns more than once")
    }
}
