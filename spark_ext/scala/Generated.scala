package io.predicat.spark

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedFunction, UnresolvedStar}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.predicat.UtcDate
import org.apache.spark.sql.types.TimestampType

/** The SQL of a manifest: predicates over columns of a row, in functions that the compiler writes, and nothing else. */
object Generated {
  /** The functions of Spark in the compiler's SQL. None reads a table or a file, runs a program or names a class. */
  private val Functions = Set(
    "abs", "add_months", "aggregate", "array", "array_contains", "array_join", "array_max", "array_min", "array_position", "array_remove", "array_size", "ascii", "array_union", "between", "bit_count", "bround", "cardinality", "ceil",
    "char_length", "coalesce", "concat", "contains", "convert_timezone", "current_date", "current_timestamp", "date_diff", "date_format",
    "date_from_unix_date", "date_trunc", "datediff", "dateadd", "date_add", "date_sub", "day", "dayofmonth", "dayofweek", "dayofyear",
    "div", "element_at", "endswith", "exists", "exp", "extract", "filter", "flatten", "floor", "forall", "from_utc_timestamp", "get", "get_json_object", "greatest", "hex", "hour",
    "if", "ifnull", "ilike", "instr", "is_variant_null", "isnan", "isnotnull", "isnull", "last_day", "least", "left", "length", "like", "ln", "log10", "lower", "lpad", "ltrim",
    "make_timestamp", "map", "map_contains_key", "map_entries", "map_filter", "map_from_entries", "map_keys", "map_values", "md5", "minute", "mod",
    "month", "named_struct", "nanvl", "negative", "now", "nullif", "nvl", "octet_length", "parse_json", "pmod", "position", Lists.Name, "positive", "pow",
    "power", "quarter", "regexp", "regexp_extract", "regexp_extract_all", "regexp_like", "regexp_replace", "repeat", "replace", "reverse",
    "right", "rint", "rlike", "round", "rpad", "rtrim", "schema_of_variant", "second", "sequence", "sha2", "shiftleft", "shiftright", "sign", "signum", "size", "slice", "split", "split_part", "sqrt",
    "startswith", "strpos", "struct", "substr", "substring", "timestamp_micros", "timestamp_seconds", "timestampadd", "timestampdiff",
    "to_json", "to_timestamp", "to_utc_timestamp", "transform", "translate", "trim", "trunc", "try_add", "try_cast", "try_divide", "try_element_at", "try_mod",
    "try_multiply", "try_parse_json", "try_subtract", "try_to_number", "try_to_timestamp", "try_variant_get", "unix_date", "unix_micros",
    "unhex", "unix_seconds", "upper", "variant_get", "weekday", "year") ++ TextConversions.names ++ JsonConversions.names + UtcDate.Name + JsonTexts.Name

  def parse(sql: String): Expression = Nesting.bounded(sql)(text => withDefaultParserConf(CatalystSqlParser.parseExpression(text)))

  /** What the expression of a filter holds that the compiler never writes. */
  def problem(expression: Expression, columns: Set[String]): Option[String] = expression.collectFirst {
    case function: UnresolvedFunction if foreign(function) => s"it calls the function ${function.nameParts.mkString(".")}"
    case subquery: SubqueryExpression => s"it has a subquery (${subquery.prettyName})"
    case _: UnresolvedStar | _: WindowExpression => "it reads more than one row"
    case attribute: UnresolvedAttribute if !columns.contains(attribute.nameParts.head) => s"it reads '${attribute.name}', which is not one of its columns"
    case node if strange(node) => s"it has ${node.prettyName}"
  }

  /** The same for the text of a filter or of a default. */
  def problem(sql: String, columns: Set[String]): Option[String] = problem(Templates.parse(sql), columns)

  /** Whether it calls functions of a newer version of this extension. */
  def isNewer(sql: String): Boolean = Templates.parse(sql).exists {
    case function: UnresolvedFunction => foreign(function) && function.nameParts.length == 1 && function.nameParts.head.toLowerCase(java.util.Locale.ROOT).startsWith("predicat_")
    case _ => false
  }

  private def foreign(function: UnresolvedFunction): Boolean =
    function.nameParts.length != 1 || !Functions.contains(function.nameParts.head.toLowerCase(java.util.Locale.ROOT)) ||
      function.isDistinct || function.filter.isDefined

  /** Expressions are Spark's own, and those that are unresolved are names, parameters, functions, look-ups and variables. */
  private def strange(node: Expression): Boolean = {
    val kind = node.getClass
    !kind.getName.startsWith("org.apache.spark.sql.catalyst.") || (kind.getSimpleName.startsWith("Unresolved") && !Names.contains(kind.getSimpleName)) ||
      node.isInstanceOf[NonSQLExpression] || node.isInstanceOf[CallMethodViaReflection]
  }

  private val Names = Set("UnresolvedFunction", "UnresolvedAttribute", "UnresolvedExtractValue", "UnresolvedNamedLambdaVariable")

  /** Generated SQL and types are read as by default: a session may keep the backslashes of texts, call another type TIMESTAMP, and take names for patterns. */
  def withDefaultParserConf[T](read: => T): T = {
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
}
