package io.predicat.spark

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodeGenerator, CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.classic
import org.apache.spark.sql.predicat.Usage
import org.apache.spark.sql.types._

/** What a function gives of the filters that accept a row. */
sealed abstract class Given(val method: String, val dataType: DataType)
case object GivenNames extends Given("names", ArrayType(StringType, containsNull = false))
case object GivenIds extends Given("ids", ArrayType(IntegerType, containsNull = false))
case object GivenCount extends Given("total", IntegerType)

/** Where the index of a call is, once the types of its columns are known. Calls are equal whether they have it or not. */
class IndexPlace extends Serializable {
  @volatile private var handle: IndexHandle = _

  def attach(selection: Selection, types: Seq[DataType]): Unit =
    if (handle == null) handle = Indexes.handle(Settings.session.asInstanceOf[classic.SparkSession], selection, types)
  def get(selection: Selection, types: => Seq[DataType]): IndexHandle = {
    if (handle == null) attach(selection, types)
    handle
  }

  override def equals(other: Any): Boolean = other.isInstanceOf[IndexPlace]
  override def hashCode: Int = 1
  override def toString: String = ""
}

/** The filters of a selection that accept the row. Its children are the columns that some of them reads: there may be many filters. */
@ExpressionDescription(usage = "predicat")
case class MatchingFilters(function: String, given: Given, selection: Selection, children: Seq[Expression], place: IndexPlace)
    extends Expression with FilterCall {
  @transient private lazy val matcher = handle.matcher()
  private def handle: IndexHandle = place.get(selection, children.map(_.dataType))

  override def name: String = s"$function('${selection.dataset}')"
  override def reading(columns: String): String = s"$function('${selection.dataset}', $columns)"
  override def used: Seq[String] = selection.used
  override def dataType: DataType = given.dataType
  override def nullable: Boolean = false
  override def foldable: Boolean = false
  override def prettyName: String = function
  override def sql: String = name
  override def toString: String = name
  override def stateful: Boolean = true

  /** The index is built beside the plan: not in a task, and not for a query that is only explained. */
  def attach(): Unit = try place.attach(selection, children.map(_.dataType)) catch {
    case problem: PredicatException => throw Errors.analysis(problem, origin)
  }

  override def eval(input: InternalRow): Any = {
    matcher.start()
    var column = 0
    children.foreach { child => matcher.put(column, child.eval(input)); column += 1 }
    given match {
      case GivenNames => matcher.names()
      case GivenIds => matcher.ids()
      case GivenCount => matcher.total()
    }
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val found = ctx.addReferenceObj("index", handle, classOf[IndexHandle].getName)
    val state = ctx.addMutableState(classOf[Matcher].getName, "matcher", name => s"$name = $found.matcher();")
    val set = ctx.splitExpressionsWithCurrentInputs(children.zipWithIndex.map { case (child, column) =>
      val value = child.genCode(ctx)
      s"${value.code}\n${if (value.isNull == FalseLiteral) "" else s"if (!${value.isNull}) "}$state.${MatchingFilters.given(child.dataType, column, value.value.toString)};"
    }, "columns")
    ev.copy(code = code"""
      $state.start();
      $set
      ${CodeGenerator.javaType(dataType)} ${ev.value} = $state.${given.method}();""", isNull = FalseLiteral)
  }

  override protected def withNewChildrenInternal(columns: IndexedSeq[Expression]): MatchingFilters = copy(children = columns)
}

object MatchingFilters {
  /** How generated code gives a matcher the value of a column. */
  private def given(kind: DataType, column: Int, value: String): String = (Vocabulary.shape(kind), kind) match {
    case (Shape.Whole, BooleanType) => s"set($column, $value)"
    case (Shape.Whole, _) => s"set($column, (long) $value)"
    case (Shape.Real, _) => s"set($column, (double) $value)"
    case (Shape.Text, _) => s"text($column, $value)"
    case (_, _: ArrayType) => s"list($column, $value)"
    case (_, _: MapType) => s"map($column, $value)"
    case _ => s"other($column, (Object) $value)"
  }

  /** The builder of a function. */
  def build(function: String, given: Given, selected: (Manifest, String, Map[String, Expression]) => Selection)(arguments: Seq[Expression]): Expression = Errors.guarded {
    val session = Settings.session
    val dataset = Arguments.text(arguments.headOption.getOrElse(throw PredicatException(Kind.Call,
      s"$function needs the name of a dataset: $function('dataset')")), "dataset", function)
    val (named, scope) = Arguments.split(arguments.tail, function, "dataset")
    named.groupBy(_._1).collectFirst { case (name, several) if several.length > 1 => name }.foreach(name =>
      throw PredicatException(Kind.Parameter, s"'$name' is given to $function more than once"))
    val selection = selected(Settings.manifest(), dataset, named.toMap)
    if (Settings.singlePass && scope.isInstanceOf[Names]) throw PredicatException(Kind.Call,
      s"Spark's single-pass analyzer finds no columns by name: write $function('$dataset', t.*)")
    Usage.seen(session, selection.deprecated)
    val columns = selection.columns.map { case (column, declared, filter) => scope match {
      case Names(qualifier) => FilterColumn(qualifier, Seq(column), declared, filter)
      case Columns(byName) => MatchesFilter.given(filter, column, declared, byName)
    } }
    MatchesFilter.own(MatchingFilters(function, given, selection, columns, new IndexPlace), arguments, scope)
  }

  /** A constant: the names that the ids stand for. */
  def known(arguments: Seq[Expression]): Expression = Errors.guarded {
    val function = "matching_filter_names"
    val dataset = Arguments.text(arguments.headOption.getOrElse(throw PredicatException(Kind.Call,
      s"$function needs the name of a dataset: $function('dataset')")), "dataset", function)
    val (named, _) = Arguments.split(arguments.tail, function, "dataset")
    Literal.create(filters(Settings.manifest(), dataset, named.toMap).candidates.map(_.name).toArray, GivenNames.dataType)
  }

  val filters: (Manifest, String, Map[String, Expression]) => Selection = (manifest, dataset, named) => {
    refuse(named, Seq("tag", "names"))
    Selection.filters(manifest, dataset, named.get("tag").map(constant("tag", _) match {
      case text: org.apache.spark.unsafe.types.UTF8String => text.toString
      case _ => throw PredicatException(Kind.Parameter, "'tag' must be a constant string: tag => 'ops'")
    }), named.get("names").map(constant("names", _) match {
      case array: ArrayData if (0 until array.numElements()).forall(place => !array.isNullAt(place)) =>
        (0 until array.numElements()).map(place => array.getUTF8String(place).toString)
      case _ => throw PredicatException(Kind.Parameter, "'names' must be a constant array of strings: names => array('a', 'b')")
    }))
  }

  val subscriptions: (Manifest, String, Map[String, Expression]) => Selection = (manifest, dataset, named) => {
    refuse(named, Nil)
    Selection.subscriptions(manifest, dataset)
  }

  private def refuse(named: Map[String, Expression], known: Seq[String]): Unit =
    named.keys.filterNot(known.contains).foreach(surplus => throw PredicatException(Kind.Parameter,
      s"there is no argument '$surplus'${if (known.isEmpty) "" else s"; the named arguments are ${known.mkString(" and ")}"}"))

  private def constant(name: String, value: Expression): Any = {
    val fits = value.dataType match {
      case _: StringType => name == "tag"
      case ArrayType(_: StringType, _) => name == "names"
      case _ => false
    }
    if (value.resolved && value.foldable && fits) value.eval(null) else null
  }
}

/** Indexes are built on the driver before a query runs, not in its tasks. */
object AttachIndexes extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach(_.expressions.foreach(_.foreach {
      case call: MatchingFilters if call.childrenResolved => call.attach()
      case _ =>
    }))
    plan
  }
}
