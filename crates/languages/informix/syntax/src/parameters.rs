//! The columns that parameters meet, from which their types follow.
//!
//! A client asks for the types of the parameters before it binds values. `a = ?` and `INSERT INTO t (a) VALUES (?)` tell the
//! column; arithmetic, functions of numbers and casts tell the type of their operands. A parameter that meets none is a text.

use crate::tree::{
    Argument, BinaryOperator, Expr, InsertRows, Invocation, Literal, Matched, Merge, ObjectName, Query, QueryBody,
    Source, Statement, Test,
};
use crate::types::Type;

/// A place in a statement where a parameter stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParameterPlace {
    /// The column of this name in one of these tables, each with the name that it has in the statement.
    Column(String, Vec<(ObjectName, String)>),
    /// The column of this number, counted from 0, of a table.
    Position(usize, ObjectName),
    /// A number of rows: FIRST and SKIP.
    Count,
    /// The pattern of LIKE or MATCHES.
    Pattern,
    /// The parameter of a routine, by its place from 0 and by its name.
    Argument(usize, Option<String>),
    /// A value of this type: a number of an expression, or the operand of a cast.
    Value(Type),
    /// None that is known.
    Unknown,
}

/// The places of the parameters of a statement, in their order.
pub fn parameter_places(statement: &Statement, count: usize) -> Vec<ParameterPlace> {
    let mut walk = Walk { places: vec![ParameterPlace::Unknown; count], tables: Vec::new() };
    match statement {
        Statement::Query(query) => walk.query(query),
        Statement::Insert(insert) => match &insert.rows {
            InsertRows::Query(query) => walk.query(query),
            InsertRows::Call(call) => walk.call(call),
            InsertRows::Values(values) => {
                for (place, value) in values.iter().enumerate() {
                    let meets = match insert.columns.get(place) {
                        Some(name) => {
                            ParameterPlace::Column(name.text.clone(), vec![(insert.target.clone(), String::new())])
                        }
                        None => ParameterPlace::Position(place, insert.target.clone()),
                    };
                    walk.meet(value, &meets);
                    walk.value(value);
                }
            }
        },
        Statement::Update(update) => {
            let alias =
                update.alias.as_ref().map_or_else(|| update.target.last().to_owned(), |alias| alias.text.clone());
            walk.tables.push((update.target.clone(), alias));
            for (column, value) in &update.items {
                walk.meet(value, &ParameterPlace::Column(column.text.clone(), walk.tables.clone()));
                walk.value(value);
            }
            update.condition.iter().for_each(|condition| walk.value(condition));
        }
        Statement::Delete(delete) => {
            let alias =
                delete.alias.as_ref().map_or_else(|| delete.target.last().to_owned(), |alias| alias.text.clone());
            walk.tables.push((delete.target.clone(), alias));
            delete.condition.iter().for_each(|condition| walk.value(condition));
        }
        Statement::Merge(merge) => walk.merge(merge),
        Statement::Execute(call) => walk.call(call),
        _ => {}
    }
    walk.places
}

/// The type of a parameter that takes part in arithmetic: a number of any kind.
const NUMBER: Type = Type::Decimal(32, Some(16));

/// Functions whose arguments are numbers.
const NUMERIC: [&str; 17] = [
    "abs", "mod", "round", "trunc", "ceil", "floor", "power", "pow", "sqrt", "exp", "ln", "log10", "sin", "cos", "tan",
    "sum", "avg",
];

fn is_arithmetic(operator: BinaryOperator) -> bool {
    use BinaryOperator::{Add, Divide, Multiply, Subtract};
    matches!(operator, Add | Subtract | Multiply | Divide)
}

struct Walk {
    places: Vec<ParameterPlace>,
    tables: Vec<(ObjectName, String)>,
}

impl Walk {
    fn meet(&mut self, value: &Expr, place: &ParameterPlace) {
        if let Expr::Variable(name) = value
            && let Ok(number) = name.text.trim_start_matches('?').parse::<usize>()
            && let Some(known) = self.places.get_mut(number.wrapping_sub(1))
            && *known == ParameterPlace::Unknown
        {
            *known = place.clone();
        }
    }

    /// Both sides of an operator: a parameter on one side meets the column on the other.
    fn pair(&mut self, left: &Expr, right: &Expr) {
        for (value, other) in [(left, right), (right, left)] {
            if let Some(place) = self.place_of(other) {
                self.meet(value, &place);
            }
        }
    }

    fn place_of(&self, value: &Expr) -> Option<ParameterPlace> {
        let name = match value {
            Expr::Column(name) => name,
            Expr::Literal(Literal::Integer(_) | Literal::Decimal(_)) => return Some(ParameterPlace::Value(NUMBER)),
            Expr::Literal(Literal::Float(_)) => return Some(ParameterPlace::Value(Type::Float)),
            Expr::Unary(_, operand) => return self.place_of(operand),
            _ => return None,
        };
        let tables = match &name.parts[..] {
            [.., table, _] => self.tables.iter().filter(|(_, alias)| table.is(alias)).cloned().collect(),
            _ => self.tables.clone(),
        };
        Some(ParameterPlace::Column(name.last().to_owned(), tables))
    }

    fn call(&mut self, call: &Invocation) {
        for (place, (name, value)) in call.arguments.iter().enumerate() {
            self.meet(value, &ParameterPlace::Argument(place, name.as_ref().map(|name| name.text.clone())));
            self.value(value);
        }
    }

    fn merge(&mut self, merge: &Merge) {
        let alias = merge.alias.as_ref().map_or_else(|| merge.target.last().to_owned(), |alias| alias.text.clone());
        let target = vec![(merge.target.clone(), alias)];
        self.source(&merge.source);
        self.tables.extend(target.clone());
        self.value(&merge.condition);
        if let Some(Matched::Update(items)) = &merge.matched {
            for (column, value) in items {
                self.meet(value, &ParameterPlace::Column(column.text.clone(), target.clone()));
                self.value(value);
            }
        }
        if let Some((columns, values)) = &merge.unmatched {
            for (place, value) in values.iter().enumerate() {
                let meets = match columns.get(place) {
                    Some(name) => ParameterPlace::Column(name.text.clone(), target.clone()),
                    None => ParameterPlace::Position(place, merge.target.clone()),
                };
                self.meet(value, &meets);
                self.value(value);
            }
        }
    }

    fn query(&mut self, query: &Query) {
        let before = self.tables.len();
        self.body(&query.body);
        for count in [&query.offset, &query.fetch].into_iter().flatten() {
            self.meet(count, &ParameterPlace::Count);
        }
        query.order.iter().for_each(|item| self.value(&item.value));
        self.tables.truncate(before);
    }

    fn body(&mut self, body: &QueryBody) {
        match body {
            QueryBody::Set(left, _, _, right) => {
                self.body(left);
                self.body(right);
            }
            QueryBody::Select(select) => {
                select.from.iter().for_each(|source| self.source(source));
                if let Some(top) = &select.top {
                    self.meet(&top.count, &ParameterPlace::Count);
                }
                for item in &select.items {
                    if let crate::tree::SelectItem::Value(value, _) = item {
                        self.value(value);
                    }
                }
                select.condition.iter().chain(&select.having).for_each(|condition| self.value(condition));
            }
        }
    }

    fn source(&mut self, source: &Source) {
        match source {
            Source::Table(table) => {
                let alias =
                    table.alias.as_ref().map_or_else(|| table.name.last().to_owned(), |alias| alias.text.clone());
                self.tables.push((table.name.clone(), alias));
            }
            Source::Query(query, _) => self.query(query),
            Source::Join(join) => {
                self.source(&join.left);
                self.source(&join.right);
                join.condition.iter().for_each(|condition| self.value(condition));
            }
            Source::Apply(left, _, right) => {
                self.source(left);
                self.source(right);
            }
            Source::Nested(inner) => self.source(inner),
            _ => {}
        }
    }

    fn value(&mut self, value: &Expr) {
        match value {
            Expr::Unary(_, operand) => {
                self.meet(operand, &ParameterPlace::Value(NUMBER));
                self.value(operand);
            }
            Expr::Binary(left, operator, right) => {
                self.pair(left, right);
                if is_arithmetic(*operator) {
                    self.meet(left, &ParameterPlace::Value(NUMBER));
                    self.meet(right, &ParameterPlace::Value(NUMBER));
                }
                self.value(left);
                self.value(right);
            }
            Expr::And(parts) | Expr::Or(parts) => parts.iter().for_each(|part| self.value(part)),
            Expr::Quantified(left, _, _, query) => {
                self.value(left);
                self.query(query);
            }
            Expr::Exists(query) | Expr::Subquery(query) => self.query(query),
            Expr::Test(left, _, test) => {
                self.value(left);
                match test {
                    Test::Between(low, high) => {
                        self.pair(left, low);
                        self.pair(left, high);
                    }
                    Test::InList(items) => items.iter().for_each(|item| self.pair(left, item)),
                    Test::InQuery(query) => self.query(query),
                    Test::Like(pattern, _) => self.meet(pattern, &ParameterPlace::Pattern),
                    Test::Null | Test::DistinctFrom(_) => {}
                }
            }
            Expr::Case(case) => {
                for (when, then) in &case.branches {
                    if let Some(operand) = &case.operand {
                        self.pair(operand, when);
                    }
                    self.value(when);
                    self.value(then);
                }
                case.otherwise.iter().for_each(|otherwise| self.value(otherwise));
            }
            Expr::Cast(cast) => {
                if let Some(known) = Type::of_cast(cast) {
                    self.meet(&cast.value, &ParameterPlace::Value(known));
                }
                self.value(&cast.value);
            }
            Expr::Call(call) => {
                for argument in &call.arguments {
                    if let Argument::Value(value) = argument {
                        let name = call.name.last().to_lowercase();
                        if name == "matches" {
                            self.meet(value, &ParameterPlace::Pattern);
                        } else if NUMERIC.contains(&name.as_str()) {
                            self.meet(value, &ParameterPlace::Value(NUMBER));
                        }
                        self.value(value);
                    }
                }
            }
            _ => {}
        }
    }
}
