//! Text -> pieces.
