//! Statements and their plans as rows: the results of SET SHOWPLAN_TEXT, SHOWPLAN_ALL and STATISTICS PROFILE.
//!
//! ```text
//!   SELECT * FROM t WHERE id = 1                 StmtId 1  NodeId 1  Parent 0  Type SELECT
//!     |--Filter(WHERE:(id = 1))                         1         2         1       PLAN_ROW
//!          |--Table Scan(OBJECT:([t]))                  1         3         2       PLAN_ROW
//! ```
//!
//! Columns and their meaning are those of "SET SHOWPLAN_ALL" and "SET STATISTICS PROFILE" in SQL Server's reference. The core has
//! no costs and no sizes of rows: EstimateIO, EstimateCPU, AvgRowSize, TotalSubtreeCost and EstimateExecutions are NULL.

use crate::columns::Column;
use crate::plans::operators::{TableNames, named};
use mainstay_engine::Node;
use mainstay_tsql_types::{DataType, Length};
use mainstay_types::Value;

/// A statement that is shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shown {
    /// Its text.
    pub(crate) text: String,
    /// The kind of the statement: `SELECT`, `EXECUTE PROC`, `COND`.
    pub(crate) kind: String,
    /// The place in the list of the statement that runs it: EXEC of the procedure that it belongs to.
    pub(crate) within: Option<usize>,
    /// The number of enclosing statements.
    pub(crate) depth: usize,
    /// The plans of its queries.
    pub(crate) plans: Vec<Node>,
    /// The reason why it has no plan.
    pub(crate) warning: Option<String>,
    /// The rows that it gave, if it has run.
    pub(crate) rows: Option<i64>,
}

const TEXT: DataType = DataType::NVarChar(Length::Limited(4000));
const NAME: DataType = DataType::NVarChar(Length::Limited(128));

/// The only column of SHOWPLAN_TEXT.
pub(crate) fn text_columns() -> [Column; 1] {
    [Column::new("StmtText", TEXT)]
}

/// The columns of SHOWPLAN_ALL.
pub(crate) fn all_columns() -> Vec<Column> {
    let columns = [
        ("StmtText", TEXT),
        ("StmtId", DataType::Int),
        ("NodeId", DataType::Int),
        ("Parent", DataType::Int),
        ("PhysicalOp", NAME),
        ("LogicalOp", NAME),
        ("Argument", TEXT),
        ("DefinedValues", TEXT),
        ("EstimateRows", DataType::Real),
        ("EstimateIO", DataType::Real),
        ("EstimateCPU", DataType::Real),
        ("AvgRowSize", DataType::Int),
        ("TotalSubtreeCost", DataType::Real),
        ("OutputList", TEXT),
        ("Warnings", TEXT),
        ("Type", NAME),
        ("Parallel", DataType::Bit),
        ("EstimateExecutions", DataType::Real),
    ];
    columns.into_iter().map(|(name, data_type)| Column::new(name, data_type)).collect()
}

/// The columns of STATISTICS PROFILE.
pub(crate) fn profile_columns() -> Vec<Column> {
    let counted = [Column::new("Rows", DataType::BigInt), Column::new("Executes", DataType::BigInt)];
    counted.into_iter().chain(all_columns()).collect()
}

/// A row of a listing.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Its text, with the lines of the tree before it.
    pub(crate) text: String,
    pub(crate) is_operator: bool,
    cells: Vec<Value>,
    rows: Option<i64>,
}

impl Row {
    /// The row of SHOWPLAN_TEXT.
    pub(crate) fn text_cells(&self) -> Vec<Value> {
        vec![Value::Text(self.text.clone())]
    }

    /// The row of SHOWPLAN_ALL.
    pub(crate) fn all_cells(&self) -> Vec<Value> {
        std::iter::once(Value::Text(self.text.clone())).chain(self.cells.iter().cloned()).collect()
    }

    /// The row of STATISTICS PROFILE. The core counts rows and runs of whole statements, not of operators.
    pub(crate) fn profile_cells(&self) -> Vec<Value> {
        let rows = self.rows.map_or(Value::Null, Value::Integer);
        let executes = self.rows.map_or(Value::Null, |_| Value::Integer(1));
        [rows, executes].into_iter().chain(self.all_cells()).collect()
    }
}

/// Makes rows of a statement and of those within it. `first` is the number of the first statement in its batch.
pub(crate) fn rows_of(shown: &[Shown], first: i64, tables: TableNames<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut nodes: Vec<i64> = Vec::new();
    for (statement, number) in shown.iter().zip(first..) {
        let node = rows.len() as i64 + 1;
        let parent = statement.within.and_then(|place| nodes.get(place)).copied().unwrap_or(0);
        nodes.push(node);
        let indent = "  ".repeat(statement.depth);
        let mut cells = vec![Value::Integer(number), Value::Integer(node), Value::Integer(parent)];
        cells.extend(vec![Value::Null; 4]);
        cells.push(statement.plans.first().and_then(|plan| plan.rows).map_or(Value::Null, Value::Float));
        cells.extend(vec![Value::Null; 5]);
        cells.push(statement.warning.clone().map_or(Value::Null, Value::Text));
        cells.extend([Value::Text(statement.kind.clone()), Value::Boolean(false), Value::Null]);
        let text = format!("{indent}{}", statement.text);
        rows.push(Row { text, is_operator: false, cells, rows: statement.rows });
        let plans = statement.plans.len();
        for (place, plan) in statement.plans.iter().enumerate() {
            let tree = Tree { number, tables, is_last: place + 1 == plans };
            tree.add(plan, node, &format!("{indent}  "), &mut rows);
        }
    }
    rows
}

/// The operators of a statement.
#[derive(Clone, Copy)]
struct Tree<'n> {
    number: i64,
    tables: TableNames<'n>,
    /// True if no other operator of the same parent follows.
    is_last: bool,
}

impl Tree<'_> {
    /// Adds an operator and those below it. Under an operator that others follow a line goes on.
    fn add(self, node: &Node, parent: i64, before: &str, rows: &mut Vec<Row>) {
        let operator = named(node, self.tables);
        let text = |text: Option<String>| text.map_or(Value::Null, Value::Text);
        let number = rows.len() as i64 + 1;
        let columns: Vec<String> = node.columns.iter().map(|column| format!("[{column}]")).collect();
        let mut cells = vec![Value::Integer(self.number), Value::Integer(number), Value::Integer(parent)];
        let shown = operator.text();
        cells.extend([Value::Text(operator.physical), Value::Text(operator.logical)]);
        cells.extend([text(operator.argument), text(operator.defined)]);
        cells.push(node.rows.map_or(Value::Null, Value::Float));
        cells.extend(vec![Value::Null; 4]);
        cells.push(text((!columns.is_empty()).then(|| columns.join(", "))));
        cells.extend([Value::Null, Value::Text("PLAN_ROW".to_owned()), Value::Boolean(false), Value::Null]);
        rows.push(Row { text: format!("{before}|--{shown}"), is_operator: true, cells, rows: None });
        let below = format!("{before}{}    ", if self.is_last { " " } else { "|" });
        for (place, input) in node.inputs.iter().enumerate() {
            let is_last = place + 1 == node.inputs.len();
            Tree { is_last, ..self }.add(input, number, &below, rows);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Shown, all_columns, profile_columns, rows_of};
    use crate::plans::operators::TableName;
    use mainstay_engine::{Join, Node, Operator};

    #[test]
    fn trees_are_drawn_and_numbered() {
        let scan = |table: &str| Node::new(Operator::TableScan, Vec::new()).of_table(table);
        let inner = Node::new(Operator::NestedLoops(Join::Inner), vec![scan("a"), scan("b")]);
        let outer = Node::new(Operator::NestedLoops(Join::LeftSemi), vec![inner, scan("c")]);
        let select =
            Shown { text: "SELECT".to_owned(), kind: "SELECT".to_owned(), plans: vec![outer], ..Shown::default() };
        let rows = rows_of(&[select], 1, &|name| TableName::new("d", "s", name));
        let lines: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
        let wanted = [
            "SELECT",
            "  |--Nested Loops(Left Semi Join)",
            "       |--Nested Loops(Inner Join)",
            "       |    |--Table Scan(OBJECT:([d].[s].[a]))",
            "       |    |--Table Scan(OBJECT:([d].[s].[b]))",
            "       |--Table Scan(OBJECT:([d].[s].[c]))",
        ];
        assert_eq!(lines, wanted);
        let parents: Vec<String> = rows.iter().map(|row| row.all_cells()[3].to_string()).collect();
        assert_eq!(parents, ["0", "1", "2", "3", "3", "2"]);
        assert!(rows.iter().all(|row| row.all_cells().len() == all_columns().len()));
        assert!(rows.iter().all(|row| row.profile_cells().len() == profile_columns().len()));
    }
}
