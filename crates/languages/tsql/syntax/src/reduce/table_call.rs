//! Functions of the database that fill a table, as sources.
//!
//! ```text
//!   FROM Orders o CROSS APPLY dbo.Parts(o.Codes, ',') p
//!
//!   arguments   SELECT DISTINCT o.Codes AS "#a0", ',' AS "#a1" FROM Orders o        asked before the statement runs:
//!                                                                                   the function is called for each row
//!   source      FROM Orders o CROSS JOIN LATERAL (SELECT part FROM "#call1"
//!               WHERE "#a0" IS NOT DISTINCT FROM o.Codes AND ...) AS p
//! ```
//!
//! One temporary table has the rows of all calls, each with the arguments of its call.

use super::updatable::{Leaf, leaves_of};
use super::{Parameter, ReducedQuery, Reducer, TableColumn, quoted};
use crate::tree::{Alias, Argument, Call, Expr, ObjectName, Query, Source, Test};
use mainstay_tsql_types::{DataType, Message};

/// A function that is a query.
#[derive(Clone, Debug)]
pub struct InlineFunction {
    /// Its parameters, with the `@`, and their types.
    pub parameters: Vec<(String, DataType)>,
    /// The value of DEFAULT for each of them.
    pub defaults: Vec<Option<Expr>>,
    /// The query that it returns.
    pub query: Query,
}

/// A function that fills a table.
#[derive(Clone, Debug)]
pub struct TableFunction {
    /// Its parameters, with the `@`: their types, and whether they have a default.
    pub parameters: Vec<(String, DataType, bool)>,
    /// The columns of its table.
    pub columns: Vec<TableColumn>,
}

/// Calls of such a function, whose rows a statement reads.
#[derive(Clone, Debug, PartialEq)]
pub struct TableCall {
    /// The function.
    pub name: ObjectName,
    /// The query that gives the arguments of each call.
    pub arguments: ReducedQuery,
    /// The arguments that are the parameter's default.
    pub defaults: Vec<bool>,
}

impl Reducer<'_> {
    /// Writes calls of a function that fills a table. `left` is the side whose rows an APPLY calls it for.
    pub(super) fn table_call(
        &mut self,
        function: &TableFunction,
        call: &Call,
        alias: &Alias,
        left: Option<&Source>,
    ) -> Result<(), Message> {
        let name = call.name.last();
        let missing = |text: &str| format!("{text} {name}.");
        if call.arguments.len() > function.parameters.len() {
            let text = format!("Procedure or function {name} has too many arguments specified.");
            return Err(Message::error(8144, text).state(3));
        }
        let mut texts = Vec::new();
        let mut defaults = Vec::new();
        let before = std::mem::take(&mut self.parameters);
        for (place, (_, data_type, has_default)) in function.parameters.iter().enumerate() {
            let written = match call.arguments.get(place) {
                Some(Argument::Value(Expr::Default)) if *has_default => {
                    defaults.push(true);
                    texts.push("NULL".to_owned());
                    continue;
                }
                Some(Argument::Value(value)) => self.aside(|it| it.call(&format!("cast:{data_type}"), &[value])),
                _ => {
                    let text =
                        missing("An insufficient number of arguments were supplied for the procedure or function");
                    Err(Message::error(313, text).state(3))
                }
            };
            defaults.push(false);
            texts.push(written?);
        }
        let asked = self.aside(|it| it.arguments(&texts, left));
        let parameters: Vec<Parameter> = std::mem::replace(&mut self.parameters, before);
        let arguments = ReducedQuery { text: asked?, parameters, heads: Vec::new() };
        let table =
            self.scope.table_call(TableCall { name: call.name.clone(), arguments, defaults: defaults.clone() })?;
        self.push("(SELECT ");
        let columns: Vec<String> = function.columns.iter().map(|column| quoted(&column.name)).collect();
        self.push(&columns.join(", "));
        self.push(&format!(" FROM {table}"));
        if left.is_some() {
            // Written once more, with the parameters of the statement itself.
            let mut word = " WHERE ";
            for (place, (_, data_type, _)) in function.parameters.iter().enumerate() {
                let Some(Argument::Value(value)) = call.arguments.get(place).filter(|_| !defaults[place]) else {
                    continue;
                };
                self.push(word);
                self.push(&format!("(\"#a{place}\" IS NOT DISTINCT FROM "));
                self.call(&format!("cast:{data_type}"), &[value])?;
                self.push(")");
                word = " AND ";
            }
        }
        self.push(")");
        match &alias.name {
            Some(_) => self.alias(alias),
            None => {
                self.push(" AS ");
                self.name(name);
                Ok(())
            }
        }
    }

    /// Writes the query for the arguments.
    fn arguments(&mut self, texts: &[String], left: Option<&Source>) -> Result<(), Message> {
        if let (Some(with), Some(_)) = (self.written_with.clone(), left) {
            self.with(&with)?;
        }
        self.push(if left.is_some() { "SELECT DISTINCT " } else { "SELECT " });
        let named = texts.iter().enumerate().map(|(place, text)| format!("{text} AS \"#a{place}\""));
        let named: Vec<String> = named.collect();
        self.push(if named.is_empty() { "1 AS \"#a\"" } else { "" });
        self.push(&named.join(", "));
        match left {
            Some(left) => {
                self.push(" FROM ");
                self.source(left)?;
                let mut leaves = Vec::new();
                leaves_of(left, &mut leaves);
                let mut word = " WHERE ";
                // Rows that the statement leaves out call nothing: a function that calls itself comes to an end by that.
                let mut conditions = self.conditions.clone();
                conditions.retain(|condition| self.is_of(condition, &leaves));
                for condition in conditions {
                    self.push(word);
                    self.condition(&condition)?;
                    word = " AND ";
                }
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Returns true if a condition looks at nothing but these sources, as far as can be told.
    fn is_of(&self, condition: &Expr, leaves: &[Leaf]) -> bool {
        let is = |value: &Expr| self.is_of(value, leaves);
        match condition {
            Expr::Literal(_) | Expr::Variable(_) | Expr::Niladic(_) => true,
            Expr::Column(name) => leaves.iter().any(|leaf| self.has_column(leaf, name)),
            Expr::Unary(_, value) | Expr::Collate(value, _) => is(value),
            Expr::Binary(left, _, right) => is(left) && is(right),
            Expr::And(parts) | Expr::Or(parts) => parts.iter().all(is),
            Expr::Cast(cast) => is(&cast.value),
            Expr::Test(value, _, test) => {
                is(value)
                    && match test {
                        Test::Null => true,
                        Test::Between(low, high) => is(low) && is(high),
                        Test::InList(values) => values.iter().all(is),
                        Test::Like(pattern, _) => is(pattern),
                        _ => false,
                    }
            }
            Expr::Call(call) => {
                call.over.is_none()
                    && call.arguments.iter().all(|argument| matches!(argument, Argument::Value(value) if is(value)))
            }
            _ => false,
        }
    }
}

/// The conditions that must all hold.
pub(super) fn conjuncts(condition: &Expr) -> Vec<&Expr> {
    match condition {
        Expr::And(parts) => parts.iter().flat_map(conjuncts).collect(),
        other => vec![other],
    }
}
