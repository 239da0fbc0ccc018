//! The class `Engine`.

pub(crate) mod buffers;
mod cutting;
mod frame;
mod ids;
mod ints;
mod parts;
mod rooms;
mod signals;
pub(crate) mod texts;

use std::sync::{Arc, Mutex};

use bytepair_core::Error;
use bytepair_core::decode::{BadIds, decode_into};
use bytepair_core::encode::{BatchError, Dropout, Encoder, Ragged};
use bytepair_core::model::{Model, Parts};
use bytepair_core::stop::Stop;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyList, PyMapping, PyTuple};

use crate::convert::Text;
use crate::errors::{ArgumentError, BadIdError, UnknownCharacterError, to_py};
use crate::learning::end_of_word_of;
use crate::splitter::Splitter;
use ids::Ids;
use ints::Ints;
use rooms::Rooms;
use signals::{detached, with_signals};
use texts::Texts;

/// A model, ready to encode and decode.
#[pyclass(frozen, module = "bytepair._native")]
pub(crate) struct Engine {
    encoder: Encoder,
    ints: Ints,
    rooms: Rooms<u32>,
    byte_rooms: Rooms<u8>,
    /// The last long tuple of specials and its ids: thousands of ids are not read again in every call.
    last_special: Mutex<Option<Special>>,
}

/// A tuple of ids as it came, and as the core takes it.
type Special = (Py<PyTuple>, Arc<[u32]>);

/// From so many specials on a tuple is remembered.
const MANY_SPECIALS: usize = 64;

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (
        splitter, *, kind, alphabet, tokens, merges, specials, unk_id, end_of_word, add_prefix_space,
        end_of_word_style="symbol", frame=None, cache_bytes=None
    ))]
    #[allow(clippy::too_many_arguments)] // A model has as many parts, and they have names in Python.
    fn new(
        py: Python<'_>,
        splitter: &Splitter,
        kind: &str,
        alphabet: &str,
        tokens: &Bound<'_, PyAny>,
        merges: &Bound<'_, PyAny>,
        specials: &Bound<'_, PyMapping>,
        unk_id: Option<u32>,
        end_of_word: Option<Vec<u8>>,
        add_prefix_space: bool,
        end_of_word_style: &str,
        frame: Option<&Bound<'_, PyDict>>,
        cache_bytes: Option<usize>,
    ) -> PyResult<Self> {
        let parts = Parts {
            kind: parts::kind(kind)?,
            alphabet: parts::alphabet(alphabet)?,
            tokens: parts::tokens(tokens)?,
            merges: parts::merges(merges)?,
            specials: parts::specials(specials)?,
            unk_id,
            end_of_word: end_of_word.map(|mark| end_of_word_of(mark, end_of_word_style)).transpose()?,
            add_prefix_space,
        };
        let splitter = Arc::clone(&splitter.inner);
        let frame = frame.map(frame::frame).transpose()?;
        let build = || {
            let model = Model::framed(splitter, parts, frame)?;
            match cache_bytes {
                Some(bytes) => Encoder::with_cache(model, bytes),
                None => Encoder::new(model),
            }
        };
        let encoder = py.detach(build).map_err(to_py)?;
        let n_ids = encoder.model().largest_id().map_or(0, |largest| largest + 1);
        Ok(Self {
            encoder,
            ints: Ints::new(n_ids),
            rooms: Rooms::default(),
            byte_rooms: Rooms::default(),
            last_special: Mutex::new(None),
        })
    }

    /// The ids of a text; `special` lists the ids of the specials to match.
    #[pyo3(signature = (text, special, threads=1))]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        text: Text,
        special: Option<&Bound<'_, PyAny>>,
        threads: i64,
    ) -> PyResult<Bound<'py, PyList>> {
        self.with_ids(py, &text, special, threads, |ids| self.ints.list(py, ids))
    }

    /// The ids of each text, on up to `threads` threads.
    #[pyo3(signature = (texts, special, threads))]
    fn encode_batch<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'_, PyAny>,
        special: Option<&Bound<'_, PyAny>>,
        threads: i64,
    ) -> PyResult<Bound<'py, PyList>> {
        self.ints.list_of_lists(py, &self.ids_of_each(py, texts, special, threads)?)
    }

    /// The ids of a text as an array of integers of `width` bytes.
    #[pyo3(signature = (text, special, width, threads=1))]
    fn encode_array<'py>(
        &self,
        py: Python<'py>,
        text: Text,
        special: Option<&Bound<'_, PyAny>>,
        width: usize,
        threads: i64,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        self.with_ids(py, &text, special, threads, |ids| buffers::of_ids(py, ids, width))
    }

    /// The ids of all texts in one array, and where those of each begin; an id before and behind each text on request.
    #[pyo3(signature = (texts, special, threads, width, before=None, behind=None))]
    #[allow(clippy::too_many_arguments)] // They have names in Python.
    fn encode_ragged<'py>(
        &self,
        py: Python<'py>,
        texts: &Bound<'_, PyAny>,
        special: Option<&Bound<'_, PyAny>>,
        threads: i64,
        width: usize,
        before: Option<u32>,
        behind: Option<u32>,
    ) -> PyResult<(Bound<'py, PyByteArray>, Bound<'py, PyByteArray>)> {
        let ragged = self.ids_of_each(py, texts, special, threads)?;
        let n_added = usize::from(before.is_some()) + usize::from(behind.is_some());
        let starts = ragged.starts().iter().enumerate().map(|(text, start)| start + n_added * text);
        let starts = buffers::of_places(py, ragged.starts().len(), starts)?;
        if n_added > 0 {
            return Ok((buffers::of_framed(py, &ragged, before, behind, width)?, starts));
        }
        let n_tokens = ragged.n_tokens();
        Ok((buffers::of_lists(py, n_tokens, ragged.into_runs(), width)?, starts))
    }

    /// The ids of a text, and the start and end of each in it.
    #[pyo3(signature = (text, special, unit))]
    fn encode_spans<'py>(
        &self,
        py: Python<'py>,
        text: Text,
        special: Option<&Bound<'_, PyAny>>,
        unit: &str,
    ) -> PyResult<(Bound<'py, PyByteArray>, Bound<'py, PyByteArray>)> {
        let (text, special) = (text.as_bytes(), self.special_ids(special)?);
        let work = |stop: Stop<'_>| {
            let mut spans = self.encoder.encode_spans(text, &special, stop)?;
            match unit {
                "char" => spans.in_characters(text),
                "utf16" => spans.in_utf16(text),
                _ => {}
            }
            Ok(spans)
        };
        let spans = detached(py, work, |error| in_text(error, text, ""))?;
        let places = spans.places.iter().flat_map(|&(start, end)| [start, end]);
        Ok((buffers::of_ids(py, &spans.ids, 4)?, buffers::of_places(py, 2 * spans.places.len(), places)?))
    }

    /// The ids of a text with merges left out by chance.
    #[pyo3(signature = (text, special, probability, seed))]
    fn encode_with_dropout<'py>(
        &self,
        py: Python<'py>,
        text: Text,
        special: Option<&Bound<'_, PyAny>>,
        probability: f64,
        seed: u64,
    ) -> PyResult<Bound<'py, PyList>> {
        let (text, special) = (text.as_bytes(), self.special_ids(special)?);
        let dropout = Dropout { probability, seed };
        let work = |stop: Stop<'_>| self.encoder.encode_with_dropout(text, &special, dropout, stop);
        let ids = detached(py, work, |error| in_text(error, text, ""))?;
        self.ints.list(py, &ids)
    }

    /// Whether the text has at most `budget` ids.
    #[pyo3(signature = (text, special, budget))]
    fn fits(&self, py: Python<'_>, text: Text, special: Option<&Bound<'_, PyAny>>, budget: usize) -> PyResult<bool> {
        let (text, special) = (text.as_bytes(), self.special_ids(special)?);
        detached(py, |stop| self.encoder.fits(text, &special, budget, stop), |error| in_text(error, text, ""))
    }

    /// Where to cut the text so that the rest fits: in characters of a `str`, in bytes of `bytes`.
    #[pyo3(signature = (text, special, budget, side))]
    fn truncate(
        &self,
        py: Python<'_>,
        text: Text,
        special: Option<&Bound<'_, PyAny>>,
        budget: usize,
        side: &str,
    ) -> PyResult<usize> {
        let (bytes, special, side) = (text.as_bytes(), self.special_ids(special)?, cutting::side(side)?);
        let work = |stop: Stop<'_>| self.encoder.truncate(bytes, &special, budget, side, stop);
        let cut = detached(py, work, |error| in_text(error, bytes, ""))?;
        Ok(cutting::place(&text, cut))
    }

    /// Start and end of parts that fit, counted as in `truncate`.
    #[pyo3(signature = (text, special, budget, overlap, unit))]
    fn chunks(
        &self,
        py: Python<'_>,
        text: Text,
        special: Option<&Bound<'_, PyAny>>,
        budget: usize,
        overlap: usize,
        unit: &str,
    ) -> PyResult<Vec<(usize, usize)>> {
        let (bytes, special, units) = (text.as_bytes(), self.special_ids(special)?, cutting::unit(unit)?);
        let work = |stop: Stop<'_>| self.encoder.chunks(bytes, &special, budget, overlap, units, stop);
        let chunks = detached(py, work, |error| cutting::too_small(error, bytes, budget, unit))?;
        Ok(cutting::places(&text, &chunks))
    }

    /// The last byte at which the text can be cut so that the parts have the ids of the whole, whatever follows it.
    #[pyo3(signature = (text, special))]
    fn last_certain_cut(
        &self,
        py: Python<'_>,
        text: Text,
        special: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<usize>> {
        let (text, special) = (text.as_bytes(), self.special_ids(special)?);
        py.detach(|| self.encoder.last_certain_cut(text, &special)).map_err(to_py)
    }

    /// How many pieces are remembered, and in how many bytes.
    fn cache_statistics(&self) -> (usize, usize) {
        self.encoder.cache_statistics()
    }

    /// How many ids the text has.
    #[pyo3(signature = (text, special, threads=1))]
    fn count(&self, py: Python<'_>, text: Text, special: Option<&Bound<'_, PyAny>>, threads: i64) -> PyResult<usize> {
        let (text, special, threads) = (text.as_bytes(), self.special_ids(special)?, n_threads(threads)?);
        let work = |stop: Stop<'_>| {
            if threads == 1 {
                return self.encoder.count(text, &special, stop);
            }
            self.encoder.count_batch(&[text], &special, threads, stop).map_err(of_the_only_text).map(|each| each[0])
        };
        with_signals(py, text.len(), work, |error| in_text(error, text, ""))
    }

    /// How many ids each text has, on up to `threads` threads.
    #[pyo3(signature = (texts, special, threads))]
    fn count_batch(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        special: Option<&Bound<'_, PyAny>>,
        threads: i64,
    ) -> PyResult<Vec<usize>> {
        let (texts, special, threads) = (Texts::read(texts)?, self.special_ids(special)?, n_threads(threads)?);
        let texts = texts.as_bytes();
        let work = |stop: Stop<'_>| self.encoder.count_batch(&texts, &special, threads, stop);
        detached(py, work, |failed| in_texts(failed, &texts))
    }

    /// The pieces as encoded: with the prefix space, without a marker; a matched special is a piece of its own.
    #[pyo3(signature = (text, special))]
    fn pieces<'py>(
        &self,
        py: Python<'py>,
        text: Text,
        special: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (text, special) = (text.as_bytes(), self.special_ids(special)?);
        let (mut bytes, mut borders) = (Vec::with_capacity(text.len()), vec![0]);
        let gather = |piece: &[u8]| {
            bytes.extend_from_slice(piece);
            borders.push(bytes.len());
        };
        detached(py, |stop| self.encoder.for_each_piece(text, &special, stop, gather), to_py)?;
        PyList::new(py, borders.windows(2).map(|piece| PyBytes::new(py, &bytes[piece[0]..piece[1]])))
    }

    /// Id and byte offset of the leftmost special in the text.
    fn find_special(&self, py: Python<'_>, text: Text) -> PyResult<Option<(u32, usize)>> {
        let text = text.as_bytes();
        detached(py, |stop| self.encoder.find_special(text, stop), to_py)
    }

    /// The text as it comes to the merges, piece after piece, when nothing is cut.
    fn normalized(&self, py: Python<'_>, text: &str) -> PyResult<String> {
        py.detach(|| self.encoder.normalized(text)).map_err(to_py)
    }

    /// The ids of ordinary tokens that merging their own symbols does not arrive at.
    fn unmerged(&self, py: Python<'_>) -> Vec<u32> {
        py.detach(|| self.encoder.unmerged())
    }

    /// What specials and added tokens decode to, by id.
    fn added_texts<'py>(&self, py: Python<'py>) -> Vec<(u32, Bound<'py, PyBytes>)> {
        self.encoder.model().special_texts().map(|(id, text)| (id, PyBytes::new(py, text))).collect()
    }

    /// The pairs that may merge, lowest rank first, each with what it becomes.
    fn pairs(&self) -> Vec<(u32, u32, u32)> {
        self.encoder.model().pairs()
    }

    /// The bytes of a sequence of ints or of an integer buffer of one dimension.
    #[pyo3(signature = (ids, bad_ids))]
    fn decode_bytes<'py>(
        &self,
        py: Python<'py>,
        ids: &Bound<'py, PyAny>,
        bad_ids: &str,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (bad_ids, ids) = (bad_ids_of(bad_ids)?, Ids::read("ids", ids)?);
        let model = self.encoder.model();
        self.byte_rooms.with(|bytes| {
            let decode = |stop: Stop<'_>| decode_into(model, &ids.values, bad_ids, bytes, stop);
            detached(py, decode, |error| no_token(error, &ids, model))?;
            Ok(PyBytes::new(py, bytes))
        })
    }
}

impl Engine {
    /// What `make` makes of the ids of a text.
    fn with_ids<'py, T>(
        &self,
        py: Python<'py>,
        text: &Text,
        special: Option<&Bound<'_, PyAny>>,
        threads: i64,
        make: impl FnOnce(&[u32]) -> PyResult<Bound<'py, T>>,
    ) -> PyResult<Bound<'py, T>> {
        let (text, special, threads) = (text.as_bytes(), self.special_ids(special)?, n_threads(threads)?);
        if threads == 1 {
            return self.rooms.with(|ids| {
                let encode = |stop: Stop<'_>| self.encoder.encode_into(text, &special, ids, stop);
                with_signals(py, text.len(), encode, |error| in_text(error, text, ""))?;
                make(ids)
            });
        }
        let work = |stop: Stop<'_>| self.encoder.encode_batch(&[text], &special, threads, stop);
        let ragged = detached(py, work, |failed| in_text(failed.error, text, ""))?;
        make(&ragged.into_runs().concat())
    }

    fn ids_of_each(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        special: Option<&Bound<'_, PyAny>>,
        threads: i64,
    ) -> PyResult<Ragged> {
        let (texts, special, threads) = (Texts::read(texts)?, self.special_ids(special)?, n_threads(threads)?);
        let texts = texts.as_bytes();
        let work = |stop: Stop<'_>| self.encoder.encode_batch(&texts, &special, threads, stop);
        detached(py, work, |failed| in_texts(failed, &texts))
    }

    /// The ids of the specials to match. A long tuple, which cannot change, is known again by its identity.
    fn special_ids(&self, special: Option<&Bound<'_, PyAny>>) -> PyResult<Arc<[u32]>> {
        let Some(special) = special else { return Ok(Arc::default()) };
        let tuple = special.cast_exact::<PyTuple>().ok();
        if tuple.is_some_and(|tuple| tuple.is_empty()) {
            return Ok(Arc::default());
        }
        let tuple = tuple.filter(|tuple| tuple.len() >= MANY_SPECIALS);
        let Some(tuple) = tuple else { return Ok(Ids::read("special", special)?.values.into()) };
        // Never waited for: the holder may wait for the GIL, or be gone with a fork.
        if let Ok(last) = self.last_special.try_lock()
            && let Some((known, ids)) = &*last
            && known.is(tuple)
        {
            return Ok(Arc::clone(ids));
        }
        let ids: Arc<[u32]> = Ids::read("special", special)?.values.into();
        let latest = Some((tuple.clone().unbind(), Arc::clone(&ids)));
        let replaced = self.last_special.try_lock().map(|mut last| std::mem::replace(&mut *last, latest));
        drop(replaced);
        Ok(ids)
    }
}

fn n_threads(threads: i64) -> PyResult<usize> {
    let at_least_one = usize::try_from(threads).ok().filter(|&threads| threads > 0);
    at_least_one.ok_or_else(|| ArgumentError::new_err(format!("threads is {threads}; it must be at least 1")))
}

/// (left, right, token) as places in `tokens`, which stand in order of preference, for each that merging arrives at.
#[pyfunction]
pub(crate) fn merges_of(
    py: Python<'_>,
    tokens: Vec<pyo3::pybacked::PyBackedBytes>,
    alphabet: &str,
) -> PyResult<Vec<(u32, u32, u32)>> {
    let alphabet = parts::alphabet(alphabet)?;
    let tokens: Vec<Vec<u8>> = tokens.iter().map(|token| token.to_vec()).collect();
    Ok(py.detach(|| bytepair_core::replay::merges(&tokens, alphabet)))
}

fn bad_ids_of(name: &str) -> PyResult<BadIds> {
    match name {
        "raise" => Ok(BadIds::Raise),
        "replace" => Ok(BadIds::Replace),
        "skip" => Ok(BadIds::Skip),
        _ => {
            let allowed = "it must be \"raise\", \"replace\" or \"skip\"";
            Err(ArgumentError::new_err(format!("bad_ids is {name:?}; {allowed}")))
        }
    }
}

/// An error of encoding; `place` says which text it was, if there were several.
fn in_text(error: Error, text: &[u8], place: &str) -> PyErr {
    let Error::UnknownCharacter { character, offset } = error else { return to_py(error) };
    let index = n_characters(text.get(..offset).unwrap_or(text));
    let name = match std::str::from_utf8(&character) {
        Ok(character) => format!("{character:?}"),
        Err(_) => format!("0x{:02X}, a byte that is not UTF-8,", character.first().copied().unwrap_or_default()),
    };
    UnknownCharacterError::new_err(format!(
        "the character {name} at index {index}{place} is not in the alphabet; \
         train with text that holds it, or with an unk_token"
    ))
}

fn in_texts(failed: BatchError, texts: &[&[u8]]) -> PyErr {
    let text = texts.get(failed.text).copied().unwrap_or_default();
    in_text(failed.error, text, &format!(" of text {}", failed.text))
}

fn of_the_only_text(failed: BatchError) -> Error {
    failed.error
}

/// Characters, each byte that is not UTF-8 counted as one.
fn n_characters(text: &[u8]) -> usize {
    text.utf8_chunks().map(|chunk| chunk.valid().chars().count() + chunk.invalid().len()).sum()
}

fn no_token(error: Error, ids: &Ids, model: &Model) -> PyErr {
    let Error::BadId { position, .. } = error else { return to_py(error) };
    let largest = match model.largest_id() {
        Some(largest) => format!("the largest id is {largest}"),
        None => "the model has no tokens".into(),
    };
    let id = ids.shown(position);
    BadIdError::new_err(format!(
        "id {id} at position {position} is no token; {largest}; bad_ids=\"replace\" or \"skip\" decodes the others"
    ))
}
