//! Text -> documents: where lines end, and blank lines.

/// Where the blank lines end that begin behind `first` and end before `last`: at each, a document ends.
///
/// A blank line holds nothing but spaces, tabs and carriage returns; several in a row end together.
#[must_use]
pub fn blank_line_ends(text: &[u8], first: usize, last: usize) -> Vec<usize> {
    let text = &text[..last.min(text.len())];
    let (mut ends, mut at) = (Vec::new(), first.min(text.len()));
    while let Some(found) = memchr::memchr(b'\n', &text[at..]) {
        let line_end = at + found + 1;
        at = end_of_blank_lines(text, line_end);
        if at > line_end {
            ends.push(at);
        }
    }
    ends
}

/// Behind the last of the blank lines that begin here; here, if there are none.
fn end_of_blank_lines(text: &[u8], start: usize) -> usize {
    let mut end = start;
    loop {
        let space = text[end..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
        if text.get(end + space) != Some(&b'\n') {
            return end;
        }
        end += space + 1;
    }
}

/// Where the lines end, each behind its line feed; the last at the end of the text.
#[must_use]
pub fn line_ends(text: &[u8]) -> Vec<usize> {
    let mut ends: Vec<usize> = memchr::memchr_iter(b'\n', text).map(|place| place + 1).collect();
    if ends.last().copied().unwrap_or_default() < text.len() {
        ends.push(text.len());
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::{blank_line_ends, line_ends};

    #[test]
    fn lines_end_behind_line_feeds_alone() {
        assert_eq!(line_ends(b"one\r\n\ntwo\rthree"), [5, 6, 15]);
        assert_eq!(line_ends(b"one\n"), [4]);
        assert_eq!(line_ends(b""), [0; 0]);
    }

    #[test]
    fn documents_end_behind_blank_lines() {
        assert_eq!(blank_line_ends(b"one\ntwo\n\nthree\n \t\r\n\nfour\n  ", 0, 100), [9, 20]);
        assert_eq!(blank_line_ends(b"\n\n\nx\n\ny", 3, 7), [6]);
        assert_eq!(blank_line_ends(b"x\n\ny", 0, 2), [0; 0]);
        assert_eq!(blank_line_ends(b"", 0, 0), [0; 0]);
    }
}
