//! Prints a tree as T-SQL.
//!
//! One statement a line, blocks indented, keywords in capitals, names as they were written, and parentheses only where the
//! tree needs them. The printed text parses to the same tree; the tests check that for the whole corpus.

mod change;
mod define;
mod expression;
mod module;
mod object;
mod query;
mod statement;

use crate::reserved::is_reserved;
use crate::tree::*;
use mainstay_syntax::{continues_name, starts_name};

/// Statements as a text.
pub fn print(statements: &[Statement]) -> String {
    let mut printer = Printer::default();
    printer.statements(statements);
    printer.out.trim_start().to_owned()
}

/// An expression or condition as a text.
pub fn print_expression(expr: &Expr) -> String {
    let mut printer = Printer::default();
    printer.expr(expr);
    printer.out
}

/// The text so far, and how deep the blocks are.
#[derive(Default)]
struct Printer {
    out: String,
    indent: usize,
}

impl Printer {
    /// Writes a piece, with a blank before it unless it or what is before binds tightly.
    fn put(&mut self, text: &str) {
        let binds_before = self.out.is_empty() || self.out.ends_with(['(', '.', '\n', ' ']) || self.out.ends_with("::");
        let binds = matches!(text.as_bytes().first(), None | Some(b',' | b')' | b';' | b'.')) || text == "::";
        // A number must not run into a point after it.
        let is_number = text.starts_with('.') && text.len() > 1;
        // Nor a point into a number.
        let is_decimal = self.out.ends_with('.') && text.starts_with(|first: char| first.is_ascii_digit());
        if is_decimal || !binds_before && (!binds || is_number) {
            self.out.push(' ');
        }
        self.out.push_str(text);
    }

    /// Writes an opening parenthesis that belongs to the word before.
    fn open(&mut self) {
        self.out.push('(');
    }

    fn put_if(&mut self, wanted: bool, text: &str) {
        if wanted {
            self.put(text);
        }
    }

    fn line(&mut self) {
        self.out.push('\n');
        let blanks = self.indent * 4;
        self.out.extend(std::iter::repeat_n(' ', blanks));
    }

    fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        for (index, item) in items.iter().enumerate() {
            self.put_if(index > 0, ",");
            write(self, item);
        }
    }

    fn parens<T>(&mut self, items: &[T], write: impl FnMut(&mut Self, &T)) {
        self.put("(");
        self.list(items, write);
        self.put(")");
    }

    /// A list in parentheses, if there is anything in it.
    fn some_parens<T>(&mut self, items: &[T], write: impl FnMut(&mut Self, &T)) {
        if !items.is_empty() {
            self.parens(items, write);
        }
    }

    fn quoted(&mut self, prefix: &str, text: &str) {
        self.put(&format!("{prefix}'{}'", text.replace('\'', "''")));
    }

    fn name(&mut self, name: &Name) {
        let text = &name.text;
        let is_plain = !name.quoted && (is_regular(text) || text.is_empty());
        match is_plain {
            true => self.put(text),
            false => self.put(&format!("[{}]", text.replace(']', "]]"))),
        }
    }

    /// A word that is not quoted, reserved or not.
    fn word(&mut self, name: &Name) {
        if name.quoted { self.name(name) } else { self.put(&name.text) }
    }

    fn names(&mut self, names: &[Name]) {
        self.some_parens(names, Self::name);
    }

    fn object(&mut self, name: &ObjectName) {
        if let [part] = &name.parts[..] {
            // Columns such as IDENTITYCOL and functions such as LEFT are reserved words.
            return self.word(part);
        }
        for (index, part) in name.parts.iter().enumerate() {
            self.put_if(index > 0, ".");
            self.name(part);
        }
    }

    fn literal(&mut self, literal: &Literal) {
        match literal {
            Literal::Null => self.put("NULL"),
            Literal::Integer(text) | Literal::Binary(text) => self.put(text),
            Literal::Decimal(text) | Literal::Float(text) | Literal::Money(text) => {
                self.put(text);
                // After `2.` a word needs its blank, which it would not get after a point between names.
                if text.ends_with('.') {
                    self.out.push(' ');
                }
            }
            Literal::String(text) => self.quoted("", text),
            Literal::NationalString(text) => self.quoted("N", text),
        }
    }

    fn phrase(&mut self, phrase: &Phrase) {
        phrase.items.iter().for_each(|item| self.phrase_item(item));
    }

    fn phrase_item(&mut self, item: &PhraseItem) {
        match item {
            PhraseItem::Word(name) => self.word(name),
            PhraseItem::Symbol(symbol) => {
                // After a number a point would be its own.
                if symbol == "." && self.out.ends_with(|last: char| last.is_ascii_digit()) {
                    self.out.push(' ');
                }
                self.put(symbol);
            }
            PhraseItem::Literal(literal) => self.literal(literal),
            PhraseItem::Variable(name) => self.put(&name.text),
            PhraseItem::Group(phrases) => self.parens(phrases, Self::phrase),
        }
    }

    /// `word (phrase, phrase)`, if there are any.
    fn phrases(&mut self, word: &str, phrases: &[Phrase]) {
        if !phrases.is_empty() {
            self.put(word);
            self.parens(phrases, Self::phrase);
        }
    }

    /// `WITH phrase, phrase`, if there are any.
    fn with_words(&mut self, phrases: &[Phrase]) {
        if !phrases.is_empty() {
            self.put("WITH");
            self.list(phrases, Self::phrase);
        }
    }

    fn data_type(&mut self, data_type: &DataType) {
        match &data_type.name.parts[..] {
            // A type of several words.
            [name] if !name.quoted => self.put(&name.text),
            _ => self.object(&data_type.name),
        }
        if data_type.arguments.is_empty() {
            return;
        }
        self.open();
        self.list(&data_type.arguments, |printer, argument| match argument {
            TypeArgument::Number(digits) => printer.put(digits),
            TypeArgument::Max => printer.put("max"),
            TypeArgument::Schema(form, name) => {
                printer.put_if(*form == Some(XmlForm::Content), "CONTENT");
                printer.put_if(*form == Some(XmlForm::Document), "DOCUMENT");
                printer.object(name);
            }
        });
        self.put(")");
    }

    fn optional(&mut self, word: &str, value: Option<&Expr>) {
        if let Some(value) = value {
            self.put(word);
            self.expr(value);
        }
    }
}

/// Returns true if a name needs no quotes.
fn is_regular(name: &str) -> bool {
    let mut characters = name.chars();
    let starts = characters.next().is_some_and(|first| starts_name(first) || first == '@' || first == '$');
    starts && characters.all(continues_name) && !is_reserved(name)
}
