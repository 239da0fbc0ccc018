//! The classes `PieceCounts`, `PieceCounter`, `Learned`, and the function `learn`.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytepair_core::Error;
use bytepair_core::learn::{self as core_learn, Alphabet, ByteOrder, EndOfWord, Learner, Options, Reason, Ties};
use bytepair_core::progress::Pulse;
use bytepair_core::tally::{self, BadUtf8, Counter, FileDocuments, PieceTable, Rules, RunReader, Spill};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyList, PyTuple};

use crate::engine::texts::Texts;
use crate::errors::{ArgumentError, CountOverflowError, to_py};
use crate::splitter::Splitter;
use crate::stream::Stream;

/// Distinct pieces and how often each occurs, in the order of first appearance.
#[pyclass(frozen, module = "bytepair._native")]
pub(crate) struct PieceCounts {
    pub(crate) inner: Arc<tally::PieceCounts>,
}

#[pymethods]
impl PieceCounts {
    #[staticmethod]
    fn from_run(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let read = || {
            let mut table = PieceTable::new();
            let mut run = RunReader::open(&path)?;
            while run.advance()? {
                table.add(&run.piece, 0..run.piece.len(), run.count)?;
            }
            Ok(table.finish())
        };
        Ok(Self { inner: Arc::new(py.detach(read).map_err(to_py)?) })
    }

    fn write_run(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| (*self.inner).clone().write_run(&path)).map_err(to_py)
    }

    #[staticmethod]
    fn from_items(pieces: Vec<PyBackedBytes>, counts: Vec<i64>) -> PyResult<Self> {
        if pieces.len() != counts.len() {
            let message =
                format!("{} pieces and {} counts; there must be one count a piece", pieces.len(), counts.len());
            return Err(ArgumentError::new_err(message));
        }
        let mut table = PieceTable::new();
        for (piece, count) in pieces.iter().zip(counts) {
            let count = u64::try_from(count).map_err(|_| {
                ArgumentError::new_err(format!("the count of {piece:?} is {count}; it must be 0 or more"))
            })?;
            table.add(piece, 0..piece.len(), count).map_err(to_py)?;
        }
        Ok(Self { inner: Arc::new(table.finish()) })
    }

    #[getter]
    fn n_pieces(&self) -> usize {
        self.inner.len()
    }

    #[getter]
    fn n_occurrences(&self) -> PyResult<u64> {
        let sum = self.inner.n_occurrences();
        sum.ok_or_else(|| CountOverflowError::new_err("the sum of all counts passes 2^64 - 1"))
    }

    fn items<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyList>, Vec<u64>)> {
        let pieces: Vec<_> = self.inner.iter().map(|(piece, _)| PyBytes::new(py, piece)).collect();
        Ok((PyList::new(py, pieces)?, self.inner.iter().map(|(_, count)| count).collect()))
    }

    fn fingerprint(&self, py: Python<'_>) -> String {
        format!("{:032x}", py.detach(|| self.inner.fingerprint()))
    }

    fn merged(&self, py: Python<'_>, other: PyRef<'_, Self>) -> PyResult<Self> {
        let other = Arc::clone(&other.inner);
        let merge = || {
            let mut sum = PieceTable::new();
            sum.merge(&self.inner)?;
            sum.merge(&other)?;
            Ok(sum.finish())
        };
        Ok(Self { inner: Arc::new(py.detach(merge).map_err(to_py)?) })
    }
}

/// Counts pieces of documents.
#[pyclass(frozen, module = "bytepair._native")]
pub(crate) struct PieceCounter {
    rules: Rules,
    threads: usize,
    counter: Mutex<Counter>,
}

#[pymethods]
impl PieceCounter {
    #[new]
    #[pyo3(signature = (
        splitter, *, borders=Vec::new(), refuse_borders=false, add_prefix_space=false, threads=1, spill=None
    ))]
    fn new(
        splitter: PyRef<'_, Splitter>,
        borders: Vec<String>,
        refuse_borders: bool,
        add_prefix_space: bool,
        threads: usize,
        spill: Option<(PathBuf, usize)>,
    ) -> PyResult<Self> {
        let borders: Vec<Vec<u8>> = borders.into_iter().map(String::into_bytes).collect();
        let rules = Rules::new((*splitter.inner).clone(), &borders, refuse_borders, add_prefix_space).map_err(to_py)?;
        let mut counter = Counter::new(rules.clone(), threads);
        if let Some((folder, max_bytes)) = spill {
            counter = counter.spilling(Spill { folder, max_bytes });
        }
        Ok(Self { counter: Mutex::new(counter), rules, threads })
    }

    fn add_documents(&self, py: Python<'_>, documents: &Bound<'_, PyAny>) -> PyResult<u64> {
        let documents = Texts::read(documents)?;
        let texts = documents.as_bytes();
        py.detach(|| with_pulse(None, |pulse| self.lock().add_documents(&texts, pulse)))?;
        Ok(texts.iter().map(|text| text.len() as u64).sum())
    }

    #[pyo3(signature = (path, *, by_line, errors, progress=None))]
    fn add_file(
        &self,
        py: Python<'_>,
        path: PathBuf,
        by_line: bool,
        errors: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(u64, u64)> {
        let file = FileDocuments { path: &path, by_line, bad_utf8: bad_utf8(errors) };
        py.detach(|| with_pulse(progress.as_ref(), |pulse| file.count(&mut self.lock(), pulse)))
    }

    #[pyo3(signature = (read, name, *, by_line, errors, progress=None))]
    fn add_stream(
        &self,
        py: Python<'_>,
        read: Py<PyAny>,
        name: PathBuf,
        by_line: bool,
        errors: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(u64, u64)> {
        let file = FileDocuments { path: &name, by_line, bad_utf8: bad_utf8(errors) };
        let mut stream = Stream::new(read);
        let counted = py.detach(|| {
            with_pulse(progress.as_ref(), |pulse| file.count_stream(&mut stream, 0, &mut self.lock(), pulse))
        });
        match stream.raised() {
            Some(error) => Err(error),
            None => counted,
        }
    }

    fn finish_runs(&self, py: Python<'_>) -> PyResult<Option<Vec<PathBuf>>> {
        py.detach(|| self.lock().finish_runs()).map_err(to_py)
    }

    fn finish(&self, py: Python<'_>) -> PyResult<PieceCounts> {
        let fresh = Counter::new(self.rules.clone(), self.threads);
        let counter = std::mem::replace(&mut *self.lock(), fresh);
        let counts = py.detach(|| counter.finish()).map_err(to_py)?;
        Ok(PieceCounts { inner: Arc::new(counts) })
    }
}

impl PieceCounter {
    fn lock(&self) -> MutexGuard<'_, Counter> {
        // A panic while counting leaves whole entries behind; the counts are not used after it.
        self.counter.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn bad_utf8(errors: &str) -> BadUtf8 {
    match errors {
        "replace" => BadUtf8::Replace,
        "skip" => BadUtf8::Skip,
        _ => BadUtf8::Raise,
    }
}

/// Runs `work` with a pulse that checks for signals and calls `progress(done, total)`; their exception ends the work.
pub(crate) fn with_pulse<T>(
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&mut Pulse<'_>) -> Result<T, Error>,
) -> PyResult<T> {
    let mut raised = None;
    let mut callback = |done, total| {
        raised = Python::attach(|py| call_back(py, progress, done, total)).err();
        if raised.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let result = work(&mut Pulse::new(&mut callback));
    match raised {
        Some(error) => Err(error),
        None => result.map_err(to_py),
    }
}

fn call_back(py: Python<'_>, progress: Option<&Py<PyAny>>, done: u64, total: u64) -> PyResult<()> {
    py.check_signals()?;
    if let Some(progress) = progress {
        progress.call1(py, (done, total))?;
    }
    Ok(())
}

/// (rank, count of the given pair there, the true choice as (left, right, count)).
type BrokenMerge<'py> = (usize, u64, Option<(Bound<'py, PyBytes>, Bound<'py, PyBytes>, u64)>);

/// What `learn` found.
#[pyclass(frozen, module = "bytepair._native")]
pub(crate) struct Learned {
    inner: core_learn::Learned,
    /// Made when first asked for: each has an object an entry.
    tokens: PyOnceLock<Py<PyTuple>>,
    merges: PyOnceLock<Py<PyTuple>>,
    merge_counts: PyOnceLock<Py<PyTuple>>,
}

#[pymethods]
impl Learned {
    #[getter]
    fn n_alphabet(&self) -> usize {
        self.inner.n_alphabet
    }

    #[getter]
    fn tokens<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyTuple>> {
        let make = || PyTuple::new(py, self.inner.tokens.iter().map(|token| PyBytes::new(py, token)));
        Ok(self.tokens.get_or_try_init(py, || make().map(Bound::unbind))?.bind(py))
    }

    #[getter]
    fn merges<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyTuple>> {
        let make = || PyTuple::new(py, &self.inner.merges);
        Ok(self.merges.get_or_try_init(py, || make().map(Bound::unbind))?.bind(py))
    }

    #[getter]
    fn merge_counts<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyTuple>> {
        let make = || PyTuple::new(py, &self.inner.merge_counts);
        Ok(self.merge_counts.get_or_try_init(py, || make().map(Bound::unbind))?.bind(py))
    }

    #[getter]
    fn bytes_per_token(&self) -> Option<f64> {
        self.inner.bytes_per_symbol
    }

    #[getter]
    fn reason(&self) -> &'static str {
        match self.inner.reason {
            Reason::Target => "target",
            Reason::NoPairs => "no-pairs",
            Reason::MinCount => "min-count",
        }
    }

    #[getter]
    fn broken<'py>(&self, py: Python<'py>) -> Option<BrokenMerge<'py>> {
        let broken = self.inner.broken.as_ref()?;
        let bytes = |spelling: &[u8]| PyBytes::new(py, spelling);
        let choice = broken.choice.as_ref().map(|((left, right), count)| (bytes(left), bytes(right), *count));
        Some((broken.rank, broken.count, choice))
    }

    #[getter]
    fn passed_over<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.inner.passed_over.iter().map(|spelling| PyBytes::new(py, spelling)))
    }
}

/// Learns merges from counted pieces.
#[pyfunction]
#[pyo3(signature = (
    counts, *, alphabet, byte_order, ties, end_of_word, max_merges, max_tokens, min_count, max_token_bytes, forbidden,
    end_of_word_style="symbol", first_symbols=Vec::new(), given=Vec::new(), check_from=None, progress=None,
    journal=None, journal_seconds=30.0
))]
#[allow(clippy::too_many_arguments)] // One keyword an option, as in the stub.
pub(crate) fn learn(
    py: Python<'_>,
    counts: PyRef<'_, PieceCounts>,
    alphabet: &str,
    byte_order: &str,
    ties: &str,
    end_of_word: Option<Vec<u8>>,
    max_merges: Option<u64>,
    max_tokens: Option<u64>,
    min_count: u64,
    max_token_bytes: Option<usize>,
    forbidden: Vec<Vec<u8>>,
    end_of_word_style: &str,
    first_symbols: Vec<Vec<u8>>,
    given: Vec<(Vec<u8>, Vec<u8>)>,
    check_from: Option<usize>,
    progress: Option<Py<PyAny>>,
    journal: Option<Py<PyAny>>,
    journal_seconds: f64,
) -> PyResult<Learned> {
    let options = Options {
        alphabet: alphabet_of(alphabet, byte_order)?,
        end_of_word: end_of_word.map(|mark| end_of_word_of(mark, end_of_word_style)).transpose()?,
        ties: ties_of(ties)?,
        max_merges,
        max_tokens,
        min_count,
        max_token_bytes,
        forbidden,
        first_symbols,
        given,
        check_from,
    };
    let pieces = Arc::clone(&counts.inner);
    let journal = journal.map(|callback| Journal::new(callback, journal_seconds, options.given.len())).transpose()?;
    let inner = py.detach(|| run(&pieces, &options, progress.as_ref(), journal))?;
    Ok(Learned { inner, tokens: PyOnceLock::new(), merges: PyOnceLock::new(), merge_counts: PyOnceLock::new() })
}

fn run(
    pieces: &tally::PieceCounts,
    options: &Options,
    progress: Option<&Py<PyAny>>,
    mut journal: Option<Journal>,
) -> PyResult<core_learn::Learned> {
    // Laying out and counting has no merges to tell of: only signals are looked at.
    let mut learner = with_pulse(None, |pulse| Learner::new(pieces, options, pulse))?;
    loop {
        let ran = runs_to_the_end(&mut learner);
        if let Ok(true) = ran {
            return Ok(learner.finish());
        }
        let told = ran.and_then(|_| Python::attach(|py| tell(py, progress, &learner)));
        if let Some(journal) = &mut journal
            && (told.is_err() || journal.is_due())
        {
            journal.tell(&learner)?;
        }
        told?;
    }
}

/// Whether learning ended before the first tick after a merge. Such a tick ends the run, which goes on when all was told: so
/// the learner itself can be looked at.
fn runs_to_the_end(learner: &mut Learner<'_>) -> PyResult<bool> {
    let n_before = learner.n_merges() as u64;
    let mut raised = None;
    let mut look = |n_merges, _| {
        // Before the first merge the pairs may be counted anew, which would be lost: only a signal stops that.
        raised = if n_merges > n_before { None } else { Python::attach(|py| py.check_signals()).err() };
        if n_merges > n_before || raised.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let ran = learner.run(&mut Pulse::new(&mut look));
    match (raised, ran) {
        (Some(error), _) => Err(error),
        (None, Ok(())) => Ok(true),
        (None, Err(Error::Interrupted)) => Ok(false),
        (None, Err(error)) => Err(to_py(error)),
    }
}

/// Checks for signals, then calls `progress(merges done, merges wanted, last merge, bytes per token)`.
fn tell(py: Python<'_>, progress: Option<&Py<PyAny>>, learner: &Learner<'_>) -> PyResult<()> {
    py.check_signals()?;
    let Some(progress) = progress else { return Ok(()) };
    let n_merges = learner.n_merges();
    let last = learner.merges_from(n_merges.saturating_sub(1)).next();
    let merge = last.map(|(left, right, count)| (PyBytes::new(py, left), PyBytes::new(py, right), count));
    progress.call1(py, (n_merges, learner.target(), merge, learner.bytes_per_symbol()))?;
    Ok(())
}

/// Who is told now and then which merges were made, and when the work is stopped.
struct Journal {
    callback: Py<PyAny>,
    interval: Duration,
    last: Instant,
    /// Merges that it knows.
    n_told: usize,
}

impl Journal {
    fn new(callback: Py<PyAny>, seconds: f64, n_told: usize) -> PyResult<Self> {
        let interval = Duration::try_from_secs_f64(seconds)
            .map_err(|error| ArgumentError::new_err(format!("journal_seconds is {seconds}: {error}")))?;
        Ok(Self { callback, interval, last: Instant::now(), n_told })
    }

    fn is_due(&self) -> bool {
        self.last.elapsed() >= self.interval
    }

    fn tell(&mut self, learner: &Learner<'_>) -> PyResult<()> {
        self.last = Instant::now();
        if learner.n_merges() <= self.n_told {
            return Ok(());
        }
        Python::attach(|py| {
            let bytes = |spelling: &[u8]| PyBytes::new(py, spelling);
            let news = learner.merges_from(self.n_told).map(|(left, right, count)| (bytes(left), bytes(right), count));
            let passed_over = learner.passed_over().iter().map(|spelling| bytes(spelling));
            self.callback.call1(py, (PyList::new(py, news.collect::<Vec<_>>())?, PyList::new(py, passed_over)?))
        })?;
        self.n_told = learner.n_merges();
        Ok(())
    }
}

fn alphabet_of(alphabet: &str, byte_order: &str) -> PyResult<Alphabet> {
    match (alphabet, byte_order) {
        ("bytes", "value") => Ok(Alphabet::Bytes(ByteOrder::Value)),
        ("bytes", "gpt2") => Ok(Alphabet::Bytes(ByteOrder::Gpt2)),
        ("chars", _) => Ok(Alphabet::Chars),
        _ => Err(ArgumentError::new_err(format!("no alphabet {alphabet:?} in byte order {byte_order:?}"))),
    }
}

pub(crate) fn end_of_word_of(mark: Vec<u8>, style: &str) -> PyResult<EndOfWord> {
    match style {
        "symbol" => Ok(EndOfWord::Symbol(mark)),
        "suffix" => Ok(EndOfWord::Suffix(mark)),
        _ => Err(ArgumentError::new_err(format!("no style of an end of word is named {style:?}"))),
    }
}

fn ties_of(ties: &str) -> PyResult<Ties> {
    match ties {
        "lexicographic" => Ok(Ties::Lexicographic),
        "first-seen" => Ok(Ties::FirstSeen),
        "largest" => Ok(Ties::Largest),
        "lowest-id" => Ok(Ties::LowestId),
        "shortest" => Ok(Ties::Shortest),
        _ => Err(ArgumentError::new_err(format!("no tie rule is named {ties:?}"))),
    }
}
