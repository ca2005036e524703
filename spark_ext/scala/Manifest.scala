package io.predicat.spark

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.Locale
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.catalyst.expressions.Expression

/** A parameter of a filter: its type in Spark DDL and its default as Spark SQL (None: it must be given). */
case class Param(name: String, dataType: String, default: Option[String])

/** One version of a filter, as the compiler wrote it. */
case class Filter(
    name: String, dataset: String, version: Int, description: String, owner: String, tags: Seq[String],
    language: String, sql: Option[String], refusal: String, deprecated: Option[String], hash: String,
    acceptUnknown: Boolean, columns: Map[String, String], params: Seq[Param], readsNow: Boolean = false,
    native: Option[String] = None, where: Option[String] = None) {
  @volatile private var vetted = false

  val key: String = s"$name@$version"

  /** The SQL that runs where this extension is: it may call functions of the extension. */
  def executed: Option[String] = native.orElse(sql)

  /** TRUE for the rows that the filter accepts, FALSE or NULL for others: for conditions, of which Spark pushes more down. */
  lazy val condition: Option[String] = where.filterNot(Generated.isNewer)

  /** Both as they are parsed, once for all calls. */
  lazy val parsed: Option[Expression] = executed.map(Generated.parse)
  lazy val parsedCondition: Option[Expression] = condition.map(Generated.parse)

  /** Refuse SQL that is more than a predicate over the filter's columns. Checked once: the result does not depend on the session. */
  def vet(): Unit = if (!vetted) {
    def check(read: => Option[String]): Unit = {
      val reason = try read catch {
        case PredicatException(_, message) => Some(message)
        case error: org.apache.spark.sql.AnalysisException => Some(s"it cannot be read: ${error.getMessage.linesIterator.find(_.nonEmpty).getOrElse("")}")
      }
      reason.foreach(problem => throw PredicatException(Kind.Refused,
        s"the manifest's SQL of filter $key is refused: $problem; predicat compile does not write such SQL"))
    }
    (columns.values ++ params.map(_.dataType)).foreach(kind => check { Nesting.check(kind); None })
    (sql ++ native).foreach(text => check(Generated.problem(text, columns.keySet)))
    check(condition.flatMap(Generated.problem(_, columns.keySet)))
    params.flatMap(_.default).foreach(text => check(Generated.problem(text, Set.empty[String])))
    vetted = true
  }

  /** Of all that decides which rows the filter accepts. */
  lazy val digest: Digest = Digest.of(
    s"${sql.getOrElse("")}\u0000$acceptUnknown\u0000${params.map(one => s"${one.name} ${one.default}")}\u0000${columns.toSeq.sorted}".getBytes(UTF_8))

  def sameSql(other: Filter): Boolean = other.vetted && sql == other.sql && native == other.native && where == other.where && columns == other.columns && params == other.params

  def vetLike(other: => Option[Filter]): Unit = if (!vetted) { if (other.exists(sameSql)) vetted = true else vet() }
}

/** Tells contents apart. */
case class Digest(high: Long, low: Long)

object Digest {
  def of(bytes: Array[Byte], from: Int = 0): Digest = of(bytes, from, bytes.length - from)
  def of(bytes: Array[Byte], from: Int, length: Int): Digest = {
    val digest = MessageDigest.getInstance("SHA-256")
    digest.update(bytes, from, length)
    val hash = ByteBuffer.wrap(digest.digest())
    Digest(hash.getLong(), hash.getLong())
  }
}

/** A filter as a row of a manifest has it. */
case class ManifestRow(filter: Filter, latest: Boolean)

/** A manifest in memory: filters by their qualified names, the latest version and every `name@version`. `rows` are kept for the next manifest. */
class Manifest(
    rows: Seq[ManifestRow], val subscriptions: Map[String, Map[String, String]], val known: Map[Digest, ManifestRow], val edition: Option[Edition]) {
  val filters: Seq[Filter] = rows.map(_.filter)
  private lazy val latest = rows.iterator.filter(_.latest).map(row => row.filter.name -> row.filter).toMap
  private lazy val byVersion = filters.map(filter => filter.key -> filter).toMap
  private lazy val short = latest.values.groupBy(filter => filter.name.substring(filter.name.lastIndexOf('.') + 1))

  private val selections = new ConcurrentHashMap[String, Selection]()

  /** The latest versions of the filters of each dataset. */
  lazy val byDataset: Map[String, Seq[Filter]] = subscriptions.keys.map(_ -> Nil).toMap ++ rows.filter(_.latest).map(_.filter).groupBy(_.dataset)

  /** A choice among the filters, made once: the names may differ from query to query, so that not all choices are kept. */
  def selection(key: String)(choose: => Selection): Selection = {
    if (selections.size > Manifest.MostSelections) selections.clear()
    selections.computeIfAbsent(key, _ => choose)
  }

  lazy val names: Seq[String] = latest.keys.toSeq.sorted

  /** Check all of its SQL; what another manifest holds in the same words is not read again. */
  def vet(known: Option[Manifest]): Unit = filters.foreach(filter => filter.vetLike(known.flatMap(_.byVersion.get(filter.key))))

  /** The filter of `dataset.name`, `dataset.name@2`, or `name` where one dataset alone has it. */
  def find(reference: String): Filter = {
    val (name, version) = reference.split("@", 2) match {
      case Array(one, other) => (one, Some(other))
      case Array(one) => (one, None)
    }
    val full = if (name.contains(".")) name else short.getOrElse(name, Nil).toSeq match {
      case Seq(only) => only.name
      case Nil => name
      case many => throw PredicatException(Kind.AmbiguousFilter,
        s"several datasets have a filter '$name': ${many.map(_.name).sorted.mkString(", ")}")
    }
    val newest = latest.getOrElse(full, throw PredicatException(Kind.UnknownFilter,
      s"no filter is named '$reference'" + Near.hint(name, latest.keys ++ short.keys)))
    version match {
      case None => newest
      case Some(number) => byVersion.getOrElse(s"$full@$number", throw PredicatException(Kind.UnknownFilter,
        s"$full has no version $number; its versions: " +
          filters.filter(_.name == full).map(_.version).sorted.mkString(", ")))
    }
  }
}

object Manifest {
  private val MostSelections = 1000
}

/** "did you mean": the known names within a third of the length in edit distance. */
object Near {
  private val Most = 3
  private val Slots = 64

  def hint(name: String, known: Iterable[String]): String = {
    val near = nearest(name, known)
    if (near.isEmpty) "" else s"; did you mean ${near.map(other => s"'$other'").mkString(" or ")}?"
  }

  /** The nearest first. Of thousands of names most are not compared: their letters alone are too different. */
  def nearest(name: String, known: Iterable[String]): Seq[String] = {
    val wanted = name.toLowerCase(Locale.ROOT)
    val letters = new Array[Int](Slots)
    wanted.foreach(letter => letters(letter % Slots) += 1)
    val byLetters = Array.fill(most(name.length * 2) + 1)(Seq.newBuilder[String])
    known.iterator.distinct.foreach { other =>
      val limit = most(math.max(name.length, other.length))
      if (math.abs(other.length - name.length) <= limit) {
        val steps = atLeast(letters.clone(), wanted.length, other.toLowerCase(Locale.ROOT))
        if (steps <= limit) byLetters(steps) += other
      }
    }
    byLetters.iterator.map(_.result()).zipWithIndex.foldLeft(Seq.empty[(Int, String)]) { case (best, (others, steps)) =>
      if (best.length == Most && best.last._1 < steps) best
      else (best ++ others.map(other => (distance(wanted, other.toLowerCase(Locale.ROOT)), other))
        .filter { case (away, other) => away <= most(math.max(name.length, other.length)) }).sorted.take(Most)
    }.map(_._2)
  }

  private def most(length: Int): Int = length / 3

  /** How many steps there are at least between two texts: the letters of one that the other lacks. */
  private def atLeast(letters: Array[Int], length: Int, other: String): Int = {
    var same = 0
    var index = 0
    while (index < other.length) {
      val slot = other.charAt(index) % Slots
      if (letters(slot) > 0) {
        letters(slot) -= 1
        same += 1
      }
      index += 1
    }
    math.max(length, other.length) - same
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
