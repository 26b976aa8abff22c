//! The dictionary of a run: numbers of texts.

use arrow_array::types::UInt32Type;
use arrow_array::{Array, ArrayRef, PrimitiveArray, StringViewArray, UInt32Array};
use datafusion::arrow::compute::take;
use datafusion::common::{DataFusionError, HashMap, Result};
use datafusion::execution::TaskContext;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use std::sync::{Arc, Mutex, PoisonError};

/// Texts of up to this many bytes are a view by themselves.
const INLINE: u32 = 12;

/// Slots of the table of short texts that were met before.
const RECENT: usize = 512;

/// The bytes that a text of the dictionary takes besides its own.
const ENTRY_BYTES: usize = 96;

/// The bytes that are reserved at once: a reservation locks the pool of all statements.
const PORTION: usize = 64 << 10;

/// The dictionaries of a run, by the number that the plan gave them.
#[derive(Default)]
pub(crate) struct Dictionaries(Mutex<HashMap<u64, Arc<Mutex<Dictionary>>>>);

impl Dictionaries {
    /// The dictionary of this number, made when it is first asked for.
    pub(crate) fn get(&self, number: u64, context: &TaskContext) -> Arc<Mutex<Dictionary>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(all.entry(number).or_insert_with(|| Arc::new(Mutex::new(Dictionary::new(context)))))
    }
}

/// Texts and their numbers, from 1 on. NULL has number 0.
pub(crate) struct Dictionary {
    texts: Vec<Option<Arc<str>>>,
    numbers: HashMap<Arc<str>, u32>,
    /// Views of short texts with their numbers, each in the one slot where it can be; number 0 for none.
    recent: Vec<(u128, u32)>,
    /// The bytes of the entries.
    bytes: usize,
    /// The memory for them, in portions.
    memory: MemoryReservation,
}

impl Dictionary {
    fn new(context: &TaskContext) -> Dictionary {
        let memory = MemoryConsumer::new("texts of groups").register(context.memory_pool());
        Dictionary { texts: vec![None], numbers: HashMap::new(), recent: vec![(0, 0); RECENT], bytes: 0, memory }
    }

    /// The numbers of texts.
    pub(crate) fn encode(&mut self, texts: &StringViewArray) -> Result<ArrayRef> {
        let mut numbers = Vec::with_capacity(texts.len());
        for (row, view) in texts.views().iter().enumerate() {
            numbers.push(if texts.is_null(row) { 0 } else { self.number(*view, texts, row)? });
        }
        Ok(Arc::new(UInt32Array::from(numbers)))
    }

    #[inline]
    fn number(&mut self, view: u128, texts: &StringViewArray, row: usize) -> Result<u32> {
        // The view of a short text is its length and its bytes, and zeros behind them.
        if view as u32 > INLINE {
            return self.number_of(texts.value(row));
        }
        let folded = ((view as u64) ^ (view >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let slot = (folded >> 32) as usize % RECENT;
        match self.recent[slot] {
            (known, number) if known == view && number != 0 => Ok(number),
            _ => {
                let number = self.number_of(texts.value(row))?;
                self.recent[slot] = (view, number);
                Ok(number)
            }
        }
    }

    fn number_of(&mut self, text: &str) -> Result<u32> {
        if let Some(number) = self.numbers.get(text) {
            return Ok(*number);
        }
        let too_many = |_| DataFusionError::ResourcesExhausted("too many different texts to group by".to_owned());
        let number = u32::try_from(self.texts.len()).map_err(too_many)?;
        self.bytes += text.len() + ENTRY_BYTES;
        if self.bytes > self.memory.size() {
            self.memory.try_resize(self.bytes.next_multiple_of(PORTION))?;
        }
        let text: Arc<str> = Arc::from(text);
        self.texts.push(Some(Arc::clone(&text)));
        self.numbers.insert(text, number);
        Ok(number)
    }

    /// The texts of numbers that it gave.
    pub(crate) fn decode(&self, numbers: &PrimitiveArray<UInt32Type>) -> Result<ArrayRef> {
        // Few of many texts are copied; many of few share them.
        if numbers.len() < self.texts.len() {
            let text = |number: &u32| self.texts.get(*number as usize)?.as_deref();
            return Ok(Arc::new(numbers.values().iter().map(text).collect::<StringViewArray>()));
        }
        let texts: StringViewArray = self.texts.iter().map(|text| text.as_deref()).collect();
        Ok(take(&texts, numbers, None)?)
    }
}
