//! Cost of the operations of an index in nanoseconds, and of a key in bytes.
//!
//! ```text
//!   cargo run --release -p mainstay-store --example index_speed
//! ```
//!
//! One thread. Keys are made beforehand and lie in the order in which they are used, so that reading them costs
//! nothing; lookups hit. Each figure is the median of many slices of the work, which leaves out what other programs
//! took. The last line is the lock alone: what a point read pays before it looks at the tree.

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

/// Operations timed together.
const SLICE: usize = 1000;

/// Keys of one width, one behind the other.
struct Keys {
    bytes: Vec<u8>,
    width: usize,
}

impl Keys {
    fn new(make: MakeKey, numbers: impl Iterator<Item = u64>) -> Keys {
        Keys { bytes: numbers.flat_map(make).collect(), width: make(0).len() }
    }

    /// The median of the nanoseconds that `work` takes for a key.
    fn measure(&self, mut work: impl FnMut(&[u8])) -> f64 {
        let slices = self.bytes.chunks_exact(SLICE * self.width);
        let mut times: Vec<u128> = slices
            .map(|slice| {
                let start = Instant::now();
                slice.chunks_exact(self.width).for_each(&mut work);
                start.elapsed().as_nanos()
            })
            .collect();
        times.sort_unstable();
        times[times.len() / 2] as f64 / SLICE as f64
    }
}

/// The numbers below `count` in an order that looks random: multiples of an odd number, modulo a power of two.
fn scattered(count: u64, factor: u64) -> impl Iterator<Item = u64> {
    let size = count.next_power_of_two();
    // The upper bits of the product are mixed into the lower ones; each step can be undone, so no number comes twice.
    let half = size.trailing_zeros() / 2;
    let mixed = move |n: u64| {
        let n = n.wrapping_mul(factor) % size;
        ((n ^ (n >> half)).wrapping_mul(factor)) % size
    };
    (0..size).map(mixed).filter(move |n| *n < count)
}

/// Keeps the compiler from optimizing the lookup away.
fn ignore(answer: Option<u64>) {
    black_box(answer);
}

fn insert_all(index: &Index, keys: &Keys) -> f64 {
    keys.measure(|key| assert_eq!(index.insert(key, 1), Inserted::New))
}

fn range_of_100(index: &Index, keys: &Keys, direction: Direction) -> f64 {
    let (mut out, mut cursor) = ([0; 100], Cursor::new(&[], None, direction));
    keys.measure(|key| {
        match direction {
            Direction::Ascending => cursor.reset(key, None, direction),
            Direction::Descending => cursor.reset(&[], Some(key), direction),
        }
        black_box(index.fetch(&mut cursor, &mut out));
    })
}

fn run(name: &str, width: Option<usize>, make: MakeKey, count: u64) {
    let in_order = Keys::new(make, 0..count);
    let first = Keys::new(make, scattered(count, 0x9E37_79B1));
    let second = Keys::new(make, scattered(count, 0x85EB_CA6B));
    let (sequential, random) = (Index::new(width), Index::new(width));
    let mut figures = vec![insert_all(&sequential, &in_order), insert_all(&random, &first)];
    let bytes = [&sequential, &random].map(|index| index.memory() as f64 / count as f64);
    let get = |keys: &Keys| keys.measure(|key| ignore(random.get(key)));
    figures.extend([get(&second), get(&in_order)]);
    figures.extend([Direction::Ascending, Direction::Descending].map(|way| range_of_100(&random, &second, way)));
    figures.push(second.measure(|key| ignore(random.replace(key, 7))));
    figures.push(second.measure(|key| ignore(random.remove(key))));
    print!("{name:9}{count:9}");
    figures.iter().for_each(|figure| print!("{figure:9.0}"));
    println!("{:9.1}{:9.1}", bytes[0], bytes[1]);
}

fn main() {
    print!("{:9}{:>9}", "keys", "count");
    let columns = "append insert get get-seq 100-up 100-down replace remove B-seq B-rnd";
    columns.split(' ').for_each(|column| print!("{column:>9}"));
    println!();
    for (name, width, make) in SHAPES {
        for count in [10_000, 1_000_000] {
            run(name, width, make, count);
        }
    }
    let lock = RwLock::new(0u64);
    let keys = Keys { bytes: vec![0; 1_000_000], width: 1 };
    let cost = keys.measure(|_| ignore(lock.read().ok().map(|guard| *guard)));
    println!("lock and unlock for reading: {cost:.1} ns");
}
