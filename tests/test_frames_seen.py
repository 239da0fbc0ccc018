"""Models that a file loads with rules round their merges can be looked into, pruned and measured like others."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import tokenizers
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers, processors, trainers

import bytepair as bp

CORPUS = [
    "the lower the newest, the widest river 2024",
    "Größe der Flüsse: 12 newest lows",
    "low lower lowest newer wide",
] * 3
TEXTS = [
    "the newest lower river",
    "widest Größe 7 ~ 日本",
    "",
    "a",
    "  lowest  wide\n",
    "<tool> the lows <s> low",
    "\x07é",
]


def built(tok: tokenizers.Tokenizer, **options: object) -> tokenizers.Tokenizer:
    tok.train_from_iterator(
        CORPUS, trainers.BpeTrainer(vocab_size=options.pop("vocab_size", 420), show_progress=False, **options)
    )
    return tok


def like_llama2() -> tokenizers.Tokenizer:
    """Characters, spaces as a mark, unknown characters by their bytes, a template."""
    tok = tokenizers.Tokenizer(models.BPE(byte_fallback=True, fuse_unk=True, unk_token="<unk>"))
    tok.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    bytes_tokens = [f"<0x{byte:02X}>" for byte in range(256)]
    built(tok, special_tokens=["<unk>", "<s>", "</s>", *bytes_tokens])
    found = json.loads(tok.to_str())
    found["added_tokens"] = [each for each in found["added_tokens"] if not each["content"].startswith("<0x")]
    tok = tokenizers.Tokenizer.from_str(json.dumps(found))
    tok.add_tokens([AddedToken("<tool>", normalized=False)])
    tok.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    tok.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A </s> $B", special_tokens=[("<s>", 1), ("</s>", 2)]
    )
    return tok


def like_llama3() -> tokenizers.Tokenizer:
    """Bytes, a pattern, pieces that are tokens at once, a template."""
    tok = tokenizers.Tokenizer(models.BPE(ignore_merges=True))
    cut = pre_tokenizers.Split(Regex(r" ?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+"), "isolated")
    tok.pre_tokenizer = pre_tokenizers.Sequence([cut, pre_tokenizers.ByteLevel(False, use_regex=False)])
    tok.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    built(tok, special_tokens=["<s>"], initial_alphabet=alphabet, vocab_size=330)
    tok.add_tokens([AddedToken("<tool>", normalized=False)])
    tok.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    return tok


def like_bert() -> tokenizers.Tokenizer:
    """Lower case, words, a prefix on all but the first symbol, an unknown token."""
    tok = tokenizers.Tokenizer(models.BPE(unk_token="[UNK]", continuing_subword_prefix="##"))
    tok.normalizer = normalizers.Lowercase()
    tok.pre_tokenizer = pre_tokenizers.Whitespace()
    tok.decoder = decoders.Fuse()
    built(tok, special_tokens=["[UNK]", "[CLS]", "[SEP]"], continuing_subword_prefix="##", vocab_size=130)
    tok.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    return tok


def like_clip() -> tokenizers.Tokenizer:
    """A suffix on the last symbol of a word, fused unknown tokens."""
    tok = tokenizers.Tokenizer(models.BPE(unk_token="[UNK]", end_of_word_suffix="</w>", fuse_unk=True))
    tok.normalizer = normalizers.NFC()
    tok.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tok.decoder = decoders.BPEDecoder("</w>")
    return built(tok, special_tokens=["[UNK]"], end_of_word_suffix="</w>", vocab_size=130)


KINDS = {each.__name__: each for each in (like_llama2, like_llama3, like_bert, like_clip)}


@pytest.fixture(params=KINDS)
def theirs(request: pytest.FixtureRequest) -> tokenizers.Tokenizer:
    return KINDS[request.param]()


@pytest.fixture
def tok(theirs: tokenizers.Tokenizer) -> bp.Tokenizer:
    found = bp.load(theirs.to_str().encode())
    assert found.model.frame is not None
    return found


def all_ids(tok: bp.Tokenizer) -> list[int]:
    return [number for number, spelling in enumerate(tok.model.spellings()) if spelling is not None]


def test_the_models_give_the_ids_of_tokenizers(theirs: tokenizers.Tokenizer, tok: bp.Tokenizer) -> None:
    for text in TEXTS:
        assert tok.encode(text, special="all", add_special_tokens=True) == theirs.encode(text).ids


def test_every_token_says_what_it_is_made_of_and_which_text_holds_it(tok: bp.Tokenizer) -> None:
    prefix, kinds = (tok.model.frame.subword_prefix or "").encode(), set()
    for number in all_ids(tok):
        found = tok.token(number)
        kinds.add(found.kind)
        assert found.token == (number, tok.token_bytes(number))
        if found.tree.parts:
            left, right = (part.token.spelling for part in found.tree.parts)
            assert left + right.removeprefix(prefix) == found.token.spelling
        if found.reach.example is not None:
            assert number in tok.encode(found.reach.example)
        assert str(found)
    assert {"special", "symbol", "merged"} <= kinds


def test_kinds_of_tokens_that_only_a_frame_has() -> None:
    tok = bp.load(like_llama2().to_str().encode())
    byte, added = tok.token("<0x07>"), tok.token("<tool>")
    assert (byte.kind, byte.reach.example) == ("byte", "\x07")
    assert tok.token("<0xFF>").reach.reason == "byte"
    assert "UTF-8 never holds" in str(tok.token("<0xFF>"))
    assert (added.kind, added.reach.example) == ("added", "<tool>")


def test_a_token_that_its_normalizer_forbids_is_not_called_reachable() -> None:
    theirs = like_bert()
    made = json.loads(theirs.to_str())
    made["model"]["vocab"]["Q"] = len(made["model"]["vocab"])
    found = bp.load(json.dumps(made).encode()).token("Q")
    assert (found.reach.reachable, found.reach.reason) == (None, "rules")
    assert "its spelling is cut or changed, which becomes" in str(found)


def test_an_explanation_follows_every_piece(tok: bp.Tokenizer) -> None:
    for text in TEXTS:
        found = tok.explain(text)
        assert found.ids == tok.encode(text)
        assert "<tool>" in text or "unfollowed" not in {piece.kind for piece in found.pieces}


def test_an_inspection_counts_every_token_once(tok: bp.Tokenizer) -> None:
    found = tok.inspect(CORPUS)
    assert found.n_tokens == tok.vocab_size
    assert found.n_merged + found.n_symbols + found.n_special + found.n_added == tok.vocab_size
    assert found.n_corpus_tokens == sum(map(tok.count, CORPUS))
    held = {number for text in CORPUS for number in tok.encode(text)}
    assert not held & {each.token.id for each in found.unreachable}
    assert not held & {token.id for token in found.under_used}


def at_size(tok: bp.Tokenizer, num_merges: int) -> bp.Tokenizer:
    """Made anew from the first merges, the tokens of others gone."""
    model = tok.model
    prefix = (model.frame.subword_prefix or "").encode()

    def made(merges: tuple[tuple[int, int], ...]) -> Iterator[bytes]:
        for left, right in merges:
            yield model.tokens[left] + model.tokens[right].removeprefix(prefix)

    gone = set(made(model.merges[num_merges:])) - set(made(model.merges[:num_merges]))
    tokens = tuple(None if token in gone else token for token in model.tokens)
    return bp.Tokenizer(dataclasses.replace(model, tokens=tokens, merges=model.merges[:num_merges]))


def test_every_value_of_a_curve_is_that_of_the_smaller_model(tok: bp.Tokenizer) -> None:
    found = bp.curve(tok, TEXTS, rare_below=2)
    specials = set(tok.special_tokens.values())
    for num_merges in range(0, len(found), 5):
        smaller = at_size(tok, num_merges)
        ids = [number for text in TEXTS for number in smaller.encode(text, special="all")]
        point = found.point(num_merges)
        assert point.n_tokens == len([number for number in ids if number not in specials])
        assert point.vocab_size == smaller.vocab_size
        counted = [ids.count(number) for number in all_ids(smaller) if number not in specials]
        assert point.n_rare == sum(times < 2 for times in counted)


@pytest.mark.parametrize("how", ["unused", "size", "list", "script"])
def test_what_is_left_after_pruning_is_as_it_was(theirs: tokenizers.Tokenizer, how: str, tmp_path: Path) -> None:
    tok = bp.load(theirs.to_str().encode())
    drop = [number for number in all_ids(tok) if tok.token(number).kind == "merged"][-9:]
    options = {
        "unused": {"source": ["the lower"]},
        "size": {"vocab_size": tok.vocab_size - 20},
        "list": {"drop": [*drop, *(["<tool>"] if b"<tool>" in tok.model.spellings() else [])]},
        "script": {"scripts": ["Latin"], "keep": ["the" if b"the" in tok.model.tokens else b"t"]},
    }[how]
    smaller, new_ids = tok.prune(**options)
    assert smaller.vocab_size < tok.vocab_size
    smaller.save(tmp_path / "tokenizer.json")
    opened = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert bp.load(tmp_path / "tokenizer.json") == smaller
    for text in TEXTS:
        after = smaller.encode(text, special="all", add_special_tokens=True)
        assert opened.encode(text).ids == after
        before = [int(new_ids[number]) for number in tok.encode(text, special="all", add_special_tokens=True)]
        assert -1 in before or before == after
    for old, new in enumerate(new_ids.tolist()):
        assert new < 0 or smaller.token_bytes(new) == tok.token_bytes(old)
    around = tok.encode("", add_special_tokens=True), smaller.encode("", add_special_tokens=True)
    assert [int(new_ids[number]) for number in around[0]] == around[1]


def test_pruning_keeps_what_a_frame_needs() -> None:
    tok = bp.load(like_llama2().to_str().encode())
    for token, why in (("</s>", "template"), ("<unk>", "unknown characters"), ("<0x41>", "symbol of the alphabet")):
        with pytest.raises(bp.ArgumentError, match=why):
            tok.prune(drop=[token])
    smaller, _ = tok.prune(["low"])
    assert smaller.encode("<tool>\x07", add_special_tokens=True) != tok.encode("low")
    assert smaller.tokens("~日") == tok.tokens("~日")


def test_a_tally_is_refused_where_pieces_do_not_tell_the_tokens(tok: bp.Tokenizer) -> None:
    with pytest.raises(bp.ModelError, match="give the corpus itself"):
        tok.inspect(bp.tally(CORPUS, pattern="gpt2"))


def test_a_tally_of_whole_documents_will_do_where_no_pattern_cuts() -> None:
    tok = bp.load(like_llama2().to_str().encode())
    assert bp.curve(tok, bp.tally(CORPUS, pattern="none")).n_tokens == bp.curve(tok, CORPUS).n_tokens


def test_curve_refuses_what_has_no_smaller_size(test_data: Callable[[str], Path]) -> None:
    tok = bp.load(test_data("vocabs/mistral_v3.spm.model"))
    with pytest.raises(bp.ModelError, match="104 pairs that merge by their place"):
        bp.curve(tok, ["low"])


@pytest.mark.parametrize("name", ["mistral_v3.spm.model", "deepseek_v4.tokenizer.json"])
def test_public_vocabularies(name: str, tmp_path: Path, test_data: Callable[[str], Path]) -> None:
    tok = bp.load(test_data(f"vocabs/{name}"))
    found = tok.inspect(["the newest lower river"])
    assert found.n_tokens == tok.vocab_size
    assert found.n_corpus_tokens == tok.count("the newest lower river")
    text = "Hello    wörld, the newest low 日本 \x07"
    assert tok.explain(text).ids == tok.encode(text)
    smaller, new_ids = tok.prune(scripts=["Cyrillic"])
    assert [int(new_ids[number]) for number in tok.encode(text)] == smaller.encode(text)
    assert smaller.decode(smaller.encode("Привет")) == tok.decode(tok.encode("Привет"))
    assert tok.vocab_size - smaller.vocab_size > 1000
    smaller.save(tmp_path / "smaller.json")
    assert bp.load(tmp_path / "smaller.json").encode(text) == smaller.encode(text)
