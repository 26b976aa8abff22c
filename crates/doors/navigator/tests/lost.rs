//! A lost connection that is re-established: all settings are restored, or the next request tries once more.

mod common;

use common::Served;
use mainstay_vfs::{Disk, FileSystem};
use mainstay_workarea::{Customize, Mode, NewOrder, SeekKey, Side, WorkArea, untold};
use std::path::Path;
use std::sync::atomic::Ordering::SeqCst;

/// The records that are shown, from the first on.
fn shown(area: &mut dyn WorkArea) -> Vec<u32> {
    let mut records = Vec::new();
    area.go_top().unwrap();
    while !area.is_eof() {
        records.push(area.record_number());
        area.skip(1).unwrap();
    }
    records
}

#[test]
fn what_was_said_by_hand_about_an_aof_is_said_again() {
    let served = Served::new();
    served.make_numbers("numbers.dbf", 10);
    let (client, is_cut) = served.cuttable_client();
    let mut area = served.open(&client, "numbers.dbf", Mode::Shared);
    area.set_aof("NUMBER <= 4").unwrap();
    area.customize_aof(&[7, 8], Customize::Add).unwrap();
    area.customize_aof(&[2], Customize::Remove).unwrap();
    area.customize_aof(&[3, 9], Customize::Toggle).unwrap();
    assert_eq!(shown(&mut area), [1, 4, 7, 8, 9]);
    is_cut.store(true, SeqCst);
    area.refresh().unwrap();
    assert_eq!(shown(&mut area), [1, 4, 7, 8, 9]);
    area.refresh_aof().unwrap();
    assert_eq!(shown(&mut area), [1, 2, 3, 4]);
}

#[test]
fn a_view_of_many_settings_is_made_again() {
    let served = Served::new();
    served.make_numbers("numbers.dbf", 60);
    let (client, is_cut) = served.cuttable_client();
    let mut area = served.open(&client, "numbers.dbf", Mode::Shared);
    let mut orders = Vec::new();
    for number in 0..40 {
        let file = Some(Path::new("tcp://here").join(format!("file{number}.cdx")));
        let new = NewOrder { file, ..NewOrder::new(&format!("TAG{number}"), "NUMBER") };
        let order = area.create_order(&new, &mut untold).unwrap();
        area.set_order(Some(order)).unwrap();
        area.set_scope(Side::Top, &SeekKey::Number(f64::from(number))).unwrap();
        area.set_scope(Side::Bottom, &SeekKey::Number(f64::from(number + 1))).unwrap();
        orders.push(order);
    }
    // Files that the program opened are opened again.
    for number in 0..40 {
        area.close_index(&Path::new("tcp://here").join(format!("file{number}.cdx"))).unwrap();
    }
    let mut orders = Vec::new();
    for number in 0..40_u32 {
        let opened = area.open_index(&Path::new("tcp://here").join(format!("file{number}.cdx"))).unwrap();
        area.set_order(opened.first().copied()).unwrap();
        area.set_scope(Side::Top, &SeekKey::Number(f64::from(number))).unwrap();
        area.set_scope(Side::Bottom, &SeekKey::Number(f64::from(number + 1))).unwrap();
        orders.extend(opened);
    }
    is_cut.store(true, SeqCst);
    for (number, order) in (0_u32..).zip(&orders) {
        area.set_order(Some(*order)).unwrap();
        let expected: Vec<u32> = [number, number + 1].into_iter().filter(|number| *number > 0).collect();
        assert_eq!(shown(&mut area), expected, "{number}");
    }
}

#[test]
fn a_view_that_cannot_be_made_again_is_made_by_the_next_request() {
    let served = Served::new();
    served.make_numbers("numbers.dbf", 10);
    let (client, is_cut) = served.cuttable_client();
    let mut area = served.open(&client, "numbers.dbf", Mode::Shared);
    let file = Path::new("tcp://here").join("more.cdx");
    area.create_order(&NewOrder { file: Some(file.clone()), ..NewOrder::new("MORE", "-NUMBER") }, &mut untold).unwrap();
    area.close_index(&file).unwrap();
    let more = area.open_index(&file).unwrap()[0];
    area.set_order(Some(more)).unwrap();
    area.set_filter(Some("NUMBER > 6")).unwrap();
    assert_eq!(shown(&mut area), [10, 9, 8, 7]);
    let path = served.folder.path().join("more.cdx");
    let bytes = Disk.read(&path).unwrap();
    Disk.remove(&path).unwrap();
    is_cut.store(true, SeqCst);
    for _ in 0..3 {
        assert!(area.refresh().is_err(), "there is no such index");
    }
    Disk.replace(&path, &bytes).unwrap();
    area.refresh().unwrap();
    area.set_order(Some(more)).unwrap();
    assert_eq!(shown(&mut area), [10, 9, 8, 7]);
    // A table that could not be set up was not left open.
    let activity = served.service.activity();
    assert_eq!(activity.members.len(), 1);
}
