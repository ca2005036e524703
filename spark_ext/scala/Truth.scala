package io.predicat.spark

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, CountIf}
import org.apache.spark.sql.catalyst.plans.logical.{Assignment, DeleteFromTable, Filter => FilterNode, Join, LogicalPlan}
import org.apache.spark.sql.catalyst.plans.logical.{MergeAction, MergeIntoTable, MergeRows, RowLevelWrite, UpdateTable}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.catalyst.trees.TreePattern.BINARY_COMPARISON
import org.apache.spark.sql.types.BooleanType

/** Conditions in which only TRUE counts: there a call gives way to its predicate, which Spark can push down. */
object Truth {
  /** TRUE exactly where the expression is; FALSE and NULL may change places. */
  def positive(expression: Expression): Expression = expression match {
    case And(left, right) => And(positive(left), positive(right))
    case Or(left, right) => Or(positive(left), positive(right))
    case Not(inner) if reaches(inner) => negative(inner)
    case cast: Cast if isWrapped(cast) => positive(cast.child)
    case MatchesFilter(_, _, _, WithCondition(_, condition)) => condition
    case MatchesFilter(_, _, _, Accepted(predicate)) => predicate
    case MatchesFilter(_, _, _, NotRejected(predicate)) => notFalse(predicate)
    case other => other
  }

  /** TRUE exactly where the expression is FALSE. */
  private def negative(expression: Expression): Expression = expression match {
    case And(left, right) => Or(negative(left), negative(right))
    case Or(left, right) => And(negative(left), negative(right))
    case Not(inner) => positive(inner)
    case cast: Cast if isWrapped(cast) => negative(cast.child)
    case MatchesFilter(_, _, _, Accepted(predicate)) => notTrue(predicate)
    case MatchesFilter(_, _, _, NotRejected(predicate)) => Not(predicate)
    case other => Not(other)
  }

  /** The same for a condition that has no calls any more: `p <=> true`, which is what columns of them are, gives way to `p`. */
  def bare(expression: Expression): Expression = expression match {
    case And(left, right) => And(bare(left), bare(right))
    case Or(left, right) => Or(bare(left), bare(right))
    case Accepted(predicate) => bare(predicate)
    case NotRejected(predicate) => notFalse(predicate)
    case Not(Accepted(predicate)) => notTrue(predicate)
    case EqualNullSafe(predicate, Literal(false, BooleanType)) => Not(predicate)
    case other => other
  }

  /** Whether a call stands under AND, OR and NOT alone. */
  def reaches(expression: Expression): Boolean = expression match {
    case _: And | _: Or | _: Not => expression.children.exists(reaches)
    case cast: Cast => isWrapped(cast) && reaches(cast.child)
    case _ => expression.isInstanceOf[MatchesFilter]
  }

  /** The parser casts a condition of HAVING and QUALIFY that is not a comparison. */
  private def isWrapped(cast: Cast): Boolean = cast.dataType == BooleanType && cast.child.resolved && cast.child.dataType == BooleanType

  /** TRUE where the predicate is FALSE or UNKNOWN, else FALSE: in comparisons that Spark pushes down, where there are some. */
  private def notTrue(predicate: Expression): Expression = predicate match {
    case And(left, right) => Or(notTrue(left), notTrue(right))
    case Or(left, right) => And(notTrue(left), notTrue(right))
    case Not(inner) => notFalse(inner)
    case Accepted(inner) => notTrue(inner)
    case NotRejected(inner) => Not(notFalse(inner))
    case _ => withUnknown(predicate, Not(predicate)).getOrElse(Not(EqualNullSafe(predicate, Literal.TrueLiteral)))
  }

  /** TRUE where the predicate is TRUE or UNKNOWN, else FALSE. */
  private def notFalse(predicate: Expression): Expression = predicate match {
    case And(left, right) => And(notFalse(left), notFalse(right))
    case Or(left, right) => Or(notFalse(left), notFalse(right))
    case Not(inner) => notTrue(inner)
    case _ => withUnknown(predicate, predicate).getOrElse(Not(EqualNullSafe(predicate, Literal.FalseLiteral)))
  }

  /** The outcome, or one of the values that make the predicate UNKNOWN is NULL; None where these cannot be named. */
  private def withUnknown(predicate: Expression, outcome: Expression): Option[Expression] =
    if (!predicate.nullable) Some(outcome)
    else unknownBy(predicate).map(_.map(value => IsNull(value): Expression).foldLeft(outcome)(Or(_, _)))

  private def unknownBy(predicate: Expression): Option[Seq[Expression]] = (predicate match {
    case _: EqualNullSafe => None
    case comparison: BinaryComparison => Some(comparison.children)
    case In(value, list) if list.forall(item => item.foldable && !item.nullable) => Some(Seq(value))
    case Like(value, pattern: Literal, _) if pattern.value != null => Some(Seq(value))
    case text: StringPredicate => Some(text.children)
    case _ if column(predicate).isDefined => Some(Seq(predicate))
    case _ => None
  }).flatMap { values =>
    val columns = values.filter(_.nullable).map(column)
    if (columns.forall(_.isDefined)) Some(columns.flatten.distinctBy(_.canonicalized)) else None
  }

  /** A column, or a field of one, without the casts that no value fails; or a constant, of which the optimizer knows whether it is NULL. */
  private def column(value: Expression): Option[Expression] = value match {
    case constant if constant.foldable => Some(constant)
    case attribute: Attribute => Some(attribute)
    case field: GetStructField => column(field.child).map(_ => field)
    case cast: Cast if Cast.canUpCast(cast.child.dataType, cast.dataType) => column(cast.child)
    case _ => None
  }
}

private object Accepted {
  def unapply(expression: Expression): Option[Expression] = expression match {
    case WithCondition(decided, _) => unapply(decided)
    case EqualNullSafe(predicate, Literal(true, BooleanType)) => Some(predicate)
    case _ => None
  }
}

private object NotRejected {
  def unapply(expression: Expression): Option[Expression] = expression match {
    case WithCondition(decided, _) => unapply(decided)
    case Not(EqualNullSafe(predicate, Literal(false, BooleanType))) => Some(predicate)
    case _ => None
  }
}

/** Columns of calls in conditions, at each run of the rules that bring conditions and columns together: Spark does not push `p <=> true` down. */
object BareFlags extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformWithPruning(_.containsPattern(BINARY_COMPARISON)) {
    case filter: FilterNode => changed(filter.condition).fold[LogicalPlan](filter)(bare => filter.copy(condition = bare))
    case join @ Join(_, _, _, Some(condition), _) => changed(condition).fold[LogicalPlan](join)(bare => join.copy(condition = Some(bare)))
  }

  private def changed(condition: Expression): Option[Expression] =
    if (condition.exists(_.isInstanceOf[EqualNullSafe])) Some(Truth.bare(condition)).filter(_ != condition) else None
}

/** Where only TRUE counts the predicate stands alone, so that it is planned as a hand-written one. The operator keeps the names of the filters. */
object Unwrap extends Rule[LogicalPlan] {
  /** The filters whose calls an operator no longer shows. */
  val Used = new TreeNodeTag[Seq[String]]("predicat.filters")

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case node if node.resolved && node.expressions.exists(_.exists(_.isInstanceOf[MatchesFilter])) =>
      val rewritten = (node match {
        case _: FilterNode | _: Join | _: DeleteFromTable | _: UpdateTable | _: MergeIntoTable | _: RowLevelWrite => node.mapExpressions(condition)
        case _ => node
      }).transformExpressions {
        case CaseWhen(branches, otherwise) => CaseWhen(branches.map { case (when, value) => (Truth.positive(when), value) }, otherwise)
        case If(when, yes, no) => If(Truth.positive(when), yes, no)
        case aggregate: AggregateExpression if aggregate.filter.isDefined => aggregate.copy(filter = aggregate.filter.map(Truth.positive))
        case instruction: MergeRows.Instruction => within(instruction, instruction.condition)
        // Spark keeps the rows of a DELETE whose condition is not TRUE.
        case EqualNullSafe(value, truth @ Literal(true, BooleanType)) if Truth.reaches(value) => EqualNullSafe(Truth.positive(value), truth)
        case call @ MatchesFilter(_, _, _, WithCondition(decided, _)) => call.copy(replacement = decided)
        case CountIf(value) => CountIf(Truth.positive(value))
        case ArrayFilter(array, lambda: LambdaFunction) => ArrayFilter(array, lambda.copy(function = Truth.positive(lambda.function)))
      }
      if (rewritten ne node) {
        rewritten.copyTagsFrom(node)
        rewritten.setTagValue(Used, (node.getTagValue(Used).getOrElse(Nil) ++ calls(node)).distinct)
      }
      rewritten
  }

  def calls(node: LogicalPlan): Seq[String] =
    node.expressions.flatMap(_.collect { case call: FilterCall => call.used }.flatten)

  private def condition(expression: Expression): Expression = expression match {
    case assignment: Assignment => assignment
    case action: MergeAction => action.condition.fold[Expression](action)(within(action, _))
    case other => Truth.positive(other)
  }

  /** An action with its condition, which is one of its children. */
  private def within(action: Expression, condition: Expression): Expression =
    action.mapChildren(child => if (child eq condition) Truth.positive(child) else child)
}
