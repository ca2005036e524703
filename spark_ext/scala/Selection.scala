package io.predicat.spark

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

import scala.collection.mutable

/** A name that a call may give, and the filter version that decides it. */
case class Candidate(name: String, filter: Filter)

/**
 * The filters among which a call finds those that accept a row, sorted by name. Two selections are equal if they say the same; what they
 * say is not sent to executors.
 */
class Selection(val dataset: String, val key: String, @transient val candidates: IndexedSeq[Candidate]) extends Serializable {
  /** The columns that some filter reads, in a fixed order, each with its declared type and a filter that reads it. */
  @transient lazy val columns: Seq[(String, String, String)] = {
    val byName = mutable.HashMap.empty[String, (String, String, String)]
    candidates.foreach(one => one.filter.columns.foreachEntry((name, kind) => if (!byName.contains(name)) byName(name) = (name, kind, one.filter.name)))
    byName.values.toSeq.sortBy(_._1)
  }
  /**
   * What changes from another selection: the place here of each of its candidates, or -1, and the places of those that it lacks. None if these are
   * many, or the selection is so small that it does not matter.
   */
  def since(other: Selection): Option[(Array[Int], Array[Int])] = {
    val most = candidates.length / Selection.Share
    val places = Array.fill(other.candidates.length)(-1)
    val extra = mutable.ArrayBuilder.make[Int]
    var (here, there) = (0, 0)
    var gone = 0
    while (extra.length <= most && gone <= most && (here < candidates.length || there < other.candidates.length)) {
      val order = if (here == candidates.length) 1 else if (there == other.candidates.length) -1
      else Selection.order(candidates(here).name, other.candidates(there).name)
      if (order == 0) {
        val (one, before) = (candidates(here).filter, other.candidates(there).filter)
        if ((one eq before) || one.digest == before.digest) places(there) = here else extra += here
      } else if (order < 0) extra += here
      else gone += 1
      if (order <= 0) here += 1
      if (order >= 0) there += 1
    }
    if (extra.length <= most && gone <= most && candidates.length >= Selection.Many) Some((places, extra.result())) else None
  }

  @transient lazy val used: Seq[String] = candidates.map(_.filter.key).distinct
  @transient lazy val deprecated: Seq[Filter] = candidates.map(_.filter).filter(_.deprecated.isDefined)

  override def equals(other: Any): Boolean = other match {
    case one: Selection => one.key == key
    case _ => false
  }
  override def hashCode: Int = key.hashCode
  override def toString: String = dataset
}

/** Finds the filters and subscriptions of a dataset. */
object Selection {
  /** One filter of so many may change. */
  private val Share = 64
  private val Many = 1000

  /** The order of names. */
  private def order(one: String, other: String): Int = if (one == other) 0 else java.util.Arrays.compareUnsigned(one.getBytes(UTF_8), other.getBytes(UTF_8))

  /** The latest versions of the filters with a tag, or those of these names; those that no call without arguments can evaluate are left out. */
  def filters(manifest: Manifest, dataset: String, tag: Option[String], names: Option[Seq[String]]): Selection =
    manifest.selection(s"filters\u0000$dataset\u0000${tag.map("t" + _)}\u0000${names.map(_.mkString("\u0001"))}") {
      val all = of(manifest, dataset)
      val named = names.fold(all)(_.map(name => Candidate(name.stripPrefix(s"$dataset."), one(manifest, dataset, name))).distinctBy(_.name))
      names.foreach(_ => named.foreach(one => able(one.filter)))
      val tagged = tag.fold(named)(wanted => named.filter(_.filter.tags.contains(wanted)))
      if (tag.isDefined && tagged.isEmpty) throw PredicatException(Kind.UnknownFilter,
        s"no filter of $dataset has the tag '${tag.get}'" + Near.hint(tag.get, all.flatMap(_.filter.tags).distinct))
      selected(dataset, tagged)
    }

  /** The subscriptions of a dataset, each with its filter. */
  def subscriptions(manifest: Manifest, dataset: String): Selection =
    manifest.selection(s"subscriptions\u0000$dataset") {
      of(manifest, dataset)
      val candidates = manifest.subscriptions.getOrElse(dataset, Map.empty).toSeq.map { case (name, filter) => Candidate(name, one(manifest, dataset, filter)) }
      candidates.foreach(subscription => able(subscription.filter))
      selected(dataset, candidates)
    }

  private def of(manifest: Manifest, dataset: String): Seq[Candidate] =
    manifest.byDataset.getOrElse(dataset, throw PredicatException(Kind.UnknownFilter,
      s"no dataset is named '$dataset'" + Near.hint(dataset, manifest.byDataset.keys))).map(filter => Candidate(short(filter), filter))

  private def one(manifest: Manifest, dataset: String, name: String): Filter = {
    val result = manifest.find(if (name.takeWhile(_ != '@').contains(".")) name else s"$dataset.$name")
    if (result.dataset != dataset) throw PredicatException(Kind.UnknownFilter, s"${result.name} is not a filter of $dataset")
    result
  }

  private def short(filter: Filter): String = filter.name.stripPrefix(s"${filter.dataset}.")

  private def problem(filter: Filter): Option[String] =
    if (filter.sql.isEmpty) Some(s"filter ${filter.name} cannot run on Spark: ${filter.refusal}")
    else if (filter.readsNow) Some(s"${filter.name} reads the current time, which an index cannot store: use matches_filter for it")
    else filter.params.find(_.default.isEmpty).map(param =>
      s"${filter.name} needs a value for its parameter '${param.name}', which has no default")

  private def able(filter: Filter): Unit = problem(filter).foreach(reason => throw PredicatException(Kind.UnsupportedFilter, reason))

  /** Filters in the order of their ids. */
  def exactly(dataset: String, candidates: IndexedSeq[Candidate]): Selection = {
    val digest = MessageDigest.getInstance("SHA-256")
    val numbers = ByteBuffer.allocate(20)
    candidates.foreach { one =>
      val name = one.name.getBytes(UTF_8)
      digest.update(numbers.clear().putInt(name.length).putLong(one.filter.digest.high).putLong(one.filter.digest.low).array())
      digest.update(name)
    }
    new Selection(dataset, digest.digest().take(16).map(byte => f"$byte%02x").mkString, candidates)
  }

  private def selected(dataset: String, candidates: Seq[Candidate]): Selection = {
    val (accepted, left) = candidates.partition(one => problem(one.filter).isEmpty)
    if (left.nonEmpty) Errors.warn(s"matching leaves out ${left.length} of the ${candidates.length} filters of $dataset: " +
      left.take(3).flatMap(one => problem(one.filter)).mkString("; "))
    val named = accepted.map(one => one.name.getBytes(UTF_8) -> one).toArray
    java.util.Arrays.sort(named, (a: (Array[Byte], Candidate), b: (Array[Byte], Candidate)) => java.util.Arrays.compareUnsigned(a._1, b._1))
    exactly(dataset, named.map(_._2).toIndexedSeq)
  }
}
