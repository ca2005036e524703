package io.predicat.spark

import java.io.FileNotFoundException
import java.nio.file.{Files, Paths}
import java.security.MessageDigest

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import com.fasterxml.jackson.core.{JsonParser, JsonToken}
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{EtagSource, FileStatus, FileSystem, Path}

/** Where a manifest is. */
case class Place(location: String, conf: Configuration, trust: Trust)

/** What tells one content of a file from the next without reading it. */
case class Stamp(time: Long, length: Long, identity: String)

/** Reads manifests. */
object ManifestFile {
  private val Format = 1
  private val mapper = new ObjectMapper()
  private val Needed = Set("name", "dataset", "version", "latest", "description", "owner", "tags", "language", "on_unknown", "deprecated", "hash",
    "columns", "types", "params", "sql", "native", "where", "refused", "reads_now")

  def stamp(place: Place): Stamp = {
    val path = new Path(place.location)
    val fs = path.getFileSystem(place.conf)
    val status = try fs.getFileStatus(path) catch { case _: FileNotFoundException => throw absent(place) }
    Stamp(status.getModificationTime, status.getLen, identity(fs, status))
  }

  /** The tag of an object store, the inode and its time of change, or a checksum: equal length and time do not hide a change. */
  private def identity(fs: FileSystem, status: FileStatus): String = try status match {
    case tagged: EtagSource if tagged.getEtag != null => tagged.getEtag
    case _ if fs.getUri.getScheme == "file" => Files.readAttributes(Paths.get(status.getPath.toUri.getPath), "unix:ino,ctime").toString
    case _ => String.valueOf(fs.getFileChecksum(status.getPath))
  } catch {
    case NonFatal(_) => ""
  }

  private def absent(place: Place) =
    PredicatException(Kind.Manifest, s"there is no manifest at ${place.location}; run predicat compile to write it")

  /** A row that `known` has in the same bytes is taken from there, with all that has been found out about it. */
  def read(place: Place, known: Option[Manifest]): Manifest = {
    val path = new Path(place.location)
    val stream = try path.getFileSystem(place.conf).open(path) catch { case _: FileNotFoundException => throw absent(place) }
    val bytes = try stream.readAllBytes() finally stream.close()
    place.trust.pin.foreach { pin =>
      val found = MessageDigest.getInstance("SHA-256").digest(bytes).map(byte => f"$byte%02x").mkString
      if (!found.equalsIgnoreCase(pin.trim)) throw PredicatException(Kind.Refused,
        s"the manifest ${place.location} has the SHA-256 $found, but ${Settings.PinKey} is ${pin.trim}")
    }
    Signed.check(place.location, bytes, place.trust.keys)
    val parser = mapper.getFactory.createParser(bytes)
    try {
      val found = manifest(place.location, parser, new Rows(bytes, known.fold(Map.empty[Digest, ManifestRow])(_.known)))
      Signed.checkEdition(place.location, found.edition, place.trust)
      found
    } catch {
      case problem: PredicatException => throw problem
      case NonFatal(error) => throw PredicatException(Kind.Manifest,
        s"the manifest ${place.location} cannot be read: ${String.valueOf(error.getMessage).linesIterator.next()}")
    } finally parser.close()
  }

  private def manifest(location: String, parser: JsonParser, kept: Rows): Manifest = {
    var format = Option.empty[Int]
    var subscriptions = Map.empty[String, Map[String, String]]
    var rows = Option.empty[Seq[ManifestRow]]
    var catalog = Option.empty[String]
    var revision = Option.empty[Long]
    if (parser.nextToken() == JsonToken.START_OBJECT) while (parser.nextToken() == JsonToken.FIELD_NAME) {
      val name = parser.currentName()
      parser.nextToken()
      name match {
        case "format" => format = Some(parser.getValueAsInt)
        case "datasets" => subscriptions = subscribed(mapper.readTree[JsonNode](parser))
        case "lists" => lists(location, mapper.readTree[JsonNode](parser))
        case "filters" => rows = Some(Iterator.continually(parser.nextToken()).takeWhile(_ != JsonToken.END_ARRAY).map(_ => kept.row(parser)).toVector)
        case "catalog" if parser.currentToken() == JsonToken.VALUE_STRING => catalog = Some(parser.getText)
        case "revision" if parser.currentToken() == JsonToken.VALUE_NUMBER_INT => revision = Some(parser.getLongValue)
        case _ => parser.skipChildren(): Unit
      }
    }
    if (format.exists(_ > Format)) throw PredicatException(Kind.Manifest,
      s"the manifest $location has format ${format.get}; this extension reads formats up to $Format: upgrade it")
    if (format.isEmpty || rows.isEmpty) throw PredicatException(Kind.Manifest, s"$location is not a manifest of predicat, or it is incomplete")
    val edition = catalog.flatMap(name => revision.map(Edition(name, _)))
    new Manifest(rows.get, subscriptions, kept.found.result(), edition)
  }

  /** The rows of a manifest, of which most were in the one before. */
  private class Rows(bytes: Array[Byte], before: Map[Digest, ManifestRow]) {
    val found = Map.newBuilder[Digest, ManifestRow]

    def row(parser: JsonParser): ManifestRow = {
      val from = parser.currentTokenLocation().getByteOffset.toInt
      val read = if (before.isEmpty) Some(parsed(parser)) else { parser.skipChildren(); None }
      val length = parser.currentLocation().getByteOffset.toInt - from
      val digest = Digest.of(bytes, from, length)
      val row = read.orElse(before.get(digest)).getOrElse {
        val own = mapper.getFactory.createParser(bytes, from, length)
        try { own.nextToken(); parsed(own) } finally own.close()
      }
      found += digest -> row
      row
    }

    private def parsed(parser: JsonParser): ManifestRow = {
      val node = fields(parser)
      ManifestRow(filter(node), node.path("latest").asBoolean())
    }
  }

  /** Where the values of long lists are: files beside the manifest. */
  private def lists(location: String, files: JsonNode): Unit = files.properties().asScala.foreach(one =>
    Lists.provide(one.getKey, new Path(new Path(location).getParent, text(one.getValue, "file")).toString))

  /** The filter of each subscription of each dataset. */
  private def subscribed(datasets: JsonNode): Map[String, Map[String, String]] = datasets.properties().asScala.map(dataset =>
    dataset.getKey -> dataset.getValue.path("subscriptions").properties().asScala.map(one => one.getKey -> text(one.getValue, "filter")).toMap).toMap

  /** What the extension needs of a filter: half of a manifest is for other readers. */
  private def fields(parser: JsonParser): ObjectNode = {
    val found = mapper.createObjectNode()
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      val name = parser.currentName()
      parser.nextToken()
      if (Needed.contains(name)) found.set[JsonNode](name, mapper.readTree[JsonNode](parser)) else parser.skipChildren()
    }
    found
  }

  private def filter(row: JsonNode): Filter = Filter(
    name = text(row, "name"), dataset = text(row, "dataset"), version = row.path("version").asInt(),
    description = text(row, "description"), owner = text(row, "owner"), tags = texts(row.path("tags")),
    language = text(row, "language"), sql = optional(row.path("sql"), "spark"),
    refusal = text(row.path("refused"), "spark"), deprecated = optional(row, "deprecated"), hash = text(row, "hash"),
    acceptUnknown = text(row, "on_unknown") == "accept", columns = texts(row.path("columns").path("spark")).zip(texts(row.path("types"))).toMap,
    params = row.path("params").elements().asScala.toSeq.map(param =>
      Param(text(param, "name"), text(param, "type"), optional(param.path("default"), "spark"))),
    readsNow = row.path("reads_now").asBoolean(), native = optional(row.path("native"), "spark"), where = optional(row.path("where"), "spark"))

  private def optional(node: JsonNode, key: String): Option[String] =
    Option(node.get(key)).filterNot(_.isNull).map(_.asText())

  private def text(node: JsonNode, key: String): String = optional(node, key).getOrElse("")

  private def texts(node: JsonNode): Seq[String] = node.elements().asScala.map(_.asText()).toSeq
}
