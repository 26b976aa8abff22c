//! The screen of Business BASIC programs on a terminal.
//!
//! [`run`] shows the frames of a program's screen and gives it the keys of the terminal, until the program ends. The terminal is
//! in raw mode on its alternate screen meanwhile, and gets its own state back afterwards, with the last text of the program, so
//! that what a program printed last can be read.
//!
//! **Limits.** A terminal that is smaller than the screen shows its upper left part.

mod draw;
mod drop_list;
mod keys;
mod menu;
mod pointer;
pub mod view;

use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture, Event as TerminalEvent,
};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{execute, terminal};
use draw::Canvas;
use mainstay_screen::event::Event;
use mainstay_screen::mse::FaceFacts;
use mainstay_screen::session::{Face, Next, Watch};
use std::io::{Result, Write, stdout};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use view::{KeyUse, View};

/// The time after which the reading thread looks for the end of the program.
const POLL: Duration = Duration::from_millis(50);
/// The time after which the drawing thread looks for changes that the face itself has made.
const REDRAW: Duration = Duration::from_millis(20);

/// The state that the drawing and the reading thread share.
#[derive(Default)]
struct Terminal {
    view: Mutex<View>,
    /// The terminal has another size than before.
    resized: AtomicBool,
    /// The face has changed the picture: a menu has opened, moved or closed.
    changed: AtomicBool,
    over: AtomicBool,
}

impl Terminal {
    fn view(&self) -> MutexGuard<'_, View> {
        self.view.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gives the terminal its own state back, however the function ends.
struct Restore;

impl Drop for Restore {
    fn drop(&mut self) {
        // A terminal that is gone keeps no state.
        let _ = execute!(
            stdout(),
            DisableMouseCapture,
            DisableBracketedPaste,
            LeaveAlternateScreen,
            crossterm::cursor::Show
        );
        let _ = terminal::disable_raw_mode();
    }
}

/// Shows a screen on the terminal of this process until its program ends.
///
/// Errors: standard output or input is no terminal, or it fails; the program is hung up then.
pub fn run(watch: &Watch) -> Result<()> {
    let shown = show_until_the_end(watch);
    if shown.is_err() {
        watch.hang_up();
    }
    let mut out = stdout().lock();
    for line in shown? {
        writeln!(out, "{line}")?;
    }
    out.flush()
}

/// Returns the last text of the plane.
fn show_until_the_end(watch: &Watch) -> Result<Vec<String>> {
    terminal::enable_raw_mode()?;
    let _restore = Restore;
    execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste, EnableMouseCapture)?;
    let face = watch.attach(FaceFacts { mouse: true, character_width: 1, character_height: 1 });
    let terminal = Terminal::default();
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let read = read_events(&face, &terminal);
            if read.is_err() {
                watch.hang_up();
            }
            read
        });
        let shown = show_frames(&face, &terminal);
        terminal.over.store(true, SeqCst);
        let read = reader.join().unwrap_or(Ok(()));
        shown.and_then(|text| read.map(|()| text))
    })
}

fn show_frames(face: &Face, terminal: &Terminal) -> Result<Vec<String>> {
    let mut canvas = Canvas::new(stdout());
    let rows = |handle: u32, from: usize, count: usize| {
        face.list_rows(handle, from, count).map(|(_, rows)| rows).unwrap_or_default()
    };
    loop {
        let next = face.next(Instant::now() + REDRAW);
        let was_resized = terminal.resized.swap(false, SeqCst);
        let has_changed = terminal.changed.swap(false, SeqCst);
        let mut view = terminal.view();
        let (mut bell, mut sequence) = (false, None);
        match next {
            Next::Frame(frame) => {
                sequence = Some(frame.sequence);
                for operation in frame.operations {
                    bell |= view.perform(operation);
                }
            }
            Next::Timeout if was_resized || has_changed => {}
            Next::Timeout => continue,
            Next::Ended | Next::Replaced => return Ok(view.text()),
        }
        if was_resized {
            canvas.forget();
        }
        let (columns, height) = terminal::size()?;
        let shift = view.shift(height);
        let cursor = view.cursor().map(|(column, row)| (column, row.saturating_add(shift)));
        let picture = view.picture(columns, height, &rows);
        drop(view);
        canvas.show(picture, cursor, bell)?;
        if let Some(sequence) = sequence {
            face.acknowledge(sequence);
        }
    }
}

fn read_events(face: &Face, terminal: &Terminal) -> Result<()> {
    while !terminal.over.load(SeqCst) {
        if !crossterm::event::poll(POLL)? {
            continue;
        }
        let event = match crossterm::event::read()? {
            TerminalEvent::Key(key) => keys::key_event(key),
            TerminalEvent::Mouse(mouse) => match keys::wheel(mouse) {
                Some(lines) => {
                    let has_moved = terminal.view().scroll((mouse.column, mouse.row), lines, terminal::size()?.1);
                    terminal.changed.fetch_or(has_moved, SeqCst);
                    None
                }
                None => keys::mouse_event(mouse),
            },
            TerminalEvent::Paste(text) => Some(Event::Text(text)),
            TerminalEvent::Resize(..) => {
                terminal.resized.store(true, SeqCst);
                None
            }
            TerminalEvent::FocusGained | TerminalEvent::FocusLost => None,
        };
        if let Some(event) = event {
            use_event(face, terminal, event)?;
        }
    }
    Ok(())
}

/// Passes an event on, unless a menu or a control of the picture uses it.
fn use_event(face: &Face, terminal: &Terminal, event: Event) -> Result<()> {
    let events = match event {
        Event::Key(press) => match terminal.view().key(press) {
            KeyUse::Unused => vec![event],
            KeyUse::Used => Vec::new(),
            KeyUse::Becomes(event) => vec![event],
        },
        Event::Mouse { column, row, button, down } => {
            terminal.view().mouse((column, row), button, down, terminal::size()?)
        }
        event => vec![event],
    };
    terminal.changed.store(true, SeqCst);
    events.into_iter().for_each(|event| face.event(event));
    Ok(())
}
