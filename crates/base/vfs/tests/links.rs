//! Symbolic links in a folder in which others name files.

#![allow(clippy::disallowed_methods)]

use mainstay_types::Code;
use mainstay_vfs::{Create, Disk, Enclosed, FileSystem, NAMES_STAND};
use std::os::unix::fs::symlink;

use std::sync::Arc;

#[test]
fn no_link_leads_out_of_an_enclosed_folder() {
    let all = tempfile::tempdir().unwrap();
    let (shop, other) = (all.path().join("shop"), all.path().join("other"));
    for folder in [&shop.join("sub"), &shop.join(".mainstay"), &other] {
        std::fs::create_dir_all(folder).unwrap();
    }
    std::fs::write(shop.join("a.dbf"), "in").unwrap();
    std::fs::write(other.join("secret.dbf"), "out").unwrap();
    symlink(other.join("secret.dbf"), shop.join("file.dbf")).unwrap();
    symlink(&other, shop.join("folder")).unwrap();
    symlink("../../other/secret.dbf", shop.join("sub/back.dbf")).unwrap();
    symlink(other.join("new.dbf"), shop.join("dead.dbf")).unwrap();
    symlink("loop.dbf", shop.join("loop.dbf")).unwrap();
    symlink("a.dbf", shop.join("alias.dbf")).unwrap();
    symlink(other.join("secret.dbf"), shop.join(".mainstay/own")).unwrap();
    let files = Enclosed::new(Arc::new(Disk), &shop).unwrap();

    for name in [
        "file.dbf",
        "folder/secret.dbf",
        "sub/back.dbf",
        "dead.dbf",
        "loop.dbf",
        "sub/../../other/secret.dbf",
        ".mainstay/../file.dbf",
    ] {
        let path = shop.join(name);
        assert_eq!(files.open(&path).unwrap_err().code(), Code::NotPermitted, "{name}");
        assert!(files.stamp(&path).is_err() && files.read(&path).is_err() && files.map(&path).is_err(), "{name}");
        assert!(files.lock(&path).is_err() && files.remove(&path).is_err() && !files.is_folder(&path), "{name}");
        for how in [Create::Existing, Create::New, Create::Truncate] {
            assert_eq!(files.create(&path, how).unwrap_err().code(), Code::NotPermitted, "{name}");
        }
        assert!(files.rename(&shop.join("a.dbf"), &path).is_err() && files.replace(&path, b"x").is_err(), "{name}");
    }
    assert!(files.list(&shop.join("folder")).is_err() && files.create_folder(&shop.join("folder/new")).is_err());
    assert!(files.remove_folder(&shop.join("folder")).is_err() && files.create_folder(&shop.join("x/y")).is_ok());
    assert_eq!(std::fs::read(other.join("secret.dbf")).unwrap(), b"out");
    assert!(!other.join("new.dbf").exists() && !other.join("new").exists());

    let listed = files.list(&shop).unwrap();
    let listed: Vec<_> = listed.iter().filter_map(|entry| entry.path.file_name()?.to_str()).collect();
    assert_eq!(listed, [".mainstay", "a.dbf", "alias.dbf", "sub", "x"]);
    assert_eq!(files.read(&shop.join("alias.dbf")).unwrap(), b"in");
    assert_eq!(files.read(&shop.join(".mainstay/own")).unwrap(), b"out");
    // A path that does not begin in the folder leads out of it: a journal may name one (`break-02`).
    for path in [other.join("secret.dbf"), all.path().join("shop-other"), "secret.dbf".into(), "".into()] {
        assert_eq!(files.open(&path).unwrap_err().code(), Code::NotPermitted, "{path:?}");
        assert_eq!(files.create(&path, Create::OpenOrCreate).unwrap_err().code(), Code::NotPermitted, "{path:?}");
    }
    assert_eq!(std::fs::read(other.join("secret.dbf")).unwrap(), b"out");
    // Mainstay's own temporary files are.
    let temporary = tempfile::Builder::new().prefix("mainstay-test-").tempdir().unwrap();
    files.replace(&temporary.path().join("t.dbf"), b"rows").unwrap();
    symlink(other.join("secret.dbf"), temporary.path().join("link.dbf")).unwrap();
    assert!(files.open(&temporary.path().join("link.dbf")).is_err());
}

/// The folder may be a link itself, and be one by which it is reached.
#[test]
fn the_folder_may_be_a_link() {
    let all = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(all.path().join("real/sub")).unwrap();
    symlink(all.path().join("real"), all.path().join("shop")).unwrap();
    let shop = all.path().join("shop");
    let files = Enclosed::new(Arc::new(Disk), &shop).unwrap();
    files.replace(&shop.join("sub/a.dbf"), b"in").unwrap();
    assert_eq!(files.read(&shop.join("sub/a.dbf")).unwrap(), b"in");
}

#[test]
fn a_folder_that_becomes_a_link_is_noticed() {
    let all = tempfile::tempdir().unwrap();
    let (shop, other) = (all.path().join("shop"), all.path().join("other"));
    std::fs::create_dir_all(shop.join("sub")).unwrap();
    std::fs::create_dir_all(&other).unwrap();
    for folder in [&shop.join("sub"), &other] {
        std::fs::write(folder.join("a.dbf"), "a").unwrap();
    }
    let files = Enclosed::new(Arc::new(Disk), &shop).unwrap();
    assert!(files.open(&shop.join("sub/a.dbf")).is_ok());
    std::fs::rename(shop.join("sub"), shop.join("before")).unwrap();
    symlink(&other, shop.join("sub")).unwrap();
    std::thread::sleep(2 * NAMES_STAND);
    assert!(files.open(&shop.join("sub/a.dbf")).is_err());
}

/// Opening a pipe waits for a writer, so a caller asks first.
#[test]
fn pipes_and_devices_are_told_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("file"), "").unwrap();
    assert!(std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap().success());
    symlink("pipe", path("link")).unwrap();
    let enclosed = Enclosed::new(Arc::new(Disk), folder.path()).unwrap();
    let files: [&dyn FileSystem; 2] = [&Disk, &enclosed];
    for files in files {
        for (name, is_special) in [("file", false), ("pipe", true), ("link", true), ("", false), ("nothing", false)] {
            assert_eq!(files.is_pipe_or_device(&path(name)), is_special, "{name}");
        }
    }
    assert!(Disk.is_pipe_or_device(std::path::Path::new("/dev/null")));
}
