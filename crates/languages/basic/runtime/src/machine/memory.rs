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

use super::{Entry, Machine, Passed, Saved, Value};
use crate::code::{Program, VariableRef};
use crate::fault::{Fault, Outcome};
use crate::number::Number;
use crate::variables::{Array, Variables};
use std::collections::{HashMap, HashSet};
use std::mem::size_of;
use std::rc::Rc;

/// The limit of a session that sets none: 1 GB.
pub(crate) const LIMIT: u64 = 1 << 30;
/// The longest string of a session without a limit of its own.
pub(super) const TEXT_LIMIT: usize = 256 << 20;
/// The least limit of START: programs ask for sizes in which their own system, with smaller programs, could run them.
const LEAST: u64 = 16 << 20;
/// How many times its length a record counts when it is read.
const FETCHED: usize = 4;
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
            None => charge_by_census(self, bytes as u64),
        }
    }
}

/// The same for the text of a program that will be compiled.
pub(crate) fn charge_program(machine: &mut Machine, source: usize) -> Outcome<()> {
    machine.charge(program_bytes(source))
}

/// The same for a string that no variable holds yet.
#[inline]
pub(crate) fn charge_temporary(machine: &mut Machine, bytes: usize) -> Outcome<()> {
    match bytes >= LARGE {
        true => charge_held(machine, bytes),
        false => machine.charge(bytes),
    }
}

/// The same for what the operation gathers in pieces of any size.
pub(super) fn charge_held(machine: &mut Machine, bytes: usize) -> Outcome<()> {
    let operation = operation_number(machine);
    if machine.memory.temporary.1 != operation {
        machine.memory.temporary = (0, operation);
    }
    // The charge itself counts the piece the first time.
    machine.charge(bytes)?;
    machine.memory.temporary.0 += bytes as u64;
    Ok(())
}

/// A function of the program begins: what the expression around it holds is counted until it returns.
pub(super) fn begin_nested(machine: &mut Machine, put_aside: u64) -> Nested {
    let Memory { temporary, aside, .. } = machine.memory;
    let held = if temporary.1 == operation_number(machine) { temporary.0 } else { 0 };
    machine.memory.aside += held + put_aside;
    machine.memory.temporary.0 = 0;
    Nested { aside, temporary: (held, 0) }
}

pub(super) fn end_nested(machine: &mut Machine, nested: Nested) {
    machine.memory.aside = nested.aside;
    machine.memory.temporary = (nested.temporary.0, operation_number(machine));
}

/// Limits the memory of the session, and with it the longest string to a quarter of that.
pub(crate) fn limit_bytes(machine: &mut Machine, bytes: u64) {
    machine.memory.most = bytes;
    set_limit(machine, bytes);
}

/// START with a size: not more than the host allows, and not less than [`LEAST`].
pub(super) fn start_with(machine: &mut Machine, bytes: u64) {
    set_limit(machine, bytes.max(LEAST));
}

fn set_limit(machine: &mut Machine, bytes: u64) {
    let limit = bytes.min(machine.memory.most);
    machine.memory.limit = limit;
    machine.memory.credit = 0;
    let quarter = usize::try_from(limit / 4).unwrap_or(usize::MAX);
    machine.text_limit = quarter.min(TEXT_LIMIT);
}

/// The limit of the session in bytes: TCB(15).
pub(crate) fn memory_limit(machine: &Machine) -> u64 {
    machine.memory.limit
}

/// Bytes that the session may still take.
pub(super) fn memory_left(machine: &Machine) -> u64 {
    machine.memory.limit.saturating_sub(held_bytes(machine) + machine.memory.aside)
}

/// Forgets the compiled statements of EXECUTE, and their links to the levels of variables.
pub(super) fn forget_texts(machine: &mut Machine) {
    let texts = std::mem::take(&mut machine.texts);
    let known: HashSet<*const Program> = texts.values().map(|(_, text)| Rc::as_ptr(text)).collect();
    let callers = machine.frames.iter_mut().chain([&mut machine.frame]).filter_map(|frame| frame.caller.as_deref_mut());
    for level in callers.chain([&mut machine.variables]) {
        level.forget_links(|program| !known.contains(&Rc::as_ptr(program)));
    }
}

/// Bytes of a copy of a variable.
pub(super) fn variable_bytes(machine: &mut Machine, variable: VariableRef) -> usize {
    let slot = machine.slot_of(variable);
    let text = match variable {
        VariableRef::Text(_) => machine.text_slot(slot).len(),
        _ => array_bytes(machine, variable),
    };
    std::mem::size_of::<Passed>() + text
}

/// The operation that runs, by the count of all.
fn operation_number(machine: &Machine) -> u64 {
    machine.operations + u64::from(machine.turns)
}

#[cold]
#[inline(never)]
fn charge_by_census(machine: &mut Machine, bytes: u64) -> Outcome<()> {
    let temporary =
        if machine.memory.temporary.1 == operation_number(machine) { machine.memory.temporary.0 } else { 0 };
    let more = bytes.saturating_add(temporary + machine.memory.aside);
    let mut used = held_bytes(machine).saturating_add(more);
    if used > machine.memory.limit {
        // Statements and programs that do not run are compiled again when they are needed.
        forget_texts(machine);
        machine.cache.clear();
        used = held_bytes(machine).saturating_add(more);
    }
    let memory = &mut machine.memory;
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
fn held_bytes(machine: &Machine) -> u64 {
    let frames = machine.frames.iter().chain([&machine.frame]);
    let frames = frames.map(|frame| {
        let stack: usize = frame.stack.iter().map(entry_bytes).sum();
        let arguments: usize = frame.arguments.iter().map(|(value, _)| passed_bytes(value)).sum();
        FIXED + stack + arguments + frame.caller.as_ref().map_or(0, |level| level.bytes())
    });
    let levels = machine.variables.bytes() + machine.globals.bytes();
    let templates: usize = machine.templates.iter().map(|(_, level)| level.bytes()).sum();
    let strings: usize = machine.strings.iter().map(|(name, text)| name.capacity() + text.capacity() + 64).sum();
    let libraries: usize = machine.libraries.iter().map(|name| name.capacity() + 24).sum();
    let tasks: usize = machine.tasks.iter().map(|task| allocated(task.capacity()) + 24).sum();
    let noted: usize = machine.noted.iter().map(|((_, name), value)| name.capacity() + 64 + value_bytes(value)).sum();
    let all = [
        levels,
        templates,
        programs_bytes(machine),
        strings,
        libraries,
        tasks,
        machine.definitions.bytes(),
        noted,
        machine.objects.bytes(),
        machine.rules.bytes(),
    ];
    let all = all.iter().sum::<usize>() + frames.sum::<usize>();
    all as u64 + machine.channels.bytes()
}

/// Bytes of all programs and statements that are compiled, each once.
fn programs_bytes(machine: &Machine) -> usize {
    let frames = machine.frames.iter().chain([&machine.frame]).map(|frame| &frame.program);
    let levels = machine.frames.iter().filter_map(|frame| frame.caller.as_deref());
    let levels = levels.chain(machine.frame.caller.as_deref()).chain([&machine.variables]);
    let cached = machine.cache.values().map(|(_, program)| program);
    let texts = machine.texts.values().flat_map(|(outer, text)| [outer, text]);
    let templates = machine.templates.iter().map(|(program, _)| program);
    let all = frames.chain(cached).chain(texts).chain(templates).chain(machine.objects.programs());
    let all = all.chain(levels.flat_map(Variables::programs));
    let distinct: HashMap<*const Program, usize> =
        all.map(|program| (Rc::as_ptr(program), compiled_bytes(program))).collect();
    distinct.values().sum::<usize>() + machine.texts.keys().map(|(_, text)| text.len() + 64).sum::<usize>()
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
    count.saturating_mul(size_of::<Number>())
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
            Passed::Numbers(array) => array.as_ref().map_or(0, Array::<Number>::bytes),
            Passed::Texts(array) => array.as_ref().map_or(0, Array::<Vec<u8>>::bytes),
        }
}

/// Bytes of a value that LOCAL or a function put aside.
pub(super) fn saved_bytes(saved: &Saved) -> usize {
    size_of::<Saved>()
        + match saved {
            Saved::Number(_) => 0,
            Saved::Text(text, form) => {
                allocated(text.capacity()) + form.structure.as_ref().map_or(0, |structure| structure.bytes())
            }
            Saved::Numbers(array) => array.as_ref().map_or(0, Array::<Number>::bytes),
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

impl Array<Number> {
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
        let number_arrays: usize = self.number_arrays.iter().flatten().map(Array::<Number>::bytes).sum();
        let text_arrays: usize = self.text_arrays.iter().flatten().map(Array::<Vec<u8>>::bytes).sum();
        let headers = self.numbers.capacity() * size_of::<Number>()
            + self.texts.capacity() * size_of::<Vec<u8>>()
            + (self.number_arrays.capacity() + self.text_arrays.capacity()) * size_of::<Option<Array<Vec<u8>>>>();
        let structures: usize = self.structures.values().map(|structure| structure.bytes()).sum();
        headers + texts + number_arrays + text_arrays + structures + self.names_bytes()
    }
}

/// Bytes that an array takes.
pub(super) fn array_bytes(machine: &mut Machine, array: VariableRef) -> usize {
    let slot = machine.slot_of(array);
    let (level, slot) = machine.level_of(slot);
    match array {
        VariableRef::Numbers(_) => level.number_arrays[slot].as_ref().map_or(0, Array::<Number>::bytes),
        VariableRef::Texts(_) => level.text_arrays[slot].as_ref().map_or(0, Array::<Vec<u8>>::bytes),
        _ => 0,
    }
}

/// Counts an array of empty elements. Error 31 when there is no memory for it.
pub(super) fn charge_array(machine: &mut Machine, is_text: bool, bounds: &[(i64, i64)]) -> Outcome<()> {
    let count = count_of(bounds);
    machine.charge(match is_text {
        true => texts_bytes(count, 0),
        false => numbers_bytes(count),
    })
}

/// Counts a record that was read: its fields, and records that its channel has fetched ahead.
#[inline]
pub(super) fn charge_record(machine: &mut Machine, bytes: usize) -> Outcome<()> {
    machine.charge(FETCHED * bytes + 64)
}

/// The number of elements between bounds that were checked.
pub(super) fn count_of(bounds: &[(i64, i64)]) -> usize {
    let lengths = bounds.iter().map(|(low, high)| high.saturating_sub(*low).saturating_add(1).max(0));
    usize::try_from(lengths.fold(1, i64::saturating_mul)).unwrap_or(usize::MAX)
}
