"""Compressed files and archives -> the streams of text in them, read front to back and never held as a whole."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from bytepair.corpus.parts import Meter
from bytepair.corpus.paths import unreadable
from bytepair.errors import BytepairError, CorpusError, MissingPackageError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

# Enough to see the magic number of every kind: that of a tar lies at 257.
HEAD: Final = 512
_BLOCK: Final = 1 << 18
# A file that unpacks to itself would never end.
_DEEPEST: Final = 4

_MAGICS: Final = {
    b"\x1f\x8b": "gz",
    b"\x28\xb5\x2f\xfd": "zst",
    # A frame that says how large the next one is, as pzstd writes it.
    b"\x50\x2a\x4d\x18": "zst",
    b"\xfd7zXZ\x00": "xz",
    b"BZh91AY&SY": "bz2",
    b"PK\x03\x04": "zip",
    b"PK\x05\x06": "zip",
}
_COMPRESSED: Final = {"gz": (".gz", ".gzip"), "zst": (".zst", ".zstd"), "xz": (".xz",), "bz2": (".bz2",)}
_BROKEN: Final = (OSError, EOFError, zlib.error, lzma.LZMAError, tarfile.TarError, zipfile.BadZipFile, RuntimeError)


@dataclass(frozen=True, slots=True)
class Member:
    """One text file, wherever it lies.

    Args:
        name: the file and what in it, for messages.
        plain_name: its own name without what says how it was compressed.
        stream: its contents, to be read before the next member.
        head: its first bytes; they are in the stream too.
    """

    name: str
    plain_name: str
    stream: BinaryIO
    head: bytes


def packing_of(head: bytes, name: str) -> str | None:
    r"""How a file is compressed or which archive it is, by its first bytes; None where it lies open.

    >>> packing_of(b"\x1f\x8b\x08", "text"), packing_of(b"text", "text.gz")
    ('gz', None)
    """
    for magic, kind in _MAGICS.items():
        if head.startswith(magic):
            return kind
    return "tar" if head[257:262] == b"ustar" or (name.endswith(".tar") and len(head) == HEAD) else None


def members(path: str, meter: Meter) -> Iterator[Member]:
    """The text files in a file, in their order; itself where it lies open.

    Args:
        path: the file.
        meter: told of the bytes that are read of it.

    Raises:
        CorpusError: it is broken, or packed too deeply; names it.
        MissingPackageError: it is compressed by zstd, and the package zstandard is not installed.
        UnreadableFileError: it cannot be read.
    """
    try:
        raw = open(path, "rb", buffering=0)  # noqa: SIM115, PTH123  # closed below, however far it was read
    except OSError as error:
        raise unreadable(path, error) from error
    with raw:
        yield from _unpacked(path, path, io.BufferedReader(_Counted(raw, meter), _BLOCK), 0)


def _unpacked(name: str, plain_name: str, file: BinaryIO, depth: int) -> Iterator[Member]:
    head, stream = _with_head(name, file)
    kind = packing_of(head, plain_name)
    if kind is None:
        yield Member(name, plain_name, stream, head)
    elif depth == _DEEPEST:
        raise CorpusError(f"{name!r} is packed more than {_DEEPEST} times; unpack it first")
    elif kind == "zip":
        yield from _unzipped(name, file, depth)
    elif kind == "tar":
        yield from _untarred(name, stream, depth)
    else:
        opened = _guarded(name, lambda: _opened(name, kind, stream))
        yield from _unpacked(name, _without(plain_name, _COMPRESSED[kind]), opened, depth + 1)


def _opened(name: str, kind: str, stream: BinaryIO) -> BinaryIO:
    if kind == "zst":
        return cast("BinaryIO", _zstandard(name, stream))
    if kind == "gz":
        return cast("BinaryIO", gzip.GzipFile(fileobj=stream))
    return cast("BinaryIO", lzma.LZMAFile(stream) if kind == "xz" else bz2.BZ2File(stream))


def _zstandard(name: str, stream: BinaryIO) -> Any:
    try:
        import zstandard
    except ImportError as error:
        raise MissingPackageError(
            f"{name!r} is compressed by zstd, and the package zstandard, which unpacks it, cannot be imported "
            f"({error}); install it: pip install 'bytepair[corpora]'",
            name="zstandard",
        ) from error
    # Files that were made with a large window ask for as much memory.
    return io.BufferedReader(_Frames(zstandard.ZstdDecompressor(max_window_size=1 << 31), stream), _BLOCK)


class _Frames(io.RawIOBase):
    """Frames of zstd, one behind the other; the package's own reader takes one that was cut short for its end."""

    # Four bytes may stand for 128 KB: what a step can expand to is bounded so.
    _STEP: Final = 1 << 11

    def __init__(self, unpacker: Any, stream: BinaryIO) -> None:
        self._unpacker, self._stream = unpacker, stream
        self._frame: Any = None
        self._packed = self._text = b""

    def readable(self) -> bool:
        return True

    def readinto(self, into: WriteableBuffer) -> int:
        view = memoryview(into).cast("B")
        while not self._text and self._advance():
            pass
        n_bytes = min(len(view), len(self._text))
        view[:n_bytes] = self._text[:n_bytes]
        self._text = self._text[n_bytes:]
        return n_bytes

    def _advance(self) -> bool:
        """Unpack a little; whether there was anything left."""
        self._packed = self._packed or self._stream.read(self._STEP)
        if not self._packed:
            if self._frame is not None:
                raise EOFError("it ends within a frame")
            return False
        self._frame = self._frame or self._unpacker.decompressobj()
        self._text = self._frame.decompress(self._packed)
        self._packed = b""
        if self._frame.eof:
            self._packed, self._frame = self._frame.unused_data, None
        return True


def _unzipped(name: str, file: BinaryIO, depth: int) -> Iterator[Member]:
    if depth:
        raise CorpusError(f"{name!r} holds a zip archive in another; unpack the outer one first")
    file.seek(0)
    archive = _guarded(name, lambda: zipfile.ZipFile(file))
    for each in archive.infolist():
        if not each.is_dir() and not _is_hidden(each.filename):
            inner = f"{name}/{each.filename}"
            with _guarded(inner, lambda each=each: archive.open(each)) as stream:  # type: ignore[misc]
                yield from _unpacked(inner, each.filename, cast("BinaryIO", stream), depth + 1)


def _untarred(name: str, stream: BinaryIO, depth: int) -> Iterator[Member]:
    archive = _guarded(name, lambda: tarfile.open(fileobj=stream, mode="r|"))  # noqa: SIM115  # of the caller's stream
    while (each := _guarded(name, archive.next)) is not None:
        # It would remember every member that it went by.
        archive.members.clear()
        if each.isfile() and not _is_hidden(each.name):
            inner = f"{name}/{each.name}"
            yield from _unpacked(inner, each.name, cast("BinaryIO", archive.extractfile(each)), depth + 1)


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") and part not in (".", "..") for part in name.split("/")) or name.startswith(
        "__MACOSX/"
    )


def _without(name: str, suffixes: tuple[str, ...]) -> str:
    return next((name.removesuffix(each) for each in suffixes if name.lower().endswith(each)), name)


def _guarded(name: str, work: Callable[[], Any]) -> Any:
    """What the work gives; what it raises says which file is broken."""
    try:
        return work()
    except BytepairError:
        raise
    except _BROKEN as error:
        raise broken(name, error) from error
    except Exception as error:
        # Of a package that may not be there to name its class.
        if type(error).__module__.partition(".")[0] != "zstandard":
            raise
        raise broken(name, error) from error


def broken(name: str, error: Exception, n_bytes: int | None = None) -> CorpusError:
    """What to raise where a file cannot be unpacked."""
    where = "" if n_bytes is None else f" behind {n_bytes:,} bytes of its text"
    return CorpusError(
        f"{name!r} is broken or cut short{where}: {str(error) or type(error).__name__}; get the file again, or leave "
        "it out"
    )


class _Counted(io.RawIOBase):
    """A file that tells how much was read of it."""

    def __init__(self, file: io.FileIO, meter: Meter) -> None:
        self._file, self._meter = file, meter

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def readinto(self, into: WriteableBuffer) -> int:
        n_bytes = self._file.readinto(into) or 0
        self._meter.done += n_bytes
        return n_bytes


class _Rejoined(io.RawIOBase):
    """A stream of which the head was read already; what goes wrong in it names the file."""

    def __init__(self, name: str, head: bytes, rest: BinaryIO) -> None:
        self._name, self._head, self._rest = name, head, rest
        self._n_bytes = 0

    def readable(self) -> bool:
        return True

    def readinto(self, into: WriteableBuffer) -> int:
        view = memoryview(into).cast("B")
        if self._head:
            n_bytes = min(len(view), len(self._head))
            view[:n_bytes] = self._head[:n_bytes]
            self._head = self._head[n_bytes:]
        else:
            n_bytes = self._read(view)
        self._n_bytes += n_bytes
        return n_bytes

    def _read(self, view: memoryview) -> int:
        try:
            return _guarded(self._name, lambda: self._rest.readinto(view)) or 0  # type: ignore[attr-defined]
        except CorpusError as error:
            cause = error.__cause__
            raise broken(self._name, cause, self._n_bytes) if isinstance(cause, Exception) else error from cause


def _with_head(name: str, file: BinaryIO) -> tuple[bytes, BinaryIO]:
    """The first bytes of a stream, and the stream with them."""
    head = b""
    while len(head) < HEAD and (more := _guarded(name, lambda: file.read(HEAD - len(head)))):  # noqa: B023  # called here
        head += more
    return head, rejoined(name, head, file)


def rejoined(name: str, head: bytes, rest: BinaryIO) -> BinaryIO:
    """A stream of which a part was read already, as a whole; what goes wrong in it names the file."""
    return io.BufferedReader(_Rejoined(name, head, rest), _BLOCK)
