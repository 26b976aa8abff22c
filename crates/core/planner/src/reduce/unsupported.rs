//! Unsupported syntax that the parser accepts, refused with its place and an alternative.
//!
//! The parser accepts the syntax of a dozen dialects. Of the forms that remain after reduction, the planner refuses
//! some with the parser's tree in its message, and ignores others: `* ILIKE 'x%'` would be `*`.

use crate::parse::text::{Text, is_keyword};
use crate::parse::walk::{Walk, WalkMut};
use datafusion::sql::sqlparser::ast::{
    AccessExpr, BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause,
    FunctionArguments, GroupByExpr, GroupByWithModifier, Interval, JoinOperator, LimitClause, Query, Select,
    SelectItem, Spanned, Statement, TableFactor, UnaryOperator, Value, Visitor, VisitorMut, WildcardAdditionalOptions,
};
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Span, Token};
use mainstay_types::{Code, Error, Result};
use std::ops::ControlFlow;

/// Aggregates whose order stands behind WITHIN GROUP, and nowhere else (ISO 9075-2, 10.9).
const OF_ORDERED_SETS: [&str; 4] = ["mode", "percentile_disc", "percentile_cont", "approx_percentile_cont"];

/// Hint of errors about units.
const UNITS: &str = "YEAR, MONTH, WEEK, DAY, HOUR, MINUTE and SECOND are units: INTERVAL '2' DAY";

/// Sees that a statement, reduced, has no such form in it.
///
/// Errors: `Unsupported`, `Syntax` or `InvalidValue`, with the place.
pub(crate) fn check(statement: &Statement, text: &Text) -> Result<()> {
    if text.mentions("interval") {
        check_units(text)?;
    }
    let ControlFlow::Break(refusal) = statement.walk(&mut Forms) else { return Ok(()) };
    let error = Error::new(refusal.code, refusal.message).hint(refusal.hint);
    let place = match refusal.place {
        Place::Span(span) => text.place(span),
        Place::Word(word) => text.span_of_sign(word),
    };
    Err(match place {
        Some((start, end)) => error.span(start, end),
        None => error,
    })
}

/// Refuses a word right behind an interval of a bare number in quotes: read as a name, it would leave the number to be seconds.
fn check_units(text: &Text) -> Result<()> {
    for tokens in text.significant().windows(3) {
        if let [interval, value, unit] = tokens
            && is_keyword(&interval.token, Keyword::INTERVAL)
            && let Token::SingleQuotedString(number) = &value.token
            && number.trim().parse::<f64>().is_ok()
            && let Token::Word(word) = &unit.token
            && word.keyword == Keyword::NoKeyword
        {
            let (start, end) = text.range(unit, unit);
            let error = Error::new(Code::Syntax, format!("there is no unit {}", word.value));
            return Err(error.span(start, end).hint(format!("{UNITS}; a name for the column stands behind AS")));
        }
    }
    Ok(())
}

/// The statement with the joins that the planner knows under another name: `SEMI JOIN` is LEFT SEMI JOIN.
pub(crate) fn with_sides(mut statement: Statement) -> Statement {
    struct Joins;
    impl VisitorMut for Joins {
        type Break = ();

        fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
            for join in select.from.iter_mut().flat_map(|table| &mut table.joins) {
                join.join_operator = match join.join_operator.clone() {
                    JoinOperator::Semi(constraint) => JoinOperator::LeftSemi(constraint),
                    JoinOperator::Anti(constraint) => JoinOperator::LeftAnti(constraint),
                    other => other,
                };
            }
            ControlFlow::Continue(())
        }
    }
    // The visitor does not break.
    let _ = statement.walk_mut(&mut Joins);
    statement
}

struct Refusal {
    code: Code,
    message: String,
    hint: &'static str,
    place: Place,
}

enum Place {
    Span(Span),
    /// The keyword that begins it.
    Word(&'static str),
}

type Found = ControlFlow<Refusal>;

fn refuse(code: Code, message: impl Into<String>, hint: &'static str, span: Span) -> Found {
    ControlFlow::Break(Refusal { code, message: message.into(), hint, place: Place::Span(span) })
}

/// Refuses the first of these clauses that is there.
fn refuse_clauses<const N: usize>(clauses: [(bool, &str, &'static str, &'static str); N]) -> Found {
    match clauses.into_iter().find(|(is_there, ..)| *is_there) {
        Some((_, what, word, hint)) => {
            let message = format!("{what} is not supported");
            ControlFlow::Break(Refusal { code: Code::Unsupported, message, hint, place: Place::Word(word) })
        }
        None => ControlFlow::Continue(()),
    }
}

struct Forms;

impl Visitor for Forms {
    type Break = Refusal;

    fn pre_visit_query(&mut self, query: &Query) -> Found {
        let limits_groups =
            matches!(&query.limit_clause, Some(LimitClause::LimitOffset { limit_by, .. }) if !limit_by.is_empty());
        refuse_clauses([
            (limits_groups, "LIMIT n BY", "BY", "choose rows by QUALIFY row_number() OVER (PARTITION BY ...) <= n"),
            (query.for_clause.is_some(), "FOR of a query", "FOR", "leave it out"),
            (query.settings.is_some(), "SETTINGS", "SETTINGS", "leave it out"),
            (query.format_clause.is_some(), "FORMAT", "FORMAT", "leave it out"),
        ])
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> Found {
        let TableFactor::Table { partitions, with_ordinality, args: None, .. } = factor else {
            return ControlFlow::Continue(());
        };
        refuse_clauses([
            (!partitions.is_empty(), "PARTITION of a table", "PARTITION", "choose its rows in WHERE"),
            (*with_ordinality, "WITH ORDINALITY", "ORDINALITY", "number rows by row_number() OVER ()"),
        ])
    }

    fn pre_visit_select(&mut self, select: &Select) -> Found {
        let totals = |group_by: &GroupByExpr| match group_by {
            GroupByExpr::All(modifiers) | GroupByExpr::Expressions(_, modifiers) => {
                modifiers.iter().any(|modifier| matches!(modifier, GroupByWithModifier::Totals))
            }
        };
        refuse_clauses([
            (select.top.is_some(), "TOP", "TOP", "write LIMIT n at the end"),
            (select.into.is_some(), "SELECT ... INTO", "INTO", "write CREATE TABLE name AS SELECT ..."),
            (!select.lateral_views.is_empty(), "LATERAL VIEW", "VIEW", "join a LATERAL subquery"),
            (select.prewhere.is_some(), "PREWHERE", "PREWHERE", "write the condition into WHERE"),
            (!select.connect_by.is_empty(), "CONNECT BY", "CONNECT", "write WITH RECURSIVE"),
            (!select.cluster_by.is_empty(), "CLUSTER BY", "CLUSTER", "write ORDER BY"),
            (!select.distribute_by.is_empty(), "DISTRIBUTE BY", "DISTRIBUTE", "leave it out"),
            (!select.sort_by.is_empty(), "SORT BY", "SORT", "write ORDER BY"),
            (select.value_table_mode.is_some(), "SELECT AS", "AS", "leave it out"),
            (totals(&select.group_by), "WITH TOTALS", "TOTALS", "write GROUP BY ROLLUP (...)"),
        ])?;
        select.projection.iter().try_for_each(|item| match item {
            SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options) => of_wildcard(options, item),
            _ => ControlFlow::Continue(()),
        })
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> Found {
        let unsupported =
            |what: &str, hint| refuse(Code::Unsupported, format!("{what} is not supported"), hint, expr.span());
        match expr {
            Expr::BinaryOp { op: BinaryOperator::DuckIntegerDivide | BinaryOperator::MyIntegerDivide, .. } => {
                let hint = "write a / b, which gives a whole number for whole numbers, or trunc(a / b)";
                unsupported("an operator for the whole part of a quotient", hint)
            }
            Expr::CompoundFieldAccess { access_chain, .. }
                if access_chain.iter().any(|access| matches!(access, AccessExpr::Subscript(_))) =>
            {
                unsupported("an element of a value, x[n],", "write substr(x, n, 1) for a character of a text")
            }
            Expr::Array(_) => unsupported("a list as a value", "a list can be compared with: x = ANY (ARRAY[1, 2])"),
            Expr::Map(_) => unsupported("a value of several parts", "put each part into a column of its own"),
            Expr::Lambda(_) => unsupported("a function as a value", "write the expression itself"),
            Expr::Interval(interval) => of_interval(interval, expr),
            Expr::Function(call) => of_call(call, expr),
            _ => ControlFlow::Continue(()),
        }
    }
}

fn of_wildcard(options: &WildcardAdditionalOptions, item: &SelectItem) -> Found {
    let what = match options {
        WildcardAdditionalOptions { opt_ilike: Some(_), .. } => "ILIKE",
        WildcardAdditionalOptions { opt_rename: Some(_), .. } => "RENAME",
        WildcardAdditionalOptions { opt_alias: Some(_), .. } => "AS",
        _ => return ControlFlow::Continue(()),
    };
    refuse(Code::Unsupported, format!("* {what} is not supported"), "name the columns", item.span())
}

/// An interval of a number without its unit, which would be seconds, or of what is no literal.
fn of_interval(interval: &Interval, expr: &Expr) -> Found {
    let mut value = interval.value.as_ref();
    while let Expr::Nested(inner) | Expr::UnaryOp { op: UnaryOperator::Minus | UnaryOperator::Plus, expr: inner } =
        value
    {
        value = inner;
    }
    match value {
        Expr::Value(value) => match (&value.value, &interval.leading_field) {
            (Value::Number(..), None) => {
                refuse(Code::Syntax, "an interval of a number needs a unit", UNITS, expr.span())
            }
            _ => ControlFlow::Continue(()),
        },
        Expr::BinaryOp { .. } => ControlFlow::Continue(()),
        other => {
            let hint = "multiply one of a single unit: n * INTERVAL '1' DAY";
            refuse(Code::Unsupported, "an interval is a literal", hint, other.span())
        }
    }
}

fn of_call(call: &Function, expr: &Expr) -> Found {
    let name = call.name.to_string();
    let FunctionArguments::List(list) = &call.args else { return ControlFlow::Continue(()) };
    let orders = |clause: &FunctionArgumentClause| matches!(clause, FunctionArgumentClause::OrderBy(_));
    if OF_ORDERED_SETS.contains(&name.as_str()) && list.clauses.iter().any(orders) {
        let hint = "write the order behind the parentheses: mode() WITHIN GROUP (ORDER BY x)";
        return refuse(Code::Syntax, format!("{name} has no ORDER BY among its arguments"), hint, expr.span());
    }
    match (name.as_str(), list.args.as_slice()) {
        ("nth_value", [_, FunctionArg::Unnamed(FunctionArgExpr::Expr(number)), ..]) if !is_positive(number) => {
            // ISO 9075-2, 6.11; PostgreSQL refuses it, too.
            refuse(Code::InvalidValue, "nth_value counts rows from 1", "use last_value for the last row", number.span())
        }
        _ => ControlFlow::Continue(()),
    }
}

/// Reports whether a number may be more than 0: it is, or it is no literal.
fn is_positive(number: &Expr) -> bool {
    match number {
        Expr::Nested(inner) => is_positive(inner),
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => !matches!(expr.as_ref(), Expr::Value(_)),
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => digits.bytes().any(|digit| (b'1'..=b'9').contains(&digit)),
            _ => true,
        },
        _ => true,
    }
}
