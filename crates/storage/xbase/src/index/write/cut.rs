//! The place at which a node that is too large for its page is split.

use super::node::{Shape, Unpacked};
use super::pack::{self, Counting};
use crate::index::node::Format;

impl Unpacked {
    /// Where to cut a node that does not fit its page, so that all parts do: the ends of the parts. `is_append` says
    /// that its last item has just been put behind all others of the tree: then the page is left full.
    pub(crate) fn cuts(&self, shape: &Shape, is_append: bool) -> Vec<usize> {
        let count = self.count();
        if !self.is_leaf || shape.layout.format != Format::Compact {
            let most = shape.most_items();
            if is_append && count == most + 1 {
                return vec![most, count];
            }
            let parts = count.div_ceil(most);
            return (1..=parts).map(|part| count * part / parts).collect();
        }
        let room = shape.leaf_room();
        if is_append {
            return self.leaf_cuts(shape, room);
        }
        let halves = self.leaf_cuts(shape, (self.used / 2 + shape.key_len() + self.bits.entry_len).min(room));
        if halves.len() == 2 { halves } else { self.leaf_cuts(shape, room) }
    }

    /// Cuts a packed leaf where a part reaches `limit` bytes.
    fn leaf_cuts(&self, shape: &Shape, limit: usize) -> Vec<usize> {
        let pad = shape.layout.pad;
        let (mut ends, mut used) = (Vec::new(), 0);
        for index in 0..self.count() {
            let before = (used > 0).then(|| self.key(shape, index - 1));
            let key = self.key(shape, index);
            let more = self.bits.entry_len + pack::stored_len(before, key, pad, Counting::Usual);
            if used > 0 && used + more > limit {
                ends.push(index);
                used = self.bits.entry_len + pack::stored_len(None, key, pad, Counting::Usual);
            } else {
                used += more;
            }
        }
        ends.push(self.count());
        ends
    }
}
