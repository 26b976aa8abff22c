//! Functions: those of the core, of the dialect, of the session, and of the database.

use super::{Reducer, literal, quoted};
use crate::error::{Parse, SqlError};
use crate::tree::{Argument, Call, Expr, Literal, SetQuantifier};
use mainstay_ads_types::native;

/// Functions whose first argument is a word: SQL_TSI_DAY, or a format.
pub(crate) const WORD_FUNCTIONS: [&str; 3] = ["timestampadd", "timestampdiff", "newidstring"];

/// Functions that the session answers.
pub(crate) const SESSION_FUNCTIONS: [&str; 17] = [
    "applicationid",
    "curdate",
    "current_date",
    "current_time",
    "current_timestamp",
    "current_timestamp_utc",
    "curtime",
    "database",
    "date",
    "lastautoinc",
    "lastrowid",
    "lastrowversion",
    "now",
    "now_utc",
    "time",
    "today",
    "user",
];

impl Reducer<'_> {
    pub(super) fn function(&mut self, call: &Call) -> Parse<()> {
        let arguments: Vec<&Expr> = call
            .arguments
            .iter()
            .filter_map(|argument| match argument {
                Argument::Value(value) => Some(value),
                _ => None,
            })
            .collect();
        if let Some(core) = self.scope.function(&call.name) {
            self.push(&quoted(&core));
            self.push("(");
            self.list(&arguments, |it, argument| it.expression(argument))?;
            self.push(")");
            return Ok(());
        }
        let name = call.name.last().to_lowercase();
        if call.name.parts.len() > 1 {
            let text = format!("Scalar function not found: {}", call.name.last());
            return Err(SqlError::at(native::FUNCTION, call.name.span, text));
        }
        if matches!(name.as_str(), "count" | "sum" | "avg" | "min" | "max") {
            self.push(&format!("{name}("));
            if call.quantifier == Some(SetQuantifier::Distinct) {
                self.push("DISTINCT ");
            }
            self.list(&arguments, |it, argument| it.expression(argument))?;
            self.push(")");
            return Ok(());
        }
        self.named_function(&name, &arguments).map_err(|mut error| {
            error.span = error.span.or(Some(call.name.span));
            error
        })
    }

    pub(super) fn named_function(&mut self, name: &str, arguments: &[&Expr]) -> Parse<()> {
        match (name, arguments) {
            ("coalesce", [_, ..]) | ("ifnull" | "isnull", [_, _]) => {
                self.push("COALESCE(");
                self.list(arguments, |it, argument| it.expression(argument))?;
                self.push(")");
                Ok(())
            }
            ("isnull", [value]) => {
                self.push("(");
                self.expression(value)?;
                self.push(" IS NULL)");
                Ok(())
            }
            ("iif" | "if", [condition, yes, no]) => {
                self.push("CASE WHEN ");
                self.expression(condition)?;
                self.push(" THEN ");
                self.expression(yes)?;
                self.push(" ELSE ");
                self.expression(no)?;
                self.push(" END");
                Ok(())
            }
            ("rownum", []) => {
                self.push("row_number() OVER ()");
                Ok(())
            }
            ("recno" | "deleted", _) => self.record(name, arguments),
            ("upper" | "ucase", [value]) => self.core("upper", value),
            ("lower" | "lcase", [value]) => self.core("lower", value),
            (session, _) if SESSION_FUNCTIONS.contains(&session) => self.session_function(session, arguments),
            (worded, [first, rest @ ..]) if WORD_FUNCTIONS.contains(&worded) => {
                let word = match first {
                    Expr::Column(name) => Expr::Literal(Literal::String(name.last().to_owned())),
                    other => (*other).clone(),
                };
                let arguments: Vec<&Expr> = std::iter::once(&word).chain(rest.iter().copied()).collect();
                self.call(worded, &arguments)
            }
            ("contains" | "score" | "scoredistinct", [_]) => {
                // `CONTAINS( *, .. )`, whose asterisk is no value, or `SCORE( 1 )`.
                Err(SqlError::unsupported("full text search of all fields, and the score of another CONTAINS"))
            }
            (known, _) => match mainstay_ads_types::operation(known) {
                Some(operation) => {
                    let (least, most) = operation.function.arguments;
                    if arguments.len() < least || arguments.len() > most {
                        let text = format!("Invalid number of arguments to scalar function: {}", known.to_uppercase());
                        return Err(SqlError::new(native::ARGUMENT, text));
                    }
                    self.call(known, arguments)
                }
                None => Err(SqlError::new(native::FUNCTION, format!("Scalar function not found: {known}"))),
            },
        }
    }

    /// A function of the core that means the same: a condition over it finds its index.
    fn core(&mut self, function: &str, value: &Expr) -> Parse<()> {
        self.push(function);
        self.push("(");
        self.expression(value)?;
        self.push(")");
        Ok(())
    }

    /// A property of the current record of a DBF table; the argument is the table's alias.
    fn record(&mut self, name: &str, arguments: &[&Expr]) -> Parse<()> {
        if let [Expr::Column(table)] = arguments {
            self.name(table.last());
            self.push(".");
        }
        self.push(if name == "recno" { "\"_recno\"" } else { "\"_deleted\"" });
        Ok(())
    }

    fn session_function(&mut self, name: &str, arguments: &[&Expr]) -> Parse<()> {
        let asked = match arguments {
            [Expr::Column(of)] => format!("{name} {}", of.last().to_lowercase()),
            _ => name.to_owned(),
        };
        match self.scope.session(&asked) {
            Some((value, sql_type)) => {
                self.push(&literal(&value, sql_type));
                Ok(())
            }
            None => Err(SqlError::new(native::FUNCTION, format!("Scalar function not found: {name}"))),
        }
    }
}
