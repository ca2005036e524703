package predicat.test

import java.util

import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.read.{Batch, InputPartition, PartitionReaderFactory, Scan, ScanBuilder}
import org.apache.spark.sql.connector.write._
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** A catalog whose tables are never read: it shows what Spark hands a source in DELETE, UPDATE and MERGE. */
class Recorded extends TableCatalog {
  private var called = ""
  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = called = name
  override def name: String = called
  override def listTables(namespace: Array[String]): Array[Identifier] = Array.empty
  override def loadTable(ident: Identifier): Table = new RecordedTable(ident.name)
  override def alterTable(ident: Identifier, changes: TableChange*): Table = throw new UnsupportedOperationException
  override def dropTable(ident: Identifier): Boolean = false
  override def renameTable(before: Identifier, after: Identifier): Unit = throw new UnsupportedOperationException
  override def createTable(ident: Identifier, schema: StructType, partitions: Array[Transform], properties: util.Map[String, String]): Table =
    throw new UnsupportedOperationException
}

object Recorded {
  @volatile var deleted: String = ""
}

class RecordedTable(called: String) extends Table with SupportsRead with SupportsWrite with SupportsDeleteV2 with SupportsRowLevelOperations {
  private val fields = StructType.fromDDL("id BIGINT, delay BIGINT, carrier STRING, gate INT, ready BOOLEAN, day DATE")
  override def name: String = called
  override def schema: StructType = fields
  override def capabilities: util.Set[TableCapability] = util.Set.of(TableCapability.BATCH_READ, TableCapability.BATCH_WRITE)
  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = () => new Scan {
    override def readSchema(): StructType = fields
    override def toBatch: Batch = new Batch {
      override def planInputPartitions(): Array[InputPartition] = Array.empty
      override def createReaderFactory(): PartitionReaderFactory = (_: InputPartition) => throw new UnsupportedOperationException
    }
  }
  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = new WriteBuilder { override def build(): Write = new Write {} }

  override def canDeleteWhere(predicates: Array[Predicate]): Boolean = {
    Recorded.deleted = predicates.mkString(" AND ")
    true
  }
  override def deleteWhere(predicates: Array[Predicate]): Unit = Recorded.deleted = predicates.mkString(" AND ")

  override def newRowLevelOperationBuilder(info: RowLevelOperationInfo): RowLevelOperationBuilder = () => new RowLevelOperation {
    override def command: RowLevelOperation.Command = info.command
    override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = RecordedTable.this.newScanBuilder(options)
    override def newWriteBuilder(write: LogicalWriteInfo): WriteBuilder = RecordedTable.this.newWriteBuilder(write)
  }
}

/** Another extension beside that of predicat: a function, and a rule that looks at every plan. */
class Other extends (org.apache.spark.sql.SparkSessionExtensions => Unit) {
  import org.apache.spark.sql.catalyst.FunctionIdentifier
  import org.apache.spark.sql.catalyst.expressions.{Add, Expression, ExpressionInfo}
  import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
  import org.apache.spark.sql.catalyst.rules.Rule

  private object Look extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp { case node => node.transformExpressions { case found => found } }
  }

  override def apply(extensions: org.apache.spark.sql.SparkSessionExtensions): Unit = {
    val info = new ExpressionInfo(getClass.getName, "twice")
    extensions.injectFunction((FunctionIdentifier("twice"), info, (given: Seq[Expression]) => Add(given.head, given.head)))
    extensions.injectResolutionRule(_ => Look)
    extensions.injectOptimizerRule(_ => Look)
  }
}
