//! Documents that programs print: the page is told of them, and gets their text and their PDF, also after the program has ended.

mod common;

use common::{Page, door, get, login, operation, post, start};
use serde_json::json;
use std::time::Duration;

const DOCUMENT: u8 = 20;
const ENDED: u8 = 19;

#[test]
fn documents_are_read_by_their_user_while_the_program_runs_and_after_it() {
    let door = door();
    let cookie = login(&door, "ada");
    let (id, ticket) = start(&door, &cookie, "prints");
    let mut page = Page::open(&door, &cookie, &ticket);
    let told = page.wait(DOCUMENT, |_| true);
    assert_eq!((&told[..8], &told[12..]), (&[1, 0, 0, 0, 2, 0, 0, 0][..], &b"report"[..]));
    let path = |form: &str| format!("/programs/api/printed/{id}/1.{form}");
    for is_over in [false, true] {
        let text = get(&door, &path("txt"), &cookie);
        assert_eq!((text.status, text.body.as_slice()), (200, &b"first page\n\x0csecond page\n"[..]), "{is_over}");
        let pdf = get(&door, &path("pdf"), &cookie);
        assert_eq!((pdf.status, pdf.header("content-type")), (200, Some("application/pdf")));
        assert!(pdf.body.starts_with(b"%PDF-1.4"));
        let listed = get(&door, "/programs/api/programs", &cookie).json()["printed"].clone();
        assert_eq!(listed, json!([{ "id": id, "number": 1, "title": "report", "pages": 2 }]));
        if !is_over {
            // F4 ends it.
            page.send(operation(2, &[0, 104, 0, 0, 0, 0]));
            page.wait(ENDED, |_| true);
        }
    }
    let other = login(&door, "bob");
    for (path, cookie) in
        [(path("txt"), &other), (path("exe"), &cookie), (path("pdf").replace("1.pdf", "2.pdf"), &cookie)]
    {
        assert_eq!(get(&door, &path, cookie).status, 404, "{path}");
    }
    assert_eq!(get(&door, &path("txt"), "").status, 401);
    post(&door, "logout", &cookie, &json!({}));
    let again = login(&door, "ada");
    assert_eq!(get(&door, &path("txt"), &again).status, 404);
    door.stop();
}

#[test]
fn documents_of_a_program_that_ends_after_logout_stay_away() {
    let door = door();
    let cookie = login(&door, "ada");
    let (_, ticket) = start(&door, &cookie, "lingers");
    let mut page = Page::open(&door, &cookie, &ticket);
    page.wait(DOCUMENT, |_| true);
    post(&door, "logout", &cookie, &json!({}));
    let again = login(&door, "ada");
    for _ in 0..100 {
        let listed = get(&door, "/programs/api/programs", &again).json();
        assert_eq!(listed["printed"], json!([]), "{listed}");
        if listed["running"] == json!([]) {
            door.stop();
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("the program has not ended");
}
