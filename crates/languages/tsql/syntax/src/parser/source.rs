//! FROM: tables, functions, derived tables, joins.

use super::Parser;
use crate::error::Parse;
use crate::tree::*;
use mainstay_syntax::{Span, TokenKind};

/// The hints of a table that may stand in parentheses without WITH. Source: "Table hints (Transact-SQL)".
const HINTS: [&str; 24] = [
    "NOLOCK",
    "READUNCOMMITTED",
    "UPDLOCK",
    "REPEATABLEREAD",
    "SERIALIZABLE",
    "HOLDLOCK",
    "READCOMMITTED",
    "READCOMMITTEDLOCK",
    "FASTFIRSTROW",
    "TABLOCK",
    "TABLOCKX",
    "PAGLOCK",
    "ROWLOCK",
    "NOWAIT",
    "READPAST",
    "XLOCK",
    "SNAPSHOT",
    "NOEXPAND",
    "INDEX",
    "FORCESEEK",
    "FORCESCAN",
    "KEEPIDENTITY",
    "KEEPDEFAULTS",
    "IGNORE_TRIGGERS",
];

/// Those that stand behind WITH only.
const WITH_HINTS: [&str; 3] = ["IGNORE_CONSTRAINTS", "SPATIAL_WINDOW_MAX_CELLS", "TABLE"];

/// Functions of FROM whose names are reserved.
const FUNCTIONS: [&str; 9] = [
    "OPENXML",
    "OPENQUERY",
    "CONTAINSTABLE",
    "FREETEXTTABLE",
    "OPENDATASOURCE",
    "SEMANTICKEYPHRASETABLE",
    "SEMANTICSIMILARITYTABLE",
    "SEMANTICSIMILARITYDETAILSTABLE",
    "OPENROWSET",
];

/// The words that begin a join, and which one.
const JOINS: [(&str, JoinKind); 9] = [
    ("INNER", JoinKind::Inner),
    ("JOIN", JoinKind::Inner),
    ("LEFT OUTER", JoinKind::Left),
    ("LEFT", JoinKind::Left),
    ("RIGHT OUTER", JoinKind::Right),
    ("RIGHT", JoinKind::Right),
    ("FULL OUTER", JoinKind::Full),
    ("FULL", JoinKind::Full),
    ("CROSS JOIN", JoinKind::Cross),
];

impl Parser<'_> {
    /// A source with all that is joined to it.
    pub(super) fn source(&mut self) -> Parse<Source> {
        self.nested(|parser| {
            let mut source = parser.source_primary()?;
            while parser.sees_join() {
                source = parser.joined(source)?;
            }
            Ok(source)
        })
    }

    fn sees_join(&self) -> bool {
        self.sees_any(&["INNER", "JOIN", "LEFT", "RIGHT", "FULL", "CROSS", "OUTER", "PIVOT", "UNPIVOT"])
    }

    /// The suffix of a source: one join, or PIVOT.
    fn joined(&mut self, left: Source) -> Parse<Source> {
        if let Some(word) = self.accept_any(&["CROSS APPLY", "OUTER APPLY"]) {
            let right = self.beside(Self::source_primary)?;
            return Ok(Source::Apply(Box::new(left), word == "OUTER APPLY", Box::new(right)));
        }
        if self.accept("PIVOT") {
            self.grow()?;
            return self.pivot(left);
        }
        if self.accept("UNPIVOT") {
            self.grow()?;
            return self.unpivot(left);
        }
        let Some((words, kind)) = JOINS.into_iter().find(|(words, _)| self.accept(words)) else {
            return Err(self.unexpected());
        };
        if kind == JoinKind::Cross {
            let right = self.beside(Self::source_primary)?;
            return Ok(Source::Join(Box::new(Join { left, kind, hint: None, right, condition: None })));
        }
        let mut hint = None;
        if words != "JOIN" {
            if self.sees_any(&["LOOP", "HASH", "MERGE", "REMOTE"]) {
                hint = Some(self.take_name());
            }
            self.expect("JOIN")?;
        }
        let right = self.beside(Self::source_before_on)?;
        self.expect("ON")?;
        let condition = Some(self.beside(Self::condition)?);
        Ok(Source::Join(Box::new(Join { left, kind, hint, right, condition })))
    }

    /// The right side of a join. What is joined before its ON belongs to it: `a JOIN b JOIN c ON .. ON ..`.
    fn source_before_on(&mut self) -> Parse<Source> {
        self.nested(|parser| {
            let mut source = parser.source_primary()?;
            while !parser.sees("ON") && parser.sees_join() {
                source = parser.joined(source)?;
            }
            Ok(source)
        })
    }

    fn source_primary(&mut self) -> Parse<Source> {
        match self.kind() {
            TokenKind::Variable => self.variable_source(),
            TokenKind::Symbol if self.sees("(") => self.nested(|parser| parser.parenthesized_source()),
            TokenKind::Symbol if self.accept("{ OJ") => {
                let source = self.source()?;
                self.expect("}")?;
                Ok(Source::OdbcJoin(Box::new(source)))
            }
            TokenKind::Reserved if self.sees("OPENROWSET") => self.open_rowset(),
            TokenKind::Reserved if self.is(1, "(") && self.sees_any(&FUNCTIONS) => {
                let name = self.reserved_name();
                self.function_source(name)
            }
            TokenKind::Symbol if self.accept("::") => {
                // The old mark of the server's own functions.
                let name = self.object_name()?;
                self.function_source(name)
            }
            _ => self.named_source(),
        }
    }

    fn variable_source(&mut self) -> Parse<Source> {
        if self.is(1, ".") {
            let function = self.postfixed()?;
            return Ok(Source::Function(Box::new(function), Vec::new(), self.source_alias()?));
        }
        let name = self.variable()?;
        self.checks.table(&name);
        Ok(Source::Variable(name, self.source_alias()?))
    }

    fn parenthesized_source(&mut self) -> Parse<Source> {
        let is_query = self.sees_query_after_parenthesis();
        self.expect("(")?;
        if is_query {
            let query = self.subquery()?;
            self.expect(")")?;
            return Ok(Source::Query(Box::new(query), self.source_alias()?));
        }
        if self.accept("VALUES") {
            let rows = self.value_rows()?;
            self.expect(")")?;
            return Ok(Source::Values(rows, self.source_alias()?));
        }
        if self.sees_any(&["INSERT", "UPDATE", "DELETE", "MERGE"]) {
            let change = self.change(With::default())?;
            self.expect(")")?;
            return Ok(Source::Change(Box::new(change), self.source_alias()?));
        }
        let source = self.source()?;
        self.expect(")")?;
        Ok(Source::Nested(Box::new(source)))
    }

    /// The rows of VALUES.
    pub(super) fn value_rows(&mut self) -> Parse<Vec<Vec<Expr>>> {
        self.list(|parser| parser.parens(Self::expression))
    }

    fn named_source(&mut self) -> Parse<Source> {
        let name = self.dotted_name()?;
        if self.sees("(") && !self.sees_old_hints() {
            return self.function_source(name);
        }
        let mut table = TableSource { name, ..TableSource::default() };
        if table.name.parts.len() > 4 {
            let text = format!(
                "The object name '{}' contains more than the maximum number of prefixes. The maximum is 3.",
                table.name.span.of(self.text)
            );
            return Err(self.error(117, table.name.span, text));
        }
        if self.accept("FOR SYSTEM_TIME") {
            table.system_time = Some(self.system_time()?);
        }
        table.hints = self.table_hints()?;
        table.alias = self.plain_alias()?;
        if self.accept("TABLESAMPLE") {
            table.sample = Some(self.sample()?);
        }
        if table.hints.is_empty() {
            table.hints = self.table_hints()?;
        }
        Ok(Source::Table(Box::new(table)))
    }

    /// `(NOLOCK)` after a table, without WITH.
    fn sees_old_hints(&self) -> bool {
        let ends = [")", ",", "(", "="].iter().any(|end| self.is(2, end));
        self.sees("(") && ends && HINTS.iter().any(|hint| self.is(1, hint))
    }

    /// `WITH (hints)`, or the hints alone.
    pub(super) fn table_hints(&mut self) -> Parse<Vec<Phrase>> {
        if self.sees("WITH") && !self.is(1, "(") && self.is_name(1) {
            self.advance();
            let (span, near) = self.near();
            let text = format!(
                "Incorrect syntax near '{near}'. If this is intended to be a common table expression, you need to \
                 explicitly terminate the previous statement with a semi-colon."
            );
            return Err(self.error(336, span, text));
        }
        if self.sees("WITH (") || self.sees_old_hints() {
            self.accept("WITH");
            self.expect("(")?;
            // Commas between hints may be missing.
            let mut hints = Vec::new();
            while !self.accept(")") {
                let (span, _) = self.near();
                let hint = self.option_words()?;
                self.check_hint(&hint, span)?;
                hints.push(hint);
                self.accept(",");
            }
            return Ok(hints);
        }
        Ok(Vec::new())
    }

    /// Errors: 321 for a hint that is none.
    fn check_hint(&self, hint: &Phrase, span: Span) -> Parse<()> {
        let Some(PhraseItem::Word(word)) = hint.items.first() else { return Ok(()) };
        if HINTS.iter().chain(&WITH_HINTS).any(|known| word.is(known)) {
            return Ok(());
        }
        let text = format!(
            "\"{}\" is not a recognized table hints option. If it is intended as a parameter to a table-valued function or \
             to the CHANGETABLE function, ensure that your database compatibility mode is set to 90.",
            word.text
        );
        Err(self.error(321, span, text))
    }

    fn function_source(&mut self, name: ObjectName) -> Parse<Source> {
        if name.is("CHANGETABLE") {
            let words = Name { text: "CHANGETABLE".to_owned(), quoted: false, span: name.span };
            let group = PhraseItem::Group(self.phrase_group()?);
            let phrase = Phrase { items: vec![PhraseItem::Word(words), group] };
            return Ok(Source::OpenRowset(phrase, Vec::new(), self.source_alias()?));
        }
        let is_open_xml = name.is("OPENXML");
        let is_full_text = name.is("CONTAINSTABLE") || name.is("FREETEXTTABLE") || name.last().starts_with("SEMANTIC");
        let function = if is_full_text { self.full_text_table(name)? } else { self.call(name)? };
        let function = self.methods_of(function)?;
        if is_open_xml && self.sees("WITH") && self.is_name(1) {
            self.advance();
            let table = self.object_name()?;
            return Ok(Source::FunctionLike(Box::new(function), table, self.source_alias()?));
        }
        if self.sees("WITH") && self.is(1, "(") {
            self.advance();
            if self.is(2, ")") && self.is_name(1) {
                self.expect("(")?;
                let table = self.object_name()?;
                self.expect(")")?;
                return Ok(Source::FunctionLike(Box::new(function), table, self.source_alias()?));
            }
            let columns = self.parens(Self::schema_column)?;
            return Ok(Source::Function(Box::new(function), columns, self.source_alias()?));
        }
        Ok(Source::Function(Box::new(function), Vec::new(), self.source_alias()?))
    }

    /// `OPENDATASOURCE(..).db.schema.table` and `x.query('..').nodes('..')`.
    fn methods_of(&mut self, mut value: Expr) -> Parse<Expr> {
        while self.is(0, ".") && self.is_name(1) {
            self.advance();
            let name = self.name()?;
            let arguments = if self.sees("(") { Some(self.arguments(Self::expression)?) } else { None };
            value = Expr::Method(Box::new(value), name, arguments);
            self.grow()?;
        }
        Ok(value)
    }

    /// CONTAINSTABLE's first arguments are a table and columns, perhaps in parentheses or `*`.
    fn full_text_table(&mut self, name: ObjectName) -> Parse<Expr> {
        self.expect("(")?;
        let mut arguments = vec![Argument::Value(Expr::Column(self.object_name()?))];
        self.expect(",")?;
        if self.accept("*") {
            arguments.push(Argument::Value(Expr::Star(None)));
        } else if self.sees("(") {
            let columns = self.parens(|parser| Ok(Argument::Value(Expr::Column(parser.dotted_name()?))))?;
            let call = Call { arguments: columns, ..Call::default() };
            // A list of columns is a call without a name.
            arguments.push(Argument::Value(Expr::Call(Box::new(call))));
        } else {
            arguments.push(Argument::Value(Expr::Column(self.dotted_name()?)));
        }
        while self.accept(",") {
            let is_language = self.accept("LANGUAGE");
            let value = self.expression()?;
            let word = Name { text: "LANGUAGE".to_owned(), quoted: false, span: self.span() };
            let word = Expr::Column(ObjectName { span: word.span, parts: vec![word] });
            arguments.push(if is_language { Argument::KeyValue(word, value) } else { Argument::Value(value) });
        }
        self.expect(")")?;
        Ok(Expr::Call(Box::new(Call { name, arguments, ..Call::default() })))
    }

    fn open_rowset(&mut self) -> Parse<Source> {
        let mut phrase = Phrase { items: vec![PhraseItem::Word(self.take_name())] };
        phrase.items.push(PhraseItem::Group(self.phrase_group()?));
        let columns = if self.accept("WITH") { self.parens(Self::schema_column)? } else { Vec::new() };
        Ok(Source::OpenRowset(phrase, columns, self.source_alias()?))
    }

    fn schema_column(&mut self) -> Parse<SchemaColumn> {
        let name = self.name()?;
        let data_type = self.data_type()?;
        let collation = self.after("COLLATE", Self::word)?;
        let path = if self.sees_any(&[",", ")", "AS"]) { None } else { Some(self.expression()?) };
        Ok(SchemaColumn { name, data_type, collation, path, as_json: self.accept("AS JSON") })
    }

    fn plain_alias(&mut self) -> Parse<Option<Name>> {
        if self.accept("AS") {
            return self.name().map(Some);
        }
        if self.is_name(0) && !self.begins_after_source() { self.name().map(Some) } else { Ok(None) }
    }

    /// `[AS] name [(columns)]`.
    fn source_alias(&mut self) -> Parse<Alias> {
        let name = self.plain_alias()?;
        let columns = if name.is_some() { self.optional_parens(Self::name)? } else { Vec::new() };
        Ok(Alias { name, columns })
    }

    fn system_time(&mut self) -> Parse<SystemTime> {
        if self.accept("ALL") {
            return Ok(SystemTime::All);
        }
        if self.accept("AS OF") {
            return Ok(SystemTime::AsOf(self.expression()?));
        }
        let (node, middle, end): (fn(Expr, Expr) -> SystemTime, _, _) =
            match self.accept_any(&["FROM", "BETWEEN", "CONTAINED IN ("]) {
                Some("FROM") => (SystemTime::FromTo, "TO", None),
                Some("BETWEEN") => (SystemTime::Between, "AND", None),
                Some(_) => (SystemTime::ContainedIn, ",", Some(")")),
                None => return Err(self.unexpected()),
            };
        let first = self.expression()?;
        self.expect(middle)?;
        let second = self.expression()?;
        end.map_or(Ok(()), |end| self.expect(end))?;
        Ok(node(first, second))
    }

    fn sample(&mut self) -> Parse<Sample> {
        let system = self.accept("SYSTEM");
        self.expect("(")?;
        let amount = self.expression()?;
        let percent = self.accept_any(&["PERCENT", "ROWS"]).map(|word| word == "PERCENT");
        self.expect(")")?;
        let mut seed = None;
        if self.accept("REPEATABLE") {
            self.expect("(")?;
            seed = Some(self.expression()?);
            self.expect(")")?;
        }
        Ok(Sample { system, amount, percent, seed })
    }

    fn pivot(&mut self, source: Source) -> Parse<Source> {
        self.expect("(")?;
        let name = self.dotted_name()?;
        let aggregate = self.call(name)?;
        self.expect("FOR")?;
        let column = self.dotted_name()?;
        self.expect("IN")?;
        let values = self.parens(Self::name)?;
        self.expect(")")?;
        Ok(Source::Pivot(Box::new(Pivot { source, aggregate, column, values, alias: self.source_alias()? })))
    }

    fn unpivot(&mut self, source: Source) -> Parse<Source> {
        self.expect("(")?;
        let value = self.name()?;
        self.expect("FOR")?;
        let column = self.name()?;
        self.expect("IN")?;
        let columns = self.parens(Self::dotted_name)?;
        self.expect(")")?;
        Ok(Source::Unpivot(Box::new(Unpivot { source, value, column, columns, alias: self.source_alias()? })))
    }
}
