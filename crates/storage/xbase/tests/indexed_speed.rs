//! Cost of changing records together with their keys. Run it with
//! `cargo test --release -p mainstay-xbase --test indexed_speed -- --ignored --nocapture`.

#![allow(clippy::print_stdout)]

mod indexed_common;

use indexed_common::{create, open};
use mainstay_types::{Decimal, ValueRef};
use mainstay_vfs::{Disk, FileSystem};
use mainstay_xbase::dbf::{FieldSpec, Format, TableSpec};
use mainstay_xbase::index::BagKind;
use mainstay_xbase::indexed::{Building, IndexSpec};
use mainstay_xbase::writer::Access;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const RECORDS: i64 = 100_000;

/// The quickest of some runs, in milliseconds.
fn report(what: &str, mut run: impl FnMut() -> Instant) {
    let mut times: Vec<f64> = (0..7)
        .map(|_| {
            let begun = run();
            begun.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!("{what:<60} {:>8.2} ms (best {:.2})", times[times.len() / 2], times[0]);
}

fn amount(id: i64) -> ValueRef<'static> {
    ValueRef::Decimal(Decimal::new(i128::from(id.wrapping_mul(7_919) % RECORDS), 2))
}

fn row(id: i64) -> [String; 1] {
    [char::from(b'A' + (id % 26) as u8).to_string().repeat(4)]
}

#[test]
#[ignore = "measures, and needs a release build"]
fn staging_indexing_updating() {
    let folder = tempfile::tempdir().unwrap();
    let fs: Arc<dyn FileSystem> = Arc::new(Disk);
    let path = folder.path().join("bench.dbf");
    let fields =
        vec![FieldSpec::new("id", b'N', 8, 0), FieldSpec::new("tag", b'C', 4, 0), FieldSpec::new("amt", b'N', 8, 2)];
    let spec = TableSpec::new(Format::FoxPro, fields);
    let stage = || {
        let _ = fs.remove(&path);
        let _ = fs.remove(&path.with_extension("cdx"));
        create(&fs, &path, &spec);
        let begun = Instant::now();
        let mut table = open(&fs, &path, Access::Exclusive);
        for id in 0..RECORDS {
            let [tag] = row(id);
            table.append(&[ValueRef::Integer(id), ValueRef::Text(&tag), amount(id)]).unwrap();
        }
        table.close().unwrap();
        begun
    };
    report("100,000 records appended, no index", stage);
    for kind in [BagKind::Cdx, BagKind::Ntx] {
        report(&format!("{kind:?}: create index on ID"), || {
            let mut table = open(&fs, &path, Access::Exclusive);
            let other = folder.path().join("id.idx");
            let begun = Instant::now();
            let _ = fs.remove(&other);
            table.create_index(Some(&other), kind, &IndexSpec::new("ID", "ID"), Building::default()).unwrap();
            begun
        });
    }
    updating(&fs, &path, &|| {
        stage();
    });
}

/// Changes of a table that `stage` makes anew.
fn updating(fs: &Arc<dyn FileSystem>, path: &Path, stage: &dyn Fn()) {
    let specs = [IndexSpec::new("ID", "ID"), IndexSpec::new("TAG", "TAG"), IndexSpec::new("AMT", "AMT")];
    for (access, kind) in [
        (Access::Exclusive, "Harbour's CDX"),
        (Access::Shared, "Harbour's CDX"),
        (Access::Shared, "FoxPro's CDX"),
        (Access::Shared, "NTX"),
    ] {
        stage();
        let mut table = open(fs, path, Access::Exclusive);
        let mut files = Vec::new();
        for spec in &specs {
            let file = path.with_file_name(&spec.name).with_extension("ntx");
            match kind {
                "NTX" => {
                    table.create_index(Some(&file), BagKind::Ntx, spec, Building::default()).unwrap();
                    files.push(file);
                }
                _ => {
                    // A candidate among them makes it FoxPro's own.
                    let first = spec.name == "ID" && kind == "FoxPro's CDX";
                    let spec = IndexSpec { candidate: first, ..spec.clone() };
                    table.create_index(None, BagKind::Cdx, &spec, Building::default()).unwrap();
                }
            }
        }
        table.close().unwrap();
        let mut table = open(fs, path, access);
        for file in &files {
            table.open_bag(file).unwrap();
        }
        let mut turn = 0;
        report(&format!("{kind}, {access:?}: 2,000 updates with 3 tags"), || {
            turn += 1;
            let begun = Instant::now();
            for step in 0..2000i64 {
                let record = 1 + (step * 48_271 + turn) % RECORDS;
                let [tag] = row(step + turn);
                let id = 10_000_000 + step * 100 + turn;
                let values = [(1, ValueRef::Text(&tag)), (2, amount(step + turn)), (0, ValueRef::Integer(id))];
                table.update(record as u64, &values).unwrap();
            }
            table.flush().unwrap();
            begun
        });
        report(&format!("{kind}, {access:?}: the same in a transaction"), || {
            turn += 1;
            let begun = Instant::now();
            let updated = table.atomically(|table| {
                (0..2000i64).try_for_each(|step| {
                    let record = 1 + (step * 48_271 + turn) % RECORDS;
                    let [tag] = row(step + turn);
                    let id = 10_000_000 + step * 100 + turn;
                    let values = [(1, ValueRef::Text(&tag)), (2, amount(step + turn)), (0, ValueRef::Integer(id))];
                    table.update(record as u64, &values).map(drop)
                })
            });
            updated.unwrap();
            begun
        });
        report(&format!("{kind}, {access:?}: 2,000 appends with 3 tags"), || {
            turn += 1;
            let begun = Instant::now();
            for step in 0..2000i64 {
                let id = 1_000_000 + turn * 2000 + step;
                let [tag] = row(id);
                table.append(&[ValueRef::Integer(id), ValueRef::Text(&tag), amount(id)]).unwrap();
            }
            table.flush().unwrap();
            begun
        });
        table.close().unwrap();
    }
}
