//! The filter of an index as `sys.indexes` shows it: `([Code] IS NOT NULL AND [Status]='A')`.

use mainstay_engine::definitions::{FilterDefinition, FilterKind, IndexDefinition, TableDefinition};
use mainstay_types::SqlType;

/// The condition of an index of a table, if it has one.
pub(super) fn shown(table: &TableDefinition, index: &IndexDefinition) -> Option<String> {
    let parts: Vec<String> = index.filter.iter().map(|part| part_shown(table, part)).collect();
    (!parts.is_empty()).then(|| format!("({})", parts.join(" AND ")))
}

fn part_shown(table: &TableDefinition, part: &FilterDefinition) -> String {
    let column = table.columns.iter().find(|column| column.id == part.column);
    let name = column.map_or("", |column| &column.name);
    let constant = |text: &String| match column.map(|column| column.sql_type) {
        Some(SqlType::Boolean) => format!("({})", u8::from(text.eq_ignore_ascii_case("true"))),
        Some(sql_type) if is_number(sql_type) => format!("({text})"),
        _ => format!("'{}'", text.replace('\'', "''")),
    };
    let values: Vec<String> = part.values.iter().map(constant).collect();
    let operator = match part.test {
        FilterKind::Null => return format!("[{name}] IS NULL"),
        FilterKind::NotNull => return format!("[{name}] IS NOT NULL"),
        FilterKind::Equal if values.len() > 1 => return format!("[{name}] IN ({})", values.join(", ")),
        FilterKind::Equal => "=",
        FilterKind::NotEqual => "<>",
        FilterKind::Less => "<",
        FilterKind::LessOrEqual => "<=",
        FilterKind::Greater => ">",
        FilterKind::GreaterOrEqual => ">=",
    };
    format!("[{name}]{operator}{}", values.join(""))
}

/// Returns true if constants of the type stand without quotes.
fn is_number(sql_type: SqlType) -> bool {
    use SqlType::{BigInt, Decimal, Double, Integer, Money, Real, SmallInt, TinyInt};
    matches!(sql_type, TinyInt | SmallInt | Integer | BigInt | Decimal { .. } | Money | Real | Double)
}
