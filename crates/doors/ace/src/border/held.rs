//! Arguments of a call that came over the wire: owned memory behind the pointers that the call takes.
//!
//! A place for bytes always has the greatest length that sixteen bits can state, and input bytes are padded with zeros
//! to the same length; so no stated length exceeds the memory.

use super::{Buffer, Handle, Out, Pointer, Text};
use crate::constants::AE_INVALID_POINTER;
use crate::failure::{Failure, Result};
use mainstay_area_session::Given;

/// The most bytes that a length of sixteen bits can state, and a NUL in UTF-16.
const MOST_BYTES: usize = (1 << 16) + 2;

/// The arguments, which are taken in their order, and live as long as this.
#[derive(Debug)]
pub struct Held {
    slots: Vec<Slot>,
    next: usize,
}

#[derive(Debug)]
enum Slot {
    Null,
    Number(u64),
    Bytes(Box<[u8]>),
    /// With how many bytes the program has.
    Room(Box<[u8]>, usize),
    /// A number that is written by the call, and what it was.
    Place(Box<[u8; 8]>, u64),
}

impl Held {
    /// Holds arguments.
    pub fn new(given: Vec<Given>) -> Held {
        let padded = |mut bytes: Vec<u8>| {
            bytes.resize(bytes.len().max(MOST_BYTES) + 2, 0);
            Slot::Bytes(bytes.into())
        };
        let slot = |given: Given| match given {
            Given::Null => Slot::Null,
            Given::Number(number) => Slot::Number(number),
            Given::Text(bytes) | Given::Bytes(bytes) => padded(bytes),
            Given::Room(room) => Slot::Room(vec![0; MOST_BYTES].into(), room as usize),
            Given::Place(number) => Slot::Place(Box::new([0; 8]), number),
        };
        Held { slots: given.into_iter().map(slot).collect(), next: 0 }
    }

    fn next(&mut self) -> Result<&mut Slot> {
        self.next += 1;
        self.slots.get_mut(self.next - 1).ok_or_else(|| wrong("there are too few arguments"))
    }

    /// Returns true if all arguments were taken.
    pub fn is_empty(&self) -> bool {
        self.next >= self.slots.len()
    }

    /// The current contents of the places. Bytes are as many as the length behind them counts, and the NUL; none
    /// after a failure that writes none.
    pub fn places(&self, has_bytes: bool) -> Vec<Given> {
        // Numbers are written into the low bytes of eight: this library is for machines that have these first.
        let number = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes);
        let mut places = Vec::new();
        for (at, slot) in self.slots.iter().enumerate() {
            match (slot, self.slots.get(at + 1)) {
                (Slot::Room(bytes, room), Some(Slot::Place(length, _))) => {
                    let length = usize::try_from(number(length)).unwrap_or(0).saturating_add(1);
                    let written = if has_bytes { bytes.get(..length.min(*room)).unwrap_or_default() } else { &[] };
                    places.push(Given::Bytes(written.to_vec()));
                }
                (Slot::Room(..), _) => places.push(Given::Bytes(Vec::new())),
                (Slot::Place(bytes, _), _) => places.push(Given::Place(number(bytes))),
                _ => {}
            }
        }
        places
    }
}

fn wrong(what: &str) -> Failure {
    Failure::new(AE_INVALID_POINTER, format!("the arguments of a call are not its own: {what}"))
}

/// A parameter that is taken from held arguments.
pub trait Taken: Sized {
    /// The next argument.
    ///
    /// Errors: AE_INVALID_POINTER for one of another kind.
    fn take(held: &mut Held) -> Result<Self>;
}

fn address(held: &mut Held) -> Result<*mut u8> {
    match held.next()? {
        Slot::Null => Ok(std::ptr::null_mut()),
        Slot::Bytes(bytes) | Slot::Room(bytes, _) => Ok(bytes.as_mut_ptr()),
        _ => Err(wrong("an address")),
    }
}

fn number(held: &mut Held) -> Result<u64> {
    match held.next()? {
        Slot::Number(number) => Ok(*number),
        _ => Err(wrong("a number")),
    }
}

impl Taken for Text {
    fn take(held: &mut Held) -> Result<Text> {
        address(held).map(|address| Text(address.cast_const()))
    }
}

impl Taken for Buffer {
    fn take(held: &mut Held) -> Result<Buffer> {
        address(held).map(Buffer)
    }
}

impl Taken for Pointer {
    fn take(held: &mut Held) -> Result<Pointer> {
        address(held).map(Pointer)
    }
}

impl Taken for Handle {
    fn take(held: &mut Held) -> Result<Handle> {
        number(held).and_then(|number| usize::try_from(number).map(Handle).map_err(|_| wrong("a handle")))
    }
}

macro_rules! numbers {
    ($($kind:ty)*) => { $(
        impl Taken for $kind {
            fn take(held: &mut Held) -> Result<$kind> {
                number(held).and_then(|number| <$kind>::try_from(number).map_err(|_| wrong("a number that is too large")))
            }
        }
        impl Taken for Out<$kind> {
            fn take(held: &mut Held) -> Result<Out<$kind>> {
                place(held).map(|place| Out(place.cast()))
            }
        }
    )* };
}

numbers! { u16 u32 }

impl Taken for Out<Handle> {
    fn take(held: &mut Held) -> Result<Out<Handle>> {
        place(held).map(|place| Out(place.cast()))
    }
}

/// The address of a place, with the number that is in it.
fn place(held: &mut Held) -> Result<*mut u8> {
    match held.next()? {
        Slot::Null => Ok(std::ptr::null_mut()),
        Slot::Place(bytes, number) => {
            **bytes = number.to_le_bytes();
            Ok(bytes.as_mut_ptr())
        }
        _ => Err(wrong("a place")),
    }
}
