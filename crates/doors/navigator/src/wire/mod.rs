//! The wire format, without input or output: bytes to values and back.
//!
//! ```text
//!   frame      a length, a kind, a body                               Frames: bytes in, frames out
//!   messages   hello, request (steps), answer (replies, state)        what the bodies are
//!   values     fields' values, keys, orders, specifications           what they are made of
//! ```
//!
//! Numbers are little-endian. A text is its length in bytes (four bytes) and UTF-8; bytes likewise; a list is the
//! number of its elements (four bytes) and these; an optional value is a byte 0, or a byte 1 and itself. A choice is a
//! byte and its contents. `docs/formats/navigator.md` has all of it.
//!
//! Input is not trusted: a length is compared with the remaining bytes before anything is allocated, a text must be
//! UTF-8, a choice must be known, and after the last value there may be nothing.

mod asking;
pub mod frame;
pub mod messages;
mod statements;
pub mod values;

use mainstay_types::{Code, Error, Result};

/// Bytes of memory that a list may take for each of its bytes on the wire, beyond [`FREE_BYTES`].
const MOST_GROWTH: usize = 8;
/// Bytes that a list may take in any case.
const FREE_BYTES: usize = 1 << 20;

/// A value with a form on the wire.
pub trait Wire: Sized {
    /// The fewest bytes that a value takes, which bounds the length of a list.
    const SMALLEST: usize = 1;

    /// Appends the value.
    fn put(&self, out: &mut Vec<u8>);

    /// Takes a value from the front.
    fn take(from: &mut Reader<'_>) -> Result<Self>;

    /// Appends the elements of a list.
    fn put_all(all: &[Self], out: &mut Vec<u8>) {
        all.iter().for_each(|one| one.put(out));
    }

    /// Takes so many elements.
    fn take_all(from: &mut Reader<'_>, count: usize) -> Result<Vec<Self>> {
        let mut all = Vec::with_capacity(count.min(4096));
        for _ in 0..count {
            all.push(Self::take(from)?);
        }
        Ok(all)
    }
}

/// Bytes that are read from the front.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    left: &'a [u8],
}

/// The error of bytes that are no message.
pub(crate) fn malformed(what: &str) -> Error {
    Error::new(Code::InvalidValue, format!("a message of the navigator protocol is malformed: {what}"))
}

impl<'a> Reader<'a> {
    /// Reads these bytes.
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { left: bytes }
    }

    /// Returns true if all of them were read.
    pub fn is_empty(&self) -> bool {
        self.left.is_empty()
    }

    /// The next so many bytes.
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let (taken, left) = self.left.split_at_checked(count).ok_or_else(|| malformed("it ends too early"))?;
        self.left = left;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        self.bytes(N)?.try_into().map_err(|_| malformed("it ends too early"))
    }

    /// The number of elements of a list, each of which takes at least so many bytes.
    fn count(&mut self, smallest: usize) -> Result<usize> {
        let count = u32::take(self)? as usize;
        match count <= self.left.len() / smallest.max(1) {
            true => Ok(count),
            false => Err(malformed("a list is longer than the message")),
        }
    }
}

/// A whole message.
pub fn encode(message: &impl Wire) -> Vec<u8> {
    let mut out = Vec::new();
    message.put(&mut out);
    out
}

/// A whole message of exactly these bytes.
pub fn decode<T: Wire>(bytes: &[u8]) -> Result<T> {
    let mut reader = Reader::new(bytes);
    let message = T::take(&mut reader)?;
    match reader.left.is_empty() {
        true => Ok(message),
        false => Err(malformed("there is something behind it")),
    }
}

macro_rules! numbers {
    ($($kind:ty)*) => { $(
        impl Wire for $kind {
            const SMALLEST: usize = size_of::<$kind>();
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn take(from: &mut Reader<'_>) -> Result<Self> {
                Ok(Self::from_le_bytes(from.array()?))
            }
        }
    )* };
}

numbers! { u16 u32 u64 i16 i32 i64 i128 f64 }

impl Wire for u8 {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(*self);
    }
    fn take(from: &mut Reader<'_>) -> Result<Self> {
        Ok(u8::from_le_bytes(from.array()?))
    }
    fn put_all(all: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(all);
    }
    fn take_all(from: &mut Reader<'_>, count: usize) -> Result<Vec<u8>> {
        Ok(from.bytes(count)?.to_vec())
    }
}

/// A place: four bytes here and there.
impl Wire for usize {
    const SMALLEST: usize = 4;
    fn put(&self, out: &mut Vec<u8>) {
        u32::try_from(*self).unwrap_or(u32::MAX).put(out);
    }
    fn take(from: &mut Reader<'_>) -> Result<Self> {
        Ok(u32::take(from)? as usize)
    }
}

impl Wire for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push((*self).into());
    }
    fn take(from: &mut Reader<'_>) -> Result<Self> {
        match u8::take(from)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(malformed("a yes or no is neither")),
        }
    }
}

impl<T: Wire> Wire for Vec<T> {
    const SMALLEST: usize = 4;
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        T::put_all(self, out);
    }
    fn take(from: &mut Reader<'_>) -> Result<Self> {
        let count = from.count(T::SMALLEST)?;
        // Elements of a byte each may stand for much: they may not take more memory than their message accounts for.
        if count.saturating_mul(size_of::<T>()) > from.left.len().saturating_mul(MOST_GROWTH) + FREE_BYTES {
            return Err(malformed("a list takes too much memory for its bytes"));
        }
        T::take_all(from, count)
    }
}

impl Wire for String {
    const SMALLEST: usize = 4;
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        out.extend_from_slice(self.as_bytes());
    }
    fn take(from: &mut Reader<'_>) -> Result<Self> {
        String::from_utf8(Vec::take(from)?).map_err(|_| malformed("a text is not UTF-8"))
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }
    fn take(from: &mut Reader<'_>) -> Result<Self> {
        match bool::take(from)? {
            true => T::take(from).map(Some),
            false => Ok(None),
        }
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    const SMALLEST: usize = A::SMALLEST + B::SMALLEST;
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }
    fn take(from: &mut Reader<'_>) -> Result<Self> {
        Ok((A::take(from)?, B::take(from)?))
    }
}

/// A path: its parts with slashes between them.
impl Wire for std::path::PathBuf {
    const SMALLEST: usize = 4;
    fn put(&self, out: &mut Vec<u8>) {
        self.to_string_lossy().into_owned().put(out);
    }
    fn take(from: &mut Reader<'_>) -> Result<Self> {
        String::take(from).map(Into::into)
    }
}

/// A structure is its fields, one after the other.
macro_rules! structure {
    ($name:ty { $($field:ident),* $(,)? }) => {
        impl $crate::wire::Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                $( self.$field.put(out); )*
            }
            fn take(from: &mut $crate::wire::Reader<'_>) -> mainstay_types::Result<Self> {
                $( let $field = $crate::wire::Wire::take(from)?; )*
                Ok(Self { $($field),* })
            }
        }
    };
}

/// A choice is its number and what belongs to it.
macro_rules! choice {
    (named $name:ty { $($number:literal $variant:ident $(( $($part:ident),* ))? $({ $($field:ident),* })? ;)* }) => {
        impl $name {
            /// The name of its kind, without what belongs to it.
            pub fn name(&self) -> &'static str {
                match self {
                    $( Self::$variant $(( $(choice!(@any $part)),* ))? $({ $($field: _),* })? => stringify!($variant), )*
                }
            }
        }
        $crate::wire::choice! { $name { $($number $variant $(( $($part),* ))? $({ $($field),* })? ;)* } }
    };
    (@any $part:ident) => { _ };
    ($name:ty { $($number:literal $variant:ident $(( $($part:ident),* ))? $({ $($field:ident),* })? ;)* }) => {
        impl $crate::wire::Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                match self {
                    $( Self::$variant $(( $($part),* ))? $({ $($field),* })? => {
                        out.push($number);
                        $( $( $part.put(out); )* )?
                        $( $( $field.put(out); )* )?
                    } )*
                }
            }
            fn take(from: &mut $crate::wire::Reader<'_>) -> mainstay_types::Result<Self> {
                Ok(match <u8 as $crate::wire::Wire>::take(from)? {
                    $( $number => {
                        $( $( let $part = $crate::wire::Wire::take(from)?; )* )?
                        $( $( let $field = $crate::wire::Wire::take(from)?; )* )?
                        Self::$variant $(( $($part),* ))? $({ $($field),* })?
                    } )*
                    _ => return Err($crate::wire::malformed(concat!("no ", stringify!($name), " has this number"))),
                })
            }
        }
    };
}

pub(crate) use {choice, structure};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_compared_before_anything_is_taken() {
        let mut bytes = encode(&vec![1u32, 2, 3]);
        assert_eq!(decode::<Vec<u32>>(&bytes).unwrap(), [1, 2, 3]);
        bytes[0] = 4;
        assert!(decode::<Vec<u32>>(&bytes).unwrap_err().to_string().contains("longer than the message"));
        assert!(decode::<Vec<u8>>(&[255, 255, 255, 255, 1]).is_err());
        // A million steps of a byte each.
        let million = [1_000_000_u32.to_le_bytes().to_vec(), vec![26; 1_000_000]].concat();
        assert!(decode::<Vec<messages::Step>>(&million).unwrap_err().to_string().contains("too much memory"));
        assert!(decode::<String>(&[1, 0, 0, 0, 0xFF]).unwrap_err().to_string().contains("UTF-8"));
        assert!(decode::<bool>(&[2]).is_err() && decode::<bool>(&[1, 1]).is_err() && decode::<u64>(&[1]).is_err());
        assert_eq!(
            decode::<Option<(u8, String)>>(&encode(&Some((7u8, "ä".to_owned())))).unwrap(),
            Some((7, "ä".into()))
        );
    }
}
