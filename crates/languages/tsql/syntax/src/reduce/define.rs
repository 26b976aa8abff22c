//! CREATE TABLE, ALTER TABLE and CREATE INDEX.
//!
//! A column's type keeps its name (`"mssql:datetime"`); the core maps it to one of its types and stores the name.

use super::index::{create_index, key_columns};
use super::{Reducer, Scope, TableColumn, data_type, literal_value, not_supported, quoted, refusals, table_expression};
use crate::tree::{
    AlterTableAction, Column, ColumnKind, ColumnProperty, Constraint, ConstraintKind, DropElement, Expr, ForeignKey,
    KeyKind, Literal, Name, ReferentialAction, TableElement, UnaryOperator,
};
use mainstay_tsql_types::types::Declared;
use mainstay_tsql_types::{DataType, Message, Switches};
use std::borrow::Cow;

/// The statements that make a table; `table` is the core's name, quoted.
///
/// Errors: those of types and expressions; 40515 for what tables of the core do not have.
pub fn create_table(
    table: &str,
    elements: &[TableElement],
    temporary: bool,
    scope: &dyn Scope,
) -> Result<Vec<String>, Message> {
    let mut parts = Vec::new();
    let mut indexes = Vec::new();
    let columns = stored_columns(elements, scope)?;
    for (place, element) in elements.iter().enumerate() {
        match element {
            TableElement::Column(column) => {
                parts.push(self::column(column, place, &columns, scope)?);
                parts.extend(constraints_of(table, column, scope)?);
                indexes.extend(column.properties.iter().filter_map(|property| match property {
                    ColumnProperty::Index(index) => Some((index, Some(&column.name))),
                    _ => None,
                }));
            }
            TableElement::Constraint(constraint) => parts.extend(self::constraint(table, constraint, None, scope)?),
            TableElement::Index(index) => indexes.push((index, None)),
            TableElement::Period(..) => return Err(not_supported(refusals::PERIOD)),
        }
    }
    let word = if temporary { "CREATE TEMPORARY TABLE" } else { "CREATE TABLE" };
    let mut statements = row_versions(&columns);
    statements.push(format!("{word} {table} ({})", parts.join(", ")));
    for (index, column) in indexes {
        let mut index = index.clone();
        if let (true, Some(column)) = (index.columns.is_empty(), column) {
            index.columns.push((column.clone(), None));
        }
        statements.push(create_index(&index, table)?);
    }
    Ok(statements)
}

/// The sequence that all row versions of a database come from.
pub const ROW_VERSIONS: &str = "sys.mainstay_row_versions";

/// The prefix of a session function's name in the definition of a table.
pub const SESSION_CALL: &str = "sys.session:";

/// The statements that create that sequence, if a table has a row version.
fn row_versions(columns: &[(String, DataType)]) -> Vec<String> {
    match columns.iter().any(|(_, data_type)| *data_type == DataType::RowVersion) {
        true => vec![
            "CREATE SCHEMA IF NOT EXISTS sys".to_owned(),
            format!("CREATE SEQUENCE IF NOT EXISTS {ROW_VERSIONS} START WITH 2001"),
        ],
        false => Vec::new(),
    }
}

/// The statements that change a table, which has these columns.
///
/// Errors: as [`create_table`].
pub fn alter_table(
    table: &str,
    action: &AlterTableAction,
    known: &[TableColumn],
    scope: &dyn Scope,
) -> Result<Vec<String>, Message> {
    match action {
        AlterTableAction::Add(with_check, elements) => {
            let columns = stored_columns(elements, scope)?;
            let mut statements = row_versions(&columns);
            // The columns that a computed column may name.
            let all: Vec<_> =
                known.iter().map(|it| (it.name.clone(), it.data_type)).chain(columns.iter().cloned()).collect();
            for (place, element) in elements.iter().enumerate() {
                match element {
                    TableElement::Column(column) => {
                        let (column, default) = without_late_default(column, scope);
                        let text = self::column(&column, place, &all, scope)?;
                        statements.push(format!("ALTER TABLE {table} ADD COLUMN {text}"));
                        if let Some(value) = default {
                            let own = columns.iter().find(|(name, _)| column.name.is(name)).map(|(_, of)| *of);
                            let (name, value) = (quoted(&column.name.text), default_text(value, own, scope)?);
                            statements.push(format!("ALTER TABLE {table} ALTER COLUMN {name} SET DEFAULT {value}"));
                        }
                        let column = &*column;
                        for text in constraints_of(table, column, scope)? {
                            statements.push(format!("ALTER TABLE {table} ADD {text}"));
                        }
                    }
                    TableElement::Constraint(Constraint {
                        kind: ConstraintKind::Default(value, Some(column), _),
                        ..
                    }) => {
                        let is_it = |known: &&TableColumn| known.name.eq_ignore_ascii_case(&column.text);
                        let of_table = known.iter().find(is_it).map(|known| known.data_type);
                        let of_new =
                            || columns.iter().find(|(name, _)| column.is(name)).map(|(_, data_type)| *data_type);
                        let value = default_text(value, of_table.or_else(of_new), scope)?;
                        let column = quoted(&column.text);
                        statements.push(format!("ALTER TABLE {table} ALTER COLUMN {column} SET DEFAULT {value}"));
                    }
                    TableElement::Constraint(constraint) => {
                        if let Some(text) = self::constraint(table, constraint, None, scope)? {
                            statements.extend(added(table, &text, constraint, *with_check == Some(false)));
                        }
                    }
                    TableElement::Index(index) => statements.push(create_index(index, table)?),
                    TableElement::Period(..) => return Err(not_supported(refusals::PERIOD)),
                }
            }
            Ok(statements)
        }
        AlterTableAction::Drop(elements) => Ok(elements.iter().map(|element| dropped(table, element)).collect()),
        AlterTableAction::CheckConstraint(with_check, enable, names) => {
            let word = match (enable, with_check) {
                (false, _) => "DISABLE",
                (true, Some(true)) => "ENABLE",
                // Rows that are there are not looked at unless the statement says so.
                (true, _) => "ENABLE NOVALIDATE",
            };
            let switch = |name: &str| format!("ALTER TABLE {table} {word} CONSTRAINT {name}");
            match names.is_empty() {
                true => Ok(vec![switch("ALL")]),
                false => Ok(names.iter().map(|name| switch(&quoted(&name.text))).collect()),
            }
        }
        // They are the database's.
        AlterTableAction::Trigger(..) => Ok(Vec::new()),
        AlterTableAction::AlterColumn(column, _) => alter_column(table, column, scope),
        AlterTableAction::AlterProperty(..) => Err(not_supported("ALTER COLUMN ADD or DROP of a property")),
        AlterTableAction::Words(_) => Ok(Vec::new()),
    }
}

/// A new column without its default, and that: the rows that are there have NULL in a column that takes it, unless the
/// default is WITH VALUES.
fn without_late_default<'c>(column: &'c Column, scope: &dyn Scope) -> (Cow<'c, Column>, Option<&'c Expr>) {
    let is_not_null = column.properties.iter().any(|property| match property {
        ColumnProperty::Nullable(nullable) => !nullable,
        ColumnProperty::Constraint(constraint) => matches!(&constraint.kind, ConstraintKind::Key(_)),
        _ => false,
    });
    let is_not_null =
        is_not_null || matches!(&column.kind, ColumnKind::Stored(declared) if scope.is_not_null_type(&declared.name));
    let default = column.properties.iter().find_map(|property| match property {
        ColumnProperty::Constraint(Constraint { kind: ConstraintKind::Default(value, _, false), .. }) => Some(value),
        _ => None,
    });
    let Some(value) = default.filter(|_| !is_not_null) else { return (Cow::Borrowed(column), None) };
    let mut bare = column.clone();
    bare.properties.retain(|property| {
        !matches!(property, ColumnProperty::Constraint(Constraint { kind: ConstraintKind::Default(..), .. }))
    });
    (Cow::Owned(bare), Some(value))
}

/// ADD of a constraint. WITH NOCHECK, those that are there need not keep to it.
fn added(table: &str, text: &str, constraint: &Constraint, unchecked: bool) -> Vec<String> {
    let is_checked = matches!(constraint.kind, ConstraintKind::Check(..) | ConstraintKind::ForeignKey(..));
    match &constraint.name {
        Some(name) if unchecked && is_checked => vec![
            format!("ALTER TABLE {table} ADD {text} NOT ENFORCED"),
            format!("ALTER TABLE {table} ENABLE NOVALIDATE CONSTRAINT {}", quoted(&name.text)),
        ],
        // The dialect looks at the rows itself, and says what it found in its own words.
        _ if matches!(constraint.kind, ConstraintKind::Check(..)) => {
            vec![format!("ALTER TABLE {table} ADD {text} NOT VALID")]
        }
        _ => vec![format!("ALTER TABLE {table} ADD {text}")],
    }
}

fn dropped(table: &str, element: &DropElement) -> String {
    let exists = if element.if_exists { "IF EXISTS " } else { "" };
    let kind = if element.column == Some(true) { "COLUMN" } else { "CONSTRAINT" };
    format!("ALTER TABLE {table} DROP {kind} {exists}{}", quoted(&element.name.text))
}

fn alter_column(table: &str, column: &Column, scope: &dyn Scope) -> Result<Vec<String>, Message> {
    let ColumnKind::Stored(declared) = &column.kind else { return Err(not_supported("ALTER COLUMN of this form")) };
    let name = quoted(&column.name.text);
    let data_type = column_type(column, declared, 1, scope)?;
    let mut statements =
        vec![format!("ALTER TABLE {table} ALTER COLUMN {name} SET DATA TYPE {}", type_name(data_type))];
    let nullable = column.properties.iter().find_map(|property| match property {
        ColumnProperty::Nullable(nullable) => Some(*nullable),
        _ => None,
    });
    let word = if nullable.unwrap_or_else(|| takes_null(declared, scope)) { "DROP" } else { "SET" };
    statements.push(format!("ALTER TABLE {table} ALTER COLUMN {name} {word} NOT NULL"));
    Ok(statements)
}

/// Returns true if a column of this type takes NULL that says neither NULL nor NOT NULL.
fn takes_null(declared: &crate::tree::DataType, scope: &dyn Scope) -> bool {
    match scope.user_type(&declared.name) {
        Some(_) => !scope.is_not_null_type(&declared.name),
        None => scope.settings().has(Switches::ANSI_NULL_DFLT_ON),
    }
}

/// The columns with a type of their own: what computed columns may name.
fn stored_columns(elements: &[TableElement], scope: &dyn Scope) -> Result<Vec<(String, DataType)>, Message> {
    let mut columns = Vec::new();
    for (place, element) in elements.iter().enumerate() {
        let TableElement::Column(column) = element else { continue };
        match &column.kind {
            ColumnKind::Stored(declared) => {
                let data_type = column_type(column, declared, place as u32 + 1, scope)?;
                columns.push((column.name.text.clone(), data_type));
            }
            ColumnKind::Timestamp => columns.push((column.name.text.clone(), DataType::RowVersion)),
            ColumnKind::Computed(_) => {}
        }
    }
    Ok(columns)
}

/// The types of the columns of a table that is to be made, by their names. Computed columns are not among them.
///
/// Errors: those of types.
pub fn column_types(elements: &[TableElement], scope: &dyn Scope) -> Result<Vec<(String, DataType)>, Message> {
    stored_columns(elements, scope)
}

/// The types of all columns of a table that is to be made, by their names.
///
/// Errors: those of types, and of the expressions of computed columns.
pub fn row_types(elements: &[TableElement], scope: &dyn Scope) -> Result<Vec<(String, DataType)>, Message> {
    let stored = stored_columns(elements, scope)?;
    let columns = elements.iter().filter_map(|element| match element {
        TableElement::Column(column) => Some(column),
        _ => None,
    });
    let own = |column: &Column| {
        let data_type = match &column.kind {
            ColumnKind::Computed(value) => {
                scope.expression_type(&over_columns(&table_expression(value, scope)?, &stored))?
            }
            _ => {
                let known = stored.iter().find(|(name, _)| name.eq_ignore_ascii_case(&column.name.text));
                known.map(|(_, data_type)| *data_type).ok_or_else(|| not_supported(refusals::UNTYPED_COLUMN))?
            }
        };
        Ok((column.name.text.clone(), data_type))
    };
    columns.map(|column| own(column)).collect()
}

/// The type of a column that is declared at this place, from 1: in the code page of the collation that it is given.
///
/// Errors: those of types, and 448 for an unknown collation.
pub fn column_type(
    column: &Column,
    declared: &crate::tree::DataType,
    place: u32,
    scope: &dyn Scope,
) -> Result<DataType, Message> {
    let data_type = data_type(declared, Declared::Column(place, &column.name.text), scope)?;
    let Some(name) = column.collation() else { return Ok(data_type) };
    super::collation(&name.text)?;
    Ok(data_type.in_page(mainstay_tsql_types::collation::code_page(&name.text)))
}

/// A type as the name of the core's.
pub fn type_name(data_type: DataType) -> String {
    quoted(&format!("mssql:{data_type}"))
}

fn column(column: &Column, place: usize, columns: &[(String, DataType)], scope: &dyn Scope) -> Result<String, Message> {
    let name = quoted(&column.name.text);
    let data_type = match &column.kind {
        ColumnKind::Stored(declared) => column_type(column, declared, place as u32 + 1, scope)?,
        ColumnKind::Timestamp => DataType::RowVersion,
        ColumnKind::Computed(value) => {
            let value = table_expression(value, scope)?;
            let data_type = scope.expression_type(&over_columns(&value, columns))?;
            let takes_null = !column.properties.contains(&ColumnProperty::Nullable(false));
            let null = if takes_null { "" } else { " NOT NULL" };
            return Ok(format!("{name} {} GENERATED ALWAYS AS ({value}) STORED{null}", type_name(data_type)));
        }
    };
    let mut text = format!("{name} {}", type_name(data_type));
    if data_type == DataType::RowVersion {
        // A row that changes gets a new one by the statement.
        text.push_str(&format!(" DEFAULT (\"mssql:cast:binary(8)\"(nextval('{ROW_VERSIONS}')))"));
    }
    let says_null = column.properties.iter().any(|property| matches!(property, ColumnProperty::Nullable(_)));
    if let ColumnKind::Stored(declared) = &column.kind
        && !says_null
        && !takes_null(declared, scope)
    {
        text.push_str(" NOT NULL");
    }
    for property in &column.properties {
        match property {
            ColumnProperty::Nullable(false) => text.push_str(" NOT NULL"),
            ColumnProperty::Collate(collation) => {
                let by = super::collation(&collation.text)?;
                text.push_str(&format!(" COLLATE \"{}\"", by.name()));
            }
            ColumnProperty::Identity(steps) => {
                let (seed, increment) = match steps {
                    Some((seed, increment)) => (whole(seed)?, whole(increment)?),
                    None => (1, 1),
                };
                // RESEED may begin anywhere.
                let bound =
                    if increment < 0 { "MAXVALUE 9223372036854775807" } else { "MINVALUE -9223372036854775808" };
                text.push_str(&format!(
                    " GENERATED BY DEFAULT AS IDENTITY (START WITH {seed} INCREMENT BY {increment} {bound})"
                ));
            }
            ColumnProperty::Constraint(Constraint { kind: ConstraintKind::Default(value, ..), .. }) => {
                text.push_str(&format!(" DEFAULT {}", default_text(value, Some(data_type), scope)?));
            }
            _ => {}
        }
    }
    Ok(text)
}

/// A query that gives an expression over columns of these types, of no row.
fn over_columns(value: &str, columns: &[(String, DataType)]) -> String {
    if columns.is_empty() {
        return format!("SELECT {value} AS c");
    }
    let columns: Vec<String> = columns
        .iter()
        .map(|(name, data_type)| format!("\"mssql:cast:{data_type}\"(NULL) AS {}", quoted(name)))
        .collect();
    format!("SELECT {value} AS c FROM (SELECT {}) AS t", columns.join(", "))
}

/// A default for a column of this type. What is not of that type at sight is converted to it when a row takes it.
fn default_text(value: &Expr, to: Option<DataType>, scope: &dyn Scope) -> Result<String, Message> {
    let text = table_expression(value, scope)?;
    Ok(match to {
        _ if text == "NULL" => text,
        Some(to) if !is_of_type(value, to) => format!("(\"mssql:assign:{to}\"({text}))"),
        _ => format!("({text})"),
    })
}

/// Returns true if a constant needs no conversion to be of a type.
fn is_of_type(value: &Expr, to: DataType) -> bool {
    let Expr::Literal(literal) = value else { return false };
    let Ok(Some((data_type, _))) = literal_value(literal) else { return false };
    let is_whole = |data_type| matches!(data_type, DataType::SmallInt | DataType::Int | DataType::BigInt);
    let fits = || match (data_type.limit(), to.limit()) {
        (_, None) => true,
        (Some(from), Some(to)) => from <= to,
        (None, Some(_)) => false,
    };
    data_type == to || is_whole(data_type) && is_whole(to) || data_type.is_text() && to.is_text() && fits()
}

/// The constraints that stand with a column.
fn constraints_of(table: &str, column: &Column, scope: &dyn Scope) -> Result<Vec<String>, Message> {
    let mut texts = Vec::new();
    for property in &column.properties {
        if let ColumnProperty::Constraint(constraint) = property {
            texts.extend(self::constraint(table, constraint, Some(&column.name), scope)?);
        }
    }
    Ok(texts)
}

fn constraint(
    table: &str,
    constraint: &Constraint,
    column: Option<&Name>,
    scope: &dyn Scope,
) -> Result<Option<String>, Message> {
    let name = match &constraint.name {
        Some(name) => name.text.clone(),
        None => super::constraint_names::made_up(table, constraint, column, scope.salt()),
    };
    let name = format!("CONSTRAINT {} ", quoted(&name));
    Ok(Some(match &constraint.kind {
        ConstraintKind::Default(..) => return Ok(None),
        ConstraintKind::Key(index) => {
            let word = if index.key == KeyKind::Primary { "PRIMARY KEY" } else { "UNIQUE NULLS NOT DISTINCT" };
            let columns = match (index.columns.is_empty(), column) {
                (true, Some(column)) => quoted(&column.text),
                _ => key_columns(index),
            };
            format!("{name}{word} ({columns})")
        }
        ConstraintKind::Check(_, condition) => format!("{name}CHECK ({})", table_expression(condition, scope)?),
        ConstraintKind::ForeignKey(key) => format!("{name}{}", foreign_key(key, column, scope)?),
    }))
}

fn foreign_key(key: &ForeignKey, column: Option<&Name>, scope: &dyn Scope) -> Result<String, Message> {
    let list = |names: &[Name]| names.iter().map(|name| quoted(&name.text)).collect::<Vec<_>>().join(", ");
    let own = match (key.columns.is_empty(), column) {
        (true, Some(column)) => quoted(&column.text),
        _ => list(&key.columns),
    };
    let mut text = format!("FOREIGN KEY ({own}) REFERENCES {}", scope.table(&key.table)?);
    if !key.referenced.is_empty() {
        text.push_str(&format!(" ({})", list(&key.referenced)));
    }
    for (word, action) in [("DELETE", key.on_delete), ("UPDATE", key.on_update)] {
        let Some(action) = action else { continue };
        let action = match action {
            ReferentialAction::NoAction => "NO ACTION",
            ReferentialAction::Cascade => "CASCADE",
            ReferentialAction::SetNull => "SET NULL",
            ReferentialAction::SetDefault => "SET DEFAULT",
        };
        text.push_str(&format!(" ON {word} {action}"));
    }
    Ok(text)
}

/// A whole number with its sign, from the least BIGINT on, as IDENTITY and sequences have it. Digits beyond INT are a
/// DECIMAL literal.
pub fn whole_number(value: &Expr) -> Option<i64> {
    let digits = |value: &Expr| match value {
        Expr::Literal(Literal::Integer(digits) | Literal::Decimal(digits)) => digits.parse::<i128>().ok(),
        _ => None,
    };
    let number = match value {
        Expr::Unary(UnaryOperator::Minus, inner) => digits(inner)?.checked_neg()?,
        Expr::Unary(UnaryOperator::Plus, inner) => digits(inner)?,
        other => digits(other)?,
    };
    i64::try_from(number).ok()
}

fn whole(value: &Expr) -> Result<i64, Message> {
    whole_number(value).ok_or_else(|| not_supported("IDENTITY with other than whole numbers"))
}

impl Reducer<'_> {
    /// A function of the session in the definition of a table: asked again for each row's statement, those that tell the time
    /// and those that tell names.
    pub(super) fn in_definition(&mut self, name: &str, data_type: DataType) -> Result<(), Message> {
        if let Some(moment) = super::momentary::in_definition(name) {
            self.push(&moment);
            return Ok(());
        }
        match name {
            // The session that writes the row is asked.
            "host_name" | "app_name" | "suser_name" | "suser_sname" | "original_login" | "user_name"
            | "session_user" => {
                self.of_session(name, data_type);
            }
            "current_user" | "user" => self.of_session("user_name", data_type),
            "system_user" => self.of_session("suser_sname", data_type),
            "schema_name" => self.typed(data_type, "'dbo'"),
            _ => return Err(not_supported("This function in the definition of a table")),
        }
        Ok(())
    }

    fn of_session(&mut self, name: &str, data_type: DataType) {
        self.open(&format!("stored:{data_type}:{SESSION_CALL}{name}"));
        self.push(")");
    }
}
