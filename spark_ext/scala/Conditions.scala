package org.apache.spark.sql.predicat

import scala.util.control.NonFatal

import org.apache.spark.{ErrorClassesJsonReader, SparkThrowableHelper}

/** Spark looks the message and the SQLSTATE of an error condition up in one table; those of this extension are added to it. */
object Conditions {
  /** Whether Spark's table holds them: otherwise errors come under Spark's own condition for messages to users. */
  lazy val known: Boolean = try {
    val table = SparkThrowableHelper.errorReader
    val ours = new ErrorClassesJsonReader(Seq(getClass.getResource("/predicat-conditions.json"))).errorInfoMap
    val field = classOf[ErrorClassesJsonReader].getDeclaredField("errorInfoMap")
    field.setAccessible(true)
    field.set(table, table.errorInfoMap ++ ours)
    table.isValidErrorClass(ours.keys.head)
  } catch {
    case NonFatal(_) | _: LinkageError => false
  }
}
