//! HSH( ): digests of strings (manual, `functions/hsh.md`, format 1).
//!
//! Limits: the 2-byte hash of PxPlus (type 0) has no published rule, and digests in parts (types -1 and -2 with the string of the parts
//! before) have a state of its own form; both are error 99, as are MD2, MD4, MDC2 and RIPEMD.

use crate::code::Call;
use crate::fault::{Outcome, fail};
use crate::machine::Machine;
use sha2::Digest;

/// HSH(string$[,key$][,type[,type of the key's digest]]).
///
/// Errors: 41 for an unknown type, 99 for one that is not supported.
pub(super) fn hsh(machine: &mut Machine, call: &Call, out: &mut Vec<u8>) -> Outcome<()> {
    let text = call.text(machine, 0)?;
    let (key, at) = match call.is_text(1) {
        true => (call.text(machine, 1)?, 2),
        false => (Vec::new(), 1),
    };
    let kind = if call.has(at) { call.whole(machine, at)? } else { 0 };
    let value = match kind {
        7 if call.has(at + 1) => {
            let kind = call.whole(machine, at + 1)?;
            keyed_digest(kind, &key, &text)?
        }
        7 => return fail(99, "HMAC needs the type of its digest"),
        -2..=0 if !key.is_empty() => return fail(99, format!("HSH( ) of type {kind} with a key")),
        // The manual: "ignored for hashtype 1 through 6, 224, 256, 384 and 512".
        kind => digest(kind, &text)?,
    };
    out.extend_from_slice(&value);
    Ok(())
}

fn digest(kind: i64, text: &[u8]) -> Outcome<Vec<u8>> {
    Ok(match kind {
        1 => md5::Md5::digest(text).to_vec(),
        4 | -1 => sha1::Sha1::digest(text).to_vec(),
        224 => sha2::Sha224::digest(text).to_vec(),
        256 | -2 => sha2::Sha256::digest(text).to_vec(),
        384 => sha2::Sha384::digest(text).to_vec(),
        512 => sha2::Sha512::digest(text).to_vec(),
        0 | 2 | 3 | 5 | 6 => return fail(99, format!("HSH( ) of type {kind}")),
        kind => return fail(41, format!("HSH( ) of type {kind}")),
    })
}

/// HMAC (RFC 2104): the digest of the key with the digest of the key and the text.
fn keyed_digest(kind: i64, key: &[u8], text: &[u8]) -> Outcome<Vec<u8>> {
    let block = if matches!(kind, 384 | 512) { 128 } else { 64 };
    let mut key = if key.len() > block { digest(kind, key)? } else { key.to_vec() };
    key.resize(block, 0);
    let with =
        |mask: u8, text: &[u8]| [key.iter().map(|byte| byte ^ mask).collect::<Vec<u8>>(), text.to_vec()].concat();
    let inner = digest(kind, &with(0x36, text))?;
    digest(kind, &with(0x5C, &inner))
}
