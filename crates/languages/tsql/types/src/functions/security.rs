//! PWDENCRYPT, PWDCOMPARE, CRYPT_GEN_RANDOM, FN_VARBINTOHEXSTR, COLLATIONPROPERTY.

use super::Function;
use super::binding::{Binding, Call, integer, text, value};
use crate::messages::Message;
use crate::types::{DataType, Length};
use mainstay_types::{Value, ValueRef};
use sha2::Digest;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("PWDENCRYPT", (1, 1), hashed_type, hashed).per_row(),
    Function::new("PWDCOMPARE", (2, 3), compared_type, compared),
    Function::new("CRYPT_GEN_RANDOM", (1, 2), random_type, random).per_row(),
    Function::new("FN_VARBINTOHEXSTR", (1, 1), hexadecimal_type, hexadecimal),
    Function::new("COLLATIONPROPERTY", (2, 2), property_type, property),
];

/// The version in front of a password's hash: SHA-512 of the password in UTF-16 and the salt.
const VERSION: [u8; 2] = [2, 0];

/// The version before, which is SHA-1 of the same.
const OLD_VERSION: [u8; 2] = [1, 0];

/// The number of bytes of salt behind the version.
const SALT: usize = 4;

/// Random bytes of the system.
fn random_bytes(count: usize) -> Result<Vec<u8>, Message> {
    let mut bytes = vec![0; count];
    getrandom::getrandom(&mut bytes).map_err(|error| Message::error(50000, format!("{error}.")))?;
    Ok(bytes)
}

fn hashed_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    binding.implicit(0, DataType::NVarChar(Length::Limited(128)))?;
    Ok(DataType::VarBinary(Length::Limited(128)))
}

fn hashed(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let salt = random_bytes(SALT)?;
    let digest = digest(VERSION, text(values, 0), &salt).unwrap_or_default();
    Ok(Value::Binary([&VERSION[..], &salt, &digest].concat()))
}

/// The digest of a password with its salt; `None` for an unknown version.
fn digest(version: [u8; 2], password: &str, salt: &[u8]) -> Option<Vec<u8>> {
    let password: Vec<u8> = password.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let salted = [&password, salt].concat();
    match version {
        VERSION => Some(sha2::Sha512::digest(&salted).to_vec()),
        OLD_VERSION => Some(sha1::Sha1::digest(&salted).to_vec()),
        _ => None,
    }
}

fn compared_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    binding.implicit(0, DataType::NVarChar(Length::Limited(128)))?;
    binding.implicit(1, DataType::VarBinary(Length::Limited(128)))?;
    if binding.count() > 2 {
        binding.integer(2)?;
    }
    Ok(DataType::Int)
}

/// Returns true if a password is the one of a hash. What is no hash is that of no password.
fn compared(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let ValueRef::Binary(hash) = value(values, 1) else { return Ok(Value::Integer(0)) };
    let is_it = || {
        let (version, rest) = hash.split_first_chunk()?;
        let (salt, wanted) = rest.split_at_checked(SALT)?;
        let digest = digest(*version, text(values, 0), salt)?;
        // The old hash may have that of the password in capitals behind it.
        let wanted = if *version == OLD_VERSION { wanted.get(..digest.len())? } else { wanted };
        Some(digest == wanted)
    };
    Ok(Value::Integer(is_it().unwrap_or(false).into()))
}

/// The most bytes that are given at once.
const MOST_RANDOM: i64 = 8000;

fn random_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    binding.integer(0)?;
    if binding.count() > 1 {
        binding.implicit(1, DataType::VarBinary(Length::Limited(8000)))?;
    }
    Ok(DataType::VarBinary(Length::Limited(8000)))
}

/// So many random bytes, of which a seed changes nothing; NULL for a number that cannot be.
fn random(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    match integer(values, 0) {
        count @ 1..=MOST_RANDOM => random_bytes(count as usize).map(Value::Binary),
        _ => Ok(Value::Null),
    }
}

fn hexadecimal_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    binding.implicit(0, DataType::VarBinary(Length::Max))?;
    Ok(DataType::NVarChar(Length::Max))
}

/// Bytes as `0x` and their digits.
fn hexadecimal(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let ValueRef::Binary(bytes) = value(values, 0) else { return Ok(Value::Null) };
    let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
    Ok(Value::Text(std::iter::once("0x".to_owned()).chain(digits).collect()))
}

fn property_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    binding.text(0)?;
    binding.text(1)?;
    Ok(DataType::SqlVariant)
}

/// A property of a collation; NULL for one that there is not.
fn property(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let found = crate::collation::property(text(values, 0), text(values, 1));
    Ok(found.map_or(Value::Null, Value::Integer))
}
