"""Files and folders on any file system that Hadoop knows, by their whole paths."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit
from uuid import uuid4

from predicat.diagnostics import PredicatError
from predicat.diagnostics.messages import pipeline as say

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


_BESIDE = re.compile(r"\..+\.[0-9a-f]{32}")


class Files:
    """The file systems that a session reaches.

    Each word of `jvm.org.apache...` and each call is a message to the JVM: classes and file systems are kept.
    """

    def __init__(self, session: SparkSession) -> None:
        jvm: Any = session.sparkContext._jvm  # noqa: SLF001  # the way to Hadoop's file systems
        java: Any = session.sparkContext._jsc  # noqa: SLF001  # as above
        self.conf: Any = java.hadoopConfiguration()
        self.jvm = jvm
        self._path: Any = jvm.org.apache.hadoop.fs.Path
        self._systems: dict[tuple[str, str], Any] = {}

    def whole(self, path: str) -> str:
        """A path with its file system and from its root, without a slash at the end."""
        return str(self._system(path).makeQualified(self._path(path)).toString())

    def exists(self, path: str) -> bool:
        """Whether there is a file or a folder of this name."""
        return bool(self._system(path).exists(self._path(path)))

    def is_folder(self, path: str) -> bool:
        """Whether there is a folder of this name."""
        return self.exists(path) and bool(self._system(path).getFileStatus(self._path(path)).isDirectory())

    def names(self, folder: str) -> list[str]:
        """The names in a folder; empty if it does not exist."""
        if not self.exists(folder):
            return []
        return sorted(
            str(status.getPath().getName()) for status in self._system(folder).listStatus(self._path(folder))
        )

    def below(self, folder: str) -> Iterator[str]:
        """The files in a folder and in those below it, by their paths from there; without checksums and
        other hidden files.
        """
        files = self._system(folder).listFiles(self._path(folder), True)
        start = len(self.whole(folder)) + 1
        while files.hasNext():
            path = str(files.next().getPath().toString())
            if not path.rpartition("/")[2].startswith("."):
                yield path[start:]

    def folder(self, path: str) -> None:
        """Create a folder and those above it."""
        self._system(path).mkdirs(self._path(path))

    def rename(self, old: str, new: str) -> None:
        """Move a file or folder to a path that does not exist. Raises PredicatError."""
        if not self._system(old).rename(self._path(old), self._path(new)):
            raise PredicatError.of(say.cannot_move(old, new))

    def delete(self, path: str) -> None:
        """Delete a file, or a folder with all that is in it."""
        self._system(path).delete(self._path(path), True)

    def drop_if_empty(self, folder: str) -> None:
        """Delete a folder that has no files."""
        if self.exists(folder) and not self._system(folder).listStatus(self._path(folder)):
            self.delete(folder)

    def read(self, path: str) -> str:
        """The text of a file."""
        stream = self._system(path).open(self._path(path))
        try:
            return bytes(self.jvm.org.apache.commons.io.IOUtils.toByteArray(stream)).decode()
        finally:
            stream.close()

    @staticmethod
    def is_beside(name: str) -> bool:
        """Whether a file is one that `write` has not moved to its place."""
        return _BESIDE.fullmatch(name) is not None

    def write(self, path: str, text: str) -> None:
        """Write a small file atomically: to a temporary name, then renamed."""
        temporary = f"{path.rpartition('/')[0]}/.{path.rpartition('/')[2]}.{uuid4().hex}"
        with self._deleted_after_an_error(temporary):
            self._fill(temporary, text)
            self._replace(temporary, path)

    def _replace(self, temporary: str, path: str) -> None:
        local = self._local(path)
        if local is not None:
            Path(str(self._local(temporary))).replace(local)  # Hadoop moves no file to the place of another
            return
        if self.exists(path):
            self.delete(path)
        self.rename(temporary, path)

    def create(self, path: str, text: str) -> bool:
        """Create a file. Returns False if it exists."""
        local = self._local(path)
        if local is not None:  # Hadoop looks and then writes; the system's own call does both in one
            Path(local).parent.mkdir(parents=True, exist_ok=True)
            try:
                number = os.open(local, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
            except FileExistsError:
                return False
            with self._deleted_after_an_error(path), os.fdopen(number, "w", encoding="utf-8") as file:
                file.write(text)
            return True
        if self.exists(path):
            return False
        self._fill(path, text)
        return True

    def _fill(self, path: str, text: str) -> None:
        stream = self._system(path).create(self._path(path), False)
        with self._deleted_after_an_error(path), closing(stream):
            stream.write(bytearray(text.encode()))

    @contextmanager
    def _deleted_after_an_error(self, path: str) -> Iterator[None]:
        try:
            yield
        except BaseException:
            with suppress(Exception):  # the first error is the one to tell
                self.delete(path)
            raise

    def _system(self, path: str) -> Any:
        parts = urlsplit(path)
        place = (parts.scheme, parts.netloc)
        if place not in self._systems:
            system = self._path(path).getFileSystem(self.conf)
            if self._local(path) is not None:
                system.setWriteChecksum(False)
            self._systems[place] = system
        return self._systems[place]

    @staticmethod
    def _local(path: str) -> str | None:
        parts = urlsplit(path)
        return unquote(parts.path) if parts.scheme in ("", "file") else None
