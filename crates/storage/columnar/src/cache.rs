//! A cache of decoded vectors and record bytes, valid while their file does not change, within a memory limit.
//!
//! All tables of a database share one cache, so the limit is one number. An entry belongs to a *source*: one state of
//! one file. When the file changes, its table gets a new source; the entries of the old state are dropped with the last
//! statement that still reads it. Entries are also evicted when space is needed (the policy is S3-FIFO, which is
//! resistant to a single large scan).
//!
//! ```text
//!   state 1 ---- VectorSource 1 -- (1, group, column) ... -+
//!   state 2 ---- VectorSource 2 -- (2, group, column) ... -+-- one cache, one limit
//! ```

use arrow_array::{Array, ArrayRef};
use quick_cache::sync::Cache;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The key of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct VectorKey {
    /// The state of the file.
    source: u64,
    place: VectorPlace,
}

/// Where a vector belongs in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VectorPlace {
    /// The row group.
    pub group: u32,
    /// The column.
    pub column: u32,
}

#[derive(Clone)]
struct BytesOf;

impl quick_cache::Weighter<VectorKey, ArrayRef> for BytesOf {
    fn weight(&self, _: &VectorKey, vector: &ArrayRef) -> u64 {
        vector.get_array_memory_size() as u64 + 64
    }
}

/// The vectors of all the tables of a database. Clones share the same entries.
#[derive(Clone)]
pub struct VectorCache {
    vectors: Arc<Cache<VectorKey, ArrayRef, BytesOf>>,
    next_source: Arc<AtomicU64>,
}

impl VectorCache {
    /// A cache that holds up to this many bytes.
    pub fn new(limit_bytes: u64) -> VectorCache {
        // The estimate of the number of entries only sizes the first hash table.
        let vectors = Arc::new(Cache::with_weighter(1_000, limit_bytes, BytesOf));
        VectorCache { vectors, next_source: Arc::default() }
    }

    /// A place for the vectors of one state of a file.
    pub fn new_source(&self) -> VectorSource {
        let number = self.next_source.fetch_add(1, Ordering::Relaxed);
        VectorSource { cache: self.clone(), number, kept: Mutex::default() }
    }

    /// The bytes held now.
    pub fn bytes(&self) -> u64 {
        self.vectors.weight()
    }
}

impl std::fmt::Debug for VectorCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "VectorCache({} bytes)", self.bytes())
    }
}

/// The vectors of one state of a file. They leave the cache with it.
#[derive(Debug)]
pub struct VectorSource {
    cache: VectorCache,
    number: u64,
    /// The entries that this source has put into the cache; some may have been evicted.
    kept: Mutex<HashSet<VectorPlace>>,
}

impl VectorSource {
    /// A number that no other source of the cache has or had.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The vector, if it is still here.
    pub fn get(&self, place: VectorPlace) -> Option<ArrayRef> {
        self.cache.vectors.get(&VectorKey { source: self.number, place })
    }

    /// Keeps the vector, if it is not larger than the limit.
    pub fn insert(&self, place: VectorPlace, vector: ArrayRef) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).insert(place);
        self.cache.vectors.insert(VectorKey { source: self.number, place }, vector);
    }
}

impl Drop for VectorSource {
    fn drop(&mut self) {
        for place in self.kept.get_mut().unwrap_or_else(PoisonError::into_inner).drain() {
            self.cache.vectors.remove(&VectorKey { source: self.number, place });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Int64Array;

    #[test]
    fn the_limit_is_kept() {
        let cache = VectorCache::new(100_000);
        let source = cache.new_source();
        for group in 0..100 {
            source.insert(VectorPlace { group, column: 0 }, Arc::new(Int64Array::from(vec![0; 1_000])));
            assert!(cache.bytes() <= 100_000);
        }
        assert!(cache.bytes() > 50_000);
    }

    #[test]
    fn vectors_leave_with_their_source() {
        let cache = VectorCache::new(1_000_000);
        let (old, new) = (cache.new_source(), cache.new_source());
        let place = |group| VectorPlace { group, column: 0 };
        for source in [&old, &new] {
            (0..10).for_each(|group| source.insert(place(group), Arc::new(Int64Array::from(vec![0; 1_000]))));
        }
        let both = cache.bytes();
        drop(old);
        assert_eq!(cache.bytes() * 2, both);
        assert!((0..10).all(|group| new.get(place(group)).is_some()));
        drop(new);
        assert_eq!(cache.bytes(), 0);
    }
}
