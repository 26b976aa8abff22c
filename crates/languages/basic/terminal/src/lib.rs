//! The screen of Business BASIC programs on a terminal.
//!
//! [`run`] shows the frames of a program's screen and gives it the keys of the terminal, until the program ends. The terminal is
//! in raw mode on its alternate screen meanwhile, and gets its own state back afterwards, with the last text of the program, so
//! that what a program printed last can be read.
//!
//! **Limits.** A terminal that is smaller than the screen shows its upper left part. Menus are not drawn; their elements are
//! reached by the program's own keys.

mod draw;
mod keys;
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
use std::time::{Duration, Instant};
use view::View;

/// The time after which the reading thread looks whether the program has ended.
const POLL: Duration = Duration::from_millis(50);

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
    let (over, resized) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let read = read_events(&face, &over, &resized);
            if read.is_err() {
                watch.hang_up();
            }
            read
        });
        let shown = show_frames(&face, &resized);
        over.store(true, SeqCst);
        let read = reader.join().unwrap_or(Ok(()));
        shown.and_then(|text| read.map(|()| text))
    })
}

fn show_frames(face: &Face, resized: &AtomicBool) -> Result<Vec<String>> {
    let mut view = View::default();
    let mut canvas = Canvas::new(stdout());
    let rows = |handle: u32, from: usize, count: usize| {
        face.list_rows(handle, from, count).map(|(_, rows)| rows).unwrap_or_default()
    };
    loop {
        let next = face.next(Instant::now() + POLL);
        let was_resized = resized.swap(false, SeqCst);
        let (mut bell, mut sequence) = (false, None);
        match next {
            Next::Frame(frame) => {
                sequence = Some(frame.sequence);
                for operation in frame.operations {
                    bell |= view.perform(operation);
                }
            }
            Next::Timeout if was_resized => {}
            Next::Timeout => continue,
            Next::Ended | Next::Replaced => return Ok(view.text()),
        }
        if was_resized {
            canvas.forget();
        }
        let (columns, height) = terminal::size()?;
        canvas.show(view.picture(columns, height, &rows), view.cursor(), bell)?;
        if let Some(sequence) = sequence {
            face.acknowledge(sequence);
        }
    }
}

fn read_events(face: &Face, over: &AtomicBool, resized: &AtomicBool) -> Result<()> {
    while !over.load(SeqCst) {
        if !crossterm::event::poll(POLL)? {
            continue;
        }
        let event = match crossterm::event::read()? {
            TerminalEvent::Key(key) => keys::key_event(key),
            TerminalEvent::Mouse(mouse) => keys::mouse_event(mouse),
            TerminalEvent::Paste(text) => Some(Event::Text(text)),
            TerminalEvent::Resize(..) => {
                resized.store(true, SeqCst);
                None
            }
            TerminalEvent::FocusGained | TerminalEvent::FocusLost => None,
        };
        if let Some(event) = event {
            face.event(event);
        }
    }
    Ok(())
}
