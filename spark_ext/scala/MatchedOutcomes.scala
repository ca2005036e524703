package io.predicat.spark

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionDescription, Nondeterministic}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{BinaryType, DataType}
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/**
 * Which filters accept a row, found through an index: a byte for the row as a whole, then the ids of the filters; NULL where no sink wants the
 * row. Rows that a filter does not accept are not told apart.
 *
 * `matching` gives the ids, `cells` the text of a cell that did not convert or NULL. `wanted` has the outcomes of rows that some sink takes;
 * `apart` keeps a row with a bad cell from the filters.
 */
@ExpressionDescription(usage = "predicat")
case class MatchedOutcomes(matching: Expression, cells: Seq[Expression], filters: Int, wanted: Byte, apart: Boolean)
    extends Expression with Nondeterministic {
  @transient private var task: TaskCounts = _

  override def children: Seq[Expression] = matching +: cells
  override def dataType: DataType = BinaryType
  override def nullable: Boolean = true
  override def prettyName: String = "predicat_matched"
  override protected def initializeInternal(partition: Int): Unit = task = TaskCounts.current(filters, cells.length)

  override protected def evalInternal(input: InternalRow): Any = {
    var flags = 0
    cells.indices.foreach { index =>
      val value = cells(index).eval(input)
      if (value != null) { task.bad(index, value.asInstanceOf[UTF8String]); flags = Outcome.Bad }
    }
    val ids = if (flags != 0 && apart) null else matching.eval(input).asInstanceOf[ArrayData]
    MatchedOutcomes.outcome(task, ids, flags, wanted.toInt)
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val state = ctx.addMutableState(classOf[TaskCounts].getName, "task", forceInline = true)
    val flags = ctx.addMutableState("int", "flags", forceInline = true)
    ctx.addPartitionInitializationStatement(s"$state = io.predicat.spark.TaskCounts.current($filters, ${cells.length});")
    val checked = ctx.splitExpressionsWithCurrentInputs(cells.zipWithIndex.map { case (cell, index) =>
      val code = cell.genCode(ctx)
      s"${code.code}\nif (!${code.isNull}) { $state.bad($index, ${code.value}); $flags = ${Outcome.Bad}; }"
    }, "cells")
    val found = matching.genCode(ctx)
    val ids = ctx.freshName("ids")
    ev.copy(code = code"""
      $flags = 0;
      $checked
      ArrayData $ids = null;
      if ($flags == 0 || ${!apart}) {
        ${found.code}
        $ids = ${found.value};
      }
      byte[] ${ev.value} = io.predicat.spark.MatchedOutcomes.outcome($state, $ids, $flags, ${wanted.toInt});
      boolean ${ev.isNull} = ${ev.value} == null;""")
  }

  override protected def withNewChildrenInternal(parts: IndexedSeq[Expression]): MatchedOutcomes = copy(matching = parts.head, cells = parts.tail)
}

object MatchedOutcomes {
  /** Count a row, and give its outcome. `ids` are null where the row is kept from the filters. */
  def outcome(task: TaskCounts, ids: ArrayData, cells: Int, wanted: Int): Array[Byte] = {
    val counts = task.counts
    val many = if (ids == null) 0 else ids.numElements()
    val flags = cells | (if (ids == null) 0 else if (many == 0) Outcome.Unmatched else Outcome.Matched)
    counts(0) += 1
    if ((cells & Outcome.Bad) != 0) counts(1) += 1
    val out = if ((flags & wanted) == 0) null else new Array[Byte](1 + 4 * many)
    if (out != null) out(0) = flags.toByte
    var place = 0
    while (place < many) {
      val id = ids.getInt(place)
      counts(2 + 4 * id) += 1
      if (out != null) Platform.putInt(out, Platform.BYTE_ARRAY_OFFSET + 1L + 4L * place, id)
      place += 1
    }
    out
  }

  /** The filters of an outcome, one after the other. */
  def each(outcome: Array[Byte], take: Int => Unit): Unit = {
    var place = 1
    while (place < outcome.length) {
      take(Platform.getInt(outcome, Platform.BYTE_ARRAY_OFFSET + place.toLong))
      place += 4
    }
  }
}
