//! Expressions of definitions as SQL Server shows them: `((0))`, `([qty]>(0) AND [name] like 'a%')`.
//!
//! A definition is stored in the core's SQL, as the reducer wrote it. SQL Server does not show the original text
//! either: names stand in brackets, numbers in parentheses, BETWEEN and IN are expanded. So this module parses the
//! core's text and writes that form. A text that it cannot parse is shown as it is stored.

use mainstay_tsql_syntax::reduce::SESSION_CALL;
use mainstay_tsql_types::CodePage;

/// A definition in SQL Server's form, in parentheses. `columns` are called as the table calls them: the core has them in
/// lower case.
pub(crate) fn shown(text: &str, columns: &[&str]) -> String {
    let tokens = tokens(text);
    let mut reader = Reader { tokens: &tokens, columns, at: 0, depth: 0 };
    match reader.any() {
        Some(shown) if reader.at == tokens.len() => format!("({})", shown.text),
        _ => format!("({text})"),
    }
}

/// A placeholder for the current time, until the cast around it decides which function it is. No definition has these
/// signs.
const NOW: &str = "\u{1}";
const NOW_UTC: &str = "\u{2}";

/// Expressions that are nested more deeply are shown as they are stored.
const DEEPEST: usize = 60;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// `"name"`, without its quotes.
    Name(String),
    /// `'text'`, as it stands.
    Text(String),
    /// A number or a word.
    Word(String),
    Symbol(char),
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(first) = rest.next() {
        match first {
            ' ' | '\n' | '\t' | '\r' => {}
            '"' | '\'' => {
                let mut inside = String::new();
                while let Some(next) = rest.next() {
                    if next == first && rest.peek() != Some(&first) {
                        break;
                    }
                    if next == first {
                        rest.next();
                    }
                    inside.push(next);
                }
                tokens.push(match first {
                    '"' => Token::Name(inside),
                    _ => Token::Text(format!("'{}'", inside.replace('\'', "''"))),
                });
            }
            c if c.is_alphanumeric() || matches!(c, '_' | '.') => {
                let mut word = c.to_string();
                while let Some(next) = rest.next_if(|c| c.is_alphanumeric() || matches!(c, '_' | '.')) {
                    word.push(next);
                }
                tokens.push(Token::Word(word));
            }
            symbol => tokens.push(Token::Symbol(symbol)),
        }
    }
    tokens
}

/// The precedence of a text's outermost operator; a larger one binds more tightly.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Or,
    And,
    Not,
    Compare,
    Add,
    Multiply,
    Tight,
}

struct Shown {
    text: String,
    binding: Binding,
}

impl Shown {
    fn tight(text: impl Into<String>) -> Shown {
        Shown { text: text.into(), binding: Binding::Tight }
    }

    /// The text as part of something that binds like this.
    fn within(self, binding: Binding) -> String {
        if self.binding < binding { format!("({})", self.text) } else { self.text }
    }
}

struct Reader<'t> {
    tokens: &'t [Token],
    columns: &'t [&'t str],
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Token::Word(known)) if known.eq_ignore_ascii_case(word))
    }

    fn take_word(&mut self, word: &str) -> bool {
        let is = self.is_word(word);
        self.at += usize::from(is);
        is
    }

    fn take(&mut self, symbol: char) -> bool {
        let is = self.peek() == Some(&Token::Symbol(symbol));
        self.at += usize::from(is);
        is
    }

    fn any(&mut self) -> Option<Shown> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return None;
        }
        let shown = self.chain("OR", Binding::Or, |it| it.chain("AND", Binding::And, Reader::not));
        self.depth -= 1;
        shown
    }

    fn chain(&mut self, word: &str, binding: Binding, part: impl Fn(&mut Self) -> Option<Shown>) -> Option<Shown> {
        let mut first = part(self)?;
        while self.take_word(word) {
            let next = part(self)?;
            first = Shown { text: format!("{} {word} {}", first.within(binding), next.within(binding)), binding };
        }
        Some(first)
    }

    fn not(&mut self) -> Option<Shown> {
        if self.take_word("NOT") {
            let inner = self.not()?.within(Binding::Not);
            return Some(Shown { text: format!("NOT {inner}"), binding: Binding::Not });
        }
        let value = self.primary()?;
        if !self.take_word("IS") {
            return Some(value);
        }
        let not = if self.take_word("NOT") { "NOT " } else { "" };
        let text = format!("{} IS {not}NULL", value.within(Binding::Add));
        self.take_word("NULL").then_some(Shown { text, binding: Binding::Compare })
    }

    fn primary(&mut self) -> Option<Shown> {
        let token = self.peek()?.clone();
        self.at += 1;
        match token {
            Token::Symbol('(') => {
                let inner = self.any()?;
                self.take(')').then_some(inner)
            }
            Token::Symbol('-') => {
                let value = self.primary()?;
                Some(Shown::tight(format!("-{}", value.within(Binding::Tight))))
            }
            Token::Symbol(_) => None,
            Token::Text(text) => Some(Shown::tight(text)),
            Token::Name(name) => match (name.strip_prefix("mssql:"), self.take('(')) {
                (Some(function), true) => self.call(function),
                (None, true) => {
                    let values = self.values()?;
                    Some(Shown::tight(format!("{}({})", name.to_lowercase(), joined(values))))
                }
                (_, false) => {
                    let known = self.columns.iter().find(|known| known.to_lowercase() == name);
                    let mut text = format!("[{}]", known.unwrap_or(&name.as_str()));
                    while self.take_word(".") || self.take('.') {
                        let Some(Token::Name(next)) = self.peek().cloned() else { return None };
                        self.at += 1;
                        text.push_str(&format!(".[{next}]"));
                    }
                    Some(Shown::tight(text))
                }
            },
            Token::Word(word) if word.eq_ignore_ascii_case("CASE") => self.case(),
            Token::Word(word) if word.eq_ignore_ascii_case("CAST") => {
                // Only the moments of the session are written so: `CAST(now() AS ...)`, and that of UTC `CAST((now()) AS ...)`.
                let is_utc = self.take('(') && self.take('(');
                let closed = self.skip_to_close() && self.skip_to_close() && (!is_utc || self.skip_to_close());
                closed.then(|| Shown::tight(if is_utc { NOW_UTC } else { NOW }))
            }
            Token::Word(word) => match self.take('(') {
                true if word.eq_ignore_ascii_case("nextval") => {
                    let Some(Token::Text(name)) = self.peek().cloned() else { return None };
                    self.at += 1;
                    self.take(')').then(|| next_value(name.trim_matches('\'')))
                }
                true => {
                    let values = self.values()?;
                    Some(Shown::tight(format!("{}({})", word.to_lowercase(), joined(values))))
                }
                false => Some(Shown::tight(word)),
            },
        }
    }

    /// Behind the parenthesis that closes a level.
    fn skip_to_close(&mut self) -> bool {
        while !matches!(self.peek(), None | Some(Token::Symbol(')'))) {
            self.at += 1;
        }
        self.take(')')
    }

    fn values(&mut self) -> Option<Vec<Shown>> {
        let mut values = Vec::new();
        if self.take(')') {
            return Some(values);
        }
        loop {
            values.push(self.any()?);
            if self.take(')') {
                return Some(values);
            }
            if !self.take(',') {
                return None;
            }
        }
    }

    fn case(&mut self) -> Option<Shown> {
        let mut text = "case".to_owned();
        if !self.is_word("WHEN") {
            text.push_str(&format!(" {}", self.any()?.text));
        }
        while self.take_word("WHEN") {
            let when = self.any()?.text;
            if !self.take_word("THEN") {
                return None;
            }
            text.push_str(&format!(" when {when} then {}", self.any()?.text));
        }
        if self.take_word("ELSE") {
            text.push_str(&format!(" else {}", self.any()?.text));
        }
        self.take_word("END").then(|| Shown::tight(format!("{text} end")))
    }

    /// A function of T-SQL, behind its parenthesis.
    fn call(&mut self, function: &str) -> Option<Shown> {
        let mut values = self.values()?;
        let (name, detail) = function.split_once(':').unwrap_or((function, ""));
        if let Some((symbol, binding)) = operator(name)
            && values.len() == 2
        {
            let (right, left) = (values.pop()?, values.pop()?);
            // The right operand of a subtraction or division has to bind more tightly than the left one.
            let tighter = if matches!(name, "subtract" | "divide" | "modulo") { Binding::Tight } else { binding };
            let text = format!("{}{symbol}{}", left.within(binding), right.within(tighter));
            return Some(Shown { text, binding });
        }
        match (name, values.len()) {
            ("in" | "not_in", 2..) => {
                let value = values.remove(0).within(Binding::Add);
                let parts: Vec<String> =
                    values.into_iter().rev().map(|one| format!("{value}={}", one.within(Binding::Add))).collect();
                let binding = if parts.len() > 1 { Binding::Or } else { Binding::Compare };
                Some(Shown { text: parts.join(" OR "), binding })
            }
            ("like", 3) => {
                let (escape, pattern, value) = (values.pop()?, values.pop()?, values.pop()?);
                let text = format!(
                    "{} like {} escape {}",
                    value.within(Binding::Add),
                    pattern.text,
                    escape.within(Binding::Add)
                );
                Some(Shown { text, binding: Binding::Compare })
            }
            ("negate", 1) => {
                let value = values.pop()?.text;
                let number = value.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
                match number.filter(|number| number.chars().all(|c| c.is_ascii_digit() || c == '.')) {
                    Some(number) => Some(Shown::tight(format!("(-{number})"))),
                    None => Some(Shown::tight(format!("-{value}"))),
                }
            }
            ("cast" | "convert", 1..) if !detail.is_empty() => {
                let values = joined(values);
                Some(Shown::tight(match (values.as_str(), detail) {
                    (NOW, "datetime") => "getdate()".to_owned(),
                    (NOW_UTC, "datetime") => "getutcdate()".to_owned(),
                    (NOW, "datetime2(7)") => "sysdatetime()".to_owned(),
                    (NOW_UTC, "datetime2(7)") => "sysutcdatetime()".to_owned(),
                    (NOW, "datetimeoffset(7)") => "sysdatetimeoffset()".to_owned(),
                    (NOW | NOW_UTC, _) => format!("CONVERT({},getdate())", bracketed(detail)),
                    _ => format!("CONVERT({},{values})", bracketed(detail)),
                }))
            }
            ("newid", 0) if detail == "sequential" => Some(Shown::tight("newsequentialid()")),
            // A default is converted to the type of its column; the conversion is not part of the definition.
            ("assign", 1) => values.pop(),
            ("try_cast" | "try_convert", 1..) => {
                Some(Shown::tight(format!("TRY_CAST({} AS {})", joined(values), bracketed(detail))))
            }
            ("stored", _) => {
                let (_, function) = detail.split_once(':')?;
                Some(Shown::tight(match function.strip_prefix(SESSION_CALL) {
                    Some("session_user") => "session_user".to_owned(),
                    Some(of_session) => format!("{of_session}()"),
                    None => of_database(function, values),
                }))
            }
            ("user", _) => Some(Shown::tight(of_database(detail, values))),
            (_, 1) if detail.is_empty() && is_type(name) => Some(literal(name, values.pop()?.text)),
            // JSON functions are generated by the reducer: no script contains them in this form.
            (_, _) if name.starts_with("json_") => Some(Shown::tight(format!("{name}({})", joined(values)))),
            _ => {
                let part = if detail.is_empty() { String::new() } else { format!("{detail},") };
                Some(Shown::tight(format!("{name}({part}{})", joined(values))))
            }
        }
    }
}

/// NEXT VALUE FOR a sequence, with its schema.
fn next_value(name: &str) -> Shown {
    let (schema, name) = name.split_once('.').unwrap_or(("dbo", name));
    Shown::tight(format!("NEXT VALUE FOR [{schema}].[{name}]"))
}

/// The call of a function of the database.
fn of_database(function: &str, values: Vec<Shown>) -> String {
    let name: Vec<String> = function.split('.').map(|part| format!("[{part}]")).collect();
    format!("{}({})", name.join("."), joined(values))
}

fn joined(values: Vec<Shown>) -> String {
    values.into_iter().map(|value| value.text).collect::<Vec<_>>().join(",")
}

fn is_type(name: &str) -> bool {
    mainstay_tsql_types::operation::data_type(name).is_some()
}

/// A constant: numbers in parentheses, texts as they are.
fn literal(name: &str, value: String) -> Shown {
    let is_national = name.starts_with('n') && value.starts_with('\'') && !name.starts_with("numeric");
    let is_number = mainstay_tsql_types::operation::data_type(name).is_some_and(|data_type| data_type.is_number());
    Shown::tight(match (is_national, is_number) {
        (true, _) => format!("N{value}"),
        (false, true) => format!("({})", value.trim_matches('\'')),
        _ => value,
    })
}

/// `decimal(9,2)` as `[decimal](9,2)`. A code page behind it is the column's and not written.
fn bracketed(data_type: &str) -> String {
    let data_type = match data_type.rsplit_once(' ') {
        Some((data_type, page)) if CodePage::by_name(page).is_some() => data_type,
        _ => data_type,
    };
    match data_type.split_once('(') {
        Some((name, rest)) => format!("[{name}]({rest}"),
        None => format!("[{data_type}]"),
    }
}

fn operator(name: &str) -> Option<(&'static str, Binding)> {
    Some(match name {
        "multiply" => ("*", Binding::Multiply),
        "divide" => ("/", Binding::Multiply),
        "modulo" => ("%", Binding::Multiply),
        "add" => ("+", Binding::Add),
        "subtract" => ("-", Binding::Add),
        "concatenate" => ("||", Binding::Add),
        "bit_and" => ("&", Binding::Add),
        "bit_or" => ("|", Binding::Add),
        "bit_xor" => ("^", Binding::Add),
        "equal" => ("=", Binding::Compare),
        "not_equal" => ("<>", Binding::Compare),
        "less" => ("<", Binding::Compare),
        "less_or_equal" => ("<=", Binding::Compare),
        "greater" => (">", Binding::Compare),
        "greater_or_equal" => (">=", Binding::Compare),
        "like" => (" like ", Binding::Compare),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn definitions_are_shown_as_the_server_shows_them() {
        for (kept, wanted) in [
            (r#"("mssql:int"(0))"#, "((0))"),
            (r#"("mssql:varchar(3)"('x''y'))"#, "('x''y')"),
            (r#"("mssql:nvarchar(1)"('x'))"#, "(N'x')"),
            (r#"("mssql:cast:datetime"(CAST(now() AS TIMESTAMP)))"#, "(getdate())"),
            (r#"("mssql:cast:datetime2(7)"(CAST(now() AS TIMESTAMP)))"#, "(sysdatetime())"),
            (r#"("mssql:cast:datetime2(7)"(CAST((now()) AS TIMESTAMP)))"#, "(sysutcdatetime())"),
            (r#"("mssql:cast:date"("mssql:cast:datetime"(CAST(now() AS TIMESTAMP))))"#, "(CONVERT([date],getdate()))"),
            (
                r#"("mssql:add"("mssql:cast:datetime"(CAST((now()) AS TIMESTAMP)), "mssql:int"(1)))"#,
                "(getutcdate()+(1))",
            ),
            (r#"("mssql:newid:sequential"())"#, "(newsequentialid())"),
            (r#"("mssql:negate"("mssql:decimal(3,2)"('1.50')))"#, "((-1.50))"),
            (r#"("mssql:newid"())"#, "(newid())"),
            (r#"("mssql:assign:datetime"("mssql:varchar(8)"('20240101')))"#, "('20240101')"),
            (r#""mssql:multiply"("qty", "mssql:int"(2))"#, "([qty]*(2))"),
            (r#""mssql:multiply"("mssql:add"("a", "b"), "c")"#, "(([a]+[b])*[c])"),
            (r#""mssql:upper"("name")"#, "(upper([name]))"),
            (
                r#"("mssql:in"("a", "mssql:int"(1), "mssql:int"(2))) OR ("a" IS NULL)"#,
                "([a]=(2) OR [a]=(1) OR [a] IS NULL)",
            ),
            (
                r#"("mssql:like"("n", "mssql:varchar(2)"('a%')) AND "mssql:less"("mssql:len"("n"), "mssql:int"(5)))"#,
                "([n] like 'a%' AND len([n])<(5))",
            ),
            (r#"NOT ("mssql:equal"("a", "mssql:int"(4)) OR "mssql:equal"("a", "b"))"#, "(NOT ([a]=(4) OR [a]=[b]))"),
            (
                r#"CASE WHEN "mssql:equal"("a", "b") THEN "mssql:int"(2) ELSE "mssql:convert:decimal(9,2)"("mssql:varchar(1)"('3')) END"#,
                "(case when [a]=[b] then (2) else CONVERT([decimal](9,2),'3') end)",
            ),
            (r#""mssql:less"("x", "y")"#, "([X]<[y])"),
            (r#"("mssql:assign:int"(nextval('S')))"#, "(NEXT VALUE FOR [dbo].[S])"),
            (r#"("mssql:add"(nextval('sales.S'), "mssql:int"(1)))"#, "(NEXT VALUE FOR [sales].[S]+(1))"),
            ("something else", "(something else)"),
        ] {
            assert_eq!(shown(kept, &["X"]), wanted, "{kept}");
        }
    }
}
