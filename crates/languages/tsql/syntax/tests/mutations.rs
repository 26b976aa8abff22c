//! Mutated texts: the corpus with tokens left out, doubled and swapped, and bytes changed at random.
//!
//! The parser returns for every text: no panic, no endless loop, places within the text, and every tree prints to a
//! text without new kinds of errors. The mutations are the same in every run.

use mainstay_tsql_syntax::{Options, batches, parse, print, tokens};
use std::path::Path;
use std::time::{Duration, Instant};

/// The numbers of a xorshift generator.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// Messages about what the grammar takes.
const MEANING: [u32; 16] = [109, 110, 111, 119, 132, 133, 134, 135, 136, 137, 141, 154, 178, 179, 1087, 10704];

/// The time limit of the mutations; the first texts of each kind are always reached.
const TIME: Duration = Duration::from_secs(20);

fn corpus() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut paths: Vec<_> =
        folder.read_dir().expect("the corpus").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    #[expect(clippy::disallowed_methods, reason = "the corpus is part of the sources, not stored data")]
    let texts: Vec<String> =
        paths.iter().map(|path| std::fs::read_to_string(path).expect("a file of the corpus")).collect();
    // Batches are cut into pieces of a few lines, so that many mutations still are of the grammar.
    let lines = |batch: &str| {
        let lines: Vec<&str> = batch.lines().collect();
        lines.chunks(3).map(|chunk| chunk.join("\n")).collect::<Vec<_>>()
    };
    texts.iter().flat_map(|text| batches(text).into_iter().flat_map(|batch| lines(batch.text))).collect()
}

/// The pieces of a text: its tokens, each with the blanks before it.
fn pieces(text: &str) -> Vec<&str> {
    let mut start = 0;
    let mut found = Vec::new();
    for token in tokens(text).0 {
        let end = token.span.end as usize;
        found.push(&text[start..end]);
        start = end;
    }
    found
}

fn mutated(random: &mut Random, text: &str, other: &str) -> String {
    if random.below(4) == 0 {
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..1 + random.below(8) {
            let at = random.below(bytes.len());
            match (random.below(3), bytes.get_mut(at)) {
                (0, Some(byte)) => *byte = random.below(256) as u8,
                (1, Some(_)) => drop(bytes.remove(at)),
                _ => bytes.insert(at, b"()[]'\"@,;.*/-{}=<>:\x00\xFF"[random.below(21)]),
            }
        }
        return String::from_utf8_lossy(&bytes).into_owned();
    }
    let (mut parts, others) = (pieces(text), pieces(other));
    for _ in 0..1 + random.below(4) {
        let (a, b) = (random.below(parts.len()), random.below(parts.len()));
        match random.below(5) {
            0 => drop(parts.remove(a)),
            1 => parts.insert(a, parts[b]),
            2 => parts.swap(a, b),
            3 => parts.insert(a, others[random.below(others.len())]),
            _ => parts.truncate(a + 1),
        }
        if parts.is_empty() {
            break;
        }
    }
    parts.concat()
}

/// Returns true if the text is of the grammar.
fn check(text: &str) -> bool {
    let parsed = parse(text, Options::default());
    let length = text.len() as u32;
    for error in &parsed.errors {
        assert!(error.span.start <= error.span.end && error.span.end <= length, "{error} in {text}");
        assert!(error.line >= 1 && error.number > 0 && !error.message.is_empty(), "{error}");
    }
    for statement in &parsed.statements {
        assert!(!statement.span.of(text).is_empty(), "a statement without a text in {text}");
    }
    // The printed form of a text that the grammar takes is in the grammar too, and means the same.
    let printed = print(&parsed.statements);
    let is_of_grammar = |number: u32| !MEANING.contains(&number);
    let is_read = !parsed.errors.iter().any(|error| is_of_grammar(error.number));
    if is_read {
        let again = parse(&printed, Options::default());
        let wrong = again.errors.iter().find(|error| is_of_grammar(error.number));
        assert!(
            wrong.is_none(),
            "{}\nin\n{printed}\nprinted of\n{text}",
            wrong.map_or(String::new(), |e| e.to_string())
        );
        assert!(again.statements == parsed.statements, "another tree of\n{printed}\nprinted of\n{text}");
    }
    is_read
}

#[test]
fn no_mutation_of_the_corpus_breaks_the_parser() {
    let corpus = corpus();
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let started = Instant::now();
    let (mut all, mut read) = (0, 0);
    for round in 0..40_000 {
        let (one, other) = (random.below(corpus.len()), random.below(corpus.len()));
        all += 1;
        read += usize::from(check(&mutated(&mut random, &corpus[one], &corpus[other])));
        if round >= 2_000 && started.elapsed() > TIME {
            break;
        }
    }
    // Mutations that are all refused would say little of the printer.
    assert!(read * 20 > all, "only {read} of {all} mutations are of the grammar");
}

/// Every text that ends too early.
#[test]
fn no_beginning_of_a_statement_breaks_the_parser() {
    for text in corpus() {
        let parts = pieces(&text);
        for count in (0..parts.len()).step_by(7) {
            check(&parts[..count].concat());
        }
    }
}

#[test]
fn random_bytes_break_nothing() {
    let mut random = Random(42);
    for _ in 0..5_000 {
        let bytes: Vec<u8> = (0..random.below(60)).map(|_| random.below(256) as u8).collect();
        check(&String::from_utf8_lossy(&bytes));
    }
}
