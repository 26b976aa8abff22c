//! A moment as text, in the styles of CONVERT.
//!
//! A style is a pattern of one letter for each part; parts that the type does not have are left out, and a style of
//! only such parts is refused (8114).
//!
//! ```text
//!   y Y   year of two and four digits        m d   month and day of two digits     D   day padded with a blank
//!   N     month's short name                 h     hour of 24                      H   hour of 12 padded with a blank
//!   i s   minute and second                  f F   milliseconds behind `:` and `.`     a   AM or PM
//!   z     offset where there is one
//! ```

use super::hijri;
use crate::context::Context;
use crate::messages::Message;
use crate::types::DataType;
use mainstay_types::{Date, Time, Timestamp};
use std::fmt::Write;

/// A moment with the parts that its type has.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// The day.
    pub date: Option<Date>,
    /// The time of day, and how many digits of its second the type has.
    pub time: Option<(Time, u8)>,
    /// Minutes ahead of UTC, for a DATETIMEOFFSET.
    pub offset: Option<i16>,
    /// True if the type is DATETIME or SMALLDATETIME, which put a colon before milliseconds where a style has one.
    pub legacy: bool,
}

/// The pattern of a style: of its date, what joins both, of its time.
fn pattern(style: i32) -> Option<(&'static str, &'static str, &'static str)> {
    Some(match style {
        0 | 100 => ("N D Y", " ", "H:ia"),
        1 => ("m/d/y", "", ""),
        101 => ("m/d/Y", "", ""),
        2 => ("y.m.d", "", ""),
        102 => ("Y.m.d", "", ""),
        3 => ("d/m/y", "", ""),
        103 => ("d/m/Y", "", ""),
        4 => ("d.m.y", "", ""),
        104 => ("d.m.Y", "", ""),
        5 => ("d-m-y", "", ""),
        105 => ("d-m-Y", "", ""),
        6 => ("d N y", "", ""),
        106 => ("d N Y", "", ""),
        7 => ("N d, y", "", ""),
        107 => ("N d, Y", "", ""),
        8 | 24 | 108 => ("", "", "h:i:s"),
        9 | 109 => ("N D Y", " ", "H:i:sfa"),
        10 => ("m-d-y", "", ""),
        110 => ("m-d-Y", "", ""),
        11 => ("y/m/d", "", ""),
        111 => ("Y/m/d", "", ""),
        12 => ("ymd", "", ""),
        112 => ("Ymd", "", ""),
        13 | 113 => ("d N Y", " ", "h:i:sf"),
        14 | 114 => ("", "", "h:i:sf"),
        20 | 120 => ("Y-m-d", " ", "h:i:s"),
        21 | 25 | 121 => ("Y-m-d", " ", "h:i:sF"),
        22 => ("m/d/y", " ", "H:i:s a"),
        23 => ("Y-m-d", "", ""),
        126 => ("Y-m-d", "T", "h:i:sG"),
        127 => ("Y-m-d", "T", "h:i:sG"),
        130 => ("d N Y", " ", "H:i:sfa"),
        131 => ("d/m/Y", " ", "H:i:sfa"),
        _ => return None,
    })
}

/// Names of the months of the Islamic calendar, as style 130 shows them.
const HIJRI_MONTHS: [&str; 12] = [
    "محرم",
    "صفر",
    "ربيع الاول",
    "ربيع الثاني",
    "جمادى الاولى",
    "جمادى الثانية",
    "رجب",
    "شعبان",
    "رمضان",
    "شوال",
    "ذو القعدة",
    "ذو الحجة",
];

/// The text of a moment in a style. Errors: 281 for a number that is no style, 8114 and 281 for one
/// that the type has no part of, 9814 for a day before the Islamic calendar.
pub fn show(
    moment: Moment,
    style: i32,
    from: DataType,
    to: DataType,
    context: &Context<'_>,
) -> Result<String, Message> {
    let (of_date, join, of_time) =
        pattern(style).ok_or_else(|| Message::numbered(281, &[&style, &from.value_name()]))?;
    let mut moment = moment;
    if style == 127
        && let (Some(offset), Some(date), Some((time, digits))) = (moment.offset, moment.date, moment.time)
    {
        let utc = Timestamp::at(date, time.0).to_utc(offset);
        (moment.date, moment.time) = (Some(utc.date()), Some((utc.time(), digits)));
    }
    let (has_date, has_time) =
        (moment.date.is_some() && !of_date.is_empty(), moment.time.is_some() && !of_time.is_empty());
    if !has_date && !has_time {
        return Err(match (moment.date, style) {
            (Some(_), 14 | 114) => Message::numbered(281, &[&style, &from.value_name()]),
            _ => Message::numbered(8114, &[&from.value_name(), &to.value_name()]).state(5),
        });
    }
    if matches!(style, 130 | 131) && moment.date.is_some_and(|date| date < hijri::FIRST) {
        return Err(Message::numbered(9814, &[]));
    }
    let mut shower = Shower { moment, context, hijri: matches!(style, 130 | 131), out: String::with_capacity(34) };
    if has_date {
        shower.date(of_date);
    }
    if has_date && has_time {
        shower.out.push_str(join);
    }
    if has_time {
        // A time alone is not padded in the styles that show the hour behind a date.
        shower.time(of_time, !has_date && matches!(style, 0 | 9 | 100 | 109));
        shower.offset(style);
    }
    Ok(shower.out)
}

struct Shower<'a> {
    moment: Moment,
    context: &'a Context<'a>,
    hijri: bool,
    out: String,
}

impl Shower<'_> {
    /// Appends. (Writing to a String does not fail.)
    fn put(&mut self, arguments: std::fmt::Arguments<'_>) {
        let _ = self.out.write_fmt(arguments);
    }

    fn date(&mut self, pattern: &str) {
        let Some(date) = self.moment.date else { return };
        let (year, month, day) = match self.hijri {
            true => hijri::ymd(date),
            false => {
                let (year, month, day) = date.ymd();
                (i64::from(year), month, day)
            }
        };
        for part in pattern.chars() {
            match part {
                'y' => self.put(format_args!("{:02}", year.rem_euclid(100))),
                'Y' => self.put(format_args!("{year:04}")),
                'm' => self.put(format_args!("{month:02}")),
                'd' => self.put(format_args!("{day:02}")),
                'D' => self.put(format_args!("{day:2}")),
                'N' => {
                    let names = if self.hijri { &HIJRI_MONTHS } else { &self.context.settings.language.short_months };
                    let name = names.get(month as usize - 1).copied().unwrap_or_default();
                    self.out.push_str(name);
                }
                other => self.out.push(other),
            }
        }
    }

    fn time(&mut self, pattern: &str, alone: bool) {
        let Some((time, digits)) = self.moment.time else { return };
        let (hour, minute, second, ticks) = time.hms();
        for part in pattern.chars() {
            match part {
                'h' => self.put(format_args!("{hour:02}")),
                'H' if alone && !self.moment.legacy => self.put(format_args!("{}", (hour + 11) % 12 + 1)),
                'H' => self.put(format_args!("{:2}", (hour + 11) % 12 + 1)),
                'i' => self.put(format_args!("{minute:02}")),
                's' => self.put(format_args!("{second:02}")),
                'f' if self.moment.legacy => self.fraction(':', ticks, 3),
                'f' | 'F' => self.fraction('.', ticks, digits),
                'G' if ticks > 0 => self.fraction('.', ticks, digits),
                'G' => {}
                'a' => self.out.push_str(if hour < 12 { "AM" } else { "PM" }),
                other => self.out.push(other),
            }
        }
    }

    fn fraction(&mut self, mark: char, ticks: u32, digits: u8) {
        if digits > 0 {
            let fraction = ticks / 10u32.pow(u32::from(7 - digits.min(7)));
            self.put(format_args!("{mark}{fraction:0width$}", width = usize::from(digits)));
        }
    }

    fn offset(&mut self, style: i32) {
        let Some(offset) = self.moment.offset else { return };
        let (sign, minutes) = (if offset < 0 { '-' } else { '+' }, offset.unsigned_abs());
        match style {
            127 => self.out.push('Z'),
            126 => self.put(format_args!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)),
            8 | 24 | 108 | 14 | 114 | 22 => {}
            _ => self.put(format_args!(" {sign}{:02}:{:02}", minutes / 60, minutes % 60)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(style: i32) -> String {
        let moment: Timestamp = "2024-03-05 15:04:09.123".parse().unwrap();
        let moment = Moment { date: Some(moment.date()), time: Some((moment.time(), 3)), offset: None, legacy: true };
        show(moment, style, DataType::DateTime, DataType::char(30), &Context::default())
            .unwrap_or_else(|message| message.number.to_string())
    }

    #[test]
    fn styles_of_datetime() {
        for (style, expected) in [
            (0, "Mar  5 2024  3:04PM"),
            (1, "03/05/24"),
            (101, "03/05/2024"),
            (2, "24.03.05"),
            (103, "05/03/2024"),
            (4, "05.03.24"),
            (105, "05-03-2024"),
            (6, "05 Mar 24"),
            (107, "Mar 05, 2024"),
            (8, "15:04:09"),
            (109, "Mar  5 2024  3:04:09:123PM"),
            (10, "03-05-24"),
            (111, "2024/03/05"),
            (12, "240305"),
            (112, "20240305"),
            (113, "05 Mar 2024 15:04:09:123"),
            (114, "15:04:09:123"),
            (120, "2024-03-05 15:04:09"),
            (121, "2024-03-05 15:04:09.123"),
            (22, "03/05/24  3:04:09 PM"),
            (23, "2024-03-05"),
            (126, "2024-03-05T15:04:09.123"),
            (131, "24/08/1445  3:04:09:123PM"),
            (15, "281"),
            (999, "281"),
        ] {
            assert_eq!(shown(style), expected, "{style}");
        }
    }

    #[test]
    fn what_a_type_does_not_have_is_left_out() {
        let date = Moment { date: Date::from_ymd(2024, 3, 5), time: None, offset: None, legacy: false };
        let show_date = |style| show(date, style, DataType::Date, DataType::char(30), &Context::default());
        assert_eq!(show_date(0).unwrap(), "Mar  5 2024");
        assert_eq!(show_date(121).unwrap(), "2024-03-05");
        assert_eq!(show_date(108).unwrap_err().number, 8114);
        let time = Moment { date: None, time: Time::from_hms(3, 4, 5, 1234567).map(|t| (t, 7)), ..date };
        let show_time = |style| show(time, style, DataType::Time(7), DataType::char(30), &Context::default());
        assert_eq!(show_time(121).unwrap(), "03:04:05.1234567");
        assert_eq!(show_time(0).unwrap(), "3:04AM");
        assert_eq!(show_time(22).unwrap(), " 3:04:05 AM");
        assert_eq!(show_date(114).unwrap_err().number, 281);
        assert_eq!(show_time(101).unwrap_err().number, 8114);
        let with_offset = Moment { date: date.date, time: time.time, offset: Some(120), legacy: false };
        let show_offset =
            |style| show(with_offset, style, DataType::DateTimeOffset(7), DataType::char(40), &Context::default());
        assert_eq!(show_offset(121).unwrap(), "2024-03-05 03:04:05.1234567 +02:00");
        assert_eq!(show_offset(126).unwrap(), "2024-03-05T03:04:05.1234567+02:00");
        assert_eq!(show_offset(127).unwrap(), "2024-03-05T01:04:05.1234567Z");
    }
}
