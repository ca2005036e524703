package io.predicat.spark

import java.io.{ByteArrayInputStream, ObjectInputStream, ObjectStreamClass}
import java.util.concurrent.ConcurrentLinkedQueue

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.types.UTF8String

/** Where the value of a slot comes from. */
sealed trait Origin extends Serializable
/** A column of the row. */
case class FromColumn(column: Int) extends Origin
/** An expression of Spark over the columns, evaluated when a test first asks for it. */
case class FromExpression(place: Int) extends Origin
/** The value of a key of a map. */
case class FromMap(column: Int, key: UTF8String) extends Origin
/** The place of a text of another slot among sorted bounds. */
case class FromOrder(slot: Int) extends Origin

/** How values become numbers that keep their order: every test is one of numbers. */
object Shape {
  val Whole = 0
  val Real = 1
  val Text = 2
  val Other = 3

  /** Spark's order of doubles: -0.0 is 0.0, NaN is one value above all. */
  def real(value: Double): Long = {
    if (value.isNaN) Nan
    else {
      val bits = java.lang.Double.doubleToLongBits(if (value == 0.0) 0.0 else value)
      if (bits < 0) Long.MinValue - bits else bits
    }
  }
  val Nan: Long = java.lang.Double.doubleToLongBits(Double.NaN)
}

/**
 * A value that tests ask for. Of a text: `texts` are the constants that it is compared with, `order` is the slot of its place among bounds, and
 * `parts` the list of what it has in it, or -1.
 */
class Slot(val origin: Origin, val shape: Int, val texts: TextTable, val bounds: TextOrder, val order: Int, val parts: Int) extends Serializable

/** From numbers to what they lead to; `Missing` where they lead nowhere. */
class NumberTable(given: Array[Long], leads: Array[Long]) extends Serializable {
  private val least = if (given.isEmpty) 0L else given.min
  /** Numbers that are close to each other are places. */
  private val dense = given.nonEmpty && given.max - least >= 0 && given.max - least < 4L * given.length + 8
  private val mask = Integer.highestOneBit(math.max(given.length, 1) * 2 + 1) * 2 - 1
  /** Of close numbers what they lead to; else each number, and then what it leads to. */
  private val cells = Array.fill(if (dense) (given.max - least).toInt + 1 else 2 * (mask + 1))(Block.Missing)
  given.indices.foreach { place =>
    if (dense) cells((given(place) - least).toInt) = leads(place)
    else {
      var at = spread(given(place))
      while (cells(at + 1) != Block.Missing) at = (at + 2) & (2 * mask + 1)
      cells(at) = given(place)
      cells(at + 1) = leads(place)
    }
  }

  private def spread(key: Long): Int = (Words.mixed(key).toInt & mask) << 1

  def get(key: Long): Long =
    if (dense) {
      val place = key - least
      if (place >= 0 && place < cells.length) cells(place.toInt) else Block.Missing
    } else {
      var at = spread(key)
      while (cells(at + 1) != Block.Missing && cells(at) != key) at = (at + 2) & (2 * mask + 1)
      cells(at + 1)
    }
}

/** A run of entries in the code (its start and end), a node of the index, or a filter that accepts the row. */
object Block {
  val Missing: Long = Long.MinValue
  val Accepted: Long = 1L << 62
  def run(from: Int, to: Int): Long = (from.toLong << 32) | to
  def node(place: Int): Long = -1L - place
  def accepted(filter: Int): Long = Accepted | filter
}

/** Filters that share ways to find them, and a run of those that have none. */
class IndexNode(val ways: Array[Way], val rest: Long) extends Serializable

/** A way from a row to the filters that it may satisfy. */
sealed trait Way extends Serializable
/** By the value of a slot. */
final class ByValue(val slot: Int, val table: NumberTable) extends Way
/** By the keys and values of a map: only those that the row has are looked up. `some` tells that for some keys any value will do. */
final class ByEntry(val column: Int, val table: NumberTable, val some: Boolean) extends Way
/** By the elements of an array, or what a text has in it. */
final class ByElement(val list: Int, val table: NumberTable) extends Way
/** By the interval that holds the value of a slot. */
sealed trait ByInterval extends Way { val slot: Int }
/** Intervals with one upper bound, sorted by the lower one. */
final class ByFloor(val slot: Int, val low: Array[Long], val high: Long, val lead: Array[Long]) extends ByInterval
/** Intervals with one lower bound; the highest come first. */
final class ByCeiling(val slot: Int, val low: Long, val high: Array[Long], val lead: Array[Long]) extends ByInterval
/** Few intervals, which are tried one after the other. */
final class ByFew(val slot: Int, val low: Array[Long], val high: Array[Long], val lead: Array[Long]) extends ByInterval
/** The line in cells: from `starts(i)` on, the intervals from `first(i)` to `first(i + 1)` may hold the value. */
final class ByCell(val slot: Int, val starts: Array[Long], val first: Array[Int], val low: Array[Long], val high: Array[Long], val lead: Array[Long]) extends ByInterval

/** Conditions beside the tests of an entry. */
sealed trait Check extends Serializable
case class CheckTest(flags: Int, slot: Int, low: Long, high: Long) extends Check
case class CheckAll(parts: Seq[Check]) extends Check { val array: Array[Check] = parts.toArray }
case class CheckAny(parts: Seq[Check]) extends Check { val array: Array[Check] = parts.toArray }

/** The elements of an array column that some filter looks for, or the parts of their texts, or those of the text of a slot. */
sealed trait Elements extends Serializable
class ArrayElements(val column: Int, val kind: DataType, val shape: Int, val texts: TextTable) extends Elements
class ElementParts(val column: Int, val parts: TextParts) extends Elements
class TextElements(val slot: Int, val parts: TextParts) extends Elements

/** The keys of a map column that some filter looks for: the slot of each. */
class Keys(val column: Int, val names: TextTable, val slots: Array[Int], val kind: DataType, val shape: Int) extends Serializable

/**
 * What changes an index: the new place of each of its filters, or -1, and an index over the same columns of those that are new or different, with
 * their places. There are `count` filters then.
 */
class Patch(val count: Int, val places: Array[Int], val extra: MatchIndex, val extraPlaces: Array[Int]) extends Serializable

/**
 * All that finds the filters that accept a row. It is built once and read by many tasks; what belongs to a row is in a Matcher.
 *
 * `code` holds the entries: a header (the filter, the number of tests) and three numbers a test (flags and slot; two bounds). `read` tells which
 * columns the expressions read.
 */
class MatchIndex(
    val names: Array[String], val columns: Array[DataType], val shapes: Array[Int], val slots: Array[Slot], val lists: Array[Elements], val maps: Array[Keys],
    val code: Array[Long], val sets: Array[Array[Long]], val checks: Array[Check], val nodes: Array[IndexNode], val root: Long,
    val always: Array[Int], val read: Array[Boolean], val expressions: Array[Byte], val patch: Patch = null) extends Serializable {
  @transient private lazy val idle = new ConcurrentLinkedQueue[Matcher]()
  @transient lazy val labels: Array[UTF8String] = names.map(UTF8String.fromString)

  /** This index after some filters have changed: nothing of it is built again. */
  def patched(patch: Patch): MatchIndex = {
    val all = new Array[String](patch.count)
    names.indices.foreach(place => if (patch.places(place) >= 0) all(patch.places(place)) = names(place))
    patch.extra.names.indices.foreach(place => all(patch.extraPlaces(place)) = patch.extra.names(place))
    new MatchIndex(all, columns, shapes, slots, lists, maps, code, sets, checks, nodes, root, always, read, expressions, patch)
  }

  def borrow(): Matcher = Option(idle.poll()).getOrElse(new Matcher(this))
  def give(matcher: Matcher): Unit = idle.offer(matcher): Unit

  /** A copy of the expressions: they have state. */
  def evaluated(): Array[Expression] = MatchIndex.read[Array[Expression]](expressions)
}

object MatchIndex {
  val Negated = 1
  val NullToo = 2
  val Set = 4
  val Element = 8
  val Nested = 16
  /** Beside Set: the set has numbers below 64 alone, and the first bound has its bits. */
  val Bits = 32

  def read[T](bytes: Array[Byte]): T = {
    val loader = Option(Thread.currentThread.getContextClassLoader).getOrElse(getClass.getClassLoader)
    val stream = new ObjectInputStream(new ByteArrayInputStream(bytes)) {
      override def resolveClass(description: ObjectStreamClass): Class[_] =
        try Class.forName(description.getName, false, loader)
        catch { case _: ClassNotFoundException => super.resolveClass(description) }
    }
    try stream.readObject().asInstanceOf[T] finally stream.close()
  }
}
