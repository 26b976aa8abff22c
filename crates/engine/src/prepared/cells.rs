//! A statement about one row, bound to its table: which index finds the row, and where each value comes from.

use super::uses::{Moved, Uses};
use crate::native::{Form, key_of};
use crate::session::Session;
use mainstay_base::{Code, Error, Result, SqlType, Value, ValueRef};
use mainstay_query::{Cell, Name, PointStatement};
use std::sync::Arc;

/// A statement as the row executor runs it.
pub(super) enum Fast {
    Select { form: Arc<Form>, key: Key, columns: Vec<usize> },
    Insert { form: Arc<Form>, cells: Vec<Source>, identity: Option<Identity> },
    Update { form: Arc<Form>, key: Key, changes: Vec<(usize, Source)> },
    Delete { form: Arc<Form>, key: Key },
}

/// The column of a new row that takes the next value of its sequence.
#[derive(Clone, Copy)]
pub(super) struct Identity {
    pub(super) column: usize,
    pub(super) sequence: u64,
}

/// The row that is meant: a unique index, and a value for each of its columns.
pub(super) struct Key {
    pub(super) index: usize,
    pub(super) sources: Vec<(SqlType, Source)>,
}

/// Where a value comes from.
#[derive(Clone, Debug)]
pub(super) enum Source {
    Parameter(usize),
    Constant(Value),
}

impl Source {
    /// The value; `None` when there are too few parameters.
    #[inline]
    pub(super) fn value<'v>(&'v self, parameters: &[ValueRef<'v>]) -> Option<ValueRef<'v>> {
        match self {
            Source::Parameter(number) => parameters.get(*number).copied(),
            Source::Constant(value) => Some(value.as_ref()),
        }
    }
}

impl Fast {
    /// How the row executor runs a statement; `None` when it does not.
    pub(super) fn of(session: &Session, statement: &PointStatement, uses: &mut Uses) -> Result<Option<Fast>> {
        let (PointStatement::Select { table, .. }
        | PointStatement::Insert { table, .. }
        | PointStatement::Update { table, .. }
        | PointStatement::Delete { table, .. }) = statement;
        let key = key_of(table);
        let form = match session.form(&key) {
            Ok(form) => form,
            // A file, a view, or nothing: the planner knows what to say.
            Err(error) if error.code() == Code::UnknownTable => {
                uses.add_more();
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        uses.add(&key, &form.table, &form.definition);
        Ok(match statement {
            PointStatement::Select { columns, key, .. } => Fast::select(form, columns.as_deref(), key)?,
            PointStatement::Insert { columns, cells, .. } => Fast::insert(form, columns, cells)?,
            PointStatement::Update { changes, key, .. } => Fast::update(form, changes, key)?,
            PointStatement::Delete { key, .. } => key_for(&form, key)?.map(|key| Fast::Delete { form, key }),
        })
    }

    /// Binds it to tables that are alike those it was compiled for; `None` where it cannot be.
    pub(super) fn rebind(&mut self, moved: &Moved) -> Option<()> {
        let (Fast::Select { form, .. }
        | Fast::Insert { form, .. }
        | Fast::Update { form, .. }
        | Fast::Delete { form, .. }) = self;
        bind_form(form, moved)?;
        if let Fast::Insert { form, identity: Some(identity), .. } = self {
            identity.sequence = form.definition.columns.get(identity.column)?.identity.as_ref()?.sequence;
        }
        Some(())
    }

    /// How its row is found, for EXPLAIN.
    pub(super) fn describe(&self) -> String {
        let (Fast::Select { form, key, .. } | Fast::Update { form, key, .. } | Fast::Delete { form, key }) = self
        else {
            return String::new();
        };
        let indexes = form.table.indexes();
        let index = indexes.get(key.index).map_or("its key", |index| index.definition().name.as_str());
        format!("{} by {index}", form.definition.name)
    }

    fn select(form: Arc<Form>, columns: Option<&[Name]>, key: &[(Name, Cell)]) -> Result<Option<Fast>> {
        let Some(key) = key_for(&form, key)? else { return Ok(None) };
        let columns = match columns {
            None => (0..form.definition.columns.len()).collect(),
            Some(names) => {
                // A hidden column, or one that is not there.
                let Ok(columns) = names.iter().map(|name| form.column(&name.key)).collect() else { return Ok(None) };
                columns
            }
        };
        Ok(Some(Fast::Select { form, key, columns }))
    }

    fn insert(form: Arc<Form>, names: &[Name], cells: &[Cell]) -> Result<Option<Fast>> {
        let columns = form.definition.columns.len();
        if form.looks_at_rows() {
            return Ok(None);
        }
        let identity = match identity_of(&form) {
            Ok(identity) => identity,
            Err(NotSimple) => return Ok(None),
        };
        let places: Vec<usize> = match names.is_empty() {
            true => (0..columns).collect(),
            false => names.iter().map(|name| form.column(&name.key)).collect::<Result<_>>()?,
        };
        // A value that is given to the column may be one that it does not take.
        if identity.is_some_and(|identity| places.contains(&identity.column)) {
            return Ok(None);
        }
        if places.len() != cells.len() {
            let message = format!("{} values are given for {} columns", cells.len(), places.len());
            return Err(Error::new(Code::Syntax, message));
        }
        let mut sources: Vec<Option<Source>> = vec![None; columns];
        for (place, cell) in places.iter().zip(cells) {
            match source_of(cell) {
                Some(source) if sources[*place].is_none() => sources[*place] = Some(source),
                _ => return Ok(None),
            }
        }
        let or_null = |(column, source): (usize, Option<Source>)| match source {
            Some(source) => Some(source),
            // A default may be another one each time.
            None if form.definition.columns[column].default.is_some() => None,
            None => Some(Source::Constant(Value::Null)),
        };
        let cells: Option<Vec<Source>> = sources.into_iter().enumerate().map(or_null).collect();
        Ok(cells.map(|cells| Fast::Insert { form, cells, identity }))
    }

    fn update(form: Arc<Form>, changes: &[(Name, Cell)], key: &[(Name, Cell)]) -> Result<Option<Fast>> {
        let Some(key) = key_for(&form, key)? else { return Ok(None) };
        if form.looks_at_rows() {
            return Ok(None);
        }
        let mut sources = Vec::with_capacity(changes.len());
        for (name, cell) in changes {
            let column = form.column(&name.key)?;
            let identity = form.definition.columns[column].identity.as_ref();
            let is_always = identity.is_some_and(|identity| identity.always);
            let is_twice = sources.iter().any(|(known, _)| *known == column);
            match source_of(cell) {
                Some(source) if !is_twice && !form.is_computed(column) && !is_always => sources.push((column, source)),
                _ => return Ok(None),
            }
        }
        Ok(Some(Fast::Update { form, key, changes: sources }))
    }
}

/// Binds a compiled table to the one that has its place; `None` where others use it, too.
pub(super) fn bind_form(form: &mut Arc<Form>, moved: &Moved) -> Option<()> {
    let (table, definition) = moved.of(&form.table)?;
    if !Arc::ptr_eq(table, &form.table) {
        Arc::get_mut(form)?.rebind(table, definition);
    }
    Some(())
}

/// The table's values are not all as they are given.
struct NotSimple;

/// The identity column of a table, if it has one whose numbers need no conversion.
fn identity_of(form: &Form) -> std::result::Result<Option<Identity>, NotSimple> {
    let mut found = None;
    for (column, definition) in form.definition.columns.iter().enumerate() {
        let is_integer = matches!(definition.sql_type, SqlType::BigInt | SqlType::Integer | SqlType::SmallInt);
        match &definition.identity {
            None if definition.computed.is_none() => {}
            Some(identity) if is_integer && found.is_none() => {
                found = Some(Identity { column, sequence: identity.sequence });
            }
            _ => return Err(NotSimple),
        }
    }
    Ok(found)
}

fn source_of(cell: &Cell) -> Option<Source> {
    match cell {
        Cell::Parameter(number) => Some(Source::Parameter(*number)),
        Cell::Constant(value) => Some(Source::Constant(value.clone())),
        Cell::Default => None,
    }
}

/// The unique index whose columns are exactly those that have to equal something.
fn key_for(form: &Form, key: &[(Name, Cell)]) -> Result<Option<Key>> {
    let mut wanted = Vec::with_capacity(key.len());
    for (name, cell) in key {
        let (Ok(column), Some(source)) = (form.column(&name.key), source_of(cell)) else { return Ok(None) };
        wanted.push((column, source));
    }
    for (number, index) in form.table.indexes().iter().enumerate() {
        let columns = index.definition().column_numbers();
        if !index.definition().is_key() || columns.len() != wanted.len() {
            continue;
        }
        let source = |column: &usize| {
            let (_, source) = wanted.iter().find(|(known, _)| known == column)?;
            Some((form.definition.columns[*column].sql_type, source.clone()))
        };
        if let Some(sources) = columns.iter().map(source).collect() {
            return Ok(Some(Key { index: number, sources }));
        }
    }
    Ok(None)
}

/// Whether a value is stored in a column as it is, without converting it.
#[inline]
pub(crate) fn fits(value: ValueRef<'_>, sql_type: SqlType) -> bool {
    match (value, sql_type) {
        (ValueRef::Null, _) => true,
        (ValueRef::Integer(_), SqlType::BigInt)
        | (ValueRef::Float(_), SqlType::Double)
        | (ValueRef::Boolean(_), SqlType::Boolean)
        | (ValueRef::Date(_), SqlType::Date)
        | (ValueRef::Uuid(_), SqlType::Uuid) => true,
        (ValueRef::Integer(value), SqlType::Integer) => i32::try_from(value).is_ok(),
        (ValueRef::Integer(value), SqlType::SmallInt) => i16::try_from(value).is_ok(),
        (ValueRef::Decimal(value), SqlType::Decimal { precision, scale }) => {
            let limit = 10u128.checked_pow(u32::from(precision));
            value.scale == scale && limit.is_some_and(|limit| value.unscaled.unsigned_abs() < limit)
        }
        (ValueRef::Text(_), SqlType::VarChar { length: None, .. }) => true,
        // No text has more characters than bytes.
        (ValueRef::Text(value), SqlType::VarChar { length: Some(length), .. }) => value.len() <= length as usize,
        (ValueRef::Binary(_), SqlType::VarBinary { length: None }) => true,
        (ValueRef::Binary(value), SqlType::VarBinary { length: Some(length) }) => value.len() <= length as usize,
        _ => false,
    }
}

/// Whether a value finds the same rows by an index as by the planner's `=`.
#[inline]
pub(super) fn is_exact(value: ValueRef<'_>, sql_type: SqlType) -> bool {
    match value {
        // The index leaves trailing blanks out of account, and folds what its collation folds.
        ValueRef::Text(text) => {
            let is_binary = sql_type.collation() == Some(mainstay_base::Collation::Binary);
            is_binary && !text.ends_with(' ') && fits(value, sql_type)
        }
        // Nothing equals NULL, and a key may not even take it.
        ValueRef::Float(_) | ValueRef::Null => false,
        value => fits(value, sql_type),
    }
}
