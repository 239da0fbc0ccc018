//! The character that GPT-2's files write for each byte.

/// The printing bytes stand for themselves; the others, in order, for U+0100 and those after it.
pub(super) fn character(byte: u8) -> char {
    let index = match byte {
        0..=0x20 => u32::from(byte),
        0x7F..=0xA0 => u32::from(byte) - 0x7F + 0x21,
        0xAD => 0x43,
        _ => return char::from(byte),
    };
    char::from_u32(0x100 + index).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The byte that a character stands for.
#[must_use]
pub fn byte(character: char) -> Option<u8> {
    match character as u32 {
        code @ (0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF) => Some(code as u8),
        code @ 0x100..=0x120 => Some((code - 0x100) as u8),
        code @ 0x121..=0x142 => Some((code - 0x121 + 0x7F) as u8),
        0x143 => Some(0xAD),
        _ => None,
    }
}

/// Every byte as its character.
pub(super) fn spelled(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| character(byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_a_character_of_its_own() {
        for each in 0..=255 {
            assert_eq!(byte(character(each)), Some(each));
        }
        assert_eq!(spelled(b" a\n"), "\u{120}a\u{10A}");
    }
}
