//! The classes of 64 code points at a time: those that share all bytes of UTF-8 but the last.

use super::classes::{BLOCK, BLOCK_OF, BLOCKS, Class, block_of, blocks, is_no_place};

/// The classes of the 64 code points that share all bytes of UTF-8 but the last: a bit for each value of its last six bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// Each class but that of most code points, in the first `n_others`.
    others: [(Class, u64); N_CLASSES],
    n_others: usize,
    most: Class,
}

/// The classes of characters.
const N_CLASSES: usize = 9;

impl Row {
    /// The class of most code points, and the members of each other class.
    #[inline]
    pub(super) fn classes(&self) -> (Class, &[(Class, u64)]) {
        (self.most, &self.others[..self.n_others])
    }

    const fn of(block: &[Class; BLOCK]) -> Self {
        let mut members = [0_u64; N_CLASSES];
        let mut at = 0;
        while at < BLOCK {
            members[block[at] as usize] |= 1 << at;
            at += 1;
        }
        let (mut most, mut class) = (0, 1);
        while class < N_CLASSES {
            if members[class].count_ones() > members[most].count_ones() {
                most = class;
            }
            class += 1;
        }
        let mut row = Self { others: [(Class::Other, 0); N_CLASSES], n_others: 0, most: CLASSES[most] };
        class = 0;
        while class < N_CLASSES {
            if class != most && members[class] != 0 {
                row.others[row.n_others] = (CLASSES[class], members[class]);
                row.n_others += 1;
            }
            class += 1;
        }
        row
    }
}

/// By their numbers.
const CLASSES: [Class; N_CLASSES] = [
    Class::Other,
    Class::UpperTitle,
    Class::Lower,
    Class::LetterModOther,
    Class::Mark,
    Class::Number,
    Class::Space,
    Class::Punctuation,
    Class::Symbol,
];

/// The blocks of the table as rows.
static ROWS: [Row; BLOCKS.len()] = {
    let mut rows = [Row { others: [(Class::Other, 0); N_CLASSES], n_others: 0, most: Class::Other }; BLOCKS.len()];
    let (blocks, mut block) = (blocks(), 0);
    while block < rows.len() {
        rows[block] = Row::of(&blocks[block]);
        block += 1;
    }
    rows
};

/// The class of all characters of three bytes that begin with this one, if they have one class: 0xE0 + place.
static ALL_OF_LEAD: [Option<Class>; 16] = {
    let (block_of, mut classes, mut lead) = (block_of(), [None; 16], 1);
    while lead < 16 {
        let first = block_of[lead * BLOCK];
        let mut alike = ROWS[first as usize].n_others == 0;
        let mut place = lead * BLOCK;
        while place < (lead + 1) * BLOCK {
            alike = alike && block_of[place] == first;
            place += 1;
        }
        if alike {
            classes[lead] = Some(ROWS[first as usize].most);
        }
        lead += 1;
    }
    classes
};

/// The row of the characters of two bytes that begin with this one.
#[inline]
pub(super) fn row_of_two(lead: u8) -> &'static Row {
    &ROWS[usize::from(BLOCK_OF[usize::from(lead & 0x1F)])]
}

/// The row of the characters of three bytes that begin with these; None if there are none.
#[inline]
pub(super) fn row_of_three(lead: u8, second: u8) -> Option<&'static Row> {
    let place = usize::from(lead & 0x0F) << 6 | usize::from(second & 0x3F);
    (!is_no_place(place)).then(|| &ROWS[usize::from(BLOCK_OF[place])])
}

/// The class of all characters of three bytes that begin with this one, if they have one class.
#[inline]
pub(super) fn all_of_lead(lead: u8) -> Option<Class> {
    ALL_OF_LEAD[usize::from(lead & 0x0F)]
}
