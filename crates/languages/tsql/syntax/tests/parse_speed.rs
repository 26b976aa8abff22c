//! Speed of reading the corpus: `cargo test --release -p mainstay-tsql-syntax --test parse_speed -- --ignored
//! --nocapture`.

use mainstay_tsql_syntax::{Options, batches, parse, print, tokens};
use std::path::Path;
use std::time::{Duration, Instant};

#[test]
#[ignore = "measures, and proves nothing"]
fn the_corpus_in_megabytes_a_second() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut text = String::new();
    for entry in folder.read_dir().expect("the corpus") {
        #[expect(clippy::disallowed_methods, reason = "the corpus is part of the sources, not stored data")]
        let file = std::fs::read_to_string(entry.expect("an entry").path()).expect("a file of the corpus");
        text.push_str(&file);
    }
    let all = batches(&text);
    let measure = |what: &str, work: &dyn Fn(&str) -> usize| {
        let (started, mut rounds, mut count) = (Instant::now(), 0, 0);
        while started.elapsed() < Duration::from_secs(1) {
            count += all.iter().map(|batch| work(batch.text)).sum::<usize>();
            rounds += 1;
        }
        let megabytes = text.len() as f64 * f64::from(rounds) / 1e6;
        println!("{what}: {:.1} MB/s ({count} in {rounds} rounds)", megabytes / started.elapsed().as_secs_f64());
    };
    measure("tokens", &|batch| tokens(batch).0.len());
    measure("parse", &|batch| parse(batch, Options::default()).statements.len());
    measure("parse and print", &|batch| print(&parse(batch, Options::default()).statements).len());
}
