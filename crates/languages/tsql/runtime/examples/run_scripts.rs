//! Runs files of T-SQL, as `sqlcmd -i` does, each over a new database in memory: to find the statements of an
//! application's scripts that do not run yet.
//!
//! ```text
//! cargo run --workspace --example run_scripts -- [--all] [--together] FILE...
//! ```
//!
//! Prints every error with its batch, then the number of batches with errors; with `--all` also the output that a
//! client would see. With `--together` all files share one database. Files may be UTF-8, UTF-16 with a mark, or
//! Latin-1.

#![allow(clippy::disallowed_methods, reason = "the scripts are files of whoever runs it")]
#![allow(clippy::print_stdout, reason = "it is a tool that prints")]

#[path = "../tests/common/mod.rs"]
mod common;

use common::Transcript;
use mainstay_engine::Database;
use mainstay_tsql_runtime::Instance;
use std::collections::BTreeMap;

/// A file as text, whatever it was saved as.
fn decode(bytes: &[u8]) -> String {
    let wide = |read: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|pair| read([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xFF, 0xFE, ..] => wide(u16::from_le_bytes),
        [0xFE, 0xFF, ..] => wide(u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
        },
    }
}

/// The number of batches that ran, and the errors of each kind.
#[derive(Default)]
struct Tally {
    batches: usize,
    failed: usize,
    errors: BTreeMap<i32, usize>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (options, files): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let shows_all = options.iter().any(|option| option == "--all");
    let together = options.iter().any(|option| option == "--together");
    let mut session = Instance::new(Database::in_memory()?, "test").session();
    for file in &files {
        if !together {
            session = Instance::new(Database::in_memory()?, "test").session();
        }
        let text = decode(&std::fs::read(file)?);
        let mut tally = Tally::default();
        println!("== {file}");
        for batch in mainstay_tsql_syntax::batches(&text) {
            for _ in 0..batch.count {
                let mut transcript = Transcript::default();
                session.batch(batch.text, &mut transcript);
                tally.batches += 1;
                tally.failed += usize::from(!transcript.errors.is_empty());
                if shows_all {
                    println!("{}--", transcript.text);
                }
                for error in &transcript.errors {
                    *tally.errors.entry(error.number).or_default() += 1;
                    let line = batch.text.lines().nth((error.line as usize).saturating_sub(1)).unwrap_or("").trim();
                    println!("line {}+{}: {error}\n      {line}", batch.first_line, error.line);
                }
            }
        }
        println!("   {} batches, {} with errors: {:?}", tally.batches, tally.failed, tally.errors);
    }
    Ok(())
}
