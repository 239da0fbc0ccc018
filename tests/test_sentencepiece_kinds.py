"""SentencePiece models of every kind: any settings of its trainer, and what people do to the files afterwards."""

from __future__ import annotations

import io
import itertools
import math
import random
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
from hard_texts import HARD
from sentencepiece import sentencepiece_model_pb2 as proto

import bytepair as bp

SENTENCES = [
    "The quick brown fox doesn't jump over 1234567 lazy dogs, does it?  Yes!",
    "def f(x):\treturn x ** 2  # comment",
    "Größe café naïve ½ ﬁ Ａ 日本語のテキスト 中文文本 한국어 텍스트 русский текст",
    "low lower lowest newest widest <s> </s> [MASK] <|endoftext|>",
    "ａｂｃ １２３ ℌ ①② ㎏ éé",
] * 10
NORMAL, UNUSED = 1, 5


def settings(chance: random.Random) -> dict[str, Any]:
    pick, flags = chance.choice, (True, False)
    flagged = (
        *("byte_fallback", "add_dummy_prefix", "remove_extra_whitespaces", "split_by_whitespace", "split_by_number"),
        *("split_digits", "split_by_unicode_script", "allow_whitespace_only_pieces"),
    )
    made = {name: pick(flags) for name in flagged} | {
        "vocab_size": pick([150, 250, 400]),
        "character_coverage": pick([1.0, 0.9995, 0.98]),
        "normalization_rule_name": pick(["identity", "nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf"]),
        "treat_whitespace_as_suffix": chance.random() < 0.25,
        "max_sentencepiece_length": pick([4, 16, 30]),
        "user_defined_symbols": pick([[], [], ["<m>", "low"], ["▁a", "  ", "\n"], ["é", "<s2>", "ab c"], ["x"]]),
        "control_symbols": pick([[], ["<c>", "[MASK]"]]),
        "unk_id": 0,
    }
    some = ({"unk_surface": "?"}, {"unk_surface": ""}, {"pad_id": 3}, {"unk_piece": "[UNK]"}, {"bos_id": -1}, {}, {})
    made |= pick(some)
    return made | {"vocab_size": made["vocab_size"] + 256 * made["byte_fallback"]}


def trained(chance: random.Random) -> Any:
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SENTENCES),
        model_writer=written,
        model_type="bpe",
        hard_vocab_limit=False,
        minloglevel=2,
        **settings(chance),
    )
    model = proto.ModelProto()
    model.ParseFromString(written.getvalue())
    return model


def normal(model: Any) -> list[Any]:
    return [piece for piece in model.pieces if piece.type == NORMAL]


def long(model: Any) -> list[Any]:
    return [piece for piece in normal(model) if len(piece.piece) > 1]


def some_unused(model: Any, chance: random.Random) -> None:
    for piece in chance.sample(normal(model), 5):
        piece.type = UNUSED


def characters_that_are_none(model: Any, chance: random.Random) -> None:
    model.pieces.add(piece="❦❧", score=-9999.0)
    model.pieces.add(piece="st❦", score=-99999.0)
    model.pieces.remove(chance.choice([piece for piece in normal(model) if len(piece.piece) == 1]))


def added_with_the_best_score(model: Any, chance: random.Random) -> None:
    """As models are that were given the pieces of another one."""
    known = {piece.piece for piece in model.pieces}
    for word in ("qui", "ick", "uic", "bro", "row", "own", "oes", "doe", "の日", "本語"):
        if word not in known:
            model.pieces.add(piece=word, score=0.0)


def few_scores(model: Any, chance: random.Random) -> None:
    for piece in long(model):
        piece.score = chance.choice([-1.0, -2.0, -3.0])


def two_of_one_score(model: Any, chance: random.Random) -> None:
    one, other = chance.sample(long(model), 2)
    one.score = other.score


def spaces_not_escaped(model: Any, chance: random.Random) -> None:
    model.normalizer_spec.escape_whitespaces = False


def as_trained(model: Any, chance: random.Random) -> None:
    """Nothing is changed."""


CHANGES: tuple[Callable[[Any, random.Random], None], ...] = (
    *(as_trained, some_unused, characters_that_are_none, added_with_the_best_score, few_scores, two_of_one_score),
    spaces_not_escaped,
)


def texts(chance: random.Random) -> list[str]:
    made = "abe ▁\n<s>xw_\u0301é😀k1 ❦❧lowst"
    drawn = ["".join(chance.choices(made, k=chance.randrange(1, 30))) for _ in range(20)]
    return [*HARD, *drawn, *SENTENCES[:5], "<m>low<m> ▁a  \n", "ab c <c>[MASK]", "<unk> <s> [UNK]", "<0x41>", "st❦"]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("change", CHANGES)
def test_ids_and_texts_are_those_of_sentencepiece(
    change: Callable[[Any, random.Random], None], seed: int, tmp_path: Path
) -> None:
    chance = random.Random(f"{change.__name__} {seed}")
    model = trained(chance)
    change(model, chance)
    theirs = sentencepiece.SentencePieceProcessor(model_proto=model.SerializeToString())
    try:
        ours = bp.load(model.SerializeToString())
    except bp.FormatError as error:
        assert change is some_unused and "beside user-defined pieces" in str(error)
        return
    ours.save(tmp_path / "tokenizer.json")
    again = bp.load(tmp_path / "tokenizer.json")
    assert again == ours
    many = texts(chance)
    assert ours.encode_batch(many) == [theirs.encode(text) for text in many]
    for text in many:
        ids = theirs.encode(text)
        assert again.encode(text) == ids
        assert ours.count(text) == len(ids)
        assert ours.decode(ids) == theirs.decode(ids), text
        stream = ours.decoder()
        assert "".join(map(stream.feed, ids)) + stream.finish() == theirs.decode(ids)
    for _ in range(20):
        ids = [chance.randrange(theirs.get_piece_size()) for _ in range(chance.randrange(1, 8))]
        assert ours.decode(ids) == theirs.decode(ids)


def with_bytes(**settings: Any) -> Any:
    """A trained model that spells unknown characters in bytes."""
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["es es low bob"] * 5),
        model_writer=written,
        model_type="bpe",
        hard_vocab_limit=False,
        minloglevel=2,
        vocab_size=280,
        byte_fallback=True,
        control_symbols=["<c>"],
        user_defined_symbols=["<u>"],
        **settings,
    )
    model = proto.ModelProto()
    model.ParseFromString(written.getvalue())
    return model


def stream_of(tok: bp.Tokenizer, ids: list[int]) -> str:
    decoder = tok.decoder()
    return "".join([*map(decoder.feed, ids), decoder.finish()])


def test_a_control_token_parts_the_bytes_of_a_stream() -> None:
    model = with_bytes().SerializeToString()
    theirs, ours = sentencepiece.SentencePieceProcessor(model_proto=model), bp.load(model)
    ids = [theirs.piece_to_id(piece) for piece in ("b", "<0xC3>", "<s>", "<0xA9>")]
    assert stream_of(ours, ids) == ours.decode(ids) == theirs.decode(ids) == "b\ufffd\ufffd"
    together = [ids[0], ids[2], ids[1], ids[3]]
    assert stream_of(ours, together) == ours.decode(together) == theirs.decode(together) == "bé"


@pytest.mark.parametrize("add_dummy_prefix", [True, False])
@pytest.mark.parametrize("remove_extra_whitespaces", [True, False])
def test_a_stream_with_control_tokens_among_bytes_decodes_as_the_whole(
    add_dummy_prefix: bool, remove_extra_whitespaces: bool
) -> None:
    chance = random.Random(3)
    written = with_bytes(add_dummy_prefix=add_dummy_prefix, remove_extra_whitespaces=remove_extra_whitespaces)
    model = written.SerializeToString()
    theirs, ours = sentencepiece.SentencePieceProcessor(model_proto=model), bp.load(model)
    spelled = [f"<0x{byte:02X}>" for byte in "é漢😀 a".encode()]
    pieces = [*spelled, *("<s>", "</s>", "<c>") * 3, "b", "▁", "▁", "es", "<u>", "<unk>"]
    drawn = [theirs.piece_to_id(piece) for piece in pieces]
    for _ in range(2000):
        ids = chance.choices(drawn, k=chance.randrange(1, 12))
        assert stream_of(ours, ids) == ours.decode(ids) == theirs.decode(ids), theirs.id_to_piece(ids)


def zeros_added(model: Any) -> None:
    model.pieces.add(piece="so", score=0.0)


def zeros_among_few(model: Any) -> None:
    for piece, score in zip(long(model), itertools.cycle([0.0, -0.0, -1.0]), strict=False):
        piece.score = score
    model.pieces.add(piece="so", score=0.0)


def zeros_only(model: Any) -> None:
    for piece, score in zip(normal(model), itertools.cycle([0.0, -0.0]), strict=False):
        piece.score = score
    model.pieces.add(piece="so", score=0.0)


def zeros_with_unused(model: Any) -> None:
    model.pieces.add(piece="so", score=0.0, type=UNUSED)


@pytest.mark.parametrize("change", [zeros_added, zeros_among_few, zeros_only, zeros_with_unused])
def test_a_score_of_zero_is_above_minus_zero(change: Callable[[Any], None]) -> None:
    model = with_bytes()
    first = next(piece for piece in model.pieces if piece.piece == "es")
    assert first.score == 0 and math.copysign(1, first.score) == -1
    model.pieces.remove(next(piece for piece in model.pieces if piece.piece == "<u>"))
    change(model)
    theirs = sentencepiece.SentencePieceProcessor(model_proto=model.SerializeToString())
    ours = bp.load(model.SerializeToString())
    chance = random.Random(5)
    for text in ["eso", "soes", *("".join(chance.choices("esob lw", k=9)) for _ in range(500))]:
        assert ours.encode(text) == theirs.encode(text), theirs.encode(text, out_type=str)


@pytest.fixture
def by_score() -> bp.Tokenizer:
    chance = random.Random(1)
    model = trained(chance)
    few_scores(model, chance)
    return bp.load(model.SerializeToString())


@pytest.mark.parametrize(
    "call",
    [
        lambda tok: tok.explain("low"),
        lambda tok: tok.inspect(),
        lambda tok: tok.token(300),
        lambda tok: tok.prune(drop=[300]),
        lambda tok: bp.curve(tok, ["low"]),
        lambda tok: tok.encode("low", dropout=0.1),
    ],
    ids=["explain", "inspect", "token", "prune", "curve", "dropout"],
)
def test_what_follows_a_list_of_merges_is_refused_without_one(
    by_score: bp.Tokenizer, call: Callable[[bp.Tokenizer], Any]
) -> None:
    with pytest.raises(bp.ModelError, match="merges by score"):
        call(by_score)


def test_what_merges_by_score_is_no_tokenizer_json_for_tokenizers(by_score: bp.Tokenizer, tmp_path: Path) -> None:
    assert not [each for each in by_score.audit().findings if each.kind == "unreachable"]
    with pytest.raises(bp.FormatError, match="merges by score instead of by a list"):
        by_score.export(tmp_path / "a.json", "tokenizer.json")
    done = by_score.export(tmp_path / "a.json", "tokenizer.json", lossy=True)
    assert any("by score" in loss for loss in done.losses)
    assert bp.load(tmp_path / "a.json").merges


def test_an_unused_piece_that_is_made_in_two_ways_beside_user_defined_ones_is_refused_by_name() -> None:
    model = trained(random.Random(1))
    for text in ("lo", "ow", "low"):
        for piece in model.pieces:
            if piece.piece == text:
                piece.type = UNUSED if text == "low" else NORMAL
    known = {piece.piece for piece in model.pieces}
    for text in {"lo", "ow", "low"} - known:
        model.pieces.add(piece=text, score=-500.0, type=UNUSED if text == "low" else NORMAL)
    model.pieces.add(piece="<mine>", type=4)
    with pytest.raises(bp.FormatError, match=r"piece \d+, 'low', is unused, and made in \d ways, beside user-defined"):
        bp.load(model.SerializeToString())


def with_a_long_piece(n_chars: int, kind: int, n_halves: int) -> bytes:
    model, text = with_bytes(), "esob" * (n_chars // 4)
    model.pieces.add(piece=text, score=-500.0, type=kind)
    # Something else is unused too, so that the ways are looked for.
    model.pieces.add(piece="zq", score=-600.0, type=UNUSED)
    for half in (text[1:], text[:-1])[:n_halves]:
        model.pieces.add(piece=half, score=-501.0)
    data: bytes = model.SerializeToString()
    return data


def refusal(data: bytes) -> str | None:
    try:
        bp.load(data)
    except bp.FormatError as error:
        return str(error).split("'")[-1]
    return None


@pytest.mark.parametrize("kind", [NORMAL, UNUSED])
@pytest.mark.parametrize("n_halves", [0, 1, 2])
def test_a_long_piece_costs_little_and_is_read_or_refused_as_a_short_one(kind: int, n_halves: int) -> None:
    data = with_a_long_piece(20_000, kind, n_halves)
    tracemalloc.start()
    began = time.perf_counter()
    found = refusal(data)
    seconds, (_, peak) = time.perf_counter() - began, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == refusal(with_a_long_piece(40, kind, n_halves))
    assert ("is unused, and made in 2 ways" in (found or "")) == (kind == UNUSED and n_halves == 2)
    # To keep all ways to cut it would take 400 MB.
    assert seconds < 5 and peak < 20_000_000


def test_a_piece_of_a_kind_that_there_is_not_is_refused_by_name() -> None:
    model = trained(random.Random(1))
    data = model.SerializeToString().replace(b"\x18\x02", b"\x18\x09", 1)
    with pytest.raises(bp.FormatError, match=r"piece 0, .* is of the type 9; expected 1"):
        bp.load(data)
