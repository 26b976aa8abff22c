//! GROUP BY, with its sets of groups.
//!
//! ```text
//!   GROUPING SETS (ROLLUP (a, b), (c))   ->   GROUPING SETS ((a, b), (a), (), (c))
//! ```
//!
//! The core supports ROLLUP and CUBE beside other groups, but not within sets, nor with several values as one.

use super::{Reducer, not_supported};
use crate::tree::{Expr, GroupBy, Grouping};
use mainstay_tsql_types::Message;

/// So many sets of groups one query may have.
const MOST_SETS: usize = 4096;

impl Reducer<'_> {
    /// Writes GROUP BY.
    pub(super) fn group(&mut self, group: &GroupBy) -> Result<(), Message> {
        if group.all {
            return Err(not_supported("GROUP BY ALL below a set operator"));
        }
        self.push(" GROUP BY ");
        if let [Grouping::Tuple(none)] = &group.items[..]
            && none.is_empty()
        {
            self.push("GROUPING SETS (())");
            return Ok(());
        }
        match group.with_cube {
            Some(cube) => {
                self.push(if cube { "CUBE (" } else { "ROLLUP (" });
                self.list(&group.items, |it, item| it.grouping(item))?;
                self.push(")");
                Ok(())
            }
            None => self.list(&group.items, |it, item| it.grouping(item)),
        }
    }

    fn grouping(&mut self, item: &Grouping) -> Result<(), Message> {
        let (word, items) = match item {
            Grouping::Value(value) if is_constant(value) => return Err(Message::numbered(164, &[])),
            Grouping::Value(value) => return self.expression(value),
            Grouping::Tuple(values) => return self.group_of(values),
            Grouping::Rollup(items) if !items.iter().any(is_tuple) => ("ROLLUP (", items),
            Grouping::Cube(items) if !items.iter().any(is_tuple) => ("CUBE (", items),
            Grouping::Rollup(_) | Grouping::Cube(_) | Grouping::Sets(_) => {
                self.push("GROUPING SETS (");
                self.list(sets_of(item)?, |it, set| it.group_of(&set))?;
                self.push(")");
                return Ok(());
            }
        };
        self.push(word);
        self.list(items, |it, item| it.grouping(item))?;
        self.push(")");
        Ok(())
    }

    fn group_of(&mut self, values: &[Expr]) -> Result<(), Message> {
        self.push("(");
        self.list(values, |it, value| it.expression(value))?;
        self.push(")");
        Ok(())
    }
}

/// Returns true if a value has no column in it.
fn is_constant(value: &Expr) -> bool {
    match value {
        Expr::Literal(_) | Expr::Variable(_) => true,
        Expr::Unary(_, operand) => is_constant(operand),
        Expr::Binary(left, _, right) => is_constant(left) && is_constant(right),
        _ => false,
    }
}

fn is_tuple(item: &Grouping) -> bool {
    matches!(item, Grouping::Tuple(_))
}

/// The sets of groups that an item stands for.
///
/// Errors: 10703 for too many.
fn sets_of(item: &Grouping) -> Result<Vec<Vec<Expr>>, Message> {
    let joined = |items: &[Grouping]| -> Result<Vec<Vec<Expr>>, Message> {
        let parts = items.iter().map(|item| Ok(sets_of(item)?.concat()));
        parts.collect()
    };
    let sets = match item {
        Grouping::Value(value) => vec![vec![value.clone()]],
        Grouping::Tuple(values) => vec![values.clone()],
        Grouping::Rollup(items) => {
            let parts = joined(items)?;
            (0..=parts.len()).rev().map(|count| parts[..count].concat()).collect()
        }
        Grouping::Cube(items) => {
            let parts = joined(items)?;
            let count = u32::try_from(parts.len()).ok().and_then(|count| 1usize.checked_shl(count));
            let count = count.filter(|count| *count <= MOST_SETS).ok_or_else(too_many)?;
            // The first set has all parts, the last one none.
            let has = |set: usize, place: usize| set & (1 << (parts.len() - 1 - place)) != 0;
            let chosen = |set: usize| (0..parts.len()).filter(move |place| has(set, *place));
            (0..count).rev().map(|set| chosen(set).flat_map(|place| parts[place].clone()).collect()).collect()
        }
        Grouping::Sets(items) => {
            let mut sets = Vec::new();
            for item in items {
                sets.extend(sets_of(item)?);
                if sets.len() > MOST_SETS {
                    return Err(too_many());
                }
            }
            sets
        }
    };
    Ok(sets)
}

fn too_many() -> Message {
    let text = format!("Too many grouping sets. The maximum number is {MOST_SETS}.");
    Message::error(10703, text).severity(15)
}
