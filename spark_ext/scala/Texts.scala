package io.predicat.spark

import java.util.Arrays

import scala.collection.mutable

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** The bytes of a text as numbers. */
private object Words {
  /** Texts of the same length that have up to eight bytes have different words. Of longer ones it is a hash. */
  def key(base: AnyRef, at: Long, length: Int): Long =
    if (length > 8) {
      var hash = length * 0x9E3779B97F4A7C15L
      var place = 0
      while (place + 8 <= length) { hash = mixed(hash ^ Platform.getLong(base, at + place)); place += 8 }
      if (place < length) mixed(hash ^ Platform.getLong(base, at + length - 8)) else hash
    } else if (length == 8) Platform.getLong(base, at)
    else if (length >= 4) (Platform.getInt(base, at) & 0xffffffffL) | (Platform.getInt(base, at + length - 4).toLong << 32)
    else if (length > 0) byte(base, at) | (byte(base, at + (length >> 1)) << 8) | (byte(base, at + length - 1) << 16)
    else 0L

  def mixed(number: Long): Long = {
    val product = number * 0x9E3779B97F4A7C15L
    product ^ (product >>> 32)
  }

  def byte(base: AnyRef, at: Long): Long = Platform.getByte(base, at) & 0xffL

  def same(base: AnyRef, at: Long, other: Array[Byte], from: Int, length: Int): Boolean = {
    val start = Platform.BYTE_ARRAY_OFFSET + from.toLong
    var place = 0
    while (place + 8 <= length && Platform.getLong(base, at + place) == Platform.getLong(other, start + place)) place += 8
    if (place + 8 <= length) false
    else {
      while (place < length && Platform.getByte(base, at + place) == Platform.getByte(other, start + place)) place += 1
      place == length
    }
  }

  /** The order of the bytes, which is that of Spark's texts. */
  def compare(bytes: Array[Byte], base: AnyRef, at: Long, length: Int): Int = {
    val least = math.min(bytes.length, length)
    var place = 0
    while (place < least && bytes(place) == Platform.getByte(base, at + place)) place += 1
    if (place < least) (bytes(place) & 0xff) - (Platform.getByte(base, at + place) & 0xff) else bytes.length - length
  }
}

/** Numbers of texts: their places. */
class TextTable(texts: Array[UTF8String]) extends Serializable {
  private val mask = Integer.highestOneBit(math.max(texts.length, 1) * 2 + 1) * 2 - 1
  /** For each place the key of a text, then its length and number; -1 where there is none. */
  private val cells = Array.fill(2 * (mask + 1))(-1L)
  private val long = texts.map(text => if (text.numBytes > 8) text.getBytes else null)
  texts.indices.foreach { number =>
    val text = texts(number)
    val key = Words.key(text.getBaseObject, text.getBaseOffset, text.numBytes)
    var at = Words.mixed(key).toInt & mask
    while (cells(2 * at + 1) != -1L) at = (at + 1) & mask
    cells(2 * at) = key
    cells(2 * at + 1) = (text.numBytes.toLong << 32) | number
  }

  /** -1 for a text that is none of them. */
  def number(text: UTF8String): Long = {
    val base = text.getBaseObject
    val start = text.getBaseOffset
    val length = text.numBytes
    val key = Words.key(base, start, length)
    var at = Words.mixed(key).toInt & mask
    var cell = cells(2 * at + 1)
    while (cell != -1L && !(cells(2 * at) == key && (cell >>> 32) == length && (length <= 8 || Words.same(base, start, long(cell.toInt), 0, length)))) {
      at = (at + 1) & mask
      cell = cells(2 * at + 1)
    }
    if (cell == -1L) -1L else cell & 0xffffffffL
  }
}

/** Texts in their order. */
class TextOrder(texts: Array[UTF8String]) extends Serializable {
  private val bytes = texts.map(_.getBytes)
  /** How all of them begin. */
  private val common: Array[Byte] = if (bytes.isEmpty) Array.empty else {
    val mismatch = Arrays.mismatch(bytes.head, bytes.last)
    if (mismatch < 0) bytes.head else Arrays.copyOf(bytes.head, mismatch)
  }
  /** The eight bytes that follow. */
  private val words = texts.map(text => word(text.getBaseObject, text.getBaseOffset + common.length, text.numBytes - common.length))

  /** Twice the number of texts below this one, and one more if it is one of them. */
  def place(text: UTF8String): Long = {
    val base = text.getBaseObject
    val start = text.getBaseOffset
    val length = text.numBytes
    if (length < common.length || !Words.same(base, start, common, 0, common.length)) {
      return if (Words.compare(common, base, start, length) > 0) 0L else 2L * bytes.length
    }
    val wanted = word(base, start + common.length, length - common.length)
    var low = 0
    var high = words.length
    while (low < high) {
      val middle = (low + high) >>> 1
      if (words(middle) < wanted) low = middle + 1 else high = middle
    }
    high = if (low < words.length && words(low) == wanted) above(wanted, low) else low
    while (low < high) {
      val middle = (low + high) >>> 1
      val order = Words.compare(bytes(middle), base, start, length)
      if (order == 0) return 2L * middle + 1
      if (order < 0) low = middle + 1 else high = middle
    }
    2L * low
  }

  private def above(word: Long, from: Int): Int = {
    var low = from
    var high = words.length
    while (low < high) {
      val middle = (low + high) >>> 1
      if (words(middle) <= word) low = middle + 1 else high = middle
    }
    low
  }

  /** Numbers that have the order of the texts; equal ones tell nothing. */
  private def word(base: AnyRef, at: Long, length: Int): Long = {
    var word = 0L
    if (length >= 8) word = java.lang.Long.reverseBytes(Platform.getLong(base, at))
    else {
      var place = 0
      while (place < length) { word |= Words.byte(base, at + place) << (56 - 8 * place); place += 1 }
    }
    word ^ Long.MinValue
  }
}

/** A text within others, or only at one of their ends. */
case class Part(text: UTF8String, atStart: Boolean = false, atEnd: Boolean = false)

/** Finds which of some texts, of three bytes or more, are within a text. */
class TextParts(parts: Array[Part]) extends Serializable {
  private val bytes = parts.map(_.text.getBytes)
  private val atStart = parts.map(_.atStart)
  private val atEnd = parts.map(_.atEnd)
  /** Parts are found by some of their bytes, those that the fewest other parts have. */
  private val threes = new Grams(3, bytes, _ == 3)
  private val fours = new Grams(4, bytes, _ > 3)

  def find(text: UTF8String, take: Matcher, list: Int): Unit = {
    if (!threes.isEmpty) find(threes, text, take, list)
    if (!fours.isEmpty) find(fours, text, take, list)
  }

  private def find(grams: Grams, text: UTF8String, take: Matcher, list: Int): Unit = {
    val base = text.getBaseObject
    val start = text.getBaseOffset
    val length = text.numBytes
    val last = length - grams.size
    var place = 0
    while (place <= last) {
      var candidate = grams.first(grams.read(base, start + place))
      while (candidate >= 0) {
        val part = grams.part(candidate)
        val from = place - grams.offset(candidate)
        val pattern = bytes(part)
        val to = from + pattern.length
        if ((if (atStart(part)) from == 0 else from >= 0) && (if (atEnd(part)) to == length else to <= length) && Words.same(base, start + from, pattern, 0, pattern.length)) take.has(list, part.toLong)
        candidate = grams.next(candidate)
      }
      place += 1
    }
  }
}

/** Which texts are to be compared where some bytes, as many as `size`, stand in a text. */
private class Grams(val size: Int, bytes: Array[Array[Byte]], fits: Int => Boolean) extends Serializable {
  val part: Array[Int] = bytes.indices.filter(number => fits(bytes(number).length)).toArray
  private val chosen: Array[(Int, Int)] = {
    def all(number: Int): IndexedSeq[(Int, Int)] = (0 to bytes(number).length - size).map(place =>
      (read(bytes(number), Platform.BYTE_ARRAY_OFFSET + place.toLong), place))
    val often = mutable.HashMap.empty[Int, Int]
    part.foreach(number => all(number).map(_._1).distinct.foreach(gram => often(gram) = often.getOrElse(gram, 0) + 1))
    part.map(number => all(number).minBy(gram => often(gram._1)))
  }
  val offset: Array[Int] = chosen.map(_._2)
  val next: Array[Int] = Array.fill(part.length)(-1)
  private val mask = Integer.highestOneBit(math.max(part.length, 1) * 4 + 1) * 2 - 1
  private val keys = new Array[Int](mask + 1)
  private val firsts = Array.fill(mask + 1)(-1)
  chosen.indices.foreach { place =>
    val gram = chosen(place)._1
    var at = spread(gram)
    while (firsts(at) >= 0 && keys(at) != gram) at = (at + 1) & mask
    keys(at) = gram
    next(place) = firsts(at)
    firsts(at) = place
  }

  def isEmpty: Boolean = part.isEmpty

  def read(base: AnyRef, at: Long): Int =
    if (size == 4) Platform.getInt(base, at) else (Platform.getShort(base, at) & 0xffff) | (Words.byte(base, at + 2).toInt << 16)

  /** The first of those that have the bytes; -1 if there is none. */
  def first(gram: Int): Int = {
    var at = spread(gram)
    while (firsts(at) >= 0 && keys(at) != gram) at = (at + 1) & mask
    firsts(at)
  }

  private def spread(gram: Int): Int = {
    val product = gram * 0x9E3779B9
    (product ^ (product >>> 16)) & mask
  }
}
