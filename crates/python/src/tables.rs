//! The class `Tables`: the vocabulary and merges of a tokenizer.json, read without a Python object for each entry.
//!
//! It reads files that are as they should be. For anything else it gives up, and Python reads the file again, slower, to say
//! what is wrong and where.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use bytepair_core::Seed;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

/// Vocabulary and merges.
#[pyclass(frozen, module = "bytepair._native")]
pub(crate) struct Tables {
    /// Token -> id.
    ids: HashMap<String, u32, Seed>,
    /// The token of each id; empty where there is none.
    spellings: Vec<String>,
    /// (left id, right id) by rank.
    merges: Vec<(u32, u32)>,
    /// The file with an empty vocabulary and no merges.
    rest: String,
}

#[pymethods]
impl Tables {
    /// The tables of a file, or None where Python must read it.
    #[staticmethod]
    fn read(py: Python<'_>, data: &[u8]) -> Option<Self> {
        py.detach(|| tables(data))
    }

    #[getter]
    fn rest(&self) -> &str {
        &self.rest
    }

    fn __len__(&self) -> usize {
        self.ids.len()
    }

    fn get(&self, token: &str) -> Option<u32> {
        self.ids.get(token).copied()
    }

    /// The spelling of each token by id, without `apart`; None where one is not spelled so, or ids are wrong.
    fn tokens<'py>(
        &self,
        py: Python<'py>,
        by_bytes: bool,
        apart: Vec<String>,
    ) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let apart: HashSet<&str> = apart.iter().map(String::as_str).collect();
        let Some(spelled) = py.detach(|| self.spelled(by_bytes, &apart)) else { return Ok(None) };
        let tokens = spelled.iter().map(|token| token.as_ref().map(|token| PyBytes::new(py, token)));
        Ok(Some(PyTuple::new(py, tokens)?))
    }

    /// (left id, right id) by rank; None where a merge is of no ordinary tokens, or a pair stands twice.
    fn pairs<'py>(
        &self,
        py: Python<'py>,
        n_prefix: usize,
        apart: Vec<String>,
    ) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let apart: HashSet<&str> = apart.iter().map(String::as_str).collect();
        let Some(pairs) = py.detach(|| self.ranked(n_prefix, &apart)) else { return Ok(None) };
        Ok(Some(PyTuple::new(py, pairs)?))
    }
}

impl Tables {
    fn spelled(&self, by_bytes: bool, apart: &HashSet<&str>) -> Option<Vec<Option<Vec<u8>>>> {
        let spell = |token: &String| match token.is_empty() || apart.contains(token.as_str()) {
            true => Some(None),
            false if by_bytes => bytes(token).map(Some),
            false => Some(Some(token.clone().into_bytes())),
        };
        self.spellings.iter().map(spell).collect()
    }

    fn ranked(&self, n_prefix: usize, apart: &HashSet<&str>) -> Option<Vec<(u32, u32)>> {
        let mut joint = String::new();
        let mut seen = HashSet::with_capacity_and_hasher(self.merges.len(), Seed::random());
        for &pair in &self.merges {
            let [left, right] = [pair.0, pair.1].map(|id| self.spellings[id as usize].as_str());
            joint.clear();
            joint.push_str(left);
            joint.push_str(right.get(n_prefix..)?);
            let is_apart = |token: &str| !apart.is_empty() && apart.contains(token);
            if !self.ids.contains_key(&joint) || [left, right, &joint].into_iter().any(is_apart) || !seen.insert(pair) {
                return None;
            }
        }
        Some(self.merges.clone())
    }
}

/// What a token spells in GPT-2's characters.
fn bytes(token: &str) -> Option<Vec<u8>> {
    token.chars().map(bytepair_core::frame::byte_of).collect()
}

fn tables(data: &[u8]) -> Option<Tables> {
    let text = std::str::from_utf8(data).ok()?;
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut found = Found::default();
    Scanner::of(text, 0).entries(b'{', |scanner| {
        let is_model = &*scanner.key()? == "model";
        if !is_model {
            return scanner.skip(0);
        }
        found.n_models += 1;
        scanner.entries(b'{', |scanner| match &*scanner.key()? {
            "vocab" => found.read_vocab(scanner),
            "merges" => found.read_merges(scanner),
            _ => scanner.skip(0),
        })
    })?;
    let Found { ids, spellings, merges: pairs, vocab, merges_at: merges, n_models } = found;
    let (vocab, merges) = (vocab?, merges?);
    if n_models != 1 {
        return None;
    }
    let mut cuts = [(vocab, "{}"), (merges, "[]")];
    cuts.sort_by_key(|(range, _)| range.start);
    let (mut rest, mut end) = (String::new(), 0);
    for (range, instead) in cuts {
        rest.push_str(&text[end..range.start]);
        rest.push_str(instead);
        end = range.end;
    }
    rest.push_str(&text[end..]);
    Some(Tables { ids, spellings, merges: pairs, rest })
}

/// What was read so far.
#[derive(Default)]
struct Found {
    ids: HashMap<String, u32, Seed>,
    spellings: Vec<String>,
    merges: Vec<(u32, u32)>,
    vocab: Option<Range<usize>>,
    merges_at: Option<Range<usize>>,
    n_models: usize,
}

impl Found {
    fn read_vocab(&mut self, scanner: &mut Scanner<'_>) -> Option<()> {
        let (start, n_left) = (scanner.here()?, scanner.text.len() - scanner.at);
        self.ids.reserve(n_left / 50);
        scanner.entries(b'{', |scanner| {
            let token = scanner.key()?;
            self.ids.insert(token.into_owned(), scanner.number()?).is_none().then_some(())
        })?;
        self.spellings = by_id(&self.ids)?;
        self.vocab.replace(start..scanner.at).is_none().then_some(())
    }

    /// They come behind the vocabulary, in all files that are known.
    fn read_merges(&mut self, scanner: &mut Scanner<'_>) -> Option<()> {
        self.vocab.as_ref()?;
        let start = scanner.here()?;
        self.merges.reserve(self.ids.len());
        scanner.entries(b'[', |scanner| {
            let (left, right) = scanner.pair()?;
            self.merges.push((*self.ids.get(&*left)?, *self.ids.get(&*right)?));
            Some(())
        })?;
        self.merges_at.replace(start..scanner.at).is_none().then_some(())
    }
}

/// The token of each id; None where two have one, or an id is far from the others.
fn by_id(ids: &HashMap<String, u32, Seed>) -> Option<Vec<String>> {
    let n_ids = ids.values().map(|&id| id as usize + 1).max().unwrap_or(0);
    if n_ids > 2 * ids.len() + 1_000_000 {
        return None;
    }
    let mut spellings = vec![String::new(); n_ids];
    for (token, &id) in ids {
        if token.is_empty() || !std::mem::replace(&mut spellings[id as usize], token.clone()).is_empty() {
            return None;
        }
    }
    Some(spellings)
}

/// Walks a text of JSON; every method gives None where it is not what it should be.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

/// Deeper nesting is left to Python.
const DEEPEST: usize = 64;

impl<'a> Scanner<'a> {
    fn of(text: &'a str, at: usize) -> Self {
        Self { text, at }
    }

    fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while matches!(bytes.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.take(byte).then_some(())
    }

    /// Calls `read` for each entry of an object or a list.
    fn entries(&mut self, open: u8, mut read: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        let close = if open == b'{' { b'}' } else { b']' };
        self.expect(open)?;
        if self.take(close) {
            return Some(());
        }
        loop {
            read(self)?;
            if !self.take(b',') {
                return self.expect(close);
            }
        }
    }

    /// Where the next value begins.
    fn here(&mut self) -> Option<usize> {
        self.peek()?;
        Some(self.at)
    }

    /// A key of an object, with the colon behind it.
    fn key(&mut self) -> Option<Cow<'a, str>> {
        let key = self.string()?;
        self.expect(b':')?;
        Some(key)
    }

    fn skip(&mut self, depth: usize) -> Option<()> {
        match self.peek()? {
            _ if depth > DEEPEST => None,
            b'"' => self.skip_string(),
            b'{' => self.entries(b'{', |scanner| {
                scanner.peek()?;
                scanner.skip_string()?;
                scanner.expect(b':')?;
                scanner.skip(depth + 1)
            }),
            b'[' => self.entries(b'[', |scanner| scanner.skip(depth + 1)),
            _ => {
                let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
                let n_bytes = self.text.as_bytes()[self.at..].iter().take_while(|byte| is_part(byte)).count();
                self.at += n_bytes;
                (n_bytes > 0).then_some(())
            }
        }
    }

    fn skip_string(&mut self) -> Option<()> {
        let bytes = self.text.as_bytes();
        if bytes.get(self.at) != Some(&b'"') {
            return None;
        }
        self.at += 1;
        loop {
            self.at += memchr::memchr2(b'"', b'\\', bytes.get(self.at..)?)?;
            if bytes[self.at] == b'"' {
                break;
            }
            self.at += 2;
        }
        self.at += 1;
        Some(())
    }

    fn string(&mut self) -> Option<Cow<'a, str>> {
        self.peek()?;
        let start = self.at + 1;
        self.skip_string()?;
        let raw = self.text.get(start..self.at - 1)?;
        if raw.bytes().any(|byte| byte < 0x20) {
            return None;
        }
        if raw.contains('\\') { unescaped(raw).map(Cow::Owned) } else { Some(Cow::Borrowed(raw)) }
    }

    fn number(&mut self) -> Option<u32> {
        self.peek()?;
        let digits = &self.text[self.at..];
        let n_digits = digits.bytes().take_while(u8::is_ascii_digit).count();
        self.at += n_digits;
        let digits = &digits[..n_digits];
        if digits.len() > 1 && digits.starts_with('0') {
            return None;
        }
        // What follows a whole number ends it; `1.5` and `1e3` are none.
        matches!(self.peek()?, b',' | b'}').then(|| digits.parse().ok())?
    }

    /// A list of two tokens, or both in one string.
    fn pair(&mut self) -> Option<(Cow<'a, str>, Cow<'a, str>)> {
        if self.peek()? == b'"' {
            let both = self.string()?;
            let (left, right) = both.split_once(' ')?;
            return (!right.contains(' ')).then(|| (left.to_owned().into(), right.to_owned().into()));
        }
        self.expect(b'[')?;
        let left = self.string()?;
        self.expect(b',')?;
        let right = self.string()?;
        self.expect(b']')?;
        Some((left, right))
    }
}

fn unescaped(raw: &str) -> Option<String> {
    let (mut text, mut characters) = (String::with_capacity(raw.len()), raw.chars());
    while let Some(character) = characters.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        text.push(match characters.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{C}',
            'u' => {
                let unit = u32::from_str_radix(characters.as_str().get(..4)?, 16).ok()?;
                characters.nth(3);
                match unit {
                    high @ 0xD800..=0xDBFF => {
                        let pair = characters.as_str().strip_prefix("\\u").and_then(|rest| rest.get(..4));
                        let low = u32::from_str_radix(pair?, 16).ok().filter(|low| (0xDC00..0xE000).contains(low))?;
                        characters.nth(5);
                        char::from_u32(0x10000 + ((high - 0xD800) << 10 | (low - 0xDC00)))?
                    }
                    code => char::from_u32(code)?,
                }
            }
            same @ ('"' | '\\' | '/') => same,
            _ => return None,
        });
    }
    Some(text)
}
