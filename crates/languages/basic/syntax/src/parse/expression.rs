//! Expressions: operators by level, variables, calls, sub-strings.

use super::{Parsed, Parser, function_forms};
use crate::token::Token;
use crate::tree::*;
use crate::words;

/// Words that go on with a statement behind an expression.
const BEHIND_EXPRESSIONS: [&str; 9] = ["THEN", "ELSE", "TO", "STEP", "AND", "OR", "LIKE", "FROM", "WHERE"];

/// The comparison that a token is.
pub(super) fn comparison(token: &Token) -> Option<Binary> {
    let Token::Symbol(symbol) = token else { return None };
    Some(match *symbol {
        "=" => Binary::Equal,
        "<>" => Binary::NotEqual,
        "<" => Binary::Less,
        "<=" => Binary::LessOrEqual,
        ">" => Binary::Greater,
        ">=" => Binary::GreaterOrEqual,
        _ => return None,
    })
}

impl Parser {
    /// An expression.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.deeper(|parser| parser.level(0))
    }

    /// Without comparisons, AND and OR: the pattern of POS, and the bounds of ranges.
    pub(super) fn sum(&mut self) -> Parsed<Expr> {
        self.deeper(|parser| parser.level(3))
    }

    fn level(&mut self, level: usize) -> Parsed<Expr> {
        if level == 6 {
            return self.unary();
        }
        let mut left = self.level(level + 1)?;
        while let Some(op) = operator(level, self.peek()) {
            let place = left.place;
            self.operators += 1;
            if self.operators > super::OPERATORS {
                return self.fail_at(30, place, "statement too complex", "split it");
            }
            // `5--3` is 5 less -3: the second sign is the number's.
            let sign = match self.peek() {
                Token::Symbol("--") => Some(Unary::Minus),
                Token::Symbol("++") => Some(Unary::Plus),
                _ => None,
            };
            self.next();
            let mut right = self.level(level + 1)?;
            if let Some(sign) = sign {
                right = Expr { place: right.place, kind: ExprKind::Unary(sign, Box::new(right)) };
            }
            left = Expr { place, kind: ExprKind::Binary(op, Box::new(left), Box::new(right)) };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let place = self.place();
        if self.is("++") || self.is("--") {
            return self.bump_before(place);
        }
        let op = match self.peek() {
            Token::Symbol("-") => Unary::Minus,
            Token::Symbol("+") => Unary::Plus,
            Token::Word(word, None, false) if word == "NOT" && !self.is_ahead(1, "(") => Unary::Not,
            _ => {
                let value = self.postfix()?;
                return Ok(self.bump_behind(value));
            }
        };
        self.next();
        // A sign binds less than a power.
        let value = self.deeper(|parser| parser.level(5))?;
        Ok(Expr { place, kind: ExprKind::Unary(op, Box::new(value)) })
    }

    /// `++A`: the variable changes before its value is taken.
    fn bump_before(&mut self, place: Place) -> Parsed<Expr> {
        let up = self.is("++");
        self.next();
        match self.primary()?.kind {
            ExprKind::Variable(name) if name.kind != NameKind::Text => {
                Ok(Expr { place, kind: ExprKind::Bump(name, up, false) })
            }
            _ => self.fail_at(23, place, "a numeric variable is needed behind ++ or --", ""),
        }
    }

    /// `A++`: the variable changes behind its value, unless `A++B` is a sum.
    fn bump_behind(&mut self, value: Expr) -> Expr {
        let begins_operand = match self.ahead(1) {
            Token::Number(_) | Token::Symbol("(" | "-" | "+") => true,
            Token::Word(word, None, false) => !BEHIND_EXPRESSIONS.contains(&word.as_str()),
            Token::Word(..) => true,
            _ => false,
        };
        let is_bump = (self.is("++") || self.is("--")) && !begins_operand;
        match value.kind {
            ExprKind::Variable(name) if is_bump && name.kind != NameKind::Text => {
                let up = self.is("++");
                self.next();
                Expr { place: value.place, kind: ExprKind::Bump(name, up, true) }
            }
            _ => value,
        }
    }

    pub(super) fn postfix(&mut self) -> Parsed<Expr> {
        let mut value = self.primary()?;
        while self.is("'") && can_be_object(&value) {
            value = self.property(value)?;
        }
        while self.is("(") && is_sliceable(&value) {
            self.next();
            let place = value.place;
            let position = self.expression()?;
            let length = if self.accept(",") { Some(Box::new(self.expression()?)) } else { None };
            self.expect(")", "behind the sub-string")?;
            value = Expr { place, kind: ExprKind::Substring(Box::new(value), Box::new(position), length) };
        }
        Ok(value)
    }

    /// `'name` or `'name(..)` behind an object; `'*` gives the names of all properties.
    fn property(&mut self, object: Expr) -> Parsed<Expr> {
        self.next();
        let place = object.place;
        if self.accept("*") {
            let name = Name { text: "*".to_owned(), kind: NameKind::Text, global: false };
            return Ok(Expr { place, kind: ExprKind::Property(Box::new(object), name, None) });
        }
        let Token::Word(text, suffix, false) = self.next() else {
            return self.fail_at(88, place, "expected the name of a property or a method", "as in CUST'NAME$");
        };
        let kind = if suffix == Some('$') { NameKind::Text } else { NameKind::Number };
        let arguments = match self.is("(") {
            true => Some(self.method_arguments()?),
            false => None,
        };
        let name = Name { text, kind, global: false };
        Ok(Expr { place, kind: ExprKind::Property(Box::new(object), name, arguments) })
    }

    /// Values, and the branches behind them: `CUST'FIND(ID$,ERR=0100)`.
    fn method_arguments(&mut self) -> Parsed<MethodArguments> {
        self.expect("(", "before arguments")?;
        let mut arguments = MethodArguments::default();
        let mut is_first = true;
        while !self.accept(")") {
            if !std::mem::take(&mut is_first) {
                self.expect(",", "between arguments")?;
            }
            match self.is_word("ERR") && self.is_ahead(1, "=") {
                true => arguments.options.extend(self.option()?),
                false => arguments.values.push(self.expression()?),
            }
        }
        Ok(arguments)
    }

    pub(super) fn primary(&mut self) -> Parsed<Expr> {
        let place = self.place();
        let kind = match self.peek().clone() {
            Token::Number(text) => {
                self.next();
                ExprKind::Number(text)
            }
            Token::Text(text) => {
                self.next();
                ExprKind::Text(text)
            }
            Token::Hex(bytes) => {
                self.next();
                ExprKind::Hex(bytes)
            }
            Token::Mnemonic(name) => {
                self.next();
                let arguments = if self.is("(") { self.arguments_in("(", ")")? } else { Vec::new() };
                ExprKind::Mnemonic(name.to_ascii_uppercase(), arguments)
            }
            Token::Symbol("@")
                if self.is_ahead(2, "(") && (self.is_word_ahead(1, "X") || self.is_word_ahead(1, "Y")) =>
            {
                let name = if self.is_word_ahead(1, "X") { "@X" } else { "@Y" };
                self.at += 2;
                return self.call(place, name);
            }
            Token::Symbol("@") => {
                self.next();
                ExprKind::At(self.arguments_in("(", ")")?)
            }
            Token::Symbol("(") => {
                self.next();
                let value = self.expression()?;
                self.expect(")", "behind the expression")?;
                ExprKind::Group(Box::new(value))
            }
            Token::Word(word, suffix, global) => return self.name(place, &word, suffix, global),
            _ => return self.fail(format!("expected an expression, found {}", self.found()), ""),
        };
        Ok(Expr { place, kind })
    }

    fn arguments_in(&mut self, open: &str, close: &str) -> Parsed<Vec<Expr>> {
        self.expect(open, "before arguments")?;
        let mut arguments = Vec::new();
        while !self.accept(close) {
            if !arguments.is_empty() {
                self.expect(",", "between arguments")?;
            }
            arguments.push(self.expression()?);
        }
        Ok(arguments)
    }

    fn name(&mut self, place: Place, word: &str, suffix: Option<char>, global: bool) -> Parsed<Expr> {
        self.next();
        let kind = match suffix {
            Some('$') => NameKind::Text,
            Some(_) => NameKind::Whole,
            None => NameKind::Number,
        };
        let name = Name { text: word.to_owned(), kind, global };
        if word == "FN"
            && suffix == Some('%')
            && let Token::Word(rest, suffix, false) = self.peek().clone()
        {
            self.next();
            let kind = if suffix == Some('$') { NameKind::Text } else { NameKind::Number };
            let name = Name { text: format!("FN%{rest}"), kind, global: false };
            let arguments = if self.is("(") { self.arguments_in("(", ")")? } else { Vec::new() };
            return Ok(Expr { place, kind: ExprKind::User(name, arguments) });
        }
        let plain = suffix.is_none() && !global;
        if suffix.is_none() && self.is("::") {
            return field(self, place, Name { kind: NameKind::Text, ..name });
        }
        if plain && self.is("(") && words::is_function(word) {
            return self.call(place, word);
        }
        if !global && word.len() > 2 && word.starts_with("FN") && self.is("(") {
            let arguments = self.arguments_in("(", ")")?;
            return Ok(Expr { place, kind: ExprKind::User(name, arguments) });
        }
        if plain && words::is_variable(word) {
            return Ok(Expr { place, kind: ExprKind::System(word.to_owned()) });
        }
        let kind = match self.peek() {
            Token::Symbol("[") => return self.subscript(place, name, "[", "]"),
            Token::Symbol("(") if kind != NameKind::Text => return self.subscript(place, name, "(", ")"),
            Token::Symbol("{") => self.range(name)?,
            _ => ExprKind::Variable(name),
        };
        Ok(Expr { place, kind })
    }

    fn subscript(&mut self, place: Place, name: Name, open: &str, close: &str) -> Parsed<Expr> {
        if self.is_ahead(1, "*") && self.is_ahead(2, close) {
            self.at += 3;
            return Ok(Expr { place, kind: ExprKind::Append(name) });
        }
        if self.is_word_ahead(1, "ALL") && self.is_ahead(2, close) {
            self.at += 3;
            return Ok(Expr { place, kind: ExprKind::Range(name, None) });
        }
        let mut indexes = self.subscripts(open, close)?;
        if self.accept_word("REMOVE") {
            self.expect(close, "behind REMOVE")?;
            return match (indexes.pop(), indexes.is_empty()) {
                (Some(index), true) => Ok(Expr { place, kind: ExprKind::Removed(name, Box::new(index)) }),
                _ => self.fail_at(42, place, "REMOVE needs one subscript", ""),
            };
        }
        if indexes.is_empty() || indexes.len() > 3 {
            return self.fail_at(42, place, "an array has one to three subscripts", "");
        }
        Ok(Expr { place, kind: ExprKind::Element(name, indexes) })
    }

    /// Subscripts, up to the closing bracket or the word REMOVE.
    fn subscripts(&mut self, open: &str, close: &str) -> Parsed<Vec<Expr>> {
        self.expect(open, "before subscripts")?;
        let mut indexes = Vec::new();
        while !self.accept(close) {
            if !indexes.is_empty() {
                self.expect(",", "between subscripts")?;
            }
            indexes.push(self.expression()?);
            if self.is_word("REMOVE") {
                break;
            }
        }
        Ok(indexes)
    }

    fn range(&mut self, name: Name) -> Parsed<ExprKind> {
        self.expect("{", "before a range")?;
        if self.accept_word("ALL") {
            self.expect("}", "behind ALL")?;
            return Ok(ExprKind::Range(name, None));
        }
        let first = self.expression()?;
        self.expect(":", "between the bounds of a range")?;
        let last = self.expression()?;
        self.expect("}", "behind a range")?;
        Ok(ExprKind::Range(name, Some((Box::new(first), Box::new(last)))))
    }

    fn call(&mut self, place: Place, word: &str) -> Parsed<Expr> {
        if !words::is_supported_function(word) {
            return self.fail_at(99, place, format!("function {word}( ) is not supported"), "");
        }
        self.expect("(", "before arguments")?;
        let mut call = Call {
            name: word.to_owned(),
            arguments: Vec::new(),
            options: Vec::new(),
            relation: None,
            words: Vec::new(),
        };
        if word == "POS" {
            function_forms::relation(self, &mut call)?;
        }
        if word == "DIM" {
            function_forms::array_form(self, &mut call)?;
        }
        if word == "XML" {
            function_forms::xml_form(self, &mut call)?;
        }
        let keywords = ["READ", "FILE", "INPUT", "MNEMONIC", "NUM", "MIN", "MAX", "KEY", "RECORD", "TABLE"];
        while let Token::Word(word, None, false) = self.peek().clone()
            && keywords.contains(&word.as_str())
            && !self.is_ahead(1, "=")
            && (matches!(word.as_str(), "READ" | "FILE" | "INPUT" | "MNEMONIC" | "RECORD")
                && !matches!(self.ahead(1), Token::Symbol(_))
                || call.words.last().is_some_and(|last| last == "READ"))
        {
            self.next();
            call.words.push(word);
        }
        if call.words.first().is_some_and(|word| word == "READ") && self.accept("(") {
            // DIM(READ NUM(A,2)): arguments in parentheses of their own.
            loop {
                let argument = self.argument()?;
                call.arguments.push(argument);
                if !self.accept(",") {
                    break;
                }
            }
            self.expect(")", "behind the array")?;
        }
        if word == "ARG" && self.is_word("EDIT") && !self.is_ahead(1, ",") {
            self.next();
            call.words.push("EDIT".to_owned());
        }
        if word == "LNO" && (self.is_ahead(1, ")") || self.is_ahead(1, ",")) {
            // The line or label itself, not the variable of this name.
            let place = self.place();
            if let Token::Number(text) | Token::Word(text, None, false) = self.peek().clone() {
                self.next();
                let value = Some(Expr { place, kind: ExprKind::Text(text.into_bytes()) });
                call.arguments.push(Argument { prefix: None, value, mask: None });
            }
        }
        let mut first = call.arguments.is_empty();
        loop {
            if self.accept(")") {
                break;
            }
            if !std::mem::take(&mut first) {
                self.expect(",", "between arguments")?;
            }
            if self.is(")") {
                break;
            }
            if let Some(option) = self.option()? {
                call.options.push(option);
                continue;
            }
            let is_expression = matches!(word, "EVN" | "EVS" | "MSG") && call.arguments.is_empty() && self.accept("=");
            let mut argument = self.argument()?;
            if is_expression {
                argument.prefix = Some('=');
            }
            call.arguments.push(argument);
        }
        Ok(Expr { place, kind: ExprKind::Call(call) })
    }

    fn argument(&mut self) -> Parsed<Argument> {
        let mut prefix = None;
        // MSG(+): the text of the error of the operating system.
        if self.is("+") && self.is_ahead(1, ")") {
            self.next();
            return Ok(Argument { prefix: Some('+'), value: None, mask: None });
        }
        if self.is("*") || self.is("^") {
            prefix = Some(if self.is("*") { '*' } else { '^' });
            self.next();
            if self.is(",") || self.is(")") || self.is(":") {
                let mask = if self.accept(":") { Some(self.sum()?) } else { None };
                return Ok(Argument { prefix, value: None, mask });
            }
        }
        // A keyword argument of CVS, STR and PAD stands as a word: a letter without value is a variable otherwise.
        let value = Some(self.expression()?);
        let mask = if self.accept(":") { Some(self.sum()?) } else { None };
        if self.is_word("DEFAULT") {
            self.next();
        }
        Ok(Argument { prefix, value, mask })
    }

    /// A variable, an element, or a sub-string: something that can be assigned to.
    pub(super) fn target(&mut self) -> Parsed<Expr> {
        let value = self.postfix()?;
        if is_target(&value) {
            return Ok(value);
        }
        self.fail_at(23, value.place, "this is not a variable", "a variable is needed here")
    }
}

/// The binary operator of a level that a token stands for, from 0 for `OR` to 5 for powers.
fn operator(level: usize, token: &Token) -> Option<Binary> {
    Some(match (level, token) {
        (0, Token::Word(word, None, false)) if word == "OR" => Binary::Or,
        (1, Token::Word(word, None, false)) if word == "AND" => Binary::And,
        (2, Token::Word(word, None, false)) if word == "LIKE" => Binary::Like,
        (2, symbol @ Token::Symbol(_)) => return comparison(symbol),
        (3, Token::Symbol(symbol)) => match *symbol {
            "+" | "++" => Binary::Add,
            "-" | "--" => Binary::Subtract,
            _ => return None,
        },
        (4, Token::Symbol(symbol)) => match *symbol {
            "*" => Binary::Multiply,
            "/" => Binary::Divide,
            "|" => Binary::Remainder,
            _ => return None,
        },
        (5, Token::Symbol("^" | "**")) => Binary::Power,
        _ => return None,
    })
}

/// `::NAME$`, `::NAME[1]` behind the name of a structured string.
fn field(parser: &mut Parser, place: Place, string: Name) -> Parsed<Expr> {
    parser.next();
    let Token::Word(text, suffix, false) = parser.next() else {
        return parser.fail_at(20, place, "expected the name of an element", "as in CLIENT::NAME$");
    };
    let kind = match suffix {
        Some('$') => NameKind::Text,
        Some(_) => NameKind::Whole,
        None => NameKind::Number,
    };
    let indexes = match parser.peek() {
        Token::Symbol("[") => parser.subscripts("[", "]")?,
        Token::Symbol("(") if kind != NameKind::Text => parser.subscripts("(", ")")?,
        _ => Vec::new(),
    };
    if indexes.len() > 3 {
        return parser.fail_at(42, place, "an array has one to three subscripts", "");
    }
    Ok(Expr { place, kind: ExprKind::Field(string, Name { text, kind, global: false }, indexes) })
}

/// Sub-strings can be taken of variables and elements.
fn is_sliceable(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Variable(name) | ExprKind::Element(name, _) | ExprKind::Field(_, name, _) => {
            name.kind == NameKind::Text
        }
        ExprKind::System(word) => words::is_text_variable(word),
        _ => false,
    }
}

/// A number that may name an object.
fn can_be_object(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Variable(name) | ExprKind::Element(name, _) | ExprKind::Property(_, name, _) => {
            name.kind == NameKind::Number
        }
        ExprKind::Call(call) => call.name == "NEW",
        ExprKind::Group(_) => true,
        _ => false,
    }
}

/// Something that can be assigned to.
pub(crate) fn is_target(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Variable(_) | ExprKind::Element(..) | ExprKind::Append(_) | ExprKind::Range(..) => true,
        ExprKind::Property(_, _, None) | ExprKind::Field(..) => true,
        ExprKind::Substring(base, ..) => is_target(base),
        _ => false,
    }
}
