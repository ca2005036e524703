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
    val formulas = conditions.map(settled).toArray
    val guess = new Selectivity(formulas.iterator.flatMap(MatchIndexBuilder.tests), vocabulary)
    val entries = formulas.iterator.zipWithIndex.flatMap { case (formula, filter) => MatchIndexBuilder.ways(formula, guess) match {
      case Nil => Nil
      case ways if ways.exists(way => way._1.isEmpty && way._2.isEmpty) => always += filter; Nil
      case ways => ways.map { case (tests, rest) => new Entry(filter, tests, rest) }
    } }.toIndexedSeq
    val root = arranged(entries, 0)
    new MatchIndex(names, vocabulary.types.toArray, vocabulary.types.map(Vocabulary.shape).toArray, vocabulary.slots, vocabulary.allElements,
      vocabulary.keys, code.result(), sets.keys.map(_.toArray).toArray, checks.keys.toArray, nodes.toArray, root, always.toArray,
      vocabulary.read, expressions)
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
      val guess = new Selectivity(entries.iterator.flatMap(_.tests), vocabulary)
      val chosen = entries.map(entry => entry -> guess.best(entry.tests))
      val rest = chosen.collect { case (entry, None) => entry }
      val ways = chosen.collect { case (entry, Some(access)) => (access.kind, (entry, access)) }.groupMap(_._1)(_._2).toSeq.sortBy(_._1.toString).flatMap {
        case (Kinds.Range(slot), found) => intervals(slot, found.map { case (entry, access) => (entry.without(access.test), access.test) }, depth)
        case (kind, found) => found.groupBy(_._2.decides).values.map(some => way(kind, some.flatMap(_._2.numbers), table(some, depth)))
      }
      if (ways.isEmpty) run(rest)
      else {
        nodes += new IndexNode(ways.toArray, run(rest))
        Block.node(nodes.length - 1)
      }
    }

  private def way(kind: Kinds.Kind, numbers: Seq[Long], table: NumberTable): Way = kind match {
    case Kinds.Value(slot) => new ByValue(slot, table)
    case Kinds.Entry(map) => new ByEntry(map, table, vocabulary.slotsOf(map).exists(slot => numbers.contains(Matcher.entry(slot, Matcher.Any))))
    case Kinds.Element(list) => new ByElement(list, table)
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

  /** Intervals that share a bound are apart from the others: one comparison ends the search. */
  private def intervals(slot: Int, found: IndexedSeq[(Entry, Test)], depth: Int): Seq[Way] = {
    val all = found.groupMap { case (_, test) => Interval(test.low, test.high) }(_._1).toIndexedSeq.sortBy(one => (one._1.low, one._1.high))
      .map { case (interval, entries) => interval -> arranged(entries, depth + 1) }
    val (floors, others) = shared(all)(_.high)
    val (ceilings, rest) = shared(others)(_.low)
    Seq(
      if (floors.isEmpty) Nil else Seq(new ByFloor(slot, floors.map(_._1.low).toArray, floors.head._1.high, floors.map(_._2).toArray)),
      if (ceilings.isEmpty) Nil else {
        val falling = ceilings.sortBy(_._1.high).reverse
        Seq(new ByCeiling(slot, falling.head._1.low, falling.map(_._1.high).toArray, falling.map(_._2).toArray))
      },
      if (rest.isEmpty) Nil else spread(slot, rest)).flatten
  }

  /** Those with the most frequent bound, and the others. */
  private def shared(all: IndexedSeq[(Interval, Long)])(bound: Interval => Long): (IndexedSeq[(Interval, Long)], IndexedSeq[(Interval, Long)]) = {
    val counts = all.groupMapReduce(one => bound(one._1))(_ => 1)(_ + _)
    counts.maxByOption(_._2).filter(_._2 > MatchIndexBuilder.Few).fold((IndexedSeq.empty[(Interval, Long)], all))(most => all.partition(one => bound(one._1) == most._1))
  }

  /** Wide intervals are apart from narrow ones: they would be in many cells. */
  private def spread(slot: Int, all: IndexedSeq[(Interval, Long)]): Seq[Way] =
    if (all.length <= MatchIndexBuilder.FewIntervals) Seq(new ByFew(slot, all.map(_._1.low).toArray, all.map(_._1.high).toArray, all.map(_._2).toArray))
    else {
      val starts = MatchIndexBuilder.starts(all.map(_._1))
      val (narrow, wide) = all.partition { case (interval, _) => MatchIndexBuilder.cells(starts, interval).length <= MatchIndexBuilder.MostCopies }
      Seq(narrow, wide).filter(_.nonEmpty).map(some => grid(slot, some, MatchIndexBuilder.starts(some.map(_._1))))
    }

  /** The line in as many cells as can be without too many copies of intervals. */
  @scala.annotation.tailrec
  private def grid(slot: Int, all: IndexedSeq[(Interval, Long)], starts: Array[Long]): Way = {
    val ranges = all.map { case (interval, _) => MatchIndexBuilder.cells(starts, interval) }
    if (ranges.iterator.map(_.length.toLong).sum > MatchIndexBuilder.MostCopies * all.length)
      grid(slot, all, starts.indices.by(2).map(starts(_)).toArray)
    else {
      val first = new Array[Int](starts.length + 1)
      ranges.foreach(_.foreach(cell => first(cell + 1) += 1))
      starts.indices.foreach(cell => first(cell + 1) += first(cell))
      val (low, high, lead) = (new Array[Long](first.last), new Array[Long](first.last), new Array[Long](first.last))
      val next = first.clone()
      all.zip(ranges).foreach { case ((interval, block), cells) => cells.foreach { cell =>
        low(next(cell)) = interval.low
        high(next(cell)) = interval.high
        lead(next(cell)) = block
        next(cell) += 1
      } }
      new ByCell(slot, starts, first, low, high, lead)
    }
  }

  // --- code

  private def run(entries: IndexedSeq[Entry]): Long =
    if (entries.isEmpty) Block.Missing
    else if (entries.length == 1 && entries.head.tests.isEmpty && entries.head.rest.isEmpty) Block.accepted(entries.head.filter)
    else {
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
      else if (set.forall(number => number >= 0 && number < 64)) CheckTest(flags | MatchIndex.Set | MatchIndex.Bits, slot, set.map(1L << _).reduce(_ | _), 0)
      else CheckTest(flags | MatchIndex.Set, slot, sets.getOrElseUpdate(set, sets.size).toLong, 0)
    case AllOf(parts) => CheckAll(parts.map(check))
    case AnyOf(parts) => CheckAny(parts.map(check))
    case other => throw new IllegalStateException(s"no condition of an index: $other")
  }
}

object MatchIndexBuilder {
  /** So few entries are tried one after the other. */
  val Few = 12
  val Deep = 6
  private val FewIntervals = 16
  /** How often an interval is kept on average, where the line is cut. */
  private val MostCopies = 8L
  /** One filter is at most so many entries. */
  private val Most = 128

  /** The ways in which a condition holds, as tests and what cannot be found by a test. Duplicate filters of a row are removed later. */
  def ways(formula: Formula, guess: Selectivity): Seq[(List[Test], List[Formula])] = formula match {
    case Known(false) => Nil
    case Known(true) => Seq((Nil, Nil))
    case test: Test => Seq((List(test), Nil))
    case AnyOf(parts) =>
      val found = parts.flatMap(ways(_, guess))
      if (found.length <= Most) found else Seq((Nil, List(formula)))
    case AllOf(parts) =>
      val flat = parts.flatMap { case AllOf(inner) => inner; case other => Seq(other) }
      val tests = merged(flat.collect { case test: Test => test })
      val ors = flat.collect { case any: AnyOf => any }
      if (tests.exists(empty)) Nil
      else {
        // The parts of a disjunction may find the filter in fewer rows than all tests that stand beside it.
        val spread = ors.map(any => any -> ways(any, guess)).filter(_._2.length <= Most).map { case (any, found) =>
          val all = found.map { case (own, rest) => (merged(own ++ tests).toList, rest ++ ors.filterNot(_ eq any)) }.filterNot(_._1.exists(empty))
          (all, all.iterator.map(way => guess.share(way._1)).sum)
        }
        spread.minByOption(_._2).filter(_._2 < guess.share(tests) / 2).fold(Seq((tests.toList, ors.toList: List[Formula])))(_._1)
      }
    case other => throw new IllegalStateException(s"no condition of an index: $other")
  }

  /** All tests of a condition. */
  def tests(formula: Formula): Iterator[Test] = formula match {
    case AllOf(parts) => parts.iterator.flatMap(tests)
    case AnyOf(parts) => parts.iterator.flatMap(tests)
    case test: Test => Iterator(test)
    case _ => Iterator.empty
  }

  /** Where some interval begins, or the next number after one. */
  private def starts(intervals: IndexedSeq[Interval]): Array[Long] =
    (intervals.map(_.low) ++ intervals.map(_.high).filter(_ != Long.MaxValue).map(_ + 1)).distinct.sorted.toArray

  /** The cells that an interval is in, of those that begin at some numbers. */
  private def cells(starts: Array[Long], interval: Interval): Range =
    math.max(Matcher.above(starts, interval.low) - 1, 0) until Matcher.above(starts, interval.high)

  private def empty(test: Test): Boolean = test.flags == 0 && test.set.isEmpty && test.low > test.high

  /** Intervals of one slot that must all hold are one. */
  private def merged(tests: Seq[Test]): Seq[Test] = {
    val (intervals, others) = tests.partition(test => test.flags == 0 && test.set.isEmpty && test.part.isEmpty)
    val merged = intervals.groupBy(_.slot).map { case (slot, several) => slot -> Test(0, slot, several.map(_.low).max, several.map(_.high).min) }
    // Where the value has an interval, that it is outside of another one may be a smaller interval, as with NaN, which is above all.
    val (outside, rest) = others.distinct.partition(test =>
      (test.flags & ~MatchIndex.NullToo) == MatchIndex.Negated && test.set.isEmpty && test.part.isEmpty && merged.contains(test.slot))
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

private case class Interval(low: Long, high: Long)

/** The ways to find an entry. */
private[spark] object Kinds {
  sealed trait Kind
  case class Value(slot: Int) extends Kind
  case class Entry(map: Int) extends Kind
  case class Element(list: Int) extends Kind
  case class Range(slot: Int) extends Kind
}

/** One way to find an entry: by these numbers, for about this share of the rows. `decides` tells that the test then holds. */
private[spark] case class Access(kind: Kinds.Kind, test: Test, numbers: Seq[Long], share: Double, decides: Boolean)

/** What share of the rows takes a way: a guess from the constants of the tests, as if rows held each of them equally often. */
class Selectivity(tests: Iterator[Test], vocabulary: Vocabulary) {
  private val values = mutable.HashMap.empty[Int, mutable.HashSet[Long]]
  private val elements = mutable.HashMap.empty[Int, mutable.HashSet[Long]]
  private val ends = mutable.HashMap.empty[Int, mutable.ArrayBuilder[Long]]

  tests.foreach { test =>
    if (test.flags == MatchIndex.Element) elements.getOrElseUpdate(test.slot, mutable.HashSet.empty) += test.low
    else if (test.flags == 0 && test.part.isEmpty) {
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

  private[spark] def best(tests: Seq[Test]): Option[Access] = tests.flatMap(access).minByOption(one => one.share * price(one.kind)).filter(_.share < Selectivity.Most)
  def share(tests: Seq[Test]): Double = best(tests).fold(1.0)(_.share)

  /** Expressions of Spark are evaluated for all rows that come to a way: another one shall go before. */
  private def price(kind: Kinds.Kind): Double = kind match {
    case Kinds.Value(slot) => priceOf(slot)
    case Kinds.Range(slot) => priceOf(slot)
    case _ => 1
  }

  @scala.annotation.tailrec
  private def priceOf(slot: Int): Double = vocabulary.origin(slot) match {
    case FromExpression(_) => Selectivity.Evaluated
    case FromOrder(text) => priceOf(text)
    case _ => 1
  }

  private def access(test: Test): Option[Access] =
    if (test.flags == MatchIndex.Element) {
      val share = if (vocabulary.isOfText(test.slot)) Selectivity.PartShare else math.min(0.5, 3.0 / (elements(test.slot).size + 1))
      Some(Access(Kinds.Element(test.slot), test, Seq(test.low), share, decides = true))
    } else if (test.flags != 0) None
    else test.part.map { case (list, number) =>
      Access(Kinds.Element(list), test, Seq(number), Selectivity.PartShare, decides = false)
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
}

private object Selectivity {
  /** A way that more rows take is not worth it. */
  val Most = 0.95
  val PartShare = 0.02
  /** How much rarer what an expression gives must be. */
  val Evaluated = 8.0
  val LongList = 10000
}
