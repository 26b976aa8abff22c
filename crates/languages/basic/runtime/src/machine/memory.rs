//! The memory limit of a session.
//!
//! **Problem.** A program holds memory in many places: variables of all levels, loops, objects, channels, compiled text. A count
//! that follows every change in each of them would cost every statement, and would be wrong where one change is forgotten.
//!
//! **Idea.** Operations only count what they take, and a census counts what is held.
//!
//! ```text
//!   charge(bytes)     credit -= bytes                     one subtraction; most operations end here
//!   no credit left    census: the sum over all places     error 31, or new credit up to the limit
//! ```
//!
//! Memory that is given back needs no accounting: the next census does not find it. Strings that an expression still builds are
//! in no variable, so the large ones of the running operation are added to the census.
//!
//! **Limits.** A census near the limit grants a thirty-second of it, so that a program there does not count after every
//! statement. Handlers have a reserve of an eighth: without it the handler of error 31 could not run. Lists of the screen have
//! limits of their own. Sources: the manual's error 31, and its page START.

use super::state::{Entry, Passed, Saved};
use super::{Machine, Value};
use crate::code::{Program, VariableRef};
use crate::fault::{Fault, Outcome};
use crate::variables::{Array, Variables};
use std::collections::{HashMap, HashSet};
use std::mem::size_of;
use std::rc::Rc;

/// The limit of a session that sets none: 1 GB.
pub(crate) const LIMIT: u64 = 1 << 30;
/// The least limit of START: programs ask for sizes in which their own system, with smaller programs, could run them.
const LEAST: u64 = 16 << 20;
/// Strings that count while the operation that built them runs.
const LARGE: usize = 1 << 16;
/// Charges up to this many bytes may use the reserve.
const SMALL: u64 = 4096;
/// Bytes of a compiled program for each byte of its text, at most: tree and operations.
const COMPILED: usize = 48;
/// Bytes that a program, a frame or a channel takes without its contents.
const FIXED: usize = 1024;

/// The account of a session. See the module.
#[derive(Debug)]
pub(crate) struct Memory {
    /// Bytes that may be charged before the next census.
    credit: u64,
    /// The limit of the host.
    most: u64,
    /// The limit at hand, which START may lower.
    limit: u64,
    /// Large strings of the operation at hand, and its number.
    temporary: (u64, u64),
    /// Large strings of operations that wait for a function to return, and values that functions put aside.
    aside: u64,
    /// Error 31 was raised, and no census has found less than the limit since.
    is_exhausted: bool,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory { credit: 0, most: LIMIT, limit: LIMIT, temporary: (0, 0), aside: 0, is_exhausted: false }
    }
}

/// Values that a function puts aside until it returns.
pub(super) struct Nested {
    aside: u64,
    temporary: (u64, u64),
}

impl Machine {
    /// Counts bytes that an operation takes. Error 31 when the session has no memory left.
    #[inline]
    pub(crate) fn charge(&mut self, bytes: usize) -> Outcome<()> {
        match self.memory.credit.checked_sub(bytes as u64) {
            Some(left) => {
                self.memory.credit = left;
                Ok(())
            }
            None => self.charge_by_census(bytes as u64),
        }
    }

    /// The same for the text of a program that will be compiled.
    pub(crate) fn charge_program(&mut self, source: usize) -> Outcome<()> {
        self.charge(program_bytes(source))
    }

    /// The same for a string that no variable holds yet.
    #[inline]
    pub(crate) fn charge_temporary(&mut self, bytes: usize) -> Outcome<()> {
        match bytes >= LARGE {
            true => self.charge_held(bytes),
            false => self.charge(bytes),
        }
    }

    /// The same for what the operation gathers in pieces of any size.
    pub(super) fn charge_held(&mut self, bytes: usize) -> Outcome<()> {
        let operation = self.operation_number();
        if self.memory.temporary.1 != operation {
            self.memory.temporary = (0, operation);
        }
        // The charge itself counts the piece the first time.
        self.charge(bytes)?;
        self.memory.temporary.0 += bytes as u64;
        Ok(())
    }

    /// A function of the program begins: what the expression around it holds is counted until it returns.
    pub(super) fn begin_nested(&mut self, put_aside: u64) -> Nested {
        let Memory { temporary, aside, .. } = self.memory;
        let held = if temporary.1 == self.operation_number() { temporary.0 } else { 0 };
        self.memory.aside += held + put_aside;
        self.memory.temporary.0 = 0;
        Nested { aside, temporary: (held, 0) }
    }

    pub(super) fn end_nested(&mut self, nested: Nested) {
        self.memory.aside = nested.aside;
        self.memory.temporary = (nested.temporary.0, self.operation_number());
    }

    /// Limits the memory of the session, and with it the longest string to a quarter of that.
    pub(crate) fn limit_bytes(&mut self, bytes: u64) {
        self.memory.most = bytes;
        self.set_limit(bytes);
    }

    /// START with a size: not more than the host allows, and not less than [`LEAST`].
    pub(super) fn start_with(&mut self, bytes: u64) {
        self.set_limit(bytes.max(LEAST));
    }

    fn set_limit(&mut self, bytes: u64) {
        let limit = bytes.min(self.memory.most);
        self.memory.limit = limit;
        self.memory.credit = 0;
        let quarter = usize::try_from(limit / 4).unwrap_or(usize::MAX);
        self.text_limit = quarter.min(super::state::TEXT_LIMIT);
    }

    /// The limit of the session in bytes: TCB(15).
    pub(crate) fn memory_limit(&self) -> u64 {
        self.memory.limit
    }

    /// Bytes that the session may still take.
    pub(super) fn memory_left(&self) -> u64 {
        self.memory.limit.saturating_sub(self.held_bytes() + self.memory.aside)
    }

    /// Forgets the compiled statements of EXECUTE, and their links to the levels of variables.
    pub(super) fn forget_texts(&mut self) {
        let texts = std::mem::take(&mut self.texts);
        let known: HashSet<*const Program> = texts.values().map(|(_, text)| Rc::as_ptr(text)).collect();
        let callers = self.frames.iter_mut().chain([&mut self.frame]).filter_map(|frame| frame.caller.as_deref_mut());
        for level in callers.chain([&mut self.variables]) {
            level.forget_links(|program| !known.contains(&Rc::as_ptr(program)));
        }
    }

    /// Bytes of a copy of a variable.
    pub(super) fn variable_bytes(&mut self, variable: VariableRef) -> usize {
        let slot = self.slot_of(variable);
        let text = match variable {
            VariableRef::Text(_) => self.text_slot(slot).len(),
            _ => self.array_bytes(variable),
        };
        std::mem::size_of::<Passed>() + text
    }

    /// The operation that runs, by the count of all.
    fn operation_number(&self) -> u64 {
        self.operations + u64::from(self.turns)
    }

    #[cold]
    #[inline(never)]
    fn charge_by_census(&mut self, bytes: u64) -> Outcome<()> {
        let temporary = if self.memory.temporary.1 == self.operation_number() { self.memory.temporary.0 } else { 0 };
        let more = bytes.saturating_add(temporary + self.memory.aside);
        let mut used = self.held_bytes().saturating_add(more);
        if used > self.memory.limit {
            // Statements and programs that do not run are compiled again when they are needed.
            self.forget_texts();
            self.cache.clear();
            used = self.held_bytes().saturating_add(more);
        }
        let memory = &mut self.memory;
        let reserve = memory.limit / 16;
        memory.is_exhausted &= used > memory.limit;
        let most = match bytes <= SMALL {
            true if memory.is_exhausted => memory.limit + 2 * reserve,
            true => memory.limit + reserve,
            false => memory.limit,
        };
        if used > most {
            memory.is_exhausted = true;
            let limit = memory.limit;
            return Err(Fault::with(31, format!("the session may use {limit} bytes of memory")));
        }
        memory.credit = memory.limit.saturating_sub(used).max(memory.limit / 32);
        Ok(())
    }

    /// The census: bytes of everything that the session holds.
    fn held_bytes(&self) -> u64 {
        let frames = self.frames.iter().chain([&self.frame]);
        let frames = frames.map(|frame| {
            let stack: usize = frame.stack.iter().map(entry_bytes).sum();
            let arguments: usize = frame.arguments.iter().map(|(value, _)| passed_bytes(value)).sum();
            FIXED + stack + arguments + frame.caller.as_ref().map_or(0, |level| level.bytes())
        });
        let levels = self.variables.bytes() + self.globals.bytes();
        let templates: usize = self.templates.iter().map(|(_, level)| level.bytes()).sum();
        let strings: usize = self.strings.iter().map(|(name, text)| name.capacity() + text.capacity() + 64).sum();
        let libraries: usize = self.libraries.iter().map(|name| name.capacity() + 24).sum();
        let all =
            [levels, templates, self.compiled_bytes(), strings, libraries, self.objects.bytes(), self.rules.bytes()];
        let all = all.iter().sum::<usize>() + frames.sum::<usize>();
        all as u64 + self.channels.bytes()
    }

    /// Bytes of all programs and statements that are compiled, each once.
    fn compiled_bytes(&self) -> usize {
        let frames = self.frames.iter().chain([&self.frame]).map(|frame| &frame.program);
        let levels = self.frames.iter().filter_map(|frame| frame.caller.as_deref());
        let levels = levels.chain(self.frame.caller.as_deref()).chain([&self.variables]);
        let cached = self.cache.values().map(|(_, program)| program);
        let texts = self.texts.values().flat_map(|(outer, text)| [outer, text]);
        let templates = self.templates.iter().map(|(program, _)| program);
        let all = frames.chain(cached).chain(texts).chain(templates).chain(self.objects.programs());
        let all = all.chain(levels.flat_map(Variables::programs));
        let distinct: HashMap<*const Program, usize> =
            all.map(|program| (Rc::as_ptr(program), compiled_bytes(program))).collect();
        distinct.values().sum::<usize>() + self.texts.keys().map(|(_, text)| text.len() + 64).sum::<usize>()
    }
}

fn program_bytes(source: usize) -> usize {
    FIXED + source.saturating_mul(COMPILED)
}

/// Bytes of a compiled program.
pub(super) fn compiled_bytes(program: &Program) -> usize {
    program_bytes(program.source_bytes)
}

/// Bytes of an array of strings of these lengths.
pub(super) fn texts_bytes(count: usize, length: usize) -> usize {
    count.saturating_mul(size_of::<Vec<u8>>().saturating_add(allocated(length)))
}

/// Bytes of an array of numbers.
pub(super) fn numbers_bytes(count: usize) -> usize {
    count.saturating_mul(size_of::<crate::number::Number>())
}

/// Bytes that a string takes beside its header.
pub(crate) fn allocated(capacity: usize) -> usize {
    // Allocators round up, and add a header.
    if capacity == 0 { 0 } else { capacity.saturating_add(16) }
}

pub(super) fn value_bytes(value: &Value) -> usize {
    let text = match value {
        Value::Text(text) => allocated(text.capacity()),
        Value::Number(_) => 0,
    };
    size_of::<Value>() + text
}

/// Bytes of an argument.
pub(super) fn passed_bytes(passed: &Passed) -> usize {
    size_of::<Passed>()
        + match passed {
            Passed::Value(value) => value_bytes(value),
            Passed::Numbers(array) => array.as_ref().map_or(0, Array::<crate::number::Number>::bytes),
            Passed::Texts(array) => array.as_ref().map_or(0, Array::<Vec<u8>>::bytes),
        }
}

/// Bytes of a value that LOCAL or a function put aside.
pub(super) fn saved_bytes(saved: &Saved) -> usize {
    size_of::<Saved>()
        + match saved {
            Saved::Value(value) => value_bytes(value),
            Saved::Numbers(array) => array.as_ref().map_or(0, Array::<crate::number::Number>::bytes),
            Saved::Texts(array) => array.as_ref().map_or(0, Array::<Vec<u8>>::bytes),
        }
}

fn entry_bytes(entry: &Entry) -> usize {
    size_of::<Entry>()
        + match entry {
            Entry::Values(values, ..) => values.iter().map(value_bytes).sum(),
            Entry::Local(saved) => saved.iter().map(|(_, saved)| saved_bytes(saved)).sum(),
            Entry::Select(selecting) => FIXED + selecting.joined.len() * FIXED,
            _ => 0,
        }
}

/// Bytes of a stack entry, which GOSUB and loops charge.
pub(super) const ENTRY: usize = size_of::<Entry>();

impl Array<crate::number::Number> {
    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        numbers_bytes(self.elements.capacity()) + self.keywords.as_ref().map_or(0, |keywords| keywords.bytes())
    }
}

impl Array<Vec<u8>> {
    /// Bytes that it takes.
    pub(crate) fn bytes(&self) -> usize {
        let texts: usize = self.elements.iter().map(|text| allocated(text.capacity())).sum();
        let headers = self.elements.capacity() * size_of::<Vec<u8>>();
        headers + texts + self.keywords.as_ref().map_or(0, |keywords| keywords.bytes())
    }
}

impl Variables {
    /// Bytes of the level: values, names, and links of programs.
    pub(crate) fn bytes(&self) -> usize {
        let texts: usize = self.texts.iter().map(|text| allocated(text.capacity())).sum();
        let number_arrays: usize = self.number_arrays.iter().flatten().map(Array::<crate::number::Number>::bytes).sum();
        let text_arrays: usize = self.text_arrays.iter().flatten().map(Array::<Vec<u8>>::bytes).sum();
        let headers = self.numbers.capacity() * size_of::<crate::number::Number>()
            + self.texts.capacity() * size_of::<Vec<u8>>()
            + (self.number_arrays.capacity() + self.text_arrays.capacity()) * size_of::<Option<Array<Vec<u8>>>>();
        headers + texts + number_arrays + text_arrays + self.names_bytes()
    }
}
