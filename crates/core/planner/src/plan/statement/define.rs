//! CREATE and DROP.

use super::sequence::{Steps, steps, whole, whole_step};
use super::{Name, unsupported};
use crate::parse::text::Text;
use crate::types::sql_types::{collation, sql_type};
use datafusion::sql::sqlparser::ast::{
    self, ColumnOption, ConstraintCharacteristics, ConstraintReferenceMatchKind, CreateTableOptions, DeferrableInitial,
    Expr, GeneratedAs, IndexColumn, ObjectType, SqlOption, Statement, TableConstraint,
};
use mainstay_types::{Code, Collation, Error, Result, SqlType};

/// CREATE TABLE.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateTable {
    /// Its name.
    pub name: Name,
    /// Not an error when it is there.
    pub if_not_exists: bool,
    /// True if it belongs to the session and goes with it.
    pub temporary: bool,
    /// The fate of a temporary table's rows when a transaction commits.
    pub on_commit: OnCommit,
    /// Its columns.
    pub columns: Vec<ColumnClause>,
    /// The table constraints.
    pub constraints: Vec<Constraint>,
    /// CREATE TABLE AS: the text of the query.
    pub query: Option<String>,
    /// The names that its columns are given there, in place of those of the query; the first ones.
    pub column_names: Vec<Name>,
    /// WITH NO DATA: the rows of the query are left out.
    pub without_rows: bool,
    /// The options of WITH: names in lower case, and their values as they are written.
    pub options: Vec<(String, String)>,
}

/// The fate of a temporary table when a transaction commits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnCommit {
    /// Its rows stay.
    #[default]
    PreserveRows,
    /// Its rows go.
    DeleteRows,
    /// It goes.
    Drop,
}

/// A column of CREATE TABLE or ALTER TABLE ADD.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnClause {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub sql_type: SqlType,
    /// A dialect's name of the type, if it says more: `datetime`.
    pub declared: Option<String>,
    /// NOT NULL.
    pub not_null: bool,
    /// DEFAULT: the text of the expression.
    pub default: Option<String>,
    /// True if its values come from a sequence; `Some(true)` when a statement may not give them.
    pub identity: Option<bool>,
    /// How that sequence goes on.
    pub identity_steps: Steps,
    /// GENERATED ALWAYS AS: the text of the expression.
    pub computed: Option<String>,
    /// The column constraints: keys, checks, references.
    pub constraints: Vec<Constraint>,
}

/// A constraint on the rows of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Constraint {
    /// PRIMARY KEY.
    PrimaryKey {
        /// Its name, if it was given one.
        name: Option<Name>,
        /// Its columns.
        columns: Vec<IndexPart>,
    },
    /// UNIQUE.
    Unique {
        /// Its name, if it was given one.
        name: Option<Name>,
        /// Its columns.
        columns: Vec<IndexPart>,
        /// NULLS NOT DISTINCT.
        nulls_not_distinct: bool,
    },
    /// CHECK.
    Check {
        /// Its name, if it was given one.
        name: Option<Name>,
        /// The text of the condition.
        text: String,
        /// True if it was said to be NOT ENFORCED.
        disabled: bool,
    },
    /// FOREIGN KEY.
    ForeignKey(References),
}

/// A reference to rows of another table.
#[derive(Clone, Debug, PartialEq)]
pub struct References {
    /// Its name, if it was given one.
    pub name: Option<Name>,
    /// The columns here.
    pub columns: Vec<Name>,
    /// The table there.
    pub table: Name,
    /// The columns there; the primary key when none are named.
    pub referenced: Vec<Name>,
    /// The referential action when the referenced row is deleted.
    pub on_delete: ReferentialAction,
    /// The referential action when the referenced key changes.
    pub on_update: ReferentialAction,
    /// True if it was said to be NOT ENFORCED.
    pub disabled: bool,
    /// True if a transaction may look at it when it commits.
    pub deferrable: Deferrable,
    /// MATCH FULL: either all columns here are NULL or none.
    pub match_full: bool,
}

/// When a reference is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deferrable {
    /// NOT DEFERRABLE: at the end of each statement.
    #[default]
    No,
    /// DEFERRABLE INITIALLY IMMEDIATE: the same, unless SET CONSTRAINTS says otherwise.
    InitiallyImmediate,
    /// DEFERRABLE INITIALLY DEFERRED: when the transaction commits, unless SET CONSTRAINTS says otherwise.
    InitiallyDeferred,
}

/// A referential action on the rows that refer to a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReferentialAction {
    /// The change is refused.
    #[default]
    NoAction,
    /// The change is refused.
    Restrict,
    /// They change likewise.
    Cascade,
    /// Their columns become NULL.
    SetNull,
    /// Their columns get their defaults.
    SetDefault,
}

/// A column of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexPart {
    /// The column.
    pub column: Name,
    /// From its greatest value down.
    pub descending: bool,
}

/// CREATE VIEW.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateView {
    /// Its name.
    pub name: Name,
    /// Replaces the one that is there.
    pub or_replace: bool,
    /// ALTER VIEW ... AS: one is there.
    pub alters: bool,
    /// The names of its columns, when they are not those of the query.
    pub columns: Vec<Name>,
    /// The text of its query.
    pub query: String,
}

/// The kind of object that DROP names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropKind {
    /// A table.
    Table,
    /// A view.
    View,
    /// An index.
    Index,
    /// A sequence.
    Sequence,
    /// A schema.
    Schema,
}

/// DROP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drop {
    /// The kind of the objects.
    pub kind: DropKind,
    /// Which ones.
    pub names: Vec<Name>,
    /// Not an error when one is not there.
    pub if_exists: bool,
    /// With what depends on it.
    pub cascade: bool,
    /// The table of an index, if it is named: `DROP INDEX i ON t`.
    pub table: Option<Name>,
}

pub(super) fn create_table(table: ast::CreateTable, text: &Text) -> Result<CreateTable> {
    let odd = [
        (table.external, "CREATE EXTERNAL TABLE"),
        (table.or_replace, "CREATE OR REPLACE TABLE"),
        (table.like.is_some(), "CREATE TABLE LIKE"),
        (table.clone.is_some(), "CREATE TABLE CLONE"),
        (table.partition_by.is_some(), "PARTITION BY"),
        (table.inherits.is_some(), "INHERITS"),
        (
            !matches!(table.table_options, CreateTableOptions::None | CreateTableOptions::With(_)),
            "an option of a table that is not in WITH (...)",
        ),
    ];
    if let Some((_, what)) = odd.iter().find(|(is_there, _)| *is_there) {
        return Err(unsupported(what));
    }
    let column_names = column_names(&table, text)?;
    let typed = if column_names.is_empty() { table.columns.as_slice() } else { &[] };
    let columns: Result<Vec<ColumnClause>> = typed.iter().map(|clause| column(clause, text)).collect();
    let constraints: Result<Vec<Constraint>> =
        table.constraints.iter().map(|constraint| table_constraint(constraint, text)).collect();
    Ok(CreateTable {
        name: Name::of(&table.name, text)?,
        if_not_exists: table.if_not_exists,
        temporary: table.temporary,
        on_commit: on_commit(&table)?,
        columns: columns?,
        constraints: constraints?,
        options: table_options(&table.table_options)?,
        query: table.query.map(|query| query.to_string()),
        column_names,
        without_rows: false,
    })
}

/// The names of `CREATE TABLE x (a, b) AS`, as [`crate::parse::postgres`] leaves them.
fn column_names(table: &ast::CreateTable, text: &Text) -> Result<Vec<Name>> {
    if table.query.is_none() {
        return Ok(Vec::new());
    }
    let name = |column: &ast::ColumnDef| match &column.data_type {
        ast::DataType::Custom(name, _) if is_word(name, crate::parse::postgres::NAMED) => {
            Ok(Name::simple(&column.name, text))
        }
        _ => Err(Error::new(Code::Syntax, "the columns of CREATE TABLE AS have the types of the query")
            .hint("write their names alone")),
    };
    table.columns.iter().map(name).collect()
}

/// Returns true if a name is this one word.
pub(super) fn is_word(name: &ast::ObjectName, word: &str) -> bool {
    matches!(name.0.as_slice(), [only] if only.as_ident().is_some_and(|ident| ident.value.eq_ignore_ascii_case(word)))
}

/// `WITH (FORMAT = dbf, CODEPAGE = 'cp850')`
fn table_options(options: &CreateTableOptions) -> Result<Vec<(String, String)>> {
    let CreateTableOptions::With(options) = options else { return Ok(Vec::new()) };
    let option = |option: &SqlOption| match option {
        SqlOption::KeyValue { key, value } => {
            let value = match value {
                Expr::Value(value) => match &value.value {
                    ast::Value::SingleQuotedString(text) => text.clone(),
                    other => other.to_string(),
                },
                other => other.to_string(),
            };
            Ok((key.value.to_lowercase(), value))
        }
        other => Err(unsupported(format!("the table option {other}"))),
    };
    options.iter().map(option).collect()
}

fn on_commit(table: &ast::CreateTable) -> Result<OnCommit> {
    if table.temporary && table.global == Some(true) {
        return Err(unsupported("a GLOBAL temporary table").hint("temporary tables belong to their session"));
    }
    match table.on_commit {
        None => Ok(OnCommit::PreserveRows),
        Some(_) if !table.temporary => Err(Error::new(Code::Syntax, "ON COMMIT is for temporary tables")),
        Some(ast::OnCommit::PreserveRows) => Ok(OnCommit::PreserveRows),
        Some(ast::OnCommit::DeleteRows) => Ok(OnCommit::DeleteRows),
        Some(ast::OnCommit::Drop) => Ok(OnCommit::Drop),
    }
}

/// A column with what is declared for it.
pub(super) fn column(clause: &ast::ColumnDef, text: &Text) -> Result<ColumnClause> {
    let name = Name::simple(&clause.name, text);
    let collation = clause.options.iter().find_map(|option| match &option.option {
        ColumnOption::Collation(name) => Some(collation(&name.to_string())),
        _ => None,
    });
    let collation = collation.transpose()?;
    let serial = serial_type(&clause.data_type);
    let sql_type = serial.map_or_else(|| collated_type(&clause.data_type, collation), Ok);
    let mut column = ColumnClause {
        sql_type: sql_type.map_err(|error| error.at(format!("column {}", name.written)))?,
        declared: crate::dialect::declared(&clause.data_type)
            .or_else(|| crate::types::declared::declared_name(&clause.data_type)),
        name,
        not_null: serial.is_some(),
        default: None,
        identity: serial.map(|_| false),
        identity_steps: Steps::default(),
        computed: None,
        constraints: Vec::new(),
    };
    for option in &clause.options {
        let constraint_name = option.name.as_ref().map(|name| Name::simple(name, text));
        column_option(&mut column, &option.option, constraint_name, text)?;
    }
    Ok(column)
}

/// The type of PostgreSQL's SERIAL and its like, which are columns GENERATED BY DEFAULT AS IDENTITY.
fn serial_type(data_type: &ast::DataType) -> Option<SqlType> {
    let ast::DataType::Custom(name, _) = data_type else { return None };
    let is_one = |words: [&str; 2]| words.iter().any(|word| is_word(name, word));
    match () {
        () if is_one(["serial", "serial4"]) => Some(SqlType::Integer),
        () if is_one(["bigserial", "serial8"]) => Some(SqlType::BigInt),
        () if is_one(["smallserial", "serial2"]) => Some(SqlType::SmallInt),
        () => None,
    }
}

/// The type of a column with the collation that is declared for it.
pub(super) fn collated_type(data_type: &ast::DataType, collation: Option<Collation>) -> Result<SqlType> {
    // The types of a dialect bring a collation with them.
    Ok(match (sql_type(data_type, collation.unwrap_or_default())?, collation) {
        (SqlType::Char { length, .. }, Some(collation)) => SqlType::Char { length, collation },
        (SqlType::VarChar { length, .. }, Some(collation)) => SqlType::VarChar { length, collation },
        (declared, _) => declared,
    })
}

fn column_option(column: &mut ColumnClause, option: &ColumnOption, name: Option<Name>, text: &Text) -> Result<()> {
    let only = || vec![IndexPart { column: column.name.clone(), descending: false }];
    match option {
        ColumnOption::Null => column.not_null = false,
        ColumnOption::NotNull => column.not_null = true,
        ColumnOption::Default(value) => column.default = Some(value.to_string()),
        ColumnOption::Collation(_) | ColumnOption::Comment(_) => {}
        ColumnOption::PrimaryKey(key) => {
            never_deferred(key.characteristics.as_ref(), "PRIMARY KEY")?;
            column.not_null = true;
            column.constraints.push(Constraint::PrimaryKey { name, columns: only() });
        }
        ColumnOption::Unique(key) => {
            never_deferred(key.characteristics.as_ref(), "UNIQUE key")?;
            let nulls_not_distinct = key.nulls_distinct == ast::NullsDistinctOption::NotDistinct;
            column.constraints.push(Constraint::Unique { name, columns: only(), nulls_not_distinct });
        }
        ColumnOption::Check(check) => {
            column.constraints.push(Constraint::Check { name, text: check.expr.to_string(), disabled: false });
        }
        ColumnOption::ForeignKey(key) => {
            let columns = vec![column.name.clone()];
            column.constraints.push(Constraint::ForeignKey(References { columns, ..references(key, name, text)? }));
        }
        ColumnOption::Generated { generated_as, sequence_options, generation_expr, .. } => {
            match generation_expr {
                Some(expression) => column.computed = Some(expression.to_string()),
                None => {
                    column.identity = Some(matches!(generated_as, GeneratedAs::Always));
                    column.identity_steps = steps(sequence_options.as_deref().unwrap_or_default())?;
                }
            }
            column.not_null |= generation_expr.is_none();
        }
        ColumnOption::Identity(identity) => {
            use ast::IdentityPropertyFormatKind as Format;
            use ast::IdentityPropertyKind as Kind;
            let (Kind::Autoincrement(property) | Kind::Identity(property)) = identity;
            if let Some(Format::FunctionCall(parameters) | Format::StartAndIncrement(parameters)) = &property.parameters
            {
                column.identity_steps = Steps {
                    start: Some(whole(&parameters.seed)?),
                    increment: whole_step(&parameters.increment)?,
                    ..Steps::default()
                };
            }
            (column.identity, column.not_null) = (Some(true), true);
        }
        ColumnOption::DialectSpecific(tokens) => match tokens.first().map(ToString::to_string) {
            Some(word) if word.to_lowercase().replace('_', "") == "autoincrement" => {
                (column.identity, column.not_null) = (Some(false), true);
            }
            _ => return Err(unsupported(format!("the column option {option}"))),
        },
        other => return Err(unsupported(format!("the column option {other}"))),
    }
    Ok(())
}

pub(super) fn table_constraint(constraint: &TableConstraint, text: &Text) -> Result<Constraint> {
    let named = |name: &Option<ast::Ident>| name.as_ref().map(|name| Name::simple(name, text));
    Ok(match constraint {
        TableConstraint::PrimaryKey(key) => {
            never_deferred(key.characteristics.as_ref(), "PRIMARY KEY")?;
            Constraint::PrimaryKey { name: named(&key.name), columns: index_parts(&key.columns, text)? }
        }
        TableConstraint::Unique(key) => {
            never_deferred(key.characteristics.as_ref(), "UNIQUE key")?;
            let nulls_not_distinct = key.nulls_distinct == ast::NullsDistinctOption::NotDistinct;
            Constraint::Unique { name: named(&key.name), columns: index_parts(&key.columns, text)?, nulls_not_distinct }
        }
        TableConstraint::Check(check) => Constraint::Check {
            name: named(&check.name),
            text: check.expr.to_string(),
            disabled: check.enforced == Some(false),
        },
        TableConstraint::ForeignKey(key) => Constraint::ForeignKey(references(key, named(&key.name), text)?),
        other => return Err(unsupported(format!("the constraint {other}"))),
    })
}

fn references(key: &ast::ForeignKeyConstraint, name: Option<Name>, text: &Text) -> Result<References> {
    let names = |idents: &[ast::Ident]| idents.iter().map(|ident| Name::simple(ident, text)).collect();
    Ok(References {
        name,
        columns: names(&key.columns),
        table: Name::of(&key.foreign_table, text)?,
        referenced: names(&key.referred_columns),
        on_delete: action(key.on_delete),
        on_update: action(key.on_update),
        disabled: key.characteristics.as_ref().is_some_and(|said| said.enforced == Some(false)),
        deferrable: deferrable(key.characteristics.as_ref())?,
        match_full: match key.match_kind {
            None | Some(ConstraintReferenceMatchKind::Simple) => false,
            Some(ConstraintReferenceMatchKind::Full) => true,
            Some(ConstraintReferenceMatchKind::Partial) => return Err(unsupported("MATCH PARTIAL")),
        },
    })
}

fn deferrable(said: Option<&ConstraintCharacteristics>) -> Result<Deferrable> {
    let Some(said) = said else { return Ok(Deferrable::No) };
    match (said.deferrable, said.initially) {
        (Some(false), Some(DeferrableInitial::Deferred)) => {
            Err(Error::new(Code::Syntax, "a constraint that is INITIALLY DEFERRED must be DEFERRABLE"))
        }
        (_, Some(DeferrableInitial::Deferred)) => Ok(Deferrable::InitiallyDeferred),
        (Some(true), _) => Ok(Deferrable::InitiallyImmediate),
        _ => Ok(Deferrable::No),
    }
}

/// Refuses to defer what is not a reference: keys are kept by their indexes, and looked at when the statement is done.
fn never_deferred(said: Option<&ConstraintCharacteristics>, what: &str) -> Result<()> {
    match deferrable(said)? {
        Deferrable::No => Ok(()),
        _ => Err(unsupported(format!("a {what} that is DEFERRABLE"))
            .hint("it is looked at when the statement is done; leave DEFERRABLE out")),
    }
}

fn action(action: Option<ast::ReferentialAction>) -> ReferentialAction {
    match action {
        None | Some(ast::ReferentialAction::NoAction) => ReferentialAction::NoAction,
        Some(ast::ReferentialAction::Restrict) => ReferentialAction::Restrict,
        Some(ast::ReferentialAction::Cascade) => ReferentialAction::Cascade,
        Some(ast::ReferentialAction::SetNull) => ReferentialAction::SetNull,
        Some(ast::ReferentialAction::SetDefault) => ReferentialAction::SetDefault,
    }
}

fn index_parts(columns: &[IndexColumn], text: &Text) -> Result<Vec<IndexPart>> {
    let part = |column: &IndexColumn| match &column.column.expr {
        Expr::Identifier(name) => {
            Ok(IndexPart { column: Name::simple(name, text), descending: column.column.options.asc == Some(false) })
        }
        other => Err(unsupported(format!("an index of an expression ({other})"))),
    };
    columns.iter().map(part).collect()
}

pub(super) fn create_view(view: ast::CreateView, text: &Text) -> Result<CreateView> {
    if view.materialized {
        return Err(unsupported("CREATE MATERIALIZED VIEW"));
    }
    Ok(CreateView {
        name: Name::of(&view.name, text)?,
        or_replace: view.or_replace,
        alters: false,
        columns: view.columns.iter().map(|column| Name::simple(&column.name, text)).collect(),
        query: view.query.to_string(),
    })
}

/// ALTER VIEW ... AS.
pub(super) fn alter_view(
    name: &ast::ObjectName,
    columns: &[ast::Ident],
    query: &ast::Query,
    text: &Text,
) -> Result<CreateView> {
    Ok(CreateView {
        name: Name::of(name, text)?,
        or_replace: true,
        alters: true,
        columns: columns.iter().map(|column| Name::simple(column, text)).collect(),
        query: query.to_string(),
    })
}

pub(super) fn drop(statement: Statement, text: &Text) -> Result<Drop> {
    let Statement::Drop { object_type, if_exists, names, cascade, table, .. } = statement else {
        return Err(Error::new(Code::Internal, "not a DROP"));
    };
    let kind = match object_type {
        ObjectType::Table => DropKind::Table,
        ObjectType::View => DropKind::View,
        ObjectType::Index => DropKind::Index,
        ObjectType::Sequence => DropKind::Sequence,
        ObjectType::Schema => DropKind::Schema,
        other => return Err(unsupported(format!("DROP {other}"))),
    };
    let names: Result<Vec<Name>> = names.iter().map(|name| Name::of(name, text)).collect();
    let table = table.map(|table| Name::of(&table, text)).transpose()?;
    Ok(Drop { kind, names: names?, if_exists, cascade, table })
}
