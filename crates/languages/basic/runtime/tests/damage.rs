//! Damaged programs: whatever is done to their text, they end with an error or without, and never panic.

mod harness;

use mainstay_basic::check;
use mainstay_vfs::{Disk, FileSystem};

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit.max(1)
    }
}

fn sources() -> Vec<Vec<u8>> {
    let entries = Disk.list(harness::programs()).unwrap();
    let programs = entries.iter().filter(|entry| entry.path.extension().is_some_and(|ending| ending == "bas"));
    programs.map(|entry| Disk.read(&entry.path).unwrap()).collect()
}

/// Cuts, copies, swaps and replaces bytes, words and lines.
fn damage(source: &[u8], others: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut text = source.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(text.len());
        let end = (at + random.below(30)).min(text.len());
        match random.below(6) {
            0 => drop(text.drain(at..end)),
            1 => {
                let piece = text[at..end].to_vec();
                let to = random.below(text.len());
                text.splice(to..to, piece);
            }
            2 => {
                let other = &others[random.below(others.len())];
                let from = random.below(other.len());
                let piece = other[from..(from + random.below(60)).min(other.len())].to_vec();
                text.splice(at..end, piece);
            }
            3 => {
                if let Some(byte) = text.get_mut(at) {
                    *byte = random.below(256) as u8;
                }
            }
            4 => {
                let words: [&[u8]; 14] = [
                    b"(",
                    b")",
                    b"-1",
                    b"999999999999",
                    b"$",
                    b"\"",
                    b"*",
                    b",",
                    b";",
                    b"{ALL}",
                    b"[*]",
                    b"1E70",
                    b"FOR",
                    b"=",
                ];
                let word = words[random.below(words.len())].to_vec();
                text.splice(at..at, word);
            }
            _ => text.truncate(at),
        }
    }
    text
}

#[test]
fn damaged_programs_end() {
    let sources = sources();
    let rounds = std::env::var("MAINSTAY_FUZZ_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(1500);
    let mut random = Random(7);
    for round in 0..rounds {
        let text = damage(&sources[round % sources.len()], &sources, &mut random);
        check("damaged", &text);
        let (mut session, written) = harness::session(b"1\nY\n", false);
        session.limit_operations(50_000);
        let _ = session.run_text("damaged", &text);
        assert!(written.text().len() < 100 << 20);
    }
}

/// The listing of what was parsed parses to the same listing.
#[test]
fn listings_parse_to_themselves() {
    use mainstay_basic_syntax::{parse, print};
    for source in sources() {
        let listed = print::program(&parse(&source));
        let again = print::program(&parse(&listed));
        assert_eq!(String::from_utf8_lossy(&again), String::from_utf8_lossy(&listed));
    }
}

#[test]
fn deep_expressions_and_blocks_are_refused() {
    for text in [
        format!("A={}1{}", "(".repeat(50_000), ")".repeat(50_000)),
        format!("A={}1", "-".repeat(50_000)),
        format!("A={}1", "1+".repeat(30_000)),
        format!("{}A=1", "IF 1 THEN ".repeat(20_000)),
        format!("A$={}", "\"x\"+".repeat(30_000)),
    ] {
        let found = check("deep", text.as_bytes());
        assert!(found.iter().any(|diagnostic| matches!(diagnostic.code, 20 | 30)), "{:?}", found.first());
    }
}

#[test]
fn endless_recursion_and_growth_end_with_an_error() {
    for (text, code) in [
        ("10 GOSUB 10", "#31"),
        ("10 DEF FNA(X)=FNA(X+1)\n20 PRINT FNA(1)", "#25"),
        ("10 EXECUTE \"PERFORM PGN\"", "#12"),
        ("10 A$=\"x\"\n20 A$=A$+A$; GOTO *SAME", "#31"),
        ("10 DIM A[1:99999999]", "#31"),
        ("10 FOR I=1 TO 9; GOTO 10", "#127"),
        ("10 WHILE 1; WEND", "#127"),
        ("10 SETERR 10\n20 X=1/0", "#127"),
    ] {
        let (mut session, _) = harness::session(b"", false);
        session.limit_operations(3_000_000);
        let failure = session.run_text("growing", text.as_bytes()).unwrap_err();
        assert!(failure.to_string().contains(code), "{text}: {failure}");
    }
}

#[test]
fn compiled_program_files_are_refused_with_a_hint() {
    let found = check("menu", b"\x02PVX\x00\x01\x02\x03\x00\x00");
    assert_eq!(found[0].code, 18);
    assert!(found[0].hint.contains("list it to a text file"), "{}", found[0].hint);
}
