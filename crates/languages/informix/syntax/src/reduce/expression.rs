//! Expressions and conditions.

use super::{Mode, Reducer, text_literal};
use crate::error::{Parse, SqlError};
use crate::tree::{BinaryOperator, Case, Expr, Literal, Name, ObjectName, Quantifier, Test, UnaryOperator};
use crate::types::Type;

/// A DECIMAL whose point floats.
const FLOATING: Type = Type::Decimal(32, None);

impl Reducer<'_> {
    /// Writes a value or a condition.
    pub(super) fn expression(&mut self, value: &Expr) -> Parse<()> {
        if let Some(written) = self.floating_expression(value) {
            return written;
        }
        match value {
            Expr::Literal(literal) => self.literal(literal),
            Expr::Column(name) => self.column(name),
            Expr::Variable(name) => self.parameter(name, None),
            Expr::Niladic(word) => self.niladic(word),
            Expr::Unary(operator, operand) => {
                self.push(match operator {
                    UnaryOperator::Minus => "(- ",
                    UnaryOperator::Not => "(NOT ",
                    _ => "(",
                });
                self.expression(operand)?;
                self.push(")");
                Ok(())
            }
            Expr::Binary(left, operator, right) => self.binary(left, *operator, right),
            Expr::And(parts) => self.joined(" AND ", parts),
            Expr::Or(parts) => self.joined(" OR ", parts),
            Expr::Quantified(left, operator, quantifier, query) => {
                self.beside_query(left, query)?;
                self.push(&format!(" {} ", operator.text()));
                self.push(if *quantifier == Quantifier::All { "ALL (" } else { "ANY (" });
                self.query_beside(left, query)?;
                self.push(")");
                Ok(())
            }
            Expr::Test(left, negated, test) => self.test(left, *negated, test),
            Expr::Exists(query) => self.in_parentheses("EXISTS ", query),
            Expr::Subquery(query) => self.in_parentheses("", query),
            Expr::Case(case) => self.case(case),
            Expr::Cast(cast) => match self.type_of(value) {
                // The call of a routine has its type already.
                Some(known) if matches!(cast.value, Expr::Call(_)) && self.type_of(&cast.value) == Some(known) => {
                    self.expression(&cast.value)
                }
                Some(known) => self.cast(&cast.value, known),
                None => Err(SqlError::unsupported("this type")),
            },
            Expr::Call(call) => self.function(call),
            Expr::Default => {
                self.push("DEFAULT");
                Ok(())
            }
            Expr::Star(_) => {
                self.push("*");
                Ok(())
            }
            _ => Err(SqlError::unsupported("this expression")),
        }
    }

    /// Writes a value that is compared with the values of a query.
    fn beside_query(&mut self, value: &Expr, query: &crate::tree::Query) -> Parse<()> {
        let floats = self.output_types(query).first().is_some_and(|(_, known)| known.is_some_and(Type::is_floating));
        if floats { self.floating(value) } else { self.expression(value) }
    }

    /// Writes a query whose values are compared with a value.
    fn query_beside(&mut self, value: &Expr, query: &crate::tree::Query) -> Parse<()> {
        if !self.is_floating(value) {
            return self.query(query);
        }
        self.push("SELECT \"informix:decimal\"(\"#value\") FROM (");
        self.query(query)?;
        self.push(") AS \"#values\" (\"#value\")");
        Ok(())
    }

    fn in_parentheses(&mut self, word: &str, query: &crate::tree::Query) -> Parse<()> {
        self.push(word);
        self.push("(");
        self.query(query)?;
        self.push(")");
        Ok(())
    }

    fn joined(&mut self, word: &str, parts: &[Expr]) -> Parse<()> {
        self.push("(");
        for (place, part) in parts.iter().enumerate() {
            self.push(if place > 0 { word } else { "" });
            self.expression(part)?;
        }
        self.push(")");
        Ok(())
    }

    /// `sequence.NEXTVAL` and `sequence.CURRVAL`, unless a table of the statement has the name.
    fn sequence(&mut self, name: &ObjectName) -> bool {
        let [.., sequence, word] = &name.parts[..] else { return false };
        let function = ["nextval", "currval"].into_iter().find(|function| word.is(function));
        let is_table = self.tables.iter().flatten().any(|known| sequence.is(&known.alias));
        let Some(function) = function.filter(|_| !is_table) else { return false };
        self.push(&format!("{function}({})", text_literal(&sequence.text)));
        true
    }

    fn column(&mut self, name: &ObjectName) -> Parse<()> {
        if self.sequence(name) {
            return Ok(());
        }
        if let Some(number) = self.row_number(name) {
            self.push(&number);
            return Ok(());
        }
        let shown = name.parts.len().saturating_sub(2);
        for (place, part) in name.parts.iter().skip(shown).enumerate() {
            self.push(if place > 0 { "." } else { "" });
            self.name(&part.text);
        }
        Ok(())
    }

    /// A parameter, which meets a value of this type.
    fn parameter(&mut self, name: &Name, meets: Option<Type>) -> Parse<()> {
        let number: usize = name.text.trim_start_matches('?').parse().unwrap_or(0);
        let text = match &self.mode {
            Mode::Execute(defaults, _) | Mode::Routine(defaults, _) if defaults.contains(&number) => {
                "DEFAULT".to_owned()
            }
            Mode::Execute(..) => format!("${number}"),
            // The core knows the type of a parameter that is compared with a column or stored in one.
            Mode::Routine(_, types) => match types.get(number.wrapping_sub(1)) {
                Some(known) if !meets.is_some_and(|meets| known.is_like(meets)) => {
                    format!("CAST(${number} AS {})", known.sql_type())
                }
                _ => format!("${number}"),
            },
            Mode::Describe(types) => match meets.or(types.get(number.wrapping_sub(1)).copied()) {
                Some(known) => format!("CAST(NULL AS {})", known.sql_type()),
                None => "NULL".to_owned(),
            },
        };
        self.push(&text);
        Ok(())
    }

    /// The type of a variable of a routine.
    pub(super) fn variable_type(&self, name: &Name) -> Option<Type> {
        let Mode::Routine(_, types) = &self.mode else { return None };
        let number: usize = name.text.trim_start_matches('?').parse().ok()?;
        types.get(number.wrapping_sub(1)).copied()
    }

    fn literal(&mut self, value: &Literal) -> Parse<()> {
        match value {
            Literal::Null => self.push("NULL"),
            Literal::String(text) | Literal::NationalString(text) => self.push(&text_literal(text)),
            Literal::Float(text) => self.push(&format!("CAST('{text}' AS DOUBLE)")),
            Literal::Integer(text) | Literal::Decimal(text) => self.push(text),
            Literal::Money(_) | Literal::Binary(_) => return Err(SqlError::unsupported("this literal")),
        }
        Ok(())
    }

    fn niladic(&mut self, word: &str) -> Parse<()> {
        let text = match word {
            "TODAY" => "CURRENT_DATE".to_owned(),
            "CURRENT" => "CURRENT_TIMESTAMP".to_owned(),
            "USER" | "CURRENT_USER" => text_literal(&self.scope.user()),
            "DBSERVERNAME" | "SITENAME" => text_literal(&self.scope.server()),
            other => return Err(SqlError::unsupported(other)),
        };
        self.push(&text);
        Ok(())
    }

    /// Writes a value that stands for one of this type: `'t'` of a BOOLEAN is TRUE.
    pub(super) fn of_type(&mut self, value: &Expr, known: Type) -> Parse<()> {
        match (known, value) {
            (Type::Decimal(precision, None), value) if !matches!(value, Expr::Variable(_)) => {
                return self.floating_of(value, Some(precision));
            }
            (Type::Boolean, Expr::Literal(Literal::String(text))) => match text.trim().to_ascii_lowercase().as_str() {
                "t" => self.push("TRUE"),
                "f" => self.push("FALSE"),
                _ => return Err(SqlError::new(-674, "The value is not a boolean.").about(text)),
            },
            (Type::Date, Expr::Literal(Literal::String(text))) => {
                // Other texts are left to the core, which reads more forms of dates.
                let date = crate::convert::date(text).map_or_else(|_| text.clone(), |date| date.to_string());
                self.push(&text_literal(&date));
            }
            (Type::DateTime(first, last), Expr::Literal(Literal::String(text))) => {
                let moment = crate::shown::completed(text, first, last).unwrap_or_else(|_| text.clone());
                self.push(&text_literal(&moment));
            }
            (Type::Interval(..), Expr::Literal(Literal::String(_))) => return self.cast(value, known),
            (known, Expr::Variable(name)) => return self.parameter(name, Some(known)),
            (_, value) => return self.expression(value),
        }
        Ok(())
    }

    /// Writes a value that is compared with one of this type: trailing blanks of a text do not count.
    fn compared(&mut self, value: &Expr, known: Type) -> Parse<()> {
        match value {
            value if known.is_floating() => self.floating(value),
            Expr::Literal(Literal::String(text)) if known.is_varying() => {
                self.push(&text_literal(text.trim_end_matches(' ')));
                Ok(())
            }
            value => self.of_type(value, known),
        }
    }

    fn compared_or_plain(&mut self, value: &Expr, known: Option<Type>) -> Parse<()> {
        match known {
            Some(known) => self.compared(value, known),
            None => self.expression(value),
        }
    }

    fn binary(&mut self, left: &Expr, operator: BinaryOperator, right: &Expr) -> Parse<()> {
        let (left_type, right_type) = (self.type_of(left), self.type_of(right));
        if let Some(done) = self.with_days(left, operator, right, (left_type, right_type)) {
            return done;
        }
        self.push("(");
        if operator == BinaryOperator::Concatenate {
            self.operand_text(left)?;
            self.push(" || ");
            self.operand_text(right)?;
            self.push(")");
            return Ok(());
        }
        if operator == BinaryOperator::Divide {
            // Whole numbers are divided as decimals ("Arithmetic operators" of the Guide to SQL).
            self.push("1.0 * ");
        }
        // The core infers the type of a variable from the other operand only if that is a column.
        let is_comparison = operator.is_comparison();
        let left_type = left_type.filter(|_| !matches!(left, Expr::Variable(_)));
        let right_type = right_type.filter(|_| !matches!(right, Expr::Variable(_)));
        match right_type.filter(|_| is_comparison) {
            Some(known) => self.compared(left, known)?,
            None => self.expression(left)?,
        }
        self.push(&format!(" {} ", operator.text()));
        match left_type.filter(|_| is_comparison) {
            Some(known) => self.compared(right, known)?,
            None => self.expression(right)?,
        }
        self.push(")");
        Ok(())
    }

    /// A DATE plus or minus days, and the days between two dates.
    fn with_days(
        &mut self,
        left: &Expr,
        operator: BinaryOperator,
        right: &Expr,
        types: (Option<Type>, Option<Type>),
    ) -> Option<Parse<()>> {
        let sign = match operator {
            BinaryOperator::Add => "+",
            BinaryOperator::Subtract => "-",
            _ => return None,
        };
        let is_date = |known: Option<Type>| known == Some(Type::Date);
        if is_date(types.0) && is_date(types.1) && sign == "-" {
            let written = (|| {
                self.push("CAST((");
                self.expression(left)?;
                self.push(" - ");
                self.expression(right)?;
                self.push(") AS INTEGER)");
                Ok(())
            })();
            return Some(written);
        }
        let is_count = |value: &Expr| match value {
            Expr::Literal(Literal::Integer(_)) | Expr::Variable(_) => true,
            value => {
                self.type_of(value).is_some_and(|known| matches!(known, Type::SmallInt | Type::Integer | Type::Serial))
            }
        };
        if !is_date(types.0) || !is_count(right) {
            return None;
        }
        let written = (|| {
            self.push("CAST((");
            self.expression(left)?;
            self.push(&format!(" {sign} "));
            self.units(right, "day")?;
            self.push(") AS DATE)");
            Ok(())
        })();
        Some(written)
    }

    fn test(&mut self, left: &Expr, negated: bool, test: &Test) -> Parse<()> {
        let others: Vec<&Expr> = match test {
            Test::Between(low, high) => vec![low, high],
            Test::InList(items) => items.iter().collect(),
            _ => Vec::new(),
        };
        let floats = self.is_floating(left) || others.iter().any(|other| self.is_floating(other));
        let known = match floats {
            true => Some(FLOATING),
            false => self.type_of(left).filter(|_| !matches!(left, Expr::Variable(_))),
        };
        self.push("(");
        match test {
            Test::InQuery(query) => self.beside_query(left, query)?,
            Test::Like(..) if floats => self.of_floating(left, Type::LVarChar(255))?,
            _ if floats => self.floating(left)?,
            _ => self.expression(left)?,
        }
        let not = if negated { " NOT" } else { "" };
        match test {
            Test::Null => self.push(&format!(" IS{not} NULL")),
            Test::Between(low, high) => {
                self.push(&format!("{not} BETWEEN "));
                self.compared_or_plain(low, known)?;
                self.push(" AND ");
                self.compared_or_plain(high, known)?;
            }
            Test::InList(items) => {
                self.push(&format!("{not} IN ("));
                self.list(items, |it, item| it.compared_or_plain(item, known))?;
                self.push(")");
            }
            Test::InQuery(query) => {
                self.push(&format!("{not} IN ("));
                self.query_beside(left, query)?;
                self.push(")");
            }
            Test::Like(pattern, escape) => {
                self.push(&format!("{not} LIKE "));
                self.known_or_plain(pattern, Some(Type::LVarChar(255)))?;
                if let Some(escape) = escape {
                    self.push(" ESCAPE ");
                    self.expression(escape)?;
                }
            }
            Test::DistinctFrom(_) => return Err(SqlError::unsupported("IS DISTINCT FROM")),
        }
        self.push(")");
        Ok(())
    }

    fn known_or_plain(&mut self, value: &Expr, known: Option<Type>) -> Parse<()> {
        match known {
            Some(known) => self.of_type(value, known),
            None => self.expression(value),
        }
    }

    fn case(&mut self, case: &Case) -> Parse<()> {
        let mut results = case.branches.iter().map(|(_, then)| then).chain(&case.otherwise);
        match results.any(|result| self.is_floating(result)) {
            true => self.marked(|it| it.case_of(case, true)),
            false => self.case_of(case, false),
        }
    }

    fn case_of(&mut self, case: &Case, floats: bool) -> Parse<()> {
        self.push("CASE");
        for (when, then) in &case.branches {
            self.push(" WHEN ");
            match &case.operand {
                Some(operand) => self.equal(operand, when)?,
                None => self.expression(when)?,
            }
            self.push(" THEN ");
            self.result(then, floats)?;
        }
        if let Some(otherwise) = &case.otherwise {
            self.push(" ELSE ");
            self.result(otherwise, floats)?;
        }
        self.push(" END");
        Ok(())
    }

    /// Writes the result of a branch.
    pub(super) fn result(&mut self, value: &Expr, floats: bool) -> Parse<()> {
        if floats { self.floating(value) } else { self.expression(value) }
    }

    /// Writes that two values are equal.
    pub(super) fn equal(&mut self, left: &Expr, right: &Expr) -> Parse<()> {
        if self.is_floating(left) || self.is_floating(right) {
            let (left, right) = (Box::new(left.clone()), Box::new(right.clone()));
            return self.expression(&Expr::Binary(left, BinaryOperator::Equal, right));
        }
        self.binary(left, BinaryOperator::Equal, right)
    }
}
