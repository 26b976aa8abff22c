//! Values that cross the border between C and Rust: handles, texts, buffers, and places for results.
//!
//! A C program passes addresses and lengths, about which nothing can be proven here. Each type below is the pointer
//! itself (`repr(transparent)`, so that a function may take it as its C parameter) and can be made by C only, or of
//! arguments that came over the wire, whose memory is owned here (`held`); its methods check what can be checked (NULL,
//! a given length, an address too small to be one) and copy. The rest is the contract of every C interface, and the
//! reason of every `SAFETY` here: *the caller's pointers point to what the header says they do, for as long as the call
//! runs*.
//!
//! ```text
//!   UNSIGNED8 *pucName      Text      read up to its NUL, copied at once
//!   UNSIGNED8 *pucField     Field     the same, or a number below 65,536 instead of an address
//!   UNSIGNED8 *pucBuf       Buffer    written with the capacity that a second parameter gives
//!   UNSIGNED16 *pusLen      Out<u16>  read and written
//! ```
//!
//! Everything else of this crate is safe Rust, except the attribute that exports the entries (`entries/mod.rs`) and the
//! lock of a table (`lock.rs`).

use crate::constants::{ADS_ENCODE_UTF16, AE_INSUFFICIENT_BUFFER, AE_INVALID_POINTER, AE_INVALID_VALUE};
use crate::failure::{Failure, Result};

mod held;

pub use held::{Held, Taken};

/// The longest text that is read to its NUL: a statement may be long, a missing NUL must end somewhere.
const LONGEST_TEXT: usize = 64 << 20;

/// The name in C of a parameter's type, for the header.
pub trait Argument {
    /// As it is written before the parameter's name.
    const C: &'static str;
}

macro_rules! arguments {
    ($($rust:ty => $c:literal;)*) => { $(impl Argument for $rust { const C: &'static str = $c; })* };
}

arguments! {
    Handle => "ADSHANDLE ";
    Text => "UNSIGNED8 *";
    Field => "UNSIGNED8 *";
    Buffer => "UNSIGNED8 *";
    Pointer => "void *";
    Wide => "WCHAR *";
    WideBuffer => "WCHAR *";
    Callback => "ADSCALLBACK ";
    Callback101 => "ADSCALLBACK101 ";
    ProgressCallback => "ADSPROGRESSCALLBACK ";
    u8 => "UNSIGNED8 ";
    u16 => "UNSIGNED16 ";
    u32 => "UNSIGNED32 ";
    u64 => "UNSIGNED64 ";
    i16 => "SIGNED16 ";
    i32 => "SIGNED32 ";
    i64 => "SIGNED64 ";
    f64 => "double ";
    Out<Pointer> => "UNSIGNED8 **";
    Out<Handle> => "ADSHANDLE *";
    Out<u8> => "UNSIGNED8 *";
    Out<u16> => "UNSIGNED16 *";
    Out<u32> => "UNSIGNED32 *";
    Out<u64> => "UNSIGNED64 *";
    Out<i16> => "SIGNED16 *";
    Out<i32> => "SIGNED32 *";
    Out<i64> => "SIGNED64 *";
    Out<f64> => "double *";
}

/// A handle as C passes it: a number whose meaning only the registry knows. 0 stands for no handle.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Handle(pub usize);

/// A text that ends with a NUL, or bytes of a length that is given beside them.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Text(*const u8);

/// Refuses a length of 2 GB and more: -1, and uninitialized variables.
fn check_length(length: usize) -> Result<()> {
    match i32::try_from(length) {
        Ok(_) => Ok(()),
        Err(_) => Err(Failure::new(AE_INVALID_VALUE, format!("a length of {length} bytes"))),
    }
}

impl Text {
    /// No text: for calls that take over what another form of them leaves out.
    pub const NONE: Text = Text(std::ptr::null());

    /// The bytes before the NUL. NULL is refused.
    pub fn required(self) -> Result<Vec<u8>> {
        self.optional().ok_or_else(|| Failure::new(AE_INVALID_POINTER, "a text is NULL"))
    }

    /// The bytes before the NUL, or nothing for NULL.
    pub fn optional(self) -> Option<Vec<u8>> {
        if self.0.is_null() {
            return None;
        }
        let mut bytes = Vec::new();
        for at in 0..LONGEST_TEXT {
            // SAFETY: the caller gives a text that ends with a NUL; all bytes before this one were not NUL.
            let byte = unsafe { self.0.add(at).read() };
            if byte == 0 {
                break;
            }
            bytes.push(byte);
        }
        Some(bytes)
    }

    /// The text, in the characters of the system if its bytes are UTF-8, else byte by byte as Latin-1.
    pub fn string(self) -> Result<String> {
        self.required().map(text_of)
    }

    /// The same, or nothing for NULL and for an empty text.
    pub fn optional_string(self) -> Option<String> {
        self.optional().map(text_of).filter(|text| !text.is_empty())
    }

    /// Exactly so many bytes, NULs among them. NULL is allowed for none. More than a program can have is a length that was
    /// not meant: nothing is read then.
    pub fn bytes(self, length: usize) -> Result<Vec<u8>> {
        if length == 0 {
            return Ok(Vec::new());
        }
        check_length(length)?;
        if self.0.is_null() {
            return Err(Failure::new(AE_INVALID_POINTER, "data is NULL"));
        }
        let mut bytes = vec![0; length];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    /// The same, into bytes that are at hand.
    pub fn fill(self, bytes: &mut [u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        if self.0.is_null() {
            return Err(Failure::new(AE_INVALID_POINTER, "data is NULL"));
        }
        // SAFETY: the caller gives as many bytes as it says, and `bytes` is of that length, and not the caller's.
        unsafe { std::ptr::copy_nonoverlapping(self.0, bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    /// The double that is there. NULL is refused.
    pub fn double(self) -> Result<f64> {
        Out(self.0.cast_mut().cast()).get()
    }

    /// The same place, for what takes values of any kind, and reads them.
    pub fn pointer(self) -> Pointer {
        Pointer(self.0.cast_mut())
    }

    /// Returns true if it is NULL.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }
}

/// The name of a field, or its number from 1 where a name's address would be (the macro `ADSFIELD`).
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Field(*const u8);

/// A field's number or name, as a [`Field`] gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldName {
    /// Its number, from 1.
    Number(usize),
    /// Its name, as the program wrote it.
    Name(Vec<u8>),
}

impl Field {
    /// Its place from 0, if it is given by its number.
    #[inline]
    pub fn place(self) -> Option<usize> {
        self.0.addr().checked_sub(1).filter(|place| *place < 0xFFFF)
    }

    /// The field's number or name. NULL is refused.
    pub fn name(self) -> Result<FieldName> {
        match self.0.addr() {
            0 => Err(Failure::new(AE_INVALID_POINTER, "the field's name is NULL")),
            // No system puts data in the first 64 KiB of an address space.
            number if number < 0x1_0000 => Ok(FieldName::Number(number)),
            _ => Text(self.0).required().map(FieldName::Name),
        }
    }
}

/// A place for a result, or for a length that is read and written.
#[repr(transparent)]
#[derive(Debug)]
pub struct Out<T>(*mut T);

impl<T> Clone for Out<T> {
    fn clone(&self) -> Out<T> {
        *self
    }
}

impl<T> Copy for Out<T> {}

impl<T: Copy> Out<T> {
    /// Writes the result. NULL is refused.
    pub fn set(self, value: T) -> Result<()> {
        if self.set_if_given(value) {
            return Ok(());
        }
        Err(Failure::new(AE_INVALID_POINTER, "the place for a result is NULL"))
    }

    /// Writes the result if there is a place for it; returns true if there is one.
    pub fn set_if_given(self, value: T) -> bool {
        if self.0.is_null() {
            return false;
        }
        // SAFETY: the caller's pointer points to a T. C may give one that is not aligned.
        unsafe { self.0.write_unaligned(value) };
        true
    }

    /// Reads the current value. NULL is refused.
    pub fn get(self) -> Result<T> {
        if self.0.is_null() {
            return Err(Failure::new(AE_INVALID_POINTER, "a length is NULL"));
        }
        // SAFETY: the caller's pointer points to a T. C may give one that is not aligned.
        Ok(unsafe { self.0.read_unaligned() })
    }

    /// Returns true if it is NULL.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Checks that there is a place, before work is done for it.
    pub fn required(self) -> Result<Out<T>> {
        self.get().map(|_| self)
    }

    /// Writes the elements from the first on. The capacity is the caller's to know.
    pub fn set_all(self, values: &[T]) -> Result<()> {
        if values.is_empty() {
            return Ok(());
        }
        if self.0.is_null() {
            return Err(Failure::new(AE_INVALID_POINTER, "an array is NULL"));
        }
        for (at, value) in values.iter().enumerate() {
            // SAFETY: the caller gives an array of at least as many elements as it says, and `values` is no longer.
            unsafe { self.0.add(at).write_unaligned(*value) };
        }
        Ok(())
    }

    /// Reads so many elements.
    pub fn get_all(self, count: usize) -> Result<Vec<T>> {
        if count == 0 {
            return Ok(Vec::new());
        }
        if self.0.is_null() {
            return Err(Failure::new(AE_INVALID_POINTER, "an array is NULL"));
        }
        // SAFETY: the caller gives an array of `count` elements.
        Ok((0..count).map(|at| unsafe { self.0.add(at).read_unaligned() }).collect())
    }
}

/// A length as C passes it, 16 or 32 bits wide.
pub trait Length: Copy {
    /// As a number of elements.
    fn count(self) -> usize;
    /// From a number of elements; the largest if it does not fit.
    fn of(count: usize) -> Self;
}

impl Length for u16 {
    fn count(self) -> usize {
        usize::from(self)
    }

    fn of(count: usize) -> u16 {
        u16::try_from(count).unwrap_or(u16::MAX)
    }
}

impl Length for u32 {
    fn count(self) -> usize {
        self as usize
    }

    fn of(count: usize) -> u32 {
        u32::try_from(count).unwrap_or(u32::MAX)
    }
}

/// A place for bytes, whose capacity another parameter gives.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Buffer(*mut u8);

impl Buffer {
    /// Gives a text with its NUL: `length` holds the capacity before, and the bytes without the NUL after. A text that
    /// does not fit is cut, and `length` gets the number of bytes that would have been enough, including the NUL. An
    /// empty text fits a place of no bytes: a caller that only tests if there is a text (rddads, for the condition of
    /// an index) gets 0.
    pub fn set_text<L: Length>(self, length: Out<L>, text: &[u8]) -> Result<()> {
        let capacity = length.get()?.count();
        if self.0.is_null() && capacity > 0 {
            return Err(Failure::new(AE_INVALID_POINTER, "a buffer is NULL"));
        }
        if text.is_empty() && capacity == 0 {
            return length.set(L::of(0));
        }
        if text.len() >= capacity {
            if let Some(last) = capacity.checked_sub(1) {
                self.write(text.get(..last).unwrap_or(text));
                self.write_at(last, &[0]);
            }
            length.set(L::of(text.len() + 1))?;
            return Err(Failure::new(AE_INSUFFICIENT_BUFFER, format!("{} bytes are needed", text.len() + 1)));
        }
        self.write(text);
        self.write_at(text.len(), &[0]);
        length.set(L::of(text.len()))
    }

    /// Gives bytes that need no NUL, with one after them where there is room.
    pub fn set_bytes<L: Length>(self, length: Out<L>, bytes: &[u8]) -> Result<()> {
        let capacity = length.get()?.count();
        if self.0.is_null() && capacity > 0 {
            return Err(Failure::new(AE_INVALID_POINTER, "a buffer is NULL"));
        }
        length.set(L::of(bytes.len()))?;
        if bytes.len() > capacity {
            return Err(Failure::new(AE_INSUFFICIENT_BUFFER, format!("{} bytes are needed", bytes.len())));
        }
        self.write(bytes);
        if bytes.len() < capacity {
            self.write_at(bytes.len(), &[0]);
        }
        Ok(())
    }

    /// Writes a text with its NUL into a place whose length the interface defines (a date by a mask: 13 bytes).
    pub fn set_known(self, text: &[u8]) -> Result<()> {
        if self.0.is_null() {
            return Err(Failure::new(AE_INVALID_POINTER, "a buffer is NULL"));
        }
        self.write(text);
        self.write_at(text.len(), &[0]);
        Ok(())
    }

    /// Gives so many bytes, which the caller has compared with the room that the program says it has.
    pub fn set_exactly(self, bytes: &[u8]) -> Result<()> {
        if self.0.is_null() && !bytes.is_empty() {
            return Err(Failure::new(AE_INVALID_POINTER, "a structure is NULL"));
        }
        self.write(bytes);
        Ok(())
    }

    /// Reads so many bytes: the parameter is data of the caller's.
    pub fn bytes(self, length: usize) -> Result<Vec<u8>> {
        Text(self.0).bytes(length)
    }

    /// The caller has checked the capacity against the length of `bytes`.
    fn write(self, bytes: &[u8]) {
        self.write_at(0, bytes);
    }

    fn write_at(self, at: usize, bytes: &[u8]) {
        if !bytes.is_empty() {
            // SAFETY: `at + bytes.len()` is within the capacity that the caller gave for a pointer that is not NULL.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.0.add(at), bytes.len()) };
        }
    }

    /// Returns true if it is NULL.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The same place, for what takes places of any kind.
    pub fn pointer(self) -> Pointer {
        Pointer(self.0)
    }

    /// A place in it, for calls that tell the caller where in its buffer something is.
    pub fn place(self, offset: usize) -> Pointer {
        Pointer(self.0.wrapping_add(offset))
    }

    /// The same place, as a text that the caller has put there.
    pub fn text(self) -> Text {
        Text(self.0)
    }
}

/// A place whose kind depends on another parameter: a structure, a number or a text.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Pointer(*mut u8);

impl Pointer {
    /// As a place for bytes.
    pub fn buffer(self) -> Buffer {
        Buffer(self.0)
    }

    /// As a text that the caller has put there, in UTF-16 if the options say so.
    pub fn encoded(self, options: u32) -> Result<String> {
        match options & ADS_ENCODE_UTF16 {
            0 => Text(self.0).string(),
            _ => Wide(self.0.cast()).string(),
        }
    }

    /// The same as it came.
    pub fn given(self, options: u32) -> Result<Given> {
        match options & ADS_ENCODE_UTF16 {
            0 => Text(self.0).required().map(Given::Bytes),
            _ => Wide(self.0.cast()).string().map(Given::Text),
        }
    }

    /// Gives a text that is bytes.
    pub fn set_bytes<L: Length>(self, length: Out<L>, text: &[u8]) -> Result<()> {
        Buffer(self.0).set_text(length, text)
    }

    /// Gives a text, in UTF-16 if the options say so.
    pub fn set_encoded<L: Length>(self, options: u32, length: Out<L>, text: &str) -> Result<()> {
        match options & ADS_ENCODE_UTF16 {
            0 => Buffer(self.0).set_text(length, text.as_bytes()),
            _ => WideBuffer(self.0.cast()).set_text(length, text),
        }
    }

    /// Returns true if it is NULL.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }
}

/// A text in UTF-16 that ends with a NUL, or of a length that is given beside it.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Wide(*const u16);

impl Wide {
    /// The text before the NUL; halves of a pair that stand alone become the replacement character.
    pub fn string(self) -> Result<String> {
        if self.0.is_null() {
            return Err(Failure::new(AE_INVALID_POINTER, "a text is NULL"));
        }
        let mut units = Vec::new();
        for at in 0..LONGEST_TEXT {
            // SAFETY: the caller gives a text that ends with a NUL; all units before this one were not NUL.
            let unit = unsafe { self.0.add(at).read_unaligned() };
            if unit == 0 {
                break;
            }
            units.push(unit);
        }
        Ok(String::from_utf16_lossy(&units))
    }

    /// Exactly so many units.
    pub fn of_length(self, length: usize) -> Result<String> {
        check_length(length)?;
        let units = Out(self.0.cast_mut()).get_all(length)?;
        Ok(String::from_utf16_lossy(&units))
    }
}

/// A place for UTF-16.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct WideBuffer(*mut u16);

impl WideBuffer {
    /// As [`Buffer::set_text`], in units of UTF-16.
    pub fn set_text<L: Length>(self, length: Out<L>, text: &str) -> Result<()> {
        let capacity = length.get()?.count();
        if text.is_empty() && capacity == 0 {
            return length.set(L::of(0));
        }
        let mut units: Vec<u16> = text.encode_utf16().collect();
        let count = units.len();
        units.push(0);
        if count >= capacity {
            length.set(L::of(count + 1))?;
            return Err(Failure::new(AE_INSUFFICIENT_BUFFER, format!("{} characters are needed", count + 1)));
        }
        Out(self.0).set_all(&units)?;
        length.set(L::of(count))
    }
}

/// A function of the program that receives the progress of a long operation, in percent, and may stop it. As with
/// pointers, that it is a function of this type, until the program clears it, is the caller's promise.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Callback(Option<extern "C" fn(u16, u32) -> u32>);

impl Callback {
    /// Returns true if the callback is given.
    pub fn is_given(self) -> bool {
        self.0.is_some()
    }

    /// Calls it with the percentage and the number it was registered with. Anything but 0 asks to stop.
    pub fn call(self, percent: u16, id: u32) -> u32 {
        self.0.map_or(0, |function| function(percent, id))
    }
}

/// The newer form of [`Callback`], with a number of 64 bits.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Callback101(Option<extern "C" fn(u16, i64) -> u32>);

impl Callback101 {
    /// Returns true if the callback is given.
    pub fn is_given(self) -> bool {
        self.0.is_some()
    }

    /// Calls it with the percentage and the number it was registered with. Anything but 0 asks to stop.
    pub fn call(self, percent: u16, id: i64) -> u32 {
        self.0.map_or(0, |function| function(percent, id))
    }
}

/// The older form of [`Callback`], without a number.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct ProgressCallback(Option<extern "C" fn(u16) -> u32>);

impl ProgressCallback {
    /// Returns true if the callback is given.
    pub fn is_given(self) -> bool {
        self.0.is_some()
    }

    /// Calls it with the percentage. Anything but 0 asks to stop.
    pub fn call(self, percent: u16) -> u32 {
        self.0.map_or(0, |function| function(percent))
    }
}

/// A text as it came: bytes are in the code page of its table (`conditions.rs`).
#[derive(Clone, Debug)]
pub enum Given {
    /// Bytes.
    Bytes(Vec<u8>),
    /// UTF-16.
    Text(String),
}

/// Names of files and tables come in the system's encoding; a name that is not UTF-8 is taken byte by byte.
pub fn text_of(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constants::{AE_INSUFFICIENT_BUFFER, AE_INVALID_POINTER};

    fn out<T>(value: &mut T) -> Out<T> {
        Out(value)
    }

    #[test]
    fn a_text_that_does_not_fit_says_how_much_would() {
        let (mut bytes, mut length) = ([b'#'; 4], 4_u16);
        let answer = Buffer(bytes.as_mut_ptr()).set_text(out(&mut length), b"abcd");
        assert_eq!(answer.unwrap_err().code, AE_INSUFFICIENT_BUFFER);
        assert_eq!((length, &bytes), (5, b"abc\0"));
        let (mut bytes, mut length) = ([b'#'; 6], 6_u32);
        Buffer(bytes.as_mut_ptr()).set_text(out(&mut length), b"abcd").unwrap();
        assert_eq!((length, &bytes), (4, b"abcd\0#"));
    }

    #[test]
    fn null_is_refused_everywhere() {
        let code = |answer: Result<()>| answer.unwrap_err().code;
        assert_eq!(code(Text(std::ptr::null()).required().map(|_| ())), AE_INVALID_POINTER);
        assert_eq!(code(Field(std::ptr::null()).name().map(|_| ())), AE_INVALID_POINTER);
        assert_eq!(code(Out::<u16>(std::ptr::null_mut()).set(1)), AE_INVALID_POINTER);
        let mut length = 4_u16;
        assert_eq!(code(Buffer(std::ptr::null_mut()).set_text(out(&mut length), b"a")), AE_INVALID_POINTER);
        assert_eq!(code(Wide(std::ptr::null()).string().map(|_| ())), AE_INVALID_POINTER);
    }

    #[test]
    fn a_small_address_is_a_field_number() {
        assert_eq!(Field(std::ptr::without_provenance(7)).name().unwrap(), FieldName::Number(7));
        assert_eq!(Field(c"NAME".as_ptr().cast()).name().unwrap(), FieldName::Name(b"NAME".to_vec()));
    }
}
