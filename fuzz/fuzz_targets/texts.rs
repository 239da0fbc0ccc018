//! Bytes of a fuzzer -> text that is hard.

/// Where the classes of patterns meet; each byte of the input chooses one of these, so that every input is near a border.
const PARTS: [&str; 64] = [
    "a",
    "B",
    "é",
    "ʰ",
    "漢",
    "ª",
    "ǅ",
    "'s",
    "'ll",
    "'\u{17F}",
    "'LL",
    "'",
    "ſ",
    "\u{212A}",
    "'re",
    "1",
    "23",
    "²",
    "٣",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\r",
    "\t",
    "\u{A0}",
    "\u{3000}",
    "\u{85}",
    "\u{1C}",
    "\u{2028}",
    ".",
    "!/",
    "-",
    "<|",
    "|>",
    "$",
    "€",
    "^",
    "_",
    "\u{301}",
    "\u{93E}",
    "\u{20E3}",
    "\u{200D}",
    "🙂",
    "👍🏽",
    "👩‍👩‍👧",
    "か",
    "\u{30FB}",
    "\u{3040}",
    "ヿ",
    "\0",
    "\u{7F}",
    "\u{FEFF}",
    "\u{AD}",
    "\u{E000}",
    "\u{378}",
    "\u{10FFFF}",
    "\u{FFFD}",
    "<|endoftext|>",
    "</w>",
    "▁",
    "İ",
    "ß",
    "Σ",
];
/// A text that reaches over blocks of 64 bytes and batches of 512.
const LONG: usize = 4 << 10;

/// An even `mode` gives the bytes as they are. Another takes each byte for one of the parts; where it is above 127, for a
/// run of the one before.
pub fn text(mode: u8, bytes: &[u8]) -> Vec<u8> {
    if mode.is_multiple_of(2) {
        return bytes.to_vec();
    }
    let (mut text, mut last) = (String::new(), "");
    for &byte in bytes {
        if text.len() > LONG {
            break;
        }
        if byte < 128 {
            last = PARTS[usize::from(byte) % PARTS.len()];
            text.push_str(last);
        } else {
            text.push_str(&last.repeat(usize::from(byte) - 127));
        }
    }
    let mut text = text.into_bytes();
    if mode % 4 == 3 && !text.is_empty() {
        // Cut inside a character, or not.
        text.remove(usize::from(mode) % text.len());
    }
    text
}
