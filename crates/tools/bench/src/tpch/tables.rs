//! The eight tables: columns with their types (clause 1.4.1), and their rows as Arrow batches.
//!
//! Identifiers are BIGINT, money and quantities DECIMAL(15,2), texts VARCHAR.

use super::data::words::{INSTRUCTIONS, MODES, NATIONS, PRIORITIES, Pool, REGIONS, SEGMENTS};
use super::data::{Data, random::Random};
use arrow_array::{ArrayRef, Date32Array, Decimal128Array, Int32Array, Int64Array, RecordBatch, StringArray};
use mainstay_types::{Code, Error, Result};
use std::ops::Range;
use std::sync::Arc;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// An identifier of 64 bits.
    Key,
    /// A number of 32 bits.
    Integer,
    /// A decimal with two places.
    Decimal,
    /// A date.
    Date,
    /// A text of at most so many bytes.
    Text(usize),
}

use Kind::{Date, Decimal, Integer, Key, Text};

impl Kind {
    /// The type in SQL.
    pub fn sql(self) -> String {
        match self {
            Key => "BIGINT".into(),
            Integer => "INTEGER".into(),
            Decimal => "DECIMAL(15,2)".into(),
            Date => "DATE".into(),
            Text(length) => format!("VARCHAR({length})"),
        }
    }
}

/// A table of the schema.
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// The columns of its primary key.
    pub key: &'static str,
    /// Names and types of its columns.
    pub columns: &'static [(&'static str, Kind)],
    /// How many rows it has.
    pub rows: fn(&Data) -> usize,
    arrays: fn(&Data, Range<usize>) -> Vec<ArrayRef>,
}

impl Table {
    /// Rows as a batch.
    ///
    /// Errors: `Internal` when the arrays do not fit the columns.
    pub fn batch(&self, data: &Data, rows: Range<usize>) -> Result<RecordBatch> {
        let names = self.columns.iter().map(|(name, _)| *name);
        RecordBatch::try_from_iter(names.zip((self.arrays)(data, rows)))
            .map_err(|error| Error::new(Code::Internal, error.to_string()))
    }
}

/// All tables.
pub const TABLES: [Table; 8] = [
    Table {
        name: "region",
        key: "r_regionkey",
        columns: &[("r_regionkey", Integer), ("r_name", Text(25)), ("r_comment", Text(152))],
        rows: |_| REGIONS.len(),
        arrays: regions,
    },
    Table {
        name: "nation",
        key: "n_nationkey",
        columns: &[("n_nationkey", Integer), ("n_name", Text(25)), ("n_regionkey", Integer), ("n_comment", Text(152))],
        rows: |_| NATIONS.len(),
        arrays: nations,
    },
    Table {
        name: "supplier",
        key: "s_suppkey",
        columns: &[
            ("s_suppkey", Key),
            ("s_name", Text(25)),
            ("s_address", Text(40)),
            ("s_nationkey", Integer),
            ("s_phone", Text(15)),
            ("s_acctbal", Decimal),
            ("s_comment", Text(101)),
        ],
        rows: |data| data.suppliers.len(),
        arrays: suppliers,
    },
    Table {
        name: "part",
        key: "p_partkey",
        columns: &[
            ("p_partkey", Key),
            ("p_name", Text(55)),
            ("p_mfgr", Text(25)),
            ("p_brand", Text(10)),
            ("p_type", Text(25)),
            ("p_size", Integer),
            ("p_container", Text(10)),
            ("p_retailprice", Decimal),
            ("p_comment", Text(23)),
        ],
        rows: |data| data.parts.len(),
        arrays: parts,
    },
    Table {
        name: "partsupp",
        key: "ps_partkey, ps_suppkey",
        columns: &[
            ("ps_partkey", Key),
            ("ps_suppkey", Key),
            ("ps_availqty", Integer),
            ("ps_supplycost", Decimal),
            ("ps_comment", Text(199)),
        ],
        rows: |data| data.part_suppliers.len(),
        arrays: part_suppliers,
    },
    Table {
        name: "customer",
        key: "c_custkey",
        columns: &[
            ("c_custkey", Key),
            ("c_name", Text(25)),
            ("c_address", Text(40)),
            ("c_nationkey", Integer),
            ("c_phone", Text(15)),
            ("c_acctbal", Decimal),
            ("c_mktsegment", Text(10)),
            ("c_comment", Text(117)),
        ],
        rows: |data| data.customers.len(),
        arrays: customers,
    },
    Table {
        name: "orders",
        key: "o_orderkey",
        columns: &[
            ("o_orderkey", Key),
            ("o_custkey", Key),
            ("o_orderstatus", Text(1)),
            ("o_totalprice", Decimal),
            ("o_orderdate", Date),
            ("o_orderpriority", Text(15)),
            ("o_clerk", Text(15)),
            ("o_shippriority", Integer),
            ("o_comment", Text(79)),
        ],
        rows: |data| data.orders.len(),
        arrays: orders,
    },
    Table {
        name: "lineitem",
        key: "l_orderkey, l_linenumber",
        columns: &[
            ("l_orderkey", Key),
            ("l_partkey", Key),
            ("l_suppkey", Key),
            ("l_linenumber", Integer),
            ("l_quantity", Decimal),
            ("l_extendedprice", Decimal),
            ("l_discount", Decimal),
            ("l_tax", Decimal),
            ("l_returnflag", Text(1)),
            ("l_linestatus", Text(1)),
            ("l_shipdate", Date),
            ("l_commitdate", Date),
            ("l_receiptdate", Date),
            ("l_shipinstruct", Text(25)),
            ("l_shipmode", Text(10)),
            ("l_comment", Text(44)),
        ],
        rows: |data| data.lines.len(),
        arrays: lines,
    },
];

fn keys(values: impl Iterator<Item = i64>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values))
}

fn integers(values: impl Iterator<Item = i32>) -> ArrayRef {
    Arc::new(Int32Array::from_iter_values(values))
}

/// Decimals, given in hundredths.
fn decimals(values: impl Iterator<Item = i64>) -> ArrayRef {
    let array = Decimal128Array::from_iter_values(values.map(i128::from));
    Arc::new(array.with_data_type(arrow_schema::DataType::Decimal128(15, 2)))
}

fn dates(values: impl Iterator<Item = i32>) -> ArrayRef {
    Arc::new(Date32Array::from_iter_values(values))
}

fn texts<T: AsRef<str>>(values: impl Iterator<Item = T>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(values))
}

fn letters<'a>(values: impl Iterator<Item = &'a u8>) -> ArrayRef {
    texts(values.map(|letter| char::from(*letter).to_string()))
}

/// Keys of a table that is numbered from 1 on.
fn numbers(rows: &Range<usize>) -> impl Iterator<Item = i64> {
    rows.start as i64 + 1..rows.end as i64 + 1
}

fn fixed_comments(table: u8, rows: Range<usize>, pool: &Pool) -> ArrayRef {
    texts(rows.map(|row| pool.text(pool.comment(&mut Random::of(table, row as u64), 31, 114))))
}

fn regions(data: &Data, rows: Range<usize>) -> Vec<ArrayRef> {
    let names = texts(REGIONS[rows.clone()].iter());
    vec![integers(rows.start as i32..rows.end as i32), names, fixed_comments(b'r', rows, &data.pool)]
}

fn nations(data: &Data, rows: Range<usize>) -> Vec<ArrayRef> {
    let nations = &NATIONS[rows.clone()];
    vec![
        integers(rows.start as i32..rows.end as i32),
        texts(nations.iter().map(|(name, _)| name)),
        integers(nations.iter().map(|(_, region)| i32::from(*region))),
        fixed_comments(b'n', rows, &data.pool),
    ]
}

fn suppliers(data: &Data, rows: Range<usize>) -> Vec<ArrayRef> {
    let all = &data.suppliers[rows.clone()];
    vec![
        keys(numbers(&rows)),
        texts(numbers(&rows).map(|key| format!("Supplier#{key:09}"))),
        texts(all.iter().map(|row| &row.address)),
        integers(all.iter().map(|row| i32::from(row.nation))),
        texts(all.iter().map(|row| &row.phone)),
        decimals(all.iter().map(|row| i64::from(row.balance))),
        texts(all.iter().map(|row| &row.comment)),
    ]
}

fn parts(data: &Data, rows: Range<usize>) -> Vec<ArrayRef> {
    let all = &data.parts[rows.clone()];
    vec![
        keys(numbers(&rows)),
        texts(all.iter().map(|row| row.name_text())),
        texts(all.iter().map(|row| format!("Manufacturer#{}", row.brand.0))),
        texts(all.iter().map(|row| row.brand_text())),
        texts(all.iter().map(|row| row.kind_text())),
        integers(all.iter().map(|row| i32::from(row.size))),
        texts(all.iter().map(|row| row.container_text())),
        decimals(all.iter().map(|row| i64::from(row.price))),
        texts(all.iter().map(|row| data.pool.text(row.comment))),
    ]
}

fn part_suppliers(data: &Data, rows: Range<usize>) -> Vec<ArrayRef> {
    let all = &data.part_suppliers[rows];
    vec![
        keys(all.iter().map(|row| i64::from(row.part))),
        keys(all.iter().map(|row| i64::from(row.supplier))),
        integers(all.iter().map(|row| row.available)),
        decimals(all.iter().map(|row| i64::from(row.cost))),
        texts(all.iter().map(|row| data.pool.text(row.comment))),
    ]
}

fn customers(data: &Data, rows: Range<usize>) -> Vec<ArrayRef> {
    let all = &data.customers[rows.clone()];
    vec![
        keys(numbers(&rows)),
        texts(numbers(&rows).map(|key| format!("Customer#{key:09}"))),
        texts(all.iter().map(|row| &row.address)),
        integers(all.iter().map(|row| i32::from(row.nation))),
        texts(all.iter().map(|row| &row.phone)),
        decimals(all.iter().map(|row| i64::from(row.balance))),
        texts(all.iter().map(|row| SEGMENTS[usize::from(row.segment)])),
        texts(all.iter().map(|row| data.pool.text(row.comment))),
    ]
}

fn orders(data: &Data, rows: Range<usize>) -> Vec<ArrayRef> {
    let all = &data.orders[rows];
    vec![
        keys(all.iter().map(|row| row.key)),
        keys(all.iter().map(|row| i64::from(row.customer))),
        letters(all.iter().map(|row| &row.status)),
        decimals(all.iter().map(|row| row.total)),
        dates(all.iter().map(|row| row.date)),
        texts(all.iter().map(|row| PRIORITIES[usize::from(row.priority)])),
        texts(all.iter().map(|row| format!("Clerk#{:09}", row.clerk))),
        integers(all.iter().map(|_| 0)),
        texts(all.iter().map(|row| data.pool.text(row.comment))),
    ]
}

fn lines(data: &Data, rows: Range<usize>) -> Vec<ArrayRef> {
    let all = &data.lines[rows];
    vec![
        keys(all.iter().map(|row| data.order_of(row).key)),
        keys(all.iter().map(|row| i64::from(row.part))),
        keys(all.iter().map(|row| i64::from(row.supplier))),
        integers(all.iter().map(|row| i32::from(row.number))),
        decimals(all.iter().map(|row| i64::from(row.quantity) * 100)),
        decimals(all.iter().map(|row| i64::from(row.price))),
        decimals(all.iter().map(|row| i64::from(row.discount))),
        decimals(all.iter().map(|row| i64::from(row.tax))),
        letters(all.iter().map(|row| &row.flag)),
        letters(all.iter().map(|row| &row.status)),
        dates(all.iter().map(|row| row.shipped)),
        dates(all.iter().map(|row| row.committed)),
        dates(all.iter().map(|row| row.received)),
        texts(all.iter().map(|row| INSTRUCTIONS[usize::from(row.instruction)])),
        texts(all.iter().map(|row| MODES[usize::from(row.mode)])),
        texts(all.iter().map(|row| data.pool.text(row.comment))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_fit_their_columns_and_every_row_is_there() {
        use arrow_array::cast::AsArray;
        let data = Data::new(6_000);
        for table in &TABLES {
            let rows = (table.rows)(&data);
            let batch = table.batch(&data, 0..rows).unwrap();
            assert_eq!(batch.num_rows(), rows, "{}", table.name);
            for ((name, kind), array) in table.columns.iter().zip(batch.columns()) {
                if let Text(length) = kind {
                    let longest = array.as_string::<i32>().iter().flatten().map(str::len).max();
                    assert!(longest.is_some_and(|longest| longest <= *length), "{name}: {longest:?}");
                }
            }
        }
    }
}
