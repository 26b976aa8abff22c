//! Operators of the core under the names that SQL Server has for the same work.
//!
//! The names and the forms of arguments are those of "Showplan Logical and Physical Operators Reference" in SQL
//! Server's documentation. An operator without an equivalent keeps the executor's own name.
//!
//! Limits: conditions are shown as the core has them, so literals and functions are in the core's SQL.

use mainstay_engine::{Join, Node, Operator};
use std::fmt;

/// Gives tables of the core the names that clients know.
pub(crate) type TableNames<'n> = &'n dyn Fn(&str) -> TableName;

/// The name of a table in its three parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableName {
    pub(crate) database: String,
    pub(crate) schema: String,
    pub(crate) table: String,
}

impl TableName {
    pub(crate) fn new(database: &str, schema: &str, table: &str) -> TableName {
        TableName { database: database.to_owned(), schema: schema.to_owned(), table: table.to_owned() }
    }
}

impl fmt::Display for TableName {
    /// The parts in brackets: `[shop].[dbo].[orders]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", quoted(&self.database), quoted(&self.schema), quoted(&self.table))
    }
}

/// A name in brackets, as QUOTENAME gives it.
pub(crate) fn quoted(name: &str) -> String {
    format!("[{}]", name.replace(']', "]]"))
}

/// An operator in SQL Server's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// The algorithm.
    pub(crate) physical: String,
    /// The operation of relational algebra.
    pub(crate) logical: String,
    /// The tables, keys and conditions that it works with.
    pub(crate) argument: Option<String>,
    /// Values that it calculates.
    pub(crate) defined: Option<String>,
}

impl Named {
    /// The operator as a row of text shows it: `Hash Match(Inner Join, HASH:(a)=(b))`.
    pub(crate) fn text(&self) -> String {
        let is_said = matches!(self.physical.as_str(), "Nested Loops" | "Hash Match" | "Merge Join");
        let logical = is_said.then_some(self.logical.as_str());
        let parts: Vec<&str> = logical.into_iter().chain(self.argument.as_deref()).collect();
        match parts.is_empty() {
            true => self.physical.clone(),
            false => format!("{}({})", self.physical, parts.join(", ")),
        }
    }
}

/// The operator of a node.
pub(crate) fn named(node: &Node, tables: TableNames<'_>) -> Named {
    let (physical, logical) = names_of(node);
    let defined = (!node.defined.is_empty()).then(|| node.defined.join(", "));
    Named { physical, logical, argument: argument_of(node, tables), defined }
}

fn join_name(join: Join) -> &'static str {
    match join {
        Join::Inner => "Inner Join",
        Join::LeftOuter => "Left Outer Join",
        Join::RightOuter => "Right Outer Join",
        Join::FullOuter => "Full Outer Join",
        Join::LeftSemi => "Left Semi Join",
        Join::RightSemi => "Right Semi Join",
        Join::LeftAnti => "Left Anti Semi Join",
        Join::RightAnti => "Right Anti Semi Join",
    }
}

/// The physical and the logical operator.
fn names_of(node: &Node) -> (String, String) {
    let (physical, logical) = match &node.operator {
        Operator::TableScan => ("Table Scan", "Table Scan"),
        Operator::IndexScan => ("Index Scan", "Index Scan"),
        Operator::IndexSeek => ("Index Seek", "Index Seek"),
        Operator::Constants => ("Constant Scan", "Constant Scan"),
        Operator::Rowset(_) => ("Table-valued function", "Table-valued function"),
        Operator::Filter => ("Filter", "Filter"),
        Operator::Compute => ("Compute Scalar", "Compute Scalar"),
        Operator::Sort => ("Sort", "Sort"),
        Operator::TopSort => ("Sort", "TopN Sort"),
        Operator::Top => ("Top", "Top"),
        Operator::HashAggregate => ("Hash Match", "Aggregate"),
        Operator::StreamAggregate => ("Stream Aggregate", "Aggregate"),
        Operator::HashJoin(join) => ("Hash Match", join_name(*join)),
        Operator::MergeJoin(join) => ("Merge Join", join_name(*join)),
        Operator::NestedLoops(join) => ("Nested Loops", join_name(*join)),
        Operator::Concatenation => ("Concatenation", "Concatenation"),
        Operator::Sequence => ("Sequence", "Sequence"),
        Operator::Window => ("Window Aggregate", "Window Aggregate"),
        Operator::Recursion => ("Table Spool", "Lazy Spool"),
        Operator::Spool => ("Table Spool", "Eager Spool"),
        Operator::Insert => ("Table Insert", "Insert"),
        Operator::Update => ("Table Update", "Update"),
        Operator::Delete => ("Table Delete", "Delete"),
        Operator::Merge => ("Table Merge", "Merge"),
        Operator::Other(name) => (name.as_str(), name.as_str()),
    };
    (physical.to_owned(), logical.to_owned())
}

/// The table of an operator, with its index.
pub(crate) fn object_of(node: &Node, tables: TableNames<'_>) -> Option<String> {
    let table = tables(node.table.as_deref()?);
    Some(match &node.index {
        Some(index) => format!("{table}.{}", quoted(index)),
        None => table.to_string(),
    })
}

fn argument_of(node: &Node, tables: TableNames<'_>) -> Option<String> {
    let mut parts: Vec<String> = Vec::new();
    if let Some(object) = object_of(node, tables) {
        parts.push(format!("OBJECT:({object})"));
    }
    let keys = node.keys.join(", ");
    let direction = |descending: &bool| if *descending { "DESC" } else { "ASC" };
    let order: Vec<String> = node.order.iter().map(|(key, down)| format!("{key} {}", direction(down))).collect();
    let order = format!("ORDER BY:({})", order.join(", "));
    match &node.operator {
        Operator::Sort => parts.push(order),
        Operator::TopSort => {
            parts.extend(node.limit.map(|limit| format!("TOP {limit}")));
            parts.push(order);
        }
        Operator::Top => parts.extend(node.limit.map(|limit| format!("TOP EXPRESSION:(({limit}))"))),
        Operator::HashAggregate => parts.push(format!("HASH:({keys})")),
        Operator::StreamAggregate if !keys.is_empty() => parts.push(format!("GROUP BY:({keys})")),
        Operator::HashJoin(_) => parts.push(format!("HASH:({keys})")),
        Operator::MergeJoin(_) => parts.push(format!("MERGE:({keys})")),
        Operator::Rowset(name) => parts.push(format!("OBJECT:({name})")),
        _ => {}
    }
    if let Some(seek) = &node.seek {
        parts.push(format!("SEEK:({seek})"));
    }
    if matches!(node.operator, Operator::IndexScan | Operator::IndexSeek) {
        let direction = if node.backward { "BACKWARD" } else { "FORWARD" };
        parts.push(format!("ORDERED {direction}"));
    }
    if let Some(condition) = &node.condition {
        parts.push(format!("WHERE:({condition})"));
    }
    if matches!(node.operator, Operator::Compute | Operator::StreamAggregate | Operator::HashAggregate)
        && !node.defined.is_empty()
    {
        parts.push(format!("DEFINE:({})", node.defined.join(", ")));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::{TableName, named};
    use mainstay_engine::{Join, Node, Operator};

    /// The forms of "SET SHOWPLAN_TEXT" and "SET SHOWPLAN_ALL" in SQL Server's reference.
    #[test]
    fn operators_are_shown_with_their_arguments() {
        let tables = |name: &str| TableName::new("shop", "dbo", name);
        let text = |node: Node| named(&node, &tables).text();
        let scan = Node::new(Operator::TableScan, Vec::new()).of_table("t");
        assert_eq!(text(scan.clone()), "Table Scan(OBJECT:([shop].[dbo].[t]))");
        let seek = Node {
            index: Some("t_pk".to_owned()),
            seek: Some("id = @id".to_owned()),
            condition: Some("n > 1".to_owned()),
            ..Node::new(Operator::IndexSeek, Vec::new()).of_table("t")
        };
        let wanted = "Index Seek(OBJECT:([shop].[dbo].[t].[t_pk]), SEEK:(id = @id), ORDERED FORWARD, WHERE:(n > 1))";
        assert_eq!(text(seek), wanted);
        let scan_of_index = Node { backward: true, index: Some("a]b".to_owned()), ..scan.clone() };
        let scan_of_index = Node { operator: Operator::IndexScan, ..scan_of_index };
        assert_eq!(text(scan_of_index), "Index Scan(OBJECT:([shop].[dbo].[t].[a]]b]), ORDERED BACKWARD)");
        let join = Node::new(Operator::NestedLoops(Join::LeftOuter), vec![scan.clone(), scan.clone()]);
        assert_eq!(text(join), "Nested Loops(Left Outer Join)");
        let top =
            Node { limit: Some(5), order: vec![("n".to_owned(), true)], ..Node::new(Operator::TopSort, vec![scan]) };
        assert_eq!(text(top.clone()), "Sort(TOP 5, ORDER BY:(n DESC))");
        assert_eq!(named(&top, &tables).logical, "TopN Sort");
    }
}
