package org.apache.spark.sql.predicat

import java.time.Instant
import java.util.{Collections, WeakHashMap}
import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable
import scala.util.Try

import io.predicat.spark.{Errors, Filter, Unwrap}
import org.apache.spark.scheduler.SparkListenerEvent
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.QueryExecution
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.util.QueryExecutionListener

/** One filter in a query that has run: its version, and the tables below it, where they have names. */
case class FilterUse(filter: String, version: Int, tables: Seq[String])

/** Posted after each query that used filters, for any SparkListener. */
case class PredicatFiltersUsed(queryId: Long, succeeded: Boolean, filters: Seq[FilterUse]) extends SparkListenerEvent

/** Counts the filters of the queries that have run in this driver. */
object Usage extends QueryExecutionListener {
  private case class Count(queries: Long, last: Instant)
  private val counts = new ConcurrentHashMap[String, Count]()
  private val warned = Collections.synchronizedMap(new WeakHashMap[SparkSession, java.util.Set[String]]())

  /** Filters are used in a session: from now on their queries are counted, and a deprecated one is told of once. */
  def seen(session: SparkSession, filters: Seq[Filter]): Unit = {
    session match {
      case one: classic.SparkSession if !one.listenerManager.listListeners().contains(this) => one.listenerManager.register(this)
      case _ =>
    }
    for (filter <- filters; date <- filter.deprecated) {
      val warnedFilters = warned.computeIfAbsent(session, _ => ConcurrentHashMap.newKeySet[String]())
      if (warnedFilters.add(filter.key)) Errors.warn(s"filter ${filter.key} is deprecated as of $date")
    }
  }

  /** How many queries have used a version of a filter, and when the last one ended. */
  def of(filter: Filter): (Long, Option[Instant]) =
    Option(counts.get(filter.key)).map(count => (count.queries, Option(count.last))).getOrElse((0L, None))

  override def onSuccess(name: String, query: QueryExecution, nanos: Long): Unit = count(query, succeeded = true)
  override def onFailure(name: String, query: QueryExecution, error: Exception): Unit = count(query, succeeded = false)

  /** There may be many filters: each is counted with one look-up, and told of in detail only to a listener that asks. */
  private def count(query: QueryExecution, succeeded: Boolean): Unit = {
    // A query that could not be analysed has used nothing.
    val used = Try(uses(query.analyzed)).getOrElse(Nil)
    if (used.nonEmpty) {
      val tables = mutable.HashMap.empty[String, Seq[String]]
      used.foreach { case (keys, below) => keys.foreach(key => tables(key) = tables.get(key).fold(below)(known => if (known eq below) known else known ++ below)) }
      val now = Instant.now()
      tables.keysIterator.foreach(counts.merge(_, Count(1, now), (old, one) => Count(old.queries + 1, one.last)))
      val reported = LazyList(tables).flatMap(_.toSeq.sortBy(_._1).map { case (key, below) =>
        val at = key.lastIndexOf('@')
        FilterUse(key.substring(0, at), key.substring(at + 1).toInt, below.distinct.sorted)
      })
      query.sparkSession.sparkContext.listenerBus.post(PredicatFiltersUsed(query.id, succeeded, reported))
    }
  }

  /** The keys of filters, with the tables below the operator that uses them. */
  private def uses(plan: LogicalPlan): Seq[(Seq[String], Seq[String])] = {
    val here = plan.getTagValue(Unwrap.Used).getOrElse(Nil) ++ Unwrap.calls(plan)
    val own = if (here.isEmpty) Nil else Seq((here, named(plan)))
    own ++ (plan.children ++ plan.subqueries ++ plan.innerChildren).collect { case below: LogicalPlan => below }.flatMap(uses)
  }

  private def named(plan: LogicalPlan): Seq[String] = plan.collectLeaves().flatMap {
    case relation: LogicalRelation => relation.catalogTable.map(_.identifier.unquotedString)
    case relation: DataSourceV2Relation => Some(relation.name)
    case _ => None
  }
}
