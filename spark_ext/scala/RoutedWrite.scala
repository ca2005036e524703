package org.apache.spark.sql.predicat

import java.util.{Date, HashMap}

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import io.predicat.spark.{Candidate, Filter, GivenIds, IndexPlace, MatchedOutcomes, MatchingFilters, Outcome, Outcomes, Selection, TaskCounts, TextConversions}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.{Job, JobID, TaskAttemptContext, TaskAttemptID, TaskID, TaskType}
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl
import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.sql.catalyst.{InternalRow, ProjectingInternalRow}
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils
import org.apache.spark.sql.catalyst.expressions.{Ascending, Attribute, AttributeReference, BoundReference, Cast, Concat, Expression, JoinedRow, Literal, RowOrdering, ScalaUDF, SortOrder, UnsafeProjection}
import org.apache.spark.sql.classic.{DataFrame, ExpressionUtils, SparkSession}
import org.apache.spark.sql.execution.{SQLExecution, UnsafeExternalRowSorter}
import org.apache.spark.sql.execution.datasources.{DataSource, FileFormat, OutputWriter, OutputWriterFactory}
import org.apache.spark.sql.execution.datasources.v2.FileDataSourceV2
import org.apache.spark.sql.types.{DataType, IntegerType, StringType, StructField, StructType}
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.{SerializableConfiguration, ThreadUtils}
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators

/** A kind of files: all sinks of one kind share what it takes to write them. */
private[predicat] case class Kind(factory: OutputWriterFactory, conf: SerializableConfiguration, schema: StructType, columns: Array[Int])

/**
 * Where rows go: those whose byte at `place` has a bit of `mask`, once, or with `each` once for each filter that accepts them. The bytes are
 * those of the column `said`. `partitions` are the columns that name folders. `open` sinks take rows that no filter may still accept.
 */
private[predicat] case class RoutedSink(
    kind: Int, said: Int, place: Int, mask: Int, each: Boolean, open: Boolean, path: String, partitions: Array[Int])

/**
 * Writes the rows of many sinks in one pass, without a sort and without a copy of a row for each sink.
 *
 * Files have names of their task attempt. The driver is told those of the attempts that succeeded, and only they count: nothing has to be
 * renamed for a retried or speculative task.
 */
object RoutedWrite {
  private val json = new ObjectMapper()
  val Column = "__predicat_outcomes"
  /** The columns of the filters that want a row again, and of those that have wanted it too often: as outcomes of matched filters are. */
  val Waiting = "__predicat_waiting"
  val Expired = "__predicat_expired"
  /** The observed metric of the newest time among the rows, in microseconds since 1970. */
  val Newest = "predicat_newest"
  /** The column, in rows of a sink for all filters, of the filter that accepts the row. */
  val Named = "filter"
  private val Folders = 16
  /** The names of files of runs and of their checksums. No other program, and not Spark itself, names files so. */
  private val Own = """\.?(part-\d{5}-(\d{8}T\d{6}-[0-9a-f]{8}|[0-9a-f]{8}-[0-9a-f]{4}-\d{6,})-\d+\.c\d+\..*|_SUCCESS(\.crc)?)""".r

  /** The rows that some sink wants, with their outcomes in a last column; all rows are counted. `filters` and `cells` are JSON. */
  def outcomes(frame: DataFrame, filters: String, cells: String, wanted: Array[Byte], apart: Boolean): DataFrame = {
    val entries = elements(filters)
    TextConversions.install(frame.sparkSession)
    def read(key: String): Seq[Expression] = entries.map(one => expression(frame, one.get(key).asText()))
    val outcome = Outcomes(read("sql"), read("present"), elements(cells).map(cell => expression(frame, cell.asText())),
      entries.map(_.get("accepts_unknown").asBoolean()), wanted.toSeq, apart)
    rows(frame, outcome, wanted)
  }

  /** The same for filters that are found through the index: which ones accept a row, and no more. */
  def matched(frame: DataFrame, filters: String, cells: String, wanted: Array[Byte], apart: Boolean): DataFrame = {
    val candidates = elements(filters).map { one =>
      val columns = one.get("columns").properties().asScala.map(entry => entry.getKey -> entry.getValue.asText()).toMap
      Candidate(one.get("name").asText(), Filter(one.get("filter").asText(), one.get("dataset").asText(), one.get("version").asInt(), "", "", Nil,
        "", Some(one.get("sql").asText()), "", None, "", one.get("accepts_unknown").asBoolean(), columns, Nil))
    }.toIndexedSeq
    val selection = Selection.exactly(candidates.headOption.fold("")(_.filter.dataset), candidates)
    val columns = selection.columns.map { case (column, _, _) => UnresolvedAttribute(Seq(column)) }
    val matching = MatchingFilters("predicat_run", GivenIds, selection, columns, new IndexPlace)
    rows(frame, MatchedOutcomes(matching, elements(cells).map(cell => expression(frame, cell.asText())), candidates.length, wanted.head, apart), wanted)
  }

  private def elements(text: String): Seq[JsonNode] = json.readTree(text).elements().asScala.toSeq

  private def expression(frame: DataFrame, sql: String): Expression = frame.sparkSession.sessionState.sqlParser.parseExpression(sql)

  private def rows(frame: DataFrame, outcome: Expression, wanted: Array[Byte]): DataFrame = {
    val column = ExpressionUtils.column(outcome).as(Column)
    val waits = frame.columns.contains(Waiting)
    // Where no row is wanted, only the columns that filters read are.
    val selected = if (waits || wanted.exists(_ != 0)) frame.select(frame.col("*"), column) else frame.select(column)
    selected.where(s"$Column IS NOT NULL" + (if (waits) s" OR $Waiting IS NOT NULL OR $Expired IS NOT NULL" else ""))
  }

  /** Run the pass. `spec` and the result are JSON, so that nothing but texts goes through the gateway. */
  def run(frame: DataFrame, spec: String): String = {
    val session = frame.sparkSession
    val plan = json.readTree(spec)
    val query = frame.queryExecution
    SQLExecution.withNewExecutionId(query, Some("predicat run")) {
      val output = query.analyzed.output
      val outcomes = output.length - 1
      // Behind the columns of the row stands the filter that accepts it.
      val extended = output :+ AttributeReference(Named, StringType)()
      val labels = plan.get("labels").elements().asScala.map(_.asText()).toArray
      val task = new RoutedTask(
        plan.get("run").asText(), kinds(session, extended, plan), sinks(extended, outcomes, plan), extended.map(_.dataType).toArray,
        extended.map(_.name).toArray, labels, outcomes, Array(Waiting, Expired).map(name => output.indexWhere(_.name == name)),
        plan.get("filters").asInt(), plan.get("cells").asInt(), plan.get("max_open").asInt(), session.sessionState.conf.sessionLocalTimeZone)
      val rows = query.toRdd
      val rdd = if (rows.getNumPartitions > 0) rows else session.sparkContext.parallelize(Seq.empty[InternalRow], 1)
      val parts = new Array[String](rdd.getNumPartitions)
      session.sparkContext.runJob(rdd, task.run _, rdd.partitions.indices, (index: Int, result: String) => parts(index) = result)
      val newest = Option(query.observedMetrics.getOrElse(Newest, null)).filterNot(_.isNullAt(0)).map(_.getLong(0))
      s"""{"tasks": ${parts.mkString("[", ",", "]")}, "newest": ${newest.getOrElse("null")}}"""
    }
  }

  /** Keep only the files that count in each of the staged folders, which are there afterwards even if they are empty. */
  def tidy(conf: Configuration, folders: String): Unit =
    ThreadUtils.parmap(elements(folders), "predicat-tidy", Folders) { folder =>
      val path = new Path(folder.get("folder").asText())
      val system = path.getFileSystem(conf)
      system.mkdirs(path)
      val counted = folder.get("files").elements().asScala.map(file => new Path(path, file.asText())).map(system.makeQualified).toSet
      val there = system.listFiles(path, true)
      while (there.hasNext) {
        val file = there.next().getPath
        if (!file.getName.startsWith(".") && !counted.contains(file)) system.delete(file, false)
      }
      if (folder.get("success").asBoolean()) system.create(new Path(path, "_SUCCESS"), true).close()
    }: Unit

  /** For each folder the path of a file in it that no run has written; empty where there is none. */
  def foreign(conf: Configuration, folders: String): String = json.writeValueAsString(ThreadUtils.parmap(elements(folders), "predicat-foreign", Folders) { folder =>
    val path = new Path(folder.asText())
    val system = path.getFileSystem(conf)
    var found = ""
    if (system.exists(path)) {
      val there = system.listFiles(path, true)
      while (found.isEmpty && there.hasNext) {
        val file = there.next().getPath
        if (!Own.matches(file.getName)) found = file.toString
      }
    }
    found
  }.asJava)

  private def kinds(session: SparkSession, output: Seq[Attribute], plan: JsonNode): Array[Kind] =
    plan.get("kinds").elements().asScala.map { kind =>
      val options = kind.get("options").properties().asScala.map(entry => entry.getKey -> entry.getValue.asText()).toMap
      val columns = places(output, kind.get("columns"))
      val names = kind.get("names").elements().asScala.map(_.asText()).toSeq
      val schema = StructType(columns.toSeq.zip(names).map { case (place, name) =>
        StructField(name, output(place).dataType, nullable = true, output(place).metadata)
      })
      val format = fileFormat(session, kind.get("format").asText())
      schema.find(field => !format.supportDataType(field.dataType)).foreach(field => throw new IllegalArgumentException(
        s"the format ${kind.get("format").asText()} cannot hold the column '${field.name}' of type ${field.dataType.simpleString}"))
      val job = Job.getInstance(session.sessionState.newHadoopConfWithOptions(options))
      job.setOutputKeyClass(classOf[Void])
      job.setOutputValueClass(classOf[InternalRow])
      val factory = format.prepareWrite(session, job, options, schema)
      Kind(factory, new SerializableConfiguration(job.getConfiguration), schema, columns)
    }.toArray

  private def sinks(output: Seq[Attribute], outcomes: Int, plan: JsonNode): Array[RoutedSink] =
    plan.get("sinks").elements().asScala.map { sink =>
      val column = sink.get("said").asText()
      RoutedSink(
        sink.get("kind").asInt(), if (column.isEmpty) outcomes else output.indexWhere(_.name == column), sink.get("place").asInt(),
        sink.get("mask").asInt(), sink.get("each").asBoolean(), sink.get("open").asBoolean(), sink.get("path").asText(),
        places(output, sink.get("partitions")))
    }.toArray

  private def places(output: Seq[Attribute], names: JsonNode): Array[Int] =
    names.elements().asScala.map(_.asText()).map(name => output.indexWhere(_.name == name)).toArray

  private def fileFormat(session: SparkSession, name: String): FileFormat =
    DataSource.lookupDataSource(name, session.sessionState.conf).getConstructor().newInstance() match {
      case format: FileFormat => format
      case source: FileDataSourceV2 => source.fallbackFileFormat.getConstructor().newInstance()
      case _ => throw new IllegalArgumentException(s"the format $name is not one of files")
    }
}

/** A file that a task writes. */
private[predicat] class OpenFile(val writer: OutputWriter, val sink: Int, val path: String) { var rows = 0L }

/** The work of one task. */
private[predicat] class RoutedTask(
    run: String, kinds: Array[Kind], sinks: Array[RoutedSink], types: Array[DataType], names: Array[String], labels: Array[String],
    outcomes: Int, putOff: Array[Int], filters: Int, cells: Int, maxOpen: Int, zone: String) extends Serializable {

  def run(context: TaskContext, rows: Iterator[InternalRow]): String = {
    val counts = TaskCounts.current(filters, cells)
    val json = new ObjectMapper()
    val result = json.createObjectNode()
    val files = result.putArray("files")
    val contexts = kinds.map(kind => attempt(context, new Configuration(kind.conf.value)))
    val views = kinds.map(kind => ProjectingInternalRow(kind.schema, kind.columns.toIndexedSeq))
    val folders = sinks.map(sink => if (sink.partitions.isEmpty) null else folder(sink.partitions))
    val plain = new Array[OpenFile](sinks.length)
    var started = 0
    def close(open: OpenFile): Unit = {
      open.writer.close()
      val path = new Path(open.path)
      val file = files.addObject()
      file.put("sink", open.sink).put("path", open.path).put("rows", open.rows)
      file.put("bytes", path.getFileSystem(contexts(sinks(open.sink).kind).getConfiguration).getFileStatus(path).getLen): Unit
    }
    def start(index: Int, below: String): OpenFile = {
      val sink = sinks(index)
      val kind = kinds(sink.kind)
      val extension = kind.factory.getFileExtension(contexts(sink.kind))
      val name = f"part-${context.partitionId()}%05d-$run-${context.taskAttemptId()}.c$started%03d$extension"
      started += 1
      val path = s"${sink.path}${if (below.isEmpty) "" else s"/$below"}/$name"
      new OpenFile(kind.factory.newInstance(path, kind.schema, contexts(sink.kind)), index, path)
    }
    def put(open: OpenFile, row: InternalRow): Unit = {
      val view = views(sinks(open.sink).kind)
      view.project(row)
      open.writer.write(view)
      open.rows += 1
    }
    val partitioned = new HashMap[(Int, UTF8String), OpenFile]()
    lazy val later = new Later(types)
    var late = false
    var last: OpenFile = null
    var lastFolder = ""
    def write(index: Int, row: InternalRow): Unit =
      if (folders(index) == null) {
        if (plain(index) == null) plain(index) = start(index, "")
        put(plain(index), row)
      } else {
        val below = folders(index)(row).getUTF8String(0)
        val known = partitioned.get((index, below))
        if (known != null) put(known, row)
        else if (partitioned.size < maxOpen) {
          val folder = below.copy()
          val writer = start(index, folder.toString)
          partitioned.put((index, folder), writer)
          put(writer, row)
        } else {
          late = true
          later.add(index, below, row)
        }
      }
    val waiting = Array.fill(2)(new Array[Long](labels.length))
    def count(row: InternalRow, which: Int): Boolean = !row.isNullAt(putOff(which)) && {
      MatchedOutcomes.each(row.getBinary(putOff(which)), id => waiting(which)(id) += 1)
      true
    }
    var done = false
    try {
      if (context.partitionId() == 0) {
        sinks.indices.foreach(index => if (sinks(index).partitions.isEmpty) plain(index) = start(index, ""))
      }
      val accepted = new JoinedRow()
      val called = labels.map(label => InternalRow(UTF8String.fromString(label)))
      while (rows.hasNext) {
        val row = rows.next()
        val outcome = row.getBinary(outcomes)
        val waits = putOff(0) >= 0 && { count(row, 0) | count(row, 1) }
        var index = 0
        while (index < sinks.length) {
          val sink = sinks(index)
          val said = if (sink.said == outcomes) outcome else row.getBinary(sink.said)
          if (said != null && (said(sink.place) & sink.mask) != 0 && !(sink.open && waits)) {
            if (!sink.each) write(index, row)
            else MatchedOutcomes.each(said, id => write(index, accepted(row, called(id))))
          }
          index += 1
        }
      }
      plain.foreach(open => if (open != null) close(open))
      partitioned.values().asScala.foreach(close)
      if (late) {
        later.sorted { (index, below, row) =>
          if (last == null || last.sink != index || lastFolder != below) {
            if (last != null) close(last)
            last = start(index, below)
            lastFolder = below
          }
          put(last, row)
        }
        if (last != null) close(last)
      }
      done = true
    } finally {
      if (!done) (plain.iterator ++ partitioned.values().asScala.iterator ++ Iterator(last)).filter(_ != null).foreach(open =>
        try open.writer.close() catch { case scala.util.control.NonFatal(_) => })
    }
    val numbers = result.putArray("counts")
    counts.counts.foreach(count => numbers.add(count))
    val waited = result.putArray("waiting")
    waiting.foreach { numbers =>
      val one = waited.addArray()
      numbers.foreach(number => one.add(number))
    }
    val samples = result.putArray("samples")
    counts.samples.foreach { few =>
      val one = samples.addArray()
      few.forEach(value => one.add(value): Unit)
    }
    result.toString
  }

  /** The folders of a row, as in `month=1/day=2`. */
  private def folder(columns: Array[Int]): UnsafeProjection = {
    val parts = columns.toSeq.zipWithIndex.flatMap { case (place, index) =>
      val text = Cast(BoundReference(place, types(place), nullable = true), StringType, Some(zone))
      val folder = ScalaUDF(ExternalCatalogUtils.getPartitionPathString _, StringType, Seq(Literal(names(place)), text))
      if (index == 0) Seq(folder) else Seq(Literal("/"), folder)
    }
    UnsafeProjection.create(Seq(Concat(parts)))
  }

  private def attempt(context: TaskContext, conf: Configuration): TaskAttemptContext = {
    val job = new JobID(RoutedTask.day(), context.stageId())
    val id = new TaskAttemptID(new TaskID(job, TaskType.MAP, context.partitionId()), context.attemptNumber())
    conf.set("mapreduce.job.id", job.toString)
    conf.set("mapreduce.task.id", id.getTaskID.toString)
    conf.set("mapreduce.task.attempt.id", id.toString)
    conf.setBoolean("mapreduce.task.ismap", true)
    conf.setInt("mapreduce.task.partition", 0)
    new TaskAttemptContextImpl(conf, id)
  }
}

private[predicat] object RoutedTask {
  def day(): String = new java.text.SimpleDateFormat("yyyyMMddHHmmss", java.util.Locale.US).format(new Date())
}

/**
 * Rows of folders for which no file is open, because there are too many at once. They are sorted by sink and folder, on disk where there is no
 * memory, and then written with one open file.
 */
private[predicat] class Later(types: Array[DataType]) {
  private val width = types.length
  private val keys = Seq(BoundReference(width, IntegerType, nullable = false), BoundReference(width + 1, StringType, nullable = false))
  private val schema = StructType((types.toSeq ++ Seq(IntegerType, StringType)).zipWithIndex.map { case (kind, place) => StructField(s"c$place", kind) })
  private val flat = UnsafeProjection.create(schema)
  private val joined = new JoinedRow()
  private val ordering = RowOrdering.create(keys.map(SortOrder(_, Ascending)), Nil)
  private val sorter = UnsafeExternalRowSorter.create(schema, ordering, PrefixComparators.LONG, new UnsafeExternalRowSorter.PrefixComputer {
    private val prefix = new UnsafeExternalRowSorter.PrefixComputer.Prefix()
    override def computePrefix(row: InternalRow): UnsafeExternalRowSorter.PrefixComputer.Prefix = {
      prefix.value = row.getInt(width).toLong
      prefix.isNull = false
      prefix
    }
  }, SparkEnv.get.memoryManager.pageSizeBytes, false)

  def add(sink: Int, below: UTF8String, row: InternalRow): Unit = sorter.insertRow(flat(joined(row, InternalRow(sink, below))))

  def sorted(take: (Int, String, InternalRow) => Unit): Unit =
    try sorter.sort().foreach(row => take(row.getInt(width), row.getString(width + 1), row)) finally sorter.cleanupResources()
}
