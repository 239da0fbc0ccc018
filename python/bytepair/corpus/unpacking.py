"""Compressed files and archives -> the streams of text in them, read front to back and never held as a whole."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from bytepair.corpus.parts import Meter
from bytepair.corpus.paths import unreadable
from bytepair.errors import BytepairError, CorpusError, EncodingError, MissingPackageError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

# Enough to see the magic number of every kind: that of a tar lies at 257.
HEAD: Final = 512
_BLOCK: Final = 1 << 18
# Text that is read on behind an error, to see whether the file is broken.
_MOST_CHECKED: Final = 1 << 30
# What the dictionary of xz may take; `xz -9` makes one of 64 MiB, and a file may ask for 1.5 GiB.
_MOST_MEMORY: Final = 1 << 30
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
_COMPRESSED: Final = {
    "gz": (".gz", ".gzip", ".tgz"),
    "zst": (".zst", ".zstd", ".tzst"),
    "xz": (".xz", ".txz"),
    "bz2": (".bz2", ".tbz2", ".tbz"),
}
_BROKEN: Final = (
    OSError,
    EOFError,
    zlib.error,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    RuntimeError,
    # What tarfile and zipfile raise themselves where numbers or names of a header make no sense.
    ValueError,
    ArithmeticError,
    LookupError,
    struct.error,
    # A number of a header that is taken for a size.
    MemoryError,
)
# A record of a tar about the member behind it is held as a whole.
_MAX_TAR_RECORD: Final = 1 << 20
_DIGITS: Final = re.compile(rb"\d+")
_MAX_DIGITS: Final = 255
_TAR_RECORDS: Final = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)


@dataclass(frozen=True, slots=True)
class Member:
    """One text file, wherever it lies.

    Args:
        name: the file and what in it, for messages.
        plain_name: its own name without what says how it was compressed.
        stream: its contents, to be read before the next member.
        head: its first bytes; they are in the stream too.
        is_packed: whether it is compressed or in an archive.
    """

    name: str
    plain_name: str
    stream: BinaryIO
    head: bytes
    is_packed: bool = True

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """Reads its text; where that is wrong and the file broken, the error is about the file.

        What is compressed has its checksum at the end, behind whatever a wrong byte in the middle was unpacked to.
        """
        try:
            yield
        except (EncodingError, CorpusError) as error:
            if self.is_packed and not isinstance(error.__cause__, _BROKEN):
                n_left = _MOST_CHECKED
                while n_left > 0 and (block := self.stream.read(_BLOCK)):
                    n_left -= len(block)
            raise


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
        yield Member(name, plain_name, stream, head, is_packed=depth > 0)
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
    if kind == "xz":
        unpacker = partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, memlimit=_MOST_MEMORY)
        streams = _Streams(unpacker, stream, padding=b"\0")
    else:
        streams = _Streams(bz2.BZ2Decompressor, stream)
    return cast("BinaryIO", io.BufferedReader(streams, _BLOCK))


class _Streams(io.RawIOBase):
    """Streams of bz2 or xz, one behind the other; Python's own readers take a bad one behind the first for the end.

    Args:
        unpacker: makes what unpacks one of them.
        stream: all of them.
        padding: what may stand behind one.
    """

    def __init__(self, unpacker: Callable[[], Any], stream: BinaryIO, padding: bytes = b"") -> None:
        self._unpacker, self._stream, self._padding = unpacker, stream, padding
        self._one: Any = unpacker()
        self._packed = b""

    def readable(self) -> bool:
        return True

    def readinto(self, into: WriteableBuffer) -> int:
        view = memoryview(into).cast("B")
        while self._one is not None or self._begin():
            if self._one.needs_input:
                self._packed = self._packed or self._stream.read(_BLOCK)
                if not self._packed:
                    raise EOFError("it ends within a stream")
            text = self._one.decompress(self._packed, len(view))
            self._packed = b""
            if self._one.eof:
                self._packed, self._one = self._one.unused_data, None
            if text:
                view[: len(text)] = text
                return len(text)
        return 0

    def _begin(self) -> bool:
        """Go on to the next stream; whether there is one."""
        while not (packed := self._packed.lstrip(self._padding)) and (more := self._stream.read(_BLOCK)):
            self._packed = more
        self._packed = packed
        if packed:
            self._one = self._unpacker()
        return bool(packed)


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
        self._n_given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, into: WriteableBuffer) -> int:
        view = memoryview(into).cast("B")
        while self._n_given == len(self._text) and self._advance():
            pass
        # Not cut off: a step may expand to much, which every read would copy.
        given = memoryview(self._text)[self._n_given : self._n_given + len(view)]
        view[: len(given)] = given
        self._n_given += len(given)
        return len(given)

    def _advance(self) -> bool:
        """Unpack a little; whether there was anything left."""
        self._packed = self._packed or self._stream.read(self._STEP)
        if not self._packed:
            if self._frame is not None:
                raise EOFError("it ends within a frame")
            return False
        self._frame = self._frame or self._unpacker.decompressobj()
        self._text, self._n_given = self._frame.decompress(self._packed), 0
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
        # The text of a link is the name of what it leads to.
        is_link = stat.S_ISLNK(each.external_attr >> 16)
        # Not is_dir, which fails where there is no name at all.
        if not each.filename.endswith("/") and not is_link and not _is_hidden(each.filename):
            inner = f"{name}/{each.filename}"
            with _guarded(inner, lambda each=each: archive.open(each)) as stream:  # type: ignore[misc]
                yield from _unpacked(inner, each.filename, cast("BinaryIO", stream), depth + 1)


def _untarred(name: str, stream: BinaryIO, depth: int) -> Iterator[Member]:
    archive = _guarded(
        name,
        lambda: tarfile.open(fileobj=cast("BinaryIO", _Unended(stream)), mode="r|", tarinfo=_headers_of(name)),  # noqa: SIM115  # of the caller's stream
    )
    while (each := _guarded(name, archive.next)) is not None:
        # It would remember every member that it went by.
        archive.members.clear()
        _check_tar_member(name, each, archive.pax_headers)
        if each.isfile() and not _is_hidden(each.name):
            inner = f"{name}/{each.name}"
            yield from _unpacked(inner, each.name, cast("BinaryIO", archive.extractfile(each)), depth + 1)
    # What it is compressed by has its checksum at the end, behind the end of the tar.
    while stream.read(_BLOCK):
        pass


class _Unended:
    """The stream of a tar, whose end is a block of zeros: tarfile takes the end of the stream for one, too."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def read(self, n_bytes: int) -> bytes:
        block = self._stream.read(n_bytes)
        if not block:
            raise EOFError("it ends before the block of zeros that ends a tar")
        return block


def _headers_of(archive: str) -> type[tarfile.TarInfo]:
    """The headers of a tar; tarfile itself takes a bad one for the end, and allocates what a sparse file says."""

    class Header(tarfile.TarInfo):
        @classmethod
        def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Header:
            try:
                header = super().frombuf(buf, encoding, errors)
            except tarfile.HeaderError as error:
                if len(buf) == tarfile.BLOCKSIZE and not any(buf):
                    raise
                raise tarfile.ReadError(f"a header is none ({error})") from error
            if header.size < 0:
                raise tarfile.ReadError(f"{header.name!r} has {header.size} as its size")
            if header.type == tarfile.GNUTYPE_SPARSE:
                raise _sparse(archive, header.name)
            if header.type in _TAR_RECORDS and header.size > _MAX_TAR_RECORD:
                raise CorpusError(
                    f"{archive!r} holds a header of {header.size:,} bytes, and {_MAX_TAR_RECORD:,} are the most that "
                    "is read; pack it anew, or leave it out"
                )
            return header

        def _proc_pax(self, opened: tarfile.TarFile) -> tarfile.TarInfo:
            # Of tarfile's own; it passes over what is no record, and searches long rows of digits for hours.
            stream: Any = opened.fileobj
            records = stream.read(-(-self.size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE)
            _check_pax(records[: self.size])
            opened.fileobj = cast("Any", _Returned(records, stream))
            try:
                return cast("tarfile.TarInfo", super()._proc_pax(opened))  # type: ignore[misc]
            finally:
                opened.fileobj = stream

        def _refuse_sparse(self, member: tarfile.TarInfo, records: object, *_: object) -> None:
            own = records.get("GNU.sparse.name") if isinstance(records, Mapping) else None
            raise _sparse(archive, own or member.name)

        _proc_gnusparse_00 = _proc_gnusparse_01 = _proc_gnusparse_10 = _refuse_sparse

    return Header


class _Returned:
    """A stream of which the last read is given once more."""

    def __init__(self, last: bytes, stream: BinaryIO) -> None:
        self._last: bytes | None = last
        self._stream = stream

    def read(self, n_bytes: int) -> bytes:
        last, self._last = self._last, None
        return self._stream.read(n_bytes) if last is None else last

    def tell(self) -> int:
        return self._stream.tell()


def _check_pax(records: bytes) -> None:
    """Refuse what is no row of records, each its own length in digits, a space, a key, "=", a value and a line end."""
    if any(len(digits) > _MAX_DIGITS for digits in _DIGITS.findall(records)):
        raise tarfile.ReadError(f"a header has a number of more than {_MAX_DIGITS} digits")
    rest = records.rstrip(b"\0")
    place = 0
    while place < len(rest):
        length = rest[place : place + 9].partition(b" ")[0]
        n_bytes = int(length) if length.isdigit() else 0
        record = rest[place : place + n_bytes]
        if len(record) < max(n_bytes, 1) or not record.endswith(b"\n") or record.find(b"=") <= len(length) + 1:
            raise tarfile.ReadError(f"a header has no record at offset {place}")
        place += n_bytes


def _sparse(archive: str, member: str) -> CorpusError:
    return CorpusError(
        f"'{archive}/{member}' is a sparse file, of which a tar leaves out the holes; pack it without --sparse, or "
        "leave it out"
    )


def _check_tar_member(archive: str, member: tarfile.TarInfo, for_all: Mapping[str, str]) -> None:
    records = member.pax_headers
    if member.sparse is not None or any(key.startswith("GNU.sparse.") for key in records):
        raise _sparse(archive, member.name)
    # tarfile reads what is no number as 0, and one size for all members after it went by them.
    size = records.get("size", "0")
    if member.size < 0 or "size" in for_all or not (size.isascii() and size.isdecimal()):
        error = tarfile.ReadError(f"it has {records.get('size', member.size)!s} as its size")
        raise broken(f"{archive}/{member.name}", error) from error


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") and part not in (".", "..") for part in name.split("/")) or name.startswith(
        "__MACOSX/"
    )


def _without(name: str, suffixes: tuple[str, ...]) -> str:
    """The name without what says how it is compressed; `a.tgz` stands for `a.tar.gz`."""
    for each in suffixes:
        if name.lower().endswith(each):
            return name[: -len(each)] + (".tar" if each.startswith(".t") else "")
    return name


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
    # The words of lzma and of zstd; both come without a class of their own.
    if isinstance(error, MemoryError) or re.search("memory (usage|for decod)", str(error), re.IGNORECASE):
        return CorpusError(
            f"{name!r} asks for more memory to be unpacked than files are given here ({error or 'MemoryError'}); "
            "compress it with a smaller window or dictionary (xz -9, zstd -19), or leave it out"
        )
    where = "" if n_bytes is None else f" behind {n_bytes:,} bytes of its text"
    return CorpusError(
        f"{name!r} is broken or cut short{where}: {str(error) or type(error).__name__}; get the file again, or leave "
        "it out"
    )


class _Counted(io.RawIOBase):
    """A file that tells how much was read of it."""

    def __init__(self, file: io.FileIO, meter: Meter) -> None:
        self._file, self._meter = file, meter
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        self._at = self._file.seek(offset, whence)
        return self._at

    def tell(self) -> int:
        return self._file.tell()

    def readinto(self, into: WriteableBuffer) -> int:
        n_bytes = self._file.readinto(into) or 0
        self._meter.done += n_bytes
        if self._meter.hashing is not None:
            self._meter.hashing.read(self._at, memoryview(into).cast("B")[:n_bytes])
        self._at += n_bytes
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
