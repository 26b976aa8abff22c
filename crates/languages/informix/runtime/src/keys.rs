//! The rows of sysindexes, sysconstraints, sysreferences and syschecks.
//!
//! Drivers join the three by the name of the index that keeps a constraint. A server has an index for each reference, too; the
//! core needs none, so one of the reference's name is shown.

use crate::catalog::{FIRST_TABLE, Reader, Rows};
use mainstay_engine::definitions::{IndexColumn, ReferentialAction, TableDefinition};
use mainstay_informix_syntax::reduce::text_literal;

/// The most columns of an index that sysindexes shows.
const INDEX_PARTS: usize = 16;

/// A constraint of a table, and the columns that it is about, by their numbers from 1.
struct Constraint {
    name: String,
    kind: &'static str,
    columns: Vec<i64>,
    /// The table and columns that it refers to, and the rule of ON DELETE.
    refers_to: Option<(u64, Vec<u64>, &'static str)>,
}

fn number(definition: &TableDefinition, id: u64) -> i64 {
    let place = definition.columns.iter().position(|column| column.id == id);
    place.and_then(|place| i64::try_from(place + 1).ok()).unwrap_or(0)
}

fn numbers(definition: &TableDefinition, columns: &[IndexColumn]) -> Vec<i64> {
    let signed = |column: &IndexColumn| number(definition, column.column) * if column.descending { -1 } else { 1 };
    columns.iter().map(signed).collect()
}

fn of_table(definition: &TableDefinition) -> Vec<Constraint> {
    let key = |kind| {
        move |(name, columns): (&String, Vec<i64>)| Constraint { name: name.clone(), kind, columns, refers_to: None }
    };
    let primary = definition.primary_key.iter().map(|known| (&known.name, numbers(definition, &known.columns)));
    let unique = definition.unique.iter().map(|known| (&known.name, numbers(definition, &known.columns)));
    let mut all: Vec<Constraint> = primary.map(key("P")).chain(unique.map(key("U"))).collect();
    for known in &definition.foreign_keys {
        let rule = if known.on_delete == ReferentialAction::Cascade { "C" } else { "R" };
        all.push(Constraint {
            name: known.name.clone(),
            kind: "R",
            columns: known.columns.iter().map(|id| number(definition, *id)).collect(),
            refers_to: Some((known.referenced_table, known.referenced_columns.clone(), rule)),
        });
    }
    for known in &definition.checks {
        all.push(Constraint { name: known.name.clone(), kind: "C", columns: Vec::new(), refers_to: None });
    }
    all
}

/// The native tables with their places among all tables.
fn definitions(reader: &Reader<'_>) -> Vec<(usize, TableDefinition)> {
    let names = reader.tables.iter().enumerate();
    names.filter_map(|(place, info)| Some((place, reader.core.table_definition(&info.name.to_lowercase())?))).collect()
}

/// All constraints, with the places of their tables. The number of one is its place here, from 1.
fn all_constraints(definitions: &[(usize, TableDefinition)]) -> Vec<(usize, Constraint)> {
    let of_one = |(place, definition): &(usize, TableDefinition)| {
        let place = *place;
        of_table(definition).into_iter().map(move |constraint| (place, constraint))
    };
    definitions.iter().flat_map(of_one).collect()
}

pub(crate) fn constraints(reader: &mut Reader<'_>) -> Rows {
    let owner = reader.owner();
    let all = all_constraints(&definitions(reader));
    let row = |(number, (place, constraint)): (usize, &(usize, Constraint))| {
        let index = if constraint.kind == "C" { "" } else { &constraint.name };
        vec![
            (number + 1).to_string(),
            text_literal(&constraint.name),
            owner.clone(),
            (FIRST_TABLE + place).to_string(),
            text_literal(constraint.kind),
            text_literal(index),
        ]
    };
    all.iter().enumerate().map(row).collect()
}

/// Characters of a condition in one row of syschecks.
const CHECK_PIECE: usize = 32;

/// The conditions of CHECK constraints in pieces, as they are kept: type `T` is the text. The compiled form, type `B`, has no
/// counterpart here.
pub(crate) fn checks(reader: &mut Reader<'_>) -> Rows {
    let definitions = definitions(reader);
    let all = all_constraints(&definitions);
    let mut rows = Vec::new();
    for (number, (place, constraint)) in all.iter().enumerate().filter(|(_, (_, known))| known.kind == "C") {
        let definition = definitions.iter().find(|(known, _)| known == place);
        let known = definition.and_then(|(_, found)| found.checks.iter().find(|check| check.name == constraint.name));
        let letters: Vec<char> = known.map_or("", |check| &check.text).chars().collect();
        for (piece, letters) in letters.chunks(CHECK_PIECE).enumerate() {
            let text: String = letters.iter().collect();
            let (id, sequence) = ((number + 1).to_string(), piece.to_string());
            rows.push(vec![id, text_literal("T"), sequence, text_literal(&text)]);
        }
    }
    rows
}

pub(crate) fn references(reader: &mut Reader<'_>) -> Rows {
    let definitions = definitions(reader);
    let all = all_constraints(&definitions);
    let mut rows = Vec::new();
    for (child, (_, constraint)) in all.iter().enumerate() {
        let Some((table, columns, rule)) = &constraint.refers_to else { continue };
        let Some((place, parent)) = definitions.iter().find(|(_, definition)| definition.id == *table) else {
            continue;
        };
        let wanted: Vec<i64> = columns.iter().map(|id| number(parent, *id)).collect();
        let is_key =
            |(at, known): &(usize, Constraint)| at == place && known.refers_to.is_none() && known.columns == wanted;
        let Some(key) = all.iter().position(is_key) else { continue };
        let mut row = vec![(child + 1).to_string(), (key + 1).to_string(), (FIRST_TABLE + place).to_string()];
        row.extend(["R", rule, "N", "N"].map(text_literal));
        rows.push(row);
    }
    rows
}

fn index_row(name: &str, owner: &str, place: usize, is_unique: bool, columns: &[i64]) -> Vec<String> {
    let kind = text_literal(if is_unique { "U" } else { "D" });
    let mut row = vec![text_literal(name), owner.to_owned(), (FIRST_TABLE + place).to_string(), kind, text_literal("")];
    row.extend((0..INDEX_PARTS).map(|part| columns.get(part).copied().unwrap_or(0).to_string()));
    row.extend(["1".to_owned(), "0".to_owned(), "0".to_owned(), "0".to_owned()]);
    row
}

pub(crate) fn indexes(reader: &mut Reader<'_>) -> Rows {
    let owner = reader.owner();
    let native = definitions(reader);
    let mut rows = Vec::new();
    for (place, definition) in &native {
        for constraint in of_table(definition).iter().filter(|constraint| constraint.kind != "C") {
            rows.push(index_row(&constraint.name, &owner, *place, constraint.kind != "R", &constraint.columns));
        }
        for index in &definition.indexes {
            rows.push(index_row(&index.name, &owner, *place, index.unique, &numbers(definition, &index.columns)));
        }
    }
    for place in (0..reader.tables.len()).filter(|place| !native.iter().any(|(known, _)| known == place)) {
        let name = reader.tables[place].name.clone();
        let known = reader.columns(&name);
        for index in &reader.tables[place].indexes {
            // Keys of files are expressions; the first column of one that is a column is shown.
            let column = known.iter().position(|(known, _)| known.eq_ignore_ascii_case(index.key.trim()));
            let columns: Vec<i64> = column.and_then(|place| i64::try_from(place + 1).ok()).into_iter().collect();
            rows.push(index_row(&index.name, &owner, place, index.unique, &columns));
        }
    }
    rows
}

/// The rows of sysindices: those of sysindexes, with the numbers of the columns in one text.
pub(crate) fn index_keys(reader: &mut Reader<'_>) -> Rows {
    let row = |row: Vec<String>| {
        let mut cells = row.into_iter();
        let mut row: Vec<String> = cells.by_ref().take(5).collect();
        let parts: Vec<String> = cells.take(INDEX_PARTS).filter(|part| part != "0").collect();
        row.extend(["1".to_owned(), "0.0".to_owned(), "0.0".to_owned(), "0.0".to_owned(), "0.0".to_owned()]);
        row.push(text_literal(&parts.join(", ")));
        row
    };
    indexes(reader).into_iter().map(row).collect()
}
