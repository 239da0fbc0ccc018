"""What a newcomer meets in the first hour: files taken for others, names without files, messages in other words."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import click
import pytest
from click.testing import CliRunner, Result

import bytepair as bp
from bytepair.cli import cli
from bytepair.cli.wording import as_typed
from bytepair.tiktoken.load import dump_tiktoken_bpe

TEXT = "to be or not to be, that is the question\n" * 5
RANKS = {bytes([byte]): byte for byte in range(256)} | {b"be": 256, b" be": 257}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "book.txt").write_text(TEXT, "utf-8", newline="")
    bp.train("book.txt", vocab_size=270, special_tokens=["<|end|>"]).save("tokenizer.json")
    return tmp_path


def run(*arguments: str, stdin: str = "", code: int = 0) -> Result:
    result = CliRunner().invoke(cli, arguments, input=stdin, prog_name="bytepair")
    assert result.exit_code == code, (result.output, result.exception)
    return result


# OpenAI's files are known by their names, in every command that takes a tokenizer


@pytest.mark.parametrize(
    "line",
    [
        "encode --text be -t {}",
        "decode 256 -t {}",
        "count --text be -t {}",
        "pieces --text be -t {}",
        "explain --text be -t {}",
        "token 256 -t {}",
        "compare --text be -t {}",
        "curve book.txt -t {}",
        "inspect -t {}",
        "prune --drop be -o pruned.json -t {}",
        "convert {} converted.json --force",
        "verify {} {} --text be",
        "pack book.txt -o packed -t {}",
    ],
    ids=lambda line: line.split()[0],
)
def test_a_published_file_of_ranks_needs_no_pattern(line: str) -> None:
    dump_tiktoken_bpe(RANKS, "cl100k_base.tiktoken")
    dump_tiktoken_bpe(RANKS, "other.tiktoken")
    run(*line.format(*["cl100k_base.tiktoken"] * 2).split())
    refused = run(*line.format(*["other.tiktoken"] * 2).split(), code=2).stderr
    assert "holds no split pattern; pass --pattern (one of gpt2, cl100k," in refused


def test_the_name_of_a_published_file_gives_pattern_and_special_tokens() -> None:
    dump_tiktoken_bpe(RANKS, "cl100k_base.tiktoken")
    run("convert", "cl100k_base.tiktoken", "all.json")
    tok = bp.load("all.json")
    assert (tok.pattern, tok.special_tokens["<|endofprompt|>"]) == ("cl100k", 100276)
    # What is said counts.
    assert run("pieces", "-t", "cl100k_base.tiktoken", "--pattern", "qwen2", "--text", "12").stdout == "1|2\n"


def test_an_encoding_is_found_by_its_name_in_this_folder_or_refused_with_a_way_out() -> None:
    refused = run("encode", "-t", "cl100k_base", "--text", "be", code=2).stderr
    assert "cl100k_base.tiktoken, is neither in this folder nor in" in refused
    assert "put it here, or set TIKTOKEN_CACHE_DIR" in refused
    dump_tiktoken_bpe(RANKS, "cl100k_base.tiktoken")
    assert run("encode", "-t", "cl100k_base", "--text", "be").stdout == "256\n"
    refused = run("encode", "-t", "cl100k_base", "--pattern", "gpt2", "--text", "be", code=2).stderr
    assert "'cl100k_base' has its own; leave it out" in refused
    # Where several are named, a pattern is for those that have none.
    run("compare", "-t", "cl100k_base", "-t", "cl100k_base.tiktoken", "--pattern", "gpt2", "--text", "be")


# files that are something else than what is asked for


@pytest.mark.parametrize(
    "command", ["train -o new.json", "tally", "trace", "curve", "extend --vocab-size 300", "prove", "inspect", "pack"]
)
@pytest.mark.parametrize("name", ["tokenizer.json", "ranks.tiktoken", "small.model"])
def test_a_tokenizer_file_is_no_text(command: str, name: str) -> None:
    dump_tiktoken_bpe(RANKS, "ranks.tiktoken")
    bp.load("ranks.tiktoken", pattern="none").export("small.model", "minbpe", lossy=True)
    refused = run(*command.split(), name, code=2).stderr
    assert f"'{name}' is a tokenizer file, where text is expected; name texts, or" in refused


def test_a_tokenizer_file_that_is_meant_as_text_is_piped_in() -> None:
    run("train", "-", "--num-merges", "1", "-o", "of-json.json", stdin=Path("tokenizer.json").read_text("utf-8"))


def test_a_tokenizer_file_in_a_folder_of_texts_is_said(folder: Path) -> None:
    result = run("train", ".", "--num-merges", "1", "-o", "new.json")
    assert "Warning: 'tokenizer.json' is a tokenizer file, and is read as text like the others" in result.stderr


@pytest.mark.parametrize("name", ["records.json", "notes.model", "list.tiktoken"])
def test_other_files_of_such_names_are_text(name: str) -> None:
    Path(name).write_text('{"version": 3, "text": "to be or not to be"}\n', "utf-8")
    run("train", name, "--num-merges", "1", "-o", "new.json")


@pytest.mark.parametrize("command", ["train --num-merges 3 -o new.json", "tally", "trace", "pack"])
def test_a_text_in_place_of_a_file_is_told_from_a_path(command: str) -> None:
    refused = run(*command.split(), "to be or not", code=2).stderr
    assert (
        "there is no file or folder 'to be or not'; check the path; if it is a text, pipe it in and name - for it"
        in refused
    )


# the command line speaks of options, never of Python's arguments


def messages() -> list[str]:
    """Every message of the library that a command may show."""
    path = Path(__file__).parent.parent / "docs" / "made" / "errors.py"
    spec = importlib.util.spec_from_file_location("made_errors", path)
    assert spec is not None and spec.loader is not None
    made: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    rooms = {"tiktoken's interface", "Clusters", "The playground", "The command line"}
    return sorted({each.text for each in made.messages() if each.subject not in rooms})


# What only a program can do: no command hands on what these are about.
ONLY_IN_PYTHON = (
    "array.drop_null",
    "Tally.from_counts",
    "encode_batch takes",
    "to_transformers",
    "journal_seconds",
    "use decode_bytes",
)
NAMED = re.compile(r"\b[a-z][a-z_]*=|(?<![-\w.'])[a-z]+(?:_[a-z]+)+\b")


@pytest.mark.parametrize("name", sorted(cli.commands))
def test_no_message_names_an_argument_of_python(name: str) -> None:
    shown = {
        as_typed(text, cli.commands[name], cli.commands.values())
        for text in messages()
        if not any(each in text for each in ONLY_IN_PYTHON)
    }
    assert not sorted(text for text in shown if NAMED.search(text))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("encode -t book.txt --text a", "subword-nmt, minbpe\n"),
        ("pieces -t tokenizer.json --pattern gpt2 --text a", "; leave --pattern out"),
        ("tally book.txt --max-memory much", "--max-memory is 'much'; it must be a number of bytes"),
        ("decode 9999", "--bad-ids replace or --bad-ids skip decodes the others"),
        ("trace book.txt --step 99", "--step is 99; it must be at most 10"),
        ("prune --drop zz -o p.json", "--drop[0] is 'zz', and no token is spelled so"),
        ("prune -o p.json", "nothing says what to drop; name files, or give --drop, --script or --vocab-size"),
        ("convert tokenizer.json x.foo", "tells no format; pass --format, one of"),
        ("convert tokenizer.json x.json --special-id a 1", "; leave --special-id out"),
        ("encode --text a --special zz", "--special names 'zz', which is no special token here"),
        ("token zz", "`bytepair encode --tokens` shows those of a text"),
        ("train book.txt --num-merges 1 --end-of-word-style suffix -o s.json", "no --end-of-word was given; name the"),
        (
            "train book.txt --num-merges 1 --vocab-size 300 -o s.json",
            "both of --vocab-size and --num-merges were given",
        ),
        ("compare --train latin.txt --text a", "line 1; convert it to UTF-8\n"),
        ("compare -t =tokenizer.json --text a", "has no name before the =; write NAME=FILE"),
        ("train book.txt --num-merges 1 --checkpoint . -o s.json", "cannot be read: Is a directory; name another"),
    ],
)
def test_a_wrong_use_is_answered_in_options(line: str, message: str, folder: Path) -> None:
    (folder / "latin.txt").write_bytes(b"caf\xe9")
    refused = run(*shlex.split(line), code=2).stderr
    assert message in refused
    assert not re.search(r"\b(pattern|format|max_memory|special_tokens|vocab_size|num_merges|errors)=", refused)


def test_a_value_that_looks_like_an_argument_stays_as_it_is() -> None:
    command = click.Command("train", params=[click.Option(["--errors"]), click.Option(["--vocab-size"])])
    assert as_typed("'errors=1; vocab_size' is missing; pass errors=\"skip\"", command) == (
        "'errors=1; vocab_size' is missing; pass --errors skip"
    )


# one is no plural


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (lambda tok: bp.verify(tok, tok, ["a"]), "the same: 1 text, 1 token"),
        (lambda tok: tok.at(num_merges=1).prove("book.txt"), "proved: each of 1 merge is"),
        (lambda tok: bp.train(["ab"], num_merges=1).training, "asked for 1 merge, reached 1: "),
        (lambda tok: bp.Tally.from_counts({"ab": 1}, pattern="none").__repr__(), "Tally(1 piece, 2 bytes"),
        (lambda tok: bp.train(["ab"], num_merges=1).__repr__(), "257 tokens, 1 merge,"),
        (lambda tok: ranks_with_special(300).audit(), "gaps: 42 ids below the largest are no token"),
        (lambda tok: ranks_with_special(259).audit(), "gaps: 1 id below the largest is no token"),
    ],
    ids=["verify", "prove", "training", "tally", "tokenizer", "gaps", "gap"],
)
def test_one_is_no_plural(made: Callable[[bp.Tokenizer], object], text: str) -> None:
    assert text in str(made(bp.load("tokenizer.json")))


def ranks_with_special(number: int) -> bp.Tokenizer:
    dump_tiktoken_bpe(RANKS, "ranks.tiktoken")
    return bp.load("ranks.tiktoken", pattern="none", special_tokens={"<|end|>": number})


# calls that newcomers try first


def test_verify_has_texts_of_its_own() -> None:
    tok = bp.load("tokenizer.json")
    assert bp.verify(tok, tok).n_texts > 20
    assert not bp.verify(tok, tok.at(260))


def test_verify_opens_paths() -> None:
    bp.load("tokenizer.json").at(260).save("small.json")
    assert bp.verify("tokenizer.json", Path("tokenizer.json"))
    assert not bp.verify("tokenizer.json", "small.json")
    with pytest.raises(bp.MissingFileError, match=r"there is no file 'gone\.json'"):
        bp.verify("gone.json", "gone.json")


def test_curve_opens_a_path() -> None:
    assert bp.curve("tokenizer.json", "book.txt") == bp.curve(bp.load("tokenizer.json"), "book.txt")


def test_a_tally_without_a_pattern_says_what_to_give() -> None:
    message = r"pattern was not given; pass one of 'gpt2', 'cl100k'"
    with pytest.raises(bp.ArgumentTypeError, match=message):
        bp.tally("book.txt")
    with pytest.raises(bp.ArgumentTypeError, match=message):
        bp.Tally.from_counts({"low": 5})


def test_models_compare_by_what_they_give() -> None:
    one, same, other = (bp.train(["ab ab"], num_merges=n).model for n in (1, 1, 0))
    assert one is not same and one == same and hash(one) == hash(same)
    assert one != other and one != "a model"
    assert bp.train([("ab " * 9)], num_merges=1).model == one


def test_saving_replaces_and_the_command_line_asks() -> None:
    tok = bp.load("tokenizer.json").at(260)
    tok.save("tokenizer.json")
    assert bp.load("tokenizer.json") == tok
    assert "--force overwrites it" in run("train", "book.txt", "--num-merges", "1", code=2).stderr


def test_comparing_nothing_is_said() -> None:
    assert "Warning: the files hold no text" in run("compare", "-t", "tokenizer.json", stdin="").stderr


def test_what_is_odd_in_a_file_is_a_sentence() -> None:
    odd = json.loads(Path("tokenizer.json").read_text("utf-8"))
    odd["added_tokens"][0]["id"] = 5
    Path("odd.json").write_text(json.dumps(odd), "utf-8")
    said = run("encode", "-t", "odd.json", "--text", "be").stderr
    assert said.startswith("Warning: 'odd.json' gives the added token '<|end|>' the id 5; ")
    assert "FormatWarning" not in said and ".py" not in said


def test_the_help_cuts_no_sentence_and_explains_every_option() -> None:
    assert not [line for line in run("--help").stdout.splitlines() if re.search(r"[a-z,]\.\.\.$", line)]
    options = [(name, each) for name, command in cli.commands.items() for each in command.params]
    assert not [
        (name, each.opts) for name, each in options if isinstance(each, click.Option) and len(each.help or "") < 15
    ]
