//! The WebSocket as a page without a browser sees it: frames, rows, reconnection, the ends of programs, and bad messages.

mod common;

use common::{LINES, Page, attach, door, get, login, operation, post, start, upgrade};
use serde_json::json;
use std::time::{Duration, Instant};
use tungstenite::protocol::Role;
use tungstenite::{Message, WebSocket};

/// Codes of operations to a page.
mod code {
    pub const HELLO: u8 = 1;
    pub const LIST: u8 = 7;
    pub const ROWS: u8 = 8;
    pub const INPUT: u8 = 9;
    pub const FOCUS: u8 = 17;
    pub const ENDED: u8 = 19;
}

fn number(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

fn contains(payload: &[u8], text: &str) -> bool {
    payload.windows(text.len()).any(|part| part == text.as_bytes())
}

#[test]
fn a_program_answers_what_is_typed() {
    let door = door();
    let cookie = login(&door, "ada");
    let (_, ticket) = start(&door, &cookie, "echo");
    let mut page = Page::open(&door, &cookie, &ticket);
    page.wait(code::INPUT, |_| true);
    assert_eq!(page.operations[0].0, code::HELLO);
    page.type_text("hello\nwörld\n");
    page.wait_for_text("<hello>");
    page.wait_for_text("<wörld>");
    // F4 ends it: key 104.
    page.send(operation(2, &[0, 104, 0, 0, 0, 0]));
    assert_eq!(page.wait(code::ENDED, |_| true)[0], 0);
}

#[test]
fn lists_come_in_parts() {
    let door = door();
    let cookie = login(&door, "ada");
    let (_, ticket) = start(&door, &cookie, "list");
    let mut page = Page::open(&door, &cookie, &ticket);
    let list = page.wait(code::LIST, |list| number(list, 8) == LINES);
    page.wait_for_text("all loaded");
    // The rows of the first frames are the first 200 at most.
    let first = page.operations.iter().filter(|(found, _)| *found == code::ROWS);
    assert!(first.map(|(_, rows)| number(rows, 8) + number(rows, 12)).max().unwrap() <= 200);
    let handle = number(&list, 0) as u32;
    let ask = |from: u32, count: u32| operation(5, &[handle, from, count].map(u32::to_le_bytes).concat());
    page.send(ask(900, 200));
    let rows = page.wait(code::ROWS, |rows| number(rows, 8) == 900);
    assert!(number(&rows, 12) == 100 && contains(&rows, "line 1000"));
    page.send(ask(u32::MAX, u32::MAX));
    assert_eq!(number(&page.wait(code::ROWS, |rows| number(rows, 8) == u32::MAX as usize), 12), 0);
    // A row is selected, and the program gets CTL 10, with which it ends.
    page.send(operation(7, &[&handle.to_le_bytes()[..], &[2], &999_u32.to_le_bytes(), &[1, 0]].concat()));
    assert_eq!(page.wait(code::ENDED, |_| true)[0], 0);
    let selected = page.operations.iter().rfind(|(found, _)| *found == code::LIST).unwrap();
    assert_eq!(number(&selected.1, 16), 999);
    // Rows can be read on after the end.
    page.send(ask(500, 1));
    page.wait(code::ROWS, |rows| contains(rows, "line 501"));
}

#[test]
fn a_page_that_comes_back_gets_the_same_screen() {
    let door = door();
    let cookie = login(&door, "ada");
    let (id, ticket) = start(&door, &cookie, "echo");
    let mut page = Page::open(&door, &cookie, &ticket);
    page.type_text("before\nhalf");
    page.wait(code::INPUT, |input| contains(input, "half"));
    drop(page);
    let ticket = post(&door, "attach", &cookie, &json!({ "id": id })).text("ticket");
    let mut page = Page::open(&door, &cookie, &ticket);
    page.wait_for_text("<before>");
    page.wait(code::INPUT, |input| contains(input, "half"));
    // A further page takes over.
    let ticket = post(&door, "attach", &cookie, &json!({ "id": id })).text("ticket");
    let mut other = Page::open(&door, &cookie, &ticket);
    assert_eq!(page.wait(code::ENDED, |_| true)[0], 1);
    other.type_text("\n");
    other.wait_for_text("<half>");
}

#[test]
fn a_program_without_a_page_ends_after_the_time_of_grace() {
    let door = door();
    let cookie = login(&door, "ada");
    for name in ["echo", "computes"] {
        let (_, ticket) = start(&door, &cookie, name);
        let page = Page::open(&door, &cookie, &ticket);
        drop(page);
        let begin = Instant::now();
        let running = || get(&door, "/programs/api/programs", &cookie).json()["running"].as_array().unwrap().len();
        while running() > 0 {
            assert!(begin.elapsed() < Duration::from_secs(20), "{name} still runs");
            std::thread::sleep(Duration::from_millis(50));
        }
        assert!(begin.elapsed() >= Duration::from_millis(700), "{name}: {:?}", begin.elapsed());
    }
}

#[test]
fn errors_of_programs_reach_the_page() {
    let door = door();
    let cookie = login(&door, "ada");
    for (name, words) in
        [("fails", "Error #20: Syntax error, line 0030"), ("panics", "The program ended by an internal error")]
    {
        let (_, ticket) = start(&door, &cookie, name);
        let ended = Page::open(&door, &cookie, &ticket).wait(code::ENDED, |_| true);
        assert!(ended[0] == 0 && contains(&ended, words), "{name}");
    }
}

#[test]
fn tickets_are_used_once_by_their_user() {
    let door = door();
    let (ada, bob) = (login(&door, "ada"), login(&door, "bob"));
    let (id, ticket) = start(&door, &ada, "echo");
    assert_eq!(Page::open(&door, &bob, &ticket).wait(code::ENDED, |_| true)[0], 2);
    assert_eq!(Page::open(&door, &ada, &ticket).wait(code::ENDED, |_| true)[0], 2);
    let ticket = post(&door, "attach", &ada, &json!({ "id": id })).text("ticket");
    // Another version is refused as well.
    let mut page = Page::open(&door, &ada, "");
    assert_eq!(page.wait(code::ENDED, |_| true)[0], 2);
    let (_, socket) = upgrade(&door, &[("Host", "localhost"), ("Origin", "http://localhost"), ("Cookie", &ada)]);
    let mut old = Page { socket: WebSocket::from_raw_socket(socket, Role::Client, None), operations: Vec::new() };
    old.send(attach(99, &ticket));
    assert_eq!(old.wait(code::ENDED, |_| true)[0], 2);
}

#[test]
fn bad_messages_close_the_socket_and_nothing_else() {
    let door = door();
    let cookie = login(&door, "ada");
    let (id, _) = start(&door, &cookie, "echo");
    let bad: [Vec<u8>; 7] = [
        vec![4],
        vec![4, 255, 255, 255, 255],
        operation(4, &[1, 2]),
        operation(2, &[0, 99, 0, 0, 0, 0]),
        operation(3, &[255, 255, 255, 255]),
        operation(7, &[0, 0, 0, 0, 99]),
        attach(1, "again"),
    ];
    for bytes in bad {
        let ticket = post(&door, "attach", &cookie, &json!({ "id": id })).text("ticket");
        let mut page = Page::open(&door, &cookie, &ticket);
        page.wait(code::FOCUS, |_| true);
        page.send(bytes.clone());
        while page.read() {}
    }
    // Unknown operations are skipped, actions for controls that do not exist are ignored.
    let ticket = post(&door, "attach", &cookie, &json!({ "id": id })).text("ticket");
    let mut page = Page::open(&door, &cookie, &ticket);
    page.send(operation(200, &[1, 2, 3]));
    page.send(operation(7, &[9, 9, 9, 9, 1]));
    page.send(operation(8, &[255, 255, 255, 255, 1]));
    page.send(operation(9, &[0; 8]));
    page.type_text("still\n");
    page.wait_for_text("<still>");
    page.socket.send(Message::Text("text".into())).unwrap();
    while page.read() {}
}

#[test]
fn a_flood_of_keys_is_bounded() {
    let door = door();
    let cookie = login(&door, "ada");
    let (_, ticket) = start(&door, &cookie, "echo");
    let mut page = Page::open(&door, &cookie, &ticket);
    page.wait(code::INPUT, |_| true);
    for _ in 0..1000 {
        page.send(operation(2, &[0, 0, b'x', 0, 0, 0]));
    }
    page.type_text("\n");
    page.wait_for_text("x>");
}

#[test]
fn damaged_messages_never_panic() {
    // Every prefix and every flipped byte of valid messages.
    let valid = [attach(1, "ticket"), operation(7, &[1, 0, 0, 0, 2, 1, 0, 0, 0, 1, 0]), operation(3, b"\x03\0\0\0abc")]
        .concat();
    for at in 0..valid.len() {
        mainstay_console::wire::decode(&valid[..at]);
        for bit in 0..8 {
            let mut damaged = valid.clone();
            damaged[at] ^= 1 << bit;
            mainstay_console::wire::decode(&damaged);
        }
    }
    assert_eq!(mainstay_console::wire::decode(&valid).unwrap().len(), 3);
}
