//! A small table whose indexes this crate writes: its rows, the bytes of its DBF, its tags and their keys.

use super::Seed;
use mainstay_types::{Date, Decimal};
use mainstay_xbase::index::write::{BagSpec, BagWriter, TagSpec};
use mainstay_xbase::index::{EncodedKey, KeyFamily, KeyType, KeyValue};
use std::borrow::Cow;

/// A row of the table `ID N(8), NAME C(20), REMARK C(120), AMT N(10,2), BORN D, FLAG L`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub id: u32,
    pub name: String,
    pub remark: String,
    pub cents: i64,
    pub born: Option<Date>,
    pub flag: bool,
}

/// The fields: name, type, length, decimals.
const FIELDS: [(&str, u8, u8, u8); 6] = [
    ("ID", b'N', 8, 0),
    ("NAME", b'C', 20, 0),
    ("REMARK", b'C', 120, 0),
    ("AMT", b'N', 10, 2),
    ("BORN", b'D', 8, 0),
    ("FLAG", b'L', 1, 0),
];

/// A row that looks random.
pub fn row(seed: &mut Seed) -> Row {
    let names = ["Smith", "Smithson", "Lee", "O'Hara", "", "Van der Berg", "Lindqvist-Anders"];
    let name = format!("{} {}", names[seed.below(7)], seed.below(60));
    let remark = match seed.below(4) {
        0 => String::new(),
        1 => format!("{name}, a remark that is the longer for its number {}", seed.below(1000)),
        2 => {
            "the same remark for many rows, up to its end, where they differ: ".to_owned() + &"x".repeat(seed.below(50))
        }
        _ => (0..120).map(|_| char::from(b'a' + seed.below(26) as u8)).collect(),
    };
    let day =
        |number: usize| Date::from_ymd(1970 + (number % 40) as i32, 1 + (number % 12) as u32, 1 + (number % 28) as u32);
    Row {
        id: seed.below(90_000_000) as u32,
        name: name.trim().to_owned(),
        remark,
        cents: seed.below(200_000) as i64 - 60_000,
        born: if seed.below(9) == 0 { None } else { day(seed.below(1000)) },
        flag: seed.below(3) == 0,
    }
}

/// The bytes of the DBF.
pub fn dbf(rows: &[Row]) -> Vec<u8> {
    let record_len: usize = 1 + FIELDS.iter().map(|field| usize::from(field.2)).sum::<usize>();
    let header_len = 32 + 32 * FIELDS.len() + 1;
    let mut bytes = vec![0; 32];
    bytes[..4].copy_from_slice(&[0x03, 126, 11, 22]);
    bytes[4..8].copy_from_slice(&(rows.len() as u32).to_le_bytes());
    bytes[8..10].copy_from_slice(&(header_len as u16).to_le_bytes());
    bytes[10..12].copy_from_slice(&(record_len as u16).to_le_bytes());
    for (name, kind, len, decimals) in FIELDS {
        let mut field = [0; 32];
        field[..name.len()].copy_from_slice(name.as_bytes());
        (field[11], field[16], field[17]) = (kind, len, decimals);
        bytes.extend(field);
    }
    bytes.push(0x0D);
    for row in rows {
        let born = row.born.map_or_else(String::new, |day| day.to_string().replace('-', ""));
        let amount = Decimal::new(i128::from(row.cents), 2);
        let text = format!(
            " {:>8}{:<20}{:<120}{:>10}{:<8}{}",
            row.id,
            row.name,
            row.remark,
            amount.to_string(),
            born,
            if row.flag { 'T' } else { 'F' }
        );
        bytes.extend(text.into_bytes());
    }
    bytes.push(0x1A);
    bytes
}

/// The tags of the table in a kind of file.
pub fn tags(bag: &BagSpec) -> Vec<TagSpec> {
    use KeyFamily::{Character, Date, Logical, Number};
    let is_ntx = bag.is_ntx_kind();
    let spec = |name: &str, key: &str, family, len| TagSpec::new(name, key, family, len);
    let number = |name: &str, key: &str, len: usize, decimals: u8| {
        let key_len = if is_ntx { len } else { 8 };
        TagSpec { decimals: if is_ntx { decimals } else { 0 }, ..spec(name, key, Number, key_len) }
    };
    let name = spec("NAME", "NAME", Character, 20);
    vec![
        number("ID", "ID", 8, 0),
        name.clone(),
        TagSpec { name: "NAMEDOWN".into(), descending: true, ..name.clone() },
        TagSpec { name: "FIRST".into(), unique: true, ..name },
        spec("REMARK", "REMARK", Character, 120),
        number("AMT", "AMT", 10, 2),
        TagSpec {
            name: "DEAR".into(),
            condition: Some(b"AMT > 500".to_vec()),
            descending: true,
            ..number("AMT", "AMT", 10, 2)
        },
        spec("BORN", "BORN", Date, 8),
        spec("FLAG", "FLAG", Logical, 1),
    ]
}

/// The key of a row in a tag, if the tag lists it.
pub fn key(tag: &TagSpec, key_type: &KeyType, row: &Row) -> Option<Vec<u8>> {
    if tag.condition.is_some() && row.cents <= 50_000 {
        return None;
    }
    let value = match &tag.key[..] {
        b"ID" => KeyValue::Decimal(Decimal::new(i128::from(row.id), 0)),
        b"NAME" => KeyValue::Character(Cow::Borrowed(row.name.as_bytes())),
        b"REMARK" => KeyValue::Character(Cow::Borrowed(row.remark.as_bytes())),
        b"AMT" => KeyValue::Decimal(Decimal::new(i128::from(row.cents), 2)),
        b"BORN" => row.born.map_or(KeyValue::BlankDate, KeyValue::Date),
        b"FLAG" => KeyValue::Logical(row.flag),
        other => panic!("{other:?} is no key of the table"),
    };
    match key_type.encode(&value) {
        Some(EncodedKey::Exact(key)) => Some(key),
        other => panic!("{value:?} gives {other:?}"),
    }
}

/// True if a kind of file is an NTX.
pub trait IsNtx {
    fn is_ntx_kind(&self) -> bool;
}

impl IsNtx for BagSpec {
    fn is_ntx_kind(&self) -> bool {
        use mainstay_xbase::index::BagKind;
        matches!(self.kind, BagKind::Ntx | BagKind::CompoundNtx)
    }
}

/// Changes a row of the table in one tag as a table writer would.
pub fn change(writer: &mut BagWriter, number: usize, tag: &TagSpec, rows: (Option<&Row>, Option<&Row>), record: u32) {
    let key_type = tag.key_type(&writer.spec()).unwrap();
    let of = |row: Option<&Row>| row.and_then(|row| key(tag, &key_type, row));
    match (of(rows.0), of(rows.1)) {
        (Some(old), Some(new)) if old == new => {}
        (Some(old), Some(new)) => drop(writer.replace(number, &old, &new, record).unwrap()),
        (Some(old), None) => drop(writer.delete(number, &old, record).unwrap()),
        (None, Some(new)) => drop(writer.insert(number, &new, record).unwrap()),
        (None, None) => {}
    }
}
