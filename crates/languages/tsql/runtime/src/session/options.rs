//! SET options: the values in a session, the changes by statements, and their display.
//!
//! A called module begins with its caller's options, and its own settings end with it ([`Inner::restore_options`]).
//! ANSI_NULLS and QUOTED_IDENTIFIER are those under which a procedure, function or trigger was created, whichever
//! session calls it.

use crate::columns::Column;
use crate::objects::modules::{Loaded, MADE_UNDER, OF_SYSTEM, Object};
use crate::plans::measures::{PlanForm, Statistics};
use crate::session::Inner;
use crate::statements::errors::{message_of, raised};
use crate::statements::runner::Runner;
use mainstay_session::push::Environment;
use mainstay_tsql_syntax::compile::Reading;
use mainstay_tsql_syntax::reduce;
use mainstay_tsql_syntax::tree::{Isolation, Phrase, PhraseItem};
use mainstay_tsql_types::language::Language;
use mainstay_tsql_types::{DataType, DateFormat, Length, Message, Settings, Switches, is_arithmetic};
use mainstay_types::Value;
use mainstay_vm::Raised;
use std::sync::Arc;

/// SET options.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) nocount: bool,
    pub(crate) xact_abort: bool,
    pub(crate) implicit_transactions: bool,
    pub(crate) fmt_only: bool,
    pub(crate) no_exec: bool,
    /// The form in which plans are shown in place of running statements, if they are.
    pub(crate) show_plan: Option<PlanForm>,
    /// The statistics that are reported about statements.
    pub(crate) statistics: Statistics,
    pub(crate) parse_only: bool,
    pub(crate) row_limit: u64,
    /// Options that decide about the meaning of values.
    pub(crate) settings: Settings,
    pub(crate) text_size: i32,
    pub(crate) lock_timeout: i32,
    pub(crate) deadlock_priority: i8,
    pub(crate) isolation: Isolation,
}

/// The text size that SET TEXTSIZE 0 stands for.
const DEFAULT_TEXT_BYTES: i32 = 4096;

impl Default for Options {
    fn default() -> Options {
        Options {
            nocount: false,
            xact_abort: false,
            implicit_transactions: false,
            fmt_only: false,
            no_exec: false,
            show_plan: None,
            statistics: Statistics::default(),
            parse_only: false,
            row_limit: 0,
            settings: Settings::NEW,
            text_size: i32::MAX,
            lock_timeout: -1,
            deadlock_priority: 0,
            isolation: Isolation::ReadCommitted,
        }
    }
}

impl Options {
    /// The bytes that a long value in a result may have, if that is limited (SET TEXTSIZE).
    pub(crate) fn most_text(&self) -> Option<usize> {
        if self.text_size == i32::MAX { None } else { usize::try_from(self.text_size).ok() }
    }

    /// Returns true if statements are not run (SET NOEXEC and SHOWPLAN).
    pub(crate) fn is_unexecuted(&self) -> bool {
        self.no_exec || self.show_plan.is_some()
    }

    /// Returns true if `"x"` is an identifier.
    pub(crate) fn quoted_identifier(&self) -> bool {
        self.settings.has(Switches::QUOTED_IDENTIFIER)
    }

    /// The options that a text is compiled for.
    pub(crate) fn reading(&self) -> Reading {
        Reading { is_plain: self.settings.is_plain(), ansi_nulls: self.settings.has(Switches::ANSI_NULLS) }
    }

    /// `@@OPTIONS`.
    pub(crate) fn bits(&self) -> i64 {
        let others = [(2, self.implicit_transactions), (512, self.nocount), (16384, self.xact_abort)];
        let others: i64 = others.iter().filter(|(_, on)| *on).map(|(bit, _)| bit).sum();
        i64::from(self.settings.switches.bits()) + others
    }
}

impl Runner<'_> {
    /// SET of options; `given` is what the variable holds that stands for the value.
    ///
    /// Errors: 2740, 2741, 2742 and those of IDENTITY_INSERT.
    pub(crate) fn set_options(&mut self, options: &[Phrase], given: Option<&str>) -> Result<(), Box<Raised>> {
        let is_module = self.module_switches().is_some();
        // SET ANSI_NULLS, QUOTED_IDENTIFIER ON: the value stands behind the last.
        let on = options
            .last()
            .and_then(|option| option.items.last())
            .is_some_and(|item| word(item).eq_ignore_ascii_case("ON"));
        for option in options {
            let mut words: Vec<String> = option.items.iter().map(word).collect();
            if let (Some(given), Some(last)) = (given, words.last_mut()) {
                given.clone_into(last);
            }
            self.inner.set_option(&words, on, is_module)?;
            if option.starts("LANGUAGE") {
                self.tell_language();
            }
        }
        self.inner.show_options();
        Ok(())
    }

    /// Tells of what gave NULL instead of an error.
    #[inline]
    pub(crate) fn tell_forgiven(&mut self) {
        if self.silent == 0 && self.inner.forgiven.has_any() {
            self.tell_all_forgiven();
        }
    }

    fn tell_all_forgiven(&mut self) {
        for message in self.inner.forgiven.take() {
            if !self.inner.state.options.settings.has(Switches::ARITHIGNORE) {
                self.note(message.number, &message.text);
            }
        }
    }

    fn tell_language(&mut self) {
        let new = self.inner.state.options.settings.language.name.to_owned();
        self.sink.environment(&Environment::Language { new, old: String::new() });
    }

    /// DBCC USEROPTIONS.
    pub(crate) fn show_user_options(&mut self) -> Result<(), Box<Raised>> {
        let text = DataType::NVarChar(Length::Limited(128));
        let columns = [Column::new("Set Option", text), Column::new("Value", text)];
        let options = &self.inner.state.options;
        let Settings { date_format, language, date_first, switches, .. } = options.settings;
        let mut rows = vec![
            ("textsize", options.text_size.to_string()),
            ("language", language.name.to_owned()),
            ("dateformat", date_format.name().to_owned()),
            ("datefirst", date_first.to_string()),
            ("lock_timeout", options.lock_timeout.to_string()),
        ];
        let on = [
            ("quoted_identifier", switches.has(Switches::QUOTED_IDENTIFIER)),
            ("arithabort", switches.has(Switches::ARITHABORT)),
            ("arithignore", switches.has(Switches::ARITHIGNORE)),
            ("nocount", options.nocount),
            ("xact_abort", options.xact_abort),
            ("implicit_transactions", options.implicit_transactions),
            ("cursor_close_on_commit", switches.has(Switches::CURSOR_CLOSE_ON_COMMIT)),
            ("ansi_null_dflt_on", switches.has(Switches::ANSI_NULL_DFLT_ON)),
            ("ansi_null_dflt_off", switches.has(Switches::ANSI_NULL_DFLT_OFF)),
            ("ansi_warnings", switches.has(Switches::ANSI_WARNINGS)),
            ("ansi_padding", switches.has(Switches::ANSI_PADDING)),
            ("ansi_nulls", switches.has(Switches::ANSI_NULLS)),
            ("concat_null_yields_null", switches.has(Switches::CONCAT_NULL_YIELDS_NULL)),
            ("numeric_roundabort", switches.has(Switches::NUMERIC_ROUNDABORT)),
        ];
        rows.extend(on.iter().filter(|(_, on)| *on).map(|(name, _)| (*name, "SET".to_owned())));
        let isolation = match options.isolation {
            Isolation::ReadUncommitted => "read uncommitted",
            Isolation::ReadCommitted => "read committed",
            Isolation::RepeatableRead => "repeatable read",
            Isolation::Serializable => "serializable",
            Isolation::Snapshot => "snapshot",
        };
        rows.push(("isolation level", isolation.to_owned()));
        let rows = rows.into_iter().map(|(name, value)| vec![Value::Text(name.to_owned()), Value::Text(value)]);
        self.show_table(&columns, rows.collect())
    }
}

impl Inner {
    /// One SET, whose words these are: `NOCOUNT ON`, `IDENTITY_INSERT t ON`, `DATEFIRST 1`.
    fn set_option(&mut self, words: &[String], on: bool, is_module: bool) -> Result<(), Box<Raised>> {
        let number = || {
            let is_negative = words.iter().rev().nth(1).is_some_and(|word| word == "-");
            let number = words.last()?.trim().parse::<i64>().ok()?;
            Some(if is_negative { -number } else { number })
        };
        let options = &mut self.state.options;
        let name = words.first().map(|word| word.to_ascii_uppercase()).unwrap_or_default();
        let last = words.last().map_or("", String::as_str);
        match name.as_str() {
            "NOCOUNT" => options.nocount = on,
            "XACT_ABORT" => options.xact_abort = on,
            "IMPLICIT_TRANSACTIONS" => options.implicit_transactions = on,
            "FMTONLY" => {
                options.fmt_only = on;
                self.state.described = 0;
            }
            "NOEXEC" => options.no_exec = on,
            "SHOWPLAN_TEXT" => options.show_plan = on.then_some(PlanForm::Text),
            "SHOWPLAN_ALL" => options.show_plan = on.then_some(PlanForm::All),
            "SHOWPLAN_XML" => options.show_plan = on.then_some(PlanForm::Xml),
            "STATISTICS" => set_statistics(self, words.get(1).map_or("", String::as_str), on),
            // `SET STATISTICS IO, TIME ON`: the second one is of the statistics, too.
            "IO" | "TIME" | "PROFILE" | "XML" => set_statistics(self, &name, on),
            "ROWCOUNT" => options.row_limit = number().unwrap_or(0).max(0) as u64,
            "DATEFIRST" => {
                let day = number().unwrap_or(7);
                if !(1..=7).contains(&day) {
                    return Err(raised(Message::numbered(2742, &[&day])));
                }
                options.settings.date_first = day as u8;
            }
            "TEXTSIZE" => {
                options.text_size = match number().unwrap_or(-1) {
                    0 => DEFAULT_TEXT_BYTES,
                    bytes => i32::try_from(bytes).unwrap_or(i32::MAX),
                }
            }
            "DATEFORMAT" => match DateFormat::by_name(last.trim_end()) {
                Some(format) => options.settings.date_format = format,
                None => return Err(raised(Message::numbered(2741, &[&last]))),
            },
            "LANGUAGE" => match Language::by_name(last.trim_end()) {
                // SET of the language that is spoken leaves SET DATEFIRST and SET DATEFORMAT as they are: drivers send all three.
                Some(language) if language.name == options.settings.language.name => {}
                Some(language) => options.settings.speak(language),
                None => return Err(raised(Message::numbered(2740, &[&last]))),
            },
            "LOCK_TIMEOUT" => {
                options.lock_timeout = number().unwrap_or(-1) as i32;
                self.set_lock_timeout()?;
            }
            "DEADLOCK_PRIORITY" => {
                let priority = match last.to_ascii_uppercase().as_str() {
                    "LOW" => -5,
                    "HIGH" => 5,
                    _ => number().unwrap_or(0),
                };
                options.deadlock_priority = priority.clamp(-10, 10) as i8;
                self.core.set_deadlock_priority(options.deadlock_priority);
            }
            "IDENTITY_INSERT" => {
                let table: String = words.iter().skip(1).take(words.len().saturating_sub(2)).cloned().collect();
                self.set_identity_insert(&table, on)?;
            }
            name => {
                if let Some(switches) = Switches::by_name(name) {
                    options.switch(switches, on, is_module);
                    if options.settings.forgives_arithmetic() {
                        options.settings.hears = self.forgiven.number();
                    }
                }
            }
        }
        Ok(())
    }

    /// Sets the lock timeout of the statements that follow.
    fn set_lock_timeout(&mut self) -> Result<(), Box<Raised>> {
        self.wait_for_locks(self.state.options.lock_timeout)
    }

    /// Sets the lock timeout of the statements that follow, in milliseconds; negative for none.
    pub(crate) fn wait_for_locks(&mut self, wait: i32) -> Result<(), Box<Raised>> {
        let setting = if wait < 0 { "0".to_owned() } else { format!("{}ms", wait.max(1)) };
        self.core.set("lock_timeout", &setting).map_err(|error| raised(message_of(&error)))
    }

    /// A module, compiled for the options that there are.
    ///
    /// Errors: those of compiling it.
    pub(crate) fn load(&self, object: &Object) -> Result<Arc<Loaded>, Box<Message>> {
        self.modules.load(object, self.state.options.settings.is_plain())
    }

    /// The options as they were before a module ran.
    pub(crate) fn restore_options(&mut self, options: Options) {
        let before = std::mem::replace(&mut self.state.options, options);
        let now = &self.state.options;
        let (waits, priority) = (before.lock_timeout != now.lock_timeout, now.deadlock_priority);
        let isolation = (before.isolation != now.isolation).then_some(now.isolation);
        if before.settings != now.settings || before.text_size != now.text_size || waits {
            self.show_options();
        }
        if before.statistics.io != now.statistics.io {
            self.core.reads().count_by_table(now.statistics.io);
        }
        if waits {
            // The setting was taken before.
            let _ = self.set_lock_timeout();
        }
        if before.deadlock_priority != priority {
            self.core.set_deadlock_priority(priority);
        }
        if let Some(isolation) = isolation {
            let _ = self.set_isolation(isolation);
        }
    }

    /// Lets other sessions see the options.
    fn show_options(&self) {
        if let Some(seat) = &self.seat {
            seat.activity().note_options(&self.state.options);
        }
    }
}

impl Options {
    /// Takes the options that a module was made under: of the system's own all that are on or off.
    #[inline]
    pub(crate) fn run_under(&mut self, made_under: Switches) {
        if made_under == OF_SYSTEM {
            self.settings.switches = made_under;
            return;
        }
        for (switch, _) in MADE_UNDER {
            self.settings = self.settings.with(switch, made_under.has(switch));
        }
    }

    /// Returns true if an error ends the batch and rolls its transaction back because ARITHABORT is on and
    /// ANSI_WARNINGS is not.
    pub(crate) fn aborts_at(&self, number: i32) -> bool {
        let switches = self.settings.switches;
        switches.has(Switches::ARITHABORT) && !switches.has(Switches::ANSI_WARNINGS) && is_arithmetic(number)
    }

    /// Puts options on or off. Those that a module was made under are its own.
    fn switch(&mut self, switches: Switches, on: bool, is_module: bool) {
        let before = self.settings;
        if switches == Switches::ANSI_DEFAULTS {
            self.implicit_transactions = on;
        }
        self.settings = before.with(switches, on);
        // Of the two that say what a column is without NULL and NOT NULL one is on at most.
        if on && self.settings.has(Switches::ANSI_NULL_DFLT_ON | Switches::ANSI_NULL_DFLT_OFF) {
            let other = match before.has(Switches::ANSI_NULL_DFLT_ON) {
                true if switches == Switches::ANSI_NULL_DFLT_OFF => Switches::ANSI_NULL_DFLT_ON,
                _ => Switches::ANSI_NULL_DFLT_OFF,
            };
            self.settings = self.settings.with(other, false);
        }
        if is_module {
            for (own, _) in MADE_UNDER {
                self.settings = self.settings.with(own, before.has(own));
            }
        }
    }
}

/// One of SET STATISTICS.
fn set_statistics(inner: &mut Inner, word: &str, on: bool) {
    inner.state.options.statistics.set(word, on);
    inner.core.reads().count_by_table(inner.state.options.statistics.io);
}

/// A word of an option as text.
fn word(item: &PhraseItem) -> String {
    match item {
        PhraseItem::Word(name) | PhraseItem::Variable(name) => name.text.clone(),
        PhraseItem::Symbol(symbol) => symbol.clone(),
        PhraseItem::Literal(literal) => match reduce::literal_value(literal) {
            Ok(Some((_, Value::Text(text)))) => text,
            Ok(Some((_, value))) => value.to_string(),
            _ => String::new(),
        },
        PhraseItem::Group(_) => String::new(),
    }
}
