//! UPDATE whose variables go on from row to row (`running`), where a key finds at most one row: there is no next row,
//! so it is an ordinary UPDATE once each variable is replaced by the expression that it was set to.
//!
//! ```text
//!   UPDATE t SET @n = @n + 1, Number = @n    -->    UPDATE t SET @n = @n + 1, Number = CAST(@n + 1 AS int)
//!   WHERE id = @id                                  WHERE id = @id
//! ```
//!
//! Values are set in the order of the text. An expression with a new value at each evaluation (NEWID, a sequence, a
//! function of the database) is not written twice: such an UPDATE is run as over many rows.

use crate::changes::accumulate::names_assigned;
use crate::session::Inner;
use mainstay_tsql_syntax::compile::HostStatement;
use mainstay_tsql_syntax::reduce::{self, Scope, TableColumn};
use mainstay_tsql_syntax::tree::{
    Argument, AssignOperator, BinaryOperator, Case, Cast, Change, Expr, Name, QueryBody, SelectItem, SetItem,
    StatementKind, Target, Test, Update,
};
use mainstay_tsql_syntax::{Options, parse};
use mainstay_tsql_types::DataType;

/// The value that a variable was set to; `None` where that cannot be written twice.
type Known = Vec<(String, Option<Expr>)>;

impl Inner {
    /// The UPDATE of one row that such an UPDATE is; `None` where it may meet more rows, or is of a form that is not looked
    /// into.
    pub(crate) fn of_one_row(&mut self, host: &HostStatement, change: &Change) -> Option<Change> {
        let Change::Update(update) = change else { return None };
        let Target::Table(target, _) = &update.target else { return None };
        if update.top.is_some() || !update.from.is_empty() || !update.with.tables.is_empty() {
            return None;
        }
        let condition = update.condition.as_ref()?;
        let columns = {
            let names = self.names(&[]);
            let keys = names.unique_keys(target);
            let is_found = |key: &Vec<String>| !key.is_empty() && key.iter().all(|column| binds(condition, column));
            keys.iter().any(is_found).then(|| names.columns(target))??
        };
        let items = items_of_one_row(&update.items, &columns, host)?;
        Some(Change::Update(Box::new(Update { items, ..update.as_ref().clone() })))
    }
}

/// True if a condition holds for one value of a column only.
fn binds(condition: &Expr, column: &str) -> bool {
    match condition {
        Expr::And(parts) => parts.iter().any(|part| binds(part, column)),
        Expr::Binary(left, BinaryOperator::Equal, right) => {
            let is_it = |side: &Expr| matches!(side, Expr::Column(name) if name.last().eq_ignore_ascii_case(column));
            is_it(left) && is_constant(right) || is_it(right) && is_constant(left)
        }
        _ => false,
    }
}

/// True if a value is the same for all rows.
fn is_constant(value: &Expr) -> bool {
    match value {
        Expr::Literal(_) | Expr::Variable(_) => true,
        Expr::Unary(_, value) => is_constant(value),
        Expr::Binary(left, _, right) => is_constant(left) && is_constant(right),
        Expr::Cast(cast) => is_constant(&cast.value),
        _ => false,
    }
}

/// The items of SET with what the variables were set to before in their places.
fn items_of_one_row(items: &[SetItem], columns: &[TableColumn], host: &HostStatement) -> Option<Vec<SetItem>> {
    let mut known = Known::new();
    let mut given = Vec::with_capacity(items.len());
    for item in items {
        given.push(match item {
            SetItem::Variable(variable, operator, value) => {
                let value = substituted(value, &known, host)?;
                let value = match reduce::compound(*operator) {
                    None => value,
                    Some(operator) => {
                        let before = substituted(&Expr::Variable(variable.clone()), &known, host)?;
                        Expr::Binary(Box::new(before), operator, Box::new(value))
                    }
                };
                set(&mut known, variable, &value, host);
                SetItem::Variable(variable.clone(), AssignOperator::Set, value)
            }
            SetItem::Both(variable, column, operator, value) => {
                let value = substituted(value, &known, host)?;
                let data_type = columns.iter().find(|it| it.name.eq_ignore_ascii_case(column.last()))?.data_type;
                let new = match reduce::compound(*operator) {
                    None => value.clone(),
                    Some(operator) => {
                        Expr::Binary(Box::new(Expr::Column(column.clone())), operator, Box::new(value.clone()))
                    }
                };
                match cast(new, data_type) {
                    Some(new) => set(&mut known, variable, &new, host),
                    None => known.push((variable.text.to_lowercase(), None)),
                }
                SetItem::Both(variable.clone(), column.clone(), *operator, value)
            }
            SetItem::Column(column, operator, value) => {
                SetItem::Column(column.clone(), *operator, substituted(value, &known, host)?)
            }
            SetItem::Method(..) if known.is_empty() => item.clone(),
            SetItem::Method(..) => return None,
        });
    }
    Some(given)
}

/// Notes what a variable is set to.
fn set(known: &mut Known, variable: &Name, value: &Expr, host: &HostStatement) {
    let name = variable.text.to_lowercase();
    let data_type = host.outputs.iter().find(|(known, _)| *known == name).map(|(_, data_type)| *data_type);
    let value = data_type.filter(|_| is_repeatable(value)).and_then(|data_type| cast(value.clone(), data_type));
    known.retain(|(other, _)| *other != name);
    known.push((name, value));
}

/// A value as one of another type.
fn cast(value: Expr, to: DataType) -> Option<Expr> {
    let parsed = parse(&format!("SELECT CAST(NULL AS {})", to.as_variable()), Options::default());
    let StatementKind::Select(query) = parsed.statements.into_iter().next()?.kind else { return None };
    let QueryBody::Select(select) = query.body else { return None };
    match select.items.into_iter().next()? {
        SelectItem::Value(Expr::Cast(cast), _) => Some(Expr::Cast(Box::new(Cast { value, ..*cast }))),
        _ => None,
    }
}

/// Functions that give another value each time.
const MOMENTARY: [&str; 4] = ["NEWID", "NEWSEQUENTIALID", "RAND", "CRYPT_GEN_RANDOM"];

/// True if a value is the same each time it is evaluated for a row.
fn is_repeatable(value: &Expr) -> bool {
    match value {
        Expr::Literal(_) | Expr::Variable(_) | Expr::Column(_) | Expr::Niladic(_) => true,
        Expr::Unary(_, value) | Expr::Collate(value, _) => is_repeatable(value),
        Expr::Binary(left, _, right) | Expr::AtTimeZone(left, right) => is_repeatable(left) && is_repeatable(right),
        Expr::And(parts) | Expr::Or(parts) => parts.iter().all(is_repeatable),
        Expr::Cast(cast) => is_repeatable(&cast.value),
        Expr::Case(case) => {
            let Case { operand, branches, otherwise } = case.as_ref();
            operand.iter().chain(otherwise).chain(branches.iter().flat_map(|(a, b)| [a, b])).all(is_repeatable)
        }
        Expr::Test(value, _, test) => {
            is_repeatable(value)
                && match test {
                    Test::Null => true,
                    Test::DistinctFrom(other) => is_repeatable(other),
                    Test::Between(low, high) => is_repeatable(low) && is_repeatable(high),
                    Test::InList(items) => items.iter().all(is_repeatable),
                    Test::Like(pattern, _) => is_repeatable(pattern),
                    Test::InQuery(_) => false,
                }
        }
        Expr::Call(call) => {
            let is_known = call.name.parts.len() == 1 && !MOMENTARY.iter().any(|name| call.name.is(name));
            is_known
                && call.arguments.iter().all(|argument| match argument {
                    Argument::Value(value) => is_repeatable(value),
                    _ => false,
                })
        }
        _ => false,
    }
}

/// A value with what variables were set to in their places; `None` where that cannot be done.
fn substituted(value: &Expr, known: &Known, host: &HostStatement) -> Option<Expr> {
    if known.is_empty() || !names_assigned(value, host) {
        return Some(value.clone());
    }
    let one = |value: &Expr| substituted(value, known, host);
    let boxed = |value: &Expr| one(value).map(Box::new);
    let all = |values: &[Expr]| values.iter().map(one).collect::<Option<Vec<_>>>();
    Some(match value {
        Expr::Variable(name) => match known.iter().find(|(known, _)| name.text.eq_ignore_ascii_case(known)) {
            Some((_, known)) => known.clone()?,
            None => value.clone(),
        },
        Expr::Unary(operator, value) => Expr::Unary(*operator, boxed(value)?),
        Expr::Collate(value, collation) => Expr::Collate(boxed(value)?, collation.clone()),
        Expr::Binary(left, operator, right) => Expr::Binary(boxed(left)?, *operator, boxed(right)?),
        Expr::And(parts) => Expr::And(all(parts)?),
        Expr::Or(parts) => Expr::Or(all(parts)?),
        Expr::Cast(cast) => Expr::Cast(Box::new(Cast { value: one(&cast.value)?, ..cast.as_ref().clone() })),
        Expr::Case(case) => {
            let optional = |value: &Option<Expr>| match value {
                None => Some(None),
                Some(value) => one(value).map(Some),
            };
            let branches = case.branches.iter().map(|(when, then)| Some((one(when)?, one(then)?)));
            Expr::Case(Box::new(Case {
                operand: optional(&case.operand)?,
                branches: branches.collect::<Option<_>>()?,
                otherwise: optional(&case.otherwise)?,
            }))
        }
        Expr::Test(tested, negated, test) => {
            let test = match test {
                Test::Null => Test::Null,
                Test::DistinctFrom(other) => Test::DistinctFrom(boxed(other)?),
                Test::Between(low, high) => Test::Between(boxed(low)?, boxed(high)?),
                Test::InList(items) => Test::InList(all(items)?),
                Test::Like(pattern, escape) => Test::Like(boxed(pattern)?, escape.clone()),
                Test::InQuery(_) => return None,
            };
            Expr::Test(boxed(tested)?, *negated, test)
        }
        Expr::Call(call) => {
            let mut call = call.clone();
            for argument in &mut call.arguments {
                let Argument::Value(value) = argument else { return None };
                *value = one(value)?;
            }
            Expr::Call(call)
        }
        _ => return None,
    })
}
