"""Files that are not quite right: where their library opens one and gives ids, so do we; where it refuses, so do we."""

from __future__ import annotations

import base64
import io
import json
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import sentencepiece
import tiktoken
from sentencepiece import sentencepiece_model_pb2 as proto
from tokenizers import Tokenizer, models, processors
from tokenizers import decoders as D  # noqa: N812
from tokenizers import normalizers as N  # noqa: N812
from tokenizers import pre_tokenizers as P  # noqa: N812

import bytepair as bp

File = dict[str, Any]
TEXT = "abc bc <s> z a</s>q ab"


def whole() -> File:
    """All bytes, three merges and two special tokens."""
    vocab = {each: number for number, each in enumerate([*sorted(P.ByteLevel.alphabet()), "ab", "abc", "bc"])}
    made = Tokenizer(models.BPE(vocab=vocab, merges=[("a", "b"), ("ab", "c"), ("b", "c")]))
    made.pre_tokenizer, made.decoder = P.ByteLevel(add_prefix_space=False), D.ByteLevel()
    made.add_special_tokens(["<s>", "</s>"])
    file: File = json.loads(made.to_str())
    return file


def vocab(**tokens: int) -> Callable[[File], Any]:
    return lambda file: file["model"]["vocab"].update(tokens)


def added(index: int, **parts: Any) -> Callable[[File], Any]:
    return lambda file: file["added_tokens"][index].update(parts)


def both(*changes: Callable[[File], Any]) -> Callable[[File], Any]:
    return lambda file: [change(file) for change in changes]


def template(name: str, number: int) -> Callable[[File], Any]:
    single = [{"SpecialToken": {"id": name, "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    pair = [{"Sequence": {"id": each, "type_id": 0}} for each in "AB"]
    specials = {name: {"id": name, "ids": [number], "tokens": [name]}}
    made = {"type": "TemplateProcessing", "single": single, "pair": pair, "special_tokens": specials}
    return lambda file: file.update(post_processor=made)


OPENED: dict[str, tuple[Callable[[File], Any], str | None]] = {
    "two merged tokens of one id": (vocab(bc=257), "1 tokens with the id of another one"),
    "a merged token with a byte's id": (vocab(bc=70), "1 tokens with the id of another one"),
    "two bytes of one id": (vocab(a=65), "1 tokens with the id of another one"),
    "three of one id": (vocab(ab=257, bc=257), "2 tokens with the id of another one"),
    "a special with an ordinary id": (added(0, id=258), "'<s>' the id 258; tokenizers gives it 259, the next one"),
    "a special with an ordinary id in the vocabulary": (
        both(vocab(**{"<s>": 258}), added(0, id=258)),
        "1 tokens with the id of another one",
    ),
    "a special with another id in the vocabulary": (
        added(0, content="bc", id=900),
        "'bc' the id 900; tokenizers gives it 258, the one in the vocabulary",
    ),
    "a special that comes to another's id where there is a gap": (
        lambda file: file["model"]["vocab"].pop("q"),
        "'<s>' the id 259; tokenizers gives it 258, the next one",
    ),
    "an added token twice": (added(1, content="<s>"), r"added_tokens\[1\] is '<s>' again; the last one counts"),
    "an added token again with other flags": (added(1, content="<s>", lstrip=True), "the last one counts"),
    "two added tokens of one id": (added(1, id=259), "'</s>' the id 259; tokenizers gives it 260"),
    "an added token that is empty": (added(1, content=""), r"added_tokens\[1\] is empty, and left out"),
    "an empty token": (vocab(**{"": 300}), "has the empty token, which no text becomes; its id is no token here"),
    "no token for what is unknown": (lambda file: file["model"].update(unk_token="<unk>"), None),
    "a merge twice": (lambda file: file["model"]["merges"].append(["a", "b"]), None),
    "a merge before what it is made of": (lambda file: file["model"]["merges"].reverse(), None),
    "a gap": (vocab(zz=1000), "the next one that is free"),
    "a template with an id that is no token": (template("<x>", 5000), None),
}


@pytest.mark.parametrize(("change", "said"), OPENED.values(), ids=OPENED)
def test_what_tokenizers_opens_has_the_same_ids_here_and_is_said(
    change: Callable[[File], Any], said: str | None
) -> None:
    file = whole()
    change(file)
    data = json.dumps(file)
    theirs = Tokenizer.from_str(data)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ours = bp.load(data.encode())
    messages = [str(each.message) for each in caught]
    assert len({*messages}) == len(messages)
    assert any(re.search(said, each) for each in messages) if said else messages == []
    for text in (TEXT, "", "q", "bcbc ababc"):
        assert ours.encode(text, special="all", add_special_tokens=True) == theirs.encode(text).ids


@pytest.mark.parametrize("name", [name for name in OPENED if "of one id" in name and "added" not in name])
def test_tokens_of_one_id_are_found_by_the_audit_and_stay_so_when_saved(name: str, tmp_path: Any) -> None:
    file = whole()
    OPENED[name][0](file)
    with pytest.warns(bp.FormatWarning):
        ours = bp.load(json.dumps(file).encode())
    audit = ours.audit()
    (found,) = [each for each in audit.findings if each.kind == "shared-ids"]
    assert len(found.ids) == 1 and "such an id decodes to the other" in found.message
    assert not audit.lossless and any("the id of another one, and come" in loss for loss in ours.losses)
    assert not [each for each in audit.findings if each.kind == "unreachable"]
    ours.save(tmp_path / "tokenizer.json")
    again = bp.load(tmp_path / "tokenizer.json")
    assert again == ours and again.encode(TEXT) == ours.encode(TEXT) and again.losses == ours.losses
    with pytest.raises(bp.FormatError, match="tokens that become others after all merges"):
        ours.export(tmp_path / "other.json", "tokenizer.json")


def test_ids_that_two_tokens_have_decode_to_the_first() -> None:
    file = whole()
    file["model"]["vocab"]["bc"] = 257
    with pytest.warns(bp.FormatWarning):
        ours = bp.load(json.dumps(file).encode())
    assert ours.encode("abc") == ours.encode("bc") == [257]
    assert ours.decode([257]) == ours.decode(ours.encode("bc")) == "abc"
    assert ours.count("bc bc") == 3 and ours.encode_batch(["bc", "bcabc"]) == [[257], [257, 257]]
    assert ours.encode_spans("bcab")[0].tolist() == ours.encode("bcab") == [257, 256]


@pytest.mark.parametrize("level", ["vocab", "model", "top"])
def test_of_a_key_that_stands_twice_the_last_counts(level: str) -> None:
    key, value = {"vocab": ("ab", "5"), "model": ("fuse_unk", "true"), "top": ("decoder", "null")}[level]
    data = json.dumps(whole())
    twice = data.replace(f'"{key}": ', f'"{key}": {value}, "{key}": ', 1)
    with pytest.warns(bp.FormatWarning, match=f"the key '{key}' stands twice in one object"):
        ours = bp.load(twice.encode())
    assert ours.encode(TEXT, special="all") == Tokenizer.from_str(twice).encode(TEXT).ids


REFUSED: dict[str, tuple[Callable[[File], Any], str]] = {
    "a merge of no token": (
        lambda file: file["model"]["merges"].append(["zz", "a"]),
        r"merges\[3\] is .*; expected two ordinary tokens of model\.vocab; 'zz' is none",
    ),
    "a merge that makes no token": (
        lambda file: file["model"]["merges"].append(["z", "a"]),
        r"merges\[3\] is .*; expected a pair whose joint spelling is in model\.vocab; 'za' is not there",
    ),
    "an id below 0": (vocab(zz=-1), r'model\.vocab\["zz"\] is -1; expected 0 or more'),
    "an id that is no number": (vocab(zz=1.5), r'model\.vocab\["zz"\] is 1\.5; expected a whole number'),  # type: ignore[arg-type]
}


@pytest.mark.parametrize(("change", "message"), REFUSED.values(), ids=REFUSED)
def test_what_tokenizers_refuses_is_refused(change: Callable[[File], Any], message: str) -> None:
    file = whole()
    change(file)
    with pytest.raises(Exception):  # noqa: B017  # it has no kind of its own
        Tokenizer.from_str(json.dumps(file))
    with pytest.raises(bp.FormatError, match=message):
        bp.load(json.dumps(file).encode())


def test_an_id_in_the_billions_asks_for_no_table() -> None:
    file = whole()
    file["model"]["vocab"]["zz"], file["added_tokens"] = 2**31, []
    with pytest.raises(bp.FormatError, match=r'vocab\["zz"\] is 2147483648; expected an id near the others'):
        bp.load(json.dumps(file).encode())


@pytest.mark.parametrize("rank", [97, 255])
def test_two_ranks_of_one_number_are_refused_as_by_tiktoken(rank: int) -> None:
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": rank}
    with pytest.raises(BaseException, match="equal length"):
        tiktoken.Encoding("x", pat_str=".", mergeable_ranks=ranks, special_tokens={})
    lines = b"".join(base64.b64encode(token) + b" %d\n" % number for token, number in ranks.items())
    with pytest.raises(bp.FormatError, match=f"line 257.*{rank}"):
        bp.load(lines, pattern="gpt2")


def changed_model(change: Callable[[Any], Any]) -> bytes:
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["low lower lowest newest"] * 20),
        model_writer=written,
        model_type="bpe",
        vocab_size=40,
        hard_vocab_limit=False,
        byte_fallback=False,
        minloglevel=2,
    )
    model = proto.ModelProto()
    model.ParseFromString(written.getvalue())
    change(model)
    data: bytes = model.SerializeToString()
    return data


SENTENCEPIECE: dict[str, Callable[[Any], Any]] = {
    "a piece twice": lambda model: model.pieces.add(piece="lo", score=-50.0),
    "no unknown piece": lambda model: model.pieces.pop(0),
    "two unknown pieces": lambda model: model.pieces.add(piece="<unk2>", type=2),
    "an empty piece": lambda model: model.pieces.add(piece="", score=-50.0),
}


@pytest.mark.parametrize("change", SENTENCEPIECE.values(), ids=SENTENCEPIECE)
def test_what_sentencepiece_refuses_is_refused(change: Callable[[Any], Any]) -> None:
    data = changed_model(change)
    with pytest.raises(RuntimeError):
        sentencepiece.SentencePieceProcessor(model_proto=data)
    with pytest.raises(bp.FormatError):
        bp.load(data)


def test_a_sentencepiece_model_that_is_as_it_should_be_opens() -> None:
    data = changed_model(lambda model: model.pieces.add(piece="wlo", score=-50.0))
    assert bp.load(data).encode("lower wlo") == sentencepiece.SentencePieceProcessor(model_proto=data).encode(
        "lower wlo"
    )


def with_all_parts() -> File:
    """Every part that a file has, each with settings."""
    made = Tokenizer.from_str(json.dumps(whole()))
    made.normalizer = N.Sequence([N.NFC(), N.Replace("x", "y"), N.Prepend("z"), N.BertNormalizer(), N.Strip()])
    made.pre_tokenizer = P.Sequence(
        [P.Digits(True), P.Punctuation("isolated"), P.Split("-", "removed"), P.Metaspace("_"), P.ByteLevel(False)]
    )
    made.decoder = D.Sequence([D.ByteLevel(), D.Strip("z", 1, 0), D.Replace("a", "b"), D.BPEDecoder("</w>")])
    made.post_processor = processors.Sequence(
        [
            processors.RobertaProcessing(("</s>", 260), ("<s>", 259)),
            processors.BertProcessing(("</s>", 260), ("<s>", 259)),
            processors.TemplateProcessing("<s> $A", "<s> $A $B", [("<s>", 259)]),
            processors.ByteLevel(),
        ]
    )
    made.enable_truncation(5)
    made.enable_padding()
    file: File = json.loads(made.to_str())
    return file


@pytest.mark.parametrize("last", [processors.RobertaProcessing, processors.BertProcessing])
def test_what_goes_round_the_parts_of_a_template_is_refused_by_name(last: Any) -> None:
    made = Tokenizer.from_str(json.dumps(whole()))
    template = processors.TemplateProcessing("<s> $A", None, [("<s>", 259)])
    made.post_processor = processors.Sequence([template, last(("</s>", 260), ("<s>", 259))])
    with pytest.raises(bp.FormatError, match=r"processors\[1\]\.type is .*; expected 'ByteLevel' behind a Template"):
        bp.load(made.to_str().encode())
    # Without tokens of its own a template has one part.
    made.post_processor = processors.Sequence(
        [processors.TemplateProcessing("$A", None, []), last(("</s>", 260), ("<s>", 259))]
    )
    ours = bp.load(made.to_str().encode())
    assert ours.encode("ab", add_special_tokens=True) == made.encode("ab").ids == [259, 256, 260]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value, of long tables only the first few."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in list(items)[:12]:
        yield from places(each, (*path, key))


KINDS: list[Any] = [None, True, 0, 1, -1, 1.5, 2**40, "", "x", [], [1], ["a", "b"], {}, {"a": 1}, {"type": "NFC"}]
GONE = "what stands here is left out"


def changed(file: File, path: tuple[Any, ...], value: Any) -> str:
    made = json.loads(json.dumps(file))
    inner = made
    for key in path[:-1]:
        inner = inner[key]
    if value == GONE:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return json.dumps(made)


@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("make", [whole, with_all_parts])
@pytest.mark.filterwarnings("ignore::bytepair.FormatWarning")
def test_a_value_of_another_kind_anywhere_is_refused_where_tokenizers_refuses(
    make: Callable[[], File], part: int
) -> None:
    file = make()
    for number, path in enumerate([*places(file)][1:]):
        for value in [*KINDS, GONE][(number + part) % 4 :: 4]:
            data = changed(file, path, value)
            try:
                ours = bp.load(data.encode())
            except bp.BytepairError:
                continue
            try:
                theirs = Tokenizer.from_str(data)
            except BaseException:
                pytest.fail(f"{path} as {value!r} is refused by tokenizers")
            theirs.no_truncation()
            theirs.no_padding()
            for text in ("abc <s> ab12", "", "\u00e9 a"):
                try:
                    expected = theirs.encode(text).ids
                except BaseException as error:  # Strip has a fault that ends so.
                    assert "Panic" in type(error).__name__
                    continue
                ids = ours.encode(text, special="all", add_special_tokens=True)
                assert ids == expected or "dropout" in path, (path, value)
