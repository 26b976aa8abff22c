//! The rows of sysviews, sysdefaults, syssequences and syssyntable.
//!
//! Sequences and synonyms have numbers behind those of the tables. The text of a view is the core's, which the engine keeps.
//!
//! Source of codes: "The system catalog tables" in the Guide to SQL: Reference.

use crate::catalog::{FIRST_TABLE, Reader, Rows};
use mainstay_engine::Session;
use mainstay_engine::definitions::SequenceDefinition;
use mainstay_informix_syntax::Type;
use mainstay_informix_syntax::reduce::text_literal;

/// Letters of a view's text in one row of sysviews.
const PIECE: usize = 256;

/// The sequences that no column owns or counts with.
pub(crate) fn free_sequences(core: &Session) -> Vec<SequenceDefinition> {
    let definitions = core.definitions();
    let columns = definitions.shared.tables.iter().flat_map(|table| &table.columns);
    let counting: Vec<u64> = columns.filter_map(|column| Some(column.identity.as_ref()?.sequence)).collect();
    let is_free = |known: &&SequenceDefinition| known.owned_by.is_none() && !counting.contains(&known.id);
    let mut found: Vec<SequenceDefinition> = definitions.shared.sequences.iter().filter(is_free).cloned().collect();
    found.sort_by_key(|known| known.name.to_lowercase());
    found
}

/// Entries of systables beside tables and views: numbers, names and types.
pub(crate) fn others(reader: &mut Reader<'_>) -> Vec<(usize, String, &'static str)> {
    let sequences = free_sequences(reader.core).into_iter().map(|known| (known.name.to_lowercase(), "Q"));
    let synonyms = crate::synonyms::all(reader.core).into_iter().map(|(name, _)| (name, "S"));
    let first = FIRST_TABLE + reader.tables.len();
    let all = sequences.chain(synonyms).enumerate();
    all.map(|(place, (name, kind))| (first + place, name, kind)).collect()
}

pub(crate) fn sequences(reader: &mut Reader<'_>) -> Rows {
    let first = FIRST_TABLE + reader.tables.len();
    let row = |(place, known): (usize, SequenceDefinition)| {
        let mut row = vec![(place + 1).to_string(), (first + place).to_string()];
        // The smallest number has no literal: the sign is an operator before one that is too great.
        let number = |number: i64| format!("CAST('{number}' AS BIGINT)");
        row.extend([known.start, known.increment, known.maximum, known.minimum].map(number));
        row.push(text_literal(if known.cycle { "1" } else { "0" }));
        row
    };
    free_sequences(reader.core).into_iter().enumerate().map(row).collect()
}

pub(crate) fn synonyms(reader: &mut Reader<'_>) -> Rows {
    let first = FIRST_TABLE + reader.tables.len() + free_sequences(reader.core).len();
    let synonyms = crate::synonyms::all(reader.core);
    let number = |name: &str| {
        let place = reader.tables.iter().position(|table| table.name.eq_ignore_ascii_case(name));
        place.map_or_else(|| "NULL".to_owned(), |place| (FIRST_TABLE + place).to_string())
    };
    let row = |(place, (_, target)): (usize, &(String, String))| {
        let null = || "NULL".to_owned();
        vec![(first + place).to_string(), null(), null(), null(), null(), number(target)]
    };
    synonyms.iter().enumerate().map(row).collect()
}

pub(crate) fn views(reader: &mut Reader<'_>) -> Rows {
    let definitions = reader.core.definitions();
    let mut all = Vec::new();
    for (place, info) in reader.tables.iter().enumerate() {
        let view = definitions.shared.views.iter().find(|view| view.name.eq_ignore_ascii_case(&info.name));
        let Some(view) = view else { continue };
        let columns = match view.columns.is_empty() {
            true => String::new(),
            false => format!(" ({})", view.columns.join(", ")),
        };
        let text: Vec<char> = format!("create view {}{columns} as {}", view.name, view.text).chars().collect();
        for (number, piece) in text.chunks(PIECE).enumerate() {
            let piece: String = piece.iter().collect();
            all.push(vec![(FIRST_TABLE + place).to_string(), number.to_string(), text_literal(&piece)]);
        }
    }
    all
}

/// The letter of a default, and its text as the catalog has it: a number or a text as it is written, nothing for the day, the
/// moment and the user.
pub(crate) fn shown_default(text: &str, known: Type) -> (&'static str, Option<String>) {
    let literal = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')).map(|text| text.replace("''", "'"));
    match (known, text.to_ascii_uppercase().as_str()) {
        (Type::Boolean, "TRUE") => ("L", Some("t".to_owned())),
        (Type::Boolean, "FALSE") => ("L", Some("f".to_owned())),
        (_, upper) if literal.is_none() && upper.contains("CURRENT_TIMESTAMP") => ("C", None),
        (_, upper) if literal.is_none() && upper.contains("CURRENT_DATE") => ("T", None),
        _ => ("L", Some(literal.unwrap_or_else(|| text.to_owned()))),
    }
}

pub(crate) fn defaults(reader: &mut Reader<'_>) -> Rows {
    let mut all = Vec::new();
    for place in 0..reader.tables.len() {
        let name = reader.tables[place].name.to_lowercase();
        let Some(definition) = reader.core.table_definition(&name) else { continue };
        let known = reader.columns(&name);
        for (number, column) in definition.columns.iter().enumerate() {
            let Some(text) = &column.default else { continue };
            let kind = known.get(number).map_or(Type::LVarChar(255), |(_, known)| *known);
            let (letter, shown) = shown_default(text.trim(), kind);
            let shown = shown.map_or_else(|| "NULL".to_owned(), |shown| text_literal(&shown));
            let mut row = vec![(FIRST_TABLE + place).to_string(), (number + 1).to_string()];
            row.extend([text_literal(letter), shown, text_literal("T")]);
            all.push(row);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_have_the_letter_of_their_kind() {
        let literal = |text: &str| ("L", Some(text.to_owned()));
        assert_eq!(shown_default("'it''s'", Type::VarChar(9)), literal("it's"));
        assert_eq!(shown_default("5", Type::Integer), literal("5"));
        assert_eq!(shown_default("FALSE", Type::Boolean), literal("f"));
        assert_eq!(shown_default("'current_date'", Type::Char(20)), literal("current_date"));
        assert_eq!(shown_default("current_date", Type::Date), ("T", None));
        assert_eq!(shown_default("CAST(CURRENT_TIMESTAMP AS TIMESTAMP(0))", Type::Date), ("C", None));
    }
}
