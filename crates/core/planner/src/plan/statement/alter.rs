//! ALTER TABLE: the common changes.

use super::define::{collated_type, column, table_constraint};
use super::{ColumnClause, Constraint, Name, unsupported};
use crate::parse::text::Text;
use crate::types::sql_types::collation;
use datafusion::sql::sqlparser::ast::{self, AlterColumnOperation, AlterTableOperation, RenameTableNameKind};
use mainstay_types::{Result, SqlType};

/// ALTER TABLE.
#[derive(Clone, Debug, PartialEq)]
pub struct AlterTable {
    /// The table.
    pub table: Name,
    /// Not an error when it is not there.
    pub if_exists: bool,
    /// The changes, in order.
    pub changes: Vec<Alteration>,
}

/// True if rows must keep to a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enabled {
    /// No: DISABLE.
    No,
    /// Those to come: ENABLE NOVALIDATE.
    FromNowOn,
    /// All, also those that are there: ENABLE.
    Yes,
}

/// A change of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Alteration {
    /// ADD COLUMN.
    AddColumn {
        /// The column.
        clause: Box<ColumnClause>,
        /// Not an error when it is there.
        if_not_exists: bool,
    },
    /// DROP COLUMN.
    DropColumn {
        /// The column.
        name: Name,
        /// Not an error when it is not there.
        if_exists: bool,
    },
    /// RENAME COLUMN.
    RenameColumn {
        /// Its name until now.
        from: Name,
        /// Its name from now on.
        to: Name,
    },
    /// RENAME TO.
    Rename(Name),
    /// ADD CONSTRAINT.
    AddConstraint {
        /// The constraint.
        constraint: Constraint,
        /// NOT VALID: the rows that are there need not keep to it.
        not_valid: bool,
    },
    /// DROP CONSTRAINT.
    DropConstraint {
        /// Its name.
        name: Name,
        /// Not an error when it is not there.
        if_exists: bool,
    },
    /// ENABLE or DISABLE CONSTRAINT.
    Enable {
        /// Which one; `None` for all checks and references of the table.
        name: Option<Name>,
        /// Its new state.
        enabled: Enabled,
    },
    /// ALTER COLUMN ... SET or DROP NOT NULL.
    SetNotNull {
        /// The column.
        column: Name,
        /// SET, or DROP.
        not_null: bool,
    },
    /// RENAME CONSTRAINT.
    RenameConstraint {
        /// Its name until now.
        from: Name,
        /// Its name from now on.
        to: Name,
    },
    /// ALTER COLUMN ... TYPE.
    SetType(Box<SetType>),
    /// ALTER COLUMN ... SET or DROP DEFAULT.
    SetDefault {
        /// The column.
        column: Name,
        /// The text of the expression; `None` for DROP.
        default: Option<String>,
    },
}

/// ALTER COLUMN ... [SET DATA] TYPE ... [COLLATE ...] [USING ...].
#[derive(Clone, Debug, PartialEq)]
pub struct SetType {
    /// The column.
    pub column: Name,
    /// Its new type.
    pub sql_type: SqlType,
    /// The declared name of the type, where that says more.
    pub declared: Option<String>,
    /// The text of the expression that makes the new values; `None` to convert the old ones as an assignment does.
    pub using: Option<String>,
}

pub(super) fn alter_table(alter: ast::AlterTable, text: &Text) -> Result<AlterTable> {
    let mut changes = Vec::new();
    for operation in &alter.operations {
        alteration(operation, text, &mut changes)?;
    }
    Ok(AlterTable { table: Name::of(&alter.name, text)?, if_exists: alter.if_exists, changes })
}

fn alteration(operation: &AlterTableOperation, text: &Text, changes: &mut Vec<Alteration>) -> Result<()> {
    changes.push(match operation {
        AlterTableOperation::AddColumn { column_def, column_position: None, if_not_exists, .. } => {
            Alteration::AddColumn { clause: Box::new(column(column_def, text)?), if_not_exists: *if_not_exists }
        }
        AlterTableOperation::DropColumn { column_names, if_exists, .. } => {
            let dropped = |name| Alteration::DropColumn { name: Name::simple(name, text), if_exists: *if_exists };
            changes.extend(column_names.iter().map(dropped));
            return Ok(());
        }
        AlterTableOperation::RenameColumn { old_column_name, new_column_name } => Alteration::RenameColumn {
            from: Name::simple(old_column_name, text),
            to: Name::simple(new_column_name, text),
        },
        AlterTableOperation::RenameTable { table_name } => {
            let (RenameTableNameKind::To(name) | RenameTableNameKind::As(name)) = table_name;
            Alteration::Rename(Name::of(name, text)?)
        }
        AlterTableOperation::AddConstraint { constraint, not_valid } => {
            Alteration::AddConstraint { constraint: table_constraint(constraint, text)?, not_valid: *not_valid }
        }
        AlterTableOperation::RenameConstraint { old_name, new_name } => {
            Alteration::RenameConstraint { from: Name::simple(old_name, text), to: Name::simple(new_name, text) }
        }
        AlterTableOperation::DropConstraint { name, if_exists, .. } => {
            Alteration::DropConstraint { name: Name::simple(name, text), if_exists: *if_exists }
        }
        AlterTableOperation::ValidateConstraint { name } => {
            Alteration::Enable { name: Some(Name::simple(name, text)), enabled: Enabled::Yes }
        }
        // `grammar` rewrites ENABLE and DISABLE CONSTRAINT so.
        AlterTableOperation::DisableTrigger { name } => enable(name, Enabled::No, text),
        AlterTableOperation::EnableTrigger { name } => enable(name, Enabled::Yes, text),
        AlterTableOperation::EnableReplicaTrigger { name } => enable(name, Enabled::FromNowOn, text),
        AlterTableOperation::AlterColumn { column_name, op } => alter_column(Name::simple(column_name, text), op)?,
        other => return Err(unsupported(format!("ALTER TABLE ... {other}"))),
    });
    Ok(())
}

fn enable(name: &ast::Ident, enabled: Enabled, text: &Text) -> Alteration {
    let is_all = name.quote_style.is_none() && name.value.eq_ignore_ascii_case("all");
    Alteration::Enable { name: (!is_all).then(|| Name::simple(name, text)), enabled }
}

fn alter_column(column: Name, operation: &AlterColumnOperation) -> Result<Alteration> {
    Ok(match operation {
        AlterColumnOperation::SetNotNull => Alteration::SetNotNull { column, not_null: true },
        AlterColumnOperation::DropNotNull => Alteration::SetNotNull { column, not_null: false },
        AlterColumnOperation::SetDefault { value } => {
            Alteration::SetDefault { column, default: Some(value.to_string()) }
        }
        AlterColumnOperation::DropDefault => Alteration::SetDefault { column, default: None },
        AlterColumnOperation::SetDataType { data_type, using, .. } => {
            Alteration::SetType(Box::new(set_type(column, data_type, using.as_ref())?))
        }
        other => return Err(unsupported(format!("ALTER COLUMN ... {other}"))),
    })
}

/// The new type of a column. What `grammar` makes of its COLLATE stands behind the values.
fn set_type(column: Name, data_type: &ast::DataType, using: Option<&ast::Expr>) -> Result<SetType> {
    let (using, collation) = match using {
        Some(ast::Expr::Collate { expr, collation: name }) => {
            (Some(expr.as_ref()), Some(collation(&name.to_string())?))
        }
        using => (using, None),
    };
    let sql_type =
        collated_type(data_type, collation).map_err(|error| error.at(format!("column {}", column.written)))?;
    let is_itself = |using: &&ast::Expr| matches!(using, ast::Expr::Identifier(name) if name.value == column.key);
    let using = using.filter(|using| !is_itself(using)).map(ToString::to_string);
    let declared = crate::dialect::declared(data_type).or_else(|| crate::types::declared::declared_name(data_type));
    Ok(SetType { column, sql_type, declared, using })
}
