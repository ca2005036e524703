package io.predicat.spark

import java.util.Arrays

import scala.collection.mutable

import org.apache.spark.unsafe.types.UTF8String

/** A way in which a filter can be satisfied: all tests and all further conditions hold. */
private class Entry(val filter: Int, val tests: List[Test], val rest: List[Formula]) {
  def without(test: Test): Entry = new Entry(filter, tests.filterNot(_ eq test), rest)
}

/**
 * Arranges the conditions of filters so that a row meets few of them.
 *
 * At each node every entry goes to the way that the fewest rows take, as far as the constants of the entries tell: a value, the key and value
 * of a map, an element, an interval, three bytes of a text. Entries that share one are arranged again by their other tests.
 */
class MatchIndexBuilder(vocabulary: Vocabulary, names: Array[String]) {
  private val code = mutable.ArrayBuilder.make[Long]
  private var length = 0
  private val nodes = mutable.ArrayBuffer.empty[IndexNode]
  private val sets = mutable.LinkedHashMap.empty[Vector[Long], Int]
  private val checks = mutable.LinkedHashMap.empty[Check, Int]
  private val always = mutable.ArrayBuffer.empty[Int]

  def build(conditions: Iterator[Formula], expressions: Array[Byte]): MatchIndex = {
    vocabulary.sort()
    val entries = conditions.zipWithIndex.flatMap { case (condition, filter) => MatchIndexBuilder.ways(settled(condition)) match {
      case Nil => Nil
      case ways if ways.exists(way => way._1.isEmpty && way._2.isEmpty) => always += filter; Nil
      case ways => ways.map { case (tests, rest) => new Entry(filter, tests, rest) }
    } }.toIndexedSeq
    val root = arranged(entries, 0)
    new MatchIndex(names, vocabulary.types.toArray, vocabulary.types.map(Vocabulary.shape).toArray, vocabulary.slots, vocabulary.elements,
      vocabulary.keys, code.result(), sets.keys.map(_.toArray).toArray, checks.keys.toArray, nodes.toArray, root, always.toArray, expressions)
  }

  /** Bounds of texts become numbers. */
  private def settled(formula: Formula): Formula = Formula.mapped(formula) {
    case Between(flags, slot, low, lowOpen, high, highOpen) => FormulaReader.plain(Test(flags, slot,
      if (low == null) Long.MinValue else vocabulary.bound(slot, low, lowOpen),
      if (high == null) Long.MaxValue else vocabulary.bound(slot, high, above = false) - (if (highOpen) 1 else 0)))
    case other => other
  }

  // --- arrangement

  private def arranged(entries: IndexedSeq[Entry], depth: Int): Long =
    if (entries.length <= MatchIndexBuilder.Few || depth >= MatchIndexBuilder.Deep) run(entries)
    else {
      val guess = new Selectivity(entries, vocabulary)
      val chosen = entries.map(entry => entry -> guess.best(entry))
      val rest = chosen.collect { case (entry, None) => entry }
      val ways = chosen.collect { case (entry, Some(access)) => (access.kind, (entry, access)) }.groupMap(_._1)(_._2).toSeq.sortBy(_._1.toString).map {
        case (Kinds.Range(slot), found) => range(slot, found.map { case (entry, access) => (entry.without(access.test), access.test) })
        case (kind, found) => way(kind, table(found, depth))
      }
      if (ways.isEmpty) run(rest)
      else {
        nodes += new IndexNode(ways.toArray, run(rest))
        Block.node(nodes.length - 1)
      }
    }

  private def way(kind: Kinds.Kind, table: NumberTable): Way = kind match {
    case Kinds.Value(slot) => new ByValue(slot, table)
    case Kinds.Entry(map) => new ByEntry(map, table)
    case Kinds.Element(list) => new ByElement(list, table)
    case Kinds.Gram(slot) => new ByGram(slot, table)
    case Kinds.Range(_) => throw new IllegalStateException("an interval is in no table")
  }

  private def table(found: IndexedSeq[(Entry, Access)], depth: Int): NumberTable = {
    val buckets = mutable.LinkedHashMap.empty[Long, mutable.ArrayBuffer[Entry]]
    found.foreach { case (entry, access) =>
      val left = if (access.decides) entry.without(access.test) else entry
      access.numbers.foreach(number => buckets.getOrElseUpdate(number, mutable.ArrayBuffer.empty) += left)
    }
    val leads = buckets.map { case (number, entries) => number ->
      (if (found.head._2.decides) arranged(entries.toIndexedSeq, depth + 1) else run(entries.toIndexedSeq)) }
    new NumberTable(leads.keys.toArray, leads.values.toArray)
  }

  private def range(slot: Int, found: IndexedSeq[(Entry, Test)]): ByRange = {
    val sorted = found.sortBy(_._2.low)
    val high = sorted.map(_._2.high).toArray
    val top = new Array[Long](math.max(2, 4 * sorted.length))
    var last = 1
    def fill(stretch: Int, from: Int, to: Int): Long = {
      last = math.max(last, stretch)
      top(stretch) = if (to - from <= ByRange.Few) (from until to).map(high(_)).max
      else math.max(fill(2 * stretch, from, (from + to) >>> 1), fill(2 * stretch + 1, (from + to) >>> 1, to))
      top(stretch)
    }
    fill(1, 0, sorted.length)
    new ByRange(slot, sorted.map(_._2.low).toArray, high, Arrays.copyOf(top, last + 1), sorted.map(one => run(IndexedSeq(one._1))).toArray)
  }

  // --- code

  private def run(entries: IndexedSeq[Entry]): Long = {
    val from = length
    entries.foreach(write)
    Block.run(from, length)
  }

  private def write(entry: Entry): Unit = {
    val tests = entry.tests.sortBy(cost).map(_.asInstanceOf[Formula]) ++ entry.rest
    code += (entry.filter.toLong << 32) | tests.length
    tests.foreach { part =>
      val CheckTest(flags, slot, low, high) = check(part) match {
        case simple: CheckTest => simple
        case nested => CheckTest(MatchIndex.Nested, checks.getOrElseUpdate(nested, checks.size), 0, 0)
      }
      code += (flags.toLong << 32) | slot
      code += low
      code += high
    }
    length += 1 + 3 * tests.length
  }

  private def cost(test: Test): Int =
    if ((test.flags & MatchIndex.Element) != 0) 2
    else vocabulary.origin(test.slot) match {
      case FromColumn(_) if test.set.isEmpty => 0
      case FromColumn(_) | FromMap(_, _) => 1
      case FromOrder(_) => 3
      case FromExpression(_) => 4
    }

  private def check(formula: Formula): Check = formula match {
    case Test(flags, slot, low, high, set, _) =>
      if (set.isEmpty) CheckTest(flags, slot, low, high)
      else CheckTest(flags | MatchIndex.Set, slot, sets.getOrElseUpdate(set, sets.size).toLong, 0)
    case AllOf(parts) => CheckAll(parts.map(check))
    case AnyOf(parts) => CheckAny(parts.map(check))
    case other => throw new IllegalStateException(s"no condition of an index: $other")
  }
}

object MatchIndexBuilder {
  /** So few entries are tried one after the other. */
  val Few = 4
  val Deep = 6
  /** One filter is at most so many entries. */
  private val Most = 128

  /** The ways in which a condition holds, as tests and what cannot be found by a test. Duplicate filters of a row are removed later. */
  def ways(formula: Formula): Seq[(List[Test], List[Formula])] = formula match {
    case Known(false) => Nil
    case Known(true) => Seq((Nil, Nil))
    case test: Test => Seq((List(test), Nil))
    case AnyOf(parts) =>
      val found = parts.flatMap(ways)
      if (found.length <= Most) found else Seq((Nil, List(formula)))
    case AllOf(parts) =>
      val flat = parts.flatMap { case AllOf(inner) => inner; case other => Seq(other) }
      val tests = merged(flat.collect { case test: Test => test })
      val ors = flat.collect { case any: AnyOf => any }
      if (tests.exists(empty)) Nil
      else if (ors.isEmpty || tests.exists(finds)) Seq((tests.toList, ors.toList))
      else {
        // No test finds the filter: perhaps all parts of a disjunction have one that does.
        val spread = ors.map(any => (any, ways(any))).filter { case (_, found) => found.length <= Most && found.forall(_._1.exists(finds)) }
        spread.minByOption(_._2.length) match {
          case Some((any, found)) => found.map { case (own, rest) => ((merged(own ++ tests)).toList, rest ++ ors.filterNot(_ eq any)) }.filterNot(_._1.exists(empty))
          case None => Seq((tests.toList, ors.toList))
        }
      }
    case other => throw new IllegalStateException(s"no condition of an index: $other")
  }

  /** Whether few rows pass a test, as far as it alone tells. */
  private def finds(test: Test): Boolean =
    test.gram.isDefined || test.flags == MatchIndex.Element || (test.flags == 0 && (test.set.nonEmpty || (test.low != Long.MinValue && test.high != Long.MaxValue)))

  private def empty(test: Test): Boolean = test.flags == 0 && test.set.isEmpty && test.low > test.high

  /** Intervals of one slot that must all hold are one. */
  private def merged(tests: Seq[Test]): Seq[Test] = {
    val (intervals, others) = tests.partition(test => test.flags == 0 && test.set.isEmpty && test.gram.isEmpty)
    val merged = intervals.groupBy(_.slot).map { case (slot, several) => slot -> Test(0, slot, several.map(_.low).max, several.map(_.high).min) }
    // Where the value has an interval, that it is outside of another one may be a smaller interval, as with NaN, which is above all.
    val (outside, rest) = others.distinct.partition(test =>
      (test.flags & ~MatchIndex.NullToo) == MatchIndex.Negated && test.set.isEmpty && test.gram.isEmpty && merged.contains(test.slot))
    val (cut, kept) = outside.foldLeft((merged, List.empty[Test])) { case ((intervals, left), test) =>
      val held = intervals(test.slot)
      if (test.low > held.high || test.high < held.low) (intervals, left)
      else if (test.low <= held.low) (intervals.updated(test.slot, held.copy(low = if (test.high == Long.MaxValue) Long.MaxValue else test.high + 1,
        high = if (test.high == Long.MaxValue) Long.MinValue else held.high)), left)
      else if (test.high >= held.high) (intervals.updated(test.slot, held.copy(high = test.low - 1)), left)
      else (intervals, test :: left)
    }
    cut.toSeq.sortBy(_._1).map(_._2) ++ kept ++ rest
  }
}

/** The ways to find an entry. */
private object Kinds {
  sealed trait Kind
  case class Value(slot: Int) extends Kind
  case class Entry(map: Int) extends Kind
  case class Element(list: Int) extends Kind
  case class Gram(slot: Int) extends Kind
  case class Range(slot: Int) extends Kind
}

/** One way to find an entry: by these numbers, for about this share of the rows. `decides` tells that the test then holds. */
private case class Access(kind: Kinds.Kind, test: Test, numbers: Seq[Long], share: Double, decides: Boolean)

/** What share of the rows takes a way: a guess from the constants of the entries, as if rows held each of them equally often. */
private class Selectivity(entries: IndexedSeq[Entry], vocabulary: Vocabulary) {
  private val values = mutable.HashMap.empty[Int, mutable.HashSet[Long]]
  private val elements = mutable.HashMap.empty[Int, mutable.HashSet[Long]]
  private val ends = mutable.HashMap.empty[Int, mutable.ArrayBuilder[Long]]
  private val grams = mutable.HashMap.empty[Long, Int]

  for (entry <- entries; test <- entry.tests) {
    test.gram.foreach { case (slot, text) => pieces(text).foreach(gram => grams(gram) = grams.getOrElse(gram, 0) + 1) }
    if (test.flags == MatchIndex.Element) elements.getOrElseUpdate(test.slot, mutable.HashSet.empty) += test.low
    else if (test.flags == 0 && test.gram.isEmpty) {
      if (test.set.nonEmpty) values.getOrElseUpdate(test.slot, mutable.HashSet.empty) ++= test.set
      else if (test.low == test.high) values.getOrElseUpdate(test.slot, mutable.HashSet.empty) += test.low
      else if (test.low != Long.MinValue || test.high != Long.MaxValue) {
        val found = ends.getOrElseUpdate(test.slot, mutable.ArrayBuilder.make[Long])
        found += test.low
        found += test.high
      }
    }
  }
  private val sorted = ends.map { case (slot, found) => val array = found.result(); Arrays.sort(array); slot -> array }

  def best(entry: Entry): Option[Access] = entry.tests.flatMap(access).minByOption(_.share).filter(_.share < Selectivity.Most)

  private def access(test: Test): Option[Access] =
    if (test.flags == MatchIndex.Element)
      Some(Access(Kinds.Element(test.slot), test, Seq(test.low), math.min(0.5, 3.0 / (elements(test.slot).size + 1)), decides = true))
    else if (test.flags != 0) None
    else test.gram.map { case (slot, text) =>
      Access(Kinds.Gram(slot), test, Seq(pieces(text).minBy(grams)), Selectivity.GramShare, decides = false)
    }.orElse(vocabulary.origin(test.slot) match {
      case FromMap(column, _) if vocabulary.shape(test.slot) == Shape.Text => byKey(column, test)
      case _ => byNumber(test)
    })

  private def byNumber(test: Test): Option[Access] =
    if (test.set.nonEmpty || test.low == test.high) {
      val numbers = if (test.set.nonEmpty) test.set else Vector(test.low)
      val share = numbers.length.toDouble / (values(test.slot).size + 1)
      if (numbers.length > Selectivity.LongList) None else Some(Access(Kinds.Value(test.slot), test, numbers, share, decides = true))
    } else sorted.get(test.slot).filter(_ => test.low != Long.MinValue || test.high != Long.MaxValue).map { ends =>
      val share = (rank(ends, test.high) - rank(ends, test.low) + 1).toDouble / (ends.length + 1)
      Access(Kinds.Range(test.slot), test, Nil, share, decides = true)
    }

  private def byKey(column: Int, test: Test): Option[Access] = {
    val keys = vocabulary.mapPlace(column)
    if (test.set.nonEmpty || test.low == test.high) {
      val numbers = if (test.set.nonEmpty) test.set else Vector(test.low)
      val share = numbers.length.toDouble / (values(test.slot).size + 1) / 2
      Some(Access(Kinds.Entry(keys), test, numbers.map(Matcher.entry(test.slot, _)), share, decides = true))
    } else if (test.low == Long.MinValue && test.high == Long.MaxValue)
      Some(Access(Kinds.Entry(keys), test, Seq(Matcher.entry(test.slot, Matcher.Any)), 0.5, decides = true))
    else None
  }

  private def rank(ends: Array[Long], number: Long): Int = {
    val found = Arrays.binarySearch(ends, number)
    if (found < 0) -1 - found else found
  }

  private def pieces(text: UTF8String): Seq[Long] = {
    val bytes = text.getBytes.map(_ & 0xffL)
    (2 until bytes.length).map(place => (bytes(place - 2) << 16) | (bytes(place - 1) << 8) | bytes(place)).distinct
  }
}

private object Selectivity {
  /** A way that more rows take is not worth it. */
  val Most = 0.95
  val GramShare = 0.02
  val LongList = 10000
}
