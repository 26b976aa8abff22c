//! Records that were fetched ahead: copies of a run of records in one buffer.
//!
//! Most programs read one record after the other. So a search fetches more records than the one it was asked for, as soon
//! as the one before was the next one, too: 1, 8, 64, 256. A batch is good until anything is committed, or the channel
//! itself changes a record.

/// The sizes of batches, from the first one on.
const SIZES: [usize; 4] = [1, 8, 64, 256];

/// Bytes after which a batch ends.
const BYTES: usize = 256 << 10;

/// Records of one order, in that order.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// The order: the number of a key, or `None` for physical order.
    pub(crate) order: Option<usize>,
    /// The state of the store for which it is good.
    pub(crate) state: (u64, u64, u64),
    entries: Vec<Entry>,
    bytes: Vec<u8>,
    at: usize,
    size: usize,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    id: u64,
    /// Where the key begins and ends; then come the primary key, if it is another one, and the record.
    start: u32,
    key_end: u32,
    primary: u32,
    data: u32,
    end: u32,
}

impl Batch {
    /// Starts another batch; larger than the one before if it continues that.
    pub(crate) fn start(&mut self, order: Option<usize>, state: (u64, u64, u64), continues: bool) {
        self.size = if continues { (self.size + 1).min(SIZES.len() - 1) } else { 0 };
        (self.order, self.state, self.at) = (order, state, 0);
        self.entries.clear();
        self.bytes.clear();
    }

    /// Forgets the records; the size stays.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.state = (0, 0, 0);
    }

    /// Appends a record: whether there is room for more.
    #[inline]
    pub(crate) fn push(&mut self, id: u64, key: &[u8], primary: Option<&[u8]>, data: &[u8]) -> bool {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        let behind_key = self.bytes.len();
        self.bytes.extend_from_slice(primary.unwrap_or_default());
        let data_start = self.bytes.len();
        self.bytes.extend_from_slice(data);
        // Without a primary key of its own the key is that.
        let primary_start = if primary.is_some() { behind_key } else { start };
        self.entries.push(Entry {
            id,
            start: start as u32,
            key_end: behind_key as u32,
            primary: primary_start as u32,
            data: data_start as u32,
            end: self.bytes.len() as u32,
        });
        self.entries.len() < SIZES[self.size] && self.bytes.len() < BYTES
    }

    /// Bytes of memory that it takes.
    pub(crate) fn memory_bytes(&self) -> u64 {
        (self.bytes.capacity() + self.entries.capacity() * std::mem::size_of::<Entry>()) as u64
    }

    /// True if there are records.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// True if the record that was given last has this key and identifier.
    #[inline]
    pub(crate) fn is_at(&self, key: &[u8], id: u64) -> bool {
        self.entries.get(self.at).is_some_and(|entry| entry.id == id && self.key_of(entry) == key)
    }

    /// Gives the next record: whether there is one.
    #[inline]
    pub(crate) fn advance(&mut self) -> bool {
        let is_there = self.at + 1 < self.entries.len();
        self.at += usize::from(is_there);
        is_there
    }

    #[inline]
    fn key_of(&self, entry: &Entry) -> &[u8] {
        &self.bytes[entry.start as usize..entry.key_end as usize]
    }

    /// The identifier, key, primary key and bytes of the record that was given last.
    #[inline]
    pub(crate) fn current(&self) -> (u64, &[u8], &[u8], &[u8]) {
        match self.entries.get(self.at) {
            Some(entry) => {
                let primary = &self.bytes[entry.primary as usize..entry.data as usize];
                (entry.id, self.key_of(entry), primary, &self.bytes[entry.data as usize..entry.end as usize])
            }
            None => (0, &[], &[], &[]),
        }
    }
}
