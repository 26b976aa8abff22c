//! ERR(keyword$) and MNM( ): details of the last error that neither a branch nor SETERR took (manual, `functions/err.md`, format 2);
//! sequences that MNEMONIC has defined (`functions/mnm.md`).

use crate::code::Call;
use crate::fault::{Outcome, fail};
use crate::machine::{self, Machine};

/// Keywords, in the order of `ERR("*")`.
const KEYWORDS: [&str; 11] =
    ["ERR", "RET", "OSERR", "PROGRAM", "STNO", "OBJ", "METHOD", "LFA", "LFO", "LASTPATH", "LASTKEY"];

/// ERR(keyword$), ERR(keyword$,occurrence): earlier errors are not kept, so that the occurrence is 1.
///
/// Errors: 41 for another occurrence, 48 for an unknown keyword.
pub(super) fn err_text(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let keyword = call.text(machine, 0)?.to_ascii_uppercase();
    if call.has(1) {
        call.within(machine, 1, 1, 1)?;
    }
    let error = &machine.untaken;
    let text = match &keyword[..] {
        b"*" => KEYWORDS.iter().flat_map(|keyword| [*keyword, ","]).collect(),
        b"ERR" => error.code.to_string(),
        b"RET" => error.system_code.to_string(),
        b"OSERR" => error.detail.clone(),
        b"PROGRAM" => error.program.clone(),
        b"STNO" => format!("{:04}", error.line),
        b"OBJ" => error.object.to_string(),
        b"LFA" => error.last_used.to_string(),
        b"LFO" => error.last_opened.to_string(),
        b"LASTPATH" => error.path.clone(),
        b"METHOD" | b"LASTKEY" => String::new(),
        _ => return fail(48, mainstay_code_page::decode(&keyword)),
    };
    out.extend_from_slice(&mainstay_code_page::encode(&text));
    Ok(())
}

/// MNM(name$[,channel]): the sequence that MNEMONIC has defined for a mnemonic; empty without one.
pub(super) fn mnm(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let name = machine::mnemonic_name(&call.text(machine, 0)?);
    let number = if call.has(1) { call.whole(machine, 1)? } else { 0 };
    let sequences = match number {
        0 => &machine.definitions.mnemonics,
        number => &machine.channel_of(number)?.mnemonics,
    };
    if let Some(sequence) = sequences.get(&name) {
        out.extend_from_slice(sequence);
    }
    Ok(())
}
