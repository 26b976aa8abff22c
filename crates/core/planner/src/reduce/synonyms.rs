//! Functions that are short forms of other expressions.
//!
//! ```text
//!   mod(a, b)                          a % b, whatever the types of the two
//!   num_nulls(a, b), num_nonnulls      CASE WHEN a IS NULL THEN 1 ELSE 0 END + CASE WHEN b IS NULL THEN 1 ELSE 0 END
//!   localtimestamp, localtime          CAST(now() AS TIMESTAMP), current_time
//!   make_interval(days => 10)          make_interval(0, 0, 0, 10, 0, 0, 0)
//!   current_schema, current_schema()   'main'
//!   bool_and(x) OVER w, every          min(CASE WHEN x THEN 1 WHEN NOT x THEN 0 END) OVER w = 1; bool_or with max
//!   current_user, session_user         'main': sessions have no names
//!   regexp_substr(x, p)                regexp_replace of x by its first match; NULL without one
//!   substring(x FROM 'p')              the same, or what the first parentheses of the pattern match
//!   coalesce(NULL, a), ifnull, nvl     a: for NULL and bytes the planner finds no common type
//!   coalesce(a, b), ifnull, nvl        CASE WHEN a IS NOT NULL THEN a ELSE b END
//! ```
//!
//! The planner supports the last one itself; expressions without a plan (CHECK, DEFAULT, RETURNING) need the rewrite.

use crate::catalog::DEFAULT_SCHEMAS;
use crate::parse::tree::call;
use crate::parse::walk::WalkMut;
use datafusion::sql::sqlparser::ast::helpers::attached_token::AttachedToken;
use datafusion::sql::sqlparser::ast::{
    BinaryOperator, CaseWhen, CastKind, DataType, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments,
    Ident, TimezoneInfo, UnaryOperator, Value, VisitMut, VisitorMut,
};
use std::ops::ControlFlow;

/// The names of the functions that [`written_out`] knows.
pub(crate) const NAMES: [&str; 17] = [
    "mod",
    "num_nulls",
    "num_nonnulls",
    "localtimestamp",
    "localtime",
    "make_interval",
    "current_schema",
    "bool_and",
    "bool_or",
    "every",
    "current_user",
    "session_user",
    "regexp_substr",
    "substring",
    "coalesce",
    "ifnull",
    "nvl",
];

/// Functions that give their first argument that is not NULL.
const FIRST_VALUES: [&str; 3] = ["coalesce", "ifnull", "nvl"];

/// The arguments of `make_interval`, in their order.
const PARTS: [&str; 7] = ["years", "months", "weeks", "days", "hours", "mins", "secs"];

/// The statement, or the expression, with what such calls are short for.
pub(crate) fn written_out<T: VisitMut>(mut of: T) -> T {
    // The visitor does not break.
    let _ = of.walk_mut(&mut Calls { of: long_form });
    of
}

/// The same for functions that the planner knows, where there is no plan.
pub(crate) fn chosen<T: VisitMut>(mut of: T) -> T {
    // The visitor does not break.
    let _ = of.walk_mut(&mut Calls { of: first_value });
    of
}

struct Calls {
    of: fn(&Expr) -> Option<Expr>,
}

impl VisitorMut for Calls {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Some(long) = (self.of)(expr) {
            *expr = Expr::Nested(Box::new(long));
        }
        ControlFlow::Continue(())
    }
}

fn long_form(expr: &Expr) -> Option<Expr> {
    let function = match expr {
        Expr::Identifier(name) if name.quote_style.is_none() && name.value == "current_schema" => {
            return Some(default_schema());
        }
        Expr::Substring { expr, substring_from: Some(from), substring_for: None, special: false, .. } => {
            let Expr::Value(value) = from.as_ref() else { return None };
            let Value::SingleQuotedString(pattern) = &value.value else { return None };
            return Some(first_match(expr, from, has_parentheses(pattern)));
        }
        Expr::Function(function) if function.over.is_some() => return over_window(function),
        Expr::Function(function) => function,
        _ => return None,
    };
    let Function { name, args, .. } = function;
    let args: &[FunctionArg] = match args {
        FunctionArguments::List(list) => &list.args,
        _ => &[],
    };
    match (name.to_string().as_str(), args) {
        ("mod", [left, right]) => {
            Some(binary(nested(value_of(left)?), BinaryOperator::Modulo, nested(value_of(right)?)))
        }
        ("num_nulls", [_, ..]) => counted(args, Expr::IsNull),
        ("num_nonnulls", [_, ..]) => counted(args, Expr::IsNotNull),
        ("localtimestamp", []) => Some(Expr::Cast {
            kind: CastKind::Cast,
            expr: Box::new(call(Ident::new("now"), Vec::new())),
            data_type: DataType::Timestamp(None, TimezoneInfo::None),
            array: false,
            format: None,
        }),
        ("current_schema" | "current_user" | "session_user", []) => Some(default_schema()),
        ("regexp_substr", [of, pattern]) => Some(first_match(&value_of(of)?, &value_of(pattern)?, false)),
        ("localtime", []) => Some(call(Ident::new("current_time"), Vec::new())),
        (name, args) if FIRST_VALUES.contains(&name) => without_nulls(name, args),
        ("make_interval", args) if args.len() < PARTS.len() || args.iter().any(is_named) => made_of_parts(args),
        _ => None,
    }
}

/// The schema that names without one are in.
fn default_schema() -> Expr {
    Expr::Value(Value::SingleQuotedString(DEFAULT_SCHEMAS[0].to_owned()).into())
}

/// `CASE WHEN regexp_like(x, p) THEN regexp_replace(x, '^(?s:.*?)(' || p || ')(?s:.*)$', '\1') END`: the first match of a
/// pattern, or of its own first parentheses.
fn first_match(of: &Expr, pattern: &Expr, of_parentheses: bool) -> Expr {
    let named = |name: &str, arguments: Vec<Expr>| call(Ident::new(name), arguments);
    let text = |text: &str| Expr::Value(Value::SingleQuotedString(text.to_owned()).into());
    let (before, behind) = (if of_parentheses { "^(?s:.*?)(?:" } else { "^(?s:.*?)(" }, ")(?s:.*)$");
    let whole = [text(before), nested(pattern.clone()), text(behind)];
    let whole = whole.into_iter().reduce(|left, right| binary(left, BinaryOperator::StringConcat, right));
    let left = named("regexp_replace", vec![of.clone(), whole.unwrap_or_else(|| text("")), text("\\1")]);
    let found = named("regexp_like", vec![of.clone(), pattern.clone()]);
    case(vec![CaseWhen { condition: found, result: left }], Expr::Value(Value::Null.into()))
}

/// Returns true if a pattern has parentheses whose match is wanted by itself.
fn has_parentheses(pattern: &str) -> bool {
    let mut rest = pattern.char_indices().peekable();
    let mut in_class = false;
    while let Some((at, character)) = rest.next() {
        match character {
            '\\' => drop(rest.next()),
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class && !pattern[at + 1..].starts_with('?') => return true,
            _ => {}
        }
    }
    false
}

/// The long form of a window function that cannot retract rows, as sliding frames need it.
fn over_window(function: &Function) -> Option<Expr> {
    let least = match function.name.to_string().as_str() {
        "bool_and" | "every" => "min",
        "bool_or" => "max",
        _ => return None,
    };
    let FunctionArguments::List(list) = &function.args else { return None };
    let [only] = list.args.as_slice() else { return None };
    let condition = nested(value_of(only)?);
    let negated = Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(condition.clone()) };
    let when = |condition: Expr, result: &str| CaseWhen { condition, result: number(result) };
    let ones = case(vec![when(condition, "1"), when(negated, "0")], Expr::Value(Value::Null.into()));
    let Expr::Function(made) = call(Ident::new(least), vec![ones]) else { return None };
    let made = Function { over: function.over.clone(), filter: function.filter.clone(), ..made };
    Some(binary(Expr::Function(made), BinaryOperator::Eq, number("1")))
}

fn value_of(arg: &FunctionArg) -> Option<Expr> {
    match arg {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr.clone()),
        _ => None,
    }
}

fn is_named(arg: &FunctionArg) -> bool {
    !matches!(arg, FunctionArg::Unnamed(_))
}

fn nested(expr: Expr) -> Expr {
    Expr::Nested(Box::new(expr))
}

fn binary(left: Expr, op: BinaryOperator, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op, right: Box::new(right) }
}

fn number(of: &str) -> Expr {
    Expr::Value(Value::Number(of.into(), false).into())
}

/// How many of the arguments are so.
fn counted(args: &[FunctionArg], is_so: fn(Box<Expr>) -> Expr) -> Option<Expr> {
    let one = |arg: &FunctionArg| {
        let condition = is_so(Box::new(nested(value_of(arg)?)));
        Some(case(vec![CaseWhen { condition, result: number("1") }], number("0")))
    };
    let ones = args.iter().map(one).collect::<Option<Vec<_>>>()?;
    ones.into_iter().reduce(|left, right| binary(left, BinaryOperator::Plus, right))
}

/// A call with all its arguments in their order; `None` for a name that it does not know.
fn made_of_parts(args: &[FunctionArg]) -> Option<Expr> {
    let mut parts = PARTS.map(|_| number("0"));
    for (place, arg) in args.iter().enumerate() {
        let (place, value) = match arg {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => (place, value),
            FunctionArg::Named { name, arg: FunctionArgExpr::Expr(value), .. } => {
                (PARTS.iter().position(|part| *part == name.value)?, value)
            }
            _ => return None,
        };
        *parts.get_mut(place)? = value.clone();
    }
    Some(call(Ident::new("make_interval"), parts.into()))
}

fn case(conditions: Vec<CaseWhen>, otherwise: Expr) -> Expr {
    Expr::Case {
        case_token: AttachedToken::empty(),
        end_token: AttachedToken::empty(),
        operand: None,
        conditions,
        else_result: Some(Box::new(otherwise)),
    }
}

/// The first value without arguments that are NULL as they stand, if there are such and others.
fn without_nulls(name: &str, args: &[FunctionArg]) -> Option<Expr> {
    let values: Vec<Expr> = args.iter().map(value_of).collect::<Option<_>>()?;
    let is_null = |expr: &Expr| matches!(expr, Expr::Value(value) if value.value == Value::Null);
    let mut kept: Vec<Expr> = values.iter().filter(|expr| !is_null(expr)).cloned().collect();
    match kept.len() {
        0 => None,
        all if all == values.len() => None,
        // A number by itself would be the place of a column in GROUP BY and ORDER BY.
        1 if kept.iter().all(is_number) => Some(call(Ident::new("coalesce"), kept)),
        1 => kept.pop(),
        _ => Some(call(Ident::new(name), kept)),
    }
}

fn is_number(expr: &Expr) -> bool {
    match expr {
        Expr::Value(value) => matches!(value.value, Value::Number(..)),
        Expr::UnaryOp { expr, .. } | Expr::Nested(expr) => is_number(expr),
        _ => false,
    }
}

/// The first argument that is not NULL.
fn first_value(expr: &Expr) -> Option<Expr> {
    let Expr::Function(Function { name, args: FunctionArguments::List(list), over: None, .. }) = expr else {
        return None;
    };
    if !FIRST_VALUES.contains(&name.to_string().to_lowercase().as_str()) {
        return None;
    }
    let mut arguments: Vec<Expr> = list.args.iter().map(value_of).collect::<Option<_>>()?;
    let last = arguments.pop()?;
    let when = |expr: Expr| CaseWhen {
        condition: Expr::IsNotNull(Box::new(Expr::Nested(Box::new(expr.clone())))),
        result: expr,
    };
    Some(match arguments.is_empty() {
        true => last,
        false => case(arguments.into_iter().map(when).collect(), last),
    })
}
