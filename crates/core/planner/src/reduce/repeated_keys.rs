//! Repeated keys in grouping sets: `GROUP BY ROLLUP (n, n)`, `GROUP BY n, CUBE (n, m)`.
//!
//! Groups by `n, n` are those by `n`; the repetition adds sets. The planner requires unique keys in a set, so the sets
//! are written out without the repetitions:
//!
//! ```text
//!   GROUP BY ROLLUP (n, n)     ->   GROUP BY GROUPING SETS ((n), (n), ())
//!   GROUP BY n, CUBE (n, m)    ->   GROUP BY GROUPING SETS ((n, m), (n, m), (n), (n))
//! ```
//!
//! Keys in parentheses are ordinary keys (ISO/IEC 9075-2, 7.13: an ordinary grouping set), where the planner would
//! group by a row of them: `GROUP BY ROLLUP (n), (m, k)` is `GROUP BY ROLLUP (n), m, k`.
//!
//! Limit: two spellings of a key (`n`, `t.n`) are two keys.

use crate::parse::walk::WalkMut;
use datafusion::sql::sqlparser::ast::{Expr, GroupByExpr, Select, Statement, VisitorMut};
use std::ops::ControlFlow;

/// The most sets of one GROUP BY, as in PostgreSQL.
const MOST_SETS: usize = 4_096;

type Set = Vec<Expr>;

/// The statement with each key once in every grouping set.
pub(crate) fn left_out(mut statement: Statement) -> Statement {
    // The visitor does not break.
    let _ = statement.walk_mut(&mut Selects);
    statement
}

struct Selects;

impl VisitorMut for Selects {
    type Break = ();

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        if let GroupByExpr::Expressions(keys, _) = &mut select.group_by {
            flatten(keys);
        }
        if let GroupByExpr::Expressions(keys, modifiers) = &mut select.group_by
            && modifiers.is_empty()
            && keys.iter().any(|key| matches!(key, Expr::Rollup(_) | Expr::Cube(_) | Expr::GroupingSets(_)))
            && let Some(sets) = sets_of(keys)
            && let Some(once) = with_keys_once(&sets)
        {
            *keys = vec![Expr::GroupingSets(once)];
        }
        ControlFlow::Continue(())
    }
}

/// Takes the parentheses off keys; `()` adds none to others.
fn flatten(keys: &mut Vec<Expr>) {
    let is_row = |key: &Expr| matches!(key, Expr::Tuple(_));
    if keys.iter().any(is_row) && !keys.iter().all(|key| matches!(key, Expr::Tuple(parts) if parts.is_empty())) {
        let parts = |key| match key {
            Expr::Tuple(parts) => parts,
            key => vec![key],
        };
        *keys = std::mem::take(keys).into_iter().flat_map(parts).collect();
    }
}

/// The grouping sets that a GROUP BY stands for; `None` if there are too many, or sets within sets.
fn sets_of(keys: &[Expr]) -> Option<Vec<Set>> {
    let mut sets: Vec<Set> = vec![Vec::new()];
    for key in keys {
        let more = sets_of_key(key)?;
        if sets.len() * more.len() > MOST_SETS {
            return None;
        }
        sets = sets.iter().flat_map(|set| more.iter().map(|more| [set.as_slice(), more].concat())).collect();
    }
    Some(sets)
}

fn sets_of_key(key: &Expr) -> Option<Vec<Set>> {
    let is_nested = |part: &Expr| matches!(part, Expr::Rollup(_) | Expr::Cube(_) | Expr::GroupingSets(_));
    Some(match key {
        Expr::GroupingSets(sets) if sets.iter().flatten().any(is_nested) => return None,
        Expr::GroupingSets(sets) => sets.clone(),
        Expr::Rollup(parts) => (0..=parts.len()).rev().map(|length| parts[..length].concat()).collect(),
        Expr::Cube(parts) if parts.len() > MOST_SETS.ilog2() as usize => return None,
        Expr::Cube(parts) => {
            let chosen = |bits: usize| {
                let parts = parts.iter().enumerate().filter(move |(at, _)| bits >> at & 1 == 1);
                parts.flat_map(|(_, part)| part.iter().cloned()).collect()
            };
            (0..1 << parts.len()).rev().map(chosen).collect()
        }
        key => vec![vec![key.clone()]],
    })
}

/// The sets with each key once; `None` if they are so.
fn with_keys_once(sets: &[Set]) -> Option<Vec<Set>> {
    let once = |set: &Set| {
        let mut once: Set = Vec::with_capacity(set.len());
        set.iter().for_each(|key| {
            if !once.contains(key) {
                once.push(key.clone())
            }
        });
        once
    };
    let all: Vec<Set> = sets.iter().map(once).collect();
    (all != sets).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::text::Text;

    fn reduced(group_by: &str) -> String {
        let text = format!("SELECT 1 FROM t GROUP BY {group_by}");
        let statement = left_out(Text::new(&text).unwrap().parse().unwrap()).to_string();
        statement.split_once("GROUP BY ").unwrap().1.to_owned()
    }

    #[test]
    fn sets_with_a_key_twice_are_written_out() {
        assert_eq!(reduced("ROLLUP (n, n)"), "GROUPING SETS ((n), (n), ())");
        assert_eq!(reduced("n, CUBE (n, m)"), "GROUPING SETS ((n, m), (n, m), (n), (n))");
        assert_eq!(reduced("GROUPING SETS ((n, m, n), (n))"), "GROUPING SETS ((n, m), (n))");
        assert_eq!(reduced("ROLLUP ((a, b), (b, c))"), "GROUPING SETS ((a, b, c), (a, b), ())");
    }

    #[test]
    fn keys_in_parentheses_are_keys() {
        assert_eq!(reduced("(a, b), c"), "a, b, c");
        assert_eq!(reduced("ROLLUP (a), (b, c), ()"), "ROLLUP (a), b, c");
        assert_eq!(reduced("ROLLUP (a, b), (b, a)"), "GROUPING SETS ((a, b), (a, b), (b, a))");
        assert_eq!(reduced("()"), "()");
    }

    #[test]
    fn others_are_left_as_they_are() {
        for group_by in ["ROLLUP (n, m)", "n, n", "CUBE (n, m), k", "GROUPING SETS ((n), (n))"] {
            assert_eq!(reduced(group_by), group_by);
        }
    }
}
