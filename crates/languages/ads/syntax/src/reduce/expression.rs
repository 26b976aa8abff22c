//! Expressions and conditions.

use super::{Reducer, Scope, literal};
use crate::error::{Parse, SqlError};
use crate::tree::{BinaryOperator, Case, Cast, Expr, Literal, ObjectName, Quantifier, Test, UnaryOperator};
use mainstay_ads_types::native;
use mainstay_types::{Collation, Decimal, SqlType, Value};

/// Columns that are functions without parentheses.
const BARE_FUNCTIONS: [&str; 5] = ["current_date", "current_time", "current_timestamp", "rand", "lastrowid"];

impl Reducer<'_> {
    /// Writes a value or a condition.
    pub(super) fn expression(&mut self, value: &Expr) -> Parse<()> {
        match value {
            Expr::Literal(literal) => self.literal(literal),
            Expr::Column(name) => self.column(name),
            Expr::Variable(name) => self.variable(name),
            Expr::Niladic(word) => {
                self.push(word);
                Ok(())
            }
            Expr::Unary(operator, operand) => self.unary(*operator, operand),
            Expr::Binary(left, operator, right) => self.binary(left, *operator, right),
            Expr::And(parts) => self.joined(" AND ", parts),
            Expr::Or(parts) => self.joined(" OR ", parts),
            Expr::Quantified(left, operator, quantifier, query) => {
                self.expression(left)?;
                self.push(&format!(" {} ", operator.text()));
                self.push(if *quantifier == Quantifier::All { "ALL (" } else { "ANY (" });
                self.query(query)?;
                self.push(")");
                Ok(())
            }
            Expr::Test(left, negated, test) => self.test(left, *negated, test),
            Expr::Exists(query) => {
                self.push("EXISTS (");
                self.query(query)?;
                self.push(")");
                Ok(())
            }
            Expr::Subquery(query) => {
                self.push("(");
                self.query(query)?;
                self.push(")");
                Ok(())
            }
            Expr::Case(case) => self.case(case),
            Expr::Cast(cast) => self.cast(cast),
            // Comparisons and ORDER BY look for the collation themselves.
            Expr::Collate(inner, _) => self.expression(inner),
            Expr::Call(call) => self.function(call),
            Expr::OdbcLiteral(kind, text) => self.moment(&kind.text, text),
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

    /// A call of a function of the dialect.
    pub(super) fn call(&mut self, name: &str, arguments: &[&Expr]) -> Parse<()> {
        self.push(&format!("\"ads:{name}\"("));
        self.list(arguments, |it, argument| it.expression(argument))?;
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

    fn column(&mut self, name: &ObjectName) -> Parse<()> {
        match &name.parts[..] {
            [only] if !only.quoted => {
                let lower = only.text.to_lowercase();
                let is_column = self.is_column(&lower);
                match self.scope.value(&lower)? {
                    Some(_) if is_column => {
                        let text = format!("Ambiguous reference: {}", only.text);
                        return Err(SqlError::at(native::AMBIGUOUS_REFERENCE, only.span, text));
                    }
                    Some((value, sql_type)) => {
                        self.push(&literal(&value, sql_type));
                        return Ok(());
                    }
                    None => {}
                }
                if lower == "rowid" && !is_column {
                    return self.row_id("");
                }
                if BARE_FUNCTIONS.contains(&lower.as_str()) && !is_column {
                    return self.named_function(&lower, &[]);
                }
                self.name(&only.text);
            }
            [table, column] => {
                // A cursor of the script, unless a table is called like that.
                let cursor = format!("{}.{}", table.text, column.text).to_lowercase();
                if let Some((value, sql_type)) = self.scope.value(&cursor)? {
                    self.push(&literal(&value, sql_type));
                    return Ok(());
                }
                if column.is("rowid") {
                    return self.row_id(&format!("{}.", super::quoted(&table.text)));
                }
                self.name(&table.text);
                self.push(".");
                self.name(&column.text);
            }
            parts => {
                let shown = parts.len().saturating_sub(2);
                for (place, part) in parts.iter().skip(shown).enumerate() {
                    self.push(if place > 0 { "." } else { "" });
                    self.name(&part.text);
                }
            }
        }
        Ok(())
    }

    /// 18 characters, as the engine's have; only what is equal and in which order means anything.
    pub(super) fn row_id(&mut self, table: &str) -> Parse<()> {
        self.push(&format!("lpad(CAST({table}\"_recno\" AS VARCHAR), 18, 'A')"));
        Ok(())
    }

    fn literal(&mut self, value: &Literal) -> Parse<()> {
        match value {
            Literal::Null => self.push("NULL"),
            Literal::String(text) | Literal::NationalString(text) => {
                self.push(&literal(&Value::Text(text.clone()), mainstay_ads_types::convert::text_type()));
            }
            Literal::Binary(digits) => self.push(&format!("X'{}'", digits.trim_start_matches("0x"))),
            Literal::Float(text) => self.push(&format!("CAST('{text}' AS DOUBLE)")),
            Literal::Integer(text) | Literal::Decimal(text) | Literal::Money(text) => {
                let (value, sql_type) = number(text);
                self.push(&literal(&value, sql_type));
            }
        }
        Ok(())
    }

    fn moment(&mut self, kind: &str, text: &str) -> Parse<()> {
        let (value, sql_type) = moment(kind, text)?;
        self.push(&literal(&value, sql_type));
        Ok(())
    }

    fn unary(&mut self, operator: UnaryOperator, operand: &Expr) -> Parse<()> {
        match operator {
            UnaryOperator::Plus => self.expression(operand),
            UnaryOperator::Minus => match operand {
                Expr::Literal(Literal::Integer(digits)) => {
                    self.push(&format!("(-{digits})"));
                    Ok(())
                }
                operand => self.call("negate", &[operand]),
            },
            UnaryOperator::BitNot => self.call("bit_not", &[operand]),
            UnaryOperator::Not => {
                self.push("NOT (");
                self.expression(operand)?;
                self.push(")");
                Ok(())
            }
        }
    }

    fn binary(&mut self, left: &Expr, operator: BinaryOperator, right: &Expr) -> Parse<()> {
        let function = binary_function(operator);
        if operator.is_comparison() && ignores_case(&[left, right], self.scope)? {
            return self.call_of_capitals(function, &[left, right]);
        }
        self.call(function, &[left, right])
    }

    /// A call of a function of the dialect with texts in capitals: to it their case does not count.
    fn call_of_capitals(&mut self, name: &str, arguments: &[&Expr]) -> Parse<()> {
        self.push(&format!("\"ads:{name}\"("));
        self.list(arguments, |it, argument| {
            it.push("upper(");
            it.expression(argument)?;
            it.push(")");
            Ok(())
        })?;
        self.push(")");
        Ok(())
    }

    fn test(&mut self, left: &Expr, negated: bool, test: &Test) -> Parse<()> {
        if negated && !matches!(test, Test::Null) {
            self.push("NOT (");
            self.test(left, false, test)?;
            self.push(")");
            return Ok(());
        }
        self.push("(");
        match test {
            Test::Null => {
                self.expression(left)?;
                self.push(if negated { " IS NOT NULL" } else { " IS NULL" });
            }
            Test::Between(low, high) => {
                self.binary(left, BinaryOperator::GreaterOrEqual, low)?;
                self.push(" AND ");
                self.binary(left, BinaryOperator::LessOrEqual, high)?;
            }
            Test::InList(items) => {
                for (place, item) in items.iter().enumerate() {
                    self.push(if place > 0 { " OR " } else { "" });
                    self.binary(left, BinaryOperator::Equal, item)?;
                }
            }
            Test::InQuery(query) => {
                self.expression(left)?;
                self.push(" IN (");
                self.query(query)?;
                self.push(")");
            }
            Test::Like(pattern, escape) => {
                let arguments: Vec<&Expr> = [left, pattern].into_iter().chain(escape.as_deref()).collect();
                match ignores_case(&[left, pattern], self.scope)? {
                    true => self.call_of_capitals("like", &arguments)?,
                    false => self.call("like", &arguments)?,
                }
            }
            Test::DistinctFrom(_) => return Err(SqlError::unsupported("IS DISTINCT FROM")),
        }
        self.push(")");
        Ok(())
    }

    fn case(&mut self, case: &Case) -> Parse<()> {
        self.push("CASE");
        for (when, then) in &case.branches {
            self.push(" WHEN ");
            match &case.operand {
                Some(operand) => self.binary(operand, BinaryOperator::Equal, when)?,
                None => self.expression(when)?,
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

    fn cast(&mut self, cast: &Cast) -> Parse<()> {
        let Some(sql_type) = super::sql_type(&cast.data_type) else {
            let text = format!("No such type: {}", crate::parser::type_text(&cast.data_type));
            return Err(SqlError::at(native::TYPE, cast.data_type.span, text));
        };
        // The name of the type as the dialect has it: what CAST to a text of no length means is its own.
        let name = match sql_type {
            SqlType::VarChar { length: None, .. } => "memo".to_owned(),
            other => mainstay_ads_types::convert::type_name(other),
        };
        self.call(&format!("convert:{name}"), &[&cast.value])
    }
}

/// A number of the text: an integer, an exact number, or a double if it has too many digits.
pub(crate) fn number(text: &str) -> (Value, SqlType) {
    if let Ok(number) = text.parse::<i32>() {
        return (Value::Integer(number.into()), SqlType::Integer);
    }
    let text = text.trim_end_matches('.');
    let digits = text.chars().filter(char::is_ascii_digit).count();
    match text.parse::<Decimal>() {
        Ok(number) if digits <= 30 => {
            let precision = u8::try_from(digits.max(usize::from(number.scale)).max(1)).unwrap_or(30);
            (Value::Decimal(number), SqlType::Decimal { precision, scale: number.scale })
        }
        _ => (Value::Float(text.parse().unwrap_or(0.0)), SqlType::Double),
    }
}

/// The value of `{d '..'}` and its like.
pub(crate) fn moment(kind: &str, text: &str) -> Parse<(Value, SqlType)> {
    let sql_type = match kind.to_ascii_lowercase().as_str() {
        "d" => SqlType::Date,
        "t" => SqlType::Time { digits: 3 },
        _ => SqlType::Timestamp { digits: 3 },
    };
    let value = mainstay_ads_types::convert::convert(mainstay_types::ValueRef::Text(text), sql_type)?;
    Ok((value, sql_type))
}

/// Returns true if one of these values compares without regard to case: by a COLLATE, or because it is a CICHAR.
///
/// Errors: those of the scope.
pub(crate) fn ignores_case(values: &[&Expr], scope: &dyn Scope) -> Parse<bool> {
    let is_of = |sql_type: Option<SqlType>| sql_type.and_then(SqlType::collation) == Some(Collation::CaseInsensitive);
    for value in values {
        let variable = match value {
            Expr::Collate(_, name) if name.text.to_lowercase().ends_with("_ci") => return Ok(true),
            Expr::Cast(cast) if is_of(super::sql_type(&cast.data_type)) => return Ok(true),
            Expr::Variable(name) => name.text.to_lowercase(),
            Expr::Column(name) => match &name.parts[..] {
                [only] if !only.quoted => only.text.to_lowercase(),
                [cursor, column] => format!("{}.{}", cursor.text, column.text).to_lowercase(),
                _ => continue,
            },
            _ => continue,
        };
        if is_of(scope.value(&variable)?.map(|(_, sql_type)| sql_type)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The function that an operator is: texts are added, too.
pub(crate) fn binary_function(operator: BinaryOperator) -> &'static str {
    match operator {
        BinaryOperator::Concatenate => BinaryOperator::Add.function(),
        other => other.function(),
    }
}
