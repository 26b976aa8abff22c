//! `SELECT @s = @s + name FROM t`: assignments in which each row sees the values that the row before has assigned.
//!
//! The query returns the columns that the assignments name; the assignments become a small batch with a variable for
//! each column, which runs once for each row. Both are stored with the statement's plan ([`Fold`]). An UPDATE of
//! several rows whose variables go on from row to row returns the columns in its RETURNING, as long as no column is set
//! from such a variable:
//!
//! ```text
//!   UPDATE lines SET done = 1, @sum = @sum + amount
//!   UPDATE lines SET done = 1 RETURNING "returning:before"(amount)      then for each row: SET @sum = @sum + @#column1
//! ```

use crate::changes::change::Returned;
use crate::statements::errors::raised;
use crate::statements::query::{Plan, known_types};
use crate::statements::runner::{Ran, Runner};
use mainstay_tsql_planner::type_of_field;
use mainstay_tsql_syntax::compile::HostStatement;
use mainstay_tsql_syntax::print_expression;
use mainstay_tsql_syntax::reduce::{self, ReducedChange, ReducedQuery};
use mainstay_tsql_syntax::tree::{
    Argument, AssignOperator, BinaryOperator, Case, Expr, Literal, Name, Query, QueryBody, SelectItem, Test,
    UnaryOperator,
};
use mainstay_tsql_types::{DataType, Length, Message};
use mainstay_types::{Value, ValueRef};
use mainstay_vm::{Flow, Raised, RunArgument, StatementCall};
use std::sync::Arc;

/// The rows of a query, with the types of their columns.
type Rows = (Vec<Option<DataType>>, Vec<Vec<Value>>);

/// The work for each row of a plan: a batch that sets the variables of the statement from columns of the row.
#[derive(Debug)]
pub(crate) struct Fold {
    text: String,
    columns: usize,
}

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

    /// The use of its rows.
    pub(crate) fn fold(self) -> Fold {
        Fold { text: self.text, columns: self.columns }
    }

    /// Its plan.
    pub(crate) fn planned(self, runner: &mut Runner<'_>, host: &HostStatement) -> Result<Box<Plan>, Box<Raised>> {
        runner.made_plan(|inner| {
            let ReducedQuery { text, parameters, heads } =
                reduce::query(&self.query, &inner.names(&host.inputs)).map_err(raised)?;
            let mut plan = inner.plan(&text, parameters, heads)?;
            plan.fold = Some(Arc::new(self.fold()));
            Ok(plan)
        })
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
        let mut found = plan
            .prepared
            .query(&mut runner.inner.core, &parameters)
            .map_err(crate::statements::errors::raised_error)?;
        let types = found
            .schema()
            .map_or_else(Vec::new, |schema| schema.fields().iter().map(|field| type_of_field(field)).collect());
        let mut rows = Vec::new();
        while let Some(row) = found.next().map_err(crate::statements::errors::raised_error)? {
            rows.push((0..self.columns).map(|column| row.get(column).to_value()).collect());
        }
        Ok((types, rows))
    }

    /// The parameters of the batch, as they are declared: the variables that are set, then the columns.
    pub(crate) fn declarations(&self, host: &HostStatement, types: &[Option<DataType>]) -> String {
        declarations(self.columns, host, types)
    }
}

fn declarations(columns: usize, host: &HostStatement, types: &[Option<DataType>]) -> String {
    let set = host.outputs.iter().map(|(name, data_type)| format!("{name} {} OUTPUT", data_type.as_variable()));
    let column = |place: usize| {
        let data_type = types.get(place).copied().flatten().unwrap_or(DataType::NVarChar(Length::Max));
        format!("{} {}", column_name(place), data_type.as_variable())
    };
    set.chain((0..columns).map(column)).collect::<Vec<_>>().join(", ")
}

pub(crate) fn column_name(place: usize) -> String {
    format!("@#column{place}")
}

impl Runner<'_> {
    /// Sets the variables of a statement from rows, one after the other. `types` are those of the columns.
    pub(crate) fn fold(
        &mut self,
        fold: &Fold,
        host: &HostStatement,
        (types, rows): (&[Option<DataType>], &[Vec<Value>]),
        call: &mut StatementCall<'_>,
    ) -> Result<(), Box<Raised>> {
        let declarations = declarations(fold.columns, host, types);
        let module = self.inner.text(&fold.text, &declarations).map_err(crate::statements::flow::first)?;
        let mut values: Vec<Value> = (0..host.outputs.len()).map(|place| call.output(place).to_value()).collect();
        for row in rows {
            let arguments: Vec<RunArgument<'_>> =
                values.iter().chain(row).map(|value| RunArgument::Value(value.as_ref())).collect();
            self.expect(&module);
            let program = Arc::clone(&module.program);
            call.machine().run(self, &program, &arguments)?;
            let machine = call.machine();
            let new: Vec<Value> = (0..values.len()).map(|place| machine.parameter(place).to_value()).collect();
            drop(arguments);
            values = new;
        }
        for (place, value) in values.iter().enumerate() {
            crate::statements::runner::set(call, place, value.as_ref())?;
        }
        Ok(())
    }

    /// SELECT @s = @s + x: the rows one after another, each with what the one before has left.
    pub(crate) fn accumulate(
        &mut self,
        plan: &mut Plan,
        host: &HostStatement,
        values: &[Value],
        call: &mut StatementCall<'_>,
    ) -> Ran {
        let Some(fold) = plan.fold.clone() else { return Ok(Flow::NEXT) };
        let parameters: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
        let Plan { prepared, types, .. } = plan;
        let mut rows = self.inner.core.collected_rows("the rows of a SELECT that sets variables");
        let mut found =
            prepared.query(&mut self.inner.core, &parameters).map_err(crate::statements::errors::raised_error)?;
        let types = known_types(types, found.schema());
        while let Some(row) = found.next().map_err(crate::statements::errors::raised_error)? {
            rows.push((0..fold.columns).map(|column| row.get(column).to_value()).collect())
                .map_err(crate::statements::errors::raised_error)?;
        }
        drop(found);
        self.fold(&fold, host, (&*types, &*rows), call)?;
        (self.inner.state.row_count, self.inner.state.error) = (rows.len() as i64, 0);
        Ok(Flow::NEXT)
    }

    /// Sets the variables of an UPDATE from the columns that its rows have returned under the names of the fold's columns.
    pub(crate) fn fold_change(
        &mut self,
        fold: &Fold,
        (reduced, host): (&ReducedChange, &HostStatement),
        returned: &Returned,
        call: &mut StatementCall<'_>,
    ) -> Result<(), Box<Raised>> {
        if returned.rows.is_empty() {
            return Ok(());
        }
        let place = |number: usize| {
            let name = column_name(number);
            reduced.assigned.iter().find(|assigned| assigned.variable == name).map(|assigned| assigned.column)
        };
        let places: Vec<Option<usize>> = (0..fold.columns).map(place).collect();
        let field = |place: usize| returned.schema.as_ref()?.fields().get(place).and_then(|field| type_of_field(field));
        let types: Vec<Option<DataType>> = places.iter().map(|place| place.and_then(field)).collect();
        let value = |row: &[Value], place: &Option<usize>| {
            place.and_then(|place| row.get(place)).cloned().unwrap_or(Value::Null)
        };
        let rows = returned.rows.iter().map(|row| places.iter().map(|place| value(row, place)).collect());
        let rows: Vec<Vec<Value>> = rows.collect();
        self.fold(fold, host, (types.as_slice(), rows.as_slice()), call)
    }
}

/// Returns true if an expression names a variable that the statement sets.
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
