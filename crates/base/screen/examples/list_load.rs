//! The time of `LIST_BOX LOAD 10,0,L$` through a shared screen, a line of 120 bytes each: run it with `--release`.

use mainstay_screen::Screen;
use mainstay_screen::controls::{Area, Definition, Kind, Name};
use mainstay_screen::session::share;
use std::time::Instant;

const LINES: usize = 32 * 1024;

fn main() {
    let list = Name::new(Kind::ListBox, 10);
    let area = Area { column: 40.0, row: 0.0, columns: 40.0, rows: 24.0 };
    let line = [b'x'; 120];
    let mut best = f64::MAX;
    for _ in 0..20 {
        let (program, _watch) = share(Screen::new(80, 25));
        let created = program.with(|screen| screen.create(list, Definition { area, ..Definition::default() }));
        assert!(matches!(created, Ok(Ok(()))));
        let start = Instant::now();
        for _ in 0..LINES {
            let loaded = program.with(|screen| screen.list(list).and_then(|list| list.load(0, &line)));
            assert!(matches!(loaded, Ok(Ok(()))));
        }
        best = best.min(start.elapsed().as_nanos() as f64 / LINES as f64);
    }
    println!("{best:.0} ns a line");
}
