//! The changes that a program has made by hand to the records of an AOF: they are repeated when the table is opened
//! again.
//!
//! One word is stored per record, so that memory grows with the records and not with the calls: the last of *add* and
//! *remove*; a *toggle* inverts it, and two of them cancel out.

use crate::wire::messages::Step;
use mainstay_workarea::Customize;
use std::collections::BTreeMap;

/// Records that one step says something about.
const MOST_RECORDS: usize = 1 << 16;

/// See the module.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ByHand {
    said: BTreeMap<u32, Customize>,
}

impl ByHand {
    /// Notes what was said.
    pub fn note(&mut self, records: &[u32], how: Customize) {
        for record in records {
            let before = self.said.remove(record);
            let after = match (how, before) {
                (Customize::Toggle, None) => Some(Customize::Toggle),
                (Customize::Toggle, Some(Customize::Toggle)) => None,
                (Customize::Toggle, Some(Customize::Add)) => Some(Customize::Remove),
                (Customize::Toggle, Some(Customize::Remove)) => Some(Customize::Add),
                (said, _) => Some(said),
            };
            if let Some(after) = after {
                self.said.insert(*record, after);
            }
        }
    }

    /// The AOF is as its condition has it.
    pub fn clear(&mut self) {
        self.said.clear();
    }

    /// The steps that say all of it.
    pub fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::new();
        for how in [Customize::Add, Customize::Remove, Customize::Toggle] {
            let records: Vec<u32> =
                self.said.iter().filter(|(_, said)| **said == how).map(|(record, _)| *record).collect();
            let some = records.chunks(MOST_RECORDS);
            steps.extend(some.map(|some| Step::CustomizeAof { records: some.to_vec(), how }));
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_counts() {
        let mut said = ByHand::default();
        said.note(&[1, 2, 3, 4], Customize::Toggle);
        said.note(&[2, 3], Customize::Toggle);
        said.note(&[3, 5, 6], Customize::Add);
        said.note(&[5], Customize::Toggle);
        said.note(&[6, 4], Customize::Remove);
        said.note(&[6], Customize::Toggle);
        let step = |how, records: &[u32]| Step::CustomizeAof { records: records.to_vec(), how };
        let expected = [step(Customize::Add, &[3, 6]), step(Customize::Remove, &[4, 5]), step(Customize::Toggle, &[1])];
        assert_eq!(said.steps(), expected);
    }
}
