//! Rushmore: which parts of a condition are answered by ranges of keys.
//!
//! A conjunction may leave parts out (the scan applies the whole condition anyway), a disjunction may not.
//! Ranges of one tag in a conjunction become one range, so BETWEEN is one. In Visual FoxPro a key of several fields is NULL
//! when any of them is: such records are taken along with every range.

use super::bounds::{self, KeyBounds};
use super::indexes::{IndexSet, Indexes};
use super::state::State;
use mainstay_base::Value;
use mainstay_table::{Access, Comparison, KeyRange, Predicate};

/// How the usable tags narrow down the rows of a condition, if they do.
pub(crate) fn plan(indexes: &Indexes, state: &State, predicate: &Predicate, visible_only: bool) -> Option<Access> {
    let set = indexes.current(state)?;
    let planner = Planner { set: &set, state, visible_only };
    planner.plan(predicate)
}

struct Planner<'a> {
    set: &'a IndexSet,
    state: &'a State,
    visible_only: bool,
}

/// The range of a condition on the keys of a tag, if the tag has one.
type BoundsOf<'a> = Box<dyn Fn(&super::tag::TableTag) -> Option<KeyBounds> + 'a>;

/// A range, with the tag it belongs to.
struct TagRange {
    index: usize,
    bounds: KeyBounds,
    text: String,
    /// The keys that are NULL because another field is, with what they are called.
    hidden: Option<(KeyBounds, String)>,
}

impl Planner<'_> {
    fn plan(&self, predicate: &Predicate) -> Option<Access> {
        match predicate {
            Predicate::And(parts) => self.conjunction(parts),
            Predicate::Or(parts) => {
                let parts: Option<Vec<Access>> = parts.iter().map(|part| self.plan(part)).collect();
                one_or(parts?, Access::Or)
            }
            Predicate::In { column, values, negated: false } => {
                let equal = |value: &Value| {
                    self.leaf(&Predicate::Compare { column: *column, op: Comparison::Equal, value: value.clone() })
                };
                let parts: Option<Vec<Access>> = values.iter().map(|value| equal(value).map(into_access)).collect();
                one_or(parts?, Access::Or)
            }
            leaf => self.leaf(leaf).map(into_access),
        }
    }

    fn conjunction(&self, parts: &[Predicate]) -> Option<Access> {
        let (mut ranges, mut others): (Vec<TagRange>, Vec<Access>) = (Vec::new(), Vec::new());
        for part in flattened(parts) {
            match self.leaf(part) {
                Some(range) => match ranges.iter_mut().find(|known| known.index == range.index) {
                    Some(known) => {
                        known.bounds = known.bounds.clone().and(range.bounds);
                        known.text = format!("{} and {}", known.text, condition_of(&range.text));
                    }
                    None => ranges.push(range),
                },
                None if matches!(part, Predicate::Or(_) | Predicate::In { .. }) => others.extend(self.plan(part)),
                None => {}
            }
        }
        let mut all: Vec<Access> = ranges.into_iter().map(into_access).collect();
        all.append(&mut others);
        one_or(all, Access::And)
    }

    /// The range of one comparison, on the first tag that has one.
    fn leaf(&self, predicate: &Predicate) -> Option<TagRange> {
        let (column, make): (usize, BoundsOf<'_>) = match predicate {
            Predicate::Compare { column, op, value } if *op != Comparison::NotEqual => {
                (*column, Box::new(|tag| bounds::compare(tag, &self.state.files, *column, *op, value)))
            }
            Predicate::Like { column, pattern, escape: None, case_insensitive: false, negated: false } => {
                let end = pattern.find(['%', '_', '\\'])?;
                let head = &pattern[..end];
                (*column, Box::new(move |tag| bounds::begins_with(tag, &self.state.files, *column, head)))
            }
            Predicate::Null { column, negated: false } => (*column, Box::new(|tag| bounds::blank_date(tag, *column))),
            _ => return None,
        };
        let found = self.set.usable(self.visible_only).find_map(|(tag, of_table)| {
            let bounds = make(of_table)?;
            tag.agrees(self.state).then_some((tag.number, of_table, bounds))
        });
        let (index, tag, bounds) = found?;
        let name = self.state.files.dbf.fields().get(column).map_or("", |field| field.name.as_str());
        let names: Vec<&str> = (0..=column).map(|_| name).collect();
        let title = self.set.title(index, tag);
        let hidden = bounds::hidden(tag, &self.state.files, column).map(|keys| (keys, format!("{title}: NULL")));
        Some(TagRange { index, bounds, text: format!("{title}: {}", predicate.display(&names)), hidden })
    }
}

/// The conditions of nested conjunctions.
fn flattened(parts: &[Predicate]) -> Vec<&Predicate> {
    parts
        .iter()
        .flat_map(|part| match part {
            Predicate::And(inner) => flattened(inner),
            other => vec![other],
        })
        .collect()
}

fn condition_of(text: &str) -> &str {
    text.split_once(": ").map_or(text, |(_, condition)| condition)
}

fn into_access(range: TagRange) -> Access {
    let TagRange { index, bounds, text, hidden } = range;
    let keys = |KeyBounds { lower, upper }, text| Access::Keys(KeyRange { index, text, lower, upper });
    match hidden {
        None => keys(bounds, text),
        Some((hidden, of_hidden)) => Access::Or(vec![keys(bounds, text), keys(hidden, of_hidden)]),
    }
}

fn one_or(mut parts: Vec<Access>, many: fn(Vec<Access>) -> Access) -> Option<Access> {
    match parts.len() {
        0 => None,
        1 => parts.pop(),
        _ => Some(many(parts)),
    }
}
