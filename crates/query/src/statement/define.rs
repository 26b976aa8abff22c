//! CREATE and DROP.

use super::types::sql_type;
use super::{Name, unsupported};
use crate::text::Text;
use datafusion::sql::sqlparser::ast::{
    self, ColumnOption, CreateTableOptions, Expr, GeneratedAs, IndexColumn, ObjectType, SequenceOptions, SqlOption,
    Statement, TableConstraint,
};
use mainstay_base::{Code, Collation, Error, Result, SqlType};

/// CREATE TABLE.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateTable {
    /// Its name.
    pub name: Name,
    /// Not an error when it is there.
    pub if_not_exists: bool,
    /// Whether it belongs to the session and goes with it.
    pub temporary: bool,
    /// What becomes of the rows of a temporary table when a transaction commits.
    pub on_commit: OnCommit,
    /// Its columns.
    pub columns: Vec<ColumnClause>,
    /// What was declared for the whole table.
    pub constraints: Vec<Constraint>,
    /// CREATE TABLE AS: the text of the query.
    pub query: Option<String>,
    /// What WITH says about the table: names in lower case, and their values as they are written.
    pub options: Vec<(String, String)>,
}

/// What becomes of a temporary table when a transaction commits.
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
    /// What it holds.
    pub sql_type: SqlType,
    /// What a dialect calls that type, if it says more: `datetime`.
    pub declared: Option<String>,
    /// NOT NULL.
    pub not_null: bool,
    /// DEFAULT: the text of the expression.
    pub default: Option<String>,
    /// Whether its values come from a sequence; `Some(true)` when a statement may not give them.
    pub identity: Option<bool>,
    /// How that sequence goes on.
    pub identity_steps: Steps,
    /// GENERATED ALWAYS AS: the text of the expression.
    pub computed: Option<String>,
    /// What else was declared with it: keys, checks, references.
    pub constraints: Vec<Constraint>,
}

/// What rows must keep to.
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
        /// Whether it was said to be NOT ENFORCED.
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
    /// What becomes of these rows when that row is deleted.
    pub on_delete: ReferentialAction,
    /// What becomes of these rows when that key changes.
    pub on_update: ReferentialAction,
    /// Whether it was said to be NOT ENFORCED.
    pub disabled: bool,
}

/// What becomes of the rows that refer to a row.
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

/// CREATE SEQUENCE.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateSequence {
    /// Its name.
    pub name: Name,
    /// Not an error when it is there.
    pub if_not_exists: bool,
    /// How it goes on.
    pub steps: Steps,
}

/// How a sequence goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// Its first value; its least one (going down: its greatest) unless it is said.
    pub start: Option<i64>,
    /// What is added for the next one; not 0.
    pub increment: i64,
    /// Its least value; 1 (going down: the least of its type) unless it is said.
    pub minimum: Option<i64>,
    /// Its greatest value; the greatest of its type (going down: -1) unless it is said.
    pub maximum: Option<i64>,
    /// Whether it begins again when it is used up.
    pub cycle: bool,
}

impl Default for Steps {
    fn default() -> Steps {
        Steps { start: None, increment: 1, minimum: None, maximum: None, cycle: false }
    }
}

/// What is dropped.
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
    /// What kind of thing.
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
    let columns: Result<Vec<ColumnClause>> = table.columns.iter().map(|clause| column(clause, text)).collect();
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
    })
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
    let sql_type = collated_type(&clause.data_type, collation);
    let mut column = ColumnClause {
        sql_type: sql_type.map_err(|error| error.at(format!("column {}", name.written)))?,
        declared: crate::mssql::declared_type(&clause.data_type),
        name,
        not_null: false,
        default: None,
        identity: None,
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
        ColumnOption::PrimaryKey(_) => {
            column.not_null = true;
            column.constraints.push(Constraint::PrimaryKey { name, columns: only() });
        }
        ColumnOption::Unique(key) => {
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

/// The collation of a COLLATE.
///
/// Errors: `InvalidValue`.
pub(crate) fn collation(name: &str) -> Result<Collation> {
    let name = name.trim_matches(['"', '[', ']']).to_lowercase();
    if name.ends_with("_ci_ai") || name == "nocase" {
        return Ok(Collation::CaseAccentInsensitive);
    }
    if name.ends_with("_ci_as") {
        return Ok(Collation::CaseInsensitive);
    }
    // By code points: ISO 9075's name, and PostgreSQL's.
    if name == "ucs_basic" || name == "c" {
        return Ok(Collation::Binary);
    }
    Collation::by_name(&name).ok_or_else(|| {
        Error::new(Code::InvalidValue, format!("there is no collation \"{name}\""))
            .hint("there are binary, ci_ai and ci_as")
    })
}

pub(super) fn table_constraint(constraint: &TableConstraint, text: &Text) -> Result<Constraint> {
    let named = |name: &Option<ast::Ident>| name.as_ref().map(|name| Name::simple(name, text));
    Ok(match constraint {
        TableConstraint::PrimaryKey(key) => {
            Constraint::PrimaryKey { name: named(&key.name), columns: index_parts(&key.columns, text)? }
        }
        TableConstraint::Unique(key) => {
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
    })
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

pub(super) fn create_sequence(sequence: Statement, text: &Text) -> Result<CreateSequence> {
    let Statement::CreateSequence { name, if_not_exists, sequence_options, temporary, owned_by, data_type } = sequence
    else {
        return Err(Error::new(Code::Internal, "not a CREATE SEQUENCE"));
    };
    if temporary || owned_by.is_some() {
        return Err(unsupported(if temporary { "CREATE TEMPORARY SEQUENCE" } else { "OWNED BY of a sequence" }));
    }
    let mut steps = steps(&sequence_options)?;
    if let Some(data_type) = data_type {
        let (least, greatest) = bounds_of(&data_type)?;
        let is_outside = |value: Option<i64>| value.is_some_and(|value| !(least..=greatest).contains(&value));
        if is_outside(steps.minimum) || is_outside(steps.maximum) || is_outside(steps.start) {
            return Err(Error::new(Code::InvalidValue, format!("a bound of the sequence is no {data_type}")));
        }
        let is_down = steps.increment < 0;
        steps.minimum = steps.minimum.or(is_down.then_some(least));
        steps.maximum = steps.maximum.or((!is_down).then_some(greatest));
    }
    Ok(CreateSequence { name: Name::of(&name, text)?, if_not_exists, steps })
}

/// The least and the greatest value of a sequence of a type.
pub(super) fn bounds_of(data_type: &ast::DataType) -> Result<(i64, i64)> {
    Ok(match sql_type(data_type, Collation::Binary)? {
        SqlType::TinyInt => (i8::MIN.into(), i8::MAX.into()),
        SqlType::SmallInt => (i16::MIN.into(), i16::MAX.into()),
        SqlType::Integer => (i32::MIN.into(), i32::MAX.into()),
        SqlType::BigInt => (i64::MIN, i64::MAX),
        other => return Err(unsupported(format!("a sequence of {other}"))),
    })
}

fn steps(options: &[SequenceOptions]) -> Result<Steps> {
    let mut steps = Steps::default();
    for option in options {
        match option {
            SequenceOptions::StartWith(value, _) => steps.start = Some(whole(value)?),
            SequenceOptions::IncrementBy(value, _) => steps.increment = whole_step(value)?,
            SequenceOptions::MinValue(value) => steps.minimum = value.as_ref().map(whole).transpose()?,
            SequenceOptions::MaxValue(value) => steps.maximum = value.as_ref().map(whole).transpose()?,
            // The parser's flag says whether NO was there.
            SequenceOptions::Cycle(is_no) => steps.cycle = !is_no,
            // How many values a session takes ahead: here the store decides.
            SequenceOptions::Cache(_) => {}
        }
    }
    Ok(steps)
}

fn whole_step(value: &Expr) -> Result<i64> {
    match whole(value)? {
        0 => Err(Error::new(Code::InvalidValue, "a sequence cannot go on by 0")),
        step => Ok(step),
    }
}

fn whole(value: &Expr) -> Result<i64> {
    let text = value.to_string();
    text.parse().map_err(|_| Error::new(Code::InvalidValue, format!("{text} is not a whole number")))
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
