//! The class of a character, from a table.

use super::class_table;

/// The version of Unicode whose classes the named patterns use.
pub const UNICODE_VERSION: &str = "16.0";

/// What a character is to the split patterns; each has exactly one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Class {
    /// None of the others: control, format, private, unassigned, or a byte that is not UTF-8.
    Other,
    /// `\p{Lu}` and `\p{Lt}`.
    UpperTitle,
    /// `\p{Ll}`.
    Lower,
    /// `\p{Lm}` and `\p{Lo}`.
    LetterModOther,
    /// `\p{M}`.
    Mark,
    /// `\p{N}`.
    Number,
    /// `\s`, which is the property `White_Space`.
    Space,
    /// `\p{P}`.
    Punctuation,
    /// `\p{S}`.
    Symbol,
    /// No character: a byte that says nothing without its neighbours. In no [`Set`].
    NotAscii,
}

impl Class {
    /// The class of a character.
    ///
    /// ```
    /// use bytepair_core::split::Class;
    ///
    /// assert_eq!(Class::of('ǅ'), Class::UpperTitle);
    /// assert_eq!(Class::of('\u{A0}'), Class::Space);
    /// ```
    #[must_use]
    pub fn of(character: char) -> Self {
        class_of(u32::from(character))
    }

    /// The class that the generated table writes as this letter.
    const fn of_letter(letter: u8) -> Self {
        match letter {
            b'U' => Self::UpperTitle,
            b'l' => Self::Lower,
            b'o' => Self::LetterModOther,
            b'M' => Self::Mark,
            b'N' => Self::Number,
            b'_' => Self::Space,
            b'P' => Self::Punctuation,
            b'S' => Self::Symbol,
            _ => Self::Other,
        }
    }
}

/// A set of classes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Set(u16);

/// `\p{L}`
pub(super) const LETTER: Set = Set::of(&[Class::UpperTitle, Class::Lower, Class::LetterModOther]);
/// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
pub(super) const CAPITAL: Set = Set::of(&[Class::UpperTitle, Class::LetterModOther, Class::Mark]);
/// `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
pub(super) const SMALL: Set = Set::of(&[Class::Lower, Class::LetterModOther, Class::Mark]);
/// `[\p{Lm}\p{Lo}\p{M}]`
pub(super) const CASELESS: Set = Set::of(&[Class::LetterModOther, Class::Mark]);
/// `[\p{L}\p{M}]`
pub(super) const LETTER_OR_MARK: Set = Set::of(&[Class::UpperTitle, Class::Lower, Class::LetterModOther, Class::Mark]);
/// `[\p{P}\p{S}]`
pub(super) const PUNCTUATION_OR_SYMBOL: Set = Set::of(&[Class::Punctuation, Class::Symbol]);
/// `\p{N}`
pub(super) const NUMBER: Set = Set::of(&[Class::Number]);
/// `\s`
pub(super) const SPACE: Set = Set::of(&[Class::Space]);
/// `[^\s\p{L}\p{N}]`
pub(super) const SIGN: Set = Set::of(&[Class::Other, Class::Mark, Class::Punctuation, Class::Symbol]);

impl Set {
    pub(super) const fn of(classes: &[Class]) -> Self {
        let mut bits = 0;
        let mut i = 0;
        while i < classes.len() {
            bits |= 1 << classes[i] as u8;
            i += 1;
        }
        Self(bits)
    }

    /// Whether the class is one of the set.
    #[inline]
    pub(super) const fn has(self, class: Class) -> bool {
        self.0 >> class as u8 & 1 != 0
    }
}

/// Code points a block of the table.
pub(super) const BLOCK: usize = 64;

/// The blocks of the table, a class a code point.
pub(super) static BLOCKS: [[Class; BLOCK]; class_table::BLOCKS.len()] = blocks();

/// Which block holds the code points from `BLOCK` times the place on; beyond the end all are [`Class::Other`].
pub(super) static BLOCK_OF: [u16; n_places()] = block_of();

/// The class of every byte below 0x80; the others are [`Class::NotAscii`].
static BYTES: [Class; 256] = bytes();

#[expect(clippy::large_stack_arrays, reason = "only the compiler runs it")]
pub(super) const fn blocks() -> [[Class; BLOCK]; class_table::BLOCKS.len()] {
    let mut blocks = [[Class::Other; BLOCK]; class_table::BLOCKS.len()];
    let mut at = 0;
    while at < blocks.len() * BLOCK {
        blocks[at / BLOCK][at % BLOCK] = Class::of_letter(class_table::BLOCKS[at / BLOCK][at % BLOCK]);
        at += 1;
    }
    blocks
}

pub(super) const fn n_places() -> usize {
    let (mut n_places, mut run) = (0, 0);
    while run < class_table::RUNS.len() {
        n_places += class_table::RUNS[run].1 as usize;
        run += 1;
    }
    n_places
}

#[expect(clippy::large_stack_arrays, reason = "only the compiler runs it")]
pub(super) const fn block_of() -> [u16; n_places()] {
    let mut block_of = [0; n_places()];
    let (mut place, mut run, mut end) = (0, 0, 0);
    while run < class_table::RUNS.len() {
        let (block, times) = class_table::RUNS[run];
        end += times as usize;
        while place < end {
            block_of[place] = block;
            place += 1;
        }
        run += 1;
    }
    block_of
}

const fn bytes() -> [Class; 256] {
    let (blocks, block_of) = (blocks(), block_of());
    let mut bytes = [Class::NotAscii; 256];
    let mut byte = 0;
    while byte < 0x80 {
        bytes[byte] = blocks[block_of[byte / BLOCK] as usize][byte % BLOCK];
        byte += 1;
    }
    bytes
}

/// Whether three bytes would spell what has fewer, or a surrogate.
#[inline]
pub(super) fn is_no_place(place: usize) -> bool {
    matches!(place, 0..=0x1F | 0x360..=0x37F)
}

#[inline]
fn class_of(code_point: u32) -> Class {
    // The lowest six bits are those of the last byte in UTF-8.
    class_in(code_point as usize / BLOCK, code_point as u8)
}

/// The class of the character that begins at `at`, and its bytes; `at < text.len()`.
#[inline]
pub(super) fn class_at(text: &[u8], at: usize) -> (Class, usize) {
    match BYTES[usize::from(text[at])] {
        Class::NotAscii => multibyte_class_at(text, at),
        class => (class, 1),
    }
}

/// As [`class_at`], where the first byte is not ASCII. A byte that begins no well-formed sequence stands alone.
#[inline]
pub(super) fn multibyte_class_at(text: &[u8], at: usize) -> (Class, usize) {
    // Most characters have two or three bytes, with more text behind them. The last of them is the place in a block.
    if let Some(&[a, b, c, _]) = text[at..].first_chunk()
        && is_continuation(b)
    {
        if a < 0xE0 {
            if a >= 0xC2 {
                return (class_in(usize::from(a & 0x1F), b), 2);
            }
        } else if a < 0xF0 && is_continuation(c) {
            let place = usize::from(a & 0x0F) << 6 | usize::from(b & 0x3F);
            if !is_no_place(place) {
                return (class_in(place, c), 3);
            }
        }
    }
    any_class_at(text, at)
}

#[inline]
fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// The class of the character in block `place` of the code points whose last byte this is.
#[inline]
fn class_in(place: usize, last: u8) -> Class {
    BLOCK_OF.get(place).map_or(Class::Other, |&block| BLOCKS[usize::from(block)][usize::from(last & 0x3F)])
}

#[cold]
fn any_class_at(text: &[u8], at: usize) -> (Class, usize) {
    let low = |byte: u8| u32::from(byte & 0x3F);
    match text[at..] {
        [a @ 0xC2..=0xDF, b @ 0x80..=0xBF, ..] => (class_of(u32::from(a & 0x1F) << 6 | low(b)), 2),
        [a @ 0xE0..=0xEF, b @ 0x80..=0xBF, c @ 0x80..=0xBF, ..] => {
            match u32::from(a & 0x0F) << 12 | low(b) << 6 | low(c) {
                0..=0x7FF | 0xD800..=0xDFFF => (Class::Other, 1),
                code_point => (class_of(code_point), 3),
            }
        }
        [a @ 0xF0..=0xF4, b @ 0x80..=0xBF, c @ 0x80..=0xBF, d @ 0x80..=0xBF, ..] => {
            match u32::from(a & 0x07) << 18 | low(b) << 12 | low(c) << 6 | low(d) {
                code_point @ 0x1_0000..=0x10_FFFF => (class_of(code_point), 4),
                _ => (Class::Other, 1),
            }
        }
        _ => (Class::Other, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The class of every code point, as the engine of the custom patterns has it.
    fn classes_of_the_engine() -> Vec<Class> {
        let mut classes = vec![Class::Other; 0x11_0000];
        for (class, pattern) in [
            (Class::UpperTitle, r"[\p{Lu}\p{Lt}]"),
            (Class::Lower, r"\p{Ll}"),
            (Class::LetterModOther, r"[\p{Lm}\p{Lo}]"),
            (Class::Mark, r"\p{M}"),
            (Class::Number, r"\p{N}"),
            (Class::Space, r"\s"),
            (Class::Punctuation, r"\p{P}"),
            (Class::Symbol, r"\p{S}"),
        ] {
            let regex = fancy_regex::Regex::new(&format!(r"\A{pattern}\z")).expect("the pattern compiles");
            for character in '\0'..=char::MAX {
                if regex.is_match(character.encode_utf8(&mut [0; 4])).expect("within the limits") {
                    assert_eq!(classes[character as usize], Class::Other, "{character:?} has two classes");
                    classes[character as usize] = class;
                }
            }
        }
        classes
    }

    #[test]
    fn the_table_has_the_classes_of_the_engine() {
        let expected = classes_of_the_engine();
        for character in '\0'..=char::MAX {
            let mut bytes = [0; 4];
            let text = character.encode_utf8(&mut bytes).as_bytes();
            assert_eq!(Class::of(character), expected[character as usize], "{character:?}");
            assert_eq!(class_at(text, 0), (expected[character as usize], text.len()), "{character:?}");
        }
    }

    #[test]
    fn unicode_is_version_16() {
        assert_eq!(UNICODE_VERSION, "16.0");
        assert_eq!(Class::of('\u{1C89}'), Class::UpperTitle, "new in 16.0");
        assert_eq!(Class::of('\u{88F}'), Class::Other, "a letter from 17.0 on");
    }

    #[test]
    fn bad_bytes_stand_alone() {
        for text in [
            &b"\x80a"[..],
            b"\xBF",
            b"\xC0\xAF",
            b"\xC1\xBF",
            b"\xC3",
            b"\xC3a",
            b"\xE0\x9F\xBF",
            b"\xE2\x80",
            b"\xED\xA0\x80",
            b"\xED\xBF\xBF",
            b"\xF0\x8F\xBF\xBF",
            b"\xF0\x9F\x99",
            b"\xF4\x90\x80\x80",
            b"\xF5\x80\x80\x80",
            b"\xFF\xFF",
        ] {
            assert_eq!(class_at(text, 0), (Class::Other, 1), "{text:X?}");
        }
    }

    #[test]
    fn decoding_agrees_with_the_standard_library() {
        for lead in 0xC0..=0xFF {
            for second in 0..=0xFF {
                for rest in [[0x80, 0x80], [0xBF, 0xBF], [0x80, 0x7F], [0x80, 0xC0], [0x7F, 0x80]] {
                    let text = [lead, second, rest[0], rest[1]];
                    let valid = text.utf8_chunks().next().map_or("", |chunk| chunk.valid());
                    let first = valid.chars().next();
                    let expected = first.map_or((Class::Other, 1), |first| (Class::of(first), first.len_utf8()));
                    assert_eq!(class_at(&text, 0), expected, "{text:X?}");
                }
            }
        }
    }
}
