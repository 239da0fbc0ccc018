"""What a corpus may be: paths, folders, globs, lists, streams, tallies; and what is refused with which words."""

from __future__ import annotations

import io
import os
import pickle
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bytepair as bp


def counted(source: Any, **options: Any) -> dict[bytes, int]:
    return dict(bp.tally(source, **{"pattern": "whitespace", **options}).items())


def made(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


# What is read


def test_a_str_alone_is_a_path(tmp_path: Path) -> None:
    made(tmp_path, {"text.txt": "one two"})
    assert counted(str(tmp_path / "text.txt")) == {b"one": 1, b"two": 1}
    assert counted(tmp_path / "text.txt") == {b"one": 1, b"two": 1}


def test_a_folder_is_read_in_order_without_what_is_hidden(tmp_path: Path) -> None:
    made(tmp_path, {"b.txt": "b", "a/2.txt": "a2", "a/1.txt": "a1", ".hidden": "h", ".git/x": "g", "c/.x/y": "y"})
    assert list(counted(tmp_path)) == [b"a1", b"a2", b"b"]


@pytest.mark.skipif(os.name != "posix", reason="links as on POSIX")
def test_links_are_followed_and_loops_end(tmp_path: Path) -> None:
    made(tmp_path, {"corpus/a.txt": "a", "elsewhere/b.txt": "b"})
    (tmp_path / "corpus" / "loop").symlink_to(tmp_path / "corpus")
    (tmp_path / "corpus" / "there").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "corpus" / "gone").symlink_to(tmp_path / "nowhere")
    assert counted(tmp_path / "corpus") == {b"a": 1, b"b": 1}


def test_a_glob_is_sorted(tmp_path: Path) -> None:
    made(tmp_path, {"b.txt": "b", "a.txt": "a", "c.md": "c", "deep/d.txt": "d"})
    assert list(counted(str(tmp_path / "*.txt"))) == [b"a", b"b"]
    assert list(counted(str(tmp_path / "**" / "*.txt"))) == [b"a", b"b", b"d"]
    assert list(counted(tmp_path / "*.txt")) == [b"a", b"b"]


def test_what_a_glob_matches_twice_is_read_once(tmp_path: Path) -> None:
    made(tmp_path, {"b.txt": "b", "a/1.txt": "a1", "a/deep/2.txt": "a2"})
    for pattern in ("**", "**/*", "*", "[ab]*"):
        assert counted(str(tmp_path / pattern)) == {b"a1": 1, b"a2": 1, b"b": 1}, pattern
        assert list(counted(tmp_path / pattern)) == [b"a1", b"a2", b"b"], pattern
    assert counted([tmp_path / "**"]) == {b"a1": 1, b"a2": 1, b"b": 1}


def test_empty_folders_in_a_glob_or_a_folder_are_no_error(tmp_path: Path) -> None:
    made(tmp_path, {"full/a.txt": "a", "hidden/.b": "b"})
    (tmp_path / "empty").mkdir()
    for source in (str(tmp_path / "*"), str(tmp_path / "**"), tmp_path / "*", tmp_path):
        assert counted(source) == {b"a": 1}
    with pytest.raises(bp.MissingFileError, match="no file matches"):
        counted(str(tmp_path / "[eh]*"))
    with pytest.raises(bp.CorpusError, match=r"the folder '.*empty' holds no file"):
        counted(tmp_path / "empty")


@pytest.mark.skipif(os.name != "posix", reason="links as on POSIX")
def test_a_glob_ends_at_links_that_lead_back(tmp_path: Path) -> None:
    made(tmp_path, {"corpus/a.txt": "a", "corpus/deep/b.txt": "b", "elsewhere/c.txt": "c"})
    (tmp_path / "corpus" / "deep" / "loop").symlink_to(tmp_path / "corpus")
    (tmp_path / "corpus" / "there").symlink_to(tmp_path / "elsewhere")
    for pattern in ("corpus/**", "corpus/**/*.txt", "corpus/../corpus/**"):
        assert counted(str(tmp_path / pattern)) == {b"a": 1, b"b": 1, b"c": 1}, pattern


def test_a_name_with_magic_characters_is_a_file_where_there_is_one(tmp_path: Path) -> None:
    made(tmp_path, {"[1] what?.txt": "here"})
    assert counted(str(tmp_path / "[1] what?.txt")) == {b"here": 1}


def test_in_a_list_a_str_is_a_document_and_a_path_a_file(tmp_path: Path) -> None:
    made(tmp_path, {"text.txt": "file", "folder/x": "deep"})
    source = ["a text", b"bytes", tmp_path / "text.txt", tmp_path / "folder", tmp_path / "*.txt"]
    assert counted(source) == {b"a": 1, b"text": 1, b"bytes": 1, b"file": 2, b"deep": 1}
    assert counted(tuple(source)) == counted(source) == counted(iter(source))
    assert list(counted(source)) == [b"a", b"text", b"bytes", b"file", b"deep"]


def test_a_stream_is_never_held_as_a_whole() -> None:
    alive = 0
    most = 0

    class Document(str):
        def __init__(self, _: str) -> None:
            nonlocal alive, most
            alive += 1
            most = max(most, alive)

        def __del__(self) -> None:
            nonlocal alive
            alive -= 1

    tally = bp.tally((Document("a b") for _ in range(60_000)), pattern="whitespace")
    assert tally.n_occurrences == 120_000
    assert tally.documents == 60_000
    assert most < 30_000


def test_nothing_is_a_corpus_too() -> None:
    for source in ([], [""], iter([]), [b""]):
        tok = bp.train(source, num_merges=3)
        assert tok.vocab_size == 256
        assert tok.training is not None
        assert tok.training.reason == "no-pairs"
    assert bp.train([], num_merges=0).training.reason == "target"  # type: ignore[union-attr]


def test_an_empty_file_is_fine(tmp_path: Path) -> None:
    made(tmp_path, {"empty": b"", "full": "a"})
    tally = bp.tally(tmp_path, pattern="none")
    assert (tally.documents, tally.n_bytes) == (2, 1)
    assert bp.tally(tmp_path / "empty", pattern="none").n_pieces == 0


def test_a_document_is_a_file_or_a_line_with_its_end(tmp_path: Path) -> None:
    made(tmp_path, {"text": "a\nb\r\n\nc\rd"})
    whole = bp.tally(tmp_path / "text", pattern="none")
    lines = bp.tally(tmp_path / "text", pattern="none", document="line")
    assert whole.items() == [(b"a\nb\r\n\nc\rd", 1)]
    assert lines.items() == [(b"a\n", 1), (b"b\r\n", 1), (b"\n", 1), (b"c\rd", 1)]
    assert (whole.documents, lines.documents) == (1, 4)
    assert whole.n_bytes == lines.n_bytes == 9


@pytest.mark.parametrize("as_file", [False, True])
def test_long_lines_are_counted(tmp_path: Path, as_file: bool) -> None:
    """G27: elsewhere a line of more than 4,192 bytes is left out in silence, and what stands in it is never learned."""
    lines = ["zq" * 5000] * 3 + ["short line"] * 60
    source: Any = lines
    if as_file:
        source = made(tmp_path, {"long.txt": "\n".join(lines)}) / "long.txt"
    tok = bp.train(source, num_merges=1)
    assert tok.merges == [(b"z", b"q")]
    assert list(tok.training.merge_counts) == [15_000]
    assert tok.training.bytes == sum(map(len, lines)) + (len(lines) - 1) * as_file


def test_the_prefix_space_goes_before_documents_that_need_one() -> None:
    tally = bp.tally(["a", " b", "", "\nc", "x<|s|>y"], pattern="none", add_prefix_space=True, special_tokens=["<|s|>"])
    assert [piece for piece, _ in tally.items()] == [b" a", b" b", b" \nc", b" x", b" y"]


# What is refused


WRONG_TYPES: list[tuple[Any, str]] = [
    (None, r"the source is None \(NoneType\); it must be a path, a list"),
    (3, r"the source is 3 \(int\)"),
    (1.5, r"the source is 1\.5 \(float\)"),
    (b"text", r"the source is bytes; put the text in a list: \[b'text'\]"),
    (bytearray(b"text"), r"the source is bytearray; put the text in a list"),
    ({"low": 5}, r"the source is a dict; for pieces and counts say Tally\.from_counts\(counts, pattern=\.\.\.\)"),
    (Counter("low"), r"the source is a Counter; for pieces and counts say Tally\.from_counts"),
    (io.StringIO("a\nb"), r"the source is an open file \(StringIO\); pass its path, or its text: \[file\.read\(\)\]"),
    (io.BytesIO(b"a\nb"), r"the source is an open file \(BytesIO\); pass its path"),
    (["a", 3], r"item 1 of the source is 3 \(int\)"),
    (["a", None], r"item 1 of the source is None \(NoneType\)"),
    (iter(["a", "b", ["c"]]), r"item 2 of the source is \['c'\] \(list\)"),
    ([["a"]], r"item 0 of the source is \['a'\] \(list\)"),
]


@pytest.mark.parametrize(("source", "message"), WRONG_TYPES, ids=[message for _, message in WRONG_TYPES])
def test_the_wrong_type_is_named(source: Any, message: str) -> None:
    with pytest.raises(bp.ArgumentTypeError, match=message) as caught:
        bp.train(source, num_merges=1)
    assert isinstance(caught.value, TypeError)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    for source in (str(tmp_path / "gone.txt"), tmp_path / "gone.txt", ["text", tmp_path / "gone.txt"]):
        with pytest.raises(
            bp.MissingFileError, match=r"there is no file or folder '.*gone\.txt'; check the path"
        ) as caught:
            bp.train(source, num_merges=1)
        assert isinstance(caught.value, FileNotFoundError)
        assert caught.value.filename == str(tmp_path / "gone.txt")


def test_a_glob_that_matches_nothing_is_named(tmp_path: Path) -> None:
    with pytest.raises(bp.MissingFileError, match=r"no file matches '.*\*\.txt'; check the pattern"):
        bp.train(str(tmp_path / "*.txt"), num_merges=1)


@pytest.mark.parametrize("text", ["to be or not", "line\nline", "what is *this*?", "", "a\tb", "x " * 10_000])
def test_a_text_that_is_no_path_is_told_to_go_into_a_list(text: str) -> None:
    with pytest.raises(bp.CorpusError, match=r"names no file; if it is a text, put it in a list: \[text\]"):
        bp.train(text, num_merges=1)


@pytest.mark.parametrize("text", ["word", "a" * 10_000, "nul\0here", "漢字"])
def test_a_word_that_is_no_path_is_a_missing_file(text: str) -> None:
    with pytest.raises(bp.MissingFileError, match=r"a text goes into a list: \[text\]"):
        bp.train(text, num_merges=1)


def test_an_empty_folder_is_named(tmp_path: Path) -> None:
    made(tmp_path, {".hidden": "x"})
    with pytest.raises(bp.CorpusError, match=r"the folder '.*' holds no file that is not hidden"):
        bp.train(tmp_path, num_merges=1)


def test_strings_that_all_name_files_are_told_to_be_paths(tmp_path: Path) -> None:
    made(tmp_path, {"a.txt": "a", "b.txt": "b"})
    names = [str(tmp_path / "a.txt"), str(tmp_path / "b.txt")]
    for source in (names, tuple(names), names[:1]):
        with pytest.raises(
            bp.CorpusError, match=r"all \d strings of the source name files.*pass pathlib\.Path objects"
        ):
            bp.train(source, num_merges=1)
    assert counted([*names, "no such file"])[names[0].encode()] == 1


def test_an_iterator_that_raises_keeps_its_exception_and_says_where() -> None:
    def source() -> Iterator[str]:
        yield "a"
        yield "b"
        raise LookupError("the database is gone")

    with pytest.raises(LookupError, match="the database is gone") as caught:
        bp.train(source(), num_merges=1)
    assert caught.value.__notes__ == ["raised by the source of documents at item 2"]


@pytest.mark.parametrize("item", [0, 1, 999, 5_000])
@pytest.mark.parametrize("use", ["train", "tally", "extend", "prove"])
def test_an_iterator_that_raises_leaves_nothing_half_done(tmp_path: Path, use: str, item: int) -> None:
    def source() -> Iterator[str]:
        for number in range(item):
            yield f"document {number}"
        raise LookupError("the database is gone")

    tok = bp.train(["ab ab"], num_merges=1)
    checkpoint = tmp_path / "run.ckpt"
    uses: dict[str, Any] = {
        "train": lambda: bp.train(source(), num_merges=1, checkpoint=checkpoint),
        "tally": lambda: bp.tally(source(), pattern="gpt2", threads=2),
        "extend": lambda: tok.extend(source(), 260),
        "prove": lambda: tok.prove(source()),
    }
    with pytest.raises(LookupError, match="the database is gone") as caught:
        uses[use]()
    assert caught.value.__notes__ == [f"raised by the source of documents at item {item}"]
    assert not checkpoint.exists()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    made(tmp_path, {"secret": "x"})
    (tmp_path / "secret").chmod(0)
    with pytest.raises(bp.PermissionDeniedError, match=r"'.*secret' cannot be read: Permission denied"):
        bp.train(tmp_path / "secret", num_merges=1)


def test_an_unreadable_file_is_named_whoever_runs_this(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(tmp_path, {"secret": "x"})

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", denied)
    with pytest.raises(bp.PermissionDeniedError, match=r"'.*secret' cannot be read: Permission denied") as caught:
        bp.train(tmp_path / "secret", num_merges=1)
    assert isinstance(caught.value, PermissionError)
    assert isinstance(caught.value, bp.UnreadableFileError)


@pytest.mark.parametrize("kind", ["gone", "folder", "secret", "wide"])
def test_a_bad_file_in_the_middle_of_a_list_is_named_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    made(tmp_path, {"a": "text", "secret": "x", "z": "text"})
    (tmp_path / "folder").mkdir()
    (tmp_path / "wide").write_bytes(b"\xff\xfea\0")
    path_open = Path.open

    def opened(path: Path, *options: Any, **more: Any) -> Any:
        if path.name == "secret":
            raise PermissionError(13, "Permission denied")
        return path_open(path, *options, **more)

    monkeypatch.setattr(Path, "open", opened)
    steps: list[bp.Progress] = []
    source = [tmp_path / "a", tmp_path / kind, tmp_path / "z"]
    checkpoint = tmp_path / "run.ckpt"
    for work in (
        lambda: bp.train(source, num_merges=1, progress=steps.append, checkpoint=checkpoint),
        lambda: bp.tally(source, pattern="none", progress=steps.append, sample=0.5),
    ):
        with pytest.raises(bp.BytepairError, match=rf"/{kind}'"):
            work()
    assert steps == []
    assert not checkpoint.exists()


@pytest.mark.parametrize("threads", [1, 2])
def test_a_file_that_turns_out_bad_in_the_middle_of_a_list_is_named(tmp_path: Path, threads: int) -> None:
    text = "good\n" * 2_000_000
    made(tmp_path, {"a": text, "bad": text.encode() + b"\xff" + text.encode(), "z": text})
    source = [tmp_path / name for name in ("a", "bad", "z")]
    checkpoint = tmp_path / "run.ckpt"
    with pytest.raises(bp.EncodingError, match=r"/bad is not UTF-8: byte 0xff at offset 10000000, line 2000001;"):
        bp.train(source, num_merges=1, checkpoint=checkpoint, threads=threads)
    assert not checkpoint.exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes as on POSIX")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(bp.CorpusError, match=r"'.*pipe' is no regular file"):
        bp.train(tmp_path / "pipe", num_merges=1)


# Bytes and encodings (G18)


BAD = b"hello \xff\xfe world\n" * 3


def test_bytes_that_are_not_utf8_are_named_with_offset_and_line(tmp_path: Path) -> None:
    made(tmp_path, {"bad.txt": b"fine\n" + BAD})
    with pytest.raises(bp.EncodingError, match=r"bad\.txt") as caught:
        bp.train(tmp_path / "bad.txt", num_merges=1)
    assert "offset 11" in str(caught.value)
    assert "line 2" in str(caught.value)
    assert isinstance(caught.value, UnicodeError)


@pytest.mark.parametrize("document", ["file", "line"])
def test_bytes_that_are_not_utf8_are_replaced_or_skipped_on_request(tmp_path: Path, document: Any) -> None:
    made(tmp_path, {"bad.txt": BAD})
    replaced = bp.tally(tmp_path / "bad.txt", pattern="whitespace", errors="replace", document=document)
    assert dict(replaced.items()) == {b"hello": 3, "\ufffd\ufffd".encode(): 3, b"world": 3}
    skipped = bp.tally(tmp_path / "bad.txt", pattern="whitespace", errors="skip", document=document)
    assert dict(skipped.items()) == {b"hello": 3, b"world": 3}


@pytest.mark.parametrize(
    ("encoding", "mark", "name"),
    [
        ("utf-16-le", b"\xff\xfe", "UTF-16"),
        ("utf-16-be", b"\xfe\xff", "UTF-16"),
        ("utf-32-le", b"\xff\xfe\x00\x00", "UTF-32"),
        ("utf-32-be", b"\x00\x00\xfe\xff", "UTF-32"),
    ],
)
@pytest.mark.parametrize("errors", ["raise", "replace", "skip"])
def test_a_mark_of_another_encoding_is_named_in_every_mode(
    tmp_path: Path, encoding: str, mark: bytes, name: str, errors: Any
) -> None:
    made(tmp_path, {"a.txt": "fine", "wide.txt": mark + "hello".encode(encoding)})
    with pytest.raises(bp.EncodingError, match=rf"'.*wide\.txt' begins with the mark of {name}.*convert it to UTF-8"):
        bp.train(tmp_path, num_merges=1, errors=errors)


def test_binary_data_is_not_utf8(tmp_path: Path) -> None:
    made(tmp_path, {"image.png": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"})
    with pytest.raises(bp.EncodingError, match=r"image\.png"):
        bp.train(tmp_path / "image.png", num_merges=1)


def test_bytes_as_documents_are_taken_as_they_are() -> None:
    assert bp.tally([BAD], pattern="none").items() == [(BAD, 1)]
    tok = bp.train([BAD], num_merges=1, pattern="none")
    assert tok.decode_bytes(tok.encode(BAD)) == BAD


def test_bytes_as_documents_must_be_utf8_where_characters_are_needed() -> None:
    with pytest.raises(bp.EncodingError, match=r"document 1 of the source is not UTF-8 at byte 6.*alphabet=\"bytes\""):
        bp.train(["fine", BAD], num_merges=1, alphabet="chars")
    tally = bp.tally(["fine", BAD], pattern="none")
    with pytest.raises(
        bp.EncodingError,
        match=r"the piece b'hello .* of the tally is not UTF-8: byte 0xff at 6, and .*; count text that is UTF-8,",
    ):
        bp.train(tally, num_merges=1, alphabet="chars")


def test_lone_surrogates_in_documents() -> None:
    with pytest.raises(bp.SurrogateError, match=r"position 3: document 1 of the source holds a lone surrogate"):
        counted(["fine", "ok \ud83d"])
    assert counted(["\ud83d\udc4d \ud83d"], errors="replace") == {"👍".encode(): 1, "\ufffd".encode(): 1}
    assert counted(["\ud83d\udc4d x\ud83d"], errors="skip") == {"👍".encode(): 1, b"x": 1}
    assert counted(["a", "\ud83d\udc4d"]) == {b"a": 1, "👍".encode(): 1}


# Specials in a corpus


def test_the_text_of_a_special_is_a_border_that_is_not_counted() -> None:
    assert counted(["a<|x|>b"], special_tokens=["<|x|>"]) == {b"a": 1, b"b": 1}
    assert counted(["a<|x|>b"], special_tokens=["<|x|>"], special="text") == {b"a<|x|>b": 1}
    assert counted(["a<|x|>b<|y|>c"], special_tokens=["<|x|>", "<|y|>"], special={"<|y|>"}) == {b"a<|x|>b": 1, b"c": 1}


def test_the_text_of_a_special_is_refused_on_request(tmp_path: Path) -> None:
    made(tmp_path, {"text.txt": "one\ntwo <|x|>"})
    options: dict[str, Any] = {"special_tokens": ["<|x|>", "<|y|>"], "special": "raise"}
    with pytest.raises(
        bp.SpecialTokenError, match=r"document 1 of the source holds the special token '<\|x\|>' at byte 2"
    ):
        counted(["fine", "a <|x|>"], **options)
    with pytest.raises(bp.SpecialTokenError, match=r"'.*text\.txt' holds the special token '<\|x\|>' at byte 8"):
        counted(tmp_path, **options)
    assert counted(["a"], **options) == {b"a": 1}


# Tallies


def test_a_tally_says_what_it_holds(tmp_path: Path) -> None:
    tally = bp.tally(["low low", "lower"], pattern="whitespace")
    assert (tally.documents, tally.n_bytes, tally.n_pieces, tally.n_occurrences) == (2, 12, 2, 3)
    assert tally.pattern == "whitespace"
    assert tally.ordered
    assert tally.borders == frozenset()
    assert tally.add_prefix_space is False
    assert repr(tally) == "Tally(2 pieces, 12 bytes, pattern='whitespace')"


def test_the_fingerprint_is_blind_to_order() -> None:
    one = bp.tally(["a b c a"], pattern="whitespace")
    assert one.fingerprint == bp.tally(["c a", "b", "a"], pattern="whitespace", threads=2).fingerprint
    assert one.fingerprint != bp.tally(["a b c"], pattern="whitespace").fingerprint
    assert len(one.fingerprint) == 32


def test_counted_pieces() -> None:
    for counts in ({"low": 5, b"lower": 2}, [("low", 3), (b"lower", 2), ("low", 2)], iter([("low", 5), ("lower", 2)])):
        tally = bp.Tally.from_counts(counts, pattern="whitespace")
        assert tally.items() == [(b"low", 5), (b"lower", 2)]
        assert (tally.documents, tally.n_bytes) == (None, 25)
    assert bp.Tally.from_counts({"a": 0, "": 5}, pattern="none").items() == []


def test_counts_past_32_bits_build_the_first() -> None:
    tally = bp.Tally.from_counts({"the": 5_000_000_000, "cat": 3, "hat": 2}, pattern="whitespace")
    tok = bp.train(tally, num_merges=3)
    assert tok.merges[1] in [(b"t", b"he"), (b"th", b"e")]
    assert tok.encode("the") == [tok.token_id("the")]
    assert tok.training is not None
    assert tok.training.merge_counts[:2] == (5_000_000_000, 5_000_000_000)


WRONG_COUNTS: list[tuple[Any, type[bp.BytepairError], str]] = [
    ("low", bp.ArgumentTypeError, r"counts is 'low' \(str\)"),
    (3, bp.ArgumentTypeError, r"counts is 3 \(int\)"),
    (["low"], bp.ArgumentTypeError, r"item 0 of counts is 'low'; it must be a pair"),
    ({3: 1}, bp.ArgumentTypeError, r"piece 0 of counts is 3 \(int\)"),
    ({"a": "1"}, bp.ArgumentTypeError, r"the count of b'a' is '1' \(str\)"),
    ({"a": True}, bp.ArgumentTypeError, r"the count of b'a' is True \(bool\)"),
    ({"a": 1.0}, bp.ArgumentTypeError, r"the count of b'a' is 1\.0 \(float\)"),
    ({"a": -1}, bp.ArgumentError, r"the count of b'a' is -1; it must be 0 or more"),
    ({"a": 2**63}, bp.CountOverflowError, r"the count of b'a' is 9223372036854775808, past 2\*\*63 - 1"),
    ([("a", 2**62), ("a", 2**62)], bp.CountOverflowError, r"2\^63 - 1"),
    ({"\ud83d": 1}, bp.SurrogateError, "piece 0 of counts holds a lone surrogate"),
]


@pytest.mark.parametrize(("counts", "error", "message"), WRONG_COUNTS, ids=[message for *_, message in WRONG_COUNTS])
def test_counts_are_checked(counts: Any, error: type[bp.BytepairError], message: str) -> None:
    with pytest.raises(error, match=message):
        bp.Tally.from_counts(counts, pattern="whitespace")


def test_a_sum_of_counts_that_overflows_is_an_error() -> None:
    tally = bp.Tally.from_counts({"ab": 2**62, "cab": 2**62}, pattern="whitespace")
    with pytest.raises(bp.CountOverflowError, match=r"2\^63"):
        bp.train(tally, num_merges=1)


def test_a_tally_cannot_be_made_by_hand() -> None:
    with pytest.raises(TypeError, match=r"bytepair\.tally\(source, pattern=\.\.\.\)"):
        bp.Tally()


def test_training_from_a_tally_is_training_from_its_source() -> None:
    source = ["low lower<|x|> newest", "widest newest"]
    for options in ({}, {"special_tokens": ["<|x|>"]}, {"special_tokens": ["<|x|>"], "special": "text"}):
        tally = bp.tally(source, pattern="gpt2", **options)
        assert bp.train(tally, num_merges=9, **options) == bp.train(source, num_merges=9, pattern="gpt2", **options)


def test_a_tally_that_was_made_otherwise_is_refused() -> None:
    tally = bp.tally(["a<|x|>b"], pattern="gpt2")
    with pytest.raises(bp.ArgumentError, match=r"pattern is 'cl100k', and the tally was cut by 'gpt2'"):
        bp.train(tally, num_merges=1, pattern="cl100k")
    with pytest.raises(bp.ArgumentError, match=r"add_prefix_space is True, and the tally was made with False"):
        bp.train(tally, num_merges=1, add_prefix_space=True)
    with pytest.raises(
        bp.SpecialTokenError, match=r"the tally was cut at the special tokens \[\], and this .*'<\|x\|>'"
    ):
        bp.train(tally, num_merges=1, special_tokens=["<|x|>"])
    with pytest.raises(bp.SpecialTokenError, match=r'make it with special="raise"'):
        bp.train(tally, num_merges=1, special_tokens=["<|x|>"], special="raise")
    assert bp.train(tally, num_merges=1, special_tokens=["<|x|>"], special="text").vocab_size == 258


def test_first_seen_refuses_a_set_before_it_is_touched() -> None:
    class Untouched(set[str]):
        def __iter__(self) -> Iterator[str]:
            raise AssertionError("the source was read")

    calls: list[tuple[int, int]] = []
    for source in (Untouched({"ab"}), {"ab", b"cd"}):
        with pytest.raises(bp.ArgumentError, match='ties="first-seen" needs the order'):
            bp.train(source, num_merges=1, ties="first-seen", progress=lambda *call: calls.append(call))
    assert calls == []


def test_first_seen_needs_an_order() -> None:
    for source in ({"ab", "cd"}, bp.Tally.from_counts({("ab", 1), ("cd", 1)}, pattern="none")):
        with pytest.raises(bp.ArgumentError, match='ties="first-seen" needs the order'):
            bp.train(source, num_merges=1, ties="first-seen")
        assert bp.train(source, num_merges=1).merges == [(b"a", b"b")]


@given(st.lists(st.text(alphabet="ab \n", max_size=8), max_size=6))
def test_how_a_corpus_is_handed_over_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, documents: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("corpus")
    for index, text in enumerate(documents):
        (folder / f"{index:03}.txt").write_text(text, newline="")
    expected = bp.tally(documents, pattern="cl100k").items()
    assert bp.tally(iter(documents), pattern="cl100k", threads=2).items() == expected
    assert bp.tally([text.encode() for text in documents], pattern="cl100k").items() == expected
    if documents:
        assert bp.tally(folder, pattern="cl100k").items() == expected


# Progress


def test_progress_says_how_many_bytes_of_how_many(tmp_path: Path) -> None:
    made(tmp_path, {"a.txt": "a" * 1000, "b.txt": "b" * 1000})
    steps: list[bp.Progress] = []
    bp.tally(tmp_path, pattern="none", progress=steps.append)
    assert (steps[-1].done, steps[-1].total, steps[-1].unit) == (2000, 2000, "bytes")
    assert all(step.total == 2000 for step in steps)
    steps.clear()
    bp.tally(iter(["a"]), pattern="none", progress=steps.append)
    assert (steps[-1].done, steps[-1].total, steps[-1].seconds_left) == (1, None, None)


def test_progress_that_raises_stops_the_work(tmp_path: Path) -> None:
    class StopHereError(Exception):
        pass

    def stop(step: bp.Progress) -> None:
        raise StopHereError

    with pytest.raises(StopHereError):
        bp.tally(["a"], pattern="none", progress=stop)


def test_errors_pickle() -> None:
    with pytest.raises(bp.MissingFileError) as caught:
        bp.train("nowhere.txt", num_merges=1)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
