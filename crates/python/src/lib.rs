//! `bytepair._native`: converts arguments, releases the GIL, maps errors. No algorithm lives here.

// PyO3 hands extracted arguments over by value.
#![allow(clippy::needless_pass_by_value)]
// `Python::check_signals` is not general enough in its lifetime to be handed to `Python::attach`.
#![allow(clippy::redundant_closure_for_method_calls)]

mod convert;
mod documents;
mod engine;
mod errors;
mod learning;
mod packing;
mod runs;
mod splitter;
mod stream;
mod tables;

use pyo3::prelude::*;

/// The compiled half of bytepair; `_native.pyi` is its contract.
#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<splitter::Splitter>()?;
    module.add_class::<learning::PieceCounts>()?;
    module.add_class::<learning::PieceCounter>()?;
    module.add_class::<runs::RunReader>()?;
    module.add_class::<learning::Learned>()?;
    module.add_class::<engine::Engine>()?;
    module.add_class::<engine::texts::ArrowTexts>()?;
    module.add_class::<documents::CutTexts>()?;
    module.add_class::<tables::Tables>()?;
    module.add_function(wrap_pyfunction!(learning::learn, module)?)?;
    module.add_function(wrap_pyfunction!(documents::is_utf8, module)?)?;
    module.add_function(wrap_pyfunction!(documents::lines, module)?)?;
    module.add_function(wrap_pyfunction!(documents::paragraphs, module)?)?;
    module.add_function(wrap_pyfunction!(runs::merge_runs, module)?)?;
    module.add_function(wrap_pyfunction!(engine::merges_of, module)?)?;
    module.add_function(wrap_pyfunction!(splitter::instructions, module)?)?;
    module.add_function(wrap_pyfunction!(packing::pack, module)?)?;
    module.add_function(wrap_pyfunction!(packing::unpack, module)?)?;
    Ok(())
}
