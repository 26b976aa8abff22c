//! Printed documents: pages, text, and the structure of the PDF file (ISO 32000-1).

use mainstay_screen::Screen;
use mainstay_screen::characters::encode;
use mainstay_screen::document::{Document, DocumentTooLarge};
use mainstay_screen::frame::Operation;

fn document(lines: &[&str]) -> Document {
    let lines: Vec<_> = lines.iter().map(|line| encode(line)).collect();
    Document::new("Sales – 2026", lines.iter().map(AsRef::as_ref)).unwrap()
}

/// The object that the cross-reference table names.
fn object(file: &[u8], number: usize) -> String {
    let text = String::from_utf8_lossy(file).into_owned();
    let start: usize = text.rsplit("startxref\n").next().unwrap().lines().next().unwrap().parse().unwrap();
    let table = &file[start..];
    assert!(table.starts_with(b"xref\n0 "));
    let entries = table.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1).unwrap().0 + 1;
    // Each entry has 20 bytes, ten of them for the offset.
    let entry = std::str::from_utf8(&table[entries + 20 * number..][..20]).unwrap();
    let offset: usize = entry[..10].parse().unwrap();
    let object = &file[offset..];
    let end = object.windows(6).position(|part| part == b"endobj").unwrap();
    String::from_utf8_lossy(&object[..end]).into_owned()
}

#[test]
fn form_feeds_and_full_pages_begin_pages() {
    let pages = |lines: &[&str]| document(lines).pages().iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(pages(&[]), [0]);
    assert_eq!(pages(&["\u{c}a", "b", "\u{c}c", "\u{c}"]), [2, 1]);
    assert_eq!(pages(&["a\u{c}b"]), [1, 1]);
    assert_eq!(pages(&["a", "\u{c}\u{c}b"]), [1, 0, 1]);
    assert_eq!(pages(&["x"; 140]), [66, 66, 8]);
    assert_eq!(document(&["a  ", "", "\u{c}b\tc"]).text(), "a\n\n\u{c}b c\n");
}

#[test]
fn the_pdf_has_its_pages_and_escapes() {
    let file = document(&["(1) 5 € \\ Ж", "\u{c}second"]).pdf();
    assert!(file.starts_with(b"%PDF-1.4\n") && file.ends_with(b"%%EOF\n"));
    assert!(object(&file, 1).starts_with("1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>"));
    assert!(object(&file, 2).contains("/Count 2 /Kids [ 5 0 R 7 0 R ]"));
    assert!(object(&file, 3).contains("/BaseFont /Courier /Encoding /WinAnsiEncoding"));
    // The dash is U+2013.
    assert!(object(&file, 4).contains("/Title <FEFF00530061006C0065007300202013002000320030"));
    assert!(object(&file, 5).contains("/MediaBox [0 0 595 842]") && object(&file, 5).contains("/Contents 6 0 R"));
    // In WinAnsi the euro is 80; the Cyrillic letter is not there.
    let line: &[u8] = b"(\\(1\\) 5 \x80 \\\\ ?) Tj T*";
    assert!(file.windows(line.len()).any(|part| part == line));
    let contents = object(&file, 8);
    let (head, stream) = contents.split_once("stream\n").unwrap();
    let length: usize = head.split("/Length ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert_eq!(length, stream.strip_suffix("\nendstream\n").unwrap().len());
    assert!(stream.contains("/F1 10.00 Tf\n12.00 TL\n36 796.00 Td\n(second) Tj T*"));
}

#[test]
fn long_lines_are_printed_across_and_in_a_smaller_size() {
    let long = "x".repeat(132);
    let file = document(&[long.as_str(); 60]).pdf();
    assert!(object(&file, 5).contains("/MediaBox [0 0 842 595]"));
    // 60 lines in 595 - 2 * 36 points: 8.72 a line, of which the text takes 1 / 1.05.
    assert!(object(&file, 6).contains("/F1 8.30 Tf\n8.72 TL"));
}

#[test]
fn a_screen_tells_of_each_document_once_and_of_all_to_a_new_face() {
    let mut screen = Screen::new(80, 25).with_documents();
    let told = |screen: &mut Screen, everything: bool| {
        let operations = screen.take_operations(everything).into_iter();
        let numbers = operations.filter_map(|operation| match operation {
            Operation::Document { number, pages, .. } => Some((number, pages)),
            _ => None,
        });
        numbers.collect::<Vec<_>>()
    };
    screen.add_document(document(&["a"]));
    assert_eq!(told(&mut screen, false), [(1, 1)]);
    screen.add_document(document(&["a", "\u{c}b"]));
    assert_eq!(told(&mut screen, false), [(2, 2)]);
    assert_eq!(told(&mut screen, true), [(1, 1), (2, 2)]);
    for _ in 0..40 {
        screen.add_document(document(&["a"]));
    }
    let kept: Vec<u32> = screen.documents().iter().map(|(number, _)| *number).collect();
    assert_eq!((kept.len(), kept.first(), kept.last()), (32, Some(&11), Some(&42)));
    let mut plain = Screen::new(80, 25);
    plain.add_document(document(&["a"]));
    assert!(plain.documents().is_empty());
}

#[test]
fn documents_of_empty_lines_and_pages_count_and_are_limited() {
    let of = |line: &'static [u8], count: usize| Document::new("", std::iter::repeat_n(line, count));
    // A line of no characters has the 24 bytes of its string in memory.
    let ten = of(b"", 10).unwrap().bytes();
    assert_eq!(of(b"", 20).unwrap().bytes() - ten, 240);
    assert_eq!(of(b"abc", 10).unwrap().bytes() - ten, 30);
    assert!(of(b"x\x0c", 2).unwrap().bytes() > of(b"x", 2).unwrap().bytes());
    // 32 MB are less than two million empty lines, or pages of a line.
    for line in [&b""[..], b"\x0cx"] {
        assert_eq!(of(line, 2_000_000), Err(DocumentTooLarge));
    }
    assert_eq!(of(b"x\x0c", 2_000_000), Err(DocumentTooLarge));
    // Pages count more than 512 bytes, so a screen keeps the last of documents of 40,000 pages.
    let mut screen = Screen::new(80, 25).with_documents();
    for _ in 0..3 {
        screen.add_document(of(b"x\x0c", 40_000).unwrap());
    }
    assert_eq!(screen.documents().iter().map(|(number, _)| *number).collect::<Vec<_>>(), [3]);
}
