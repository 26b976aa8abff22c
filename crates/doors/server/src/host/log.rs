//! The log: one line an event, `time level=.. event=.. key=value ...`.
//!
//! Values with blanks, quotes or control characters are quoted, so that a line is always one event.

use mainstay_types::Timestamp;
use std::fmt::Display;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// The importance of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Info,
    Warning,
    Error,
}

/// Where events are written.
pub(crate) struct Log(Mutex<Box<dyn Write + Send>>);

impl Log {
    pub fn new(out: Box<dyn Write + Send>) -> Log {
        Log(Mutex::new(out))
    }

    /// Writes an event. A log that cannot be written does not stop the server.
    pub fn event(&self, level: Level, event: &str, fields: &[(&str, &dyn Display)]) {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(since.as_millis()).ok().and_then(Timestamp::from_ms).unwrap_or(Timestamp(0));
        let line = line(now, level, event, fields);
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
    }
}

fn line(now: Timestamp, level: Level, event: &str, fields: &[(&str, &dyn Display)]) -> String {
    let level = match level {
        Level::Info => "info",
        Level::Warning => "warning",
        Level::Error => "error",
    };
    let (date, time) = (now.date(), now.time());
    let mut line = format!("{date}T{}Z level={level} event={event}", time.display(3));
    for (key, value) in fields {
        line.push(' ');
        line.push_str(key);
        line.push('=');
        push_value(&mut line, &value.to_string());
    }
    line.push('\n');
    line
}

fn push_value(line: &mut String, value: &str) {
    let plain = |c: char| !c.is_whitespace() && !c.is_control() && !"\"=\\".contains(c);
    if !value.is_empty() && value.chars().all(plain) {
        return line.push_str(value);
    }
    line.push('"');
    for character in value.chars() {
        match character {
            '"' | '\\' => line.extend(['\\', character]),
            '\n' => line.push_str("\\n"),
            c if c.is_control() => line.push(' '),
            c => line.push(c),
        }
    }
    line.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_line() {
        let fields: [(&str, &dyn Display); 4] = [("n", &3), ("user", &"sa"), ("text", &"a \"b\"\n\tc"), ("none", &"")];
        let written = line(Timestamp::from_ms(1_700_000_000_123).unwrap(), Level::Warning, "slow", &fields);
        let expected =
            "2023-11-14T22:13:20.123Z level=warning event=slow n=3 user=sa text=\"a \\\"b\\\"\\n c\" none=\"\"\n";
        assert_eq!(written, expected);
    }
}
