//! The session's SET options in a reduced statement: the marks in the names of functions, and comparisons with NULL.

use super::Reducer;
use crate::tree::{BinaryOperator, Expr, Literal, Test};
use mainstay_tsql_types::{Message, Settings, Switches};

impl Reducer<'_> {
    /// Writes the options that a function minds.
    pub(super) fn mark_settings(&mut self, function: &str) {
        if self.settings == Settings::NEW || function.starts_with("user:") {
            return;
        }
        let asks = matches!(function, "sessionproperty" | "getansinull");
        let mark = if asks { self.settings.full_mark() } else { self.settings_mark.clone() };
        self.push(&mark);
    }

    /// Returns true if ANSI_NULLS is on, so that nothing equals NULL.
    fn has_ansi_nulls(&self) -> bool {
        self.settings.has(Switches::ANSI_NULLS)
    }

    /// Writes a comparison. With ANSI_NULLS off a variable that is NULL, and NULL itself, equal what is NULL: there it is a
    /// test for NULL. All other comparisons are those of ANSI_NULLS on.
    pub(super) fn comparison(&mut self, left: &Expr, operator: BinaryOperator, right: &Expr) -> Result<(), Message> {
        let minds_null = matches!(operator, BinaryOperator::Equal | BinaryOperator::NotEqual) && !self.has_ansi_nulls();
        if !minds_null {
            return self.call(operator.function(), &[left, right]);
        }
        let tested = match (self.is_null(left), self.is_null(right)) {
            (true, false) => right,
            (false, true) => left,
            (true, true) => {
                self.push(if operator == BinaryOperator::Equal { "TRUE" } else { "FALSE" });
                return Ok(());
            }
            (false, false) => return self.call(operator.function(), &[left, right]),
        };
        self.test(tested, operator == BinaryOperator::NotEqual, &Test::Null)
    }

    /// Returns true if an operand is NULL, or a variable that is.
    fn is_null(&self, operand: &Expr) -> bool {
        match operand {
            Expr::Literal(Literal::Null) => true,
            Expr::Variable(name) if name.text.starts_with("@@") => false,
            Expr::Variable(name) => !self.is_inlined(name) && self.scope.is_null(&name.text),
            _ => false,
        }
    }

    /// Returns true if one of the values of IN is NULL where that equals what is NULL.
    pub(super) fn has_null(&self, value: &Expr, items: &[Expr]) -> bool {
        !self.has_ansi_nulls() && (self.is_null(value) || items.iter().any(|item| self.is_null(item)))
    }

    /// Writes IN as the comparisons that it stands for.
    pub(super) fn in_list_with_null(&mut self, value: &Expr, items: &[Expr]) -> Result<(), Message> {
        for (place, item) in items.iter().enumerate() {
            self.push(if place == 0 { "(" } else { " OR " });
            self.comparison(value, BinaryOperator::Equal, item)?;
        }
        self.push(")");
        Ok(())
    }
}
