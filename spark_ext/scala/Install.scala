package org.apache.spark.sql.predicat

import io.predicat.spark.PredicatExtensions
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.classic.SparkSession

/** Lives in Spark's package because a session's extensions, and a session with the state of another, are closed to others. */
object Install {

  /** A session with the extension that shares the catalog, the cache, the settings and the temporary views of another. */
  def into(session: SparkSession): SparkSession = {
    new PredicatExtensions()(session.extensions)
    val clone = session.cloneSession()
    session.extensions.registerFunctions(clone.sessionState.functionRegistry)
    session.extensions.registerTableFunctions(clone.sessionState.tableFunctionRegistry)
    clone
  }

  /** A function in a session that runs without the extension. */
  def function(session: SparkSession, name: FunctionIdentifier, info: ExpressionInfo, build: Seq[Expression] => Expression): Unit = {
    val one = new SparkSessionExtensions
    one.injectFunction((name, info, build))
    one.registerFunctions(session.sessionState.functionRegistry): Unit
  }
}
