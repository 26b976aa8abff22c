//! Options, lists, and the directives with a channel in parentheses.

use super::{Parsed, Parser};
use crate::token::Token;
use crate::tree::*;

/// Options whose value is a branch.
const BRANCHES: [&str; 6] = ["ERR", "END", "DOM", "BSY", "NUL", "TBL"];
/// Options whose value is an expression.
const VALUES: [&str; 30] = [
    "KEY", "KNO", "IND", "RNO", "DIR", "REC", "SIZ", "LEN", "TIM", "RTY", "HLP", "BSZ", "ISZ", "NBF", "SEP", "OPT",
    "FNT", "FMT", "MSG", "TIP", "MNU", "CTL", "REF", "OWN", "SRT", "COL", "LNE", "IDX", "DEF", "KEYDEF",
];

impl Parser {
    /// `NAME=value`, or nothing if there is no option here.
    pub(super) fn option(&mut self) -> Parsed<Option<IoOption>> {
        let Token::Word(word, None, false) = self.peek().clone() else { return Ok(None) };
        if !self.is_ahead(1, "=") {
            return Ok(None);
        }
        let place = self.place();
        let branch = BRANCHES.contains(&word.as_str());
        if !branch && word != "IOL" && !VALUES.contains(&word.as_str()) {
            return Ok(None);
        }
        self.next();
        self.next();
        let value = match word.as_str() {
            "IOL" => OptionValue::List(self.list_reference()?),
            "TBL" if !self.is_target_ahead() => OptionValue::Value(self.expression()?),
            _ if branch => OptionValue::Target(self.branch()?),
            "KEY" => {
                let mut segments = vec![self.expression()?];
                while self.accept(":") {
                    segments.push(self.expression()?);
                }
                OptionValue::Segments(segments)
            }
            _ if self.is("*") => {
                self.next();
                OptionValue::Star
            }
            _ => OptionValue::Value(self.expression()?),
        };
        Ok(Some(IoOption { name: word, place, value }))
    }

    fn is_target_ahead(&self) -> bool {
        match self.peek() {
            Token::Number(_) | Token::Symbol("*") => true,
            Token::Word(_, None, false) => !self.is_ahead(1, "(") && !self.is_ahead(1, "+"),
            _ => false,
        }
    }

    /// A branch stands here: not an expression that gives the name of a program.
    pub(super) fn is_branch(&self) -> bool {
        match self.peek() {
            Token::Number(_) | Token::Symbol("*") => true,
            Token::Word(word, None, false) => !(crate::words::is_function(word) && self.is_ahead(1, "(")),
            _ => false,
        }
    }

    /// A line number, a label, or a logical target.
    pub(super) fn branch(&mut self) -> Parsed<Target> {
        let place = self.place();
        match self.next() {
            Token::Number(text) => match text.parse() {
                Ok(number) if number <= crate::source::LAST_LINE => Ok(Target::Line(number)),
                _ => self.fail_at(21, place, "line number out of range", "line numbers are 1 to 64999"),
            },
            Token::Word(word, None, false) => Ok(Target::Label(word)),
            Token::Symbol("*") => {
                let Token::Word(word, None, false) = self.next() else {
                    return self.fail_at(21, place, "expected the name of a logical target behind *", "as in *NEXT");
                };
                Ok(Target::Logical(match word.as_str() {
                    "NEXT" => Logical::Next,
                    "SAME" => Logical::Same,
                    "PROCEED" => Logical::Proceed,
                    "BREAK" => Logical::Break,
                    "CONTINUE" => Logical::Continue,
                    "RETURN" => Logical::Return,
                    "RETRY" => Logical::Retry,
                    "END" => Logical::End,
                    "ESCAPE" => Logical::Escape,
                    _ => {
                        let hint = "*NEXT *SAME *PROCEED *BREAK *CONTINUE *RETURN *RETRY *END *ESCAPE";
                        return self.fail_at(21, place, format!("unknown logical target *{word}"), hint);
                    }
                }))
            }
            _ => self.fail_at(21, place, "expected a line number or a label", ""),
        }
    }

    pub(super) fn list_reference(&mut self) -> Parsed<ListRef> {
        Ok(match self.peek() {
            Token::Number(_) => ListRef::Target(self.branch()?),
            Token::Word(_, None, false) if !self.is_ahead(1, "(") => ListRef::Target(self.branch()?),
            Token::Symbol("*") => {
                self.next();
                ListRef::Embedded
            }
            _ => ListRef::Text(self.sum()?),
        })
    }

    /// `(channel, options)`; `PRINT` and others may have none.
    pub(super) fn channel(&mut self) -> Parsed<(Option<Expr>, Vec<IoOption>)> {
        self.expect("(", "before the channel")?;
        let mut channel = None;
        let mut options = Vec::new();
        if let Some(option) = self.option()? {
            options.push(option);
        } else {
            channel = Some(self.expression()?);
        }
        while self.accept(",") {
            match self.option()? {
                Some(option) => options.push(option),
                None if self.accept_word("RECORD") => {}
                None => {
                    return self.fail_at(32, self.place(), format!("expected an option, found {}", self.found()), "");
                }
            }
        }
        self.expect(")", "behind the channel and its options")?;
        Ok((channel, options))
    }

    /// An I/O directive behind its verb.
    pub(super) fn io(&mut self, verb: Verb) -> Parsed<Kind> {
        let mut io = Io { verb, channel: None, options: Vec::new(), items: Vec::new(), open_end: false };
        let optional = matches!(verb, Verb::Print | Verb::Input | Verb::InputEdit | Verb::Obtain);
        if !optional || self.is("(") && self.looks_like_channel() {
            (io.channel, io.options) = self.channel()?;
        }
        self.accept(",");
        while !self.at_end() && !self.is_word("REM") {
            if let Some(option) = self.trailing_option()? {
                io.options.push(option);
            } else {
                let item = self.item()?;
                io.items.push(item);
            }
            io.open_end = self.accept(",");
            if !io.open_end && !self.at_end() && !self.is_word("REM") {
                return self.fail(format!("expected \",\" or the end of the directive, found {}", self.found()), "");
            }
        }
        Ok(Kind::Io(Box::new(io)))
    }

    /// `ERR=` behind a list is an option of the directive; `IOL=` is an item.
    pub(super) fn trailing_option(&mut self) -> Parsed<Option<IoOption>> {
        match self.peek() {
            Token::Word(word, None, false)
                if self.is_ahead(1, "=") && matches!(word.as_str(), "ERR" | "END" | "DOM" | "BSY") =>
            {
                self.option()
            }
            _ => Ok(None),
        }
    }

    /// `PRINT (1)A$` has a channel, `PRINT (A+B)*2` has not: behind the parenthesis of a channel no operator stands.
    fn looks_like_channel(&self) -> bool {
        let mut depth = 0;
        let mut ahead = 0;
        loop {
            match self.ahead(ahead) {
                Token::End => return false,
                Token::Symbol("(") => depth += 1,
                Token::Symbol(")") => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                // Options stand in the parentheses of channels only.
                Token::Symbol(",") if depth == 1 => return true,
                _ => {}
            }
            ahead += 1;
        }
        match self.ahead(ahead + 1) {
            Token::Symbol(symbol) => matches!(*symbol, "@" | "(" | "-"),
            Token::Remark(_) | Token::End => {
                // `PRINT (0)` is an empty line; `PRINT (A$)` prints.
                matches!(self.ahead(1), Token::Number(_)) && ahead == 2
            }
            Token::Word(word, None, false) => !matches!(word.as_str(), "AND" | "OR" | "LIKE" | "ELSE"),
            _ => true,
        }
    }

    /// An item of a list.
    pub(super) fn item(&mut self) -> Parsed<Item> {
        let place = self.place();
        if self.is("*") && (self.is_ahead(1, ",") || matches!(self.ahead(1), Token::End | Token::Symbol(";"))) {
            self.next();
            return Ok(Item::Skip(place));
        }
        if self.is_word("IOL") && self.is_ahead(1, "=") {
            self.next();
            self.next();
            return Ok(Item::List(self.list_reference()?, place));
        }
        let mut item =
            ValueItem { value: self.expression()?, mask: None, formats: Vec::new(), branches: Vec::new(), limit: None };
        while self.accept(":") {
            if self.is("(") && self.is_branch_list() {
                self.branch_list(&mut item)?;
            } else if self.is("[") {
                self.formats(&mut item)?;
            } else {
                item.mask = Some(self.sum()?);
            }
        }
        Ok(Item::Value(item))
    }

    /// A parenthesis behind a colon begins the checks of an input if `value=` follows, or a number that is the limit; otherwise it
    /// is a mask's.
    fn is_branch_list(&self) -> bool {
        let mut ahead = 1;
        let mut is_number = true;
        while !matches!(self.ahead(ahead), Token::Symbol("=" | ")") | Token::End) {
            is_number &= !matches!(self.ahead(ahead), Token::Text(_) | Token::Hex(_) | Token::Word(_, Some('$'), _));
            ahead += 1;
        }
        self.is_ahead(ahead, "=") || is_number && ahead > 1
    }

    /// `(value=target,..)` with `LEN=least,most` or a limit behind the branches.
    fn branch_list(&mut self, item: &mut ValueItem) -> Parsed<()> {
        self.expect("(", "before the branches")?;
        loop {
            let is_equal = self.is_ahead(1, "=");
            if self.is_word("LEN") && is_equal {
                self.at += 2;
                let least = self.sum()?;
                let most = if self.accept(",") { Some(self.sum()?) } else { None };
                item.limit = Some(Box::new(InputLimit::Length(least, most)));
            } else if self.is_word("ERR") && is_equal {
                self.at += 2;
                let place = self.place();
                let target = self.branch()?;
                item.branches.push((Expr { place, kind: ExprKind::Mnemonic("ERR".to_owned(), Vec::new()) }, target));
            } else {
                let value = self.sum()?;
                if self.accept("=") {
                    let target = self.branch()?;
                    item.branches.push((value, target));
                } else {
                    item.limit = Some(Box::new(InputLimit::Range(value)));
                }
            }
            if item.limit.is_some() || !self.accept(",") {
                break;
            }
        }
        self.expect(")", "behind the branches")
    }

    fn formats(&mut self, item: &mut ValueItem) -> Parsed<()> {
        self.expect("[", "before formats")?;
        loop {
            let Token::Word(name, None, false) = self.next() else {
                return self.fail("expected the name of a format", "as in [num(6,2)]");
            };
            let mut format = Format { name, arguments: Vec::new(), size: None, separator: None };
            if self.accept("(") {
                while !self.accept(")") {
                    if !format.arguments.is_empty() {
                        self.expect(",", "between arguments")?;
                    }
                    match self.option()? {
                        Some(IoOption { name, value: OptionValue::Value(value), .. }) if name == "SIZ" => {
                            format.size = Some(value);
                        }
                        Some(IoOption { name, value: OptionValue::Value(value), .. }) if name == "SEP" => {
                            format.separator = Some(value);
                        }
                        Some(option) => return self.fail_at(79, option.place, "formats have SIZ= and SEP= only", ""),
                        None => format.arguments.push(self.expression()?),
                    }
                }
            }
            item.formats.push(format);
            if !self.accept(":") && !self.accept(",") {
                break;
            }
        }
        self.expect("]", "behind formats")
    }

    /// Items up to the end of the directive; trailing options are given apart.
    pub(super) fn items(&mut self) -> Parsed<(Vec<Item>, Vec<IoOption>)> {
        let (mut items, mut options) = (Vec::new(), Vec::new());
        while !self.at_end() {
            match self.trailing_option()? {
                Some(option) => options.push(option),
                None => items.push(self.item()?),
            }
            if !self.accept(",") {
                break;
            }
        }
        Ok((items, options))
    }
}
