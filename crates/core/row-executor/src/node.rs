//! Plans as trees of operators, to be shown to people and to their tools.
//!
//! A language shows plans in words of its own (SHOWPLAN of T-SQL). It needs to know which operators a plan has, what they
//! read, and how they depend on each other, whichever executor runs the plan; it needs no type of an executor for that.
//!
//! ```text
//!   row executor     loops over indexes   --\
//!   batch executor   physical operators   ---+-->  Node { operator, table, index, conditions, inputs }
//!   changes          the rows they find   --/
//! ```
//!
//! Limits: operators that only move rows between threads are left out, and costs are not part of a tree, since no executor
//! calculates them.

use crate::access::Access;
use crate::block::{Role, SortKey};
use crate::expression::Expression;
use crate::plan::{Plan, Step};
use mainstay_columnar::Comparison;
use mainstay_store::NativeTable;
use mainstay_store::index::Direction;

/// The kind of join of two inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is its own name")]
pub enum Join {
    Inner,
    LeftOuter,
    RightOuter,
    FullOuter,
    LeftSemi,
    RightSemi,
    LeftAnti,
    RightAnti,
}

/// The work of an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operator {
    /// Reads a table from one end to the other.
    TableScan,
    /// Reads rows in the order of an index.
    IndexScan,
    /// Reads the rows that keys of an index give.
    IndexSeek,
    /// Rows that are part of the statement.
    Constants,
    /// A function that gives rows.
    Rowset(String),
    /// Keeps rows that satisfy a condition.
    Filter,
    /// Calculates values for each row.
    Compute,
    /// Brings rows into an order.
    Sort,
    /// Finds the first rows of an order.
    TopSort,
    /// Passes the first rows on.
    Top,
    /// Groups by a table of keys.
    HashAggregate,
    /// Folds all rows, or rows that come in the order of their keys.
    StreamAggregate,
    /// Joins by a table of keys.
    HashJoin(Join),
    /// Joins inputs in the order of their keys.
    MergeJoin(Join),
    /// Looks for partners of each row.
    NestedLoops(Join),
    /// The rows of one input after the other.
    Concatenation,
    /// Runs one input after the other, and gives the rows of the last: subqueries for one value, then what uses them.
    Sequence,
    /// Window functions.
    Window,
    /// Repeats a query over the rows that it gave before.
    Recursion,
    /// Rows that are kept for several places of the plan.
    Spool,
    /// Adds rows to a table.
    Insert,
    /// Gives rows of a table other values.
    Update,
    /// Removes rows of a table.
    Delete,
    /// Changes a table by the rows of another.
    Merge,
    /// Another operator, by the name that the executor has for it.
    Other(String),
}

/// An operator of a plan, and the operators whose rows it works on.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its work.
    pub operator: Operator,
    /// The table that it reads or changes, by the core's name.
    pub table: Option<String>,
    /// The index that it uses.
    pub index: Option<String>,
    /// The range of the index, as a condition.
    pub seek: Option<String>,
    /// The condition that rows have to satisfy.
    pub condition: Option<String>,
    /// True if it walks the index from its highest key down.
    pub backward: bool,
    /// The keys of groups or of a join.
    pub keys: Vec<String>,
    /// The keys of an order, from the first on; true for one that is descending.
    pub order: Vec<(String, bool)>,
    /// Values that it calculates.
    pub defined: Vec<String>,
    /// The columns of its rows.
    pub columns: Vec<String>,
    /// The greatest number of rows it passes on, for an operator that limits them.
    pub limit: Option<usize>,
    /// The number of rows that the planner expects.
    pub rows: Option<f64>,
    /// The operators whose rows it works on.
    pub inputs: Vec<Node>,
}

impl Node {
    /// An operator over these inputs, of which nothing else is known.
    pub fn new(operator: Operator, inputs: Vec<Node>) -> Node {
        Node {
            operator,
            table: None,
            index: None,
            seek: None,
            condition: None,
            backward: false,
            keys: Vec::new(),
            order: Vec::new(),
            defined: Vec::new(),
            columns: Vec::new(),
            limit: None,
            rows: None,
            inputs,
        }
    }

    /// The same over a table.
    #[must_use]
    pub fn of_table(self, table: impl Into<String>) -> Node {
        Node { table: Some(table.into()), ..self }
    }
}

/// A plan as operators. `parameters` are the names of the parameters; those without one are shown as `$1` and so on.
pub fn node_of(plan: &Plan, parameters: &[String]) -> Node {
    let printer = Printer { plan, parameters };
    let mut node = match plan.by_kernels() {
        Some((_, table)) => scan_of(table),
        None => printer.loops(),
    };
    let block = &plan.block;
    if let Some(aggregate) = &block.aggregate {
        let operator = if aggregate.keys.is_empty() { Operator::StreamAggregate } else { Operator::HashAggregate };
        node = Node { keys: printer.all(&aggregate.keys), ..Node::new(operator, vec![node]) };
    }
    if !block.having.is_empty() {
        node = Node { condition: printer.conjunction(&block.having), ..Node::new(Operator::Filter, vec![node]) };
    }
    let limit = block.fetch.map(|fetch| block.skip.saturating_add(fetch));
    if plan.sorts() && !block.order.is_empty() {
        let operator = if limit.is_some() { Operator::TopSort } else { Operator::Sort };
        return Node { order: printer.order(&block.order), limit, ..Node::new(operator, vec![node]) };
    }
    match limit.is_some() || block.fetch_by.is_some() {
        true => Node { limit, ..Node::new(Operator::Top, vec![node]) },
        false => node,
    }
}

/// A table that is read from one end to the other.
fn scan_of(table: &NativeTable) -> Node {
    let rows = Some(table.estimated_rows() as f64);
    Node { rows, ..Node::new(Operator::TableScan, Vec::new()).of_table(table.definition().name.as_str()) }
}

/// Writes expressions of a plan as SQL.
struct Printer<'p> {
    plan: &'p Plan,
    parameters: &'p [String],
}

impl Printer<'_> {
    /// The nested loops from the outside in.
    fn loops(&self) -> Node {
        let plan = self.plan;
        let mut loops = plan.steps.iter().filter_map(|step| Some((step, plan.tables.get(step.source)?)));
        let Some((first, table)) = loops.next() else {
            let constants = Node::new(Operator::Constants, Vec::new());
            return match self.conjunction(&plan.before) {
                None => constants,
                condition => Node { condition, ..Node::new(Operator::Filter, vec![constants]) },
            };
        };
        let outermost = self.leaf(first, table);
        loops.fold(outermost, |outer, (step, table)| {
            let join = match plan.block.sources.get(step.source).map(|source| &source.role) {
                Some(Role::Outer(_)) => Join::LeftOuter,
                Some(Role::Semi(_)) => Join::LeftSemi,
                Some(Role::Anti(_)) => Join::LeftAnti,
                Some(Role::Inner) | None => Join::Inner,
            };
            let leaf = self.leaf(step, table);
            Node::new(Operator::NestedLoops(join), vec![outer, leaf])
        })
    }

    fn leaf(&self, step: &Step, table: &NativeTable) -> Node {
        let conditions = step.partner.iter().flatten().chain(&step.conditions);
        let condition = self.conjunction(conditions);
        let indexes = table.indexes();
        let index = step.access.as_ref().and_then(|access| Some((access, indexes.get(access.index)?)));
        let Some((access, index)) = index else { return Node { condition, ..scan_of(table) } };
        let definition = index.definition();
        let seek = self.seek(access, (table, &definition.column_numbers()));
        let operator = if seek.is_some() { Operator::IndexSeek } else { Operator::IndexScan };
        let rows = access.is_point.then_some(1.0);
        Node {
            index: Some(definition.name.clone()),
            seek,
            condition,
            rows,
            backward: matches!(access.direction, Direction::Descending),
            ..Node::new(operator, Vec::new()).of_table(table.definition().name.as_str())
        }
    }

    /// The range of an access; `None` where it is the whole index.
    fn seek(&self, access: &Access, (table, columns): (&NativeTable, &[usize])) -> Option<String> {
        let name = |place: usize| {
            let column = columns.get(place).and_then(|column| table.definition().columns.get(*column));
            column.map_or("?", |column| column.name.as_str())
        };
        let mut parts: Vec<String> = access
            .equal
            .iter()
            .enumerate()
            .map(|(place, value)| format!("{} = {}", name(place), self.text(value)))
            .collect();
        let next = name(access.equal.len());
        let mut bound = |end: &Option<(Expression, bool)>, op: &str| {
            if let Some((value, is_included)) = end {
                parts.push(format!("{next} {op}{} {}", if *is_included { "=" } else { "" }, self.text(value)));
            }
        };
        bound(&access.from, ">");
        bound(&access.to, "<");
        (!parts.is_empty()).then(|| parts.join(" AND "))
    }

    fn all(&self, expressions: &[Expression]) -> Vec<String> {
        expressions.iter().map(|expression| self.text(expression)).collect()
    }

    fn conjunction<'e>(&self, conditions: impl IntoIterator<Item = &'e Expression>) -> Option<String> {
        let parts: Vec<String> = conditions.into_iter().map(|condition| self.text(condition)).collect();
        (!parts.is_empty()).then(|| parts.join(" AND "))
    }

    fn order(&self, keys: &[SortKey]) -> Vec<(String, bool)> {
        keys.iter().map(|key| (self.text(&key.expression), key.descending)).collect()
    }

    fn column(&self, source: usize, column: usize) -> String {
        let Some(table) = self.plan.tables.get(source) else { return "?".to_owned() };
        let definition = table.definition();
        let name = definition.columns.get(column).map_or("row", |column| column.name.as_str());
        format!("{}.{name}", definition.name)
    }

    fn list(&self, expressions: &[Expression], between: &str) -> String {
        self.all(expressions).join(between)
    }

    fn text(&self, expression: &Expression) -> String {
        match expression {
            Expression::Column { source, column } => self.column(*source, *column),
            Expression::Result(place) => self.result(*place),
            Expression::Parameter(place) => {
                self.parameters.get(*place).cloned().unwrap_or_else(|| format!("${}", place + 1))
            }
            Expression::Constant(value) => value.to_string(),
            Expression::Compare { op, left, right } | Expression::CompareText { op, left, right, .. } => {
                format!("{} {} {}", self.text(left), sign(*op), self.text(right))
            }
            Expression::And(parts) => format!("({})", self.list(parts, " AND ")),
            Expression::Or(parts) => format!("({})", self.list(parts, " OR ")),
            Expression::Not(inner) => format!("NOT ({})", self.text(inner)),
            Expression::IsNull(inner) => format!("{} IS NULL", self.text(inner)),
            Expression::Is(inner, truth) => format!("({}) IS {truth}", self.text(inner)),
            Expression::In { expression, list, negated } => {
                let not = if *negated { "NOT " } else { "" };
                format!("{} {not}IN ({})", self.text(expression), self.list(list, ", "))
            }
            Expression::InNumbers { expression, numbers, negated, .. } => {
                let not = if *negated { "NOT " } else { "" };
                format!("{} {not}IN ({} numbers)", self.text(expression), numbers.len())
            }
            Expression::Calculate { operation, left, right, .. } => {
                format!("{operation:?}({}, {})", self.text(left), self.text(right))
            }
            Expression::Cast { expression, .. } => self.text(expression),
            // Marks for comparisons, which the statement does not have.
            Expression::Trim(inner) | Expression::SortKey { text: inner, .. } => self.text(inner),
            Expression::Case { .. } => "CASE".to_owned(),
            Expression::Coalesce(parts) => format!("COALESCE({})", self.list(parts, ", ")),
            Expression::Call { arguments, .. } => format!("function({})", self.list(arguments, ", ")),
            Expression::Subquery(_) => "(subquery)".to_owned(),
        }
    }

    /// A result of the aggregate: a key, or a call.
    fn result(&self, place: usize) -> String {
        let Some(aggregate) = &self.plan.block.aggregate else { return format!("result {place}") };
        match aggregate.keys.get(place) {
            Some(key) => self.text(key),
            None => format!("aggregate {}", place - aggregate.keys.len() + 1),
        }
    }
}

fn sign(op: Comparison) -> &'static str {
    match op {
        Comparison::Equal => "=",
        Comparison::NotEqual => "<>",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
    }
}
