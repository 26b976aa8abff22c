//! AT TIME ZONE, registered as a function of that name.

use super::Function;
use super::binding::{Binding, Call, text, value};
use crate::convert::Parts;
use crate::messages::Message;
use crate::time_zone::Zone;
use crate::types::DataType;
use mainstay_types::{Timestamp, Value, ValueRef};

pub(super) const FUNCTIONS: &[Function] = &[Function::new("AT TIME ZONE", (2, 2), zone_type, at_time_zone)];

fn zone_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    let digits = match binding.argument(0).data_type {
        Some(DataType::DateTime2(digits) | DataType::DateTimeOffset(digits)) => digits,
        Some(DataType::DateTime) => 3,
        Some(DataType::SmallDateTime) => 0,
        None => 7,
        Some(_) => return Err(binding.invalid(0)),
    };
    match binding.argument(1).data_type {
        Some(data_type) if !data_type.is_string() => return Err(binding.invalid(1)),
        _ => drop(binding.text(1)?),
    }
    Ok(DataType::DateTimeOffset(digits))
}

/// A moment with an offset is shown on the zone's clock; one without was on it. 9820 for a zone that is not known.
fn at_time_zone(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let name = text(values, 1);
    // Blanks count.
    let zone = Zone::by_name(name).ok_or_else(|| Message::numbered(9820, &[&name]))?;
    let range = Timestamp::FIRST..=Timestamp::LAST;
    let (utc, offset_minutes) = match value(values, 0) {
        ValueRef::TimestampWithOffset { utc, .. } => {
            let offset_minutes = zone.offset_at(utc);
            // A time that the zone's clock cannot show becomes the first or the last timestamp of the type.
            match utc.to_local(offset_minutes) {
                local if local < *range.start() => (*range.start(), 0),
                local if local > *range.end() => {
                    let unit = 10i64.pow(u32::from(7 - call.bound.result.scale().min(7)));
                    (Timestamp(range.end().0 / unit * unit), 0)
                }
                _ => (utc, offset_minutes),
            }
        }
        other => zone.from_local(Parts::of(other).local()),
    };
    if !range.contains(&utc) || !range.contains(&utc.to_local(offset_minutes)) {
        return Err(Message::numbered(9813, &[&"AT TIME ZONE"]));
    }
    Ok(Value::TimestampWithOffset { utc, offset_minutes })
}
