//! Values into bytes and back, for every type of field.

use mainstay_types::{Code, Date, Decimal, Time, Timestamp, Value, ValueRef};
use mainstay_vfs::{FileSystem, Memory};
use mainstay_xbase::codepage::CodePage;
use mainstay_xbase::dbf::{Dbf, Encoding, FieldKind, FieldSpec, Format, OpenOptions, TableSpec, blank_record, encode};
use mainstay_xbase::writer::{self, Access, WriteOptions};
use std::path::Path;
use std::sync::Arc;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, count: u64) -> u64 {
        self.next() % count
    }
}

/// A table of this format in memory, open for reading.
fn table(format: Format, language: u8, fields: Vec<FieldSpec>) -> Dbf {
    let memory = Memory::new();
    let spec = TableSpec { language, ..TableSpec::new(format, fields) };
    writer::create(&memory, Path::new("t.dbf"), &spec, &WriteOptions::new(Access::Exclusive)).unwrap();
    Dbf::open(memory.open(Path::new("t.dbf")).unwrap(), OpenOptions::default()).unwrap()
}

/// Fields of all types that the format has.
fn all_fields(format: Format) -> Vec<FieldSpec> {
    let spec = |name: &str, letter: u8, length, decimals| FieldSpec::new(name, letter, length, decimals);
    match format {
        Format::VisualFoxPro => {
            let mut fields = vec![
                spec("c", b'C', 12, 0),
                spec("n", b'N', 12, 3),
                spec("f", b'F', 20, 6),
                spec("d", b'D', 0, 0),
                spec("l", b'L', 0, 0),
                spec("b", b'B', 0, 3),
                spec("i", b'I', 0, 0),
                spec("y", b'Y', 0, 0),
                spec("t", b'T', 0, 0),
                spec("v", b'V', 9, 0),
                spec("q", b'Q', 7, 0),
                spec("m", b'M', 0, 0),
            ];
            let nullable: Vec<FieldSpec> =
                fields.iter().map(|f| FieldSpec { name: format!("{}0", f.name), ..f.clone() }.nullable()).collect();
            fields.extend(nullable);
            fields.push(FieldSpec { binary: true, ..spec("cb", b'C', 6, 0) });
            fields
        }
        Format::Dbase7 => vec![
            spec("a_rather_long_name", b'C', 20, 0),
            spec("i", b'I', 0, 0),
            spec("o", b'O', 0, 0),
            spec("n", b'N', 9, 2),
            spec("d", b'D', 0, 0),
        ],
        _ => vec![
            spec("c", b'C', 300, 0),
            spec("n", b'N', 30, 2),
            spec("small", b'N', 3, 2),
            spec("d", b'D', 8, 0),
            spec("d3", b'D', 3, 0),
            spec("d4", b'D', 4, 0),
            spec("v3", b'V', 3, 0),
            spec("l", b'L', 1, 0),
            spec("i1", b'I', 1, 0),
            spec("i2", b'I', 2, 1),
            spec("i3", b'I', 3, 0),
            spec("i4", b'I', 4, 2),
            spec("i8", b'I', 8, 0),
            spec("b", b'B', 8, 2),
            spec("y", b'Y', 8, 0),
            spec("at", b'@', 8, 0),
            spec("t", b'T', 4, 0),
            spec("q", b'Q', 10, 0),
            spec("w", 0x1A, 12, 0),
            spec("vw", 0x1B, 14, 0),
        ],
    }
}

/// A value that the field can hold exactly.
fn value(random: &mut Random, field: &mainstay_xbase::dbf::Field) -> Value {
    let text = |random: &mut Random, most: u64, letters: &[char]| -> String {
        let length = random.below(most + 1);
        let text: String = (0..length).map(|_| letters[random.below(letters.len() as u64) as usize]).collect();
        text.trim_end().to_owned()
    };
    let integer = |random: &mut Random, bits: u32| (random.next() as i64) >> (64 - bits);
    let decimal = |unscaled: i128| match field.decimals {
        0 => Value::Integer(unscaled as i64),
        scale => Value::Decimal(Decimal::new(unscaled, scale)),
    };
    let letters = ['a', 'Z', ' ', '9', 'ż', 'é', '-'];
    let date = |random: &mut Random| Date::from_ymd(1, 1, 1).unwrap().0 + random.below(3_652_059) as i32;
    match field.kind {
        FieldKind::Character => Value::Text(text(random, field.length as u64, &letters)),
        FieldKind::CharacterWide => Value::Text(text(random, field.length as u64 / 2, &['x', '日', 'é', ' '])),
        FieldKind::VarcharWide => Value::Text(text(random, field.length as u64 / 2 - 1, &['x', '日', 'é', ' '])),
        FieldKind::Varchar => Value::Text(text(random, field.length as u64, &letters) + ""),
        FieldKind::Varbinary => {
            let length = random.below(field.length as u64 + 1);
            Value::Binary((0..length).map(|_| random.next() as u8).collect())
        }
        FieldKind::CharacterBinary => Value::Binary((0..field.length).map(|_| random.next() as u8).collect()),
        FieldKind::Numeric => {
            let point = usize::from(field.decimals > 0);
            let digits = (field.length - point).min(17) as u32;
            let negative = digits > u32::from(field.decimals).max(1) && random.next().is_multiple_of(2);
            let most = 10u64.pow(if negative { digits - 1 } else { digits });
            let unscaled = random.below(most) as i128 * if negative { -1 } else { 1 };
            Value::Decimal(Decimal::new(unscaled, field.decimals))
        }
        FieldKind::Integer | FieldKind::IntegerSortable => decimal(integer(random, field.length as u32 * 8).into()),
        FieldKind::Currency => Value::Decimal(Decimal::new(integer(random, 64).into(), field.decimals)),
        FieldKind::Double | FieldKind::DoubleSortable => Value::Float(integer(random, 60) as f64 / 1024.0),
        FieldKind::Date | FieldKind::DateBinary | FieldKind::DateJulian | FieldKind::DatePacked => {
            Value::Date(Date(date(random)))
        }
        FieldKind::Logical => Value::Boolean(random.next().is_multiple_of(2)),
        FieldKind::Timestamp => Value::Timestamp(Timestamp::new(Date(date(random)), random.below(86_400_000) as u32)),
        FieldKind::Time => Value::Time(Time::from_nanos(random.below(86_400_000) as i64 * 1_000_000).unwrap()),
        FieldKind::Memo => Value::Text(String::new()),
        other => panic!("no values for {other:?}"),
    }
}

#[test]
fn values_of_every_type_come_back() {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    // 1250 has the Polish letter.
    for (format, language) in [(Format::VisualFoxPro, 0xC8), (Format::FoxPro, 0xC8), (Format::Dbase7, 0xC8)] {
        let dbf = table(format, language, all_fields(format));
        let how = Encoding::strict(dbf.code_page());
        let length = dbf.header().record_bytes();
        for round in 0..300 {
            let mut record = blank_record(dbf.fields(), dbf.header());
            let mut expected = Vec::new();
            for field in dbf.fields() {
                let null = field.null_bit.is_some() && random.below(4) == 0;
                let value = if null { Value::Null } else { value(&mut random, field) };
                encode(field, value.as_ref(), &how, &mut record).unwrap_or_else(|e| panic!("{field:?} {value:?}: {e}"));
                expected.push(value);
            }
            for (number, expected) in expected.iter().enumerate() {
                let found = writer::decode(&dbf, None, number, &record).unwrap();
                let field = &dbf.fields()[number];
                assert_eq!(&found, expected, "{format:?}, round {round}, {field:?}");
            }
            // The same values make the same bytes, over whatever was there before.
            let mut again = vec![0xFF; length];
            again[0] = b' ';
            let mut other = again.clone();
            for (field, value) in dbf.fields().iter().zip(&expected) {
                encode(field, value.as_ref(), &how, &mut again).unwrap();
                encode(field, value.as_ref(), &how, &mut other).unwrap();
            }
            assert_eq!(again, other);
        }
    }
}

#[test]
fn what_does_not_fit_is_an_error_that_names_the_field_and_changes_nothing() {
    let dbf = table(Format::VisualFoxPro, 0xC8, all_fields(Format::VisualFoxPro));
    let how = Encoding::strict(dbf.code_page());
    let field = |name: &str| dbf.field(name).unwrap();
    let before = blank_record(dbf.fields(), dbf.header());
    for (name, value, code) in [
        ("c", ValueRef::Text("thirteen chars"), Code::InvalidValue),
        ("c", ValueRef::Text("日本"), Code::InvalidValue),
        ("c", ValueRef::Integer(1), Code::TypeMismatch),
        ("n", ValueRef::Integer(123_456_789), Code::InvalidValue),
        ("n", ValueRef::Float(f64::INFINITY), Code::InvalidValue),
        ("n", ValueRef::Text("1"), Code::TypeMismatch),
        ("i", ValueRef::Integer(1 << 31), Code::InvalidValue),
        ("i", ValueRef::Null, Code::NotNullViolation),
        ("b", ValueRef::Null, Code::NotNullViolation),
        ("y", ValueRef::Decimal(Decimal::new(i128::MAX, 4)), Code::InvalidValue),
        ("d", ValueRef::Date(Date::from_ymd(-1, 1, 1).unwrap()), Code::InvalidValue),
        ("d", ValueRef::Boolean(true), Code::TypeMismatch),
        ("l", ValueRef::Integer(1), Code::TypeMismatch),
        ("t", ValueRef::Text("now"), Code::TypeMismatch),
        ("v", ValueRef::Text("ten letters"), Code::InvalidValue),
        ("q", ValueRef::Binary(&[0; 8]), Code::InvalidValue),
    ] {
        let mut record = before.clone();
        let error = encode(field(name), value, &how, &mut record).unwrap_err();
        assert_eq!(error.code(), code, "{name}: {error}");
        assert!(error.message().contains(&name.to_uppercase()), "{error}");
        assert_eq!(record, before, "{name}");
    }
    // xBase's own ways, when asked for.
    let loose = Encoding { replacement: Some(b'?'), cut_long_text: true, ..how };
    let mut record = before.clone();
    encode(field("c"), ValueRef::Text("Kraków 日本 and more"), &loose, &mut record).unwrap();
    assert_eq!(writer::decode(&dbf, None, 0, &record).unwrap(), Value::Text("Kraków ?? an".into()));
    // Blanks at the end are padding anyway.
    encode(field("c"), ValueRef::Text("x                          "), &how, &mut record).unwrap();
    assert_eq!(writer::decode(&dbf, None, 0, &record).unwrap(), Value::Text("x".into()));
}

#[test]
fn records_of_other_programs_come_back_byte_for_byte() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures");
    let mut compared = 0;
    for name in
        ["t01_alltypes_cdx.dbf", "t07_vfp.dbf", "t03_cdx_tags.dbf", "more/m01_cp852.dbf", "more/m20_long_fields.dbf"]
    {
        let path = folder.join(name);
        let dbf = Dbf::open(mainstay_vfs::Disk.open(&path).unwrap(), OpenOptions::default()).unwrap();
        let how = Encoding::strict(dbf.code_page());
        let mut bytes = Vec::new();
        for row in 0..dbf.read_count().unwrap() {
            dbf.read_record(row, &mut bytes).unwrap();
            for (number, field) in dbf.fields().iter().enumerate() {
                let stamped = matches!(field.kind, FieldKind::Unknown);
                if field.kind.needs_memo() || stamped {
                    continue;
                }
                let value = writer::decode(&dbf, None, number, &bytes).unwrap();
                let mut again = bytes.clone();
                if value == Value::Null && encode(field, value.as_ref(), &how, &mut again).is_err() {
                    continue;
                }
                encode(field, value.as_ref(), &how, &mut again).unwrap();
                let cell = field.offset..field.offset + field.length;
                let same = again == bytes
                    // Zeros and NULs for "no value", and numbers that are not written in the usual form.
                    || writer::decode(&dbf, None, number, &again).unwrap() == value && is_odd(&bytes[cell.clone()], field.kind);
                assert!(
                    same,
                    "{name}, record {}, {field:?}: {:?} became {:?}",
                    row + 1,
                    &bytes[cell.clone()],
                    &again[cell]
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 500, "{compared}");
}

/// Bytes for which there is a more usual form of the same value.
fn is_odd(cell: &[u8], kind: FieldKind) -> bool {
    match kind {
        FieldKind::Logical => !matches!(cell, b"T" | b"F" | b" "),
        FieldKind::Numeric => cell.contains(&b'*') || cell.ends_with(b" ") || cell.contains(&0),
        FieldKind::Character | FieldKind::Date => cell.contains(&0),
        FieldKind::Varchar | FieldKind::Varbinary => true,
        _ => cell.iter().all(|&byte| byte == b' '),
    }
}

#[test]
fn a_code_page_is_used_both_ways() {
    let dbf = table(Format::DbaseThree, 0x64, vec![FieldSpec::new("c", b'C', 10, 0)]);
    assert_eq!(dbf.code_page(), CodePage::by_name("852").unwrap());
    let mut record = vec![b' '; 11];
    encode(&dbf.fields()[0], ValueRef::Text("Łódź\u{F7FF}"), &Encoding::strict(dbf.code_page()), &mut record).unwrap();
    assert_eq!(&record[1..6], b"\x9D\xA2d\xAB\xFF");
}

#[test]
fn headers_that_no_program_would_read_as_meant_are_refused() {
    let today = Date::from_ymd(2026, 11, 22).unwrap();
    let one = |format, field: FieldSpec| TableSpec::new(format, vec![field]).header(today);
    let field = FieldSpec::new;
    for (format, field, code) in [
        (Format::DbaseThree, field("", b'C', 1, 0), Code::InvalidValue),
        (Format::DbaseThree, field("1A", b'C', 1, 0), Code::InvalidValue),
        (Format::DbaseThree, field("A B", b'C', 1, 0), Code::InvalidValue),
        (Format::DbaseThree, field("ELEVENCHARS", b'C', 1, 0), Code::InvalidValue),
        (Format::DbaseThree, field("A", b'C', 0, 0), Code::InvalidValue),
        (Format::DbaseThree, field("A", b'X', 1, 0), Code::InvalidValue),
        (Format::DbaseThree, field("A", b'N', 2, 2), Code::InvalidValue),
        (Format::VisualFoxPro, field("A", b'C', 255, 0), Code::InvalidValue),
        (Format::VisualFoxPro, field("_NULLFLAGS", b'C', 5, 0), Code::InvalidValue),
        (Format::DbaseFour, field("A", b'I', 4, 0), Code::InvalidValue),
        (Format::DbaseThree, field("日", b'C', 5, 0), Code::InvalidValue),
        (Format::FoxPro, field("A", b'I', 7, 0), Code::InvalidValue),
    ] {
        let error = one(format, field.clone()).unwrap_err();
        assert_eq!(error.code(), code, "{field:?}: {error}");
    }
    let twice = vec![field("A", b'C', 1, 0), field("a", b'L', 0, 0)];
    assert_eq!(TableSpec::new(Format::FoxPro, twice).header(today).unwrap_err().code(), Code::Duplicate);
    let wide = (0..2).map(|n| field(&format!("C{n}"), b'C', 40_000, 0)).collect();
    assert_eq!(TableSpec::new(Format::FoxPro, wide).header(today).unwrap_err().code(), Code::InvalidValue);
    let many = (0..2100).map(|n| field(&format!("C{n}"), b'C', 1, 0)).collect();
    assert_eq!(TableSpec::new(Format::FoxPro, many).header(today).unwrap_err().code(), Code::InvalidValue);
}

#[test]
fn a_table_that_is_there_is_not_created_again() {
    let memory = Arc::new(Memory::new());
    memory.write("t.dbf", b"something".to_vec());
    let spec = TableSpec::new(Format::FoxPro, vec![FieldSpec::new("a", b'C', 1, 0)]);
    let made = writer::create(&*memory, Path::new("t.dbf"), &spec, &WriteOptions::new(Access::Exclusive));
    assert_eq!(made.unwrap_err().code(), Code::Duplicate);
    assert_eq!(memory.read(Path::new("t.dbf")).unwrap(), b"something");
}
