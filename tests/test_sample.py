"""Samples: the same in every run, from everywhere, in proportion; and what is said about them."""

from __future__ import annotations

import json
import os
import random
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp
from bytepair.tally import sample as room

LINES = b"".join(b"line %06d of the book\n" % index for index in range(100_000))


def made(folder: Path, **files: bytes) -> Path:
    for name, data in files.items():
        (folder / f"{name}.txt").write_bytes(data)
    return folder


def numbers_in(counted: bp.Tally) -> list[int]:
    """The numbers of the lines of `LINES` that were read."""
    return [int(piece) for piece, _ in counted.items() if piece.isdigit() and len(piece) == 6]


def sampled(source: Any, sample: float = 0.1, **options: Any) -> bp.Tally:
    return bp.tally(source, **{"pattern": "whitespace", "sample": sample, **options})


# Which part


def test_a_sample_comes_from_everywhere_in_proportion(tmp_path: Path) -> None:
    path = made(tmp_path, book=LINES) / "book.txt"
    for fraction in (0.01, 0.1, 1 / 3, 0.5, 0.9, 0.99):
        counted = sampled(path, fraction)
        # To within a block.
        assert abs(counted.n_bytes - fraction * len(LINES)) < 2 * room.BLOCK
        numbers = numbers_in(counted)
        for tenth in range(10):
            n_lines = sum(tenth * 10_000 <= number < (tenth + 1) * 10_000 for number in numbers)
            assert abs(n_lines - fraction * 10_000) < 2 * room.BLOCK / 24


def test_files_are_sampled_alike(tmp_path: Path) -> None:
    made(tmp_path, a=LINES, b=LINES.replace(b"line", b"rows"), c=LINES.replace(b"line", b"text")[: len(LINES) // 4])
    counts = dict(sampled(tmp_path, 0.2).items())
    assert [abs(counts[word] - share * 20_000) < 1_500 for word, share in ((b"line", 1), (b"rows", 1), (b"text", 0.25))]
    # The files do not begin with the same block.
    assert len(set(numbers_in(sampled(tmp_path / "a.txt", 0.2)))) < len(set(numbers_in(sampled(tmp_path, 0.2))))


def test_small_files_are_drawn_as_a_whole(tmp_path: Path) -> None:
    for index in range(1_000):
        (tmp_path / f"{index:04}").write_text(f"file{index:04} x\n")
    counted = sampled(tmp_path, 0.2)
    assert 140 < counted.documents < 260
    assert counted.n_pieces == counted.documents + 1


@pytest.mark.parametrize("document", ["file", "line"])
def test_the_same_on_any_number_of_threads(tmp_path: Path, document: Any) -> None:
    made(tmp_path, a=LINES, b=LINES[::-1])
    first = sampled(tmp_path, threads=1, document=document)
    for threads in (2, 5):
        again = sampled(tmp_path, threads=threads, document=document)
        assert again == first
        assert again.items() == first.items()
    assert sampled(tmp_path, seed=1, document=document) != first


def test_documents_of_a_list_and_of_a_stream_are_drawn_alike() -> None:
    documents = [f"document{index}" for index in range(30_000)]
    first = sampled(documents)
    assert first == sampled(iter(documents)) == sampled([text.encode() for text in documents])
    numbers = random.Random(0)
    # A number is drawn for each, and passes 2^64 with the step for one in ten.
    kept = [text for text in documents if numbers.getrandbits(64) + int(0.1 * 2.0**64) >= 2**64]
    assert first.items() == bp.tally(kept, pattern="whitespace").items()
    assert 2_700 < first.documents == len(kept) < 3_300
    assert first.n_bytes_in_all == sum(map(len, documents))


def test_documents_and_files_may_stand_together(tmp_path: Path) -> None:
    path = made(tmp_path, book=LINES) / "book.txt"
    counted = sampled([*["doc"] * 500, path, "é" * 10, *["doc"] * 500], 0.3)
    assert counted.n_bytes_in_all == 3_000 + 20 + len(LINES)
    assert 200 < dict(counted.items())[b"doc"] < 400
    assert 29_000 < len(numbers_in(counted)) < 31_000


def test_the_whole_is_no_sample(tmp_path: Path) -> None:
    made(tmp_path, a=LINES)
    whole = bp.tally(tmp_path, pattern="whitespace")
    for one in (1, 1.0, Fraction(1)):
        assert sampled(tmp_path, one, seed=5) == whole
    assert whole.samples == frozenset()
    assert whole.n_bytes_in_all is None


# How files are cut


def slow_borders(data: bytes) -> list[int]:
    """Where blocks begin, read off the rules with the whole file at hand."""
    borders = []
    for at in range(0, len(data), room.BLOCK):
        ends = [place + 1 for place in range(max(at - 1, 0), min(at + room.BLOCK, len(data))) if data[place] == 10]
        spaces = [place for place in range(at, min(at + room.BLOCK, len(data))) if data[place] == 32]
        starts = [place for place in range(at, min(at + 4, len(data))) if data[place] & 0xC0 != 0x80]
        if at == 0:
            borders.append(0)
        elif ends:
            borders.append(ends[0])
        elif at + room.BLOCK > len(data):
            borders.append(len(data))
        else:
            borders.append((spaces or starts or [at])[0])
    return [*borders, len(data)]


CONTENTS = st.lists(
    st.tuples(st.sampled_from(["a", "ab ", "é", "漢", "\n", "word ", "🙂"]), st.integers(1, 40)), max_size=12
).map(lambda runs: "".join(text * n for text, n in runs).encode())


@given(data=CONTENTS, fraction=st.fractions(Fraction(1, 50), Fraction(49, 50)), seed=st.integers(0, 9))
def test_blocks_are_those_of_the_slow_way(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, fraction: Fraction, seed: int
) -> None:
    path = tmp_path_factory.mktemp("blocks") / "file"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "BLOCK", 16)
        path.write_bytes(data)
        borders = slow_borders(data)
        blocks = [data[start:end] for start, end in pairwise(borders)]
        assert b"".join(blocks) == data
        start = Fraction(random.Random(seed).getrandbits(64), 2**64)
        step = Fraction(int(float(fraction) * 2.0**64), 2**64)
        kept = [
            block
            for index, block in enumerate(blocks)
            if block and (start + (index + 1) * step) // 1 != (start + index * step) // 1
        ]
        counted = bp.tally(path, pattern="none", sample=fraction, seed=seed)
    assert counted.items() == bp.tally(kept, pattern="none").items()
    assert (counted.documents, counted.n_bytes) == (len(kept), sum(map(len, kept)))
    assert counted.n_bytes_in_all == len(data)


def test_a_block_ends_where_a_line_does(tmp_path: Path) -> None:
    path = made(tmp_path, book=LINES) / "book.txt"
    counted = bp.tally(path, pattern="none", sample=0.2)
    assert all(piece.startswith(b"line ") and piece.endswith(b"book\n") for piece, _ in counted.items())
    by_line = bp.tally(path, pattern="none", sample=0.2, document="line")
    assert all(piece.count(b"\n") == 1 for piece, _ in by_line.items())
    assert by_line.documents == by_line.n_pieces == by_line.n_bytes / len(LINES) * 100_000


def test_one_endless_line_is_read_from_everywhere(tmp_path: Path) -> None:
    for name, line in {"words": LINES.replace(b"\n", b" "), "characters": "漢字".encode() * 200_000}.items():
        (tmp_path / name).write_bytes(line)
        counted = bp.tally(tmp_path / name, pattern="whitespace", sample=0.1)
        assert abs(counted.n_bytes - 0.1 * len(line)) < 2 * room.BLOCK
        assert all(piece.decode() for piece, _ in counted.items())


@pytest.mark.skipif(os.name != "posix", reason="a sparse file")
def test_only_what_is_needed_is_read(tmp_path: Path) -> None:
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(1 << 40)
    # 1 TB in all, of which four blocks are read: it takes no time if the rest is left alone.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "BLOCK", 1 << 28)
        patch.setattr(room, "_read", lambda stream, start, n: b"\n" * min(n, 64))
        counted = bp.tally(tmp_path / "huge", pattern="none", sample=0.001)
    assert counted.documents == 4


# What is wrong in it is named


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    data = LINES[: room.BLOCK * 8].replace(b"000700", b"\xff00700")
    path = made(tmp_path, book=data) / "book.txt"
    offset = data.index(b"\xff")
    seed = next(seed for seed in range(50) if 700 in _lines_read(tmp_path, LINES[: room.BLOCK * 8], seed))
    with pytest.raises(bp.EncodingError, match=rf"book\.txt is not UTF-8: byte 0xff at offset {offset}; convert it"):
        sampled(path, 0.3, seed=seed)
    assert b"\xef\xbf\xbd00700" in dict(sampled(path, 0.3, seed=seed, errors="replace").items())
    assert b"00700" in dict(sampled(path, 0.3, seed=seed, errors="skip").items())


def _lines_read(folder: Path, data: bytes, seed: int) -> list[int]:
    (folder / "clean").write_bytes(data)
    return numbers_in(sampled(folder / "clean", 0.3, seed=seed))


def test_a_special_token_in_a_sample_is_placed_in_the_file(tmp_path: Path) -> None:
    path = made(tmp_path, book=LINES) / "book.txt"
    read = numbers_in(sampled(path, 0.1))
    offset = read[5_000] * len(b"line 000000 of the book\n") + 5
    name = f"{read[5_000]:06}"
    with pytest.raises(bp.SpecialTokenError, match=rf"book\.txt' holds the special token '{name}' at byte {offset}"):
        sampled(path, 0.1, special_tokens=[name], special="raise")
    documents = [f"document{index}" for index in range(100)]
    kept = [int(piece[8:]) for piece, _ in sampled(documents, 0.5).items()]
    with pytest.raises(bp.SpecialTokenError, match=f"document {kept[7]} of the source holds the special token"):
        sampled(documents, 0.5, special_tokens=[f"document{kept[7]}"], special="raise")


def test_a_set_has_no_order_to_draw_by() -> None:
    with pytest.raises(bp.ArgumentError, match="sample draws by the order of the documents, and this source has none"):
        sampled({"a", "b"})


def test_a_tally_was_read_already() -> None:
    counted = bp.tally(["low lower"], pattern="whitespace")
    with pytest.raises(bp.ArgumentError, match=r"sample is 0\.5, and the source is a tally, whose text was read"):
        bp.train(counted, num_merges=1, sample=0.5)
    tok = bp.train(counted, num_merges=1)
    with pytest.raises(bp.ArgumentError, match=r"sample is 0\.5, and the source is a tally"):
        tok.extend(counted, 300, sample=0.5)


# What is said about it


def test_the_report_says_what_was_asked_and_read(tmp_path: Path) -> None:
    path = made(tmp_path, book=LINES) / "book.txt"
    tok = bp.train(path, num_merges=5, sample=0.1, seed=7)
    report = tok.training
    assert report.samples == (bp.Sample(0.1, 7),)
    assert report.bytes_in_all == len(LINES)
    assert report.bytes == bp.tally(path, pattern="cl100k", sample=0.1, seed=7).n_bytes
    share = f"{report.bytes / len(LINES):.2%}"
    assert (
        f"from a sample of the corpus: 0.1 of it (seed 7); read {report.bytes:,} of {len(LINES):,} bytes ({share})"
    ) in str(report).splitlines()
    more = tok.extend(path, 265, sample=0.2, seed=3).training
    assert more.samples == (bp.Sample(0.2, 3),)
    assert "sample" not in str(bp.train(path, num_merges=5).training)


def test_progress_goes_through_the_whole(tmp_path: Path) -> None:
    path = made(tmp_path, book=LINES) / "book.txt"
    steps: list[bp.Progress] = []
    sampled(path, 0.01, progress=steps.append)
    assert (steps[-1].done, steps[-1].total) == (len(LINES), len(LINES))


def test_samples_add_up(tmp_path: Path) -> None:
    made(tmp_path, book=LINES)
    one, two = sampled(tmp_path, 0.1, seed=1), sampled(tmp_path, 0.25, seed=2)
    both = one + two
    assert both.samples == {bp.Sample(0.1, 1), bp.Sample(0.25, 2)}
    assert (both.n_bytes, both.n_bytes_in_all) == (one.n_bytes + two.n_bytes, 2 * len(LINES))
    assert f"sample of {2 * len(LINES):,} bytes" in repr(both)
    mixed = one + bp.tally(["low"], pattern="whitespace")
    assert (mixed.samples, mixed.n_bytes_in_all) == (one.samples, len(LINES) + 3)
    assert "0.1 of it (seed 1), 0.25 of it (seed 2); read" in str(bp.train(both, num_merges=1).training)
    weighted = both.weighted(2)
    assert (weighted.samples, weighted.n_bytes_in_all) == (both.samples, None)
    assert (weighted + one).n_bytes_in_all is None
    assert "from a sample of the corpus: 0.1 of it (seed 1), 0.25" in str(bp.train(weighted, num_merges=1).training)


def test_a_tally_file_remembers_it(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet", reason="tally files are Parquet, and pyarrow is not installed")
    counted = sampled(made(tmp_path, book=LINES) / "book.txt", 0.1, seed=7)
    counted.save(tmp_path / "t.parquet")
    about = json.loads(pq.ParquetFile(tmp_path / "t.parquet").metadata.metadata[b"bytepair"])
    assert (about["samples"], about["bytes_in_all"]) == ([[0.1, 7]], len(LINES))
    again = bp.load_tally(tmp_path / "t.parquet")
    assert again == counted
    assert (again.samples, again.n_bytes_in_all) == (counted.samples, len(LINES))


def test_a_checkpoint_is_of_one_sample(tmp_path: Path) -> None:
    path = made(tmp_path, book=LINES) / "book.txt"
    options: dict[str, Any] = {"num_merges": 3, "checkpoint": tmp_path / "run.ckpt"}

    class StopError(Exception):
        pass

    def stop(step: bp.Progress) -> None:
        if step.stage == "learning":
            raise StopError

    bp.train(path, sample=0.1, seed=7, **options)
    # Learning this takes no time, so the file is made by hand from one that another run left.
    contents = {"bytepair_checkpoint": 1, "corpus": {}, "passed_over": [], "merges": []}
    with pytest.MonkeyPatch.context() as patch:
        seen: list[dict[str, Any]] = []
        patch.setattr(
            "bytepair.training.Checkpoint",
            lambda path, options: seen.append(dict(options)) or (_ for _ in ()).throw(StopError),
        )
        with pytest.raises(StopError):
            bp.train(path, sample=0.1, seed=7, **options)
    (tmp_path / "run.ckpt").write_text(json.dumps({**contents, "options": seen[0]}))
    for other in ({}, {"sample": 0.1}, {"sample": 0.2, "seed": 7}):
        with pytest.raises(bp.ArgumentError, match=r"is of another training: sample is .* here and \[\[0\.1, 7\]\] th"):
            bp.train(path, **other, **options)
    with pytest.raises(bp.ArgumentError, match="is of another training: sample is"):
        bp.train(bp.tally(path, pattern="cl100k"), **options)
