//! Keys of any length: a common prefix once, then eight bytes of each key in a row, then the rest in a heap.
//!
//! Text and composite keys of one node mostly start alike and differ soon after. So a node keeps what all of its keys
//! start with once, and of each key the next eight bytes as a number, its **head**. The search is that of whole
//! numbers over the heads; only keys with equal heads are compared byte by byte.
//!
//! ```text
//!   keys     ACME CORP 0001 \0, ACME CORP 0002 \0, ACME LTD \0
//!   prefix   "ACME "                                          in front of the heap
//!   heads    "CORP 000"  "CORP 000"  "LTD \0 0 0 0"           [u64; 64], zeros behind short keys
//!   tails    "1 \0"      "2 \0"      ""                       in the heap, found by `starts`
//!   lengths  10          10          4                        behind the prefix
//! ```
//!
//! Keys whose heads are equal differ in their tails or, if both have none, in length: zeros behind a short key cannot
//! be distinguished from zeros of the key otherwise.
//!
//! A key without the prefix makes the node write itself anew with a shorter one. It does so with a longer one when it
//! is cut, and when its keys have doubled and share more by then. Removed tails stay in the heap until they are half
//! of it.
//!
//! Limit: a key has at most 65,535 bytes; the key encoder allows far fewer ([`crate::key::MAX_KEY_BYTES`]).

use super::block::{CAPACITY, KeyBlock};
use super::fixed::{Number, count_less};
use std::cmp::Ordering;

/// Bytes of a head.
const HEAD: usize = 8;

/// Removed bytes that a heap may hold, whatever its size.
const UNUSED_BYTES: usize = 256;

/// Sorted byte strings.
pub(super) struct ByteKeys {
    heads: [u64; CAPACITY],
    starts: [u32; CAPACITY],
    lengths: [u16; CAPACITY],
    length: usize,
    prefix_length: usize,
    /// The prefix, then tails in any order, with gaps where keys were removed.
    heap: Vec<u8>,
    unused: usize,
}

impl Default for ByteKeys {
    fn default() -> ByteKeys {
        ByteKeys {
            heads: [u64::MAX; CAPACITY],
            starts: [0; CAPACITY],
            lengths: [0; CAPACITY],
            length: 0,
            prefix_length: 0,
            heap: Vec::new(),
            unused: 0,
        }
    }
}

/// The number of bytes that two keys have in common at the start.
fn common_length(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

fn head_of(rest: &[u8]) -> u64 {
    match rest.first_chunk::<HEAD>() {
        Some(head) => u64::from_be_bytes(*head),
        None => u64::of_bytes(rest),
    }
}

impl ByteKeys {
    fn with_prefix(prefix: &[u8], capacity: usize) -> ByteKeys {
        let mut heap = Vec::with_capacity(prefix.len() + capacity);
        heap.extend_from_slice(prefix);
        ByteKeys { heap, prefix_length: prefix.len(), ..ByteKeys::default() }
    }

    fn prefix(&self) -> &[u8] {
        &self.heap[..self.prefix_length]
    }

    fn tail(&self, at: usize) -> &[u8] {
        let start = self.starts[at] as usize;
        &self.heap[start..start + usize::from(self.lengths[at]).saturating_sub(HEAD)]
    }

    /// The rest of the probe behind the prefix, or the order of the probe relative to all keys with the prefix.
    #[inline]
    fn strip<'a>(&self, probe: &'a [u8]) -> Result<&'a [u8], Ordering> {
        let prefix = self.prefix();
        probe.strip_prefix(prefix).ok_or_else(|| probe.cmp(prefix))
    }

    /// The order of key `at` relative to the rest of a probe behind the prefix, for equal heads.
    fn compare_tail(&self, at: usize, rest: &[u8]) -> Ordering {
        let tail = rest.get(HEAD..).unwrap_or_default();
        self.tail(at).cmp(tail).then_with(|| usize::from(self.lengths[at]).cmp(&rest.len()))
    }

    /// The number of keys that are less; with `or_equal`, less or equal.
    #[inline]
    fn bound(&self, probe: &[u8], or_equal: bool) -> usize {
        let rest = match self.strip(probe) {
            Ok(rest) => rest,
            Err(Ordering::Greater) => return self.length,
            Err(_) => return 0,
        };
        let head = head_of(rest);
        let first = count_less(&self.heads, |other| other < head).min(self.length);
        if first == self.length || self.heads[first] != head {
            return first;
        }
        let end = count_less(&self.heads, |other| other <= head).min(self.length);
        let (mut low, mut high) = (first, end);
        while low < high {
            let middle = (low + high) / 2;
            let order = self.compare_tail(middle, rest);
            match order == Ordering::Less || (or_equal && order == Ordering::Equal) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }

    fn copy_key(&self, at: usize, out: &mut Vec<u8>) {
        let length = usize::from(self.lengths[at]);
        out.clear();
        out.extend_from_slice(self.prefix());
        out.extend_from_slice(&self.heads[at].to_be_bytes()[..length.min(HEAD)]);
        out.extend_from_slice(self.tail(at));
    }

    /// Writes keys `from..to` into a block of their own, with a prefix of this length of its first key.
    fn copy(&self, from: usize, to: usize, prefix_length: usize) -> ByteKeys {
        let mut key = Vec::new();
        if from == to {
            return ByteKeys::with_prefix(&self.prefix()[..prefix_length.min(self.prefix_length)], 0);
        }
        self.copy_key(from, &mut key);
        // Each tail grows or shrinks by what the prefix loses or gains, unless it fits into the head.
        let tails: usize = (from..to)
            .map(|at| (usize::from(self.lengths[at]) + self.prefix_length).saturating_sub(prefix_length + HEAD))
            .sum();
        let mut copy = ByteKeys::with_prefix(&key[..prefix_length], tails);
        for at in from..to {
            self.copy_key(at, &mut key);
            copy.put(copy.length, &key[prefix_length..]);
        }
        copy
    }

    /// Bytes that keys `from..to` have in common at the start. There is at least one.
    fn common(&self, from: usize, to: usize) -> usize {
        common_length(&self.key(from), &self.key(to - 1))
    }

    /// The same keys with the longest prefix, if it is longer than the present one.
    fn tighten(&mut self) {
        let common = self.common(0, self.length);
        if common > self.prefix_length {
            *self = self.copy(0, self.length, common);
        }
    }

    /// Puts what follows the prefix in a key at its place.
    fn put(&mut self, at: usize, rest: &[u8]) {
        let tail = rest.get(HEAD..).unwrap_or_default();
        if self.heap.capacity() - self.heap.len() < tail.len() {
            // By a quarter, not by half: most of the index is such heaps.
            self.heap.reserve_exact(tail.len().max(self.heap.len() / 4).max(32));
        }
        let start = self.heap.len() as u32;
        self.heap.extend_from_slice(tail);
        let end = self.length;
        self.heads.copy_within(at..end, at + 1);
        self.starts.copy_within(at..end, at + 1);
        self.lengths.copy_within(at..end, at + 1);
        (self.heads[at], self.starts[at], self.lengths[at]) = (head_of(rest), start, rest.len() as u16);
        self.length += 1;
    }
}

impl KeyBlock for ByteKeys {
    type Probe<'a> = &'a [u8];
    type Owned = Vec<u8>;

    #[inline]
    fn len(&self) -> usize {
        self.length
    }

    #[inline]
    fn lower_bound(&self, probe: &[u8]) -> usize {
        self.bound(probe, false)
    }

    #[inline]
    fn upper_bound(&self, probe: &[u8]) -> usize {
        self.bound(probe, true)
    }

    #[inline]
    fn is_at(&self, at: usize, probe: &[u8]) -> bool {
        let Ok(rest) = self.strip(probe) else { return false };
        at < self.length && self.heads[at] == head_of(rest) && self.compare_tail(at, rest) == Ordering::Equal
    }

    fn insert(&mut self, at: usize, probe: &[u8]) {
        assert!(probe.len() <= usize::from(u16::MAX), "a key is longer than an index can hold");
        if !probe.starts_with(self.prefix()) {
            let common = common_length(self.prefix(), probe);
            *self = self.copy(0, self.length, common);
        }
        self.put(at, &probe[self.prefix_length..]);
        if self.length >= 8 && self.length.is_power_of_two() {
            self.tighten();
        }
    }

    fn remove(&mut self, at: usize) {
        self.unused += self.tail(at).len();
        let end = self.length;
        self.heads.copy_within(at + 1..end, at);
        self.starts.copy_within(at + 1..end, at);
        self.lengths.copy_within(at + 1..end, at);
        self.length -= 1;
        self.heads[self.length] = u64::MAX;
        if self.unused > UNUSED_BYTES && self.unused > self.heap.len() / 2 {
            *self = self.copy(0, self.length, self.prefix_length);
        }
    }

    fn split_off(&mut self, at: usize) -> ByteKeys {
        let part = |from: usize, to: usize| match from == to {
            true => self.copy(from, to, self.prefix_length),
            false => self.copy(from, to, self.common(from, to)),
        };
        let (left, right) = (part(0, at), part(at, self.length));
        *self = left;
        right
    }

    fn append(&mut self, other: &ByteKeys) {
        let mut key = Vec::new();
        for at in 0..other.length {
            other.copy_key(at, &mut key);
            self.insert(self.length, &key);
        }
    }

    fn key(&self, at: usize) -> Vec<u8> {
        let mut key = Vec::with_capacity(self.prefix_length + usize::from(self.lengths[at]));
        self.copy_key(at, &mut key);
        key
    }

    fn probe(key: &Vec<u8>) -> &[u8] {
        key
    }

    fn separator(left: &ByteKeys, right: &ByteKeys) -> Vec<u8> {
        let mut separator = right.key(0);
        let common = common_length(&left.key(left.length - 1), &separator);
        separator.truncate(common + 1);
        separator
    }

    fn memory(&self) -> usize {
        self.heap.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(keys: &[&[u8]]) -> ByteKeys {
        let mut block = ByteKeys::default();
        keys.iter().for_each(|key| block.insert(block.lower_bound(key), key));
        block
    }

    #[test]
    fn zeros_behind_a_key_are_not_zeros_of_the_key() {
        let keys: [&[u8]; 6] =
            [b"", b"\0", b"\0\0", b"\0\0\0\0\0\0\0\0", b"\0\0\0\0\0\0\0\0\0", b"\0\0\0\0\0\0\0\0\0\0"];
        let block = block(&[keys[3], keys[5], keys[0], keys[2], keys[1], keys[4]]);
        for (at, key) in keys.iter().enumerate() {
            assert_eq!((block.lower_bound(key), block.upper_bound(key)), (at, at + 1));
            assert_eq!(block.key(at), *key);
        }
    }

    #[test]
    fn the_prefix_follows_the_keys() {
        let numbered: Vec<Vec<u8>> = (0..64).map(|n| format!("CUSTOMER {n:012}").into_bytes()).collect();
        let mut keys = block(&numbered.iter().map(Vec::as_slice).collect::<Vec<_>>());
        assert_eq!(keys.prefix(), b"CUSTOMER 0000000000");
        assert_eq!(keys.lower_bound(b"CUSTOMER"), 0);
        assert_eq!(keys.lower_bound(b"CUSTOMER 1"), 64);
        keys.remove(63);
        keys.insert(0, b"CASH");
        assert_eq!(keys.prefix(), b"C");
        assert_eq!((keys.key(0), keys.key(63)), (b"CASH".to_vec(), numbered[62].clone()));
        let right = keys.split_off(1);
        assert_eq!((keys.key(0), right.key(0)), (b"CASH".to_vec(), numbered[0].clone()));
        assert_eq!(right.prefix(), b"CUSTOMER 0000000000");
        assert_eq!(ByteKeys::separator(&keys, &right), b"CU");
    }

    #[test]
    fn removed_tails_leave_the_heap() {
        let mut keys = ByteKeys::default();
        for round in 0..1000u32 {
            let key = [&round.to_be_bytes()[..], &[7; 60]].concat();
            keys.insert(keys.len(), &key);
            if keys.len() == 10 {
                keys.remove(0);
            }
        }
        assert!(keys.memory() < 3000, "{}", keys.memory());
    }
}
