//! SET options that affect values, and their marks in the names of functions.
//!
//! A plan is valid only for the options under which it was made. So the names of the functions that a query is reduced
//! to contain the options that differ from those of a new connection:
//!
//! ```text
//!   SET DATEFORMAT dmy; ... WHERE born < '31/12/1999'
//!
//!   "mssql:~dmy.0.7.1538.0:less"("born", "mssql:~dmy.0.7.1538.0:varchar(10)"('31/12/1999'))
//! ```
//!
//! So every cache by the text of a statement is also by the options, and nothing is looked up while rows are read.

use crate::context::DateFormat;
use crate::language::{Language, US_ENGLISH};
use std::ops::BitOr;

/// Options that are on or off, with the bits that `@@OPTIONS` has for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Switches(u16);

#[allow(missing_docs, reason = "each is its own name")]
impl Switches {
    pub const CURSOR_CLOSE_ON_COMMIT: Switches = Switches(4);
    pub const ANSI_WARNINGS: Switches = Switches(8);
    pub const ANSI_PADDING: Switches = Switches(16);
    pub const ANSI_NULLS: Switches = Switches(32);
    pub const ARITHABORT: Switches = Switches(64);
    pub const ARITHIGNORE: Switches = Switches(128);
    pub const QUOTED_IDENTIFIER: Switches = Switches(256);
    pub const ANSI_NULL_DFLT_ON: Switches = Switches(1024);
    pub const ANSI_NULL_DFLT_OFF: Switches = Switches(2048);
    pub const CONCAT_NULL_YIELDS_NULL: Switches = Switches(4096);
    pub const NUMERIC_ROUNDABORT: Switches = Switches(8192);

    /// All that ANSI_DEFAULTS stands for which are here; IMPLICIT_TRANSACTIONS is the other one.
    pub const ANSI_DEFAULTS: Switches = Switches(4 | 8 | 16 | 32 | 256 | 1024);

    /// Those of a driver that speaks ODBC's dialect (OLE DB, ADO.NET, JDBC): all but ARITHABORT.
    pub const OF_DRIVERS: Switches = Switches(8 | 16 | 32 | 256 | 1024 | 4096);

    /// Those of DB-Library: none.
    pub const NONE: Switches = Switches(0);

    /// The option of this name in any case.
    pub fn by_name(name: &str) -> Option<Switches> {
        NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, switch)| *switch)
    }

    /// Returns true if all of these are on.
    #[inline]
    pub fn has(self, switches: Switches) -> bool {
        self.0 & switches.0 == switches.0
    }

    /// The same with these on or off.
    pub fn with(self, switches: Switches, on: bool) -> Switches {
        Switches(if on { self.0 | switches.0 } else { self.0 & !switches.0 })
    }

    /// As `@@OPTIONS` has them.
    pub fn bits(self) -> u16 {
        self.0
    }
}

impl BitOr for Switches {
    type Output = Switches;

    fn bitor(self, other: Switches) -> Switches {
        Switches(self.0 | other.0)
    }
}

const NAMES: [(&str, Switches); 12] = [
    ("ANSI_DEFAULTS", Switches::ANSI_DEFAULTS),
    ("ANSI_NULLS", Switches::ANSI_NULLS),
    ("ANSI_NULL_DFLT_OFF", Switches::ANSI_NULL_DFLT_OFF),
    ("ANSI_NULL_DFLT_ON", Switches::ANSI_NULL_DFLT_ON),
    ("ANSI_PADDING", Switches::ANSI_PADDING),
    ("ANSI_WARNINGS", Switches::ANSI_WARNINGS),
    ("ARITHABORT", Switches::ARITHABORT),
    ("ARITHIGNORE", Switches::ARITHIGNORE),
    ("CONCAT_NULL_YIELDS_NULL", Switches::CONCAT_NULL_YIELDS_NULL),
    ("CURSOR_CLOSE_ON_COMMIT", Switches::CURSOR_CLOSE_ON_COMMIT),
    ("NUMERIC_ROUNDABORT", Switches::NUMERIC_ROUNDABORT),
    ("QUOTED_IDENTIFIER", Switches::QUOTED_IDENTIFIER),
];

/// The options of a session that say what values mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Settings {
    /// SET DATEFORMAT.
    pub date_format: DateFormat,
    /// SET LANGUAGE.
    pub language: &'static Language,
    /// SET DATEFIRST: the first day of the week, 1 for Monday to 7 for Sunday.
    pub date_first: u8,
    /// Those that are on or off.
    pub switches: Switches,
    /// The number of the record of suppressed errors ([`Forgiven`](crate::Forgiven)); 0 without one.
    pub hears: u32,
}

/// The first character of a mark in front of a function's name; no name begins with it.
const MARK: char = '~';

impl Default for Settings {
    /// Those of a new connection.
    fn default() -> Settings {
        Settings::NEW
    }
}

impl Settings {
    /// Those of a new connection.
    pub const NEW: Settings = Settings {
        date_format: DateFormat::Mdy,
        language: &US_ENGLISH,
        date_first: 7,
        switches: Switches::OF_DRIVERS,
        hears: 0,
    };

    /// Returns true if all of these are on.
    #[inline]
    pub fn has(&self, switches: Switches) -> bool {
        self.switches.has(switches)
    }

    /// The same with these on or off.
    #[must_use]
    pub fn with(self, switches: Switches, on: bool) -> Settings {
        Settings { switches: self.switches.with(switches, on), ..self }
    }

    /// Takes a language, its order of dates and its first day of the week.
    pub fn speak(&mut self, language: &'static Language) {
        (self.language, self.date_format, self.date_first) = (language, language.date_format, language.date_first);
    }

    /// Returns true if an overflow or a division by zero gives NULL.
    #[inline]
    pub fn forgives_arithmetic(&self) -> bool {
        !self.has(Switches::ANSI_WARNINGS) && !self.has(Switches::ARITHABORT)
    }

    /// Returns true if the machine's own instructions for expressions mean the same under these options: they know NULL
    /// and errors as a new connection does.
    pub fn is_plain(&self) -> bool {
        self.has(Switches::CONCAT_NULL_YIELDS_NULL) && !self.forgives_arithmetic()
    }

    /// The options that count for a function over rows: the others are as for a new connection.
    fn of_rows(self) -> Settings {
        let mut switches = Switches::OF_DRIVERS;
        for switch in [Switches::ANSI_WARNINGS, Switches::CONCAT_NULL_YIELDS_NULL] {
            switches = switches.with(switch, self.has(switch));
        }
        if !self.has(Switches::ANSI_WARNINGS) {
            for switch in [Switches::ARITHABORT, Switches::ARITHIGNORE] {
                switches = switches.with(switch, self.has(switch));
            }
        }
        let hears = if self.forgives_arithmetic() && !self.has(Switches::ARITHIGNORE) { self.hears } else { 0 };
        Settings { switches, hears, ..self }
    }

    /// Returns true if functions over rows mean something else than for a new connection.
    pub fn counts_for_rows(self) -> bool {
        self.of_rows() != Settings::NEW
    }

    /// The mark of the options in the names of functions over rows; empty for the options of a new connection.
    pub fn mark(self) -> String {
        if self.counts_for_rows() { self.of_rows().full_mark() } else { String::new() }
    }

    /// The same of all options.
    pub fn full_mark(self) -> String {
        let Settings { date_format, language, date_first, switches, hears } = self;
        format!("{MARK}{}.{}.{date_first}.{:x}.{hears}:", date_format.name(), language.id, switches.0)
    }

    /// The options that a name says, and the name without them.
    pub fn of_name(name: &str) -> (Settings, &str) {
        let marked = name.strip_prefix(MARK).and_then(|rest| rest.split_once(':'));
        let read = marked.and_then(|(mark, rest)| Some((Settings::read(mark)?, rest)));
        read.unwrap_or((Settings::NEW, name))
    }

    fn read(mark: &str) -> Option<Settings> {
        let mut parts = mark.split('.');
        let mut next = || parts.next();
        let date_format = DateFormat::by_name(next()?)?;
        let language = Language::by_id(next()?.parse().ok()?)?;
        let date_first = next()?.parse().ok()?;
        let switches = Switches(u16::from_str_radix(next()?, 16).ok()?);
        let hears = next()?.parse().ok()?;
        Some(Settings { date_format, language, date_first, switches, hears })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_carry_the_options_of_rows() {
        assert_eq!(Settings::NEW.mark(), "");
        // Options that only names and comparisons depend on do not affect functions over rows.
        let quoted = Settings::NEW.with(Switches::QUOTED_IDENTIFIER | Switches::ANSI_NULLS, false);
        assert_eq!(quoted.with(Switches::ARITHABORT, true).mark(), "");
        let british = Language::by_name("British").unwrap();
        let of_session = Settings { date_format: DateFormat::Dmy, language: british, date_first: 1, ..Settings::NEW };
        let of_session = of_session.with(Switches::CONCAT_NULL_YIELDS_NULL, false);
        let name = format!("{}cast:datetime", of_session.mark());
        assert_eq!(Settings::of_name(&name), (of_session, "cast:datetime"));
        for plain in ["cast:datetime", "~", "~a:b", "~dmy.0.7.1538:add", "~dmy.999.7.1538.0:add"] {
            assert_eq!(Settings::of_name(plain), (Settings::NEW, plain));
        }
    }

    #[test]
    fn options_have_the_bits_of_the_server() {
        assert_eq!(Switches::OF_DRIVERS.bits(), 5432);
        let switches = Switches::NONE.with(Switches::by_name("ansi_defaults").unwrap(), true);
        assert!(switches.has(Switches::ANSI_NULLS) && !switches.has(Switches::CONCAT_NULL_YIELDS_NULL));
        assert_eq!(Switches::by_name("NOCOUNT"), None);
    }
}
