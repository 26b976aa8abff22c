//! Requests that must be refused, and those that must not: hosts, origins, sessions, logins and damaged HTTP.

mod common;

use common::{door, door_claiming, door_with, get, login, post, raw, request, start, upgrade};
use serde_json::json;
use std::time::Duration;

const LOGIN: &str = r#"{"name":"ada","password":"secret"}"#;

#[test]
fn pages_are_served_with_their_rules() {
    let door = door();
    let page = get(&door, "/programs/", "");
    assert_eq!(page.status, 200);
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    let text = String::from_utf8(page.body.clone()).unwrap();
    assert!(!text.contains("<script>") && !text.contains("style=") && !text.contains("http"), "{text}");
    let tag = page.header("etag").unwrap().to_owned();
    let again = request(&door, "GET", "/programs/", &[("Host", "localhost"), ("If-None-Match", &tag)], "");
    assert_eq!((again.status, again.body.len()), (304, 0));
    for (path, status) in
        [("/programs", 308), ("/", 308), ("/programs/assets/app.js", 200), ("/programs/assets/../x", 404)]
    {
        assert_eq!(get(&door, path, "").status, status, "{path}");
    }
    assert_eq!(request(&door, "HEAD", "/programs/", &[("Host", "localhost")], "").body, b"");
}

#[test]
fn hosts_outside_the_list_are_refused() {
    let door = door();
    let allowed =
        ["localhost", "localhost:80", "127.0.0.1:9", "[::1]:8080", "[::1]", "Shop.Example", "shop.example:443"];
    let refused =
        ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "shop.example.org", "", "[::2]", "@localhost"];
    for (hosts, status) in [(&allowed[..], 200), (&refused[..], 421)] {
        for host in hosts {
            assert_eq!(request(&door, "GET", "/programs/", &[("Host", host)], "").status, status, "{host}");
        }
    }
    assert_eq!(request(&door, "GET", "/programs/", &[], "").status, 400);
    assert_eq!(request(&door, "GET", "/programs/", &[("Host", "localhost"), ("Host", "localhost")], "").status, 400);
}

#[test]
fn requests_of_other_sites_are_refused() {
    let door = door();
    let json = ("Content-Type", "application/json");
    let cases: [(&[(&str, &str)], u16); 9] = [
        (&[("Sec-Fetch-Site", "same-origin"), json], 200),
        (&[("Origin", "http://localhost"), json], 200),
        (&[("Sec-Fetch-Site", "cross-site"), json], 403),
        (&[("Sec-Fetch-Site", "same-site"), ("Origin", "http://localhost"), json], 403),
        (&[("Sec-Fetch-Site", "none"), json], 403),
        (&[("Origin", "http://evil.example"), json], 403),
        (&[("Origin", "null"), json], 403),
        (&[json], 403),
        (&[("Sec-Fetch-Site", "same-origin"), ("Content-Type", "text/plain")], 415),
    ];
    for (headers, status) in cases {
        let headers = [&[("Host", "localhost")][..], headers].concat();
        assert_eq!(request(&door, "POST", "/programs/api/login", &headers, LOGIN).status, status, "{headers:?}");
    }
    for method in ["PUT", "DELETE", "OPTIONS"] {
        assert_eq!(request(&door, method, "/programs/api/login", &[("Host", "localhost")], "").status, 405);
    }
    // Without a session nothing but the login answers.
    for path in ["programs", "attach", "end", "logout"] {
        assert_eq!(post(&door, path, "", &json!({})).status, 401, "{path}");
        assert_eq!(post(&door, path, "mainstay-programs=0; x", &json!({})).status, 401, "{path}");
    }
}

#[test]
fn sockets_need_their_own_origin_and_a_session() {
    let door = door();
    let cookie = login(&door, "ada");
    let host = ("Host", "localhost:8080");
    let cases: [(&[(&str, &str)], u16); 7] = [
        (&[host, ("Origin", "http://localhost:8080"), ("Cookie", &cookie)], 101),
        // A header that stands twice does not lead past the check.
        (&[host, ("Origin", "http://evil.example"), ("Upgrade", "websocket"), ("Cookie", &cookie)], 403),
        (&[host, ("Origin", "http://localhost:8080")], 401),
        (&[host, ("Origin", "http://localhost:8081"), ("Cookie", &cookie)], 403),
        (&[host, ("Origin", "https://localhost:8080"), ("Cookie", &cookie)], 403),
        (&[host, ("Cookie", &cookie)], 403),
        (&[("Host", "evil.example"), ("Origin", "http://evil.example"), ("Cookie", &cookie)], 421),
    ];
    for (headers, status) in cases {
        assert_eq!(upgrade(&door, headers).0, status, "{headers:?}");
    }
    assert_eq!(get(&door, "/programs/socket", &cookie).status, 426);
}

#[test]
fn cookies_and_sessions() {
    let door = door();
    let headers = [("Host", "localhost"), ("Sec-Fetch-Site", "same-origin"), ("Content-Type", "application/json")];
    let answer = request(&door, "POST", "/programs/api/login", &headers, LOGIN);
    let cookie = answer.header("set-cookie").unwrap();
    let expected = format!("mainstay-programs-{}=", door.address().port());
    assert!(cookie.starts_with(&expected), "{cookie}");
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict"), "{cookie}");
    assert_eq!(cookie.split(['=', ';']).nth(1).unwrap().len(), 64);
    let cookie = cookie.split(';').next().unwrap().to_owned();
    assert_eq!(get(&door, "/programs/api/programs", &cookie).text("user"), "ada");
    // A login replaces the session, a logout ends it.
    let again = post(&door, "login", &cookie, &json!({ "name": "ada", "password": "secret" }));
    assert_eq!((again.status, get(&door, "/programs/api/programs", &cookie).status), (200, 401));
    // A name in other letters is the same user.
    let cookie = login(&door, "Ada");
    assert_eq!(get(&door, "/programs/api/programs", &cookie).text("user"), "ada");
    assert_eq!(post(&door, "logout", &cookie, &json!({})).status, 204);
    assert_eq!(get(&door, "/programs/api/programs", &cookie).status, 401);
    let tls = door_claiming(true, true);
    let cookie = login(&tls, "ada");
    let expected = format!("__Host-mainstay-programs-{}=", tls.address().port());
    assert!(cookie.starts_with(&expected), "{cookie}");
    let answer = request(&tls, "POST", "/programs/api/login", &headers, LOGIN);
    let header = answer.header("set-cookie").unwrap();
    assert!(header.ends_with("; Path=/; HttpOnly; SameSite=Strict; Secure"), "{header}");
    let sockets = |origin: &str| upgrade(&tls, &[("Host", "localhost"), ("Origin", origin), ("Cookie", &cookie)]).0;
    assert_eq!((sockets("https://localhost"), sockets("http://localhost")), (101, 403));
}

#[test]
fn sessions_end_by_time() {
    let idle = door_with(|config| config.session_idle = Duration::from_millis(300));
    let cookie = login(&idle, "ada");
    assert_eq!(get(&idle, "/programs/api/programs", &cookie).status, 200);
    std::thread::sleep(Duration::from_millis(400));
    assert_eq!(get(&idle, "/programs/api/programs", &cookie).status, 401);
}

#[test]
fn failed_logins_are_limited() {
    let door = door();
    let attempt = |name: &str, password: &str| post(&door, "login", "", &json!({ "name": name, "password": password }));
    for _ in 0..10 {
        assert_eq!(attempt("ada", "wrong").status, 401);
    }
    // Even the right password has to wait, in whatever letters the name is written; other names do not.
    let refused = attempt("ada", "secret");
    assert_eq!((refused.status, refused.header("retry-after")), (429, Some("300")));
    assert_eq!(attempt("ADA", "secret").status, 429);
    assert_eq!(attempt("bob", "secret").status, 200);
    for number in 0..20 {
        attempt(&format!("name{number}"), "wrong");
    }
    assert_eq!(attempt("bob", "secret").status, 429);
    for body in [json!({}), json!({ "name": "ada" }), json!({ "name": 1, "password": [] }), json!("x".repeat(2000))] {
        assert_eq!(post(&door, "login", "", &body).status, 400, "{body}");
    }
}

#[test]
fn an_invitation_logs_in_once() {
    let door = door();
    let secret = door.console().invitation("ada").unwrap();
    let accept = || post(&door, "login", "", &json!({ "invitation": secret }));
    assert_eq!((accept().text("user"), accept().status), ("ada".to_owned(), 401));
}

#[test]
fn programs_are_limited_and_belong_to_their_users() {
    let door = door();
    let (ada, bob) = (login(&door, "ada"), login(&door, "bob"));
    let (id, _) = start(&door, &ada, "echo");
    start(&door, &ada, "echo");
    assert_eq!(post(&door, "programs", &ada, &json!({ "name": "echo" })).status, 429);
    assert_eq!(post(&door, "programs", &bob, &json!({ "name": "list" })).status, 404);
    for path in ["attach", "end"] {
        assert_eq!(post(&door, path, &bob, &json!({ "id": id })).status, 404, "{path}");
        assert_eq!(post(&door, path, &ada, &json!({ "id": "none" })).status, 404, "{path}");
    }
    assert_eq!(get(&door, "/programs/api/programs", &ada).json()["running"].as_array().unwrap().len(), 2);
    assert_eq!(post(&door, "end", &ada, &json!({ "id": id })).status, 204);
    let until = std::time::Instant::now() + Duration::from_secs(10);
    while post(&door, "programs", &ada, &json!({ "name": "echo" })).status == 429 {
        assert!(std::time::Instant::now() < until, "the program that was ended still counts");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn damaged_requests_are_refused() {
    let door = door();
    let head =
        |extra: &str| format!("POST /programs/api/login HTTP/1.1\r\nHost: localhost\r\n{extra}\r\n").into_bytes();
    let cases: [(Vec<u8>, u16); 9] = [
        (b"\x16\x03\x01\x02\x00\x01".to_vec(), 400),
        (b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n".to_vec(), 400),
        (b"GET http://localhost/ HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec(), 400),
        (head("Content-Length: x\r\n"), 400),
        (head("Content-Length: 1\r\nContent-Length: 2\r\n"), 400),
        (head("Content-Length: 1000000\r\n"), 413),
        (head("Transfer-Encoding: chunked\r\n"), 501),
        (head(&"X: y\r\n".repeat(100)), 431),
        (head(&format!("X: {}\r\n", "y".repeat(40_000))), 431),
    ];
    for (bytes, status) in cases {
        assert_eq!(raw(&door, &bytes).status, status, "{}", String::from_utf8_lossy(&bytes[..bytes.len().min(90)]));
    }
    assert_eq!(get(&door, "/programs/", "").status, 200);
}

#[test]
fn networks_that_need_tls_are_led_to_it() {
    let door = door_claiming(false, true);
    let page = request(&door, "GET", "/programs/", &[("Host", "localhost:8080")], "");
    assert_eq!((page.status, page.header("location")), (308, Some("https://localhost:8080/programs/")));
    // A name of another site is told nothing, and a password gets no answer.
    assert_eq!(request(&door, "GET", "/programs/", &[("Host", "evil.example")], "").status, 421);
    assert_eq!(post(&door, "login", "", &json!({ "name": "ada", "password": "secret" })).status, 426);
    assert_eq!(upgrade(&door, &[("Host", "localhost"), ("Origin", "http://localhost")]).0, 426);
}
