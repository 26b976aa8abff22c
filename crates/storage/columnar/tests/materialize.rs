//! Rows copied out in SQL types, against the rows they came from.

mod common;

use arrow_array::Array;
use arrow_buffer::BooleanBuffer;
use arrow_schema::DataType;
use common::{LENGTHS, Random, cell, column, same, types};
use mainstay_columnar::vector::{filter, gather, materialize, selected_rows, sql_type};

#[test]
fn all_rows_some_rows_and_selected_rows() {
    for seed in 0..30 {
        let mut random = Random(seed);
        for data_type in types() {
            let rows = LENGTHS[random.below(12) as usize];
            let nulls = [0, 20, 100][random.below(3) as usize];
            let vector = column(&mut random, &data_type, rows, nulls, 50);
            let sql = sql_type(&data_type).unwrap();
            let check = |result: arrow_array::ArrayRef, from: &[u32]| {
                assert_eq!((result.data_type(), result.len()), (&sql, from.len()));
                for (i, row) in from.iter().enumerate() {
                    let (is, was) = (cell(&result, i), cell(&vector, *row as usize));
                    assert!(same(&is, &was), "seed {seed}, {data_type}, row {row}: {is} is not {was}");
                }
            };
            check(materialize(&vector, &sql).unwrap(), &(0..rows as u32).collect::<Vec<_>>());
            let picked: Vec<u32> = (0..rows / 2).map(|_| random.below(rows as u64) as u32).collect();
            check(gather(&vector, &picked, &sql).unwrap(), &picked);
            let density = random.below(101);
            let bits = BooleanBuffer::collect_bool(rows + 9, |_| random.chance(density)).slice(9, rows);
            let selected: Vec<u32> = (0..rows as u32).filter(|row| bits.value(*row as usize)).collect();
            assert_eq!(selected_rows(&bits), selected);
            check(filter(&vector, &bits, &sql).unwrap(), &selected);
        }
    }
}

#[test]
fn whole_numbers_in_32_bits_are_read_as_64() {
    use arrow_array::{ArrayRef, Int32Array, Int64Array};
    let vector: ArrayRef = std::sync::Arc::new(Int32Array::from(vec![Some(i32::MIN), None, Some(7)]));
    let all = Int64Array::from(vec![Some(i64::from(i32::MIN)), None, Some(7)]);
    assert_eq!(materialize(&vector, &DataType::Int64).unwrap().as_ref(), &all as &dyn Array);
    let picked = Int64Array::from(vec![Some(7), Some(7), None]);
    assert_eq!(gather(&vector, &[2, 2, 1], &DataType::Int64).unwrap().as_ref(), &picked as &dyn Array);
    let none = BooleanBuffer::new_unset(3);
    assert_eq!(filter(&vector, &none, &DataType::Int64).unwrap().data_type(), &DataType::Int64);
}

#[test]
fn text_of_a_dictionary_is_shared() {
    let mut random = Random(1);
    let vector = column(&mut random, &types()[0], 3000, 0, 200);
    let text = materialize(&vector, &DataType::Utf8View).unwrap();
    let dictionary = arrow_array::cast::AsArray::as_any_dictionary(&*vector).values();
    let buffers = |array: &dyn Array| {
        let views = arrow_array::cast::AsArray::as_string_view(array);
        views.data_buffers().iter().map(|buffer| buffer.as_ptr()).collect::<Vec<_>>()
    };
    assert!(!buffers(dictionary).is_empty());
    assert_eq!(buffers(&text), buffers(dictionary));
}

#[test]
fn wrong_rows_and_types_are_errors() {
    let mut random = Random(2);
    for data_type in types() {
        let vector = column(&mut random, &data_type, 10, 0, 5);
        let sql = sql_type(&data_type).unwrap();
        assert!(gather(&vector, &[3, 10], &sql).is_err());
        assert!(filter(&vector, &BooleanBuffer::new_set(11), &sql).is_err());
        assert!(materialize(&vector, &DataType::Decimal128(9, 7)).is_err());
        assert!(gather(&vector, &[3], &DataType::UInt64).is_err());
    }
    assert_eq!(sql_type(&DataType::Utf8), None);
}
