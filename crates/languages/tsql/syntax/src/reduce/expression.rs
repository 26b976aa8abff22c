//! Expressions and conditions.

use super::{Reducer, not_supported, refusals, text_literal};
use crate::tree::{BinaryOperator, Case, Cast, CastKind, Expr, Literal, Query, QueryBody, Select, Test, UnaryOperator};
use mainstay_tsql_types::{DataType, Message};
use mainstay_types::Value;

impl Reducer<'_> {
    /// Writes a value.
    pub(super) fn expression(&mut self, value: &Expr) -> Result<(), Message> {
        if let Some(instead) = self.grouped_instead(value) {
            self.push(&instead);
            return Ok(());
        }
        match value {
            Expr::Literal(literal) => self.literal(literal),
            Expr::Column(name) => self.column(name),
            Expr::Variable(name) => self.variable(name),
            Expr::Niladic(name) => self.niladic(name),
            Expr::Unary(operator, operand) => self.unary(*operator, operand),
            Expr::Binary(left, operator, right) => self.call(operator.function(), &[left, right]),
            Expr::Subquery(query) => self.scalar_subquery(query),
            Expr::Case(case) => self.case(case),
            Expr::Cast(cast) => self.cast(cast),
            // Values of this dialect carry their collation as their type; another one is a function around them.
            Expr::Collate(value, name) => {
                super::collation(&name.text)?;
                self.call(&format!("collate:{}", name.text), &[value])
            }
            Expr::AtTimeZone(value, zone) => self.call("at_time_zone", &[value, zone]),
            Expr::Call(call) => self.function(call),
            Expr::NextValue(name, order) => self.next_value(name, order),
            Expr::OdbcLiteral(kind, text) => self.odbc_literal(&kind.text, text),
            Expr::Default => Err(Message::error(156, "Incorrect syntax near the keyword 'DEFAULT'.").severity(15)),
            Expr::Star(_) => Err(Message::error(102, "Incorrect syntax near '*'.").severity(15)),
            Expr::Method(target, method, Some(arguments)) => self.method(target, method, arguments),
            Expr::Method(..) | Expr::TypeMethod(..) => Err(not_supported("A method of a type")),
            condition => {
                // Conditions are no values in T-SQL; the parser lets none through but in CASE and IIF.
                self.condition(condition)
            }
        }
    }

    /// Writes a condition.
    pub(super) fn condition(&mut self, condition: &Expr) -> Result<(), Message> {
        match condition {
            Expr::And(parts) => self.joined(" AND ", parts),
            Expr::Or(parts) => self.joined(" OR ", parts),
            Expr::Unary(UnaryOperator::Not, inner) => self.not(|it| it.condition(inner)),
            Expr::Binary(left, operator, right) if operator.is_comparison() => self.comparison(left, *operator, right),
            Expr::Test(value, negated, test) => self.test(value, *negated, test),
            Expr::Exists(query) if super::counted::is_star_of_groups(query) => {
                let counted = super::counted::without_list(query);
                self.condition(&Expr::Exists(Box::new(counted)))
            }
            Expr::Exists(query) if self.in_value => self.exists_as_count(query),
            Expr::Exists(query) => {
                self.push("EXISTS (");
                self.without_order(|it| it.query(query))?;
                self.push(")");
                Ok(())
            }
            Expr::Quantified(left, operator, quantifier, query) => self.quantified(left, *operator, *quantifier, query),
            Expr::FullText(_) => Err(not_supported(refusals::FULL_TEXT)),
            Expr::CurrentOf(cursor) => self.current_row(cursor),
            Expr::Call(call) if call.name.is("UPDATE") => self.column_updated(call),
            value => {
                self.expression(value)?;
                Ok(())
            }
        }
    }

    /// Writes a query whose rows are only looked for, so that the order of the rows of the statement around it is not its own.
    fn without_order(&mut self, write: impl FnOnce(&mut Self) -> Result<(), Message>) -> Result<(), Message> {
        let is_ordered = std::mem::replace(&mut self.is_ordered, false);
        let written = write(self);
        self.is_ordered = is_ordered;
        written
    }

    fn joined(&mut self, word: &str, parts: &[Expr]) -> Result<(), Message> {
        self.push("(");
        for (number, part) in parts.iter().enumerate() {
            if number > 0 {
                self.push(word);
            }
            self.condition(part)?;
        }
        self.push(")");
        Ok(())
    }

    /// Writes a call of a function of ours over these arguments.
    pub(super) fn call(&mut self, function: &str, arguments: &[&Expr]) -> Result<(), Message> {
        self.open(function);
        self.list(arguments, |it, argument| it.expression(argument))?;
        self.push(")");
        Ok(())
    }

    fn column(&mut self, name: &crate::tree::ObjectName) -> Result<(), Message> {
        if let Some(names) = self.output.clone() {
            if let Some(calculated) = names.calculated(name) {
                self.output = None;
                let text = self.aside(|it| it.column(&calculated));
                self.output = Some(names);
                let instead = self.beside(text?);
                self.push(&instead);
                return Ok(());
            }
            if let Some(instead) = names.column(name) {
                let instead = instead?;
                let moment = self.moment_of_deleted(&names, name)?;
                self.push(&moment.unwrap_or(instead));
                return Ok(());
            }
            if names.beside.is_some() {
                self.output = None;
                let text = self.aside(|it| it.column(name));
                self.output = Some(names);
                let instead = self.beside(text?);
                self.push(&instead);
                return Ok(());
            }
        }
        if !self.read_itself.is_empty()
            && let Some(instead) = self.moment_of(name)?
        {
            self.push(&instead);
            return Ok(());
        }
        // A column is named with at most its table here: the database and schema are those of the FROM clause.
        let shown = name.parts.len().saturating_sub(2);
        for (number, part) in name.parts[shown..].iter().enumerate() {
            if number > 0 {
                self.push(".");
            }
            match shown + number + 1 < name.parts.len() {
                true => self.table_alias(&part.text),
                false => self.name(&part.text),
            }
        }
        Ok(())
    }

    fn literal(&mut self, literal: &Literal) -> Result<(), Message> {
        match literal_value(literal)? {
            None => self.push("NULL"),
            Some((data_type, value)) => {
                let text = match (&value, literal) {
                    // As text: the core reads no more than 18 digits as an exact number.
                    (Value::Decimal(number), _) => text_literal(&number.to_string()),
                    // As text, too: as a number it would become an exact one there, which has no room for great exponents.
                    (_, Literal::Float(text)) => text_literal(&float_text(text)),
                    (value, _) => value.to_string(),
                };
                self.typed(data_type, &text);
            }
        }
        Ok(())
    }

    /// Writes a value of a type: `text` is a literal of the core.
    pub(super) fn typed(&mut self, data_type: DataType, text: &str) {
        self.open(&data_type.to_string());
        self.push(text);
        self.push(")");
    }

    fn odbc_literal(&mut self, kind: &str, text: &str) -> Result<(), Message> {
        let data_type = match kind.to_ascii_lowercase().as_str() {
            "d" | "ts" => DataType::DateTime,
            "t" => DataType::Time(0),
            "guid" => DataType::UniqueIdentifier,
            _ => return Err(not_supported(&format!("The escape {{{kind} ...}}"))),
        };
        let literal = Literal::String(text.to_owned());
        self.call(&format!("cast:{data_type}"), &[&Expr::Literal(literal)])
    }

    fn unary(&mut self, operator: UnaryOperator, operand: &Expr) -> Result<(), Message> {
        match operator {
            UnaryOperator::Plus => self.expression(operand),
            UnaryOperator::Minus => self.minus(operand),
            UnaryOperator::BitNot => self.call("bit_not", &[operand]),
            UnaryOperator::Not => self.not(|it| it.condition(operand)),
        }
    }

    /// A number with its sign is one literal to the planner: the least INT has no positive twin.
    fn minus(&mut self, operand: &Expr) -> Result<(), Message> {
        if let Expr::Literal(Literal::Integer(digits)) = operand
            && let Ok(number) = format!("-{digits}").parse::<i32>()
        {
            self.typed(DataType::Int, &number.to_string());
            return Ok(());
        }
        self.call("negate", &[operand])
    }

    pub(super) fn case(&mut self, case: &Case) -> Result<(), Message> {
        super::check_case(case)?;
        self.push("CASE");
        for (when, then) in &case.branches {
            self.push(" WHEN ");
            match &case.operand {
                Some(operand) => self.comparison(operand, BinaryOperator::Equal, when)?,
                None => self.condition_of_value(when)?,
            }
            self.push(" THEN ");
            self.expression(then)?;
        }
        if let Some(otherwise) = &case.otherwise {
            self.push(" ELSE ");
            self.expression(otherwise)?;
        }
        self.push(" END");
        Ok(())
    }

    fn cast(&mut self, cast: &Cast) -> Result<(), Message> {
        let data_type = self.data_type(&cast.data_type)?;
        let function = match cast.kind {
            CastKind::Cast => "cast",
            CastKind::TryCast => "try_cast",
            CastKind::Parse => "parse",
            CastKind::TryParse => "try_parse",
            CastKind::Convert => "convert",
            CastKind::TryConvert => "try_convert",
        };
        let function = format!("{function}:{data_type}");
        match &cast.style {
            Some(style) => self.call(&function, &[&cast.value, style]),
            None => self.call(&function, &[&cast.value]),
        }
    }

    pub(super) fn test(&mut self, value: &Expr, negated: bool, test: &Test) -> Result<(), Message> {
        if negated && !matches!(test, Test::Null) {
            return self.not(|it| it.test(value, false, test));
        }
        match test {
            Test::Null => {
                self.push("(");
                self.expression(value)?;
                self.push(if negated { " IS NOT NULL)" } else { " IS NULL)" });
                Ok(())
            }
            Test::DistinctFrom(other) => self.call("distinct", &[value, other]),
            Test::Between(low, high) => {
                self.push("(");
                self.call("greater_or_equal", &[value, low])?;
                self.push(" AND ");
                self.call("less_or_equal", &[value, high])?;
                self.push(")");
                Ok(())
            }
            Test::InList(items) if self.has_null(value, items) => self.in_list_with_null(value, items),
            Test::InList(items) => {
                if self.in_listed(value, items)? {
                    return Ok(());
                }
                let arguments: Vec<&Expr> = std::iter::once(value).chain(items).collect();
                self.call("in", &arguments)
            }
            Test::InQuery(query) if self.in_value => {
                self.check_single_column(query)?;
                self.in_as_counts(value, query)
            }
            Test::InQuery(query) => {
                self.check_single_column(query)?;
                self.push("(");
                self.expression(value)?;
                self.push(" IN (");
                self.without_order(|it| it.nameless_query(query))?;
                self.push("))");
                Ok(())
            }
            Test::Like(pattern, None) => self.call("like", &[value, pattern]),
            Test::Like(pattern, Some(escape)) => self.call("like", &[value, pattern, escape]),
        }
    }

    fn scalar_subquery(&mut self, query: &Query) -> Result<(), Message> {
        self.check_single_column(query)?;
        self.push("(");
        match &query.body {
            QueryBody::Select(select) if super::single::is_for_one_value(query, select) => {
                let deeper = usize::from(!self.grouped.is_empty());
                self.depth += deeper;
                let written = self.single_value(query, select);
                self.depth -= deeper;
                written?;
            }
            _ => self.nameless_query(query)?,
        }
        self.push(")");
        Ok(())
    }

    /// The list of a SELECT of one item, without its alias.
    pub(super) fn only_item<'q>(&self, select: &'q Select) -> Option<&'q Expr> {
        match &select.items[..] {
            [crate::tree::SelectItem::Value(value, _)] => Some(value),
            _ => None,
        }
    }
}

/// The value of a literal and its type; `None` for NULL.
///
/// Errors: 1007 for a number of more than 38 digits, 8115 and 235 for what its type does not hold.
pub fn literal_value(literal: &Literal) -> Result<Option<(DataType, Value)>, Message> {
    Ok(Some(match literal {
        Literal::Null => return Ok(None),
        Literal::String(text) => mainstay_tsql_types::literal::string(text, false),
        Literal::NationalString(text) => mainstay_tsql_types::literal::string(text, true),
        Literal::Integer(text)
        | Literal::Decimal(text)
        | Literal::Float(text)
        | Literal::Money(text)
        | Literal::Binary(text) => mainstay_tsql_types::literal::literal(text)?,
    }))
}

/// A float as the core reads it: `1.E5` and `.5e1` have a digit on both sides of the point there.
fn float_text(text: &str) -> String {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let or_zero = |digits: &str| if digits.is_empty() { "0".to_owned() } else { digits.to_owned() };
    format!("{}.{}e{}", or_zero(whole), or_zero(fraction), or_zero(exponent.trim_start_matches('+')))
}
