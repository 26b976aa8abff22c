//! A statement about one row, bound to its table: the index that finds the row, and the source of each value.

use super::uses::{Moved, Uses};
use crate::native::{Form, key_of};
use crate::session::Session;
use mainstay_planner::{Cell, Name, Node, Operator, PointStatement};
use mainstay_store::column::layout::is_kept_as_is;
use mainstay_types::{Code, Date, Error, Result, SqlType, Value, ValueRef};
use std::sync::Arc;

/// Values of a row that are at hand without allocating.
pub(super) const COLUMNS: usize = 32;

/// The same for the columns of a key.
pub(super) const KEY_COLUMNS: usize = 4;

/// A statement as the row executor runs it.
pub(super) struct Fast {
    pub(super) kind: FastKind,
    /// How many parameters it has.
    parameters: usize,
}

/// The kind of the statement, with its compiled parts.
pub(super) enum FastKind {
    Select { form: Arc<Form>, key: Key, columns: Vec<usize> },
    Insert { form: Arc<Form>, cells: Cells, identity: Option<Identity> },
    Update { form: Arc<Form>, key: Key, changes: Vec<(usize, Source)> },
    Delete { form: Arc<Form>, key: Key },
}

/// Where the values of a new row come from, by column.
pub(super) struct Cells {
    pub(super) sources: Vec<Source>,
    /// The parameters are the row as they stand: one for each column, in their order.
    pub(super) are_the_parameters: bool,
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

    fn parameter(&self) -> Option<usize> {
        match self {
            Source::Parameter(number) => Some(*number),
            Source::Constant(_) => None,
        }
    }

    /// The constant, or the parameter by its name.
    fn text(&self, names: &[String]) -> String {
        match self {
            Source::Parameter(number) => names.get(*number).cloned().unwrap_or_else(|| format!("${}", number + 1)),
            Source::Constant(value) => value.to_string(),
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
        let kind = match statement {
            PointStatement::Select { columns, key, .. } => FastKind::select(form, columns.as_deref(), key)?,
            PointStatement::Insert { columns, cells, .. } => FastKind::insert(form, columns, cells)?,
            PointStatement::Update { changes, key, .. } => FastKind::update(form, changes, key)?,
            PointStatement::Delete { key, .. } => key_for(&form, key)?.map(|key| FastKind::Delete { form, key }),
        };
        Ok(kind.filter(FastKind::has_room).map(|kind| Fast { parameters: kind.parameters(), kind }))
    }

    /// Returns true if these are as many parameters as it has.
    #[inline]
    pub(super) fn takes(&self, parameters: &[ValueRef<'_>]) -> bool {
        self.parameters == parameters.len()
    }

    /// Binds it to tables that are alike those it was compiled for; `None` where it cannot be.
    pub(super) fn rebind(&mut self, moved: &Moved) -> Option<()> {
        let (FastKind::Select { form, .. }
        | FastKind::Insert { form, .. }
        | FastKind::Update { form, .. }
        | FastKind::Delete { form, .. }) = &mut self.kind;
        bind_form(form, moved)?;
        if let FastKind::Insert { form, identity: Some(identity), .. } = &mut self.kind {
            identity.sequence = form.definition.columns.get(identity.column)?.identity.as_ref()?.sequence;
        }
        Some(())
    }

    /// Its operators.
    pub(super) fn node(&self, parameters: &[String]) -> Node {
        let (form, key, operator) = match &self.kind {
            FastKind::Select { form, key, .. } => (form, key, None),
            FastKind::Update { form, key, .. } => (form, key, Some(Operator::Update)),
            FastKind::Delete { form, key } => (form, key, Some(Operator::Delete)),
            FastKind::Insert { form, .. } => {
                let constants = Node::new(Operator::Constants, Vec::new());
                return Node::new(Operator::Insert, vec![constants]).of_table(form.definition.name.as_str());
            }
        };
        let table = form.definition.name.as_str();
        let indexes = form.table.indexes();
        let index = indexes.get(key.index).map(|index| index.definition());
        let columns = index.map(|index| index.column_numbers()).unwrap_or_default();
        let part = |(column, (_, source)): (&usize, &(SqlType, Source))| {
            let name = form.definition.columns.get(*column).map_or("?", |column| column.name.as_str());
            format!("{name} = {}", source.text(parameters))
        };
        let seek = columns.iter().zip(&key.sources).map(part).collect::<Vec<_>>().join(" AND ");
        let (index, rows) = (index.map(|index| index.name.clone()), Some(1.0));
        let found =
            Node { index, seek: Some(seek), rows, ..Node::new(Operator::IndexSeek, Vec::new()).of_table(table) };
        match operator {
            None => found,
            Some(operator) => Node { rows, ..Node::new(operator, vec![found]).of_table(table) },
        }
    }

    /// How its row is found, for EXPLAIN.
    pub(super) fn describe(&self) -> String {
        let (FastKind::Select { form, key, .. } | FastKind::Update { form, key, .. } | FastKind::Delete { form, key }) =
            &self.kind
        else {
            return String::new();
        };
        let indexes = form.table.indexes();
        let index = indexes.get(key.index).map_or("its key", |index| index.definition().name.as_str());
        format!("{} by {index}", form.definition.name)
    }
}

impl FastKind {
    fn select(form: Arc<Form>, columns: Option<&[Name]>, key: &[(Name, Cell)]) -> Result<Option<FastKind>> {
        let Some(key) = key_for(&form, key)? else { return Ok(None) };
        let columns = match columns {
            None => (0..form.definition.columns.len()).collect(),
            Some(names) => {
                // A hidden column, or one that is not there.
                let Ok(columns) = names.iter().map(|name| form.column(&name.key)).collect() else { return Ok(None) };
                columns
            }
        };
        Ok(Some(FastKind::Select { form, key, columns }))
    }

    fn insert(form: Arc<Form>, names: &[Name], cells: &[Cell]) -> Result<Option<FastKind>> {
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
        let sources: Option<Vec<Source>> = sources.into_iter().enumerate().map(or_null).collect();
        Ok(sources.map(|sources| {
            let in_order = |(column, source): (usize, &Source)| source.parameter() == Some(column);
            let are_the_parameters = identity.is_none() && sources.iter().enumerate().all(in_order);
            FastKind::Insert { form, cells: Cells { sources, are_the_parameters }, identity }
        }))
    }

    fn update(form: Arc<Form>, changes: &[(Name, Cell)], key: &[(Name, Cell)]) -> Result<Option<FastKind>> {
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
        Ok(Some(FastKind::Update { form, key, changes: sources }))
    }

    /// Returns true if its values are few enough to be kept without allocating.
    fn has_room(&self) -> bool {
        match self {
            FastKind::Select { key, .. } | FastKind::Delete { key, .. } => key.sources.len() <= KEY_COLUMNS,
            FastKind::Insert { cells, .. } => cells.sources.len() <= COLUMNS,
            FastKind::Update { key, changes, .. } => key.sources.len() <= KEY_COLUMNS && changes.len() <= COLUMNS,
        }
    }

    fn parameters(&self) -> usize {
        let count = |sources: &mut dyn Iterator<Item = &Source>| {
            sources.filter_map(Source::parameter).max().map_or(0, |last| last + 1)
        };
        let of_key = |key: &Key| count(&mut key.sources.iter().map(|(_, source)| source));
        match self {
            FastKind::Select { key, .. } | FastKind::Delete { key, .. } => of_key(key),
            FastKind::Insert { cells, .. } => count(&mut cells.sources.iter()),
            FastKind::Update { key, changes, .. } => {
                of_key(key).max(count(&mut changes.iter().map(|(_, source)| source)))
            }
        }
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

/// Returns true if a value is stored in a column as it is, without converting it.
#[inline]
pub(crate) fn fits(value: &ValueRef<'_>, sql_type: SqlType) -> bool {
    match (value, sql_type) {
        // A text in a CHAR column is padded first.
        (ValueRef::Text(_), SqlType::Char { .. }) => false,
        _ => is_kept_as_is(sql_type, value) || fits_closer(*value, sql_type),
    }
}

/// The rest of [`fits`].
fn fits_closer(value: ValueRef<'_>, sql_type: SqlType) -> bool {
    match (value, sql_type) {
        (ValueRef::Boolean(_), SqlType::Boolean) | (ValueRef::Uuid(_), SqlType::Uuid) => true,
        (ValueRef::Date(date), SqlType::Date) => (Date::FIRST..=Date::LAST).contains(&date),
        (ValueRef::Integer(value), SqlType::SmallInt) => i16::try_from(value).is_ok(),
        (ValueRef::Decimal(value), SqlType::Decimal { precision, scale }) => {
            let limit = 10u128.checked_pow(u32::from(precision));
            value.scale == scale && limit.is_some_and(|limit| value.unscaled.unsigned_abs() < limit)
        }
        (ValueRef::Binary(_), SqlType::VarBinary { length: None }) => true,
        (ValueRef::Binary(value), SqlType::VarBinary { length: Some(length) }) => value.len() <= length as usize,
        _ => false,
    }
}

/// Returns true if a value finds the same rows by an index as by the planner's `=`.
#[inline]
pub(super) fn is_exact(value: ValueRef<'_>, sql_type: SqlType) -> bool {
    match value {
        // The index leaves trailing blanks out of account, and folds what its collation folds.
        ValueRef::Text(text) => {
            let is_binary = sql_type.collation() == Some(mainstay_types::Collation::Binary);
            is_binary && !text.ends_with(' ') && fits(&value, sql_type)
        }
        // Nothing equals NULL, and a key may not even take it.
        ValueRef::Float(_) | ValueRef::Null => false,
        value => fits(&value, sql_type),
    }
}
