package io.predicat.spark

import scala.collection.mutable

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedExtractValue, UnresolvedFunction}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** A two-valued condition on a row. */
sealed trait Formula
case class Known(value: Boolean) extends Formula
/** A test of numbers, as the index makes it. `part` is a list and an element that it has wherever the test holds. */
case class Test(flags: Int, slot: Int, low: Long, high: Long, set: Vector[Long] = Vector.empty, part: Option[(Int, Long)] = None) extends Formula
/** A text between two bounds; null for none. An open bound is not among the texts. */
case class Between(flags: Int, slot: Int, low: UTF8String, lowOpen: Boolean, high: UTF8String, highOpen: Boolean) extends Formula
/** A condition that Spark must first resolve. */
case class Later(place: Int, wanted: Int) extends Formula
case class AllOf(parts: Seq[Formula]) extends Formula
case class AnyOf(parts: Seq[Formula]) extends Formula

object Formula {
  /** All of them, or any. */
  def joined(parts: Seq[Formula], all: Boolean): Formula = {
    val flat = parts.flatMap {
      case AllOf(inner) if all => inner
      case AnyOf(inner) if !all => inner
      case other => Seq(other)
    }
    if (flat.contains(Known(!all))) Known(!all)
    else flat.filterNot(_ == Known(all)) match {
      case Seq() => Known(all)
      case Seq(only) => only
      case several => if (all) AllOf(several) else AnyOf(several)
    }
  }

  /** The formula with each of its leaves rewritten. */
  def mapped(formula: Formula)(leaf: Formula => Formula): Formula = formula match {
    case AllOf(parts) => joined(parts.map(mapped(_)(leaf)), all = true)
    case AnyOf(parts) => joined(parts.map(mapped(_)(leaf)), all = false)
    case other => leaf(other)
  }
}

/** What is asked of a three-valued condition. */
object Wanted {
  val True = 0
  val False = 1
  val NotFalse = 2
  val NotTrue = 3

  def ofNot(wanted: Int): Int = wanted match {
    case True => False
    case False => True
    case NotFalse => NotTrue
    case NotTrue => NotFalse
  }
  def positive(wanted: Int): Boolean = wanted == True || wanted == NotFalse
}

/** What a list holds: the elements of an array column, what they have in them, or what the text of a slot has in it. */
private sealed trait ListOf
private case class ElementsOf(column: Int) extends ListOf
private case class PartsOfElements(column: Int) extends ListOf
private case class PartsOf(slot: Int) extends ListOf

/** The values that tests ask for, and the constants that they compare with. */
class Vocabulary(val names: IndexedSeq[String], val types: IndexedSeq[DataType]) {
  private class Entry(val origin: Origin, val shape: Int) {
    val texts = mutable.LinkedHashMap.empty[UTF8String, Int]
    val bounds = mutable.HashSet.empty[UTF8String]
    var sorted: Array[UTF8String] = Array.empty
    val parts = mutable.LinkedHashMap.empty[Part, Int]
  }
  private val entries = mutable.ArrayBuffer.empty[Entry]
  private val byOrigin = mutable.HashMap.empty[Any, Int]
  private val lists = mutable.LinkedHashMap.empty[ListOf, Int]
  private val elements = mutable.HashMap.empty[Int, mutable.LinkedHashMap[UTF8String, Int]]
  private val elementParts = mutable.HashMap.empty[Int, mutable.LinkedHashMap[Part, Int]]
  val expressions: mutable.ArrayBuffer[Expression] = mutable.ArrayBuffer.empty
  val attributes: IndexedSeq[AttributeReference] = names.zip(types).map { case (name, kind) => AttributeReference(name, kind)() }
  private val places = names.zipWithIndex.toMap
  private val byId = attributes.zipWithIndex.map { case (attribute, place) => attribute.exprId -> place }.toMap

  def place(name: String): Option[Int] = places.get(name)
  def place(attribute: AttributeReference): Option[Int] = byId.get(attribute.exprId)

  private def slot(key: Any, origin: => Origin, shape: Int): Int = byOrigin.getOrElseUpdate(key, {
    entries += new Entry(origin, shape)
    entries.length - 1
  })

  def column(place: Int): Int = slot(FromColumn(place), FromColumn(place), Vocabulary.shape(types(place)))
  def key(place: Int, name: UTF8String, kind: DataType): Int = slot(FromMap(place, name), FromMap(place, name.copy()), Vocabulary.shape(kind))
  def expression(expr: Expression): Int = slot(expr.canonicalized, {
    expressions += expr
    FromExpression(expressions.length - 1)
  }, Vocabulary.shape(expr.dataType))
  def order(slotOfText: Int): Int = slot(FromOrder(slotOfText), FromOrder(slotOfText), Shape.Whole)
  def list(place: Int): Int = lists.getOrElseUpdate(ElementsOf(place), lists.size)
  def partsOf(slot: Int): Int = lists.getOrElseUpdate(PartsOf(slot), lists.size)
  def partsOfElements(place: Int): Int = lists.getOrElseUpdate(PartsOfElements(place), lists.size)
  def isOfText(list: Int): Boolean = lists.exists { case (of, place) => place == list && !of.isInstanceOf[ElementsOf] }

  def shape(slot: Int): Int = entries(slot).shape
  def origin(slot: Int): Origin = entries(slot).origin
  def text(slot: Int, value: UTF8String): Long = number(entries(slot).texts, value)
  def element(place: Int, value: UTF8String): Long = number(elements.getOrElseUpdate(place, mutable.LinkedHashMap.empty), value)
  def part(slot: Int, value: Part): Long = number(entries(slot).parts, value)
  def elementPart(place: Int, value: Part): Long = number(elementParts.getOrElseUpdate(place, mutable.LinkedHashMap.empty), value)
  def bound(slot: Int, value: UTF8String): Unit = if (value != null) entries(slot).bounds += value

  private def number(texts: mutable.LinkedHashMap[UTF8String, Int], value: UTF8String): Long = texts.getOrElseUpdate(value.copy(), texts.size).toLong
  private def number(parts: mutable.LinkedHashMap[Part, Int], value: Part): Long =
    parts.getOrElseUpdate(value.copy(text = value.text.copy()), parts.size).toLong

  /** After all conditions are read: the numbers of the bounds of texts. */
  def sort(): Unit = entries.foreach(entry => entry.sorted = entry.bounds.toArray.sorted(Ordering.fromLessThan[UTF8String](_.compareTo(_) < 0)))

  def bound(slot: Int, value: UTF8String, above: Boolean): Long =
    2L * java.util.Arrays.binarySearch(entries(slot).sorted.asInstanceOf[Array[AnyRef]], value) + (if (above) 2 else 1)

  def slots: Array[Slot] = entries.toArray.zipWithIndex.map { case (entry, slot) => new Slot(entry.origin, entry.shape,
    if (entry.texts.isEmpty) null else new TextTable(entry.texts.keys.toArray), byOrigin.get(FromOrder(slot)).map(order => new TextOrder(entries(order).sorted)).orNull,
    byOrigin.getOrElse(FromOrder(slot), -1), lists.getOrElse(PartsOf(slot), -1)) }

  def allElements: Array[Elements] = lists.keys.toArray.map {
    case ElementsOf(place) =>
      val kind = types(place).asInstanceOf[ArrayType].elementType
      new ArrayElements(place, kind, Vocabulary.shape(kind), new TextTable(elements.get(place).fold(Array.empty[UTF8String])(_.keys.toArray)))
    case PartsOfElements(place) => new ElementParts(place, new TextParts(elementParts(place).keys.toArray))
    case PartsOf(slot) => new TextElements(slot, new TextParts(entries(slot).parts.keys.toArray))
  }

  /** Which columns Spark's expressions read. */
  def read: Array[Boolean] = {
    val used = expressions.flatMap(_.references.map(_.exprId)).toSet
    attributes.map(attribute => used.contains(attribute.exprId)).toArray
  }

  /** The place of a map column among those that filters look into. */
  def mapPlace(column: Int): Int = mapColumns.indexOf(column)
  def slotsOf(map: Int): Seq[Int] = entries.indices.filter(slot => entries(slot).origin match {
    case FromMap(column, _) => mapColumns(map) == column
    case _ => false
  })
  private lazy val mapColumns = entries.toSeq.map(_.origin).collect { case FromMap(column, _) => column }.distinct.sorted

  def keys: Array[Keys] = entries.toSeq.zipWithIndex.collect { case (entry, slot) if entry.origin.isInstanceOf[FromMap] => (entry.origin.asInstanceOf[FromMap], slot) }
    .groupBy(_._1.column).toArray.sortBy(_._1).map { case (place, ofColumn) =>
      val kind = types(place).asInstanceOf[MapType].valueType
      new Keys(place, new TextTable(ofColumn.map(_._1.key).toArray), ofColumn.map(_._2).toArray, kind, Vocabulary.shape(kind))
    }
}

object Vocabulary {
  def shape(kind: DataType): Int = kind match {
    case BooleanType | ByteType | ShortType | IntegerType | LongType | DateType | TimestampType | TimestampNTZType => Shape.Whole
    case _: DayTimeIntervalType | _: YearMonthIntervalType => Shape.Whole
    case FloatType | DoubleType => Shape.Real
    case text: StringType if text.collationId == StringType.collationId => Shape.Text
    case _ => Shape.Other
  }
}

/** Reads the predicate of a filter as a two-valued condition. `later` keeps what Spark must resolve; of `operands` it is known what they become. */
class FormulaReader(vocabulary: Vocabulary, later: Option[Expression => Int], operands: collection.Map[Expression, Expression] = Map.empty) {
  import Wanted._

  def read(condition: Expression, wanted: Int): Formula = condition match {
    case And(left, right) => Formula.joined(Seq(read(left, wanted), read(right, wanted)), positive(wanted))
    case Or(left, right) => Formula.joined(Seq(read(left, wanted), read(right, wanted)), !positive(wanted))
    case Not(inner) => read(inner, ofNot(wanted))
    case EqualNullSafe(inner, Literal(truth: Boolean, BooleanType)) =>
      read(inner, if (positive(wanted)) { if (truth) True else False } else if (truth) NotTrue else NotFalse)
    case Literal(null, BooleanType | NullType) | Cast(Literal(null, _), BooleanType, _, _) => Known(wanted >= NotFalse)
    case Literal(truth: Boolean, BooleanType) => Known(truth == positive(wanted))
    case other => test(other, wanted).getOrElse(unread(other, wanted))
  }

  private def unread(condition: Expression, wanted: Int): Formula = later match {
    case Some(keep) => Later(keep(condition), wanted)
    case None if condition.foldable => condition.eval(null) match {
      case null => Known(wanted >= NotFalse)
      case truth => Known(truth.asInstanceOf[Boolean] == positive(wanted))
    }
    case None => strict(wanted, vocabulary.expression(condition), 1, 1)
  }

  /** UNKNOWN where the value is NULL. */
  private def strict(wanted: Int, slot: Int, low: Long, high: Long, set: Vector[Long] = Vector.empty): Test =
    FormulaReader.plain(Test(strictly(wanted), slot, low, high, set))

  private def strictly(wanted: Int): Int = wanted match {
    case True => 0
    case False => MatchIndex.Negated
    case NotFalse => MatchIndex.NullToo
    case NotTrue => MatchIndex.Negated | MatchIndex.NullToo
  }

  /** FALSE where the value is NULL. */
  private def surely(wanted: Int): Int = if (positive(wanted)) 0 else MatchIndex.Negated | MatchIndex.NullToo

  private def test(condition: Expression, wanted: Int): Option[Formula] = condition match {
    case IsNull(value) => slot(value).map(operand => if (positive(wanted)) Test(MatchIndex.NullToo, operand, 1, 0) else FormulaReader.there(operand))
    case IsNotNull(value) => slot(value).map(operand => if (positive(wanted)) FormulaReader.there(operand) else Test(MatchIndex.NullToo, operand, 1, 0))
    case EqualTo(value, Constant(constant)) => compared(value, constant, "=", wanted)
    case EqualTo(Constant(constant), value) => compared(value, constant, "=", wanted)
    case LessThan(value, Constant(constant)) => compared(value, constant, "<", wanted)
    case LessThan(Constant(constant), value) => compared(value, constant, ">", wanted)
    case LessThanOrEqual(value, Constant(constant)) => compared(value, constant, "<=", wanted)
    case LessThanOrEqual(Constant(constant), value) => compared(value, constant, ">=", wanted)
    case GreaterThan(value, Constant(constant)) => compared(value, constant, ">", wanted)
    case GreaterThan(Constant(constant), value) => compared(value, constant, "<", wanted)
    case GreaterThanOrEqual(value, Constant(constant)) => compared(value, constant, ">=", wanted)
    case GreaterThanOrEqual(Constant(constant), value) => compared(value, constant, "<=", wanted)
    case In(value, items) => listed(value, items, wanted)
    case StartsWith(value, Literal(prefix: UTF8String, _)) => prefixed(value, prefix, wanted)
    case Contains(value, Literal(text: UTF8String, kind)) if long(text, kind) => part(value, Part(text), wanted)
    case EndsWith(value, Literal(text: UTF8String, kind)) if long(text, kind) => part(value, Part(text, atEnd = true), wanted)
    case Like(value, Literal(pattern: UTF8String, kind), escape) if !condition.resolved => FormulaReader.part(pattern.toString, escape).flatMap {
      case Part(text, true, true) => compared(value, Literal(text, kind), "=", wanted)
      case Part(text, true, false) => prefixed(value, text, wanted)
      case Part(text, false, atEnd) => test(if (atEnd) EndsWith(value, Literal(text, kind)) else Contains(value, Literal(text, kind)), wanted)
    }
    case Like(value, Literal(pattern: UTF8String, _), escape) => like(condition, value, FormulaReader.chunk(pattern.toString, escape), wanted)
    case IsNaN(value) => slot(value).filter(vocabulary.shape(_) == Shape.Real).map(operand => FormulaReader.plain(Test(surely(wanted), operand, Shape.Nan, Shape.Nan)))
    case ArrayContains(array, Constant(constant)) => element(array, (place, kind) => equal(place, kind, constant), wanted)
    case call: UnresolvedFunction if call.nameParts.length == 1 => named(call.nameParts.head.toLowerCase(java.util.Locale.ROOT), call.arguments, wanted)
    case _ => slot(condition).filter(_ => kind(condition).contains(BooleanType)).map(strict(wanted, _, 1, 1))
  }

  /** Functions that the analyzer has not looked up yet. */
  private def named(name: String, arguments: Seq[Expression], wanted: Int): Option[Formula] = (name, arguments) match {
    case ("startswith", Seq(value, Literal(prefix: UTF8String, _))) => prefixed(value, prefix, wanted)
    case ("contains", Seq(value, text @ Literal(_: UTF8String, _))) => attribute(value).flatMap(operand => test(Contains(operand, text), wanted))
    case ("endswith", Seq(value, text @ Literal(_: UTF8String, _))) => attribute(value).flatMap(operand => test(EndsWith(operand, text), wanted))
    case ("isnan", Seq(value)) => test(IsNaN(value), wanted)
    case ("isnull", Seq(value)) => test(IsNull(value), wanted)
    case ("isnotnull", Seq(value)) => test(IsNotNull(value), wanted)
    case ("array_contains", Seq(array, Constant(constant))) => element(array, (place, kind) => equal(place, kind, constant), wanted)
    case ("exists", Seq(array, LambdaFunction(body, Seq(variable: UnresolvedNamedLambdaVariable), _))) => element(array, some(body, variable, _, _), wanted)
    case _ => None
  }

  /** An attribute of a plain text, resolved: such tests need no analyzer. */
  private def attribute(value: Expression): Option[Expression] = value match {
    case UnresolvedAttribute(Seq(name)) => vocabulary.place(name).filter(place => Vocabulary.shape(vocabulary.types(place)) == Shape.Text).map(vocabulary.attributes)
    case _ => None
  }

  private def kind(value: Expression): Option[DataType] = value match {
    case UnresolvedAttribute(Seq(name)) => vocabulary.place(name).map(vocabulary.types)
    case looked @ (_: UnresolvedFunction | _: UnresolvedExtractValue) if mapKey(looked).isDefined => mapKey(looked).map(_._3)
    case operand if operands.contains(operand) => Some(operands(operand).dataType)
    case found if found.resolved => Some(found.dataType)
    case _ => None
  }

  /** The slot of a column, of a key of a map, and, when all is resolved, of any expression with a value that can be compared. */
  private def slot(value: Expression): Option[Int] = value match {
    case UnresolvedAttribute(Seq(name)) => vocabulary.place(name).map(vocabulary.column)
    case reference: AttributeReference => vocabulary.place(reference).map(vocabulary.column)
    case looked @ (_: UnresolvedFunction | _: UnresolvedExtractValue) if mapKey(looked).isDefined =>
      mapKey(looked).map { case (place, key, kind) => vocabulary.key(place, key, kind) }
    case operand if operands.contains(operand) => Some(vocabulary.expression(operands(operand)))
    case found if later.isEmpty && !found.foldable => Some(vocabulary.expression(found))
    case _ => None
  }

  private def mapKey(look: Expression): Option[(Int, UTF8String, DataType)] = (look match {
    case UnresolvedExtractValue(UnresolvedAttribute(Seq(column)), Literal(key: UTF8String, _)) => Some((column, key))
    case call: UnresolvedFunction if call.nameParts.length == 1 && call.nameParts.head.equalsIgnoreCase("try_element_at") => call.arguments match {
      case Seq(UnresolvedAttribute(Seq(column)), Literal(key: UTF8String, _)) => Some((column, key))
      case _ => None
    }
    case _ => None
  }).flatMap { case (column, key) => vocabulary.place(column).map(place => (place, vocabulary.types(place))).collect {
    case (place, MapType(_: StringType, value, _)) if Vocabulary.shape(value) != Shape.Other => (place, key, value)
  } }

  /** What conditions compare with constants, where it is not known without Spark's analyzer. */
  def operandsOf(condition: Expression): Seq[Expression] = condition match {
    case And(left, right) => operandsOf(left) ++ operandsOf(right)
    case Or(left, right) => operandsOf(left) ++ operandsOf(right)
    case Not(inner) => operandsOf(inner)
    case EqualNullSafe(inner, Literal(_: Boolean, BooleanType)) => operandsOf(inner)
    case comparison: BinaryComparison => (comparison.left, comparison.right) match {
      case (value, Constant(_)) => operand(value)
      case (Constant(_), value) => operand(value)
      case _ => Nil
    }
    case In(value, items) if items.forall(Constant.unapply(_).isDefined) => operand(value)
    case _ => Nil
  }

  private def operand(value: Expression): Seq[Expression] =
    if (kind(value).isEmpty && value.exists(_.isInstanceOf[UnresolvedAttribute])) Seq(value) else Nil

  private def comparable(value: Expression, constant: Literal): Option[(Int, Any)] =
    for { kind <- kind(value); number <- Constant.as(constant, kind); operand <- slot(value) } yield (operand, number)

  private def compared(value: Expression, constant: Literal, sign: String, wanted: Int): Option[Formula] =
    if (constant.value == null) Some(Known(wanted >= NotFalse))
    else comparable(value, constant).map {
      case (operand, number: Long) =>
        val (low, high) = sign match {
          case "=" => (number, number)
          case "<" => if (number == Long.MinValue) (1L, 0L) else (Long.MinValue, number - 1)
          case "<=" => (Long.MinValue, number)
          case ">" => if (number == Long.MaxValue) (1L, 0L) else (number + 1, Long.MaxValue)
          case _ => (number, Long.MaxValue)
        }
        strict(wanted, operand, low, high)
      case (operand, text: UTF8String) => sign match {
        case "=" => val number = vocabulary.text(operand, text); strict(wanted, operand, number, number)
        case "<" => between(operand, null, lowOpen = false, text, highOpen = true, wanted)
        case "<=" => between(operand, null, lowOpen = false, text, highOpen = false, wanted)
        case ">" => between(operand, text, lowOpen = true, null, highOpen = false, wanted)
        case _ => between(operand, text, lowOpen = false, null, highOpen = false, wanted)
      }
      case _ => throw new IllegalStateException("a constant is a number or a text")
    }

  private def between(operand: Int, low: UTF8String, lowOpen: Boolean, high: UTF8String, highOpen: Boolean, wanted: Int): Formula = {
    val order = vocabulary.order(operand)
    vocabulary.bound(order, low)
    vocabulary.bound(order, high)
    Between(strictly(wanted), order, low, lowOpen, high, highOpen)
  }

  private def prefixed(value: Expression, prefix: UTF8String, wanted: Int): Option[Formula] =
    kind(value).filter(Vocabulary.shape(_) == Shape.Text).flatMap(_ => slot(value)).map { operand =>
      FormulaReader.after(prefix) match {
        case None => strict(wanted, operand, Long.MinValue, Long.MaxValue)
        case Some(end) => between(operand, prefix, lowOpen = false, end, highOpen = true, wanted)
      }
    }

  private def listed(value: Expression, items: Seq[Expression], wanted: Int): Option[Formula] = {
    val constants = items.collect { case Constant(constant) => constant }
    if (constants.length < items.length) None
    else {
      val (nulls, present) = constants.partition(_.value == null)
      val comparables = present.map(comparable(value, _))
      if (present.isEmpty || comparables.exists(_.isEmpty)) None
      else {
        val place = comparables.head.get._1
        val numbers = comparables.flatten.map { case (_, text: UTF8String) => vocabulary.text(place, text); case (_, number) => number.asInstanceOf[Long] }
        if (nulls.nonEmpty && (wanted == False || wanted == NotFalse)) Some(Known(wanted == NotFalse))
        else Some(numbers.distinct.sorted match {
          case Seq(only) => strict(wanted, place, only, only)
          case several => strict(wanted, place, 0, 0, several.toVector)
        })
      }
    }
  }

  /** Shorter texts are within too many others to look for them. */
  private def long(text: UTF8String, kind: DataType): Boolean = text.numBytes >= 3 && Vocabulary.shape(kind) == Shape.Text

  private def part(value: Expression, part: Part, wanted: Int): Option[Formula] =
    kind(value).filter(Vocabulary.shape(_) == Shape.Text).flatMap(_ => slot(value)).map { operand =>
      val list = vocabulary.partsOf(operand)
      val number = vocabulary.part(operand, part)
      val has = Test(if (positive(wanted)) MatchIndex.Element else MatchIndex.Element | MatchIndex.Negated, list, number, number)
      wanted match {
        case True | NotTrue => has
        case False => Formula.joined(Seq(FormulaReader.there(operand), has), all = true)
        case NotFalse => Formula.joined(Seq(Test(MatchIndex.NullToo, operand, 1, 0), has), all = false)
      }
    }

  /** LIKE as Spark evaluates it; where it holds, the text has a part of the pattern in it. */
  private def like(condition: Expression, value: Expression, text: UTF8String, wanted: Int): Option[Formula] =
    if (condition.resolved) slot(value).map { operand =>
      val near = if (wanted == True && long(text, StringType) && vocabulary.shape(operand) == Shape.Text)
        Some((vocabulary.partsOf(operand), vocabulary.part(operand, Part(text)))) else None
      strict(wanted, vocabulary.expression(condition), 1, 1).copy(part = near)
    }
    else None

  /** Only whether an array has an element for sure: whether it lacks it for sure depends on its NULLs. `tests` are those of the place and kind. */
  private def element(array: Expression, tests: (Int, DataType) => Option[Seq[Test]], wanted: Int): Option[Formula] =
    if (wanted == False || wanted == NotFalse) None
    else (array match {
      case UnresolvedAttribute(Seq(name)) => vocabulary.place(name)
      case reference: AttributeReference => vocabulary.place(reference)
      case _ => None
    }).flatMap(place => vocabulary.types(place) match {
      case ArrayType(kind, _) => tests(place, kind).map(found =>
        if (wanted == NotTrue) Formula.joined(found.map(test => test.copy(flags = test.flags | MatchIndex.Negated)), all = true) else Formula.joined(found, all = false))
      case _ => None
    })

  private def equal(place: Int, kind: DataType, constant: Literal): Option[Seq[Test]] = Constant.as(constant, kind).map { constant =>
    val number = constant match { case text: UTF8String => vocabulary.element(place, text); case other => other.asInstanceOf[Long] }
    Seq(Test(MatchIndex.Element, vocabulary.list(place), number, number))
  }

  /** Of a condition on one element: the tests of which one holds where some element makes it TRUE. */
  private def some(condition: Expression, variable: UnresolvedNamedLambdaVariable, place: Int, kind: DataType): Option[Seq[Test]] = {
    def is(value: Expression): Boolean = value match {
      case one: UnresolvedNamedLambdaVariable => one.nameParts == variable.nameParts
      case _ => false
    }
    condition match {
      case Or(left, right) => for { one <- some(left, variable, place, kind); other <- some(right, variable, place, kind) } yield one ++ other
      case EqualTo(value, Constant(constant)) if is(value) => equal(place, kind, constant)
      case In(value, items) if is(value) =>
        val found = items.map { case Constant(constant) => equal(place, kind, constant); case _ => None }
        if (found.forall(_.isDefined)) Some(found.flatten.flatten) else None
      case Like(value, Literal(pattern: UTF8String, StringType), escape) if is(value) && Vocabulary.shape(kind) == Shape.Text =>
        FormulaReader.part(pattern.toString, escape).flatMap {
          case Part(text, true, true) => equal(place, kind, Literal(text, StringType))
          case part if long(part.text, kind) =>
            val number = vocabulary.elementPart(place, part)
            Some(Seq(Test(MatchIndex.Element, vocabulary.partsOfElements(place), number, number)))
          case _ => None
        }
      case _ => None
    }
  }
}

object FormulaReader {
  def there(slot: Int): Test = Test(0, slot, Long.MinValue, Long.MaxValue)

  /** Outside of an interval without an end on one side is an interval, too. */
  def plain(test: Test): Test =
    if (test.flags != MatchIndex.Negated || test.set.nonEmpty || test.part.isDefined) test
    else if (test.low > test.high) there(test.slot)
    else if (test.low == Long.MinValue && test.high < Long.MaxValue) test.copy(flags = 0, low = test.high + 1, high = Long.MaxValue)
    else if (test.high == Long.MaxValue && test.low > Long.MinValue) test.copy(flags = 0, low = Long.MinValue, high = test.low - 1)
    else test

  /** The first text after all that begin with the prefix; None if there is none. */
  def after(prefix: UTF8String): Option[UTF8String] = {
    val bytes = prefix.getBytes
    val last = bytes.lastIndexWhere(_ != -1.toByte)
    if (last < 0) None
    else {
      val end = java.util.Arrays.copyOf(bytes, last + 1)
      end(last) = (end(last) + 1).toByte
      Some(UTF8String.fromBytes(end))
    }
  }

  /** What a pattern of LIKE asks for, if it has no other wildcard than a percent sign at its ends. */
  def part(pattern: String, escape: Char): Option[Part] = {
    val (atStart, atEnd) = (!pattern.startsWith("%"), !pattern.endsWith("%"))
    val text = pattern.substring(if (atStart) 0 else 1, math.max(pattern.length - (if (atEnd) 0 else 1), if (atStart) 0 else 1))
    if (text.isEmpty || text.exists(sign => sign == '%' || sign == '_' || sign == escape)) None else Some(Part(UTF8String.fromString(text), atStart, atEnd))
  }

  /** The longest text without wildcards in a pattern of LIKE. */
  def chunk(pattern: String, escape: Char): UTF8String = {
    val parts = mutable.ArrayBuffer(new StringBuilder)
    var place = 0
    while (place < pattern.length) {
      pattern(place) match {
        case '%' | '_' if pattern(place) != escape => parts += new StringBuilder
        case sign if sign == escape && place + 1 < pattern.length => place += 1; parts.last += pattern(place)
        case sign => parts.last += sign
      }
      place += 1
    }
    UTF8String.fromString(parts.maxBy(_.length).toString)
  }
}

/** A constant, or the cast of one. */
object Constant {
  def unapply(value: Expression): Option[Literal] = value match {
    case constant: Literal => Some(constant)
    case Cast(text @ Literal(_: UTF8String, _), kind @ (TimestampType | DateType), _, _) =>
      Option(Cast(text, kind, Some("UTC"), EvalMode.TRY).eval(null)).filter(_ => zoned(kind, text.value.toString)).map(Literal(_, kind))
    case _ => None
  }

  /** What a time is called must not depend on the session. */
  private def zoned(kind: DataType, text: String): Boolean = kind == DateType || text.endsWith("Z")

  /** The number or text of a constant beside a value of some type; None where Spark would compare both as a third one. */
  def as(constant: Literal, kind: DataType): Option[Any] = (kind, constant.dataType, constant.value) match {
    case (_, _, null) => None
    case (_: StringType, _: StringType, text: UTF8String) if Vocabulary.shape(kind) == Shape.Text && Vocabulary.shape(constant.dataType) == Shape.Text => Some(text)
    case (ByteType | ShortType | IntegerType | LongType, ByteType | ShortType | IntegerType | LongType, number: Number) => Some(number.longValue)
    case (DoubleType, IntegerType | LongType | ShortType | ByteType | DoubleType, number: Number) => Some(Shape.real(number.doubleValue))
    case (DoubleType, _: DecimalType, number: Decimal) => Some(Shape.real(number.toDouble))
    case (FloatType, FloatType, number: Number) => Some(Shape.real(number.doubleValue))
    case (BooleanType, BooleanType, truth: Boolean) => Some(if (truth) 1L else 0L)
    case (DateType, DateType, number: Number) => Some(number.longValue)
    case (TimestampType, TimestampType, number: Number) => Some(number.longValue)
    case (TimestampNTZType, TimestampNTZType, number: Number) => Some(number.longValue)
    case (one: DayTimeIntervalType, other: DayTimeIntervalType, number: Number) if one == other => Some(number.longValue)
    case (one: YearMonthIntervalType, other: YearMonthIntervalType, number: Number) if one == other => Some(number.longValue)
    case _ => None
  }
}
