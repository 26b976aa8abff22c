//! Generated names of constraints without a name.
//!
//! ```text
//!   PK__Customer__A4AE64D8C52CEC4B     eight characters of the table, sixteen digits; UQ__ as well
//!   FK__OrderDeta__Order__5CD6CB2B     nine of the table, so many of the column that all is thirty, eight digits
//!   CK__Orders__4F7CD00D               of the whole table, or of several columns
//! ```
//!
//! SQL Server's digits are those of object identifiers, and differ from database to database; here they are a hash of
//! the constraint's definition and of a number that distinguishes tables of the same name.

use crate::tree::{Constraint, ConstraintKind, KeyKind, Name};

/// The longest part of the table's name in a key's, and in others.
const OF_TABLE: (usize, usize) = (8, 9);
/// So many characters of table and column together.
const OF_BOTH: usize = 14;

/// A name for a constraint of a table, whose name is the core's; `column` is the one that it stands with.
pub(super) fn made_up(table: &str, constraint: &Constraint, column: Option<&Name>, salt: u64) -> String {
    let shown = table.trim_matches('"').rsplit("\".\"").next().unwrap_or("");
    // The name of a temporary table has its level behind it; a table variable is called by a number.
    let shown = match shown.split_once('@') {
        Some(("", _)) => format!("#{:07X}", hash(shown) & 0xFFF_FFFF),
        Some((name, _)) => name.to_owned(),
        None => shown.to_owned(),
    };
    let first = |text: &str, most: usize| text.chars().take(most).collect::<String>();
    let digits = hash(&format!("{salt}:{table}:{column:?}:{constraint:?}"));
    let short = digits as u32;
    let with_column = |kind: &str, column: Option<&str>| {
        let table = first(&shown, OF_TABLE.1);
        match column {
            Some(column) => format!("{kind}__{table}__{}__{short:08X}", first(column, OF_BOTH - table.chars().count())),
            None => format!("{kind}__{table}__{short:08X}"),
        }
    };
    let own = column.map(|column| &*column.text);
    match &constraint.kind {
        ConstraintKind::Key(index) => {
            let kind = if index.key == KeyKind::Primary { "PK" } else { "UQ" };
            format!("{kind}__{}__{digits:016X}", first(&shown, OF_TABLE.0))
        }
        ConstraintKind::ForeignKey(key) => {
            let only = match &key.columns[..] {
                [column] => Some(&*column.text),
                _ => own,
            };
            with_column("FK", only)
        }
        ConstraintKind::Check(..) => with_column("CK", own),
        ConstraintKind::Default(_, of, _) => with_column("DF", of.as_ref().map(|of| &*of.text).or(own)),
    }
}

/// The name of a constraint of a table that has the name `table` in the core: the given name, or a generated one.
pub fn constraint_name(
    table: &str,
    constraint: &Constraint,
    column: Option<&Name>,
    scope: &dyn super::Scope,
) -> String {
    match &constraint.name {
        Some(name) => name.text.clone(),
        None => made_up(table, constraint, column, scope.salt()),
    }
}

/// Returns true if a name has the form of one that was made up.
pub fn is_made_up(name: &str) -> bool {
    let digits = match name.get(..4) {
        Some("PK__" | "UQ__") => 16,
        Some("FK__" | "CK__" | "DF__") => 8,
        _ => return false,
    };
    let last = name.rsplit("__").next().unwrap_or("");
    last.len() == digits && last.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'F'))
}

/// FNV-1a.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

#[cfg(test)]
mod tests {
    use super::{is_made_up, made_up};
    use crate::tree::{Constraint, StatementKind, TableElement};

    fn names(text: &str) -> Vec<String> {
        let parsed = crate::parse(text, crate::Options::default());
        let Some(StatementKind::CreateTable(create)) = parsed.statements.first().map(|statement| &statement.kind)
        else {
            panic!("no table: {text}")
        };
        let constraints = create.elements.iter().filter_map(|element| match element {
            TableElement::Constraint(constraint) => Some(constraint),
            _ => None,
        });
        let name = |constraint: &Constraint| made_up("\"sales\".\"OrderDetails\"", constraint, None, 7);
        constraints.map(name).collect()
    }

    #[test]
    fn names_have_the_servers_form() {
        let all = names(
            "CREATE TABLE x (a int, PRIMARY KEY (a), UNIQUE (a), CHECK (a > 0), CHECK (a > 1), \
             FOREIGN KEY (OrderNumber) REFERENCES o (a), FOREIGN KEY (a, b) REFERENCES o (a, b))",
        );
        let stems: Vec<&str> = all.iter().map(|name| name.rsplit_once("__").map_or("", |(stem, _)| stem)).collect();
        let wanted =
            ["PK__OrderDet", "UQ__OrderDet", "CK__OrderDeta", "CK__OrderDeta", "FK__OrderDeta__Order", "FK__OrderDeta"];
        assert_eq!(stems, wanted);
        assert!(all.iter().all(|name| is_made_up(name)), "{all:?}");
        assert_eq!(all[0].len(), 30);
        assert_eq!(all[4].len(), 30);
        let mut once = all.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), all.len(), "no two are the same");
        assert!(!is_made_up("PK_Orders") && !is_made_up("PK__Orders__1"));
    }
}
