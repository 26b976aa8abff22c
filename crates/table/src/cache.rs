//! Decoded vectors and record bytes, kept while their file does not change, within a memory limit.
//!
//! All tables of a database share one cache, so the limit is one number. An entry belongs to a *source*:
//! one state of one file. When the file changes, its table takes a new source number and the old entries
//! are never asked for again; they leave when room is needed (the policy is S3-FIFO, which a single large
//! scan does not wash out).

use arrow_array::{Array, ArrayRef};
use quick_cache::sync::Cache;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What an entry holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VectorKey {
    /// The state of the file, from [`VectorCache::new_source`].
    pub source: u64,
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

    /// A number for one state of a file, never given twice.
    pub fn new_source(&self) -> u64 {
        self.next_source.fetch_add(1, Ordering::Relaxed)
    }

    /// The vector, if it is still here.
    pub fn get(&self, key: &VectorKey) -> Option<ArrayRef> {
        self.vectors.get(key)
    }

    /// Keeps the vector, if it is not larger than the limit.
    pub fn insert(&self, key: VectorKey, vector: ArrayRef) {
        self.vectors.insert(key, vector);
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

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Int64Array;

    #[test]
    fn the_limit_is_kept() {
        let cache = VectorCache::new(100_000);
        for group in 0..100 {
            let key = VectorKey { source: cache.new_source(), group, column: 0 };
            cache.insert(key, Arc::new(Int64Array::from(vec![0; 1_000])));
            assert!(cache.bytes() <= 100_000);
        }
        assert!(cache.bytes() > 50_000);
    }
}
