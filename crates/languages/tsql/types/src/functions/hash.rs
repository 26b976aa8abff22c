//! HASHBYTES, and bytes as base 64.

use super::Function;
use super::binding::{Binding, Call, integer, text, value};
use crate::messages::Message;
use crate::text::Encoding;
use crate::types::{DataType, Length};
use mainstay_types::{Value, ValueRef};
use sha2::Digest;
use std::io::{Read, Write};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("HASHBYTES", (2, 2), hash_type, hash),
    Function::new("COMPRESS", (1, 1), compressed_type, compress),
    Function::new("DECOMPRESS", (1, 1), compressed_type, decompress),
    Function::new("BASE64_ENCODE", (1, 2), encode_type, encode),
    Function::new("BASE64_DECODE", (1, 1), decode_type, decode),
];

fn hash_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    binding.text(0)?;
    match binding.argument(1).data_type {
        Some(data_type)
            if data_type.is_string() || matches!(data_type, DataType::Binary(_) | DataType::VarBinary(_)) => {}
        _ => return Err(binding.invalid(1)),
    }
    Ok(DataType::VarBinary(Length::Limited(8000)))
}

/// An algorithm that is not known gives NULL.
fn hash(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let bytes = match value(values, 1) {
        ValueRef::Text(text) => call.argument_type(1).encoding().encode(text),
        ValueRef::Binary(bytes) => bytes.to_vec(),
        _ => return Ok(Value::Null),
    };
    let digest = match text(values, 0).to_ascii_uppercase().as_str() {
        "MD5" => md5::Md5::digest(&bytes).to_vec(),
        "SHA" | "SHA1" => sha1::Sha1::digest(&bytes).to_vec(),
        "SHA2_256" => sha2::Sha256::digest(&bytes).to_vec(),
        "SHA2_512" => sha2::Sha512::digest(&bytes).to_vec(),
        _ => return Ok(Value::Null),
    };
    Ok(Value::Binary(digest))
}

/// The most bytes that DECOMPRESS makes: those of a varbinary(max).
const MOST: u64 = i32::MAX as u64;

fn compressed_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    match binding.argument(0).data_type {
        None => Ok(DataType::VarBinary(Length::Max)),
        Some(given) if given.is_text() || given.is_binary() => Ok(DataType::VarBinary(Length::Max)),
        Some(_) => Err(binding.invalid(0)),
    }
}

/// COMPRESS: the bytes of a text or binary value in the GZIP format.
fn compress(call: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let bytes = match value(values, 0) {
        ValueRef::Text(text) => call.argument_type(0).encoding().encode(text),
        ValueRef::Binary(bytes) => bytes.to_vec(),
        _ => return Ok(Value::Null),
    };
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    match encoder.write_all(&bytes).and_then(|()| encoder.finish()) {
        Ok(packed) => Ok(Value::Binary(packed)),
        Err(error) => Err(Message::error(50000, format!("{error}."))),
    }
}

/// DECOMPRESS: bytes that are no GZIP are an error.
fn decompress(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let ValueRef::Binary(bytes) = value(values, 0) else { return Ok(Value::Null) };
    let mut plain = Vec::new();
    match flate2::read::GzDecoder::new(bytes).take(MOST).read_to_end(&mut plain) {
        Ok(_) => Ok(Value::Binary(plain)),
        Err(_) => {
            let text = "The input data is not in a valid format: it cannot be decompressed.";
            Err(Message::error(11911, text))
        }
    }
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn encode_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    let data_type = binding.argument(0).data_type_or_int();
    if !data_type.is_binary() && !binding.argument(0).is_null() {
        return Err(binding.invalid(0));
    }
    if binding.count() > 1 {
        binding.integer(1)?;
    }
    let length = data_type.limit().map(|limit| usize::from(limit).div_ceil(3) * 4);
    Ok(match length {
        Some(length) if length <= 8000 => DataType::string(Encoding::DEFAULT, length),
        _ => DataType::varchar(Length::Max),
    })
}

fn encode(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let ValueRef::Binary(bytes) = value(values, 0) else { return Ok(Value::Null) };
    Ok(Value::Text(base64(bytes, integer(values, 1) != 0)))
}

/// Four characters for three bytes; for a text that goes into addresses without padding and with `-` and `_`.
pub(crate) fn base64(bytes: &[u8], url: bool) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let number = (0..3).fold(0u32, |number, i| number << 8 | u32::from(group.get(i).copied().unwrap_or(0)));
        for place in 0..4 {
            if place > group.len() {
                out.push_str(if url { "" } else { "=" });
                continue;
            }
            let index = number >> (18 - 6 * place) & 63;
            out.push(match ALPHABET.get(index as usize).copied().unwrap_or(b'A') {
                b'+' if url => '-',
                b'/' if url => '_',
                other => char::from(other),
            });
        }
    }
    out
}

fn decode_type(binding: &mut Binding<'_>) -> Result<DataType, Message> {
    Ok(match binding.text_or_large(0)?.limit() {
        Some(limit) => DataType::VarBinary(Length::Limited(limit)),
        None => DataType::VarBinary(Length::Max),
    })
}

/// 9803 for an invalid text.
fn decode(_: &Call<'_>, values: &[ValueRef<'_>]) -> Result<Value, Message> {
    let bytes = base64_bytes(text(values, 0)).ok_or_else(|| Message::numbered(9803, &[&"Base64Decode"]))?;
    Ok(Value::Binary(bytes))
}

/// Decodes a text in either form of base64; `None` for other texts.
pub(crate) fn base64_bytes(text: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut number, mut count) = (Vec::new(), 0u32, 0);
    let digits = text.trim_end().trim_end_matches('=').bytes();
    for byte in digits.filter(|byte| !byte.is_ascii_whitespace()) {
        let digit = match byte {
            b'-' => 62,
            b'_' => 63,
            other => ALPHABET.iter().position(|letter| *letter == other)?,
        };
        number = number << 6 | digit as u32;
        count += 1;
        if count == 4 {
            bytes.extend_from_slice(number.to_be_bytes().get(1..).unwrap_or_default());
            (number, count) = (0, 0);
        }
    }
    match count {
        0 => {}
        2 => bytes.push((number >> 4) as u8),
        3 => bytes.extend_from_slice(&((number >> 2) as u16).to_be_bytes()),
        _ => return None,
    }
    Some(bytes)
}
