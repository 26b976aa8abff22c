//! Features of areas beside moving and writing: AOF by hand, pages, relations, copies, aggregates, searches, tables
//! made anew.

mod common;

use common::{copied, open, walk};
use mainstay_types::{Code, ValueRef};
use mainstay_vfs::{FileSystem, Memory};
use mainstay_workarea::{
    Aggregate, Among, Area, AreaOptions, CopyOptions, Counting, Customize, FieldValue, FindText, From, Mode, NewOrder,
    Optimized, Relation, SeekHow, SeekKey, Side, SortKey, Workspace, untold,
};
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{Building, IndexSpec, IndexedTable, Transaction};
use mainstay_xbase::writer::{Access, WriteOptions, create};
use std::path::Path;
use std::sync::Arc;

fn writable(memory: &Memory, name: &str, mode: Mode) -> Area {
    let options = AreaOptions { mode, implicit_locks: true, ..AreaOptions::default() };
    Area::open(Arc::new(memory.clone()), Path::new(name), &options).unwrap()
}

const T03: [&str; 3] = ["t03_cdx_tags.dbf", "t03_cdx_tags.fpt", "t03_cdx_tags.cdx"];

#[test]
fn an_aof_shows_what_a_filter_shows_and_says_how_it_knows() {
    let mut area = open("t03_cdx_tags.dbf");
    let cases = [
        ("ID > 500", Optimized::Full),
        ("ID > 500 .AND. ID <= 2500", Optimized::Full),
        ("upper( name ) = 'MARY' .OR. CITY = 'Zzz'", Optimized::None),
        ("upper( name ) = 'MARY' .OR. BAL < -8000", Optimized::Full),
        ("ACTIVE .AND. NAME = 'A'", Optimized::Full),
        (".NOT. ACTIVE .AND. BORN >= CTOD('01/01/70')", Optimized::Full),
        (".NOT. (ACTIVE .OR. BAL > 0)", Optimized::Full),
        ("ID <> 5831", Optimized::Full),
        ("BETWEEN(BAL, -100, 100)", Optimized::Full),
        ("BAL > 0 .AND. 'ary' $ NAME", Optimized::Part),
        ("'ary' $ NAME", Optimized::None),
        ("ID = 5831.5", Optimized::Full),
        ("5000 > ID", Optimized::Full),
        ("NAME = ''", Optimized::Full),
        ("RECNO() > 990", Optimized::None),
    ];
    for (condition, level) in cases {
        for order in [None, area.order_named("NAME")] {
            area.set_order(order).unwrap();
            area.set_filter(Some(condition)).unwrap();
            let wanted = walk(&mut area);
            area.set_filter(None).unwrap();
            assert_eq!(area.set_aof(condition).unwrap(), level, "{condition}");
            assert_eq!(walk(&mut area), wanted, "{condition}");
            assert_eq!(area.record_count(Counting::Visible).unwrap() as usize, wanted.len());
            assert_eq!(area.record_count(Counting::All).unwrap(), 1000);
            let mut back = Vec::new();
            area.go_bottom().unwrap();
            while !area.is_bof() && !area.is_eof() {
                back.insert(0, area.record_number());
                area.skip(-1).unwrap();
            }
            assert_eq!(back, wanted, "{condition} back");
            area.clear_aof();
        }
    }
    assert_eq!(area.set_aof("NAME +").unwrap_err().code(), Code::Syntax);
    assert_eq!(area.set_aof("ID + 1").unwrap_err().code(), Code::TypeMismatch);
    assert_eq!(area.aof(), None);
}

#[test]
fn records_of_an_aof_are_chosen_by_hand() {
    let mut area = open("t03_cdx_tags.dbf");
    assert_eq!(area.customize_aof(&[1], Customize::Add).unwrap_err().code(), Code::InvalidValue);
    area.set_aof("ID < 0").unwrap();
    assert!(walk(&mut area).is_empty() && area.is_bof());
    area.customize_aof(&[7, 900, 3], Customize::Add).unwrap();
    assert_eq!(walk(&mut area), [3, 7, 900]);
    area.customize_aof(&[7], Customize::Remove).unwrap();
    area.customize_aof(&[3, 4], Customize::Toggle).unwrap();
    assert_eq!(walk(&mut area), [4, 900]);
    assert!(area.is_record_in_aof(900).unwrap() && !area.is_record_in_aof(3).unwrap());
    area.refresh_aof().unwrap();
    assert!(walk(&mut area).is_empty());
}

#[test]
fn a_host_can_filter_too() {
    let mut area = open("t03_cdx_tags.dbf");
    area.set_predicate(Some(Box::new(|recno, _| Ok(recno % 100 == 0))));
    assert_eq!(walk(&mut area), (1..=10).map(|n| n * 100).collect::<Vec<_>>());
    area.set_filter(Some("RECNO() > 750")).unwrap();
    assert_eq!(walk(&mut area), [800, 900, 1000]);
}

#[test]
fn pages_go_on_where_others_ended() {
    let mut area = open("t03_cdx_tags.dbf");
    area.set_order(area.order_named("NAME")).unwrap();
    area.set_filter(Some("BAL > 0")).unwrap();
    let wanted = walk(&mut area);
    area.go_to(500).unwrap();
    let (mut found, mut from) = (Vec::new(), From::Top);
    loop {
        let page = area.page(&from, 70).unwrap();
        found.extend(page.rows.iter().map(|row| row.record));
        let last = page.rows.last().unwrap();
        assert_eq!(last.key.as_ref().unwrap().len(), 24);
        if page.is_last {
            break;
        }
        area.go_to(last.record).unwrap();
        from = From::Beyond(area.bookmark().unwrap());
        area.go_to(500).unwrap();
    }
    assert_eq!(found, wanted);
    assert_eq!((area.record_number(), area.is_eof()), (500, false), "the area stays where it is");
    let page = area.page(&From::Bottom, -3).unwrap();
    let back: Vec<u32> = page.rows.iter().map(|row| row.record).collect();
    assert!(back.iter().eq(wanted.iter().rev().take(3)) && !page.is_last);
}

#[test]
fn positions_lie_between_the_ends() {
    let mut area = open("t03_cdx_tags.dbf");
    area.set_order(area.order_named("ID")).unwrap();
    area.go_bottom().unwrap();
    assert_eq!(area.relative_position().unwrap(), 1.0);
    area.set_relative_position(0.5).unwrap();
    assert!((area.relative_position().unwrap() - 0.5).abs() < 0.001);
    area.set_scope(Side::Top, &SeekKey::Number(1000.0)).unwrap();
    area.set_scope(Side::Bottom, &SeekKey::Number(2000.0)).unwrap();
    let in_scope = walk(&mut area);
    assert_eq!(area.key_count(Counting::Scoped).unwrap() as usize, in_scope.len());
    assert_eq!(area.key_count(Counting::All).unwrap(), 1000);
    for (at, recno) in in_scope.iter().enumerate() {
        area.go_to_key(at as u64 + 1, Counting::Scoped).unwrap();
        assert_eq!(area.record_number(), *recno);
        assert_eq!(area.key_number(Counting::Scoped).unwrap(), Some(at as u64 + 1));
        assert!(area.is_in_scope().unwrap());
    }
    area.set_filter(Some("ACTIVE")).unwrap();
    let shown = walk(&mut area);
    area.go_to(shown[5]).unwrap();
    assert_eq!(area.key_number(Counting::Visible).unwrap(), Some(6));
    area.go_to_key(7, Counting::Visible).unwrap();
    assert_eq!(area.record_number(), shown[6]);
    let bookmark = area.bookmark().unwrap();
    area.go_top().unwrap();
    area.go_to_bookmark(&bookmark).unwrap();
    assert_eq!(area.record_number(), shown[6]);
    let id = area.order_named("ID").unwrap();
    assert_eq!(area.look_up(id, &SeekKey::Number(-77.0)).unwrap(), None);
    assert_eq!(area.record_number(), shown[6], "a look-up does not move");
    assert_eq!(area.set_scope(Side::Top, &SeekKey::Text(b"1x".to_vec())).unwrap_err().code(), Code::TypeMismatch);
    area.set_order(None).unwrap();
    assert_eq!(area.set_scope(Side::Top, &SeekKey::Number(1.0)).unwrap_err().code(), Code::InvalidValue);
}

#[test]
fn children_follow_their_parents() {
    let mut workspace = Workspace::new();
    let (parent, child) = (workspace.add(open("t03_cdx_tags.dbf")), workspace.add(open("t04_cdx_updated.dbf")));
    let (third, order) = (workspace.add(open("t05_ntx.dbf")), |area: &mut Area, name: &str| {
        area.set_order(area.order_named(name)).unwrap();
    });
    order(workspace.area(child).unwrap(), "CITYBORN");
    let relation = |expression: &str, scoped| Relation { expression: expression.to_owned(), scoped };
    workspace.relate(parent, child, relation("CITY", true)).unwrap();
    workspace.relate(child, third, relation("RECNO() * 2", false)).unwrap();
    assert_eq!(workspace.relate(third, parent, relation("1", false)).unwrap_err().code(), Code::InvalidValue);
    assert_eq!(workspace.relate(parent, third, relation("NOPE", false)).unwrap_err().code(), Code::UnknownColumn);
    workspace.area(parent).unwrap().go_to(1).unwrap();
    workspace.sync(parent).unwrap();
    let city = workspace.area(parent).unwrap().get_text(2).unwrap();
    let area = workspace.area(child).unwrap();
    assert!(area.is_found());
    let of_city = walk(area);
    assert!(of_city.len() > 50);
    for recno in &of_city {
        area.go_to(*recno).unwrap();
        assert_eq!(area.get_text(2).unwrap(), city);
    }
    workspace.area(child).unwrap().go_to(of_city[0]).unwrap();
    workspace.sync(child).unwrap();
    let at = workspace.area(third).unwrap().record_number();
    assert_eq!(at, (of_city[0] * 2).min(1501));
    workspace.area(parent).unwrap().go_eof().unwrap();
    workspace.sync(parent).unwrap();
    assert!(workspace.area(child).unwrap().is_eof() && workspace.area(third).unwrap().is_eof());
    assert!(workspace.remove(child).is_some() && workspace.relations(parent).is_empty());
}

#[test]
fn copies_and_sorted_copies_have_what_is_shown() {
    let memory = copied(&T03);
    let mut area = writable(&memory, "t03_cdx_tags.dbf", Mode::ReadOnly);
    area.set_order(area.order_named("NAME")).unwrap();
    area.set_filter(Some("BAL > 5000")).unwrap();
    let shown = walk(&mut area);
    let options = CopyOptions { condition: Some("ACTIVE".into()), ..CopyOptions::default() };
    let count = area.copy_to(Path::new("copy.dbf"), &options, &mut untold).unwrap();
    let mut copy = writable(&memory, "copy.dbf", Mode::ReadOnly);
    assert_eq!((copy.record_count(Counting::All).unwrap(), copy.fields().len()), (count, area.fields().len()));
    let mut at = 0;
    for recno in &shown {
        area.go_to(*recno).unwrap();
        if area.get_logical(4).unwrap() {
            at += 1;
            copy.go_to(at).unwrap();
            for field in 0..area.fields().len() {
                assert_eq!(copy.get(field).unwrap(), area.get(field).unwrap(), "record {at}, field {field}");
            }
            assert_eq!(copy.is_deleted().unwrap(), area.is_deleted().unwrap());
        }
    }
    assert_eq!(at, count);
    let keys = |text: &str, descending| SortKey { expression: text.into(), descending, ignore_case: false };
    let options = CopyOptions { fields: Some(vec![5, 1]), ..CopyOptions::default() };
    let sorted = [keys("CITY", false), keys("BAL", true)];
    area.sort_to(Path::new("sorted.dbf"), &sorted, &options, &mut untold).unwrap();
    let mut sorted = writable(&memory, "sorted.dbf", Mode::ReadOnly);
    assert_eq!(sorted.record_count(Counting::All).unwrap() as usize, shown.len());
    assert_eq!(sorted.fields().iter().map(|field| field.name.as_str()).collect::<Vec<_>>(), ["BAL", "NAME"]);
    let error = area.copy_to(Path::new("copy.dbf"), &CopyOptions::default(), &mut untold).unwrap_err();
    assert_eq!(error.code(), Code::Duplicate);
    let stopped = &mut |_, _| std::ops::ControlFlow::Break(());
    let error = area.copy_to(Path::new("no.dbf"), &CopyOptions::default(), stopped).unwrap_err();
    assert_eq!(error.code(), Code::Cancelled);
}

#[test]
fn aggregates_and_searches_look_at_what_is_shown() {
    let mut area = open("t03_cdx_tags.dbf");
    area.set_filter(Some("ID < 3000")).unwrap();
    let (mut count, mut sum, mut least) = (0, 0.0, f64::MAX);
    for recno in walk(&mut area) {
        area.go_to(recno).unwrap();
        if area.get_logical(4).unwrap() {
            let number = area.get_number(5).unwrap();
            (count, sum, least) = (count + 1, sum + number, least.min(number));
        }
    }
    area.go_to(17).unwrap();
    let wanted = [Aggregate::Count, Aggregate::Sum("BAL".into()), Aggregate::Minimum("BAL".into())];
    let among = Among { condition: Some("ACTIVE".into()), while_condition: None };
    let answer = area.aggregate(&wanted, &among).unwrap();
    assert_eq!(answer, [FieldValue::Integer(count), FieldValue::Number(sum), FieldValue::Number(least)]);
    assert_eq!(area.record_number(), 17);
    let error = area.aggregate(&[Aggregate::Sum("NAME".into())], &Among::default()).unwrap_err();
    assert_eq!(error.code(), Code::TypeMismatch);
    area.set_filter(None).unwrap();
    assert!(area.locate("ID = 5831").unwrap() && area.record_number() == 2);
    assert!(!area.locate_next("ID = 5831").unwrap() && area.is_eof());
    let field = area.find_text(b"MEMO FOR 4", &FindText::default()).unwrap();
    assert_eq!((field, area.record_number()), (Some(6), 4));
    let exact = FindText { match_case: true, ..FindText::default() };
    assert_eq!(area.find_text(b"MEMO FOR 4", &exact).unwrap(), None);
}

#[test]
fn orders_of_every_kind_are_made_kept_and_taken_away() {
    let memory = copied(&T03);
    let mut area = writable(&memory, "t03_cdx_tags.dbf", Mode::Exclusive);
    let before = area.orders().len();
    let down = NewOrder { descending: true, ..NewOrder::new("DOWN", "NAME") };
    let down = area.create_order(&down, &mut untold).unwrap();
    let custom = NewOrder { custom: true, file: Some("own.cdx".into()), ..NewOrder::new("OWN", "NAME") };
    let custom = area.create_order(&custom, &mut untold).unwrap();
    let ntx =
        NewOrder { file: Some("byid.ntx".into()), condition: Some("ID > 5000".into()), ..NewOrder::new("BYID", "ID") };
    let ntx = area.create_order(&ntx, &mut untold).unwrap();
    area.set_filter(Some("ACTIVE")).unwrap();
    let shown = NewOrder { visible_only: true, file: Some("own.cdx".into()), ..NewOrder::new("SHOWN", "BAL") };
    let shown = area.create_order(&shown, &mut untold).unwrap();
    area.set_filter(None).unwrap();
    assert_eq!(area.orders().len(), before + 4);
    area.set_order(Some(custom)).unwrap();
    assert!(walk(&mut area).is_empty());
    for recno in [5, 3, 9] {
        area.go_to(recno).unwrap();
        assert!(area.add_key(custom).unwrap() && !area.add_key(custom).unwrap());
    }
    assert_eq!(walk(&mut area).len(), 3);
    area.go_to(3).unwrap();
    // One that is not custom lists what its expression and condition say.
    for refused in [area.add_key(down), area.drop_key(down)] {
        assert_eq!(refused.unwrap_err().code(), Code::InvalidValue);
    }
    assert!(area.drop_key(custom).unwrap());
    assert_eq!(walk(&mut area).len(), 2);
    area.go_to(1).unwrap();
    area.set_number(0, 5001.0).unwrap();
    area.set_order(Some(ntx)).unwrap();
    area.seek(&SeekKey::Number(5001.0), SeekHow::default()).unwrap();
    assert_eq!((area.is_found(), area.record_number()), (true, 1));
    let listed = walk(&mut area);
    assert!(listed.len() > 300 && listed.len() < 700);
    area.set_order(Some(down)).unwrap();
    let names: Vec<Vec<u8>> = walk(&mut area)
        .into_iter()
        .map(|recno| {
            area.go_to(recno).unwrap();
            area.get_text(1).unwrap()
        })
        .collect();
    assert!(names.len() == 1000 && names.is_sorted_by(|left, right| left >= right));
    assert!(area.order_info(shown).unwrap().file.ends_with("own.cdx"));
    area.delete_order(down).unwrap();
    assert_eq!((area.order(), area.orders().len()), (None, before + 3));
    area.delete_order(ntx).unwrap();
    assert!(memory.stamp(Path::new("byid.ntx")).is_ok(), "a file of one tag is closed only");
    area.close_indexes().unwrap();
    assert_eq!(area.orders().len(), before);
}

#[test]
fn tables_are_packed_emptied_reindexed_and_given_other_fields() {
    let memory = copied(&T03);
    let mut area = writable(&memory, "t03_cdx_tags.dbf", Mode::Exclusive);
    area.set_hide_deleted(true);
    area.set_order(area.order_named("ID")).unwrap();
    let kept: Vec<FieldValue> = walk(&mut area)
        .into_iter()
        .map(|recno| {
            area.go_to(recno).unwrap();
            area.get(0).unwrap()
        })
        .collect();
    area.pack(&mut untold).unwrap();
    assert_eq!(area.record_count(Counting::All).unwrap() as usize, kept.len());
    area.set_order(area.order_named("ID")).unwrap();
    let packed: Vec<FieldValue> = walk(&mut area)
        .into_iter()
        .map(|recno| {
            area.go_to(recno).unwrap();
            area.get(0).unwrap()
        })
        .collect();
    assert_eq!(packed, kept);
    area.reindex(&mut untold).unwrap();
    assert_eq!(walk(&mut area).len(), kept.len());
    let mut spec = area.spec();
    spec.fields.push(mainstay_xbase::dbf::FieldSpec::new("MORE", b'C', 5, 0));
    let mut sources: Vec<_> = (0..area.fields().len()).map(mainstay_xbase::writer::Source::Field).collect();
    sources.push(mainstay_xbase::writer::Source::Value(mainstay_types::Value::Text("new".into())));
    area.restructure(&spec, &sources, &mut untold).unwrap();
    let more = area.field_number("MORE").unwrap();
    assert_eq!(area.get_text(more).unwrap(), b"new  ");
    area.zap().unwrap();
    assert!(area.is_eof() && area.record_count(Counting::All).unwrap() == 0);
    area.append_blank().unwrap();
    area.set_integer(0, 12).unwrap();
    area.set_order(area.order_named("ID")).unwrap();
    assert!(area.seek(&SeekKey::Number(12.0), SeekHow::default()).unwrap());
    drop(area);
    let mut shared = writable(&memory, "t03_cdx_tags.dbf", Mode::Shared);
    assert!(shared.zap().is_err(), "others may have the table open");
    assert_eq!(shared.record_count(Counting::All).unwrap(), 1);
}

#[test]
fn a_transaction_stays_or_is_undone() {
    for mode in [Mode::Shared, Mode::Exclusive] {
        let memory = copied(&T03);
        let mut area = writable(&memory, "t03_cdx_tags.dbf", mode);
        area.set_order(area.order_named("ID")).unwrap();
        let before = walk(&mut area);
        let change = |area: &mut Area, id: f64| {
            area.append_blank().unwrap();
            area.set_number(0, id).unwrap();
            area.write().unwrap();
            area.go_to(4).unwrap();
            area.set_number(0, id + 1.0).unwrap();
            area.set_memo(6, b"other").unwrap();
        };
        let transaction = Transaction::begin(Arc::new(memory.clone()));
        area.enlist(&transaction).unwrap();
        change(&mut area, 77.0);
        assert!(area.is_in_transaction());
        assert!(area.seek(&SeekKey::Number(78.0), SeekHow::default()).unwrap());
        mainstay_workarea::rollback(&transaction, &mut [&mut area]).unwrap();
        assert_eq!(walk(&mut area), before, "{mode:?}");
        area.go_to(4).unwrap();
        assert_eq!(area.memo_bytes(6).unwrap().unwrap(), b"memo for 4");
        let transaction = Transaction::begin(Arc::new(memory.clone()));
        area.enlist(&transaction).unwrap();
        change(&mut area, 77.0);
        mainstay_workarea::commit(&transaction, &mut [&mut area]).unwrap();
        assert_eq!(walk(&mut area).len(), before.len() + 1);
        assert!(area.seek(&SeekKey::Number(77.0), SeekHow::default()).unwrap() && area.record_number() == 1001);
        assert!(!area.is_in_transaction());
    }
}

#[test]
fn a_tag_that_is_not_understood_is_named_and_the_others_work() {
    let memory = copied(&T03);
    let mut cdx = memory.read(Path::new("t03_cdx_tags.cdx")).unwrap();
    let at = cdx.windows(13).position(|text| text == b"Upper( NAME )").unwrap();
    cdx[at..at + 5].copy_from_slice(b"Vpper");
    memory.write("t03_cdx_tags.cdx", cdx);
    let mut area = writable(&memory, "t03_cdx_tags.dbf", Mode::Shared);
    let [(_, name, error)] = area.refused_orders() else { panic!("{:?}", area.refused_orders()) };
    assert_eq!((name.as_str(), error.code()), ("UNAME", Code::UnknownFunction));
    assert_eq!((area.order_named("UNAME"), area.orders().len()), (None, 18));
    area.set_order(area.order_named("ID")).unwrap();
    assert_eq!(walk(&mut area).len(), 1000);
    area.go_to(1).unwrap();
    area.set_number(0, 1.0).unwrap();
    assert!(area.write().is_err(), "an index that cannot be kept up keeps the record as it is");
    area.cancel().unwrap();
    area.refresh().unwrap();
    assert_eq!(area.get_number(0).unwrap(), 7919.0);
    memory.write("t03_cdx_tags.cdx", vec![7; 5000]);
    let area = Area::open(Arc::new(memory.clone()), Path::new("t03_cdx_tags.dbf"), &AreaOptions::default()).unwrap();
    assert_eq!((area.orders().len(), area.refused_orders().len()), (0, 1));
}

/// In tables of Visual FoxPro capitals are those of the code page, in conditions and in keys; in others those of ASCII. An
/// index whose program knows other letters than the condition is not asked about texts beyond ASCII.
#[test]
fn capitals_beyond_ascii_are_those_of_the_programs_that_a_table_is_of() {
    for (format, of, shown) in [
        (Format::VisualFoxPro, Format::VisualFoxPro, vec![1, 3]),
        (Format::VisualFoxPro, Format::FoxPro, vec![1, 3]),
        (Format::FoxPro, Format::FoxPro, vec![3]),
        (Format::FoxPro, Format::VisualFoxPro, vec![3]),
    ] {
        let memory = Memory::new();
        let fs: Arc<dyn FileSystem> = Arc::new(memory.clone());
        let index = Path::new("names.idx");
        for (name, format) in [("of.dbf", of), ("t.dbf", format)] {
            let spec = TableSpec::new(format, vec![FieldSpec::new("NAME", b'C', 10, 0)]);
            let options = WriteOptions::new(Access::Exclusive);
            create(&*fs, Path::new(name), &TableSpec { language: 0x03, ..spec }, &options).unwrap();
            let mut table = IndexedTable::open(Arc::clone(&fs), Path::new(name), options).unwrap();
            for text in ["\u{e9}t\u{e9}", "Zoe", "\u{c9}T\u{c9}", "ete"] {
                table.append(&[ValueRef::Text(text)]).unwrap();
            }
            if name == "of.dbf" {
                let spec = IndexSpec::new("NAMES", "UPPER(NAME)");
                table.create_index(Some(index), BagKind::CompactIdx, &spec, Building::default()).unwrap();
            }
            table.close().unwrap();
        }
        let mut area = writable(&memory, "t.dbf", Mode::Shared);
        let order = area.open_index(index).unwrap()[0];
        // Every record is found by its own key.
        area.set_order(Some(order)).unwrap();
        for record in 1..=4 {
            area.go_to(record).unwrap();
            assert!(area.key_number(Counting::All).unwrap().is_some(), "{format:?} {of:?} record {record}");
        }
        area.set_order(None).unwrap();
        for (condition, shown) in [
            ("UPPER(NAME) = '\u{c9}T\u{c9}'", shown.clone()),
            (".NOT. '\u{c9}' $ UPPER(NAME)", (1..=4).filter(|record| !shown.contains(record)).collect()),
            ("UPPER(NAME) < 'F'", vec![4]),
        ] {
            area.set_filter(Some(condition)).unwrap();
            assert_eq!(walk(&mut area), shown, "{format:?} {of:?} {condition}");
            area.set_filter(None).unwrap();
            let level = area.set_aof(condition).unwrap();
            let (is_text, is_same) = (!condition.is_ascii(), format == of);
            let wanted = match condition.contains('$') || is_text && !is_same {
                true => Optimized::None,
                false => Optimized::Full,
            };
            assert_eq!((level, walk(&mut area)), (wanted, shown), "{format:?} {of:?} {condition}");
            area.clear_aof();
        }
    }
}
