package io.predicat.spark

import java.util.Locale

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{NamedParameter, UnresolvedAttribute, UnresolvedHaving}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Filter => FilterNode, Join, LogicalPlan, Sort}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/** A column that a filter reads. It binds to the children of its operator only: never to an outer query or an alias. */
case class FilterColumn(qualifier: Seq[String], path: Seq[String], declared: String, filter: String) extends LeafExpression with Unevaluable {
  override lazy val resolved = false
  override def dataType: DataType = throw new UnsupportedOperationException("dataType of an unresolved column")
  override def nullable: Boolean = throw new UnsupportedOperationException("nullable of an unresolved column")
  def nameParts: Seq[String] = qualifier ++ path
  def column: Seq[String] = qualifier :+ path.head
  override def sql: String = nameParts.mkString(".")
  override def toString: String = s"'$sql"
}

/** `matches_filter('name')`: two-valued, shown by its name, replaced by its predicate before execution. */
case class MatchesFilter(name: String, parameters: Seq[Expression], replacement: Expression)
    extends RuntimeReplaceable with InheritAnalysisRules {
  override def prettyName: String = "matches_filter"
  override def nullable: Boolean = false
  override def toString: String = s"matches_filter($name)"
  override protected def withNewChildInternal(child: Expression): MatchesFilter = copy(replacement = child)
}

/** Builds the expression of a call. */
object MatchesFilter {
  val ManifestKey = "spark.predicat.manifest"
  val IntervalKey = "spark.predicat.manifest.checkSeconds"

  def manifest(reload: Boolean = false): Manifest = guarded {
    val session = SparkSession.getActiveSession.orElse(SparkSession.getDefaultSession).getOrElse(
      throw new PredicatException("there is no active Spark session"))
    val location = session.conf.getOption(ManifestKey).getOrElse(throw new PredicatException(
      s"no manifest is set: set $ManifestKey to the path of the manifest.json that predicat compile writes"))
    val given = session.conf.get(IntervalKey, "3")
    val seconds = given.toDoubleOption.filter(_ >= 0).getOrElse(
      throw new PredicatException(s"$IntervalKey is a number of seconds from 0 on, not '$given'"))
    val every = (seconds * 1000).toLong
    val conf = session.sparkContext.hadoopConfiguration
    if (reload) Manifests.load(location, conf) else Manifests.get(location, conf, every)
  }

  def build(arguments: Seq[Expression]): Expression = guarded {
    val filter = manifest().find(constant(arguments.headOption.getOrElse(throw new PredicatException(
      "matches_filter needs the name of a filter: matches_filter('name')"))))
    filter.deprecated.foreach(date => Errors.warn(s"filter ${filter.name}@${filter.version} is deprecated as of $date"))
    val sql = filter.sql.getOrElse(throw new PredicatException(
      s"filter ${filter.name} cannot run on Spark: ${filter.refusal}"))
    val (named, scope) = split(filter, arguments.tail)
    val parsed = parse(sql)
    val predicate = bind(filter, parsed, scope, values(filter, named))
    val decided =
      if (filter.acceptUnknown) Not(EqualNullSafe(predicate, Literal.FalseLiteral))
      else EqualNullSafe(predicate, Literal.TrueLiteral)
    MatchesFilter(filter.name, arguments, decided)
  }

  /** The predicate alone, where `matches_filter` stands at a positive position of a condition. */
  def positive(condition: Expression): Expression = condition match {
    case And(left, right) => And(positive(left), positive(right))
    case Or(left, right) => Or(positive(left), positive(right))
    case MatchesFilter(_, _, EqualNullSafe(predicate, Literal(true, BooleanType))) => predicate
    case other => other
  }

  private def constant(argument: Expression): String = argument match {
    case literal if literal.resolved && literal.foldable && literal.dataType.isInstanceOf[StringType] =>
      String.valueOf(literal.eval(null))
    case other => throw new PredicatException(
      s"the name of a filter must be a constant text, not ${other.sql}: matches_filter('name')")
  }

  /** Named parameters, and what names bind to: an alias, given columns, or nothing. */
  private def split(filter: Filter, rest: Seq[Expression]): (Map[String, Expression], Scope) = {
    val named = rest.flatMap {
      case NamedArgumentExpression(key, value) => Seq(key -> value)
      case CreateNamedStruct(pairs) =>
        pairs.grouped(2).map { case Seq(key, value) => constant(key) -> value; case _ => throw new PredicatException(
          "parameters are names and values") }.toSeq
      case _ => Nil
    }
    val others = rest.filterNot(part => part.isInstanceOf[NamedArgumentExpression] || part.isInstanceOf[CreateNamedStruct])
    val scope = others match {
      case Nil => Names(Nil)
      case Seq(alias) if alias.foldable => Names(Seq(constant(alias)))
      case columns => Columns(columns.map {
        case column: NamedExpression => column.name.toLowerCase(Locale.ROOT) -> column
        case other => throw new PredicatException(
          s"matches_filter takes a filter name, then an alias or columns (o.*), then name => value; not ${other.sql}")
      }.groupMap(_._1)(_._2))
    }
    (named.toMap, scope)
  }

  private sealed trait Scope
  private case class Names(qualifier: Seq[String]) extends Scope
  private case class Columns(byName: Map[String, Seq[Expression]]) extends Scope

  private def values(filter: Filter, given: Map[String, Expression]): Map[String, Expression] = {
    val known = filter.params.map(_.name)
    given.keys.filterNot(known.contains).foreach { surplus =>
      val hint = if (known.isEmpty) "; it takes none" else Near.hint(surplus, known) + s"; its parameters: ${known.mkString(", ")}"
      throw new PredicatException(s"${filter.name} has no parameter '$surplus'$hint")
    }
    filter.params.map { param =>
      val value = given.get(param.name).map(typed(filter, param, _)).orElse(
        param.default.map(parse)).getOrElse(throw new PredicatException(
          s"${filter.name} needs a value for its parameter '${param.name}': matches_filter('${filter.name}', ${param.name} => ...)"))
      param.name -> value
    }.toMap
  }

  private def typed(filter: Filter, param: Param, value: Expression): Expression = {
    val wanted = usual(DataType.fromDDL(param.dataType))
    val fits = value.dataType == wanted || Cast.canUpCast(value.dataType, wanted) || ((value.dataType, wanted) match {
      case (_: DecimalType, DoubleType) => true
      case (_: StringType, TimestampType | DateType) => true
      case _ => false
    })
    if (!fits) throw new PredicatException(s"parameter '${param.name}' of ${filter.name} is a ${param.dataType}, " +
      s"not ${value.dataType.sql.toLowerCase(Locale.ROOT)} (${value.sql})")
    if (value.foldable && (value.eval(null) match {
      case number: Double => number.isNaN
      case number: Float => number.isNaN
      case _ => false
    })) throw new PredicatException(s"parameter '${param.name}' of ${filter.name} is NaN, which compares with nothing")
    if (value.dataType == wanted) value else Cast(value, wanted, Some("UTC"), EvalMode.TRY)
  }

  /** Names become columns that bind where the call stands; names of lambdas stay; parameters become their values. */
  private def bind(filter: Filter, sql: Expression, scope: Scope, params: Map[String, Expression]): Expression = sql transform {
    case NamedParameter(name) => params.getOrElse(name, throw new PredicatException(
      s"the manifest's SQL of ${filter.name} has an unknown parameter '$name'"))
    case attribute: UnresolvedAttribute if filter.columns.contains(attribute.nameParts.head) => scope match {
      case Names(qualifier) =>
        FilterColumn(qualifier, attribute.nameParts, filter.columns(attribute.nameParts.head), filter.name)
      case Columns(byName) => byName.getOrElse(attribute.nameParts.head.toLowerCase(Locale.ROOT), Nil) match {
        case Seq(only) =>
          if (only.resolved) typeProblem(filter.name, attribute.nameParts.head, only,
            filter.columns(attribute.nameParts.head)).foreach(problem => throw new PredicatException(problem))
          attribute.nameParts.tail.foldLeft(only)((base, part) => UnresolvedStep(base, part))
        case Nil => throw new PredicatException(missing(filter.name, attribute.nameParts.head, byName.keys))
        case _ => throw new PredicatException(
          s"the column '${attribute.nameParts.head}' of filter ${filter.name} is among the given columns more than once")
      }
    }
  }

  private def UnresolvedStep(base: Expression, part: String): Expression =
    org.apache.spark.sql.catalyst.analysis.UnresolvedExtractValue(base, Literal(part))

  def missing(filter: String, column: String, known: Iterable[String]): String =
    s"filter $filter reads the column '$column', which the relation here does not have" + Near.hint(column, known)

  private def parse(sql: String): Expression = usual(CatalystSqlParser.parseExpression(sql))

  /** Generated SQL and types are read as by default: a session may keep the backslashes of texts, call another type TIMESTAMP, and take names for patterns. */
  private def usual[T](read: => T): T = {
    val now = SQLConf.get
    if (!now.escapedStringLiterals && now.timestampType == TimestampType && !now.supportQuotedRegexColumnName) read
    else {
      val conf = now.clone()
      conf.setConfString("spark.sql.parser.escapedStringLiterals", "false")
      conf.setConfString("spark.sql.timestampType", "TIMESTAMP_LTZ")
      conf.setConfString("spark.sql.parser.quotedRegexColumnNames", "false")
      SQLConf.withExistingConf(conf)(read)
    }
  }

  /** What a filter cannot read: a column of another type than the catalog declares. */
  def typeProblem(filter: String, column: String, found: Expression, declared: String): Option[String] = {
    val wanted = usual(DataType.fromDDL(declared.replaceAll("\\bjson\\b(?!:)", "variant")))
    val other = padded(found).orElse(Some(found.dataType.sql.toLowerCase(Locale.ROOT)).filterNot(_ => holds(found.dataType, wanted)))
    other.map(kind => s"filter $filter reads the column '$column' as $declared, but the relation here has $kind in it")
  }

  /** CHAR(n) of a column that has one: Spark fills it with blanks, which count in some operators and not in others. */
  private def padded(found: Expression): Option[String] = found match {
    case named: NamedExpression if named.metadata.contains("__CHAR_VARCHAR_TYPE_STRING") =>
      Some(named.metadata.getString("__CHAR_VARCHAR_TYPE_STRING")).filter(kind => kind.startsWith("char(") && kind != "char(1)")
    case _ => None
  }

  private def holds(actual: DataType, wanted: DataType): Boolean = (actual, wanted) match {
    case (NullType, _) => true
    case (text: StringType, _: StringType) => text.collationId == StringType.collationId
    case (_: ByteType | _: ShortType | _: IntegerType | _: LongType, _: LongType | _: DecimalType) => true
    case (_: NumericType, _: DoubleType) => true
    case (_: DecimalType, _: DecimalType) => true
    case (one: ArrayType, other: ArrayType) => holds(one.elementType, other.elementType)
    case (one: MapType, other: MapType) => holds(one.keyType, other.keyType) && holds(one.valueType, other.valueType)
    case (one: StructType, other: StructType) => other.forall(field =>
      one.exists(found => found.name.equalsIgnoreCase(field.name) && holds(found.dataType, field.dataType)))
    case _ => actual == wanted
  }

  /** Problems become analysis errors with the place in the query. */
  def guarded[T](body: => T): T =
    try body catch { case error: PredicatException => throw Errors.analysis(error.getMessage, CurrentOrigin.get) }
}

/** Binds the columns of filters to the children of the operator that holds the call. */
case class ResolveFilterColumns(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case node if node.childrenResolved && node.expressions.exists(_.exists(_.isInstanceOf[FilterColumn])) =>
      node.transformExpressions {
        case call: MatchesFilter => call.transform {
          case column: FilterColumn => resolve(node, column, call)
        }
      }
  }

  private def resolve(node: LogicalPlan, column: FilterColumn, call: MatchesFilter): Expression = {
    val resolver = session.asInstanceOf[org.apache.spark.sql.classic.SparkSession].sessionState.conf.resolver
    node.resolveChildren(column.column, resolver).flatMap(found =>
      MatchesFilter.typeProblem(column.filter, column.path.head, found, column.declared)).foreach(problem =>
      throw Errors.analysis(problem, call.origin))
    node.resolveChildren(column.nameParts, resolver).map {
      case Alias(child, _) => child
      case found => found
    }.getOrElse(node match {
      // ORDER BY and HAVING may name columns that their child has computed away: Spark's own rules know those.
      case _: Sort | _: UnresolvedHaving | FilterNode(_, _: Aggregate) => UnresolvedAttribute(column.nameParts)
      case _ => throw missing(column.filter, column.nameParts.mkString("."), node, call)
    })
  }

  private def missing(filter: String, column: String, node: LogicalPlan, call: MatchesFilter): Throwable =
    Errors.analysis(MatchesFilter.missing(filter, column, node.children.flatMap(_.output).map(_.name)), call.origin)
}

/** A filter never reads a column of an outer query. */
case class RefuseOuterColumns(session: SparkSession) extends (LogicalPlan => Unit) {
  override def apply(plan: LogicalPlan): Unit = plan.foreach(_.expressions.foreach(_.foreach {
    case call: MatchesFilter => call.foreach {
      case outer: OuterReference => throw Errors.analysis(
        s"filter ${call.name} would read '${outer.name}' of an outer query; give it columns: matches_filter('${call.name}', o.*)",
        call.origin)
      case _ =>
    }
    case _ =>
  }))
}

/** At positive positions of conditions the predicate stands alone, so that it is pushed down as a hand-written one. */
case class UnwrapPositive(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case filter: FilterNode if filter.resolved => filter.copy(condition = MatchesFilter.positive(filter.condition))
    case join: Join if join.resolved => join.copy(condition = join.condition.map(MatchesFilter.positive))
  }
}
