//! The target of an UPDATE or DELETE among the sources of its FROM.

use crate::tree::{Expr, JoinKind, ObjectName, Source};

/// The table of a change, where FROM names it.
pub(super) struct Found<'s> {
    /// The table; for a query its alias.
    pub(super) table: ObjectName,
    /// The source itself.
    pub(super) source: &'s Source,
    /// What the statement calls it.
    pub(super) alias: String,
    /// Whether it is a side of an outer join.
    pub(super) is_outer: bool,
}

/// Whether a source is the target: by its alias, or by its name when it has none.
fn is_target(source: &Source, target: &ObjectName) -> bool {
    match source {
        Source::Table(table) => match &table.alias {
            Some(alias) => target.is(&alias.text),
            None => table.name.last().eq_ignore_ascii_case(target.last()),
        },
        Source::Variable(name, alias) => match &alias.name {
            Some(alias) => target.is(&alias.text),
            None => target.is(&name.text),
        },
        Source::Query(_, alias) => alias.name.as_ref().is_some_and(|alias| target.is(&alias.text)),
        _ => false,
    }
}

/// Finds the target in FROM.
pub(super) fn find_target<'s>(from: &'s [Source], target: &ObjectName) -> Option<Found<'s>> {
    from.iter().find_map(|source| find_in(source, target, false)).or_else(|| {
        // `UPDATE t SET ... FROM t AS a`: the only one of this table.
        let mut tables = from.iter().filter_map(|source| match source {
            Source::Table(table) if table.name.last().eq_ignore_ascii_case(target.last()) => Some((source, table)),
            _ => None,
        });
        let (source, table) = tables.next()?;
        let alias = table.alias.as_ref()?.text.clone();
        Some(Found { table: table.name.clone(), source, alias, is_outer: true })
    })
}

fn find_in<'s>(source: &'s Source, target: &ObjectName, is_outer: bool) -> Option<Found<'s>> {
    if is_target(source, target) {
        return match source {
            Source::Table(table) => {
                let alias =
                    table.alias.as_ref().map_or_else(|| table.name.last().to_owned(), |alias| alias.text.clone());
                Some(Found { table: table.name.clone(), source, alias, is_outer })
            }
            Source::Variable(name, alias) => {
                let table = ObjectName { parts: vec![name.clone()], span: name.span };
                let alias = alias.name.as_ref().map_or_else(|| name.text.clone(), |alias| alias.text.clone());
                Some(Found { table, source, alias, is_outer })
            }
            Source::Query(_, alias) => {
                let name = alias.name.clone().unwrap_or_default();
                let (alias, span) = (name.text.clone(), name.span);
                Some(Found { table: ObjectName { parts: vec![name], span }, source, alias, is_outer: true })
            }
            _ => None,
        };
    }
    match source {
        Source::Join(join) => {
            let is_outer = is_outer || !matches!(join.kind, JoinKind::Inner | JoinKind::Cross);
            find_in(&join.left, target, is_outer).or_else(|| find_in(&join.right, target, is_outer))
        }
        Source::Apply(left, ..) => find_in(left, target, true),
        Source::Nested(inner) => find_in(inner, target, is_outer),
        _ => None,
    }
}

/// The sources beside the target, and the conditions of the joins that are taken apart for it.
pub(super) fn flatten<'s>(
    source: &'s Source,
    target: &ObjectName,
    sources: &mut Vec<&'s Source>,
    conditions: &mut Vec<&'s Expr>,
) {
    match source {
        source if is_target(source, target) => {}
        Source::Nested(inner) if find_in(inner, target, false).is_some() => flatten(inner, target, sources, conditions),
        Source::Join(join) if find_in(source, target, false).is_some() => {
            flatten(&join.left, target, sources, conditions);
            flatten(&join.right, target, sources, conditions);
            conditions.extend(&join.condition);
        }
        other => sources.push(other),
    }
}
