//! A dictionary of a server, called by clients that disregard their rights: the server refuses actions that its users
//! may not do, and does not send data that they may not read.

extern crate mainstay_ace as ace;

mod common;

use ace::backend::ServedDictionaries;
use ace::constants::*;
use common::{Door, folder_of_tables};
use mainstay_navigator::client::{Address, Client, OpenHow, RemoteArea};
use mainstay_navigator::dictionary::{Called, Given, code_of};
use mainstay_server::Config;
use mainstay_vfs::{Disk, FileSystem};
use mainstay_workarea::{Mode, WorkArea};
use std::path::Path;
use std::sync::Arc;

/// The dictionary's table.
const TABLE: &str = "t01_alltypes_cdx";

fn connect(name: &str, user: &str, password: &str) -> mainstay_types::Result<Arc<Client>> {
    Client::connect(name, Address::parse(name).unwrap().unwrap(), user, password, "test")
}

fn text(text: &str) -> Given {
    Given::Text(text.as_bytes().to_vec())
}

/// A call about the connection's dictionary.
fn call(client: &Client, name: &str, arguments: Vec<Given>) -> Called {
    client.call(name, [vec![Given::Number(0)], arguments].concat()).unwrap()
}

fn done(client: &Client, name: &str, arguments: Vec<Given>) -> Vec<Given> {
    let called = call(client, name, arguments);
    assert_eq!(called.code, AE_SUCCESS, "{name}: {}", called.detail);
    called.places
}

fn open(client: &Arc<Client>, name: &str, mode: Mode) -> mainstay_types::Result<RemoteArea> {
    let how = OpenHow { mode, scheme: None, open_structural: true, hide_deleted: false, exact: false };
    RemoteArea::open(client, &[client.path(Path::new(name))], &how)
}

fn number(number: u32) -> Given {
    Given::Number(number.into())
}

#[test]
fn what_users_may_not_do_is_refused_at_the_server() {
    let tables = folder_of_tables();
    let outside = tempfile::tempdir().unwrap();
    let table = tables.path().join(TABLE).with_extension("dbf");
    Disk.replace(&outside.path().join("x.dbf"), &Disk.read(&table).unwrap()).unwrap();
    let door = Door::open(Config::default(), tables.path(), Box::new(std::io::sink()));
    let address = format!("tcp://{}", door.address);
    let folder = connect(&address, "", "").unwrap();
    assert!(connect(&format!("{address}/none.add"), "ADSSYS", "").is_err());
    assert!(door.service.serve_dictionaries(Arc::new(ServedDictionaries(Arc::new(Disk)))));
    folder.create_dictionary(&folder.path(Path::new("shop.add")), "The shop").unwrap();
    let name = format!("{address}/shop.add");

    let admin = connect(&name, "ADSSYS", "").unwrap();
    let add = |name: &str, path: &str| {
        let given = vec![text(name), text(path), number(ADS_CDX), number(ADS_ANSI), Given::Null, Given::Null];
        call(&admin, "AdsDDAddTable", given).code
    };
    assert_eq!(add("Goods", TABLE), AE_SUCCESS);
    // No path leads out of the folder, for any user.
    assert_ne!(add("out", &outside.path().join("x.dbf").display().to_string()), AE_SUCCESS);
    let above = format!("../{}/x.dbf", outside.path().file_name().unwrap().to_string_lossy());
    assert_ne!(add("out", &above), AE_SUCCESS);
    let on = vec![number(ADS_DD_VERIFY_ACCESS_RIGHTS), Given::Bytes(vec![1, 0]), number(2)];
    done(&admin, "AdsDDSetDatabaseProperty", on);
    done(&admin, "AdsDDCreateUser", vec![Given::Null, text("ann"), text("secret"), Given::Null]);
    let columns: Vec<String> = {
        let area = open(&admin, "goods", Mode::Shared).unwrap();
        area.form().fields().iter().map(|field| field.name.clone()).collect()
    };
    let grant =
        vec![number(ADS_DD_COLUMN_OBJECT), text(&columns[0]), text("Goods"), text("ann"), number(ADS_PERMISSION_READ)];
    done(&admin, "AdsDDGrantPermission", grant);

    for (user, password) in [("ann", ""), ("ann", "wrong"), ("nobody", "secret")] {
        let error = connect(&name, user, password).unwrap_err();
        assert_eq!(code_of(&error), Some(AE_AUTHENTICATION_FAILED), "{error}");
    }
    let ann = connect(&name, "ANN", "secret").unwrap();
    assert_eq!(ann.people().unwrap().last().unwrap().user, "ann");

    // A column that she may not read is not sent; the file's own name is also the table's.
    let mut theirs = open(&admin, "goods", Mode::ReadOnly).unwrap();
    theirs.go_to(2).unwrap();
    for of in ["Goods", &format!("{TABLE}.dbf")] {
        assert_eq!(code_of(&open(&ann, of, Mode::Shared).err().unwrap()), Some(AE_NO_WRITE_PERMISSION));
        let mut area = open(&ann, of, Mode::ReadOnly).unwrap();
        area.go_to(2).unwrap();
        assert_eq!(area.get_text(0).unwrap(), theirs.get_text(0).unwrap());
        let seen: Vec<usize> = (1..columns.len()).filter(|field| !area.is_empty(*field).unwrap()).collect();
        assert!(seen.is_empty() && !theirs.is_empty(1).unwrap(), "{seen:?}");
        let condition = format!("EMPTY({})", columns[1]);
        assert_eq!(code_of(&area.set_filter(Some(&condition)).unwrap_err()), Some(AE_PERMISSION_NOT_GRANTED));
    }

    // Nor does she change the dictionary, past it or by it.
    assert_eq!(
        call(&ann, "AdsDDCreateUser", vec![Given::Null, text("eve"), Given::Null, Given::Null]).code,
        AE_PERMISSION_DENIED
    );
    for file in [format!("{TABLE}.dbf"), format!("{TABLE}.cdx"), "shop.add".to_owned()] {
        assert!(ann.remove(&ann.path(Path::new(&file))).is_err(), "{file}");
        assert!(ann.clear(&ann.path(Path::new(&file))).is_err(), "{file}");
    }
    assert!(ann.create_dictionary(&ann.path(Path::new("mine.add")), "").is_err());
    assert!(admin.remove(&admin.path(Path::new("shop.add"))).is_err());

    // Another client's search is not hers.
    let first = vec![number(ADS_DD_TABLE_OBJECT), Given::Null, Given::Room(100), Given::Place(100), Given::Place(0)];
    let places = done(&admin, "AdsDDFindFirstObject", first);
    let [Given::Bytes(found), Given::Place(5 | 6), Given::Place(search)] = &places[..] else { panic!("{places:?}") };
    assert_eq!(found.split(|byte| *byte == 0).next(), Some(b"Goods".as_slice()));
    let next = |client: &Client, call_name: &str| {
        call(client, call_name, vec![Given::Number(*search), Given::Room(100), Given::Place(100)]).code
    };
    assert_eq!(next(&ann, "AdsDDFindNextObject"), AE_INVALID_FIND_HANDLE);
    assert_eq!(next(&admin, "AdsDDFindNextObject"), AE_NO_OBJECT_FOUND);

    // Lengths and arguments that do not belong together.
    let places =
        call(&ann, "AdsDDGetDatabaseProperty", vec![number(ADS_DD_COMMENT), Given::Room(1), Given::Place(60_000)]);
    assert!(matches!(&places.places[..], [Given::Bytes(bytes), _] if bytes.len() <= 1), "{places:?}");
    for arguments in
        [vec![], vec![Given::Place(1)], vec![text("x"); 12], vec![Given::Null; 9], vec![Given::Room(9); 100_000]]
    {
        for name in
            ["AdsDDAddTable", "AdsDDGetDatabaseProperty", "AdsDDFindFirstObject", "AdsDDClose", "AdsCloseAllTables"]
        {
            assert_ne!(call(&ann, name, arguments.clone()).code, AE_SUCCESS, "{name} {arguments:?}");
        }
    }
    assert!(ann.is_alive() && folder.is_alive());
    assert!(door.stop());
}
