package io.predicat.spark

import java.util.Arrays

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BaseGenericInternalRow, Expression, UnsafeArrayData}
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData, MapData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/**
 * Finds the filters that accept a row. One task at a time uses it: `start`, a `set` for each column that is not NULL, then `ids`, `names` or
 * `count`. Values that tests share are taken from the row once, when the first test asks.
 */
final class Matcher(index: MatchIndex) {
  private val slots = index.slots
  private val code = index.code
  private val shapes = index.shapes
  private val numbers = new Array[Long](slots.length)
  private val present = new Array[Boolean](slots.length)
  private val seen = new Array[Int](slots.length)
  private val texts = new Array[AnyRef](slots.length)
  private val lists = Array.fill(index.lists.length)(new Array[Long](8))
  private val lengths = new Array[Int](index.lists.length)
  private val active = Array.fill(index.maps.length)(new Array[Int](8))
  private val actives = new Array[Int](index.maps.length)
  private lazy val expressions: Array[Expression] = index.evaluated()
  private var row = 0
  private var found = new Array[Int](64)
  private var count = 0

  private val there = new Array[Boolean](index.columns.length)
  private val longs = new Array[Long](index.columns.length)
  private val doubles = new Array[Double](index.columns.length)
  private val objects = new Array[AnyRef](index.columns.length)
  /** The row as Spark's expressions read it. */
  private val values = new BaseGenericInternalRow {
    override def numFields: Int = index.columns.length
    override def isNullAt(column: Int): Boolean = !there(column)
    override protected def genericGet(column: Int): Any =
      if (!there(column)) null
      else index.columns(column) match {
        case BooleanType => longs(column) != 0
        case ByteType => longs(column).toByte
        case ShortType => longs(column).toShort
        case IntegerType | DateType | _: YearMonthIntervalType => longs(column).toInt
        case _ if shapes(column) == Shape.Whole => longs(column)
        case FloatType => doubles(column).toFloat
        case DoubleType => doubles(column)
        case _ => objects(column)
      }
    override def setNullAt(column: Int): Unit = throw new UnsupportedOperationException
    override def update(column: Int, value: Any): Unit = throw new UnsupportedOperationException
  }

  def start(): Unit = {
    row += 1
    if (row == Int.MaxValue) { row = 1; Arrays.fill(seen, 0) }
    Arrays.fill(there, false)
    count = 0
  }

  def set(column: Int, value: Long): Unit = { longs(column) = value; there(column) = true }
  def set(column: Int, value: Double): Unit = { doubles(column) = value; there(column) = true }
  def set(column: Int, value: AnyRef): Unit = { objects(column) = value; there(column) = true }
  def set(column: Int, value: Boolean): Unit = set(column, if (value) 1L else 0L)

  /** Any value, as the interpreter has it. */
  def put(column: Int, value: Any): Unit = value match {
    case null =>
    case truth: Boolean => set(column, truth)
    case number: Number if shapes(column) == Shape.Whole => set(column, number.longValue)
    case number: Number if shapes(column) == Shape.Real => set(column, number.doubleValue)
    case other => set(column, other.asInstanceOf[AnyRef])
  }

  def ids(): ArrayData = { run(); UnsafeArrayData.fromPrimitiveArray(Arrays.copyOf(found, count)) }

  def names(): ArrayData = {
    run()
    val labels = index.labels
    val result = new Array[Any](count)
    var place = 0
    while (place < count) { result(place) = labels(found(place)); place += 1 }
    new GenericArrayData(result)
  }

  def total(): Int = { run(); count }

  /** The filters that accept the row, in order and each once. */
  private def run(): Unit = {
    spread()
    val always = index.always
    var place = 0
    while (place < always.length) { emit(always(place)); place += 1 }
    follow(index.root)
    if (count > 1) {
      Arrays.sort(found, 0, count)
      var kept = 1
      place = 1
      while (place < count) {
        if (found(place) != found(kept - 1)) { found(kept) = found(place); kept += 1 }
        place += 1
      }
      count = kept
    }
  }

  private def emit(filter: Int): Unit = {
    if (count == found.length) found = Arrays.copyOf(found, count * 2)
    found(count) = filter
    count += 1
  }

  private def follow(block: Long): Unit =
    if (block >= 0) scan((block >>> 32).toInt, block.toInt)
    else if (block != Block.Missing) {
      val node = index.nodes((-1L - block).toInt)
      val ways = node.ways
      var place = 0
      while (place < ways.length) {
        ways(place) match {
          case way: ByValue => if (asks(way.slot)) follow(way.table.get(numbers(way.slot)))
          case way: ByRange => if (asks(way.slot)) stab(way, numbers(way.slot))
          case way: ByEntry => entries(way)
          case way: ByElement => elements(way)
          case way: ByGram => grams(way)
        }
        place += 1
      }
      follow(node.rest)
    }

  /** The entries of a run whose tests all hold. */
  private def scan(from: Int, to: Int): Unit = {
    var at = from
    while (at < to) {
      val header = code(at)
      val tests = (header & 0xffff).toInt
      val next = at + 1 + 3 * tests
      at += 1
      while (at < next && holds(code(at), code(at + 1), code(at + 2))) at += 3
      if (at == next) emit((header >>> 32).toInt)
      at = next
    }
  }

  private def holds(head: Long, low: Long, high: Long): Boolean = {
    val flags = (head >>> 32).toInt
    val slot = head.toInt
    if (flags >= MatchIndex.Element) {
      if ((flags & MatchIndex.Nested) != 0) checked(index.checks(slot))
      else within(slot, low) != ((flags & MatchIndex.Negated) != 0)
    } else if (!asks(slot)) (flags & MatchIndex.NullToo) != 0
    else {
      val number = numbers(slot)
      val inside = if ((flags & MatchIndex.Set) != 0) Arrays.binarySearch(index.sets(low.toInt), number) >= 0 else low <= number && number <= high
      inside != ((flags & MatchIndex.Negated) != 0)
    }
  }

  private def checked(check: Check): Boolean = check match {
    case test: CheckTest => holds((test.flags.toLong << 32) | test.slot, test.low, test.high)
    case all: CheckAll =>
      var place = 0
      while (place < all.array.length && checked(all.array(place))) place += 1
      place == all.array.length
    case any: CheckAny =>
      var place = 0
      while (place < any.array.length && !checked(any.array(place))) place += 1
      place < any.array.length
  }

  private def within(list: Int, element: Long): Boolean = {
    val elements = lists(list)
    var place = 0
    while (place < lengths(list) && elements(place) != element) place += 1
    place < lengths(list)
  }

  // --- ways

  private def stab(way: ByRange, number: Long): Unit = {
    // Intervals from `end` on begin above the number.
    var low = 0
    var end = way.low.length
    while (low < end) {
      val middle = (low + end) >>> 1
      if (way.low(middle) <= number) low = middle + 1 else end = middle
    }
    if (end > 0) stab(way, number, end, 1, 0, way.low.length)
  }

  private def stab(way: ByRange, number: Long, end: Int, stretch: Int, from: Int, to: Int): Unit =
    if (from < end && way.top(stretch) >= number) {
      if (to - from <= ByRange.Few) {
        var place = from
        val last = math.min(to, end)
        while (place < last) {
          if (way.high(place) >= number) follow(way.lead(place))
          place += 1
        }
      } else {
        val middle = (from + to) >>> 1
        stab(way, number, end, 2 * stretch, from, middle)
        stab(way, number, end, 2 * stretch + 1, middle, to)
      }
    }

  private def entries(way: ByEntry): Unit = {
    val slots = active(way.column)
    var place = 0
    while (place < actives(way.column)) {
      val slot = slots(place)
      follow(way.table.get(Matcher.entry(slot, numbers(slot))))
      follow(way.table.get(Matcher.entry(slot, Matcher.Any)))
      place += 1
    }
  }

  private def elements(way: ByElement): Unit = {
    val elements = lists(way.list)
    var place = 0
    while (place < lengths(way.list)) { follow(way.table.get(elements(place))); place += 1 }
  }

  private def grams(way: ByGram): Unit = if (asks(way.slot)) {
    val text = texts(way.slot).asInstanceOf[UTF8String]
    val base = text.getBaseObject
    val start = text.getBaseOffset
    val last = text.numBytes
    var gram = 0
    var place = 0
    while (place < last) {
      gram = ((gram << 8) | (Platform.getByte(base, start + place) & 0xff)) & 0xffffff
      if (place >= 2) follow(way.table.get(gram.toLong))
      place += 1
    }
  }

  // --- values

  /** The maps and arrays of the row, as far as filters look into them. */
  private def spread(): Unit = {
    var place = 0
    while (place < index.maps.length) {
      actives(place) = 0
      val keys = index.maps(place)
      if (there(keys.column)) opened(place, keys, objects(keys.column).asInstanceOf[MapData])
      place += 1
    }
    place = 0
    while (place < index.lists.length) {
      val list = index.lists(place)
      lengths(place) = 0
      if (there(list.column)) listed(place, list, objects(list.column).asInstanceOf[ArrayData])
      place += 1
    }
  }

  private def opened(place: Int, keys: Keys, map: MapData): Unit = {
    val names = map.keyArray()
    val items = map.valueArray()
    var at = 0
    while (at < map.numElements()) {
      val number = keys.names.number(names.getUTF8String(at))
      if (number >= 0) {
        val slot = keys.slots(number.toInt)
        // Of a key that a map has twice, the first counts.
        if (seen(slot) != row) {
          seen(slot) = row
          present(slot) = !items.isNullAt(at)
          if (present(slot)) {
            store(slot, items.get(at, keys.kind))
            if (actives(place) == active(place).length) active(place) = Arrays.copyOf(active(place), actives(place) * 2)
            active(place)(actives(place)) = slot
            actives(place) += 1
          }
        }
      }
      at += 1
    }
  }

  private def listed(place: Int, list: Elements, array: ArrayData): Unit = {
    var at = 0
    while (at < array.numElements()) {
      if (!array.isNullAt(at)) {
        val number = list.shape match {
          case Shape.Text => list.texts.number(array.getUTF8String(at))
          case Shape.Real => Shape.real(array.get(at, list.kind).asInstanceOf[Number].doubleValue)
          case _ => Matcher.whole(array.get(at, list.kind))
        }
        if (list.shape != Shape.Text || number >= 0) {
          if (lengths(place) == lists(place).length) lists(place) = Arrays.copyOf(lists(place), lengths(place) * 2)
          lists(place)(lengths(place)) = number
          lengths(place) += 1
        }
      }
      at += 1
    }
  }

  /** Whether the slot has a value in this row; its number is then in `numbers`. */
  private def asks(slot: Int): Boolean = {
    if (seen(slot) != row) {
      seen(slot) = row
      slots(slot).origin match {
        case FromColumn(column) =>
          present(slot) = there(column)
          if (there(column)) slots(slot).shape match {
            case Shape.Whole => numbers(slot) = longs(column)
            case Shape.Real => numbers(slot) = Shape.real(doubles(column))
            case _ => store(slot, objects(column))
          }
        case FromExpression(place) =>
          val value = expressions(place).eval(values)
          present(slot) = value != null
          if (value != null) store(slot, value)
        case FromOrder(other) =>
          present(slot) = asks(other)
          if (present(slot)) numbers(slot) = ordered(slots(slot).bounds, texts(other).asInstanceOf[UTF8String])
        // A key that the row has was seen as the map was opened.
        case _: FromMap => present(slot) = false
      }
    }
    present(slot)
  }

  private def store(slot: Int, value: Any): Unit = slots(slot).shape match {
    case Shape.Whole => numbers(slot) = Matcher.whole(value)
    case Shape.Real => numbers(slot) = Shape.real(value.asInstanceOf[Number].doubleValue)
    case Shape.Text =>
      texts(slot) = value.asInstanceOf[AnyRef]
      if (slots(slot).texts != null) numbers(slot) = slots(slot).texts.number(value.asInstanceOf[UTF8String])
    case _ =>
  }

  /** Twice the number of bounds below a text, and one more if it is a bound itself. */
  private def ordered(bounds: Array[UTF8String], text: UTF8String): Long = {
    var low = 0
    var high = bounds.length
    while (low < high) {
      val middle = (low + high) >>> 1
      val order = bounds(middle).compareTo(text)
      if (order == 0) return 2L * middle + 1
      if (order < 0) low = middle + 1 else high = middle
    }
    2L * low
  }
}

object Matcher {
  /** Stands for every value of a key. */
  val Any: Long = Long.MaxValue

  def entry(slot: Int, number: Long): Long = number * 1000003L + slot

  def whole(value: Any): Long = value match {
    case truth: Boolean => if (truth) 1L else 0L
    case number => number.asInstanceOf[Number].longValue
  }
}
