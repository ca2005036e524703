package io.predicat.spark

import java.util.{Collections, WeakHashMap}
import java.util.concurrent.ConcurrentHashMap

import scala.util.Try

import org.apache.hadoop.fs.Path
import org.apache.spark.{SparkConf, SparkEnv}
import org.apache.spark.sql.{SparkSession, classic}
import org.apache.spark.sql.catalyst.QueryPlanningTracker
import org.apache.spark.sql.internal.SQLConf

/** Where the manifest is. Who runs the cluster chooses it; all calls of a statement see the same one. */
object Settings {
  val ManifestKey = "spark.predicat.manifest"
  val IntervalKey = "spark.predicat.manifest.checkSeconds"
  val SessionsKey = "spark.predicat.manifest.sessions"
  val PinKey = "spark.predicat.manifest.sha256"
  val KeysKey = "spark.predicat.manifest.publicKey"
  val CatalogKey = "spark.predicat.manifest.catalog"
  val LeastRevisionKey = "spark.predicat.manifest.leastRevision"

  private val NamesPrefix = "spark.predicat.manifests."

  private val statements = Collections.synchronizedMap(new WeakHashMap[QueryPlanningTracker, Map[String, Manifest]]())
  private val installed = ConcurrentHashMap.newKeySet[String]()

  /** Spark's experimental analyzer knows no rules of extensions that bind columns. */
  def singlePass: Boolean = SQLConf.get.getConfString("spark.sql.analyzer.singlePassResolver.enabled", "false").toBoolean

  def session: SparkSession = SparkSession.getActiveSession.orElse(SparkSession.getDefaultSession).getOrElse(
    throw PredicatException(Kind.Setting, "there is no active Spark session"))

  /** The program that runs the driver adds the extension to its session: it may name any manifest. */
  def allow(location: String): Unit = installed.add(location): Unit

  def manifest(reload: Boolean = false): Manifest = Errors.guarded {
    val current = session
    val where = location(current)
    val tracker = QueryPlanningTracker.get
    def known = tracker.flatMap(one => Option(statements.get(one)))
    known.flatMap(_.get(where)).filterNot(_ => reload).getOrElse {
      val manifest = read(current, where, reload)
      tracker.foreach(one => statements.put(one, known.getOrElse(Map.empty) + (where -> manifest)))
      manifest
    }
  }

  private def read(session: SparkSession, where: String, reload: Boolean): Manifest = {
    val static = session.sparkContext.getConf
    val configured = session.conf.get(IntervalKey, "3")
    val seconds = configured.toDoubleOption.filter(number => number >= 0 && number <= 86400).getOrElse(throw PredicatException(Kind.Setting,
      s"$IntervalKey must be a number of seconds, at least 0, not '$configured'"))
    val fixed = static.getOption(ManifestKey).map(name => static.get(s"$NamesPrefix$name", name))
    val pin = static.getOption(PinKey).filter(_ => fixed.contains(where))
    val place = Place(where, session.sparkContext.hadoopConfiguration, trust(static, pin))
    if (reload) Manifests.load(place) else Manifests.get(place, (seconds * 1000).toLong)
  }

  private def trust(static: SparkConf, pin: Option[String]): Trust = {
    def listed(key: String) = static.get(key, "").split(",").map(_.trim).filter(_.nonEmpty).toSeq
    val keys = listed(KeysKey)
    Seq(CatalogKey, LeastRevisionKey).filter(key => keys.isEmpty && static.contains(key)).foreach(key => throw PredicatException(Kind.Setting,
      s"$key needs $KeysKey: what a manifest says about itself counts only if it is signed"))
    val least = static.get(LeastRevisionKey, "0").trim
    Trust(pin, keys, listed(CatalogKey), least.toLongOption.filter(_ >= 0).getOrElse(throw PredicatException(Kind.Setting,
      s"$LeastRevisionKey must be a whole number, at least 0, not '$least'")))
  }

  /** Spark keeps a setting that it knows beside the text of a view or SQL function, and shows it again where that is read. */
  def registerKey(): Unit = synchronized {
    if (!SQLConf.get.isModifiable(ManifestKey))
      SQLConf.buildConf(ManifestKey).doc("The manifest of predicat: a path, or a name that the cluster gives to one.").version("4.0.0").stringConf.createOptional
  }

  /** The manifest of the cluster's configuration. A session has one of its own where the cluster has none, or lets sessions choose. */
  private def location(session: SparkSession): String = {
    // The context would copy its settings for each call.
    val static = Option(SparkEnv.get).fold(session.sparkContext.getConf)(_.conf)
    val fixed = static.getOption(ManifestKey)
    val stored = storedSetting(session)
    val configured = stored.getOrElse(session.conf.getOption(ManifestKey)).orElse(fixed)
    val free = static.getBoolean(SessionsKey, defaultValue = false)
    def named(where: String) = static.getOption(s"$NamesPrefix$where")
    configured match {
      case None => throw PredicatException(Kind.Setting,
        s"no manifest is set: set $ManifestKey to the path of the manifest.json that predicat compile writes")
      case Some(where) if fixed.forall(_ == where) || free || installed.contains(where) => named(where).getOrElse(where)
      case Some(where) if stored.isDefined && fixed.exists(one => named(one).isEmpty && samePath(session, one, where)) => fixed.get
      case Some(where) if stored.isDefined => named(where).getOrElse(throw PredicatException(Kind.Refused,
        s"this view or function was created with the manifest $where, which the cluster's configuration does not name: " +
          (if (where.contains('/')) s"start Spark with $ManifestKey=$where" else s"set $NamesPrefix$where there to its path") +
          ", or create the view again"))
      case Some(where) => throw PredicatException(Kind.Refused,
        s"this session asks for the manifest $where, but the cluster's configuration names another one; " +
          s"a session may choose only if the cluster is started with $SessionsKey=true")
    }
  }

  /** Whether two paths are the same, one of them relative perhaps: a view keeps the path as its session had it. */
  private def samePath(session: SparkSession, one: String, other: String): Boolean = Try {
    val Seq(first, second) = Seq(one, other).map(new Path(_)).map(path => path.getFileSystem(session.sparkContext.hadoopConfiguration).makeQualified(path))
    first == second
  }.getOrElse(false)

  /** In a view or SQL function the manifest of the session that made it, if it had one; None elsewhere. */
  private def storedSetting(session: SparkSession): Option[Option[String]] = session match {
    case one: classic.SparkSession if SQLConf.get ne one.sessionState.conf => Some(Option(SQLConf.get.getConfString(ManifestKey, null)))
    case _ => None
  }
}
