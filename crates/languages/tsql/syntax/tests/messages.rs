//! Messages of wrong statements: number, state, line and text.

use mainstay_tsql_syntax::{Diagnostic, Options, parse, print};

fn messages(text: &str) -> Vec<(u32, u8, u32, String)> {
    let errors = parse(text, Options::default()).errors;
    errors.into_iter().map(|Diagnostic { number, state, line, message, .. }| (number, state, line, message)).collect()
}

/// The text, and number, state, line and sentence of each message.
type Case = (&'static str, &'static [(u32, u8, u32, &'static str)]);

const SYNTAX: &[Case] = &[
    ("SELECT * FORM t", &[(102, 1, 1, "Incorrect syntax near 'FORM'.")]),
    ("SELECT *\nFROM", &[(102, 1, 2, "Incorrect syntax near 'FROM'.")]),
    ("SELECT a,\nFROM t", &[(156, 1, 2, "Incorrect syntax near the keyword 'FROM'.")]),
    ("select from t", &[(156, 1, 1, "Incorrect syntax near the keyword 'from'.")]),
    ("SELECT (1 + 2", &[(102, 1, 1, "Incorrect syntax near '2'.")]),
    ("SELECT 1)", &[(102, 1, 1, "Incorrect syntax near ')'.")]),
    ("SELECT a > b FROM t", &[(102, 1, 1, "Incorrect syntax near '>'.")]),
    ("SELECT (a > b) FROM t", &[(102, 1, 1, "Incorrect syntax near '>'.")]),
    ("SELECT 1 + (a IS NULL)", &[(156, 1, 1, "Incorrect syntax near the keyword 'IS'.")]),
    ("SELECT EXISTS (SELECT 1)", &[(156, 1, 1, "Incorrect syntax near the keyword 'EXISTS'.")]),
    ("SELECT * FROM t WHERE a = 1 = 2", &[(102, 1, 1, "Incorrect syntax near '='.")]),
    ("SELECT * FROM a JOIN b", &[(102, 1, 1, "Incorrect syntax near 'b'.")]),
    ("SELECT 'a' 'b' 'c'", &[(102, 1, 1, "Incorrect syntax near 'c'.")]),
    ("BEGIN END", &[(156, 1, 1, "Incorrect syntax near the keyword 'END'.")]),
    ("BEGIN\nPRINT 'a'", &[(102, 1, 2, "Incorrect syntax near 'a'.")]),
    ("ELSE PRINT 'x'", &[(156, 1, 1, "Incorrect syntax near the keyword 'ELSE'.")]),
    ("PRINT 'x' END", &[(156, 1, 1, "Incorrect syntax near the keyword 'END'.")]),
    ("CREATE TABLE t (a int,, b int)", &[(102, 1, 1, "Incorrect syntax near ','.")]),
    ("CREATE TABLE order (a int)", &[(156, 1, 1, "Incorrect syntax near the keyword 'order'.")]),
    ("INSERT t VALUES 1", &[(102, 1, 1, "Incorrect syntax near '1'.")]),
    ("UPDATE t SET WHERE a = 1", &[(156, 1, 1, "Incorrect syntax near the keyword 'WHERE'.")]),
    ("RAISERROR ('x', 16)", &[(102, 1, 1, "Incorrect syntax near ')'.")]),
    ("SELECT a ? b", &[(102, 1, 1, "Incorrect syntax near '?'.")]),
    ("DROP NOTHING x", &[(102, 1, 1, "Incorrect syntax near 'NOTHING'.")]),
    ("SELECT CASE WHEN 1 = 1 THEN 2", &[(102, 1, 1, "Incorrect syntax near '2'.")]),
    (
        "PRINT 'abc",
        &[
            (105, 1, 1, "Unclosed quotation mark after the character string 'abc'."),
            (102, 1, 1, "Incorrect syntax near 'abc'."),
        ],
    ),
    ("SELECT 1\n/* /* a */\nSELECT 2", &[(113, 1, 2, "Missing end comment mark '*/'.")]),
    (
        "SELECT 1 AS []",
        &[(
            1038,
            4,
            1,
            "An object or column name is missing or empty. For SELECT INTO statements, verify each column has a name. For \
         other statements, look for empty alias names. Aliases defined as \"\" or [] are not allowed. Change the alias to \
         a valid name.",
        )],
    ),
    (
        "SELECT 1\nWITH x AS (SELECT 1 AS a) SELECT a FROM x",
        &[(
            319,
            1,
            2,
            "Incorrect syntax near the keyword 'WITH'. If this statement is a common table expression, an xmlnamespaces \
         clause or a change tracking context clause, the previous statement must be terminated with a semicolon.",
        )],
    ),
    (
        "SELECT * FROM t WITH x AS (SELECT 1 AS a) SELECT a FROM x",
        &[(
            336,
            1,
            1,
            "Incorrect syntax near 'x'. If this is intended to be a common table expression, you need to explicitly \
         terminate the previous statement with a semi-colon.",
        )],
    ),
    (
        "IF 1 PRINT 'x'",
        &[(
            4145,
            1,
            1,
            "An expression of non-boolean type specified in a context where a condition is expected, near 'PRINT'.",
        )],
    ),
    (
        "SELECT * FROM a.b.c.d.e",
        &[(
            117,
            1,
            1,
            "The object name 'a.b.c.d.e' contains more than the maximum number of prefixes. The maximum is 3.",
        )],
    ),
    (
        "SELECT * FROM (SELECT a FROM t ORDER BY a) AS x",
        &[(
            1033,
            1,
            1,
            "The ORDER BY clause is invalid in views, inline functions, derived tables, subqueries, and common table \
         expressions, unless TOP, OFFSET or FOR XML is also specified.",
        )],
    ),
    (
        "SELECT TOP 1 a FROM t ORDER BY a OFFSET 1 ROWS",
        &[(10741, 2, 1, "A TOP can not be used in the same query or sub-query as a OFFSET.")],
    ),
    (
        "SELECT SUM(DISTINCT a) OVER (PARTITION BY b) FROM t",
        &[(10759, 1, 1, "Use of DISTINCT is not allowed with the OVER clause.")],
    ),
    (
        "MERGE t USING u ON t.a = u.a WHEN MATCHED THEN DELETE",
        &[(10713, 1, 1, "A MERGE statement must be terminated by a semi-colon (;).")],
    ),
    (
        "INSERT t (a, b) VALUES (1)",
        &[(
            109,
            1,
            1,
            "There are more columns in the INSERT statement than values specified in the VALUES clause. The number of values \
         in the VALUES clause must match the number of columns specified in the INSERT statement.",
        )],
    ),
    (
        "INSERT t (a) VALUES (1, 2)",
        &[(
            110,
            1,
            1,
            "There are fewer columns in the INSERT statement than values specified in the VALUES clause. The number of values \
         in the VALUES clause must match the number of columns specified in the INSERT statement.",
        )],
    ),
    (
        "EXEC p @a = 1, 2",
        &[(
            119,
            1,
            1,
            "Must pass parameter number 2 and subsequent parameters as '@name = value'. After the form '@name = value' has \
         been used, all subsequent parameters must be passed in the form '@name = value'.",
        )],
    ),
    ("EXEC p 1 OUTPUT", &[(179, 1, 1, "Cannot use the OUTPUT option when passing a constant to a stored procedure.")]),
];

const MEANING: &[Case] = &[
    (
        "CREATE SEQUENCE s RESTART WITH 1",
        &[(11709, 1, 1, "The 'RESTART WITH' argument cannot be used in a CREATE SEQUENCE statement.")],
    ),
    (
        "ALTER SEQUENCE s START WITH 1",
        &[(11710, 1, 1, "Argument 'START WITH' cannot be used in an ALTER SEQUENCE statement.")],
    ),
    ("ALTER SEQUENCE s AS int CYCLE", &[(11711, 1, 1, "Argument 'AS' cannot be used in an ALTER SEQUENCE statement.")]),
    (
        "CREATE SEQUENCE s MINVALUE 1 NO MINVALUE",
        &[(11712, 1, 1, "Argument 'MINVALUE' can not be specified more than once.")],
    ),
    ("ALTER SEQUENCE s", &[(11715, 1, 1, "No properties specified for ALTER SEQUENCE.")]),
    (
        "DECLARE @x int SELECT @x = 1 UNION SELECT @x = 2",
        &[(
            10734,
            1,
            1,
            "Variable assignment is not allowed in a statement containing a top level UNION, INTERSECT or EXCEPT operator.",
        )],
    ),
    ("DECLARE @x int SELECT (SELECT @x = 1)", &[(102, 1, 1, "Incorrect syntax near '='.")]),
    (
        "DECLARE @x int INSERT t SELECT @x = 1",
        &[(199, 1, 1, "An INSERT statement cannot contain a SELECT statement that assigns values to a variable.")],
    ),
    ("INSERT t SELECT 1 AS a INTO u", &[(156, 1, 1, "Incorrect syntax near the keyword 'INTO'.")]),
    (
        "CREATE FUNCTION f() RETURNS int AS BEGIN DROP TABLE t RETURN 0 END",
        &[(443, 14, 1, "Invalid use of a side-effecting operator 'DROP OBJECT' within a function.")],
    ),
    (
        "CREATE FUNCTION f() RETURNS int AS BEGIN SET NOCOUNT ON RETURN 0 END",
        &[(443, 15, 1, "Invalid use of a side-effecting operator 'SET OPTION ON' within a function.")],
    ),
    (
        "CREATE FUNCTION f() RETURNS int AS BEGIN FETCH NEXT FROM c RETURN 0 END",
        &[(444, 2, 1, "Select statements included within a function cannot return data to a client.")],
    ),
    (
        "CREATE TRIGGER r ON t FOR INSERT, INSERT AS PRINT 'x'",
        &[(1034, 1, 1, "Syntax error: Duplicate specification of the action \"INSERT\" in the trigger declaration.")],
    ),
    ("CREATE TRIGGER r ON #t FOR INSERT AS PRINT 'x'", &[(167, 1, 1, "Cannot create trigger on a temporary object.")]),
    (
        "DECLARE c SCROLL CURSOR LOCAL FOR SELECT 1",
        &[(1049, 1, 1, "Mixing old and new syntax to specify cursor options is not allowed.")],
    ),
    (
        "CREATE TABLE t (a int, DEFAULT 1 FOR a)",
        &[(142, 2, 1, "Incorrect syntax for definition of the 'TABLE' constraint.")],
    ),
    (
        "SELECT a FROM t OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY",
        &[
            (102, 1, 1, "Incorrect syntax near '0'."),
            (153, 2, 1, "Invalid usage of the option NEXT in the FETCH statement."),
        ],
    ),
    ("SELECT a FROM t WHERE a *= b", &[(102, 1, 1, "Incorrect syntax near '*='.")]),
    ("SELECT COUNT(DISTINCT a, b) FROM t", &[(102, 1, 1, "Incorrect syntax near ','.")]),
    ("SELECT @x", &[(137, 2, 1, "Must declare the scalar variable \"@x\".")]),
    ("DECLARE @y int\nSET @x = 1", &[(137, 1, 2, "Must declare the scalar variable \"@x\".")]),
    ("SELECT * FROM @t", &[(1087, 2, 1, "Must declare the table variable \"@t\".")]),
    ("DECLARE @t TABLE (a int) SELECT @t", &[(137, 2, 1, "Must declare the scalar variable \"@t\".")]),
    ("DECLARE @x int = @x", &[(137, 2, 1, "Must declare the scalar variable \"@x\".")]),
    (
        "DECLARE @a int\nDECLARE @A int",
        &[(
            134,
            1,
            2,
            "The variable name '@A' has already been declared. Variable names must be unique within a query batch or stored \
         procedure.",
        )],
    ),
    (
        "a: PRINT 'x'\nA: PRINT 'y'",
        &[(
            132,
            1,
            2,
            "The label 'A' has already been declared. Label names must be unique within a query batch or stored procedure.",
        )],
    ),
    (
        "PRINT 'x'\nGOTO b",
        &[(133, 1, 2, "A GOTO statement references the label 'b' but the label has not been declared.")],
    ),
    ("IF 1 = 1 BREAK", &[(135, 1, 1, "Cannot use a BREAK statement outside the scope of a WHILE statement.")]),
    (
        "WHILE 1 = 1 BREAK\nCONTINUE",
        &[(136, 1, 2, "Cannot use a CONTINUE statement outside the scope of a WHILE statement.")],
    ),
    ("RETURN 1", &[(178, 1, 1, "A RETURN statement with a return value cannot be used in this context.")]),
    (
        "CREATE TRIGGER tr ON t FOR INSERT AS RETURN 1",
        &[(178, 1, 1, "A RETURN statement with a return value cannot be used in this context.")],
    ),
    (
        "DECLARE @x int SELECT @x = 1, a FROM t",
        &[(
            141,
            1,
            1,
            "A SELECT statement that assigns a value to a variable must not be combined with data-retrieval operations.",
        )],
    ),
    (
        "SELECT 1\nCREATE PROCEDURE p AS SELECT 2",
        &[(111, 1, 2, "'CREATE PROCEDURE' must be the first statement in a query batch.")],
    ),
    (
        "CREATE PROCEDURE p AS USE master",
        &[(154, 1, 1, "a USE database statement is not allowed in a procedure, function or trigger.")],
    ),
    (
        "CREATE FUNCTION f () RETURNS int AS BEGIN\nSELECT 1\nRETURN 0\nEND",
        &[(444, 2, 2, "Select statements included within a function cannot return data to a client.")],
    ),
    ("SET NOTHING ON", &[(195, 5, 1, "'NOTHING' is not a recognized SET option.")]),
    (
        "CREATE FUNCTION f () RETURNS int AS BEGIN\nDECLARE @x int\nEND",
        &[(455, 2, 3, "The last statement included within a function must be a return statement.")],
    ),
    (
        "BEGIN TRY SELECT 1; THROW END TRY BEGIN CATCH THROW END CATCH",
        &[(
            10704,
            1,
            1,
            "To rethrow an error, a THROW statement must be used inside a CATCH block. Insert the THROW statement inside a \
         CATCH block, or add error parameters to the THROW statement.",
        )],
    ),
];

fn check(cases: &[Case]) {
    let mut wrong = Vec::new();
    for (text, expected) in cases {
        let found = messages(text);
        let expected: Vec<_> = expected.iter().map(|(n, s, l, m)| (*n, *s, *l, (*m).to_owned())).collect();
        if found != expected {
            wrong.push(format!("{text}\n  found    {found:?}\n  expected {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn syntax_errors_have_the_servers_numbers_and_texts() {
    check(SYNTAX);
}

#[test]
fn errors_beyond_the_grammar_have_them_too() {
    check(MEANING);
}

#[test]
fn every_statement_gets_its_own_message() {
    let text = "SELECT FROM t\nPRINT 'fine'\nUPDATE t SETT a = 1\nDECLARE @x int\nBEGIN\n  DELETE FROM WHERE a = 1\n  SET @x = \
                2\nEND\nSELECT @x, @y";
    let found: Vec<(u32, u32)> = messages(text).iter().map(|message| (message.0, message.2)).collect();
    assert_eq!(found, [(156, 1), (102, 3), (156, 6), (137, 9)]);
}

#[test]
fn long_names_are_refused_and_named() {
    let name = "ä".repeat(129);
    let start = "ä".repeat(128);
    let expected = format!("The identifier that starts with '{start}' is too long. Maximum length is 128.");
    for text in [format!("SELECT {name}"), format!("SELECT [{name}]")] {
        assert_eq!(messages(&text), [(103, 4, 1, expected.clone())]);
    }
    assert_eq!(messages(&format!("SELECT {start}")), []);
}

#[test]
fn quoted_identifier_off_makes_strings_of_quotes() {
    let off = Options { quoted_identifier: false };
    assert_eq!(parse("PRINT \"a\"", off).errors, []);
    assert_eq!(messages("CREATE TABLE \"a\" (b int)"), []);
    assert_eq!(parse("CREATE TABLE \"a\" (b int)", off).errors.len(), 1);
}

/// Deep nesting is answered, not followed; what real statements nest is not touched by the limit.
#[test]
fn deep_nesting_is_refused() {
    let nested = |before: &str, inner: &str, after: &str, count: usize| {
        format!("{}{inner}{}", before.repeat(count), after.repeat(count))
    };
    let too_deep = [
        format!("SELECT {}", nested("(", "1", ")", 100_000)),
        format!("SELECT {}1", "- ".repeat(100_000)),
        format!("SELECT 1 WHERE {}1 = 1", "NOT ".repeat(100_000)),
        format!("SELECT {}", nested("(SELECT ", "1", ")", 100_000)),
        format!("SELECT {}", nested("CASE WHEN 1 = 1 THEN ", "1", " END", 100_000)),
        format!("SELECT {}", nested("f(", "1", ")", 100_000)),
        nested("BEGIN ", "PRINT 'x'", " END", 100_000),
        format!("{}PRINT 'x'", "IF 1 = 1 ".repeat(100_000)),
        format!("SELECT * FROM {}", nested("(", "t", ")", 100_000)),
        format!("SELECT * FROM {}t", "a JOIN ".repeat(100_000)),
        format!("SELECT 1{}", " UNION SELECT 1".repeat(100_000)),
        format!("SELECT 1{}", " + 1".repeat(100_000)),
        format!("SELECT x{}", ".a(1)".repeat(100_000)),
        format!("SELECT a{}", " COLLATE x".repeat(100_000)),
        format!("DBCC x {}", nested("(", "1", ")", 100_000)),
        format!("SELECT 1 GROUP BY {}", nested("ROLLUP (", "a", ")", 100_000)),
    ];
    for text in too_deep {
        let found = messages(&text);
        let start = text.chars().take(40).collect::<String>();
        assert!(found.first().is_some_and(|first| first.0 == 191), "{start}: {:?}", found.first());
    }
    let deep_enough = [
        format!("SELECT {}", nested("(", "1", ")", 40)),
        format!("SELECT {}", nested("(SELECT ", "1", ")", 30)),
        format!("SELECT 1{}", " + 1".repeat(500)),
        format!("SELECT 1 WHERE 1 = 1{}", " OR a = 1 AND b = 2".repeat(50_000)),
        format!("SELECT 1{}", " UNION ALL SELECT 1".repeat(500)),
        format!("SELECT 1{}", " UNION SELECT 1".repeat(4095)),
        format!("SELECT 1{}{}", " UNION SELECT 1".repeat(1000), " EXCEPT SELECT 1".repeat(200)),
        format!("{}PRINT 'x'", "IF @@ERROR = 1 PRINT 'y' ELSE ".repeat(500)),
    ];
    for text in deep_enough {
        // Printing, comparing and dropping go as deep as the tree.
        let parsed = parse(&text, Options::default());
        assert_eq!(parsed.errors, [], "{}", text.chars().take(40).collect::<String>());
        assert!(parse(&print(&parsed.statements), Options::default()).statements == parsed.statements);
    }
}

#[test]
fn what_is_wrong_behind_the_name_of_a_module_is_the_modules() {
    let of = |text: &str| -> Vec<(u32, Option<String>)> {
        let errors = parse(text, Options::default()).errors;
        errors.into_iter().map(|error| (error.number, error.procedure)).collect()
    };
    let named = |number: u32, name: &str| vec![(number, Some(name.to_owned()))];
    assert_eq!(
        of("CREATE FUNCTION dbo.Loud() RETURNS INT AS BEGIN\nPRINT 'x'\nRETURN 1 END"),
        named(443, "Loud"),
        "a side effect"
    );
    assert_eq!(of("CREATE FUNCTION Rows() RETURNS INT AS BEGIN SELECT 1 RETURN 1 END"), named(444, "Rows"));
    assert_eq!(of("ALTER PROCEDURE [a b] AS SELECT @x"), named(137, "a b"));
    assert_eq!(of("CREATE TRIGGER tr ON t AFTER INSERT AS SELECT FROM"), named(156, "tr"));
    assert_eq!(of("SELECT @x"), [(137, None)]);
}
