//! Text columns: a dictionary while it pays off, views otherwise.
//!
//! Columns such as towns, states or currencies have few distinct values. As a dictionary they take a
//! byte or two a row, and the executors compare each distinct value once. So every column starts as
//! one, and turns into plain views when there are more distinct values in the group than a dictionary
//! is good for: 256, or a quarter of the rows up to 65,536.

use crate::options::CodePage;
use arrow_array::builder::StringViewBuilder;
use arrow_array::types::{ArrowDictionaryKeyType, UInt8Type, UInt16Type};
use arrow_array::{ArrayRef, DictionaryArray, PrimitiveArray, StringViewArray};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;
use std::sync::Arc;

/// The code of NULL.
const NULL: u32 = u32::MAX;

/// The values of one group of one column, as they come.
pub(crate) struct TextBuilder {
    code_page: CodePage,
    /// The limit of distinct values of a dictionary.
    limit: usize,
    hasher: FixedState,
    /// Finds a code by its value.
    codes_by_value: HashTable<u32>,
    /// The distinct values, one behind the other in the bytes of the file, and where each ends.
    bytes: Vec<u8>,
    ends: Vec<usize>,
    codes: Vec<u32>,
    /// The values so far, once a dictionary does not pay.
    views: Option<StringViewBuilder>,
    decoded: String,
}

impl TextBuilder {
    /// For a group of this many rows.
    pub(crate) fn new(rows: usize, code_page: &CodePage) -> TextBuilder {
        TextBuilder {
            code_page: code_page.clone(),
            limit: (rows / 4).clamp(256, 65_536),
            hasher: FixedState::default(),
            codes_by_value: HashTable::new(),
            bytes: Vec::new(),
            ends: Vec::new(),
            codes: Vec::with_capacity(rows),
            views: None,
            decoded: String::new(),
        }
    }

    pub(crate) fn append_null(&mut self) {
        match &mut self.views {
            Some(views) => views.append_null(),
            None => self.codes.push(NULL),
        }
    }

    /// Appends a value in the bytes of the file; false if they are not of the code page.
    #[inline]
    pub(crate) fn append(&mut self, value: &[u8]) -> bool {
        if let Some(views) = &mut self.views {
            return append_view(views, value, &self.code_page, &mut self.decoded);
        }
        let hash = self.hasher.hash_one(value);
        let found = self.codes_by_value.find(hash, |&code| span(&self.bytes, &self.ends, code) == value);
        match found {
            Some(&code) => self.codes.push(code),
            None => return self.append_new(value, hash),
        }
        true
    }

    fn append_new(&mut self, value: &[u8], hash: u64) -> bool {
        if self.ends.len() >= self.limit {
            return self.turn_into_views() && self.append(value);
        }
        let code = self.ends.len() as u32;
        self.bytes.extend_from_slice(value);
        self.ends.push(self.bytes.len());
        let (bytes, ends, hasher) = (&self.bytes, &self.ends, &self.hasher);
        self.codes_by_value.insert_unique(hash, code, |&code| hasher.hash_one(span(bytes, ends, code)));
        self.codes.push(code);
        true
    }

    fn turn_into_views(&mut self) -> bool {
        let mut views = StringViewBuilder::with_capacity(self.codes.capacity());
        for &code in &self.codes {
            if code == NULL {
                views.append_null();
            } else if !append_view(&mut views, span(&self.bytes, &self.ends, code), &self.code_page, &mut self.decoded)
            {
                return false;
            }
        }
        self.views = Some(views);
        self.codes = Vec::new();
        self.codes_by_value = HashTable::new();
        true
    }

    /// The vector; `None` if some value is not of the code page.
    pub(crate) fn finish(mut self) -> Option<ArrayRef> {
        if let Some(mut views) = self.views {
            return Some(Arc::new(views.finish()));
        }
        let mut values = StringViewBuilder::with_capacity(self.ends.len());
        for code in 0..self.ends.len() as u32 {
            let value = span(&self.bytes, &self.ends, code);
            if !append_view(&mut values, value, &self.code_page, &mut self.decoded) {
                return None;
            }
        }
        let values = values.finish();
        if self.ends.len() <= 256 {
            dictionary::<UInt8Type>(&self.codes, values, |code| code as u8)
        } else {
            dictionary::<UInt16Type>(&self.codes, values, |code| code as u16)
        }
    }
}

#[inline(always)]
fn span<'a>(bytes: &'a [u8], ends: &[usize], code: u32) -> &'a [u8] {
    let code = code as usize;
    let start = if code == 0 { 0 } else { ends[code - 1] };
    &bytes[start..ends[code]]
}

#[inline]
fn append_view(views: &mut StringViewBuilder, value: &[u8], code_page: &CodePage, decoded: &mut String) -> bool {
    if let (CodePage::Utf8, Ok(value)) = (code_page, std::str::from_utf8(value)) {
        views.append_value(value);
        return true;
    }
    decoded.clear();
    let fits = code_page.decode(value, decoded);
    if fits {
        views.append_value(decoded.as_str());
    }
    fits
}

fn dictionary<K: ArrowDictionaryKeyType>(
    codes: &[u32],
    values: StringViewArray,
    narrow: fn(u32) -> K::Native,
) -> Option<ArrayRef> {
    let keys: PrimitiveArray<K> = codes.iter().map(|&code| (code != NULL).then(|| narrow(code))).collect();
    Some(Arc::new(DictionaryArray::<K>::try_new(keys, Arc::new(values)).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Array;
    use arrow_schema::DataType;

    fn built(rows: usize, distinct: usize) -> ArrayRef {
        let mut builder = TextBuilder::new(rows, &CodePage::Utf8);
        for row in 0..rows {
            assert!(builder.append(format!("value number {}", row % distinct).as_bytes()));
        }
        builder.append_null();
        builder.finish().unwrap()
    }

    fn key_type(vector: &ArrayRef) -> Option<DataType> {
        match vector.data_type() {
            DataType::Dictionary(keys, values) if **values == DataType::Utf8View => Some((**keys).clone()),
            _ => None,
        }
    }

    #[test]
    fn few_values_become_a_dictionary() {
        assert_eq!(key_type(&built(1_000, 256)), Some(DataType::UInt8));
        assert_eq!(key_type(&built(4_000, 1_000)), Some(DataType::UInt16));
        assert_eq!(key_type(&built(4_000, 1_001)), None);
        assert_eq!(key_type(&built(1_000, 257)), None);
        assert!(built(4_000, 3_000).is_null(4_000));
    }

    #[test]
    fn code_pages_are_decoded() {
        let mut builder = TextBuilder::new(1, &CodePage::Windows1252);
        assert!(builder.append(b"M\xfcller"));
        let vector = builder.finish().unwrap();
        let dictionary = vector.as_any().downcast_ref::<DictionaryArray<UInt8Type>>().unwrap();
        assert_eq!(dictionary.downcast_dict::<StringViewArray>().unwrap().into_iter().next(), Some(Some("Müller")));
        let mut builder = TextBuilder::new(1, &CodePage::Utf8);
        assert!(builder.append(b"M\xfcller"));
        assert!(builder.finish().is_none());
    }
}
