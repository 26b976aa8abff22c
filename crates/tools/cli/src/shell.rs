//! The shell that statements and commands run in: the session, the destination, and the form of results.
//!
//! Scripts and the prompt drive the same [`Shell`]; they differ in the source of the text and in whether a failed
//! statement ends everything.

mod server;

use crate::commands::request::{Made, Typed, in_typed};
use crate::commands::xbase::WorkArea;
use crate::errors::{self, Failure, Origin};
use crate::exit::Exit;
use crate::interrupt;
use crate::output::csv_style::CsvStyle;
use crate::output::{self, Destination, Format, Style};
use crate::progress::Bar;
use crate::remote::Remote;
use crate::tokens;
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use mainstay_engine::{Database, Session};
use mainstay_tds_client::Address;
use mainstay_types::{Code, Error, Value, ValueRef};
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// The next step after a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// The next piece, please.
    Continue,
    /// The person wants to leave.
    Quit,
}

/// How results look, as chosen by flags and commands.
#[derive(Clone, Debug)]
pub(crate) struct Look {
    /// The format that was asked for.
    pub(crate) format: Format,
    /// True if anybody has asked for it.
    pub(crate) is_chosen: bool,
    /// True if one line a column is wanted instead of a table.
    pub(crate) expanded: bool,
    pub(crate) header: bool,
    pub(crate) null: Option<String>,
    /// How many rows of a table are shown; all otherwise.
    pub(crate) max_rows: Option<usize>,
    /// Choices about CSV.
    pub(crate) csv: CsvStyle,
}

/// How statements are run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conduct {
    /// Print how long each statement took.
    pub(crate) timer: bool,
    /// Print each statement before its result.
    pub(crate) echo: bool,
    /// Go on after a failed statement.
    pub(crate) continue_on_error: bool,
    /// A person types the statements.
    pub(crate) interactive: bool,
}

/// A session with everything around it.
pub(crate) struct Shell {
    pub(crate) database: Database,
    pub(crate) session: Session,
    pub(crate) look: Look,
    pub(crate) conduct: Conduct,
    /// The table in use, for xBase commands.
    pub(crate) area: Option<WorkArea>,
    /// The values of `$1`, `$2` and so on in statements.
    pub(crate) parameters: Vec<Value>,
    /// How many scripts are being run inside of each other.
    pub(crate) depth: usize,
    /// A session on a server.
    pub(crate) remote: Option<Remote>,
    /// True if everything goes to the server: the database here is an empty one.
    pub(crate) is_all_remote: bool,
    /// The server that has the native tables of the folder open.
    pub(crate) owner: Option<Address>,
    destination: Destination,
    /// The format that the ending of the destination's name asks for.
    destination_format: Option<Format>,
    colour: bool,
    exit: Exit,
}

impl Shell {
    /// A shell on a new session of the database, writing to standard output.
    pub(crate) fn new(database: Database, look: Look, conduct: Conduct) -> Shell {
        Shell {
            session: database.session(),
            database,
            look,
            conduct,
            area: None,
            parameters: Vec::new(),
            depth: 0,
            remote: None,
            is_all_remote: false,
            owner: None,
            destination: Destination::stdout(),
            destination_format: None,
            colour: colour(),
            exit: Exit::Success,
        }
    }

    /// The first thing that went wrong, as the process must end with it.
    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// Returns true if a failed statement is followed by the next.
    pub(crate) fn goes_on(&self) -> bool {
        (self.conduct.interactive || self.conduct.continue_on_error) && self.exit != Exit::Interrupted
    }

    /// Returns true if a person reads the results.
    pub(crate) fn on_screen(&self) -> bool {
        self.destination.is_terminal()
    }

    /// Runs a statement and writes its result.
    pub(crate) fn run_statement(&mut self, sql: &str) -> Result<(), Failure> {
        let is_in_transaction = self.remote.as_ref().is_some_and(Remote::is_in_transaction);
        if self.is_all_remote || is_in_transaction {
            return self.run_remote(sql, 0);
        }
        match self.run_here(sql) {
            Err(Failure::Error(error)) if self.has_owner(&error) => self.run_at_owner(sql, error),
            done => done,
        }
    }

    /// Runs a statement in the session of this process.
    fn run_here(&mut self, sql: &str) -> Result<(), Failure> {
        let _cancels = interrupt::cancels(self.session.cancel_handle(), self.conduct.interactive);
        let bar = Bar::start(self.session.progress(), io::stderr().is_terminal());
        let started = Instant::now();
        let mut answer = match self.parameters.is_empty() || !crate::parameters::takes_any(sql) {
            true => self.session.execute(sql)?,
            false => {
                let parameters = self.parameters.clone();
                let values: Vec<ValueRef<'_>> = parameters.iter().map(Value::as_ref).collect();
                self.session.prepare(sql)?.query_arrow(&mut self.session, &values)?
            }
        };
        let schema = answer.schema().clone();
        let written = self.write(self.format_of(sql), &schema, &bar, || answer.next_batch());
        let written = written.map_err(|failure| match failure {
            Failure::Error(error) => Failure::Error(self.session.located(error, sql)),
            other => other,
        });
        bar.hide();
        let of_format = written.as_ref().map(Vec::clone).unwrap_or_default();
        for notice in answer.notices().into_iter().chain(of_format) {
            self.tell(&labelled(&notice))?;
        }
        written?;
        if let (Some(rows), true) = (answer.changed(), self.on_screen()) {
            self.tell(&format!("{rows} {} changed", if rows == 1 { "row" } else { "rows" }))?;
        }
        if self.conduct.timer {
            self.tell(&format!("time: {}", elapsed(started.elapsed())))?;
        }
        Ok(())
    }

    /// Runs a statement that a command made, with the bar: how many rows it changed.
    pub(crate) fn run_for_count(&mut self, sql: &str) -> Result<u64, Failure> {
        let _cancels = interrupt::cancels(self.session.cancel_handle(), self.conduct.interactive);
        let bar = Bar::start(self.session.progress(), io::stderr().is_terminal());
        let done = self.session.execute(sql).and_then(|mut answer| {
            while answer.next_batch()?.is_some() {}
            Ok(answer.changed().unwrap_or(0))
        });
        bar.hide();
        done.map_err(|error| made(error.into(), sql))
    }

    /// Runs a statement that a command made. The person has not typed it, so an error shows it.
    pub(crate) fn run_made(&mut self, sql: &str) -> Result<Flow, Failure> {
        self.run_statement(sql).map_err(|failure| made(failure, sql))?;
        Ok(Flow::Continue)
    }

    /// The same of a statement with parts that were typed as they stand there: an error in one of them shows what was typed,
    /// and others have no place.
    pub(crate) fn run_made_of(&mut self, made: &Made) -> Result<Flow, Failure> {
        self.run_statement(&made.sql).map_err(|failure| placed(failure, &made.typed))?;
        Ok(Flow::Continue)
    }

    /// Writes rows that are there already: what commands answer.
    pub(crate) fn show(&mut self, batch: RecordBatch) -> Result<(), Failure> {
        let bar = Bar::start(self.session.progress(), false);
        let schema = batch.schema();
        let mut batch = Some(batch);
        self.write(self.format(), &schema, &bar, || Ok(batch.take())).map(drop)
    }

    /// Writes the rows of a query as INSERT into this table, whose name is written as it stands in SQL.
    pub(crate) fn write_inserts(&mut self, sql: &str, table: &str) -> Result<(), Failure> {
        let _cancels = interrupt::cancels(self.session.cancel_handle(), self.conduct.interactive);
        let mut answer = self.session.execute(sql)?;
        let schema = answer.schema().clone();
        let style = Style { target: Some(table.to_owned()), ..self.style() };
        let bar = Bar::start(self.session.progress(), false);
        let mut sink = bar.before(&mut self.destination, false);
        let mut writer = output::writer(Format::Insert, &schema, &style, &mut sink)?;
        while let Some(rows) = answer.next_batch()? {
            writer.write(&rows)?;
        }
        Ok(writer.finish()?)
    }

    /// Asks the session what there is. Files that have to be read for that may take long: the key ends it, and the bar says
    /// how far it is.
    pub(crate) fn look_up<T>(&mut self, ask: impl FnOnce(&Session) -> Result<T, Error>) -> Result<T, Error> {
        let _cancels = interrupt::cancels(self.session.cancel_handle(), self.conduct.interactive);
        let _bar = Bar::start(self.session.progress(), io::stderr().is_terminal());
        ask(&self.session)
    }

    /// The first batches of a statement's result, for commands that look at it themselves.
    pub(crate) fn query(&mut self, sql: &str) -> Result<Vec<RecordBatch>, Error> {
        let _cancels = interrupt::cancels(self.session.cancel_handle(), self.conduct.interactive);
        let mut answer = self.session.execute(sql)?;
        std::iter::from_fn(|| answer.next_batch().transpose()).collect()
    }

    /// Writes a result. The writer is opened when the first batch is there, so that a statement that
    /// fails before it leaves nothing behind. Gives what the format could not hold.
    pub(crate) fn write(
        &mut self,
        format: Format,
        schema: &SchemaRef,
        bar: &Bar,
        mut next: impl FnMut() -> Result<Option<RecordBatch>, Error>,
    ) -> Result<Vec<String>, Failure> {
        let mut batch = next()?;
        if schema.fields().is_empty() {
            while batch.is_some() {
                batch = next()?;
            }
            if self.conduct.interactive {
                self.tell("done")?;
            }
            return Ok(Vec::new());
        }
        let results_before = self.begin_result(format)?;
        let style = Style { is_first: results_before == 0, ..self.style() };
        let same_screen = self.destination.is_terminal();
        let mut sink = bar.before(&mut self.destination, same_screen);
        if results_before > 0 && format.needs_blank_line() {
            sink.write_all(b"\n")?;
        }
        let mut writer = output::writer(format, schema, &style, &mut sink)?;
        while let Some(rows) = batch {
            writer.write(&rows)?;
            batch = next()?;
        }
        let notices = writer.notices();
        writer.finish()?;
        self.destination.flush()?;
        Ok(notices)
    }

    /// The format of the next result.
    pub(crate) fn format(&self) -> Format {
        match self.destination_format.unwrap_or(self.look.format) {
            Format::Table if self.look.expanded => Format::Line,
            format => format,
        }
    }

    /// The format of the result of a statement: a plan is drawn, unless a format for programs was chosen.
    fn format_of(&self, sql: &str) -> Format {
        let first = tokens::tokens(sql, 0).find(|token| !token.is_blank());
        let explains = first.is_some_and(|token| token.text(sql).eq_ignore_ascii_case("explain"));
        match self.format() {
            Format::Table | Format::Line if explains => Format::Plan,
            format => format,
        }
    }

    fn style(&self) -> Style {
        let on_screen = self.destination.is_terminal();
        Style {
            header: self.look.header,
            null: self.look.null.clone(),
            width: on_screen.then(|| crossterm::terminal::size().map_or(80, |(width, _)| usize::from(width))),
            max_rows: self.look.max_rows,
            table: self.destination.table_name(),
            target: None,
            seekable: self.destination.is_seekable(),
            is_first: true,
            csv: self.look.csv.clone(),
        }
    }

    /// Begins a result; gives how many were written before. Refuses what would only make a mess: bytes on a screen, two
    /// results in a file for one.
    fn begin_result(&mut self, format: Format) -> Result<usize, Failure> {
        let refuse = |message: &str, hint: &str| Err(Error::new(Code::Unsupported, message).hint(hint).into());
        if format.is_binary() && self.destination.is_terminal() {
            return refuse("this format is not for a screen", "choose a file with --output or .output");
        }
        let before = self.destination.begin_result();
        if before > 0 && format.holds_one_result() {
            return refuse(
                "a file of this format holds one result, and one is written already",
                "use one file a result",
            );
        }
        Ok(before)
    }

    /// Sends results to a file from now on, in the format that was asked for or that its name asks for. Nobody wants boxes
    /// in a file whose name asks for none.
    pub(crate) fn write_to(&mut self, path: &Path, format: Option<Format>) -> Result<(), Failure> {
        if !self.look.is_chosen && output::is_name_of_file(path) {
            Format::for_file(path)?;
        }
        self.finish_output()?;
        self.destination = Destination::create(path).map_err(|error| self.cannot_write(path, error))?;
        self.destination_format = format.or_else(|| Format::of_file(path));
        Ok(())
    }

    /// Finishes the file that results go to, if any, and sends them to standard output again.
    pub(crate) fn finish_output(&mut self) -> Result<(), Failure> {
        self.destination_format = None;
        std::mem::replace(&mut self.destination, Destination::stdout()).finish()?;
        Ok(())
    }

    /// Sends the result of one statement, which may be made of what was typed, to a file.
    pub(crate) fn export(&mut self, made: &Made, path: &Path, format: Format) -> Result<(), Failure> {
        let file = Destination::create(path).map_err(|error| self.cannot_write(path, error))?;
        self.destination.flush()?;
        let before = std::mem::replace(&mut self.destination, file);
        let before_format = self.destination_format.replace(format);
        let done = self.run_statement(&made.sql);
        let file = std::mem::replace(&mut self.destination, before);
        self.destination_format = before_format;
        done.map_err(|failure| placed(failure, &made.typed))?;
        file.finish().map_err(|error| self.cannot_write(path, error))
    }

    fn cannot_write(&self, path: &Path, error: io::Error) -> Failure {
        Failure::CannotWrite(Error::from(error).at(path.display()))
    }

    /// Writes text where results go.
    pub(crate) fn print(&mut self, text: &str) -> Result<(), Failure> {
        self.destination.write_all(text.as_bytes())?;
        Ok(self.destination.flush()?)
    }

    /// Writes out what is buffered.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        Ok(self.destination.flush()?)
    }

    /// Tells the person something that is no result.
    pub(crate) fn tell(&mut self, line: &str) -> Result<(), Failure> {
        self.destination.flush()?;
        // If standard error is closed, the message is lost.
        let _ = writeln!(io::stderr(), "{line}");
        Ok(())
    }

    /// Prints a piece before it is run, if that is wanted.
    pub(crate) fn echo(&mut self, text: &str) -> Result<(), Failure> {
        if self.conduct.echo { self.print(&format!("{text}\n")) } else { Ok(()) }
    }

    /// Reports an error and remembers the exit code. A broken pipe stays a failure of the output, and is not reported.
    pub(crate) fn report(&mut self, failure: Failure, text: &str, origin: &Origin) -> Failure {
        let error = match failure {
            Failure::Error(error) => error,
            Failure::Made(error, statement) => return self.report_error(&error, &statement, &Origin::default()),
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => return Failure::Output(error),
            Failure::Output(error) => {
                self.exit = self.exit.max(Exit::CannotWrite);
                Error::from(error).at("the output")
            }
            Failure::CannotWrite(error) => {
                self.exit = self.exit.max(Exit::CannotWrite);
                error
            }
            Failure::Reported => return failure,
        };
        self.report_error(&error, text, origin)
    }

    /// Returns true if Ctrl-C was pressed in a script: nothing more is run.
    fn is_stopped(&self) -> bool {
        !self.conduct.interactive && interrupt::was_asked()
    }

    /// Ends a script that was to stop during a piece which was done before it could.
    pub(crate) fn stop_behind(&mut self, flow: Flow) -> Result<Flow, Failure> {
        if !self.is_stopped() {
            return Ok(flow);
        }
        self.exit = self.exit.max(Exit::Interrupted);
        self.tell("stopped: the statement was done before it could be, and what comes after it is not run")?;
        Err(Failure::Reported)
    }

    /// The failure of a statement whose errors have been written already.
    pub(crate) fn fail_reported(&mut self) -> Failure {
        self.exit = self.exit.max(if self.is_stopped() { Exit::Interrupted } else { Exit::StatementFailed });
        Failure::Reported
    }

    fn report_error(&mut self, error: &Error, text: &str, origin: &Origin) -> Failure {
        self.exit = self.exit.max(if self.is_stopped() { Exit::Interrupted } else { Exit::StatementFailed });
        let _ = self.destination.flush();
        let _ = write!(io::stderr(), "{}", errors::render(error, text, origin, self.colour));
        Failure::Reported
    }
}

/// A notice under its label. Findings in files begin with their severity, which is one already.
pub(crate) fn labelled(notice: &str) -> String {
    match notice.starts_with("warning: ") || notice.starts_with("error: ") {
        true => notice.to_owned(),
        false => format!("notice: {notice}"),
    }
}

fn placed(failure: Failure, typed: &[Typed]) -> Failure {
    match failure {
        Failure::Error(error) => Failure::Error(in_typed(error, typed)),
        other => other,
    }
}

fn made(failure: Failure, sql: &str) -> Failure {
    match failure {
        Failure::Error(error) => Failure::Made(error, sql.to_owned()),
        other => other,
    }
}

/// Returns true if errors are coloured: on a terminal, unless `NO_COLOR` is set (no-color.org).
pub(crate) fn colour() -> bool {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let able = std::env::var_os("TERM").is_none_or(|terminal| terminal != "dumb");
    wanted && able && io::stderr().is_terminal()
}

/// A time in the unit that leaves it short.
pub(crate) fn elapsed(time: Duration) -> String {
    let us = time.as_nanos() as f64 / 1e3;
    match us {
        ..1e3 => format!("{us:.1} us"),
        ..1e6 => format!("{:.2} ms", us / 1e3),
        _ => format!("{:.2} s", us / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::labelled;

    #[test]
    fn a_notice_has_one_label() {
        assert_eq!(labelled("error: a.dbf: the header is wrong"), "error: a.dbf: the header is wrong");
        assert_eq!(labelled("column a: 1 values are text"), "notice: column a: 1 values are text");
    }
}
