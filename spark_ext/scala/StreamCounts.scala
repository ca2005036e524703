package org.apache.spark.sql.predicat

import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import com.codahale.metrics.{Gauge, Meter, MetricRegistry}
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.SparkEnv
import org.apache.spark.metrics.source.Source
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{ExpressionDescription, LeafExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData}
import org.apache.spark.sql.classic.{DataFrame, ExpressionUtils}
import org.apache.spark.sql.types.{DataType, DoubleType, LongType, MapType, StringType, StructField, StructType}
import org.apache.spark.unsafe.types.UTF8String

/**
 * What the batches of a stream did, told by the driver after each: as metrics of Spark (a source of its metrics system), and as observed
 * metrics of the query, which listeners find in its progress. Nothing is evaluated twice for it.
 */
object StreamCounts {
  private val json = new ObjectMapper()
  private val streams = new ConcurrentHashMap[String, StreamSource]()
  private val Outcomes = Seq("accepted", "rejected", "unknown", "rescheduled", "dead_letter")
  /** Filters in the progress of a query; of more, those that accept the most rows. */
  private val Most = 1000
  private val each = StructType(Outcomes.map(StructField(_, LongType)) :+ StructField("hit_rate", DoubleType))
  val Columns: Seq[(String, DataType)] =
    Seq("rows" -> LongType, "seconds" -> DoubleType, "lag_seconds" -> DoubleType, "filters" -> MapType(StringType, each))

  /** The rows of a stream, whose query has what is told of it as observed metrics. */
  def observed(frame: DataFrame, stream: String): DataFrame = {
    val columns = Columns.map { case (name, kind) => ExpressionUtils.column(StreamCount(stream, name, kind)).as(name) }
    frame.observe("predicat", columns.head, columns.tail: _*)
  }

  /** Tell what a batch did: JSON with the numbers of the job, and of its filters, those that accept the most first. */
  def told(stream: String, job: String, text: String): Unit = {
    val source = streams.computeIfAbsent(stream, _ => {
      val created = new StreamSource(job)
      SparkEnv.get.metricsSystem.registerSource(created)
      created
    })
    source.told(json.readTree(text))
  }

  /** The stream has ended. */
  def ended(stream: String): Unit = {
    val source = streams.remove(stream)
    if (source != null && SparkEnv.get != null) SparkEnv.get.metricsSystem.removeSource(source)
  }

  private[predicat] def newest(stream: String, name: String): Any =
    Option(streams.get(stream)).flatMap(source => Option(source.newest)).map(value(name, _)).orNull

  private def value(name: String, batch: JsonNode): Any = name match {
    case "filters" =>
      val filters = batch.get("filters").elements().asScala.take(Most).toArray
      val rows = filters.map { one => InternalRow.fromSeq(Outcomes.map(long(one, _)) :+ double(one, "hit_rate")) }
      new ArrayBasedMapData(
        new GenericArrayData(filters.map(one => UTF8String.fromString(one.get("name").asText()): Any)), new GenericArrayData(rows.map(row => row: Any)))
    case "rows" => long(batch, name)
    case _ => double(batch, name)
  }

  private def long(node: JsonNode, name: String): Any = if (node.path(name).isNumber) node.get(name).asLong() else null
  private def double(node: JsonNode, name: String): Any = if (node.path(name).isNumber) node.get(name).asDouble() else null

  /** The metrics of one stream: sums and rates since its start, and what holds for the newest batch. */
  private class StreamSource(job: String) extends Source {
    @volatile var newest: JsonNode = _
    override val sourceName: String = s"predicat.$job"
    override val metricRegistry = new MetricRegistry()
    private val levels = new ConcurrentHashMap[String, java.lang.Double]()

    def told(batch: JsonNode): Unit = {
      newest = batch
      mark("rows", batch.get("rows").asLong())
      mark("batches", 1)
      Seq("seconds", "lag_seconds").foreach(name => level(name, batch))
      batch.get("filters").elements().asScala.foreach { one =>
        val name = one.get("name").asText()
        Seq("accepted", "rejected", "unknown", "dead_letter").foreach { outcome =>
          if (one.path(outcome).isNumber) mark(s"$name.$outcome", one.get(outcome).asLong())
        }
        Seq("hit_rate", "rescheduled").foreach(what => level(what, one, s"$name."))
      }
    }

    private def mark(name: String, count: Long): Unit = {
      val counter: Meter = metricRegistry.meter(name)
      counter.mark(count)
    }

    private def level(name: String, node: JsonNode, prefix: String = ""): Unit =
      if (node.path(name).isNumber && levels.put(prefix + name, node.get(name).asDouble()) == null) {
        val gauge: Gauge[java.lang.Double] = () => levels.get(prefix + name)
        metricRegistry.register(prefix + name, gauge): Unit
      }
  }
}

/** A number of the newest batch of a stream, as the driver knows it when the progress of the query is made. */
@ExpressionDescription(usage = "predicat")
case class StreamCount(stream: String, name: String, dataType: DataType) extends LeafExpression with CodegenFallback {
  override def nullable: Boolean = true
  override def foldable: Boolean = false
  override def eval(input: InternalRow): Any = StreamCounts.newest(stream, name)
}
