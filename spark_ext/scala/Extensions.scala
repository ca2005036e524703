package io.predicat.spark

import org.apache.spark.sql.{Row, SparkSessionExtensions, SparkSessionExtensionsProvider}
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.{FunctionRegistry, TableFunctionRegistry}
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression, ExpressionInfo, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.predicat.{Usage, UtcDate}
import org.apache.spark.sql.types._

/** The functions, for `spark.sql.extensions=io.predicat.spark.PredicatExtensions`. */
class PredicatExtensions extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit = {
    Settings.registerKey()
    Functions.registerBuiltin()
    Functions.scalar.foreach { case (name, info, builder) => extensions.injectFunction((name, info, builder)) }
    extensions.injectTableFunction((Functions.filtersName, Functions.filtersInfo, Functions.filters))
    extensions.injectResolutionRule(session => ResolveFilterColumns(session))
    extensions.injectPostHocResolutionRule(_ => RefuseColumns)
    extensions.injectPostHocResolutionRule(_ => Unwrap)
    extensions.injectOptimizerRule(_ => AttachIndexes)
    extensions.injectOptimizerRule(_ => BareFlags)
  }
}

/** Found through META-INF/services: `--jars` alone is enough. */
class PredicatExtensionsProvider extends SparkSessionExtensionsProvider {
  override def apply(extensions: SparkSessionExtensions): Unit = new PredicatExtensions()(extensions)
}

object Functions {
  private val usage =
    """_FUNC_(name [, alias] [, columns] [, column => value ...] [, parameter => value ...]) - Whether the row is accepted by the filter of
      |this name in the predicat catalog: TRUE or FALSE, never NULL.""".stripMargin
  private val arguments =
    """
    Arguments:
      * name - a constant string: 'dataset.filter', 'dataset.filter@2' for a version, or 'filter' where it is unique
      * alias - a constant string: the filter's columns are those of this relation, as in matches_filter('f', 'o')
      * columns - the columns that the filter reads from, as in matches_filter('f', o.*)
      * column => value - a column or an expression for a column that has another name here, as in country => land
      * parameter => value - a value for a parameter of the filter
  """
  private val examples =
    """
    Examples:
      > SELECT count(*) FROM flights WHERE _FUNC_('flights.long_delay', minutes => 90);
  """
  private val group = "predicate_funcs"

  private val matchingArguments =
    """
    Arguments:
      * dataset - a constant string: the name of a dataset
      * alias - a constant string: the columns are those of this relation, as in matching_filters('d', 'o')
      * columns - the columns that the filters read from, as in matching_filters('d', o.*)
      * tag => string - only filters with this tag
      * names => array - only these filters
  """
  private val matchingExamples =
    """
    Examples:
      > SELECT matching_filters('flights', tag => 'ops') FROM flights;
  """

  private def info(name: String, text: String, args: String = "", example: String = ""): ExpressionInfo =
    new ExpressionInfo(classOf[MatchesFilter].getName, null, name, text, args, example, "", group, "4.0.0", "", "built-in")

  private def matching(name: String, what: String, given: Given, selected: (Manifest, String, Map[String, Expression]) => Selection) =
    (FunctionIdentifier(name), info(name, s"_FUNC_(dataset [, alias] [, columns]$what", matchingArguments, matchingExamples), MatchingFilters.build(name, given, selected) _)

  private val chosen = " [, tag => ...] [, names => ...]) - "

  val scalar: Seq[(FunctionIdentifier, ExpressionInfo, Seq[Expression] => Expression)] = Seq(
    matching("matching_filters", chosen + "The names of all filters of the dataset that accept the row, sorted.", GivenNames, MatchingFilters.filters),
    matching("matching_filter_ids", chosen + "Their positions, from 0, in the result of matching_filter_names.", GivenIds, MatchingFilters.filters),
    matching("count_matching_filters", chosen + "How many filters of the dataset accept the row.", GivenCount, MatchingFilters.filters),
    matching("matching_subscriptions", ") - The names of all subscriptions of the dataset whose filters accept the row, sorted.", GivenNames, MatchingFilters.subscriptions),
    (FunctionIdentifier("matching_filter_names"), info("matching_filter_names", "_FUNC_(dataset [, tag => ...] [, names => ...]) - The names of the filters that matching_filters can return, sorted."),
      MatchingFilters.known _),
    (FunctionIdentifier(Lists.Name), Lists.info, Lists.build _)) ++ TextConversions.functions ++ JsonConversions.functions ++ Seq(UtcDate.function, JsonTexts.function,
    (FunctionIdentifier("matches_filter"), info("matches_filter", usage, arguments, examples), MatchesFilter.build _),
    (FunctionIdentifier("predicat_refresh"), info("predicat_refresh", "_FUNC_() - Reads the manifest again now."),
      (_: Seq[Expression]) => Literal(s"${Settings.manifest(reload = true).filters.size} filter versions")))

  val filtersName: FunctionIdentifier = FunctionIdentifier("predicat_filters")
  val filtersInfo: ExpressionInfo = info("predicat_filters", "_FUNC_() - The filters of the predicat catalog, a row a version, and the queries of this driver that used them.")

  private val schema = StructType.fromDDL(
    "name STRING, version INT, dataset STRING, description STRING, owner STRING, tags ARRAY<STRING>, " +
      "language STRING, sql STRING, deprecated STRING, hash STRING, queries BIGINT, last_used TIMESTAMP")

  val filters: Seq[Expression] => LogicalPlan = _ => {
    val rows = Settings.manifest().filters.map { filter =>
      val (queries, last) = Usage.of(filter)
      Row(filter.name, filter.version, filter.dataset, filter.description, filter.owner, filter.tags, filter.language,
        filter.sql.orNull, filter.deprecated.orNull, filter.hash, queries, last.map(java.sql.Timestamp.from).orNull)
    }
    val output = schema.map(field => AttributeReference(field.name, field.dataType, field.nullable)())
    LocalRelation.fromExternalRows(output, rows)
  }

  /** Permanent views refuse temporary functions, as Spark 4.0 and 4.1 hold injected ones to be: these are built in. */
  def registerBuiltin(): Unit = {
    scalar.foreach { case (name, info, builder) => FunctionRegistry.builtin.registerFunction(name, info, builder) }
    TableFunctionRegistry.builtin.registerFunction(filtersName, filtersInfo, filters)
  }
}
