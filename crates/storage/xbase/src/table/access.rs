//! Rushmore: answering parts of a condition by ranges of keys.
//!
//! A conjunction may leave parts out (the scan applies the whole condition anyway), a disjunction may not. All
//! conditions of a conjunction on the fields of one tag become one set of ranges of that tag, so BETWEEN is one range.
//! In Visual FoxPro a key of several fields is NULL when any of them is: such records are included in every range.
//!
//! A tag with a FOR condition lists few records. It is used where the conditions of the conjunction, and of those
//! around it, imply the FOR condition (`listing.rs`); without a condition on its keys, for all records that it lists.

use super::bounds::{self, KeyBounds, Leaf, TagRanges};
use super::indexes::{IndexSet, Indexes, SetTag};
use super::state::State;
use super::tag::TableTag;
use mainstay_columnar::{Access, Comparison, KeyRange, Sought, Term, Test};
use std::ops::Bound;

/// The access by usable tags that narrows the rows of a condition, if there is one.
pub(crate) fn plan(indexes: &Indexes, state: &State, sought: &Sought, visible_only: bool) -> Option<Access> {
    let set = indexes.current(state)?;
    let planner = Planner { set: &set, state, visible_only };
    planner.plan(sought, &[])
}

struct Planner<'a> {
    set: &'a IndexSet,
    state: &'a State,
    visible_only: bool,
}

/// A tag that answers some of the conditions of a conjunction.
struct Answer<'a> {
    set_tag: &'a SetTag,
    tag: &'a TableTag,
    ranges: TagRanges,
}

impl Planner<'_> {
    /// `known` holds of all rows that are wanted, whatever `sought` says.
    fn plan(&self, sought: &Sought, known: &[&Sought]) -> Option<Access> {
        match sought {
            Sought::And(_) => self.conjunction(&sought.conjuncts(), known),
            Sought::Or(parts) => {
                let parts: Option<Vec<Access>> = parts.iter().map(|part| self.plan(part, known)).collect();
                one_or(parts?, Access::Or)
            }
            Sought::Leaf(..) => self.conjunction(&[sought], known),
            Sought::Any => None,
        }
    }

    fn conjunction(&self, parts: &[&Sought], known: &[&Sought]) -> Option<Access> {
        let known: Vec<&Sought> = parts.iter().chain(known).copied().collect();
        let asked: Vec<(usize, (Term, Test))> =
            parts.iter().enumerate().filter_map(|(place, part)| Some((place, asked_by(part)?))).collect();
        let leaves: Vec<Leaf<'_>> = asked.iter().map(|(_, (term, test))| (term, test)).collect();
        let (mut all, is_answered) = self.by_keys(&leaves, &known);
        let answered = asked.iter().zip(is_answered).filter(|(_, is_answered)| *is_answered);
        let answered: Vec<usize> = answered.map(|((place, _), _)| *place).collect();
        for (place, part) in parts.iter().enumerate() {
            if matches!(part, Sought::Or(_)) && !answered.contains(&place) {
                all.extend(self.plan(part, &known));
            }
        }
        one_or(all, Access::And).or_else(|| self.all_listed(&known))
    }

    /// The accesses by tags for the conditions, and the conditions that they answer: for each open one the tag that
    /// answers the most of them.
    fn by_keys(&self, leaves: &[Leaf<'_>], known: &[&Sought]) -> (Vec<Access>, Vec<bool>) {
        let (mut all, mut is_answered) = (Vec::new(), vec![false; leaves.len()]);
        let mut answers = if leaves.is_empty() { Vec::new() } else { self.answers(leaves, known) };
        for place in 0..leaves.len() {
            while !is_answered[place] {
                let of_place = answers.iter().enumerate().filter(|(_, answer)| answer.ranges.answered.contains(&place));
                // Of tags that answer as many of them, the first.
                let best = of_place.rev().max_by_key(|(_, answer)| answer.ranges.answered.len());
                let Some((best, _)) = best else { break };
                let answer = answers.remove(best);
                if answer.set_tag.agrees(self.state) {
                    answer.ranges.answered.iter().for_each(|place| is_answered[*place] = true);
                    all.push(self.access(&answer, leaves));
                }
            }
        }
        (all, is_answered)
    }

    fn answers(&self, leaves: &[Leaf<'_>], known: &[&Sought]) -> Vec<Answer<'_>> {
        let files = &self.state.files;
        let answer = |(set_tag, tag)| {
            let ranges = bounds::ranges(tag, files, leaves)?;
            Some(Answer { set_tag, tag, ranges })
        };
        let lists_enough = |tag: &TableTag| tag.lists_all_of(files, known, self.visible_only);
        // A tag's listing is checked only if its keys answer a condition.
        self.set.usable().filter_map(answer).filter(|answer| lists_enough(answer.tag)).collect()
    }

    fn access(&self, answer: &Answer<'_>, leaves: &[Leaf<'_>]) -> Access {
        let index = answer.set_tag.number;
        let title = self.set.title(index, answer.tag);
        let keys = |KeyBounds { lower, upper }: KeyBounds, text: &str| {
            Access::Keys(KeyRange { index, text: format!("{title}: {text}"), lower, upper })
        };
        let mut any: Vec<Access> =
            answer.ranges.ranges.iter().map(|(bounds, text)| keys(bounds.clone(), text)).collect();
        let answered = answer.ranges.answered.iter().map(|place| leaves[*place].0);
        let columns: Vec<usize> = answered.flat_map(Term::columns).collect();
        any.extend(bounds::hidden(answer.tag, &self.state.files, &columns).map(|bounds| keys(bounds, "NULL")));
        one_or(any, Access::Or).unwrap_or(Access::Or(Vec::new()))
    }

    /// All that a tag with a FOR condition lists, where that is all that is wanted.
    fn all_listed(&self, known: &[&Sought]) -> Option<Access> {
        let files = &self.state.files;
        let is_listing = |(_, tag): &(&SetTag, &TableTag)| {
            tag.is_conditional() && !tag.header().unique && tag.lists_all_of(files, known, self.visible_only)
        };
        let (set_tag, tag) = self.set.usable().filter(is_listing).find(|(set_tag, _)| set_tag.agrees(self.state))?;
        let condition = tag.header().for_text().unwrap_or_default();
        let text = format!("{}: FOR {condition}", self.set.title(set_tag.number, tag));
        let (lower, upper) = (Bound::Unbounded, Bound::Unbounded);
        Some(Access::Keys(KeyRange { index: set_tag.number, text, lower, upper }))
    }
}

/// The term and the test of a condition over one term: a leaf, or one of several values.
fn asked_by(sought: &Sought) -> Option<(Term, Test)> {
    match sought {
        Sought::Leaf(term, test) => Some((term.clone(), test.clone())),
        Sought::Or(any) => {
            let mut values = Vec::with_capacity(any.len());
            let mut of = None;
            for part in any {
                let (term, more) = match asked_by(part)? {
                    (term, Test::Compare(Comparison::Equal, value)) => (term, vec![value]),
                    (term, Test::In(values)) => (term, values),
                    _ => return None,
                };
                values.extend(more);
                if *of.get_or_insert_with(|| term.clone()) != term {
                    return None;
                }
            }
            of.map(|term| (term, Test::In(values)))
        }
        _ => None,
    }
}

fn one_or(mut parts: Vec<Access>, many: fn(Vec<Access>) -> Access) -> Option<Access> {
    match parts.len() {
        0 => None,
        1 => parts.pop(),
        _ => Some(many(parts)),
    }
}
