package io.predicat.spark

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}
import org.apache.spark.sql.predicat.Conditions

/** A kind of problem: its error condition and its SQLSTATE stand in predicat-conditions.json. */
object Kind {
  val UnknownFilter = "PREDICAT_UNKNOWN_FILTER"
  val AmbiguousFilter = "PREDICAT_AMBIGUOUS_FILTER"
  val UnsupportedFilter = "PREDICAT_UNSUPPORTED_FILTER"
  val Call = "PREDICAT_INVALID_CALL"
  val Parameter = "PREDICAT_INVALID_PARAMETER"
  val MissingColumn = "PREDICAT_MISSING_COLUMN"
  val AmbiguousColumn = "PREDICAT_AMBIGUOUS_COLUMN"
  val ColumnType = "PREDICAT_COLUMN_TYPE"
  val OuterColumn = "PREDICAT_OUTER_COLUMN"
  val Setting = "PREDICAT_SETTING"
  val Manifest = "PREDICAT_MANIFEST"
  val Refused = "PREDICAT_REFUSED"
}

/** A problem with the manifest or with a call; the message is for users. */
case class PredicatException(kind: String, message: String) extends RuntimeException(message)

/** Problems as Spark shows them: an analysis error with the place in the query. */
object Errors {
  private val log = org.slf4j.LoggerFactory.getLogger("io.predicat.spark")

  def analysis(problem: PredicatException, origin: Origin): AnalysisException = {
    val message = s"predicat: ${problem.message}"
    if (Conditions.known) new AnalysisException(problem.kind, Map("message" -> message), origin)
    else new AnalysisException("USER_RAISED_EXCEPTION", Map("errorMessage" -> message), origin)
  }

  /** Problems become analysis errors with the place in the query. */
  def guarded[T](body: => T): T =
    try body catch { case problem: PredicatException => throw analysis(problem, CurrentOrigin.get) }

  def warn(message: String): Unit = log.warn(s"predicat: $message")
}
