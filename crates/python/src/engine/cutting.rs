//! The names of units and sides, and the places of cuts as Python counts them.

use std::ops::Range;

use bytepair_core::Error;
use bytepair_core::encode::{Side, Unit};
use pyo3::prelude::*;

use crate::convert::Text;
use crate::errors::ArgumentError;

pub(super) fn unit(name: &str) -> PyResult<Unit> {
    match name {
        "char" => Ok(Unit::Char),
        "word" => Ok(Unit::Word),
        "line" => Ok(Unit::Line),
        _ => Err(ArgumentError::new_err(format!("unit is {name:?}; it must be \"char\", \"word\" or \"line\""))),
    }
}

pub(super) fn side(name: &str) -> PyResult<Side> {
    match name {
        "left" => Ok(Side::Left),
        "right" => Ok(Side::Right),
        _ => Err(ArgumentError::new_err(format!("side is {name:?}; it must be \"left\" or \"right\""))),
    }
}

/// A place in bytes, in characters for a `str`.
pub(super) fn place(text: &Text, n_bytes: usize) -> usize {
    if text.is_str() { super::n_characters(&text.as_bytes()[..n_bytes]) } else { n_bytes }
}

/// Ranges of bytes, in characters for a `str`. Each begins and ends behind the one before.
pub(super) fn places(text: &Text, ranges: &[Range<usize>]) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    if !text.is_str() || bytes.is_ascii() {
        return ranges.iter().map(|range| (range.start, range.end)).collect();
    }
    let (mut start, mut end) = ((0, 0), (0, 0));
    let step = |from: &mut (usize, usize), to: usize| {
        *from = (to, from.1 + super::n_characters(&bytes[from.0..to]));
        from.1
    };
    ranges.iter().map(|range| (step(&mut start, range.start), step(&mut end, range.end))).collect()
}

/// A budget that cannot be met.
pub(super) fn too_small(error: Error, text: &[u8], budget: usize, unit: &str) -> PyErr {
    let Error::BudgetTooSmall { minimum, offset } = error else { return super::in_text(error, text, "") };
    let name = if unit == "char" { "character" } else { unit };
    let index = super::n_characters(text.get(..offset).unwrap_or(text));
    let finer = if unit == "char" { "" } else { ", or unit=\"char\" to cut inside" };
    ArgumentError::new_err(format!(
        "budget is {budget}, which the {name} at index {index} passes by itself; \
         for this text it must be at least {minimum}{finer}"
    ))
}
