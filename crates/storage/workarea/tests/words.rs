//! Full text search: CONTAINS() in filters and conditions, with and without word indexes, and with writes of other
//! programs.

mod common;

use common::{Seed, walk};
use mainstay_types::Code;
use mainstay_vfs::{FileSystem, Memory};
use mainstay_workarea::{Area, AreaOptions, FieldValue, Mode, Optimized, ValueKind, WordIndex};
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use mainstay_xbase::indexed::Transaction;
use std::path::Path;
use std::sync::Arc;

const ROWS: [(&str, &str); 6] = [
    ("ANN", "Cats and dogs, well-known animals."),
    ("BOB", "A dog near the house; no cat."),
    ("CARL", "The medical doctor"),
    ("DORA", ""),
    ("EMIL", "Both medical doctors and doctors of veterinary medicine require extensive schooling."),
    ("FRED", "O'Malley's catalogue"),
];

fn open(memory: &Memory, mode: Mode) -> Area {
    let options = AreaOptions { mode, implicit_locks: true, ..AreaOptions::default() };
    Area::open(Arc::new(memory.clone()), Path::new("t.dbf"), &options).unwrap()
}

fn table(rows: &[(&str, &str)]) -> Memory {
    let memory = Memory::new();
    let fields = vec![
        FieldSpec::new("NAME", b'C', 20, 0),
        FieldSpec::new("NOTES", b'M', 10, 0),
        FieldSpec::new("ID", b'N', 5, 0),
    ];
    let spec = TableSpec::new(Format::FoxPro, fields);
    Area::create(&(Arc::new(memory.clone()) as _), Path::new("t.dbf"), &spec).unwrap();
    let mut area = open(&memory, Mode::Exclusive);
    rows.iter().for_each(|row| append(&mut area, row));
    area.write().unwrap();
    memory
}

fn append(area: &mut Area, (name, notes): &(&str, &str)) {
    area.append_blank().unwrap();
    area.set_bytes(0, name.as_bytes()).unwrap();
    area.set_bytes(1, notes.as_bytes()).unwrap();
    let id = f64::from(area.record_number());
    area.set(2, &FieldValue::Number(id)).unwrap();
    area.write().unwrap();
}

fn filtered(area: &mut Area, condition: &str) -> Vec<u32> {
    area.set_filter(Some(condition)).unwrap();
    let found = walk(area);
    area.set_filter(None).unwrap();
    found
}

fn index(tag: &str, field: &str) -> WordIndex {
    WordIndex { tag: tag.into(), field: field.into(), ..WordIndex::default() }
}

#[test]
fn a_filter_reads_texts_where_there_is_no_index() {
    let memory = table(&ROWS);
    let mut area = open(&memory, Mode::Shared);
    for (condition, wanted) in [
        ("CONTAINS( notes, 'cat*' )", &[1, 2, 6][..]),
        ("contains(NOTES, 'omalley*') .OR. contains(name, 'dora')", &[4, 6]),
        ("CONTAINS(notes, 'medical and not doctors')", &[3]),
        (".NOT. CONTAINS(notes, 'medical')", &[1, 2, 4, 6]),
        ("CONTAINS(UPPER(name) + name, 'ann')", &[1]),
        ("CONTAINS(notes, 'dog near house') .AND. ID < 5", &[2]),
    ] {
        assert_eq!(filtered(&mut area, condition), wanted, "{condition}");
        assert_eq!(area.set_aof(condition).unwrap(), Optimized::None);
        assert_eq!(walk(&mut area), wanted, "{condition}");
        area.clear_aof();
    }
    area.go_to(2).unwrap();
    assert!(area.evaluate_logical("CONTAINS(notes, 'house') .AND. .T.").unwrap());
    assert_eq!(area.evaluate("CONTAINS(notes, 'cats')").unwrap(), FieldValue::Logical(false));
    assert_eq!(area.check_expression("CONTAINS(*, 'cats')").unwrap(), ValueKind::Logical);
}

#[test]
fn conditions_that_are_none_are_refused() {
    let memory = table(&ROWS);
    let mut area = open(&memory, Mode::Shared);
    let mut number = |condition: &str| area.set_filter(Some(condition)).unwrap_err().dialect().map(|it| it.number);
    assert_eq!(number("CONTAINS(notes, '\"open')"), Some(7094));
    assert_eq!(number("CONTAINS(*, 'word')"), Some(7102));
    assert_eq!(number("CONTAINS(notes, 'the')"), Some(7103));
    let mut code = |condition: &str| area.set_filter(Some(condition)).unwrap_err().code();
    assert_eq!(code("CONTAINS(id, 'word')"), Code::Unsupported);
    assert_eq!(code("CONTAINS(other, 'word')"), Code::UnknownColumn);
    assert_eq!(code("CONTAINS(notes, name)"), Code::TypeMismatch);
    assert_eq!(code("CONTAINS(notes, 'word') .AND. name"), Code::TypeMismatch);
    assert_eq!(code("IIF(CONTAINS(notes, 'word'), .T., .F.)"), Code::UnknownFunction);
}

#[test]
fn an_index_answers_and_says_how_far() {
    let memory = table(&ROWS);
    let mut area = open(&memory, Mode::Shared);
    area.create_word_index(&index("WORDS", "NOTES")).unwrap();
    area.create_word_index(&index("NAMES", "NAME")).unwrap();
    assert_eq!(area.create_word_index(&index("words", "NAME")).unwrap_err().code(), Code::Duplicate);
    assert_eq!(area.create_word_index(&index("MORE", "ID")).unwrap_err().code(), Code::Unsupported);
    for (condition, level, wanted) in [
        ("CONTAINS(notes, 'cat*')", Optimized::Full, &[1, 2, 6][..]),
        ("CONTAINS(notes, '*octor*')", Optimized::Full, &[3, 5]),
        ("CONTAINS(notes, 'medical not doctors')", Optimized::Full, &[3]),
        (".NOT. CONTAINS(notes, 'medical')", Optimized::Full, &[1, 2, 4, 6]),
        ("CONTAINS(notes, '\"medical doctor\"')", Optimized::Part, &[3]),
        ("CONTAINS(notes, 'not \"medical doctor\"')", Optimized::None, &[1, 2, 4, 5, 6]),
        ("CONTAINS(notes, 'dog near house') .AND. ID < 5", Optimized::Part, &[2]),
        ("CONTAINS(notes, 'dog*') .OR. ID = 4", Optimized::None, &[1, 2, 4]),
        ("CONTAINS(*, 'ann dogs')", Optimized::Full, &[1]),
        ("CONTAINS(*, 'fred or emil')", Optimized::Full, &[5, 6]),
        ("CONTAINS(notes, 'nothing')", Optimized::Full, &[]),
    ] {
        assert_eq!(area.set_aof(condition).unwrap(), level, "{condition}");
        assert_eq!(walk(&mut area), wanted, "{condition}");
        area.clear_aof();
        assert_eq!(filtered(&mut area, condition), wanted, "{condition}");
    }
    assert!(area.delete_word_index("Words").unwrap() && !area.delete_word_index("Words").unwrap());
    assert_eq!(area.set_aof("CONTAINS(notes, 'cat*')").unwrap(), Optimized::None);
    assert!(area.delete_word_index("NAMES").unwrap());
    assert!(memory.stamp(Path::new("t.mainstay-words")).is_err(), "nothing is left");
}

#[test]
fn what_another_program_writes_is_found() {
    let memory = table(&ROWS);
    let (mut area, mut other) = (open(&memory, Mode::Shared), open(&memory, Mode::Shared));
    area.create_word_index(&index("WORDS", "NOTES")).unwrap();
    assert!(area.is_word_index_current("WORDS").unwrap());
    append(&mut other, &("GUST", "one more cat"));
    other.go_to(1).unwrap();
    other.set_bytes(1, b"nothing of that kind").unwrap();
    other.write().unwrap();
    assert!(!area.is_word_index_current("WORDS").unwrap());
    assert_eq!(area.set_aof("CONTAINS(notes, 'cat*')").unwrap(), Optimized::Full);
    assert_eq!(walk(&mut area), [2, 6, 7]);
    assert!(area.is_word_index_current("WORDS").unwrap(), "it was made anew");
    // One that must not be made anew is left alone, and the texts are read.
    area.clear_aof();
    area.create_word_index(&WordIndex { is_fixed: true, ..index("FIXED", "NAME") }).unwrap();
    assert_eq!(area.set_aof("CONTAINS(name, 'gust')").unwrap(), Optimized::Full);
    append(&mut other, &("HANS", "none"));
    assert_eq!(area.set_aof("CONTAINS(name, 'hans')").unwrap(), Optimized::None);
    assert_eq!(walk(&mut area), [8]);
    area.clear_aof();
    area.rebuild_word_indexes().unwrap();
    assert_eq!(area.set_aof("CONTAINS(name, 'hans')").unwrap(), Optimized::Full);
}

#[test]
fn who_may_only_read_gets_the_same_answers() {
    let memory = table(&ROWS);
    open(&memory, Mode::Shared).create_word_index(&index("WORDS", "NOTES")).unwrap();
    let mut reader = open(&memory, Mode::ReadOnly);
    assert_eq!(reader.set_aof("CONTAINS(notes, 'cat*')").unwrap(), Optimized::Full);
    assert_eq!(reader.create_word_index(&index("MORE", "NAME")).unwrap_err().code(), Code::ReadOnly);
    append(&mut open(&memory, Mode::Shared), &("GUST", "one more cat"));
    assert_eq!(reader.set_aof("CONTAINS(notes, 'cat*')").unwrap(), Optimized::None, "the index is old");
    assert_eq!(walk(&mut reader), [1, 2, 6, 7]);
    memory.write("t.mainstay-words", b"damaged".to_vec());
    assert_eq!(filtered(&mut reader, "CONTAINS(notes, 'cat*')"), [1, 2, 6, 7]);
    assert_eq!(reader.word_indexes().unwrap(), []);
}

#[test]
fn a_transaction_is_searched_and_leaves_no_words_behind() {
    let memory = table(&ROWS);
    let mut area = open(&memory, Mode::Shared);
    area.create_word_index(&index("WORDS", "NOTES")).unwrap();
    let transaction = Transaction::begin(Arc::new(memory.clone()));
    area.enlist(&transaction).unwrap();
    area.go_to(4).unwrap();
    area.set_bytes(1, b"a catfish").unwrap();
    assert_eq!(area.set_aof("CONTAINS(notes, 'cat*')").unwrap(), Optimized::None);
    assert_eq!(walk(&mut area), [1, 2, 4, 6]);
    area.clear_aof();
    mainstay_workarea::rollback(&transaction, &mut [&mut area]).unwrap();
    assert_eq!(area.set_aof("CONTAINS(notes, 'cat*')").unwrap(), Optimized::Full);
    assert_eq!(walk(&mut area), [1, 2, 6]);
}

#[test]
fn random_conditions_have_the_same_answer_with_and_without_an_index() {
    const WORDS: [&str; 9] = ["apple", "applesauce", "pie", "the", "Pie-Chart", "sauce", "O'Pie", "no.1", "apfel"];
    let mut seed = Seed(20_261_122);
    let rows: Vec<String> = (0..300)
        .map(|_| (0..seed.below(9)).map(|_| WORDS[seed.below(WORDS.len())]).collect::<Vec<_>>().join(" "))
        .collect();
    let rows: Vec<(&str, &str)> = rows.iter().map(|row| ("x", row.as_str())).collect();
    let memory = table(&rows);
    let mut area = open(&memory, Mode::Shared);
    let mut new = index("WORDS", "NOTES");
    new.options.longest = 5;
    area.create_word_index(&new).unwrap();
    let (mut full, mut found) = (0, 0);
    for _ in 0..200 {
        let mut term = || match seed.below(6) {
            0 => format!("{}*", &WORDS[seed.below(WORDS.len())][..3]),
            1 => "*sauce".to_owned(),
            2 => format!("\"{} {}\"", WORDS[seed.below(3)], WORDS[seed.below(WORDS.len())]),
            3 => format!("({} near(2) {})", WORDS[seed.below(3)], WORDS[seed.below(3)]),
            _ => WORDS[seed.below(WORDS.len())].to_owned(),
        };
        let (first, second, third) = (term(), term(), term());
        let join = ["and", "or", "and not", ""];
        let condition = format!(
            "CONTAINS(notes, 'apple or {first} {} ({second} {} {third})')",
            join[seed.below(4)],
            join[seed.below(3)]
        );
        let condition = if seed.below(2) == 0 { condition } else { condition.replace("apple or ", "") };
        let condition = if seed.below(4) == 0 { format!(".NOT. {condition}") } else { condition };
        if area.check_expression(&condition).is_err() {
            continue;
        }
        let wanted = filtered(&mut area, &condition);
        full += usize::from(area.set_aof(&condition).unwrap() != Optimized::None);
        assert_eq!(walk(&mut area), wanted, "{condition}");
        found += wanted.len();
        area.clear_aof();
    }
    assert!(full > 80 && found > 2000, "{full}, {found}");
}
