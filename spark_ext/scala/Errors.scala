package org.apache.spark.sql.predicat

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.trees.Origin

/** Lives in Spark's package because the constructor of an analysis error with a message is closed to others. */
object Errors {
  private val log = org.slf4j.LoggerFactory.getLogger("io.predicat.spark")

  def analysis(message: String, origin: Origin): AnalysisException =
    new AnalysisException(
      s"[PREDICAT] $message", origin.line, origin.startPosition, None, None, Map.empty[String, String],
      origin.getQueryContext)

  def warn(message: String): Unit = log.warn(message)
}
