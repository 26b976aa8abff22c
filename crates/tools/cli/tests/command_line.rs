//! The binary as a process: its output streams and exit codes.
#![allow(clippy::disallowed_methods)]

use std::io::Write;
use std::process::{Command, Output, Stdio};

fn mainstay(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mainstay"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may end before it reads anything.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn help_goes_to_standard_output_and_starts_with_examples() {
    let output = mainstay(&["--help"], "");
    assert_eq!(output.status.code(), Some(0));
    let help = text(&output.stdout);
    assert!(help.find("Examples:") < help.find("Usage:"), "{help}");
    assert_eq!(text(&output.stderr), "");
    assert_eq!(mainstay(&["help"], "").stdout, output.stdout);
}

#[test]
fn a_senseless_command_line_ends_with_two() {
    for arguments in [&["--colour"][..], &["a", "b"], &["--threads", "0"], &["--memory-limit", "much"], &["check"]] {
        let output = mainstay(arguments, "");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).starts_with("error: "), "{arguments:?}");
        assert_eq!(text(&output.stdout), "");
    }
}

#[test]
fn what_cannot_be_opened_ends_with_three() {
    let output = mainstay(&["/no/such/folder", "-c", "SELECT 1"], "");
    assert_eq!(output.status.code(), Some(3));
    let error = text(&output.stderr);
    assert!(error.contains("/no/such/folder") && error.contains("code: not_found"), "{error}");
    assert_eq!(mainstay(&["check", "/no/such/folder"], "").status.code(), Some(3));
}

/// As `.export` does; a format that was asked for needs no ending.
#[test]
fn a_file_for_results_whose_name_asks_for_no_format_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let shop = folder.path().to_str().unwrap();
    let [unknown, bare, known] = ["x.unknown", "x", "x.csv"].map(|name| folder.path().join(name).display().to_string());
    for file in [&unknown, &bare] {
        let output = mainstay(&[shop, "-o", file, "-c", "SELECT 1 AS a"], "");
        assert_eq!(output.status.code(), Some(2), "{file}");
        let error = text(&output.stderr);
        assert!(error.contains("names no format") && error.contains("hint: end it in .csv"), "{error}");
        let output = mainstay(&[shop, "-c", &format!(".output {file}"), "-c", "SELECT 1 AS a"], "");
        assert_eq!(output.status.code(), Some(1), "{file}");
        assert!(!std::path::Path::new(file).exists());
    }
    let written = |arguments: &[&str], file: &str| {
        let output = mainstay(&[&[shop], arguments].concat(), "");
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{arguments:?}");
        std::fs::read_to_string(file).unwrap()
    };
    let select = ["-c", "SELECT 1 AS a"];
    assert_eq!(written(&[&["--format", "csv", "-o", &unknown][..], &select].concat(), &unknown), "a\n1\n");
    let output = format!(".output {bare}");
    assert_eq!(written(&[&["-c", ".mode csv", "-c", &output][..], &select].concat(), &bare), "a\n1\n");
    assert_eq!(written(&[&["-o", &known][..], &select].concat(), &known), "a\n1\n");
    assert_eq!(mainstay(&[&[shop, "-o", "/dev/null"][..], &select].concat(), "").status.code(), Some(0));
}

#[test]
fn commands_work_in_scripts_and_unknown_ones_have_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let output = mainstay(&[folder], ".help quit\n.quit\n.nonsense\n");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
    assert!(text(&output.stdout).starts_with(".quit"));

    let output = mainstay(&[folder], "\n.tabels\n");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("hint: did you mean .tables?"), "{}", text(&output.stderr));
}

#[test]
fn a_script_that_runs_itself_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("again.sql");
    std::fs::write(&script, format!(".read '{}'\n", script.display())).unwrap();
    let output = mainstay(&[folder.path().to_str().unwrap(), "-f", script.to_str().unwrap()], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("deep"), "{}", text(&output.stderr));
}

#[test]
fn a_script_that_is_no_text_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("latin.sql");
    std::fs::write(&script, b"SELECT '\xe9'").unwrap();
    let output = mainstay(&[folder.path().to_str().unwrap(), "-f", script.to_str().unwrap()], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("not UTF-8 (from byte 8)"), "{}", text(&output.stderr));
}

#[test]
fn tsql_runs_batches_and_says_what_failed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let script = "CREATE TABLE t (n INT)\nGO\nINSERT INTO t VALUES (1)\nGO 2\nSELECT COUNT(*) AS n FROM t\nGO\n";
    let output = mainstay(&[folder, "--tsql"], script);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
    assert!(text(&output.stdout).ends_with("\nn\n-\n2\n\n(1 row affected)\n"), "{}", text(&output.stdout));

    let output = mainstay(&[folder, "--tsql", "-c", "SELECT * FROM nothing\nGO\nSELECT 7 AS n"], "");
    assert_eq!(output.status.code(), Some(1));
    let error = "Msg 208, Level 16, State 1, Server MAINSTAY, Line 1\nInvalid object name 'nothing'.\n";
    assert_eq!(text(&output.stderr), error);
    assert!(text(&output.stdout).contains("\n7\n"), "{}", text(&output.stdout));
}

#[test]
fn informix_scripts_keep_to_the_timeout_and_print_definitions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let script = "CREATE TABLE t (id SERIAL PRIMARY KEY, name VARCHAR(9) DEFAULT 'x');\nGRANT SELECT ON t TO PUBLIC;\n\
                  CREATE PROCEDURE p() DEFINE i INT; LET i = 0; LOOP LET i = 1 - i; END LOOP; END PROCEDURE;\n\
                  EXECUTE PROCEDURE p();\n";
    let output = mainstay(&[path, "--informix", "--timeout", "500ms"], script);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).starts_with("line 4: -213: "), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "Done.\n\nWarning: accepted without effect.\n\nDone.\n\n");
    let schema = mainstay(&[path, "--informix", "--schema=t"], "");
    let expected = "create table t\n  (\n    id serial not null,\n    name varchar(9) default 'x',\n    \
                    primary key (id) constraint t_pkey\n  );\n\n";
    assert_eq!(text(&schema.stdout), expected);
    assert_eq!(mainstay(&[path, "--informix", "--schema=nosuch"], "").status.code(), Some(1));
}

#[test]
fn informix_scripts_load_and_unload() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(file("in.unl"), "0|bolt|1.25|02/29/2024|\n0|a\\|b|||\n").unwrap();
    let script = format!(
        "CREATE TABLE t (id SERIAL, name VARCHAR(9), price DECIMAL(8,2), since DATE);\n\
         LOAD FROM '{}' INSERT INTO t;\n\
         CREATE FUNCTION twice(p DECIMAL(8,2)) RETURNING DECIMAL(8,2); RETURN p * 2; END FUNCTION;\n\
         UNLOAD TO '{}' DELIMITER '!' SELECT id, name, twice(price), since FROM t ORDER BY id;\n\
         SELECT nosuch FROM t;\nSELECT 1 FROM t;\n",
        file("in.unl"),
        file("out.unl")
    );
    let output = mainstay(&[folder.path().to_str().unwrap(), "--informix"], &script);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).starts_with("line 5: -217: "), "{}", text(&output.stderr));
    let told = "Done.\n\n2 row(s) loaded.\n\nDone.\n\n2 row(s) unloaded.\n\n";
    assert_eq!(text(&output.stdout), told);
    assert_eq!(std::fs::read_to_string(file("out.unl")).unwrap(), "1!bolt!2.50!02/29/2024!\n2!a|b!!!\n");
}

/// The time is that of a batch, whatever it does; the script goes on behind it.
#[test]
fn tsql_batches_end_when_their_time_is_over() {
    let folder = tempfile::tempdir().unwrap();
    let script =
        "DECLARE @n INT = 1\nWHILE 1 = 1 SET @n = 3 - @n\nGO\nWAITFOR DELAY '00:10:00'\nGO\nSELECT 7 AS n\nGO\n";
    let output = mainstay(&[folder.path().to_str().unwrap(), "--tsql", "--timeout", "300ms", "-c", script], "");
    assert_eq!(output.status.code(), Some(1));
    let error = "The query has been canceled because it ran longer than the configured limit. Contact the system \
                 administrator.\n";
    let told = format!("Msg 8649, Level 17, State 1, Server MAINSTAY, Line 2\n{error}");
    let waited = format!("Msg 8649, Level 17, State 1, Server MAINSTAY, Line 1\n{error}");
    assert_eq!(text(&output.stderr), told + &waited);
    assert!(text(&output.stdout).contains("\n7\n"), "{}", text(&output.stdout));
}

/// Commands of sqlcmd itself in scripts: variables, files, and the end at the first error.
#[test]
fn tsql_scripts_have_variables_and_other_files() {
    let folder = tempfile::tempdir().unwrap();
    let (other, folder) = (folder.path().join("other.sql"), folder.path().to_str().unwrap());
    std::fs::write(&other, "SELECT '$(Word)' AS other\nGO\n").unwrap();
    let script = format!(":setvar Word \"of two\"\nSELECT '$(Given)' AS given\nGO\n:r {}\n", other.display());
    let output = mainstay(&[folder, "--tsql", "-v", "Given=first", "-c", &script], "");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
    let seen = text(&output.stdout);
    assert!(seen.contains("\nfirst\n") && seen.contains("\nof two\n"), "{seen}");

    let failing = ":on error exit\nSELECT 1 AS n\nGO\nSELECT * FROM nothing\nGO\nSELECT 7 AS n\nGO\n";
    let output = mainstay(&[folder, "--tsql"], failing);
    assert_eq!(output.status.code(), Some(1));
    assert!(!text(&output.stdout).contains('7') && text(&output.stderr).contains("208"), "{}", text(&output.stdout));
    let output = mainstay(&[folder, "--tsql", "-c", ":setvar a 1\nSELECT $(b)\n"], "");
    assert!(text(&output.stderr).contains("'b' scripting variable not defined."), "{}", text(&output.stderr));
}

#[test]
fn tsql_scripts_may_be_utf_16_or_in_a_code_page() {
    let folder = tempfile::tempdir().unwrap();
    let (wide, old) = (folder.path().join("wide.sql"), folder.path().join("old.sql"));
    let folder = folder.path().to_str().unwrap();
    let script: Vec<u8> =
        "\u{feff}SELECT N'Malm\u{f6}' AS city\r\nGO\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(&wide, script).unwrap();
    let output = mainstay(&[folder, "--tsql", "-f", wide.to_str().unwrap()], "");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
    assert!(text(&output.stdout).contains("\nMalm\u{f6}\n"), "{}", text(&output.stdout));

    std::fs::write(&old, b"SELECT 'Malm\xF6' AS city\nGO\n").unwrap();
    let output = mainstay(&[folder, "--tsql", "-c", &format!(":r {}\n", old.display())], "");
    assert!(text(&output.stderr).contains("old.sql: neither UTF-8 nor UTF-16; read as Windows-1252"));
    assert!(text(&output.stdout).contains("\nMalm\u{f6}\n"), "{}", text(&output.stdout));

    // The code page applies to files, to those that they read, and to procedures.
    std::fs::write(&old, b"SELECT 'Malm\x94' AS city\nGO\nEXEC dbo.town\nGO\n").unwrap();
    std::fs::create_dir(std::path::Path::new(folder).join("procedures")).unwrap();
    std::fs::write(
        std::path::Path::new(folder).join("procedures/town.sql"),
        b"CREATE PROCEDURE dbo.town AS SELECT '\x8Ere' AS town\n",
    )
    .unwrap();
    for from in [["-f", old.to_str().unwrap()], ["-c", &format!(":r {}\n", old.display())]] {
        let output = mainstay(&[folder, "--tsql", "--script-codepage", "850", from[0], from[1]], "");
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
        let shown = text(&output.stdout);
        assert!(shown.contains("\nMalm\u{f6}\n") && shown.contains("\n\u{c4}re\n"), "{shown}");
    }
    let output = mainstay(&[folder, "--tsql", "--script-codepage", "851"], "");
    assert!(text(&output.stderr).contains("a code page is one of 437, 850"), "{}", text(&output.stderr));
}

#[cfg(unix)]
#[test]
fn the_benchmark_is_the_program_beside_and_its_exit_code_is_given_on() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let command = folder.path().join("mainstay");
    std::fs::hard_link(env!("CARGO_BIN_EXE_mainstay"), &command).unwrap();
    let bench = || Command::new(&command).args(["bench", "cloud", "--only", "a b"]).env("PATH", "").output().unwrap();

    let output = bench();
    assert_eq!(output.status.code(), Some(3));
    let error = text(&output.stderr);
    assert!(error.contains("cannot start mainstay-bench") && error.contains("--bin mainstay-bench"), "{error}");

    let program = folder.path().join("mainstay-bench");
    std::fs::write(&program, "#!/bin/sh\nprintf '<%s>' \"$@\"\nexit 7\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let output = bench();
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(7), "<cloud><--only><a b>"));
}

#[test]
fn a_script_that_is_not_there_is_named_once() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    for tsql in [&[][..], &["--tsql"]] {
        let output = mainstay(&[&[folder, "-f", "/no/such/script.sql"], tsql].concat(), "");
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(text(&output.stderr).matches("/no/such/script.sql").count(), 1, "{}", text(&output.stderr));
    }
}

#[test]
#[cfg(unix)]
fn a_script_may_come_from_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    let output = mainstay(&[folder, "--format", "csv", "-f", "/dev/stdin"], "SELECT 7 AS a");
    assert_eq!(text(&output.stdout), "a\n7\n", "{}", text(&output.stderr));
}
