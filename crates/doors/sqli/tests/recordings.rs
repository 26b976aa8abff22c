//! The logins of real clients, as they came over the wire: one a line, with the name and version of the client. Names of
//! folders are written over.

use mainstay_sqli::{ConnectRequest, login_length};

fn logins() -> Vec<(&'static str, Vec<u8>)> {
    let lines = include_str!("recorded/logins.txt").lines().map(|line| line.split_once(' ').unwrap());
    let byte = |hex: &[u8]| u8::from_str_radix(std::str::from_utf8(hex).unwrap(), 16).unwrap();
    lines.map(|(client, hex)| (client, hex.as_bytes().chunks(2).map(byte).collect())).collect()
}

#[test]
fn logins_of_clients_are_read() {
    let logins = logins();
    let clients: Vec<&str> = logins.iter().map(|(client, _)| *client).collect();
    let known = ["informix-driver", "informix-jdbc-4.10.8.1", "informix-jdbc-4.50.11", "informix-jdbc-4.50.13.1"];
    assert_eq!(clients, known);
    for (client, bytes) in logins {
        assert_eq!(login_length(&bytes), Ok(Some(bytes.len())), "{client}");
        let request = ConnectRequest::decode(&bytes).unwrap();
        assert_eq!((request.user.as_str(), request.password.as_str()), ("tester", "Tester-1"), "{client}");
        assert_eq!((request.server.as_str(), request.database.as_str()), ("mainstay", ""), "{client}");
        assert_eq!(request.variable("CLIENT_LOCALE"), Some("en_US.8859-1"), "{client}");
        assert_eq!(request.variable("DBDATE"), Some("Y4MD-"), "{client}");
        assert!(request.directory.starts_with("/srv/client"), "{client}: {}", request.directory);
        // The login is written again as one that says the same.
        assert_eq!(ConnectRequest::decode(&request.encode()).as_ref(), Ok(&request), "{client}");
    }
}

#[test]
fn logins_that_are_cut_or_changed_do_no_harm() {
    for (_, bytes) in logins() {
        for end in 0..bytes.len() {
            let _ = ConnectRequest::decode(&bytes[..end]);
            let mut changed = bytes.clone();
            changed[end] ^= 0x81;
            let _ = login_length(&changed);
            let _ = ConnectRequest::decode(&changed);
        }
    }
}
