//! Informix SQL: statements over a session of `informix-runtime`.

use crate::dialects::core::{named, wrong_count};
use crate::dialects::{Arguments, Dialect};
use crate::failure::{Class, Fault};
use crate::marks::{Lexis, first_word, marks, replaced};
use crate::results::{Output, RowBatches};
use arrow_schema::{Field, Schema};
use mainstay_columnar::values::data_type_of;
use mainstay_session::{Cancel, Column, Failure, Prepared, Ran, Rows, Session, StatementKind, TransactionStep};
use mainstay_types::{SqlType, Value};
use std::sync::Arc;

const LEXIS: Lexis = Lexis { brackets: false, brace_comments: true, slash_comments: false };

/// The name of the metadata of a column with its declared type.
pub(crate) const DECLARED: &str = "mainstay.declared";

/// A session of Informix SQL.
pub(crate) struct Informix {
    session: Box<dyn Session>,
}

impl Informix {
    pub fn new(session: Box<dyn Session>) -> Informix {
        Informix { session }
    }

    fn prepare(&mut self, text: &str) -> Result<Prepared, Fault> {
        self.session.prepare(text).map_err(|failure| Fault::of_informix(&failure, text))
    }

    fn execute(&mut self, prepared: &Prepared, text: &str, values: &[Value]) -> Result<Output, Fault> {
        if values.len() != prepared.parameters.len() {
            return Err(wrong_count(prepared.parameters.len(), values.len()));
        }
        let ran = self.session.execute(prepared.id, values);
        Ok(match ran.map_err(|failure| Fault::of_informix(&failure, text))? {
            Ran::Rows(rows) => {
                let schema = Arc::new(Schema::new(prepared.columns.iter().map(field).collect::<Vec<_>>()));
                let floating = prepared.columns.iter().map(is_floating).collect();
                let rows = Box::new(NumberTexts { rows, floating });
                let rows = RowBatches::Rows { schema, rows, text: text.to_owned() };
                Output { rows: Some(rows), ..Output::default() }
            }
            Ran::Done(done) => {
                let changes =
                    matches!(prepared.kind, StatementKind::Insert | StatementKind::Update | StatementKind::Delete);
                let changed = (changes || done.rows > 0).then_some(done.rows);
                Output { changed, last_id: done.generated, ..Output::default() }
            }
        })
    }

    fn step(&mut self, step: &TransactionStep) -> Result<(), Fault> {
        self.session.transaction(step).map_err(|failure| Fault::of_informix(&failure, ""))
    }
}

/// True for a DECIMAL whose point floats. No type of Arrow holds its values: they are texts there.
fn is_floating(column: &Column) -> bool {
    column.declared.as_ref().is_some_and(|declared| declared.name == "decimal" && declared.arguments.len() == 1)
}

/// Rows with DECIMALs whose point floats as texts.
struct NumberTexts {
    rows: Box<dyn Rows>,
    floating: Vec<bool>,
}

impl Rows for NumberTexts {
    fn next(&mut self) -> Result<Option<Vec<Value>>, Failure> {
        let Some(mut row) = self.rows.next()? else { return Ok(None) };
        for (value, _) in row.iter_mut().zip(&self.floating).filter(|(_, is_floating)| **is_floating) {
            if let Value::Decimal(number) = value {
                *value = Value::Text(number.to_string());
            }
        }
        Ok(Some(row))
    }
}

fn field(column: &Column) -> Field {
    let sql_type = if is_floating(column) { SqlType::TEXT } else { column.sql_type };
    let field = Field::new(&column.name, data_type_of(sql_type), column.is_nullable);
    let declared = column.declared.as_ref().map(|declared| {
        let arguments: Vec<String> = declared.arguments.iter().map(ToString::to_string).collect();
        match arguments.is_empty() {
            true => declared.name.to_string(),
            false => format!("{}({})", declared.name, arguments.join(",")),
        }
    });
    field.with_metadata(declared.map(|declared| (DECLARED.to_owned(), declared)).into_iter().collect())
}

/// The statement with marks by position, and their values.
fn bound(text: &str, arguments: &Arguments) -> Result<(String, Vec<Value>), Fault> {
    match arguments {
        Arguments::List(values) => {
            Ok((text.to_owned(), values.iter().map(|argument| argument.value.clone()).collect()))
        }
        Arguments::Named(values) => {
            let found = marks(text, LEXIS, true);
            let names = found.iter().filter_map(|mark| mark.name.as_ref());
            let bound = names.map(|name| named(values, name)).collect::<Result<_, _>>()?;
            Ok((replaced(text, &found, |_, _| "?".to_owned()), bound))
        }
    }
}

impl Dialect for Informix {
    fn run(&mut self, text: &str, arguments: &Arguments) -> Result<Vec<Output>, Fault> {
        let (text, values) = bound(text, arguments)?;
        let prepared = self.prepare(&text)?;
        let output = self.execute(&prepared, &text, &values);
        self.session.release(prepared.id);
        Ok(vec![output?])
    }

    fn run_many(&mut self, text: &str, rows: &[Arguments]) -> Result<Option<u64>, Fault> {
        let Some(first) = rows.first() else { return Ok(None) };
        let (own, _) = bound(text, first)?;
        let prepared = self.prepare(&own)?;
        let (mut total, mut done) = (0, Ok(()));
        for (place, arguments) in rows.iter().enumerate() {
            let output = bound(text, arguments).and_then(|(_, values)| self.execute(&prepared, &own, &values));
            match output {
                Ok(output) => total += output.changed.unwrap_or(0),
                Err(fault) => {
                    done = Err(Fault { executed: Some(place as u64), ..fault });
                    break;
                }
            }
        }
        self.session.release(prepared.id);
        done.map(|()| Some(total))
    }

    fn call(&mut self, procedure: &str, arguments: &Arguments) -> Result<Vec<Output>, Fault> {
        let Arguments::List(values) = arguments else {
            return Err(Fault::new(Class::NotSupported, "procedures of Informix SQL take values by position"));
        };
        let marks = vec!["?"; values.len()].join(", ");
        self.run(&format!("EXECUTE PROCEDURE {procedure}({marks})"), arguments)
    }

    fn needs_transaction(&self, text: &str) -> bool {
        match first_word(text).as_str() {
            "select" | "with" => text.to_lowercase().contains("for update"),
            "set" | "begin" | "commit" | "rollback" | "database" | "info" | "" => false,
            _ => true,
        }
    }

    fn begin(&mut self) -> Result<(), Fault> {
        self.step(&TransactionStep::Begin)
    }

    fn commit(&mut self) -> Result<(), Fault> {
        self.step(&TransactionStep::Commit)
    }

    fn rollback(&mut self) -> Result<(), Fault> {
        self.step(&TransactionStep::Rollback)
    }

    fn is_in_transaction(&self) -> bool {
        self.session.is_in_transaction()
    }

    fn canceller(&self) -> Arc<dyn Cancel> {
        self.session.canceller()
    }
}
