//! Each format over the same rows, against golden files; the two binary formats are read back.

use super::*;
use crate::golden;
use arrow_array::types::Int8Type;
use arrow_array::*;
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use mainstay_engine::{OFFSET, TICKS};
use std::sync::Arc;

/// Rows with a NULL in every column and the texts that need care.
fn batch() -> RecordBatch {
    let dictionary: DictionaryArray<Int8Type> =
        vec![Some("north"), None, Some("north"), Some("south")].into_iter().collect();
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("id", Arc::new(Int32Array::from(vec![Some(1), Some(-20), None, Some(300)]))),
        ("name", Arc::new(StringArray::from(vec![Some("Brown & Co."), Some(""), None, Some("a|b, \"c\"\n'd'\te\\")]))),
        ("region", Arc::new(dictionary)),
        (
            "balance",
            Arc::new(
                Decimal128Array::from(vec![Some(12050), Some(-5), None, Some(99_999_999)])
                    .with_precision_and_scale(10, 2)
                    .unwrap(),
            ),
        ),
        ("weight", Arc::new(Float64Array::from(vec![Some(0.1), Some(1e300), None, Some(f64::NAN)]))),
        ("since", Arc::new(Date32Array::from(vec![Some(0), Some(-1), None, Some(20_000)]))),
        (
            "changed",
            Arc::new(TimestampMillisecondArray::from(vec![Some(0), Some(1_234), None, Some(1_700_000_000_000)])),
        ),
        ("active", Arc::new(BooleanArray::from(vec![Some(true), Some(false), None, Some(true)]))),
        ("raw data", Arc::new(BinaryArray::from(vec![Some(b"\x00\xff".as_slice()), Some(b""), None, Some(b"ab")]))),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true))).unwrap()
}

/// The rows in the types of a file.
fn plain() -> RecordBatch {
    let mut plain = arrow::Plain::new(&batch().schema());
    plain.settle(Some(&batch()));
    plain.unpack(&batch()).unwrap()
}

fn written(format: Format, style: &Style, batches: &[RecordBatch]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = writer(format, &batches[0].schema(), style, &mut out).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
    }
    writer.finish().unwrap();
    out
}

#[test]
fn every_text_format_is_as_its_golden_file() {
    let style = Style::default();
    let formats = [
        (Format::Table, "table.txt"),
        (Format::Csv, "csv.csv"),
        (Format::Tsv, "tsv.tsv"),
        (Format::Json, "json.json"),
        (Format::Ndjson, "ndjson.ndjson"),
        (Format::Markdown, "markdown.md"),
        (Format::Line, "line.txt"),
        (Format::Insert, "insert.sql"),
    ];
    for (format, name) in formats {
        golden::check(&format!("output/golden/{name}"), &written(format, &style, &[batch()]));
    }
}

#[test]
fn a_plan_is_drawn_as_text() {
    let column = |text: &str| Arc::new(StringArray::from(vec![text])) as ArrayRef;
    let two =
        RecordBatch::try_from_iter([("plan_type", column("physical")), ("plan", column("Sort\n  Scan\n"))]).unwrap();
    assert_eq!(written(Format::Plan, &Style::default(), &[two]), b"physical\nSort\n  Scan\n\n");
    let one = RecordBatch::try_from_iter([("plan", column("  Scan"))]).unwrap();
    assert_eq!(written(Format::Plan, &Style::default(), &[one]), b"  Scan\n");
}

#[test]
fn a_table_fits_the_terminal() {
    for width in [20, 60, 100] {
        let style = Style { width: Some(width), ..Style::default() };
        let name = format!("output/golden/table_{width}.txt");
        golden::check(&name, &written(Format::Table, &style, &[batch()]));
    }
}

#[test]
fn no_header_and_a_null_text_of_ones_own() {
    let style = Style { header: false, null: Some("-".to_owned()), ..Style::default() };
    golden::check("output/golden/csv_plain.csv", &written(Format::Csv, &style, &[batch()]));
    golden::check("output/golden/table_plain.txt", &written(Format::Table, &style, &[batch()]));
}

#[test]
fn many_rows_show_their_ends() {
    let numbers = |from: i64, to: i64| {
        RecordBatch::try_from_iter([("n", Arc::new(Int64Array::from_iter_values(from..to)) as ArrayRef)]).unwrap()
    };
    let batches: Vec<RecordBatch> = (0..50).map(|at| numbers(at * 100, at * 100 + 100)).collect();
    let style = Style { max_rows: Some(6), ..Style::default() };
    golden::check("output/golden/table_ends.txt", &written(Format::Table, &style, &batches));

    let all = String::from_utf8(written(Format::Table, &Style::default(), &batches)).unwrap();
    assert_eq!(all.lines().count(), 5_000 + 6);
    let few = Style { max_rows: Some(100), ..Style::default() };
    assert_eq!(String::from_utf8(written(Format::Table, &few, &batches[..1])).unwrap().lines().count(), 100 + 6);
}

#[test]
fn an_empty_result_still_has_its_frame() {
    let empty = batch().slice(0, 0);
    for (format, expected) in [(Format::Json, "[]\n"), (Format::Ndjson, ""), (Format::Line, ""), (Format::Insert, "")] {
        assert_eq!(
            String::from_utf8(written(format, &Style::default(), std::slice::from_ref(&empty))).unwrap(),
            expected
        );
    }
    let table = String::from_utf8(written(Format::Table, &Style::default(), &[empty])).unwrap();
    assert!(table.ends_with("(0 rows)\n"), "{table}");
}

#[test]
fn arrow_reads_back_from_a_file_and_from_a_stream() {
    let expected = plain();
    let stream = written(Format::Arrow, &Style::default(), &[batch(), batch()]);
    let read: Vec<_> = arrow_ipc::reader::StreamReader::try_new(stream.as_slice(), None).unwrap().collect();
    assert_eq!(read.len(), 2);
    same(read[1].as_ref().unwrap(), &expected);

    let file = written(Format::Arrow, &Style { seekable: true, ..Style::default() }, &[batch()]);
    let read: Vec<_> = arrow_ipc::reader::FileReader::try_new(io::Cursor::new(file), None).unwrap().collect();
    same(read[0].as_ref().unwrap(), &expected);
}

#[test]
fn parquet_reads_back() {
    let file = written(Format::Parquet, &Style::default(), &[batch(), batch()]);
    let reader = ::parquet::arrow::arrow_reader::ParquetRecordBatchReader::try_new(bytes::Bytes::from(file), 1024);
    let read: Vec<_> = reader.unwrap().collect();
    assert_eq!(read[0].as_ref().unwrap().num_rows(), 8);
    same(&read[0].as_ref().unwrap().slice(0, 4), &plain());
}

/// Equal but for NaN, which is not equal to itself.
#[track_caller]
fn same(read: &RecordBatch, expected: &RecordBatch) {
    let text = |batch: &RecordBatch| {
        String::from_utf8(written(Format::Json, &Style::default(), std::slice::from_ref(batch))).unwrap()
    };
    assert_eq!(text(read), text(expected));
    let types = |batch: &RecordBatch| batch.schema().fields().iter().map(|f| f.data_type().clone()).collect::<Vec<_>>();
    assert_eq!(types(read), types(expected));
    assert_eq!(types(read)[6], DataType::Timestamp(TimeUnit::Millisecond, None));
}

#[test]
fn a_format_is_known_by_the_end_of_a_file_name() {
    assert_eq!(Format::of_file(Path::new("a/b.CSV")), Some(Format::Csv));
    assert_eq!(Format::of_file(Path::new("b.pq")), Some(Format::Parquet));
    assert_eq!(Format::of_file(Path::new("csv")), None);
}

#[test]
fn an_error_of_the_destination_keeps_its_kind() {
    struct Broken;
    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
    }
    let schema = Arc::new(Schema::new(vec![Field::new("region", DataType::Utf8, true)]));
    for format in [Format::Csv, Format::Arrow, Format::Parquet] {
        let mut broken = Broken;
        let result = writer(format, &schema, &Style::default(), &mut broken).and_then(|writer| writer.finish());
        assert_eq!(result.err().map(|error| error.kind()), Some(io::ErrorKind::BrokenPipe), "{format:?}");
    }
}

/// Moments of 100 ns and with offsets: as they are in text; in the formats that have types, of UTC, and with all digits
/// where nanoseconds reach. What is lost is told.
#[test]
fn moments_that_arrow_has_no_type_for() {
    let batch = |text: &str| {
        let moment: mainstay_types::Timestamp = text.parse().unwrap();
        let packed = moment.to_utc(90).packed(90);
        let columns: [(&str, ArrayRef); 2] = [
            ("t", Arc::new(Decimal64Array::from(vec![Some(moment.0), None]).with_data_type(TICKS))),
            ("o", Arc::new(Decimal128Array::from(vec![Some(packed), None]).with_data_type(OFFSET))),
        ];
        RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true))).unwrap()
    };
    let (last, near) = (batch("9999-12-31 23:59:59.9999999"), batch("2024-02-29 12:34:56.1234567"));
    let text = String::from_utf8(written(Format::Csv, &Style::default(), std::slice::from_ref(&last))).unwrap();
    assert_eq!(text, "t,o\n9999-12-31 23:59:59.9999999,9999-12-31 23:59:59.9999999+01:30\n,\n");
    let text = String::from_utf8(written(Format::Insert, &Style::default(), std::slice::from_ref(&last))).unwrap();
    assert!(text.contains("TIMESTAMP WITH TIME ZONE '9999-12-31 23:59:59.9999999+01:30'"), "{text}");
    assert!(text.contains("TIMESTAMP(7) '9999-12-31 23:59:59.9999999'"), "{text}");
    let arrow = |batch: &RecordBatch| {
        let arrow = written(Format::Arrow, &Style::default(), std::slice::from_ref(batch));
        let mut read = arrow_ipc::reader::StreamReader::try_new(std::io::Cursor::new(arrow), None).unwrap();
        let read = read.next().unwrap().unwrap();
        let shown = |column: usize| {
            let array = read.column(column);
            let options = arrow_cast::display::FormatOptions::default();
            let value = arrow_cast::display::ArrayFormatter::try_new(array, &options).unwrap().value(0).to_string();
            format!("{} {value}", array.data_type())
        };
        [shown(0), shown(1)]
    };
    assert_eq!(
        arrow(&near),
        ["Timestamp(ns) 2024-02-29T12:34:56.123456700", "Timestamp(ns, \"+00:00\") 2024-02-29T11:04:56.123456700Z"]
    );
    assert_eq!(
        arrow(&last),
        ["Timestamp(µs) 9999-12-31T23:59:59.999999", "Timestamp(µs, \"+00:00\") 9999-12-31T22:29:59.999999Z"]
    );
    for format in [Format::Arrow, Format::Parquet] {
        assert!(!written(format, &Style::default(), std::slice::from_ref(&near)).is_empty());
        let notices = |batch: &RecordBatch| {
            let mut out = Vec::new();
            let mut writer = writer(format, &batch.schema(), &Style::default(), &mut out).unwrap();
            writer.write(batch).unwrap();
            writer.notices()
        };
        let (near_notices, last_notices) = (notices(&near), notices(&last));
        assert!(matches!(&near_notices[..], [offset] if offset.contains("o: 1 values are written as moments of UTC")));
        let lost = |notice: &String, name: &str| notice.contains(&format!("{name}: 1 values lost the seventh digit"));
        assert!(
            lost(&last_notices[0], "t") && lost(&last_notices[1], "o") && last_notices.len() == 3,
            "{last_notices:?}"
        );
        let mut out = Vec::new();
        let mut writer = writer(format, &near.schema(), &Style::default(), &mut out).unwrap();
        writer.write(&near).unwrap();
        let error = writer.write(&last).unwrap_err().to_string();
        assert!(error.contains("column t: 9999-12-31 23:59:59.9999999 is outside"), "{error}");
    }
}
