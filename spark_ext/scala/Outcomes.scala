package io.predicat.spark

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionDescription, Nondeterministic}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.{BinaryType, ByteType, DataType}
import org.apache.spark.unsafe.types.UTF8String

/** What became of a row in a filter: one bit each, so that a sink may want several. */
object Outcome {
  val Accepted = 1
  val Rejected = 2
  val Unknown = 4
  /** In the byte for the row as a whole: no filter accepted the row; one of its cells did not convert; some filter accepted it. */
  val Unmatched = 1
  val Bad = 2
  val Matched = 4
}

/** The counts of one task, in one array: rows, bad rows; for each filter accepted, rejected, unknown, guarded; for each cell the bad ones. */
class TaskCounts(filters: Int, cells: Int) {
  val counts = new Array[Long](2 + 4 * filters + cells)
  val samples: Array[java.util.ArrayList[String]] = Array.fill(cells)(new java.util.ArrayList[String]())

  def bad(cell: Int, value: UTF8String): Unit = {
    counts(2 + 4 * filters + cell) += 1
    if (samples(cell).size < TaskCounts.Samples) samples(cell).add(value.toString.take(TaskCounts.Longest))
  }
}

object TaskCounts {
  val Samples = 5
  val Longest = 200
  private val running = new ConcurrentHashMap[Long, TaskCounts]()

  /** Those of the running task: the expression counts in them, the writer hands them to the driver with the result of the task. */
  def current(filters: Int, cells: Int): TaskCounts = {
    val task = TaskContext.get()
    if (task == null) new TaskCounts(filters, cells)
    else running.computeIfAbsent(task.taskAttemptId(), id => {
      task.addTaskCompletionListener[Unit](_ => running.remove(id): Unit)
      new TaskCounts(filters, cells)
    })
  }
}

/**
 * What each filter says of a row, a byte a filter and one for the row as a whole; NULL where no sink wants the row.
 *
 * The predicates are three-valued and evaluated once. One that is a TINYINT is the outcome itself, as its bits; without a bit the row does
 * not concern the filter. `present` says of each whether all of its fields are there, `cells` gives the text of
 * a cell that did not convert or NULL. `acceptsUnknown` has the filters that accept an UNKNOWN row; `wanted` has the outcomes that some sink
 * takes, a byte a filter and one for the row; `apart` keeps a row with a bad cell from the filters.
 */
@ExpressionDescription(usage = "predicat")
case class Outcomes(
    predicates: Seq[Expression], present: Seq[Expression], cells: Seq[Expression],
    acceptsUnknown: Seq[Boolean], wanted: Seq[Byte], apart: Boolean) extends Expression with Nondeterministic {
  private val filters = predicates.length
  @transient private var task: TaskCounts = _

  override def children: Seq[Expression] = predicates ++ present ++ cells
  override def dataType: DataType = BinaryType
  override def nullable: Boolean = true
  override def prettyName: String = "predicat_outcomes"
  override protected def initializeInternal(partition: Int): Unit = task = TaskCounts.current(filters, cells.length)

  override protected def evalInternal(input: InternalRow): Any = {
    val out = new Array[Byte](filters + 1)
    task.counts(0) += 1
    var bad = false
    cells.indices.foreach { index =>
      val value = cells(index).eval(input)
      if (value != null) { task.bad(index, value.asInstanceOf[UTF8String]); bad = true }
    }
    if (bad) { task.counts(1) += 1; out(filters) = Outcome.Bad.toByte }
    if (!(bad && apart)) {
      var accepted = false
      predicates.indices.foreach { index =>
        out(index) = predicates(index).eval(input) match {
          case null if coded(index) => 0
          case null =>
            val there = present(index).eval(input)
            if (there != null && there.asInstanceOf[Boolean]) task.counts(5 + 4 * index) += 1
            task.counts(4 + 4 * index) += 1
            unknown(index)
          case true => Outcome.Accepted.toByte
          case bits: Byte => given(index, bits)
          case _ => Outcome.Rejected.toByte
        }
        if ((out(index) & Outcome.Accepted) != 0) { task.counts(2 + 4 * index) += 1; accepted = true }
        if ((out(index) & Outcome.Rejected) != 0) task.counts(3 + 4 * index) += 1
      }
      if (!accepted) out(filters) = (out(filters) | Outcome.Unmatched).toByte
    }
    if (out.indices.exists(index => (out(index) & wanted(index)) != 0)) out else null
  }

  private def coded(index: Int): Boolean = predicates(index).dataType == ByteType

  private def given(index: Int, bits: Byte): Byte = {
    if ((bits & Outcome.Unknown) != 0) task.counts(4 + 4 * index) += 1
    bits
  }

  private def unknown(index: Int): Byte = (Outcome.Unknown | (if (acceptsUnknown(index)) Outcome.Accepted else 0)).toByte

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val state = ctx.addMutableState(classOf[TaskCounts].getName, "task", forceInline = true)
    val counts = ctx.addMutableState("long[]", "counts", forceInline = true)
    val out = ctx.addMutableState("byte[]", "outcomes", name => s"$name = new byte[${filters + 1}];", forceInline = true)
    val flags = ctx.addMutableState("int", "flags", forceInline = true)
    val takes = ctx.addMutableState("int", "takes", forceInline = true)
    ctx.addPartitionInitializationStatement(
      s"$state = io.predicat.spark.TaskCounts.current($filters, ${cells.length}); $counts = $state.counts();")

    val checked = ctx.splitExpressionsWithCurrentInputs(cells.zipWithIndex.map { case (cell, index) =>
      val code = cell.genCode(ctx)
      s"${code.code}\nif (!${code.isNull}) { $state.bad($index, ${code.value}); $flags = ${Outcome.Bad}; }"
    }, "cells")
    val evaluated = ctx.splitExpressionsWithCurrentInputs(predicates.zip(present).zipWithIndex.map { case ((predicate, there), index) =>
      one(ctx, predicate, there, index, counts, out, flags, takes)
    }, "filters")
    val code = code"""
      $counts[0]++;
      $flags = 0;
      $takes = 0;
      $checked
      if ($flags != 0) $counts[1]++;
      if ($flags == 0 || ${!apart}) {
        $flags |= ${Outcome.Unmatched};
        $evaluated
      } else {
        java.util.Arrays.fill($out, (byte) 0);
      }
      $out[$filters] = (byte) $flags;
      $takes |= $flags & ${wanted(filters).toInt};
      boolean ${ev.isNull} = $takes == 0;
      byte[] ${ev.value} = $out;"""
    ev.copy(code = code)
  }

  /** One filter: its outcome, its counts, and whether a sink wants it. */
  private def one(ctx: CodegenContext, predicate: Expression, there: Expression, index: Int, counts: String, out: String, flags: String, takes: String): String = {
    val known = predicate.genCode(ctx)
    if (coded(index)) return bits(known, index, counts, out, flags, takes)
    val present = there.genCode(ctx)
    val place = 2 + 4 * index
    def told(outcome: Int): String = {
      val accepted = if ((outcome & Outcome.Accepted) != 0) s"$counts[$place]++; $flags &= ~${Outcome.Unmatched};" else ""
      val sunk = if ((outcome & wanted(index)) != 0) s"$takes = 1;" else ""
      s"$out[$index] = (byte) $outcome; $accepted $sunk"
    }
    val unknown =
      s"""if (${known.isNull}) {
         |  ${told(this.unknown(index).toInt)}
         |  $counts[${place + 2}]++;
         |  ${present.code}
         |  if (!${present.isNull} && ${present.value}) $counts[${place + 3}]++;
         |} else """.stripMargin
    s"""${known.code}
       |${if (known.isNull == FalseLiteral) "" else unknown}if (${known.value}) {
       |  ${told(Outcome.Accepted)}
       |} else {
       |  $counts[${place + 1}]++;
       |  ${told(Outcome.Rejected)}
       |}""".stripMargin
  }

  private def bits(known: ExprCode, index: Int, counts: String, out: String, flags: String, takes: String): String = {
    val place = 2 + 4 * index
    def counted(bit: Int, count: Int): String = s"if (($out[$index] & $bit) != 0) $counts[${place + count}]++;"
    s"""${known.code}
       |$out[$index] = ${known.isNull} ? (byte) 0 : (byte) ${known.value};
       |if (($out[$index] & ${Outcome.Accepted}) != 0) $flags &= ~${Outcome.Unmatched};
       |${counted(Outcome.Accepted, 0)} ${counted(Outcome.Rejected, 1)} ${counted(Outcome.Unknown, 2)}
       |$takes |= $out[$index] & ${wanted(index).toInt};""".stripMargin
  }

  override protected def withNewChildrenInternal(parts: IndexedSeq[Expression]): Outcomes =
    copy(predicates = parts.take(filters), present = parts.slice(filters, 2 * filters), cells = parts.drop(2 * filters))
}
