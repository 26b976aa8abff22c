//! Advantage SQL: statements and scripts over a session of `ads-runtime`.
//!
//! Types of a static cursor's columns are known behind the last row, so results are complete in memory, within the memory
//! limit.

use crate::dialects::core::wrong_count;
use crate::dialects::{Arguments, Dialect};
use crate::failure::Fault;
use crate::marks::{Lexis, first_word, marks};
use crate::results::{BATCH_ROWS, Output, RowBatches, batch_of};
use arrow_schema::{Field, Schema};
use mainstay_ace::backend::{Column, Executed, Outcome, Parameter, SqlSession, Step};
use mainstay_ads_runtime::Session;
use mainstay_columnar::values::data_type_of;
use mainstay_engine::CancelHandle;
use mainstay_session::Cancel;
use mainstay_types::{Error, Value};
use std::collections::VecDeque;
use std::sync::Arc;

const LEXIS: Lexis = Lexis { brackets: true, brace_comments: false, slash_comments: true };

/// A session of Advantage SQL.
pub(crate) struct Ads {
    session: Session,
    cancel: CancelHandle,
    is_in_transaction: bool,
    /// Bytes that a result may take.
    most_bytes: usize,
}

/// Ends all statements of the running script.
struct StopScript(CancelHandle);

impl Cancel for StopScript {
    fn cancel(&self) {
        self.0.cancel_request();
    }
}

impl Ads {
    pub fn new(session: Session, most_bytes: usize) -> Ads {
        let cancel = session.cancel_handle();
        Ads { session, cancel, is_in_transaction: false, most_bytes }
    }

    fn step(&mut self, step: &Step) -> Result<(), Fault> {
        self.session.transaction(step).map_err(|error| Fault::of_ads(&error, ""))?;
        match step {
            Step::Begin => self.is_in_transaction = true,
            Step::Commit | Step::RollBack => self.is_in_transaction = false,
            Step::Savepoint(_) | Step::RollBackTo(_) => {}
        }
        Ok(())
    }

    fn of_outcome(&mut self, outcome: Outcome, text: &str) -> Result<Output, Fault> {
        if let Some(step) = &outcome.step {
            self.step(step)?;
        }
        if !outcome.columns.is_empty() {
            return rows_of(&outcome.columns, outcome.rows.chunks(BATCH_ROWS));
        }
        let word = first_word(text);
        let changes = matches!(word.as_str(), "insert" | "update" | "delete" | "merge");
        let last_id = if word == "insert" && outcome.affected > 0 { self.last_id() } else { None };
        Ok(Output { changed: changes.then_some(outcome.affected), last_id, ..Output::default() })
    }

    fn last_id(&mut self) -> Option<i64> {
        let outcome = self.session.execute("SELECT LASTAUTOINC(CONNECTION) FROM system.iota", &[]).ok()?;
        match outcome.rows.first()?.first()? {
            Value::Integer(number) if *number != 0 => Some(*number),
            _ => None,
        }
    }
}

fn rows_of<'r>(columns: &[Column], rows: impl Iterator<Item = &'r [Vec<Value>]>) -> Result<Output, Fault> {
    let field = |column: &Column| {
        let field = Field::new(&column.name, data_type_of(column.sql_type), true);
        field.with_metadata([(super::informix::DECLARED.to_owned(), column.sql_type.to_string())].into())
    };
    let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
    let batches = rows.map(|rows| batch_of(&schema, rows)).collect::<Result<VecDeque<_>, _>>()?;
    Ok(Output { rows: Some(RowBatches::Ready(schema, batches)), ..Output::default() })
}

/// The values as the session takes them.
fn parameters(text: &str, arguments: &Arguments) -> Result<Vec<Parameter>, Fault> {
    Ok(match arguments {
        Arguments::List(values) => {
            let wanted = marks(text, LEXIS, false).len();
            if wanted != 0 && wanted != values.len() {
                return Err(wrong_count(wanted, values.len()));
            }
            let parameter = |value: &super::Argument| Parameter { name: String::new(), value: value.value.clone() };
            values.iter().map(parameter).collect()
        }
        Arguments::Named(values) => {
            values.iter().map(|(name, value)| Parameter { name: name.clone(), value: value.value.clone() }).collect()
        }
    })
}

impl Dialect for Ads {
    fn run(&mut self, text: &str, arguments: &Arguments) -> Result<Vec<Output>, Fault> {
        let parameters = parameters(text, arguments)?;
        self.cancel.begin_request();
        let of_ads = |error: &Error| Fault::of_ads(error, text);
        let output = match self.session.query(text, &parameters).map_err(|error| of_ads(&error))? {
            Executed::Done(outcome) => self.of_outcome(outcome, text)?,
            Executed::Rows(mut source) => {
                let (mut rows, mut bytes) = (Vec::new(), 0);
                while let Some(mut some) = source.next().map_err(|error| of_ads(&error))? {
                    bytes += some.iter().flatten().map(size_of_value).sum::<usize>();
                    if bytes > self.most_bytes {
                        return Err(super::tsql::too_large());
                    }
                    rows.append(&mut some);
                }
                rows_of(&source.columns().unwrap_or_default(), rows.chunks(BATCH_ROWS))?
            }
            Executed::Table { .. } => Output::default(),
        };
        Ok(vec![output])
    }

    fn call(&mut self, procedure: &str, arguments: &Arguments) -> Result<Vec<Output>, Fault> {
        let marks = match arguments {
            Arguments::List(values) => vec!["?".to_owned(); values.len()],
            Arguments::Named(values) => values.iter().map(|(name, _)| format!(":{name}")).collect(),
        };
        self.run(&format!("EXECUTE PROCEDURE {procedure}({})", marks.join(", ")), arguments)
    }

    fn needs_transaction(&self, text: &str) -> bool {
        // Definitions are no part of a transaction in Advantage SQL.
        matches!(first_word(text).as_str(), "insert" | "update" | "delete" | "merge" | "execute")
    }

    fn begin(&mut self) -> Result<(), Fault> {
        self.step(&Step::Begin)
    }

    fn commit(&mut self) -> Result<(), Fault> {
        self.step(&Step::Commit)
    }

    fn rollback(&mut self) -> Result<(), Fault> {
        self.step(&Step::RollBack)
    }

    fn is_in_transaction(&self) -> bool {
        self.is_in_transaction
    }

    fn canceller(&self) -> Arc<dyn Cancel> {
        Arc::new(StopScript(self.cancel.clone()))
    }
}

fn size_of_value(value: &Value) -> usize {
    size_of::<Value>()
        + match value {
            Value::Text(text) => text.len(),
            Value::Binary(bytes) => bytes.len(),
            _ => 0,
        }
}
