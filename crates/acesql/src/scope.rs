//! What the names of a statement mean: parameters, variables, tables of files, what the session knows.

use crate::failure::Failed;
use crate::session::State;
use mainstay_adssql::SqlError;
use mainstay_adssql::reduce::{Scope, quoted, table_name};
use mainstay_adssql::tree::{Expr, ObjectName};
use mainstay_advantage::convert::text_type;
use mainstay_advantage::native;
use mainstay_base::{Date, SqlType, Time, Timestamp, Value};
use std::cell::RefCell;
use std::collections::HashMap;

/// Values by name, in lower case: `:name` and `?1` for parameters, `x` for variables, with or without their `@`.
pub(crate) type Values = HashMap<String, (Value, SqlType)>;

/// The names of one statement.
pub(crate) struct Names<'s> {
    core: RefCell<&'s mut mainstay_engine::Session>,
    state: &'s State,
    values: &'s Values,
}

impl<'s> Names<'s> {
    /// The names of a statement with these variables.
    pub(crate) fn new(core: &'s mut mainstay_engine::Session, state: &'s State, values: &'s Values) -> Names<'s> {
        Names { core: RefCell::new(core), state, values }
    }
}

/// The type of a value that a program has given.
pub(crate) fn type_of(value: &Value) -> SqlType {
    match value {
        Value::Boolean(_) => SqlType::Boolean,
        Value::Integer(number) if i32::try_from(*number).is_ok() => SqlType::Integer,
        Value::Integer(_) => SqlType::BigInt,
        Value::Decimal(number) => SqlType::Decimal { precision: 38, scale: number.scale },
        Value::Float(_) => SqlType::Double,
        Value::Binary(_) => SqlType::VarBinary { length: None },
        Value::Date(_) => SqlType::Date,
        Value::Time(_) => SqlType::Time { digits: 3 },
        Value::Timestamp(_) | Value::TimestampWithOffset { .. } => SqlType::Timestamp { digits: 3 },
        Value::Uuid(_) => SqlType::Uuid,
        _ => text_type(),
    }
}

impl Names<'_> {
    /// The columns of a table of the core. Its plan is kept with its text.
    fn fields(&self, table: &ObjectName) -> Option<arrow_schema::Fields> {
        let query = format!("SELECT * FROM {} LIMIT 0", quoted(&table_name(table)));
        let answer = self.core.borrow_mut().execute(&query).ok()?;
        Some(answer.schema().fields().clone())
    }
}

impl Scope for Names<'_> {
    fn value(&self, name: &str) -> Result<Option<(Value, SqlType)>, Failed> {
        if name.starts_with([':', '?']) && !name.starts_with("::") {
            return match self.state.parameters.get(name) {
                Some(known) => Ok(Some(known.clone())),
                None => Err(SqlError::new(native::PARAMETER, format!("Parameter without a value: {name}"))),
            };
        }
        let name = name.trim_start_matches('@');
        if let Some(known) = self.values.get(name) {
            return Ok(Some(known.clone()));
        }
        if let Some((cursor, column)) = name.split_once('.')
            && let Some(cursor) = self.state.cursor(cursor)
        {
            return cursor.value(column).map(Some);
        }
        let text = |text: &str| Some((Value::Text(text.to_owned()), text_type()));
        let number = |number: i64| Some((Value::Integer(number), SqlType::Integer));
        let error = &self.state.error;
        Ok(match name {
            "__errcode" => number(error.number.into()),
            "__errclass" => text(&error.class),
            "__errtext" => text(&error.text),
            "::stmt.updatecount" => number(i64::try_from(self.state.update_count).unwrap_or(i64::MAX)),
            "::stmt.trigrowid" | "::conn.transactioncount" => number(0),
            "::conn.name" | "::conn.username" | "::conn.osuserloginname" => text(&self.state.user),
            "::conn.applicationid" => text(&self.state.application),
            _ => None,
        })
    }

    fn table(&self, _: &ObjectName) -> Result<Option<String>, Failed> {
        Ok(None)
    }

    fn procedure(&self, name: &ObjectName, _: &[Expr]) -> Result<String, Failed> {
        Err(SqlError::at(native::TABLE, name.span, format!("Stored procedure not found: {}", name.last())))
    }

    fn columns(&self, table: &ObjectName) -> Option<Vec<String>> {
        // Only variables can be taken for columns.
        if self.values.is_empty() {
            return None;
        }
        self.all_columns(table)
    }

    fn text_length(&self, table: &ObjectName, column: &str) -> Option<u32> {
        let fields = self.fields(table)?;
        let field = fields.iter().find(|field| field.name().eq_ignore_ascii_case(column))?;
        match mainstay_query::advantage::sql_type(field) {
            Some(SqlType::Char { length, .. }) => Some(length),
            _ => None,
        }
    }

    fn all_columns(&self, table: &ObjectName) -> Option<Vec<String>> {
        Some(self.fields(table)?.iter().map(|field| field.name().clone()).collect())
    }

    fn session(&self, function: &str) -> Option<(Value, SqlType)> {
        let now = self.state.now;
        let day = now.date();
        let time = Time(now.0.rem_euclid(mainstay_base::TICKS_PER_DAY));
        let (date_type, time_type) = (SqlType::Date, SqlType::Time { digits: 3 });
        let text = |text: &str| Some((Value::Text(text.to_owned()), text_type()));
        match function {
            "now" | "current_timestamp" | "now_utc" | "current_timestamp_utc" => {
                Some((Value::Timestamp(now), SqlType::Timestamp { digits: 3 }))
            }
            "curdate" | "current_date" | "date" | "today" => Some((Value::Date(day), date_type)),
            "curtime" | "current_time" | "time" => Some((Value::Time(time), time_type)),
            "user" => text(&self.state.user),
            "database" => text(&self.state.folder),
            "applicationid" => text(&self.state.application),
            "lastautoinc" => Some((Value::Integer(self.state.last_autoinc), SqlType::Integer)),
            _ => None,
        }
    }

    fn function(&self, _: &ObjectName) -> Option<String> {
        None
    }
}

impl mainstay_adssql::Values for Names<'_> {
    fn query(&self, text: &str) -> Result<Value, Failed> {
        crate::runner::single(*self.core.borrow_mut(), text)
    }

    fn call(&self, _: &ObjectName, _: &[Value]) -> Result<Option<Value>, Failed> {
        Ok(None)
    }
}

/// The moment of a statement, to the millisecond.
pub(crate) fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).ok().and_then(Timestamp::from_ms).unwrap_or(Timestamp::at(Date(0), 0))
}
