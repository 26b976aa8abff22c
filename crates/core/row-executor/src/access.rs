//! The choice of an index for a table, from the values that are known when the join reaches that table.

use crate::block::SortKey;
use crate::expression::Expression;
use mainstay_columnar::Comparison;
use mainstay_store::index::Direction;
use mainstay_store::{ColumnDefinition, NativeTable};
use mainstay_types::SqlType;

/// A range of an index: its first columns equal values, and the next one lies between bounds.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) index: usize,
    pub(crate) equal: Vec<Expression>,
    /// The bound, and whether it is part of the range.
    pub(crate) from: Option<(Expression, bool)>,
    pub(crate) to: Option<(Expression, bool)>,
    /// True if at most one row has the key.
    pub(crate) is_point: bool,
    pub(crate) direction: Direction,
}

impl Access {
    /// Returns true if every row of the range satisfies a condition, when the bounds are values of the columns' own
    /// kind: a column of whole numbers or dates that is never NULL, compared with what the range was made of.
    pub(crate) fn settles(
        &self,
        condition: &Expression,
        (table, source): (&NativeTable, usize),
        columns: &[usize],
    ) -> bool {
        let Expression::Compare { op, left, right } = condition else { return false };
        let column = |expression: &Expression| match expression {
            Expression::Column { source: of, column } if *of == source => Some(*column),
            _ => None,
        };
        let (op, column, value) = match (column(left), column(right)) {
            (Some(column), None) => (*op, column, right.as_ref()),
            (None, Some(column)) => (op.mirrored(), column, left.as_ref()),
            _ => return false,
        };
        let is_plain = table.definition().columns.get(column).is_some_and(|column| {
            let is_exact =
                matches!(column.sql_type, SqlType::SmallInt | SqlType::Integer | SqlType::BigInt | SqlType::Date);
            is_exact && !column.nullable
        });
        let Some(place) = columns.iter().position(|known| *known == column).filter(|_| is_plain) else { return false };
        let is_next = place == self.equal.len();
        let is_end = |end: &Option<(Expression, bool)>, inclusive: bool| {
            is_next && end.as_ref().is_some_and(|(known, includes)| known == value && *includes == inclusive)
        };
        match op {
            Comparison::Equal => self.equal.get(place) == Some(value),
            Comparison::GreaterOrEqual => is_end(&self.from, true),
            Comparison::Greater => is_end(&self.from, false),
            Comparison::LessOrEqual => is_end(&self.to, true),
            Comparison::Less => is_end(&self.to, false),
            _ => false,
        }
    }
}

/// A table whose turn it is.
#[derive(Clone, Copy)]
pub(crate) struct Turn<'b> {
    pub(crate) table: &'b NativeTable,
    pub(crate) source: usize,
    /// The tables before it, as bits.
    pub(crate) bound: u32,
    pub(crate) conditions: &'b [&'b Expression],
}

impl Turn<'_> {
    /// The index that binds the most, and how much that is.
    pub(crate) fn best(&self) -> Option<(usize, Access)> {
        let indexes = self.table.indexes();
        let served = (0..indexes.len()).filter_map(|number| self.serve(number));
        served.max_by_key(|(score, _)| *score)
    }

    fn serve(&self, number: usize) -> Option<(usize, Access)> {
        let indexes = self.table.indexes();
        let definition = indexes.get(number)?.definition();
        let mut equal = Vec::new();
        for column in &definition.columns {
            let Some(value) = self.compared(column.column, &[Comparison::Equal]) else { break };
            equal.push(value.clone());
        }
        let next = definition.columns.get(equal.len()).map(|column| column.column);
        let next = next.filter(|next| orders_values(&self.table.definition().columns[*next]));
        let bound = |inclusive: Comparison, exclusive: Comparison| {
            let next = next?;
            let found = self.compared(next, &[inclusive]).map(|value| (value.clone(), true));
            found.or_else(|| self.compared(next, &[exclusive]).map(|value| (value.clone(), false)))
        };
        let from = bound(Comparison::GreaterOrEqual, Comparison::Greater);
        let to = bound(Comparison::LessOrEqual, Comparison::Less);
        let is_point = definition.is_key() && equal.len() == definition.columns.len();
        let ends = usize::from(from.is_some()) + usize::from(to.is_some());
        let score = equal.len() * 4 + ends + usize::from(is_point);
        let access = Access { index: number, equal, from, to, is_point, direction: Direction::Ascending };
        (score > 0).then_some((score, access))
    }

    /// The value that a column of the table is compared with by one of these operators, if it is known by now.
    fn compared(&self, column: usize, ways: &[Comparison]) -> Option<&Expression> {
        let is_column = |expression: &Expression| is_column(expression, self.source, column);
        let is_known = |expression: &Expression| expression.sources() & !self.bound == 0 && !has_results(expression);
        let own = self.table.types().get(column).and_then(|sql_type| sql_type.collation());
        self.conditions.iter().find_map(|condition| {
            let (op, left, right) = match condition {
                Expression::Compare { op, left, right } => (op, left, right),
                // The index of a column that has the collation finds what is equal by it.
                Expression::CompareText { op, left, right, collation } if own == Some(*collation) => (op, left, right),
                _ => return None,
            };
            if ways.contains(op) && is_column(left) && is_known(right) {
                return Some(right.as_ref());
            }
            (ways.contains(&op.mirrored()) && is_column(right) && is_known(left)).then_some(left.as_ref())
        })
    }

    /// The way through an index of the table in this order, given what the index has bound already.
    pub(crate) fn ordered(&self, access: Option<&Access>, order: &[SortKey]) -> Option<Access> {
        match access {
            Some(access) => {
                let direction = self.direction(access.index, access.equal.len(), order)?;
                Some(Access { direction, ..access.clone() })
            }
            None => (0..self.table.indexes().len()).find_map(|index| {
                let direction = self.direction(index, 0, order)?;
                let equal = Vec::new();
                Some(Access { index, equal, from: None, to: None, is_point: false, direction })
            }),
        }
    }

    /// The direction in which the index, behind its first `fixed` columns, has this order.
    fn direction(&self, index: usize, fixed: usize, order: &[SortKey]) -> Option<Direction> {
        let indexes = self.table.indexes();
        let columns = &indexes.get(index)?.definition().columns[fixed..];
        let mut direction = None;
        for (at, key) in order.iter().enumerate() {
            let Some(column) = columns.get(at) else {
                // Rows of one key are in the order of their ids.
                let is_last = at == columns.len() && at + 1 == order.len();
                let is_it = is_last && self.is_row_id(key) && direction != Some(Direction::Descending);
                return is_it.then_some(Direction::Ascending);
            };
            let declared = &self.table.definition().columns[column.column];
            // NULL is the lowest value of an index.
            let nulls_agree = !declared.nullable || key.nulls_first != key.descending;
            if !nulls_agree || !self.is_ordered_by(&key.expression, column.column, declared) {
                return None;
            }
            let wanted = match key.descending == column.descending {
                true => Direction::Ascending,
                false => Direction::Descending,
            };
            if *direction.get_or_insert(wanted) != wanted {
                return None;
            }
        }
        direction
    }

    /// Returns true if an expression orders rows as the keys of an index of a column do.
    fn is_ordered_by(&self, expression: &Expression, number: usize, declared: &ColumnDefinition) -> bool {
        let is_it = |expression: &Expression| matches!(expression, Expression::Column { source, column } if *source == self.source && *column == number);
        match expression {
            Expression::SortKey { text, collation, pads: true } => {
                !declared.blanks_count() && declared.sql_type.collation() == Some(*collation) && is_it(text)
            }
            expression => orders_values(declared) && is_it(expression),
        }
    }

    /// Returns true if rows are ordered by their ids.
    pub(crate) fn is_row_id(&self, key: &SortKey) -> bool {
        let number = self.table.types().len();
        let is_it = |source, column| source == self.source && column == number;
        !key.descending && matches!(key.expression, Expression::Column { source, column } if is_it(source, column))
    }
}

/// Returns true if an expression is this column, perhaps as a number of another type.
fn is_column(expression: &Expression, of: usize, number: usize) -> bool {
    match expression {
        Expression::Column { source, column } => *source == of && *column == number,
        Expression::Cast { expression, to } => {
            !matches!(to, crate::Number::Double) && is_column(expression, of, number)
        }
        _ => false,
    }
}

pub(crate) fn has_results(expression: &Expression) -> bool {
    let mut found = false;
    expression.visit(&mut |part| found |= matches!(part, Expression::Result(_)));
    found
}

/// Returns true if the order of an index's keys is that of the values as comparisons have it.
fn orders_values(column: &ColumnDefinition) -> bool {
    match column.sql_type {
        SqlType::VarBinary { .. } => !column.is_typed(),
        SqlType::VarChar { .. } => column.blanks_count(),
        SqlType::Char { .. } | SqlType::Real | SqlType::Double => false,
        _ => true,
    }
}
