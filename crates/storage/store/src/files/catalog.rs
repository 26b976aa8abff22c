//! The catalog of a database: the definitions of its schemas, tables, indexes, sequences and views.
//!
//! ```text
//!   Catalog   version, next_id
//!     schemas     id, name
//!     tables      id, schema, name, columns, keys, checks, foreign keys, indexes
//!     sequences   id, schema, name, start, increment, bounds
//!     views       id, schema, name, text
//! ```
//!
//! Definitions refer to each other by number, never by name, so that a rename touches one place. Numbers come
//! from one counter, [`Catalog::next_id`], and are never reused; columns are numbered from the same counter, so a
//! dropped column and a column added later under the same name are two. Expressions (defaults, checks,
//! computed columns, views) are stored as text of Mainstay's own SQL.
//!
//! The text form is JSON: the manifest holds the whole catalog, the journal one [`CatalogChange`] per change.
//! `docs/formats/catalog.md` lists the fields.
//!
//! **Unknown fields are refused.** One may be a new kind of constraint, and a program that
//! accepted it without enforcing it would let in what the table's owner forbade. A missing field has its
//! default, so older catalogs stay readable.

use super::type_text::as_text;
use mainstay_types::{Code, Error, Result, SqlType};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The version that is written, and the latest that is read.
pub const CATALOG_VERSION: u32 = 1;

/// Everything that exists in a database.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalog {
    /// The version of the format.
    pub version: u32,
    /// The number that the next new thing gets.
    pub next_id: u64,
    /// Schemas.
    #[serde(default)]
    pub schemas: Vec<SchemaDefinition>,
    /// Tables, with their indexes.
    #[serde(default)]
    pub tables: Vec<TableDefinition>,
    /// Sequences, those of identity columns among them.
    #[serde(default)]
    pub sequences: Vec<SequenceDefinition>,
    /// Views.
    #[serde(default)]
    pub views: Vec<ViewDefinition>,
}

/// A schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SchemaDefinition {
    /// Its number.
    pub id: u64,
    /// Its name, as it was written.
    pub name: String,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableDefinition {
    /// Its number.
    pub id: u64,
    /// The number of its schema.
    pub schema: u64,
    /// Its name, as it was written.
    pub name: String,
    /// Its columns, in their order.
    pub columns: Vec<ColumnDefinition>,
    /// Its primary key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub primary_key: Option<KeyDefinition>,
    /// Its other keys.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unique: Vec<KeyDefinition>,
    /// Conditions on the whole row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckDefinition>,
    /// References to other tables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreign_keys: Vec<ForeignKeyDefinition>,
    /// Its indexes, but for those that keep its keys.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<IndexDefinition>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnDefinition {
    /// Its number.
    pub id: u64,
    /// Its name, as it was written.
    pub name: String,
    /// The SQL type of the values.
    #[serde(rename = "type", with = "as_text")]
    pub sql_type: SqlType,
    /// The dialect's name of the declared type, if it is more precise than the SQL type: `datetime`, `nvarchar(20)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared: Option<String>,
    /// True if it must have a value.
    #[serde(default, skip_serializing_if = "is_false")]
    pub not_null: bool,
    /// The expression that gives its value when an INSERT names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// A condition on its value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// Where its numbers come from, if it is an identity column.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<IdentityDefinition>,
    /// The expression that it is, if it is computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computed: Option<ComputedDefinition>,
}

/// The generation of a column's values from a sequence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdentityDefinition {
    /// The number of the sequence.
    pub sequence: u64,
    /// True if an INSERT may not supply a value (GENERATED ALWAYS).
    #[serde(default, skip_serializing_if = "is_false")]
    pub always: bool,
}

/// The computation of a column's values from other columns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComputedDefinition {
    /// The expression.
    pub text: String,
    /// True if its values are kept, or computed when they are asked for.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stored: bool,
}

/// A key: columns whose values together are of one row only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyDefinition {
    /// Its number, which is that of the index that keeps it.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// The columns by number.
    pub columns: Vec<IndexColumn>,
    /// True if NULL is a value as others are, of which there may be one.
    #[serde(default, skip_serializing_if = "is_false")]
    pub nulls_not_distinct: bool,
}

/// A named condition on a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckDefinition {
    /// Its name.
    pub name: String,
    /// The condition.
    pub text: String,
    /// True if rows need not keep to it for now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disabled: bool,
}

/// An index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexDefinition {
    /// Its number.
    pub id: u64,
    /// Its name, as it was written.
    pub name: String,
    /// True if no two rows may have the same key.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unique: bool,
    /// The key columns, the most significant first.
    pub columns: Vec<IndexColumn>,
    /// Of a unique one, whether NULL is a value as others are, of which there may be one.
    #[serde(default, skip_serializing_if = "is_false")]
    pub nulls_not_distinct: bool,
    /// The rows that it is about, if not all of them: all of these hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub filter: Vec<FilterDefinition>,
}

/// A condition of the filter of an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilterDefinition {
    /// The column by number.
    pub column: u64,
    /// The condition on the column.
    pub test: FilterKind,
    /// The constants of the comparison, as text that converts to the column's type. Several only with `equal`: one of
    /// them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// The kind of condition of an index filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilterKind {
    /// `IS NULL`
    Null,
    /// `IS NOT NULL`
    NotNull,
    /// `=`, `IN`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

/// A column of an index or of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexColumn {
    /// The column by number.
    pub column: u64,
    /// True if it goes from its highest value down.
    #[serde(default, skip_serializing_if = "is_false")]
    pub descending: bool,
}

/// A foreign key: the values must be those of a key of another row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForeignKeyDefinition {
    /// Its name.
    pub name: String,
    /// The columns of this table, by number.
    pub columns: Vec<u64>,
    /// The table referred to, by number.
    pub referenced_table: u64,
    /// Its columns, by number, in the order of `columns`.
    pub referenced_columns: Vec<u64>,
    /// The action when the referenced row is deleted.
    #[serde(default)]
    pub on_delete: ReferentialAction,
    /// The action when the referenced key changes.
    #[serde(default)]
    pub on_update: ReferentialAction,
    /// True if it may be looked at when the transaction commits.
    #[serde(default, skip_serializing_if = "Deferrable::is_no")]
    pub deferrable: Deferrable,
    /// MATCH FULL: either all of the columns are NULL or none.
    #[serde(default, skip_serializing_if = "is_false")]
    pub match_full: bool,
    /// True if rows need not keep to it for now. Its actions rest as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub disabled: bool,
}

/// When it is looked at whether rows keep to a reference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deferrable {
    /// At the end of each statement, always.
    #[default]
    No,
    /// At the end of each statement, unless the transaction says otherwise.
    InitiallyImmediate,
    /// At the end of the transaction, unless it says otherwise.
    InitiallyDeferred,
}

impl Deferrable {
    /// Returns true if a transaction can say nothing about it.
    pub fn is_no(&self) -> bool {
        *self == Deferrable::No
    }
}

/// The action on the rows that refer to a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReferentialAction {
    /// The change is refused at the end of the statement.
    #[default]
    NoAction,
    /// The change is refused at once.
    Restrict,
    /// They change likewise.
    Cascade,
    /// Their columns become NULL.
    SetNull,
    /// Their columns get their defaults.
    SetDefault,
}

/// A sequence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SequenceDefinition {
    /// Its number.
    pub id: u64,
    /// The number of its schema.
    pub schema: u64,
    /// Its name, as it was written.
    pub name: String,
    /// Its first value.
    pub start: i64,
    /// The difference to the next value; not 0.
    pub increment: i64,
    /// The least value.
    pub minimum: i64,
    /// The greatest value.
    pub maximum: i64,
    /// True if it begins again when it is used up.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cycle: bool,
    /// The column by number that it goes with: it is dropped when that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owned_by: Option<u64>,
    /// The dialect's name of the declared type of the values, if one was given: `int`, `decimal(9,0)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared: Option<String>,
}

impl SequenceDefinition {
    /// Sees that a value is one of the sequence.
    ///
    /// # Errors
    /// `InvalidValue` for one beyond its bounds.
    pub fn check_value(&self, value: i64) -> Result<()> {
        let (minimum, maximum) = (self.minimum, self.maximum);
        if (minimum..=maximum).contains(&value) {
            return Ok(());
        }
        let message = format!("the sequence {} has values from {minimum} to {maximum}", self.name);
        Err(Error::new(Code::InvalidValue, message))
    }
}

/// A view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewDefinition {
    /// Its number.
    pub id: u64,
    /// The number of its schema.
    pub schema: u64,
    /// Its name, as it was written.
    pub name: String,
    /// Names of its columns, if they were given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// The query.
    pub text: String,
}

fn is_false(value: &bool) -> bool {
    !*value
}

/// A change of the catalog, as the journal has it: a definition as it is from now on, or what is gone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum CatalogChange {
    /// A schema was created or altered.
    PutSchema(SchemaDefinition),
    /// A table was created or altered.
    PutTable(TableDefinition),
    /// An index was created or altered.
    PutIndex {
        /// The table's number.
        table: u64,
        /// The index.
        index: IndexDefinition,
    },
    /// A sequence was created or altered.
    PutSequence(SequenceDefinition),
    /// A view was created or altered.
    PutView(ViewDefinition),
    /// A schema is gone.
    DropSchema(u64),
    /// A table is gone, with its indexes.
    DropTable(u64),
    /// An index is gone.
    DropIndex {
        /// The table's number.
        table: u64,
        /// The index's number.
        index: u64,
    },
    /// A sequence is gone.
    DropSequence(u64),
    /// A view is gone.
    DropView(u64),
}

impl CatalogChange {
    /// The text for [`crate::journal::redo::RedoBuffer::catalog`].
    ///
    /// # Errors
    /// `Internal` when it has no JSON form, which it always has.
    pub fn to_json(&self) -> Result<String> {
        to_json(self)
    }

    /// Reads such a text.
    ///
    /// # Errors
    /// `Damaged` for text that is not JSON, `Unsupported` for JSON that says something unknown.
    pub fn from_json(text: &str) -> Result<CatalogChange> {
        from_json(text)
    }
}

impl Default for Catalog {
    fn default() -> Catalog {
        Catalog::new()
    }
}

impl Catalog {
    /// A catalog of nothing.
    pub fn new() -> Catalog {
        Catalog {
            version: CATALOG_VERSION,
            next_id: 1,
            schemas: Vec::new(),
            tables: Vec::new(),
            sequences: Vec::new(),
            views: Vec::new(),
        }
    }

    /// A number that nothing had before.
    pub fn take_id(&mut self) -> u64 {
        let id = self.next_id;
        self.next_id = id.saturating_add(1);
        id
    }

    /// The table of this number.
    pub fn table(&self, id: u64) -> Option<&TableDefinition> {
        self.tables.iter().find(|table| table.id == id)
    }

    /// The whole catalog as text.
    ///
    /// # Errors
    /// `Internal` when it has no JSON form, which it always has.
    pub fn to_json(&self) -> Result<String> {
        to_json(self)
    }

    /// Reads such a text, and checks that what it refers to exists.
    ///
    /// # Errors
    /// `Unsupported` for a later version and for fields that are not known, `Damaged` for the rest.
    pub fn from_json(text: &str) -> Result<Catalog> {
        /// Read first, so that a later version is reported as such and not by its first new field.
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let Versioned { version } = from_json(text)?;
        if version > CATALOG_VERSION {
            let message = format!("the catalog has version {version}, and this program knows {CATALOG_VERSION}");
            return Err(Error::new(Code::Unsupported, message).hint("use the program that wrote it, or a later one"));
        }
        let catalog: Catalog = from_json(text)?;
        catalog.check()?;
        Ok(catalog)
    }

    /// Applies a change, whether it is new or was applied before.
    ///
    /// # Errors
    /// `Damaged` when it is about an index of a table that does not exist.
    pub fn apply(&mut self, change: CatalogChange) -> Result<()> {
        let mut highest = 0;
        match change {
            CatalogChange::PutSchema(new) => put(&mut self.schemas, new, |schema| schema.id, &mut highest),
            CatalogChange::PutTable(new) => {
                highest = highest_inside(&new);
                put(&mut self.tables, new, |table| table.id, &mut highest);
            }
            CatalogChange::PutSequence(new) => put(&mut self.sequences, new, |sequence| sequence.id, &mut highest),
            CatalogChange::PutView(new) => put(&mut self.views, new, |view| view.id, &mut highest),
            CatalogChange::PutIndex { table, index } => {
                put(&mut self.table_mut(table)?.indexes, index, |index| index.id, &mut highest);
            }
            CatalogChange::DropSchema(id) => self.schemas.retain(|schema| schema.id != id),
            CatalogChange::DropTable(id) => self.tables.retain(|table| table.id != id),
            CatalogChange::DropSequence(id) => self.sequences.retain(|sequence| sequence.id != id),
            CatalogChange::DropView(id) => self.views.retain(|view| view.id != id),
            CatalogChange::DropIndex { table, index } => {
                self.table_mut(table)?.indexes.retain(|kept| kept.id != index);
            }
        }
        self.next_id = self.next_id.max(highest.saturating_add(1));
        Ok(())
    }

    fn table_mut(&mut self, id: u64) -> Result<&mut TableDefinition> {
        let table = self.tables.iter_mut().find(|table| table.id == id);
        table.ok_or_else(|| Error::new(Code::Damaged, format!("the catalog has no table {id}")))
    }

    /// Returns true if numbers are given once, and lead somewhere.
    pub(crate) fn check(&self) -> Result<()> {
        let mut seen = HashSet::new();
        let columns = self.tables.iter().flat_map(|table| table.columns.iter().map(|column| column.id));
        let own = self.tables.iter().map(|table| table.id);
        let keys = self.tables.iter().flat_map(|table| keys(table).map(|(id, _)| id));
        let others = self.schemas.iter().map(|schema| schema.id);
        let others = others.chain(self.sequences.iter().map(|sequence| sequence.id));
        let others = others.chain(self.views.iter().map(|view| view.id));
        for id in columns.chain(own).chain(keys).chain(others) {
            if id >= self.next_id || !seen.insert(id) {
                return Err(Error::new(Code::Damaged, format!("the catalog has number {id} twice, or not given yet")));
            }
        }
        self.tables.iter().try_for_each(|table| self.check_table(table))
    }

    fn check_table(&self, table: &TableDefinition) -> Result<()> {
        let has = |table: &TableDefinition, id: u64| table.columns.iter().any(|column| column.id == id);
        let own = keys(table).flat_map(|(_, columns)| columns.iter().map(|column| column.column));
        let own = own.chain(table.indexes.iter().flat_map(|index| index.filter.iter().map(|part| part.column)));
        let own = own.chain(table.foreign_keys.iter().flat_map(|key| key.columns.iter().copied()));
        let schema = self.schemas.iter().any(|schema| schema.id == table.schema);
        let references = table.foreign_keys.iter().all(|key| {
            key.columns.len() == key.referenced_columns.len()
                && self
                    .table(key.referenced_table)
                    .is_some_and(|other| key.referenced_columns.iter().all(|id| has(other, *id)))
        });
        if schema && references && !table.columns.is_empty() && own.into_iter().all(|id| has(table, id)) {
            return Ok(());
        }
        let message = format!("the definition of table `{}` refers to something that does not exist", table.name);
        Err(Error::new(Code::Damaged, message))
    }
}

/// The keys and indexes of a table: number and columns.
fn keys(table: &TableDefinition) -> impl Iterator<Item = (u64, &[IndexColumn])> {
    let keys = table.primary_key.iter().chain(&table.unique).map(|key| (key.id, key.columns.as_slice()));
    keys.chain(table.indexes.iter().map(|index| (index.id, index.columns.as_slice())))
}

fn highest_inside(table: &TableDefinition) -> u64 {
    let columns = table.columns.iter().map(|column| column.id);
    columns.chain(keys(table).map(|(id, _)| id)).max().unwrap_or(0)
}

/// Replaces the one of the same number, or adds it.
fn put<T>(all: &mut Vec<T>, new: T, id: impl Fn(&T) -> u64, highest: &mut u64) {
    *highest = (*highest).max(id(&new));
    match all.iter_mut().find(|old| id(old) == id(&new)) {
        Some(old) => *old = new,
        None => all.push(new),
    }
}

fn to_json<T: Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| Error::new(Code::Internal, format!("a definition has no JSON form: {error}")))
}

fn from_json<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| match error.is_data() {
        true => Error::new(Code::Unsupported, format!("the catalog says what this program does not know: {error}"))
            .hint("use the program that wrote it, or a later one"),
        false => Error::new(Code::Damaged, format!("the catalog is not JSON: {error}")),
    })
}
