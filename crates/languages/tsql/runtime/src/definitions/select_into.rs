//! SELECT ... INTO: a table with the query's columns, and its rows.
//!
//! A column becomes an identity column if it is `IDENTITY(type, seed, increment)`, or if it is that of the only source
//! table and is selected unchanged. Text keeps the collation that it has in the query. A column is NOT NULL where the
//! query's text shows that it never is NULL (`reduce::never_null`).

use crate::changes::identity::number_of;
use crate::columns::Column;
use crate::statements::errors::raised;
use crate::statements::query::shown;
use crate::statements::runner::{Ran, Runner};
use mainstay_session::push::Command;
use mainstay_tsql_planner::collation_of;
use mainstay_tsql_syntax::compile::HostStatement;
use mainstay_tsql_syntax::reduce::{self, ReducedQuery, Scope};
use mainstay_tsql_syntax::tree::{
    self, Argument, Expr, Literal, ObjectName, Query, QueryBody, Select, SelectItem, Source, UnaryOperator,
};
use mainstay_tsql_types::collation::COMPARISON;
use mainstay_tsql_types::types::Declared;
use mainstay_tsql_types::{DataType, Message};
use mainstay_types::{Collation, Decimal, Value, ValueRef};
use mainstay_vm::{Flow, Raised, StatementCall};

/// An identity column of the new table.
struct Identity {
    /// The column of the result.
    name: String,
    /// Its type, where the query does not say it.
    data_type: Option<DataType>,
    seed: i64,
    increment: i64,
}

impl Runner<'_> {
    /// Makes the table and fills it.
    ///
    /// Errors: 1038 for a column without a name, 2714 for a table that is there, those of the query.
    pub(crate) fn select_into(
        &mut self,
        host: &HostStatement,
        query: &Query,
        name: &ObjectName,
        call: &mut StatementCall<'_>,
    ) -> Ran {
        let mut query = query.clone();
        let identity = self.new_identity(&mut query)?;
        let never_null = {
            let names = self.inner.names(&host.inputs);
            reduce::never_null(&query, &|name| names.columns(name)).unwrap_or_default()
        };
        let ReducedQuery { text, parameters, heads } =
            reduce::query(&query, &self.inner.names(&host.inputs)).map_err(raised)?;
        let mut plan = self.inner.plan(&text, parameters, heads)?;
        let values = self.values(&mut plan, host, call)?;
        let parameters: Vec<ValueRef<'_>> = values.iter().map(Value::as_ref).collect();
        let (mut columns, collations, mut rows) = {
            let mut all = self.inner.core.collected_rows("the rows of SELECT ... INTO");
            let mut rows = plan
                .prepared
                .query(&mut self.inner.core, &parameters)
                .map_err(crate::statements::errors::raised_error)?;
            let schema = rows.schema().cloned();
            let collations: Vec<Option<Collation>> =
                schema.iter().flat_map(|schema| schema.fields()).map(|field| collation_of(field)).collect();
            let columns = schema.map_or_else(Vec::new, |schema| shown(&schema, &plan.heads));
            let limit = match self.inner.state.options.row_limit {
                0 => usize::MAX,
                limit => limit as usize,
            };
            while all.len() < limit
                && let Some(row) = rows.next().map_err(crate::statements::errors::raised_error)?
            {
                all.push((0..row.len()).map(|column| row.get(column).to_value()).collect())
                    .map_err(crate::statements::errors::raised_error)?;
            }
            (columns, collations, all)
        };
        if columns.iter().any(|column| column.name.is_empty()) {
            let text = "An object or column name is missing or empty. For SELECT INTO statements, verify each column has a \
                        name. For other statements, look for empty alias names.";
            return Err(raised(Message::error(1038, text).severity(15).state(5)));
        }
        let numbered = identity.and_then(|identity| numbered(identity, &mut columns, &mut rows));
        let is_never_null = |place: usize| {
            let is_numbered = numbered.as_ref().is_some_and(|(of, _)| *of == place);
            is_numbered || never_null.len() == columns.len() && never_null[place]
        };
        let table = self.inner.new_table(name)?;
        let list: Vec<String> = columns
            .iter()
            .enumerate()
            .map(|(place, column)| {
                let identity = numbered.as_ref().filter(|(of, _)| *of == place).map_or("", |(_, text)| text.as_str());
                let null = if is_never_null(place) { " NOT NULL" } else { "" };
                let collation = collations.get(place).copied().flatten().filter(|own| *own != COMPARISON);
                let collate = collation.map_or_else(String::new, |own| format!(" COLLATE \"{}\"", own.name()));
                let (name, data_type) = (reduce::quoted(&column.name), reduce::type_name(column.data_type));
                format!("{name} {data_type}{collate}{null}{identity}")
            })
            .collect();
        let is_own = crate::session::scope::is_temporary(name.last()) && !crate::session::scope::is_global(name.last());
        let word = if is_own { "TEMPORARY " } else { "" };
        self.inner.execute(&format!("CREATE {word}TABLE {table} ({})", list.join(", ")))?;
        self.inner.insert_rows(&table, columns.len(), &rows)?;
        self.inner.state.row_count = rows.len() as i64;
        self.done(Command::SelectInto, Some(rows.len() as u64));
        Ok(Flow::NEXT)
    }

    /// The identity column that the new table has; a call of IDENTITY is a number in the query then.
    ///
    /// Errors: 8108 for a second one.
    fn new_identity(&mut self, query: &mut Query) -> Result<Option<Identity>, Box<Raised>> {
        let QueryBody::Select(select) = &mut query.body else { return Ok(None) };
        let mut found = None;
        for item in &mut select.items {
            let SelectItem::Value(value, Some(alias)) = item else { continue };
            let Some((declared, seed, increment)) = called(value) else { continue };
            if found.is_some() {
                let text = "Cannot add identity column, using the SELECT INTO statement, to the new table: it has more than \
                            one.";
                return Err(raised(Message::error(8108, text)));
            }
            let place = Declared::Column(1, &alias.text);
            let data_type = reduce::data_type(&declared, place, &self.inner.names(&[])).map_err(raised)?;
            found = Some(Identity { name: alias.text.clone(), data_type: Some(data_type), seed, increment });
            *value = Expr::Literal(Literal::Integer("0".to_owned()));
        }
        Ok(match found {
            None => self.inherited_identity(select),
            found => found,
        })
    }

    /// The identity column of the one table that is read, where it is a column of the result as it is.
    fn inherited_identity(&mut self, select: &Select) -> Option<Identity> {
        let [Source::Table(source)] = &select.from[..] else { return None };
        if select.quantifier.is_some() || select.group.is_some() {
            return None;
        }
        let core = {
            let names = self.inner.names(&[]);
            let columns = names.columns(&source.name)?;
            let own = columns.iter().find(|column| column.is_identity)?.name.clone();
            (names.table(&source.name).ok()?.replace('"', ""), own)
        };
        let (table, own) = core;
        let of_item = |item: &SelectItem| match item {
            SelectItem::Star(_) => Some(own.clone()),
            SelectItem::Value(Expr::Column(name), alias) if name.last().eq_ignore_ascii_case(&own) => {
                Some(alias.as_ref().map_or_else(|| own.clone(), |alias| alias.text.clone()))
            }
            _ => None,
        };
        let name = select.items.iter().find_map(of_item)?;
        let known = self.inner.core.identity(&table).ok()??;
        Some(Identity { name, data_type: None, seed: known.start, increment: known.increment })
    }
}

/// `IDENTITY(type, seed, increment)`: its type as it is declared, and its numbers.
fn called(value: &Expr) -> Option<(tree::DataType, i64, i64)> {
    let Expr::Call(call) = value else { return None };
    if !call.name.is("IDENTITY") {
        return None;
    }
    let plain = |argument: &Argument| match argument {
        Argument::Value(value) => Some(value.clone()),
        _ => None,
    };
    let arguments: Vec<Expr> = call.arguments.iter().map(plain).collect::<Option<_>>()?;
    let declared = match arguments.first()? {
        Expr::Column(name) => tree::DataType { name: name.clone(), arguments: Vec::new(), span: name.span },
        Expr::Call(call) => {
            let digits = call.arguments.iter().map(|argument| match argument {
                Argument::Value(Expr::Literal(Literal::Integer(digits))) => {
                    Some(tree::TypeArgument::Number(digits.clone()))
                }
                _ => None,
            });
            let arguments = digits.collect::<Option<_>>()?;
            tree::DataType { name: call.name.clone(), arguments, span: call.name.span }
        }
        _ => return None,
    };
    let number = |place: usize| match arguments.get(place) {
        None => Some(1),
        Some(Expr::Literal(Literal::Integer(digits))) => digits.parse::<i64>().ok(),
        Some(Expr::Unary(UnaryOperator::Minus, inner)) => match inner.as_ref() {
            Expr::Literal(Literal::Integer(digits)) => digits.parse::<i64>().ok().and_then(i64::checked_neg),
            _ => None,
        },
        Some(_) => None,
    };
    Some((declared, number(1)?, number(2)?))
}

/// The place of the identity column with what makes it one; its numbers are given to the rows where it is new.
fn numbered(identity: Identity, columns: &mut [Column], rows: &mut [Vec<Value>]) -> Option<(usize, String)> {
    let Identity { name, data_type, seed, increment } = identity;
    let place = columns.iter().position(|column| column.name.eq_ignore_ascii_case(&name))?;
    if let Some(data_type) = data_type {
        columns.get_mut(place)?.data_type = data_type;
        let mut next = seed;
        for cell in rows.iter_mut().filter_map(|row| row.get_mut(place)) {
            *cell = match data_type {
                DataType::Decimal { .. } => Value::Decimal(Decimal::new(next.into(), 0)),
                _ => Value::Integer(next),
            };
            next = next.checked_add(increment)?;
        }
    }
    let given = rows.iter().filter_map(|row| row.get(place).and_then(number_of));
    let farthest = if increment < 0 { given.min() } else { given.max() };
    let next = farthest.map_or(Some(seed), |last| last.checked_add(increment))?;
    let bound = if increment < 0 { "MAXVALUE 9223372036854775807" } else { "MINVALUE -9223372036854775808" };
    let text = format!(" GENERATED BY DEFAULT AS IDENTITY (START WITH {next} INCREMENT BY {increment} {bound})");
    Some((place, text))
}
