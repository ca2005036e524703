package io.predicat.spark

import java.util.LinkedHashMap
import java.util.concurrent.{ScheduledThreadPoolExecutor, TimeUnit}

import scala.util.control.NonFatal

/** The manifests in use, by path. They are read anew beside the queries: after the first load no query waits for storage. */
object Manifests {
  /** As many are kept; the one that was not asked for the longest goes first. */
  private val Most = 16
  private val IdleMillis = TimeUnit.HOURS.toMillis(1)

  private val entries = new LinkedHashMap[String, Entry](Most, 0.75f, true)
  private lazy val timer = {
    val found = new ScheduledThreadPoolExecutor(4, (task: Runnable) => {
      val thread = new Thread(task, "predicat-manifest")
      thread.setDaemon(true)
      thread
    })
    found.setRemoveOnCancelPolicy(true)
    found
  }

  /** The manifest as last read. With an interval of 0 it is looked at each time. */
  def get(place: Place, everyMillis: Long): Manifest = entry(place).get(everyMillis)

  /** Read the manifest if it has changed; a broken one is an error, and the old one stays. */
  def load(place: Place): Manifest = {
    val found = entry(place).refresh()
    found.vet(None)
    found
  }

  private def entry(place: Place): Entry = entries.synchronized {
    val found = Option(entries.get(place.location)).filter(_.place.trust == place.trust).getOrElse(new Entry(place))
    entries.put(place.location, found)
    while (entries.size > Most) {
      val oldest = entries.entrySet().iterator()
      oldest.next()
      oldest.remove()
    }
    found
  }

  /** A look by get() would count as a use. */
  private def kept(entry: Entry): Boolean = entries.synchronized(entries.containsValue(entry))

  private def forget(entry: Entry): Unit = entries.synchronized { entries.remove(entry.place.location, entry): Unit }

  /** One path. Whoever asks first loads it, and only those who ask for the same path wait. */
  private class Entry(val place: Place) {
    @volatile private var loaded = Option.empty[(Stamp, Manifest)]
    @volatile private var every = 3000L
    @volatile private var used = System.currentTimeMillis()
    @volatile private var problem = ""
    @volatile private var timed = false

    def get(everyMillis: Long): Manifest = {
      every = everyMillis
      used = System.currentTimeMillis()
      loaded match {
        case Some((_, manifest)) if everyMillis > 0 => { later(); manifest }
        case Some((_, manifest)) => tryRefresh(); loaded.fold(manifest)(_._2)
        case None => { val found = first(); later(); found }
      }
    }

    private def first(): Manifest = synchronized(loaded.map(_._2).getOrElse(read(ManifestFile.stamp(place))))

    def refresh(): Manifest = synchronized {
      val now = ManifestFile.stamp(place)
      loaded.collect { case (stamp, manifest) if stamp == now => manifest }.getOrElse(read(now))
    }

    private def read(stamp: Stamp): Manifest = {
      val manifest = ManifestFile.read(place, loaded.map(_._2))
      // The first is checked as its filters are used: a query waits for it.
      loaded.foreach { case (_, old) => manifest.vet(Some(old)) }
      loaded = Some((stamp, manifest))
      Signed.used(place.location, manifest.edition, place.trust)
      problem = ""
      manifest
    }

    private def tryRefresh(): Unit =
      try refresh(): Unit
      catch {
        case NonFatal(error) =>
          val found = String.valueOf(error.getMessage)
          if (found != problem) Errors.warn(s"continues with its current filters: $found")
          problem = found
      }

    private def later(): Unit = if (!timed && every > 0) {
      val first = synchronized { val now = !timed; timed = true; now }
      if (first) timer.schedule((() => beside()): Runnable, every, TimeUnit.MILLISECONDS): Unit
    }

    private def beside(): Unit = {
      if (System.currentTimeMillis() - used > IdleMillis) forget(this)
      if (kept(this) && every > 0) {
        tryRefresh()
        timer.schedule((() => beside()): Runnable, math.max(every, 50L), TimeUnit.MILLISECONDS): Unit
      } else synchronized { timed = false }
    }
  }
}
