package org.apache.spark.sql.predicat

import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}

import org.apache.spark.SparkContext
import org.apache.spark.scheduler.{SparkListener, SparkListenerStageSubmitted, SparkListenerTaskEnd}

/** What Spark says of the tasks of a run while it goes on: rows and bytes read, tasks done and begun. */
class RunMetrics(context: SparkContext) extends SparkListener {
  private val rows, bytes = new AtomicLong()
  private val done, all = new AtomicInteger()

  override def onStageSubmitted(event: SparkListenerStageSubmitted): Unit = all.addAndGet(event.stageInfo.numTasks): Unit

  override def onTaskEnd(event: SparkListenerTaskEnd): Unit = {
    if (event.taskInfo != null && event.taskInfo.successful) done.incrementAndGet()
    val metrics = event.taskMetrics
    if (metrics != null) {
      rows.addAndGet(metrics.inputMetrics.recordsRead)
      bytes.addAndGet(metrics.inputMetrics.bytesRead)
    }
  }

  def start(): Unit = context.addSparkListener(this)

  def stop(): Unit = context.removeSparkListener(this)

  /** Rows read, bytes read, tasks done, tasks in all; with `settle` when all that has happened is counted. */
  def now(settle: Boolean): Array[Long] = {
    if (settle) context.listenerBus.waitUntilEmpty()
    Array(rows.get, bytes.get, done.get.toLong, all.get.toLong)
  }
}
