"""Export, convert, verify, audit: proved, or refused by name."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tiktoken
from click.testing import CliRunner
from tokenizers import Tokenizer as TheirTokenizer

import bytepair as bp
from bytepair.cli import cli

PUBLISHED: list[tuple[str, str, dict[str, int]]] = [
    ("r50k_base.tiktoken", "gpt2", {"<|endoftext|>": 50256}),
    ("cl100k_base.tiktoken", "cl100k", {"<|endoftext|>": 100257, "<|endofprompt|>": 100276}),
    ("o200k_base.tiktoken", "o200k", {"<|endoftext|>": 199999}),
    ("qwen.tiktoken", "qwen2", {}),
]


@pytest.mark.parametrize(("name", "pattern", "specials"), PUBLISHED, ids=[each[0] for each in PUBLISHED])
def test_ranks_to_tokenizer_json_and_back_byte_for_byte(
    name: str, pattern: str, specials: dict[str, int], test_data: Callable[[str], Path], tmp_path: Path
) -> None:
    source, middle, target = test_data(f"vocabs/{name}"), tmp_path / "tokenizer.json", tmp_path / "again.tiktoken"
    done = bp.convert(source, middle, pattern=pattern, special_tokens=specials or None)
    assert not done.losses
    back = bp.convert(middle, target)
    assert target.read_bytes() == source.read_bytes()
    ours, theirs = bp.load(target, **back.load_with), TheirTokenizer.from_file(str(middle))
    ranks = {ours.token_bytes(i): i for i in range(len(ours.model.tokens)) if ours.model.tokens[i] is not None}
    core = tiktoken.Encoding(name, pat_str=ours.model.pattern.regex, mergeable_ranks=ranks, special_tokens=specials)
    corpora = sorted(file for file in test_data("corpora").iterdir() if file.is_file())
    texts = [file.read_bytes()[:100_000].decode("utf-8", "ignore") for file in corpora]
    for text in [*texts, *(f"a{special}b" for special in specials)]:
        ids = ours.encode(text, special="all")
        assert ids == theirs.encode(text).ids == core.encode(text, allowed_special="all")
        assert theirs.decode(ids, skip_special_tokens=False) == text


def ranks(*tokens: bytes) -> bytes:
    """A .tiktoken of the 256 bytes and these."""
    every = [*(bytes([byte]) for byte in range(256)), *tokens]
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(every))


def test_a_token_that_no_merge_reaches_is_looked_up_whole(tmp_path: Path) -> None:
    source = bp.load(ranks(b":.", b".:", b".:.:"), pattern="none")
    assert [finding.ids for finding in source.audit().findings if finding.kind == "unreachable"] == [(258,)]
    source.export(tmp_path / "tokenizer.json", "tokenizer.json")
    theirs, again = TheirTokenizer.from_file(str(tmp_path / "tokenizer.json")), bp.load(tmp_path / "tokenizer.json")
    assert json.loads((tmp_path / "tokenizer.json").read_text("utf-8"))["model"]["ignore_merges"] is True
    for text, ids in ((".:.:", [258]), ("x.:.:", [120, 46, 256, 58])):
        assert source.encode(text) == again.encode(text) == theirs.encode(text).ids == ids
    again.export(tmp_path / "back.tiktoken", "tiktoken")
    assert (tmp_path / "back.tiktoken").read_bytes() == ranks(b":.", b".:", b".:.:")


def test_ids_behind_a_gap_stay_where_they_are(tmp_path: Path) -> None:
    source = bp.load(ranks(b"ab"), pattern="gpt2", special_tokens={"<|end|>": 300})
    assert "257-299" in str(source.audit())
    source.export(tmp_path / "tokenizer.json", "tokenizer.json")
    assert TheirTokenizer.from_file(str(tmp_path / "tokenizer.json")).encode("ab<|end|>").ids == [256, 300]


def learned(**options: Any) -> bp.Tokenizer:
    return bp.train(["low lower lowest newest widest " * 3], **{"num_merges": 12, "pattern": "gpt2", **options})


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"add_prefix_space": True}, "tiktoken", r"tiktoken cannot hold .*the prefix space"),
    ({"alphabet": "chars"}, "tiktoken", r"symbols that are not single bytes"),
    ({"special_ids": "first", "special_tokens": ["<s>"]}, "minbpe", r"ids that are not 256 and on"),
    ({"byte_order": "gpt2"}, "minbpe", r"anything but merges over bytes that are numbered by value"),
    ({"pattern": "whitespace"}, "minbpe", r"the pattern 'whitespace'"),
    ({"alphabet": "chars"}, "tokenizer.json", r"unknown characters as an error"),
    ({"end_of_word": "</w>", "pattern": "whitespace"}, "tokenizer.json", r"the marker '</w>' as a symbol of its own"),
    ({"add_prefix_space": True}, "vocab+merges", r"the prefix space"),
]


@pytest.mark.parametrize(("options", "format", "message"), REFUSED, ids=[each[2] for each in REFUSED])
def test_what_a_format_cannot_hold_is_refused_by_name_or_listed(
    options: dict[str, Any], format: str, message: str, tmp_path: Path
) -> None:
    tok, path = learned(**options), tmp_path / "target"
    with pytest.raises(bp.FormatError, match=message):
        tok.export(path, format)
    assert not path.exists()
    done = tok.export(path, format, lossy=True)
    assert done.losses and all(Path(file).exists() for file in done.files)


@pytest.mark.parametrize("format", ["tokenizer.json", "tiktoken", "vocab+merges", "minbpe"])
def test_every_format_gives_back_what_it_holds(format: str, tmp_path: Path) -> None:
    tok = learned(special_tokens=["<|end|>"])
    done = tok.export(tmp_path / "target", format)
    again = bp.load(tmp_path / "target", **done.load_with)
    text = "the lowest<|end|> of the newer\n"
    assert again.encode(text, special="all") == tok.encode(text, special="all")
    assert again.special_tokens == tok.special_tokens
    if format != "tiktoken":  # which holds ranks
        assert again == tok


# verify


def test_two_tokenizers_of_any_library_are_compared() -> None:
    tok = learned()
    assert bp.verify(tok, tok, ["low", ""])
    assert str(bp.verify(tok, tok, ["low", ""])) == f"the same: 2 texts, {tok.count('low')} token"
    found = bp.verify(tok, lambda text: tok.encode(text)[:5], ["low", "x" * 400 + "lower" + "y" * 400])
    assert not found and found.difference.stage == "encode"
    assert (found.difference.index, len(found.difference.text)) == (1, 6)


def test_the_stage_of_a_difference_is_told() -> None:
    plain = learned()
    assert bp.verify(plain, learned(num_merges=3), ["newest widest"]).difference.stage == "merge"
    other = bp.verify(plain, learned(pattern="whitespace"), ["some text"]).difference
    assert (other.stage, other.text) == ("split", " ")


def test_the_stages_of_loaded_files() -> None:
    from tokenizers import models, normalizers, pre_tokenizers, processors

    def file(**parts: Any) -> TheirTokenizer:
        vocab = {each: i for i, each in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
        whole = TheirTokenizer(models.BPE(vocab=vocab, merges=[]))
        whole.pre_tokenizer = pre_tokenizers.ByteLevel(False)
        for name, part in parts.items():
            setattr(whole, name, part)
        return whole

    plain = bp.load(file().to_str().encode())
    lower = file(normalizer=normalizers.Lowercase())
    found = bp.verify(plain, bp.load(lower.to_str().encode()), ["some Text"])
    assert (found.difference.stage, found.difference.text) == ("normalise", "T")
    assert bp.verify(plain, lower, ["some Text"]).difference.stage == "normalise"
    template = processors.BertProcessing(("!", 0), ("\\", 1))
    ended = file(post_processor=template)
    assert bp.verify(plain, bp.load(ended.to_str().encode()), ["a b"])
    found = bp.verify(plain, bp.load(ended.to_str().encode()), ["a b"], add_special_tokens=True)
    assert (found.difference.stage, found.difference.text) == ("post-process", "")


def test_verify_refuses_what_is_no_tokenizer_or_no_text() -> None:
    with pytest.raises(
        bp.ArgumentTypeError, match=r"b is 3 \(int\); it must be a Tokenizer or a path, have an encode method"
    ):
        bp.verify(learned(), 3, ["a"])
    with pytest.raises(bp.ArgumentTypeError, match=r"texts is 'a' \(str\); it must be a list of str"):
        bp.verify(learned(), learned(), "a")
    with pytest.raises(bp.ArgumentTypeError, match=r"texts\[1\] is b'a' \(bytes\); it must be a str"):
        bp.verify(learned(), learned(), ["a", b"a"])  # type: ignore[list-item]


# audit


def test_an_audit_says_what_is_remarkable() -> None:
    assert str(learned(special_tokens=["<s>"]).audit()) == "nothing to say"
    assert learned().audit().lossless
    spaced = learned(add_prefix_space=True).audit()
    assert not spaced.lossless and spaced.findings[0].kind == "lossy"


# The command line


def run(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(cli, [*map(str, arguments)])
    return done.exit_code, done.output


def test_convert_and_verify_on_the_command_line(tmp_path: Path) -> None:
    source, target = tmp_path / "tokenizer.json", tmp_path / "ranks.tiktoken"
    learned(special_tokens=["<|end|>"]).save(source)
    code, output = run("convert", source, target)
    assert code == 0 and "Load it with --pattern gpt2 --special-id" in " ".join(output.split())
    code, output = run("convert", source, target)
    assert code == 2 and "--force" in output
    code, output = run("convert", source, target, "--force", "--json")
    assert json.loads(output)["load_with"]["special_tokens"] == {"<|end|>": 268}
    code, output = run("verify", source, target, "--pattern", "gpt2", "--special-id", "<|end|>", 268)
    assert code == 0 and output.startswith("The same: ")
    code, output = run("verify", source, target, "--pattern", "whitespace", "--text", "low lower", "--json")
    assert code == 1 and json.loads(output)["difference"]["stage"] == "split"
    learned(add_prefix_space=True).save(tmp_path / "spaced.json")
    code, output = run("convert", tmp_path / "spaced.json", tmp_path / "spaced.tiktoken")
    assert code == 2 and "the prefix space" in output
    code, output = run("convert", tmp_path / "spaced.json", tmp_path / "spaced.tiktoken", "--lossy")
    assert code == 0 and "Lost: the prefix space." in output


def test_a_target_whose_name_tells_no_format_is_refused(tmp_path: Path) -> None:
    learned().save(tmp_path / "tokenizer.json")
    with pytest.raises(bp.ArgumentError, match=r"whose name tells no format; pass format="):
        bp.convert(tmp_path / "tokenizer.json", tmp_path / "x.y")


# transformers


def test_transformers_opens_it_with_the_specials_in_their_roles(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers", reason="transformers is an extra")
    tok = learned(special_tokens=["<|endoftext|>", "<|pad|>", "<|other|>"])
    whole = tok.to_transformers()
    assert (whole.eos_token, whole.pad_token) == ("<|endoftext|>", "<|pad|>")
    whole.save_pretrained(tmp_path)
    again = transformers.AutoTokenizer.from_pretrained(tmp_path)
    text = "lower<|endoftext|>lowest <|other|>"
    assert again(text)["input_ids"] == tok.encode(text, special="all")
    assert again.eos_token_id == tok.special_tokens["<|endoftext|>"]


def test_transformers_roles_are_checked_first() -> None:
    with pytest.raises(bp.ArgumentError, match=r"'end' is no role of transformers; the roles are bos_token"):
        learned().to_transformers(end="x")
    with pytest.raises(bp.FormatError, match=r"transformers cannot hold .*unknown characters as an error"):
        learned(alphabet="chars").to_transformers()


def test_a_name_that_two_formats_share_tells_none(tmp_path: Path) -> None:
    tok = bp.train(["low lower"], num_merges=2, pattern="gpt2")
    tok.save(tmp_path / "tokenizer.json")
    with pytest.raises(
        bp.ArgumentError, match=r"SentencePiece's, which bytepair reads and does not write, or minbpe's"
    ):
        bp.convert(tmp_path / "tokenizer.json", tmp_path / "small.model")
    assert bp.convert(tmp_path / "tokenizer.json", tmp_path / "small.model", "minbpe").format == "minbpe"


def test_a_special_token_that_only_one_has_is_named_with_what_to_do() -> None:
    one = bp.train(["low lower"], num_merges=2, special_tokens=["<|end|>", "<|pad|>"])
    other = bp.train(["low lower"], num_merges=2)
    for pair in ((one, other), (other, one)):
        found = bp.verify(*pair, ["low<|end|>"])
        assert found.difference is not None
        assert "'<|end|>' is a special token of one and not of the other" in str(found)
        assert "special_tokens={'<|end|>': 258, ...} (--special-id '<|end|>' 258)" in found.difference.hint
    assert bp.verify(one, other, ["low"])
    found = bp.verify(other, bp.train(["low lower"], num_merges=1), ["low"])
    assert found.difference is not None and found.difference.hint == ""
