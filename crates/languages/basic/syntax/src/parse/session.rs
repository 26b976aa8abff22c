//! Directives of the session: search rules, handlers, edits of the program, classes.

use super::{Parsed, Parser};
use crate::token::Token;
use crate::tree::*;

impl Parser {
    /// SETESC behind its word.
    pub(super) fn set_escape(&mut self) -> Parsed<SetEsc> {
        for (word, form) in [
            ("ON", SetEsc::Keys(true)),
            ("OFF", SetEsc::Keys(false)),
            ("ENABLE", SetEsc::Enable(true)),
            ("DISABLE", SetEsc::Enable(false)),
        ] {
            if self.accept_word(word) {
                return Ok(form);
            }
        }
        if self.accept_word("READ") {
            return Ok(SetEsc::Read(self.target()?));
        }
        Ok(match self.is_branch() {
            true => SetEsc::Target(self.branch()?),
            false => SetEsc::Program(self.expression()?),
        })
    }

    /// PREFIX behind its word.
    pub(super) fn prefix(&mut self) -> Parsed<Kind> {
        if self.accept_word("DIRECTORY") {
            let name = self.sum()?;
            self.expect("=", "in PREFIX DIRECTORY")?;
            return Ok(Kind::Prefix(Prefix::Folder(name, self.expression()?)));
        }
        let (is_file, is_program) = (self.accept_word("FILE"), self.accept_word("PROGRAM"));
        let mut number = None;
        if self.is("(") && !is_file && !is_program {
            self.next();
            number = Some(self.expression()?);
            self.expect(")", "behind the number of the prefix")?;
        }
        let value = if self.at_end() { None } else { Some(self.expression()?) };
        Ok(Kind::Prefix(match (is_file, is_program) {
            (true, _) => Prefix::File(value),
            (_, true) => Prefix::Program(value),
            _ => Prefix::Entry(number, value),
        }))
    }

    /// MESSAGE_LIB behind its word.
    pub(super) fn message_library(&mut self) -> Parsed<Kind> {
        let form = match self.peek() {
            Token::Word(word, None, false) => match word.as_str() {
                "ADD" => MessageLibrary::Add,
                "DROP" => MessageLibrary::Drop,
                "POP" => MessageLibrary::Pop,
                _ => MessageLibrary::Set,
            },
            _ => MessageLibrary::Set,
        };
        if form != MessageLibrary::Set {
            self.next();
        }
        let file = if self.at_end() || self.is(",") { None } else { Some(self.expression()?) };
        if file.is_none() && matches!(form, MessageLibrary::Add | MessageLibrary::Drop) {
            return self.fail("MESSAGE_LIB needs the name of a file", "");
        }
        Ok(Kind::MessageLibrary(form, file, self.options_after()?))
    }

    /// `SETFID (channel)name$`.
    pub(super) fn set_fid(&mut self) -> Parsed<Kind> {
        let mut channel = None;
        if self.accept("(") {
            channel = Some(self.expression()?);
            self.expect(")", "behind the channel")?;
        }
        Ok(Kind::SetFid(channel, self.expression()?))
    }

    /// `ADD INDEX key TO file`, `DROP INDEX key FROM file`.
    pub(super) fn index(&mut self, adds: bool) -> Parsed<Kind> {
        let key = match self.is("[") {
            true => self.key_definition()?,
            false => FileArgument::Value(self.sum()?),
        };
        self.expect_word(if adds { "TO" } else { "FROM" }, "before the file")?;
        let file = self.expression()?;
        let options = self.options_after()?;
        Ok(Kind::Index(Box::new(Index { key, adds, file, options })))
    }

    /// `DIM LOAD A${ALL}=text$`.
    pub(super) fn dim_load(&mut self) -> Parsed<Kind> {
        self.next();
        let place = self.place();
        let array = match self.target()?.kind {
            ExprKind::Range(name, None) | ExprKind::Variable(name) => name,
            _ => return self.fail_at(42, place, "DIM LOAD needs an array", "as in DIM LOAD A${ALL}=TEXT$"),
        };
        self.expect("=", "in DIM LOAD")?;
        Ok(Kind::DimLoad(array, self.expression()?))
    }

    /// Directives that edit the program or show its state, behind their word.
    pub(super) fn console_directive(&mut self, word: &str) -> Parsed<Option<Kind>> {
        let console = match word {
            "LOAD" if self.is_word("CLASS") || self.is_word("DATA") => return Ok(None),
            "SAVE" if ["CONTROL", "DATA", "FILE", "WINDOW"].iter().any(|word| self.is_word(word)) => return Ok(None),
            "MERGE" if self.is_word("OBJECT") => return Ok(None),
            "LOAD" => Console::Load(self.optional_value()?),
            "SAVE" => {
                self.accept_word("EDIT");
                let name = self.optional_value()?;
                if self.accept(",") && !self.at_end() {
                    self.expression()?;
                }
                Console::Save(name)
            }
            "DELETE" => {
                let (first, last) = self.line_range()?;
                Console::Delete(first, last)
            }
            "MERGE" if self.is("(") => {
                let (channel, options) = self.channel()?;
                match channel {
                    Some(channel) => Console::Merge(channel, options),
                    None => return self.fail_at(32, self.place(), "MERGE needs a channel", ""),
                }
            }
            "MERGE" => {
                let file = self.expression()?;
                Console::Merge(file, self.options_after()?)
            }
            "RENUMBER" => self.renumber()?,
            "EDIT" => self.edit()?,
            "DUMP" => self.dump()?,
            "START" => self.start()?,
            "SETTRACE" => Console::Trace(match self.accept("(") {
                true => {
                    let channel = self.expression()?;
                    self.expect(")", "behind the channel")?;
                    Some(channel)
                }
                false => None,
            }),
            _ => Console::EndTrace,
        };
        Ok(Some(Kind::Console(Box::new(console))))
    }

    fn optional_value(&mut self) -> Parsed<Option<Expr>> {
        match self.at_end() || self.is(",") {
            true => Ok(None),
            false => self.expression().map(Some),
        }
    }

    /// `first,last`, each of which may be missing. One line without a comma is that line alone.
    pub(super) fn line_range(&mut self) -> Parsed<(Option<Target>, Option<Target>)> {
        let first = if self.at_end() || self.is(",") { None } else { Some(self.branch()?) };
        let last = match self.accept(",") {
            true if !self.at_end() => Some(self.branch()?),
            true => Some(Target::Line(crate::source::LAST_LINE)),
            false => first.clone(),
        };
        Ok((first, last))
    }

    fn renumber(&mut self) -> Parsed<Console> {
        let first = self.optional_value()?;
        let step = if self.accept(",") { self.optional_value()? } else { None };
        let (mut from, mut to) = (None, None);
        if self.accept(",") && !self.at_end() {
            if !self.is(",") {
                from = Some(self.branch()?);
            }
            if self.accept(",") && !self.at_end() {
                to = Some(self.branch()?);
            }
        }
        Ok(Console::Renumber(first, step, from, to))
    }

    /// `EDIT line C[text] D[text] R[text] [text]`. The texts are taken from the source as they are.
    fn edit(&mut self) -> Parsed<Console> {
        let place = self.place();
        let line = self.branch()?;
        let text = self.source.get(self.offset(self.at)..).unwrap_or(&[]).to_vec();
        let Some(steps) = edit_steps(&text) else {
            return self.fail_at(70, place, "EDIT takes C[text], D[text], R[text] and [text]", "");
        };
        while !matches!(self.peek(), Token::End) {
            self.next();
        }
        Ok(Console::Edit(line, steps))
    }

    fn dump(&mut self) -> Parsed<Console> {
        let mut channel = None;
        if self.accept("(") {
            channel = Some(self.expression()?);
            self.expect(")", "behind the channel")?;
        }
        if self.accept("*") {
            return Ok(Console::Dump(channel, None));
        }
        let place = self.place();
        if ["OBJECT", "GOTO", "DISABLE"].iter().any(|word| self.is_word(word)) {
            return self.fail_at(99, place, format!("DUMP {} is not supported", self.found()), "");
        }
        Ok(Console::Dump(channel, Some(self.optional_value()?)))
    }

    fn start(&mut self) -> Parsed<Console> {
        let memory = self.optional_value()?;
        let mut program = None;
        let mut options = Vec::new();
        while self.accept(",") {
            match self.option()? {
                Some(option) => options.push(option),
                None if program.is_none() => program = Some(self.expression()?),
                None => return self.fail("unexpected argument of START", ""),
            }
        }
        Ok(Console::Start(memory, program, options))
    }

    /// DEF CLASS behind its words.
    pub(super) fn def_class(&mut self) -> Parsed<Kind> {
        let mut class =
            DefClass { name: self.expression()?, unique: false, accepts: (false, false), create: None, delete: None };
        while let Token::Word(word, None, false) = self.peek().clone() {
            self.next();
            match word.as_str() {
                "UNIQUE" => class.unique = true,
                "ACCEPT" if self.accept_word("PROPERTIES") => class.accepts.0 = true,
                "ACCEPT" if self.accept_word("UNDEFINED") => class.accepts.1 = true,
                "CREATE" => class.create = Some(self.class_label()?),
                "DELETE" => class.delete = Some(self.class_label()?),
                _ => return self.fail(format!("unexpected {word} in DEF CLASS"), ""),
            }
        }
        Ok(Kind::DefClass(Box::new(class)))
    }

    fn class_label(&mut self) -> Parsed<(String, bool)> {
        let label = self.label_name()?;
        Ok((label, self.accept_word("REQUIRED")))
    }

    /// A label, or a string: `";LABEL"` is a label as well, others name a program with an entry behind `;` or without one.
    fn label_name(&mut self) -> Parsed<String> {
        match self.next() {
            Token::Word(word, None, false) => Ok(word),
            Token::Text(text) => {
                let text = mainstay_code_page::decode(&text).trim().to_owned();
                Ok(match text.strip_prefix(';') {
                    Some(label) => label.to_ascii_uppercase(),
                    None if text.contains(';') => text,
                    None => format!("{text};"),
                })
            }
            _ => self.fail("expected a label", ""),
        }
    }

    /// PROPERTY, FUNCTION and LIKE behind their word.
    pub(super) fn member(&mut self, word: &str) -> Parsed<Option<Kind>> {
        let member = match word {
            "PROPERTY" => Member::Properties(self.properties(false)?),
            "LIKE" => {
                let mut classes = vec![self.expression()?];
                while self.accept(",") {
                    classes.push(self.expression()?);
                }
                Member::Like(classes)
            }
            _ if self.accept_word("END") => Member::FunctionEnd,
            _ => self.function()?,
        };
        Ok(Some(Kind::Member(Box::new(member))))
    }

    fn name_here(&mut self, of: &str) -> Parsed<Name> {
        let Token::Word(text, suffix, false) = self.next() else {
            return self.fail_at(92, self.place(), format!("expected the name of a {of}"), "");
        };
        let kind = match suffix {
            Some('$') => NameKind::Text,
            Some(_) => NameKind::Whole,
            None => NameKind::Number,
        };
        Ok(Name { text, kind, global: false })
    }

    /// Names with `OBJECT`, `=value`, GET and SET.
    pub(super) fn properties(&mut self, local: bool) -> Parsed<Vec<Property>> {
        self.accept_word("HIDE");
        let mut list = Vec::new();
        loop {
            let name = self.name_here("property")?;
            let mut property =
                Property { name, bounds: Vec::new(), is_object: false, local, value: None, get: None, set: None };
            if self.accept("[") {
                property.bounds = self.property_bounds()?;
            }
            if self.accept("=") {
                property.value = Some(self.expression()?);
            }
            loop {
                if self.accept_word("OBJECT") {
                    property.is_object = true;
                } else if self.accept_word("GET") {
                    property.get = Some(access(self.label_name()?));
                } else if self.accept_word("SET") {
                    property.set = Some(access(self.label_name()?));
                } else {
                    break;
                }
            }
            list.push(property);
            if !self.accept(",") {
                return Ok(list);
            }
        }
    }

    fn property_bounds(&mut self) -> Parsed<Vec<(Option<Expr>, Expr)>> {
        let mut bounds = Vec::new();
        loop {
            let first = self.expression()?;
            bounds.push(if self.accept(":") { (Some(first), self.expression()?) } else { (None, first) });
            if !self.accept(",") {
                break;
            }
        }
        self.expect("]", "behind the bounds")?;
        Ok(bounds)
    }

    fn function(&mut self) -> Parsed<Member> {
        self.accept_word("HIDE");
        let place = self.place();
        if self.is_word("PERFORM") && matches!(self.ahead(1), Token::Word(..)) {
            return self.fail_at(99, place, "FUNCTION PERFORM is not supported", "");
        }
        let local = self.is_word("LOCAL") && matches!(self.ahead(1), Token::Word(..)) && self.accept_word("LOCAL");
        let name = self.name_here("method")?;
        let mut parameters = Some(Vec::new());
        if self.accept("(") {
            parameters = match self.is("*") && self.is_ahead(1, ")") {
                true => {
                    self.next();
                    None
                }
                false => Some(self.parameters(true)?),
            };
            self.expect(")", "behind the parameters")?;
        }
        let label = if self.at_end() { None } else { Some(self.label_name()?) };
        Ok(Member::Function { name, parameters, label, local })
    }
}

/// The access to a property by a label; `ERR` refuses it.
fn access(label: String) -> Access {
    if label == "ERR" { Access::Refused } else { Access::Label(label) }
}

/// SETDAY, SETTIME, SETDEV, TRANSLATE and MNEMONIC behind their word; `None` for other forms of SETDEV.
pub(super) fn setting(parser: &mut Parser, word: &str) -> Parsed<Option<Kind>> {
    let setting = match word {
        "SETDAY" => Setting::Day(parser.optional_value()?),
        "SETTIME" => Setting::Time(parser.optional_value()?),
        "SETDEV" if parser.accept_word("TSK") => {
            parser.expect("(", "behind TSK")?;
            parser.expect(")", "behind TSK(")?;
            Setting::Task(parser.expression()?)
        }
        "SETDEV" if parser.is("(") => match channel_setting(parser)? {
            Some(setting) => setting,
            None => return Ok(None),
        },
        "SETDEV" => return Ok(None),
        "MNEMONIC" => mnemonic(parser)?,
        _ => {
            let variable = parser.target()?;
            parser.expect(",", "behind the variable of TRANSLATE")?;
            let table = parser.expression()?;
            let third = if parser.accept(",") { Some(parser.expression()?) } else { None };
            Setting::Translate(Box::new((variable, table, third)))
        }
    };
    Ok(Some(Kind::Setting(Box::new(setting))))
}

/// `(channel)SEP=` and `(channel)IOL=` behind SETDEV; `None` for other forms, which stay where they are.
fn channel_setting(parser: &mut Parser) -> Parsed<Option<Setting>> {
    let start = parser.at;
    parser.expect("(", "behind SETDEV")?;
    let channel = parser.expression()?;
    parser.expect(")", "behind the channel of SETDEV")?;
    if parser.is_word("SEP") && parser.is_ahead(1, "=") {
        parser.at += 2;
        return Ok(Some(Setting::Separator(channel, parser.expression()?)));
    }
    if parser.is_word("IOL") && parser.is_ahead(1, "=") {
        parser.at += 2;
        let list = parser.list_reference()?;
        if parser.at_end() {
            return Ok(Some(Setting::List(channel, list)));
        }
    }
    parser.at = start;
    Ok(None)
}

/// `(channel)'XX'=sequence$:columns,lines` behind MNEMONIC.
fn mnemonic(parser: &mut Parser) -> Parsed<Setting> {
    let channel = match parser.accept("(") {
        true => {
            let channel = parser.expression()?;
            parser.expect(")", "behind the channel of MNEMONIC")?;
            Some(channel)
        }
        false => None,
    };
    let name = parser.sum()?;
    parser.expect("=", "behind the name of a mnemonic")?;
    let sequence = parser.expression()?;
    let size = match parser.accept(":") {
        true => {
            let columns = parser.expression()?;
            parser.expect(",", "behind the columns of MNEMONIC")?;
            Some(Box::new((columns, parser.expression()?)))
        }
        false => None,
    };
    Ok(Setting::Mnemonic(channel, name, sequence, size))
}

/// The table, variable or message of DEF behind its word; `None` for other forms of DEF.
pub(super) fn define(parser: &mut Parser, word: &str) -> Parsed<Option<Define>> {
    Ok(match word {
        "CHR" | "CVS" | "DTE" | "LCS" | "UCS" if parser.accept("(") => {
            let table = parser.expression()?;
            parser.expect(")", "behind the table")?;
            Some(Define::Table(word.to_owned(), table))
        }
        "CTL" | "ERR" | "HWD" | "LFA" | "LFO" | "LPG" | "NAR" | "NID" if parser.accept("=") => {
            Some(Define::Variable(word.to_owned(), parser.expression()?))
        }
        "MSG" if parser.accept("(") => {
            let key = parser.expression()?;
            parser.expect(")", "behind the name of a message")?;
            if parser.accept_word("DELETE") {
                return Ok(Some(Define::Message(key, None)));
            }
            parser.expect("=", "before the text of a message")?;
            Some(Define::Message(key, Some(parser.expression()?)))
        }
        _ => None,
    })
}

/// The steps of EDIT; `None` for text that has none.
fn edit_steps(text: &[u8]) -> Option<Vec<EditStep>> {
    let mut steps = Vec::new();
    let mut rest = text.trim_ascii();
    while let Some(first) = rest.first() {
        let (letter, open) = match first {
            b'[' => (b' ', 0),
            letter => (letter.to_ascii_uppercase(), 1),
        };
        let body = rest.get(open..)?.strip_prefix(b"[")?;
        let end = body.iter().position(|byte| *byte == b']')?;
        let part = body[..end].to_vec();
        steps.push(match letter {
            b' ' => EditStep::Add(part),
            b'C' => EditStep::Copy(part),
            b'D' => EditStep::Delete(part),
            b'R' => EditStep::Replace(part),
            _ => return None,
        });
        rest = body[end + 1..].trim_ascii_start();
    }
    (!steps.is_empty()).then_some(steps)
}

/// SYSTEM_JRNL behind its word; `None` for the forms that write journals.
pub(super) fn journal(parser: &mut Parser) -> Parsed<Option<Kind>> {
    let form = match (parser.accept_word("BEGIN"), parser.accept_word("AUTO")) {
        (true, true) => Journal::BeginAuto,
        (true, false) => Journal::Begin,
        (false, true) if parser.accept_word("ON") => Journal::AutoOn,
        (false, true) if parser.accept_word("OFF") => Journal::AutoOff,
        (false, true) => return parser.fail("SYSTEM_JRNL AUTO needs ON or OFF", ""),
        _ if parser.accept_word("SAVE") => Journal::Save,
        _ if parser.accept_word("RESTORE") => Journal::Restore,
        _ => return Ok(None),
    };
    Ok(Some(Kind::Journal(form, parser.options_after()?)))
}
