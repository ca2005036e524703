package predicat.test

import java.io._
import java.nio.file.{FileAlreadyExistsException, Files, Path, Paths}
import java.util
import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.{InternalRow, ProjectingInternalRow}
import org.apache.spark.sql.catalyst.analysis.{NoSuchTableException, TableAlreadyExistsException}
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.connector.write._
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.unsafe.types.UTF8String

/** One version of a table: its rows are those of its files. */
case class Version(
    schema: StructType, properties: Map[String, String], files: Seq[String], written: Map[String, Long], summaries: Seq[Map[String, String]])

/** Versions of a table in a folder. A version is there as a whole or not at all, and is never replaced. */
class Versions(val folder: Path) {
  private def numbers: Seq[Int] =
    if (!Files.isDirectory(folder)) Nil else folder.toFile.list.toSeq.filter(_.endsWith(".version")).map(_.stripSuffix(".version").toInt)
  def newest: Option[(Int, Version)] = numbers.maxOption.map { number =>
    val in = new ObjectInputStream(Files.newInputStream(folder.resolve(s"$number.version"))) {
      override def resolveClass(found: ObjectStreamClass): Class[_] = Class.forName(found.getName, false, classOf[Version].getClassLoader)
    }
    try number -> in.readObject().asInstanceOf[Version] finally in.close()
  }
  /** Add a version made of the newest one; None leaves all as it is. */
  def commit(change: Option[Version] => Option[Version]): Unit = {
    Files.createDirectories(folder)
    var done = false
    while (!done) {
      val before = newest
      done = change(before.map(_._2)).forall { next =>
        val beside = folder.resolve(s"${UUID.randomUUID}.new")
        val out = new ObjectOutputStream(Files.newOutputStream(beside))
        try out.writeObject(next) finally out.close()
        try { Files.createLink(folder.resolve(s"${before.fold(0)(_._1) + 1}.version"), beside); true }
        catch { case _: FileAlreadyExistsException => false }
        finally Files.delete(beside)
      }
    }
  }
  def drop(): Boolean = Files.isDirectory(folder) && {
    folder.toFile.listFiles.foreach(_.delete())
    Files.deleteIfExists(folder)
  }
}

/**
 * A catalog of tables with versions, in place of formats that cannot be had where the tests run. It does what Delta and Iceberg say
 * of theirs: a table of `delta` leaves out a write whose `txnVersion` is not above the last one of its `txnAppId`; one of `iceberg`
 * keeps the options `snapshot-property.*` of each write in the table NAME.snapshots, and a session sees the versions that it has
 * loaded until it refreshes the table. Any other provider appends whatever it is given.
 */
class Versioned extends StagingTableCatalog with SupportsNamespaces {
  private var called = ""
  private var root: Path = _
  private val loaded = new ConcurrentHashMap[Identifier, Version]()
  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = { called = name; root = Paths.get(options.get("path")) }
  override def name: String = called
  private def versions(ident: Identifier): Versions = new Versions(root.resolve((ident.namespace :+ ident.name).mkString(".")))
  override def listTables(namespace: Array[String]): Array[Identifier] = Array.empty
  override def invalidateTable(ident: Identifier): Unit = loaded.remove(ident): Unit
  override def loadTable(ident: Identifier): Table = {
    val parent = if (ident.namespace.nonEmpty) Identifier.of(ident.namespace.init, ident.namespace.last) else ident
    if (ident.name == "snapshots" && versions(parent).newest.isDefined) new Snapshots(version(parent))
    else new VersionedTable(ident.name, versions(ident), version(ident), () => invalidateTable(ident))
  }
  private def version(ident: Identifier): Version = {
    val newest = versions(ident).newest.getOrElse(throw new NoSuchTableException(ident))._2
    if (newest.properties.get("provider").contains("iceberg")) loaded.computeIfAbsent(ident, _ => newest) else newest
  }
  private def empty(columns: Array[Column], properties: util.Map[String, String]): Version =
    Version(StructType(columns.map(one => StructField(one.name, one.dataType, one.nullable))), properties.asScala.toMap, Nil, Map.empty, Nil)
  override def createTable(ident: Identifier, columns: Array[Column], partitions: Array[Transform], properties: util.Map[String, String]): Table = {
    versions(ident).commit {
      case Some(_) => throw new TableAlreadyExistsException(ident)
      case None => Some(empty(columns, properties))
    }
    loadTable(ident)
  }
  override def alterTable(ident: Identifier, changes: TableChange*): Table = throw new UnsupportedOperationException
  override def dropTable(ident: Identifier): Boolean = { invalidateTable(ident); versions(ident).drop() }
  override def renameTable(before: Identifier, after: Identifier): Unit = throw new UnsupportedOperationException

  private def staged(ident: Identifier, columns: Array[Column], properties: util.Map[String, String], allowed: Boolean => Boolean): StagedTable = {
    if (!allowed(versions(ident).newest.isDefined)) {
      if (versions(ident).newest.isDefined) throw new TableAlreadyExistsException(ident) else throw new NoSuchTableException(ident)
    }
    val first = empty(columns, properties)
    // Its files are beside those of the table, its versions are not.
    val apart = new Versions(versions(ident).folder.resolveSibling(s"staged-${UUID.randomUUID}"))
    apart.commit(_ => Some(first))
    new VersionedTable(ident.name, apart, first, () => ()) with StagedTable {
      override def commitStagedChanges(): Unit = {
        versions(ident).commit(before => apart.newest.map(_._2).map(next => next.copy(written = before.fold(next.written)(_.written ++ next.written))))
        invalidateTable(ident)
      }
      override def abortStagedChanges(): Unit = apart.drop(): Unit
    }
  }
  override def stageCreate(ident: Identifier, columns: Array[Column], partitions: Array[Transform], properties: util.Map[String, String]): StagedTable =
    staged(ident, columns, properties, exists => !exists)
  override def stageReplace(ident: Identifier, columns: Array[Column], partitions: Array[Transform], properties: util.Map[String, String]): StagedTable =
    staged(ident, columns, properties, exists => exists)
  override def stageCreateOrReplace(
      ident: Identifier, columns: Array[Column], partitions: Array[Transform], properties: util.Map[String, String]): StagedTable =
    staged(ident, columns, properties, _ => true)

  override def listNamespaces(): Array[Array[String]] = Array(Array("db"))
  override def listNamespaces(namespace: Array[String]): Array[Array[String]] = Array.empty
  override def loadNamespaceMetadata(namespace: Array[String]): util.Map[String, String] = util.Map.of()
  override def createNamespace(namespace: Array[String], metadata: util.Map[String, String]): Unit = ()
  override def alterNamespace(namespace: Array[String], changes: NamespaceChange*): Unit = ()
  override def dropNamespace(namespace: Array[String], cascade: Boolean): Boolean = false
}

/** What Iceberg has for each snapshot, as far as it is read. */
class Snapshots(version: Version) extends Table with SupportsRead {
  private val fields = StructType.fromDDL("summary MAP<STRING, STRING>")
  override def name: String = "snapshots"
  override def schema: StructType = fields
  override def capabilities: util.Set[TableCapability] = util.Set.of(TableCapability.BATCH_READ)
  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = () => new LocalScan {
    override def readSchema(): StructType = fields
    override def rows: Array[InternalRow] = version.summaries.map { summary =>
      val texts = summary.map { case (key, value) => UTF8String.fromString(key) -> UTF8String.fromString(value) }
      new GenericInternalRow(Array[Any](ArrayBasedMapData(texts))): InternalRow
    }.toArray
  }
}

class VersionedTable(called: String, versions: Versions, version: Version, changed: () => Unit)
    extends Table with SupportsRead with SupportsWrite with SupportsRowLevelOperations {
  override def name: String = called
  override def schema: StructType = version.schema
  override def properties: util.Map[String, String] = version.properties.asJava
  override def capabilities: util.Set[TableCapability] =
    util.Set.of(TableCapability.BATCH_READ, TableCapability.BATCH_WRITE, TableCapability.TRUNCATE)
  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = () => new Scan {
    override def readSchema(): StructType = schema
    override def toBatch: Batch = new Batch {
      override def planInputPartitions(): Array[InputPartition] = version.files.map(FilePart(_): InputPartition).toArray
      override def createReaderFactory(): PartitionReaderFactory = new RowReaders(schema.length)
    }
  }
  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = new WriteBuilder with SupportsTruncate {
    private var anew = false
    override def truncate(): WriteBuilder = { anew = true; this }
    override def build(): Write = write(info.options, anew)
  }
  private def write(options: CaseInsensitiveStringMap, anew: Boolean): Write = new Write {
    override def toBatch: BatchWrite = new BatchWrite {
      override def createBatchWriterFactory(info: PhysicalWriteInfo): DataWriterFactory = new RowWriters(versions.folder.toString, schema)
      override def abort(messages: Array[WriterCommitMessage]): Unit = ()
      override def commit(messages: Array[WriterCommitMessage]): Unit = {
        val files = messages.toSeq.map(_.toString) // the classes of tasks have a loader of their own
        versions.commit(newest => added(newest.get, files))
        changed()
      }
    }
    private def added(newest: Version, files: Seq[String]): Option[Version] = {
      val provider = newest.properties.getOrElse("provider", "")
      val app = Option(options.get("txnAppId")).filter(_ => provider == "delta")
      val number = Option(options.get("txnVersion")).fold(0L)(_.toLong)
      val summary = options.asScala.toMap.collect {
        case (key, value) if provider == "iceberg" && key.startsWith("snapshot-property.") => key.stripPrefix("snapshot-property.") -> value
      }
      if (app.exists(newest.written.get(_).exists(_ >= number))) None
      else Some(newest.copy(
        files = if (anew) files else newest.files ++ files, written = newest.written ++ app.map(_ -> number), summaries = newest.summaries :+ summary))
    }
  }
  /** DELETE, UPDATE and MERGE write all rows of the table anew. */
  override def newRowLevelOperationBuilder(info: RowLevelOperationInfo): RowLevelOperationBuilder = () => new RowLevelOperation {
    override def command: RowLevelOperation.Command = info.command
    override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = VersionedTable.this.newScanBuilder(options)
    override def newWriteBuilder(logical: LogicalWriteInfo): WriteBuilder = new WriteBuilder {
      override def build(): Write = write(logical.options, anew = true)
    }
  }
}

case class FilePart(path: String) extends InputPartition
class WrittenPart(path: String) extends WriterCommitMessage { override def toString: String = path }

class RowReaders(columns: Int) extends PartitionReaderFactory {
  override def createReader(part: InputPartition): PartitionReader[InternalRow] = new PartitionReader[InternalRow] {
    private val in = new DataInputStream(new BufferedInputStream(Files.newInputStream(Paths.get(part.asInstanceOf[FilePart].path))))
    private val row = new UnsafeRow(columns)
    override def next(): Boolean = {
      val size = in.readInt()
      if (size >= 0) row.pointTo(in.readNBytes(size), size)
      size >= 0
    }
    override def get(): InternalRow = row
    override def close(): Unit = in.close()
  }
}

class RowWriters(folder: String, schema: StructType) extends DataWriterFactory {
  override def createWriter(partition: Int, task: Long): DataWriter[InternalRow] = new DataWriter[InternalRow] {
    private val path = Paths.get(folder).resolve(s"${UUID.randomUUID}.rows")
    Files.createDirectories(path.getParent)
    private val out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(path)))
    private val bytes = UnsafeProjection.create(schema)
    // Spark 4.0 has the kind of change before the columns of a table that has no columns of its own for that.
    private lazy val changed = ProjectingInternalRow(schema, 1 to schema.length)
    override def write(row: InternalRow): Unit = {
      if (row.numFields > schema.length) changed.project(row)
      val found = bytes(if (row.numFields > schema.length) changed else row).getBytes
      out.writeInt(found.length)
      out.write(found)
    }
    override def commit(): WriterCommitMessage = { out.writeInt(-1); out.close(); new WrittenPart(path.toString) }
    override def abort(): Unit = { out.close(); Files.deleteIfExists(path): Unit }
    override def close(): Unit = ()
  }
}
