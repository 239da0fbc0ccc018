//! The specials that a call lets match.

use std::sync::{Arc, Mutex};

use super::framed::Framed;
use super::pool::with_lock;
use crate::Error;
use crate::model::Model;
use crate::specials::Specials;

/// Some of a model's specials, ready to be found. Longest is meant among these: one that may not match hides none.
#[derive(Debug)]
pub(super) struct Subset {
    pub(super) finder: Specials,
    /// The id of each text in `finder`.
    pub(super) ids: Vec<u32>,
    /// How many of them are specials; what follows are added tokens, which always match.
    pub(super) n_special: usize,
    /// What finds them where they are looked for in two turns.
    pub(super) framed: Option<Framed>,
}

impl Subset {
    fn new(model: &Model, allowed: impl Fn(u32) -> bool) -> Result<Self, Error> {
        let chosen = model.specials().iter().filter(|(_, id)| allowed(*id));
        let (mut texts, mut ids): (Vec<Vec<u8>>, Vec<u32>) = chosen.cloned().unzip();
        let n_special = ids.len();
        let frame = model.frame();
        for added in frame.iter().flat_map(|frame| &frame.added).filter(|added| !added.special) {
            texts.push(added.text.clone().into_bytes());
            ids.push(added.id);
        }
        let framed = frame.map(|frame| Framed::new(frame, allowed)).transpose()?.flatten();
        Ok(Self { finder: Specials::new(&texts)?, ids, n_special, framed })
    }
}

/// The subsets in use: none and all are built beforehand, others are kept for a while.
#[derive(Debug)]
pub(super) struct Subsets {
    none: Arc<Subset>,
    pub(super) all: Arc<Subset>,
    /// The ids of all specials, sorted.
    all_ids: Vec<u32>,
    /// Sorted ids and their subset, the latest last.
    recent: Mutex<Vec<(Vec<u32>, Arc<Subset>)>>,
}

/// Subsets kept; a program uses one or two.
const MOST: usize = 16;

impl Subsets {
    pub(super) fn new(model: &Model) -> Result<Self, Error> {
        let all = Arc::new(Subset::new(model, |_| true)?);
        let all_ids = sorted(&all.ids[..all.n_special]);
        Ok(Self { none: Arc::new(Subset::new(model, |_| false)?), all, all_ids, recent: Mutex::new(Vec::new()) })
    }

    /// The subset of these ids.
    pub(super) fn get(&self, model: &Model, ids: &[u32]) -> Result<Arc<Subset>, Error> {
        if ids.is_empty() {
            return Ok(Arc::clone(&self.none));
        }
        if ids == &self.all.ids[..self.all.n_special] {
            return Ok(Arc::clone(&self.all));
        }
        let ids = sorted(ids);
        if ids == self.all_ids {
            return Ok(Arc::clone(&self.all));
        }
        if let Some(id) = ids.iter().find(|id| self.all_ids.binary_search(id).is_err()) {
            return Err(Error::Model { reason: format!("id {id} is no special token; only specials can be matched") });
        }
        let known = with_lock(&self.recent, |recent| recent.iter().find(|(known, _)| *known == ids).cloned()).flatten();
        known.map_or_else(|| self.build(model, ids), |(_, subset)| Ok(subset))
    }

    fn build(&self, model: &Model, ids: Vec<u32>) -> Result<Arc<Subset>, Error> {
        let subset = Arc::new(Subset::new(model, |id| ids.binary_search(&id).is_ok())?);
        with_lock(&self.recent, |recent| {
            if recent.len() == MOST {
                recent.remove(0);
            }
            recent.push((ids, Arc::clone(&subset)));
        });
        Ok(subset)
    }
}

fn sorted(ids: &[u32]) -> Vec<u32> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    ids
}
