//! Calls of functions, and values that only the session has.

use super::within::has_subquery;
use super::{Reducer, Source, not_supported, text_literal};
use crate::tree::{
    Argument, Bound, Call, Case, Expr, Frame, Literal, Name, ObjectName, Over, QueryBody, SetQuantifier, Window,
};
use mainstay_tsql_types::{DataType, Length, Message};

/// A value of the session, under T-SQL's name for it: without arguments, and constant during a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionFunction {
    /// Its name in lower case: `@@rowcount`, `getdate`, `current_user`.
    pub name: &'static str,
    /// The type of its result.
    pub data_type: DataType,
}

const NAME: DataType = DataType::NVarChar(Length::Limited(128));

/// The functions of sessions, with their types, from the reference pages of each.
const SESSION_FUNCTIONS: [(&str, DataType); 61] = [
    // True if SET NOEXEC is ON: for statements that ask before they run.
    ("@@mainstay_noexec", DataType::Int),
    ("@@rowcount", DataType::Int),
    ("@@error", DataType::Int),
    ("@@identity", DataType::Decimal { precision: 38, scale: 0 }),
    ("@@trancount", DataType::Int),
    ("@@fetch_status", DataType::Int),
    ("@@cursor_rows", DataType::Int),
    ("@@nestlevel", DataType::Int),
    ("@@procid", DataType::Int),
    ("@@spid", DataType::SmallInt),
    ("@@servername", NAME),
    ("@@servicename", NAME),
    ("@@version", DataType::NVarChar(Length::Limited(300))),
    ("@@language", NAME),
    ("@@langid", DataType::SmallInt),
    ("@@datefirst", DataType::TinyInt),
    ("@@dbts", DataType::VarBinary(Length::Limited(8))),
    ("@@lock_timeout", DataType::Int),
    ("@@max_connections", DataType::Int),
    ("@@max_precision", DataType::TinyInt),
    ("@@options", DataType::Int),
    ("@@textsize", DataType::Int),
    ("@@connections", DataType::Int),
    ("@@cpu_busy", DataType::Int),
    ("@@idle", DataType::Int),
    ("@@io_busy", DataType::Int),
    ("@@timeticks", DataType::Int),
    ("@@pack_sent", DataType::Int),
    ("@@pack_received", DataType::Int),
    ("@@packet_errors", DataType::Int),
    ("@@total_read", DataType::Int),
    ("@@total_write", DataType::Int),
    ("@@total_errors", DataType::Int),
    ("@@remserver", NAME),
    ("@@microsoftversion", DataType::Int),
    ("getdate", DataType::DateTime),
    ("current_timestamp", DataType::DateTime),
    ("getutcdate", DataType::DateTime),
    ("sysdatetime", DataType::DateTime2(7)),
    ("sysutcdatetime", DataType::DateTime2(7)),
    ("sysdatetimeoffset", DataType::DateTimeOffset(7)),
    ("current_user", NAME),
    ("session_user", NAME),
    ("system_user", NAME),
    ("user", NAME),
    ("user_name", NAME),
    ("suser_name", NAME),
    ("suser_sname", NAME),
    ("original_login", NAME),
    ("host_name", NAME),
    ("app_name", NAME),
    ("db_name", NAME),
    ("db_id", DataType::SmallInt),
    ("schema_name", NAME),
    ("scope_identity", DataType::Decimal { precision: 38, scale: 0 }),
    ("error_number", DataType::Int),
    ("error_severity", DataType::Int),
    ("error_state", DataType::Int),
    ("error_line", DataType::Int),
    ("error_message", DataType::NVarChar(Length::Limited(4000))),
    ("xact_state", DataType::SmallInt),
];

/// More of them, which came after.
const LATER: [(&str, DataType); 9] = [
    ("columns_updated", DataType::VarBinary(Length::Limited(128))),
    ("context_info", DataType::VarBinary(Length::Limited(128))),
    ("current_date", DataType::Date),
    ("eventdata", DataType::Xml),
    ("error_procedure", NAME),
    ("host_id", DataType::char(10)),
    ("rowcount_big", DataType::BigInt),
    ("rand", DataType::Float),
    ("current_transaction_id", DataType::BigInt),
];

/// The session's function of this name, called without arguments.
pub fn session_function(name: &str) -> Option<SessionFunction> {
    let name = name.to_ascii_lowercase();
    let known = SESSION_FUNCTIONS.iter().chain(&LATER).find(|(known, _)| *known == name);
    known.map(|(name, data_type)| SessionFunction { name, data_type: *data_type })
}

/// T-SQL's aggregates, and what the core calls those that it calculates itself.
const AGGREGATES: [&str; 17] = [
    "approx_count_distinct",
    "avg",
    "checksum_agg",
    "count",
    "count_big",
    "grouping",
    "grouping_id",
    "max",
    "min",
    "percentile_cont",
    "percentile_disc",
    "stdev",
    "stdevp",
    "string_agg",
    "sum",
    "var",
    "varp",
];

/// The functions that exist only with OVER, and are the core's own.
const WINDOW_FUNCTIONS: [&str; 10] = [
    "cume_dist",
    "dense_rank",
    "first_value",
    "lag",
    "last_value",
    "lead",
    "ntile",
    "percent_rank",
    "rank",
    "row_number",
];

/// The functions whose first argument is a word that stands for itself.
const DATEPART_FUNCTIONS: [&str; 7] =
    ["date_bucket", "dateadd", "datediff", "datediff_big", "datename", "datepart", "datetrunc"];

/// Returns true if the first argument of this function is the name of a part of a date.
pub(crate) fn is_datepart_function(name: &str) -> bool {
    DATEPART_FUNCTIONS.contains(&name)
}

/// Returns true if an expression has an aggregate in it that belongs to its own query.
pub(super) fn has_aggregate(value: &Expr) -> bool {
    has_call(value, &is_aggregate)
}

/// Returns true if a call is an aggregate of its query's groups.
pub(super) fn is_aggregate(call: &Call) -> bool {
    call.over.is_none() && is_named(&AGGREGATES, call)
}

/// Returns true if an expression has a function over a window in it that belongs to its own query.
pub(super) fn has_window(value: &Expr) -> bool {
    has_call(value, &|call| call.over.is_some())
}

/// Returns true if an expression has such a call in it that belongs to its own query.
fn has_call(value: &Expr, is_wanted: &dyn Fn(&Call) -> bool) -> bool {
    let within = |value: &Expr| has_call(value, is_wanted);
    match value {
        Expr::Call(call) => {
            is_wanted(call)
                || call.arguments.iter().any(|argument| match argument {
                    Argument::Value(value) => within(value),
                    Argument::KeyValue(key, value) => within(key) || within(value),
                    Argument::Trim(_, what, value) => what.as_ref().is_some_and(within) || within(value),
                })
        }
        Expr::Unary(_, operand) | Expr::Collate(operand, _) => within(operand),
        Expr::Binary(left, _, right) | Expr::AtTimeZone(left, right) => within(left) || within(right),
        Expr::And(parts) | Expr::Or(parts) => parts.iter().any(within),
        Expr::Cast(cast) => within(&cast.value),
        Expr::Case(case) => {
            let Case { operand, branches, otherwise } = case.as_ref();
            let mut parts = operand.iter().chain(otherwise).chain(branches.iter().flat_map(|(a, b)| [a, b]));
            parts.any(within)
        }
        Expr::Test(value, _, _) => within(value),
        _ => false,
    }
}

/// Returns true if it is the name of a function that the system has in its schema: `sys.fn_varbintohexstr`,
/// `master.dbo. ...`.
fn is_of_system(name: &ObjectName) -> bool {
    let schema = name.parts.len().checked_sub(2).and_then(|place| name.parts.get(place));
    name.last().eq_ignore_ascii_case("fn_varbintohexstr")
        && schema.is_some_and(|schema| schema.is("sys") || schema.is("dbo"))
}

fn is_named(names: &[&str], call: &Call) -> bool {
    names.iter().any(|name| call.name.is(name))
}

impl Reducer<'_> {
    /// Writes a function that is named without parentheses: `CURRENT_TIMESTAMP`, `@@ROWCOUNT`.
    pub(super) fn niladic(&mut self, name: &str) -> Result<(), Message> {
        match session_function(name) {
            Some(function) if self.in_table => self.in_definition(function.name, function.data_type),
            Some(function) => {
                self.parameter(Source::Session(function), function.data_type);
                Ok(())
            }
            None => Err(unknown(name)),
        }
    }

    /// Writes a call.
    pub(super) fn function(&mut self, call: &Call) -> Result<(), Message> {
        // A function of the database has its schema named.
        if call.name.parts.len() > 1 {
            if let Some((column, method, arguments)) = super::xml::method_of_column(call)
                && !self.scope.is_scalar_function(&call.name)
            {
                return self.method(&column, method, &arguments);
            }
            if is_of_system(&call.name) && !self.scope.is_scalar_function(&call.name) {
                return self.plain_call(&call.name.last().to_ascii_lowercase(), call);
            }
            return self.user_function(call);
        }
        let name = call.name.last().to_ascii_lowercase();
        if call.arguments.is_empty() && session_function(&name).is_some() {
            return self.niladic(&name);
        }
        if let Some(function) = super::catalog_function(&name) {
            return self.catalog_call(function, call);
        }
        if is_named(&AGGREGATES, call) {
            return self.aggregate(&name, call);
        }
        if is_named(&WINDOW_FUNCTIONS, call) {
            return self.window_function(&name, call);
        }
        if is_named(&DATEPART_FUNCTIONS, call) {
            return self.datepart_function(&name, call);
        }
        match name.as_str() {
            "coalesce" => {
                super::check_coalesce(&values(call)?)?;
                self.plain_call(&name, call)
            }
            "isnull" | "greatest" | "least" => self.plain_call(&name, call),
            "nullif" => self.nullif(call),
            "iif" => self.iif(call),
            // The same numbers; the detail serves the display of the definition.
            "newsequentialid" if self.in_table => self.call("newid:sequential", &[]),
            "newsequentialid" => {
                let text = "The newsequentialid() built-in function can only be used in a DEFAULT expression for a column of \
                            type 'uniqueidentifier' in a CREATE TABLE or ALTER TABLE statement. It cannot be combined with \
                            other operators to form a complex scalar expression.";
                Err(Message::error(302, text).state(0))
            }
            "exists" => Err(not_supported("EXISTS")),
            _ if mainstay_tsql_types::Operation::by_name(&name).is_some() => self.plain_call(&name, call),
            _ => Err(unknown(call.name.last())),
        }
    }

    fn plain_call(&mut self, name: &str, call: &Call) -> Result<(), Message> {
        // TRIM has its own grammar: which side, and which characters.
        if let [Argument::Trim(side, characters, value)] = &call.arguments[..] {
            let function = side.as_ref().map_or("trim", trim_function);
            return match characters {
                Some(characters) => self.call(function, &[value, characters]),
                None => self.call(function, &[value]),
            };
        }
        let values = values(call)?;
        self.call(&super::json::operation(name, call, &values), &values)
    }

    fn nullif(&mut self, call: &Call) -> Result<(), Message> {
        let [left, right] = self.exactly::<2>("nullif", call)?;
        super::check_nullif(left)?;
        self.push("CASE WHEN ");
        self.call("equal", &[left, right])?;
        self.push(" THEN NULL ELSE ");
        self.expression(left)?;
        self.push(" END");
        Ok(())
    }

    fn iif(&mut self, call: &Call) -> Result<(), Message> {
        let [condition, yes, no] = self.exactly::<3>("iif", call)?;
        let branches = vec![(condition.clone(), yes.clone())];
        self.case(&Case { operand: None, branches, otherwise: Some(no.clone()) })
    }

    fn exactly<'c, const N: usize>(&self, name: &str, call: &'c Call) -> Result<[&'c Expr; N], Message> {
        let wrong = |_| Message::error(174, format!("The {name} function requires {N} argument(s).")).severity(15);
        <[&Expr; N]>::try_from(values(call)?).map_err(wrong)
    }

    /// `DATEADD(day, 1, d)` as `"mssql:dateadd:day"(1, d)`.
    fn datepart_function(&mut self, name: &str, call: &Call) -> Result<(), Message> {
        let arguments = values(call)?;
        let part = match arguments.first() {
            Some(Expr::Column(part)) if part.parts.len() == 1 => part.last().to_ascii_lowercase(),
            _ => {
                let message = format!("Invalid parameter 1 specified for {name}.");
                return Err(Message::error(1023, message).severity(15));
            }
        };
        self.call(&format!("{name}:{part}"), &arguments[1..])
    }

    fn aggregate(&mut self, name: &str, call: &Call) -> Result<(), Message> {
        // Over a window, it is the groups' aggregates that are counted.
        let is_wrong = |value: &Expr| has_subquery(value) || call.over.is_none() && has_aggregate(value);
        if call.arguments.iter().any(|argument| matches!(argument, Argument::Value(value) if is_wrong(value))) {
            return Err(Message::numbered(130, &[]));
        }
        match name {
            "string_agg" if call.over.is_some() => {
                return Err(Message::numbered(4113, &[&call.name.last()]));
            }
            "grouping" | "grouping_id" => {
                let arguments = values(call)?;
                self.open(if name == "grouping" { "cast:tinyint" } else { "cast:int" });
                self.push("grouping(");
                self.list(&arguments, |it, argument| it.expression(argument))?;
                self.push("))");
                return Ok(());
            }
            "percentile_cont" | "percentile_disc" => return self.percentile(name, call),
            "checksum_agg" => return self.checksum_of_group(call),
            // The exact count is one of those that are allowed.
            "approx_count_distinct" => self.push("\"mssql:count_big\"(DISTINCT "),
            "count" | "count_big" => {
                self.open(if name == "count" { "count" } else { "count_big" });
            }
            _ => self.open(name),
        }
        if call.quantifier == Some(SetQuantifier::Distinct) {
            self.push("DISTINCT ");
        }
        match &call.arguments[..] {
            [Argument::Value(Expr::Star(None))] => self.push("1"),
            _ => self.list(values(call)?, |it, argument| it.expression(argument))?,
        }
        self.order(&call.within_group)?;
        self.push(")");
        self.over(call)
    }

    /// `PERCENTILE_CONT(p) WITHIN GROUP (ORDER BY x) OVER (...)`: an aggregate of x and p over the window.
    fn percentile(&mut self, name: &str, call: &Call) -> Result<(), Message> {
        let [share] = self.exactly::<1>(name, call)?;
        let [item] = &call.within_group[..] else {
            let message = format!("The function '{name}' must have a WITHIN GROUP clause.");
            return Err(Message::error(10754, message).severity(15));
        };
        if call.over.is_none() {
            let message = format!("The function '{name}' must have an OVER clause.");
            return Err(Message::error(10753, message).severity(15));
        }
        self.open(&format!("{name}{}", if item.descending == Some(true) { "_desc" } else { "" }));
        self.expression(&item.value)?;
        self.push(", ");
        self.call("cast:float", &[share])?;
        self.push(")");
        self.over(call)
    }

    /// CHECKSUM_AGG: the exclusive OR of all values.
    fn checksum_of_group(&mut self, call: &Call) -> Result<(), Message> {
        let [value] = self.exactly::<1>("checksum_agg", call)?;
        self.open("cast:int");
        self.push("bit_xor(");
        self.push(if call.quantifier == Some(SetQuantifier::Distinct) { "DISTINCT " } else { "" });
        self.call("cast:int", &[value])?;
        self.push(")");
        self.over(call)?;
        self.push(")");
        Ok(())
    }

    fn window_function(&mut self, name: &str, call: &Call) -> Result<(), Message> {
        if call.over.is_none() {
            let message = format!("The function '{}' must have an OVER clause.", call.name.last());
            return Err(Message::error(10753, message).severity(15));
        }
        if let Some(Over::Window(window)) = &call.over
            && window.base.is_none()
            && window.order.is_empty()
        {
            return Err(Message::numbered(4112, &[&call.name.last()]).severity(15));
        }
        let is_ranking = matches!(name, "row_number" | "rank" | "dense_rank" | "ntile");
        if is_ranking {
            self.open("bigint");
        }
        self.push(name);
        self.push("(");
        let arguments = values(call)?;
        for (number, argument) in arguments.iter().enumerate() {
            if number > 0 {
                self.push(", ");
            }
            // The number of groups, or the distance: the core takes only plain numbers.
            match argument {
                Expr::Literal(Literal::Integer(digits)) if number > 0 || name == "ntile" => self.push(digits),
                argument => self.expression(argument)?,
            }
        }
        self.push(")");
        match call.ignore_nulls {
            Some(true) => self.push(" IGNORE NULLS"),
            Some(false) => self.push(" RESPECT NULLS"),
            None => {}
        }
        self.over(call)?;
        if is_ranking {
            self.push(")");
        }
        Ok(())
    }

    fn over(&mut self, call: &Call) -> Result<(), Message> {
        match &call.over {
            None => Ok(()),
            Some(Over::Name(name)) => {
                self.push(" OVER ");
                self.name(&name.text);
                Ok(())
            }
            Some(Over::Window(window)) => {
                self.push(" OVER (");
                self.window(window)?;
                self.push(")");
                Ok(())
            }
        }
    }

    /// Writes what stands in the parentheses of OVER.
    pub(super) fn window(&mut self, window: &Window) -> Result<(), Message> {
        if let Some(base) = &window.base {
            self.name(&base.text);
        }
        if !window.partition.is_empty() {
            self.push(" PARTITION BY ");
            self.list(&window.partition, |it, value| it.expression(value))?;
        }
        super::checks::check_window_order(&window.order)?;
        // `ORDER BY (SELECT NULL)` says that there is no order.
        let order: Vec<_> = window.order.iter().filter(|item| !is_constant_query(&item.value)).cloned().collect();
        self.order(&order)?;
        match &window.frame {
            None => Ok(()),
            Some(_) if window.order.is_empty() && window.base.is_none() => {
                let text = "Window frame with ROWS or RANGE must have an ORDER BY clause.";
                Err(Message::error(10756, text).severity(15))
            }
            Some(frame) => self.frame(frame),
        }
    }

    fn frame(&mut self, frame: &Frame) -> Result<(), Message> {
        let is_counted = |bound: &Bound| matches!(bound, Bound::Preceding(_) | Bound::Following(_));
        if frame.range && std::iter::once(&frame.start).chain(&frame.end).any(is_counted) {
            let text = "RANGE is only supported with UNBOUNDED and CURRENT ROW window frame delimiters.";
            return Err(Message::error(4194, text));
        }
        self.push(if frame.range { " RANGE " } else { " ROWS " });
        match &frame.end {
            None => self.bound(&frame.start),
            Some(end) => {
                self.push("BETWEEN ");
                self.bound(&frame.start)?;
                self.push(" AND ");
                self.bound(end)
            }
        }
    }

    fn bound(&mut self, bound: &Bound) -> Result<(), Message> {
        let (value, word) = match bound {
            Bound::UnboundedPreceding => return self.words("UNBOUNDED PRECEDING"),
            Bound::UnboundedFollowing => return self.words("UNBOUNDED FOLLOWING"),
            Bound::CurrentRow => return self.words("CURRENT ROW"),
            Bound::Preceding(value) => (value, " PRECEDING"),
            Bound::Following(value) => (value, " FOLLOWING"),
        };
        match value.as_ref() {
            Expr::Literal(Literal::Integer(digits)) => self.push(digits),
            _ => return Err(not_supported("A window frame of other than a number of rows")),
        }
        self.words(word)
    }

    fn words(&mut self, words: &str) -> Result<(), Message> {
        self.push(words);
        Ok(())
    }

    /// A function that the database defines: `"mssql:user:dbo.f"(arguments)`.
    fn user_function(&mut self, call: &Call) -> Result<(), Message> {
        if !self.scope.is_scalar_function(&call.name) {
            let name: Vec<&str> = call.name.parts.iter().map(|part| part.text.as_str()).collect();
            let (name, first) = (name.join("."), call.name.parts.first().map_or("", |part| &part.text));
            let message = format!(
                "Cannot find either column \"{first}\" or the user-defined function or aggregate \"{name}\", or the name is \
                 ambiguous."
            );
            return Err(Message::error(4121, message));
        }
        let defaults = self.scope.scalar_defaults(&call.name);
        if let Some(defaults) = &defaults {
            super::checks::check_arguments(call, defaults.len())?;
        }
        let is_default = |argument: &Argument| matches!(argument, Argument::Value(Expr::Default));
        if call.arguments.iter().any(is_default) {
            let mut given = call.clone();
            let mut defaults = defaults.unwrap_or_default().into_iter();
            for argument in &mut given.arguments {
                let default = defaults.next().flatten();
                if is_default(argument) {
                    *argument = Argument::Value(default.unwrap_or(Expr::Literal(Literal::Null)));
                }
            }
            return self.user_function(&given);
        }
        let name: Vec<String> = call.name.parts.iter().map(|part| part.text.to_lowercase()).collect();
        // Expressions of a table are compiled without a session that could supply the function's type.
        match self.scope.scalar_result(&call.name) {
            Some(result) if self.in_table => self.call(&format!("stored:{result}:{}", name.join(".")), &values(call)?),
            _ => self.call(&format!("user:{}", name.join(".")), &values(call)?),
        }
    }

    /// A text, as a literal of the core.
    pub(super) fn text(&mut self, text: &str) {
        self.push(&text_literal(text));
    }
}

/// The core's function for a TRIM of one side.
pub(crate) fn trim_function(side: &Name) -> &'static str {
    match side.text.to_ascii_uppercase().as_str() {
        "LEADING" => "ltrim",
        "TRAILING" => "rtrim",
        _ => "trim",
    }
}

/// The arguments that are values.
pub(super) fn values<'c>(call: &'c Call) -> Result<Vec<&'c Expr>, Message> {
    if call.name.is("JSON_OBJECT") {
        // Keys and values take turns.
        let pair = |argument: &'c Argument| match argument {
            Argument::KeyValue(key, value) => Ok([key, value]),
            _ => Err(unknown_form(call)),
        };
        return Ok(call.arguments.iter().map(pair).collect::<Result<Vec<_>, _>>()?.concat());
    }
    let value = |argument: &'c Argument| match argument {
        Argument::Value(value) => Ok(value),
        _ => Err(unknown_form(call)),
    };
    call.arguments.iter().map(value).collect()
}

fn unknown_form(call: &Call) -> Message {
    not_supported(&format!("{} with arguments of this form", call.name.last()))
}

fn unknown(name: &str) -> Message {
    Message::error(195, format!("'{name}' is not a recognized built-in function name.")).severity(15).state(10)
}

/// Returns true if a value is a subquery without tables: it is the same for all rows.
fn is_constant_query(value: &Expr) -> bool {
    match value {
        Expr::Subquery(query) => matches!(&query.body, QueryBody::Select(select) if select.from.is_empty()),
        _ => false,
    }
}
