package io.predicat.spark

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

/** A name that a call may give, and the filter version that decides it. */
case class Candidate(name: String, filter: Filter)

/**
 * The filters among which a call finds those that accept a row, sorted by name. Two selections are equal if they say the same; what they
 * say is not sent to executors.
 */
class Selection(val dataset: String, val key: String, @transient val candidates: IndexedSeq[Candidate]) extends Serializable {
  /** The columns that some filter reads, in a fixed order, each with its declared type and a filter that reads it. */
  @transient lazy val columns: Seq[(String, String, String)] =
    candidates.iterator.flatMap(one => one.filter.columns.map { case (name, kind) => (name, kind, one.filter.name) })
      .toSeq.distinctBy(_._1).sortBy(_._1)
  @transient lazy val used: Seq[String] = candidates.map(_.filter.key).distinct

  override def equals(other: Any): Boolean = other match {
    case one: Selection => one.key == key
    case _ => false
  }
  override def hashCode: Int = key.hashCode
  override def toString: String = dataset
}

/** Finds the filters and subscriptions of a dataset. */
object Selection {
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
      val found = manifest.subscriptions.getOrElse(dataset, Map.empty).toSeq.map { case (name, filter) => Candidate(name, one(manifest, dataset, filter)) }
      found.foreach(subscription => able(subscription.filter))
      selected(dataset, found)
    }

  private def of(manifest: Manifest, dataset: String): Seq[Candidate] =
    manifest.byDataset.getOrElse(dataset, throw PredicatException(Kind.UnknownFilter,
      s"no dataset is named '$dataset'" + Near.hint(dataset, manifest.byDataset.keys))).map(filter => Candidate(short(filter), filter))

  private def one(manifest: Manifest, dataset: String, name: String): Filter = {
    val found = manifest.find(if (name.takeWhile(_ != '@').contains(".")) name else s"$dataset.$name")
    if (found.dataset != dataset) throw PredicatException(Kind.UnknownFilter, s"${found.name} is no filter of $dataset")
    found
  }

  private def short(filter: Filter): String = filter.name.stripPrefix(s"${filter.dataset}.")

  private def problem(filter: Filter): Option[String] =
    if (filter.sql.isEmpty) Some(s"filter ${filter.name} cannot run on Spark: ${filter.refusal}")
    else if (filter.readsNow) Some(s"${filter.name} reads the current time, and an index serves queries at any time: ask for it with matches_filter")
    else filter.params.find(_.default.isEmpty).map(param =>
      s"${filter.name} needs a value for its parameter '${param.name}', which has no default")

  private def able(filter: Filter): Unit = problem(filter).foreach(reason => throw PredicatException(Kind.UnsupportedFilter, reason))

  /** Filters in the order of their ids. */
  def exactly(dataset: String, found: IndexedSeq[Candidate]): Selection = {
    val digest = MessageDigest.getInstance("SHA-256")
    found.foreach(one => digest.update(s"${one.name}\u0000${one.filter.content}\u0001".getBytes(UTF_8)))
    new Selection(dataset, digest.digest().take(16).map(byte => f"$byte%02x").mkString, found)
  }

  private def selected(dataset: String, found: Seq[Candidate]): Selection = {
    val (kept, left) = found.partition(one => problem(one.filter).isEmpty)
    if (left.nonEmpty) Errors.warn(s"matching leaves out ${left.length} of the ${found.length} filters of $dataset: " +
      left.take(3).flatMap(one => problem(one.filter)).mkString("; "))
    val sorted = kept.sortWith((a, b) => java.util.Arrays.compareUnsigned(a.name.getBytes(UTF_8), b.name.getBytes(UTF_8)) < 0).toIndexedSeq
    exactly(dataset, sorted)
  }
}
