package io.predicat.spark

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.security.{GeneralSecurityException, KeyFactory, NoSuchAlgorithmException, PublicKey, Signature}
import java.security.spec.X509EncodedKeySpec
import java.util.Base64

/** The Ed25519 signature that `predicat compile --sign` puts at the end of a manifest. It is one of all bytes of the manifest without it. */
object Signed {
  private val Algorithm = "Ed25519"
  private val Closing = "]}\n"
  private val Ending = """],\n"signature": "([A-Za-z0-9+/]{86}==)"}\n""".r

  /** Refuse a manifest that no owner of a key has signed as it is. Each key is the base64 text of a PEM file. */
  def check(location: String, bytes: Array[Byte], keys: Seq[String]): Unit = if (keys.nonEmpty) {
    val known = keys.map(key)
    val text = new String(bytes, ISO_8859_1)
    val (content, signature) = text.splitAt(text.lastIndexOf(']')) match {
      case (content, Ending(signature)) => (content, Base64.getDecoder.decode(signature))
      case _ => throw PredicatException(Kind.Refused,
        s"the manifest $location has no signature, but ${Settings.KeysKey} requires one; run predicat compile --sign")
    }
    val signed = (content + Closing).getBytes(ISO_8859_1)
    if (!known.exists(verifies(_, signed, signature))) throw PredicatException(Kind.Refused,
      s"the signature of the manifest $location does not match: its key is not one of ${Settings.KeysKey}, or the manifest was changed")
  }

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
