package io.predicat.spark

import java.nio.charset.StandardCharsets.US_ASCII
import java.security.{GeneralSecurityException, KeyFactory, NoSuchAlgorithmException, PublicKey, Signature}
import java.security.spec.X509EncodedKeySpec
import java.util.Base64
import java.util.concurrent.ConcurrentHashMap

/** What a signed manifest is: the catalog's name, and a number that grows with each manifest of the catalog. */
case class Edition(catalog: String, revision: Long)

/** What a manifest must show: the SHA-256 of its bytes, if any; a signature by one of the keys, and one of the catalogs, if there are some. */
case class Trust(pin: Option[String], keys: Seq[String], catalogs: Seq[String], leastRevision: Long)

/** The Ed25519 signature that `predicat compile --sign` puts on the last line of a manifest. It is one of all bytes before that line. */
object Signed {
  private val Algorithm = "Ed25519"
  private val LastLine = """"signature": "([A-Za-z0-9+/]{86}==)"}\n""".r

  private val newest = new ConcurrentHashMap[String, Edition]()

  /** Refuse a manifest that no owner of a key has signed as it is. Each key is the base64 text of a PEM file. */
  def check(location: String, bytes: Array[Byte], keys: Seq[String]): Unit = if (keys.nonEmpty) {
    val known = keys.map(key)
    val (signed, line) = bytes.splitAt(bytes.lastIndexOf('\n'.toByte, bytes.length - 2) + 1)
    val signature = new String(line, US_ASCII) match {
      case LastLine(signature) => Base64.getDecoder.decode(signature)
      case _ => throw PredicatException(Kind.Refused,
        s"the manifest $location has no signature, but ${Settings.KeysKey} requires one; run predicat compile --sign")
    }
    if (!known.exists(verifies(_, signed, signature))) throw PredicatException(Kind.Refused,
      s"the signature of the manifest $location does not match: its key is not one of ${Settings.KeysKey}, or the manifest was changed")
  }

  /** Refuse a signed manifest that is older than one that was in use here, or of another catalog. What was in use is known as long as the driver runs. */
  def checkEdition(location: String, edition: Option[Edition], trust: Trust): Unit = if (trust.keys.nonEmpty) {
    def refuse(reason: String) = throw PredicatException(Kind.Refused, s"the manifest $location $reason")
    val found = edition.getOrElse(refuse("has a signature without a catalog and a revision; sign it again with predicat compile --sign"))
    def older(than: Long, why: String) = if (found.revision < than) refuse(s"has revision ${found.revision}, but $why")
    if (trust.catalogs.nonEmpty && !trust.catalogs.contains(found.catalog)) refuse(
      s"is of the catalog '${found.catalog}', but ${Settings.CatalogKey} is ${trust.catalogs.mkString(",")}")
    older(trust.leastRevision, s"${Settings.LeastRevisionKey} is ${trust.leastRevision}")
    Option(newest.get(location)).foreach { used =>
      if (used.catalog != found.catalog) refuse(s"is of the catalog '${found.catalog}', but '${used.catalog}' is in use; restart Spark to change the catalog")
      older(used.revision, s"${used.revision} is in use; to go back, compile and sign the old catalog again")
    }
  }

  /** From now on only this manifest, or one with a higher revision, is taken. */
  def used(location: String, edition: Option[Edition], trust: Trust): Unit =
    if (trust.keys.nonEmpty) edition.foreach(newest.merge(location, _, (one, other) => if (one.revision > other.revision) one else other))

  private def verifies(key: PublicKey, content: Array[Byte], signature: Array[Byte]): Boolean = {
    val check = Signature.getInstance(Algorithm)
    check.initVerify(key)
    check.update(content)
    try check.verify(signature) catch { case _: GeneralSecurityException => false }
  }

  private def key(text: String): PublicKey = {
    def wrong(problem: Exception) = throw PredicatException(Kind.Setting, s"${Settings.KeysKey} has a value that is not an Ed25519 public key in base64, " +
      s"as between the lines BEGIN and END of a PEM file: '$text' (${problem.getMessage})")
    try KeyFactory.getInstance(Algorithm).generatePublic(new X509EncodedKeySpec(Base64.getDecoder.decode(text))) catch {
      case _: NoSuchAlgorithmException => throw PredicatException(Kind.Setting, s"${Settings.KeysKey} is set, but this Java has no $Algorithm")
      case problem: IllegalArgumentException => wrong(problem)
      case problem: GeneralSecurityException => wrong(problem)
    }
  }
}
