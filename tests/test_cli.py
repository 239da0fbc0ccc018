"""The command line: exit code, stdout, stderr and files of every command."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import bytepair as bp
from bytepair.cli import cli
from bytepair.cli.stdlib import standard_library

TEXT = "to be or not to be, that is the question\n" * 20


SEEING = ("explain", "trace", "token", "compare", "curve", "inspect", "prune")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "book.txt").write_text(TEXT, "utf-8", newline="")
    return tmp_path


@pytest.fixture
def tok(folder: Path) -> bp.Tokenizer:
    """A tokenizer that was saved as tokenizer.json, where commands look for one."""
    tok = bp.train(folder / "book.txt", vocab_size=290, special_tokens=["<|end|>", "<|pad|>"])
    tok.save("tokenizer.json")
    return tok


def run(*arguments: str, stdin: str | bytes | None = None, code: int = 0) -> Result:
    result = CliRunner().invoke(cli, arguments, input=stdin, prog_name="bytepair")
    assert result.exit_code == code, (result.output, result.exception)
    return result


def process(*arguments: str, stdin: bytes = b"", **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "bytepair", *arguments],
        input=stdin,
        capture_output=True,
        check=False,
        **options,  # type: ignore[call-overload]
    )


# train


def test_train_saves_what_the_library_learns(tok: bp.Tokenizer) -> None:
    result = run(
        "train",
        "book.txt",
        "--vocab-size",
        "290",
        "--special-token",
        "<|end|>",
        "--special-token",
        "<|pad|>",
        "-o",
        "t.json",
    )
    assert Path("t.json").read_bytes() == Path("tokenizer.json").read_bytes()
    assert "290 tokens" in result.stdout
    assert "t.json" in result.stdout


def test_train_takes_every_option_of_the_library() -> None:
    options = {
        "pattern": "whitespace",
        "ties": "largest",
        "alphabet": "chars",
        "end_of_word": "</w>",
        "end_of_word_style": "suffix",
        "unk_token": "<unk>",
        "special_ids": "first",
        "min_count": 2,
        "max_token_bytes": 6,
        "document": "line",
        "errors": "replace",
        "threads": 1,
    }
    words = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    run("train", "book.txt", "--num-merges", "9", "--special-token", "<|end|>", *words)
    bp.train("book.txt", num_merges=9, special_tokens=["<|end|>"], **options).save("expected.json")
    assert Path("tokenizer.json").read_bytes() == Path("expected.json").read_bytes()
    run("train", "book.txt", "--num-merges", "9", "--byte-order", "gpt2", "--add-prefix-space", "-o", "gpt2.json")
    bp.train("book.txt", num_merges=9, byte_order="gpt2", add_prefix_space=True).save("expected.json")
    assert Path("gpt2.json").read_bytes() == Path("expected.json").read_bytes()


def test_train_reports_as_json() -> None:
    report = json.loads(run("train", "book.txt", "--num-merges", "5", "--json").stdout)
    assert report["documents"] == 1
    assert report["bytes"] == len(TEXT)
    assert report["file"] == "tokenizer.json"
    # As many as there are merges; the file has them.
    assert "merge_counts" not in report


@pytest.mark.parametrize("source", ["book.txt", "texts", "texts/*.txt", "-"])
def test_train_reads_files_folders_globs_and_stdin(source: str, folder: Path) -> None:
    (folder / "texts").mkdir()
    (folder / "texts" / "a.txt").write_text(TEXT, "utf-8", newline="")
    run("train", source, "--num-merges", "9", "--pattern", "gpt2", stdin=TEXT)
    assert bp.load("tokenizer.json").merges == bp.train([TEXT], num_merges=9, pattern="gpt2").merges


def test_train_reads_lines_of_stdin() -> None:
    arguments = ("--num-merges", "9", "--pattern", "none", "--document", "line")
    run("train", "-", *arguments, "-o", "stdin.json", stdin=TEXT)
    run("train", "book.txt", *arguments, "-o", "file.json")
    assert Path("stdin.json").read_bytes() == Path("file.json").read_bytes()


def test_what_is_compressed_or_in_an_archive_is_read_as_by_tally(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_bytes(b"low lower")
    Path("a.gz").write_bytes(gzip.compress(b"low lower"))
    with zipfile.ZipFile("b.zip", "w") as archive:
        archive.write("a.gz", "c/a.gz")
        archive.write("a.txt")
    bp.train(["low"], num_merges=1).save("tokenizer.json")

    def said(command: str, *names: str) -> Any:
        done = CliRunner().invoke(cli, [command, *names, "-t", "tokenizer.json", "--json"])
        assert (done.exit_code, done.stderr) == (0, "")
        return [json.loads(line) for line in done.stdout.splitlines()]

    (counted,) = said("count", "a.txt", "a.gz", "b.zip")
    assert [each["name"] for each in counted["files"]] == ["a.txt", "a.gz", "b.zip/c/a.gz", "b.zip/a.txt"]
    assert {(each["tokens"], each["bytes"]) for each in counted["files"]} == {(7, 9)}
    assert {tuple(each["ids"]) for each in said("encode", "a.txt", "a.gz", "b.zip")} == {
        tuple(bp.load("tokenizer.json").encode("low lower"))
    }
    compared = json.dumps(said("compare", "a.gz", "b.zip"))
    assert all(f'"{name}"' in compared for name in ("a.gz", "b.zip/c/a.gz", "b.zip/a.txt"))


def test_packed_standard_input_is_refused_with_what_unpacks_it(tmp_path: Path) -> None:
    bp.train(["low"], num_merges=1).save(tmp_path / "tokenizer.json")
    done = CliRunner().invoke(cli, ["count", "-t", str(tmp_path / "tokenizer.json")], input=gzip.compress(b"low"))
    assert done.exit_code == 2
    assert "standard input is gz, packed; unpack it on the way (gzip -dc), or name the file" in done.stderr


def test_what_unpacks_to_more_than_is_held_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from bytepair.cli import texts

    monkeypatch.setattr(texts, "MAX_RECORD", 1000)
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"low " * 300))
    bp.train(["low"], num_merges=1).save(tmp_path / "tokenizer.json")
    done = CliRunner().invoke(cli, ["count", str(tmp_path / "a.gz"), "-t", str(tmp_path / "tokenizer.json")])
    assert done.exit_code == 2
    assert re.search(r"a\.gz' holds 1,000 bytes or more, which are held at once here; cut it into files", done.stderr)


def test_train_reads_a_pipe(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    with subprocess.Popen(["sh", "-c", "cat book.txt > pipe"], cwd=folder) as writer:
        try:
            done = process("train", "pipe", "--num-merges", "9", timeout=60)
        finally:
            # It waits for a reader, and there is none any more.
            writer.kill()
    assert (done.returncode, done.stderr) == (0, b"")


BAD_FILES = {
    "not UTF-8": b"fine\nhello \xff\xfe w\xc3\n\xe2\x82 cut \xed\xa0\xbd short \xf0\x9f",
    "UTF-8 with a mark": b"\xef\xbb\xbfhello hello",
    "UTF-16": b"\xff\xfe" + "hello".encode("utf-16-le"),
    "nothing": b"",
}


@pytest.mark.parametrize("errors", ["raise", "replace", "skip"])
@pytest.mark.parametrize("document", ["file", "line"])
@pytest.mark.parametrize("data", BAD_FILES.values(), ids=BAD_FILES)
def test_train_treats_stdin_as_a_file(data: bytes, document: str, errors: str) -> None:
    Path("bad.txt").write_bytes(data)
    options = ("--num-merges", "9", "--pattern", "gpt2", "--document", document, "--errors", errors, "--json")
    code = 2 if data[:2] == b"\xff\xfe" or (errors == "raise" and b"\xff" in data) else 0
    from_file = run("train", "bad.txt", *options, "-o", "file.json", code=code)
    from_stdin = run("train", "-", *options, "-o", "stdin.json", stdin=data, code=code)
    if code:
        assert from_stdin.stderr == from_file.stderr.replace("bad.txt", "standard input")
        return
    assert Path("stdin.json").read_bytes() == Path("file.json").read_bytes()
    assert not [*Path(tempfile.gettempdir()).glob("bytepair-*/*/standard input")]
    reports = [json.loads(result.stdout) for result in (from_file, from_stdin)]
    for name in ("documents", "bytes", "pieces", "reached"):
        assert reports[0][name] == reports[1][name], name


@pytest.mark.parametrize("command", ["encode", "count", "pieces"])
def test_a_mark_of_another_encoding_is_named_by_every_command(command: str, tok: bp.Tokenizer) -> None:
    data = BAD_FILES["UTF-16"]
    Path("wide.txt").write_bytes(data)
    assert "'wide.txt' begins with the mark of UTF-16" in run(command, "wide.txt", code=2).stderr
    for arguments in (("-",), ()):
        result = run(command, *arguments, stdin=data, code=2)
        assert "'standard input' begins with the mark of UTF-16" in result.stderr


@pytest.mark.parametrize("command", ["encode", "count", "pieces"])
def test_a_file_that_may_not_be_read_is_named(command: str, tok: bp.Tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(path: Path) -> bytes:
        if path.name == "book.txt":
            raise PermissionError(13, "Permission denied")
        with path.open("rb") as file:
            return file.read()

    monkeypatch.setattr(Path, "read_bytes", denied)
    result = run(command, "book.txt", code=2)
    assert "'book.txt' cannot be read: Permission denied; change its permissions" in result.stderr


def test_a_standard_input_that_finds_no_room_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", full)
    result = run("train", "-", "--num-merges", "3", stdin="text", code=2)
    assert "'standard input' cannot be copied to" in result.stderr
    assert "No space left on device; the environment variable TMPDIR" in result.stderr


@pytest.mark.skipif(os.name != "posix", reason="a shell as on POSIX")
@pytest.mark.parametrize("command", ["train - --num-merges 3 -o other.json", "encode", "count -", "pieces", "decode"])
def test_a_closed_standard_input_is_named(command: str, tok: bp.Tokenizer, folder: Path) -> None:
    line = f"'{sys.executable}' -m bytepair {command} <&-"
    done = subprocess.run(line, shell=True, capture_output=True, cwd=folder, check=False)
    assert (done.returncode, done.stderr) == (2, b"Error: standard input is closed; pipe a text in, or name files\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("book.txt",), "neither of --vocab-size and --num-merges was given"),
        (("book.txt", "--vocab-size", "300", "--num-merges", "3"), "both of --vocab-size and --num-merges"),
        (("book.txt", "--vocab-size", "7"), "256"),
        (("missing.txt", "--vocab-size", "300"), "missing.txt"),
        (("book.txt", "--vocab-size", "300", "--pattern", "gtp2"), "gpt2"),
        (("book.txt", "--vocab-size", "300", "-o", "no/such/folder/t.json"), "no/such/folder"),
        (("book.txt", "--vocab-size", "300", "-o", "."), "is a folder"),
        (("book.txt", "--vocab-size", "300", "--ties", "random"), "random"),
        (("--vocab-size", "300"), "FILES"),
    ],
)
def test_train_refuses_wrong_use(arguments: tuple[str, ...], message: str) -> None:
    result = run("train", *arguments, code=2)
    assert message in result.stderr
    assert "Traceback" not in result.output
    assert not Path("tokenizer.json").exists()


def test_train_never_overwrites_unasked(folder: Path) -> None:
    Path("tokenizer.json").write_text("mine", "utf-8")
    # The source is missing too: the output file is looked at before any work is done.
    result = run("train", "missing.txt", "--vocab-size", "300", code=2)
    assert "--force" in result.stderr
    assert Path("tokenizer.json").read_text("utf-8") == "mine"
    run("train", "book.txt", "--vocab-size", "300", "--force")
    assert bp.load("tokenizer.json").vocab_size <= 300


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
def test_ctrl_c_while_training_writes_nothing(folder: Path) -> None:
    command = [sys.executable, "-m", "bytepair", "train", "-", "--vocab-size", "300"]
    (folder / "tmp").mkdir()
    environment = os.environ | {"TMPDIR": str(folder / "tmp")}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as child:
        assert child.stdin is not None
        child.stdin.write(b"some text")
        child.stdin.flush()
        for _ in range(600):
            if [*folder.glob("tmp/*/*/standard input")]:
                break
            time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=60)
    assert child.returncode == 130
    assert b"no file was written" in errors
    assert b"Traceback" not in errors
    assert [*(folder / "tmp").iterdir()] == []
    assert sorted(path.name for path in folder.iterdir()) == ["book.txt", "tmp"]


# encode, decode


def test_encode_prints_a_line_a_document(tok: bp.Tokenizer) -> None:
    result = run("encode", "--text", "to be", "--text", "not", "book.txt")
    assert [[*map(int, line.split())] for line in result.stdout.splitlines()] == tok.encode_batch(
        ["to be", "not", TEXT]
    )


def test_encode_reads_stdin_and_lines(tok: bp.Tokenizer) -> None:
    expected = tok.encode_batch(TEXT.splitlines(keepends=True))
    for arguments in (("-",), ()):
        result = run("encode", *arguments, "--document", "line", stdin=TEXT)
        assert [[*map(int, line.split())] for line in result.stdout.splitlines()] == expected


def test_encode_as_json_and_tokens(tok: bp.Tokenizer) -> None:
    record = json.loads(run("encode", "--text", "be é", "--json", "--tokens").stdout)
    assert record["ids"] == tok.encode("be é")
    assert record["tokens"][-2:] == ["\\xc3", "\\xa9"]
    assert run("encode", "--text", "to be\n", "--tokens").stdout.replace("|", "") == "to·be⏎\n"


def test_encode_leaves_specials_as_text_unless_told(tok: bp.Tokenizer) -> None:
    text = "to<|end|><|pad|>"
    end, pad = tok.special_tokens["<|end|>"], tok.special_tokens["<|pad|>"]

    def ids(*special: str) -> list[int]:
        words = [word for name in special for word in ("--special", name)]
        return [*map(int, run("encode", "--text", text, *words).stdout.split())]

    assert not {end, pad} & set(ids())
    assert ids("all")[-2:] == [end, pad]
    assert end in ids("<|end|>")
    assert pad not in ids("<|end|>")
    assert {end, pad} <= set(ids("<|end|>", "<|pad|>"))
    assert "<|end|>" in run("encode", "--text", text, "--special", "raise", code=2).stderr
    assert "<|nope|>" in run("encode", "--text", text, "--special", "<|nope|>", code=2).stderr


def test_encode_takes_bytes_as_they_are(tok: bp.Tokenizer) -> None:
    data = b"to \xff be\r\n"
    ids = run("encode", "-", stdin=data).stdout
    assert run("decode", stdin=ids).stdout_bytes == data


@pytest.mark.parametrize(
    "ids",
    [
        "116 111",
        "116,111",
        "116, 111\n",
        "[116, 111]",
        "[[116], [111]]",
        '{"ids": [116]}\n{"ids": [111]}\n',
        "116\n111",
    ],
)
def test_decode_reads_text_and_json(tok: bp.Tokenizer, ids: str) -> None:
    assert run("decode", stdin=ids).stdout == "to"


def test_decode_takes_ids_as_arguments(tok: bp.Tokenizer) -> None:
    assert run("decode", "116", "111").stdout == "to"
    assert json.loads(run("decode", "116", "111", "--json").stdout) == {"text": "to"}
    assert run("decode", "116", "99999", "--bad-ids", "skip").stdout == "t"


@pytest.mark.parametrize(
    ("arguments", "stdin", "message"),
    [
        (("116", "99999"), None, "99999"),
        (("116", "-1"), None, "-1"),
        (("116", "x"), None, "'x'"),
        ((), "116\n1 x", "line 2"),
        ((), "[116, 111", "JSON"),
        ((), '{"text": 1}', "ids"),
        ((), '["116"]', "116"),
        ((), "[1.5]", "1.5"),
    ],
)
def test_decode_refuses_bad_ids(tok: bp.Tokenizer, arguments: tuple[str, ...], stdin: str | None, message: str) -> None:
    result = run("decode", *arguments, stdin=stdin, code=2)
    assert message in result.stderr
    assert "Traceback" not in result.output


def test_a_pipeline_gives_the_file_back(tok: bp.Tokenizer, folder: Path) -> None:
    for options in ((), ("--document", "line"), ("--json",)):
        ids = process("encode", "book.txt", *options).stdout
        assert process("decode", stdin=ids).stdout == TEXT.encode()


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
def test_a_reader_that_stops_early_is_no_error(tok: bp.Tokenizer, folder: Path) -> None:
    (folder / "long.txt").write_text(TEXT * 1000, "utf-8")
    command = f"'{sys.executable}' -m bytepair encode long.txt --document line | head -n 1"
    done = subprocess.run(command, shell=True, capture_output=True, check=False)
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == b""


# count, pieces


def test_count_is_like_wc(tok: bp.Tokenizer, folder: Path) -> None:
    (folder / "other.txt").write_bytes(b"to be")
    lines = run("count", "book.txt", "other.txt").stdout.splitlines()
    n_tokens = tok.count(TEXT), tok.count("to be")
    assert lines[0].split() == ["tokens", "bytes", "bytes/token", "text"]
    assert lines[1].split() == [str(n_tokens[0]), str(len(TEXT)), f"{len(TEXT) / n_tokens[0]:.2f}", "book.txt"]
    assert lines[3].split()[:2] == [str(sum(n_tokens)), str(len(TEXT) + 5)]
    assert lines[3].endswith("total")
    assert len(run("count", "book.txt", "--document", "line").stdout.splitlines()) == 2


def test_count_as_json(tok: bp.Tokenizer) -> None:
    two = json.loads(run("count", "--text", "to be", "--text", "or not", "--json").stdout)["files"]
    assert [row["name"] for row in two] == ["--text 1", "--text 2"]
    result = json.loads(run("count", "--text", "to be", "--json").stdout)
    n_tokens = tok.count("to be")
    assert result == {"files": [{"name": "--text", "tokens": n_tokens, "bytes": 5}], "tokens": n_tokens, "bytes": 5}


def test_count_of_nothing(tok: bp.Tokenizer) -> None:
    assert run("count", "-", stdin="").stdout.splitlines()[1].split() == ["0", "0", "-", "-"]


def test_pieces_need_no_tokenizer_file() -> None:
    assert run("pieces", "--pattern", "gpt2", "--text", "it's 123").stdout == "it|'s|·123\n"
    assert run("pieces", "--text", "1234").stdout == "123|4\n"
    assert json.loads(run("pieces", "--text", "a b", "--json").stdout)["pieces"] == ["a", " b"]


def test_pieces_of_a_tokenizer(tok: bp.Tokenizer) -> None:
    result = run("pieces", "-t", "tokenizer.json", "--text", "to be<|end|>", "--special", "all")
    assert result.stdout == "to|·be|<|end|>\n"


# what all commands share


@pytest.mark.parametrize("command", ["encode", "decode", "count"])
def test_a_missing_tokenizer_is_named_with_a_way_out(command: str) -> None:
    message = run(command, "116", stdin="", code=2).stderr
    assert "tokenizer.json" in message
    assert "bytepair demo" in message


def test_a_broken_tokenizer_is_refused(folder: Path) -> None:
    (folder / "tokenizer.json").write_text("{", "utf-8")
    assert "tokenizer.json" in run("encode", "--text", "a", code=2).stderr


def test_a_file_without_a_pattern_takes_one(folder: Path, tok: bp.Tokenizer) -> None:
    lines = (f"{__import__('base64').b64encode(bytes([byte])).decode()} {byte}\n" for byte in range(256))
    (folder / "t.tiktoken").write_text("".join(lines), "utf-8")
    assert "pattern" in run("encode", "-t", "t.tiktoken", "--text", "a", code=2).stderr
    assert run("encode", "-t", "t.tiktoken", "--pattern", "gpt2", "--text", "to").stdout == "116 111\n"


@pytest.mark.parametrize("command", ["encode", "count", "pieces"])
def test_a_missing_text_is_named(command: str, tok: bp.Tokenizer) -> None:
    assert "missing.txt" in run(command, "missing.txt", code=2).stderr


def test_version_and_help() -> None:
    assert run("--version").stdout.startswith("bytepair ")
    assert "bytepair demo" in run("--help").stdout
    for command in cli.commands:
        text = run(command, "--help").stdout
        assert "Examples:" in text


@pytest.mark.skipif(os.name != "posix", reason="the examples are for a shell")
def test_examples_of_the_help_work(folder: Path) -> None:
    for name in ("texts", "more"):
        (folder / name).mkdir()
        (folder / name / "a.txt").write_text(TEXT, "utf-8")
    for name in ("note.txt", "held-out.txt"):
        (folder / name).write_text("to be, and not to be", "utf-8")
    bp.train([TEXT], num_merges=5).save("small.json")
    (folder / "corpus.gz").write_bytes(gzip.compress(TEXT.encode()))
    (folder / "bytepair").write_text(f"#!/bin/sh\nexec '{sys.executable}' -m bytepair \"$@\"\n", "utf-8")
    (folder / "bytepair").chmod(0o755)
    environment = os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    for command in ("train", "encode", "decode", "count", "pieces", *SEEING):
        if command == "prune":
            bp.train([TEXT, "жар жар жар 漢字 漢字"], num_merges=60).save("tokenizer.json")
        for example in re.findall(r"^  (.+)$", str(cli.commands[command].epilog), re.MULTILINE):
            done = subprocess.run(example, shell=True, capture_output=True, env=environment, check=False)
            assert (done.returncode, done.stderr) == (0, b""), example


def test_python_m_bytepair_is_the_command_line() -> None:
    done = process("--version")
    assert done.stdout.decode() == run("--version").stdout


# demo


@pytest.fixture
def small_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["bytepair.cli.demo"], "standard_library", lambda: standard_library(limit=300_000))


def test_demo_shows_the_whole_journey() -> None:
    result = run("demo")
    for part in ("2,000 tokens", "ids: ", "the same text", "rank", "bytes/token", "Saved tokenizer.json", "Try next"):
        assert part in result.stdout, part
    assert bp.load("tokenizer.json").vocab_size == 2000


def test_the_demo_reads_no_installed_package_and_no_test() -> None:
    files = standard_library()
    assert files == sorted(files)
    assert not [file for file in files if {"site-packages", "test", "tests"} & set(file.parts)]
    assert sum(file.stat().st_size for file in files[:-1]) < 10_000_000


@pytest.mark.usefixtures("small_library")
def test_demo_overwrites_only_what_it_wrote() -> None:
    run("demo")
    saved = Path("tokenizer.json").read_bytes()
    assert "there already" in run("demo").stdout
    assert Path("tokenizer.json").read_bytes() == saved
    Path("tokenizer.json").write_text("mine", "utf-8")
    assert "--force" in run("demo", code=2).stderr
    assert Path("tokenizer.json").read_text("utf-8") == "mine"
    assert [path.name for path in Path().iterdir() if "json" in path.name] == ["tokenizer.json"]
    run("demo", "--force")
    assert Path("tokenizer.json").read_bytes() == saved


def test_demo_without_a_standard_library_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["bytepair.cli.demo"], "standard_library", list)
    assert "bytepair train" in run("demo", code=2).stderr


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.usefixtures("small_library")
def test_demo_fits_sixty_columns_in_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr("sys.stdout", screen := Terminal())
    cli(["demo"], prog_name="bytepair", standalone_mode=False)
    shown = screen.getvalue()
    assert "\x1b[38;5;16;48;5;" in shown
    # Commands to copy stay on one line.
    lines = [line for line in re.sub("\x1b\\[[0-9;]*m", "", shown).split("\n") if not line.startswith("  ")]
    assert not [line for line in lines if len(line) > 60]


# extend


def test_extend_saves_what_the_library_extends(tok: bp.Tokenizer) -> None:
    Path("more.txt").write_text("whether it is nobler in the mind\n" * 9, "utf-8")
    result = run("extend", "more.txt", "--vocab-size", "290", "-o", "more.json")
    extended = tok.extend(Path("more.txt"), 290)
    assert bp.load("more.json") == extended
    assert "8 tokens behind 282: 8 merges" in result.stdout
    record = json.loads(run("extend", "more.txt", "--vocab-size", "290", "-o", "x.json", "--json").stdout)
    assert (record["reached"], record["n_changed"]) == (290, extended.extension.n_changed)
    assert record["new_tokens"] == {str(number): token.decode() for number, token in extended.extension.new_tokens}
    assert record["can_change"] == [token.decode() for token in extended.extension.can_change]


def test_extend_leaves_a_file_that_is_there(tok: bp.Tokenizer) -> None:
    result = run("extend", "book.txt", "--vocab-size", "300", "-o", "tokenizer.json", code=2)
    assert "'tokenizer.json' is there already" in result.stderr
    assert bp.load("tokenizer.json") == tok


def test_extend_to_less_is_refused(tok: bp.Tokenizer) -> None:
    result = run("extend", "book.txt", "--vocab-size", "100", code=2)
    assert "--vocab-size is 100; it must be at least 282" in result.stderr
    assert not Path("extended.json").exists()


# prove


def test_prove_says_what_it_found_and_its_exit_code_too(tok: bp.Tokenizer) -> None:
    assert "each of 24 merges is the most frequent pair" in run("prove", "book.txt").stdout
    result = run("prove", "book.txt", "--ties", "largest", code=1)
    assert result.stdout.startswith("broken at merge ")
    record = json.loads(run("prove", "-", "--json", stdin=TEXT).stdout)
    assert (record["holds"], record["same_corpus"], record["n_merges"]) == (True, True, 24)
    assert record["corpus_fingerprint"] == tok.model.corpus_fingerprint
    broken = json.loads(run("prove", "-", "--json", stdin="zz zz", code=1).stdout)
    assert (broken["holds"], broken["broken_at"], broken["count"]) == (False, 0, 0)
    assert len(broken["given"]) == len(broken["choice"]) == 2


# train --checkpoint


def test_train_keeps_a_checkpoint_when_it_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object, checkpoint: Path, **__: object) -> None:
        checkpoint.write_bytes(b"{}")
        raise KeyboardInterrupt

    monkeypatch.setattr("bytepair.cli.training.learn", stopped)
    result = run("train", "book.txt", "--vocab-size", "300", "--checkpoint", "run.ckpt", code=130)
    assert "no tokenizer was written; 'run.ckpt' keeps the merges so far. To go on from there:\n" in result.stderr
    assert "  bytepair train book.txt --vocab-size 300 --checkpoint run.ckpt\n" in result.stderr
    assert not Path("tokenizer.json").exists()


def test_train_refuses_a_checkpoint_that_is_none() -> None:
    result = run("train", "book.txt", "--vocab-size", "300", "--checkpoint", "book.txt", code=2)
    assert "'book.txt' is no checkpoint of a training" in result.stderr
    assert Path("book.txt").read_text("utf-8") == TEXT


def test_train_with_a_checkpoint_ends_without_it() -> None:
    run("train", "book.txt", "--vocab-size", "300", "--checkpoint", "run.ckpt")
    assert sorted(path.name for path in Path().iterdir()) == ["book.txt", "tokenizer.json"]


# options as they are typed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("train", "book.txt", "--vocab-size", "7"), "--vocab-size is 7; it must be at least 256"),
        (("train", "book.txt", "--num-merges", "-1"), "--num-merges is -1; it must be at least 0"),
        (("train", "book.txt", "--num-merges", "1", "--min-count", "0"), "--min-count is 0; it must be"),
        (("train", "book.txt", "--num-merges", "1", "--threads", "0"), "--threads is 0; it must be"),
        (
            ("train", "book.txt", "--num-merges", "1", "--unk-token", "?"),
            "--unk-token is '?', and --alphabet bytes knows",
        ),
        (("train", "book.txt", "--num-merges", "1", "--pattern", "gtp2"), "gpt2"),
        (("train", "book.txt", "--num-merges", "1", "--special-token", ""), "--special-token[0] is ''"),
        (
            ("train", "book.txt", "--num-merges", "1", "--sample", "10"),
            "--sample is 10.0; it must be above 0 and at most",
        ),
        (
            ("train", "book.txt", "--num-merges", "1", "--seed", "3"),
            "--seed is 3, and no sample is drawn; pass --sample",
        ),
        (("train", "bad.txt", "--num-merges", "1"), "say --errors replace (U+FFFD) or --errors skip (leave out)"),
        (("tally", "book.txt", "--source", ""), "--source is ''; it must have at least one character"),
        (("extend", "book.txt", "--vocab-size", "9"), "--vocab-size is 9; it must be at least 282"),
    ],
)
def test_messages_name_options_as_they_are_typed(
    arguments: tuple[str, ...], message: str, tok: bp.Tokenizer, folder: Path
) -> None:
    (folder / "bad.txt").write_bytes(b"\xff")
    output = () if arguments[0] == "count" else ("-o", "out.json")
    result = run(*arguments, *output, code=2)
    assert message in result.stderr
    assert not re.search(r"vocab_size|num_merges|min_count|unk_token|special_tokens|errors=|sample=", result.stderr)


def test_quoted_values_stay_as_they_are() -> None:
    result = run("train", "vocab_size=3.txt", "--num-merges", "1", code=2)
    assert "there is no file or folder 'vocab_size=3.txt'" in result.stderr


# progress, samples


def test_progress_is_silent_unless_asked_for(folder: Path) -> None:
    assert process("train", "book.txt", "--num-merges", "3", cwd=folder).stderr == b""
    lines = process(
        "train", "book.txt", "--num-merges", "3", "--force", "--progress", "log", cwd=folder
    ).stderr.decode()
    assert re.fullmatch(r"counting: [^\n]*\nlearning: merge 3 of 3, [^\n]*\n", lines)
    for command in (("extend", "book.txt", "--vocab-size", "262"), ("prove", "book.txt")):
        assert b"merge 3 of 3" in process("prove", "book.txt", "--progress", "log", cwd=folder).stderr
        assert process(*command, "--progress", "none", cwd=folder).stderr == b""


def test_train_and_extend_read_a_sample(folder: Path) -> None:
    (folder / "long.txt").write_text("".join(f"line {index} of it\n" for index in range(20_000)), "utf-8", newline="")
    arguments = ("long.txt", "--sample", "0.25", "--seed", "7")
    result = run("train", *arguments, "--num-merges", "9")
    assert "from a sample of the corpus: 0.25 of it (seed 7); read " in result.stdout
    expected = bp.train("long.txt", num_merges=9, sample=0.25, seed=7)
    assert bp.load("tokenizer.json") == expected
    record = json.loads(run("extend", *arguments, "--vocab-size", "270", "--json").stdout)
    assert record["samples"] == [{"fraction": 0.25, "seed": 7}]
    assert record["bytes_in_all"] == Path("long.txt").stat().st_size > record["bytes"]


def test_tally_reads_a_sample(folder: Path) -> None:
    pytest.importorskip("pyarrow", reason="tally files are Parquet, and pyarrow is not installed")
    run("tally", "book.txt", "--sample", "0.5", "--seed", "1", "-o", "t.parquet")
    made = bp.load_tally("t.parquet")
    assert made == bp.tally("book.txt", pattern="cl100k", sample=0.5, seed=1)
    result = run("tally", "t.parquet", "--sample", "0.5", "-o", "u.parquet", code=2)
    assert "--sample is for texts, and these files are counted already; leave it out" in result.stderr


# what a newcomer would not see coming


@pytest.mark.parametrize("command", ["train --num-merges 3", "extend --vocab-size 300 -o x.json", "tally -o t.parquet"])
def test_a_corpus_without_text_is_said_to_be_one(command: str, tok: bp.Tokenizer, folder: Path) -> None:
    if "tally" in command:
        pytest.importorskip("pyarrow", reason="tally files are Parquet, and pyarrow is not installed")
    (folder / "empty.txt").touch()
    name, *options = command.split()
    result = run(name, "empty.txt", *options, *(["--force"] if name == "train" else []))
    assert result.stderr == "Warning: the files hold no text\n"
    assert run(name, "book.txt", *options, "--force").stderr == ""


def test_a_proof_on_no_text_says_so(tok: bp.Tokenizer, folder: Path) -> None:
    (folder / "empty.txt").touch()
    assert run("prove", "empty.txt", code=1).stderr == "Warning: the files hold no text\n"
    assert run("prove", "book.txt").stderr == ""


def test_a_sample_without_text_is_said_to_be_one() -> None:
    result = run("train", "book.txt", "--num-merges", "3", "--sample", "0.000001")
    assert result.stderr == (
        f"Warning: the sample has none of the {len(TEXT)} bytes of text; take a larger one, or another --seed\n"
    )


@pytest.mark.usefixtures("small_library")
def test_demo_refuses_before_it_learns(monkeypatch: pytest.MonkeyPatch, tok: bp.Tokenizer) -> None:
    def learn(*_: object, **__: object) -> None:
        raise AssertionError("it learned in vain")

    monkeypatch.setattr(sys.modules["bytepair.cli.demo"], "train", learn)
    for contents in (b"mine", Path("tokenizer.json").read_bytes()):
        Path("tokenizer.json").write_bytes(contents)
        result = run("demo", code=2)
        assert result.stdout == ""
        assert "not saved: 'tokenizer.json' is there already and is not what this demo would write" in result.stderr
        assert Path("tokenizer.json").read_bytes() == contents


@pytest.mark.parametrize(
    "arguments",
    [("[116, 111]",), ("[116,", "111]"), ("[[116], [111]]",), ("116 111",), ("116,111",), ('{"ids": [116, 111]}',)],
)
def test_decode_takes_json_as_an_argument(arguments: tuple[str, ...], tok: bp.Tokenizer) -> None:
    assert run("decode", *arguments).stdout == "to"


def test_decode_refuses_broken_json_as_an_argument(tok: bp.Tokenizer) -> None:
    assert "the ids are no JSON at line 1" in run("decode", "[116, 1", code=2).stderr


@pytest.mark.parametrize("command", [("train", "--num-merges", "3"), ("extend", "--vocab-size", "300")])
def test_a_name_of_a_file_of_ranks_is_refused(command: tuple[str, ...], tok: bp.Tokenizer) -> None:
    message = "'mine.tiktoken' is named as a file of ranks, and a tokenizer is saved as tokenizer.json"
    # Before any work: the source is not there.
    assert message in run(command[0], "missing.txt", *command[1:], "-o", "mine.tiktoken", code=2).stderr
    with pytest.raises(bp.ArgumentError, match=r"use a name that ends in \.json"):
        tok.save(Path("mine.tiktoken"))
    assert not Path("mine.tiktoken").exists()


def test_the_help_of_train_says_what_it_reads() -> None:
    text = " ".join(run("train", "--help").stdout.split())
    for words in (
        "as many files as you like",
        "A folder stands for all files in it",
        "a glob in quotes",
        "standard input",
    ):
        assert words in text, words
