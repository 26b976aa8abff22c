//! Precedence of operators: each expression is the same tree as its form with all parentheses, and not as another.

use mainstay_tsql_syntax::{Options, parse_expression, print_expression};

fn tree(text: &str) -> mainstay_tsql_syntax::tree::Expr {
    parse_expression(text, Options::default()).unwrap_or_else(|errors| panic!("{text}: {}", errors[0]))
}

/// An expression, the same with parentheses, and another.
const PRECEDENCE: &[(&str, &str, &str)] = &[
    ("a + b * c", "a + (b * c)", "(a + b) * c"),
    ("a - b - c", "(a - b) - c", "a - (b - c)"),
    ("a / b * c", "(a / b) * c", "a / (b * c)"),
    ("a + b & c", "(a + b) & c", "a + (b & c)"),
    ("a | b * c", "a | (b * c)", "(a | b) * c"),
    ("100 / -100 * 10", "100 / (-(100 * 10))", "(100 / (-100)) * 10"),
    ("-a + b", "(-a) + b", "-(a + b)"),
    ("~a * b", "(~a) * b", "~(a * b)"),
    ("a = b AND c = d OR e = f", "((a = b) AND (c = d)) OR (e = f)", "(a = b) AND ((c = d) OR (e = f))"),
    ("NOT a = b AND c = d", "(NOT (a = b)) AND (c = d)", "NOT ((a = b) AND (c = d))"),
    ("a BETWEEN b AND c AND d = e", "(a BETWEEN b AND c) AND (d = e)", "(a BETWEEN b AND d) AND (c = e)"),
    ("a + b COLLATE x", "a + (b COLLATE x)", "(a + b) COLLATE x"),
    ("a < b + c", "a < (b + c)", "a < (c + b)"),
    ("a !< b", "a >= b", "a <= b"),
    ("a != b", "a <> b", "a = b"),
    ("a > = b", "a >= b", "a > b"),
];

#[test]
fn precedence_is_that_of_the_manual() {
    for (text, same, other) in PRECEDENCE {
        assert_eq!(tree(text), tree(same), "{text}");
        assert_ne!(tree(text), tree(other), "{text}");
        assert_eq!(tree(&print_expression(&tree(other))), tree(other), "{other}");
    }
}

#[test]
fn only_needed_parentheses_are_printed() {
    let cases = [
        ("((a)) + ((b * c))", "a + b * c"),
        ("(a + b) * c", "(a + b) * c"),
        ("a - (b - c)", "a - (b - c)"),
        ("((a = 1) AND ((b = 2) OR (c = 3)))", "a = 1 AND (b = 2 OR c = 3)"),
        ("- - 1", "- -1"),
        ("2.+a", "2. + a"),
        ("select_ . [from]", "select_.[from]"),
        ("left(a,1)+N'it''s'", "left(a, 1) + N'it''s'"),
        ("count( * )over( order by a )", "count(*) OVER (ORDER BY a)"),
        ("convert(varchar(max),@x,1)", "CONVERT(varchar(max), @x, 1)"),
        ("case a when 1 then 2 end", "CASE a WHEN 1 THEN 2 END"),
    ];
    for (text, printed) in cases {
        assert_eq!(print_expression(&tree(text)), printed);
    }
}

#[test]
fn an_expression_is_the_whole_text() {
    for (text, number) in [("", 102), ("1 2", 102), ("a = ", 102), ("SELECT 1", 156), ("(1", 102), ("'x", 105)] {
        let errors = parse_expression(text, Options::default()).expect_err(text);
        assert_eq!(errors[0].number, number, "{text}: {errors:?}");
    }
}
