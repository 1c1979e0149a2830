"""Files to send: opened for each try, and counted while they are read."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from typing import IO, Any, TypeAlias

#: A path, bytes or a file that is open for reading, or one of the latter with a name: by its ending the service knows
#: formats that the bytes do not tell, such as text.
FileSource: TypeAlias = "str | os.PathLike[str] | bytes | IO[bytes] | tuple[str, bytes | IO[bytes]]"


class SentFile:
    """One part of a form."""

    def __init__(self, source: FileSource) -> None:
        if not isinstance(source, (str, os.PathLike, tuple)):
            # A file that was opened by its path has it.
            path = getattr(source, "name", None)
            source = (os.path.basename(path) if isinstance(path, str) else "file", source)
        if isinstance(source, tuple):
            self.name, content = source
            self._content: bytes | IO[bytes] | None = content
            self._path: str | None = None
        else:
            self._path = os.fspath(source)
            self.name = os.path.basename(self._path)
            self._content = None
            # What is not there is told before anything is sent.
            os.stat(self._path)

    @property
    def is_repeatable(self) -> bool:
        """A stream that cannot be wound back is sent once."""
        return self._content is None or isinstance(self._content, bytes) or self._content.seekable()

    def open(self) -> IO[bytes]:
        if self._path is not None:
            return open(self._path, "rb")
        if isinstance(self._content, bytes):
            return io.BytesIO(self._content)
        assert self._content is not None
        if self._content.seekable():
            self._content.seek(0)
        return self._content

    def close(self, opened: IO[bytes]) -> None:
        """A file that the caller opened stays open."""
        if opened is not self._content:
            opened.close()


class Counted:
    """A file that tells how much of it was read."""

    def __init__(self, file: IO[bytes], on_read: Callable[[int], None]) -> None:
        self._file = file
        self._on_read = on_read

    def read(self, size: int = -1) -> bytes:
        chunk = self._file.read(size)
        self._on_read(len(chunk))
        return chunk

    def __iter__(self) -> Any:
        while chunk := self.read(65_536):
            yield chunk

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)
