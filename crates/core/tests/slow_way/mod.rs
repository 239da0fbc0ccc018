//! Encoding the obvious slow way: look at all pairs, merge the leftmost of the lowest rank, look again.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use bytepair_core::model::{Alphabet, EndOfWord, Kind, Parts};
use bytepair_core::split::Splitter;

pub const MARKER: &str = "</w>";
pub const UNK: &str = "<unk>";
pub const SPECIALS: [&str; 5] = ["<a>", "<a><b>", "a<b>", "b", "</w>a"];

/// The slow way over spellings. A symbol is a spelling, None an unknown character.
pub struct Oracle {
    parts: Parts,
    ids: HashMap<Vec<u8>, u32>,
    ranks: HashMap<(u32, u32), usize>,
    splitter: Arc<Splitter>,
}

impl Oracle {
    pub fn new(parts: &Parts, splitter: &Arc<Splitter>) -> Self {
        let spelled = parts.tokens.iter().zip(0..).filter_map(|(token, id)| Some((token.clone()?, id)));
        let mut ranks = HashMap::new();
        for (rank, pair) in parts.merges.iter().enumerate() {
            ranks.entry(*pair).or_insert(rank);
        }
        Self { parts: parts.clone(), ids: spelled.collect(), ranks, splitter: Arc::clone(splitter) }
    }

    fn spelling(&self, id: u32) -> &[u8] {
        self.parts.tokens[id as usize].as_ref().unwrap()
    }

    fn rank(&self, left: u32, right: u32) -> Option<usize> {
        match self.parts.kind {
            Kind::Merges => self.ranks.get(&(left, right)).copied(),
            Kind::Ranks => self.ids.get(&[self.spelling(left), self.spelling(right)].concat()).map(|&id| id as usize),
        }
    }

    pub fn first_symbols(&self, piece: &[u8]) -> Vec<Option<u32>> {
        let mut units: Vec<Vec<u8>> = match self.parts.alphabet {
            Alphabet::Bytes => piece.iter().map(|&byte| vec![byte]).collect(),
            Alphabet::Chars => std::str::from_utf8(piece).unwrap().chars().map(|c| c.to_string().into()).collect(),
        };
        match &self.parts.end_of_word {
            None => {}
            Some(EndOfWord::Symbol(marker)) => units.push(marker.clone()),
            Some(EndOfWord::Suffix(marker)) => units.iter_mut().last().into_iter().for_each(|last| last.extend(marker)),
        }
        units.iter().map(|unit| self.ids.get(unit).copied()).collect()
    }

    fn marker(&self) -> Option<&[u8]> {
        self.parts.end_of_word.as_ref().map(|(EndOfWord::Symbol(marker) | EndOfWord::Suffix(marker))| &marker[..])
    }

    fn piece(&self, piece: &[u8]) -> Vec<u32> {
        let whole = [piece, self.marker().unwrap_or_default()].concat();
        if let (Kind::Ranks, Some(&id)) = (self.parts.kind, self.ids.get(&whole)) {
            return vec![id];
        }
        let mut symbols = self.first_symbols(piece);
        loop {
            let rank_at = |at: usize| Some((self.rank(symbols[at]?, symbols[at + 1]?)?, at));
            let Some((_, at)) = (0..symbols.len().saturating_sub(1)).filter_map(rank_at).min() else {
                return symbols.into_iter().map(|symbol| symbol.or(self.parts.unk_id).unwrap()).collect();
            };
            let joint = [symbols[at], symbols[at + 1]].map(|id| self.spelling(id.unwrap())).concat();
            symbols.splice(at..at + 2, [Some(self.ids[&joint])]);
        }
    }

    fn segment(&self, text: &[u8], ids: &mut Vec<u32>) {
        let prefix = self.parts.add_prefix_space && !text.is_empty() && text[0] != b' ';
        let text = [if prefix { b" " } else { &b""[..] }, text].concat();
        let _ = self.splitter.for_each_piece(&text, |range| -> ControlFlow<()> {
            ids.extend(self.piece(&text[range]));
            ControlFlow::Continue(())
        });
    }

    pub fn encode(&self, text: &[u8], special: &[u32]) -> Vec<u32> {
        let (mut ids, mut start, mut at) = (Vec::new(), 0, 0);
        let allowed = || self.parts.specials.iter().filter(|(_, id)| special.contains(id));
        while at < text.len() {
            let longest = allowed().filter(|(special, _)| text[at..].starts_with(special)).max_by_key(|(s, _)| s.len());
            let Some((special, id)) = longest else {
                at += 1;
                continue;
            };
            self.segment(&text[start..at], &mut ids);
            ids.push(*id);
            at += special.len();
            start = at;
        }
        self.segment(&text[start..], &mut ids);
        ids
    }

    pub fn decode(&self, ids: &[u32]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (position, id) in ids.iter().enumerate() {
            let special = self.parts.specials.iter().find(|(_, special)| special == id);
            let token = special.map_or_else(|| self.spelling(*id), |(text, _)| text);
            match self.marker().and_then(|marker| token.strip_suffix(marker)) {
                Some(before) if special.is_none() => {
                    bytes.extend_from_slice(before);
                    bytes.extend_from_slice(if position + 1 < ids.len() { b" " } else { b"" });
                }
                _ => bytes.extend_from_slice(token),
            }
        }
        bytes
    }
}

/// A model made of choices: each merge joins two tokens that are there by then; a choice is told how many there are.
pub fn parts(
    kind: Kind,
    alphabet: Alphabet,
    characters: &str,
    marker: Option<EndOfWord>,
    choices: impl IntoIterator<Item = impl Fn(usize) -> (usize, usize)>,
) -> Parts {
    let mut tokens: Vec<Vec<u8>> = match alphabet {
        Alphabet::Bytes => (0..=255).map(|byte| vec![byte]).collect(),
        Alphabet::Chars => characters.chars().map(|c| c.to_string().into_bytes()).collect(),
    };
    let ends = match &marker {
        None => vec![],
        Some(EndOfWord::Symbol(marker)) => vec![marker.clone()],
        Some(EndOfWord::Suffix(marker)) => tokens.iter().map(|token| [&token[..], marker].concat()).collect(),
    };
    for token in ends {
        if !tokens.contains(&token) {
            tokens.push(token);
        }
    }
    // Of bytes only those of the characters can occur in the texts.
    let mut joinable: Vec<u32> = (0..tokens.len() as u32)
        .filter(|&id| {
            let token = &tokens[id as usize];
            let token = token.strip_suffix(MARKER.as_bytes()).filter(|before| !before.is_empty()).unwrap_or(token);
            [characters, MARKER].iter().any(|all| contains(all.as_bytes(), token))
        })
        .collect();
    let mut merges = Vec::new();
    for choice in choices {
        let (left, right) = choice(joinable.len());
        let (left, right) = (joinable[left], joinable[right]);
        let joint = [tokens[left as usize].clone(), tokens[right as usize].clone()].concat();
        merges.push((left, right));
        if !tokens.contains(&joint) {
            joinable.push(tokens.len() as u32);
            tokens.push(joint);
        }
    }
    with_specials(kind, alphabet, marker, tokens, merges)
}

fn with_specials(
    kind: Kind,
    alphabet: Alphabet,
    marker: Option<EndOfWord>,
    tokens: Vec<Vec<u8>>,
    merges: Vec<(u32, u32)>,
) -> Parts {
    let specials = [UNK].into_iter().chain(SPECIALS).map(|text| text.as_bytes().to_vec()).zip(tokens.len() as u32..);
    Parts {
        kind,
        alphabet,
        specials: specials.collect(),
        unk_id: Some(tokens.len() as u32),
        tokens: tokens.into_iter().map(Some).collect(),
        merges: if kind == Kind::Ranks { Vec::new() } else { merges },
        end_of_word: marker,
        add_prefix_space: false,
    }
}

fn contains(all: &[u8], part: &[u8]) -> bool {
    all.windows(part.len()).any(|window| window == part)
}
