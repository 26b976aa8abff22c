//! Key definitions: the text form, limits, and the keys that each attribute makes.
//!
//! Expected values are derived from the table of attributes on the manual's page of KEYED.

mod model;

use mainstay_basic_files::key::{KeyLimits, KeySource};
use mainstay_basic_files::{FileDefinition, FileErrorKind, KeyDefinitions, RecordFormat, SegmentField};

fn parse(text: &str) -> KeyDefinitions {
    KeyDefinitions::parse(text).unwrap()
}

/// The compared key of number 0, and the form that programs see.
fn key(definition: &str, record: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let keys = parse(definition);
    let source = KeySource { record, external: b"EXTERN", separator: 0x8A };
    let (mut compared, mut shown) = (Vec::new(), Vec::new());
    let key = keys.keys().last().unwrap();
    key.make(&source, &mut compared).then(|| {
        key.shown(&compared, &mut shown);
        (compared, shown)
    })
}

fn compared(definition: &str, record: &[u8]) -> Vec<u8> {
    key(definition, record).unwrap().0
}

/// Records in the order of a key.
fn sorted<'r>(definition: &str, records: &[&'r str]) -> Vec<&'r str> {
    let mut sorted = records.to_vec();
    sorted.sort_by_key(|record| compared(definition, record.as_bytes()));
    sorted
}

#[test]
fn definitions_are_read_and_written() {
    let keys = parse(r#" 6 , ["Name":2:1:8:"U"] + [KEY:1:3] , [0:10:4] "#);
    assert_eq!(keys.external_length(), Some(6));
    assert_eq!(keys.keys().len(), 3);
    assert_eq!(keys.number_of("NAME").unwrap(), 1);
    assert_eq!(keys.keys()[1].segments[1].field, SegmentField::External);
    assert_eq!(keys.keys()[2].segments[0].field, SegmentField::Record);
    assert!(keys.is_unique(0) && keys.is_unique(1) && !keys.is_unique(2));
    assert_eq!(keys.to_string(), r#"6,["Name":2:1:8:"U"]+[KEY:1:3],[0:10:4]"#);
    for text in [
        r#"[1:1:6]"#,
        r#"[1:1:6:"B.2D"],[2:1:4:"CT"],[2:1:4:"LSZ"],[3:1:2:"N:20"],[3:1:2:"K"]"#,
        r#"[0:1:4:"I"]"#,
        r#"[1:1:5:"+"],[2:1:2:"-"]"#,
        r#"["a""b":1:1:6]"#,
        r#"6,[],[2:1:3]"#,
    ] {
        assert_eq!(parse(text).to_string(), text);
    }
    // Attributes need no quotation marks, and case does not count.
    assert_eq!(parse("[1:1:6:d]").to_string(), r#"[1:1:6:"D"]"#);
}

#[test]
fn everything_that_is_wrong_is_reported_with_its_place() {
    let (keys, diagnostics) = KeyDefinitions::parse_all(r#"6,[1:0:5],[2:1:4],[3:1:2:"Q"]"#);
    assert_eq!(keys.keys().len(), 2);
    let found: Vec<(usize, &str)> = diagnostics.iter().map(|one| (one.start, one.message.as_str())).collect();
    assert_eq!(found, [(5, "an offset is out of range"), (26, "there is no attribute Q")]);
    for text in [
        "",
        "[",
        "[1:1]",
        "6,",
        "[1:1:5",
        "[\"n:1:1:5]",
        "[1:1:5]x",
        "[1:1:5:\"B.19\"]",
        "[1:1:5:\"K:\"]",
        "99999999999",
    ] {
        let error = KeyDefinitions::parse(text).unwrap_err();
        assert_eq!((error.kind(), error.number()), (FileErrorKind::KeyDefinition, 80), "{text}");
    }
}

#[test]
fn limits_and_exclusions_are_error_80() {
    let check = |text: &str, limits: &KeyLimits| parse(text).check(limits).map_err(|error| error.number());
    let stored = |text: &str| check(text, &KeyLimits::STORED);
    assert_eq!(stored("127"), Ok(()));
    for text in [
        "128",
        "[1:1:128]",
        "[1:1:127]+[2:1:127]",
        "[1:3800:40]",
        "[1:1:5:\"K\"]",
        "6,[1:1:5:\"KN\"]",
        "6,[1:1:5:\"BK\"]",
        "6,[1:1:2:\"-D\"]",
        "[1:1:5:\"#\"],[2:1:5:\"+\"]",
        "[1:1:4:\"I\"]",
        "[0:1:3:\"I\"]",
        "[1:1:5],[KEY:1:2]",
        "6,[\"A\":1:1:5],[\"a\":2:1:5]",
        "[32768:1:5]",
        "[]",
    ] {
        assert_eq!(stored(text), Err(80), "{text}");
    }
    // Manual, page of *MEMORY*: no limit of length, and K and N may stand together.
    assert_eq!(check("6,[1:1:500],[2:1:5:\"KN\"]", &KeyLimits::MEMORY), Ok(()));
}

#[test]
fn segments_are_taken_from_fields_records_and_external_keys() {
    let record = b"ABCDEF\x8AGHI\x8A\x8AJ";
    assert_eq!(compared("[1:2:3]", record), b"BCD");
    assert_eq!(compared("[2:1:8]", record), b"GHI");
    assert_eq!(compared("[3:1:8]", record), b"");
    assert_eq!(compared("[9:1:8]", record), b"");
    assert_eq!(compared("[0:6:3]", record), b"F\x8AG");
    assert_eq!(compared("6,[KEY:1:4]", record), b"EXTE");
    // All but the last segment are filled with $00$.
    assert_eq!(compared("[2:1:5]+[4:1:3]", record), b"GHI\0\0J");
    assert_eq!(compared("[1:1:2]+[2:3:1]+[1:9:4]", record), b"ABI");
}

#[test]
fn letters_are_converted() {
    let record = b"M\xFCller\x8A";
    assert_eq!(compared("[1:1:9:\"C\"]", record), b"M\xDCLLER");
    assert_eq!(compared("[1:1:9:\"L\"]", b"M\xDCLLER\x8A"), b"m\xFCller");
    assert_eq!(compared("[1:1:9:\"T\"]", record), b"Muller");
    assert_eq!(compared("[1:1:9:\"TC\"]", record), b"MULLER");
}

#[test]
fn descending_keys_sort_backwards_and_show_their_bytes() {
    assert_eq!(sorted("[1:1:5:\"D\"]", &["A", "AB", "B", "", "AA"]), ["B", "AB", "AA", "A", ""]);
    let (form, shown) = key("[1:1:5:\"D\"]", b"AB\x8A").unwrap();
    assert_eq!((form, shown), (vec![!b'A', !b'B', 0xFF, 0xFF, 0xFF], b"AB".to_vec()));
    assert_eq!(sorted("[1:1:1]+[1:2:1:\"D\"]", &["A1", "B1", "A2", "B2"]), ["A2", "A1", "B2", "B1"]);
}

#[test]
fn numbers_sort_by_value() {
    // The example of the manual's page of KEYED.
    let records = ["000011\u{8a}1234.56", "000022\u{8a}0.00", "000033\u{8a}250.11", "000044\u{8a}-1.15"];
    let records: Vec<Vec<u8>> = records.iter().map(|record| record.replace('\u{8a}', "\n").into_bytes()).collect();
    let form = |record: &[u8]| {
        let keys = parse("[1:1:6],[2:1:10:\"B.2\"]");
        let mut form = Vec::new();
        keys.keys()[1].make(&KeySource { record, external: b"", separator: b'\n' }, &mut form);
        form
    };
    let mut order: Vec<usize> = (0..4).collect();
    order.sort_by_key(|place| form(&records[*place]));
    assert_eq!(order, [3, 1, 2, 0]);
    assert_eq!(key("[1:1:10:\"B.2\"]", b"-1.159").unwrap().1, b"     -1.15");
    assert_eq!(key("[1:1:4:\"BD\"]", b"12").unwrap().1, b"  12");
    // A key without a value is before all numbers.
    let keys = parse("[1:1:10:\"B\"]");
    let mut none = Vec::new();
    keys.keys()[0].compared(b"  ", &mut none);
    assert!(none < form(b"x\n-999999999999999999"));
}

#[test]
fn binary_numbers_sort_by_value() {
    // Signed: -2, -1, 0, 1 of two bytes, most significant first.
    let signed = |record: &[u8]| compared("[0:1:2:\"-\"]", record);
    assert!(signed(b"\xFF\xFE") < signed(b"\xFF\xFF") && signed(b"\xFF\xFF") < signed(b"\0\0"));
    assert!(signed(b"\0\0") < signed(b"\0\x01"));
    // Swapped: 256 and 1, least significant first.
    assert_eq!(compared("[0:1:2:\"S\"]", b"\0\x01"), b"\x01\0");
    assert_eq!(key("[0:1:2:\"S\"]", b"\0\x01").unwrap().1, b"\0\x01");
}

#[test]
fn empty_keys_are_left_out() {
    assert_eq!(key("6,[1:1:5:\"K\"]", b"\0\0\x8A"), None);
    assert_eq!(key("6,[1:1:5:\"K:20\"]", b"   \x8A"), None);
    assert!(key("6,[1:1:5:\"K:20\"]", b"   x\x8A").is_some());
    // K is about the key as a whole, N about the segment.
    assert!(key("6,[1:1:5:\"K:20\"]+[2:1:5]", b"   \x8Ax").is_some());
    assert_eq!(key("6,[1:1:5:\"N:20\"]+[2:1:5]", b"   \x8Ax"), None);
    assert_eq!(compared("[1:1:5:\"Z\"]", b"AB\0CD\x8A"), b"AB");
}

#[test]
fn parts_of_a_key_are_joined_and_taken_apart() {
    // Manual, page of READ: [1:1:5]+[2:1:6]+[3:1:8], KEY=A$:B$:C$ fills all but the last part.
    let keys = parse("[1:1:5]+[2:1:6]+[3:1:8]");
    assert_eq!(keys.join(0, &[b"AB", b"C", b"DEF"]).unwrap(), b"AB\0\0\0C\0\0\0\0\0DEF");
    assert_eq!(keys.join(0, &[b"AB"]).unwrap(), b"AB");
    assert_eq!(keys.join(1, &[b"AB"]).unwrap_err().number(), 80);
    // A key is found again by its shown form.
    for definition in ["[1:1:3:\"D\"]+[2:1:4:\"B.1\"]+[3:1:2]", "[1:1:4:\"S\"]+[3:1:3:\"D\"]", "[2:1:8:\"BD\"]+[1:1:3]"]
    {
        let keys = parse(definition);
        for record in [&b"AB\x8A-3.7\x8AQ"[..], b"\x8A\x8AQ", b"ZZZZZZ\x8A12\x8AXYZ"] {
            let (form, shown) = key(definition, record).unwrap();
            let mut again = Vec::new();
            keys.keys()[0].compared(&shown, &mut again);
            assert_eq!(again, form, "{definition} {record:?}");
        }
    }
}

#[test]
fn damaged_texts_are_refused_without_a_panic() {
    let text = r##"6,["Name":2:1:8:"UB.2"]+[KEY:1:3:"K:20"],[0:10:4:"#"],[3:1:2:"DCT-N:00"]"##;
    let definition = FileDefinition::direct(6, Some(9), RecordFormat::Variable(100)).to_text();
    let mut random = model::Random(4711);
    for _ in 0..20_000 {
        let mut bytes = if random.below(2) == 0 { text.as_bytes().to_vec() } else { definition.as_bytes().to_vec() };
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len().max(1) as u64) as usize;
            if bytes.is_empty() {
                break;
            }
            match random.below(3) {
                0 => bytes[at] = random.below(256) as u8,
                1 => drop(bytes.remove(at)),
                _ => bytes.truncate(at + 1),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let (keys, _) = KeyDefinitions::parse_all(&text);
        let _ = keys.check(&KeyLimits::MEMORY);
        let _ = FileDefinition::from_text(&text);
        let record = [&bytes[..], b"\x8A12\x8A"].concat();
        for key in keys.keys().iter().filter(|key| key.length() < 1 << 16) {
            let mut out = Vec::new();
            key.make(&KeySource { record: &record, external: b"abc", separator: 0x8A }, &mut out);
            let mut shown = Vec::new();
            key.shown(&out, &mut shown);
            key.bound(&shown, &mut out);
        }
    }
}
