package io.predicat.spark

import java.io.{ByteArrayOutputStream, ObjectOutputStream}
import java.lang.ref.SoftReference
import java.util.LinkedHashMap
import java.util.stream.IntStream

import scala.collection.mutable

import org.apache.spark.TaskContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.catalyst.analysis.{NamedParameter, UnresolvedAttribute, UnresolvedExtractValue}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.{ConstantFolding, LikeSimplification}
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan, Project}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.DataType

/** An index as tasks find it: in this JVM, or else by its bytes; with a `base`, these are what changes that one. */
class IndexHandle(val key: String, @transient val index: MatchIndex, bytes: Option[Broadcast[Array[Byte]]], base: Option[IndexHandle]) extends Serializable {
  /** A matcher for this task, which gives it back at its end. */
  def matcher(): Matcher = {
    val index = here
    val borrowed = index.borrow()
    Option(TaskContext.get()).foreach(_.addTaskCompletionListener[Unit](_ => index.give(borrowed)))
    borrowed
  }

  @transient private lazy val here: MatchIndex =
    if (index != null) index
    else Indexes.lookup(key).getOrElse(Indexes.synchronized(Indexes.lookup(key).getOrElse(bytes match {
      case Some(sent) => Indexes.remember(key, base.fold(MatchIndex.read[MatchIndex](sent.value))(_.here.patched(MatchIndex.read[Patch](sent.value))))
      case None => throw new IllegalStateException(s"the index $key of matching_filters is not in this JVM")
    })))
}

/** The indexes of this JVM: built once for what filters say and the types of their columns, and kept while there is memory. */
object Indexes {
  private val Most = 32
  private val known = new LinkedHashMap[String, SoftReference[MatchIndex]](Most, 0.75f, true)
  private val handles = new LinkedHashMap[String, SoftReference[IndexHandle]](Most, 0.75f, true)
  /** Those that were built as a whole. */
  private val bases = new LinkedHashMap[String, SoftReference[Base]](Most, 0.75f, true)

  /** An index that is built, for columns of some types (`over`) and a selection. */
  private class Base(val over: String, val selection: Selection, val handle: IndexHandle)

  def lookup(key: String): Option[MatchIndex] = known.synchronized(Option(known.get(key)).flatMap(one => Option(one.get)))

  def remember(key: String, index: MatchIndex): MatchIndex = known.synchronized {
    bounded(known, key, index)
    index
  }

  private def bounded[T](all: LinkedHashMap[String, SoftReference[T]], key: String, value: T): Unit = {
    all.put(key, new SoftReference(value))
    val oldest = all.entrySet().iterator()
    while (all.size > Most) { oldest.next(); oldest.remove() }
  }

  /** The index of a selection over columns of some types, for the driver. Only those who ask for the same one wait. */
  def handle(session: SparkSession, selection: Selection, types: Seq[DataType]): IndexHandle = {
    val conf = SQLConf.get
    val over = Seq(types.map(_.sql).mkString(","), conf.sessionLocalTimeZone, conf.ansiEnabled, conf.caseSensitiveAnalysis).mkString("|")
    val context = session.sparkContext
    val key = s"${selection.key}|$over"
    val scopedKey = s"${context.applicationId}|$key"
    handles.synchronized(Option(handles.get(scopedKey)).flatMap(one => Option(one.get))).getOrElse(selection.synchronized {
      handles.synchronized(Option(handles.get(scopedKey)).flatMap(one => Option(one.get))).getOrElse {
        def sent(value: AnyRef) = if (context.isLocal) None else Some(context.broadcast(written(value)))
        val created = patched(session, selection, types, s"${context.applicationId}|$over").map { case (base, patch) =>
          new IndexHandle(key, remember(key, base.index.patched(patch)), sent(patch), Some(base))
        }.getOrElse {
          val index = lookup(key).filter(_.patch == null).getOrElse(remember(key, new IndexCompiler(session, selection, types, selection.columns.map(_._1)).build()))
          val complete = new IndexHandle(key, index, sent(index), None)
          handles.synchronized(bounded(bases, scopedKey, new Base(s"${context.applicationId}|$over", selection, complete)))
          complete
        }
        handles.synchronized(bounded(handles, scopedKey, created))
        created
      }
    })
  }

  /** An index that differs in few filters, and an index of these: one filter of many changes in the time that it takes by itself. */
  private def patched(session: SparkSession, selection: Selection, types: Seq[DataType], over: String): Option[(IndexHandle, Patch)] = {
    val columns = selection.columns.map(_._1)
    val near = handles.synchronized(bases.values().toArray(Array.empty[SoftReference[Base]])).iterator.flatMap(one => Option(one.get))
      .filter(base => base.over == over && base.selection.columns.map(_._1) == columns)
      .flatMap(base => selection.since(base.selection).map(change => (base, change))).toSeq
    near.minByOption(_._2._2.length).map { case (base, (places, extra)) =>
      val changed = Selection.exactly(selection.dataset, extra.map(selection.candidates).toIndexedSeq)
      val index = new IndexCompiler(session, changed, types, columns).build()
      (base.handle, new Patch(selection.candidates.length, places, index, extra))
    }
  }

  def written(value: AnyRef): Array[Byte] = {
    val bytes = new ByteArrayOutputStream()
    val stream = new ObjectOutputStream(bytes)
    stream.writeObject(value)
    stream.close()
    bytes.toByteArray
  }
}

/** From the SQL of filters to an index. */
class IndexCompiler(session: SparkSession, selection: Selection, types: Seq[DataType], columns: Seq[String]) {
  private val vocabulary = new Vocabulary(columns.toIndexedSeq, types.toIndexedSeq)
  private val pending = mutable.LinkedHashMap.empty[Expression, Int]

  def build(): MatchIndex = {
    val filters = selection.candidates.grouped(IndexCompiler.Batch).flatMap(parsed).toArray
    val asked = new FormulaReader(vocabulary, Some(_ => 0))
    val operands = filters.iterator.flatMap { case (_, sql) => asked.operandsOf(sql) }.distinct.toIndexedSeq
    val reader = new FormulaReader(vocabulary, Some(condition => pending.getOrElseUpdate(condition, pending.size)),
      operands.zip(resolve(operands)).filterNot(_._2.foldable).toMap)
    val read = filters.map { case (filter, sql) => reader.read(sql, if (filter.acceptUnknown) Wanted.NotFalse else Wanted.True) }
    val finals = new FormulaReader(vocabulary, None)
    val resolved = resolve(pending.keys.toIndexedSeq)
    val conditions = read.map(finished(_, finals, resolved))
    new MatchIndexBuilder(vocabulary, selection.candidates.map(_.name).toArray)
      .build(conditions.iterator, Indexes.written(vocabulary.expressions.map(bound).toArray))
  }

  /** The parser is most of the work. */
  private def parsed(filters: Seq[Candidate]): Seq[(Filter, Expression)] = {
    val conf = SQLConf.get
    val predicates = new Array[Expression](filters.length)
    IntStream.range(0, filters.length).parallel().forEach(place => SQLConf.withExistingConf(conf) { predicates(place) = IndexCompiler.predicate(filters(place).filter) })
    filters.map(_.filter).zip(predicates)
  }

  private def finished(formula: Formula, reader: FormulaReader, resolved: IndexedSeq[Expression]): Formula = Formula.mapped(formula) {
    case Later(place, wanted) => reader.read(resolved(place), wanted)
    case other => other
  }

  /** Conditions as Spark's analyzer resolves them, many at once. */
  private def resolve(conditions: IndexedSeq[Expression]): IndexedSeq[Expression] = conditions.grouped(IndexCompiler.Batch).flatMap { several =>
    val columns = several.zipWithIndex.map { case (condition, place) => Alias(named(condition), s"c$place")() }
    val plan = session.sessionState.analyzer.execute(Project(columns, LocalRelation(vocabulary.attributes)))
    val simple = simplified(plan)
    simple.expressions.map {
      case Alias(expression, _) if expression.resolved => expression
      case other => throw PredicatException(Kind.Manifest, s"the manifest has SQL that Spark cannot resolve: ${other.sql}")
    }
  }.toIndexedSeq

  private def named(condition: Expression): Expression = condition.transform {
    case UnresolvedAttribute(parts) if vocabulary.place(parts.head).isDefined =>
      parts.tail.foldLeft[Expression](vocabulary.attributes(vocabulary.place(parts.head).get))((base, part) => UnresolvedExtractValue(base, Literal(part)))
  }

  private def simplified(plan: LogicalPlan): LogicalPlan = {
    val plain = plan.transformAllExpressions { case expression => IndexCompiler.plain(expression) }
    LikeSimplification(ConstantFolding(plain))
  }

  private def bound(expression: Expression): Expression = BindReferences.bindReference(expression, vocabulary.attributes)
}

object IndexCompiler {
  private val Batch = 2048

  /** Without the nodes that only Spark's optimizer takes away. */
  private def plain(expression: Expression): Expression = expression match {
    case replaced: RuntimeReplaceable => plain(replaced.replacement)
    case With(child, definitions) =>
      val values = definitions.map(one => one.id -> one.child).toMap
      plain(child.transform { case reference: CommonExpressionRef if values.contains(reference.id) => values(reference.id) })
    case other => other
  }

  /** The predicate of a filter with its parameters at their defaults. */
  def predicate(filter: Filter): Expression = {
    filter.vet()
    val values = filter.params.flatMap(param => param.default.map(text => param.name -> Generated.parse(text))).toMap
    val sql = Templates.parse(filter.sql.get)
    if (values.isEmpty) sql else sql.transform { case NamedParameter(name) => values(name) }
  }
}
