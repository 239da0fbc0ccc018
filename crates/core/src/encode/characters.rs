//! Characters in text that may hold bytes that are not UTF-8: each of those is a character by itself.

/// The first character and its bytes; None where it is a byte that is not UTF-8. `text` is not empty.
pub(super) fn first(text: &[u8]) -> (Option<char>, usize) {
    let head = &text[..text.len().min(4)];
    let character = head.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
    (character, character.map_or(1, char::len_utf8))
}

/// The last character; None where it is a byte that is not UTF-8, or there is none.
pub(super) fn last(text: &[u8]) -> Option<char> {
    let start =
        (1..=text.len().min(4)).map(|n_bytes| text.len() - n_bytes).find(|&start| text[start] & 0xC0 != 0x80)?;
    let (character, n_bytes) = first(&text[start..]);
    character.filter(|_| start + n_bytes == text.len())
}

/// Whether no character stands on both sides of a place.
pub(super) fn is_border(text: &[u8], place: usize) -> bool {
    if place == 0 || place >= text.len() || text[place] & 0xC0 != 0x80 {
        return true;
    }
    let lead = (1..=place.min(3)).map(|back| place - back).find(|&lead| text[lead] & 0xC0 != 0x80);
    lead.is_none_or(|lead| lead + first(&text[lead..]).1 <= place)
}

/// The last border of characters at or before a place.
pub(super) fn border_before(text: &[u8], place: usize) -> usize {
    (0..=place.min(text.len())).rev().find(|&place| is_border(text, place)).unwrap_or(0)
}

/// The first border of characters at or after a place.
pub(super) fn border_after(text: &[u8], place: usize) -> usize {
    (place..text.len()).find(|&place| is_border(text, place)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_lie_between_characters_and_bad_bytes() {
        let text = b"a\xC3\xA9\xE6\xBC\xF0\x9F\x91\x8D\x80\x80";
        let borders: Vec<_> = (0..=text.len()).filter(|&place| is_border(text, place)).collect();
        assert_eq!(borders, [0, 1, 3, 4, 5, 9, 10, 11]);
        assert_eq!((border_before(text, 8), border_after(text, 6)), (5, 9));
    }

    #[test]
    fn first_and_last() {
        assert_eq!((first("é!".as_bytes()), last("!é".as_bytes())), ((Some('é'), 2), Some('é')));
        assert_eq!((first(b"\xE6\xBC"), last(b"a\xBC"), last(b"")), ((None, 1), None, None));
    }
}
