//! Functions and variables of the session.

use crate::code::Call;
use crate::fault::{self, Outcome, fail};
use crate::machine::{FrameKind, Machine, Value};
use crate::number::Number;
use mainstay_basic_syntax as syntax;

pub(super) fn zero(_: &mut Machine, _: &Call) -> Outcome<Number> {
    Ok(Number::ZERO)
}

/// SSZ: the bytes of a sector, as the manual has them.
pub(super) fn sector(_: &mut Machine, _: &Call) -> Outcome<Number> {
    Ok(Number::whole(256))
}

/// DSK: there is one drive, which has no name.
pub(super) fn drive(_: &mut Machine, _: &Call, _: &mut Vec<u8>) -> Outcome<()> {
    Ok(())
}

/// ERR: the last error; ERR(a,b,..): which of these it is.
pub(super) fn err(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    if call.arguments.is_empty() {
        return Ok(Number::whole(machine.error));
    }
    for index in 0..call.arguments.len() {
        if call.whole(machine, index)? == machine.error {
            return Ok(Number::whole(index as i64 + 1));
        }
    }
    Ok(Number::ZERO)
}

pub(super) fn ers(machine: &mut Machine, _: &Call) -> Outcome<Number> {
    Ok(Number::whole(machine.error_line.into()))
}

pub(super) fn ctl(machine: &mut Machine, _: &Call) -> Outcome<Number> {
    Ok(Number::whole(machine.ctl))
}

/// The precision; in floating point mode that before FLOATINGPOINT (manual, "PRC", example).
fn shown_precision(machine: &Machine) -> i64 {
    if machine.precision < 0 { machine.kept_precision.into() } else { machine.precision.into() }
}

pub(super) fn precision(machine: &mut Machine, _: &Call) -> Outcome<Number> {
    Ok(Number::whole(shown_precision(machine)))
}

pub(super) fn msl(machine: &mut Machine, _: &Call) -> Outcome<Number> {
    Ok(Number::whole(machine.match_length))
}

pub(super) fn nar(machine: &mut Machine, _: &Call) -> Outcome<Number> {
    Ok(Number::whole(machine.arguments.len() as i64))
}

/// TMR: seconds; 0 since the last time it was reset, which it does, 1 the same without, 2 hours, 3 since the start.
pub(super) fn tmr(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let code = if call.has(0) { call.within(machine, 0, 0, 3)? } else { 0 };
    let now = machine.host.monotonic();
    let elapsed = now.saturating_sub(if code == 3 { machine.started } else { machine.timer });
    if code == 0 {
        machine.timer = now;
    }
    let seconds = Number::new((elapsed.as_micros() / 100) as i128, 4)?;
    match code {
        2 => seconds.divide(Number::whole(3600)),
        _ => Ok(seconds),
    }
}

/// TCB: values of the task. Codes that have no meaning here are 0.
pub(super) fn tcb(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let code = call.whole(machine, 0)?;
    let counters = machine.counters();
    let value = match code {
        2 => machine.took_branch.into(),
        4 => machine.current_line().into(),
        5 | 30 => machine.error_line.into(),
        3 | 10 => machine.error,
        6 => machine.escape_line(),
        7 => machine.handler_line(),
        8 => machine.gosub_line(),
        11 => machine.retry_line(),
        12 | 13 => machine.level(),
        14 => shown_precision(machine),
        15 => crate::machine::memory::memory_limit(machine) as i64,
        16 => machine.match_length,
        17 => machine.functions as i64,
        18 => machine.iteration.map_or(0, |at| at as i64 + 1),
        19 => machine.frame.turn(),
        20 => machine.frame.arguments.len() as i64,
        37 => 2,
        39 => machine.objects.highest(),
        40 => machine.trace.unwrap_or(0),
        47 => i64::from(machine.screen.size()?.0),
        53 => machine.loads.0,
        54 => machine.loads.1,
        62 => machine.failed_opens,
        67 => machine.keys_loaded,
        82 => -1,
        83 => {
            if machine.stepping.breakpoints.is_empty() {
                0
            } else {
                0x40
            }
        }
        301 => 8,
        302 | 303 => 1,
        304 => 2,
        305 => 4,
        306 | 308 | 309 => 8,
        307 => 16,
        310 => 4,
        50 => counters.block_reads() as i64,
        51 => counters.block_writes() as i64,
        70 => counters.opens() as i64,
        71 => counters.reads() as i64,
        72 => counters.writes() as i64,
        503 => machine.record_rest,
        _ => 0,
    };
    Ok(Number::whole(value))
}

/// PRM: the value of a system parameter.
pub(super) fn prm(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let name = call.text(machine, 0)?;
    let mut plain = Vec::new();
    // A name in apostrophes is a mnemonic in its internal form.
    if let [0x1B, rest @ ..] = &name[..] {
        plain.extend(rest.iter().filter(|byte| **byte != b'\''));
    } else {
        plain = name;
    }
    Ok(Number::whole(machine.parameters.get(&mainstay_code_page::decode(&plain).to_ascii_uppercase())))
}

/// LNO: the line of a label. Error 55 for none.
pub(super) fn lno(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let label = call.text(machine, 0)?;
    let label = mainstay_code_page::decode(&label).to_ascii_uppercase();
    let program = &machine.frame.program;
    let target = match label.parse() {
        Ok(number) => syntax::tree::Target::Line(number),
        Err(_) => syntax::tree::Target::Label(label.clone()),
    };
    match program.line_of(&target) {
        Some(line) => Ok(Number::whole(program.lines[line as usize].number.into())),
        None => fail(55, label),
    }
}

pub(super) fn mxc(machine: &mut Machine, _: &Call) -> Outcome<Number> {
    Ok(Number::whole(i64::from(machine.screen.size()?.0) - 1))
}

pub(super) fn mxl(machine: &mut Machine, _: &Call) -> Outcome<Number> {
    Ok(Number::whole(i64::from(machine.screen.size()?.1) - 1))
}

/// ARG(n): an argument of the command line; 0 is the program. ARG(n,text,separator): the n-th part of a text.
pub(super) fn arg(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    if call.is_text(0) {
        return part(machine, call, out);
    }
    let index = call.whole(machine, 0)?;
    if call.has(1) {
        let text = call.text(machine, 1)?;
        let separator = if call.has(2) { call.text(machine, 2)?.first().copied() } else { text.last().copied() };
        let parts = separator.map(|separator| text.split(move |byte| *byte == separator));
        if let Some(part) = index.checked_sub(1).and_then(|index| parts?.nth(usize::try_from(index).ok()?)) {
            out.extend_from_slice(part);
        }
        return Ok(());
    }
    match usize::try_from(index).ok() {
        Some(0) => out.extend_from_slice(&mainstay_code_page::encode(&machine.frame.program.name)),
        Some(index) if index <= machine.arguments.len() => out.extend_from_slice(&machine.arguments[index - 1]),
        _ => return fail(41, "no such argument"),
    }
    Ok(())
}

/// ARG(text$,n[,separator$]): the n-th part of a text, counted from 1. ARG(EDIT text$,n,new$[,separator$]): the text with another n-th
/// part, behind as many separators as it takes (manual, `functions/arg_string.md`).
fn part(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let edits = call.words.first().is_some_and(|word| word == "EDIT");
    let text = call.text(machine, 0)?;
    let number = call.within(machine, 1, 1, 32_000)? as usize;
    let value = if edits { call.text(machine, 2)? } else { Vec::new() };
    let behind = if edits { 3 } else { 2 };
    let separator = match call.has(behind) {
        true => call.text(machine, behind)?.first().copied().ok_or_else(|| fault::Fault::new(46))?,
        false => crate::machine::SEPARATOR,
    };
    let mut parts: Vec<&[u8]> = text.split(|byte| *byte == separator).collect();
    if !edits {
        out.extend_from_slice(parts.get(number - 1).copied().unwrap_or_default());
        return Ok(());
    }
    let ends_with_separator = parts.len() > 1 && parts.last().is_some_and(|last| last.is_empty());
    if ends_with_separator || text.is_empty() {
        parts.pop();
    }
    let adds = number > parts.len();
    if adds {
        parts.resize(number, &[]);
    }
    parts[number - 1] = &value;
    out.extend_from_slice(&parts.join(&separator));
    if ends_with_separator || adds {
        out.push(separator);
    }
    Ok(())
}

/// @X(column): graphical units, 16 to a column (manual, `functions/~x.md`).
pub(super) fn graphic_column(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    call.number(machine, 0)?.multiply(Number::whole(16))
}

/// @Y(line): graphical units, 30 to a line.
pub(super) fn graphic_line(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    call.number(machine, 0)?.multiply(Number::whole(30))
}

/// TSK(n): an entry of the task table. Error 41 for none (manual, `functions/tsk.md`).
pub(super) fn tsk(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let number = call.whole(machine, 0)?;
    if number == -1 {
        out.extend_from_slice(b"[Pvx");
        return Ok(());
    }
    match usize::try_from(number).ok().and_then(|number| machine.tasks.get(number)) {
        Some(task) => out.extend_from_slice(task),
        None => return fail(41, format!("there is no task {number}")),
    }
    Ok(())
}

/// MSG: the text of an error by its number; of a library by its key, or one that is given behind `=`, with `%1` and so on replaced by
/// further arguments; `*` for the libraries; `+` and -1 for what the system said about the last error.
pub(super) fn msg(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let first = call.arguments.first();
    let prefix = first.and_then(|argument| argument.prefix);
    match (prefix, first.is_some_and(|argument| argument.value.is_some())) {
        (Some('*'), false) => {
            for name in &machine.libraries {
                out.extend_from_slice(&mainstay_code_page::encode(name));
                out.push(crate::machine::SEPARATOR);
            }
            return Ok(());
        }
        (Some('+'), _) => {
            out.extend_from_slice(&mainstay_code_page::encode(&machine.error_detail));
            return Ok(());
        }
        _ => {}
    }
    match call.value(machine, 0)? {
        Value::Number(code) if code.as_whole() == Some(-1) => {
            out.extend_from_slice(&mainstay_code_page::encode(&machine.error_detail))
        }
        Value::Number(code) if let Some(text) = machine.definitions.message_of(code) => out.extend_from_slice(text),
        Value::Number(code) => {
            let code = code.as_whole().and_then(|code| u16::try_from(code).ok()).unwrap_or(u16::MAX);
            out.extend_from_slice(format!("Error #{code}: {}", fault::message(code)).as_bytes());
        }
        Value::Text(key) => {
            let text = match prefix {
                Some('=') => key,
                _ if let Some(text) = machine.definitions.named_message(&key) => text.to_vec(),
                _ => machine.library_text(&key)?.unwrap_or(key),
            };
            let mut values = Vec::new();
            for index in 1..call.arguments.len() {
                let value = call.value(machine, index)?;
                values.push(machine.display_bytes(&value));
            }
            replace_parameters(&text, &values, out);
        }
    }
    Ok(())
}

/// `%1` to `%9` of a text by values.
fn replace_parameters(text: &[u8], values: &[Vec<u8>], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'%', rest) {
        out.extend_from_slice(&rest[..at]);
        let digit = rest.get(at + 1).filter(|byte| (b'1'..=b'9').contains(byte));
        match digit.and_then(|digit| values.get(usize::from(digit - b'1'))) {
            Some(value) => {
                out.extend_from_slice(value);
                rest = &rest[at + 2..];
            }
            None => {
                out.push(b'%');
                rest = &rest[at + 1..];
            }
        }
    }
    out.extend_from_slice(rest);
}

/// NEW(class$, ..), NEW(object): the number of a new object.
pub(super) fn new(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    let first = call.value(machine, 0)?;
    let id = match first {
        Value::Number(id) => {
            let id = id.as_whole().ok_or_else(|| fault::Fault::new(95))?;
            machine.clone_object(id)?
        }
        Value::Text(class) => {
            let mut arguments = Vec::new();
            for index in 1..call.arguments.len() {
                arguments.push(call.value(machine, index)?);
            }
            machine.new_object(&class, arguments)?
        }
    };
    Ok(Number::whole(id))
}

/// LWD: the current folder, from the one of the files.
pub(super) fn lwd(machine: &mut Machine, _: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    out.extend_from_slice(&mainstay_code_page::encode(&machine.current_folder()));
    Ok(())
}

/// HWD: the folder of the files.
pub(super) fn hwd(machine: &mut Machine, _: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    out.extend_from_slice(machine.definitions.home.as_deref().unwrap_or(b"/"));
    Ok(())
}

pub(super) fn pgn(machine: &mut Machine, _: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    out.extend_from_slice(&mainstay_code_page::encode(&machine.frame.program.name));
    Ok(())
}

pub(super) fn lpg(machine: &mut Machine, _: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    if let Some(lead) = &machine.definitions.lead {
        out.extend_from_slice(lead);
        return Ok(());
    }
    let lead = machine.frames.first().unwrap_or(&machine.frame);
    out.extend_from_slice(&mainstay_code_page::encode(&lead.program.name));
    Ok(())
}

/// The number of the END behind the last line of every program.
const LAST_LINE: i64 = 65_000;

/// PGM: the text of a line; -1, -2 and -3 are names of programs.
pub(super) fn pgm(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let number = call.whole(machine, 0)?;
    match number {
        -1 => return lpg(machine, call, out),
        -2 | -3 => return pgn(machine, call, out),
        _ => {}
    }
    let frame = match machine.frame.kind {
        FrameKind::Execute => machine.frames.last().unwrap_or(&machine.frame),
        _ => &machine.frame,
    };
    let lines = &frame.program.tree.lines;
    let at = lines.partition_point(|line| i64::from(line.number) < number);
    match lines.get(at) {
        Some(line) if i64::from(line.number) == number || call.options.branches.error.is_none() => {
            out.extend_from_slice(&syntax::print::line_text(line));
            Ok(())
        }
        // Behind its last line a program has an END.
        None if number <= LAST_LINE && call.options.branches.error.is_none() || number == LAST_LINE => {
            out.extend_from_slice(format!("{LAST_LINE} END ").as_bytes());
            Ok(())
        }
        _ => fail(21, format!("line {number}")),
    }
}

/// LST: compiled text is text here.
pub(super) fn lst(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let text = call.text(machine, 0)?;
    out.extend_from_slice(&text);
    Ok(())
}

/// CPL: checks a statement. The compiled form of a statement is its text. Error 20 for text that is none.
pub(super) fn cpl(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let text = call.text(machine, 0)?;
    let tree = syntax::parse_statement(&text);
    match tree.diagnostics.first() {
        Some(diagnostic) => fail(diagnostic.code, diagnostic.message.clone()),
        None => {
            for line in &tree.lines {
                let listed =
                    if tree.numbered { syntax::print::line_text(line) } else { syntax::print::statement(line) };
                out.extend_from_slice(&listed);
            }
            Ok(())
        }
    }
}

/// STK: line and program of a level; 0 is the current one, others count from the first.
pub(super) fn stk(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let level = call.whole(machine, 0)?;
    let total = machine.frames.len() as i64 + 1;
    let index = if level > 0 { level } else { total + level };
    let frame = match index {
        index if index == total => &machine.frame,
        index if index >= 1 && index < total => &machine.frames[index as usize - 1],
        _ => return fail(41, format!("level {level}")),
    };
    let line = frame.program.op_lines.get(frame.op as usize).copied().unwrap_or(0);
    let number = frame.program.lines.get(line as usize).map_or(0, |line| line.number);
    out.extend_from_slice(&mainstay_code_page::encode(&format!("{number:05}{}", frame.program.name)));
    Ok(())
}

pub(super) fn pfx(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let number = if call.has(0) { call.whole(machine, 0)? } else { 0 };
    match number {
        // PFX(-1) is the file of PREFIX FILE, PFX(-2) PREFIX PROGRAM.
        -1 => out.extend_from_slice(&machine.rules.file),
        -2 => out.extend_from_slice(&machine.rules.program),
        number => {
            if let Some(rules) = machine.rules.entries.get(&number) {
                out.extend_from_slice(rules);
            }
        }
    }
    Ok(())
}

/// GBL: a string of the session by name; with a value it is set.
pub(super) fn gbl(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let name = call.text(machine, 0)?;
    if call.has(1) {
        let value = call.text(machine, 1)?;
        machine.strings.insert(name.clone(), value);
    }
    if let Some(value) = machine.strings.get(&name) {
        out.extend_from_slice(value);
    }
    Ok(())
}

pub(super) fn dlm(_: &mut Machine, _: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    out.push(b'/');
    Ok(())
}

pub(super) fn eom(machine: &mut Machine, _: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    out.extend_from_slice(&machine.end_of_message);
    Ok(())
}

pub(super) fn esc(_: &mut Machine, _: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    out.push(0x1B);
    Ok(())
}

pub(super) fn quo(_: &mut Machine, _: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    out.push(b'"');
    Ok(())
}

pub(super) fn sep_variable(_: &mut Machine, _: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    out.push(crate::machine::SEPARATOR);
    Ok(())
}

pub(super) fn sys(_: &mut Machine, _: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    out.extend_from_slice(b"MAINSTAY");
    Ok(())
}

/// UID, WHO: the user.
pub(super) fn user(machine: &mut Machine, _: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    out.extend_from_slice(&machine.user);
    Ok(())
}

/// NID: the name of the machine.
pub(super) fn node(machine: &mut Machine, _: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    out.extend_from_slice(&machine.node);
    Ok(())
}

/// DIR: the current folder, with a slash at its end. There is one drive: error 41 for another number.
pub(super) fn dir(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    if !call.is_text(0) {
        call.within(machine, 0, 0, 0)?;
    }
    out.extend_from_slice(&mainstay_code_page::encode(&machine.current_folder()));
    if out.last() != Some(&b'/') {
        out.push(b'/');
    }
    Ok(())
}

/// ENV: a value of the environment, which is what the host says of the session and nothing of the process: USER. By number it is
/// NAME=VALUE, -1 is the name of the product. Error 41 for a number without one.
pub(super) fn env(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    if call.is_text(0) {
        let name = call.text(machine, 0)?;
        if name.eq_ignore_ascii_case(b"USER") {
            out.extend_from_slice(&machine.user);
        }
        return Ok(());
    }
    match call.whole(machine, 0)? {
        -1 => out.extend_from_slice(b"Mainstay"),
        1 => out.extend_from_slice(&[b"USER=".as_slice(), machine.user.as_slice()].concat()),
        _ => return fail(41, "no value of the environment has this number"),
    }
    Ok(())
}

/// SYS( ): always -1. Programs have no way to the operating system.
pub(super) fn command(machine: &mut Machine, call: &Call) -> Outcome<Number> {
    match call.is_text(0) {
        true => drop(call.text(machine, 0)?),
        false => drop(call.whole(machine, 0)?),
    }
    machine.system_error = NOT_PERMITTED;
    Ok(Number::ONE.negated())
}

/// The error of an operation that is not permitted, as systems number it.
const NOT_PERMITTED: i64 = 1;

/// RET: the last error of the operating system, and 256.
pub(super) fn ret(machine: &mut Machine, _: &Call) -> Outcome<Number> {
    Ok(Number::whole(machine.system_error + 256))
}

/// MSE: 32 bytes of the mouse's and the window's state. It returns when everything is shown.
pub(super) fn mse(machine: &mut Machine, _: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    machine.host.barrier()?;
    out.extend_from_slice(&machine.screen.mse()?);
    Ok(())
}
