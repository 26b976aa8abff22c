//! Read-ahead of uncached groups of a file by several threads.
//!
//! A scan spends some ten microseconds on a cached group. Reading and decoding an uncached one takes milliseconds, and
//! is independent of the other groups. So a scan that comes to a few such groups has them read at once, one thread for
//! each, and then goes on alone: over decoded groups, one thread is faster than several.
//!
//! ```text
//!   group      0    1    2    3    4
//!   thread 1   read . read . read     then the scan's own work on 0 and 1, on 2 and 3, on 4
//!   thread 2      read   read
//! ```

use crate::execute::run::Run;
use mainstay_columnar::Snapshot;
use mainstay_types::Result;
use mainstay_types::interrupt::{self, InForce};
use std::ops::Range;
use std::thread;

/// Larger groups are read one after the other: their records are in memory as a whole while they are decoded.
const MOST_BYTES: u64 = 64 << 20;

/// How far a scan has had groups read.
pub(crate) struct Ahead {
    threads: usize,
    /// The groups that it will come to, from the first that was not looked at yet.
    left: Range<usize>,
}

impl Ahead {
    /// Of a scan that will come to these groups, in their order.
    pub(crate) fn of(run: &Run, groups: Range<usize>) -> Ahead {
        Ahead { threads: run.readers(), left: groups }
    }

    /// Has the next groups read, from this one on, of which not all of these columns are decoded. `read` asks for what the
    /// scan will; what it gives is not looked at, since the scan will meet the same errors, in its own order.
    pub(crate) fn reach(
        &mut self,
        group: usize,
        (snapshot, columns): (&dyn Snapshot, &[usize]),
        read: &(dyn Fn(usize) -> Result<()> + Sync),
    ) {
        if self.threads <= 1 || !self.left.contains(&group) {
            return;
        }
        if snapshot.bytes() / snapshot.groups().max(1) as u64 > MOST_BYTES {
            return;
        }
        let next = group..self.left.end.min(group + self.threads);
        self.left.start = next.end;
        let unread: Vec<usize> = next.filter(|group| !snapshot.is_decoded(*group, columns)).collect();
        let [own, others @ ..] = unread.as_slice() else { return };
        if others.is_empty() {
            return;
        }
        let wishes = interrupt::all_in_force();
        thread::scope(|scope| {
            for group in others {
                let wishes = wishes.clone();
                let read = move || {
                    let _in_force = wishes.map(InForce::new);
                    let _ = read(*group);
                };
                // Where no thread can be had, the scan reads the group itself.
                let _ = thread::Builder::new().spawn_scoped(scope, read);
            }
            let _ = read(*own);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execute::memory::{Pool, Share};
    use crate::execute::run::RunOptions;
    use arrow_array::ArrayRef;
    use arrow_buffer::BooleanBuffer;
    use datafusion::execution::memory_pool::MemoryPool;
    use mainstay_columnar::{Access, Ordering, RowSet};
    use mainstay_types::{Code, Error};
    use std::ops::ControlFlow;
    use std::sync::{Arc, Mutex};
    use std::thread::ThreadId;

    /// Five groups of one row, which note who reads them.
    struct Groups {
        decoded: Vec<usize>,
        bytes: u64,
        readers: Mutex<Vec<(usize, ThreadId)>>,
    }

    impl Snapshot for Groups {
        fn slots(&self) -> usize {
            5
        }
        fn bytes(&self) -> u64 {
            self.bytes
        }
        fn visible_rows(&self) -> Result<usize> {
            Ok(5)
        }
        fn groups(&self) -> usize {
            5
        }
        fn group(&self, group: usize) -> Range<usize> {
            group..group + 1
        }
        fn visible(&self, _: usize) -> Result<Option<BooleanBuffer>> {
            Ok(None)
        }
        fn vectors(&self, group: usize, _: &[usize]) -> Result<Vec<ArrayRef>> {
            self.readers.lock().unwrap().push((group, thread::current().id()));
            Err(Error::new(Code::Damaged, "whoever wants this group for its own work is told"))
        }
        fn is_decoded(&self, group: usize, _: &[usize]) -> bool {
            self.decoded.contains(&group)
        }
        fn fetch(&self, _: &[u32], _: &[usize], _: bool) -> Result<(Vec<ArrayRef>, Vec<u32>)> {
            Ok((Vec::new(), Vec::new()))
        }
        fn rows(&self, _: &Access, _: usize) -> Result<Option<RowSet>> {
            Ok(None)
        }
        fn walk(&self, _: &Ordering, _: &mut dyn FnMut(u32) -> Result<ControlFlow<()>>) -> Result<bool> {
            Ok(false)
        }
        fn notices(&self) -> Vec<String> {
            Vec::new()
        }
    }

    /// The groups that are read when a scan comes to each in turn: with how many threads, and which groups.
    fn read(decoded: Vec<usize>, readers: usize) -> (usize, Vec<usize>) {
        read_large(decoded, readers, 1_000)
    }

    /// The same of groups that have so many bytes together.
    fn read_large(decoded: Vec<usize>, readers: usize, bytes: u64) -> (usize, Vec<usize>) {
        let groups = Groups { decoded, bytes, readers: Mutex::default() };
        let pool: Arc<dyn MemoryPool> = Arc::new(Pool::new(1 << 20));
        let run = Run::new(RunOptions::default(), (1, readers), Share::of(&pool));
        let mut ahead = Ahead::of(&run, 0..5);
        for group in 0..5 {
            ahead.reach(group, (&groups, &[0]), &|group| groups.vectors(group, &[0]).map(|_| ()));
        }
        let (mut read, threads): (Vec<usize>, Vec<ThreadId>) = groups.readers.into_inner().unwrap().into_iter().unzip();
        read.sort_unstable();
        (threads.iter().collect::<std::collections::HashSet<_>>().len(), read)
    }

    #[test]
    fn groups_that_nobody_has_read_are_read_side_by_side_and_once() {
        // The last one is left for the scan itself: there is nothing to read beside it.
        assert_eq!(read(vec![], 2), (3, vec![0, 1, 2, 3]));
        assert_eq!(read(vec![], 8), (5, vec![0, 1, 2, 3, 4]));
    }

    #[test]
    fn what_is_decoded_is_left_to_the_scan() {
        assert_eq!(read(vec![0, 1, 2, 3, 4], 2), (0, vec![]));
        assert_eq!(read(vec![0, 2], 2), (0, vec![]));
        assert_eq!(read(vec![], 1), (0, vec![]));
    }

    #[test]
    fn memory_is_not_filled_with_large_groups() {
        assert_eq!(read_large(vec![], 8, 5 * MOST_BYTES).0, 5);
        assert_eq!(read_large(vec![], 8, 6 * MOST_BYTES), (0, vec![]));
    }
}
