//! The meaning of names in a statement: parameters, variables, tables of files, facts about the session.

use crate::define::Temporary;
use crate::failure::{Failed, of_core};
use crate::functions::Functions;
use crate::modules::{Kind, Modules};
use crate::session::State;
use mainstay_ads_syntax::SqlError;
use mainstay_ads_syntax::compile::routine_name;
use mainstay_ads_syntax::reduce::{Scope, quoted, table_name};
use mainstay_ads_syntax::tree::{Expr, ObjectName};
use mainstay_ads_types::convert::text_type;
use mainstay_ads_types::native;
use mainstay_engine::Database;
use mainstay_types::{Date, SqlType, Time, Timestamp, Value};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Values by name, in lower case: `:name` and `?1` for parameters, `x` and `@x` for variables.
pub(crate) type Values = HashMap<String, (Value, SqlType)>;

/// The greatest nesting depth of views.
const DEEPEST_VIEW: usize = 32;

/// The names of one statement.
pub(crate) struct Names<'s> {
    pub(crate) core: RefCell<&'s mut mainstay_engine::Session>,
    pub(crate) state: &'s State,
    pub(crate) values: &'s Values,
    pub(crate) database: &'s Database,
    pub(crate) temporary: &'s Temporary,
    pub(crate) modules: &'s Modules,
    pub(crate) functions: &'s Functions,
    pub(crate) folder: &'s Path,
    /// The number of enclosing views.
    pub(crate) depth: Cell<usize>,
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
    /// A view as its query. What it names is not the variables' of the statement around it.
    fn view(&self, name: &ObjectName, query: &mainstay_ads_syntax::tree::Query) -> Result<String, Failed> {
        let depth = self.depth.get();
        if depth >= DEEPEST_VIEW {
            return Err(SqlError::at(native::SCRIPT, name.span, "Views are nested too deeply"));
        }
        self.depth.set(depth + 1);
        let reduced = mainstay_ads_syntax::reduce::query(query, self);
        self.depth.set(depth);
        Ok(format!("({})", reduced?.text))
    }

    /// A table that is named by the path of its file: given a name in the database, unless it is in the folder.
    fn file(&self, path: &str) -> Result<Option<String>, Failed> {
        let file = crate::place::permitted(self.folder, path, self.state.stays_in_folder)?;
        let attached = |file: PathBuf| crate::place::attach(&mut self.core.borrow_mut(), &file);
        Ok(file.map(attached).transpose()?.map(|name| quoted(&name)))
    }

    /// The columns of a table with their types.
    pub(crate) fn typed_columns(&self, table: &ObjectName) -> Option<Vec<(String, SqlType)>> {
        let typed = |field: &arrow_schema::FieldRef| {
            let sql_type = mainstay_ads_planner::sql_type(field).unwrap_or_else(text_type);
            (field.name().clone(), sql_type)
        };
        Some(self.fields(table)?.iter().map(typed).collect())
    }

    /// A table of which the user may read some columns, which is one of these columns to him.
    fn part(&self, name: &ObjectName, columns: &[String]) -> Result<String, Failed> {
        let source = self.file(name.last())?.unwrap_or_else(|| quoted(&table_name(name)));
        let columns: Vec<String> = columns.iter().map(|column| quoted(column)).collect();
        Ok(format!("(SELECT {} FROM {source})", columns.join(", ")))
    }

    /// The names of the columns of something that rows can be selected from.
    fn columns_of(&self, source: &str) -> Option<Vec<String>> {
        Some(self.fields_of(source)?.iter().map(|field| field.name().clone()).collect())
    }

    /// The columns of a table of the core.
    fn fields(&self, table: &ObjectName) -> Option<arrow_schema::Fields> {
        let source = self.table(table).ok()?.unwrap_or_else(|| quoted(&table_name(table)));
        self.fields_of(&source)
    }

    /// Those of something that rows can be selected from. The plan is cached with its text.
    fn fields_of(&self, source: &str) -> Option<arrow_schema::Fields> {
        let query = format!("SELECT * FROM {source} AS \"#t\" LIMIT 0");
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

    fn table(&self, name: &ObjectName) -> Result<Option<String>, Failed> {
        let last = name.last().to_lowercase();
        if let Some(text) = self.state.frames.last().and_then(|frame| frame.tables.get(&last)) {
            return Ok(Some(text.clone()));
        }
        if name.parts.len() == 2 && name.parts.first().is_some_and(|part| part.is("system")) {
            let found = crate::system::table(&last, self.database, self.modules).map_err(|error| of_core(&error))?;
            return found.map(Some).ok_or_else(|| unknown_table(name));
        }
        if let Some(core) = self.temporary.find(&last) {
            return Ok(Some(quoted(core)));
        }
        if last.starts_with('#') {
            return Err(unknown_table(name));
        }
        if let Some(dictionary) = &self.modules.dictionary {
            let columns =
                || self.columns_of(&self.file(name.last()).ok()?.unwrap_or_else(|| quoted(&table_name(name))));
            if let Some(columns) = crate::dictionary::readable(dictionary, self.folder, name, columns)? {
                return self.part(name, &columns).map(Some);
            }
        }
        if let Some(query) = self.modules.find(Kind::View, &last).and_then(|view| view.query()) {
            return self.view(name, query).map(Some);
        }
        self.file(name.last())
    }

    fn procedure(&self, name: &ObjectName, arguments: &[Expr]) -> Result<String, Failed> {
        let values = arguments.iter().map(|argument| mainstay_ads_syntax::evaluate(argument, self));
        let values = values.collect::<Result<Vec<Value>, Failed>>()?;
        let outcome = self.functions.rows(name, &values)?;
        Ok(crate::procedures::rows_text(&outcome))
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
        match mainstay_ads_planner::sql_type(field) {
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
        let time = Time(now.0.rem_euclid(mainstay_types::TICKS_PER_DAY));
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
            "lastautoinc" | "lastautoinc statement" | "lastautoinc connection" => {
                Some((self.state.last_autoinc.map_or(Value::Null, Value::Integer), SqlType::Integer))
            }
            // As `rowid` writes the number of a record: compare `Reducer::row_id`.
            "lastrowid" => {
                let id = self.core.borrow().last_record().map(|record| Value::Text(format!("{record:A>18}")));
                Some((id.unwrap_or(Value::Null), text_type()))
            }
            _ => None,
        }
    }

    fn function(&self, name: &ObjectName) -> Option<String> {
        let name = routine_name(name);
        self.modules.find(Kind::Function, &name).map(|_| format!("user:{name}"))
    }
}

impl mainstay_ads_syntax::Values for Names<'_> {
    fn query(&self, text: &str) -> Result<Value, Failed> {
        let mut core = self.core.borrow_mut();
        core.set_timeout(crate::statement::time_left(self.state.deadline)?);
        crate::runner::single(*core, text)
    }

    fn call(&self, name: &ObjectName, arguments: &[Value]) -> Result<Option<Value>, Failed> {
        self.functions.run(&routine_name(name), arguments)
    }
}

fn unknown_table(name: &ObjectName) -> Failed {
    SqlError::at(native::TABLE, name.span, format!("Table or alias not found: {}", name.last()))
}

/// The time of a statement, to the millisecond.
pub(crate) fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).ok().and_then(Timestamp::from_ms).unwrap_or(Timestamp::at(Date(0), 0))
}
