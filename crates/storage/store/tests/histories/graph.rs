//! A directed graph with several kinds of edges: its strongly connected components, and shortest ways through it.

use std::collections::{HashMap, VecDeque};

/// Why one transaction comes before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dependency {
    /// The second appended right behind the first.
    WriteWrite,
    /// The second read what the first appended last.
    WriteRead,
    /// The second appended right behind what the first read.
    ReadWrite,
    /// The first had ended before the second began.
    Time,
}

/// An edge.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Where it leads to.
    pub to: usize,
    /// Why.
    pub kind: Dependency,
    /// The number of the key that it is about; of no meaning for time.
    pub key: usize,
}

/// Nodes by number and their edges.
#[derive(Default)]
pub struct Graph {
    edges: Vec<Vec<Edge>>,
}

impl Graph {
    /// A graph of so many nodes, without edges.
    pub fn new(nodes: usize) -> Graph {
        Graph { edges: vec![Vec::new(); nodes] }
    }

    /// Adds a node: its number.
    pub fn add_node(&mut self) -> usize {
        self.edges.push(Vec::new());
        self.edges.len() - 1
    }

    /// Adds an edge, unless it leads nowhere new.
    pub fn add(&mut self, from: usize, edge: Edge) {
        if from != edge.to && !self.edges[from].iter().any(|known| (known.to, known.kind) == (edge.to, edge.kind)) {
            self.edges[from].push(edge);
        }
    }

    /// The edges from a node.
    pub fn from(&self, node: usize) -> &[Edge] {
        &self.edges[node]
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// The number of each node's strongly connected component, over edges of these kinds. An edge never leads to a
    /// component of a higher number (Tarjan 1972, without recursion).
    pub fn components(&self, kinds: &[Dependency]) -> Vec<usize> {
        const UNSEEN: usize = usize::MAX;
        let nodes = self.len();
        let (mut order, mut low, mut component) = (vec![UNSEEN; nodes], vec![0; nodes], vec![UNSEEN; nodes]);
        let (mut stack, mut seen, mut components) = (Vec::new(), 0, 0);
        for root in 0..nodes {
            if order[root] != UNSEEN {
                continue;
            }
            let mut path = vec![(root, 0)];
            while let Some((node, next)) = path.pop() {
                if next == 0 {
                    (order[node], low[node]) = (seen, seen);
                    seen += 1;
                    stack.push(node);
                }
                let found = self.edges[node].iter().enumerate().skip(next).find(|(_, edge)| kinds.contains(&edge.kind));
                if let Some((at, edge)) = found {
                    path.push((node, at + 1));
                    if order[edge.to] == UNSEEN {
                        path.push((edge.to, 0));
                    } else if component[edge.to] == UNSEEN {
                        low[node] = low[node].min(order[edge.to]);
                    }
                    continue;
                }
                if low[node] == order[node] {
                    while let Some(member) = stack.pop() {
                        component[member] = components;
                        if member == node {
                            break;
                        }
                    }
                    components += 1;
                }
                if let Some((parent, _)) = path.last() {
                    low[*parent] = low[*parent].min(low[node]);
                }
            }
        }
        component
    }

    /// The edges of a shortest way between two nodes over edges of these kinds and nodes that are `allowed`.
    pub fn way(
        &self,
        from: usize,
        to: usize,
        kinds: &[Dependency],
        allowed: impl Fn(usize) -> bool,
    ) -> Option<Vec<(usize, Edge)>> {
        let mut came: HashMap<usize, (usize, Edge)> = HashMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            for edge in self.edges[node].iter().filter(|edge| kinds.contains(&edge.kind) && allowed(edge.to)) {
                if came.contains_key(&edge.to) {
                    continue;
                }
                came.insert(edge.to, (node, *edge));
                if edge.to == to {
                    let (mut way, mut at) = (Vec::new(), to);
                    loop {
                        let (before, edge) = came[&at];
                        way.push((before, edge));
                        at = before;
                        if at == from {
                            way.reverse();
                            return Some(way);
                        }
                    }
                }
                queue.push_back(edge.to);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_and_ways_of_a_small_graph() {
        use Dependency::{ReadWrite, WriteRead, WriteWrite};
        let mut graph = Graph::new(6);
        for (from, to, kind) in [
            (0, 1, WriteWrite),
            (1, 2, WriteRead),
            (2, 0, ReadWrite),
            (2, 3, WriteWrite),
            (3, 4, WriteWrite),
            (4, 3, WriteRead),
        ] {
            graph.add(from, Edge { to, kind, key: 0 });
        }
        let all = graph.components(&[WriteWrite, WriteRead, ReadWrite]);
        assert!(all[0] == all[1] && all[1] == all[2] && all[3] == all[4]);
        assert!(all[3] < all[0] && all[5] != all[0] && all[5] != all[3]);
        let some = graph.components(&[WriteWrite, WriteRead]);
        assert!(some[0] > some[1] && some[1] > some[2] && some[3] == some[4]);
        let way = graph.way(0, 0, &[WriteWrite, WriteRead, ReadWrite], |_| true).unwrap();
        assert_eq!(way.iter().map(|(from, edge)| (*from, edge.to)).collect::<Vec<_>>(), [(0, 1), (1, 2), (2, 0)]);
        assert!(graph.way(4, 0, &[WriteWrite, WriteRead, ReadWrite], |_| true).is_none());
        assert!(graph.way(0, 4, &[WriteWrite, WriteRead], |node| node != 2).is_none());
    }

    /// The components of random graphs are those that reachability says they are.
    #[test]
    fn components_are_what_can_be_reached_both_ways() {
        let mut luck = 7u64;
        let mut below = |limit: u64| {
            luck = luck.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((luck >> 33) % limit) as usize
        };
        for _ in 0..200 {
            let nodes = 2 + below(10);
            let mut graph = Graph::new(nodes);
            for _ in 0..below(25) {
                let (from, to) = (below(nodes as u64), below(nodes as u64));
                graph.add(from, Edge { to, kind: Dependency::WriteWrite, key: 0 });
            }
            let kinds = [Dependency::WriteWrite];
            let component = graph.components(&kinds);
            for (a, b) in (0..nodes).flat_map(|a| (0..nodes).map(move |b| (a, b))).filter(|(a, b)| a != b) {
                let reaches = |from, to| graph.way(from, to, &kinds, |_| true).is_some();
                assert_eq!(component[a] == component[b], reaches(a, b) && reaches(b, a));
                assert!(!reaches(a, b) || component[b] <= component[a]);
            }
        }
    }
}
