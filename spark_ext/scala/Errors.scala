package io.predicat.spark

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.trees.Origin

/** Problems as Spark shows them: an analysis error with the place in the query. */
object Errors {
  private val log = org.slf4j.LoggerFactory.getLogger("io.predicat.spark")

  /** Under Spark's own error class for messages of users: PySpark looks each class up in Spark's table. */
  def analysis(message: String, origin: Origin): AnalysisException =
    new AnalysisException("USER_RAISED_EXCEPTION", Map("errorMessage" -> s"predicat: $message"), origin)

  def warn(message: String): Unit = log.warn(s"predicat: $message")
}
