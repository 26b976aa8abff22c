//! The target of an UPDATE or DELETE among the sources of its FROM.

use crate::tree::{Expr, JoinKind, Name, ObjectName, Source};

/// The table of a change, where FROM names it.
pub(super) struct Found<'s> {
    /// The table; for a query its alias.
    pub(super) table: ObjectName,
    /// The source itself.
    pub(super) source: &'s Source,
    /// The statement's name for it.
    pub(super) alias: String,
    /// The same as the name of a target, by which it is found in FROM.
    pub(super) called: ObjectName,
    /// True if it is a side of an outer join.
    pub(super) is_outer: bool,
}

/// Returns true if a source is the target: by its alias, or by its name when it has none.
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

/// Finds the target in FROM: by its alias or its name there, or the only source of this table, whatever its alias.
pub(super) fn find_target<'s>(from: &'s [Source], target: &ObjectName) -> Option<Found<'s>> {
    let by_name = from.iter().find_map(|source| find_in(source, target, false));
    by_name.or_else(|| {
        // `UPDATE t SET ... FROM t AS a JOIN u ...`
        let [alias] = &aliases_of(from, target)[..] else { return None };
        let called = ObjectName { parts: vec![(*alias).clone()], span: alias.span };
        from.iter().find_map(|source| find_in(source, &called, false))
    })
}

/// Returns true if several sources are the target, each by another alias.
pub(super) fn is_ambiguous(from: &[Source], target: &ObjectName) -> bool {
    aliases_of(from, target).len() > 1
}

/// The aliases of the sources that are the target's table.
fn aliases_of<'s>(from: &'s [Source], target: &ObjectName) -> Vec<&'s Name> {
    let mut aliases = Vec::new();
    from.iter().for_each(|source| note_aliases(source, target, &mut aliases));
    aliases
}

fn note_aliases<'s>(source: &'s Source, target: &ObjectName, aliases: &mut Vec<&'s Name>) {
    match source {
        Source::Table(table) if is_same(&table.name, target) => aliases.extend(&table.alias),
        Source::Variable(name, alias) if target.is(&name.text) => aliases.extend(&alias.name),
        Source::Join(join) => {
            note_aliases(&join.left, target, aliases);
            note_aliases(&join.right, target, aliases);
        }
        Source::Apply(left, ..) => note_aliases(left, target, aliases),
        Source::Nested(inner) => note_aliases(inner, target, aliases),
        _ => {}
    }
}

/// Returns true if two names are those of one table.
fn is_same(one: &ObjectName, other: &ObjectName) -> bool {
    let schema = |name: &ObjectName| {
        let place = name.parts.len().checked_sub(2);
        let schema = place.and_then(|place| name.parts.get(place)).map_or("", |part| part.text.as_str());
        if schema.is_empty() { "dbo".to_owned() } else { schema.to_lowercase() }
    };
    one.last().eq_ignore_ascii_case(other.last()) && schema(one) == schema(other)
}

fn find_in<'s>(source: &'s Source, target: &ObjectName, is_outer: bool) -> Option<Found<'s>> {
    if is_target(source, target) {
        let called = target.clone();
        return match source {
            Source::Table(table) => {
                let alias =
                    table.alias.as_ref().map_or_else(|| table.name.last().to_owned(), |alias| alias.text.clone());
                Some(Found { table: table.name.clone(), source, alias, called, is_outer })
            }
            Source::Variable(name, alias) => {
                let table = ObjectName { parts: vec![name.clone()], span: name.span };
                let alias = alias.name.as_ref().map_or_else(|| name.text.clone(), |alias| alias.text.clone());
                Some(Found { table, source, alias, called, is_outer })
            }
            Source::Query(_, alias) => {
                let name = alias.name.clone().unwrap_or_default();
                let (alias, span) = (name.text.clone(), name.span);
                Some(Found { table: ObjectName { parts: vec![name], span }, source, alias, called, is_outer: true })
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
