//! The order of joins with the least work, by dynamic programming over sets of inputs.
//!
//! Joins are made one after the other: each joins the result so far with one more input. The work of a join is the rows of
//! its result and those of its smaller side, which a hash table is built of. The rows of a set of inputs are the product
//! of theirs, divided for each link by the number of different values that it compares; so they do not depend on the order.
//! An input without a link to those before it comes only when no other is left.
//!
//! Products of many rows or values are clamped to the largest number: infinity divided by itself would make every
//! comparison false.

/// The share of the first input's rows that counts as work: too little to matter but for a tie.
const TIE_SHARE: f64 = 1e-6;

/// Inputs and the equalities that link them.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    rows: Vec<f64>,
    links: Vec<Link>,
    /// Sets of two inputs, and the factor by which several links of theirs are too selective.
    keys: Vec<(usize, f64)>,
}

/// Inputs with equal columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Link {
    /// The set of inputs, a bit for each.
    pub(super) inputs: usize,
    /// How many different values are compared, at least one.
    pub(super) distinct: f64,
}

impl Graph {
    /// A graph of inputs with these rows, of tables with these rows, both at least one.
    ///
    /// Several links between two inputs are a key of several columns: they compare no more values than the smaller table has
    /// rows.
    pub(super) fn new(rows: Vec<f64>, tables: &[f64], links: Vec<Link>) -> Graph {
        let mut keys = Vec::new();
        for (a, of_a) in tables.iter().enumerate() {
            for (b, of_b) in tables.iter().enumerate().take(a) {
                let pair = 1 << a | 1 << b;
                let of_pair = links.iter().filter(|link| link.inputs & pair == pair);
                let distinct = product(of_pair.map(|link| link.distinct));
                let most = of_a.min(*of_b).max(1.0);
                if distinct > most {
                    keys.push((pair, distinct / most));
                }
            }
        }
        Graph { rows, links, keys }
    }

    /// The rows of the join of a set of inputs.
    fn rows_of(&self, set: usize) -> f64 {
        let rows = self.rows.iter().enumerate().filter(|(input, _)| set & 1 << input != 0);
        let all = product(rows.map(|(_, rows)| *rows));
        let share = |link: &Link| link.distinct.powi((link.inputs & set).count_ones().saturating_sub(1) as i32);
        let distinct = product(self.links.iter().map(share));
        let keys = product(self.keys.iter().filter(|(pair, _)| pair & set == *pair).map(|(_, factor)| *factor));
        (all / distinct * keys).min(f64::MAX)
    }

    /// Returns true if an input has a link to one of the set.
    fn is_linked(&self, set: usize, input: usize) -> bool {
        self.links.iter().any(|link| link.inputs & 1 << input != 0 && link.inputs & set != 0)
    }

    /// The inputs that may be joined next: those with a link, or all that are left.
    fn next(&self, set: usize) -> Vec<usize> {
        let left: Vec<usize> = (0..self.rows.len()).filter(|input| set & 1 << input == 0).collect();
        let linked: Vec<usize> = left.iter().copied().filter(|&input| self.is_linked(set, input)).collect();
        if linked.is_empty() { left } else { linked }
    }

    fn work_of_join(&self, set: usize, input: usize) -> f64 {
        self.rows_of(set | 1 << input) + self.rows_of(set).min(self.rows[input])
    }

    /// The work of all joins in this order.
    pub(super) fn work(&self, order: &[usize]) -> f64 {
        let Some((first, others)) = order.split_first() else { return 0.0 };
        let (mut set, mut work) = (1 << first, 0.0);
        for &input in others {
            work += self.work_of_join(set, input);
            set |= 1 << input;
        }
        work
    }

    /// The order of the statement, as far as links permit: each next one is the first that has a link.
    pub(super) fn written_order(&self) -> Vec<usize> {
        let (mut order, mut set) = (vec![0], 1);
        while let Some(&input) = self.next(set).first() {
            order.push(input);
            set |= 1 << input;
        }
        order
    }

    /// The order with the least work; `None` if the work of every order is too large for a number.
    pub(super) fn best_order(&self) -> Option<Vec<usize>> {
        let all = (1 << self.rows.len()) - 1;
        // For each set: the least work, and the input that was joined last.
        let mut best = vec![(f64::INFINITY, 0); all + 1];
        for input in 0..self.rows.len() {
            // Of two orders with the same work the one that begins with the smaller input.
            best[1 << input] = (self.rows[input] * TIE_SHARE, input);
        }
        for set in 1..all {
            if best[set].0.is_finite() {
                for input in self.next(set) {
                    let work = best[set].0 + self.work_of_join(set, input);
                    if work < best[set | 1 << input].0 {
                        best[set | 1 << input] = (work, input);
                    }
                }
            }
        }
        // A set with finite work was reached from sets with finite work, so the walk back ends.
        if !best[all].0.is_finite() {
            return None;
        }
        let (mut set, mut order) = (all, Vec::new());
        while set != 0 {
            let last = best[set].1;
            order.push(last);
            set &= !(1 << last);
        }
        order.reverse();
        Some(order)
    }
}

/// The product of numbers that are at least zero, at most the largest number.
fn product(factors: impl Iterator<Item = f64>) -> f64 {
    factors.fold(1.0, |product, factor| (product * factor).min(f64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(inputs: &[usize], distinct: f64) -> Link {
        Link { inputs: inputs.iter().map(|input| 1 << input).sum(), distinct }
    }

    /// Customers, orders, lines, suppliers, nations, regions, as the fifth query of TPC-H names them.
    fn local_suppliers() -> Graph {
        let tables = [150_000.0, 1_500_000.0, 6_000_000.0, 10_000.0, 25.0, 5.0];
        let links = vec![
            link(&[0, 1], 150_000.0),
            link(&[1, 2], 1_500_000.0),
            link(&[2, 3], 10_000.0),
            link(&[0, 3, 4], 25.0),
            link(&[4, 5], 5.0),
        ];
        Graph::new(vec![150_000.0, 150_000.0, 6_000_000.0, 10_000.0, 25.0, 1.0], &tables, links)
    }

    #[test]
    fn a_selective_table_comes_early() {
        let graph = local_suppliers();
        assert_eq!(graph.written_order(), [0, 1, 2, 3, 4, 5]);
        let best = graph.best_order().unwrap();
        assert_eq!(best[2..], [0, 1, 2, 3], "customers of the region, their orders, the lines of these");
        assert!(graph.work(&best) < graph.work(&graph.written_order()) / 2.0);
    }

    #[test]
    fn rows_of_a_set_do_not_depend_on_the_order() {
        let graph = local_suppliers();
        assert_eq!(graph.rows_of(0b10), 150_000.0);
        assert_eq!(graph.rows_of(0b110), 600_000.0, "a tenth of the orders has a tenth of the lines");
        assert_eq!(graph.rows_of(0b110000), 5.0);
        assert_eq!(graph.rows_of(0b011001), 150_000.0 * 10_000.0 / 25.0, "each with the suppliers of the nation");
    }

    #[test]
    fn inputs_without_links_come_last() {
        let graph = Graph::new(vec![10.0, 5.0, 10.0], &[10.0, 5.0, 10.0], vec![link(&[0, 2], 10.0)]);
        assert_eq!(graph.written_order(), [0, 2, 1]);
        assert_eq!(graph.best_order().unwrap().last(), Some(&1));
    }

    #[test]
    fn two_equalities_of_a_key_count_once() {
        let rows = [6_000_000.0, 800_000.0];
        let graph = Graph::new(rows.to_vec(), &rows, vec![link(&[0, 1], 200_000.0), link(&[0, 1], 10_000.0)]);
        assert_eq!(graph.rows_of(0b11), 6_000_000.0);
    }

    /// 100,000 to the power of 100 is larger than the largest number, about 1.8e308.
    #[test]
    fn a_hundred_links_of_two_inputs_have_an_order() {
        let rows = [100_000.0, 1_000_000.0, 1_000_000.0];
        let links = std::iter::repeat_n(link(&[1, 2], 100_000.0), 100).chain([link(&[0, 1], 100_000.0)]);
        let graph = Graph::new(rows.to_vec(), &rows, links.collect());
        let (joined, expected) = (graph.rows_of(0b110), 1_000_000.0);
        assert!((joined / expected - 1.0).abs() < 1e-6, "a key of the smaller table: {joined}");
        let mut best = graph.best_order().unwrap();
        best.sort_unstable();
        assert_eq!(best, [0, 1, 2]);
    }

    #[test]
    fn work_beyond_the_largest_number_has_no_order() {
        let rows = [f64::MAX, f64::MAX, f64::MAX];
        assert_eq!(Graph::new(rows.to_vec(), &rows, Vec::new()).best_order(), None);
    }
}
