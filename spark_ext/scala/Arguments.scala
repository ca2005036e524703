package io.predicat.spark

import java.util.Locale

import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.trees.TreePattern
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/** What the names of a filter's columns bind to. */
sealed trait Scope
case class Names(qualifier: Seq[String]) extends Scope
case class Columns(byName: Map[String, Seq[Expression]]) extends Scope

/** The arguments of a call: a name, then an alias or columns, then values of parameters and of columns. */
object Arguments {
  def text(argument: Expression, of: String = "filter", function: String = "matches_filter"): String = argument match {
    case literal if literal.resolved && literal.foldable && literal.dataType.isInstanceOf[StringType] && literal.eval(null) != null =>
      String.valueOf(literal.eval(null))
    case other => throw PredicatException(Kind.Call, s"the name of a $of must be a constant string, not ${other.sql}: $function('name')")
  }

  /** Named arguments, and what names bind to: an alias, given columns, or nothing. A variable of a lambda that is a row gives its fields. */
  def split(rest: Seq[Expression], function: String = "matches_filter", of: String = "filter"): (Seq[(String, Expression)], Scope) = {
    val named = rest.flatMap {
      case NamedArgumentExpression(key, value) => Seq(key -> value)
      case CreateNamedStruct(pairs) =>
        pairs.grouped(2).map { case Seq(key, value) => text(key) -> value; case _ => throw PredicatException(Kind.Call,
          "a parameter needs a name and a value") }.toSeq
      case _ => Nil
    }
    val others = rest.filterNot(part => part.isInstanceOf[NamedArgumentExpression] || part.isInstanceOf[CreateNamedStruct])
    val scope = others match {
      case Nil => Names(Nil)
      case Seq(alias) if alias.foldable => Names(Seq(text(alias)))
      case columns => Columns(columns.flatMap {
        case row: NamedLambdaVariable if row.dataType.isInstanceOf[StructType] =>
          row.dataType.asInstanceOf[StructType].fields.toSeq.zipWithIndex.map { case (field, place) =>
            field.name.toLowerCase(Locale.ROOT) -> GetStructField(row, place, Some(field.name))
          }
        case member: GetStructField => Seq(member.extractFieldName.toLowerCase(Locale.ROOT) -> member)
        case column: NamedExpression => Seq(column.name.toLowerCase(Locale.ROOT) -> column)
        case other => throw PredicatException(Kind.Call,
          s"$function takes a $of name, then an alias or columns (o.*), then name => value; not ${other.sql}")
      }.groupMap(_._1)(_._2))
    }
    (named, scope)
  }

  /** What is given for columns of a filter, by their names in lower case. A parameter of the same name comes first. */
  def columns(filter: Filter, given: Seq[(String, Expression)]): Map[String, Expression] = {
    val names = filter.columns.keys.map(name => name.toLowerCase(Locale.ROOT) -> name).toMap
    val mine = given.filter { case (key, _) => !filter.params.exists(_.name == key) && names.contains(key.toLowerCase(Locale.ROOT)) }
    mine.groupBy(_._1.toLowerCase(Locale.ROOT)).collectFirst { case (name, several) if several.length > 1 => name }.foreach(name =>
      throw PredicatException(Kind.Parameter, s"'$name' of ${filter.name} is given more than once"))
    mine.map { case (key, value) =>
      val name = names(key.toLowerCase(Locale.ROOT))
      if (value.resolved) {
        if (!value.deterministic) throw PredicatException(Kind.Call, s"the value for the column '$name' of ${filter.name} differs each time: ${value.sql}")
        Types.problem(filter.name, name, value, filter.columns(name)).foreach(problem => throw PredicatException(Kind.ColumnType, problem))
      }
      name.toLowerCase(Locale.ROOT) -> value
    }.toMap
  }

  def values(filter: Filter, given: Seq[(String, Expression)]): Map[String, Expression] = {
    val known = filter.params.map(_.name)
    val read = filter.columns.keys.map(_.toLowerCase(Locale.ROOT)).toSet
    given.map(_._1).filterNot(name => known.contains(name) || read.contains(name.toLowerCase(Locale.ROOT))).foreach { surplus =>
      val both = known ++ filter.columns.keys
      val hint = (if (known.isEmpty) "; it has no parameters" else s"; its parameters: ${known.mkString(", ")}") +
        (if (filter.columns.isEmpty) "" else s"; its columns: ${filter.columns.keys.toSeq.sorted.mkString(", ")}")
      throw PredicatException(Kind.Parameter, s"${filter.name} has no parameter '$surplus'${Near.hint(surplus, both)}$hint")
    }
    given.groupBy(_._1).collectFirst { case (name, several) if several.length > 1 => name }.foreach(name =>
      throw PredicatException(Kind.Parameter, s"parameter '$name' of ${filter.name} is given more than once"))
    filter.params.map { param =>
      val value = given.toMap.get(param.name).map(typed(filter, param, _)).orElse(
        param.default.map(Generated.parse)).getOrElse(throw PredicatException(Kind.Parameter,
          s"${filter.name} needs a value for its parameter '${param.name}': matches_filter('${filter.name}', ${param.name} => ...)"))
      param.name -> value
    }.toMap
  }

  /** The value as the parameter's type. Texts and dates become timestamps in the time zone of the session, as everywhere in Spark. */
  private def typed(filter: Filter, param: Param, value: Expression): Expression = {
    val place = s"parameter '${param.name}' of ${filter.name}"
    val wanted = Generated.withDefaultParserConf(DataType.fromDDL(param.dataType))
    if (!fits(value.dataType, wanted)) throw PredicatException(Kind.Parameter, s"$place must have type ${param.dataType}, " +
      s"not ${value.dataType.sql.toLowerCase(Locale.ROOT)} (${value.sql})")
    val cast = if (value.dataType == wanted) value else Cast(value, wanted, Some(SQLConf.get.sessionLocalTimeZone), EvalMode.TRY)
    check(place, param, value, cast)
    cast
  }

  /** Whether a value of a type is the same value as the parameter's type. Spark's casts do more: a timestamp as a number, anything as a text. */
  private def fits(given: DataType, wanted: DataType): Boolean = (given, wanted) match {
    case (NullType, _) => true
    case (_: NumericType, _: NumericType) => Cast.canUpCast(given, wanted) || (given.isInstanceOf[DecimalType] && wanted == DoubleType)
    case (_: StringType, _: StringType | TimestampType | DateType) => true
    case (DateType | TimestampNTZType, TimestampType) => true
    case (one: ArrayType, other: ArrayType) => fits(one.elementType, other.elementType)
    case _ => given == wanted
  }

  /** A constant has a value: it would otherwise accept no row, in silence. */
  private def check(place: String, param: Param, value: Expression, cast: Expression): Unit = {
    def refuse(reason: String) = throw PredicatException(Kind.Parameter, s"$place $reason")
    constant(value).foreach {
      case Failure(problem) => refuse(s"has no value: ${String.valueOf(problem.getMessage).linesIterator.next()}")
      case Success(null) => refuse("is NULL: no row would be accepted")
      case Success(number: Double) if number.isNaN => refuse("is NaN, which is not supported")
      case Success(number: Float) if number.isNaN => refuse("is NaN, which is not supported")
      case Success(_) => if (constant(cast).contains(Success(null))) refuse(s"must have type ${param.dataType}, and ${value.sql} does not convert to it")
    }
  }

  /** The value of a constant, or why it has none; None if it is no constant, or only the optimizer can tell it, as with current_date(). */
  private def constant(value: Expression): Option[Try[Any]] = {
    val plain = value.transformUp { case replaced: RuntimeReplaceable => replaced.replacement }
    if (!plain.resolved || !plain.foldable || plain.containsPattern(TreePattern.CURRENT_LIKE) || plain.exists(_.isInstanceOf[Unevaluable])) None else Some(Try(plain.eval(null)))
  }
}
