//! Column files: every type in every form comes back, forms are chosen by the values, and files of others are refused.

use super::columns::{decode, encode};
use super::every_way::compare;
use super::*;
use crate::column::encoded::{Form, StoredColumn};
use arrow_array::types::IntervalMonthDayNanoType;
use arrow_array::*;
use arrow_buffer::{Buffer, IntervalMonthDayNano};
use mainstay_types::Code;
use std::sync::Arc;

/// A column of each type whose values suit an encoding, and a name for it.
pub(super) fn encodable(rows: usize) -> Vec<(&'static str, ArrayRef)> {
    let number = |row: usize| (row * 7919 % 100) as i64;
    let all = || 0..rows;
    let text = |row: usize| ["Malmö", "Kristianstad, Skåne", "Rome"][row % 3];
    let uuids = all().map(|row| [row as u8 % 3; 16]).collect::<Vec<_>>();
    vec![
        ("flag", Arc::new(all().map(|row| Some(row % 3 == 0)).collect::<BooleanArray>())),
        ("tiny", Arc::new(all().map(|row| Some(number(row) as i8 % 2)).collect::<Int8Array>())),
        ("small", Arc::new(all().map(|row| Some(number(row) as i16 - 50)).collect::<Int16Array>())),
        (
            "integer",
            Arc::new(all().map(|row| (row % 7 > 0).then_some(number(row) as i32 - 50)).collect::<Int32Array>()),
        ),
        ("ids", Arc::new(all().map(|row| Some((1 << 40) + 3 * row as i64)).collect::<Int64Array>())),
        ("falling", Arc::new(all().map(|row| Some(5 - 1000 * row as i64 + number(row))).collect::<Int64Array>())),
        ("far apart", Arc::new(all().map(|row| Some([i64::MIN, i64::MAX, 0][row % 3])).collect::<Int64Array>())),
        ("day", Arc::new(all().map(|row| Some(20_000 + number(row) as i32)).collect::<Date32Array>())),
        ("time", Arc::new(all().map(|row| Some(number(row) * 1_000_000_000)).collect::<Time64NanosecondArray>())),
        ("moment", {
            let values = all().map(|row| Some(1_700_000_000_000_000 + number(row) * 60_000_000));
            Arc::new(values.collect::<TimestampMicrosecondArray>())
        }),
        ("months", Arc::new(all().map(|row| Some(number(row) as i32)).collect::<IntervalYearMonthArray>())),
        ("days", {
            let value = |row: usize| Some(IntervalMonthDayNano::new(row as i32 % 3, -1, 1_000_000));
            Arc::new(all().map(value).collect::<PrimitiveArray<IntervalMonthDayNanoType>>())
        }),
        ("real", Arc::new(all().map(|row| Some(number(row) as f32 / 10.0)).collect::<Float32Array>())),
        ("double", Arc::new(all().map(|row| (row != 3).then_some(number(row) as f64 / 4.0)).collect::<Float64Array>())),
        ("odd doubles", {
            let odd = [f64::NAN, -0.0, f64::INFINITY, 0.1 + 0.2];
            Arc::new(all().map(|row| Some(odd[row % 4])).collect::<Float64Array>())
        }),
        ("price", {
            let prices = all().map(|row| Some(number(row) as i32 * 100)).collect::<Decimal32Array>();
            Arc::new(prices.with_precision_and_scale(9, 2).unwrap())
        }),
        ("ticks", {
            let ticks = all().map(|row| Some((1 << 50) + number(row) * 10_000_000)).collect::<Decimal64Array>();
            Arc::new(ticks.with_precision_and_scale(18, -2).unwrap())
        }),
        ("money", {
            let wide = all().map(|row| Some(i128::from(number(row)) + (1 << 62))).collect::<Decimal128Array>();
            Arc::new(wide.with_precision_and_scale(19, 4).unwrap())
        }),
        ("falling money", {
            let wide = all().map(|row| Some(i128::from(5_001_999 - row as i64))).collect::<Decimal128Array>();
            Arc::new(wide.with_precision_and_scale(19, 4).unwrap())
        }),
        ("steep decimals", {
            let value = |row: usize| i128::from(-(1 << 50) * row as i64 + number(row));
            let wide = all().map(|row| Some(value(row))).collect::<Decimal128Array>();
            Arc::new(wide.with_precision_and_scale(38, 2).unwrap())
        }),
        ("uuid", Arc::new(FixedSizeBinaryArray::new(16, Buffer::from_vec(uuids.concat()), None))),
        ("city", Arc::new(all().map(|row| (row % 5 > 0).then(|| text(row))).collect::<StringViewArray>())),
        ("name", Arc::new(all().map(|row| Some(format!("n{row} {}", text(row)))).collect::<StringViewArray>())),
        ("bytes", Arc::new(all().map(|row| Some(row.to_le_bytes())).collect::<BinaryViewArray>())),
        ("nothing", Arc::new(Int64Array::new_null(rows))),
    ]
}

pub(super) fn group_of(rows: usize, columns: Vec<(&'static str, ArrayRef)>) -> GroupVectors {
    let columns = columns.into_iter().enumerate().map(|(id, (_, array))| (id as u64 + 1, array)).collect();
    GroupVectors { group: 3, rows, columns, row_ids: GroupRowIds::From(17) }
}

fn stored(vectors: &GroupVectors, is_encoded: bool) -> (StoredGroup, usize) {
    let (bytes, _) = encode(vectors, is_encoded).unwrap();
    let length = bytes.len();
    (decode(&Buffer::from_vec(bytes)).unwrap(), length)
}

fn form_of(column: &StoredColumn) -> &'static str {
    match column {
        StoredColumn::Plain(_) => "plain",
        StoredColumn::Encoded { form, .. } => match &**form {
            Form::Whole(_) => "whole",
            Form::Scaled(..) => "scaled",
            Form::Dictionary(..) => "dictionary",
            Form::Text(..) => "text",
        },
    }
}

#[test]
fn every_type_comes_back_encoded_and_plain() {
    for rows in [1, 64, 1000, 1024, 3000] {
        let vectors = group_of(rows, encodable(rows));
        for is_encoded in [false, true] {
            let (stored, _) = stored(&vectors, is_encoded);
            assert_eq!((stored.group, stored.rows, &stored.row_ids), (3, rows, &vectors.row_ids));
            for ((id, array), (found_id, found)) in vectors.columns.iter().zip(&stored.columns) {
                let found_array = found.array().unwrap();
                // Bits, not values: NaN is itself, and 0 is not -0.
                assert_eq!((id, array.to_data()), (found_id, found_array.to_data()), "column {id} of {rows} rows");
                assert!(is_encoded || form_of(found) == "plain");
            }
            compare(&stored);
        }
    }
}

#[test]
fn the_form_follows_from_the_values() {
    let columns = encodable(3000);
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let (stored, length) = stored(&group_of(3000, columns), true);
    let forms: Vec<_> = names.iter().zip(&stored.columns).map(|(name, (_, column))| (*name, form_of(column))).collect();
    let expected = |name: &str| match name {
        "flag" | "nothing" => "plain",
        "real" | "double" => "scaled",
        "far apart" | "days" | "odd doubles" | "uuid" | "city" => "dictionary",
        "name" | "bytes" => "text",
        _ => "whole",
    };
    assert_eq!(forms, names.iter().map(|name| (*name, expected(name))).collect::<Vec<_>>());
    let (_, plain) = self::stored(&group_of(3000, encodable(3000)), false);
    assert!(length < plain / 2, "{length} bytes of {plain}");
}

#[test]
fn consecutive_numbers_take_no_space_and_random_ones_stay_as_they_are() {
    let ids: ArrayRef = Arc::new((0..65_536).map(|row| Some(row + 7)).collect::<Int64Array>());
    let mut random = 1u64;
    let wild = (0..65_536).map(|_| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        Some((random ^ random >> 31) as i64)
    });
    let wild: ArrayRef = Arc::new(wild.collect::<Int64Array>());
    let (_, length) = stored(&group_of(65_536, vec![("ids", ids)]), true);
    assert!(length < 1400, "{length}");
    let (stored, _) = stored(&group_of(65_536, vec![("wild", wild)]), true);
    assert_eq!(form_of(&stored.columns[0].1), "plain");
}

#[test]
fn row_ids_of_their_own_are_encoded_like_numbers() {
    for step in [1, 1 << 45] {
        let ids: UInt64Array = (0..500u64).map(|row| row * row % 97 * step).collect();
        let vectors = GroupVectors { row_ids: GroupRowIds::Each(ids), ..group_of(500, encodable(500)) };
        for is_encoded in [false, true] {
            assert_eq!(stored(&vectors, is_encoded).0.row_ids, vectors.row_ids);
        }
    }
}

/// Versions of few rows that are changed again and again have few row ids, which become a dictionary.
#[test]
fn row_ids_that_repeat_are_a_dictionary() {
    let id = |row: u64| (row % 100).pow(3) * 7919 % (1 << 30) + row % 100;
    let ids: UInt64Array = (0..4096).map(id).collect();
    let vectors = GroupVectors { row_ids: GroupRowIds::Each(ids), ..group_of(4096, encodable(4096)) };
    assert_eq!(stored(&vectors, true).0.row_ids, vectors.row_ids);
}

/// Values that are in order but of another type, or more than the type holds, are refused when the column is checked.
#[test]
fn values_that_no_column_of_the_type_may_have_are_found() {
    use mainstay_types::{Collation, SqlType};
    let days: ArrayRef = Arc::new((0..64).map(|row| Some(2_932_896 + row / 63)).collect::<Date32Array>());
    let wide: ArrayRef = {
        let values = (0..64).map(|row| Some(940 + row)).collect::<Decimal32Array>();
        Arc::new(values.with_precision_and_scale(3, 0).unwrap())
    };
    let texts: ArrayRef = Arc::new((0..64).map(|row| Some(format!("text {row}"))).collect::<StringViewArray>());
    // 64 rows of few codes are a dictionary; the letters of the last column take two bytes each.
    let codes: ArrayRef = Arc::new((0..64).map(|row| Some(["a", "bcd", "efgh"][row % 3])).collect::<StringViewArray>());
    let letters: ArrayRef = Arc::new((0..64).map(|row| Some("åäö".repeat(row % 17))).collect::<StringViewArray>());
    let columns = vec![("days", days), ("wide", wide), ("texts", texts), ("codes", codes), ("letters", letters)];
    let (stored, _) = stored(&group_of(64, columns), true);
    let text = |length| SqlType::VarChar { length: Some(length), collation: Collation::Binary };
    let check = |column: usize, sql_type| stored.columns[column].1.check(sql_type).map_err(|error| error.code());
    assert_ne!(form_of(&stored.columns[0].1), "plain");
    // 9999-12-31 is the last day.
    assert_eq!(check(0, SqlType::Date), Err(Code::InvalidValue));
    assert_eq!(check(0, SqlType::Integer), Err(Code::TypeMismatch));
    assert_eq!(check(1, SqlType::Decimal { precision: 3, scale: 0 }), Err(Code::InvalidValue));
    assert_eq!((check(2, text(7)), check(2, text(6))), (Ok(()), Err(Code::InvalidValue)));
    assert_eq!(form_of(&stored.columns[3].1), "dictionary");
    assert_eq!((check(3, text(4)), check(3, text(3))), (Ok(()), Err(Code::InvalidValue)));
    assert_eq!((check(4, text(48)), check(4, text(47))), (Ok(()), Err(Code::InvalidValue)));
}

#[test]
fn a_later_version_is_not_called_damaged() {
    let (mut bytes, _) = encode(&group_of(3, encodable(3)), true).unwrap();
    bytes[8] = 2;
    assert_eq!(decode(&Buffer::from_vec(bytes)).err().map(|error| error.code()), Some(Code::Unsupported));
}
