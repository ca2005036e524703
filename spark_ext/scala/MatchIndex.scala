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

/** A value that tests ask for. `texts` are the constants that it is compared with, in the order of their numbers. */
class Slot(val origin: Origin, val shape: Int, val texts: TextTable, val bounds: Array[UTF8String]) extends Serializable

/** Numbers of texts. */
class TextTable(texts: Array[UTF8String]) extends Serializable {
  private val mask = Integer.highestOneBit(math.max(texts.length, 1) * 2 + 1) * 2 - 1
  private val keys = new Array[UTF8String](mask + 1)
  private val places = new Array[Int](mask + 1)
  texts.indices.foreach { place =>
    var at = spread(texts(place).hashCode) & mask
    while (keys(at) != null) at = (at + 1) & mask
    keys(at) = texts(place)
    places(at) = place
  }

  private def spread(hash: Int): Int = hash ^ (hash >>> 15)

  /** -1 for a text that is none of them. */
  def number(text: UTF8String): Long = {
    var at = spread(text.hashCode) & mask
    while (keys(at) != null) {
      if (keys(at).equals(text)) return places(at).toLong
      at = (at + 1) & mask
    }
    -1L
  }
}

/** From numbers to what they lead to; `Missing` where they lead nowhere. */
class NumberTable(given: Array[Long], leads: Array[Long]) extends Serializable {
  private val mask = Integer.highestOneBit(math.max(given.length, 1) * 2 + 1) * 2 - 1
  private val keys = new Array[Long](mask + 1)
  private val values = Array.fill(mask + 1)(Block.Missing)
  given.indices.foreach { place =>
    var at = spread(given(place)) & mask
    while (values(at) != Block.Missing) at = (at + 1) & mask
    keys(at) = given(place)
    values(at) = leads(place)
  }

  private def spread(key: Long): Int = {
    val mixed = key * 0x9E3779B97F4A7C15L
    (mixed ^ (mixed >>> 32)).toInt
  }

  def get(key: Long): Long = {
    var at = spread(key) & mask
    while (values(at) != Block.Missing) {
      if (keys(at) == key) return values(at)
      at = (at + 1) & mask
    }
    Block.Missing
  }
}

/** A run of entries in the code (its start and end), or a node of the index. */
object Block {
  val Missing: Long = Long.MinValue
  def run(from: Int, to: Int): Long = (from.toLong << 32) | to
  def node(place: Int): Long = -1L - place
}

/** Filters that share ways to find them, and a run of those that have none. */
class IndexNode(val ways: Array[Way], val rest: Long) extends Serializable

/** A way from a row to the filters that it may satisfy. */
sealed trait Way extends Serializable
/** By the value of a slot. */
class ByValue(val slot: Int, val table: NumberTable) extends Way
/** By the keys and values of a map: only those that the row has are looked up. */
class ByEntry(val column: Int, val table: NumberTable) extends Way
/** By the elements of an array. */
class ByElement(val list: Int, val table: NumberTable) extends Way
/** By three successive bytes of a text. */
class ByGram(val slot: Int, val table: NumberTable) extends Way
/** By the interval that holds the value of a slot: sorted by lower bound, with the largest upper bound of each stretch. */
class ByRange(val slot: Int, val low: Array[Long], val high: Array[Long], val top: Array[Long], val lead: Array[Long]) extends Way

object ByRange {
  /** So many intervals are tried one after the other. */
  val Few = 8
}

/** Conditions beside the tests of an entry. */
sealed trait Check extends Serializable
case class CheckTest(flags: Int, slot: Int, low: Long, high: Long) extends Check
case class CheckAll(parts: Seq[Check]) extends Check { val array: Array[Check] = parts.toArray }
case class CheckAny(parts: Seq[Check]) extends Check { val array: Array[Check] = parts.toArray }

/** The elements of an array column that some filter looks for. */
class Elements(val column: Int, val kind: DataType, val shape: Int, val texts: TextTable) extends Serializable

/** The keys of a map column that some filter looks for: the slot of each. */
class Keys(val column: Int, val names: TextTable, val slots: Array[Int], val kind: DataType, val shape: Int) extends Serializable

/**
 * All that finds the filters that accept a row. It is built once and read by many tasks; what belongs to a row is in a Matcher.
 *
 * `code` holds the entries: a header (the filter, the number of tests) and three numbers a test (flags and slot; two bounds).
 */
class MatchIndex(
    val names: Array[String], val columns: Array[DataType], val shapes: Array[Int], val slots: Array[Slot], val lists: Array[Elements], val maps: Array[Keys],
    val code: Array[Long], val sets: Array[Array[Long]], val checks: Array[Check], val nodes: Array[IndexNode], val root: Long,
    val always: Array[Int], val expressions: Array[Byte]) extends Serializable {
  @transient private lazy val idle = new ConcurrentLinkedQueue[Matcher]()
  @transient lazy val labels: Array[UTF8String] = names.map(UTF8String.fromString)

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
