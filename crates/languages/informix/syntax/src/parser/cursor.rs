//! The position of the parser in its tokens: looking, taking, names, lists, types, and errors about what is not expected.

use super::{Body, Parser};
use crate::error::{Parse, SqlError};
use crate::lexer::{Kind, Token, unquoted};
use crate::tree::{DataType, Name, ObjectName, Span};
use crate::types::{Field, Type};

/// Words that end a table or an item of a list, and so are no aliases without AS. Informix reserves no words.
const NO_ALIASES: [&str; 36] = [
    "WHERE",
    "GROUP",
    "ORDER",
    "HAVING",
    "UNION",
    "INTO",
    "FROM",
    "INNER",
    "LEFT",
    "RIGHT",
    "FULL",
    "CROSS",
    "JOIN",
    "ON",
    "OUTER",
    "AS",
    "LIMIT",
    "SKIP",
    "FIRST",
    "FOR",
    "WITH",
    "USING",
    "SET",
    "VALUES",
    "SELECT",
    "AND",
    "OR",
    "NOT",
    "MINUS",
    "EXCEPT",
    "INTERSECT",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "UNITS",
];

/// Words that begin a statement of a routine: no aliases there.
const STATEMENTS: [&str; 30] = [
    "LET", "IF", "ELIF", "FOR", "FOREACH", "WHILE", "LOOP", "RETURN", "CALL", "EXECUTE", "INSERT", "UPDATE", "DELETE",
    "BEGIN", "RAISE", "EXIT", "CONTINUE", "DEFINE", "TRACE", "SYSTEM", "CASE", "DROP", "CREATE", "OPEN", "FETCH",
    "CLOSE", "COMMIT", "ROLLBACK", "PREPARE", "GOTO",
];

impl<'t> Parser<'t> {
    /// The token some places ahead; the end after the last.
    pub(super) fn token(&self, ahead: usize) -> Token {
        let end = Token { kind: Kind::End, span: Span::default() };
        self.tokens.get(self.at + ahead).or(self.tokens.last()).copied().unwrap_or(end)
    }

    pub(super) fn kind(&self) -> Kind {
        self.token(0).kind
    }

    pub(super) fn span(&self) -> Span {
        self.token(0).span
    }

    pub(super) fn token_text(&self, ahead: usize) -> &'t str {
        let span = self.token(ahead).span;
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    pub(super) fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len().saturating_sub(1));
    }

    /// True if the token some places ahead is this word (in any case) or symbol.
    pub(super) fn is(&self, ahead: usize, word: &str) -> bool {
        matches!(self.token(ahead).kind, Kind::Word | Kind::Symbol) && self.token_text(ahead).eq_ignore_ascii_case(word)
    }

    /// True if these words or symbols, separated by blanks, come next.
    pub(super) fn sees(&self, words: &str) -> bool {
        words.split(' ').enumerate().all(|(ahead, word)| self.is(ahead, word))
    }

    /// Takes these words if they come next.
    pub(super) fn accept(&mut self, words: &str) -> bool {
        let found = self.sees(words);
        if found {
            words.split(' ').for_each(|_| self.advance());
        }
        found
    }

    /// Takes the first of these that comes next.
    pub(super) fn accept_any<'w>(&mut self, words: &[&'w str]) -> Option<&'w str> {
        words.iter().copied().find(|word| self.accept(word))
    }

    pub(super) fn expect(&mut self, words: &str) -> Parse<()> {
        if self.accept(words) { Ok(()) } else { Err(self.unexpected()) }
    }

    /// The error of a token that does not belong here.
    pub(super) fn unexpected(&self) -> Box<SqlError> {
        let near = match self.kind() {
            Kind::End => "at the end of the statement".to_owned(),
            _ => format!("near {}", self.token_text(0)),
        };
        SqlError::at(SqlError::SYNTAX, self.span(), format!("A syntax error has occurred {near}."))
    }

    /// True if an alias without AS stands some places ahead.
    pub(super) fn is_alias(&self, ahead: usize) -> bool {
        match self.token(ahead).kind {
            Kind::Quoted => true,
            Kind::Word if self.body == Body::Routine && STATEMENTS.iter().any(|word| self.is(ahead, word)) => false,
            Kind::Word => !NO_ALIASES.iter().any(|word| self.is(ahead, word)),
            _ => false,
        }
    }

    /// A name. Names are in lower case unless they are quoted.
    pub(super) fn name(&mut self) -> Parse<Name> {
        let span = self.span();
        let name = match self.kind() {
            Kind::Word => Name { text: self.token_text(0).to_lowercase(), quoted: false, span },
            Kind::Quoted => Name { text: unquoted(self.token_text(0)), quoted: true, span },
            _ => return Err(self.unexpected()),
        };
        self.advance();
        Ok(name)
    }

    /// `[database[@server]:][owner.]name`. The owner may stand in quotes of either kind.
    pub(super) fn object_name(&mut self) -> Parse<ObjectName> {
        let first = self.at;
        let mut parts = vec![self.name_or_owner()?];
        if self.accept("@") {
            self.name()?;
        }
        if self.sees(":") {
            self.advance();
            parts.push(self.name_or_owner()?);
        }
        while parts.len() < 3 && self.accept(".") {
            parts.push(self.name()?);
        }
        Ok(ObjectName { parts, span: self.span_from(first) })
    }

    fn name_or_owner(&mut self) -> Parse<Name> {
        if self.kind() == Kind::String && self.is(1, ".") {
            let name = Name { text: unquoted(self.token_text(0)), quoted: true, span: self.span() };
            self.advance();
            return Ok(name);
        }
        self.name()
    }

    /// Things with commas between them.
    pub(super) fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut items = vec![read(self)?];
        while self.accept(",") {
            items.push(read(self)?);
        }
        Ok(items)
    }

    /// Names in parentheses.
    pub(super) fn names(&mut self) -> Parse<Vec<Name>> {
        self.expect("(")?;
        let names = self.list(Self::name)?;
        self.expect(")")?;
        Ok(names)
    }

    /// The text of a string.
    pub(super) fn string(&mut self) -> Parse<String> {
        match self.kind() {
            Kind::String => {
                let text = unquoted(self.token_text(0));
                self.advance();
                Ok(text)
            }
            _ => Err(self.unexpected()),
        }
    }

    /// A whole number.
    pub(super) fn number(&mut self) -> Parse<u32> {
        let number = self.token_text(0).parse().ok().filter(|_| self.kind() == Kind::Integer);
        let number = number.ok_or_else(|| self.unexpected())?;
        self.advance();
        Ok(number)
    }

    /// A field of a DATETIME or INTERVAL, with the number behind it, if there is one.
    fn field(&mut self) -> Parse<(Field, Option<u32>)> {
        let field = Field::of_name(self.token_text(0)).ok_or_else(|| self.unexpected())?;
        self.advance();
        let mut number = None;
        if self.accept("(") {
            number = Some(self.number()?);
            self.expect(")")?;
        }
        match (field.fraction_digits(), number) {
            (0, number) => Ok((field, number)),
            (_, Some(digits @ 1..=5)) => Ok((Field(10 + digits), None)),
            (_, None) => Ok((field, None)),
            _ => Err(self.unexpected()),
        }
    }

    /// True if a field of a DATETIME comes next.
    pub(super) fn sees_field(&self) -> bool {
        self.kind() == Kind::Word && Field::of_name(self.token_text(0)).is_some()
    }

    /// `YEAR TO SECOND`.
    pub(super) fn datetime_qualifier(&mut self) -> Parse<Type> {
        let span = self.span();
        let (first, _) = self.field()?;
        self.expect("TO")?;
        let (last, _) = self.field()?;
        check_order(first, last, span)?;
        Ok(Type::DateTime(first, last))
    }

    /// `DAY(3) TO SECOND`. The first field of years has four digits unless it is declared otherwise, others two.
    pub(super) fn interval_qualifier(&mut self) -> Parse<Type> {
        let span = self.span();
        let (first, digits) = self.field()?;
        self.expect("TO")?;
        let (last, _) = self.field()?;
        check_order(first, last, span)?;
        let digits = digits.unwrap_or(if first == Field::YEAR { 4 } else { 2 });
        let mixes_kinds = first <= Field::MONTH && last > Field::MONTH;
        match (1..=9).contains(&digits) && !mixes_kinds {
            true => Ok(Type::Interval(first, digits, last)),
            false => Err(SqlError::at(-1262, span, "Non-numeric character or invalid field in an interval.")),
        }
    }

    /// A type, and the first number of a SERIAL.
    pub(super) fn data_type(&mut self) -> Parse<(Type, Option<u64>)> {
        let span = self.span();
        if self.accept("DATETIME") {
            return Ok((self.datetime_qualifier()?, None));
        }
        if self.accept("INTERVAL") {
            return Ok((self.interval_qualifier()?, None));
        }
        let words = ["DOUBLE PRECISION", "CHARACTER VARYING"];
        let name = match self.accept_any(&words) {
            Some(words) => words.to_lowercase(),
            None => self.name()?.text,
        };
        let mut numbers = Vec::new();
        if self.accept("(") {
            numbers = self.list(Self::number)?;
            self.expect(")")?;
        }
        // TEXT IN TABLE, BLOB PUT: where values are kept.
        if matches!(name.as_str(), "text" | "byte") && self.accept("IN") {
            self.name()?;
        }
        let known = Type::of_arguments(&name, &numbers);
        let known = known.ok_or_else(|| {
            let error = SqlError::at(SqlError::SYNTAX, span, format!("A syntax error has occurred near {name}."));
            error.about(&name)
        })?;
        let start = numbers.first().copied().filter(|_| known.is_serial()).map(u64::from);
        Ok((known, start))
    }

    /// A type of the shared tree that stands for one of this language.
    pub(super) fn shared(known: Type, span: Span) -> DataType {
        let name = Name { text: known.declared(), quoted: true, span };
        DataType { name: ObjectName { parts: vec![name], span }, arguments: Vec::new(), span }
    }
}

/// Checks that a qualifier goes from a larger field to a smaller one.
///
/// Errors: -1260.
fn check_order(first: Field, last: Field, span: Span) -> Parse<()> {
    match first <= last {
        true => Ok(()),
        false => Err(SqlError::at(-1260, span, "It is not possible to convert between the specified types.")),
    }
}
