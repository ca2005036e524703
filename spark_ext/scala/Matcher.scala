package io.predicat.spark

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.{BaseGenericInternalRow, Expression, UnsafeArrayData}
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData, MapData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/**
 * Finds the filters that accept a row. One task at a time uses it: `start`, then `set`, `text`, `list`, `map` or `other` for each column that is
 * not NULL, then `ids`, `names` or `count`.
 *
 * Values become numbers as they are set. References are kept for expressions of Spark alone: to keep one costs as much as a look-up.
 */
final class Matcher(index: MatchIndex) {
  private val slots = index.slots
  private val code = index.code
  private val shapes = index.shapes
  /** The number of each slot, and the row in which it has a value; for expressions also the row in which it was evaluated. */
  private val numbers = new Array[Long](slots.length)
  private val valid = new Array[Int](slots.length)
  private val asked = new Array[Int](slots.length)
  /** The slot of the expression that gives a slot its value, or -1. */
  private val source = slots.indices.map(Matcher.source(slots, _)).toArray
  private val tables = slots.map(_.texts)
  private val orders = slots.map(_.order)
  private val bounds = slots.map(_.bounds)
  private val parts = slots.map(_.parts)

  private val lists = Array.fill(index.lists.length)(new Array[Long](8))
  private val lengths = new Array[Int](index.lists.length)
  private val owners = index.lists.map { case found: TextElements => found.slot; case _ => -1 }
  private val contents = index.lists.map { case found: TextElements => found.parts; case found: ElementParts => found.parts; case _ => null }
  private val active = Array.fill(index.maps.length)(new Array[Int](8))
  private val actives = new Array[Int](index.maps.length)

  private val slotOf = index.columns.indices.map(column => slots.indexWhere(_.origin == FromColumn(column))).toArray
  private val listOf = index.columns.indices.map(column => index.lists.indexWhere { case found: ArrayElements => found.column == column; case _ => false }).toArray
  private val partsOf = index.columns.indices.map(column => index.lists.indexWhere { case found: ElementParts => found.column == column; case _ => false }).toArray
  private val mapOf = index.columns.indices.map(column => index.maps.indexWhere(_.column == column)).toArray
  private val read = index.read
  private val reads = read.exists(identity)

  private val patch = index.patch
  /** Finds the filters that have changed since the index was built. */
  private val more = if (patch == null) null else new Matcher(patch.extra)

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

  // --- the columns of a row

  def start(): Unit = {
    row += 1
    if (row == Int.MaxValue) { row = 1; Arrays.fill(valid, 0); Arrays.fill(asked, 0) }
    if (more != null) more.start()
    if (reads) Arrays.fill(there, false)
    var place = 0
    while (place < lengths.length) { lengths(place) = 0; place += 1 }
    place = 0
    while (place < actives.length) { actives(place) = 0; place += 1 }
    count = 0
  }

  def set(column: Int, value: Long): Unit = {
    val slot = slotOf(column)
    if (slot >= 0) number(slot, value)
    if (more != null) more.set(column, value)
    if (read(column)) { longs(column) = value; there(column) = true }
  }

  def set(column: Int, value: Double): Unit = {
    val slot = slotOf(column)
    if (slot >= 0) number(slot, Shape.real(value))
    if (more != null) more.set(column, value)
    if (read(column)) { doubles(column) = value; there(column) = true }
  }

  def set(column: Int, value: Boolean): Unit = set(column, if (value) 1L else 0L)

  def text(column: Int, value: UTF8String): Unit = {
    val slot = slotOf(column)
    if (slot >= 0) text(slot, value, tables(slot))
    if (more != null) more.text(column, value)
    if (read(column)) keep(column, value)
  }

  def list(column: Int, value: ArrayData): Unit = {
    val place = listOf(column)
    if (place >= 0) listed(place, index.lists(place).asInstanceOf[ArrayElements], value)
    if (partsOf(column) >= 0) searched(partsOf(column), value)
    if (more != null) more.list(column, value)
    whole(column, value)
  }

  def map(column: Int, value: MapData): Unit = {
    val place = mapOf(column)
    if (place >= 0) opened(place, index.maps(place), value)
    if (more != null) more.map(column, value)
    whole(column, value)
  }

  def other(column: Int, value: AnyRef): Unit = {
    if (more != null) more.other(column, value)
    whole(column, value)
  }

  private def whole(column: Int, value: AnyRef): Unit = {
    if (slotOf(column) >= 0) valid(slotOf(column)) = row
    if (read(column)) keep(column, value)
  }

  private def keep(column: Int, value: AnyRef): Unit = { objects(column) = value; there(column) = true }

  /** Any value, as the interpreter has it. */
  def put(column: Int, value: Any): Unit = value match {
    case null =>
    case truth: Boolean => set(column, truth)
    case number: Number if shapes(column) == Shape.Whole => set(column, number.longValue)
    case number: Number if shapes(column) == Shape.Real => set(column, number.doubleValue)
    case some: UTF8String if shapes(column) == Shape.Text => text(column, some)
    case some: ArrayData => list(column, some)
    case some: MapData => map(column, some)
    case some => other(column, some.asInstanceOf[AnyRef])
  }

  private def number(slot: Int, value: Long): Unit = { numbers(slot) = value; valid(slot) = row }

  private def text(slot: Int, value: UTF8String, table: TextTable): Unit = {
    valid(slot) = row
    if (table != null) numbers(slot) = table.number(value)
    val order = orders(slot)
    if (order >= 0) number(order, bounds(slot).place(value))
    val list = parts(slot)
    if (list >= 0) contents(list).find(value, this, list)
  }

  /** An element of a list. */
  def has(list: Int, element: Long): Unit = {
    if (lengths(list) == lists(list).length) lists(list) = Arrays.copyOf(lists(list), lengths(list) * 2)
    lists(list)(lengths(list)) = element
    lengths(list) += 1
  }

  private def listed(place: Int, list: ArrayElements, array: ArrayData): Unit = {
    val length = array.numElements()
    var at = 0
    while (at < length) {
      if (!array.isNullAt(at)) {
        if (list.shape == Shape.Text) {
          val number = list.texts.number(array.getUTF8String(at))
          if (number >= 0) has(place, number)
        } else has(place, Matcher.number(array, at, list.kind))
      }
      at += 1
    }
  }

  private def searched(place: Int, array: ArrayData): Unit = {
    val length = array.numElements()
    var at = 0
    while (at < length) {
      if (!array.isNullAt(at)) contents(place).find(array.getUTF8String(at), this, place)
      at += 1
    }
  }

  private def opened(place: Int, keys: Keys, map: MapData): Unit = {
    val names = map.keyArray()
    val items = map.valueArray()
    val length = map.numElements()
    var at = 0
    while (at < length) {
      val key = keys.names.number(names.getUTF8String(at)).toInt
      // Of a key that a map has twice, the first counts.
      if (key >= 0 && asked(keys.slots(key)) != row) {
        val slot = keys.slots(key)
        asked(slot) = row
        if (!items.isNullAt(at)) {
          if (keys.shape == Shape.Text) text(slot, items.getUTF8String(at), tables(slot)) else number(slot, Matcher.number(items, at, keys.kind))
          if (actives(place) == active(place).length) active(place) = Arrays.copyOf(active(place), actives(place) * 2)
          active(place)(actives(place)) = slot
          actives(place) += 1
        }
      }
      at += 1
    }
  }

  /** Whether the slot has a value in this row; its number is then in `numbers`. Expressions are evaluated when the first test asks. */
  private def asks(slot: Int): Boolean =
    valid(slot) == row || (source(slot) >= 0 && asked(source(slot)) != row && { evaluate(source(slot)); valid(slot) == row })

  private def evaluate(slot: Int): Unit = {
    asked(slot) = row
    val value = expressions(slots(slot).origin.asInstanceOf[FromExpression].place).eval(values)
    if (value != null) slots(slot).shape match {
      case Shape.Whole => number(slot, Matcher.whole(value))
      case Shape.Real => number(slot, Shape.real(value.asInstanceOf[Number].doubleValue))
      case Shape.Text => text(slot, value.asInstanceOf[UTF8String], tables(slot))
      case _ => valid(slot) = row
    }
  }

  // --- what is found

  def ids(): ArrayData = { run(); UnsafeArrayData.fromPrimitiveArray(found, Platform.INT_ARRAY_OFFSET, count, 4) }

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
    search()
    if (count > 1) {
      Arrays.sort(found, 0, count)
      var kept = 1
      var place = 1
      while (place < count) {
        if (found(place) != found(kept - 1)) { found(kept) = found(place); kept += 1 }
        place += 1
      }
      count = kept
    }
  }

  private def search(): Unit = {
    val always = index.always
    var place = 0
    while (place < always.length) { emit(always(place)); place += 1 }
    follow(index.root)
    if (more != null) renumber()
  }

  /** Filters that have changed are not those of the index, and the others have new places. */
  private def renumber(): Unit = {
    var kept = 0
    var place = 0
    while (place < count) {
      val now = patch.places(found(place))
      if (now >= 0) { found(kept) = now; kept += 1 }
      place += 1
    }
    count = kept
    more.search()
    place = 0
    while (place < more.count) { emit(patch.extraPlaces(more.found(place))); place += 1 }
  }

  private def emit(filter: Int): Unit = {
    if (count == found.length) found = Arrays.copyOf(found, count * 2)
    found(count) = filter
    count += 1
  }

  private def follow(block: Long): Unit =
    if (block >= Block.Accepted) emit(block.toInt)
    else if (block >= 0) scan((block >>> 32).toInt, block.toInt)
    else if (block != Block.Missing) {
      val node = index.nodes((-1L - block).toInt)
      val ways = node.ways
      var place = 0
      while (place < ways.length) {
        ways(place) match {
          case way: ByValue => if (asks(way.slot)) follow(way.table.get(numbers(way.slot)))
          case way: ByInterval => if (asks(way.slot)) within(way, numbers(way.slot))
          case way: ByEntry => entries(way)
          case way: ByElement => elements(way)
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
    if ((flags & (MatchIndex.Element | MatchIndex.Nested)) != 0) {
      if ((flags & MatchIndex.Nested) != 0) checked(index.checks(slot))
      else listHas(slot, low) != ((flags & MatchIndex.Negated) != 0)
    } else if (!asks(slot)) (flags & MatchIndex.NullToo) != 0
    else {
      val number = numbers(slot)
      val inside =
        if ((flags & MatchIndex.Set) == 0) low <= number && number <= high
        else if ((flags & MatchIndex.Bits) != 0) (number & ~63L) == 0 && ((low >>> number.toInt) & 1L) != 0
        else Arrays.binarySearch(index.sets(low.toInt), number) >= 0
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

  private def listHas(list: Int, element: Long): Boolean = {
    known(list)
    val elements = lists(list)
    var place = 0
    while (place < lengths(list) && elements(place) != element) place += 1
    place < lengths(list)
  }

  /** What a text has in it is known as soon as the text is. */
  private def known(list: Int): Unit = if (owners(list) >= 0) asks(owners(list)): Unit

  // --- ways

  private def within(way: ByInterval, number: Long): Unit = way match {
    case floor: ByFloor => if (number <= floor.high) {
      val low = floor.low
      var place = 0
      while (place < low.length && low(place) <= number) { follow(floor.lead(place)); place += 1 }
    }
    case ceiling: ByCeiling => if (number >= ceiling.low) {
      val high = ceiling.high
      var place = 0
      while (place < high.length && high(place) >= number) { follow(ceiling.lead(place)); place += 1 }
    }
    case few: ByFew =>
      val low = few.low
      val high = few.high
      var place = 0
      while (place < low.length) {
        if (low(place) <= number && number <= high(place)) follow(few.lead(place))
        place += 1
      }
    case cells: ByCell =>
      val cell = Matcher.above(cells.starts, number) - 1
      if (cell >= 0) {
        val low = cells.low
        val high = cells.high
        var place = cells.first(cell)
        val last = cells.first(cell + 1)
        while (place < last) {
          if (low(place) <= number && number <= high(place)) follow(cells.lead(place))
          place += 1
        }
      }
  }

  private def entries(way: ByEntry): Unit = {
    val slots = active(way.column)
    var place = 0
    while (place < actives(way.column)) {
      val slot = slots(place)
      if (tables(slot) != null && numbers(slot) >= 0) follow(way.table.get(Matcher.entry(slot, numbers(slot))))
      if (way.some) follow(way.table.get(Matcher.entry(slot, Matcher.Any)))
      place += 1
    }
  }

  private def elements(way: ByElement): Unit = {
    known(way.list)
    var place = 0
    while (place < lengths(way.list)) { follow(way.table.get(lists(way.list)(place))); place += 1 }
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

  /** An element that is no text. */
  def number(array: ArrayData, at: Int, kind: DataType): Long = kind match {
    case LongType => array.getLong(at)
    case DoubleType => Shape.real(array.getDouble(at))
    case FloatType => Shape.real(array.getFloat(at).toDouble)
    case BooleanType => if (array.getBoolean(at)) 1L else 0L
    case ByteType => array.getByte(at).toLong
    case ShortType => array.getShort(at).toLong
    case IntegerType | DateType | _: YearMonthIntervalType => array.getInt(at).toLong
    case _ => array.getLong(at)
  }

  @scala.annotation.tailrec
  private def source(slots: Array[Slot], slot: Int): Int = slots(slot).origin match {
    case FromExpression(_) => slot
    case FromOrder(text) => source(slots, text)
    case _ => -1
  }

  /** How many of sorted numbers are not above a number. */
  def above(sorted: Array[Long], number: Long): Int = {
    var low = 0
    var high = sorted.length
    while (low < high) {
      val middle = (low + high) >>> 1
      if (sorted(middle) <= number) low = middle + 1 else high = middle
    }
    low
  }
}
