//! Parameters of executions as the bytes of BIND messages.

use mainstay_sqli::{Codeset, Context, Features, LobStep, Parameter, Request, TypeCode, WireError, tag};
use mainstay_types::Value;

/// The longest text that is bound as CHAR; longer ones are bound as TEXT.
const LONGEST_CHAR: usize = 32_767;
/// Bytes of a piece of a BYTE or TEXT value.
const LOB_PIECE: usize = 32_000;

/// The messages that bind the parameters of one execution.
#[derive(Clone, Debug, Default)]
pub struct BoundRow {
    pub(crate) bytes: Vec<u8>,
}

impl BoundRow {
    /// The bytes of the messages.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// True without parameters.
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

/// Collects the parameters of one execution.
pub struct Binder {
    context: Context,
    bytes: Vec<u8>,
    count: u16,
    lobs: Vec<Vec<u8>>,
}

impl Binder {
    /// Without any parameter.
    pub fn new(codeset: Codeset) -> Binder {
        let context = Context { features: Features::default(), codeset };
        let mut bytes = Vec::with_capacity(64);
        bytes.extend_from_slice(&tag::BIND.to_be_bytes());
        // The number of parameters, known at the end.
        bytes.extend_from_slice(&[0, 0]);
        Binder { context, bytes, count: 0, lobs: Vec::new() }
    }

    /// Adds a value.
    ///
    /// Errors: `Value` for one that no parameter can hold.
    pub fn value(&mut self, value: Value) -> Result<(), WireError> {
        self.count = self.count.checked_add(1).ok_or(WireError::Value("too many parameters"))?;
        match value {
            Value::Text(text) if text.len() > LONGEST_CHAR => {
                let mut bytes = Vec::with_capacity(text.len());
                self.context.codeset.encode(&text, &mut bytes);
                self.lob(bytes, TypeCode::TEXT)
            }
            Value::Binary(bytes) => self.lob(bytes, TypeCode::BYTE),
            Value::Integer(i64::MIN) => Err(WireError::Value("the smallest BIGINT stands for NULL")),
            value => Parameter::new(value).write(&mut self.bytes, &self.context),
        }
    }

    /// Adds a DECIMAL from its text.
    ///
    /// Errors: `Value` for a text that is no exact number of at most 32 digits.
    pub fn decimal(&mut self, text: &str) -> Result<(), WireError> {
        self.count = self.count.checked_add(1).ok_or(WireError::Value("too many parameters"))?;
        Parameter::write_decimal_text(text, &mut self.bytes)
    }

    /// Adds the locator of a CLOB or BLOB that was created on the connection, or that a row has shown.
    ///
    /// Errors: `Value` for more parameters than a statement can have.
    pub fn locator(&mut self, locator: &[u8], is_text: bool) -> Result<(), WireError> {
        self.count = self.count.checked_add(1).ok_or(WireError::Value("too many parameters"))?;
        let name = if is_text { "clob" } else { "blob" };
        Parameter::write_opaque(("informix", name), locator, &mut self.bytes, &self.context);
        Ok(())
    }

    fn lob(&mut self, bytes: Vec<u8>, code: TypeCode) -> Result<(), WireError> {
        let size = u32::try_from(bytes.len()).map_err(|_| WireError::Value("a BYTE or TEXT value is too long"))?;
        let parameter = Parameter { code, value: Value::Binary(Vec::new()), follows: Some(size), invalid: None };
        self.lobs.push(bytes);
        parameter.write(&mut self.bytes, &self.context)
    }

    /// The messages.
    ///
    /// Errors: `Value` for more BYTE and TEXT values than a statement can have.
    pub fn finish(mut self) -> Result<BoundRow, WireError> {
        if self.count == 0 {
            return Ok(BoundRow::default());
        }
        if let Some(count) = self.bytes.get_mut(2..4) {
            count.copy_from_slice(&self.count.to_be_bytes());
        }
        if !self.lobs.is_empty() {
            let count = u16::try_from(self.lobs.len()).map_err(|_| WireError::Value("too many parameters"))?;
            Request::Lob(LobStep::Begin(count)).encode(&mut self.bytes, &self.context)?;
            for lob in std::mem::take(&mut self.lobs) {
                for piece in lob.chunks(LOB_PIECE) {
                    Request::Lob(LobStep::Bytes(piece.to_vec())).encode(&mut self.bytes, &self.context)?;
                }
                Request::Lob(LobStep::Bytes(Vec::new())).encode(&mut self.bytes, &self.context)?;
            }
        }
        Ok(BoundRow { bytes: self.bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mainstay_sqli::Decoded;

    fn requests(mut bytes: &[u8]) -> Vec<Request> {
        let mut all = Vec::new();
        while !bytes.is_empty() {
            match Request::decode(bytes, &Context::default(), usize::MAX).unwrap() {
                Decoded::Message(request, used) => {
                    all.push(request);
                    bytes = &bytes[used..];
                }
                Decoded::Incomplete => panic!("a message is cut"),
            }
        }
        all
    }

    #[test]
    fn values_of_byte_and_text_follow_the_others() {
        let mut binder = Binder::new(Codeset::Latin1);
        binder.value(Value::Integer(7)).unwrap();
        binder.value(Value::Binary(vec![1; 40_000])).unwrap();
        binder.value(Value::Text("é".repeat(40_000))).unwrap();
        binder.value(Value::Null).unwrap();
        let all = requests(&binder.finish().unwrap().bytes);
        let Request::Bind(parameters) = &all[0] else { panic!("{all:?}") };
        assert_eq!(parameters.iter().map(|p| p.follows).collect::<Vec<_>>(), [None, Some(40_000), Some(40_000), None]);
        assert_eq!(all[1], Request::Lob(LobStep::Begin(2)));
        let lengths = all[2..].iter().map(|request| match request {
            Request::Lob(LobStep::Bytes(bytes)) => bytes.len(),
            other => panic!("{other:?}"),
        });
        assert_eq!(lengths.collect::<Vec<_>>(), [32_000, 8000, 0, 32_000, 8000, 0]);
    }

    #[test]
    fn without_parameters_nothing_is_bound() {
        assert!(Binder::new(Codeset::Utf8).finish().unwrap().is_empty());
    }
}
