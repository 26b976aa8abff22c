//! Plans as a document of SQL Server's Showplan schema: the result of SET SHOWPLAN_XML and SET STATISTICS XML.
//!
//! ```text
//!   ShowPlanXML / BatchSequence / Batch / Statements / StmtSimple    a statement
//!     QueryPlan / RelOp                                              its first operator
//!       Filter, NestedLoops, TableScan ...  / RelOp                  what the operator does, and the operators below it
//! ```
//!
//! The elements are those of the public schema `http://schemas.microsoft.com/sqlserver/2004/07/showplan`, which the readers of
//! plans in SQL Server's tools use. Attributes of cost that the schema requires are 0, since the core calculates no costs.
//!
//! Limits: statements of procedures stand in one list with those of the batch; expressions are texts.

use crate::plans::listing::Shown;
use crate::plans::operators::{TableNames, named, quoted};
use mainstay_engine::{Node, Operator};
use std::fmt::Write;

const NAMESPACE: &str = "http://schemas.microsoft.com/sqlserver/2004/07/showplan";

/// The document of a batch.
pub(crate) fn document(shown: &[Shown], tables: TableNames<'_>) -> String {
    let mut text = format!("<ShowPlanXML xmlns=\"{NAMESPACE}\" Version=\"1.539\" Build=\"16.0.1000.6\">");
    text.push_str("<BatchSequence><Batch><Statements>");
    for (statement, number) in shown.iter().zip(1..) {
        let kind = escaped(&statement.kind);
        let _ = write!(
            text,
            "<StmtSimple StatementText=\"{}\" StatementId=\"{number}\" StatementCompId=\"{number}\" StatementType=\"{kind}\"",
            escaped(&statement.text)
        );
        if let Some(rows) = statement.plans.first().and_then(|plan| plan.rows) {
            let _ = write!(text, " StatementEstRows=\"{rows}\"");
        }
        if statement.plans.is_empty() {
            text.push_str("/>");
            continue;
        }
        text.push('>');
        let mut writer = Writer { text: &mut text, tables, nodes: 0 };
        for plan in &statement.plans {
            writer.text.push_str("<QueryPlan>");
            writer.operator(plan, statement.rows);
            writer.text.push_str("</QueryPlan>");
        }
        text.push_str("</StmtSimple>");
    }
    text.push_str("</Statements></Batch></BatchSequence></ShowPlanXML>");
    text
}

/// Writes operators, which have numbers from 0 within their statement.
struct Writer<'w> {
    text: &'w mut String,
    tables: TableNames<'w>,
    nodes: usize,
}

impl Writer<'_> {
    /// An operator and those below it; `rows` are those that it gave, where that is known.
    fn operator(&mut self, node: &Node, rows: Option<i64>) {
        // The schema has no element for an operator without an equivalent.
        if let (Operator::Other(_), [input]) = (&node.operator, node.inputs.as_slice()) {
            return self.operator(input, rows);
        }
        let operator = named(node, self.tables);
        let number = self.nodes;
        self.nodes += 1;
        let estimate = node.rows.unwrap_or(0.0);
        let (physical, logical) = match &node.operator {
            Operator::Other(_) => ("Table-valued function".to_owned(), "Table-valued function".to_owned()),
            _ => (escaped(&operator.physical), escaped(&operator.logical)),
        };
        let _ = write!(
            self.text,
            "<RelOp NodeId=\"{number}\" PhysicalOp=\"{physical}\" LogicalOp=\"{logical}\" EstimateRows=\"{estimate}\" \
             EstimateIO=\"0\" EstimateCPU=\"0\" AvgRowSize=\"0\" EstimatedTotalSubtreeCost=\"0\" Parallel=\"0\" \
             EstimateRebinds=\"0\" EstimateRewinds=\"0\"><OutputList>"
        );
        for column in &node.columns {
            let _ = write!(self.text, "<ColumnReference Column=\"{}\"/>", escaped(column));
        }
        self.text.push_str("</OutputList>");
        if let Some(rows) = rows {
            let _ = write!(
                self.text,
                "<RunTimeInformation><RunTimeCountersPerThread Thread=\"0\" ActualRows=\"{rows}\" ActualEndOfScans=\"1\" \
                 ActualExecutions=\"1\"/></RunTimeInformation>"
            );
        }
        self.work(node);
        self.text.push_str("</RelOp>");
    }

    /// The element of an operator's own, with the operators below it.
    fn work(&mut self, node: &Node) {
        match &node.operator {
            Operator::TableScan => self.rowset("TableScan Ordered=\"0\"", node),
            Operator::IndexScan | Operator::IndexSeek => {
                let direction = if node.backward { "BACKWARD" } else { "FORWARD" };
                self.rowset(&format!("IndexScan Ordered=\"1\" ScanDirection=\"{direction}\""), node);
            }
            Operator::Constants => self.text.push_str("<ConstantScan/>"),
            Operator::Rowset(_) | Operator::Other(_) => self.over("TableValuedFunction", node, |_| {}),
            Operator::Filter => self.filter(node),
            Operator::Compute => self.over("ComputeScalar", node, |it| it.defined(node)),
            Operator::Sort => self.over("Sort Distinct=\"0\"", node, |it| it.order(node)),
            Operator::TopSort => {
                let head = format!("TopSort Distinct=\"0\" Rows=\"{}\"", node.limit.unwrap_or(0));
                self.over(&head, node, |it| it.order(node));
            }
            Operator::Top => self.over("Top", node, |it| {
                let limit = node.limit.map(|limit| limit.to_string());
                it.scalar("TopExpression", limit.as_deref());
            }),
            Operator::HashAggregate | Operator::HashJoin(_) => self.over("Hash", node, |it| {
                it.defined(node);
                it.columns("HashKeysBuild", &node.keys);
                it.scalar("ProbeResidual", node.condition.as_deref());
            }),
            Operator::StreamAggregate => self.over("StreamAggregate", node, |it| {
                it.defined(node);
                it.columns("GroupBy", &node.keys);
            }),
            Operator::MergeJoin(_) => self.over("Merge", node, |it| it.scalar("Residual", node.condition.as_deref())),
            Operator::NestedLoops(_) => {
                self.over("NestedLoops Optimized=\"0\"", node, |it| it.scalar("Predicate", node.condition.as_deref()));
            }
            Operator::Concatenation => self.over("Concat", node, |_| {}),
            Operator::Sequence => self.over("Sequence", node, |_| {}),
            Operator::Window => self.over("WindowAggregate", node, |_| {}),
            Operator::Recursion | Operator::Spool => self.over("Spool", node, |_| {}),
            Operator::Insert | Operator::Update | Operator::Delete | Operator::Merge => {
                self.over("Update", node, |it| it.object(node));
            }
        }
    }

    /// An element with what `own` writes and the operators below it.
    fn over(&mut self, head: &str, node: &Node, own: impl FnOnce(&mut Self)) {
        let _ = write!(self.text, "<{head}>");
        own(self);
        node.inputs.iter().for_each(|input| self.operator(input, None));
        let _ = write!(self.text, "</{}>", head.split(' ').next().unwrap_or(head));
    }

    /// A table that is read.
    fn rowset(&mut self, head: &str, node: &Node) {
        self.over(head, node, |it| {
            it.text.push_str("<DefinedValues/>");
            it.object(node);
            let condition = match (&node.seek, &node.condition) {
                (Some(seek), Some(condition)) if seek != condition => Some(format!("{seek} AND {condition}")),
                (Some(seek), _) => Some(seek.clone()),
                (None, condition) => condition.clone(),
            };
            it.scalar("Predicate", condition.as_deref());
        });
    }

    /// The condition follows the operator that it filters.
    fn filter(&mut self, node: &Node) {
        self.text.push_str("<Filter StartupExpression=\"0\">");
        node.inputs.iter().for_each(|input| self.operator(input, None));
        self.scalar("Predicate", Some(node.condition.as_deref().unwrap_or("")));
        self.text.push_str("</Filter>");
    }

    fn object(&mut self, node: &Node) {
        let Some(table) = &node.table else { return };
        let name = (self.tables)(table);
        self.text.push_str("<Object");
        for (attribute, part) in [("Table", &name.table), ("Schema", &name.schema), ("Database", &name.database)] {
            let _ = write!(self.text, " {attribute}=\"{}\"", escaped(&quoted(part)));
        }
        if let Some(index) = &node.index {
            let _ = write!(self.text, " Index=\"{}\"", escaped(&quoted(index)));
        }
        self.text.push_str("/>");
    }

    fn order(&mut self, node: &Node) {
        self.text.push_str("<OrderBy>");
        for (column, is_descending) in &node.order {
            let is_ascending = !is_descending;
            let _ = write!(
                self.text,
                "<OrderByColumn Ascending=\"{is_ascending}\"><ColumnReference Column=\"{}\"/></OrderByColumn>",
                escaped(column)
            );
        }
        self.text.push_str("</OrderBy>");
    }

    fn defined(&mut self, node: &Node) {
        self.text.push_str("<DefinedValues>");
        for value in &node.defined {
            let value = escaped(value);
            let _ = write!(self.text, "<DefinedValue><ColumnReference Column=\"{value}\"/></DefinedValue>");
        }
        self.text.push_str("</DefinedValues>");
    }

    fn columns(&mut self, element: &str, columns: &[String]) {
        if columns.is_empty() {
            return;
        }
        let _ = write!(self.text, "<{element}>");
        for column in columns {
            let _ = write!(self.text, "<ColumnReference Column=\"{}\"/>", escaped(column));
        }
        let _ = write!(self.text, "</{element}>");
    }

    fn scalar(&mut self, element: &str, text: Option<&str>) {
        let Some(text) = text else { return };
        let text = escaped(text);
        let _ = write!(
            self.text,
            "<{element}><ScalarOperator ScalarString=\"{text}\"><Identifier><ColumnReference Column=\"{text}\"/>\
             </Identifier></ScalarOperator></{element}>"
        );
    }
}

/// A text as the value of an attribute.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#xa;"),
            '\r' => escaped.push_str("&#xd;"),
            '\t' => escaped.push_str("&#x9;"),
            // XML 1.0 has no such characters.
            control if control < ' ' => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::document;
    use crate::plans::listing::Shown;
    use crate::plans::operators::TableName;
    use mainstay_engine::{Node, Operator};

    #[test]
    fn a_document_has_statements_and_operators() {
        let scan = Node {
            condition: Some("n < 2".to_owned()),
            ..Node::new(Operator::TableScan, Vec::new()).of_table("a].[b")
        };
        // A column may be named "x DESC".
        let order = vec![("n".to_owned(), true), ("x DESC".to_owned(), false)];
        let sort = Node { order, ..Node::new(Operator::Sort, vec![scan]) };
        let text = "SELECT \"n\"\nFROM t".to_owned();
        let shown = Shown { text, kind: "SELECT".to_owned(), plans: vec![sort], ..Shown::default() };
        let written = document(&[shown], &|name| TableName::new("db", "dbo", name));
        let parts = [
            "StatementText=\"SELECT &quot;n&quot;&#xa;FROM t\" StatementId=\"1\"",
            "<QueryPlan><RelOp NodeId=\"0\" PhysicalOp=\"Sort\" LogicalOp=\"Sort\"",
            "<Sort Distinct=\"0\"><OrderBy><OrderByColumn Ascending=\"false\"><ColumnReference Column=\"n\"/>",
            "<OrderByColumn Ascending=\"true\"><ColumnReference Column=\"x DESC\"/>",
            "<RelOp NodeId=\"1\" PhysicalOp=\"Table Scan\"",
            "<Object Table=\"[a]].[b]\" Schema=\"[dbo]\" Database=\"[db]\"/>",
            "<ScalarOperator ScalarString=\"n &lt; 2\">",
        ];
        for part in parts {
            assert!(written.contains(part), "{part}: {written}");
        }
        let opened = written.matches("<RelOp ").count();
        assert_eq!((opened, written.matches("</RelOp>").count()), (2, 2));
    }
}
