//! The core's errors as the exceptions of `bytepair.errors`.

use bytepair_core::Error;
use pyo3::prelude::*;

pyo3::import_exception!(bytepair.errors, ArgumentError);
pyo3::import_exception!(bytepair.errors, ArgumentTypeError);
pyo3::import_exception!(bytepair.errors, BadIdError);
pyo3::import_exception!(bytepair.errors, BytepairError);
pyo3::import_exception!(bytepair.errors, CountOverflowError);
pyo3::import_exception!(bytepair.errors, EncodingError);
pyo3::import_exception!(bytepair.errors, MissingFileError);
pyo3::import_exception!(bytepair.errors, ModelError);
pyo3::import_exception!(bytepair.errors, PatternError);
pyo3::import_exception!(bytepair.errors, SpecialTokenError);
pyo3::import_exception!(bytepair.errors, UnknownCharacterError);
pyo3::import_exception!(bytepair.errors, UnreadableFileError);

/// What a Python user sees of a core error. An interrupt first lets the signal's own exception through.
pub(crate) fn to_py(error: Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::Pattern { .. } => PatternError::new_err(message),
        Error::CountOverflow { .. } => {
            CountOverflowError::new_err(format!("{message}; split the corpus, or divide the counts by a common factor"))
        }
        Error::VocabularyTooSmall { .. } | Error::TooManySymbols { .. } | Error::BudgetTooSmall { .. } => {
            ArgumentError::new_err(message)
        }
        Error::Io { kind: std::io::ErrorKind::NotFound, .. } => MissingFileError::new_err(message),
        Error::Io { .. } => UnreadableFileError::new_err(message),
        Error::Spill { .. } => UnreadableFileError::new_err(format!(
            "{message}; make room there, or name another folder with the environment variable TMPDIR"
        )),
        Error::FileNotUtf8 { .. } => EncodingError::new_err(format!(
            "{message}; convert it to UTF-8, or say errors=\"replace\" (U+FFFD) or errors=\"skip\" (leave out)"
        )),
        Error::SpecialFound { .. } => SpecialTokenError::new_err(message),
        Error::NotUtf8 { .. } => EncodingError::new_err(message),
        Error::UnknownCharacter { .. } => UnknownCharacterError::new_err(message),
        Error::BadId { .. } => BadIdError::new_err(message),
        Error::Model { .. } => ModelError::new_err(message),
        Error::Interrupted => interrupted(),
        _ => BytepairError::new_err(message),
    }
}

fn interrupted() -> PyErr {
    Python::attach(|py| py.check_signals())
        .err()
        .unwrap_or_else(|| pyo3::exceptions::PyKeyboardInterrupt::new_err("interrupted"))
}
