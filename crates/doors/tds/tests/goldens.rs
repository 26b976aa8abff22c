//! The bytes of tokens, as in the published protocol.

mod common;

use common::{answer_bytes, answer_tokens, hex, utf16};
use mainstay_tds::CodePage;
use mainstay_tds::client::Token;
use mainstay_tds::client::{DataType, Length, Message};
use mainstay_tds::{Collation, Column, Command, Done, DoneKind, Environment, Feature, Version};
use mainstay_types::{Value, ValueRef};

/// The final DONE of an answer without a statement, for versions with long counts.
const DONE: &str = "FD 0000 0000 0000000000000000";

fn bytes(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

#[test]
fn a_login_is_acknowledged() {
    let written = answer_bytes(Version::V7_4, |answer| {
        answer.login_ack("Microsoft SQL Server", (16, 0, 1000));
        answer.feature_ack(&[Feature { id: Feature::UTF8, data: vec![1] }]);
        answer.finish(false);
    });
    let name = utf16("Microsoft SQL Server");
    let ack = bytes(&[&hex("AD 3200 01 74000004 14"), &name, &hex("10 00 03E8")]);
    assert_eq!(written, bytes(&[&ack, &hex("AE 0A 01000000 01 FF"), &hex(DONE)]));
}

#[test]
fn changes_of_the_surroundings() {
    let written = answer_bytes(Version::V7_4, |answer| {
        answer.environment(&Environment::Database { new: "ab".into(), old: "c".into() });
        answer.environment(&Environment::Language { new: "us".into(), old: String::new() });
        answer.packet_size(8000, 4096);
        answer.collation(Collation::DEFAULT);
        answer.environment(&Environment::TransactionBegun(0x0102));
        answer.environment(&Environment::TransactionCommitted(0x0102));
        answer.environment(&Environment::TransactionRolledBack(0x0102));
        answer.reset_done();
        answer.finish(false);
    });
    let expected = [
        "E3 0900 01 02 6100 6200 01 6300",
        "E3 0700 02 02 7500 7300 00",
        "E3 1300 04 04 3800 3000 3000 3000 04 3400 3000 3900 3600",
        "E3 0800 07 05 0904D00034 00",
        "E3 0B00 08 08 0201000000000000 00",
        "E3 0B00 09 00 08 0201000000000000",
        "E3 0B00 0A 00 08 0201000000000000",
        "E3 0300 12 00 00",
        DONE,
    ];
    assert_eq!(written, hex(&expected.concat()));
}

#[test]
fn messages_with_their_lines() {
    let mut message = Message::error(208, "Ei").state(3);
    (message.procedure, message.line) = (Some("p".into()), 70_000);
    let written = |version| {
        answer_bytes(version, |answer| {
            answer.message(&message);
            answer.finish(true);
        })
    };
    let text = "0200 4500 6900 03 7300 7200 7600 01 7000";
    let new = hex(&format!("AA 1A00 D0000000 03 10 {text} 70110100 FD 0200 0000 0000000000000000"));
    assert_eq!(written(Version::V7_2), new);
    let old = hex(&format!("AA 1800 D0000000 03 10 {text} FFFF FD 0200 0000 00000000"));
    assert_eq!(written(Version::V7_1), old);
    let info = answer_bytes(Version::V7_4, |answer| answer.message(&Message::error(0, "x").severity(10)));
    assert_eq!(info[0], 0xAB);
}

#[test]
fn long_messages_are_cut() {
    let message = Message::error(50_000, "😀".repeat(40_000));
    let tokens = answer_tokens(Version::V7_4, |answer| {
        answer.message(&message);
        answer.finish(true);
    });
    let Token::Message(read) = &tokens[0] else { panic!("{tokens:?}") };
    assert_eq!(read.text, "😀".repeat(15_000));
}

/// One column of a type and one value: its description without the user type, flags and name, and its cell.
fn column_and_cell(data_type: DataType, value: ValueRef<'_>, version: Version) -> (Vec<u8>, Vec<u8>) {
    let whole = answer_bytes(version, |answer| {
        answer.columns(&[Column::new("", data_type)]);
        answer.row(&[value]).unwrap();
        answer.finish(false);
    });
    let before = if version >= Version::V7_2 { 9 } else { 7 };
    let empty = answer_bytes(version, |answer| {
        answer.columns(&[Column::new("", data_type)]);
        answer.finish(false);
    });
    let done = if version >= Version::V7_2 { 13 } else { 9 };
    let description = whole[before..empty.len() - done - 1].to_vec();
    (description, whole[empty.len() - done + 1..whole.len() - done].to_vec())
}

fn text(text: &str) -> Value {
    Value::Text(text.into())
}

/// A number of a type as a SQL_VARIANT.
fn variant(data_type: DataType, number: &str) -> Value {
    let number = Value::Decimal(number.parse().unwrap());
    mainstay_tds::variant::encode(data_type, number.as_ref())
}

/// Type, value, TYPE_INFO, cell.
fn cells() -> Vec<(DataType, Value, &'static str, &'static str)> {
    use DataType::*;
    let uuid = mainstay_types::uuid::parse("00112233-4455-6677-8899-aabbccddeeff").unwrap();
    let moment = |text: &str| Value::Timestamp(text.parse().unwrap());
    let limited = Length::Limited;
    vec![
        (Bit, Value::Boolean(true), "68 01", "01 01"),
        (TinyInt, Value::Integer(255), "26 01", "01 FF"),
        (SmallInt, Value::Integer(-2), "26 02", "02 FEFF"),
        (Int, Value::Integer(1), "26 04", "04 01000000"),
        (BigInt, Value::Integer(-1), "26 08", "08 FFFFFFFFFFFFFFFF"),
        (BigInt, Value::Null, "26 08", "00"),
        (Real, Value::Float(1.0), "6D 04", "04 0000803F"),
        (Float, Value::Float(1.0), "6D 08", "08 000000000000F03F"),
        (Decimal { precision: 5, scale: 2 }, Value::Integer(-1), "6A 05 05 02", "05 00 64000000"),
        (
            Decimal { precision: 38, scale: 0 },
            Value::Integer(1),
            "6A 11 26 00",
            "11 01 01000000000000000000000000000000",
        ),
        (SmallMoney, Value::Integer(1), "6E 04", "04 10270000"),
        (Money, Value::Integer(1), "6E 08", "08 00000000 10270000"),
        (Date, Value::Date("2024-01-31".parse().unwrap()), "28", "03 63460B"),
        (Time(0), Value::Time("01:00:00".parse().unwrap()), "29 00", "03 100E00"),
        (Time(7), Value::Time("00:00:01".parse().unwrap()), "29 07", "05 8096980000"),
        (DateTime2(3), moment("0001-01-02 00:00:00.001"), "2A 03", "07 01000000 010000"),
        (SmallDateTime, moment("1900-01-02 00:02:00"), "6F 04", "04 0100 0200"),
        (DateTime, moment("1900-01-02 00:00:00.003"), "6F 08", "08 01000000 01000000"),
        (DateTime, moment("1899-12-31 23:59:59.999"), "6F 08", "08 00000000 00000000"),
        (UniqueIdentifier, Value::Uuid(uuid), "24 10", "10 33221100 5544 7766 8899AABBCCDDEEFF"),
        (DataType::char(3), text("é"), "AF 0300 0904D00034", "0100 E9"),
        (DataType::varchar(limited(10)), text(""), "A7 0A00 0904D00034", "0000"),
        (VarChar(limited(10), CodePage::Cp1250), text("Łód"), "A7 0A00 1504D00000", "0300 A3F364"),
        (Char(3, CodePage::Cp932), text("日 "), "AF 0300 1104D00000", "0300 93FA20"),
        (DataType::varchar(limited(10)), Value::Null, "A7 0A00 0904D00034", "FFFF"),
        (DataType::varchar(Length::Max), text("a"), "A7 FFFF 0904D00034", "0100000000000000 01000000 61 00000000"),
        (DataType::varchar(Length::Max), text(""), "A7 FFFF 0904D00034", "0000000000000000 00000000"),
        (DataType::varchar(Length::Max), Value::Null, "A7 FFFF 0904D00034", "FFFFFFFFFFFFFFFF"),
        (NVarChar(limited(10)), text("é"), "E7 1400 0904D00034", "0200 E900"),
        (NChar(1), text("x"), "EF 0200 0904D00034", "0200 7800"),
        (Binary(2), Value::Binary(vec![1, 2]), "AD 0200", "0200 0102"),
        (VarBinary(limited(2)), Value::Binary(vec![]), "A5 0200", "0000"),
        (RowVersion, Value::Binary(vec![0; 8]), "AD 0800", "0800 0000000000000000"),
        (Xml, text("<a/>"), "F1 00", "0800000000000000 08000000 3C0061002F003E00 00000000"),
        (SqlVariant, Value::Integer(2), "62 491F0000", "06000000 38 00 02000000"),
        (SqlVariant, text("a"), "62 491F0000", "0B000000 E7 07 0904D00034 401F 6100"),
        (SqlVariant, variant(Money, "2.0000"), "62 491F0000", "0A000000 3C 00 00000000 204E0000"),
        (
            SqlVariant,
            variant(Decimal { precision: 2, scale: 1 }, "1.5"),
            "62 491F0000",
            "09000000 6C 02 02 01 01 0F000000",
        ),
        (SqlVariant, Value::Null, "62 491F0000", "00000000"),
    ]
}

#[test]
fn types_and_cells() {
    for (data_type, value, info, cell) in cells() {
        let (written_info, written_cell) = column_and_cell(data_type, value.as_ref(), Version::V7_3A);
        assert_eq!(written_info, hex(info), "{data_type}");
        assert_eq!(written_cell, hex(cell), "{data_type} {value}");
    }
}

#[test]
fn long_types_stand_behind_pointers() {
    let pointer = "10 6D61696E7374617920706F696E746572 0000000000000000";
    let column = Column { table: vec!["dbo".into(), "t".into()], ..Column::new("c", DataType::NText) };
    let written = |version| {
        answer_bytes(version, |answer| {
            answer.columns(std::slice::from_ref(&column));
            answer.row(&[ValueRef::Text("a")]).unwrap();
        })
    };
    let cell = format!("D1 {pointer} 02000000 6100");
    let new = format!("81 0100 00000000 0100 63 FEFFFF7F 0904D00034 02 0300 640062006F00 0100 7400 01 6300 {cell}");
    assert_eq!(written(Version::V7_2), hex(&new));
    let old = format!("81 0100 0000 0100 63 FEFFFF7F 0904D00034 0500 640062006F002E007400 01 6300 {cell}");
    assert_eq!(written(Version::V7_1), hex(&old));
    // Types that old versions do not know are sent as these.
    let old_max = column_and_cell(DataType::varchar(Length::Max), ValueRef::Null, Version::V7_1);
    assert_eq!(old_max, (hex("23 FFFFFF7F 0904D00034 0000"), hex("00")));
}

#[test]
fn utf8_goes_only_to_clients_that_take_it() {
    let column = Column::new("c", DataType::varchar(Length::Limited(3))).collation(Collation::UTF8);
    let written = |takes| {
        answer_bytes(Version::V7_4, |answer| {
            answer.set_utf8(takes);
            answer.columns(std::slice::from_ref(&column));
            answer.row(&[ValueRef::Text("日")]).unwrap();
        })
    };
    assert_eq!(written(true), hex("81 0100 00000000 0100 A7 0300 0904D02400 01 6300 D1 0300 E697A5"));
    assert_eq!(written(false), hex("81 0100 00000000 0100 E7 0600 0904D02400 01 6300 D1 0200 E565"));
}

#[test]
fn columns_say_what_they_are() {
    let column = Column {
        identity: true,
        computed: true,
        updatable: true,
        case_sensitive: true,
        hidden: true,
        key: true,
        ..Column::new("id", DataType::Int)
    };
    let written = |version| answer_bytes(version, |answer| answer.columns(std::slice::from_ref(&column)));
    assert_eq!(written(Version::V7_4), hex("81 0100 00000000 3B60 26 04 02 6900 6400"));
    assert_eq!(written(Version::V7_1), hex("81 0100 0000 3B00 26 04 02 6900 6400"));
    let stamp = Column::new("v", DataType::RowVersion).nullable(false);
    assert_eq!(
        answer_bytes(Version::V7_4, |answer| answer.columns(&[stamp])),
        hex("81 0100 50000000 0000 AD 0800 01 7600")
    );
    assert_eq!(answer_bytes(Version::V7_4, |answer| answer.columns(&[])), hex("81 FFFF"));
}

#[test]
fn rows_of_many_nulls_are_sent_with_a_bitmap() {
    let columns: Vec<Column> = (0..9).map(|_| Column::new("", DataType::TinyInt)).collect();
    let mut values = [ValueRef::Null; 9];
    values[1] = ValueRef::Integer(7);
    let rows = |version| {
        let described = answer_bytes(version, |answer| answer.columns(&columns)).len();
        let all = answer_bytes(version, |answer| {
            answer.columns(&columns);
            answer.row(&values).unwrap();
            answer.order(&[2, 1]);
        });
        all[described..].to_vec()
    };
    assert_eq!(rows(Version::V7_4), hex("D2 FD01 01 07 A9 0400 0200 0100"));
    assert_eq!(rows(Version::V7_3A), hex("D1 00 01 07 00 00 00 00 00 00 00 A9 0400 0200 0100"));
}

#[test]
fn ends_say_whether_more_follows() {
    let done = |kind, count| Done { kind, command: Command::SELECT, count, error: false };
    let written = |version| {
        answer_bytes(version, |answer| {
            answer.done(done(DoneKind::Statement, Some(3)));
            answer.done(done(DoneKind::InProcedure, None));
            answer.return_status(-4);
            answer.return_value(1, &Column::new("@x", DataType::Int), ValueRef::Integer(9)).unwrap();
            answer.end_of_call(false, false);
            answer.end_of_call(true, true);
            answer.finish(false);
        })
    };
    let new = [
        "FD 1100 C100 0300000000000000",
        "FF 0100 C100 0000000000000000",
        "79 FCFFFFFF",
        "AC 0100 02 4000 7800 01 00000000 0100 26 04 04 09000000",
        "FE 0100 E000 0000000000000000",
        "FE 0200 E000 0000000000000000",
    ];
    assert_eq!(written(Version::V7_4), hex(&new.concat()));
    let old = [
        "FD 1100 C100 03000000 FF 0100 C100 00000000 79 FCFFFFFF",
        "AC 0100 02 4000 7800 01 0000 0100 26 04 04 09000000",
        "FE 0100 E000 00000000 FE 0200 E000 00000000",
    ];
    assert_eq!(written(Version::V7_1), hex(&old.concat()));
}

#[test]
fn an_open_transaction_and_an_attention_are_said() {
    let written = answer_bytes(Version::V7_4, |answer| {
        answer.set_in_transaction(true);
        answer.finish(false);
    });
    assert_eq!(written, hex("FD 0400 0000 0000000000000000"));
    let written = answer_bytes(Version::V7_4, |answer| {
        answer.done(Done { kind: DoneKind::Statement, command: Command::UPDATE, count: Some(1), error: false });
        answer.finish_attention();
    });
    assert_eq!(written, hex("FD 1100 C500 0100000000000000 FD 2000 0000 0000000000000000"));
    // The last statement of a text run by a procedure is not the end of a batch.
    let written = answer_bytes(Version::V7_4, |answer| {
        answer.done(Done { kind: DoneKind::InProcedure, command: Command::NONE, count: None, error: false });
        answer.finish(false);
    });
    assert_eq!(written, hex(&format!("FF 0100 0000 0000000000000000 {DONE}")));
}

#[test]
fn values_that_are_none_of_their_column_are_refused_whole() {
    let columns = [Column::new("a", DataType::Int), Column::new("b", DataType::varchar(Length::Limited(2)))];
    let refused = [
        ([ValueRef::Integer(1), ValueRef::Text("abc")], "column 'b': type varchar(2) cannot hold 3 bytes"),
        ([ValueRef::Integer(1 << 31), ValueRef::Null], "column 'a': type int cannot hold 2147483648"),
        ([ValueRef::Text("1"), ValueRef::Null], "column 'a': type int cannot hold a text"),
        ([ValueRef::Null, ValueRef::Binary(b"a")], "column 'b': type varchar(2) cannot hold a string of bytes"),
        ([ValueRef::Null, ValueRef::Integer(1)], "column 'b': type varchar(2) cannot hold an integer"),
    ];
    for (row, reason) in refused {
        let mut failed = String::new();
        let tokens = answer_tokens(Version::V7_4, |answer| {
            answer.columns(&columns);
            answer.row(&[ValueRef::Integer(1), ValueRef::Text("ok")]).unwrap();
            failed = answer.row(&row).unwrap_err().to_string();
            answer.finish(true);
        });
        assert_eq!((failed.as_str(), tokens.len()), (reason, 3));
    }
    let types = [DataType::Decimal { precision: 3, scale: 1 }, DataType::Money, DataType::Bit, DataType::SmallDateTime];
    let wrong = [
        ValueRef::Decimal("1.25".parse().unwrap()),
        ValueRef::Decimal("1000000000000000".parse().unwrap()),
        ValueRef::Float(1.0),
        ValueRef::Timestamp("1899-12-31 10:00".parse().unwrap()),
    ];
    for (data_type, value) in types.into_iter().zip(wrong) {
        answer_bytes(Version::V7_4, |answer| {
            answer.columns(&[Column::new("x", data_type)]);
            assert!(answer.row(&[value]).is_err(), "{data_type}");
            assert!(answer.row(&[]).is_err());
        });
    }
}
