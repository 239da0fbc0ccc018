//! The ids of many texts, one after the other, without a list for each.

/// The ids of many texts in a row, in the runs that the threads made, and where those of each text begin.
#[derive(Debug, Clone)]
pub struct Ragged {
    runs: Vec<Vec<u32>>,
    starts: Vec<usize>,
}

impl Ragged {
    /// `runs` together hold as many ids as the last of `starts` says, which begin with 0.
    pub(super) fn new(runs: Vec<Vec<u32>>, starts: Vec<usize>) -> Self {
        Self { runs, starts }
    }

    /// Where the ids of each text begin among all, and the end of the last: one more than there are texts.
    #[must_use]
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// How many ids there are.
    #[must_use]
    pub fn n_tokens(&self) -> usize {
        self.starts.last().copied().unwrap_or_default()
    }

    /// All ids, in runs whose borders mean nothing.
    #[must_use]
    pub fn into_runs(self) -> Vec<Vec<u32>> {
        self.runs
    }

    /// Calls `visit` with the ids of each text, in order, until it fails.
    ///
    /// # Errors
    /// Those of `visit`.
    pub fn for_each<E>(&self, mut visit: impl FnMut(&[u32]) -> Result<(), E>) -> Result<(), E> {
        let mut runs = self.runs.iter();
        let (mut rest, mut joined): (&[u32], Vec<u32>) = (&[], Vec::new());
        for ends in self.starts.windows(2) {
            let mut wanted = ends[1] - ends[0];
            joined.clear();
            while wanted > rest.len() {
                joined.extend_from_slice(rest);
                wanted -= rest.len();
                rest = runs.next().map_or(&[], Vec::as_slice);
            }
            let (these, behind) = rest.split_at(wanted);
            rest = behind;
            if joined.is_empty() {
                visit(these)?;
            } else {
                // A long text, which was cut for several threads.
                joined.extend_from_slice(these);
                visit(&joined)?;
            }
        }
        Ok(())
    }

    /// The ids of each text by themselves.
    #[must_use]
    pub fn to_lists(&self) -> Vec<Vec<u32>> {
        let mut lists = Vec::with_capacity(self.starts.len().saturating_sub(1));
        let kept: Result<(), std::convert::Infallible> = self.for_each(|ids| {
            lists.push(ids.to_vec());
            Ok(())
        });
        let Ok(()) = kept;
        lists
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_may_end_anywhere_in_a_run() {
        let ragged =
            Ragged::new(vec![vec![], vec![1, 2, 3], vec![], vec![4], vec![5, 6], vec![]], vec![0, 0, 2, 5, 5, 6, 6]);
        assert_eq!(ragged.to_lists(), [vec![], vec![1, 2], vec![3, 4, 5], vec![], vec![6], vec![]]);
        assert_eq!((ragged.n_tokens(), ragged.starts().len()), (6, 7));
        assert_eq!(ragged.into_runs().concat(), [1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn no_text_has_no_ids() {
        let none = Ragged::new(vec![], vec![0]);
        assert_eq!((none.to_lists(), none.n_tokens()), (vec![], 0));
    }

    #[test]
    fn the_first_failure_ends_the_visit() {
        let ragged = Ragged::new(vec![vec![1, 2, 3]], vec![0, 1, 2, 3]);
        let mut seen = 0;
        let visit = |ids: &[u32]| {
            seen += 1;
            if ids == [2] { Err("two") } else { Ok(()) }
        };
        assert_eq!(ragged.for_each(visit), Err("two"));
        assert_eq!(seen, 2);
    }
}
