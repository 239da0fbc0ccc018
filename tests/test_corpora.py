"""Corpora as they are: the same documents give the same tally, however they lie there; and what is broken is named."""

from __future__ import annotations

import bz2
import contextlib
import csv
import gzip
import io
import json
import lzma
import struct
import tarfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
from bytepair.corpus import Reading, cut_stream
from bytepair.corpus.unpacking import _Frames

pa = pytest.importorskip("pyarrow")
zstandard = pytest.importorskip("zstandard")
pq = pytest.importorskip("pyarrow.parquet")

LINES = ["low lower\n", "\n", "newest “low”\n", "widest \t x\r\n", "last"]
TEXT = "".join(LINES).encode()


def tally(corpus: Any, **options: Any) -> bp.Tally:
    return bp.tally(corpus, **{"pattern": "gpt2", **options})


def saved(source: Any, folder: Path, **options: Any) -> bytes:
    """The bytes of the tally file."""
    tally(source, **options).save(folder / "saved.parquet")
    return (folder / "saved.parquet").read_bytes()


def compressed(kind: str, data: bytes) -> bytes:
    if kind == "zst":
        return zstandard.ZstdCompressor(write_checksum=True).compress(data)  # type: ignore[no-any-return]
    return {"gz": gzip, "xz": lzma, "bz2": bz2}[kind].compress(data)  # type: ignore[attr-defined, no-any-return]


def jsonl(texts: list[Any], field: str = "text") -> bytes:
    return "".join(json.dumps({"id": 1, field: text}) + "\n" for text in texts).encode()


def tar(files: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name, content in files.items():
            about = tarfile.TarInfo(name)
            about.size = len(content)
            archive.addfile(about, io.BytesIO(content))
    return data.getvalue()


def zipped(files: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def table() -> Any:
    return pa.table({"id": list(range(len(LINES))), "text": LINES})


def csv_of(texts: list[str]) -> bytes:
    data = io.StringIO()
    csv.writer(data).writerows([["id", "text"], *([str(number), text] for number, text in enumerate(texts))])
    return data.getvalue().encode()


def write_arrow(path: Path, *, is_stream: bool) -> None:
    new = pa.ipc.new_stream if is_stream else pa.ipc.new_file
    with pa.OSFile(str(path), "wb") as file, new(file, table().schema) as writer:
        writer.write_table(table(), max_chunksize=2)


FORMS: dict[str, Callable[[Path], Any]] = {
    "jsonl": lambda path: path.with_suffix(".jsonl").write_bytes(jsonl(LINES)),
    "csv": lambda path: path.with_suffix(".csv").write_bytes(csv_of(LINES)),
    "parquet": lambda path: pq.write_table(table(), path),
    "parquet in row groups": lambda path: pq.write_table(table(), path, row_group_size=1),
    "arrow": lambda path: write_arrow(path, is_stream=False),
    "arrow stream": lambda path: write_arrow(path, is_stream=True),
    "jsonl.gz": lambda path: path.with_suffix(".jsonl.gz").write_bytes(compressed("gz", jsonl(LINES))),
    "jsonl.zst": lambda path: path.with_suffix(".jsonl.zst").write_bytes(compressed("zst", jsonl(LINES))),
    "jsonl in zip": lambda path: path.write_bytes(zipped({"a.jsonl": jsonl(LINES[:2]), "b/c.jsonl": jsonl(LINES[2:])})),
    "csv.xz in tar.gz": lambda path: path.write_bytes(
        compressed("gz", tar({"a.csv.xz": compressed("xz", csv_of(LINES))}))
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_records_in_every_form_are_the_same_documents(form: str, tmp_path: Path) -> None:
    FORMS[form](tmp_path / "corpus")
    (source,) = tmp_path.iterdir()
    wanted = saved(LINES, tmp_path)
    for threads in (1, 2):
        assert saved(source, tmp_path, threads=threads) == wanted
    assert saved(source, tmp_path, document="record") == wanted


@pytest.mark.parametrize("document", ["file", "line", "blank-line"])
def test_text_in_every_wrapping_is_the_same_documents(document: Any, tmp_path: Path) -> None:
    plain = tmp_path / "plain.txt"
    plain.write_bytes(TEXT)
    wanted = saved(plain, tmp_path, document=document)
    wrapped = {
        **{f"a.txt.{kind}": compressed(kind, TEXT) for kind in ("gz", "zst", "xz", "bz2")},
        "frames.txt.zst": compressed("zst", TEXT[:9]) + compressed("zst", TEXT[9:]),
        "members.gz": compressed("gz", TEXT[:9]) + compressed("gz", TEXT[9:]),
        "no-suffix": compressed("gz", TEXT),
        "a.zip": zipped({"a.txt": TEXT, ".hidden": b"no"}),
        "a.tar": tar({"./a.txt": TEXT, "x/._a.txt": b"no"}),
        "a.tar.zst": compressed("zst", tar({"a.txt.gz": compressed("gz", TEXT)})),
    }
    for name, data in wrapped.items():
        path = tmp_path / name
        path.write_bytes(data)
        assert saved(path, tmp_path, document=document) == wanted, name


def test_seven_files_cut_at_the_borders_of_documents_are_one(tmp_path: Path, test_data: Callable[[str], Path]) -> None:
    whole = test_data("corpora/tinyshakespeare.txt")
    lines = whole.read_bytes().splitlines(keepends=True)
    part = len(lines) // 7 + 1
    folder = tmp_path / "parts"
    folder.mkdir()
    for number in range(7):
        (folder / f"{number}.txt").write_bytes(b"".join(lines[number * part : (number + 1) * part]))
    wanted = saved(whole, tmp_path, document="line")
    assert saved(folder, tmp_path, document="line") == wanted
    assert saved((line for line in lines), tmp_path) == wanted
    assert saved(whole, tmp_path, document="line", threads=1, max_memory="64KB") == wanted
    parts = [tally(path, document="line") for path in sorted(folder.iterdir())]
    sum(parts, start=tally([])).save(tmp_path / "sum.parquet")
    assert (tmp_path / "sum.parquet").read_bytes() == wanted
    made = [bp.train(source, num_merges=50, pattern="gpt2", document="line") for source in (whole, folder)]
    assert made[0].merges == made[1].merges


@given(st.lists(st.sampled_from(["a", "b b", "\n", " \n", "\r\n", "\n\n", "\t", "é"]), max_size=30), st.integers(1, 9))
def test_paragraphs_are_the_text_and_do_not_depend_on_how_it_is_read(parts: list[str], block: int) -> None:
    text = "".join(parts).encode()

    class Slow(io.BytesIO):
        def read(self, n_bytes: int | None = -1, /) -> bytes:
            return super().read(block)

    for document in ("line", "blank-line"):
        reading = Reading(document=document)  # type: ignore[arg-type]
        groups = [list(cut_stream("x", stream, reading)) for stream in (io.BytesIO(text), Slow(text))]
        whole, slow = ([each for group in found for each in group.texts] for found in groups)
        assert whole == slow
        assert b"".join(whole) == text  # type: ignore[arg-type]
        assert [number for group in groups[1] for number in group.indices] == list(range(len(whole)))
    assert all(each.strip() for each in whole) or not text.strip()  # type: ignore[union-attr]


def test_what_stands_between_blank_lines_is_a_document(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("\n\none\none\n\ntwo\n \n\t\nthree\n")
    assert tally(path, document="blank-line").documents == 3
    (tmp_path / "a.jsonl").write_bytes(jsonl(["a\n\nb", "c\nd"]))
    assert tally(tmp_path / "a.jsonl", document="blank-line").documents == 3
    assert tally(tmp_path / "a.jsonl", document="line").documents == 5


# Tables and records as such


class Batched:
    """As a data set of Hugging Face hands out its rows: a mapping each."""

    column_names = ("id", "text")

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(table().to_pylist())

    def __len__(self) -> int:
        return len(LINES)


@pytest.mark.parametrize(
    "source",
    [
        table(),
        table()["text"],
        table().to_batches()[0],
        table()["text"].chunk(0),
        Batched(),
        [{"text": line} for line in LINES],
        pa.table({"text": pa.array(LINES, pa.string_view())}),
    ],
    ids=lambda source: type(source).__name__,
)
def test_tables_and_records_in_memory_are_sources(source: Any) -> None:
    assert tally(source) == tally(LINES)


def test_a_column_or_key_of_another_name(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(jsonl(LINES, "content"))
    assert tally(tmp_path / "a.jsonl", field="content") == tally(LINES)
    assert tally(table().rename_columns(["id", "content"]), field="content") == tally(LINES)
    with pytest.raises(bp.CorpusError, match=r"has no column 'text' among \['id', 'content'\]; field=\.\.\. names"):
        tally(table().rename_columns(["id", "content"]))


def test_standard_input_has_no_name_and_record_says_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "standard input").write_bytes(jsonl(LINES))
    assert tally(tmp_path / "standard input", document="record") == tally(LINES)


# What is broken


def bad_lines() -> bytes:
    return b'{"text": "low"}\n\n{"text": 7}\nno json\n{"other": "x"}\n["text"]\n{"text": null}\n{"text": "lower"}\n'


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"text": 7}', r"has 7 \(int\) as its 'text', which is no text"),
        (b"no json", r"is no JSON \(Expecting value"),
        (b'{"other": "x"}', r"has no 'text' among its keys \['other'\]; field=\.\.\. names another"),
        (b'["text"]', r"is \['text'\], no object with a key 'text'"),
        (b"[" * 100_000, r"is no JSON"),
    ],
)
def test_a_bad_record_is_named(line: bytes, why: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(compressed("gz", b'{"text": "low"}\n' + line + b"\n"))
    with pytest.raises(bp.CorpusError, match=rf"record 1 \(from 0\) of '.*a\.jsonl\.gz' {why}.*bad_records=\"skip\""):
        tally(path)


def test_bad_records_are_left_out_or_replaced_and_counted(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(bad_lines())
    skipped = tally(tmp_path, bad_records="skip")
    assert (skipped.documents, skipped.bad_records, skipped.items()) == (2, 5, [(b"low", 1), (b"lower", 1)])
    replaced = tally(tmp_path, bad_records="replace")
    assert (replaced.documents, replaced.bad_records, replaced.n_pieces) == (7, 5, 2)
    report = bp.train(tmp_path, num_merges=1, bad_records="skip").training
    assert report is not None
    assert report.bad_records == 5
    assert "5 records without a text" in str(report)
    skipped.save(tmp_path / "saved.parquet")
    assert bp.load_tally(tmp_path / "saved.parquet").bad_records == 5
    assert (skipped + replaced).bad_records == 10


def test_nulls_in_tables_are_bad_records(tmp_path: Path) -> None:
    rows = pa.table({"text": ["low", None, "lower"]})
    pq.write_table(rows, tmp_path / "a.parquet")
    for source, where in ((tmp_path / "a.parquet", "of '.*a.parquet'"), (rows, "of the source")):
        with pytest.raises(bp.CorpusError, match=rf"record 1 \(from 0\) {where} has None \(NoneType\) as its 'text'"):
            tally(source)
        assert tally(source, bad_records="skip").documents == 2
    with pytest.raises(bp.CorpusError, match=r"record 0 \(from 0\) of the source has no 'text' among its keys \['x'\]"):
        tally([{"x": 1}])


def test_rows_of_csv_of_another_width_are_bad_records(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('id,text\n1,low\n2\n3,"a\n""b"""\n')
    with pytest.raises(bp.CorpusError, match=r"record 1 \(from 0\) of '.*' has 1 columns where the header has 2"):
        tally(tmp_path)
    assert tally(tmp_path, bad_records="skip", pattern="none").items() == [(b"low", 1), (b'a\n"b"', 1)]
    (tmp_path / "a.csv").write_text('id,text\n1,"low\n')
    with pytest.raises(bp.CorpusError, match=r"'.*a\.csv' is no CSV at line 2: .*; mend it, or leave it out"):
        tally(tmp_path)


@pytest.mark.parametrize("kind", ["gz", "zst", "xz", "bz2"])
def test_a_broken_file_is_named_with_the_place(kind: str, tmp_path: Path) -> None:
    data = compressed(kind, ("".join(map(str, range(100_000)))).encode())
    # Without a checksum a frame of zstd may be wrong and look right.
    for name, broken in (("short", data[:-9]), ("wrong", data[:1000] + b"?" * 9 + data[1009:])):
        path = tmp_path / f"{name}.{kind}"
        path.write_bytes(broken)
        with pytest.raises(bp.CorpusError, match=rf"'.*{name}\.{kind}' is broken or cut short.*get the file again"):
            tally(path)


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.gz", "a.TGZ", "a.zst", "a.xz", "a.bz2", "a.zip", "a.tar"])
def test_what_a_failed_download_leaves_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"")
    suffix = Path(name).suffix.lower()
    with pytest.raises(
        bp.CorpusError, match=rf"{name}' is empty, where its name ends in '{suffix}'; get the file again"
    ):
        tally(tmp_path)
    if suffix == ".parquet":
        (tmp_path / name).write_bytes(b"<!DOCTYPE html>")
        with pytest.raises(bp.CorpusError, match=r"a\.parquet' is no Parquet: it begins with b'<!DOCTYP', where its"):
            tally(tmp_path)


@pytest.mark.parametrize("name", ["a.jsonl.gz", "A.JSONL.GZ", "a.ndjson.Gzip"])
def test_case_does_not_matter_in_the_names_of_compressed_files(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(gzip.compress(b'{"text": "low"}\n{"text": "lower"}\n'))
    assert tally(tmp_path / name).documents == 2


@pytest.mark.parametrize("name", ["a.tar.gz", "a.tgz", "a.TGZ"])
def test_a_tar_without_a_mark_of_its_own_is_known_by_its_name(name: str, tmp_path: Path) -> None:
    # Blocks of zeros alone, and the format before POSIX, have none.
    old = bytearray(tar({"a.txt": b"low"}))
    old[257:265] = bytes(8)
    header = bytes(old[:148]) + b" " * 8 + bytes(old[156:512])
    old[148:156] = b"%06o\0 " % sum(header)
    for data, n_documents in ((bytes(10240), 0), (bytes(old), 1)):
        (tmp_path / name).write_bytes(gzip.compress(data))
        assert tally(tmp_path / name).documents == n_documents


def test_what_asks_for_much_memory_to_be_unpacked_is_refused(tmp_path: Path) -> None:
    window = {"id": lzma.FILTER_LZMA2, "dict_size": 3 << 29}
    # The size of the dictionary is a byte of the header, behind which is its checksum.
    small = bytearray(lzma.compress(TEXT, filters=[window | {"dict_size": 1 << 16}]))
    header = small[12:20]
    header[header.index(b"\x21\x01") + 2] = 39
    small[12:24] = header + zlib.crc32(header).to_bytes(4, "little")
    (tmp_path / "a.xz").write_bytes(small)
    with zipfile.ZipFile(tmp_path / "b.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("a.txt", TEXT)
    data = bytearray((tmp_path / "b.zip").read_bytes())
    place = data.index(b"\x5d\x00\x00")
    data[place + 1 : place + 5] = b"\xff" * 4
    (tmp_path / "b.zip").write_bytes(data)
    with pytest.raises(
        bp.CorpusError, match=r"a\.xz' asks for more memory to be unpacked than files are given here .*xz -9"
    ):
        tally(tmp_path / "a.xz")
    # Four gigabytes may be promised by a system that does not have them.
    with contextlib.suppress(bp.CorpusError):
        tally(tmp_path / "b.zip")


@pytest.mark.parametrize("document", ["file", "line", "blank-line", "record"])
@pytest.mark.parametrize("kind", ["gz", "xz", "bz2"])
def test_text_that_is_wrong_since_the_file_is_broken_blames_the_file(
    kind: str, document: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Unpacked, it has a byte that is no text, and behind it the checksum of other text.
    good = compressed(kind, b'{"text": "low"}\n' * 10)
    wrong = compressed(kind, b'{"text": "low"}\n' * 9 + b'{"text": "l\xffw"}\n')
    path = tmp_path / f"a.{kind}"
    path.write_bytes(wrong)
    with pytest.raises(bp.EncodingError, match="is not UTF-8: byte 0xff at offset 155"):
        tally(path, document=document)
    path.write_bytes(wrong + good[:-4])
    from bytepair.pack import batches

    # A document of any size is large, which is encoded in parts.
    monkeypatch.setattr(batches, "LARGE", 100)
    for read in (
        lambda: tally(path, document=document),
        lambda: bp.pack(bp.train(["low"], num_merges=1), path, tmp_path / "p", document=document),
    ):
        with pytest.raises(bp.CorpusError, match=rf"a\.{kind}' is broken or cut short.*get the file again"):
            read()


def test_a_broken_archive_or_table_is_named(tmp_path: Path) -> None:
    good = io.BytesIO()
    pq.write_table(table(), good)
    broken = {
        "a.zip": zipped({"a.txt": TEXT * 100})[:-30],
        "a.tar": tar({"a.txt": TEXT * 100})[:2000],
        "a.parquet": good.getvalue()[:-9],
        "a.arrow": b"ARROW1\0\0" + b"x" * 50,
    }
    for name, data in broken.items():
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(bp.CorpusError, match=rf"'.*{name}.*' is broken or cut short"):
            tally(path)


def tar_of(*headers: tuple[tarfile.TarInfo, bytes], end: bool = True) -> bytes:
    """A tar of what tarfile itself would not write."""
    blocks = [about.tobuf(tarfile.GNU_FORMAT) + data + bytes(-len(data) % 512) for about, data in headers]
    return b"".join(blocks) + bytes(1024) * end


def tar_member(name: str, data: bytes, **about: Any) -> tuple[tarfile.TarInfo, bytes]:
    header = tarfile.TarInfo(name)
    header.size = len(data)
    for key, value in about.items():
        setattr(header, key, value)
    return header, data


def pax(**records: str) -> tuple[tarfile.TarInfo, bytes]:
    data = b""
    for key, value in records.items():
        body = f" {key.replace('__', '.')}={value}\n".encode()
        n_bytes = next(n for n in range(len(body), len(body) + 9) if len(str(n)) + len(body) == n)
        data += str(n_bytes).encode() + body
    return tar_member("pax", data, type=tarfile.XHDTYPE)


ONE = tar_member("one.txt", TEXT)
# 3 blocks: a header, a block of text, and the header of the next member.
BAD_TARS = {
    "bad second header": tar_of(ONE)[:1024] + b"x" * 512 + tar_of(ONE),
    "wrong checksum": tar_of(ONE)[:1024] + tar_of(ONE).replace(b"one", b"two"),
    "cut at a border": tar_of(ONE, ONE, end=False),
    "cut in a header": tar_of(ONE, ONE, end=False)[:1100],
    "cut behind a record": tar_of(ONE, pax(comment="x"), end=False),
    "an end behind a record": tar_of(ONE, pax(comment="x")),
    "pax size below 0": tar_of(ONE, pax(size="-5"), ONE),
    "pax size is a word": tar_of(ONE, pax(size="much"), ONE),
    "pax size for all": tar_of(tar_member("g", pax(size="5")[1], type=tarfile.XGLTYPE), ONE),
    "size below 0": tar_of(ONE, tar_member("two.txt", TEXT, size=-1)),
    "size beyond all": tar_of(ONE, tar_member(".two.txt", TEXT, size=1 << 80)),
    "pax size beyond all": tar_of(ONE, pax(size="9" * 60), tar_member(".two.txt", TEXT)),
    "pax number beyond all": tar_of(ONE, pax(GNU__sparse__realsize="x"), ONE),
    "pax without records": tar_of(ONE, tar_member("pax", b"no record", type=tarfile.XHDTYPE), ONE),
    "pax of a wrong length": tar_of(ONE, tar_member("pax", b"99 size=5\n", type=tarfile.XHDTYPE), ONE),
    "pax of many digits": tar_of(ONE, pax(comment="9" * 1_000_000), ONE),
    "pax of digits": tar_of(ONE, tar_member("pax", b"9" * 5000 + b" a=", type=tarfile.XHDTYPE), ONE),
}


@pytest.mark.parametrize("name", BAD_TARS)
@pytest.mark.parametrize("kind", ["tar", "gz"])
def test_no_bad_header_of_a_tar_is_its_end(name: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{kind}"
    path.write_bytes(BAD_TARS[name] if kind == "tar" else compressed("gz", BAD_TARS[name]))
    with pytest.raises(bp.CorpusError, match=rf"'.*a\.{kind}.*' is broken or cut short.*get the file again"):
        tally(path)


def test_a_tar_may_end_with_one_block_or_hold_nothing(tmp_path: Path) -> None:
    for data, n_documents in ((tar_of(ONE)[:-512], 1), (tar_of(ONE) + b"behind", 1), (bytes(10240), 0)):
        (tmp_path / "a.tar").write_bytes(data)
        assert tally(tmp_path / "a.tar").documents == n_documents


@pytest.mark.parametrize(
    "records",
    [
        {"GNU__sparse__major": "1", "GNU__sparse__minor": "0", "GNU__sparse__realsize": "8000000000"},
        {"GNU__sparse__map": "0,1", "GNU__sparse__size": "8000000000"},
        {"GNU__sparse__size": "8000000000"},
        {"GNU__sparse__realsize": "8000000000"},
        {},
    ],
)
def test_sparse_members_of_a_tar_are_refused_by_name(records: dict[str, str], tmp_path: Path) -> None:
    two = tar_member("two.txt", b"1\n0\n1\n".ljust(512, b"\0"), **({} if records else {"type": tarfile.GNUTYPE_SPARSE}))
    (tmp_path / "a.tar").write_bytes(tar_of(ONE, *([pax(**records)] if records else []), two))
    with pytest.raises(bp.CorpusError, match=r"a\.tar/two\.txt' is a sparse file.*pack it without --sparse"):
        tally(tmp_path / "a.tar")


@pytest.mark.parametrize("record", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
def test_records_of_a_tar_beyond_all_need_are_refused(record: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.tar").write_bytes(tar_of(ONE, tar_member("x", b"", type=record, size=1 << 40), ONE))
    with pytest.raises(bp.CorpusError, match=r"a\.tar' holds a header of 1,099,511,627,776 bytes.*pack it anew"):
        tally(tmp_path / "a.tar")


@pytest.mark.parametrize("kind", ["gz", "zst", "xz", "bz2"])
def test_every_stream_of_a_file_is_read_or_named(kind: str, tmp_path: Path) -> None:
    one = compressed(kind, TEXT)
    path = tmp_path / f"a.{kind}"
    good = [one * 3, *([one + bytes(8) + one + bytes(400_000)] if kind == "xz" else [])]
    for data in good:
        path.write_bytes(data)
        # The last line of one goes on in the next.
        assert tally(path, document="line").documents == 4 * data.count(one) + 1
    for data in (one + one[:-3], one + one[:5], one + b"garbage", one + one[:20] + b"????????" + one[28:]):
        path.write_bytes(data)
        with pytest.raises(bp.CorpusError, match=rf"'.*a\.{kind}' is broken or cut short"):
            tally(path)


def write_column(path: Path, column: Any, form: str) -> None:
    data = pa.table({"text": column})
    if form == "parquet":
        pq.write_table(data, path)
        return
    new = pa.ipc.new_stream if form == "arrow-stream" else pa.ipc.new_file
    with pa.OSFile(str(path), "wb") as file, new(file, data.schema) as writer:
        writer.write_table(data)


def column_with_offsets(kind: Any, *offsets: int) -> Any:
    data = struct.pack(f"<{len(offsets)}{'q' if kind == pa.large_string() else 'i'}", *offsets)
    return pa.Array.from_buffers(kind, len(offsets) - 1, [None, pa.py_buffer(data), pa.py_buffer(b"low lower")])


BAD_COLUMNS = {
    "strings": lambda: column_with_offsets(pa.string(), 0, 3, 1 << 30, 9),
    "large strings": lambda: column_with_offsets(pa.large_string(), 0, 3, 1 << 50, 9),
    "below 0": lambda: column_with_offsets(pa.string(), 0, -(1 << 30), 3, 9),
    "binary": lambda: column_with_offsets(pa.binary(), 0, 3, 1 << 30, 9),
    "dictionary": lambda: pa.DictionaryArray.from_arrays(pa.array([0, 1 << 30]), pa.array(["low"]), safe=False),
}


@pytest.mark.parametrize("form", ["arrow", "arrow-stream"])
@pytest.mark.parametrize("column", BAD_COLUMNS)
def test_offsets_that_lead_out_of_a_table_are_refused(column: str, form: str, tmp_path: Path) -> None:
    path = tmp_path / "a.arrow"
    write_column(path, BAD_COLUMNS[column](), form)
    with pytest.raises(bp.CorpusError, match=r"records 0 to \d \(from 0\) of .*a\.arrow.* is broken or cut short"):
        tally(path)


@pytest.mark.parametrize("form", ["arrow", "arrow-stream", "parquet"])
def test_a_value_that_python_has_not_is_named(form: str, tmp_path: Path) -> None:
    path = tmp_path / "a.table"
    column = pa.array([0, 0, 1 << 62]).cast(pa.timestamp("us"))
    write_column(path, column, form)
    with pytest.raises(bp.CorpusError, match=r"record 2 \(from 0\) of .*a\.table' holds a value that cannot be read"):
        tally(path, bad_records="skip")
    with pytest.raises(bp.CorpusError, match=r"record 2 \(from 0\) of the source holds a value that cannot be read"):
        tally(pa.table({"text": column}), bad_records="skip")


@pytest.mark.parametrize("form", ["arrow", "arrow-stream"])
@pytest.mark.parametrize("kind", ["string", "large_string", "string_view", "dictionary"])
def test_strings_of_tables_that_are_not_utf_8_are_mended(form: str, kind: str, tmp_path: Path) -> None:
    bad = pa.array([b"low", b"low \xff"])
    if kind == "dictionary":
        column = pa.DictionaryArray.from_arrays(pa.array([0, 1]), bad.view(pa.string()))
    elif hasattr(pa, kind):
        binary = {"string": pa.binary, "large_string": pa.large_binary}.get(kind) or pa.binary_view
        column = bad.cast(binary()).view(getattr(pa, kind)())
    else:
        pytest.skip("this pyarrow has no such strings")
    write_column(tmp_path / "a.arrow", column, form)
    with pytest.raises(bp.EncodingError, match="is not UTF-8: byte 0xff"):
        tally(tmp_path / "a.arrow")
    assert tally(tmp_path / "a.arrow", errors="replace").documents == 2


@pytest.mark.parametrize(("name", "document"), [("a.jsonl", "file"), ("a.csv", "file"), ("a.txt", "blank-line")])
def test_a_record_without_an_end_is_refused(
    name: str, document: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bytepair.corpus.records.MAX_RECORD", 10_000_000)
    (tmp_path / f"{name}.gz").write_bytes(compressed("gz", b"text\n" + b"low " * 4_000_000))
    with pytest.raises(bp.CorpusError, match=rf"{name}\.gz' has more than 10,000,000 bytes.*leave it out"):
        tally(tmp_path / f"{name}.gz", document=document, bad_records="skip")


def test_repetitive_zstd_is_read_in_linear_time() -> None:
    # One step unpacks to all of it; copying the rest at every read would move 500 GB.
    packed = io.BytesIO(compressed("zst", b"low lower\n" * 6_400_000))
    stream = _Frames(zstandard.ZstdDecompressor(), packed)
    into, start, n_bytes = bytearray(4096), time.perf_counter(), 0
    while (more := stream.readinto(into)) and time.perf_counter() - start < 10:
        n_bytes += more
    assert n_bytes == 64_000_000


@pytest.mark.parametrize("kind", ["gz", "zst", "xz", "bz2"])
def test_what_a_tar_is_compressed_by_is_read_to_its_checksum(kind: str, tmp_path: Path) -> None:
    (tmp_path / f"a.tar.{kind}").write_bytes(compressed(kind, tar({"a.txt": TEXT}))[:-3])
    with pytest.raises(bp.CorpusError, match=rf"a\.tar\.{kind}' is broken or cut short"):
        tally(tmp_path / f"a.tar.{kind}")


def test_links_in_archives_are_no_texts(tmp_path: Path) -> None:
    data = io.BytesIO(zipped({"a.txt": TEXT}))
    with zipfile.ZipFile(data, "a") as archive:
        link = zipfile.ZipInfo("b.txt")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        archive.writestr(link, "a.txt")
    (tmp_path / "a.zip").write_bytes(data.getvalue())
    (tmp_path / "a.tar").write_bytes(tar_of(ONE, tar_member("b.txt", b"", type=tarfile.SYMTYPE, linkname="one.txt")))
    for name in ("a.zip", "a.tar"):
        assert tally(tmp_path / name).documents == 1


def test_a_member_of_a_zip_without_a_name_is_a_text(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped({"a": TEXT}).replace(b"\0a", b"\0\0"))
    assert tally(tmp_path / "a.zip").documents == 1


def test_a_pipe_that_nobody_writes_to_is_not_waited_for(tmp_path: Path) -> None:
    os = pytest.importorskip("os")
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no named pipes")
    os.mkfifo(tmp_path / "a.txt")
    with pytest.raises(bp.CorpusError, match=r"a\.txt' is no regular file"):
        tally(tmp_path / "a.txt")


def test_what_cannot_be_read_where_it_lies_says_so(tmp_path: Path) -> None:
    good = io.BytesIO()
    pq.write_table(table(), good)
    (tmp_path / "a.zip").write_bytes(zipped({"a.parquet": good.getvalue()}))
    with pytest.raises(bp.CorpusError, match=r"a\.zip/a\.parquet' is a table in another file.*unpack it first"):
        tally(tmp_path / "a.zip")
    (tmp_path / "b.gz").write_bytes(compressed("gz", zipped({"a.txt": TEXT})))
    with pytest.raises(bp.CorpusError, match="holds a zip archive in another; unpack the outer one first"):
        tally(tmp_path / "b.gz")
    data = TEXT
    for _ in range(5):
        data = compressed("gz", data)
    (tmp_path / "c.gz").write_bytes(data)
    with pytest.raises(bp.CorpusError, match="is packed more than 4 times; unpack it first"):
        tally(tmp_path / "c.gz")
    (tmp_path / "d.gz").write_bytes(compressed("gz", TEXT))
    with pytest.raises(bp.ArgumentError, match=r"sample reads files in blocks, and '.*d\.gz' is compressed"):
        tally(tmp_path / "d.gz", sample=0.5)
    assert tally(tmp_path / "d.gz", sample=0.5, document="line").n_bytes_in_all == len(TEXT)


@pytest.mark.parametrize("name", ["a.txt.gz", "a.jsonl", "a.csv.zst", "a.zip"])
def test_bytes_that_are_not_utf_8_are_named_or_mended(name: str, tmp_path: Path) -> None:
    data = b"text\nlow\n\xff\n" if "csv" in name else b'{"text": "low \xff"}\n' if "json" in name else b"low \xff"
    kind = name.rpartition(".")[2]
    if kind in ("gz", "zst"):
        data = compressed(kind, data)
    elif kind == "zip":
        data = zipped({"a.txt": data})
    (tmp_path / name).write_bytes(data)
    for document in ("file", "line", "blank-line"):
        with pytest.raises(bp.EncodingError, match=r"is not UTF-8: byte 0xff at offset \d+"):
            tally(tmp_path / name, document=document)
        replaced = tally(tmp_path / name, document=document, errors="replace", pattern="none")
        assert "\ufffd" in b"".join(piece for piece, _ in replaced.items()).decode()
        assert tally(tmp_path / name, document=document, errors="skip").n_pieces in (1, 2)


def test_utf_16_inside_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(compressed("gz", "low".encode("utf-16")))
    with pytest.raises(bp.EncodingError, match=r"a\.gz' begins with the mark of UTF-16"):
        tally(tmp_path / "a.gz")


def test_a_bomb_is_never_held_as_a_whole(tmp_path: Path) -> None:
    tracemalloc = pytest.importorskip("tracemalloc")
    for kind in ("gz", "zst", "xz"):
        (tmp_path / f"bomb.{kind}").write_bytes(compressed(kind, b"low lower\n" * 5_000_000))
    tracemalloc.start()
    try:
        for kind in ("gz", "zst", "xz"):
            assert tally(tmp_path / f"bomb.{kind}", document="line").documents == 5_000_000
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()


def test_a_missing_package_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    (tmp_path / "a.zst").write_bytes(compressed("zst", TEXT))
    pq.write_table(table(), tmp_path / "a.parquet")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(bp.MissingPackageError, match=r"compressed by zstd.*pip install 'bytepair\[corpora\]'"):
        tally(tmp_path / "a.zst")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(bp.MissingPackageError, match=r"is a table.*pip install 'bytepair\[corpora\]'"):
        tally(tmp_path / "a.parquet")


def test_progress_counts_the_bytes_of_the_files_as_they_lie_there(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(compressed("gz", jsonl(LINES * 1000)))
    pq.write_table(table(), tmp_path / "b.parquet")
    seen: list[bp.Progress] = []
    tally(tmp_path, progress=seen.append)
    size = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert (seen[-1].done, seen[-1].total, seen[-1].n_documents) == (size, size, 1001 * len(LINES))


# Counts beyond memory


def test_spilled_counts_are_the_same_tally(tmp_path: Path, test_data: Callable[[str], Path]) -> None:
    path = test_data("corpora/tinyshakespeare.txt")
    whole, spilled = (tally(path, max_memory=size, source="s") for size in (None, "64KB"))
    assert whole == spilled
    assert (spilled.ordered, spilled.n_pieces, spilled.fingerprint) == (False, whole.n_pieces, whole.fingerprint)
    assert spilled.n_occurrences == whole.n_occurrences
    files = []
    for number, each in enumerate((whole, spilled, whole + tally(["low"]), spilled + tally(["low"]))):
        each.save(tmp_path / f"{number}.parquet")
        files.append((tmp_path / f"{number}.parquet").read_bytes())
    assert files[0] == files[1]
    assert files[2] == files[3]
    assert spilled + spilled == whole + whole
    assert sorted(spilled.weighted(2).items()) == sorted(whole.weighted(2).items())
    assert bp.train(spilled, num_merges=100).merges == bp.train(whole, num_merges=100).merges
    with pytest.raises(bp.ArgumentError, match="needs the order"):
        bp.train(spilled, num_merges=1, ties="first-seen")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("much", r'max_memory is \'much\'; it must be a number of bytes, such as 200000000 or "200MB"'),
        (0, "max_memory is 0; it must be at least 1"),
    ],
)
def test_what_is_no_size_is_refused(value: Any, message: str) -> None:
    with pytest.raises(bp.ArgumentError, match=message):
        tally(["low"], max_memory=value)


def test_no_room_for_runs_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import shutil
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def words() -> Iterator[str]:
        yield " ".join(map(str, range(100_000)))
        for folder in tmp_path.iterdir():
            shutil.rmtree(folder)
        yield " ".join(map(str, range(200_000)))

    with pytest.raises(bp.UnreadableFileError, match=r"counts cannot be kept in .*\.run.*TMPDIR"):
        tally((each for each in words()), max_memory=1)


def test_tally_files_are_merged_beyond_memory(tmp_path: Path, test_data: Callable[[str], Path]) -> None:
    path = test_data("corpora/tinyshakespeare.txt")
    one, two = tally(path, source="plays"), tally(["low lower"], source="words")
    (one + two).save(tmp_path / "both.parquet")
    one.save(tmp_path / "one.parquet")
    files = []
    for size in (None, "100KB"):
        loaded = [bp.load_tally(tmp_path / name, max_memory=size) for name in ("both.parquet", "one.parquet")]
        assert loaded == [one + two, one]
        sum(loaded).save(tmp_path / "sum.parquet")  # type: ignore[union-attr]
        files.append((tmp_path / "sum.parquet").read_bytes())
    assert files[0] == files[1]
