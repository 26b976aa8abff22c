//! State of a machine: frames, stacks, settings, channels.

use super::channels::Channels;
use super::settings::Parameters;
use crate::code::*;
use crate::host::{Host, Programs};
use crate::link::Link;
use crate::machine::structure::Structure;
use crate::number::Number;
use crate::screen::ProgramScreen;
use crate::variables::{Array, Variables};
use mainstay_basic_files::{Counters, Scan, SessionId, Volume};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// A value of either type.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(Number),
    /// A string.
    Text(Vec<u8>),
}

/// An argument of CALL as ENTER receives it.
#[derive(Clone, Debug)]
pub enum Passed {
    /// A number or a string.
    Value(Value),
    /// An array of numbers.
    Numbers(Option<Array<Number>>),
    /// An array of strings.
    Texts(Option<Array<Vec<u8>>>),
}

/// The value of a LOCAL variable as it was.
#[derive(Debug)]
pub enum Saved {
    /// A number.
    Number(Number),
    /// A string, with what DIM made of it.
    Text(Vec<u8>, Form),
    /// An array of numbers.
    Numbers(Option<Array<Number>>),
    /// An array of strings.
    Texts(Option<Array<Vec<u8>>>),
}

/// The form that DIM gave a string.
#[derive(Debug)]
pub struct Form {
    /// The structure of a structured string.
    pub structure: Option<Rc<Structure>>,
    /// The program and the list of a composite string.
    pub composite: Option<(Rc<Program>, ListId)>,
}

/// An entry of a frame's stack.
#[derive(Debug)]
pub enum Entry {
    /// GOSUB: the operation to go back to.
    Gosub(Pc),
    /// FOR over a range.
    For {
        /// The slot of its variable.
        variable: VariableRef,
        /// The last value.
        last: Number,
        /// The step.
        step: Number,
        /// The first operation of its body.
        body: Pc,
        /// Behind NEXT.
        exit: Pc,
    },
    /// FOR of a count: turns that are left, and the number of the turn.
    Count(i64, Pc, Pc, i64),
    /// FOR over parts or subscripts: the values that are left, last first, the operation of the FOR, and the number of the turn.
    Values(Vec<Value>, Pc, Pc, i64),
    /// WHILE: its operation.
    While(Pc, Pc),
    /// REPEAT: its operation.
    Repeat(Pc, Pc),
    /// SWITCH: END SWITCH.
    Switch(Pc),
    /// SELECT.
    Select(Box<Selecting>),
    /// TRY.
    Try {
        /// CATCH, until it is taken.
        catch: Option<Pc>,
        /// FINALLY, until it runs.
        finally: Option<Pc>,
        /// The error that END_TRY raises.
        pending: Option<u16>,
    },
    /// ON ERR: its operations. It stands above its loop, and below its GOSUB.
    OnErr(Pc),
    /// LOCAL: values to put back when the entry below ends.
    Local(Vec<(VariableRef, Saved)>),
}

impl Entry {
    /// A TRY that can still take an error, or ON ERR.
    pub(crate) fn takes_errors(&self) -> bool {
        match self {
            Entry::Try { catch, finally, .. } => catch.is_some() || finally.is_some(),
            entry => matches!(entry, Entry::OnErr(_)),
        }
    }

    /// An entry of the loop or subroutine below it, with which it ends.
    pub(crate) fn is_attached(&self) -> bool {
        matches!(self, Entry::Local(_) | Entry::OnErr(_))
    }
}

/// A SELECT that runs.
#[derive(Debug)]
pub struct Selecting {
    /// Its operation.
    pub op: Pc,
    /// The channel.
    pub channel: i64,
    /// SELECT opened the channel, and closes it.
    pub owns_channel: bool,
    /// How far it has come.
    pub scan: Scan,
    /// `*`: the list of the file, with its program.
    pub dictionary: Option<(Rc<Program>, Rc<crate::code::List>, u32)>,
    /// WITH: the joined levels.
    pub joined: Vec<super::join::JoinLevel>,
    /// The level that goes on; 0 is the SELECT itself.
    pub level: usize,
}

/// The ways that a frame came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// The program that RUN began.
    Main,
    /// CALL.
    Call,
    /// PERFORM.
    Perform,
    /// EXECUTE.
    Execute,
    /// A function of several lines.
    Function,
}

/// A program that runs.
#[derive(Debug)]
pub struct Frame {
    /// The program.
    pub program: Rc<Program>,
    /// Its names at its level.
    pub link: Rc<Link>,
    /// The next operation.
    pub pc: Pc,
    /// The operation that runs.
    pub op: Pc,
    /// Loops and subroutines.
    pub stack: Vec<Entry>,
    /// The next DATA.
    pub data: usize,
    /// SETERR.
    pub handler: Option<Destination>,
    /// SETERR's handler runs.
    pub handling: bool,
    /// The operation that RETRY runs again.
    pub retry: Option<Pc>,
    /// SETESC.
    pub escape: Option<Destination>,
    /// It is the error program that was called for an error.
    pub handles_error: bool,
    /// The object whose method it is.
    pub object: Option<i64>,
    /// How it came about.
    pub kind: FrameKind,
    /// The caller's variables, if the level is a new one.
    pub caller: Option<Box<Variables>>,
    /// Arguments of CALL, with the caller's variables that take changes.
    pub arguments: Vec<(Passed, Option<VariableRef>)>,
    /// Parameters that ENTER bound to arguments, by argument.
    pub bound: Vec<Option<VariableRef>>,
    /// Precision of the caller, which comes back with it.
    pub precision: i32,
}

impl Frame {
    /// A frame at the beginning of a program.
    pub fn new(program: Rc<Program>, link: Rc<Link>, kind: FrameKind) -> Frame {
        Frame {
            program,
            link,
            pc: 0,
            op: 0,
            stack: Vec::new(),
            data: 0,
            handler: None,
            handling: false,
            retry: None,
            escape: None,
            handles_error: false,
            object: None,
            kind,
            caller: None,
            arguments: Vec::new(),
            bound: Vec::new(),
            precision: 2,
        }
    }

    /// The number of the turn of the innermost FOR over a count or values; 0 outside of one.
    pub fn turn(&self) -> i64 {
        let turns = self.stack.iter().rev().find_map(|entry| match entry {
            Entry::Count(_, _, _, turn) | Entry::Values(_, _, _, turn) => Some(*turn),
            _ => None,
        });
        turns.unwrap_or(0)
    }
}

/// Compiled statements by the address of their program and their text, with that program, so that the address stays its own.
type Texts = HashMap<(usize, Vec<u8>), (Rc<Program>, Rc<Program>)>;

/// A session: what runs in it, and what it has open.
pub struct Machine {
    pub(crate) frame: Frame,
    pub(crate) frames: Vec<Frame>,
    pub(crate) variables: Variables,
    pub(crate) globals: Variables,
    pub(crate) channels: Channels,
    pub(crate) host: Box<dyn Host>,
    pub(crate) screen: ProgramScreen,
    pub(crate) volume: Arc<dyn Volume>,
    pub(crate) programs: Box<dyn Programs>,
    pub(crate) cache: HashMap<String, (u64, Rc<Program>)>,
    /// Programs that were read, and that were found in the cache.
    pub(crate) loads: (i64, i64),
    pub(crate) templates: Vec<(Rc<Program>, Variables)>,
    /// Compiled statements of EXECUTE.
    pub(crate) texts: Texts,
    pub(crate) parameters: Parameters,
    /// SETDAY and SETTIME.
    pub(crate) clock_offset: super::clock::ClockOffset,
    /// DEF of tables, messages and variables; mnemonics of the screen.
    pub(crate) definitions: super::definitions::Definitions,
    /// SETDEV TSK( ).
    pub(crate) tasks: Vec<Vec<u8>>,
    /// The values that CHG( ) has seen, by level and name of the variable.
    pub(crate) noted: HashMap<(i64, Vec<u8>), Value>,
    pub(crate) precision: i32,
    /// The precision before FLOATINGPOINT, which PRC returns then.
    pub(crate) kept_precision: i32,
    pub(crate) rounds: bool,
    pub(crate) error: i64,
    pub(crate) error_line: u32,
    pub(crate) error_detail: String,
    pub(crate) error_place: Option<(String, u32)>,
    /// The last error that nothing took, for ERR(keyword$).
    pub(crate) untaken: super::UntakenError,
    pub(crate) ctl: i64,
    /// The value of EOM.
    pub(crate) end_of_message: Vec<u8>,
    pub(crate) random: u64,
    pub(crate) timer: Duration,
    pub(crate) started: Duration,
    pub(crate) session: SessionId,
    pub(crate) counters: Arc<Counters>,
    pub(crate) day_format: Vec<u8>,
    pub(crate) rules: super::search::Rules,
    pub(crate) handlers: super::interrupt::Handlers,
    pub(crate) objects: super::object::Objects,
    /// Files of MESSAGE_LIB, the first one first.
    pub(crate) libraries: Vec<String>,
    /// The keys that KEYED LOAD has read: TCB(67).
    pub(crate) keys_loaded: i64,
    /// The last error of the operating system: RET.
    pub(crate) system_error: i64,
    /// The user: UID, WHO and ENV("USER").
    pub(crate) user: Vec<u8>,
    /// The name of the machine: NID.
    pub(crate) node: Vec<u8>,
    /// FID(0).
    pub(crate) terminal: Vec<u8>,
    /// The channel of SETTRACE.
    pub(crate) trace: Option<i64>,
    /// Bytes that the last READ left over; negative for fields that its record did not have.
    pub(crate) record_rest: i64,
    /// An error branch was taken by the last operation that had one.
    pub(crate) took_branch: bool,
    /// The place of the cursor in the last input.
    pub(crate) input_place: i64,
    /// OPENs that have failed.
    pub(crate) failed_opens: i64,
    /// Updates since the last forced write ('WD').
    pub(crate) updates: i64,
    /// The program that LOAD, RUN or SAVE named last.
    pub(crate) last_program: String,
    /// The console has stopped the program, or waits for a statement.
    pub(crate) stepping: super::step::Stepping,
    pub(crate) strings: HashMap<Vec<u8>, Vec<u8>>,
    pub(crate) arguments: Vec<Vec<u8>>,
    pub(crate) result: Option<Value>,
    pub(crate) status: Option<i64>,
    pub(crate) match_length: i64,
    /// ESCAPE OFF: an ESCAPE without a number does nothing.
    pub(crate) ignores_escape: bool,
    /// Where the last MSK( ) and its parts matched: the first byte, from 0, and the length.
    pub(crate) captures: Vec<Option<(usize, usize)>>,
    /// The turn of an assignment to a range, from 0.
    pub(crate) iteration: Option<usize>,
    /// The regular expression that was used last.
    pub(crate) pattern: Option<(Vec<u8>, regex::bytes::Regex)>,
    /// Functions of programs that run.
    pub(crate) functions: usize,
    /// The branch that INPUT has taken.
    pub(crate) pending: Option<Destination>,
    pub(crate) turns: u32,
    pub(crate) operations: u64,
    pub(crate) operation_limit: Option<u64>,
    pub(crate) memory: super::memory::Memory,
    /// The longest string.
    pub(crate) text_limit: usize,
    /// The most elements of an array that DIM makes.
    pub(crate) element_limit: usize,
    buffers: Vec<Vec<u8>>,
}

/// Everything that a session is made of.
pub struct Parts {
    /// Screen, keyboard, clock.
    pub host: Box<dyn Host>,
    /// Files.
    pub volume: Arc<dyn Volume>,
    /// Texts of programs.
    pub programs: Box<dyn Programs>,
    /// The session's number, for locks.
    pub session: SessionId,
    /// Arguments of the command line.
    pub arguments: Vec<Vec<u8>>,
}

impl Machine {
    /// A session without a program.
    pub fn new(parts: Parts) -> Machine {
        let Parts { mut host, volume, programs, session, arguments } = parts;
        let now = host.monotonic();
        let screen = ProgramScreen::of(&*host);
        let (mut variables, mut globals) = (Variables::default(), Variables::default());
        let program = Rc::new(Program::default());
        let link = Rc::new(Link::new(&program, &mut variables, &mut globals));
        Machine {
            frame: Frame::new(program, link, FrameKind::Main),
            frames: Vec::new(),
            variables,
            globals,
            channels: Channels::default(),
            host,
            screen,
            volume,
            programs,
            cache: HashMap::new(),
            loads: (0, 0),
            templates: Vec::new(),
            texts: HashMap::new(),
            parameters: Parameters::default(),
            precision: 2,
            kept_precision: 2,
            rounds: true,
            error: 0,
            error_line: 0,
            error_detail: String::new(),
            error_place: None,
            untaken: super::UntakenError::default(),
            clock_offset: super::clock::ClockOffset::default(),
            definitions: super::definitions::Definitions::default(),
            tasks: Vec::new(),
            noted: HashMap::new(),
            ctl: 0,
            end_of_message: Vec::new(),
            random: now.as_nanos() as u64 | 1,
            timer: now,
            started: now,
            session,
            counters: Arc::default(),
            day_format: b"MM/DD/YY".to_vec(),
            rules: super::search::Rules::default(),
            handlers: super::interrupt::Handlers::default(),
            objects: super::object::Objects::default(),
            libraries: Vec::new(),
            keys_loaded: 0,
            system_error: 0,
            user: Vec::new(),
            node: Vec::new(),
            terminal: b"T0".to_vec(),
            trace: None,
            record_rest: 0,
            took_branch: false,
            input_place: 0,
            failed_opens: 0,
            updates: 0,
            last_program: String::new(),
            stepping: super::step::Stepping::default(),
            strings: HashMap::new(),
            arguments,
            result: None,
            status: None,
            match_length: 0,
            ignores_escape: false,
            captures: Vec::new(),
            iteration: None,
            pattern: None,
            functions: 0,
            pending: None,
            turns: 0,
            operations: 0,
            operation_limit: None,
            memory: super::memory::Memory::default(),
            text_limit: super::memory::TEXT_LIMIT,
            element_limit: 10_000_000,
            buffers: Vec::new(),
        }
    }

    /// An empty buffer, which [`Machine::give`] takes back.
    #[inline]
    pub(crate) fn take(&mut self) -> Vec<u8> {
        self.buffers.pop().unwrap_or_default()
    }

    /// Takes a buffer back.
    #[inline]
    pub(crate) fn give(&mut self, mut buffer: Vec<u8>) {
        if self.buffers.len() < 16 && buffer.capacity() <= 1 << 16 {
            buffer.clear();
            self.buffers.push(buffer);
        }
    }

    /// The counters of input and output.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Ends the program with error 127 after so many operations.
    pub fn limit_operations(&mut self, limit: u64) {
        self.operation_limit = Some(limit);
    }
}

impl Machine {
    /// The value of a scalar variable of the current level.
    pub(crate) fn variable_by_name(&mut self, name: &str) -> Option<Value> {
        use crate::variables::Storage;
        use mainstay_basic_syntax::tree::{Name, NameKind};
        let text = name.trim_end_matches('$').to_ascii_uppercase();
        let kind = if name.ends_with('$') { NameKind::Text } else { NameKind::Number };
        let name = Name { text, kind, global: false };
        Some(match kind {
            NameKind::Text => {
                let slot = self.variables.slot(&name, Storage::Text);
                Value::Text(self.variables.texts.get(slot as usize)?.clone())
            }
            _ => {
                let slot = self.variables.slot(&name, Storage::Number);
                Value::Number(*self.variables.numbers.get(slot as usize)?)
            }
        })
    }
}
