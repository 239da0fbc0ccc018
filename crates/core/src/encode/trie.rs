//! Which token is the longest that a text begins with.

use std::collections::VecDeque;

/// No token ends here.
pub(super) const NO_TOKEN: u32 = u32::MAX;

/// Tokens by their bytes, as a double array: the children of a node lie at `base ^ byte`, and since no two nodes have the
/// same base, the byte alone tells whose child a place holds. Where one token is left, its other bytes are compared at once:
/// that keeps the array small, and a walk through memory that is not at hand short.
#[derive(Debug, Clone)]
pub(super) struct Trie {
    nodes: Vec<Node>,
    /// Tokens that are alone: the id in four bytes, how many bytes are left in two, and those.
    tails: Vec<u8>,
}

/// Eight to a line of cache.
#[derive(Debug, Clone, Copy)]
struct Node {
    /// The node's base, above the byte that leads to it.
    link: u32,
    /// What ends here; or the place of the tail of the only one that goes on from here, with `HAS_TAIL` set.
    token: u32,
}

/// Tokens have ids below this.
pub(super) const MAX_IDS: usize = 1 << 31;
const HAS_TAIL: u32 = 1 << 31;

impl Node {
    #[inline]
    fn base(self) -> usize {
        (self.link >> 8) as usize
    }
}

/// Bytes are told apart within a block.
const BLOCK: usize = 256;
/// Bases above this do not fit beside a byte.
const MAX_NODES: usize = 1 << 24;
/// Blocks whose room is still given away; of earlier ones nearly all is.
const OPEN_BLOCKS: usize = 16;

impl Trie {
    /// None where there are too many tokens for its places, or a longer one than fits. No spelling is empty, none comes twice.
    pub(super) fn new<'a>(tokens: impl Iterator<Item = (u32, &'a [u8])>) -> Option<Self> {
        let mut tokens: Vec<_> = tokens.map(|(id, spelling)| (spelling, id)).collect();
        tokens.sort_unstable();
        Builder::new().build(&tokens)
    }

    /// The longest token that begins the text, and its bytes; `NO_TOKEN` if there is none.
    #[inline]
    pub(super) fn longest(&self, text: &[u8]) -> (u32, usize) {
        let mut found = (NO_TOKEN, 0);
        let mut base = ROOT_BASE;
        for (place, &byte) in text.iter().enumerate() {
            let node = self.nodes[base ^ usize::from(byte)];
            if node.link as u8 != byte {
                break;
            }
            if node.token != NO_TOKEN {
                if node.token & HAS_TAIL != 0 {
                    let only = self.with_tail(node.token, &text[place + 1..]);
                    return only.map_or(found, |(token, n_bytes)| (token, place + 1 + n_bytes));
                }
                found = (node.token, place + 1);
            }
            base = node.base();
        }
        found
    }

    /// The token with this tail and the bytes of that, if the text begins with it.
    #[inline]
    fn with_tail(&self, link: u32, text: &[u8]) -> Option<(u32, usize)> {
        let (head, rest) = self.tails[(link & !HAS_TAIL) as usize..].split_first_chunk::<TAIL_HEAD>()?;
        let [id @ .., low, high] = *head;
        let n_bytes = usize::from(u16::from_le_bytes([low, high]));
        let same = text.len() >= n_bytes && text.iter().zip(&rest[..n_bytes]).all(|(one, other)| one == other);
        same.then(|| (u32::from_le_bytes(id), n_bytes))
    }
}

/// Bytes of a tail before its own.
const TAIL_HEAD: usize = 6;

/// Block 0 holds nothing: the base of nodes without children.
const NO_CHILDREN: usize = 0;
const ROOT_BASE: usize = BLOCK;

/// One of the tokens that share their first bytes.
type Spelled<'a> = (&'a [u8], u32);

struct Builder {
    nodes: Vec<Node>,
    tails: Vec<u8>,
    is_taken: Vec<bool>,
    is_base: Vec<bool>,
    /// Where there is room.
    open: VecDeque<Block>,
}

struct Block {
    start: usize,
    /// Its places that nothing took yet.
    free: Vec<u8>,
}

impl Builder {
    fn new() -> Self {
        let mut builder = Self {
            nodes: Vec::new(),
            tails: Vec::new(),
            is_taken: Vec::new(),
            is_base: Vec::new(),
            open: VecDeque::new(),
        };
        // The empty block, and the root's.
        builder.add_block();
        builder.add_block();
        builder.open.clear();
        builder.is_taken.fill(true);
        builder.is_base[..BLOCK].fill(true);
        builder.is_base[NO_CHILDREN ^ 1] = false;
        builder.is_base[ROOT_BASE] = true;
        builder
    }

    fn add_block(&mut self) {
        let start = self.nodes.len();
        self.nodes.resize(start + BLOCK, Node { link: 0, token: NO_TOKEN });
        self.is_taken.resize(start + BLOCK, false);
        self.is_base.resize(start + BLOCK, false);
        if self.open.len() == OPEN_BLOCKS {
            self.open.pop_front();
        }
        self.open.push_back(Block { start, free: (0..=255).collect() });
    }

    fn build(mut self, tokens: &[Spelled<'_>]) -> Option<Trie> {
        // Tokens that share their first `depth` bytes, and the base for their next ones.
        let mut waiting = vec![(tokens, 0, ROOT_BASE)];
        while let Some((tokens, depth, base)) = waiting.pop() {
            for group in tokens.chunk_by(|(one, _), (other, _)| one[depth] == other[depth]) {
                let (spelling, id) = group[0];
                let byte = spelling[depth];
                let ends = spelling.len() == depth + 1;
                let longer = &group[usize::from(ends)..];
                let (next, token) = match longer {
                    [] => (NO_CHILDREN, id),
                    [_] if !ends => (NO_CHILDREN, self.add_tail(id, &spelling[depth + 1..])?),
                    _ => (self.find_base(longer, depth + 1)?, if ends { id } else { NO_TOKEN }),
                };
                let place = base ^ usize::from(byte);
                self.nodes[place] = Node { link: (next as u32) << 8 | u32::from(byte), token };
                if next != NO_CHILDREN {
                    waiting.push((longer, depth + 1, next));
                }
            }
        }
        self.close();
        Some(Trie { nodes: self.nodes, tails: self.tails })
    }

    fn add_tail(&mut self, id: u32, bytes: &[u8]) -> Option<u32> {
        let place = u32::try_from(self.tails.len()).ok().filter(|place| place & HAS_TAIL == 0)?;
        self.tails.extend_from_slice(&id.to_le_bytes());
        self.tails.extend_from_slice(&u16::try_from(bytes.len()).ok()?.to_le_bytes());
        self.tails.extend_from_slice(bytes);
        Some(place | HAS_TAIL)
    }

    /// A base of which all places of these tokens' bytes at `depth` are free, which are taken.
    fn find_base(&mut self, tokens: &[Spelled<'_>], depth: usize) -> Option<usize> {
        let bytes: Vec<u8> =
            tokens.chunk_by(|(one, _), (other, _)| one[depth] == other[depth]).map(|group| group[0].0[depth]).collect();
        loop {
            let fits = |place: usize| {
                let base = place ^ usize::from(bytes[0]);
                !self.is_base[base] && bytes.iter().all(|&byte| !self.is_taken[base ^ usize::from(byte)])
            };
            let places = self.open.iter().flat_map(|block| block.free.iter().map(|&at| block.start + usize::from(at)));
            if let Some(place) = { places }.find(|&place| fits(place)) {
                return Some(self.take(place ^ usize::from(bytes[0]), &bytes));
            }
            if self.nodes.len() >= MAX_NODES {
                return None;
            }
            self.add_block();
        }
    }

    fn take(&mut self, base: usize, bytes: &[u8]) -> usize {
        self.is_base[base] = true;
        for &byte in bytes {
            self.is_taken[base ^ usize::from(byte)] = true;
        }
        let start = base & !(BLOCK - 1);
        if let Some(block) = self.open.iter_mut().find(|block| block.start == start) {
            block.free.retain(|&at| !self.is_taken[start + usize::from(at)]);
        }
        base
    }

    /// Gives places without a node a byte that leads to none: one of a base that no node has. There is one in each block, as
    /// every base takes at least one place.
    fn close(&mut self) {
        for start in (0..self.nodes.len()).step_by(BLOCK) {
            let Some(unused) = (start..start + BLOCK).find(|&base| !self.is_base[base]) else { continue };
            for place in start..start + BLOCK {
                let node = &mut self.nodes[place];
                if node.token == NO_TOKEN && node.base() == NO_CHILDREN {
                    node.link = (place ^ unused) as u32;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn check(tokens: &HashSet<Vec<u8>>, text: &[u8]) -> Result<(), TestCaseError> {
        let list: Vec<&Vec<u8>> = tokens.iter().collect();
        let trie = Trie::new((0..).zip(list.iter().map(|token| &token[..]))).expect("few tokens");
        for start in 0..text.len() {
            let longest = list.iter().filter(|token| text[start..].starts_with(token)).max_by_key(|token| token.len());
            let (found, n_bytes) = trie.longest(&text[start..]);
            prop_assert_eq!(longest, (found != NO_TOKEN).then(|| &list[found as usize]));
            prop_assert_eq!(longest.map_or(0, |token: &&Vec<u8>| token.len()), n_bytes);
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn finds_the_longest(tokens in prop::collection::hash_set(prop::collection::vec(0..4u8, 1..9), 0..60),
                text in prop::collection::vec(0..5u8, 0..60)) {
            check(&tokens, &text)?;
        }

        #[test]
        fn finds_the_longest_of_any_bytes(tokens in prop::collection::hash_set(prop::collection::vec(any::<u8>(), 1..3), 0..900),
                text in prop::collection::vec(any::<u8>(), 0..60)) {
            check(&tokens, &text)?;
        }
    }
}
