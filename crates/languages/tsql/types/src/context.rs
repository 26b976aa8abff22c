//! State of a session that conversions and functions read: the time of the statement, SET options, names.

use crate::messages::Message;
use crate::settings::Settings;
use mainstay_types::{Collation, Timestamp};
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// The order in which a date's numbers are read: SET DATEFORMAT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum DateFormat {
    Mdy,
    Dmy,
    Ymd,
    Ydm,
    Myd,
    Dym,
}

impl DateFormat {
    /// The format of this name in any case.
    pub fn by_name(name: &str) -> Option<DateFormat> {
        use DateFormat::*;
        let all = [("mdy", Mdy), ("dmy", Dmy), ("ymd", Ymd), ("ydm", Ydm), ("myd", Myd), ("dym", Dym)];
        all.into_iter().find(|(text, _)| text.eq_ignore_ascii_case(name)).map(|(_, format)| format)
    }

    /// The name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            DateFormat::Mdy => "mdy",
            DateFormat::Dmy => "dmy",
            DateFormat::Ymd => "ymd",
            DateFormat::Ydm => "ydm",
            DateFormat::Myd => "myd",
            DateFormat::Dym => "dym",
        }
    }
}

/// The state of a session.
#[derive(Clone, Debug)]
pub struct Context<'a> {
    /// The moment of the statement, in UTC: all of GETDATE, SYSDATETIME and their like in one statement see it.
    pub now_utc: Timestamp,
    /// Minutes that the server's clock is ahead of UTC.
    pub offset_minutes: i16,
    /// The SET options that say what values mean.
    pub settings: Settings,
    /// The last year that two digits can mean.
    pub two_digit_year_cutoff: i32,
    /// SET TEXTSIZE, in bytes; -1 without a limit.
    pub text_size: i32,
    /// The collation of text without a collation.
    pub collation: Collation,
    /// USER_NAME, which is also CURRENT_USER, SESSION_USER and USER.
    pub user: &'a str,
    /// SUSER_SNAME, which is also SYSTEM_USER and ORIGINAL_LOGIN.
    pub login: &'a str,
    /// DB_NAME.
    pub database: &'a str,
    /// HOST_NAME.
    pub host: &'a str,
    /// APP_NAME.
    pub application: &'a str,
    /// The generator of RAND and NEWID; without it RAND is 0.5 and NEWID all zeros.
    pub random: Option<&'a Random>,
    /// Where it is noted that an operation gave NULL instead of an error.
    pub forgiven: Option<&'a Forgiven>,
}

impl Default for Context<'_> {
    /// The options of a client that has just connected, at the first moment of 1970.
    fn default() -> Self {
        Context {
            now_utc: Timestamp(0),
            offset_minutes: 0,
            settings: Settings::NEW,
            two_digit_year_cutoff: 2049,
            text_size: -1,
            collation: crate::collation::COMPARISON,
            user: "dbo",
            login: "sa",
            database: "master",
            host: "",
            application: "",
            random: None,
            forgiven: None,
        }
    }
}

impl Context<'_> {
    /// The current time of the server's clock.
    pub fn now(&self) -> Timestamp {
        self.now_utc.to_local(self.offset_minutes)
    }

    /// The result of an operation that may give NULL instead of an overflow or a division by zero: it does when both
    /// ARITHABORT and ANSI_WARNINGS are off.
    pub fn arithmetic<T>(&self, result: Result<T, Message>, null: T) -> Result<T, Message> {
        match result {
            Err(message) if self.settings.forgives_arithmetic() && is_arithmetic(message.number) => {
                if let Some(forgiven) = self.forgiven {
                    forgiven.note(message.number);
                }
                Ok(null)
            }
            other => other,
        }
    }
}

/// The number of a division by zero.
const DIVISION_BY_ZERO: i32 = 8134;

/// Returns true if the message is about an overflow or a division by zero.
pub fn is_arithmetic(number: i32) -> bool {
    matches!(number, 220 | 232 | 236 | 244 | 248 | 294 | 3623 | 8115 | DIVISION_BY_ZERO)
}

/// Errors that gave NULL since the last call of `take`.
///
/// A session has one. The functions of its queries find it by its number, which their names say.
#[derive(Debug, Default)]
pub struct Forgiven {
    noted: AtomicU8,
    number: OnceLock<u32>,
}

/// Those that functions of queries may look for.
static KNOWN: Mutex<BTreeMap<u32, Weak<Forgiven>>> = Mutex::new(BTreeMap::new());
/// The number that was given last.
static LAST: AtomicU32 = AtomicU32::new(0);

impl Forgiven {
    const OVERFLOW: u8 = 1;
    const DIVISION: u8 = 2;

    /// Notes the number of an error that was none.
    fn note(&self, number: i32) {
        let bit = if number == DIVISION_BY_ZERO { Forgiven::DIVISION } else { Forgiven::OVERFLOW };
        self.noted.fetch_or(bit, Ordering::Relaxed);
    }

    /// The number by which it is found from now on.
    pub fn number(self: &Arc<Forgiven>) -> u32 {
        *self.number.get_or_init(|| {
            let number = LAST.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
            let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
            known.retain(|_, forgiven| forgiven.strong_count() > 0);
            known.insert(number, Arc::downgrade(self));
            number
        })
    }

    /// The one of this number, while its session is there.
    pub fn numbered(number: u32) -> Option<Arc<Forgiven>> {
        if number == 0 {
            return None;
        }
        KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(&number)?.upgrade()
    }

    /// Returns true if there is something to tell.
    #[inline]
    pub fn has_any(&self) -> bool {
        self.noted.load(Ordering::Relaxed) != 0
    }

    /// The messages that tell of it, once.
    pub fn take(&self) -> Vec<Message> {
        if !self.has_any() {
            return Vec::new();
        }
        let noted = self.noted.swap(0, Ordering::Relaxed);
        let told = [(Forgiven::OVERFLOW, 3606), (Forgiven::DIVISION, 3607)];
        told.iter().filter(|(bit, _)| noted & bit != 0).map(|(_, number)| Message::numbered(*number, &[])).collect()
    }
}

/// The generator of RAND and NEWID: one for a session.
///
/// RAND is the combined generator of L'Ecuyer with the constants that SQL Server has, so `RAND(seed)` gives the numbers
/// that it gives there (`RAND(1)` is 0.713591993212924). NEWID draws from another one, of 128 bits.
#[derive(Debug)]
pub struct Random(Mutex<State>);

#[derive(Debug)]
struct State {
    first: i64,
    second: i64,
    bits: [u64; 2],
}

/// The second seed of RAND, whatever the first.
const SECOND_SEED: i64 = 67_890;

impl Random {
    /// A generator with a random seed.
    pub fn unpredictable() -> Random {
        let draw = || RandomState::new().build_hasher().finish();
        let first = (draw() % 2_147_483_562) as i64 + 1;
        Random(Mutex::new(State { first, second: SECOND_SEED, bits: [draw(), draw() | 1] }))
    }

    /// One that gives the same numbers every time, for tests.
    pub fn seeded(seed: u64) -> Random {
        let first = (seed % 2_147_483_562) as i64 + 1;
        Random(Mutex::new(State { first, second: SECOND_SEED, bits: [seed, seed ^ 0x9E37_79B9_7F4A_7C15] }))
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        // A thread that panicked while it drew leaves numbers that are as good as any.
        act(&mut self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }

    /// RAND(seed): starts again from this seed.
    pub fn restart(&self, seed: i32) -> f64 {
        self.with(|state| {
            let seed = i64::from(seed).rem_euclid(2_147_483_563);
            // Zero would stay zero.
            state.first = if seed == 0 { 12_345 } else { seed };
            state.second = SECOND_SEED;
            state.draw()
        })
    }

    /// RAND(): from 0 to 1, both excluded.
    pub fn next(&self) -> f64 {
        self.with(State::draw)
    }

    /// NEWID(): a version 4 UUID.
    pub fn uuid(&self) -> [u8; 16] {
        let bytes = self.with(|state| (u128::from(state.bits()) << 64 | u128::from(state.bits())).to_be_bytes());
        let mut uuid = bytes;
        uuid[6] = uuid[6] & 0x0F | 0x40;
        uuid[8] = uuid[8] & 0x3F | 0x80;
        uuid
    }
}

impl State {
    fn draw(&mut self) -> f64 {
        self.first = self.first * 40_014 % 2_147_483_563;
        self.second = self.second * 40_692 % 2_147_483_399;
        (self.first - self.second).rem_euclid(2_147_483_562).max(1) as f64 * 4.656_613e-10
    }

    /// xorshift128+.
    fn bits(&mut self) -> u64 {
        let [mut x, y] = self.bits;
        x ^= x << 23;
        self.bits = [y, x ^ y ^ (x >> 17) ^ (y >> 26)];
        self.bits[1].wrapping_add(y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Switches;

    #[test]
    fn rand_gives_what_sql_server_gives() {
        let random = Random::seeded(7);
        for (seed, expected) in [(1, 0.713591993212924), (2, 0.713610626184182), (100, 0.715436657367485)] {
            assert!((random.restart(seed) - expected).abs() < 1e-14, "{seed}");
        }
        assert_ne!(random.next(), random.next());
    }

    #[test]
    fn uuids_are_of_version_4_and_differ() {
        let random = Random::unpredictable();
        let (a, b) = (random.uuid(), random.uuid());
        assert_ne!(a, b);
        assert_eq!((a[6] >> 4, a[8] >> 6), (4, 2));
    }

    #[test]
    fn arithmetic_is_forgiven_only_with_both_options_off() {
        let failed = || Err::<i32, _>(Message::numbered(8134, &[]));
        let (both, forgiven) = (Switches::ANSI_WARNINGS | Switches::ARITHABORT, Forgiven::default());
        for on in [Switches::ANSI_WARNINGS, Switches::ARITHABORT] {
            let settings = Settings::NEW.with(both, false).with(on, true);
            let strict = Context { settings, forgiven: Some(&forgiven), ..Context::default() };
            assert!(strict.arithmetic(failed(), 0).is_err());
        }
        assert_eq!(forgiven.take(), []);
        let settings = Settings::NEW.with(both, false);
        let lenient = Context { settings, forgiven: Some(&forgiven), ..Context::default() };
        assert_eq!(lenient.arithmetic(failed(), 0), Ok(0));
        assert!(lenient.arithmetic(Err::<i32, _>(Message::numbered(245, &[])), 0).is_err());
        let told: Vec<String> = forgiven.take().into_iter().map(|message| message.text).collect();
        assert_eq!(told, ["Division by zero occurred."]);
        assert_eq!(forgiven.take(), []);
    }
}
