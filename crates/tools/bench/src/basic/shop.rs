//! A database with the sessions that run programs.

use super::programs::{BEGIN, END, LIST};
use crate::suite::Judgement;
use mainstay_basic::plain::PlainHost;
use mainstay_basic::{FolderPrograms, Host, Parts, ScreenHost, Session};
use mainstay_basic_files::{FolderVolume, SessionId, Volume};
use mainstay_basic_tables::TableVolume;
use mainstay_engine::{Database, Durability, Options};
use mainstay_screen::Screen;
use mainstay_screen::mse::FaceFacts;
use mainstay_screen::session::{Face, Next, share};
use mainstay_types::{Code, Error, Result};
use std::cell::RefCell;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a face waits for a frame before it looks again.
const PATIENCE: Duration = Duration::from_secs(1);
/// Columns and lines of the screen.
const SCREEN: (u16, u16) = (80, 25);

/// The files of a folder.
pub struct Shop {
    folder: PathBuf,
    database: Database,
    volume: Arc<dyn Volume>,
}

impl Shop {
    /// Opens them.
    pub fn open(folder: &Path) -> Result<Shop> {
        let database = Database::open_with(folder, Options { durability: Some(Durability::Os), ..Options::default() })?;
        let plain = Arc::new(FolderVolume::new(Arc::clone(database.files()), folder));
        let volume = Arc::new(TableVolume::new(database.native_store()?, plain, database.durability()));
        Ok(Shop { folder: folder.to_owned(), database, volume })
    }

    fn session(&self, host: Box<dyn Host>) -> Session {
        Session::new(Parts {
            host,
            volume: Arc::clone(&self.volume),
            programs: Box::new(FolderPrograms::new(Arc::clone(self.database.files()), &self.folder)),
            session: SessionId(1),
            arguments: Vec::new(),
        })
    }

    /// Runs a program that prints lines.
    ///
    /// Errors: the one that ended the program.
    pub fn run(&self, source: &str) -> Result<Printed> {
        let sheet = Sheet::default();
        let mut session = self.session(Box::new(PlainHost::new(io::empty(), sheet.clone())));
        run_text(&mut session, source)?;
        Ok(Printed(sheet.0.borrow().lines.clone()))
    }

    /// Runs a program that fills a list box, with a face that takes its frames and shows nothing.
    ///
    /// Errors: the one that ended the program, and a list box that is not there.
    pub fn load_list(&self, source: &str) -> Result<Loaded> {
        let (handle, watch) = share(Screen::new(SCREEN.0, SCREEN.1));
        let mut session = self.session(Box::new(ScreenHost::new(handle)));
        let face = watch.attach(FaceFacts::default());
        let time = std::thread::scope(|scope| {
            scope.spawn(|| take_frames(&face));
            let begin = Instant::now();
            let ended = run_text(&mut session, source);
            let time = begin.elapsed();
            face.detach();
            ended.map(|()| time)
        })?;
        let rows = watch.look(|screen| {
            let control = screen.controls().all().iter().find(|control| control.name.id == LIST)?;
            let list = control.list()?;
            Some(list.texts(0, list.len()))
        });
        let rows = rows.ok_or_else(|| Error::new(Code::NotFound, "the screen has no list box"))?;
        Ok(Loaded { time, rows })
    }
}

fn run_text(session: &mut Session, source: &str) -> Result<()> {
    let ended = session.run_text("bench", source.as_bytes());
    ended.map(drop).map_err(|failure| Error::new(Code::InvalidValue, failure.to_string()))
}

/// Takes and acknowledges frames until the face is detached.
fn take_frames(face: &Face) {
    loop {
        match face.next(Instant::now() + PATIENCE) {
            Next::Frame(frame) => face.acknowledge(frame.sequence),
            Next::Timeout => {}
            Next::Replaced | Next::Ended => return,
        }
    }
}

/// A list box.
pub struct Loaded {
    time: Duration,
    rows: Vec<String>,
}

impl Loaded {
    /// The time that its program took, if these are the rows.
    pub fn judged(self, wanted: &[String]) -> Result<Duration, Judgement> {
        judge(&self.rows, wanted).map(|()| self.time)
    }
}

/// Lines that a program has printed, with the time of each.
pub struct Printed(Vec<(Instant, String)>);

impl Printed {
    /// The last line, and the ones before it.
    pub fn without_last_line(mut self) -> (String, Printed) {
        let last = self.0.pop().map(|(_, line)| line);
        (last.unwrap_or_default(), self)
    }

    /// The time of the part that is timed, if these are the answers behind it.
    pub fn judged(self, wanted: &[String]) -> Result<Duration, Judgement> {
        let Some(time) = self.time() else {
            return Err(Judgement::Failed("the program did not print its beginning and its end".to_owned()));
        };
        let answers: Vec<String> = self.0.into_iter().skip(2).map(|(_, line)| line).collect();
        judge(&answers, wanted).map(|()| time)
    }

    fn time(&self) -> Option<Duration> {
        match self.0.as_slice() {
            [(begin, first), (end, second), ..] if first == BEGIN && second == END => Some(*end - *begin),
            _ => None,
        }
    }
}

impl fmt::Display for Printed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.time() {
            Some(time) => write!(f, "the program in {:.3} s", time.as_secs_f64()),
            None => f.write_str("a program without a time"),
        }
    }
}

fn judge(answers: &[String], wanted: &[String]) -> Result<(), Judgement> {
    if answers.len() != wanted.len() {
        return Err(Judgement::Wrong(format!("{} lines instead of {}", answers.len(), wanted.len())));
    }
    match answers.iter().zip(wanted).find(|(answer, truth)| answer != truth) {
        None => Ok(()),
        Some((answer, truth)) => Err(Judgement::Wrong(format!("'{answer}' instead of '{truth}'"))),
    }
}

/// A printer that notes when each line was complete.
#[derive(Clone, Default)]
struct Sheet(Rc<RefCell<Lines>>);

#[derive(Default)]
struct Lines {
    lines: Vec<(Instant, String)>,
    open: Vec<u8>,
}

impl Write for Sheet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let now = Instant::now();
        let mut sheet = self.0.borrow_mut();
        for &byte in bytes {
            if byte == b'\n' {
                let line = String::from_utf8_lossy(&std::mem::take(&mut sheet.open)).into_owned();
                sheet.lines.push((now, line));
            } else {
                sheet.open.push(byte);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
