//! Statements over the Harbour files, from the command line to the bytes of the result.
#![allow(clippy::disallowed_methods)]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fixtures");

fn start(arguments: &[&str]) -> std::process::Child {
    Command::new(env!("CARGO_BIN_EXE_mainstay"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = start(arguments);
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The output of a successful run.
#[track_caller]
fn printed(arguments: &[&str], input: &str) -> String {
    let output = run(arguments, input);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
    text(&output.stdout)
}

#[test]
fn a_total_is_exact_in_every_format() {
    let total = |format: &str| {
        let sql = "SELECT COUNT(*) AS n, SUM(amt) AS total FROM t11_bench100k";
        printed(&[FIXTURES, "--format", format, "-c", sql], "")
    };
    assert_eq!(total("csv"), "n,total\n100000,50111941.49\n");
    assert_eq!(total("tsv"), "n\ttotal\n100000\t50111941.49\n");
    assert_eq!(total("ndjson"), "{\"n\":100000,\"total\":50111941.49}\n");
    assert_eq!(total("json"), "[\n{\"n\":100000,\"total\":50111941.49}\n]\n");
    assert_eq!(total("line"), "    n = 100000\ntotal = 50111941.49\n");
    assert_eq!(total("markdown"), "| n | total |\n|---:|---:|\n| 100000 | 50111941.49 |\n");
    assert_eq!(total("insert"), "INSERT INTO result (n, total) VALUES (100000, 50111941.49);\n");
    assert!(total("table").ends_with("(1 row)\n"));
}

#[test]
fn statements_come_from_flags_files_and_standard_input() {
    let csv = ["--format", "csv", "--no-header"];
    let with = |more: &[&str], input: &str| printed(&[&[FIXTURES][..], &csv, more].concat(), input);
    assert_eq!(with(&["-c", "SELECT 1; SELECT ';'", "-c", "SELECT 3"], ""), "1\n;\n3\n");
    assert_eq!(with(&[], "-- a note\nSELECT 1;\nSELECT\n2"), "1\n2\n");
    assert_eq!(with(&["-c", "SELECT 1", "-f", "-"], "SELECT 2"), "1\n2\n");
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("two.sql");
    std::fs::write(&script, "\u{feff}SELECT 2;\n.mode ndjson\nSELECT 3 AS three;").unwrap();
    assert_eq!(with(&["-c", "SELECT 1", "-f", script.to_str().unwrap()], ""), "1\n2\n{\"three\":3}\n");
}

#[test]
fn an_error_shows_its_place_and_ends_the_script() {
    let output =
        run(&[FIXTURES, "--format", "csv"], "SELECT 1 AS a;\n\nSELECT amnt FROM t11_bench100k;\nSELECT 2 AS b;\n");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(text(&output.stdout), "a\n1\n");
    let error = text(&output.stderr);
    assert!(error.contains(" --> line 3, column 8\n"), "{error}");
    assert!(error.contains("\n3 | SELECT amnt FROM t11_bench100k\n  |        ^^^^\n"), "{error}");
    assert!(error.to_lowercase().contains("hint: did you mean"), "{error}");

    let arguments = [FIXTURES, "--format", "csv", "--continue-on-error"];
    let output = run(&arguments, "SELECT amnt FROM t11_bench100k;\nSELECT 2 AS b;");
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), "b\n2\n".to_owned()));
}

#[test]
fn a_broken_pipe_ends_quietly() {
    let mut child = start(&[FIXTURES, "--format", "csv", "-c", "SELECT * FROM t11_bench100k"]);
    drop(child.stdin.take());
    let mut line = String::new();
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    reader.read_line(&mut line).unwrap();
    drop(reader);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
    assert!(line.to_lowercase().starts_with("id,tag,amt"), "{line}");
}

#[test]
fn files_that_are_written_are_tables_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let sql = "SELECT id, tag, amt FROM t11_bench100k WHERE tag = 'AAAA'";
    printed(&[FIXTURES, "-c", sql, "--output", &path("a.parquet")], "");
    printed(&[FIXTURES, "-c", &format!(".export {sql} {}", path("b.csv"))], "");
    printed(&[FIXTURES, "-c", &format!(".export t11_bench100k {}", path("c.parquet"))], "");
    let numbers = "SELECT * FROM (VALUES (1, NULL), (NULL, 0.1e-5), (3, 1e0 / 3)) AS v (n, x)";
    for file in ["d.csv", "e.tsv"] {
        printed(&[FIXTURES, "-c", numbers, "--output", &path(file)], "");
    }
    let sums = "SELECT SUM(d.n), SUM(d.x) * 3 FROM d UNION ALL SELECT SUM(e.n), SUM(e.x) * 3 FROM e";
    let sums = printed(&[folder.path().to_str().unwrap(), "--format", "csv", "--no-header", "-c", sums], "");
    assert_eq!(sums, "4,1.000003\n4,1.000003\n");
    let count = "SELECT (SELECT COUNT(*) FROM a) AS a, (SELECT COUNT(*) FROM b) AS b, (SELECT COUNT(*) FROM c) AS c";
    let folder = folder.path().to_str().unwrap();
    assert_eq!(printed(&[folder, "--format", "csv", "-c", count], ""), "a,b,c\n3847,3847,100000\n");
}

/// The sides are exchanged, for `a` is larger, and both have a column `k`.
#[test]
fn a_condition_on_the_other_side_of_an_outer_join_of_parquet_files_stays_above_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let many = "SELECT value % 2 + 1 AS k FROM generate_series(1, 20) AS g (value)";
    printed(&[FIXTURES, "-c", many, "--output", &path("a.parquet")], "");
    let few = "SELECT k, w FROM (VALUES (1, 0), (2, 5), (3, 5), (NULL, 5)) AS v (k, w)";
    printed(&[FIXTURES, "-c", few, "--output", &path("b.parquet")], "");
    let folder = folder.path().to_str().unwrap();
    let asked = |sql: &str| printed(&[folder, "--format", "csv", "--no-header", "-c", sql], "");
    for join in ["a RIGHT JOIN b ON a.k = b.k", "b LEFT JOIN a ON a.k = b.k"] {
        let sql = format!("SELECT b.k, w, a.k AS ak FROM {join} WHERE a.k IS NULL ORDER BY b.k");
        assert_eq!(asked(&sql), ",5,\n3,5,\n", "{join}");
    }
    assert_eq!(asked("SELECT count(*) FROM a RIGHT JOIN b ON a.k = b.k AND w > 1 WHERE a.k IS NULL"), "3\n");
}

#[test]
fn scripts_of_t_sql_print_into_a_file_and_have_no_other_format() {
    let folder = tempfile::tempdir().unwrap();
    let (shop, file) = (folder.path().to_str().unwrap(), folder.path().join("out.txt"));
    let to_file = [shop, "--tsql", "-c", "PRINT 'done'", "-o", file.to_str().unwrap()];
    assert_eq!(printed(&to_file, ""), "");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "done\n");
    let unwritable = run(&[shop, "--tsql", "-c", "PRINT 'done'", "-o", "/no/such/folder/out.txt"], "");
    assert_eq!((unwritable.status.code(), text(&unwritable.stdout)), (Some(5), String::new()));
    let other = run(&[shop, "--tsql", "-c", "PRINT 'done'", "--format", "csv"], "");
    assert_eq!(other.status.code(), Some(2));
    assert!(text(&other.stderr).contains("--format"), "{}", text(&other.stderr));
}

#[test]
fn a_backup_is_restored_in_another_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (shop, new, other) = (path("shop"), path("new"), path("other"));
    std::fs::create_dir(&shop).unwrap();
    printed(&[&shop, "-c", "CREATE TABLE t (a INT PRIMARY KEY); INSERT INTO t VALUES (1), (2)"], "");
    let output = run(&[&shop, "-c", &format!(".backup {}", path("shop.bak"))], "");
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), String::new()));
    printed(&[&shop, "-c", "DELETE FROM t WHERE a = 1"], "");
    printed(&["restore", &path("shop.bak"), &new], "");
    let all = ["--format", "csv", "-c", "SELECT a FROM t ORDER BY a"];
    assert_eq!(printed(&[&[new.as_str()], &all[..]].concat(), ""), "a\n1\n2\n");

    // As SQL Server's users say it. A relative name is one in the folder, and another backup is replaced.
    let words = "BACKUP DATABASE shop TO DISK = 'shop.bak' WITH INIT";
    for _ in 0..2 {
        let output = run(&[&shop, "--tsql", "-c", words], "");
        let told = text(&output.stdout) + &text(&output.stderr);
        assert!(output.status.success() && told.contains("BACKUP DATABASE successfully processed"), "{told}");
    }
    printed(&["restore", &format!("{shop}/shop.bak"), &other], "");
    assert_eq!(printed(&[&[other.as_str()], &all[..]].concat(), ""), "a\n2\n");

    // Nothing that is there is lost.
    std::fs::write(path("letter.txt"), "Dear").unwrap();
    let output = run(&[&shop, "-c", &format!(".backup {}", path("letter.txt"))], "");
    assert!(!output.status.success() && text(&output.stderr).contains("no backup"), "{}", text(&output.stderr));
    assert_eq!(std::fs::read(path("letter.txt")).unwrap(), b"Dear");
    let output = run(&["restore", &path("shop.bak"), &new], "");
    assert!(
        !output.status.success() && text(&output.stderr).contains("a database already"),
        "{}",
        text(&output.stderr)
    );
    for outside in ["../away.bak".to_owned(), path("away.bak")] {
        let output = run(&[&shop, "--tsql", "-c", &format!("BACKUP DATABASE shop TO DISK = '{outside}'")], "");
        assert!(text(&output.stderr).contains("Msg 3201"), "{}", text(&output.stderr));
        assert!(!folder.path().join("away.bak").exists());
    }
    let output = run(&[&shop, "--tsql", "-c", "BEGIN TRAN; BACKUP DATABASE shop TO DISK = 'x.bak'"], "");
    assert!(text(&output.stderr).contains("Msg 3021"), "{}", text(&output.stderr));
}

#[test]
fn a_statement_that_fails_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.csv");
    let output = run(&[FIXTURES, "-c", "SELECT nothing FROM nowhere", "--output", target.to_str().unwrap()], "");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn the_words_of_xbase_work_in_a_script() {
    let script =
        "USE t02_clipper_dbt\nLIST name NEXT 2\nGO 3\nDISPLAY name\nSKIP\nDISPLAY name OFF\nCOUNT FOR qty < 0\n";
    let arguments = [FIXTURES, "--format", "csv"];
    let listed = printed(&arguments, script);
    let lines: Vec<&str> = listed.lines().collect();
    assert!(lines[0].to_lowercase().starts_with("record#,name"), "{listed}");
    assert!(lines[1].starts_with("1,Customer 001"), "{listed}");
    assert_eq!(lines.iter().filter(|line| line.contains("Customer 003")).count(), 1, "{listed}");

    let structure = printed(&[FIXTURES], "use T02_CLIPPER_DBT.DBF\ndisp stru\n");
    assert!(structure.contains("Character     30") && structure.contains("** Total **"), "{structure}");
}

#[test]
fn lists_go_on_while_and_leave_numbers_out() {
    let listed = |script: &str| {
        let all = printed(&[FIXTURES, "--format", "csv", "--no-header"], &format!("USE t02_clipper_dbt\n{script}\n"));
        all.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<String>>()
    };
    let first = ["Customer 001", "Customer 002", "Customer 003"];
    assert_eq!(listed("LIST OFF name WHILE qty < -17.5"), first);
    assert_eq!(listed("LIST name WHILE qty < -17.5 OFF"), first);
    assert_eq!(listed("DISPLAY name OFF WHILE qty < -17.5"), first);
    assert_eq!(listed("GO 2\nLIST OFF name WHILE qty < -17.5"), first[1..]);
    assert_eq!(listed("GO 2\nLIST ALL OFF name WHILE qty < -17.5"), first);
    assert_eq!(listed("GO 3\nLIST OFF NEXT 5 name WHILE qty < -17.5 FOR ok"), first[2..]);
    // It ends at the first record that is not so, whichever come after it.
    assert!(listed("GO 2\nLIST OFF name WHILE qty < -19").is_empty());
    assert_eq!(
        listed("GO 2\nCOUNT WHILE qty < -17.5\nCOUNT NEXT 4\nCOUNT RECORD 7\nCOUNT FOR qty < -17.5"),
        ["2", "4", "1", "3"]
    );
}

#[test]
fn the_catalog_is_shown() {
    let tables = printed(&[FIXTURES, "--format", "csv"], ".tables\n");
    assert!(tables.lines().any(|line| line.starts_with("t11_bench100k,")), "{tables}");
    let schema = printed(&[FIXTURES], "\\d t03_cdx_tags\n");
    assert!(schema.contains("t03_cdx_tags.cdx"), "{schema}");
    let settings = printed(&[FIXTURES, "--format", "csv"], ".settings\n");
    assert!(settings.starts_with("setting,value,description\n"), "{settings}");
}

#[test]
fn a_file_from_elsewhere_can_be_attached() {
    let folder = tempfile::tempdir().unwrap();
    let file = Path::new(FIXTURES).join("t11_bench100k.dbf");
    let script = format!(".import '{}' AS elsewhere\nSELECT COUNT(*) AS n FROM elsewhere;", file.display());
    let output = run(&[folder.path().to_str().unwrap(), "--format", "csv"], &script);
    assert_eq!(
        (output.status.code(), text(&output.stdout)),
        (Some(0), "n\n100000\n".to_owned()),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn a_file_from_elsewhere_hides_no_file_of_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (shop, known) = (folder.path().to_str().unwrap(), folder.path().join("prices.csv"));
    std::fs::write(&known, "item\n1\n").unwrap();
    let file = Path::new(FIXTURES).join("t11_bench100k.dbf");
    let refused = run(&[shop, "-c", &format!(".import '{}' AS Prices", file.display())], "");
    let told = text(&refused.stderr);
    assert!(refused.status.code() == Some(1) && told.contains("42710") && told.contains("prices.csv"), "{told}");
    let same = run(&[shop, "-c", &format!(".import '{}'", known.display())], "");
    assert_eq!(same.status.code(), Some(0), "{}", text(&same.stderr));
}

#[test]
fn deleted_records_are_shown_when_asked_for() {
    let count = |more: &[&str]| printed(&[&[FIXTURES, "--format", "csv", "--no-header"][..], more].concat(), "");
    let sql = "SELECT COUNT(*) FROM t02_clipper_dbt";
    let hidden: u64 = count(&["-c", sql]).trim().parse().unwrap();
    let shown: u64 = count(&["--show-deleted", "-c", sql]).trim().parse().unwrap();
    assert_eq!(shown, hidden + 3);
    let set: u64 = count(&["-c", "SET DELETED OFF", "-c", sql]).trim().parse().unwrap();
    assert_eq!(set, shown);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_with_130() {
    let folder = tempfile::tempdir().unwrap();
    let sql = "SELECT SUM(a.amt + b.amt) FROM t11_bench100k a, t11_bench100k b";
    let target = folder.path().join("out.csv");
    let mut child = start(&[FIXTURES, "-c", sql, "--output", target.to_str().unwrap()]);
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    assert!(child.try_wait().unwrap().is_none(), "the statement must still run");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let ended = (0..200).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        child.try_wait().unwrap().is_some()
    });
    if !ended {
        child.kill().unwrap();
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Sends SIGINT so many times, a moment after each other, and gives what the program says in the end.
#[cfg(unix)]
fn interrupted(mut child: std::process::Child, times: usize) -> Output {
    for _ in 0..times {
        let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        assert!(killed.success());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let ended = (0..100).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        child.try_wait().unwrap().is_some()
    });
    if !ended {
        child.kill().unwrap();
    }
    child.wait_with_output().unwrap()
}

#[cfg(unix)]
#[test]
fn an_interrupt_undoes_what_a_statement_writes_and_ends_the_script() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["t11_bench100k.dbf", "t11_bench100k.cdx"] {
        std::fs::copy(Path::new(FIXTURES).join(name), folder.path().join(name)).unwrap();
    }
    let path = folder.path().to_str().unwrap();
    let with = |sql: &str| printed(&[path, "--format", "csv", "--no-header", "-c", sql], "");
    with("CREATE TABLE big (id BIGINT PRIMARY KEY, n INTEGER); CREATE INDEX big_n ON big (n)");
    let state = "SELECT count(*), sum(n) FROM big; SELECT count(*), sum(amt) FROM t11_bench100k; SHOW TABLES";
    let before = with(state);
    let native = "INSERT INTO big SELECT a.id * 1000 + b.id, 1 FROM t11_bench100k a JOIN t11_bench100k b ON b.id <= 30";
    let records = "INSERT INTO t11_bench100k (id, amt) SELECT a.id * 1000 + b.id, 1 FROM t11_bench100k a \
                   JOIN t11_bench100k b ON b.id <= 30";
    for sql in [native, records] {
        for times in [1, 2] {
            let child = start(&[path, "-c", sql, "-c", "CREATE TABLE never (id INTEGER)", "--continue-on-error"]);
            std::thread::sleep(std::time::Duration::from_millis(2_000));
            let output = interrupted(child, times);
            let told = text(&output.stderr);
            assert_eq!(output.status.code(), Some(130), "{sql}: {told}");
            assert!(times == 2 || told.contains("SQLSTATE 57014"), "{sql}: {told}");
            assert_eq!(with(state), before, "{sql}");
        }
    }
    // In time, too.
    let output = run(&[path, "--timeout", "1s", "-c", native, "-c", "CREATE TABLE never (id INTEGER)"], "");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert_eq!(with(state), before);
    let checked = run(&["check", path], "");
    assert_eq!((checked.status.code(), text(&checked.stdout)), (Some(0), String::new()));
}

/// The key ends the batch of T-SQL that runs, which is undone before the program ends, and the script behind it.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_batch_of_tsql_and_its_script() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["t11_bench100k.dbf", "t11_bench100k.cdx"] {
        std::fs::copy(Path::new(FIXTURES).join(name), folder.path().join(name)).unwrap();
    }
    let path = folder.path().to_str().unwrap();
    printed(&[path, "-c", "CREATE TABLE big (id BIGINT PRIMARY KEY, n INTEGER)"], "");
    let insert = "INSERT INTO big SELECT a.id * 1000 + b.id, 1 FROM t11_bench100k a JOIN t11_bench100k b ON b.id <= 60";
    let script = folder.path().join("script.txt");
    std::fs::write(&script, format!("PRINT 'begun'\n{insert}\nGO\nINSERT INTO big VALUES (-1, 1)\nGO\n")).unwrap();
    let child = start(&[path, "--tsql", "-f", script.to_str().unwrap()]);
    std::thread::sleep(std::time::Duration::from_millis(2_500));
    let output = interrupted(child, 1);
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert_eq!((text(&output.stdout).trim(), text(&output.stderr).trim()), ("begun", ""));
    let count = printed(&[path, "--format", "csv", "--no-header", "-c", "SELECT count(*) FROM big"], "");
    assert_eq!(count.trim(), "0");
}

/// A folder with a CSV file, and the native tables `bad` and `good`; the first group file is one of `bad`.
fn folder_with_tables() -> (tempfile::TempDir, String, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let shop = folder.path().to_str().unwrap().to_owned();
    std::fs::write(folder.path().join("lines.csv"), "a\n1\n2\n").unwrap();
    printed(&[&shop, "-c", "CREATE TABLE bad (a INT PRIMARY KEY); INSERT INTO bad VALUES (1), (2)"], "");
    let rows: Vec<String> = (10..400).map(|key| format!("({key})")).collect();
    printed(&[&shop, "-c", &format!("INSERT INTO bad VALUES {}", rows.join(","))], "");
    let groups = || -> Vec<std::path::PathBuf> {
        let files = std::fs::read_dir(folder.path().join(".mainstay")).unwrap().map(|entry| entry.unwrap().path());
        let mut groups: Vec<_> = files.filter(|path| path.extension().is_some_and(|it| it == "columns")).collect();
        groups.sort();
        groups
    };
    let first = groups().remove(0);
    printed(&[&shop, "-c", "CREATE TABLE good (a INT PRIMARY KEY); INSERT INTO good VALUES (1), (2)"], "");
    assert_eq!(groups().first(), Some(&first));
    (folder, shop, first)
}

#[test]
fn one_damaged_table_leaves_the_others_and_what_is_left_of_it_is_read() {
    let (folder, shop, group) = folder_with_tables();
    let name = group.file_name().unwrap().to_str().unwrap().to_owned();
    let whole = std::fs::read(&group).unwrap();
    let mut bytes = whole.clone();
    bytes[whole.len() / 2] ^= 255;
    std::fs::write(&group, &bytes).unwrap();

    let csv = |sql: &str| run(&[&shop, "--format", "csv", "-c", sql], "");
    let of_others = csv("INSERT INTO good VALUES (3); SELECT COUNT(*) AS n FROM good; SELECT SUM(a) AS s FROM lines");
    assert_eq!((of_others.status.code(), text(&of_others.stdout)), (Some(0), "n\n3\ns\n3\n".to_owned()));
    assert!(text(&of_others.stderr).contains("warning: ") && text(&of_others.stderr).contains(&name));
    for statement in [
        "SELECT * FROM bad",
        "SELECT COUNT(*) FROM bad",
        "INSERT INTO bad VALUES (5)",
        "DELETE FROM bad WHERE a = 1",
        "BEGIN; CREATE TABLE more (a INT); SELECT * FROM bad",
        "SELECT * FROM good WHERE a IN (SELECT a FROM bad)",
        "ALTER TABLE bad ADD COLUMN b INT",
        "CREATE INDEX i ON bad (a)",
        "BEGIN; CREATE TABLE child (a INT REFERENCES bad); INSERT INTO child VALUES (1)",
        "TRUNCATE TABLE bad",
    ] {
        let refused = csv(statement);
        let told = text(&refused.stderr).split_once("error").map(|(_, told)| told.to_owned()).unwrap_or_default();
        assert_eq!(refused.status.code(), Some(1), "{statement}: {told}");
        assert!(told.contains("XX001") && told.contains("\"bad\" cannot be used") && told.contains(&name), "{told}");
    }
    let listed = csv(".tables");
    assert!(text(&listed.stdout).contains("bad,cannot be read"), "{}", text(&listed.stdout));
    let checked = run(&["check", &shop], "");
    assert_eq!(checked.status.code(), Some(4));
    assert!(text(&checked.stdout).contains(&name) && text(&checked.stdout).contains("\"bad\""));

    let salvaged =
        run(&[&shop, "--salvage", "--format", "csv", "-c", "SELECT COUNT(*) AS n, MAX(a) AS m FROM bad"], "");
    let told = text(&salvaged.stderr);
    assert!(told.contains("of the 392 rows of the last checkpoint are missing"), "{told}");
    let (count, greatest) = (text(&salvaged.stdout).replace("n,m\n", "").trim().to_owned(), ",399");
    assert!(count.ends_with(greatest) && count != "392,399" && count != "0,399", "{count}");
    let refused = run(&[&shop, "--salvage", "-c", "INSERT INTO good VALUES (9)"], "");
    assert!(text(&refused.stderr).contains("25006"), "{}", text(&refused.stderr));

    // T-SQL's sessions say the same.
    let told = run(&[&shop, "--tsql", "-c", "SELECT a FROM good WHERE a = 1; SELECT * FROM bad"], "");
    assert!(text(&told.stderr).contains("\"bad\" cannot be used"), "{}", text(&told.stderr));

    // Put back, it is what it was.
    std::fs::write(&group, &whole).unwrap();
    let all = "SELECT COUNT(*) AS n FROM bad; SELECT COUNT(*) AS n FROM good";
    assert_eq!(printed(&[&shop, "--format", "csv", "-c", all], ""), "n\n392\nn\n3\n");
    std::fs::write(&group, &bytes).unwrap();
    assert_eq!(csv("DROP TABLE bad").status.code(), Some(0));
    assert_eq!(printed(&[&shop, "--format", "csv", "-c", "SELECT COUNT(*) AS n FROM good"], ""), "n\n3\n");
    drop(folder);
}

#[test]
fn files_of_a_folder_answer_where_native_tables_cannot_be_opened() {
    let (folder, shop, _) = folder_with_tables();
    for ending in ["dbf", "cdx"] {
        let fixture = Path::new(FIXTURES).join(format!("t11_bench100k.{ending}"));
        std::fs::copy(fixture, folder.path().join(format!("t11.{ending}"))).unwrap();
    }
    let manifest = folder.path().join(".mainstay/manifest");
    let mut bytes = std::fs::read(&manifest).unwrap();
    bytes[40] ^= 1;
    std::fs::write(&manifest, &bytes).unwrap();
    std::fs::write(folder.path().join(".mainstay/manifest.copy"), &bytes).unwrap();
    let csv = |sql: &str| run(&[&shop, "--format", "csv", "-c", sql], "");
    let answered = csv("SELECT SUM(a) AS s FROM lines; SELECT COUNT(*) AS n FROM t11");
    assert_eq!((answered.status.code(), text(&answered.stdout)), (Some(0), "s\n3\nn\n100000\n".to_owned()));
    assert!(text(&answered.stderr).contains("warning: "), "{}", text(&answered.stderr));
    for statement in
        ["SELECT * FROM good", "CREATE TABLE new (a INT)", "INSERT INTO good VALUES (3)", "DROP TABLE good"]
    {
        let refused = csv(statement);
        let told = text(&refused.stderr).split_once("error").map(|(_, told)| told.to_owned()).unwrap_or_default();
        assert_eq!(refused.status.code(), Some(1), "{statement}: {told}");
        assert!(told.contains("XX001") && told.contains("manifest") && told.contains("mainstay check"), "{told}");
    }
    assert_eq!(std::fs::read(&manifest).unwrap(), bytes);
    let changed = csv("DELETE FROM t11 WHERE id < 0");
    assert_eq!(changed.status.code(), Some(0), "{}", text(&changed.stderr));
    let checked = run(&["check", &shop], "");
    assert_eq!(checked.status.code(), Some(4));
    assert!(text(&checked.stdout).contains("manifest"), "{}", text(&checked.stdout));
    // The objects of T-SQL's databases are among what cannot be read: nothing runs without its triggers.
    let told = run(&[&shop, "--tsql", "-c", "SELECT COUNT(*) FROM t11"], "");
    assert!(text(&told.stderr).contains("cannot be used"), "{} {}", text(&told.stdout), text(&told.stderr));
}

#[test]
fn uuids_and_intervals_are_shown_as_their_texts_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let shop = folder.path().to_str().unwrap();
    let columns = "(u UUID, months INTERVAL YEAR TO MONTH, time INTERVAL DAY TO SECOND)";
    let uuid = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11";
    let made = format!(
        "CREATE TABLE t {columns}; INSERT INTO t VALUES
         ('{uuid}', INTERVAL '1-06' YEAR TO MONTH, INTERVAL '3 04:05:06.7' DAY TO SECOND),
         (UPPER('{uuid}')::UUID, INTERVAL '-0-11' YEAR TO MONTH, INTERVAL '-3 00:00:01' DAY TO SECOND),
         (NULL, INTERVAL '0-00' YEAR TO MONTH, INTERVAL '0 00:00:00' DAY TO SECOND), (NULL, NULL, NULL)"
    );
    printed(&[shop, "-c", &made], "");
    let shown = |format: &str| printed(&[shop, "--format", format, "-c", "SELECT u FROM t LIMIT 1"], "");
    assert_eq!(shown("csv"), format!("u\n{uuid}\n"));
    assert_eq!(shown("json"), format!("[\n{{\"u\":\"{uuid}\"}}\n]\n"));
    assert_eq!(shown("insert"), format!("INSERT INTO result (u) VALUES ('{uuid}');\n"));
    assert!(shown("table").contains("\n│ uuid ") && shown("table").contains(uuid), "{}", shown("table"));
    let texts = "SELECT CAST(u AS VARCHAR) AS a, 'x' || u || '!' AS b, format('%s', u) AS c FROM t LIMIT 1";
    let texts = printed(&[shop, "--format", "csv", "--no-header", "-c", texts], "");
    assert_eq!(texts, format!("{uuid},x{uuid}!,{uuid}\n"));

    let least = "SELECT months FROM t WHERE months IS NOT NULL ORDER BY months LIMIT 1";
    assert_eq!(printed(&[shop, "--format", "csv", "--no-header", "-c", least], ""), "0 years -11 mons\n");
    let file = folder.path().join("time.parquet");
    let refused = run(&[shop, "-o", file.to_str().unwrap(), "-c", "SELECT time FROM t"], "");
    let refused = text(&refused.stderr);
    assert!(refused.contains("Parquet has no type for column time") && refused.contains("0A000"), "{refused}");

    let again = folder.path().join("again.sql");
    let script = again.to_str().unwrap();
    printed(&[shop, "--format", "insert", "-o", script, "-c", "SELECT * FROM t"], "");
    assert!(std::fs::read_to_string(&again).unwrap().contains("INTERVAL '-0-11' YEAR TO MONTH"));
    printed(&[shop, "-c", &format!("CREATE TABLE again {columns}"), "-f", script], "");
    let all = "SELECT COUNT(*) AS n FROM (SELECT * FROM t INTERSECT ALL SELECT * FROM again) x";
    assert_eq!(printed(&[shop, "--format", "csv", "--no-header", "-c", all], ""), "4\n");
}

#[test]
fn a_file_for_results_that_cannot_be_made_ends_with_5() {
    let folder = tempfile::tempdir().unwrap();
    let shop = folder.path().to_str().unwrap();
    let nowhere = folder.path().join("nowhere/x.csv");
    let nowhere = nowhere.to_str().unwrap();
    for arguments in [
        vec![shop, "-o", nowhere, "-c", "SELECT 1"],
        vec![shop, "--continue-on-error", "-c", &format!(".output {nowhere}"), "-c", "SELECT * FROM nothing"],
    ] {
        let output = run(&arguments, "");
        assert_eq!(output.status.code(), Some(5), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains("nowhere"), "{}", text(&output.stderr));
    }
}

#[test]
fn parquet_files_are_tables_like_others() {
    let folder = tempfile::tempdir().unwrap();
    let shop = folder.path().to_str().unwrap();
    let part = |name: &str| folder.path().join("years").join(name);
    std::fs::create_dir(folder.path().join("years")).unwrap();
    let rows = "SELECT 1 AS \"Id\", 'x' AS \"Name\", 5 AS \"NAME\", TIME '10:00:00' AS \"At\",
                TIMESTAMP WITH TIME ZONE '2024-01-01 10:00:00+00' AS \"Zoned\"";
    printed(&[shop, "-o", folder.path().join("p.parquet").to_str().unwrap(), "-c", rows], "");
    let csv = |sql: &str| printed(&[shop, "--format", "csv", "-c", sql], "");
    let found = "1,x,5,10:00:00,2024-01-01 10:00:00+00:00\n";
    assert_eq!(csv("SELECT * FROM p"), format!("Id,Name,NAME_2,At,Zoned\n{found}"));
    assert_eq!(
        csv("SELECT * FROM p WHERE ID = 1 AND NAME = 'x' AND name_2 = 5"),
        format!("Id,Name,NAME_2,At,Zoned\n{found}")
    );
    // As for other tables.
    std::fs::write(folder.path().join("h.csv"), "Id,Name\n1,x\n").unwrap();
    assert_eq!(csv("SELECT ID, p.name FROM p"), csv("SELECT ID, h.name FROM h"));
    printed(
        &[
            shop,
            "-c",
            "CREATE TABLE n (t TIME, z TIMESTAMP WITH TIME ZONE);
                       INSERT INTO n VALUES ('10:00:00', '2024-01-01 09:00:00-01')",
        ],
        "",
    );
    assert_eq!(csv("SELECT COUNT(*) AS n FROM n JOIN p ON n.t = p.at AND n.z = p.zoned"), "n\n1\n");
    let both = "SELECT t, z FROM n UNION ALL SELECT at, zoned FROM p";
    assert_eq!(csv(both).lines().count(), 3, "{}", csv(both));
    assert_eq!(csv("SELECT id FROM p WHERE zoned = '2024-01-01 12:00:00+02' AND at < '11:00'"), "Id\n1\n");
    assert_eq!(csv("CREATE TABLE k AS SELECT * FROM p; SELECT * FROM k"), format!("Id,Name,NAME_2,At,Zoned\n{found}"));

    // A damaged file of a folder is named.
    for name in ["a.parquet", "b.parquet"] {
        std::fs::copy(folder.path().join("p.parquet"), part(name)).unwrap();
    }
    assert_eq!(csv("SELECT COUNT(*) AS n FROM years"), "n\n2\n");
    let bytes = std::fs::read(part("b.parquet")).unwrap();
    // The length of the footer is beyond the file, and the library's arithmetic with it overflows.
    let long = [&b"PAR1"[..], &[0xFF; 100], b"PAR1"].concat();
    for damaged in [&bytes[..bytes.len() / 2], b"PAR1", &[], &long] {
        std::fs::write(part("b.parquet"), damaged).unwrap();
        let refused = run(&[shop, "-c", "SELECT * FROM years"], "");
        assert!(text(&refused.stderr).contains("b.parquet"), "{}", text(&refused.stderr));
        assert_eq!(refused.status.code(), Some(1));
    }
}
