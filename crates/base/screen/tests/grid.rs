//! Grids as users see them: cells, keys, the mouse, and what a program reads (manual, `directives/grid`).

mod common;

use common::keys;
use mainstay_screen::controls::grid::Range;
use mainstay_screen::controls::{Area, Definition, Grid, Kind, Name};
use mainstay_screen::event::{Action, Event};
use mainstay_screen::field::InputRequest;
use mainstay_screen::frame::{ControlState, Operation};
use mainstay_screen::{Screen, Verb};

const GRID: Name = Name { kind: Kind::Grid, id: 100, sub: 0 };

/// A screen with grid 100 of two columns and three rows, which has the focus, and an input that waits.
fn with_grid(options: &str) -> Screen {
    let mut screen = Screen::new(40, 10);
    let area = Area { column: 0.0, row: 0.0, columns: 20.0, rows: 5.0 };
    let (options, format) = (options.as_bytes().to_vec(), b"[Item](Normal:ITEM$)L6 [Price]R8".to_vec());
    screen.create(GRID, Definition { area, options, format, ..Definition::default() }).unwrap();
    screen.grid(GRID).unwrap().load(1, 0, b"Nut\x8a1.50\nBolt\x8a2.00\nRing\x8a0.10\n").unwrap();
    screen.control(GRID, Verb::Goto).unwrap();
    screen.begin_input(InputRequest::default());
    screen
}

fn ctl(screen: &mut Screen) -> Option<i32> {
    let result = screen.take_input();
    if result.is_some() {
        screen.begin_input(InputRequest::default());
    }
    result.map(|result| result.ctl)
}

fn state(screen: &mut Screen) -> ControlState {
    let control = screen.take_operations(true).into_iter().find_map(|operation| match operation {
        Operation::Control(control) => Some(*control),
        _ => None,
    });
    control.unwrap()
}

#[test]
fn faces_get_headings_and_rows_as_of_a_list() {
    let mut screen = with_grid("");
    let state = state(&mut screen);
    let headings: Vec<(&str, f32, u8)> =
        state.headings.iter().map(|heading| (heading.title.as_str(), heading.width, heading.alignment)).collect();
    assert_eq!(headings, [("Item", 6.0, 0), ("Price", 8.0, 1)]);
    assert_eq!(screen.list_rows(state.handle, 1, 2).unwrap().1, ["Bolt\t2.00", "Ring\t0.10"]);
}

#[test]
fn cursor_keys_move_the_current_cell_and_enter_uses_it() {
    let mut screen = with_grid("");
    keys(&mut screen, "{Down}{Down}{Right}{Right}");
    assert_eq!((screen.grid(GRID).unwrap().current(), state(&mut screen).current_column), ((2, 2), 2));
    assert_eq!(ctl(&mut screen), None);
    keys(&mut screen, "{Enter}");
    assert_eq!(ctl(&mut screen), Some(100));
    let used = screen.read_grid(GRID, false).unwrap();
    assert_eq!((used.cell, used.value.as_slice(), used.eom), ((2, 2), &b"2.00"[..], 0x0d));
    assert_eq!(screen.read_grid(GRID, false).unwrap_err().number, 2);
}

#[test]
fn the_mouse_uses_a_cell_and_read_reports_further_ones_again() {
    let mut screen = with_grid("");
    let handle = state(&mut screen).handle;
    for (column, row, mode) in [(1, 0, 1), (0, 2, 2), (9, 9, 1)] {
        screen.event(Event::Control { handle, action: Action::Cell { column, row, mode } });
    }
    // The cell in row 9 is not there.
    assert_eq!((ctl(&mut screen), ctl(&mut screen)), (Some(100), None));
    assert_eq!(screen.read_grid(GRID, false).unwrap().cell, (2, 1));
    screen.event(Event::Field);
    assert_eq!(ctl(&mut screen), Some(100));
    let used = screen.read_grid(GRID, true).unwrap();
    assert_eq!((used.cell, used.value.as_slice(), used.eom), ((1, 3), &b"Ring"[..], 2));
    assert_eq!(ctl(&mut screen), None);
}

#[test]
fn auto_reports_moves() {
    let mut screen = with_grid("A");
    // The first key shows the current cell, which stays.
    keys(&mut screen, "{Down}");
    assert_eq!(ctl(&mut screen), None);
    keys(&mut screen, "{Down}");
    assert_eq!(ctl(&mut screen), Some(100));
    assert_eq!(screen.read_grid(GRID, false).unwrap().eom, 0);
}

#[test]
fn a_disabled_grid_takes_no_keys() {
    let mut screen = with_grid("");
    screen.enable_all(100, None, false).unwrap();
    keys(&mut screen, "{Right}{Enter}");
    assert_eq!((screen.grid(GRID).unwrap().current(), ctl(&mut screen)), ((1, 1), Some(0)));
    assert_eq!(screen.focus_by_id(100).unwrap_err().number, 65);
    screen.enable_all(100, None, true).unwrap();
    screen.focus_by_id(100).unwrap();
    assert_eq!(screen.controls().focused_id(), 100);
}

#[test]
fn text_with_the_separator_alone_is_one_row() {
    // The page's example: GRID LOAD 10,1,0,R$, in which SEP follows each value.
    let mut grid = Grid::new(b"", "", None);
    grid.load(0, 0, b"").unwrap();
    grid.load(1, 0, b"1\x8a2\x8a3\x8a").unwrap();
    assert_eq!((grid.columns(), grid.rows(), grid.find(3, 1).unwrap()), (3, 1, b"3".to_vec()));
}

#[test]
fn ranges_outside_of_the_grid_are_refused() {
    let mut grid = Grid::new(b"", "", None);
    grid.add(5, 9).unwrap();
    assert_eq!((grid.columns(), grid.rows()), (5, 9));
    grid.select(Range { column: 4, row: 9, columns: 9, rows: 9 }).unwrap();
    assert_eq!((grid.read_selection(false), grid.read_selection(true)), (Ok((4, 9)), Ok((5, 9))));
    assert_eq!(grid.read_selection(true).unwrap_err().number, 2);
    for error in [
        grid.write(Range::one(6, 1), b"x").unwrap_err(),
        grid.delete(1, 10).unwrap_err(),
        grid.go_to(0, 1).unwrap_err(),
        grid.add(999, 0).unwrap_err(),
    ] {
        assert_eq!(error.number, 41);
    }
    assert_eq!(grid.load(-1, 1, b"x\n").unwrap_err().number, 60);
    grid.delete(0, 0).unwrap();
    assert_eq!((grid.columns(), grid.rows()), (0, 0));
}

#[test]
fn the_separator_is_the_byte_8a() {
    // In the code page of strings Ê is CA; Š, whose place 8A is, cannot stand in a string.
    let mut grid = Grid::new(b"", "", None);
    grid.load(1, 0, b"\xcatre\x8aX\n").unwrap();
    assert_eq!((grid.find(1, 1).unwrap(), grid.find(2, 1).unwrap()), (b"\xcatre".to_vec(), b"X".to_vec()));
}
