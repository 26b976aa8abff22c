//! A prepared statement: its tree, and what it is in the core's SQL.

use crate::failure::{of_core, of_syntax};
use crate::routine_names::{is_accepted, missing};
use crate::rows::{CurrentRow, column, declared_type, type_of};
use crate::scope::Names;
use mainstay_engine::Prepared as CorePrepared;
use mainstay_informix_syntax::compile::{self, Environment};
use mainstay_informix_syntax::reduce::{self, Mode, Scope, quoted};
use mainstay_informix_syntax::tree::{
    Expr, InsertRows, Invocation, ObjectName, Query, QueryBody, Select, SelectItem, Source, Statement as Tree,
};
use mainstay_informix_syntax::{
    Field, ParameterPlace, SqlError, Type, assign, assign_from, cut, datetime_type, parameter_places, parse,
    text_length,
};
use mainstay_session::{Column, Failure, StatementKind};
use mainstay_types::Value;

/// A text that no column limits.
const ANY_TEXT: Type = Type::LVarChar(32_739);

/// A prepared statement.
pub(crate) struct Prepared {
    pub tree: Tree,
    pub text: String,
    /// The types of its parameters.
    pub parameters: Vec<Type>,
    /// The parameters whose trailing blanks do not count: those that are compared with a VARCHAR.
    trimmed: Vec<bool>,
    /// The current row of its cursor, if that changes rows.
    pub current: Option<CurrentRow>,
    /// The statement of the core, if it is one that is prepared.
    pub core: Option<Planned>,
    /// The types of a routine's variables that its parameters are; `None` for a statement of a client.
    pub variables: Option<Vec<Type>>,
    /// The types of columns that take the values of parameters or variables as they are.
    assigned: Vec<Option<Type>>,
}

/// A statement that the core has prepared.
pub(crate) struct Planned {
    /// The parameters that are DEFAULT in it.
    pub defaults: Vec<usize>,
    /// Its rows are locked.
    pub locks: bool,
    /// It contains rows of the system catalog as they were when it was prepared: it serves for one execution.
    pub has_catalog_rows: bool,
    pub prepared: CorePrepared,
}

impl Prepared {
    pub(crate) fn kind(&self) -> StatementKind {
        match &self.tree {
            Tree::Query(_) if self.current.is_some() => StatementKind::QueryForUpdate,
            Tree::Query(query) if !has_target(&query.body) => StatementKind::Query,
            Tree::Insert(_) => StatementKind::Insert,
            Tree::Update(_) | Tree::Merge(_) => StatementKind::Update,
            Tree::Delete(_) => StatementKind::Delete,
            Tree::Execute(_) => StatementKind::Call,
            Tree::Begin => StatementKind::Begin,
            Tree::Commit => StatementKind::Commit,
            Tree::Rollback(None) => StatementKind::Rollback,
            _ => StatementKind::Other,
        }
    }

    /// Reads a statement, and looks up the types of its parameters.
    ///
    /// Errors: those of its text.
    pub(crate) fn new(text: &str, delimited_names: bool, names: &Names<'_>) -> Result<Prepared, Failure> {
        let parsed = parse(text, delimited_names).map_err(|error| of_syntax(&error, text))?;
        let places = parameter_places(&parsed.statement, parsed.parameters);
        let call = match &parsed.statement {
            Tree::Execute(call) => Some(call.as_ref()),
            Tree::Insert(insert) => match &insert.rows {
                InsertRows::Call(call) => Some(call.as_ref()),
                _ => None,
            },
            _ => None,
        };
        if let Some(call) = call.filter(|call| is_missing(call, names)) {
            return Err(missing(call.name.last()));
        }
        let parameters: Vec<Type> = places.iter().map(|place| place_type(place, call, names)).collect();
        // The parameters of an INSERT or UPDATE may be new values, whose blanks are kept.
        let only_compares = matches!(parsed.statement, Tree::Query(_) | Tree::Delete(_));
        let is_trimmed = |(place, known): (&ParameterPlace, &Type)| {
            only_compares && known.is_varying() && matches!(place, ParameterPlace::Column(..))
        };
        let trimmed = places.iter().zip(&parameters).map(is_trimmed).collect();
        let current = match &parsed.statement {
            Tree::Query(query) if parsed.is_for_update && !has_target(&query.body) => {
                let table = reduce::updatable_table(query).filter(|table| names.is_changeable(&table.name));
                table.map(|_| CurrentRow::default())
            }
            _ => None,
        };
        let assigned = assigned_columns(&parsed.statement, parameters.len(), names);
        let (tree, text) = (parsed.statement, text.to_owned());
        Ok(Prepared { tree, text, parameters, trimmed, current, core: None, variables: None, assigned })
    }

    /// A statement of a routine, whose parameters are variables of these types. With `updates`, its cursor changes rows.
    pub(crate) fn of_routine(tree: &Tree, variables: &[Type], updates: bool, names: &Names<'_>) -> Prepared {
        let current = match tree {
            Tree::Query(query) if updates && !has_target(&query.body) => {
                let table = reduce::updatable_table(query).filter(|table| names.is_changeable(&table.name));
                table.map(|_| CurrentRow::default())
            }
            _ => None,
        };
        Prepared {
            assigned: assigned_columns(tree, variables.len(), names),
            tree: tree.clone(),
            text: String::new(),
            parameters: variables.to_vec(),
            trimmed: Vec::new(),
            current,
            core: None,
            variables: Some(variables.to_vec()),
        }
    }

    /// How its parameters are written; those of the numbers are DEFAULT.
    pub(crate) fn mode<'m>(&'m self, defaults: &'m [usize]) -> Mode<'m> {
        match &self.variables {
            Some(types) => Mode::Routine(defaults, types),
            None => Mode::Execute(defaults, &self.parameters),
        }
    }

    /// True for a query or a call with values.
    pub(crate) fn gives_rows(&self) -> bool {
        matches!(self.kind(), StatementKind::Query | StatementKind::QueryForUpdate)
    }

    /// The text of the core.
    ///
    /// Errors: constructs that are not supported.
    pub(crate) fn reduced(&self, mode: Mode<'_>, locks: bool, names: &Names<'_>) -> Result<Option<String>, Failure> {
        let reduced = match &self.tree {
            Tree::Query(query) if self.current.is_some() && !matches!(mode, Mode::Describe(_)) => {
                reduce::query_for_update(query, mode, locks, names)
            }
            Tree::Query(query) => reduce::query(query, mode, names),
            Tree::Insert(insert) => reduce::insert(insert, mode, names),
            Tree::Update(update) => reduce::update(update, mode, names),
            Tree::Delete(delete) => reduce::delete(delete, mode, names),
            Tree::Merge(merge) => reduce::merge(merge, mode, names),
            _ => return Ok(None),
        };
        reduced.map(Some).map_err(|error| of_syntax(&error, &self.text))
    }

    /// The columns of its rows, or those that an INSERT fills.
    ///
    /// Errors: names that are not there, and whatever else planning finds.
    pub(crate) fn columns(&self, names: &Names<'_>) -> Result<Vec<Column>, Failure> {
        match &self.tree {
            Tree::Query(query) if matches!(self.kind(), StatementKind::Query | StatementKind::QueryForUpdate) => {
                let text = self.reduced(Mode::Describe(&self.parameters), false, names)?.unwrap_or_default();
                let answer = names.core.borrow_mut().execute(&text).map_err(|error| of_core(&error, false))?;
                let system = system_columns(&query.body);
                let lengths = text_lengths(&query.body, names);
                let datetimes = datetime_types(&query.body, names);
                let fields = answer.schema().fields().iter().enumerate();
                let described = fields.map(|(place, field)| {
                    let name = field.name().to_lowercase();
                    let of_system = || system.iter().find(|(column, _)| *column == name).map(|(_, known)| *known);
                    let of_field = || match type_of(field) {
                        Type::LVarChar(_) => lengths.get(place).copied().flatten().map_or(ANY_TEXT, Type::VarChar),
                        known => known,
                    };
                    let made = datetimes.get(place).copied().flatten();
                    let known = made.or_else(|| declared_type(field)).or_else(of_system).unwrap_or_else(of_field);
                    column(&name, known, field.is_nullable())
                });
                Ok(described.collect())
            }
            Tree::Execute(call) => Ok(columns_of(call, names)),
            Tree::Insert(insert) if matches!(insert.rows, InsertRows::Values(_)) => {
                let InsertRows::Values(values) = &insert.rows else { return Ok(Vec::new()) };
                let known = names.columns(&insert.target).unwrap_or_default();
                let is_parameter = |place: usize| matches!(values.get(place), Some(Expr::Variable(_)));
                let filled: Vec<(String, Type)> = match insert.columns.is_empty() {
                    true => known,
                    false => insert
                        .columns
                        .iter()
                        .map(|name| {
                            known
                                .iter()
                                .find(|(column, _)| name.is(column))
                                .cloned()
                                .unwrap_or_else(|| (name.text.clone(), ANY_TEXT))
                        })
                        .collect(),
                };
                let filled = filled.iter().enumerate().filter(|(place, _)| is_parameter(*place));
                Ok(filled.map(|(_, (name, known))| column(name, *known, true)).collect())
            }
            _ => Ok(Vec::new()),
        }
    }

    /// The values of the parameters as the core stores them, and those parameters that are DEFAULT: 0 in a SERIAL.
    ///
    /// Errors: those of converting a variable to the type of its column.
    pub(crate) fn converted(&self, values: &[Value]) -> Result<(Vec<Value>, Vec<usize>), Failure> {
        if self.variables.is_some() {
            return self.assigned_values(values);
        }
        let is_insert = matches!(self.tree, Tree::Insert(_));
        let mut defaults = Vec::new();
        let mut converted = Vec::with_capacity(values.len());
        for (place, value) in values.iter().enumerate() {
            let known = self.parameters.get(place).copied().unwrap_or(ANY_TEXT);
            let is_zero = matches!(value, Value::Null | Value::Integer(0))
                || matches!(value, Value::Text(text) if text.trim() == "0");
            if is_insert && known.is_serial() && is_zero {
                defaults.push(place + 1);
            }
            converted.push(match value {
                Value::Text(text) if self.trimmed.get(place) == Some(&true) => {
                    Value::Text(text.trim_end_matches(' ').to_owned())
                }
                value => {
                    let is_stored = is_insert || self.assigned.get(place).is_some_and(Option::is_some);
                    match known {
                        Type::Decimal(precision, None) => {
                            let precision = if is_stored { precision } else { 32 };
                            let number = assign(value.as_ref(), Type::Decimal(precision, None));
                            number.map_err(|error| of_syntax(&error, ""))?
                        }
                        known => convert(value, known, is_stored),
                    }
                }
            });
        }
        Ok((converted, defaults))
    }

    /// The values of variables, those that columns take as values of the columns.
    fn assigned_values(&self, values: &[Value]) -> Result<(Vec<Value>, Vec<usize>), Failure> {
        let is_insert = matches!(self.tree, Tree::Insert(_));
        let (mut converted, mut defaults) = (Vec::with_capacity(values.len()), Vec::new());
        for (place, value) in values.iter().enumerate() {
            let known = self.assigned.get(place).copied().flatten();
            if is_insert && known.is_some_and(Type::is_serial) && matches!(value, Value::Null | Value::Integer(0)) {
                defaults.push(place + 1);
            }
            let own = self.parameters.get(place).copied().unwrap_or(ANY_TEXT);
            converted.push(match known {
                Some(known) => assign_from(value.as_ref(), own, known).map_err(|error| of_syntax(&error, ""))?,
                None => value.clone(),
            });
        }
        Ok((converted, defaults))
    }
}

/// The columns that a call gives.
fn columns_of(call: &Invocation, names: &Names<'_>) -> Vec<Column> {
    let stored = names.modules.routine(&call.name.last().to_lowercase(), call.arguments.len());
    let Some(routine) = stored.and_then(|stored| stored.routine()) else { return Vec::new() };
    let Ok(signature) = compile::signature(routine, String::new(), names) else { return Vec::new() };
    let named = routine.returns.iter().map(|(_, name)| name.as_ref().map_or("(expression)", |name| &name.text));
    named.zip(&signature.returns).map(|(name, known)| column(name, *known, true)).collect()
}

fn is_missing(call: &Invocation, names: &Names<'_>) -> bool {
    !is_accepted(call.name.last()) && names.routine(&call.name, call.arguments.len()).is_none()
}

/// The types of the columns that are given a variable as it is, by the numbers of the variables.
fn assigned_columns(tree: &Tree, count: usize, names: &Names<'_>) -> Vec<Option<Type>> {
    let mut assigned = vec![None; count];
    let mut note = |value: &Expr, known: Option<Type>| {
        if let Expr::Variable(name) = value
            && let Ok(number) = name.text.trim_start_matches('?').parse::<usize>()
            && let Some(place) = assigned.get_mut(number.wrapping_sub(1))
        {
            *place = known;
        }
    };
    match tree {
        Tree::Insert(insert) => {
            let known = names.columns(&insert.target).unwrap_or_default();
            let InsertRows::Values(values) = &insert.rows else { return assigned };
            for (place, value) in values.iter().enumerate() {
                let column = match insert.columns.get(place) {
                    Some(name) => known.iter().find(|(column, _)| name.is(column)),
                    None => known.get(place),
                };
                note(value, column.map(|(_, known)| *known));
            }
        }
        Tree::Update(update) => {
            let known = names.columns(&update.target).unwrap_or_default();
            for (name, value) in &update.items {
                note(value, known.iter().find(|(column, _)| name.is(column)).map(|(_, known)| *known));
            }
        }
        _ => {}
    }
    assigned
}

/// The statement of the core for SELECT ... INTO TEMP.
pub(crate) fn temporary_table_of(query: &Query, names: &Names<'_>) -> Result<String, Box<SqlError>> {
    fn target(body: &QueryBody) -> String {
        match body {
            QueryBody::Select(select) => {
                select.into.as_ref().map(|(name, _)| name.last().to_owned()).unwrap_or_default()
            }
            QueryBody::Set(left, ..) => target(left),
        }
    }
    let text = reduce::query(query, Mode::Execute(&[], &[]), names)?;
    Ok(format!("CREATE TEMPORARY TABLE {} AS {text}", quoted(&target(&query.body))))
}

/// SELECT ... INTO TEMP gives no rows.
pub(crate) fn has_target(body: &QueryBody) -> bool {
    match body {
        QueryBody::Select(select) => select.into.is_some(),
        QueryBody::Set(left, ..) => has_target(left),
    }
}

fn place_type(place: &ParameterPlace, call: Option<&Invocation>, names: &Names<'_>) -> Type {
    let found = match place {
        ParameterPlace::Argument(number, name) => call.and_then(|call| {
            let signature = names.routine(&call.name, call.arguments.len())?;
            let parameter = match name {
                Some(name) => signature.parameters.iter().find(|(known, ..)| known == name),
                None => signature.parameters.get(*number),
            };
            parameter.map(|(_, known, _)| *known)
        }),
        ParameterPlace::Column(name, tables) => tables.iter().find_map(|(table, _)| {
            let columns = names.columns(table)?;
            columns.into_iter().find(|(column, _)| column.eq_ignore_ascii_case(name)).map(|(_, known)| known)
        }),
        ParameterPlace::Position(place, table) => {
            names.columns(table).and_then(|columns| columns.get(*place).map(|(_, known)| *known))
        }
        ParameterPlace::Count => Some(Type::Integer),
        ParameterPlace::Pattern => Some(Type::VarChar(255)),
        ParameterPlace::Value(known) => Some(*known),
        ParameterPlace::Unknown => None,
    };
    found.unwrap_or(ANY_TEXT)
}

/// The tables of a source, with the names that they have in the statement.
fn tables(source: &Source, found: &mut Vec<(ObjectName, String)>) {
    match source {
        Source::Table(table) => {
            let alias = table.alias.as_ref().map_or_else(|| table.name.last().to_owned(), |alias| alias.text.clone());
            found.push((table.name.clone(), alias));
        }
        Source::Join(join) => {
            tables(&join.left, found);
            tables(&join.right, found);
        }
        Source::Apply(left, _, right) => {
            tables(left, found);
            tables(right, found);
        }
        Source::Nested(inner) => tables(inner, found),
        _ => {}
    }
}

/// The lengths of the texts that the items of a query's list give, as far as a VARCHAR holds them; nothing for a list with a
/// star, whose items are not the columns.
fn text_lengths(body: &QueryBody, names: &Names<'_>) -> Vec<Option<u32>> {
    match body {
        QueryBody::Select(select) => of_items(select, names, &|value, column| {
            text_length(value, column).filter(|length| (1..=255).contains(length))
        }),
        QueryBody::Set(left, _, _, right) => {
            let both = text_lengths(left, names).into_iter().zip(text_lengths(right, names));
            both.map(|(left, right)| Some(left?.max(right?))).collect()
        }
    }
}

/// The types of the DATETIMEs that the items of a query's list make, but for plain columns; nothing for a list with a star.
fn datetime_types(body: &QueryBody, names: &Names<'_>) -> Vec<Option<Type>> {
    match body {
        QueryBody::Select(select) => of_items(select, names, &|value, column| match value {
            Expr::Column(_) => None,
            value => datetime_type(value, column),
        }),
        QueryBody::Set(left, ..) => datetime_types(left, names),
    }
}

/// Gives something of an expression and the types of columns.
type OfItem<'f, T> = dyn Fn(&Expr, &dyn Fn(&ObjectName) -> Option<Type>) -> Option<T> + 'f;

/// Something of each item of a list; nothing for a list with a star.
fn of_items<T>(select: &Select, names: &Names<'_>, of: &OfItem<'_, T>) -> Vec<Option<T>> {
    let mut found = Vec::new();
    select.from.iter().for_each(|source| tables(source, &mut found));
    let column = |name: &ObjectName| {
        let table = name.parts.len().checked_sub(2).and_then(|place| name.parts.get(place));
        let mut meant = found.iter().filter(|(_, alias)| table.is_none_or(|table| table.is(alias)));
        meant.find_map(|(table, _)| {
            let columns = names.columns(table)?;
            columns.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name.last())).map(|(_, known)| known)
        })
    };
    let mut all = Vec::new();
    for item in &select.items {
        let SelectItem::Value(value, _) = item else { return Vec::new() };
        all.push(of(value, &column));
    }
    all
}

/// The columns of the tables of the system that a query reads: their types are no part of their rows.
fn system_columns(body: &QueryBody) -> Vec<(String, Type)> {
    match body {
        QueryBody::Select(select) => {
            let mut found = Vec::new();
            select.from.iter().for_each(|source| tables(source, &mut found));
            let system =
                found.iter().filter_map(|(name, _)| crate::catalog::find(name)).flat_map(|table| table.columns);
            system.map(|(name, known)| ((*name).to_owned(), *known)).collect()
        }
        QueryBody::Set(left, _, _, right) => system_columns(left).into_iter().chain(system_columns(right)).collect(),
    }
}

fn convert(value: &Value, known: Type, is_stored: bool) -> Value {
    match (known, value) {
        (Type::Boolean, Value::Text(text)) => match text.trim() {
            "t" | "T" => Value::Boolean(true),
            "f" | "F" => Value::Boolean(false),
            _ => value.clone(),
        },
        (Type::Boolean, Value::Integer(number @ (0 | 1))) => Value::Boolean(*number == 1),
        (known, Value::Binary(bytes)) if known.is_text() => Value::Text(String::from_utf8_lossy(bytes).into_owned()),
        // A number that a client sends as a text; a column that stores it converts it by itself.
        (known, Value::Text(text)) if !is_stored && known.is_number() => {
            text.trim().parse().map_or_else(|_| value.clone(), Value::Decimal)
        }
        (Type::Byte | Type::Blob, Value::Text(text)) => Value::Binary(text.as_bytes().to_vec()),
        (known, Value::Boolean(value)) if known.is_text() => Value::Text(if *value { "t" } else { "f" }.to_owned()),
        // A text that is too long for its column is cut, without an error.
        (
            Type::Char(length)
            | Type::NChar(length)
            | Type::VarChar(length)
            | Type::NVarChar(length)
            | Type::LVarChar(length),
            Value::Text(text),
        ) if is_stored && text.len() > length as usize => Value::Text(text.chars().take(length as usize).collect()),
        // A fraction of a second that the column has no room for is cut, not rounded.
        (Type::DateTime(first, last), Value::Timestamp(moment)) if first < Field::HOUR => {
            Value::Timestamp(cut(*moment, last))
        }
        (Type::Date, Value::Text(text)) => {
            assign(mainstay_types::ValueRef::Text(text), Type::Date).unwrap_or_else(|_| value.clone())
        }
        (Type::Date, Value::Timestamp(moment)) => Value::Date(moment.date()),
        _ => value.clone(),
    }
}
