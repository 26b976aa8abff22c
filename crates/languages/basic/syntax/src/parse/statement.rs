//! Directives by their first word.

use super::{Parsed, Parser};
use crate::token::Token;
use crate::tree::*;
use crate::words;

impl Parser {
    /// One directive.
    pub(super) fn directive(&mut self, place: Place) -> Parsed<Kind> {
        if self.is("?") {
            self.next();
            return self.io(Verb::Print);
        }
        let Token::Word(word, None, false) = self.peek().clone() else { return self.assignments() };
        let assigns = matches!(self.ahead(1), Token::Symbol("::" | "=" | "+=" | "-=" | "*=" | "/=" | "^=" | "|="))
                // `A++` counts, `PRINT ++A` prints.
                || matches!(self.ahead(1), Token::Symbol("++" | "--")) && !matches!(self.ahead(2), Token::Word(..))
                || self.is_ahead(1, "[") && !matches!(word.as_str(), "KEYED" | "SORT");
        if assigns || !words::is_directive_word(&word) {
            return self.not_a_directive(place, &word);
        }
        self.next();
        if let Some(kind) = self.flow_directive(&word)? {
            return Ok(kind);
        }
        if let Some(kind) = self.io_directive(&word)? {
            return Ok(kind);
        }
        if let Some(kind) = self.program_directive(place, &word)? {
            return Ok(kind);
        }
        if let Some(kind) = self.session_directive(&word)? {
            return Ok(kind);
        }
        self.unsupported(place, &word)
    }

    fn not_a_directive(&mut self, place: Place, word: &str) -> Parsed<Kind> {
        match self.ahead(1) {
            // A function of the program is called (manual, "Called Procedures").
            Token::Symbol("(") if word.len() > 2 && word.starts_with("FN") => {
                let start = self.at;
                let value = self.expression()?;
                if self.at_end() && matches!(value.kind, ExprKind::User(..)) {
                    return Ok(Kind::Evaluate(value));
                }
                self.at = start;
                self.assignments()
            }
            // A property is assigned to, or a method is called.
            Token::Symbol("'") => {
                let start = self.at;
                let value = self.expression()?;
                if matches!(value.kind, ExprKind::Property(_, _, Some(_))) {
                    return Ok(Kind::Evaluate(value));
                }
                self.at = start;
                self.assignments()
            }
            Token::Symbol("::" | "(" | "[" | "{" | "=" | "+=" | "-=" | "*=" | "/=" | "^=" | "|=" | "++" | "--") => {
                self.assignments()
            }
            _ => {
                let hint = words::similar(word).map(|near| format!("{near}?")).unwrap_or_default();
                self.fail_at(20, place, format!("{word} is not a directive"), hint)
            }
        }
    }

    /// Names the longest form in the list: ADD INDEX before ADD.
    fn unsupported<T>(&mut self, place: Place, word: &str) -> Parsed<T> {
        let name = match self.peek() {
            Token::Word(second, None, false) if words::is_directive(&format!("{word} {second}")) => {
                format!("{word} {second}")
            }
            _ => word.to_owned(),
        };
        self.fail_at(99, place, format!("directive {name} is not supported"), "")
    }

    fn flow_directive(&mut self, word: &str) -> Parsed<Option<Kind>> {
        Ok(Some(match word {
            "IF" => self.if_()?,
            "GOTO" | "GOSUB" => super::flow::goto(self, word == "GOSUB")?,
            "ON" => self.on()?,
            "RETURN" => Kind::Return(if self.at_end() { None } else { Some(self.expression()?) }),
            "FOR" => self.for_()?,
            "NEXT" if self.accept_word("RECORD") => Kind::NextRecord,
            "NEXT" => Kind::Next(if self.at_end() { None } else { Some(self.target()?) }),
            "WHILE" => Kind::While(self.expression()?),
            "WEND" => Kind::Wend,
            "REPEAT" if self.at_end() || self.is_word("ON") => Kind::Repeat,
            "UNTIL" => Kind::Until(self.expression()?),
            "SWITCH" => Kind::Switch(self.expression()?),
            "CASE" => self.case()?,
            "DEFAULT" => Kind::Default,
            "END" if self.accept_word("SWITCH") => Kind::EndSwitch,
            "END_SWITCH" => Kind::EndSwitch,
            "END" if self.accept_word("DEF") => Kind::EndDef,
            "END" if self.is_word("WITH") => return Ok(None),
            "END" if self.accept_word("TRY") => Kind::EndTry,
            "END_TRY" => Kind::EndTry,
            "TRY" if self.at_end() => Kind::Try,
            "CATCH" => Kind::Catch,
            "FINALLY" => Kind::Finally,
            "BREAK" => Kind::Break,
            "CONTINUE" => Kind::Continue,
            "EXITTO" => Kind::Exitto(self.branch()?),
            "POP" => Kind::Pop(self.accept("*")),
            "SETERR" if !self.is_branch() => {
                let program = self.expression()?;
                Kind::ErrorProgram(Some(program), self.options_after()?)
            }
            "SETERR" => Kind::SetErr(self.branch()?),
            "ERROR_HANDLER" if self.accept_word("READ") => Kind::ErrorProgramRead(self.target()?),
            "ERROR_HANDLER" => {
                let program = if self.at_end() { None } else { Some(self.expression()?) };
                Kind::ErrorProgram(program, self.options_after()?)
            }
            "SETESC" => Kind::SetEsc(self.set_escape()?),
            "RETRY" => Kind::Retry,
            "END" => Kind::End,
            "STOP" => Kind::Stop,
            "ESCAPE" if self.accept_word("ON") => Kind::EscapeMode(true),
            "ESCAPE" if self.accept_word("OFF") => Kind::EscapeMode(false),
            "ESCAPE" => Kind::Escape(if self.at_end() { None } else { Some(self.expression()?) }),
            "LET" => self.assignments()?,
            "LOCAL" => self.local()?,
            _ => return Ok(None),
        }))
    }

    fn io_directive(&mut self, word: &str) -> Parsed<Option<Kind>> {
        let record = matches!(word, "READ" | "FIND" | "EXTRACT" | "WRITE" | "INSERT" | "UPDATE")
            && self.is_word("RECORD")
            && self.is_ahead(1, "(");
        if record {
            self.next();
        }
        let verb = match (word, record) {
            ("READ", false) if self.accept_word("DATA") => return self.read_data().map(Some),
            ("READ", _) if self.is_word("WINDOW") => return Ok(None),
            ("READ", false) => Verb::Read,
            ("READ", true) => Verb::ReadRecord,
            ("FIND", false) => Verb::Find,
            ("FIND", true) => Verb::FindRecord,
            ("EXTRACT", _) if self.is_word("FILE") => return Ok(None),
            ("EXTRACT", false) if self.accept_word("RELEASE") => Verb::ExtractRelease,
            ("EXTRACT", false) => Verb::Extract,
            ("EXTRACT", true) => Verb::ExtractRecord,
            ("WRITE", _) if self.is_word("WINDOW") => return Ok(None),
            ("WRITE", false) if self.accept_word("LOCK") => Verb::WriteLock,
            ("WRITE", false) => Verb::Write,
            ("WRITE", true) => Verb::WriteRecord,
            ("INSERT", _) if self.is_word("FILE") => return Ok(None),
            ("INSERT", false) => Verb::Insert,
            ("INSERT", true) => Verb::InsertRecord,
            ("UPDATE", false) => Verb::Update,
            ("UPDATE", true) => Verb::UpdateRecord,
            ("REMOVE", _) if self.is_word("CONTROL") => return Ok(None),
            ("REMOVE", _) => Verb::Remove,
            ("PRINT", _) => Verb::Print,
            ("INPUT", _) if self.accept_word("EDIT") => Verb::InputEdit,
            ("INPUT", _) => Verb::Input,
            ("OBTAIN", _) => Verb::Obtain,
            ("CLOSE", _) => return self.close().map(Some),
            ("LOCK", _) => Verb::Lock,
            ("UNLOCK", _) => Verb::Unlock,
            ("PURGE", _) => Verb::Purge,
            ("FLUSH", _) => Verb::Flush,
            ("OPEN", _) => return self.open().map(Some),
            ("SELECT", _) => return self.select().map(Some),
            ("SERIAL", _) => return self.file(FileVerb::Serial).map(Some),
            ("INDEXED", _) => return self.file(FileVerb::Indexed).map(Some),
            ("DIRECT", _) => return self.file(FileVerb::Direct).map(Some),
            ("CREATE", _) if self.accept_word("TABLE") => return self.file(FileVerb::Table).map(Some),
            ("KEYED", _) if self.accept_word("LOAD") => Verb::KeyedLoad,
            ("PROGRAM", _) => return self.file(FileVerb::Program).map(Some),
            ("KEYED", _) => return self.file(FileVerb::Keyed).map(Some),
            ("SORT", _) => return self.file(FileVerb::Sort).map(Some),
            ("ERASE", _) => return self.file(FileVerb::Erase).map(Some),
            ("RENAME", _) if self.is_word("CLASS") => return Ok(None),
            ("RENAME", _) => return self.file(FileVerb::Rename).map(Some),
            ("REFILE", _) => return self.file(FileVerb::Refile).map(Some),
            ("DIRECTORY", _) => return self.file(FileVerb::Directory).map(Some),
            _ => return Ok(None),
        };
        self.io(verb).map(Some)
    }

    /// `CLOSE (1,2)`, `CLOSE (1),(2)`, `CLOSE (*)`, CLOSE.
    fn close(&mut self) -> Parsed<Kind> {
        let mut io = Io { verb: Verb::Close, channel: None, options: Vec::new(), items: Vec::new(), open_end: false };
        while self.accept("(") {
            loop {
                if self.accept("*") {
                    io.items.clear();
                } else if let Some(option) = self.option()? {
                    io.options.push(option);
                } else {
                    let value = self.expression()?;
                    io.items.push(Item::Value(ValueItem {
                        value,
                        mask: None,
                        formats: Vec::new(),
                        branches: Vec::new(),
                        limit: None,
                    }));
                }
                if !self.accept(",") {
                    break;
                }
            }
            self.expect(")", "behind the channels of CLOSE")?;
            if !self.accept(",") {
                break;
            }
        }
        Ok(Kind::Io(Box::new(io)))
    }

    fn read_data(&mut self) -> Parsed<Kind> {
        if !self.accept_word("FROM") {
            let (items, options) = self.items()?;
            return Ok(Kind::ReadData(items, options));
        }
        let text = self.expression()?;
        let mut options = Vec::new();
        while self.accept(",") {
            match self.option()? {
                Some(option) => options.push(option),
                None => return self.fail("expected an option in READ DATA FROM", ""),
            }
        }
        self.expect_word("TO", "in READ DATA FROM")?;
        let (items, more) = self.items()?;
        options.extend(more);
        Ok(Kind::ReadDataFrom(text, items, options))
    }

    fn program_directive(&mut self, place: Place, word: &str) -> Parsed<Option<Kind>> {
        Ok(Some(match word {
            "DATA" => {
                let mut values = vec![self.expression()?];
                while self.accept(",") {
                    values.push(self.expression()?);
                }
                Kind::Data(values)
            }
            "IOLIST" => Kind::Iolist(self.items()?.0),
            "TABLE" => Kind::Table(self.expression()?),
            "RESTORE" => Kind::Restore(if self.at_end() { None } else { Some(self.branch()?) }),
            "DIM" if self.is_word("CLASS") => return Ok(None),
            "DIM" if self.is_word("LOAD") && matches!(self.ahead(1), Token::Word(..)) => self.dim_load()?,
            "DIM" => Kind::Dim(self.dim()?),
            "REDIM" => Kind::Redim(self.dim()?),
            "CALL" => {
                let program = self.expression()?;
                self.accept(",");
                let has_arguments = !self.is_word("WITH");
                let (arguments, options) = if has_arguments { self.items()? } else { Default::default() };
                let with = if self.accept_word("WITH") { self.with_values()? } else { Vec::new() };
                Kind::Call { program, arguments, options, with }
            }
            "PERFORM" => {
                let program = self.expression()?;
                Kind::Perform(program, self.options_after()?)
            }
            "RUN" => {
                let program = if self.at_end() { None } else { Some(self.expression()?) };
                Kind::Run(program, self.options_after()?)
            }
            "ENTER" => {
                let parameters = self.parameters(false)?;
                let mut options = Vec::new();
                while let Some(option) = self.trailing_option()? {
                    options.push(option);
                    self.accept(",");
                }
                Kind::Enter(parameters, options)
            }
            "EXIT" if self.accept_word("WITH") => Kind::Return(Some(self.expression()?)),
            "EXIT" => Kind::Exit(if self.at_end() { None } else { Some(self.expression()?) }),
            "EXECUTE" => {
                let text = self.expression()?;
                Kind::Execute(text, self.options_after()?)
            }
            "DEF" => return self.def(place).map(Some),
            "LIST" => self.list()?,
            "VIA" => {
                let mut list = Vec::new();
                loop {
                    let first = self.sum()?;
                    let (string, name) = if self.accept(",") { (Some(first), self.sum()?) } else { (None, first) };
                    self.expect("=", "in VIA")?;
                    list.push(Via { string, name, value: self.expression()? });
                    if !self.accept(",") {
                        break;
                    }
                }
                Kind::Via(list)
            }
            _ => return Ok(None),
        }))
    }

    /// `LIST (channel) first,last`.
    fn list(&mut self) -> Parsed<Kind> {
        self.accept_word("EDIT");
        let mut channel = None;
        if self.accept("(") {
            channel = Some(self.expression()?);
            self.expect(")", "behind the channel")?;
        }
        let first = if self.at_end() || self.is(",") { None } else { Some(self.branch()?) };
        let last = match self.accept(",") {
            true if !self.at_end() => Some(self.branch()?),
            true => None,
            // One line alone.
            false => first.clone(),
        };
        Ok(Kind::List(channel, first, last))
    }

    pub(super) fn options_after(&mut self) -> Parsed<Vec<IoOption>> {
        let mut options = Vec::new();
        while self.accept(",") {
            match self.option()? {
                Some(option) => options.push(option),
                None => return self.fail(format!("expected an option, found {}", self.found()), "as in ERR=0100"),
            }
        }
        Ok(options)
    }

    fn def(&mut self, place: Place) -> Parsed<Kind> {
        let Token::Word(word, suffix, false) = self.next() else { return self.unsupported(place, "DEF") };
        let (word, suffix) = match (word.as_str(), suffix) {
            ("FN", None | Some('%')) => match self.next() {
                Token::Word(rest, last, false) => {
                    (format!("FN{}{rest}", if suffix.is_some() { "%" } else { "" }), last)
                }
                _ => return self.fail("expected the name of a function behind DEF FN", ""),
            },
            _ => (word, suffix),
        };
        if word == "CLASS" && suffix.is_none() {
            return self.def_class();
        }
        if let (None, Some(define)) = (suffix, super::session::define(self, &word)?) {
            return Ok(Kind::Setting(Box::new(Setting::Define(define))));
        }
        if !word.starts_with("FN") || word.len() < 3 {
            return self.fail_at(99, place, format!("directive DEF {word} is not supported"), "");
        }
        let kind = if suffix == Some('$') { NameKind::Text } else { NameKind::Number };
        let mut parameters = Vec::new();
        if self.accept("(") {
            parameters = self.parameters(true)?;
            self.expect(")", "behind the parameters")?;
        }
        let value = if self.accept("=") { Some(self.expression()?) } else { None };
        Ok(Kind::DefFn { name: Name { text: word, kind, global: false }, parameters, value })
    }

    pub(super) fn parameters(&mut self, in_parentheses: bool) -> Parsed<Vec<Parameter>> {
        let mut out = Vec::new();
        while !(self.at_end() || in_parentheses && self.is(")")) {
            if self.trailing_is_option() {
                break;
            }
            let local = self.accept_word("LOCAL");
            let mut parameter = Parameter { target: None, list: None, default: None, read_only: false, local };
            if self.is_word("IOL") && self.is_ahead(1, "=") {
                self.next();
                self.next();
                parameter.list = Some(self.list_reference()?);
            } else if !self.accept("*") {
                parameter.read_only = self.accept("(");
                parameter.target = Some(self.target()?);
                if self.accept("=") {
                    parameter.default = Some(self.expression()?);
                }
                if parameter.read_only {
                    self.expect(")", "behind the parameter")?;
                }
            }
            out.push(parameter);
            if !self.accept(",") {
                break;
            }
        }
        Ok(out)
    }

    fn trailing_is_option(&self) -> bool {
        self.is_ahead(1, "=") && (self.is_word("ERR") || self.is_word("END"))
    }

    fn session_directive(&mut self, word: &str) -> Parsed<Option<Kind>> {
        let start = self.at.saturating_sub(1);
        Ok(Some(match word {
            "REM" => match self.next() {
                Token::Remark(text) => Kind::Remark(text, true),
                _ => Kind::Remark(Vec::new(), true),
            },
            "PRECISION" => Kind::Precision(self.expression()?),
            "FLOATINGPOINT" => Kind::FloatingPoint,
            "FLOATING" if self.accept_word("POINT") => Kind::FloatingPoint,
            "ROUND" => Kind::Round(match self.accept_word("OFF") {
                true => false,
                false => {
                    self.accept_word("ON");
                    true
                }
            }),
            "RANDOMIZE" => Kind::Randomize(if self.at_end() { None } else { Some(self.expression()?) }),
            "WAIT" if self.is_word("FOR") => return Ok(None),
            "WAIT" => Kind::Wait(self.expression()?),
            "BEGIN" => Kind::Begin(self.accept("*")),
            "CLEAR" => {
                let (all, except) = (self.accept("*"), self.accept_word("EXCEPT"));
                let mut names = Vec::new();
                while !self.at_end() {
                    names.push(self.target()?);
                    if !self.accept(",") {
                        break;
                    }
                }
                match all || except {
                    true => Kind::ClearExcept(all, names),
                    false => Kind::Clear(names),
                }
            }
            "RESET" => Kind::Reset,
            "MESSAGE_LIB" => self.message_library()?,
            "SYSTEM_JRNL" => match super::session::journal(self)? {
                Some(kind) => kind,
                None => return Ok(None),
            },
            "ENABLE" | "DISABLE" if matches!(self.peek(), Token::Number(_)) => {
                Kind::Prefix(Prefix::Enable(self.expression()?, word == "ENABLE"))
            }
            "CWDIR" => {
                let folder = self.expression()?;
                Kind::Folder(folder, self.options_after()?)
            }
            "SETFID" => self.set_fid()?,
            "SETDAY" | "SETTIME" | "SETDEV" | "TRANSLATE" | "MNEMONIC" => return super::session::setting(self, word),
            "INVOKE" => {
                self.accept_word("WAIT");
                let command = self.expression()?;
                Kind::Invoke(command, self.options_after()?)
            }
            "ADD" if self.accept_word("INDEX") => self.index(true)?,
            "DROP" if self.accept_word("INDEX") => self.index(false)?,
            "DROP" | "DELETE" if self.accept_word("OBJECT") => {
                let object = self.expression()?;
                Kind::DropObject(object, self.options_after()?)
            }
            "DROP" if self.accept_word("CLASS") => {
                let class = self.expression()?;
                Kind::DropClass(class, self.options_after()?)
            }
            "LOAD" | "SAVE" | "DELETE" | "MERGE" | "RENUMBER" | "EDIT" | "DUMP" | "START" | "SETTRACE" | "ENDTRACE" => {
                return self.console_directive(word);
            }
            "PROPERTY" | "FUNCTION" | "LIKE" => return self.member(word),

            "RELEASE" | "QUIT" | "BYE" => Kind::Release(if self.at_end() { None } else { Some(self.expression()?) }),
            "SET_PARAM" => self.set_param()?,
            "PREFIX" => self.prefix()?,
            "DAY_FORMAT" => Kind::DayFormat(self.expression()?),
            "DROP" if matches!(self.peek(), Token::Text(_) | Token::Word(_, Some('$'), _)) => {
                self.expression()?;
                self.options_after()?;
                Kind::NoEffect(self.text_since(start))
            }
            "ADDR" => {
                self.expression()?;
                self.options_after()?;
                Kind::NoEffect(self.text_since(start))
            }
            "LIST_BOX" | "BUTTON" | "CHECK_BOX" | "RADIO_BUTTON" | "DROP_BOX" | "MULTI_LINE" | "GRID" => {
                self.control(word)?
            }
            "SET_FOCUS" => self.set_focus()?,
            "MENU_BAR" => self.menu_bar()?,
            "POPUP_MENU" => self.control_arguments(word, String::new())?,
            "PREINPUT" => self.preinput()?,
            "ENABLE" | "DISABLE" if self.accept_word("CONTROL") => {
                self.control_arguments(&format!("{word} CONTROL"), String::new())?
            }
            "MSGBOX" => self.msgbox()?,
            _ => return Ok(None),
        }))
    }

    fn set_param(&mut self) -> Parsed<Kind> {
        let mut params = Vec::new();
        loop {
            let off = self.accept("-");
            let Token::Mnemonic(name) = self.next() else {
                return self.fail("expected the name of a parameter", "as in SET_PARAM 'XF'");
            };
            let zero = Expr { place: self.place(), kind: ExprKind::Number("0".to_owned()) };
            let value = match (off, self.accept("=")) {
                (true, _) => Some(zero),
                (false, true) => Some(self.expression()?),
                (false, false) => None,
            };
            params.push((name, value));
            if !self.accept(",") {
                return Ok(Kind::SetParam(params));
            }
        }
    }
}
