//! Each rule of detection and reading, on a file small enough to see.

mod common;

use arrow_schema::DataType;
use common::{columns, lines, memory, open, open_in};
use mainstay_columnar::Table;
use mainstay_csv::{CodePage, CsvOptions, CsvTable, DateFormat, DayOrder, DeclaredType};
use mainstay_types::Code;

fn findings(table: &CsvTable) -> Vec<String> {
    table.findings().iter().map(ToString::to_string).collect()
}

fn with(content: &str, options: CsvOptions) -> CsvTable {
    open_in(memory(content), options).unwrap()
}

#[test]
fn a_plain_file() {
    let table = open("id,name,price\n1,Anna,2.50\n2,,10.00\n3,\"\",\n");
    assert_eq!(columns(&table), ["id Int64", "name Utf8View", "price Decimal128(4, 2)"]);
    assert_eq!(lines(&table), ["1|Anna|2.50", "2|-|10.00", "3||-"]);
    assert!(table.findings().is_empty());
    assert!(table.snapshot().unwrap().notices().is_empty());
}

#[test]
fn a_byte_order_mark_is_not_part_of_the_first_name() {
    let table = open("\u{feff}id;name\r\n1;Jürgen\r\n");
    assert_eq!(columns(&table), ["id Int64", "name Utf8View"]);
    assert_eq!(lines(&table), ["1|Jürgen"]);
}

#[test]
fn utf_16_and_archives_are_refused() {
    let utf_16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    for content in [utf_16("\u{feff}id,name\n1,x\n"), utf_16("id,name\n1,x\n"), b"PK\x03\x04rest".to_vec()] {
        let error = open_in(memory(content), CsvOptions::default()).unwrap_err();
        assert_eq!(error.code(), Code::NotThisFormat);
        assert!(error.to_string().contains("t.csv"), "{error}");
        assert!(error.hint_text().is_some());
    }
}

#[test]
fn windows_1252_is_read_and_told_of() {
    let table = open(b"Stra\xdfe,n\nK\xf6ln,1\n\x80,2\n".to_vec());
    assert_eq!(columns(&table), ["Straße Utf8View", "n Int64"]);
    assert_eq!(lines(&table), ["Köln|1", "€|2"]);
    let notices = table.snapshot().unwrap().notices();
    assert_eq!(notices, ["read as windows-1252, because line 1, column 5 is not UTF-8"]);
    assert_eq!(
        findings(&table),
        ["warning: t.csv, line 1, column 5: byte 0xdf is not UTF-8; the file is read as windows-1252"]
    );
}

#[test]
fn a_code_page_can_be_given() {
    let content = b"a,n\n\x81,1\n".to_vec();
    let mut upper = ['?'; 128];
    upper[1] = 'ü';
    let dos = CodePage::Table { name: "850".into(), upper: upper.into() };
    let table = open_in(memory(content.clone()), CsvOptions { code_page: Some(dos), ..CsvOptions::default() }).unwrap();
    assert_eq!(lines(&table), ["ü|1"]);
    assert!(table.findings().is_empty());
    let utf_8 = CsvOptions { code_page: Some(CodePage::Utf8), ..CsvOptions::default() };
    let error = open_in(memory(content), utf_8).unwrap_err();
    assert_eq!(
        error.to_string(),
        "t.csv, line 2, column 1: the file is not UTF-8 (leave the code page out, or name another)"
    );
}

#[test]
fn delimiters_and_decimal_commas() {
    assert_eq!(lines(&open("a;b\n1,5;x\n2;y\n")), ["1.5|x", "2.0|y"]);
    assert_eq!(columns(&open("a;b\n1,5;x\n2.5;y\n")), ["a Utf8View", "b Utf8View"]);
    assert_eq!(lines(&open("a\tb\n1,5\tx\n")), ["1,5|x"]);
    assert_eq!(lines(&open("a|b\n1|x\n")), ["1|x"]);
    assert_eq!(lines(&open("a,b\n\"1,5\",x\n")), ["1,5|x"]);
    assert_eq!(lines(&open("note\none, two\nthree\n")), ["one, two", "three"]);
    assert_eq!(
        lines(&with("a,b;c\n", CsvOptions { delimiter: Some(b','), header: Some(false), ..CsvOptions::default() })),
        ["a|b;c"]
    );
}

/// A file has one decimal sign: DuckDB issues 6690 and 17093, Polars issue 18797 (fault files-02).
#[test]
fn points_beside_decimal_commas_are_not_decimal_signs() {
    let content = "article;price;count\nA0;0,50;1.000\nA1;1,50;2.000\nA2;12,50;7\n";
    let table = open(content);
    assert_eq!(columns(&table), ["article Utf8View", "price Decimal128(4, 2)", "count Utf8View"]);
    let notices = table.snapshot().unwrap().notices();
    assert!(notices.len() == 1 && notices[0].starts_with("column count is text"), "{notices:?}");
    assert!(findings(&table)[0].starts_with("warning: t.csv, line 2, column 1: column count is text"));
    // Not all points stand where thousands end, or nothing says that the comma is the sign.
    assert_eq!(columns(&open("a;b\n0,5;1.000\n1,5;1.5\n"))[1], "b Decimal128(4, 3)");
    assert_eq!(columns(&open("a;b\n0,5;0.125\n1,5;1.500\n"))[1], "b Decimal128(4, 3)");
    assert_eq!(columns(&open("a;b\nx;1.000\ny;2.000\n"))[1], "b Decimal128(4, 3)");

    let german = CsvOptions { decimal: Some(b','), thousands: Some(b'.'), ..CsvOptions::default() };
    let table = with("id;amount;count\n1;1.234,50;1.000\n2;12,00;2.500\n3;-5,5;1\n", german);
    assert_eq!(columns(&table), ["id Int64", "amount Decimal128(6, 2)", "count Int64"]);
    assert_eq!(lines(&table), ["1|1234.50|1000", "2|12.00|2500", "3|-5.50|1"]);
    assert!(table.findings().is_empty());
    let reading = "read as UTF-8: delimiter ;, quote \", names above line 2, decimal sign ,, thousands .";
    assert_eq!(table.reading(), reading);
}

#[test]
fn given_signs_of_numbers_and_forms_of_dates() {
    let comma = CsvOptions { decimal: Some(b','), ..CsvOptions::default() };
    assert_eq!(lines(&with("a\tb\n1,5\t1.5\n", comma)), ["1.5|1.5"]);
    let point = CsvOptions { decimal: Some(b'.'), ..CsvOptions::default() };
    assert_eq!(columns(&with("a;b\n1,5;1.5\n", point)), ["a Utf8View", "b Decimal128(2, 1)"]);
    let apostrophe = CsvOptions { thousands: Some(b'\''), ..CsvOptions::default() };
    assert_eq!(lines(&with("a,b\n1'234.5,x\n", apostrophe)), ["1234.5|x"]);
    let dates = DateFormat::Slashed(DayOrder::MonthFirst);
    let table = with("d\n01/02/2024\n", CsvOptions { dates: Some(dates), ..CsvOptions::default() });
    assert_eq!((columns(&table), lines(&table)), (vec!["d Date32".to_owned()], vec!["2024-01-02".to_owned()]));
}

/// Reports have lines above their table: DuckDB issue 15576 (fault files-04).
#[test]
fn lines_above_the_table_are_told_of() {
    let table = open("Report\n\nof May\nid;name;amt\n1;a;2,5\n2;b;3,5\n");
    assert_eq!(columns(&table), ["id Int64", "name Utf8View", "amt Decimal128(2, 1)"]);
    assert_eq!(lines(&table), ["1|a|2.5", "2|b|3.5"]);
    assert_eq!(table.snapshot().unwrap().notices(), ["rows above the table that are not part of it: 2"]);
    let skipped = CsvOptions { skip: 2, ..CsvOptions::default() };
    assert_eq!(lines(&with("a;b\nx;y\nid;name\n1;c\n", skipped)), ["1|c"]);
    // Places are those of the file, whatever is left out of it.
    let table = open("Report\nid;name\n1;a\n2;b;c\n3;d\n4;e\n5;f\n6;g\n7;h\n8;i\n9;j\n10;k\n");
    assert!(findings(&table)[0].starts_with("error: t.csv, line 4, column 5"), "{:?}", findings(&table));
}

#[test]
fn nulls_and_types_can_be_declared() {
    let types = |types: &[(&str, DeclaredType)]| types.iter().map(|(name, of)| ((*name).to_owned(), *of)).collect();
    let options = CsvOptions {
        nulls: vec!["NULL".into(), "n/a".into()],
        types: types(&[("Code", DeclaredType::Text), ("price", DeclaredType::Decimal(5, 2))]),
        ..CsvOptions::default()
    };
    let table = with("code,price,n\n1,1.5,NULL\nNULL,12345.5,2\n\"NULL\",n/a,\n4,x,4\n", options.clone());
    assert_eq!(columns(&table), ["code Utf8View", "price Decimal128(5, 2)", "n Int64"]);
    assert_eq!(lines(&table), ["1|1.50|-", "-|-|2", "NULL|-|-", "4|-|4"]);
    let found = findings(&table);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("error: t.csv, line 3, column 6: column 2: `12345.5` is not of its declared type"));
    let error = open_in(memory("a,b\n1,2\n"), options).unwrap_err();
    assert_eq!(error.code(), Code::InvalidSetting);
    assert!(error.to_string().contains("\"Code\"") && error.hint_text().is_some_and(|hint| hint.contains("a, b")));
}

#[test]
fn the_sep_line_of_excel() {
    let table = open("sep=;\r\na;b\r\n1;2,5\r\n1;2;3\r\n");
    assert_eq!(lines(&table), ["1|2.5", "1|2.0"]);
    assert_eq!(table.findings()[0].line, 4);
}

#[test]
fn headers() {
    assert_eq!(columns(&open("1,x\n2,y\n")), ["column1 Int64", "column2 Utf8View"]);
    assert_eq!(columns(&open("id,,Id\n1,2,3\n")), ["id Int64", "column2 Int64", "Id_2 Int64"]);
    assert_eq!(columns(&open("id,name\n")), ["id Utf8View", "name Utf8View"]);
    assert_eq!(columns(&open("a,b\n1,2,3\n1,2,3\n")), ["a Int64", "b Int64", "column3 Int64"]);
    assert_eq!(lines(&open("x,y\nx,z\n")), ["x|y", "x|z"]);
    assert_eq!(
        columns(&with("1,2\n3,4\n", CsvOptions { header: Some(true), ..CsvOptions::default() })),
        ["1 Int64", "2 Int64"]
    );
    assert_eq!(lines(&with("a,b\n1,2\n", CsvOptions { header: Some(false), ..CsvOptions::default() })), ["a|b", "1|2"]);
}

#[test]
fn what_begins_with_a_zero_is_no_number() {
    let table = open("postcode,n,amount\n01067,0,0.5\n80331,7,00.5\n");
    assert_eq!(columns(&table), ["postcode Utf8View", "n Int64", "amount Utf8View"]);
    assert_eq!(lines(&table), ["01067|0|0.5", "80331|7|00.5"]);
}

#[test]
fn numbers_keep_all_their_digits() {
    let table = open("a,b,c\n12345678901234567890,0.1,1e3\n1,12345678901234567890.1234567890,2\n");
    assert_eq!(columns(&table), ["a Decimal128(20, 0)", "b Decimal128(30, 10)", "c Float64"]);
    assert_eq!(lines(&table), ["12345678901234567890|0.1000000000|1000.0", "1|12345678901234567890.1234567890|2.0"]);
    assert_eq!(
        lines(&open("a,n\n-9223372036854775808,1\n9223372036854775807,2\n")),
        ["-9223372036854775808|1", "9223372036854775807|2"]
    );
    assert_eq!(
        lines(&open("a,n\n1234567890123456789012345678901234567890,1\n")),
        ["1234567890123456789012345678901234567890|1"]
    );
}

#[test]
fn decimals_are_as_narrow_as_their_digits() {
    let table = open("a,b,c\n1234567.89,12345678901234567.8,1234567890123456789.5\n");
    let vectors = table.snapshot().unwrap().vectors(0, &[0, 1, 2]).unwrap();
    let types: Vec<DataType> = vectors.iter().map(|vector| vector.data_type().clone()).collect();
    assert_eq!(types, [DataType::Decimal32(9, 2), DataType::Decimal64(18, 1), DataType::Decimal128(20, 1)]);
    assert_eq!(table.schema().field(0).data_type(), &DataType::Decimal128(9, 2));
}

#[test]
fn dates_times_and_booleans() {
    let table =
        open("d,e,f,g,h,i\n2024-02-29,31.12.2023,12/31/2023,2024-01-01 10:20,2024-01-01T00:00:00.000001,TRUE\n");
    let expected = ["d Date32", "e Date32", "f Date32", "g Timestamp(ms)", "h Timestamp(µs)", "i Boolean"];
    assert_eq!(columns(&table), expected);
    assert_eq!(lines(&table), ["2024-02-29|2023-12-31|2023-12-31|2024-01-01T10:20:00|2024-01-01T00:00:00.000001|true"]);
    assert_eq!(columns(&open("d,n\n01/02/2024,1\n03/04/2024,2\n")), ["d Utf8View", "n Int64"]);
    assert_eq!(columns(&open("d,n\n2023-02-29,1\n")), ["d Utf8View", "n Int64"]);
    assert_eq!(
        lines(&open("d,n\n1969-12-31 23:59:59.999,1\n2024-01-01,2\n")),
        ["1969-12-31T23:59:59.999|1", "2024-01-01T00:00:00|2"]
    );
}

#[test]
fn blanks_belong_to_text_and_to_nothing_else() {
    assert_eq!(lines(&open("n,t\n  1,  x \n   ,   \n 20 , y\n")), ["1|  x ", "-|   ", "20| y"]);
}

#[test]
fn quoted_numbers_are_numbers_but_an_empty_text_is_not() {
    assert_eq!(columns(&open("\"n\",\"m\"\n\"1\",\"2\"\n\"3\",\"\"\n")), ["n Int64", "m Utf8View"]);
}

#[test]
fn line_ends_inside_quotes_count_for_the_line_numbers() {
    let table = open("a,b\r\n1,\"x\r\ny\"\r\n\r\n2\r\n");
    assert_eq!(lines(&table), ["1|x\r\ny", "2|-"]);
    assert_eq!(findings(&table), ["warning: t.csv, line 5, column 1: the row has 1 of 2 fields; the others are NULL"]);
}

#[test]
fn extra_fields_are_reported_with_their_content() {
    let table = open("a,b\n1,2\n3,4,\"five\",6\n7,8\n");
    assert_eq!(lines(&table), ["1|2", "3|4", "7|8"]);
    let expected =
        "error: t.csv, line 3, column 5: the row has 4 fields and the table 2 columns; not in the table: `\"five\",6`";
    let found = findings(&table);
    assert!(found[0].starts_with(&expected[..expected.len() - 8]), "{}", found[0]);
    assert_eq!(table.snapshot().unwrap().notices(), ["rows with too many fields: 1, the first in line 3"]);
}

#[test]
fn an_open_quote_does_not_swallow_the_rest() {
    let table = open("a,b\n1,x\n2,\"y\n3,z\n4,w\n");
    assert_eq!(lines(&table), ["1|x", "2|\"y", "3|z", "4|w"]);
    let expected = "error: t.csv, line 3, column 3: this quote is never closed; from here on quotes are read as ordinary characters";
    assert_eq!(findings(&table), [expected]);
}

#[test]
fn nul_bytes_and_mixed_line_ends_are_found() {
    let table = open("a,b\n1,x\0y\r\n2,\0\0\r\n");
    let expected = [
        "warning: t.csv, line 2, column 4: a NUL byte",
        "warning: t.csv, line 2, column 6: the line ends with CRLF, earlier ones with LF",
        "warning: t.csv, line 3, column 3: a NUL byte",
        "warning: t.csv, line 3, column 4: a NUL byte",
    ];
    let mut found = findings(&table);
    found.sort();
    assert_eq!(found, expected);
    assert_eq!(lines(&table), ["1|x\0y", "2|\0\0"]);
}

#[test]
fn text_behind_a_closing_quote_stays() {
    let table = open("a,b\n1,\"x\"y\n2,\"z\"\n");
    assert_eq!(lines(&table), ["1|xy", "2|z"]);
    assert_eq!(table.findings()[0].place(), "line 2, column 6");
}

#[test]
fn the_ctrl_z_of_dos_ends_the_file() {
    assert_eq!(lines(&open("\"ABC\",12.50,20\r\n\"DEF\",3.00,5\r\n\x1a\x1a")), ["ABC|12.50|20", "DEF|3.00|5"]);
}

#[test]
fn empty_files_have_a_column_and_no_rows() {
    for content in ["", "\n\n", "\u{feff}", "\x1a"] {
        let table = open(content);
        assert_eq!(columns(&table), ["column1 Utf8View"], "{content:?}");
        assert!(lines(&table).is_empty());
    }
}

#[test]
fn options_that_contradict_themselves_are_refused() {
    let options = CsvOptions { delimiter: Some(b'"'), quote: Some(b'"'), ..CsvOptions::default() };
    assert_eq!(open_in(memory("a"), options).unwrap_err().code(), Code::InvalidSetting);
}

#[test]
fn the_exports_of_other_programs_among_the_fixtures() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures");
    let open = |name: &str| {
        let files = std::sync::Arc::new(mainstay_vfs::Disk);
        let cache = mainstay_columnar::VectorCache::new(1 << 24);
        CsvTable::open(files, format!("{folder}/{name}"), "t", cache, CsvOptions::default()).unwrap()
    };
    let table = open("t03_cdx_tags.csv");
    assert_eq!(lines(&table).len(), 1_000);
    assert!(table.findings().is_empty(), "{:?}", table.findings());
    assert_eq!(lines(&open("t05_ntx.csv")).len(), 1_500);
}

#[test]
fn escapes_between_tabs_are_read_where_all_backslashes_are_escapes() {
    let table = open("id\ttext\n1\ta\\tb\\nc\n2\tback\\\\slash\n3\t\\N\n4\t\\\\N\n5\tplain\n");
    assert_eq!(lines(&table), ["1|a\tb\nc", "2|back\\slash", "3|-", "4|\\N", "5|plain"]);
    let paths = open("id\tpath\n1\tC:\\temp\n2\tC:\\Users\n");
    assert_eq!(lines(&paths), ["1|C:\\temp", "2|C:\\Users"]);
    assert_eq!(lines(&open("id,text\n1,a\\tb\n")), ["1|a\\tb"]);
    assert_eq!(lines(&open("id\ttext\n1\ta\\tb\n2\t\"q\"\n")), ["1|a\\tb", "2|q"]);
}
