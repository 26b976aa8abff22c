//! What the operations of an index cost, in nanoseconds each, and what a key costs in bytes.
//!
//! ```text
//!   cargo run --release -p mainstay-store --example index_speed
//! ```
//!
//! One thread, keys made beforehand; lookups hit, in random order. The last line is the lock alone: what a point read
//! pays before it looks at the tree.

use mainstay_store::index::{Cursor, Direction, Index, Inserted};
use std::hint::black_box;
use std::sync::RwLock;
use std::time::Instant;

type MakeKey = fn(u64) -> Vec<u8>;

const SHAPES: [(&str, Option<usize>, MakeKey); 3] = [
    ("8 bytes", Some(8), |n| n.to_be_bytes().to_vec()),
    ("16 bytes", Some(16), |n| [n / 100, n].map(u64::to_be_bytes).concat()),
    ("text", None, |n| format!("CUSTOMER {n:010}").into_bytes()),
];

/// Nanoseconds per operation.
fn measure(count: usize, work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_nanos() as f64 / count as f64
}

/// The numbers below `count` in an order that looks random: multiples of an odd number, modulo a power of two.
fn scattered(count: usize) -> Vec<usize> {
    let size = count.next_power_of_two();
    (0..size).map(|n| n.wrapping_mul(0x9E37_79B1) % size).filter(|n| *n < count).collect()
}

fn insert_all(index: &Index, keys: &[Vec<u8>], order: impl Iterator<Item = usize>) {
    order.for_each(|n| assert_eq!(index.insert(&keys[n], n as u64), Inserted::New));
}

fn run(name: &str, width: Option<usize>, make: MakeKey, count: usize) {
    let keys: Vec<Vec<u8>> = (0..count as u64).map(make).collect();
    let order = scattered(count);
    let per_key = |index: &Index| index.memory() as f64 / count as f64;

    let sequential = Index::new(width);
    let in_order = measure(count, || insert_all(&sequential, &keys, 0..count));
    let random = Index::new(width);
    let at_random = measure(count, || insert_all(&random, &keys, order.iter().copied()));
    let get = measure(count, || {
        order.iter().for_each(|n| {
            black_box(random.get(&keys[*n]));
        });
    });
    let get_in_order = measure(count, || {
        keys.iter().for_each(|key| {
            black_box(random.get(key));
        });
    });
    let range = |direction| {
        let (mut out, mut cursor) = ([0; 100], Cursor::new(&[], None, direction));
        let starts = &order[..count.min(100_000)];
        measure(starts.len(), || {
            for n in starts {
                match direction {
                    Direction::Ascending => cursor.reset(&keys[*n], None, direction),
                    Direction::Descending => cursor.reset(&[], Some(&keys[*n]), direction),
                }
                black_box(random.fetch(&mut cursor, &mut out));
            }
        })
    };
    let (up, down) = (range(Direction::Ascending), range(Direction::Descending));
    let replace = measure(count, || {
        order.iter().for_each(|n| {
            black_box(random.replace(&keys[*n], 7));
        });
    });
    let bytes = (per_key(&sequential), per_key(&random));
    let remove = measure(count, || {
        order.iter().rev().for_each(|n| {
            black_box(random.remove(&keys[*n]));
        });
    });
    println!(
        "{name:9} {count:8} {in_order:9.0} {at_random:9.0} {get:9.0} {get_in_order:9.0} {up:9.0} {down:9.0} \
         {replace:9.0} {remove:9.0} {:8.1} {:8.1}",
        bytes.0, bytes.1
    );
}

fn main() {
    println!(
        "{:9} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>8}",
        "keys",
        "count",
        "append",
        "insert",
        "get",
        "get seq",
        "100 up",
        "100 down",
        "replace",
        "remove",
        "B seq",
        "B rnd"
    );
    for (name, width, make) in SHAPES {
        for count in [10_000, 1_000_000] {
            run(name, width, make, count);
        }
    }
    let lock = RwLock::new(0u64);
    let count = 10_000_000;
    let cost = measure(count, || {
        (0..count).for_each(|_| {
            black_box(lock.read().map_or(0, |guard| *guard));
        });
    });
    println!("lock and unlock for reading: {cost:.1} ns");
}
