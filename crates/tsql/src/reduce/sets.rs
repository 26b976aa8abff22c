//! The SET of an UPDATE: which columns and which variables become what.
//!
//! Methods of columns have become plain assignments before ([`super::xml::without_methods`]).

use super::{TableColumn, not_supported};
use crate::tree::{AssignOperator, BinaryOperator, Expr, ObjectName, SetItem};
use mainstay_mssql::{DataType, Message};

/// `column = value`, perhaps with an operator.
pub(super) struct Set<'c> {
    pub(super) name: String,
    pub(super) operator: Option<BinaryOperator>,
    pub(super) value: &'c Expr,
    pub(super) data_type: Option<DataType>,
}

/// What a variable is set to.
pub(super) enum VariableValue<'c> {
    Column(String),
    Expression(&'c Expr),
}

/// What an UPDATE sets.
pub(super) struct Sets<'c> {
    pub(super) columns: Vec<Set<'c>>,
    pub(super) variables: Vec<(String, VariableValue<'c>)>,
}

impl<'c> Sets<'c> {
    /// Those of these items, for a table with these columns.
    pub(super) fn of(items: &'c [SetItem], columns: Option<&[TableColumn]>) -> Result<Sets<'c>, Message> {
        let mut sets = Sets { columns: Vec::new(), variables: Vec::new() };
        for item in items {
            match item {
                SetItem::Column(name, operator, value) => sets.column(name, *operator, value, columns)?,
                SetItem::Both(variable, name, operator, value) => {
                    sets.column(name, *operator, value, columns)?;
                    sets.variables.push((variable.text.clone(), VariableValue::Column(name.last().to_owned())));
                }
                SetItem::Variable(variable, AssignOperator::Set, value) => {
                    sets.variables.push((variable.text.clone(), VariableValue::Expression(value)));
                }
                SetItem::Variable(..) => return Err(not_supported("UPDATE with a compound assignment of a variable")),
                SetItem::Method(..) => return Err(not_supported("A method of a column")),
            }
        }
        Ok(sets)
    }

    fn column(
        &mut self,
        name: &ObjectName,
        operator: AssignOperator,
        value: &'c Expr,
        columns: Option<&[TableColumn]>,
    ) -> Result<(), Message> {
        let found = columns.map(|columns| columns.iter().find(|column| column.name.eq_ignore_ascii_case(name.last())));
        if let Some(None) = found {
            return Err(Message::error(207, format!("Invalid column name '{}'.", name.last())));
        }
        if found.flatten().is_some_and(|column| column.is_identity) {
            return Err(Message::error(8102, format!("Cannot update identity column '{}'.", name.last())));
        }
        if self.columns.iter().any(|set| set.name.eq_ignore_ascii_case(name.last())) {
            return Err(super::change::set_twice(name.last()));
        }
        let data_type = found.flatten().map(|column| column.data_type);
        let operator = compound(operator);
        self.columns.push(Set { name: name.last().to_owned(), operator, value, data_type });
        Ok(())
    }
}

/// The operator of a compound assignment.
pub fn compound(operator: AssignOperator) -> Option<BinaryOperator> {
    Some(match operator {
        AssignOperator::Set => return None,
        AssignOperator::Add => BinaryOperator::Add,
        AssignOperator::Subtract => BinaryOperator::Subtract,
        AssignOperator::Multiply => BinaryOperator::Multiply,
        AssignOperator::Divide => BinaryOperator::Divide,
        AssignOperator::Modulo => BinaryOperator::Modulo,
        AssignOperator::BitAnd => BinaryOperator::BitAnd,
        AssignOperator::BitOr => BinaryOperator::BitOr,
        AssignOperator::BitXor => BinaryOperator::BitXor,
        AssignOperator::Concatenate => BinaryOperator::Concatenate,
    })
}
