//! Random programs, run: batches generated from a grammar, and the golden scripts with pieces cut, doubled and moved.
//!
//! Every batch ends, with no internal error, and the session answers the next one. The generated programs are valid
//! T-SQL; their results are not checked, errors of values included.

#![allow(clippy::disallowed_methods, reason = "the scripts are files of the repository")]

mod common;

use common::Transcript;
use mainstay_engine::Database;
use mainstay_tsql_runtime::Instance;
use std::time::{Duration, Instant};

/// A generator of numbers that needs no crate: the same for the same seed (SplitMix64).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// The variables of a program with their types.
const VARIABLES: [(&str, &str); 10] = [
    ("@i", "INT"),
    ("@b", "BIGINT"),
    ("@t", "TINYINT"),
    ("@d", "DECIMAL(12, 3)"),
    ("@m", "MONEY"),
    ("@f", "FLOAT"),
    ("@v", "VARCHAR(20)"),
    ("@n", "NVARCHAR(MAX)"),
    ("@x", "DATETIME"),
    ("@y", "VARBINARY(8)"),
];

/// A program while it is made.
struct Maker {
    dice: Dice,
    /// The nesting depth of statements.
    depth: usize,
    cursors: usize,
}

impl Maker {
    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            let (name, _) = VARIABLES[self.dice.below(VARIABLES.len())];
            let leaf = self.dice.pick(&[
                "1",
                "-7",
                "0",
                "2.50",
                "1e3",
                "'abc'",
                "N'12'",
                "NULL",
                "'2024-02-29'",
                "$3.2",
                "0x0102",
            ]);
            return if self.dice.below(2) == 0 { name.to_owned() } else { leaf.to_owned() };
        }
        let (one, two) = (self.expression(depth - 1), self.expression(depth - 1));
        match self.dice.below(12) {
            0..=3 => format!("({one} {} {two})", self.dice.pick(&["+", "-", "*", "/", "%", "&", "|"])),
            4 => format!("CASE WHEN {} THEN {one} ELSE {two} END", self.condition(0)),
            5 => format!("ISNULL({one}, {two})"),
            6 => format!("TRY_CAST({one} AS {})", self.dice.pick(&["INT", "VARCHAR(5)", "DATE", "DECIMAL(5, 1)"])),
            7 => format!("CONVERT(VARCHAR(30), {one})"),
            8 => format!("LEN({one})"),
            9 => format!("COALESCE({one}, {two}, 1)"),
            10 => format!("(SELECT MAX(a) FROM #t WHERE b < {one})"),
            _ => format!("SUBSTRING(CONCAT({one}, {two}), 1, 9)"),
        }
    }

    fn condition(&mut self, depth: usize) -> String {
        let (one, two) = (self.expression(depth), self.expression(depth));
        match self.dice.below(6) {
            0 => format!("{one} IS NOT NULL"),
            1 => format!("({one} = {two} OR {two} > {one})"),
            2 => format!("{one} IN ({two}, 3)"),
            3 => format!("NOT ({one} BETWEEN {two} AND 9)"),
            4 => "EXISTS (SELECT 1 FROM #t WHERE a > @i)".to_owned(),
            _ => format!("{one} {} {two}", self.dice.pick(&["=", "<>", "<", ">="])),
        }
    }

    fn block(&mut self, most: usize) -> String {
        let statements: Vec<String> = (0..=self.dice.below(most)).map(|_| self.statement()).collect();
        format!("BEGIN\n{}\nEND", statements.join("\n"))
    }

    fn statement(&mut self) -> String {
        let value = self.expression(2);
        let (name, _) = VARIABLES[self.dice.below(VARIABLES.len())];
        if self.depth > 2 {
            return format!("SET {name} = {value};");
        }
        self.depth += 1;
        let made = match self.dice.below(18) {
            0 | 1 => format!("SET {name} = {value};"),
            2 => format!("SELECT {name} = {value} FROM #t;"),
            3 => format!("IF {}\n{}\nELSE\n{}", self.condition(1), self.block(3), self.block(2)),
            4 => format!("SET @i = 0;\nWHILE @i < 5 AND @k < 40\nBEGIN\nSET @k += 1;\nSET @i = ISNULL(@i, 0) + 1;\n{}\nEND", self.block(2)),
            5 => format!("BEGIN TRY\n{}\nEND TRY\nBEGIN CATCH\nSET @n = ERROR_MESSAGE();\n{}\nEND CATCH", self.block(3), self.block(1)),
            6 => format!("INSERT #t VALUES (TRY_CAST({value} AS INT), {});", self.dice.below(9)),
            7 => format!("UPDATE #t SET a = {value} WHERE b = {};", self.dice.below(9)),
            8 => format!("DELETE FROM #t WHERE b > {};", self.dice.below(9)),
            9 => format!("SELECT a, b, {value} AS v FROM #t WHERE {};", self.condition(1)),
            10 => format!("SELECT b, COUNT(*) AS n, SUM(a) AS s FROM #t GROUP BY b HAVING COUNT(*) < {};", self.dice.below(9)),
            11 => self.dice.pick(&["BEGIN TRAN;", "COMMIT;", "ROLLBACK;", "SAVE TRAN s;", "ROLLBACK TRAN s;"]).to_owned(),
            12 => self.cursor(),
            13 => format!("EXEC sp_executesql N'SELECT @p + 1 AS q; SET @p = 5;', N'@p INT OUTPUT', @p = {name} OUTPUT;"),
            14 => format!("INSERT @v1 VALUES (TRY_CAST({value} AS INT));\nSELECT COUNT(*) AS c FROM @v1;"),
            15 => "EXEC RandomProc @i, @v;".to_owned(),
            16 => format!("RAISERROR ('%s at %d', {}, 1, @v, @i);", self.dice.pick(&["10", "16", "11"])),
            _ => self.dice.pick(&[
                "PRINT CONCAT(@i, @v, @x);",
                "SET XACT_ABORT ON;",
                "SET XACT_ABORT OFF;",
                "SELECT * FROM NoSuch;",
                "SELECT nothing FROM #t;",
                "EXEC ('SELECT 1 / 0 AS z');",
                "THROW 50001, 'thrown', 1;",
                "SELECT @@ROWCOUNT AS r, @@ERROR AS e, @@TRANCOUNT AS t, XACT_STATE() AS x;",
                "RETURN;",
                "SELECT b INTO #u FROM #t; DROP TABLE #u;",
                "MERGE #t AS t USING (SELECT 1 AS a, 2 AS b) AS s ON t.b = s.b WHEN MATCHED THEN UPDATE SET a = s.a WHEN NOT MATCHED THEN INSERT VALUES (s.a, s.b);",
            ]).to_owned(),
        };
        self.depth -= 1;
        made
    }

    fn cursor(&mut self) -> String {
        self.cursors += 1;
        let name = format!("c{}", self.cursors);
        let kind = self.dice.pick(&["LOCAL", "LOCAL STATIC", "LOCAL FAST_FORWARD", "LOCAL SCROLL KEYSET"]);
        format!(
            "DECLARE {name} CURSOR {kind} FOR SELECT a FROM #t;\nOPEN {name};\nFETCH NEXT FROM {name} INTO @i;\n\
             WHILE @@FETCH_STATUS = 0 AND @k < 40\nBEGIN\nSET @k += 1;\nFETCH NEXT FROM {name} INTO @i;\nEND\n\
             CLOSE {name};\nDEALLOCATE {name};"
        )
    }

    fn program(&mut self) -> String {
        let declared: Vec<String> = VARIABLES
            .iter()
            .map(|(name, data_type)| format!("{name} {data_type} = {}", self.dice.pick(&["NULL", "1", "0"])))
            .collect();
        let declared = declared.join(", ").replace("@x DATETIME = 1", "@x DATETIME = '2024-01-31 10:00'");
        let declared = declared.replace("@y VARBINARY(8) = 1", "@y VARBINARY(8) = 0x01");
        let body: Vec<String> = (0..2 + self.dice.below(5)).map(|_| self.statement()).collect();
        format!("DECLARE {declared}, @k INT = 0;\nDECLARE @v1 TABLE (a INT);\n{}\n", body.join("\n"))
    }
}

/// Errors that only a fault of the program gives: of the machine, of the executor, of a plan that does not hold.
fn is_own_fault(text: &str) -> bool {
    ["Internal error", "rule of the machine", "is not of type", "This was likely caused by a bug"]
        .iter()
        .any(|word| text.contains(word))
}

/// Checks that a session still answers.
fn answers(session: &mut mainstay_tsql_runtime::Session, after: &str) {
    let mut transcript = Transcript::default();
    // Options that keep statements from running keep each other's SET from running, too; those of plans are alone in a batch.
    for _ in 0..2 {
        for plans in ["SHOWPLAN_TEXT", "SHOWPLAN_ALL", "SHOWPLAN_XML"] {
            session.batch(&format!("SET {plans} OFF"), &mut transcript);
        }
        session.batch("SET PARSEONLY OFF; SET NOEXEC OFF; SET FMTONLY OFF;", &mut transcript);
    }
    session.batch("SET XACT_ABORT OFF; SET ROWCOUNT 0; WHILE @@TRANCOUNT > 0 ROLLBACK;", &mut transcript);
    let mut transcript = Transcript::default();
    session.batch("SET NOCOUNT OFF; SELECT 1 + 1 AS two;", &mut transcript);
    assert!(
        transcript.text.contains("two int") && transcript.text.contains("\n2\n"),
        "{} after\n{after}",
        transcript.text
    );
}

fn run(session: &mut mainstay_tsql_runtime::Session, text: &str) {
    let mut transcript = Transcript::default();
    let begun = Instant::now();
    session.batch(text, &mut transcript);
    assert!(begun.elapsed() < Duration::from_secs(20), "it took {:?}:\n{text}", begun.elapsed());
    for error in &transcript.errors {
        assert!(!is_own_fault(&error.text), "{error}\nof\n{text}");
        assert!(error.number > 0 && !error.text.is_empty(), "{error}\nof\n{text}");
    }
}

#[test]
fn random_programs_leave_a_session_that_answers() {
    let instance = Instance::new(Database::in_memory().expect("a database in memory"), "test");
    let mut session = instance.session();
    run(
        &mut session,
        "CREATE PROCEDURE RandomProc @a INT, @b VARCHAR(20) AS BEGIN TRY SELECT @a / @a AS q, @b AS b; END TRY BEGIN CATCH THROW; END CATCH",
    );
    let begun = Instant::now();
    for seed in 0..400u64 {
        if begun.elapsed() > Duration::from_secs(25) {
            break;
        }
        let mut maker = Maker { dice: Dice(seed), depth: 0, cursors: 0 };
        run(&mut session, "IF OBJECT_ID('tempdb..#t') IS NOT NULL DROP TABLE #t;");
        run(&mut session, "CREATE TABLE #t (a INT NULL, b INT NOT NULL); INSERT #t VALUES (1, 1), (NULL, 2), (3, 3);");
        let text = maker.program();
        run(&mut session, &text);
        answers(&mut session, &text);
    }
}

/// Statements that a mutated script must not run: they wait, or end on purpose.
const LEFT_OUT: [&str; 3] = ["WAITFOR", "KILL", "applock"];

#[test]
fn mutated_scripts_leave_a_session_that_answers() {
    let folder = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    let mut paths: Vec<_> = std::fs::read_dir(&folder)
        .expect("the scripts")
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "sql"))
        .collect();
    paths.sort();
    let mut dice = Dice(7);
    let begun = Instant::now();
    for path in paths {
        if begun.elapsed() > Duration::from_secs(30) {
            break;
        }
        let script = std::fs::read_to_string(&path).expect("a script");
        let instance = Instance::new(Database::in_memory().expect("a database in memory"), "test");
        let mut session = instance.session();
        for batch in mainstay_tsql_syntax::batches(&script) {
            let words: Vec<&str> = batch.text.split_inclusive(char::is_whitespace).collect();
            let mut changed: Vec<&str> = words.clone();
            for _ in 0..=dice.below(2) {
                let (from, to) = (dice.below(changed.len()), dice.below(words.len()));
                if changed.is_empty() || words.is_empty() {
                    break;
                }
                match dice.below(3) {
                    0 => drop(changed.remove(from)),
                    1 => changed.insert(from, words[to]),
                    _ => changed[from] = words[to],
                }
            }
            let text: String = changed.concat();
            // A loop whose counter was cut out does not end, and is right not to.
            if text.contains("WHILE") || text.contains("GOTO") || LEFT_OUT.iter().any(|word| text.contains(word)) {
                continue;
            }
            run(&mut session, &text);
            answers(&mut session, &text);
        }
    }
}
