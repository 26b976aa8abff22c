//! Tables, their columns, constraints and indexes.

use super::{DataType, Expr, Name, ObjectName, Phrase};

/// CREATE TABLE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateTable {
    /// Its name.
    pub name: ObjectName,
    /// Columns, constraints, indexes.
    pub elements: Vec<TableElement>,
    /// ON, TEXTIMAGE_ON, FILESTREAM_ON, in order, as words.
    pub storage: Vec<Phrase>,
    /// WITH.
    pub options: Vec<Phrase>,
    /// AS NODE (false) or AS EDGE (true).
    pub graph_edge: Option<bool>,
}

/// An element of a table's definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableElement {
    /// A column.
    Column(Box<Column>),
    /// A constraint of the table.
    Constraint(Constraint),
    /// An index.
    Index(IndexSpec),
    /// PERIOD FOR SYSTEM_TIME (start, end).
    Period(Name, Name),
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: Name,
    /// Its type, or what computes it. `timestamp` may stand without a type.
    pub kind: ColumnKind,
    /// Its properties, in order.
    pub properties: Vec<ColumnProperty>,
}

impl Column {
    /// The collation that it is given.
    pub fn collation(&self) -> Option<&Name> {
        self.properties.iter().find_map(|property| match property {
            ColumnProperty::Collate(collation) => Some(collation),
            _ => None,
        })
    }
}

/// The kind of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Stored, with a type.
    Stored(DataType),
    /// Computed.
    Computed(Expr),
    /// `timestamp`, which is name and type in one.
    Timestamp,
}

/// A property of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnProperty {
    /// NULL (true) or NOT NULL.
    Nullable(bool),
    /// COLLATE.
    Collate(Name),
    /// IDENTITY, its seed and increment.
    Identity(Option<(Expr, Expr)>),
    /// NOT FOR REPLICATION, of an identity.
    NotForReplication,
    /// ROWGUIDCOL.
    RowGuid,
    /// PERSISTED.
    Persisted,
    /// SPARSE, FILESTREAM, HIDDEN and other words; `MASKED WITH (..)`, `GENERATED ALWAYS AS ROW START`.
    Words(Phrase),
    /// A constraint.
    Constraint(Constraint),
    /// An index of this column.
    Index(IndexSpec),
}

/// A constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// CONSTRAINT's name.
    pub name: Option<Name>,
    /// The rule that it enforces.
    pub kind: ConstraintKind,
}

/// The rule of a constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConstraintKind {
    /// PRIMARY KEY and UNIQUE; the columns are empty when it is of a column.
    Key(IndexSpec),
    /// CHECK; true for NOT FOR REPLICATION.
    Check(bool, Expr),
    /// DEFAULT, FOR a column when it is of the table; true for WITH VALUES.
    Default(Expr, Option<Name>, bool),
    /// FOREIGN KEY.
    ForeignKey(Box<ForeignKey>),
}

/// FOREIGN KEY.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignKey {
    /// The columns; none when it is of a column.
    pub columns: Vec<Name>,
    /// The table it refers to.
    pub table: ObjectName,
    /// The referenced table's columns.
    pub referenced: Vec<Name>,
    /// ON DELETE.
    pub on_delete: Option<ReferentialAction>,
    /// ON UPDATE.
    pub on_update: Option<ReferentialAction>,
    /// NOT FOR REPLICATION.
    pub not_for_replication: bool,
}

/// The action on rows that refer to a deleted or changed row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum ReferentialAction {
    NoAction,
    Cascade,
    SetNull,
    SetDefault,
}

/// The kind of key that an index or a constraint is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyKind {
    /// No key.
    #[default]
    None,
    /// UNIQUE.
    Unique,
    /// PRIMARY KEY.
    Primary,
}

/// An index or key: of CREATE INDEX, in a table, or of a constraint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexSpec {
    /// Its name; constraints have theirs elsewhere.
    pub name: Option<Name>,
    /// The kind of key.
    pub key: KeyKind,
    /// CLUSTERED (true) or NONCLUSTERED.
    pub clustered: Option<bool>,
    /// COLUMNSTORE.
    pub columnstore: bool,
    /// HASH.
    pub hash: bool,
    /// The columns; true for DESC, if written.
    pub columns: Vec<(Name, Option<bool>)>,
    /// INCLUDE.
    pub include: Vec<Name>,
    /// WHERE.
    pub filter: Option<Expr>,
    /// WITH.
    pub options: Vec<Phrase>,
    /// The old `WITH FILLFACTOR = 80` without parentheses.
    pub bare_options: bool,
    /// ON, FILESTREAM_ON.
    pub storage: Vec<Phrase>,
}

/// CREATE INDEX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateIndex {
    /// The index.
    pub index: IndexSpec,
    /// Its table.
    pub table: ObjectName,
}

/// ALTER INDEX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlterIndex {
    /// Its name; none for ALL.
    pub name: Option<Name>,
    /// Its table.
    pub table: ObjectName,
    /// REBUILD, DISABLE, REORGANIZE, SET ..., as words.
    pub action: Phrase,
}

/// ALTER TABLE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AlterTable {
    /// The table.
    pub table: ObjectName,
    /// The change.
    pub action: AlterTableAction,
}

/// The change that ALTER TABLE makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AlterTableAction {
    /// ADD, after WITH CHECK (true) or WITH NOCHECK.
    Add(Option<bool>, Vec<TableElement>),
    /// ALTER COLUMN to a type, and its WITH.
    AlterColumn(Box<Column>, Vec<Phrase>),
    /// ALTER COLUMN ADD (true) or DROP a property.
    AlterProperty(Name, bool, Phrase),
    /// DROP.
    Drop(Vec<DropElement>),
    /// `[WITH CHECK | WITH NOCHECK] CHECK | NOCHECK CONSTRAINT`; no names for ALL. CHECK is true.
    CheckConstraint(Option<bool>, bool, Vec<Name>),
    /// ENABLE (true) or DISABLE TRIGGER; no names for ALL.
    Trigger(bool, Vec<Name>),
    /// SWITCH, REBUILD, SET and what else is words.
    Words(Phrase),
}

/// An element that ALTER TABLE drops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DropElement {
    /// COLUMN (true), or CONSTRAINT, which may be left out. None: PERIOD FOR SYSTEM_TIME.
    pub column: Option<bool>,
    /// IF EXISTS.
    pub if_exists: bool,
    /// The name of the element.
    pub name: Name,
    /// WITH.
    pub options: Vec<Phrase>,
}
