package io.predicat.spark

import java.security.MessageDigest
import java.util.{LinkedHashMap, Map => JavaMap}
import java.util.concurrent.ConcurrentHashMap

import org.apache.hadoop.fs.Path
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.classic
import org.apache.spark.sql.predicat.{InValueList, Install, ValueList}
import org.apache.spark.sql.types.DataType

/** The long lists of a catalog. A list is known by the SHA-256 of its values, so that it does not matter who says where they are. */
object Lists {
  val Name = "predicat_in_list"
  private val Most = 32
  private val places = new ConcurrentHashMap[String, String]()
  private val sent = new LinkedHashMap[String, (DataType, Broadcast[Array[Byte]])](Most, 0.75f, true) {
    override def removeEldestEntry(eldest: JavaMap.Entry[String, (DataType, Broadcast[Array[Byte]])]): Boolean = size > Most
  }

  val info: ExpressionInfo = new ExpressionInfo(classOf[InValueList].getName, null, Name,
    "_FUNC_(value, hash) - Whether a long list of the predicat catalog has a value. The SQL of filters calls it.", "", "", "", "predicate_funcs",
    "4.0.0", "", "built-in")

  /** Say in which file the values of a list are. */
  def provide(digest: String, path: String): Unit = places.put(digest, path): Unit

  /** Make the function known in a session that runs without the extension. */
  def install(session: SparkSession): Unit = session match {
    case one: classic.SparkSession => Install.function(one, FunctionIdentifier(Name), info, build _)
    case _ =>
  }

  def build(arguments: Seq[Expression]): Expression = Errors.guarded(arguments match {
    case Seq(value, hash) =>
      val digest = Arguments.text(hash, "list", Name)
      val (dataType, content) = broadcast(digest)
      InValueList(value, new ValueList(digest, dataType, content))
    case _ => throw PredicatException(Kind.Call, s"$Name takes a value and the hash of a list")
  })

  private def broadcast(digest: String): (DataType, Broadcast[Array[Byte]]) = sent.synchronized {
    val context = Settings.session.sparkContext
    val key = s"${context.applicationId} $digest"
    val values = Option(sent.get(key)).getOrElse {
      val content = read(digest)
      (ValueList.typeOf(content), context.broadcast(content))
    }
    sent.put(key, values)
    values
  }

  /** The file of a list; one with other values is refused. */
  private def read(digest: String): Array[Byte] = {
    val place = Option(places.get(digest)).getOrElse(throw PredicatException(Kind.Manifest,
      s"the manifest names no file with the values of the list ${digest.take(8)}; run predicat compile to write it"))
    val path = new Path(place)
    val fs = path.getFileSystem(Settings.session.sparkContext.hadoopConfiguration)
    if (!fs.exists(path)) throw PredicatException(Kind.Manifest,
      s"there is no file $place with the values of a list; copy the folder lists of predicat compile beside the manifest")
    val stream = fs.open(path)
    val content = try stream.readAllBytes() finally stream.close()
    val actual = MessageDigest.getInstance("SHA-256").digest(content).map(byte => f"$byte%02x").mkString
    if (actual != digest) throw PredicatException(Kind.Refused, s"the file $place does not match the manifest: its SHA-256 is $actual")
    content
  }
}
