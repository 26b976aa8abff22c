//! Console mode: programs are entered, edited, run, stopped and looked at from a prompt.
//!
//! ```text
//!   0100 PRINT "x"     a line of the program; a number alone removes it
//!   RUN, RUN "name"    runs it, or goes on where it has stopped
//!   .                  one statement; .5 five, .A around calls, .O out of the program at hand, .P to another program
//!   BREAK 100,LABEL    breakpoints; BREAK -100 removes one, BREAK OFF all, BREAK lists them
//!   LIST, /            the program;  EDIT, ` a line by its parts
//!   ESCAPE             the statement that comes next;  END ends what has stopped
//!   HELP               these commands
//!   anything else      is run at once, with the variables of the program
//! ```
//!
//! An error that the program does not take stops it with its line and text; variables, channels and loops stay as they are. GOTO at
//! the prompt says where RUN goes on. Functions and methods that were running are left when a program stops inside of them.
//!
//! Sources: the manual's pages on the directives, ESCAPE, RUN, and the debugger's commands.

use crate::fault::{Fault, Outcome, fail};
use crate::host::InputRequest;
use crate::machine::{FrameKind, Machine, Step};
use crate::session::{Ended, Failure, Session};
use mainstay_basic_syntax::{self as syntax, print};

/// The answer to HELP.
const HELP: &[&str] = &[
    "0100 PRINT \"x\"     a line of the program; a number alone removes it",
    "LIST, LIST 10,50   the program, or some of its lines; / is the same",
    "LOAD \"NAME\"        a program of the folder; SAVE, SAVE \"NAME\" writes it; DELETE removes its lines",
    "RUN, RUN \"NAME\"    runs it, or goes on where it has stopped; END ends what has stopped",
    "BREAK 100,LABEL    sets breakpoints; BREAK -100 removes one, BREAK OFF all, BREAK lists them",
    ".  .5  .A  .O  .P  one statement, five; around calls, out of the program at hand, to another program",
    "? A,B$  DUMP       shows values, or all variables; any other statement runs at once, too",
    "SETTRACE ENDTRACE  shows the lines that run",
    "EDIT RENUMBER MERGE START CWDIR \"FOLDER\" PWD; BYE or QUIT ends",
];

/// A source of lines with editing: a terminal.
pub trait Lines {
    /// Reads a line. `None` at the end of input.
    fn next_line(&mut self, prompt: &str) -> Option<Vec<u8>>;
}

/// A session at the prompt.
pub struct Console {
    session: Session,
    /// A program has stopped and can go on.
    is_interrupted: bool,
}

impl Console {
    /// The console of a session.
    pub fn new(session: Session) -> Console {
        Console { session, is_interrupted: false }
    }

    fn machine(&mut self) -> &mut Machine {
        &mut self.session.machine
    }

    /// The prompt: the level of the program that has stopped, or an arrow.
    pub fn prompt(&self) -> String {
        match self.is_interrupted {
            true => format!("{}>", self.session.machine.level()),
            false => "->".to_owned(),
        }
    }

    /// Loads a program and runs it. The status if it ends the session.
    pub fn run_program(&mut self, name: &str) -> Option<i64> {
        match self.machine().load(name) {
            Ok(program) => {
                self.machine().begin_program(program);
                self.machine().last_program = name.to_owned();
                self.go_on()
            }
            Err(fault) => self.report(&fault),
        }
    }

    /// Loads a program without running it.
    pub fn load_program(&mut self, name: &str) -> Option<i64> {
        let result = self.machine().load(name);
        match result {
            Ok(program) => {
                self.machine().begin_program(program);
                self.machine().last_program = name.to_owned();
                None
            }
            Err(fault) => self.report(&fault),
        }
    }

    /// Lines to the end of input or of the session, which gives the status.
    pub fn converse(&mut self, mut lines: Option<&mut dyn Lines>) -> i64 {
        loop {
            let line = match &mut lines {
                Some(lines) => lines.next_line(&self.prompt()),
                None => self.machine().host.input(&InputRequest::default()).ok().map(|input| input.text),
            };
            let Some(line) = line else { return 0 };
            if let Some(status) = self.enter(&line) {
                return status;
            }
        }
    }

    /// One line. The status if it ends the session.
    pub fn enter(&mut self, line: &[u8]) -> Option<i64> {
        let line = line.trim_ascii();
        let result = match line.first() {
            None => return None,
            Some(first) if first.is_ascii_digit() => self.machine().edit_line(line).map(|()| None),
            Some(b'.') => self.step(&line[1..]),
            Some(b'/' | b'\\') => self.immediate(&[b"LIST ", &line[1..]].concat()),
            Some(b'`') => self.immediate(&[b"EDIT ", &line[1..]].concat()),
            Some(_) => self.command(line),
        };
        let status = match result {
            Ok(status) => status,
            Err(fault) => self.report(&fault),
        };
        // Output belongs before the next prompt; a terminal that is gone ends the session.
        match self.machine().host.flush() {
            Ok(()) => status,
            Err(_) => Some(1),
        }
    }

    fn command(&mut self, line: &[u8]) -> Outcome<Option<i64>> {
        let length = line.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let word = mainstay_code_page::decode(&line[..length]).to_ascii_uppercase();
        let rest = line[length..].trim_ascii();
        match (word.as_str(), rest.is_empty()) {
            ("RUN", true) => {
                if !self.is_interrupted {
                    let program = self.machine().outer_program();
                    if program.tree.lines.is_empty() {
                        return fail(18, "no program");
                    }
                    self.machine().replace_program(program, 0);
                }
                Ok(self.go_on())
            }
            ("BREAK", _) if !rest.starts_with(b";") => self.breakpoints(rest),
            ("END", true) => {
                let machine = self.machine();
                let program = machine.outer_program();
                machine.close_local_channels();
                machine.replace_program(program, 0);
                self.is_interrupted = false;
                Ok(None)
            }
            ("ESCAPE", true) => {
                self.show_line()?;
                Ok(None)
            }
            ("PWD", true) => {
                let folder = self.machine().current_folder();
                self.machine().show(&mainstay_code_page::encode(&folder), true)?;
                Ok(None)
            }
            ("CD", false) => {
                let folder = mainstay_code_page::decode(rest).trim_matches('"').to_owned();
                self.machine().change_folder(&folder)?;
                Ok(None)
            }
            ("HELP", true) => {
                HELP.iter().try_for_each(|line| self.machine().show(line.as_bytes(), true))?;
                Ok(None)
            }
            ("NEW", true) => {
                fail(20, "NEW is not a directive; DELETE removes all lines, START begins the session anew")
            }
            ("LSIT", _) => self.immediate(&[b"LIST ", rest].concat()),
            ("LAOD", _) => self.immediate(&[b"LOAD ", rest].concat()),
            _ => self.immediate(line),
        }
    }

    /// Runs a statement with the variables of the program at hand.
    fn immediate(&mut self, source: &[u8]) -> Outcome<Option<i64>> {
        let machine = self.machine();
        let program = machine.compile_text(source)?;
        let base = machine.frames.len();
        machine.push_frame(program, FrameKind::Execute, 0)?;
        machine.stepping.immediate = Some(base + 1);
        machine.stepping.wants_run = false;
        let result = machine.run(base + 1);
        machine.stepping.immediate = None;
        let wants_run = std::mem::take(&mut machine.stepping.wants_run);
        // An error leaves the frames that it came through.
        while machine.frames.len() > base {
            machine.pop_frame();
        }
        if let Some(status) = machine.status.take() {
            return Ok(Some(status));
        }
        if wants_run {
            result?;
            return Ok(self.go_on());
        }
        // LOAD, START and others have left the program that had stopped.
        let machine = self.machine();
        let is_fresh = machine.frames.is_empty() && machine.frame.pc == 0 && machine.frame.stack.is_empty();
        if machine.frames.len() < base || is_fresh {
            self.is_interrupted = false;
        }
        let machine = self.machine();
        self.is_interrupted |= std::mem::take(&mut machine.stepping.moved);
        result.map(|()| None)
    }

    /// Runs the program from its place on.
    fn go_on(&mut self) -> Option<i64> {
        let machine = &mut self.session.machine;
        let program = machine.frame.program.clone();
        let line = program.op_lines.get(machine.frame.pc as usize).and_then(|line| program.lines.get(*line as usize));
        let is_begin = line.is_some_and(|line| line.start == machine.frame.pc);
        machine.stepping.resumes = self.is_interrupted && is_begin;
        machine.error_place = None;
        machine.watch_next();
        self.is_interrupted = false;
        match self.session.go_on() {
            Ok(Ended::Released(status)) => Some(status),
            Ok(Ended::End) => None,
            Err(failure) => self.stopped(&failure),
        }
    }

    /// A program has stopped: its line and the error.
    fn stopped(&mut self, failure: &Failure) -> Option<i64> {
        let machine = self.machine();
        machine.stepping.step = None;
        if machine.host.hung_up() {
            return Some(1);
        }
        let runs_inside = |frame: &crate::machine::Frame| frame.kind == FrameKind::Function || frame.object.is_some();
        while runs_inside(&machine.frame) || machine.frames.iter().any(runs_inside) {
            machine.pop_frame();
        }
        if !failure.fault.is_stop {
            machine.frame.pc = machine.frame.op;
        }
        machine.functions = 0;
        self.is_interrupted = true;
        let shown = self.show_line();
        if failure.fault.is_stop && failure.fault.detail != "breakpoint" {
            return shown.err().map(|_| 1);
        }
        let text = match (failure.fault.code, failure.fault.detail.as_str()) {
            (127, "breakpoint") => "Breakpoint".to_owned(),
            _ => failure.to_string(),
        };
        let written =
            self.machine().show(&mainstay_code_page::encode(&text), true).and_then(|()| self.machine().host.flush());
        shown.and(written).err().map(|_| 1)
    }

    /// The statement at hand.
    fn show_line(&mut self) -> Outcome<()> {
        let machine = self.machine();
        let frame = match machine.frame.kind {
            FrameKind::Execute => machine.frames.last().unwrap_or(&machine.frame),
            _ => &machine.frame,
        };
        let line = frame.program.op_lines.get(frame.op as usize).copied().unwrap_or(0);
        let text = frame.program.tree.lines.get(line as usize).map(print::line_text);
        match text {
            Some(text) => machine.show(&text, true),
            None => Ok(()),
        }
    }

    fn report(&mut self, fault: &Fault) -> Option<i64> {
        let text = fault.to_string();
        self.machine().show(&mainstay_code_page::encode(&text), true).err().map(|_| 1)
    }

    /// `.` and its forms.
    fn step(&mut self, form: &[u8]) -> Outcome<Option<i64>> {
        let form = form.trim_ascii().to_ascii_uppercase();
        let machine = &mut self.session.machine;
        let calls = machine.frames.len();
        let step = match form.first() {
            None => Step::Statements(1),
            Some(b'A') => Step::Around(calls, machine.frame.stack.len()),
            Some(b'O') => Step::Out(calls),
            Some(b'P') => Step::Program(std::rc::Rc::as_ptr(&machine.frame.program) as usize),
            Some(_) => match std::str::from_utf8(&form).ok().and_then(|form| form.parse().ok()) {
                Some(count) if count > 0 => Step::Statements(count),
                _ => return fail(20, "., .5, .A, .O or .P"),
            },
        };
        if !self.is_interrupted {
            let program = machine.outer_program();
            if program.tree.lines.is_empty() {
                return fail(18, "no program");
            }
            machine.replace_program(program, 0);
        }
        machine.stepping.step = Some(step);
        Ok(self.go_on())
    }

    /// BREAK: breakpoints of the program at hand.
    fn breakpoints(&mut self, rest: &[u8]) -> Outcome<Option<i64>> {
        let machine = self.machine();
        let program = machine.outer_program();
        let text = mainstay_code_page::decode(rest).to_ascii_uppercase();
        match text.as_str() {
            "" => {
                for (name, line) in machine.stepping.breakpoints.clone() {
                    machine.show(&mainstay_code_page::encode(&format!("{line:04} {name}")), true)?;
                }
            }
            "OFF" => machine.stepping.breakpoints.clear(),
            text => {
                for part in text.split(',').map(str::trim) {
                    let (name, removes) = part.strip_prefix('-').map_or((part, false), |name| (name, true));
                    let target = match name.parse() {
                        Ok(number) => syntax::tree::Target::Line(number),
                        Err(_) => syntax::tree::Target::Label(name.to_owned()),
                    };
                    let Some(line) = program.line_of(&target) else { return fail(21, part) };
                    let point = (program.name.clone(), program.lines[line as usize].number);
                    machine.stepping.breakpoints.retain(|known| *known != point);
                    if !removes {
                        machine.stepping.breakpoints.push(point);
                    }
                }
            }
        }
        Ok(None)
    }
}
