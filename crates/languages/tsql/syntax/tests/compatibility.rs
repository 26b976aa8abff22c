//! Every row of the table of constructs is found in its example, ordinary statements have none, and no text breaks the walk.

use mainstay_tsql_syntax::compatibility::{CONSTRUCTS, Names, assess};
use mainstay_tsql_syntax::{Options, batches, parse};
use mainstay_types::compatibility::Occurrence;
use std::collections::HashSet;

/// The occurrences of a script, batch by batch.
fn occurrences(script: &str) -> Vec<Occurrence> {
    let mut names = Names::default();
    for batch in batches(script) {
        names.add(&parse(batch.text, Options::default()).statements);
    }
    let all = batches(script).into_iter();
    all.flat_map(|batch| assess(batch.text, batch.first_line, &names).occurrences).collect()
}

fn found(script: &str) -> Vec<(&'static str, String, u32)> {
    let all = occurrences(script).into_iter();
    all.map(|found| (found.construct.id, found.subject.into_owned(), found.line)).collect()
}

#[test]
fn every_row_is_found_in_its_example() {
    let mut ids = HashSet::new();
    for row in CONSTRUCTS {
        assert!(ids.insert(row.id), "{} stands twice", row.id);
        assert!(!row.behaviour.is_empty() && (row.support.needs_review() <= !row.advice.is_empty()), "{}", row.id);
        if row.example.is_empty() || row.id == "scalar-function" {
            continue;
        }
        let found = found(row.example);
        assert!(found.iter().any(|(id, ..)| *id == row.id), "{}: {} gives {found:?}", row.id, row.example);
    }
}

#[test]
fn ordinary_statements_have_no_row() {
    let script = "CREATE TABLE dbo.Orders (Id INT IDENTITY(1, 1) PRIMARY KEY, Total DECIMAL(9, 2) NOT NULL DEFAULT 0,\n\
        Made DATETIME2(3) DEFAULT SYSUTCDATETIME(), Note NVARCHAR(MAX) COLLATE Latin1_General_CI_AS)\nGO\n\
        CREATE INDEX ix ON dbo.Orders (Made DESC)\nGO\n\
        CREATE PROCEDURE dbo.AddOrder @total DECIMAL(9, 2), @id INT OUTPUT AS\nBEGIN\n  SET NOCOUNT ON;\n  BEGIN TRY\n\
        BEGIN TRAN; INSERT dbo.Orders (Total) VALUES (@total); SET @id = SCOPE_IDENTITY(); COMMIT;\n  END TRY\n\
        BEGIN CATCH\n IF @@TRANCOUNT > 0 ROLLBACK; THROW;\n  END CATCH\nEND\nGO\n\
        DECLARE @i INT; EXEC dbo.AddOrder 5, @i OUTPUT; EXEC sp_executesql N'SELECT 1'; EXEC sp_help 'Orders';\n\
        WITH c AS (SELECT Id, ROW_NUMBER() OVER (ORDER BY Total DESC) AS n FROM dbo.Orders WITH (UPDLOCK))\n\
        SELECT TOP 5 c.Id, ISNULL(CONVERT(VARCHAR(10), o.Made, 120), '') FROM c JOIN Orders o ON o.Id = c.Id WHERE n > 1\n\
        ORDER BY c.Id OFFSET 0 ROWS FETCH NEXT 5 ROWS ONLY OPTION (MAXRECURSION 10);\n\
        SELECT name FROM sys.tables t JOIN INFORMATION_SCHEMA.COLUMNS x ON x.TABLE_NAME = t.name;\n\
        MERGE dbo.Orders AS t USING (VALUES (1, 2)) AS s (a, b) ON t.Id = s.a WHEN MATCHED THEN UPDATE SET Total = s.b;";
    // TOP with OFFSET is an error of SQL Server too, and not one that a part of this text causes.
    let script = script.replace("TOP 5 ", "");
    assert_eq!(found(&script), []);
}

#[test]
fn places_and_subjects_are_those_of_the_text() {
    let script = "SELECT 1\nGO\n-- a comment\nSELECT a\nFROM t WITH (NOLOCK), other.dbo.u\nWHERE CONTAINS(a, 'x')\nGO\n\
        CREATE FUNCTION dbo.f (@a INT) RETURNS INT AS BEGIN RETURN @a END\nGO\n\
        SELECT dbo.f(a) FROM t\nEXEC ('SELECT * FROM OPENQUERY(far, ''x'') q')\nEXEC msdb.dbo.sp_send_dbmail";
    let mut wanted = vec![
        ("read-uncommitted", "NOLOCK".to_owned(), 5),
        ("other-database", "other".to_owned(), 5),
        ("full-text", "CONTAINS".to_owned(), 4),
        ("scalar-function", "dbo.f".to_owned(), 10),
        ("linked-server", "OPENQUERY".to_owned(), 11),
        ("system-procedure", "sp_send_dbmail".to_owned(), 12),
    ];
    let mut found = found(script);
    found.sort();
    wanted.sort();
    assert_eq!(found, wanted);
}

/// 102 and 195, as SQL Server numbers them.
#[test]
fn messages_carry_their_numbers() {
    let all = occurrences("SELECT * FROM\nGO\nPRINT nosuch(1)\nGO\nDECLARE @a INT = CERTENCODED(2)");
    let codes: Vec<_> = all.iter().map(|found| (found.construct.id, found.code, found.line)).collect();
    assert_eq!(
        codes,
        [("syntax", Some(102), 1), ("unknown-function", Some(195), 3), ("unknown-function", Some(195), 5)]
    );
}

/// A message about a part that a row stands for is told once.
#[test]
fn a_part_is_told_once() {
    let script = "SELECT k.[KEY]\nFROM CONTAINSTABLE(t, *, 'x') k";
    assert_eq!(found(script), [("full-text", "CONTAINSTABLE".to_owned(), 2)]);
}

/// A function of a query without sources is called once, one in a query over rows for each row.
#[test]
fn functions_are_found_in_the_query_that_calls_them() {
    let define = "CREATE FUNCTION dbo.f (@a INT) RETURNS INT AS BEGIN RETURN @a END\nGO\n";
    let calls = |query: &str| {
        let found = found(&format!("{define}{query}"));
        found.iter().filter(|(id, ..)| *id == "scalar-function").count()
    };
    for (query, count) in [
        ("SELECT (SELECT 1), dbo.f(a) FROM t", 1),
        ("SELECT dbo.f(a), (SELECT dbo.f(b) FROM u) FROM t ORDER BY dbo.f(c)", 3),
        ("SELECT (SELECT a FROM t), dbo.f(1)", 0),
        ("WITH c AS (SELECT dbo.f(a) AS x FROM t) SELECT dbo.f(1)", 1),
        ("IF EXISTS (SELECT a FROM t) PRINT dbo.f(1)", 0),
        ("UPDATE t SET a = (SELECT 1), b = dbo.f(b)", 1),
        ("INSERT t (a, b) VALUES ((SELECT MAX(a) FROM t), dbo.f(1))", 0),
        ("DECLARE @i INT = (SELECT a FROM t); SET @i = dbo.f(@i)", 0),
    ] {
        assert_eq!(calls(query), count, "{query}");
    }
}

/// Each occurrence has the number of its statement, those within others counted; a text that cannot be read has none.
#[test]
fn occurrences_name_their_statements() {
    let script = "SELECT 1; IF EXISTS (SELECT a FROM t WITH (NOLOCK)) BEGIN DENY SELECT ON t TO ann; PRINT nosuch(1) END\n\
        EXEC ('SELECT a FROM b WITH (NOLOCK)'); WHILE nosuch(2) = 1 PRINT 1";
    let mut numbers: Vec<_> =
        occurrences(script).into_iter().map(|found| (found.statement, found.construct.id)).collect();
    numbers.sort();
    let wanted = [
        (Some(1), "read-uncommitted"),
        (Some(3), "deny-revoke"),
        (Some(4), "unknown-function"),
        (Some(5), "read-uncommitted"),
        (Some(6), "unknown-function"),
    ];
    assert_eq!(numbers, wanted);
    let unread = occurrences("SELECT FROM");
    assert_eq!(unread.iter().map(|found| found.statement).collect::<Vec<_>>(), [None]);
}

/// A scope without tables knows no columns, so parts that are refused without them are no findings.
#[test]
fn refusals_that_depend_on_columns_are_left_out() {
    for script in [
        "SELECT * FROM t PIVOT (SUM(a) FOR b IN ([1], [2])) p",
        "SELECT * FROM t UNPIVOT (a FOR b IN (c, d)) u",
        "DELETE x OUTPUT deleted.* FROM t AS x",
    ] {
        assert_eq!(found(script), [], "{script}");
    }
}

/// A script cut at every byte is read or refused, and nothing panics.
#[test]
fn cut_scripts_are_assessed() {
    let script: String = CONSTRUCTS.iter().map(|row| format!("{}\nGO\n", row.example)).collect();
    let names = Names::default();
    for end in 0..script.len() {
        let batch = script[..end].rsplit("GO\n").next().unwrap_or_default();
        assess(batch, 1, &names);
    }
}
