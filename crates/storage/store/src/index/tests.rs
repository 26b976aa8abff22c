//! The index against `BTreeMap`, under random operations, and under threads.

use super::block::{CAPACITY, KeyBlock};
use super::tree::{NONE, Tree};
use super::*;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// Pseudo-random numbers (SplitMix64, by Sebastiano Vigna).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

impl<B: KeyBlock> Tree<B> {
    /// Checks what must be true of every tree, and returns its keys.
    fn check(&self) -> Vec<B::Owned> {
        let mut leaves = Vec::new();
        let mut inners = 0;
        self.check_node(self.root, self.depth, &mut leaves, &mut inners);
        assert_eq!((leaves.len(), inners), (self.leaves.iter().count(), self.inners.iter().count()), "lost nodes");
        assert_eq!(leaves.last(), Some(&self.last));
        let mut keys = Vec::new();
        for (at, id) in leaves.iter().enumerate() {
            let leaf = &self.leaves[*id];
            assert_eq!(leaf.previous, if at == 0 { NONE } else { leaves[at - 1] });
            assert_eq!(leaf.next, leaves.get(at + 1).copied().unwrap_or(NONE));
            assert!(leaf.keys.len() > 0 || self.depth == 0, "an empty leaf");
            for place in 0..leaf.keys.len() {
                let key = leaf.keys.key(place);
                let probe = B::probe(&key);
                assert_eq!((leaf.keys.lower_bound(probe), leaf.keys.upper_bound(probe)), (place, place + 1));
                assert_eq!(self.path_to(probe).1, *id, "a key is not found where it is");
                keys.push(key);
            }
        }
        assert_eq!(keys.len(), self.length);
        keys
    }

    fn check_node(&self, id: u32, depth: usize, leaves: &mut Vec<u32>, inners: &mut usize) {
        if depth == 0 {
            return leaves.push(id);
        }
        *inners += 1;
        let inner = &self.inners[id];
        assert_eq!(inner.child_count, inner.keys.len() + 1);
        assert!(inner.child_count > 1 || id != self.root, "a root with one child");
        for child in &inner.children[..inner.child_count] {
            self.check_node(*child, depth - 1, leaves, inners);
        }
    }
}

fn check(index: &Index) {
    with_tree!(index, tree => {
        tree.read().tree.check();
    });
}

/// Keys of one shape, from a number below the size of the key space.
type MakeKey = fn(u64) -> Vec<u8>;

const SHAPES: [(Option<usize>, MakeKey); 7] = [
    (Some(8), |n| n.to_be_bytes().to_vec()),
    (Some(8), |n| (u64::MAX - n).to_be_bytes().to_vec()),
    (Some(3), |n| n.to_be_bytes()[5..].to_vec()),
    (Some(16), |n| [n % 7, n].iter().flat_map(|n| n.to_be_bytes()).collect()),
    (None, |n| format!("CUSTOMER {:04}", n).into_bytes()),
    (None, |n| vec![0; n as usize % 300].into_iter().chain((n / 300) as u8..).take(n as usize % 300 + 1).collect()),
    (None, |n| (0..n % 40).map(|at| (n.wrapping_mul(at + 3) >> 4) as u8 & 3).chain(n.to_be_bytes()).collect()),
];

fn expected(model: &BTreeMap<Vec<u8>, u64>, low: &[u8], high: Option<&[u8]>, direction: Direction) -> Vec<u64> {
    let inside = model.iter().filter(|(key, _)| key.as_slice() >= low && high.is_none_or(|high| key.as_slice() < high));
    let mut positions: Vec<u64> = inside.map(|(_, position)| *position).collect();
    if direction == Direction::Descending {
        positions.reverse();
    }
    positions
}

fn fetched(index: &Index, cursor: &mut Cursor, portion: usize) -> Vec<u64> {
    let (mut all, mut out) = (Vec::new(), vec![0; portion]);
    while !cursor.is_finished() {
        let count = index.fetch(cursor, &mut out);
        all.extend_from_slice(&out[..count]);
        // A walk in circles must fail, not fill the machine's memory.
        assert!(all.len() <= 100_000, "a range without end");
    }
    all
}

fn compare_range(index: &Index, model: &BTreeMap<Vec<u8>, u64>, make: MakeKey, space: u64, random: &mut Random) {
    let direction = [Direction::Ascending, Direction::Descending][random.below(2) as usize];
    let (mut low, mut high) = (make(random.below(space)), make(random.below(space)));
    match random.below(6) {
        0 => low.clear(),
        1 => low.push(random.below(2) as u8),
        2 => high.push(random.below(2) as u8),
        3 => low.truncate(low.len() / 2),
        4 => high.truncate(high.len() / 2),
        _ => {}
    }
    let high = (random.below(4) > 0).then_some(high.as_slice());
    let portion = 1 + random.below(100) as usize;
    let got = fetched(index, &mut Cursor::new(&low, high, direction), portion);
    assert_eq!(got, expected(model, &low, high, direction), "{low:?} {high:?} {direction:?}");
}

fn run_model(width: Option<usize>, make: MakeKey, seed: u64) {
    let mut random = Random(seed);
    let index = Index::new(width);
    let mut model = BTreeMap::new();
    let space = [40, 700, 9000][seed as usize % 3];
    for phase in 0..6 {
        // Phases that mostly grow and phases that mostly shrink; the last one empties.
        let grows = [70, 20, 60, 45, 80, 0][phase];
        for step in 0..700 {
            let key = make(random.below(space));
            match random.below(100) {
                roll if roll < grows => {
                    let found = model.get(&key).copied();
                    let inserted = index.insert(&key, step);
                    assert_eq!(inserted, found.map_or(Inserted::New, Inserted::Existing));
                    model.entry(key).or_insert(step);
                }
                roll if roll < 85 => assert_eq!(index.remove(&key), model.remove(&key)),
                roll if roll < 88 => {
                    assert_eq!(
                        index.replace(&key, step + 7),
                        model.get_mut(&key).map(|p| std::mem::replace(p, step + 7))
                    );
                }
                roll if roll < 91 => {
                    let old = random.below(700);
                    let agrees = model.get(&key) == Some(&old);
                    assert_eq!(index.replace_if(&key, old, 3), agrees);
                    if agrees {
                        model.insert(key, 3);
                    }
                }
                roll if roll < 94 => {
                    let old = random.below(700);
                    let agrees = model.get(&key) == Some(&old);
                    assert_eq!(index.remove_if(&key, old), agrees);
                    if agrees {
                        model.remove(&key);
                    }
                }
                roll if roll < 98 => assert_eq!(index.get(&key), model.get(&key).copied()),
                _ => compare_range(&index, &model, make, space, &mut random),
            }
            assert_eq!(index.len(), model.len());
        }
        check(&index);
    }
    let left: Vec<Vec<u8>> = model.keys().cloned().collect();
    left.iter().for_each(|key| assert!(index.remove(key).is_some()));
    check(&index);
    assert!(index.is_empty());
}

#[test]
fn random_operations_give_what_a_map_gives() {
    for seed in 0..9 {
        for (width, make) in SHAPES {
            run_model(width, make, seed);
        }
    }
}

#[test]
fn keys_in_order_fill_their_nodes() {
    // Shape 1 descends as its numbers ascend.
    for (width, make) in [SHAPES[0], SHAPES[1], SHAPES[4]] {
        let index = Index::new(width);
        (0..8000).for_each(|n| assert_eq!(index.insert(&make(n), n), Inserted::New));
        check(&index);
        assert_eq!(leaves(&index), 8000 / CAPACITY);
    }
    for (width, make) in [SHAPES[0], SHAPES[4]] {
        let index = Index::new(width);
        // Eight ascending runs side by side, each before some keys that are there: none ends at the end of a leaf.
        (0..8 * 20).for_each(|n| assert_eq!(index.insert(&make(n / 20 * 1000 + 980 + n % 20), n), Inserted::New));
        (0..8 * 980).for_each(|n| assert_eq!(index.insert(&make(n % 8 * 1000 + n / 8), n), Inserted::New));
        check(&index);
        assert!(leaves(&index) < 8000 / CAPACITY * 5 / 4, "{} leaves", leaves(&index));
    }
}

fn leaves(index: &Index) -> usize {
    with_tree!(index, tree => tree.read().tree.leaves.iter().count())
}

/// The numbers below `count`, in any order.
fn shuffled(count: u64, random: &mut Random) -> Vec<u64> {
    let mut numbers: Vec<u64> = (0..count).collect();
    (1..numbers.len()).for_each(|at| numbers.swap(at, random.below(at as u64 + 1) as usize));
    numbers
}

#[test]
fn deep_trees_grow_and_shrink_in_any_order() {
    let wide = (SHAPES[0].0, SHAPES[0].1, 60_000);
    let others = SHAPES[1..5].iter().map(|(width, make)| (*width, *make, 8_000));
    for (width, make, count) in others.chain([wide]) {
        let mut random = Random(count);
        let index = Index::new(width);
        let numbers = shuffled(count, &mut random);
        numbers.iter().for_each(|n| assert_eq!(index.insert(&make(*n), *n), Inserted::New));
        check(&index);
        for (at, n) in shuffled(count, &mut random).into_iter().enumerate() {
            assert_eq!(index.remove(&make(n)), Some(n));
            assert_eq!(index.get(&make(n)), None);
            if (at as u64 + 1).is_multiple_of(count / 8) {
                check(&index);
            }
        }
        assert!(index.is_empty());
        assert_eq!(leaves(&index), 1);
    }
}

#[test]
fn building_from_sorted_entries_fills_nodes_and_finds_duplicates() {
    for (width, make) in SHAPES {
        let mut keys: Vec<Vec<u8>> = (0..5000).map(make).collect();
        keys.sort();
        keys.dedup();
        let entries = || keys.iter().zip(0u64..);
        let index = Index::build(width, entries()).unwrap();
        check(&index);
        entries().for_each(|(key, position)| assert_eq!(index.get(key), Some(position)));
        assert_eq!(leaves(&index), keys.len().div_ceil(CAPACITY));
        let twice = entries().chain([(&keys[17], 9999)]);
        assert_eq!(Index::build(width, twice).err(), Some(Duplicate { existing: 17, position: 9999 }));
    }
}

#[test]
fn cursors_survive_changes_between_portions() {
    for seed in 0..30 {
        for (width, make) in SHAPES {
            let mut random = Random(seed);
            let space = 4000;
            // Keys of even numbers stay; others come and go while the cursor is on its way.
            let kept: BTreeMap<Vec<u8>, u64> = (0..space).step_by(2).map(|n| (make(n), n)).collect();
            let index = Index::build(width, kept.iter().map(|(key, position)| (key, *position))).unwrap();
            let direction = [Direction::Ascending, Direction::Descending][seed as usize % 2];
            let (mut cursor, mut out, mut seen) = (Cursor::new(&[], None, direction), [0; 37], Vec::<u64>::new());
            while !cursor.is_finished() {
                let count = index.fetch(&mut cursor, &mut out);
                seen.extend(out[..count].iter().filter(|position| *position % 2 == 0));
                for _ in 0..60 {
                    let n = random.below(space / 2) * 2 + 1;
                    let key = make(n);
                    if !kept.contains_key(&key) && random.below(2) == 0 {
                        index.insert(&key, n);
                    } else if !kept.contains_key(&key) {
                        index.remove(&key);
                    }
                }
            }
            assert_eq!(seen, expected(&kept, &[], None, direction));
        }
    }
}

#[test]
fn memory_does_not_grow_when_keys_go_and_come_back() {
    for (width, make) in [SHAPES[0], SHAPES[3], SHAPES[4]] {
        let index = Index::new(width);
        let empty = index.memory();
        let mut random = Random(5);
        let mut most = Vec::new();
        for _ in 0..10 {
            let numbers = shuffled(9000, &mut random);
            numbers.iter().for_each(|n| assert_eq!(index.insert(&make(*n), 1), Inserted::New));
            most.push(index.memory());
            numbers.iter().rev().for_each(|n| assert_eq!(index.remove(&make(*n)), Some(1)));
            assert!(index.memory() < empty + 4096, "{} after {empty}", index.memory());
        }
        assert!(most[9] < most[0] / 10 * 11, "{most:?}");
    }
}

#[test]
fn a_queue_keeps_its_size() {
    let index = Index::new(Some(8));
    let mut most = 0;
    for n in 0..100_000u64 {
        index.insert(&n.to_be_bytes(), n);
        if n >= 1000 {
            assert_eq!(index.remove(&(n - 1000).to_be_bytes()), Some(n - 1000));
        }
        most = most.max(if n % 1000 == 0 { index.memory() } else { 0 });
    }
    check(&index);
    assert!(most < 300_000, "{most}");
}

#[test]
fn readers_see_whole_trees_while_a_writer_works() {
    for (width, make) in [SHAPES[0], SHAPES[4]] {
        let index = Index::build(width, (0..4000).step_by(2).map(|n| (make(n), n))).unwrap();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for seed in 0..3 {
                let (index, done) = (&index, &done);
                scope.spawn(move || {
                    let mut random = Random(seed);
                    while !done.load(Ordering::Relaxed) {
                        let n = random.below(2000) * 2;
                        assert_eq!(index.get(&make(n)), Some(n));
                        let mut cursor = Cursor::new(&make(n), None, Direction::Ascending);
                        let got = fetched(index, &mut cursor, 50);
                        assert!(got.is_sorted());
                        assert_eq!(got.iter().filter(|n| *n % 2 == 0).count() as u64, (4000 - n) / 2);
                    }
                });
            }
            let mut random = Random(77);
            for _ in 0..20_000 {
                let n = random.below(2000) * 2 + 1;
                if random.below(2) == 0 {
                    index.insert(&make(n), n);
                } else {
                    index.remove(&make(n));
                }
            }
            done.store(true, Ordering::Relaxed);
        });
        check(&index);
    }
}

/// Batches of every size between other operations, in the order of keys and in none.
#[test]
fn batches_are_read_as_if_they_were_in_the_tree() {
    for (shape, (width, make)) in SHAPES.into_iter().enumerate() {
        let (index, mut map, mut random) = (Index::new(width), BTreeMap::new(), Random(shape as u64));
        let mut position = 0;
        for round in 0..12 {
            let is_ascending = random.below(4) == 0;
            let count = [1, 100, 5000, 9000][random.below(4) as usize];
            let mut batch = index.batch(count);
            let mut keys: Vec<Vec<u8>> = (0..count).map(|_| make(random.below(60_000))).collect();
            if is_ascending {
                keys.sort();
            }
            for key in keys {
                if let std::collections::btree_map::Entry::Vacant(place) = map.entry(key) {
                    position += 1;
                    index.add_to(&mut batch, place.key(), position);
                    place.insert(position);
                }
            }
            index.insert_batch(batch);
            assert_eq!(index.len(), map.len(), "shape {shape}, round {round}");
            for _ in 0..random.below(3) * 40 {
                let key = make(random.below(60_000));
                match random.below(4) {
                    0 => assert_eq!(index.remove(&key), map.remove(&key)),
                    1 => {
                        position += 1;
                        let expected = map.get(&key).map_or(Inserted::New, |existing| Inserted::Existing(*existing));
                        assert_eq!(index.insert(&key, position), expected);
                        map.entry(key).or_insert(position);
                    }
                    _ => assert_eq!(index.get(&key), map.get(&key).copied()),
                }
            }
            if random.below(3) == 0 {
                let (mut cursor, mut out) = (Cursor::new(&[], None, Direction::Ascending), [0; PORTION]);
                let mut found = Vec::new();
                loop {
                    let count = index.fetch(&mut cursor, &mut out);
                    found.extend_from_slice(&out[..count]);
                    if count < PORTION {
                        break;
                    }
                }
                assert_eq!(found, map.values().copied().collect::<Vec<_>>(), "shape {shape}, round {round}");
                check(&index);
            }
        }
    }
}
