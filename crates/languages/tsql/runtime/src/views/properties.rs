//! Extended properties as the catalog shows them.

use super::{Facts, Rows, View, row};
use crate::catalog::Object;
use crate::definitions::extended_properties::Property;
use crate::session::object_name;

pub(super) static VIEWS: [View; 2] = [
    View {
        name: "sys.extended_properties",
        columns: "class:t class_desc:n60 major_id:i minor_id:i name:n value:z",
        rows: properties,
    },
    // Source of `fn_listextendedproperty`.
    View {
        name: "sys.mainstay_properties",
        columns: "objtype:n objname:n name:n value:z level0type:n level0name:n level1type:n level1name:n level2type:n \
        level2name:n",
        rows: listed,
    },
];

fn properties(facts: &Facts<'_>) -> Rows {
    let row = |property: &Property| {
        let (class, description, major, minor) = place(facts, property)?;
        Some(row![class, description, major, minor, &property.name, &property.value])
    };
    facts.modules.kept().properties.iter().filter_map(row).collect()
}

/// Class, its name, and the numbers of what a property is of; nothing for what is not there any more.
fn place<'p>(facts: &Facts<'_>, property: &'p Property) -> Option<(i64, &'p str, i64, i64)> {
    let [kind, schema, object_kind, object, part_kind, part] = &property.levels;
    if kind.is_empty() {
        return Some((0, "DATABASE", 0, 0));
    }
    if object_kind.is_empty() {
        return Some((3, "SCHEMA", facts.catalog.schema_id(schema)?, 0));
    }
    let quoted = |name: &str| format!("[{}]", name.replace(']', "]]"));
    let found = |name: &str| facts.catalog.find(&object_name(&format!("{}.{}", quoted(schema), quoted(name))));
    let of = found(object)?;
    let plain = |minor: i64| Some((1, "OBJECT_OR_COLUMN", of.id, minor));
    match part_kind.to_ascii_lowercase().as_str() {
        "" => plain(0),
        "column" => plain(of.column(part)?.id),
        "parameter" => Some((2, "PARAMETER", of.id, 1)),
        "index" => {
            let index = of
                .indexes
                .iter()
                .find(|index| index.name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(part)))?;
            Some((7, "INDEX", of.id, index.id))
        }
        // Constraints and triggers are objects of their own.
        _ => {
            let is_it = |known: &&Object| known.parent == of.id && known.name.eq_ignore_ascii_case(part);
            let own = facts.catalog.objects.iter().find(is_it)?;
            Some((1, "OBJECT_OR_COLUMN", own.id, 0))
        }
    }
}

fn listed(facts: &Facts<'_>) -> Rows {
    let row = |property: &Property| {
        let levels = &property.levels;
        let last = levels.chunks(2).rev().find(|level| level.first().is_some_and(|kind| !kind.is_empty()));
        let kind = last.and_then(|level| level.first()).map(|kind| kind.to_uppercase());
        let name = last.and_then(|level| level.get(1)).cloned();
        let mut row = row![kind, name, &property.name, &property.value];
        row.extend(levels.iter().map(crate::views::Cell::cell));
        row
    };
    facts.modules.kept().properties.iter().map(row).collect()
}
