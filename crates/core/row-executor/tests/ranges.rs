//! Ranges of indexes give the rows that their conditions hold for, whatever the bounds are.

use mainstay_columnar::Comparison;
use mainstay_row_executor::{Block, Buffer, Expression, Outcome, ParameterType, Plan, Role, Scratch, Source};
use mainstay_store::{ColumnDefinition, Isolation, NativeTable, Shown, Store, TableDefinition};
use mainstay_types::{Decimal, SqlType, ValueRef};
use std::sync::Arc;

const WAYS: [Comparison; 5] =
    [Comparison::Equal, Comparison::Less, Comparison::LessOrEqual, Comparison::Greater, Comparison::GreaterOrEqual];

/// `(a INTEGER NOT NULL, b BIGINT NOT NULL, c INTEGER)`, the key `(a, b)`, an index of `c`; c is sometimes NULL.
fn table() -> (Store, Arc<NativeTable>, Vec<[Option<i64>; 3]>) {
    let column = |name: &str, sql_type| ColumnDefinition::new(name, sql_type, true);
    let columns = vec![column("a", SqlType::Integer), column("b", SqlType::BigInt), column("c", SqlType::Integer)];
    let definition = TableDefinition::new("t", columns).with_primary_key(&[0, 1]).with_index("by_c", &[2], false);
    let store = Store::in_memory();
    let table = store.create_table(definition).unwrap();
    let mut rows = Vec::new();
    for a in -2..3i64 {
        for b in [i64::MIN, -1, 0, 1, i64::MAX] {
            let c = (b != 0).then_some((a * 7 + b.signum()) % 4);
            rows.push([Some(a), Some(b), c]);
        }
    }
    let mut transaction = store.begin(Isolation::ReadCommitted);
    for row in &rows {
        let values = row.map(|value| value.map_or(ValueRef::Null, ValueRef::Integer));
        table.insert(&mut transaction, &values[..]).unwrap();
    }
    transaction.commit().unwrap();
    (store, table, rows)
}

/// The rows for which columns compare so with parameters.
fn found(
    store: &Store,
    table: &Arc<NativeTable>,
    asked: &[(usize, Comparison, ValueRef<'_>)],
) -> Vec<[Option<i64>; 3]> {
    let of_column = |column| Expression::Column { source: 0, column };
    let condition = |(number, (column, op, _)): (usize, &(usize, Comparison, ValueRef<'_>))| match number % 2 {
        0 => Expression::compare(*op, of_column(*column), Expression::Parameter(number)),
        _ => Expression::compare(op.mirrored(), Expression::Parameter(number), of_column(*column)),
    };
    let kind = |(.., value): &(usize, Comparison, ValueRef<'_>)| match value {
        ValueRef::Decimal(_) => ParameterType::Decimal { precision: 20, scale: 1 },
        _ => ParameterType::Integer(64),
    };
    let block = Block {
        sources: vec![Source { table: Arc::new(Shown(Arc::clone(table))), role: Role::Inner }],
        conditions: asked.iter().enumerate().map(condition).collect(),
        output: (0..3).map(of_column).collect(),
        parameters: asked.iter().map(kind).collect(),
        ..Block::default()
    };
    let values: Vec<ValueRef<'_>> = asked.iter().map(|(.., value)| *value).collect();
    let (mut scratch, mut buffer) = (Scratch::default(), Buffer::default());
    let mut reader = store.begin(Isolation::ReadCommitted);
    let view = reader.begin_statement().unwrap();
    let plan = Plan::of(block).unwrap();
    assert_eq!(plan.run(view, &values, &mut scratch, &mut buffer).unwrap(), Outcome::Done);
    let cell = |row: usize, column: usize| match buffer.value(row, column) {
        ValueRef::Integer(number) => Some(number),
        _ => None,
    };
    let mut rows: Vec<_> = (0..buffer.len()).map(|row| [cell(row, 0), cell(row, 1), cell(row, 2)]).collect();
    rows.sort_unstable();
    rows
}

/// Returns true if a number compares so with a bound; NULL never does.
fn holds(value: Option<i64>, op: Comparison, bound: ValueRef<'_>) -> bool {
    let (Some(value), Some(bound)) = (value, bound.as_decimal()) else { return false };
    op.holds(Decimal::new(i128::from(value), 0).partial_cmp(&bound).unwrap())
}

#[test]
fn one_bound_and_two() {
    let (store, table, rows) = table();
    let halves = [-5i128, 5, 25].map(|tenths| ValueRef::Decimal(Decimal::new(tenths, 1)));
    let whole = [i64::MIN, -3, -1, 0, 2, 1 << 40, i64::MAX].map(ValueRef::Integer);
    let bounds: Vec<ValueRef<'_>> = whole.into_iter().chain(halves).chain([ValueRef::Null]).collect();
    for column in 0..3 {
        for (first, one) in WAYS.iter().flat_map(|op| bounds.iter().map(move |bound| (*op, *bound))) {
            let expected = |asked: &[(usize, Comparison, ValueRef<'_>)]| {
                let all =
                    |row: &&[Option<i64>; 3]| asked.iter().all(|(column, op, bound)| holds(row[*column], *op, *bound));
                let mut rows: Vec<_> = rows.iter().filter(all).copied().collect();
                rows.sort_unstable();
                rows
            };
            let asked = [(column, first, one)];
            assert_eq!(found(&store, &table, &asked), expected(&asked), "{asked:?}");
            for (second, other) in WAYS.iter().flat_map(|op| bounds.iter().map(move |bound| (*op, *bound))) {
                let asked = [(column, first, one), (column, second, other)];
                assert_eq!(found(&store, &table, &asked), expected(&asked), "{asked:?}");
                let asked = [(0, Comparison::Equal, ValueRef::Integer(1)), asked[0], asked[1]];
                assert_eq!(found(&store, &table, &asked), expected(&asked), "{asked:?}");
            }
        }
    }
}
