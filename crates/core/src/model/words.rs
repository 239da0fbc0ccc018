//! Where a text without other cuts can be cut and keep its ids.

use super::{Kind, Model};

/// The character that begins words in a model over characters, where no merge joins what ends without it to what begins
/// with it: cutting there changes no ids.
pub(super) fn mark(model: &Model) -> Option<char> {
    const MARK: char = '\u{2581}';
    let options = &model.frame()?.options;
    let is_plain = model.kind() == Kind::Merges && options.spells && !options.ignore_merges;
    if !is_plain || options.subword_prefix.is_some() || options.suffix.is_some() {
        return None;
    }
    let text = |id: u32| std::str::from_utf8(model.token(id).unwrap_or_default()).unwrap_or_default();
    // A mark that is unknown itself could be one unknown token with its neighbours.
    model.tokens().any(|(_, token)| token == MARK.to_string().as_bytes()).then_some(())?;
    let crosses = |(left, right): (u32, u32)| !text(left).ends_with(MARK) && text(right).starts_with(MARK);
    let mut pairs =
        model.pairs().into_iter().map(|(left, right, _)| (left, right)).chain(model.leftmost.keys().copied());
    // How a token that may not stay is taken apart depends on all of the text.
    let by_score =
        !options.unused.is_empty() || options.scores.iter().any(|&(id, _)| holds_mark_within(text(id), MARK));
    (!by_score && !pairs.any(crosses)).then_some(MARK)
}

/// Whether the mark follows another character.
fn holds_mark_within(text: &str, mark: char) -> bool {
    text.trim_start_matches(mark).contains(mark)
}
