//! BROWSE: a table on the whole screen.
//!
//! ```text
//!  keys --> Grid (the cursor) --asks for--> window of rows <--SELECT ... LIMIT/OFFSET-- session
//!                 `--> lines of the screen
//! ```
//!
//! [`grid::Grid`] computes positions and draws lines of text; it touches neither terminal nor session, so it can be
//! tested. This module does the I/O: it fetches the window of rows around the cursor, reads keys and paints. The
//! terminal is restored at the end, also after an error.

mod grid;

use super::xbase::{self, WorkArea};
use crate::errors::Failure;
use crate::output::{cell, table::printable};
use crate::shell::Shell;
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::{cursor, execute, queue, style, terminal};
use grid::{Grid, Move, Window};
use std::io::{self, Write};

/// Rows that are fetched at a time.
const WINDOW_ROWS: u64 = 512;

/// Gives the terminal back when it is dropped.
struct Screen;

impl Screen {
    fn take() -> io::Result<Screen> {
        terminal::enable_raw_mode()?;
        execute!(io::stdout(), terminal::EnterAlternateScreen, cursor::Hide)?;
        Ok(Screen)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = execute!(io::stdout(), cursor::Show, terminal::LeaveAlternateScreen);
        let _ = terminal::disable_raw_mode();
    }
}

/// Shows the table until the person leaves; the record under the bar becomes the current one.
pub(super) fn run(shell: &mut Shell, area: &mut WorkArea) -> Result<(), Failure> {
    let from = area.from();
    let total = xbase::number(shell, &format!("SELECT COUNT(*) FROM {from}"))?.unwrap_or(0);
    let before = if area.numbered {
        format!("SELECT COUNT(*) FROM {from} WHERE _recno < {}", area.record)
    } else {
        String::new()
    };
    let start = if area.numbered { xbase::number(shell, &before)?.unwrap_or(0) } else { area.record.saturating_sub(1) };
    let mut grid = Grid::new(&area.table, total, start);
    grid.set_window(fetch(shell, area, grid.wanted(WINDOW_ROWS))?);
    let screen = Screen::take()?;
    let done = interact(shell, area, &mut grid);
    drop(screen);
    if let Some(record) = grid.record() {
        area.record = record;
    }
    done
}

fn interact(shell: &mut Shell, area: &WorkArea, grid: &mut Grid) -> Result<(), Failure> {
    loop {
        let (width, height) = terminal::size()?;
        grid.resize(usize::from(width), usize::from(height));
        if !grid.has_visible_rows() {
            grid.set_window(fetch(shell, area, grid.wanted(WINDOW_ROWS))?);
        }
        paint(grid)?;
        match event::read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => match meaning(key) {
                Some(Move::Leave) => return Ok(()),
                Some(step) => grid.step(step),
                None => {}
            },
            _ => {}
        }
    }
}

/// The movement that a key asks for; `None` for other keys.
fn meaning(key: KeyEvent) -> Option<Move> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    Some(match key.code {
        KeyCode::Char('c' | 'd' | 'w') if control => Move::Leave,
        KeyCode::Char('q' | 'Q') | KeyCode::Esc => Move::Leave,
        KeyCode::Up | KeyCode::Char('k') => Move::Rows(-1),
        KeyCode::Down | KeyCode::Char('j') | KeyCode::Enter => Move::Rows(1),
        KeyCode::PageUp | KeyCode::Char('b') => Move::Pages(-1),
        KeyCode::PageDown | KeyCode::Char(' ' | 'f') => Move::Pages(1),
        KeyCode::Home | KeyCode::Char('g') => Move::First,
        KeyCode::End | KeyCode::Char('G') => Move::Last,
        KeyCode::Left | KeyCode::Char('h') | KeyCode::BackTab => Move::Columns(-1),
        KeyCode::Right | KeyCode::Char('l') | KeyCode::Tab => Move::Columns(1),
        _ => return None,
    })
}

/// Fetches the rows from `start` on.
fn fetch(shell: &mut Shell, area: &WorkArea, start: u64) -> Result<Window, Failure> {
    let number = if area.numbered { "_recno AS \"Record#\", " } else { "" };
    let (from, order) = (area.from(), area.order());
    let sql = format!("SELECT {number}* FROM {from}{order} LIMIT {WINDOW_ROWS} OFFSET {start}");
    let null = shell.look.null.clone().unwrap_or_default();
    let batches = shell.query(&sql)?;
    let mut window = Window { start, numbered: area.numbered, ..Window::default() };
    for batch in &batches {
        if window.heads.is_empty() {
            let head = |field: &arrow_schema::FieldRef| {
                (field.name().clone(), cell::kind(field.data_type()) == cell::Kind::Number)
            };
            window.heads = batch.schema().fields().iter().map(head).collect();
        }
        for row in 0..batch.num_rows() {
            let text = |column: &arrow_array::ArrayRef| match cell::resolve(column.as_ref(), row) {
                None => null.clone(),
                Some((array, row)) => {
                    let mut text = String::new();
                    cell::write(array, row, ' ', &mut text);
                    printable(text)
                }
            };
            window.rows.push(batch.columns().iter().map(text).collect());
        }
    }
    Ok(window)
}

fn paint(grid: &Grid) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for (y, line) in grid.lines().into_iter().enumerate() {
        let look = if line.reversed { style::Attribute::Reverse } else { style::Attribute::Reset };
        let y = u16::try_from(y).unwrap_or(u16::MAX);
        queue!(out, cursor::MoveTo(0, y), style::SetAttribute(look), style::Print(&line.text))?;
        queue!(out, style::SetAttribute(style::Attribute::Reset), terminal::Clear(terminal::ClearType::UntilNewLine))?;
    }
    out.flush()
}
