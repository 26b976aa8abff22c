//! Random values of every type, written and read back: in rows, parameters, tables as parameters and bulk loads.

mod common;

use common::{Random, VERSIONS, answer_tokens, data_types, payload, value_of};
use mainstay_tds::client::{Token, put_bulk, put_calls};
use mainstay_tds::{
    BulkEvent, BulkReader, Call, Collation, Column, Headers, PacketKind, PacketWriter, Parameter, ParameterValue,
    TableValue, Version, WireError,
};
use mainstay_tds::{DataType, Length, variant};
use mainstay_types::{Value, ValueRef};

fn columns() -> Vec<Column> {
    let types = data_types().into_iter().enumerate();
    types.map(|(i, data_type)| Column::new(format!("c{i}"), data_type).nullable(i % 2 == 0)).collect()
}

fn is_date(data_type: DataType) -> bool {
    use DataType::*;
    matches!(data_type, Date | Time(_) | DateTime2(_) | DateTimeOffset(_))
}

/// Types that a version knows.
fn known(columns: Vec<Column>, version: Version) -> Vec<Column> {
    columns.into_iter().filter(|column| version >= Version::V7_3A || !is_date(column.data_type)).collect()
}

#[test]
fn rows_of_every_type_come_back() {
    let mut random = Random(1);
    for version in VERSIONS {
        let columns = known(columns(), version);
        let rows: Vec<Vec<Value>> =
            (0..20).map(|_| columns.iter().map(|column| value_of(column.data_type, &mut random)).collect()).collect();
        let tokens = answer_tokens(version, |answer| {
            answer.packets().set_packet_size(512 + random.below(3000));
            answer.columns(&columns);
            for row in &rows {
                answer.row(&row.iter().map(Value::as_ref).collect::<Vec<ValueRef<'_>>>()).unwrap();
            }
            answer.finish(false);
        });
        let Token::Columns(read) = &tokens[0] else { panic!("{:?}", tokens[0]) };
        if version >= Version::V7_2 {
            let types = |columns: &[Column]| columns.iter().map(|it| (it.data_type, it.nullable)).collect::<Vec<_>>();
            assert_eq!(types(read), types(&columns));
        }
        let read: Vec<Vec<Value>> =
            tokens.into_iter().filter_map(|token| if let Token::Row(row) = token { Some(row) } else { None }).collect();
        for (read, written) in read.iter().zip(&rows) {
            for ((read, written), column) in read.iter().zip(written).zip(&columns) {
                assert_eq!(read, written, "{} {}", column.data_type, version.name());
            }
        }
        assert_eq!(read.len(), rows.len());
    }
}

#[test]
fn old_clients_get_dates_as_text() {
    let columns = [
        Column::new("d", DataType::Date),
        Column::new("t", DataType::Time(3)),
        Column::new("dt", DataType::DateTime2(7)),
        Column::new("dto", DataType::DateTimeOffset(0)),
    ];
    let at = "2024-01-31 10:20:30.1234567".parse().unwrap();
    let values = [
        ValueRef::Date("2024-01-31".parse().unwrap()),
        ValueRef::Time("10:20:30.123".parse().unwrap()),
        ValueRef::Timestamp(at),
        ValueRef::TimestampWithOffset { utc: at, offset_minutes: -90 },
    ];
    for version in [Version::V7_1, Version::V7_2] {
        let tokens = answer_tokens(version, |answer| {
            answer.columns(&columns);
            answer.row(&values).unwrap();
            answer.finish(false);
        });
        let Token::Row(row) = &tokens[1] else { panic!("{tokens:?}") };
        let texts = ["2024-01-31", "10:20:30.123", "2024-01-31 10:20:30.1234567", "2024-01-31 08:50:30 -01:30"];
        assert_eq!(*row, texts.map(|text| Value::Text(text.into())));
    }
}

#[test]
fn variants_keep_their_values() {
    let values = [
        (Value::Null, DataType::SqlVariant),
        (Value::Integer(-7), DataType::Int),
        (Value::Integer(7), DataType::TinyInt),
        (Value::Decimal("2.0000".parse().unwrap()), DataType::Money),
        (Value::Text("abc".into()), DataType::varchar(Length::Limited(3))),
        (Value::Text("abc ".into()), DataType::NChar(4)),
        (Value::Integer(1 << 40), DataType::BigInt),
        (Value::Float(0.5), DataType::Float),
        (Value::Boolean(true), DataType::Bit),
        (Value::Text("日 é".into()), DataType::NVarChar(Length::Limited(4000))),
        (Value::Binary(vec![1, 2, 255]), DataType::VarBinary(Length::Limited(8000))),
        (Value::Decimal("-12.345".parse().unwrap()), DataType::Decimal { precision: 38, scale: 3 }),
        (Value::Timestamp("2024-01-31 10:20:30.1234567".parse().unwrap()), DataType::DateTime2(7)),
        (Value::Date("0001-01-01".parse().unwrap()), DataType::Date),
        (Value::Uuid([7; 16]), DataType::UniqueIdentifier),
    ];
    let mut out = PacketWriter::new(PacketKind::Rpc);
    let parameters = values.clone().map(|(value, data_type)| Parameter {
        name: String::new(),
        output: false,
        default: false,
        data_type: DataType::SqlVariant,
        collation: Collation::DEFAULT,
        value: ParameterValue::Variant(data_type, variant::encode(data_type, value.as_ref())),
    });
    let call = Call { procedure: "p".into(), recompile: false, no_metadata: false, parameters: parameters.to_vec() };
    put_calls(std::slice::from_ref(&call), Headers::default(), Version::V7_4, &mut out).unwrap();
    assert_eq!(Call::decode(&payload(&mut out), Version::V7_4).unwrap().1, [call]);

    // As a row too.
    let tokens = answer_tokens(Version::V7_4, |answer| {
        answer.columns(&[Column::new("v", DataType::SqlVariant)]);
        let held = |(value, of): &(Value, DataType)| variant::encode(*of, value.as_ref());
        values.iter().map(held).for_each(|value| answer.row(&[value.as_ref()]).unwrap());
        answer.finish(false);
    });
    let read: Vec<Token> = tokens.into_iter().filter(|token| matches!(token, Token::Row(_))).collect();
    assert_eq!(read, values.map(|(value, of)| Token::Row(vec![variant::encode(of, value.as_ref())])));
}

/// A parameter of a type: TEXT and its like are MAX types there.
fn parameter(data_type: DataType, random: &mut Random) -> Parameter {
    Parameter {
        name: random.text(&['@', 'a', 'é'], 5),
        output: random.below(2) == 0,
        default: random.below(3) == 0,
        data_type,
        collation: Collation::DEFAULT,
        value: ParameterValue::Single(value_of(data_type, random)),
    }
}

#[test]
fn calls_with_parameters_of_every_type_come_back() {
    let mut random = Random(2);
    for version in VERSIONS {
        let types: Vec<DataType> = known(columns(), version).iter().map(|column| column.data_type).collect();
        let types = types.into_iter().filter(|data_type| match data_type {
            DataType::Text(_) | DataType::NText | DataType::Image | DataType::RowVersion => false,
            DataType::Xml | DataType::NVarChar(Length::Max) => version >= Version::V7_2,
            DataType::VarChar(Length::Max, _) | DataType::VarBinary(Length::Max) => version >= Version::V7_2,
            _ => true,
        });
        let parameters: Vec<Parameter> = types.map(|data_type| parameter(data_type, &mut random)).collect();
        let call = |procedure: &str| Call {
            procedure: procedure.into(),
            recompile: procedure.starts_with('s'),
            no_metadata: procedure.ends_with('l'),
            parameters: parameters.clone(),
        };
        let calls = [call("[dbo].[p q]"), call("sp_executesql"), call("sp_unprepare")];
        let mut out = PacketWriter::new(PacketKind::Rpc);
        put_calls(&calls, Headers { transaction: 0 }, version, &mut out).unwrap();
        assert_eq!(Call::decode(&payload(&mut out), version).unwrap().1, calls);
    }
}

#[test]
fn tables_as_parameters_come_back() {
    let mut random = Random(3);
    let columns: Vec<Column> = columns()
        .into_iter()
        .filter(|column| !matches!(column.data_type, DataType::Text(_) | DataType::NText | DataType::Image))
        .map(|column| Column { name: String::new(), data_type: plain(column.data_type), ..column })
        .collect();
    let rows = (0..30).map(|_| columns.iter().map(|column| value_of(column.data_type, &mut random)).collect());
    let table = TableValue {
        schema: "dbo".into(),
        name: "ids".into(),
        defaulted: columns.iter().map(|_| false).collect(),
        rows: rows.collect(),
        columns,
    };
    let parameter = |table: &TableValue| Parameter {
        name: "@t".into(),
        output: false,
        default: false,
        data_type: DataType::Int,
        collation: Collation::DEFAULT,
        value: ParameterValue::Table(table.clone()),
    };
    let empty = TableValue { schema: String::new(), name: "none".into(), ..TableValue::default() };
    let mut with_default = table.clone();
    with_default.defaulted[3] = true;
    with_default.rows.iter_mut().for_each(|row| row[3] = Value::Null);
    let call = Call {
        procedure: "p".into(),
        recompile: false,
        no_metadata: false,
        parameters: [&table, &empty, &with_default, &table].map(parameter).to_vec(),
    };
    let mut out = PacketWriter::new(PacketKind::Rpc);
    put_calls(std::slice::from_ref(&call), Headers::default(), Version::V7_4, &mut out).unwrap();
    assert_eq!(Call::decode(&payload(&mut out), Version::V7_4).unwrap().1, [call]);
}

/// To clients ROWVERSION is bytes like others.
fn plain(data_type: DataType) -> DataType {
    if data_type == DataType::RowVersion { DataType::Binary(8) } else { data_type }
}

#[test]
fn bulk_loads_come_row_by_row_however_they_are_cut() {
    let mut random = Random(4);
    for version in [Version::V7_1, Version::V7_4] {
        let columns = known(columns(), version);
        let rows: Vec<Vec<Value>> =
            (0..10).map(|_| columns.iter().map(|column| value_of(column.data_type, &mut random)).collect()).collect();
        let mut out = PacketWriter::new(PacketKind::BulkLoad);
        put_bulk(&columns, &rows, version, &mut out).unwrap();
        let load = payload(&mut out);
        for cut in [1, 100, 4088, load.len()] {
            // Byte by byte through megabytes would try rows too often.
            let load = if cut == 1 { &load[..3000] } else { &load };
            let (mut reader, mut read) = (BulkReader::new(version, 1 << 20), Vec::new());
            let mut pieces = load.chunks(cut).peekable();
            while let Some(piece) = pieces.next() {
                reader.feed(piece);
                let ended = pieces.peek().is_none() && cut != 1;
                loop {
                    match reader.next_event(ended).unwrap() {
                        BulkEvent::Columns(read) => assert_eq!(read.len(), columns.len()),
                        BulkEvent::Row(row) => read.push(row.to_vec()),
                        BulkEvent::NeedsMore | BulkEvent::End => break,
                    }
                }
            }
            assert!(cut == 1 || read == rows, "{cut}");
        }
    }
}

#[test]
fn a_bulk_row_has_a_limit_and_an_end() {
    let columns = [Column::new("b", DataType::VarBinary(Length::Max))];
    let mut out = PacketWriter::new(PacketKind::BulkLoad);
    put_bulk(&columns, &[vec![Value::Binary(vec![1; 10_000])]], Version::V7_4, &mut out).unwrap();
    let load = payload(&mut out);
    let mut reader = BulkReader::new(Version::V7_4, 1000);
    reader.feed(&load[..900]);
    assert!(matches!(reader.next_event(false), Ok(BulkEvent::Columns(_))));
    assert!(matches!(reader.next_event(false), Ok(BulkEvent::NeedsMore)));
    reader.feed(&load[900..2000]);
    assert_eq!(reader.next_event(false), Err(WireError::TooLong("a row of a bulk load", 1000)));

    let mut reader = BulkReader::new(Version::V7_4, 1 << 20);
    reader.feed(&load[..5000]);
    assert!(matches!(reader.next_event(false), Ok(BulkEvent::Columns(_))));
    assert!(matches!(reader.next_event(false), Ok(BulkEvent::NeedsMore)));
    assert!(reader.next_event(true).is_err());
}

/// SqlBulkCopy and FreeTDS write the table's name as one text, whatever the version; others as results have it.
#[test]
fn the_table_of_a_long_text_is_named_in_either_way() {
    let units = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let text = |text: &str| [&(text.len() as u16).to_le_bytes()[..], &units(text)].concat();
    let in_parts = [vec![2], text("dbo"), text("t")].concat();
    for (name, table) in [
        (text("t"), vec!["t"]),
        (text("[dbo].[t]"), vec!["[dbo].[t]"]),
        (text(""), vec![""]),
        (in_parts, vec!["dbo", "t"]),
        (vec![1, 0, 0], vec![""]),
    ] {
        let before = [0x81, 1, 0, 0, 0, 0, 0, 9, 0, 0x63, 0xFE, 0xFF, 0xFF, 0x7F, 9, 4, 0xD0, 0, 0x34];
        let value = [&[0xD1, 16][..], &[0; 24], &4_u32.to_le_bytes(), &units("é日")].concat();
        let after = [1, b'n', 0].to_vec();
        let mut reader = BulkReader::new(Version::V7_4, 1000);
        reader.feed(&[before.to_vec(), name, after, value].concat());
        match reader.next_event(true) {
            Ok(BulkEvent::Columns([column])) => {
                assert_eq!((column.name.as_str(), &column.table), ("n", &owned(&table)))
            }
            other => panic!("{table:?}: {other:?}"),
        }
        assert_eq!(reader.next_event(true), Ok(BulkEvent::Row(&[Value::Text("é日".into())])), "{table:?}");
    }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}
