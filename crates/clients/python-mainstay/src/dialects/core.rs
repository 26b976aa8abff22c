//! The core's SQL: statements over a session of the engine, prepared once for each text with parameters.

use crate::dialects::{Arguments, Dialect};
use crate::failure::{Class, Fault};
use crate::marks::{Lexis, first_word, marks, replaced};
use crate::results::{Output, RowBatches};
use mainstay_engine::{Answer, CancelHandle, Prepared, Progress, Session, statements};
use mainstay_session::Cancel;
use mainstay_types::{Value, ValueRef};
use std::collections::HashMap;
use std::sync::Arc;

/// Prepared statements that are kept.
const MOST_PREPARED: usize = 64;

/// A session of the core's SQL.
pub(crate) struct Core {
    session: Session,
    prepared: HashMap<String, Prepared>,
}

/// Ends the running statement of a session of the engine.
pub(crate) struct Stop(pub CancelHandle);

impl Cancel for Stop {
    fn cancel(&self) {
        self.0.cancel();
    }
}

impl Core {
    pub fn new(session: Session) -> Core {
        Core { session, prepared: HashMap::new() }
    }

    fn prepared(&mut self, text: &str) -> Result<Prepared, Fault> {
        match self.prepared.remove(text) {
            Some(prepared) => Ok(prepared),
            None => self.session.prepare(text).map_err(|error| Fault::of_core(&error, text)),
        }
    }

    fn keep(&mut self, text: &str, prepared: Prepared) {
        if self.prepared.len() >= MOST_PREPARED {
            self.prepared.clear();
        }
        self.prepared.insert(text.to_owned(), prepared);
    }

    fn run_one(&mut self, text: &str) -> Result<Output, Fault> {
        let answer = self.session.execute(text).map_err(|error| Fault::of_core(&error, text))?;
        Ok(self.output(answer, text))
    }

    fn run_bound(&mut self, text: &str, values: &[Value]) -> Result<Output, Fault> {
        let mut prepared = self.prepared(text)?;
        let given: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
        let answer = prepared.query_arrow(&mut self.session, &given);
        self.keep(text, prepared);
        let answer = answer.map_err(|error| Fault::of_core(&error, text))?;
        Ok(self.output(answer, text))
    }

    fn output(&mut self, answer: Answer, text: &str) -> Output {
        let changed = answer.changed();
        let last_id = match changed {
            Some(0) => None,
            _ if first_word(text) == "insert" => self.last_id(text),
            _ => None,
        };
        match answer.schema().fields().is_empty() {
            true => Output { changed, last_id, messages: answer.notices(), ..Output::default() },
            false => {
                let rows = Some(RowBatches::Answer(Box::new(answer), text.to_owned()));
                Output { rows, changed, last_id, ..Output::default() }
            }
        }
    }

    /// The number that the identity column of the table behind INSERT INTO gave last.
    fn last_id(&self, text: &str) -> Option<i64> {
        let (_, behind) = text.split_once(|letter: char| letter.is_whitespace())?;
        let behind = behind.trim_start();
        let behind =
            behind.get(..4).filter(|word| word.eq_ignore_ascii_case("into")).and(behind.get(4..))?.trim_start();
        let end = |letter: char| letter.is_whitespace() || letter == '(' || letter == ';';
        let table = behind.split(end).next()?;
        self.session.last_identity(table).ok().flatten()
    }
}

/// The statement with the core's marks, and the values in the order of their numbers.
fn bound(text: &str, arguments: &Arguments) -> Result<(String, Vec<Value>), Fault> {
    match arguments {
        Arguments::List(values) => {
            let wanted = marks(text, Lexis::default(), false).len();
            // Statements may use the core's own marks, $1 and so on.
            if wanted != values.len() && (wanted != 0 || !text.contains('$')) {
                return Err(wrong_count(wanted, values.len()));
            }
            Ok((text.to_owned(), values.iter().map(|argument| argument.value.clone()).collect()))
        }
        Arguments::Named(values) => {
            let found = marks(text, Lexis::default(), true);
            let (mut order, mut bound): (Vec<String>, Vec<Value>) = (Vec::new(), Vec::new());
            for name in found.iter().filter_map(|mark| mark.name.as_ref()) {
                if !order.contains(name) {
                    bound.push(named(values, name)?);
                    order.push(name.clone());
                }
            }
            let number = |name: &Option<String>| order.iter().position(|known| Some(known) == name.as_ref());
            let text = replaced(text, &found, |_, mark| format!("${}", number(&mark.name).unwrap_or(0) + 1));
            Ok((text, bound))
        }
    }
}

/// A statement without values has no marks. Those of the core itself, `$1`, are left to it.
fn check_no_marks(text: &str, arguments: &Arguments) -> Result<(), Fault> {
    let by_name = matches!(arguments, Arguments::Named(_));
    // Nearly all statements have neither sign.
    if !text.contains(if by_name { ':' } else { '?' }) {
        return Ok(());
    }
    let found = marks(text, Lexis::default(), by_name);
    match found.first().map(|mark| &mark.name) {
        None => Ok(()),
        Some(None) => Err(wrong_count(found.len(), 0)),
        Some(Some(name)) => named(&[], name).map(drop),
    }
}

/// The error of another number of values than marks.
pub(crate) fn wrong_count(wanted: usize, given: usize) -> Fault {
    Fault::new(Class::Programming, format!("the statement has {wanted} parameters, and {given} values are given"))
}

/// The value of a name.
pub(crate) fn named(values: &[(String, super::Argument)], name: &str) -> Result<Value, Fault> {
    let found = values.iter().find(|(known, _)| known == name);
    found
        .map(|(_, argument)| argument.value.clone())
        .ok_or_else(|| Fault::new(Class::Programming, format!("there is no value for the parameter :{name}")))
}

impl Dialect for Core {
    fn run(&mut self, text: &str, arguments: &Arguments) -> Result<Vec<Output>, Fault> {
        let ranges = statements(text);
        if arguments.is_empty() {
            check_no_marks(text, arguments)?;
            let pieces = ranges.into_iter().filter_map(|range| text.get(range));
            return pieces.map(|piece| self.run_one(piece)).collect();
        }
        if ranges.len() > 1 {
            return Err(Fault::new(
                Class::Programming,
                "several statements take no parameters: execute them one by one",
            ));
        }
        let (text, values) = bound(text, arguments)?;
        Ok(vec![self.run_bound(&text, &values)?])
    }

    fn run_many(&mut self, text: &str, rows: &[Arguments]) -> Result<Option<u64>, Fault> {
        let Some(first) = rows.first() else { return Ok(None) };
        let (own, _) = bound(text, first)?;
        let mut prepared = self.prepared(&own)?;
        let mut total = 0;
        let mut done = Ok(());
        for (place, arguments) in rows.iter().enumerate() {
            let executed = bound(text, arguments).and_then(|(_, values)| {
                let given: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
                let changed = prepared.execute(&mut self.session, &given);
                changed.map_err(|error| Fault::of_core(&error, &own))
            });
            match executed {
                Ok(changed) => total += changed,
                Err(fault) => {
                    done = Err(Fault { executed: Some(place as u64), ..fault });
                    break;
                }
            }
        }
        self.keep(&own, prepared);
        done.map(|()| Some(total))
    }

    fn call(&mut self, _procedure: &str, _arguments: &Arguments) -> Result<Vec<Output>, Fault> {
        let message = "the core has no procedures: connect with dialect=\"tsql\", \"ads\" or \"informix\"";
        Err(Fault::new(Class::NotSupported, message))
    }

    fn needs_transaction(&self, text: &str) -> bool {
        let lower = text.to_lowercase();
        let changes = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        match first_word(text).as_str() {
            "select" | "values" | "table" => changes(&["for update", "for share", "for no key", "for key", "nextval"]),
            "with" => changes(&["insert", "update", "delete", "merge", "for share", "for key"]),
            "show" | "describe" | "desc" | "set" | "begin" | "start" | "commit" | "end" | "rollback" | "abort" => false,
            "explain" => changes(&["analyze"]),
            "pack" | "zap" | "reindex" | "vacuum" | "checkpoint" | "backup" | "" => false,
            _ => true,
        }
    }

    fn begin(&mut self) -> Result<(), Fault> {
        self.session.begin().map_err(|error| Fault::of_core(&error, ""))
    }

    fn commit(&mut self) -> Result<(), Fault> {
        self.session.commit().map_err(|error| Fault::of_core(&error, ""))
    }

    fn rollback(&mut self) -> Result<(), Fault> {
        self.session.rollback().map_err(|error| Fault::of_core(&error, ""))
    }

    fn is_in_transaction(&self) -> bool {
        self.session.is_in_transaction()
    }

    fn canceller(&self) -> Arc<dyn Cancel> {
        Arc::new(Stop(self.session.cancel_handle()))
    }

    fn progress(&self) -> Option<Arc<Progress>> {
        Some(self.session.progress())
    }

    fn core(&mut self) -> Option<&mut Session> {
        Some(&mut self.session)
    }
}
