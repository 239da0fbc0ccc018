//! The argument `frame` of `Engine` as the frame of a model.

use bytepair_core::frame::{
    Added, Behavior, BertStep, Charsmap, Cut, DecodeStep, Form, Frame, Matcher, Normalizer, Options, Prepend,
    SentencePieceDecoding, SentencePieceNormalizing,
};
use bytepair_core::specials::Specials;
use bytepair_core::split::Splitter;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyDict;

use crate::errors::{ArgumentError, to_py};

/// A step: its name and its settings.
type Step<'py> = (String, Bound<'py, PyDict>);

pub(super) fn frame(given: &Bound<'_, PyDict>) -> PyResult<Frame> {
    let steps = |key: &str| get::<Option<Vec<Step<'_>>>>(given, key);
    Ok(Frame {
        normalizer: steps("normalizer")?.unwrap_or_default().iter().map(normalizer).collect::<PyResult<_>>()?,
        cutting: steps("cutting")?.map(|steps| steps.iter().map(cut).collect()).transpose()?,
        decoder: steps("decoder")?.map(|steps| steps.iter().map(decode_step).collect()).transpose()?,
        added: get::<Vec<Bound<'_, PyDict>>>(given, "added")?.iter().map(added).collect::<PyResult<_>>()?,
        options: options(&get(given, "options")?)?,
    })
}

/// What a dict holds under a key, which must be there.
fn get<'py, T: FromPyObjectOwned<'py>>(given: &Bound<'py, PyDict>, key: &str) -> PyResult<T> {
    let value = given.get_item(key)?.ok_or_else(|| ArgumentError::new_err(format!("frame lacks {key:?}")))?;
    value.extract().map_err(Into::into)
}

fn added(given: &Bound<'_, PyDict>) -> PyResult<Added> {
    Ok(Added {
        text: get(given, "text")?,
        id: get(given, "id")?,
        special: get(given, "special")?,
        single_word: get(given, "single_word")?,
        lstrip: get(given, "lstrip")?,
        rstrip: get(given, "rstrip")?,
        normalized: get(given, "normalized")?,
    })
}

fn options(given: &Bound<'_, PyDict>) -> PyResult<Options> {
    let bytes = |key: &str| get::<Option<PyBackedBytes>>(given, key).map(|value| value.map(|bytes| bytes.to_vec()));
    Ok(Options {
        byte_fallback: get(given, "byte_fallback")?,
        fuse_unk: get(given, "fuse_unk")?,
        ignore_merges: get(given, "ignore_merges")?,
        subword_prefix: bytes("subword_prefix")?,
        suffix: bytes("suffix")?,
        leftmost: get(given, "leftmost")?,
        scores: get(given, "scores")?,
        unused: get(given, "unused")?,
        replaced: get(given, "replaced")?,
        spells: get(given, "spells")?,
    })
}

fn normalizer((name, settings): &Step<'_>) -> PyResult<Normalizer> {
    Ok(match name.as_str() {
        "NFC" => Normalizer::Unicode(Form::Nfc),
        "NFD" => Normalizer::Unicode(Form::Nfd),
        "NFKC" => Normalizer::Unicode(Form::Nfkc),
        "NFKD" => Normalizer::Unicode(Form::Nfkd),
        "LowercaseText" => Normalizer::LowercaseText,
        "Lowercase" => Normalizer::Lowercase,
        "Strip" => Normalizer::Strip { left: get(settings, "strip_left")?, right: get(settings, "strip_right")? },
        "StripAccents" => Normalizer::StripAccents,
        "Prepend" => Normalizer::Prepend(get(settings, "prepend")?),
        "Replace" => Normalizer::Replace(matcher(settings, false)?, get(settings, "content")?),
        "Precompiled" => {
            let data: PyBackedBytes = get(settings, "precompiled_charsmap")?;
            Normalizer::Precompiled(Charsmap::new(&data).map_err(to_py)?)
        }
        "ByteLevel" => Normalizer::ByteLevel,
        "BertNormalizer" => Normalizer::Bert(bert_steps(settings)?),
        "SentencePiece" => Normalizer::SentencePiece(Box::new(sentencepiece(settings)?)),
        _ => return Err(unknown("normalizer", name)),
    })
}

fn bert_steps(settings: &Bound<'_, PyDict>) -> PyResult<Vec<BertStep>> {
    let lowercase: bool = get(settings, "lowercase")?;
    let steps = [
        (get(settings, "clean_text")?, BertStep::Clean),
        (get(settings, "handle_chinese_chars")?, BertStep::Ideographs),
        (get::<Option<bool>>(settings, "strip_accents")?.unwrap_or(lowercase), BertStep::Accents),
        (lowercase, BertStep::Lowercase),
    ];
    Ok(steps.into_iter().filter_map(|(is_wanted, step)| is_wanted.then_some(step)).collect())
}

fn sentencepiece(settings: &Bound<'_, PyDict>) -> PyResult<SentencePieceNormalizing> {
    let data: PyBackedBytes = get(settings, "precompiled_charsmap")?;
    let kept: Vec<String> = get(settings, "kept")?;
    let kept: Vec<Vec<u8>> = kept.into_iter().map(String::into_bytes).collect();
    let drops: bool = get(settings, "remove_extra_whitespaces")?;
    let only_writes_spaces = data.is_empty() && !drops && !kept.iter().any(|text| text.contains(&b' '));
    Ok(SentencePieceNormalizing {
        only_writes_spaces,
        charsmap: if data.is_empty() { None } else { Some(Charsmap::new(&data).map_err(to_py)?) },
        add_dummy_prefix: get(settings, "add_dummy_prefix")?,
        remove_extra_whitespaces: drops,
        escape_whitespaces: get(settings, "escape_whitespaces")?,
        whitespace_as_suffix: get(settings, "whitespace_as_suffix")?,
        kept: if kept.is_empty() { None } else { Some(Specials::of_prefixes(&kept).map_err(to_py)?) },
    })
}

fn cut((name, settings): &Step<'_>) -> PyResult<Cut> {
    let split = |matcher, behavior| Cut::Split { matcher, behavior, invert: false };
    Ok(match name.as_str() {
        "Split" => {
            let (behavior, invert) = (behavior(&get::<String>(settings, "behavior")?)?, get(settings, "invert")?);
            Cut::Split { matcher: matcher(settings, behavior == Behavior::Isolated)?, behavior, invert }
        }
        "Digits" => {
            let alone: bool = get(settings, "individual_digits")?;
            split(Matcher::Numeric, if alone { Behavior::Isolated } else { Behavior::Contiguous })
        }
        "Punctuation" => split(Matcher::Punctuation, behavior(&get::<String>(settings, "behavior")?)?),
        "WhitespaceSplit" => split(Matcher::WhiteSpace, Behavior::Removed),
        "PunctuationSplit" => split(Matcher::Punctuation, Behavior::Isolated),
        "Whitespace" => {
            let words = Splitter::custom(r"\w+|[^\w\s]+").map_err(to_py)?;
            Cut::Split { matcher: Matcher::Regex(words), behavior: Behavior::Removed, invert: true }
        }
        "CharDelimiterSplit" => split(Matcher::Text(get(settings, "delimiter")?), Behavior::Removed),
        "Metaspace" => Cut::Metaspace {
            replacement: get(settings, "replacement")?,
            prepend: prepend(&get::<String>(settings, "prepend_scheme")?)?,
            split: get(settings, "split")?,
        },
        "ByteLevel" => {
            let pattern = if get(settings, "use_regex")? { Splitter::named("gpt2") } else { None };
            Cut::ByteLevel {
                add_prefix_space: get(settings, "add_prefix_space")?,
                matcher: pattern.map(Matcher::Pieces),
                spells: get(settings, "spells")?,
            }
        }
        _ => return Err(unknown("pre-tokenizer", name)),
    })
}

fn decode_step((name, settings): &Step<'_>) -> PyResult<DecodeStep> {
    Ok(match name.as_str() {
        "ByteLevel" => DecodeStep::ByteLevel,
        "Metaspace" => DecodeStep::Metaspace {
            replacement: get(settings, "replacement")?,
            prepends: get::<String>(settings, "prepend_scheme")? != "never",
        },
        "Replace" => DecodeStep::Replace(matcher(settings, false)?, get(settings, "content")?),
        "ByteFallback" => DecodeStep::ByteFallback,
        "Fuse" => DecodeStep::Fuse,
        "Strip" => DecodeStep::Strip {
            content: get(settings, "content")?,
            start: get(settings, "start")?,
            stop: get(settings, "stop")?,
        },
        "BPEDecoder" => DecodeStep::Bpe { suffix: get(settings, "suffix")? },
        "SentencePiece" => DecodeStep::SentencePiece(SentencePieceDecoding {
            add_dummy_prefix: get(settings, "add_dummy_prefix")?,
            remove_extra_whitespaces: get(settings, "remove_extra_whitespaces")?,
            unk_surface: get(settings, "unk_surface")?,
            invisible: get::<Vec<String>>(settings, "invisible")?.into_iter().collect(),
        }),
        _ => return Err(unknown("decoder", name)),
    })
}

/// `pattern` is ("text", it), ("regex", it) or (the name of a pattern, its expression). A named one is used as it is where
/// all its pieces are wanted, and else by its expression.
fn matcher(settings: &Bound<'_, PyDict>, pieces_do: bool) -> PyResult<Matcher> {
    let (kind, text): (String, String) = get(settings, "pattern")?;
    if kind == "text" {
        return Ok(Matcher::Text(text));
    }
    match Splitter::named(&kind).filter(|_| pieces_do) {
        Some(named) => Ok(Matcher::Pieces(named)),
        None => Ok(Matcher::Regex(Splitter::custom(&text).map_err(to_py)?)),
    }
}

fn behavior(name: &str) -> PyResult<Behavior> {
    Ok(match name {
        "Removed" => Behavior::Removed,
        "Isolated" => Behavior::Isolated,
        "MergedWithPrevious" => Behavior::MergedWithPrevious,
        "MergedWithNext" => Behavior::MergedWithNext,
        "Contiguous" => Behavior::Contiguous,
        _ => return Err(unknown("behavior", name)),
    })
}

fn prepend(name: &str) -> PyResult<Prepend> {
    Ok(match name {
        "always" => Prepend::Always,
        "first" => Prepend::First,
        "never" => Prepend::Never,
        _ => return Err(unknown("prepend_scheme", name)),
    })
}

fn unknown(what: &str, name: &str) -> PyErr {
    ArgumentError::new_err(format!("the {what} {name:?} is not known to the engine"))
}
