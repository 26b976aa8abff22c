//! Comparison of table definitions without their numbers, for the reuse of compiled statements.
//!
//! A table that is dropped and created again has other numbers: its own, and those of its columns, keys and sequences. A
//! statement that was compiled for the old table is valid for the new one if nothing else differs, since compiled
//! statements refer to columns and indexes by their places. Tables with references never compare as alike, because the
//! referenced table may be another one by now.

use mainstay_store::files::catalog::{IndexColumn, IndexDefinition, KeyDefinition, TableDefinition};

/// Returns true if a statement that was compiled for one of these tables is valid for the other.
pub(crate) fn are_alike(one: &TableDefinition, other: &TableDefinition) -> bool {
    one == other || (has_same_columns(one, other) && has_same_keys(one, other) && one.checks == other.checks)
}

fn has_same_columns(one: &TableDefinition, other: &TableDefinition) -> bool {
    one.name == other.name
        && one.columns.len() == other.columns.len()
        && one.columns.iter().zip(&other.columns).all(|(one, other)| {
            one.name == other.name
                && one.sql_type == other.sql_type
                && one.declared == other.declared
                && one.not_null == other.not_null
                && one.default == other.default
                && one.check == other.check
                && one.computed == other.computed
                && one.identity.as_ref().map(|it| it.always) == other.identity.as_ref().map(|it| it.always)
        })
}

fn has_same_keys(one: &TableDefinition, other: &TableDefinition) -> bool {
    let columns = |a: &[IndexColumn], b: &[IndexColumn]| {
        let place = |table: &TableDefinition, id: u64| table.columns.iter().position(|column| column.id == id);
        a.len() == b.len()
            && a.iter().zip(b).all(|(a, b)| {
                a.descending == b.descending
                    && place(one, a.column).is_some_and(|at| Some(at) == place(other, b.column))
            })
    };
    let key = |a: &KeyDefinition, b: &KeyDefinition| {
        a.name == b.name && a.nulls_not_distinct == b.nulls_not_distinct && columns(&a.columns, &b.columns)
    };
    let index = |a: &IndexDefinition, b: &IndexDefinition| {
        a.name == b.name
            && a.unique == b.unique
            && a.nulls_not_distinct == b.nulls_not_distinct
            && columns(&a.columns, &b.columns)
            && a.filter.is_empty()
            && b.filter.is_empty()
    };
    let primary = match (&one.primary_key, &other.primary_key) {
        (None, None) => true,
        (Some(a), Some(b)) => key(a, b),
        _ => false,
    };
    primary
        && one.foreign_keys.is_empty()
        && other.foreign_keys.is_empty()
        && one.unique.len() == other.unique.len()
        && one.unique.iter().zip(&other.unique).all(|(a, b)| key(a, b))
        && one.indexes.len() == other.indexes.len()
        && one.indexes.iter().zip(&other.indexes).all(|(a, b)| index(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_store::files::catalog::{ColumnDefinition, IdentityDefinition};
    use mainstay_types::SqlType;

    fn table(first: u64) -> TableDefinition {
        let column = |place: u64, name: &str| ColumnDefinition {
            id: first + place,
            name: name.to_owned(),
            sql_type: SqlType::Integer,
            declared: Some("int".to_owned()),
            not_null: false,
            default: None,
            check: None,
            identity: (place == 1).then_some(IdentityDefinition { sequence: first + 10, always: false }),
            computed: None,
        };
        let part = |column| IndexColumn { column, descending: false };
        let key = KeyDefinition {
            id: first + 20,
            name: "t_pkey".to_owned(),
            columns: vec![part(first + 1)],
            nulls_not_distinct: false,
        };
        let columns = vec![part(first + 2), part(first + 1)];
        let index = IndexDefinition {
            id: first + 21,
            name: "by_b".to_owned(),
            unique: false,
            columns,
            nulls_not_distinct: false,
            filter: Vec::new(),
        };
        TableDefinition {
            id: first,
            schema: 1,
            name: "t".to_owned(),
            columns: vec![column(1, "a"), column(2, "b")],
            primary_key: Some(key),
            unique: Vec::new(),
            checks: Vec::new(),
            foreign_keys: Vec::new(),
            indexes: vec![index],
        }
    }

    #[test]
    fn only_numbers_may_differ() {
        assert!(are_alike(&table(100), &table(100)));
        assert!(are_alike(&table(100), &table(700)));
        let differs = |change: fn(&mut TableDefinition)| {
            let mut other = table(700);
            change(&mut other);
            assert!(!are_alike(&table(100), &other), "{other:?}");
        };
        differs(|other| other.name = "u".to_owned());
        differs(|other| other.columns[0].name = "c".to_owned());
        differs(|other| other.columns[1].sql_type = SqlType::BigInt);
        differs(|other| other.columns[1].declared = None);
        differs(|other| other.columns[1].not_null = true);
        differs(|other| other.columns[1].default = Some("1".to_owned()));
        differs(|other| other.columns[1].check = Some("b > 1".to_owned()));
        differs(|other| other.columns[0].identity = None);
        differs(|other| other.columns.swap(0, 1));
        differs(|other| drop(other.columns.pop()));
        differs(|other| other.primary_key = None);
        differs(|other| other.indexes[0].unique = true);
        differs(|other| other.indexes[0].columns.swap(0, 1));
        differs(|other| other.indexes[0].columns[0].descending = true);
        differs(|other| other.indexes.clear());
    }
}
