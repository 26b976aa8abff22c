//! The wire format of statements: values and types of SQL.

use super::{Reader, Wire, choice, malformed, structure};
use crate::dictionary::{Called, Given, Hidden};
use crate::sql::{Column, Outcome, Parameter, Shown, TransactionStep};
use mainstay_types::{Collation, Date, Interval, Result, SqlType, Time, Timestamp, Value};

/// Ticks of 100 ns in a day.
const TICKS_PER_DAY: i64 = 864_000_000_000;

choice! { Value {
    0 Null;
    1 Boolean(value);
    2 Integer(value);
    3 Decimal(value);
    4 Float(value);
    5 Text(value);
    6 Binary(value);
    7 Date(value);
    8 Time(value);
    9 Timestamp(value);
    10 TimestampWithOffset { utc, offset_minutes };
    11 Interval(value);
    12 Uuid(value);
} }

choice! { SqlType {
    0 Boolean;
    1 TinyInt;
    2 SmallInt;
    3 Integer;
    4 BigInt;
    5 Decimal { precision, scale };
    6 Money;
    7 Real;
    8 Double;
    9 Char { length, collation };
    10 VarChar { length, collation };
    11 Binary { length };
    12 VarBinary { length };
    13 Date;
    14 Time { digits };
    15 Timestamp { digits };
    16 TimestampWithOffset { digits };
    17 IntervalYearMonth;
    18 IntervalDayTime;
    19 Uuid;
} }

choice! { Collation { 0 Binary; 1 CaseAccentInsensitive; 2 CaseInsensitive; 3 CaseSensitive; } }
choice! { TransactionStep { 0 Begin; 1 Commit; 2 RollBack; 3 Savepoint(name); 4 RollBackTo(name); } }
structure! { Parameter { name, value } }
structure! { Column { name, sql_type, field } }
structure! { Outcome { columns, rows, affected, step } }
structure! { Shown { table, members } }
structure! { Called { code, detail, places } }
structure! { Hidden { columns, in_conditions } }
choice! { Given { 0 Null; 1 Number(number); 2 Text(bytes); 3 Bytes(bytes); 4 Room(bytes); 5 Place(number); } }
structure! { Interval { months, days, ticks } }

impl Wire for Date {
    const SMALLEST: usize = 4;
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }
    fn take(from: &mut Reader<'_>) -> Result<Self> {
        i32::take(from).map(Date)
    }
}

impl Wire for Time {
    const SMALLEST: usize = 8;
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }
    fn take(from: &mut Reader<'_>) -> Result<Self> {
        match i64::take(from)? {
            ticks @ 0..TICKS_PER_DAY => Ok(Time(ticks)),
            _ => Err(malformed("a time is not of a day")),
        }
    }
}

impl Wire for Timestamp {
    const SMALLEST: usize = 8;
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }
    fn take(from: &mut Reader<'_>) -> Result<Self> {
        i64::take(from).map(Timestamp)
    }
}

impl Wire for [u8; 16] {
    const SMALLEST: usize = 16;
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }
    fn take(from: &mut Reader<'_>) -> Result<Self> {
        from.array()
    }
}
