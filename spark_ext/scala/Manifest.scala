package io.predicat.spark

import java.io.FileNotFoundException
import java.util.Locale

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

/** A parameter of a filter: its type in Spark DDL and its default as Spark SQL (None: it must be given). */
case class Param(name: String, dataType: String, default: Option[String])

/** One version of a filter, as the compiler wrote it. */
case class Filter(
    name: String, dataset: String, version: Int, description: String, owner: String, tags: Seq[String],
    language: String, sql: Option[String], refusal: String, deprecated: Option[String], hash: String,
    acceptUnknown: Boolean, columns: Map[String, String], params: Seq[Param])

/** A problem with the manifest or with a call; the message is for users. */
class PredicatException(message: String) extends RuntimeException(message)

/** A manifest in memory: filters by their qualified names, the latest version and every `name@version`. */
class Manifest(val filters: Seq[Filter], latest: Map[String, Filter]) {
  private val byVersion = filters.map(filter => s"${filter.name}@${filter.version}" -> filter).toMap
  private val short = latest.values.groupBy(_.name.split('.').last)

  def names: Seq[String] = latest.keys.toSeq.sorted

  /** The filter of `dataset.name`, `dataset.name@2`, or `name` where one dataset alone has it. */
  def find(asked: String): Filter = {
    val (name, version) = asked.split("@", 2) match {
      case Array(one, other) => (one, Some(other))
      case Array(one) => (one, None)
    }
    val full = if (name.contains(".")) name else short.getOrElse(name, Nil).toSeq match {
      case Seq(only) => only.name
      case Nil => name
      case many => throw new PredicatException(
        s"several datasets have a filter '$name': ${many.map(_.name).sorted.mkString(", ")}")
    }
    val found = latest.getOrElse(full, throw new PredicatException(
      s"no filter is named '$asked'" + Near.hint(name, names ++ short.keys)))
    version match {
      case None => found
      case Some(number) => byVersion.getOrElse(s"$full@$number", throw new PredicatException(
        s"$full has no version $number; its versions: " +
          filters.filter(_.name == full).map(_.version).sorted.mkString(", ")))
    }
  }
}

/** "did you mean": the known names within a third of the length in edit distance. */
object Near {
  def hint(name: String, known: Iterable[String]): String = {
    val near = known.toSeq.distinct
      .map(other => (distance(name.toLowerCase(Locale.ROOT), other.toLowerCase(Locale.ROOT)), other))
      .filter { case (steps, other) => steps <= math.max(name.length, other.length) / 3 }
      .sorted.take(3).map { case (_, other) => s"'$other'" }
    if (near.isEmpty) "" else s"; did you mean ${near.mkString(" or ")}?"
  }

  private def distance(a: String, b: String): Int = {
    val row = Array.tabulate(b.length + 1)(identity)
    for (i <- 1 to a.length) {
      var corner = row(0)
      row(0) = i
      for (j <- 1 to b.length) {
        val step = if (a(i - 1) == b(j - 1)) corner else 1 + math.min(corner, math.min(row(j), row(j - 1)))
        corner = row(j)
        row(j) = step
      }
    }
    row(b.length)
  }
}

/** The manifests in use, by path. A path is looked at again after some seconds; a broken new one leaves the old. */
object Manifests {
  private val Format = 1
  private val mapper = new ObjectMapper()
  private val cache = new java.util.concurrent.ConcurrentHashMap[String, Loaded]()
  private val log = org.slf4j.LoggerFactory.getLogger("io.predicat.spark")

  private case class Loaded(manifest: Manifest, time: Long, length: Long, checked: Long)

  def get(location: String, conf: Configuration, everyMillis: Long): Manifest = {
    val known = cache.get(location)
    if (known != null && System.currentTimeMillis() - known.checked < everyMillis) return known.manifest
    try load(location, conf)
    catch {
      case NonFatal(error) if known != null =>
        log.warn(s"predicat goes on with the filters that it has: ${error.getMessage}")
        cache.put(location, known.copy(checked = System.currentTimeMillis()))
        known.manifest
    }
  }

  /** Read the manifest if it has changed; a broken one is an error, and the old one stays. */
  def load(location: String, conf: Configuration): Manifest = synchronized {
    val path = new Path(location)
    val fs = path.getFileSystem(conf)
    val status = try fs.getFileStatus(path) catch {
      case _: FileNotFoundException =>
        throw new PredicatException(s"there is no manifest at $location; predicat compile writes it")
    }
    val known = cache.get(location)
    val now = System.currentTimeMillis()
    if (known != null && known.time == status.getModificationTime && known.length == status.getLen) {
      cache.put(location, known.copy(checked = now))
      return known.manifest
    }
    val stream = fs.open(path)
    val root = try mapper.readTree(stream: java.io.InputStream) catch {
      case NonFatal(error) => throw new PredicatException(
        s"the manifest $location cannot be read: ${error.getMessage.linesIterator.next()}")
    } finally stream.close()
    val manifest = read(location, root)
    cache.put(location, Loaded(manifest, status.getModificationTime, status.getLen, now))
    manifest
  }

  private def read(location: String, root: JsonNode): Manifest = {
    if (root == null || !root.has("format") || !root.has("filters")) {
      throw new PredicatException(s"$location is no manifest of predicat, or only a part of one")
    }
    val format = root.get("format").asInt()
    if (format > Format) throw new PredicatException(
      s"the manifest $location has format $format; this extension reads formats up to $Format: upgrade it")
    val rows = root.get("filters").elements().asScala.toSeq
    val filters = rows.map(filter)
    val latest = rows.zip(filters).collect { case (row, found) if row.get("latest").asBoolean() => found.name -> found }
    new Manifest(filters, latest.toMap)
  }

  private def filter(row: JsonNode): Filter = Filter(
    name = text(row, "name"), dataset = text(row, "dataset"), version = row.get("version").asInt(),
    description = text(row, "description"), owner = text(row, "owner"), tags = texts(row.get("tags")),
    language = text(row, "language"), sql = optional(row.path("sql"), "spark"),
    refusal = text(row.path("refused"), "spark"), deprecated = optional(row, "deprecated"), hash = text(row, "hash"),
    acceptUnknown = text(row, "on_unknown") == "accept", columns = texts(row.path("columns").path("spark")).zip(texts(row.get("types"))).toMap,
    params = row.path("params").elements().asScala.toSeq.map(param =>
      Param(text(param, "name"), text(param, "type"), optional(param.path("default"), "spark"))))

  private def optional(node: JsonNode, key: String): Option[String] =
    Option(node.get(key)).filterNot(_.isNull).map(_.asText())

  private def text(node: JsonNode, key: String): String = optional(node, key).getOrElse("")

  private def texts(node: JsonNode): Seq[String] =
    if (node == null) Nil else node.elements().asScala.map(_.asText()).toSeq
}
