//! System functions and variables: tables of names, and what their arguments are.
//!
//! Functions come in two types. Some have the type of their argument (`TBL`, `MAX`): they are in both tables, and
//! [`gives_text`] decides.

mod changes;
mod date;
mod encode;
mod evaluate;
mod file;
mod hash;
mod math;
mod report;
mod search;
mod string;
mod structure;
mod system;
mod xml;

use crate::code::*;
use crate::fault::{Fault, Outcome, fail};
use crate::machine::{Machine, Value};
use crate::number::Number;

pub(crate) use changes::forget_values;
pub(crate) use evaluate::variable_name;

/// Functions that give numbers.
const NUMBERS: &[(&str, NumberFunction)] = &[
    ("@X", system::graphic_column),
    ("@Y", system::graphic_line),
    ("ABS", math::abs),
    ("ACS", math::acs),
    ("ASC", string::asc),
    ("ASN", math::asn),
    ("ATN", math::atn),
    ("BSZ", system::zero),
    ("CHG", system::zero),
    ("COS", math::cos),
    ("CSE", evaluate::cse),
    ("DEC", string::dec),
    ("DEG", math::deg),
    ("DIM", evaluate::dim_number),
    ("EPT", math::ept),
    ("ERR", system::err),
    ("EVN", evaluate::evn),
    ("EXP", math::exp),
    ("FFN", file::ffn),
    ("FPT", math::fpt),
    ("HSA", system::zero),
    ("I3E", encode::of_ieee),
    ("IND", file::ind),
    ("INT", math::int),
    ("JUL", date::jul),
    ("LEN", string::len),
    ("LNO", system::lno),
    ("LOG", math::log),
    ("MAX", math::max),
    ("MIN", math::min),
    ("MOD", math::modulo),
    ("MSK", search::msk),
    ("MXC", system::mxc),
    ("MXL", system::mxl),
    ("NEW", system::new),
    ("NOT", math::not),
    ("NUL", string::nul),
    ("NUM", string::num),
    ("POS", search::pos),
    ("PRC", math::prc),
    ("PRM", system::prm),
    ("RAD", math::rad),
    ("RND", math::rnd),
    ("RNO", file::rno),
    ("SGN", math::sgn),
    ("SIN", math::sin),
    ("SQR", math::sqr),
    ("SSZ", system::sector),
    ("SYS", system::command),
    ("TAN", math::tan),
    ("TBL", evaluate::tbl_number),
    ("TCB", system::tcb),
    ("TMR", system::tmr),
    ("TRY", evaluate::try_number),
    ("UPK", encode::upk),
    ("VIN", evaluate::vin),
    ("XEQ", evaluate::xeq_number),
];

/// Functions that give strings.
const TEXTS: &[(&str, TextFunction)] = &[
    ("AND", string::and),
    ("ARG", system::arg),
    ("ATH", string::ath),
    ("BIN", string::bin),
    ("CHR", string::chr),
    ("CHG", changes::chg),
    ("CPL", system::cpl),
    ("CRC", encode::crc),
    ("CVS", string::cvs),
    ("DIM", string::dim),
    ("DIR", system::dir),
    ("DSK", system::drive),
    ("DTE", date::dte),
    ("ENV", system::env),
    ("ERR", report::err_text),
    ("EVS", evaluate::evs),
    ("FIB", file::fib),
    ("FID", file::fid),
    ("FIN", file::fin),
    ("GAP", encode::gap),
    ("GBL", system::gbl),
    ("GEP", encode::gep),
    ("HSH", hash::hsh),
    ("HTA", string::hta),
    ("I3E", encode::to_ieee),
    ("IOL", file::iol),
    ("IOR", string::ior),
    ("JST", string::jst),
    ("KEC", file::kec),
    ("KEF", file::kef),
    ("KEL", file::kel),
    ("KEN", file::ken),
    ("KEP", file::kep),
    ("KEY", file::key),
    ("KGN", file::kgn),
    ("LCS", string::lcs),
    ("LRC", encode::lrc),
    ("LST", system::lst),
    ("MAX", string::max),
    ("MID", string::mid),
    ("MIN", string::min),
    ("MNM", report::mnm),
    ("MSG", system::msg),
    ("NOT", string::not),
    ("OPT", file::opt),
    ("PAD", string::pad),
    ("PCK", encode::pck),
    ("PFX", system::pfx),
    ("PGM", system::pgm),
    ("PTH", file::pth),
    ("RCD", file::rcd),
    ("RDX", encode::rdx),
    ("REC", file::rec),
    ("SEP", file::sep),
    ("SRT", encode::srt),
    ("STK", system::stk),
    ("STP", string::stp),
    ("STR", string::str),
    ("SUB", search::sub),
    ("SWP", encode::swp),
    ("TBL", evaluate::tbl_text),
    ("TRX", encode::trx),
    ("TRY", evaluate::try_text),
    ("TSK", system::tsk),
    ("UCS", string::ucs),
    ("VIS", evaluate::vis),
    ("XEQ", evaluate::xeq_text),
    ("XFA", structure::xfa),
    ("XML", xml::xml),
    ("XOR", string::xor),
];

/// System variables that are numbers.
const NUMBER_VARIABLES: &[(&str, NumberFunction)] = &[
    ("BKG", system::zero),
    ("CTL", system::ctl),
    ("ERR", system::err),
    ("ERS", system::ers),
    ("GFN", file::highest_global),
    ("HFN", file::highest_local),
    ("LFA", file::last_used),
    ("LFO", file::last_opened),
    ("MSL", system::msl),
    ("NAR", system::nar),
    ("PRC", system::precision),
    ("RET", system::ret),
    ("RND", math::rnd),
    ("TIM", date::tim),
    ("TME", date::tim),
    ("TMS", date::tms),
    ("UNT", file::lowest_local),
];

/// System variables that are strings.
const TEXT_VARIABLES: &[(&str, TextFunction)] = &[
    ("CHN", file::open_channels),
    ("DAY", date::day),
    ("DLM", system::dlm),
    ("EOM", system::eom),
    ("ESC", system::esc),
    ("HWD", system::hwd),
    ("LPG", system::lpg),
    ("LWD", system::lwd),
    ("MSE", system::mse),
    ("NID", system::node),
    ("PFX", system::pfx),
    ("PGN", system::pgn),
    ("QUO", system::quo),
    ("SEP", system::sep_variable),
    ("SYS", system::sys),
    ("UID", system::user),
    ("WHO", system::user),
];

fn find<T: Copy>(table: &'static [(&'static str, T)], name: &str) -> Option<(&'static str, T)> {
    table.binary_search_by(|(known, _)| known.cmp(&name)).ok().map(|index| table[index]).or_else(|| {
        // A table that is not sorted still works.
        table.iter().find(|(known, _)| *known == name).copied()
    })
}

/// A function that gives a number.
pub fn number_function(name: &str) -> Option<(&'static str, NumberFunction)> {
    find(NUMBERS, name)
}

/// A function that gives a string.
pub fn text_function(name: &str) -> Option<(&'static str, TextFunction)> {
    find(TEXTS, name)
}

/// A system variable that is a number.
pub fn number_variable(name: &str) -> Option<(&'static str, NumberFunction)> {
    find(NUMBER_VARIABLES, name)
}

/// A system variable that is a string.
pub fn text_variable(name: &str) -> Option<(&'static str, TextFunction)> {
    find(TEXT_VARIABLES, name)
}

/// A function gives a string: always, or because its argument is one.
pub fn gives_text(name: &str, argument_is_text: bool, words: &[String]) -> bool {
    match name {
        "DIM" => words.first().is_none_or(|word| word == "KEY" || word == "LIST"),
        "I3E" => !argument_is_text,
        "CHG" | "ERR" | "MAX" | "MIN" | "NOT" | "TRY" | "TBL" | "XEQ" => argument_is_text,
        _ => text_function(name).is_some(),
    }
}

/// Refuses calls whose arguments a function cannot have.
pub fn check(call: &Call) -> Result<(), (u16, String)> {
    let (low, high) = match call.name {
        "DIM" if call.words.is_empty() => (1, 2),
        "DIM" => (1, 2),
        "MSG" => (0, 20),
        "ERR" => (0, 100),
        "RND" | "PRC" | "TMR" | "PFX" | "STK" | "MXC" | "MXL" | "DTE" | "REC" | "LNO" => (0, 3),
        "POS" => (2, 4),
        "STR" | "CVS" | "STP" | "KEY" | "FIN" | "FID" | "PTH" | "NUM" | "NEW" => (1, 100),
        "BIN" | "MOD" | "XOR" | "IOR" | "TRY" => (2, 2),
        "AND" => (2, 2),
        "SUB" => (3, 4),
        "PAD" => (2, 4),
        "MID" => (2, 3),
        "JUL" => (1, 3),
        "KGN" => (3, 4),
        "XEQ" => (2, 500),
        "MNM" => (1, 2),
        "I3E" => (1, 1),
        "TBL" | "CSE" => (1, 500),
        "MAX" | "MIN" => (1, 500),
        _ => (1, 5),
    };
    match (low..=high).contains(&call.arguments.len()) {
        true => Ok(()),
        false => Err((20, format!("{}( ) has another number of arguments", call.name))),
    }
}

impl Call {
    /// A numeric argument. Error 26 for a string, 20 for a missing one.
    pub(crate) fn number(&self, machine: &mut Machine, index: usize) -> Outcome<Number> {
        match self.arguments.get(index).and_then(|argument| argument.value.as_ref()) {
            Some(Expr::Number(expr)) => machine.number(expr),
            Some(Expr::Text(_)) => fail(26, self.name),
            None => fail(20, self.name),
        }
    }

    /// A whole argument. Error 41 for a fraction.
    pub(crate) fn whole(&self, machine: &mut Machine, index: usize) -> Outcome<i64> {
        let value = self.number(machine, index)?;
        value.as_whole().ok_or_else(|| Fault::with(41, format!("argument of {}( )", self.name)))
    }

    /// A whole argument of a range.
    pub(crate) fn within(&self, machine: &mut Machine, index: usize, low: i64, high: i64) -> Outcome<i64> {
        match self.whole(machine, index)? {
            value if (low..=high).contains(&value) => Ok(value),
            _ => fail(41, format!("argument of {}( )", self.name)),
        }
    }

    /// A string argument.
    pub(crate) fn text(&self, machine: &mut Machine, index: usize) -> Outcome<Vec<u8>> {
        match self.arguments.get(index).and_then(|argument| argument.value.as_ref()) {
            Some(Expr::Text(expr)) => machine.text_value(expr),
            Some(Expr::Number(_)) => fail(26, self.name),
            None => fail(20, self.name),
        }
    }

    /// An argument of either type.
    pub(crate) fn value(&self, machine: &mut Machine, index: usize) -> Outcome<Value> {
        match self.arguments.get(index).and_then(|argument| argument.value.as_ref()) {
            Some(expr) => machine.value(expr),
            None => fail(20, self.name),
        }
    }

    /// The argument is there.
    pub(crate) fn has(&self, index: usize) -> bool {
        self.arguments.get(index).is_some_and(|argument| argument.value.is_some())
    }

    /// The argument is there and a string.
    pub(crate) fn is_text(&self, index: usize) -> bool {
        matches!(self.arguments.get(index).and_then(|argument| argument.value.as_ref()), Some(Expr::Text(_)))
    }
}
