//! DEF of the session: tables of letters, names of months and days, messages, values of system variables; sequences of mnemonics.
//!
//! Tables of letters change functions (UCS, LCS, CVS) and not the keys of files, which have to stay as they were made. Sources: the manual's
//! pages DEF, DEF MSG and MNEMONIC. Limits: DEF SEP is not supported, as files have one separator. Sequences for the screen are what
//! MNM( ) returns, and change nothing on it.

use super::{Machine, Value};
use crate::calendar::Names;
use crate::code::SessionCode;
use crate::fault::{Fault, Outcome, fail};
use crate::number::Number;
use std::collections::BTreeMap;

/// A value for each byte.
type Table = Option<Box<[u8; 256]>>;

/// Definitions of a session.
#[derive(Debug, Default)]
pub(crate) struct Definitions {
    upper: Table,
    lower: Table,
    accents: Table,
    printable: Table,
    /// DEF DTE.
    pub(crate) names: Option<Box<Names>>,
    messages: BTreeMap<i64, Vec<u8>>,
    named_messages: BTreeMap<Vec<u8>, Vec<u8>>,
    /// MNEMONIC for channel 0.
    pub(crate) mnemonics: BTreeMap<Vec<u8>, Vec<u8>>,
    /// DEF LPG.
    pub(crate) lead: Option<Vec<u8>>,
    /// DEF HWD.
    pub(crate) home: Option<Vec<u8>>,
}

/// The bytes of an entry beside its texts.
const ENTRY: usize = 64;

impl Definitions {
    /// Upper case of letters.
    pub(crate) fn upper(&self, text: &mut [u8]) {
        match &self.upper {
            None => text.make_ascii_uppercase(),
            Some(table) => text.iter_mut().for_each(|byte| *byte = table[usize::from(*byte)]),
        }
    }

    /// Lower case of letters.
    pub(crate) fn lower(&self, text: &mut [u8]) {
        match &self.lower {
            None => text.make_ascii_lowercase(),
            Some(table) => text.iter_mut().for_each(|byte| *byte = table[usize::from(*byte)]),
        }
    }

    /// A letter without its accent; those of ISO 8859-1 unless DEF CVS has another table.
    pub(crate) fn without_accent(&self, byte: u8) -> u8 {
        match &self.accents {
            None => mainstay_basic_files::key::without_accent(byte),
            Some(table) => table[usize::from(byte)],
        }
    }

    /// CVS( ) with 16 keeps the byte.
    pub(crate) fn is_printable(&self, byte: u8) -> bool {
        match &self.printable {
            None => (0x20..0x7F).contains(&byte),
            Some(table) => table[usize::from(byte)] != 0,
        }
    }

    /// The text of DEF MSG for a number.
    pub(crate) fn message_of(&self, number: Number) -> Option<&[u8]> {
        self.messages.get(&number.as_whole()?).map(Vec::as_slice)
    }

    /// The text of DEF MSG for a name.
    pub(crate) fn named_message(&self, name: &[u8]) -> Option<&[u8]> {
        self.named_messages.get(name).map(Vec::as_slice)
    }

    /// How many bytes the definitions take.
    pub(crate) fn bytes(&self) -> usize {
        let names = self.names.as_ref().map_or(0, |names| names.bytes());
        let messages: usize = self.messages.values().map(|text| text.len() + ENTRY).sum();
        let texts = self.named_messages.iter().chain(&self.mnemonics);
        names + messages + texts.map(|(name, text)| name.len() + text.len() + ENTRY).sum::<usize>()
    }
}

/// The name of a mnemonic: as text, or as the mnemonic itself.
pub(crate) fn mnemonic_name(text: &[u8]) -> Vec<u8> {
    let name = text.strip_prefix(&[mainstay_screen::mnemonic::ESCAPE]).unwrap_or(text);
    name.trim_ascii().to_ascii_uppercase()
}

pub(super) fn define(machine: &mut Machine, code: &SessionCode) -> Outcome<()> {
    match code {
        SessionCode::DefineTable(name, table) => {
            let table = machine.text_value(table)?;
            define_table(&mut machine.definitions, name, &table)
        }
        SessionCode::DefineVariable(name, value) => {
            let value = machine.value(value)?;
            define_variable(machine, name, value)
        }
        SessionCode::DefineMessage(key, text) => {
            let key = machine.value(key)?;
            let text = text.as_ref().map(|text| machine.text_value(text)).transpose()?;
            machine.charge(text.as_ref().map_or(0, Vec::len) + ENTRY)?;
            let definitions = &mut machine.definitions;
            match (key, text) {
                (Value::Number(number), text) => {
                    let number = number.as_whole().ok_or_else(|| Fault::new(41))?;
                    match text {
                        Some(text) => drop(definitions.messages.insert(number, text)),
                        None => drop(definitions.messages.remove(&number)),
                    }
                }
                (Value::Text(name), Some(text)) => drop(definitions.named_messages.insert(name, text)),
                (Value::Text(name), None) => drop(definitions.named_messages.remove(&name)),
            }
            Ok(())
        }
        SessionCode::Mnemonic(channel, name, sequence) => {
            let number = channel.as_ref().map(|channel| machine.whole(channel)).transpose()?;
            // Without a channel the manual's example means the file that was opened last.
            let number = number.unwrap_or(machine.channels.last_opened);
            let name = mnemonic_name(&machine.text_value(name)?);
            if name.len() != 2 {
                return fail(29, "the name of a mnemonic has two characters");
            }
            let sequence = machine.text_value(sequence)?;
            machine.charge(sequence.len() + ENTRY)?;
            let sequences = match number {
                0 => &mut machine.definitions.mnemonics,
                number => &mut machine.channels.get(number)?.mnemonics,
            };
            sequences.insert(name, sequence);
            Ok(())
        }
        _ => Err(Fault::new(120)),
    }
}

fn define_table(definitions: &mut Definitions, name: &str, table: &[u8]) -> Outcome<()> {
    if name == "DTE" {
        let Some(names) = Names::parse(table) else {
            return fail(46, "DEF DTE needs 46 names with commas between them");
        };
        definitions.names = Some(Box::new(names));
        return Ok(());
    }
    let Ok(bytes) = <[u8; 256]>::try_from(table) else { return fail(46, "the table needs 256 bytes") };
    let place = match name {
        "UCS" => &mut definitions.upper,
        "LCS" => &mut definitions.lower,
        "CVS" => &mut definitions.accents,
        _ => &mut definitions.printable,
    };
    *place = Some(Box::new(bytes));
    Ok(())
}

fn define_variable(machine: &mut Machine, name: &str, value: Value) -> Outcome<()> {
    match (name, value) {
        ("HWD", Value::Text(text)) => machine.definitions.home = Some(text),
        ("LPG", Value::Text(text)) => machine.definitions.lead = Some(text),
        ("NID", Value::Text(text)) => machine.node = text,
        ("CTL" | "ERR" | "LFA" | "LFO" | "NAR", Value::Number(number)) => {
            let number = number.as_whole().ok_or_else(|| Fault::new(41))?;
            match name {
                "CTL" => machine.ctl = number,
                "ERR" => machine.error = number,
                "LFA" => machine.channels.last_used = number,
                "LFO" => machine.channels.last_opened = number,
                _ => {
                    let count = usize::try_from(number).ok().filter(|count| *count <= machine.arguments.len());
                    machine.arguments.truncate(count.ok_or_else(|| Fault::new(41))?);
                }
            }
        }
        _ => return fail(26, format!("DEF {name}")),
    }
    Ok(())
}
