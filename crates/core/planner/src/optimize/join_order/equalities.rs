//! Columns that inner joins require to be equal, in classes: of `a = b AND b = c` all three.
//!
//! An order in which `a` is joined with `c` before `b` needs the equality of these two, which follows from the others. Only
//! plain columns of numbers and dates of one type have such consequences; other equalities are classes of two.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Column, DFSchema};
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};

/// A column of an input.
pub(super) type InputColumn = (usize, Column);

/// Columns that are equal to each other.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Class {
    pub(super) columns: Vec<InputColumn>,
    /// True if equalities follow from others.
    is_transitive: bool,
}

impl Class {
    fn has(&self, column: &InputColumn) -> bool {
        self.columns.contains(column)
    }
}

/// All classes of the joins.
#[derive(Clone, Debug, Default)]
pub(super) struct Equalities {
    pub(super) classes: Vec<Class>,
    /// The equalities that the statement has.
    written: Vec<(InputColumn, InputColumn)>,
}

impl Equalities {
    /// Adds an equality of columns of two inputs; `is_transitive` is false where they are compared in another type.
    pub(super) fn add(&mut self, left: InputColumn, right: InputColumn, is_transitive: bool) {
        self.written.push((left.clone(), right.clone()));
        let mut class = Class { columns: vec![left, right], is_transitive };
        if is_transitive {
            let is_joined = |other: &Class| other.is_transitive && class.columns.iter().any(|column| other.has(column));
            let (joined, others): (Vec<Class>, Vec<Class>) = self.classes.drain(..).partition(is_joined);
            for column in joined.into_iter().flat_map(|class| class.columns) {
                if !class.has(&column) {
                    class.columns.push(column);
                }
            }
            self.classes = others;
        }
        self.classes.push(class);
    }

    /// The equalities that an order of the inputs needs and the statement does not have.
    pub(super) fn implied(&self, order: &[usize]) -> Vec<Expr> {
        let mut implied = Vec::new();
        for (place, input) in order.iter().enumerate() {
            let before = &order[..place];
            for class in self.classes.iter().filter(|class| class.is_transitive) {
                let own = class.columns.iter().find(|(of, _)| of == input);
                let other = class.columns.iter().find(|(of, _)| before.contains(of));
                if let (Some(own), Some(other)) = (own, other)
                    && !self.has_written(class, *input, before)
                {
                    implied.push(Expr::Column(other.1.clone()).eq(Expr::Column(own.1.clone())));
                }
            }
        }
        implied
    }

    /// Returns true if the statement has an equality of this class between an input and one of those before it.
    fn has_written(&self, class: &Class, input: usize, before: &[usize]) -> bool {
        self.written.iter().any(|(left, right)| {
            let links = |a: &InputColumn, b: &InputColumn| a.0 == input && before.contains(&b.0);
            class.has(left) && (links(left, right) || links(right, left))
        })
    }
}

/// The columns of an equality of two columns, and true if other equalities may follow from it.
pub(super) fn equal_columns(condition: &Expr) -> Option<(&Column, &Column, bool)> {
    let Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) = condition else { return None };
    let is_plain = |expr: &Expr| matches!(expr, Expr::Column(_));
    Some((column_of(left)?, column_of(right)?, is_plain(left) && is_plain(right)))
}

/// The column of an expression that only converts it.
pub(super) fn column_of(expr: &Expr) -> Option<&Column> {
    match expr {
        Expr::Column(column) => Some(column),
        Expr::Cast(cast) => column_of(&cast.expr),
        Expr::Alias(alias) => column_of(&alias.expr),
        _ => None,
    }
}

/// Returns true if equality of the columns is that of numbers or dates of one type.
pub(super) fn are_alike(left: (&DFSchema, &Column), right: (&DFSchema, &Column)) -> bool {
    let data_type = |(schema, column): (&DFSchema, &Column)| {
        schema.qualified_field_from_column(column).ok().map(|(_, field)| field.data_type().clone())
    };
    let is_exact = |data_type: &DataType| {
        data_type.is_integer() || matches!(data_type, DataType::Date32 | DataType::Decimal128(_, _))
    };
    data_type(left).is_some_and(|of_left| is_exact(&of_left) && data_type(right) == Some(of_left))
}

#[cfg(test)]
mod tests {
    use super::*;
    use datafusion::logical_expr::col;

    fn column(input: usize, name: &str) -> InputColumn {
        (input, Column::from_name(name))
    }

    #[test]
    fn an_equality_that_follows_is_added_where_the_order_needs_it() {
        let mut equalities = Equalities::default();
        equalities.add(column(0, "a"), column(1, "b"), true);
        equalities.add(column(1, "b"), column(2, "c"), true);
        assert_eq!(equalities.classes.len(), 1);
        assert_eq!(equalities.implied(&[0, 1, 2]), []);
        assert_eq!(equalities.implied(&[0, 2, 1]), [col("a").eq(col("c"))]);
    }

    #[test]
    fn equalities_in_another_type_have_no_consequences() {
        let mut equalities = Equalities::default();
        equalities.add(column(0, "a"), column(1, "b"), true);
        equalities.add(column(1, "b"), column(2, "c"), false);
        assert_eq!(equalities.classes.len(), 2);
        assert_eq!(equalities.implied(&[0, 2, 1]), []);
    }

    #[test]
    fn equal_columns_are_found_below_conversions() {
        let wide = datafusion::logical_expr::cast(col("a"), DataType::Int64);
        let condition = wide.eq(col("b"));
        let (left, right, is_plain) = equal_columns(&condition).unwrap();
        assert_eq!((left.name(), right.name(), is_plain), ("a", "b", false));
        assert!(equal_columns(&col("a").eq(datafusion::logical_expr::lit(1))).is_none());
    }
}
