//! `SELECT @s = @s + name FROM t`: assignments of which each row's sees what the row before has left.
//!
//! The query gives the columns that the assignments name; the assignments become a small batch with a variable for each
//! column, which runs once for each row.

use crate::errors::raised;
use crate::runner::Runner;
use mainstay_base::{Value, ValueRef};
use mainstay_mssql::{DataType, Length, Message};
use mainstay_program::{Raised, StatementCall};
use mainstay_query::mssql::type_of_field;
use mainstay_tsql::compile::HostStatement;
use mainstay_tsql::print_expression;
use mainstay_tsql::reduce::{self, ReducedQuery};
use mainstay_tsql::tree::{
    Argument, AssignOperator, BinaryOperator, Case, Expr, Literal, Name, Query, QueryBody, SelectItem, Test,
    UnaryOperator,
};

/// The rows of a query, with the types of their columns.
type Rows = (Vec<Option<DataType>>, Vec<Vec<Value>>);

/// A query taken apart into its rows and what is done with each.
pub(crate) struct Accumulation {
    query: Query,
    columns: usize,
    /// The batch for one row.
    pub(crate) text: String,
}

impl Accumulation {
    /// Takes a query apart.
    ///
    /// Errors: 40515 for assignments with subqueries that name the variables themselves.
    pub(crate) fn of(
        query: &Query,
        assigned: &[(AssignOperator, Expr)],
        host: &HostStatement,
    ) -> Result<Accumulation, Message> {
        let mut columns = Vec::new();
        let mut text = String::new();
        for ((operator, value), (name, _)) in assigned.iter().zip(&host.outputs) {
            let mut value = value.clone();
            lift_in(&mut value, &mut columns, host)?;
            text.push_str(&format!("SET {name} {} {};\n", operator.text(), print_expression(&value)));
        }
        let mut query = query.clone();
        let QueryBody::Select(select) = &mut query.body else {
            return Err(reduce::not_supported("An assignment from a query of this form"));
        };
        let item = |column: &Expr| SelectItem::Value(column.clone(), None);
        select.items = match columns.is_empty() {
            true => vec![item(&Expr::Literal(Literal::Null))],
            false => columns.iter().map(item).collect(),
        };
        Ok(Accumulation { query, columns: columns.len(), text })
    }

    /// A query that gives these columns, and the batch for each of its rows.
    pub(crate) fn over(mut query: Query, columns: &[Expr], text: String) -> Accumulation {
        if let QueryBody::Select(select) = &mut query.body {
            select.items = columns.iter().map(|column| SelectItem::Value(column.clone(), None)).collect();
        }
        Accumulation { query, columns: columns.len(), text }
    }

    /// The rows.
    pub(crate) fn rows(
        &mut self,
        runner: &mut Runner<'_>,
        host: &HostStatement,
        call: &mut StatementCall<'_>,
    ) -> Result<Rows, Box<Raised>> {
        let ReducedQuery { text, parameters, heads } =
            reduce::query(&self.query, &runner.inner.names(&host.inputs)).map_err(raised)?;
        let mut plan = runner.inner.plan(&text, parameters, heads)?;
        let values = runner.values(&mut plan, host, call)?;
        let parameters: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
        let mut found =
            plan.prepared.query(&mut runner.inner.core, &parameters).map_err(crate::errors::raised_error)?;
        let types = found
            .schema()
            .map_or_else(Vec::new, |schema| schema.fields().iter().map(|field| type_of_field(field)).collect());
        let mut rows = Vec::new();
        while let Some(row) = found.next().map_err(crate::errors::raised_error)? {
            rows.push((0..self.columns).map(|column| row.get(column).to_value()).collect());
        }
        Ok((types, rows))
    }

    /// The parameters of the batch, as they are declared: the variables that are set, then the columns.
    pub(crate) fn declarations(&self, host: &HostStatement, types: &[Option<DataType>]) -> String {
        let set = host.outputs.iter().map(|(name, data_type)| format!("{name} {} OUTPUT", data_type.as_variable()));
        let column = |place: usize| {
            let data_type = types.get(place).copied().flatten().unwrap_or(DataType::NVarChar(Length::Max));
            format!("{} {}", column_name(place), data_type.as_variable())
        };
        set.chain((0..self.columns).map(column)).collect::<Vec<_>>().join(", ")
    }
}

fn column_name(place: usize) -> String {
    format!("@#column{place}")
}

/// Whether an expression names a variable that the statement sets.
pub(crate) fn names_assigned(value: &Expr, host: &HostStatement) -> bool {
    let text = print_expression(value).to_lowercase();
    host.outputs.iter().any(|(name, _)| {
        text.match_indices(name.as_str()).any(|(at, _)| {
            !text[at + name.len()..].starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '#' | '@'))
        })
    })
}

/// Replaces what the query can give by variables: the columns of an expression, and the parts of it that name no variable
/// that is set, subqueries and functions over windows among them.
pub(crate) fn lift_in(value: &mut Expr, columns: &mut Vec<Expr>, host: &HostStatement) -> Result<(), Message> {
    let is_given = match &*value {
        Expr::Column(_) => true,
        Expr::Variable(_) => !names_assigned(value, host),
        Expr::Literal(_) | Expr::Niladic(_) => false,
        value => !value.is_condition() && !names_assigned(value, host),
    };
    if is_given {
        let place = columns.iter().position(|known| known == value).unwrap_or_else(|| {
            columns.push(value.clone());
            columns.len() - 1
        });
        *value = Expr::Variable(Name { text: column_name(place), ..Name::default() });
        return Ok(());
    }
    if value.is_condition() && !names_assigned(value, host) && print_expression(value).contains("SELECT") {
        let number = |digits: &str| Expr::Literal(Literal::Integer(digits.to_owned()));
        let is_not = Expr::Unary(UnaryOperator::Not, Box::new(value.clone()));
        // Neither where it is unknown.
        let branches = vec![(value.clone(), number("1")), (is_not, number("0"))];
        let mut answer = Expr::Case(Box::new(Case { operand: None, branches, otherwise: None }));
        lift_in(&mut answer, columns, host)?;
        *value = Expr::Binary(Box::new(answer), BinaryOperator::Equal, Box::new(number("1")));
        return Ok(());
    }
    let mut lift = |value: &mut Expr| lift_in(value, columns, host);
    match value {
        Expr::Unary(_, operand) | Expr::Collate(operand, _) => lift(operand),
        Expr::Binary(left, _, right) | Expr::AtTimeZone(left, right) => {
            lift(left)?;
            lift(right)
        }
        Expr::And(parts) | Expr::Or(parts) => parts.iter_mut().try_for_each(lift),
        Expr::Cast(cast) => lift(&mut cast.value),
        Expr::Case(case) => {
            for part in case.operand.iter_mut().chain(&mut case.otherwise) {
                lift(part)?;
            }
            for (when, then) in &mut case.branches {
                lift(when)?;
                lift(then)?;
            }
            Ok(())
        }
        Expr::Test(tested, _, test) => {
            lift(tested)?;
            match test {
                Test::Null => Ok(()),
                Test::DistinctFrom(other) => lift(other),
                Test::Between(low, high) => {
                    lift(low)?;
                    lift(high)
                }
                Test::InList(items) => items.iter_mut().try_for_each(lift),
                Test::Like(pattern, _) => lift(pattern),
                Test::InQuery(_) => Err(reduce::not_supported("An accumulating assignment with a subquery")),
            }
        }
        Expr::Call(call) => {
            let is_dated = matches!(call.arguments.first(), Some(Argument::Value(Expr::Column(_))))
                && ["DATEADD", "DATEDIFF", "DATEPART", "DATENAME"].iter().any(|name| call.name.is(name));
            call.arguments.iter_mut().skip(usize::from(is_dated)).try_for_each(|argument| match argument {
                Argument::Value(value) | Argument::Trim(_, None, value) => lift(value),
                _ => Err(reduce::not_supported("An accumulating assignment with this function")),
            })
        }
        Expr::Literal(_) | Expr::Variable(_) | Expr::Niladic(_) => Ok(()),
        _ => Err(reduce::not_supported("An accumulating assignment of this form")),
    }
}
