//! CREATE INDEX, and its expressions in the words of xBase.
//!
//! ```text
//!   (name)                         NAME                          the column as it is
//!   (upper(name))                  UPPER(NAME)                   an expression, in xBase's words
//!   (city, born DESC)              CITY + DTOS(BORN)             several keys: one text, each part of fixed width
//!   ('DTOS(BORN)+STR(ID,6)')       DTOS(BORN)+STR(ID,6)          a quoted text is an xBase expression already
//!   WHERE balance > 0 AND here     BALANCE > 0 .AND. HERE        the FOR condition
//!   WHERE born > DATE '2026-01-31' DTOS(BORN) > "20260131"       the same under every SET DATE, in every dialect
//! ```
//!
//! For a native table the condition is a [filter](CreateIndex::filter).
//!
//! The code that creates the index checks whether xBase has such a function, and determines the keys of an expression.
//! An index of native tables has columns only.

use super::{IndexPart, Name, unsupported};
use crate::parse::text::Text;
use crate::plan::literal_values::constant;
use datafusion::sql::sqlparser::ast::{
    self, BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, UnaryOperator, Value,
};
use mainstay_columnar::Comparison;
use mainstay_types::{Code, Error, Result, Value as Literal};

/// CREATE INDEX.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateIndex {
    /// Its name.
    pub name: Name,
    /// The table.
    pub table: Name,
    /// No two rows may have the same key.
    pub unique: bool,
    /// Of a unique one, whether NULL is a value as others are: there may be one.
    pub nulls_not_distinct: bool,
    /// Its keys, in order.
    pub keys: Vec<IndexKey>,
    /// Only rows for which this is true are in it.
    pub(crate) condition: Option<Expr>,
    /// The kind of the index in lower case, if USING names one: `ntx`.
    pub using: Option<String>,
    /// Not an error when it is there.
    pub if_not_exists: bool,
}

/// A part of the key of an index.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexKey {
    pub(crate) expr: Expr,
    /// The column that it is, if it is no more than that.
    pub column: Option<Name>,
    /// From its greatest value down.
    pub descending: bool,
}

/// A condition of an index filter on one column.
#[derive(Clone, Debug, PartialEq)]
pub struct FilterPart {
    /// The column.
    pub column: Name,
    /// The condition.
    pub test: FilterTest,
}

/// A condition on a column.
#[derive(Clone, Debug, PartialEq)]
pub enum FilterTest {
    /// IS NULL.
    Null,
    /// IS NOT NULL.
    NotNull,
    /// It stands so to one of these values, of which several are with `Equal` only.
    Compare(Comparison, Vec<Literal>),
}

/// How a column stands in an xBase expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyColumn {
    /// By itself: `BORN`.
    pub plain: String,
    /// As a text of fixed width, for keys of several columns: `DTOS(BORN)`.
    pub text: String,
}

pub(super) fn create_index(index: ast::CreateIndex, text: &Text) -> Result<CreateIndex> {
    if !index.include.is_empty() {
        return Err(unsupported("INCLUDE of an index"));
    }
    let name = index.name.as_ref().ok_or_else(|| Error::new(Code::Syntax, "an index needs a name"))?;
    // MySQL has USING after the columns too.
    let mut using = index.using;
    for option in index.index_options {
        match option {
            ast::IndexOption::Using(kind) if using.is_none() => using = Some(kind),
            option => return Err(unsupported(format!("{option} of an index"))),
        }
    }
    if let Some(option) = index.alter_options.first() {
        return Err(unsupported(format!("{option} of an index")));
    }
    let key = |column: &ast::IndexColumn| IndexKey {
        column: match &column.column.expr {
            Expr::Identifier(name) => Some(Name::simple(name, text)),
            _ => None,
        },
        expr: column.column.expr.clone(),
        descending: column.column.options.asc == Some(false),
    };
    Ok(CreateIndex {
        name: Name::of(name, text)?,
        table: Name::of(&index.table_name, text)?,
        unique: index.unique,
        nulls_not_distinct: index.nulls_distinct == Some(false),
        keys: index.columns.iter().map(key).collect(),
        condition: index.predicate,
        using: using.map(|kind| kind.to_string().to_lowercase()),
        if_not_exists: index.if_not_exists,
    })
}

impl CreateIndex {
    /// Its columns, for an index of columns only.
    ///
    /// Errors: `Unsupported` for anything more.
    pub fn columns(&self) -> Result<Vec<IndexPart>> {
        if self.using.is_some() {
            return Err(unsupported("USING of an index"));
        }
        let part = |key: &IndexKey| match &key.column {
            Some(column) => Ok(IndexPart { column: column.clone(), descending: key.descending }),
            None => Err(unsupported(format!("an index of an expression ({})", key.expr))),
        };
        self.keys.iter().map(part).collect()
    }

    /// The condition as a filter: what must hold of single columns, all of it.
    ///
    /// Errors: `Unsupported` for other conditions than comparisons of a column with a constant, IN of constants,
    /// IS NULL and IS NOT NULL.
    pub fn filter(&self) -> Result<Vec<FilterPart>> {
        let mut parts = Vec::new();
        if let Some(condition) = &self.condition {
            filter_parts(condition, &mut parts)?;
        }
        Ok(parts)
    }

    /// The key expression in the words of xBase. `column` knows the columns by their names in lower case.
    ///
    /// Errors: those of `column`; `Unsupported` for what xBase has no word for, and for keys of which some ascend and
    /// others descend.
    pub fn xbase_key(&self, column: &dyn Fn(&str) -> Result<KeyColumn>) -> Result<String> {
        if self.keys.iter().any(|key| key.descending != self.is_descending()) {
            return Err(unsupported("a DBF index of keys that do not all go the same way"));
        }
        if let [only] = self.keys.as_slice() {
            return xbase(&only.expr, column);
        }
        let part = |key: &IndexKey| match &key.column {
            Some(name) => column(&name.key).map(|column| column.text),
            None => xbase(&key.expr, column),
        };
        Ok(self.keys.iter().map(part).collect::<Result<Vec<_>>>()?.join("+"))
    }

    /// Returns true if it goes from the greatest key to the least.
    pub fn is_descending(&self) -> bool {
        self.keys.first().is_some_and(|key| key.descending)
    }

    /// The condition in the words of xBase, if there is one.
    ///
    /// Errors: as [`CreateIndex::xbase_key`].
    pub fn xbase_condition(&self, column: &dyn Fn(&str) -> Result<KeyColumn>) -> Result<Option<String>> {
        self.condition.as_ref().map(|condition| xbase(condition, column)).transpose()
    }
}

/// The conditions on single columns of which a condition consists.
///
/// Errors: as [`CreateIndex::filter`].
pub(super) fn filter_parts(condition: &Expr, parts: &mut Vec<FilterPart>) -> Result<()> {
    let refused = || unsupported(format!("an index with the condition {condition}"));
    let column = |expr: &Expr| match expr {
        Expr::Identifier(name) => Ok(Name::new(&name.value)),
        _ => Err(refused()),
    };
    let value = |expr: &Expr| constant(expr, &[])?.filter(|value| *value != Literal::Null).ok_or_else(refused);
    match condition {
        Expr::Nested(inner) => return filter_parts(inner, parts),
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            filter_parts(left, parts)?;
            return filter_parts(right, parts);
        }
        Expr::IsNull(inner) => parts.push(FilterPart { column: column(inner)?, test: FilterTest::Null }),
        Expr::IsNotNull(inner) => parts.push(FilterPart { column: column(inner)?, test: FilterTest::NotNull }),
        Expr::BinaryOp { left, op, right } => {
            let comparison = match op {
                BinaryOperator::Eq => Comparison::Equal,
                BinaryOperator::NotEq => Comparison::NotEqual,
                BinaryOperator::Lt => Comparison::Less,
                BinaryOperator::LtEq => Comparison::LessOrEqual,
                BinaryOperator::Gt => Comparison::Greater,
                BinaryOperator::GtEq => Comparison::GreaterOrEqual,
                _ => return Err(refused()),
            };
            let test = FilterTest::Compare(comparison, vec![value(right)?]);
            parts.push(FilterPart { column: column(left)?, test });
        }
        Expr::InList { expr, list, negated: false } => {
            let values = list.iter().map(value).collect::<Result<_>>()?;
            parts.push(FilterPart { column: column(expr)?, test: FilterTest::Compare(Comparison::Equal, values) });
        }
        _ => return Err(refused()),
    }
    Ok(())
}

/// The whole of a key or a condition: a quoted text is xBase already.
fn xbase(expr: &Expr, column: &dyn Fn(&str) -> Result<KeyColumn>) -> Result<String> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) => Ok(text.clone()),
            _ => translated(expr, column),
        },
        _ => translated(expr, column),
    }
}

fn translated(expr: &Expr, column: &dyn Fn(&str) -> Result<KeyColumn>) -> Result<String> {
    let inner = |expr: &Expr| translated(expr, column);
    Ok(match expr {
        Expr::Identifier(name) => column(&name.value.to_lowercase())?.plain,
        Expr::CompoundIdentifier(parts) => match parts.last() {
            Some(name) => column(&name.value.to_lowercase())?.plain,
            None => return Err(no_word(expr)),
        },
        Expr::Value(value) => literal(&value.value).ok_or_else(|| no_word(expr))?,
        Expr::Nested(nested) => format!("({})", inner(nested)?),
        Expr::UnaryOp { op: UnaryOperator::Not, expr } => format!(".NOT. {}", inner(expr)?),
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => format!("-{}", inner(expr)?),
        Expr::BinaryOp { left, op, right } => {
            let word = operator(op).ok_or_else(|| no_word(expr))?;
            let side = |side: &Expr, other: &Expr| match (day(side), day(other)) {
                (Some(day), _) if is_comparison(op) => Ok(format!("\"{day}\"")),
                (None, Some(_)) if is_comparison(op) => inner(side).map(|date| format!("DTOS({date})")),
                _ => inner(side),
            };
            format!("{} {word} {}", side(left, right)?, side(right, left)?)
        }
        Expr::Substring { expr, substring_from: Some(from), substring_for, .. } => match substring_for {
            Some(length) => format!("SUBSTR({},{},{})", inner(expr)?, inner(from)?, inner(length)?),
            None => format!("SUBSTR({},{})", inner(expr)?, inner(from)?),
        },
        Expr::Function(function) => {
            let FunctionArguments::List(list) = &function.args else { return Err(no_word(expr)) };
            let argument = |argument: &FunctionArg| match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => inner(expr),
                _ => Err(no_word(expr)),
            };
            let arguments = list.args.iter().map(argument).collect::<Result<Vec<_>>>()?;
            match function.name.to_string().to_uppercase().as_str() {
                "LENGTH" => format!("LEN({})", arguments.join(",")),
                "CONCAT" => format!("({})", arguments.join("+")),
                name => format!("{name}({})", arguments.join(",")),
            }
        }
        _ => return Err(no_word(expr)),
    })
}

fn literal(value: &Value) -> Option<String> {
    Some(match value {
        Value::Number(number, _) => number.to_string(),
        Value::Boolean(true) => ".T.".to_owned(),
        Value::Boolean(false) => ".F.".to_owned(),
        Value::SingleQuotedString(text) => {
            let quote = ['"', '\''].into_iter().find(|quote| !text.contains(*quote))?;
            format!("{quote}{text}{quote}")
        }
        _ => return None,
    })
}

/// The day that a literal is, as DTOS writes it.
fn day(expr: &Expr) -> Option<String> {
    match constant(expr, &[]).ok()?? {
        Literal::Date(day) => Some(day.to_string().replace('-', "")),
        _ => None,
    }
}

fn is_comparison(op: &BinaryOperator) -> bool {
    use BinaryOperator::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
    matches!(op, Eq | NotEq | Lt | LtEq | Gt | GtEq)
}

fn operator(op: &BinaryOperator) -> Option<&'static str> {
    Some(match op {
        BinaryOperator::Plus | BinaryOperator::StringConcat => "+",
        BinaryOperator::Minus => "-",
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        BinaryOperator::Eq => "=",
        BinaryOperator::NotEq => "<>",
        BinaryOperator::Lt => "<",
        BinaryOperator::LtEq => "<=",
        BinaryOperator::Gt => ">",
        BinaryOperator::GtEq => ">=",
        BinaryOperator::And => ".AND.",
        BinaryOperator::Or => ".OR.",
        _ => return None,
    })
}

fn no_word(expr: &Expr) -> Error {
    let error = unsupported(format!("a DBF index of the expression {expr}"));
    error.hint("write the xBase expression in quotes: ('DTOS(BORN)+NAME')")
}

#[cfg(test)]
mod tests {
    use super::super::Statement;
    use super::*;

    fn key(sql: &str) -> Result<(String, Option<String>)> {
        let Statement::CreateIndex(create) = Statement::parse(sql)? else { panic!("{sql}") };
        let column = |name: &str| match name {
            "_deleted" => Ok(KeyColumn { plain: "DELETED()".to_owned(), text: "DELETED()".to_owned() }),
            name => Ok(KeyColumn { plain: name.to_uppercase(), text: format!("DTOS({})", name.to_uppercase()) }),
        };
        Ok((create.xbase_key(&column)?, create.xbase_condition(&column)?))
    }

    #[test]
    fn the_kind_of_an_index_stands_before_or_after_its_columns() {
        let using = |sql: &str| match Statement::parse(sql) {
            Ok(Statement::CreateIndex(create)) => Ok(create.using),
            Ok(other) => panic!("{other:?}"),
            Err(error) => Err(error.code()),
        };
        assert_eq!(using("CREATE INDEX i ON t (a)"), Ok(None));
        assert_eq!(using("CREATE INDEX i ON t USING ntx (a)"), Ok(Some("ntx".to_owned())));
        assert_eq!(using("CREATE INDEX i ON t (a) USING NTX"), Ok(Some("ntx".to_owned())));
        assert_eq!(using("CREATE INDEX i ON t (a) WHERE a > 1 USING ntx"), Ok(Some("ntx".to_owned())));
        for sql in ["ON t USING cdx (a) USING ntx", "ON t (a) USING ntx USING cdx", "ON t (a) COMMENT 'x'"] {
            assert_eq!(using(&format!("CREATE INDEX i {sql}")), Err(Code::Unsupported), "{sql}");
        }
        assert_eq!(using("CREATE INDEX i ON t (a) LOCK = NONE"), Err(Code::Unsupported));
    }

    #[test]
    fn expressions_in_the_words_of_xbase() {
        let both = |key: &str, condition: &str| (key.to_owned(), Some(condition.to_owned()).filter(|c| !c.is_empty()));
        assert_eq!(key("CREATE INDEX i ON t (name)").unwrap(), both("NAME", ""));
        assert_eq!(key("CREATE INDEX i ON t (upper(name) DESC)").unwrap(), both("UPPER(NAME)", ""));
        assert_eq!(key("CREATE INDEX i ON t (a, b)").unwrap(), both("DTOS(A)+DTOS(B)", ""));
        assert_eq!(key("CREATE INDEX i ON t (substr(a, 1, 3) || b)").unwrap(), both("SUBSTR(A,1,3) + B", ""));
        assert_eq!(key("CREATE INDEX i ON t ('STR(A,5)+B')").unwrap(), both("STR(A,5)+B", ""));
        let with_condition = "CREATE INDEX i ON t (a) WHERE NOT _deleted AND (b > 1.5 OR c <> 'x\"y' OR d = TRUE)";
        let condition = ".NOT. DELETED() .AND. (B > 1.5 .OR. C <> 'x\"y' .OR. D = .T.)";
        assert_eq!(key(with_condition).unwrap(), both("A", condition));
        let of_days = "CREATE INDEX i ON t (a) WHERE b >= DATE '2026-01-31' AND DATE '2027-01-01' > b";
        let condition = "DTOS(B) >= \"20260131\" .AND. \"20270101\" > DTOS(B)";
        assert_eq!(key(of_days).unwrap(), both("A", condition));
        assert_eq!(
            key("CREATE INDEX i ON t (a) WHERE b + DATE '2026-01-31' > 1").unwrap_err().code(),
            Code::Unsupported
        );
        assert_eq!(key("CREATE INDEX i ON t (a, b DESC)").unwrap_err().code(), Code::Unsupported);
        assert_eq!(key("CREATE INDEX i ON t (a) WHERE b LIKE 'x%'").unwrap_err().code(), Code::Unsupported);
    }
}
