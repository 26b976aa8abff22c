//! Helpers that the tests share: messages out of packets, random numbers and values.
#![allow(dead_code, reason = "each test uses some of it")]

use mainstay_tds::CodePage;
use mainstay_tds::client::{Token, tokens};
use mainstay_tds::{Answer, Assembler, Framer, PacketWriter, Version, WholeMessage};
use mainstay_tds::{DataType, Length};
use mainstay_types::{Date, Decimal, TICKS_PER_DAY, Time, Timestamp, Value};

/// Every version.
pub const VERSIONS: [Version; 6] =
    [Version::V7_1, Version::V7_2, Version::V7_3A, Version::V7_3B, Version::V7_4, Version::V8_0];

/// The messages in packets.
pub fn messages(bytes: &[u8]) -> Vec<WholeMessage> {
    let (mut framer, mut assembler, mut messages) = (Framer::new(), Assembler::new(64 << 20), Vec::new());
    framer.feed(bytes);
    while let Some(packet) = framer.next_packet().expect("packets") {
        messages.extend(assembler.push(packet).expect("a message"));
    }
    assert_eq!(framer.held_bytes(), 0);
    messages
}

/// The payload of what was written, as one message, which may have been ended.
pub fn payload(out: &mut PacketWriter) -> Vec<u8> {
    if out.is_within_message() || out.complete_bytes() == 0 {
        out.end_message();
    }
    let mut messages = messages(&out.take());
    assert_eq!(messages.len(), 1);
    messages.remove(0).bytes
}

/// The bytes of an answer's tokens.
pub fn answer_bytes(version: Version, write: impl FnOnce(&mut Answer)) -> Vec<u8> {
    let mut answer = Answer::new(version, "srv");
    write(&mut answer);
    payload(answer.packets())
}

/// The tokens of an answer, read back.
pub fn answer_tokens(version: Version, write: impl FnOnce(&mut Answer)) -> Vec<Token> {
    tokens(&answer_bytes(version, write), version).expect("an answer that can be read")
}

/// Bytes from hexadecimal digits; blanks and line ends do not count.
pub fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_digit(16).expect("hex")).collect();
    digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect()
}

/// A text in UTF-16, low bytes first.
pub fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Numbers that look random (Vigna's SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = (i128::from(high) - i128::from(low) + 1) as u128;
        (i128::from(low) + (u128::from(self.next()) % span) as i128) as i64
    }

    /// A text of characters that `alphabet` has.
    pub fn text(&mut self, alphabet: &[char], longest: usize) -> String {
        (0..self.below(longest + 1)).map(|_| alphabet[self.below(alphabet.len())]).collect()
    }

    pub fn bytes(&mut self, longest: usize) -> Vec<u8> {
        (0..self.below(longest + 1)).map(|_| self.next() as u8).collect()
    }
}

const LATIN: [char; 10] = ['a', 'Z', ' ', '\'', 'é', 'ö', '€', 'ß', '\u{81}', '\n'];
const ANY: [char; 10] = ['a', ' ', 'é', '€', '日', '😀', 'ł', '\u{0}', '\u{FFFD}', 'z'];

/// One type of every kind, with lengths of all forms.
pub fn data_types() -> Vec<DataType> {
    let mut types = vec![
        DataType::Bit,
        DataType::TinyInt,
        DataType::SmallInt,
        DataType::Int,
        DataType::BigInt,
        DataType::SmallMoney,
        DataType::Money,
        DataType::Real,
        DataType::Float,
        DataType::Date,
        DataType::SmallDateTime,
        DataType::DateTime,
        DataType::char(30),
        DataType::varchar(Length::Limited(40)),
        DataType::varchar(Length::Max),
        DataType::NChar(30),
        DataType::NVarChar(Length::Limited(40)),
        DataType::NVarChar(Length::Max),
        DataType::Text(CodePage::DEFAULT),
        DataType::NText,
        DataType::Binary(50),
        DataType::VarBinary(Length::Limited(50)),
        DataType::VarBinary(Length::Max),
        DataType::Image,
        DataType::RowVersion,
        DataType::UniqueIdentifier,
        DataType::Xml,
    ];
    types
        .extend((0..=7).flat_map(|digits| {
            [DataType::Time(digits), DataType::DateTime2(digits), DataType::DateTimeOffset(digits)]
        }));
    let decimals = [(1, 0), (9, 4), (10, 0), (19, 19), (28, 3), (38, 10), (38, 0)];
    types.extend(decimals.map(|(precision, scale)| DataType::Decimal { precision, scale }));
    types
}

/// A value that a column of a type can hold as it is.
pub fn value_of(data_type: DataType, random: &mut Random) -> Value {
    if random.below(6) == 0 {
        return Value::Null;
    }
    let ticks = |random: &mut Random, digits: u8| {
        let unit = 10i64.pow(7 - u32::from(digits));
        random.between(0, TICKS_PER_DAY / unit - 1) * unit
    };
    let day = |random: &mut Random, low: Date, high: Date| Date(random.between(low.0.into(), high.0.into()) as i32);
    match data_type {
        DataType::Bit => Value::Boolean(random.below(2) == 1),
        DataType::TinyInt => Value::Integer(random.between(0, 255)),
        DataType::SmallInt => Value::Integer(random.between(i16::MIN.into(), i16::MAX.into())),
        DataType::Int => Value::Integer(random.between(i32::MIN.into(), i32::MAX.into())),
        DataType::BigInt => Value::Integer(random.between(i64::MIN, i64::MAX)),
        DataType::Decimal { precision, scale } => {
            let limit = 10u128.pow(u32::from(precision));
            let number = ((u128::from(random.next()) << 64 | u128::from(random.next())) % limit) as i128;
            Value::Decimal(Decimal::new(if random.below(2) == 0 { number } else { -number }, scale))
        }
        DataType::SmallMoney => {
            Value::Decimal(Decimal::new(random.between(i32::MIN.into(), i32::MAX.into()).into(), 4))
        }
        DataType::Money => Value::Decimal(Decimal::new(random.between(i64::MIN, i64::MAX).into(), 4)),
        DataType::Real => Value::Float(f64::from(random.between(-1_000_000, 1_000_000) as f32 / 64.0)),
        DataType::Float => Value::Float(random.between(i64::MIN, i64::MAX) as f64 / 1e7),
        DataType::Date => Value::Date(day(random, Date::FIRST, Date::LAST)),
        DataType::Time(digits) => Value::Time(Time(ticks(random, digits))),
        DataType::DateTime2(digits) => {
            Value::Timestamp(Timestamp::at(day(random, Date::FIRST, Date::LAST), ticks(random, digits)))
        }
        DataType::DateTimeOffset(digits) => Value::TimestampWithOffset {
            utc: Timestamp::at(day(random, Date(-700_000), Date(2_900_000)), ticks(random, digits)),
            offset_minutes: random.between(-840, 840) as i16,
        },
        DataType::SmallDateTime => {
            let minutes = random.between(0, 1439) * 60 * 10_000_000;
            Value::Timestamp(Timestamp::at(day(random, Date(-25_567), Date(39_968)), minutes))
        }
        DataType::DateTime => {
            // Milliseconds that end in 0, 3 or 7: those that the type has.
            let ms = (random.between(0, 86_400 * 300 - 1) * 10 + 1) / 3;
            Value::Timestamp(Timestamp::at(day(random, Date(-79_262), Date::LAST), ms * 10_000))
        }
        DataType::Char(length, _) => Value::Text(random.text(&LATIN, usize::from(length))),
        DataType::VarChar(Length::Limited(length), _) => Value::Text(random.text(&LATIN, usize::from(length))),
        DataType::VarChar(Length::Max, _) | DataType::Text(_) => Value::Text(random.text(&LATIN, 9000)),
        DataType::NChar(length) => Value::Text(random.text(&ANY, usize::from(length) / 2)),
        DataType::NVarChar(Length::Limited(length)) => Value::Text(random.text(&ANY, usize::from(length) / 2)),
        DataType::NVarChar(Length::Max) | DataType::NText | DataType::Xml => Value::Text(random.text(&ANY, 9000)),
        DataType::Binary(length) => Value::Binary(random.bytes(usize::from(length))),
        DataType::VarBinary(Length::Limited(length)) => Value::Binary(random.bytes(usize::from(length))),
        DataType::VarBinary(Length::Max) | DataType::Image => Value::Binary(random.bytes(20_000)),
        DataType::RowVersion => Value::Binary(random.next().to_be_bytes().to_vec()),
        DataType::UniqueIdentifier => Value::Uuid(std::array::from_fn(|_| random.next() as u8)),
        DataType::SqlVariant => Value::Integer(random.between(-5, 5)),
    }
}
