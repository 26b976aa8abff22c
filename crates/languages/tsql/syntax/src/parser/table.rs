//! Tables, constraints, indexes.

use super::Parser;
use crate::error::{Diagnostic, Parse};
use crate::tree::*;
use mainstay_syntax::TokenKind;

impl Parser<'_> {
    /// `( column, constraint, .. )`; a last comma is allowed.
    pub(super) fn table_elements(&mut self) -> Parse<Vec<TableElement>> {
        self.expect("(")?;
        let mut elements = vec![self.table_element()?];
        while self.accept(",") && !self.sees(")") {
            elements.push(self.table_element()?);
        }
        self.expect(")")?;
        Ok(elements)
    }

    fn table_element(&mut self) -> Parse<TableElement> {
        if self.sees_any(&["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN", "DEFAULT"]) {
            return Ok(TableElement::Constraint(self.constraint(true)?));
        }
        if self.accept("INDEX") {
            return Ok(TableElement::Index(self.inline_index()?));
        }
        if self.accept("PERIOD FOR SYSTEM_TIME (") {
            let start = self.name()?;
            self.expect(",")?;
            let end = self.name()?;
            self.expect(")")?;
            return Ok(TableElement::Period(start, end));
        }
        Ok(TableElement::Column(Box::new(self.column()?)))
    }

    fn column(&mut self) -> Parse<Column> {
        let name = self.name()?;
        let kind = if self.accept("AS") {
            ColumnKind::Computed(self.expression()?)
        } else if name.is("timestamp") && self.sees_any(&[",", ")", "NOT", "NULL"]) {
            ColumnKind::Timestamp
        } else {
            ColumnKind::Stored(self.data_type()?)
        };
        let mut properties = Vec::new();
        while let Some(property) = self.column_property()? {
            properties.push(property);
        }
        Ok(Column { name, kind, properties })
    }

    fn column_property(&mut self) -> Parse<Option<ColumnProperty>> {
        let property = match self.kind() {
            TokenKind::Reserved => match self.token_text(0).to_ascii_uppercase().as_str() {
                "NULL" => (self.advance(), ColumnProperty::Nullable(true)).1,
                "NOT" if self.accept("NOT NULL") => ColumnProperty::Nullable(false),
                "NOT" => {
                    self.expect("NOT FOR REPLICATION")?;
                    ColumnProperty::NotForReplication
                }
                "COLLATE" => {
                    self.advance();
                    ColumnProperty::Collate(self.word()?)
                }
                "IDENTITY" => self.identity()?,
                "ROWGUIDCOL" => (self.advance(), ColumnProperty::RowGuid).1,
                "INDEX" => {
                    self.advance();
                    ColumnProperty::Index(self.inline_index()?)
                }
                "CONSTRAINT" | "PRIMARY" | "UNIQUE" | "CHECK" | "FOREIGN" | "REFERENCES" | "DEFAULT" => {
                    ColumnProperty::Constraint(self.constraint(false)?)
                }
                _ => return Ok(None),
            },
            TokenKind::Word if self.accept("PERSISTED") => ColumnProperty::Persisted,
            TokenKind::Word => match self.column_words()? {
                Some(words) => ColumnProperty::Words(words),
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        Ok(Some(property))
    }

    fn identity(&mut self) -> Parse<ColumnProperty> {
        self.expect("IDENTITY")?;
        if !self.accept("(") {
            return Ok(ColumnProperty::Identity(None));
        }
        let seed = self.signed_literal()?;
        self.expect(",")?;
        let increment = self.signed_literal()?;
        self.expect(")")?;
        Ok(ColumnProperty::Identity(Some((seed, increment))))
    }

    /// SPARSE and its like.
    fn column_words(&mut self) -> Parse<Option<Phrase>> {
        let forms: [(&str, usize); 9] = [
            ("SPARSE", 1),
            ("FILESTREAM", 1),
            ("HIDDEN", 1),
            ("COLUMN_SET", 3),
            ("MASKED WITH", 3),
            ("ENCRYPTED WITH", 3),
            ("GENERATED ALWAYS AS ROW", 5),
            ("GENERATED ALWAYS AS TRANSACTION_ID", 5),
            ("GENERATED ALWAYS AS SEQUENCE_NUMBER", 5),
        ];
        let Some((_, count)) = forms.into_iter().find(|(words, _)| self.sees(words)) else { return Ok(None) };
        let mut phrase = Phrase::default();
        for _ in 0..count {
            phrase.items.extend(self.phrase_item()?);
        }
        Ok(Some(phrase))
    }

    /// A constraint, of the table or of a column.
    fn constraint(&mut self, of_table: bool) -> Parse<Constraint> {
        let name = self.after("CONSTRAINT", Self::name)?;
        let kind = if self.sees_any(&["PRIMARY KEY", "UNIQUE"]) {
            ConstraintKind::Key(self.key()?)
        } else if self.accept("CHECK") {
            let not_for_replication = self.accept("NOT FOR REPLICATION");
            self.expect("(")?;
            let condition = self.condition()?;
            self.expect(")")?;
            ConstraintKind::Check(not_for_replication, condition)
        } else if self.accept("DEFAULT") {
            let value = self.expression()?;
            let column = if of_table { self.after("FOR", Self::name)? } else { None };
            ConstraintKind::Default(value, column, self.accept("WITH VALUES"))
        } else if self.sees_any(&["FOREIGN", "REFERENCES"]) {
            ConstraintKind::ForeignKey(Box::new(self.foreign_key()?))
        } else {
            return Err(self.unexpected());
        };
        Ok(Constraint { name, kind })
    }

    fn key(&mut self) -> Parse<IndexSpec> {
        let key = if self.accept("PRIMARY KEY") { KeyKind::Primary } else { KeyKind::Unique };
        if key == KeyKind::Unique {
            self.expect("UNIQUE")?;
        }
        let mut index = IndexSpec { key, clustered: self.clustered(), ..IndexSpec::default() };
        index.hash = self.accept("HASH");
        index.columns = self.optional_parens(Self::index_column)?;
        self.index_end(&mut index)?;
        Ok(index)
    }

    fn foreign_key(&mut self) -> Parse<ForeignKey> {
        let mut columns = Vec::new();
        if self.accept("FOREIGN KEY") {
            columns = self.optional_parens(Self::name)?;
        }
        self.expect("REFERENCES")?;
        let table = self.object_name()?;
        let referenced = self.optional_parens(Self::name)?;
        let mut key =
            ForeignKey { columns, table, referenced, on_delete: None, on_update: None, not_for_replication: false };
        loop {
            if self.accept("ON DELETE") {
                key.on_delete = Some(self.referential_action()?);
            } else if self.accept("ON UPDATE") {
                key.on_update = Some(self.referential_action()?);
            } else if self.accept("NOT FOR REPLICATION") {
                key.not_for_replication = true;
            } else {
                return Ok(key);
            }
        }
    }

    fn referential_action(&mut self) -> Parse<ReferentialAction> {
        match self.accept_any(&["NO ACTION", "CASCADE", "SET NULL", "SET DEFAULT"]) {
            Some("NO ACTION") => Ok(ReferentialAction::NoAction),
            Some("CASCADE") => Ok(ReferentialAction::Cascade),
            Some("SET NULL") => Ok(ReferentialAction::SetNull),
            Some(_) => Ok(ReferentialAction::SetDefault),
            None => Err(self.unexpected()),
        }
    }

    fn clustered(&mut self) -> Option<bool> {
        self.accept_any(&["CLUSTERED", "NONCLUSTERED"]).map(|word| word == "CLUSTERED")
    }

    fn index_column(&mut self) -> Parse<(Name, Option<bool>)> {
        let name = self.word()?;
        Ok((name, self.accept_any(&["ASC", "DESC"]).map(|word| word == "DESC")))
    }

    /// An index in a table or of a column, after INDEX.
    fn inline_index(&mut self) -> Parse<IndexSpec> {
        let mut index = IndexSpec { name: Some(self.name()?), ..IndexSpec::default() };
        if self.accept("UNIQUE") {
            index.key = KeyKind::Unique;
        }
        index.clustered = self.clustered();
        index.columnstore = self.accept("COLUMNSTORE");
        index.hash = self.accept("HASH");
        index.columns = self.optional_parens(Self::index_column)?;
        self.index_end(&mut index)?;
        Ok(index)
    }

    /// The clauses behind the columns of an index.
    fn index_end(&mut self, index: &mut IndexSpec) -> Parse<()> {
        if self.accept("INCLUDE") {
            index.include = self.parens(Self::name)?;
        }
        index.filter = self.after("WHERE", Self::condition)?;
        if self.sees("WITH") && self.is(1, "(") {
            self.advance();
            index.options = self.parens(Self::phrase)?;
        } else if self.sees("WITH") && !self.is(1, "VALUES") && self.is(2, "=") {
            index.bare_options = true;
            index.options = self.with_words()?;
        }
        index.storage = self.storage()?;
        Ok(())
    }

    /// `ON filegroup`, `ON scheme(column)`, `TEXTIMAGE_ON x`, `FILESTREAM_ON x`.
    fn storage(&mut self) -> Parse<Vec<Phrase>> {
        let mut found = Vec::new();
        // ON DELETE belongs to a foreign key.
        while self.sees_any(&["ON", "TEXTIMAGE_ON", "FILESTREAM_ON"]) && !self.is(1, "DELETE") && !self.is(1, "UPDATE")
        {
            let mut items = vec![PhraseItem::Word(self.take_name())];
            items.extend(self.phrase_item()?);
            if self.sees("(") {
                items.extend(self.phrase_item()?);
            }
            found.push(Phrase { items });
        }
        Ok(found)
    }

    pub(super) fn create_table(&mut self) -> Parse<StatementKind> {
        let name = self.object_name()?;
        let graph_form = self.sees("AS NODE");
        let first = self.span();
        let elements = if graph_form || self.sees("AS EDGE") { Vec::new() } else { self.table_elements()? };
        let is_default = |element: &TableElement| {
            matches!(element, TableElement::Constraint(Constraint { kind: ConstraintKind::Default(..), .. }))
        };
        if elements.iter().any(is_default) {
            // A default belongs to its column here; ALTER TABLE alone names the column.
            let text = "Incorrect syntax for definition of the 'TABLE' constraint.";
            self.errors.push(Diagnostic::new(142, first, text).state(2));
        }
        let graph_edge = self.accept_any(&["AS NODE", "AS EDGE"]).map(|words| words == "AS EDGE");
        let storage = self.storage()?;
        let options = if self.sees("WITH") && self.is(1, "(") {
            (self.advance(), self.parens(Self::phrase)?).1
        } else {
            Vec::new()
        };
        Ok(StatementKind::CreateTable(Box::new(CreateTable { name, elements, storage, options, graph_edge })))
    }

    pub(super) fn create_index(&mut self) -> Parse<StatementKind> {
        let mut index = IndexSpec::default();
        if self.accept("UNIQUE") {
            index.key = KeyKind::Unique;
        }
        index.clustered = self.clustered();
        index.columnstore = self.accept("COLUMNSTORE");
        self.expect("INDEX")?;
        index.name = Some(self.name()?);
        self.expect("ON")?;
        let table = self.object_name()?;
        if index.columnstore {
            index.columns = self.optional_parens(Self::index_column)?;
        } else {
            index.columns = self.parens(Self::index_column)?;
        }
        self.index_end(&mut index)?;
        Ok(StatementKind::CreateIndex(Box::new(CreateIndex { index, table })))
    }

    pub(super) fn alter_index(&mut self) -> Parse<StatementKind> {
        let name = if self.accept("ALL") { None } else { Some(self.name()?) };
        self.expect("ON")?;
        let table = self.object_name()?;
        // The first word may be SET.
        let first = self.phrase_item()?.ok_or_else(|| self.unexpected())?;
        let mut action = Phrase { items: vec![first] };
        while !self.begins_statement()
            && let Some(item) = self.phrase_item()?
        {
            action.items.push(item);
        }
        Ok(StatementKind::AlterIndex(Box::new(AlterIndex { name, table, action })))
    }

    pub(super) fn alter_table(&mut self) -> Parse<StatementKind> {
        let table = self.object_name()?;
        let with_check = self.accept_any(&["WITH CHECK", "WITH NOCHECK"]).map(|words| words == "WITH CHECK");
        let action = if self.accept("ADD") {
            let mut elements = vec![self.table_element()?];
            while self.accept(",") {
                elements.push(self.table_element()?);
            }
            AlterTableAction::Add(with_check, elements)
        } else if let Some(word) = self.accept_any(&["CHECK CONSTRAINT", "NOCHECK CONSTRAINT"]) {
            let names = if self.accept("ALL") { Vec::new() } else { self.list(Self::name)? };
            AlterTableAction::CheckConstraint(with_check, word.starts_with("CHECK"), names)
        } else if with_check.is_some() {
            return Err(self.unexpected());
        } else if self.accept("ALTER COLUMN") {
            self.alter_column()?
        } else if self.accept("DROP") {
            self.drop_elements()?
        } else if let Some(word) = self.accept_any(&["ENABLE TRIGGER", "DISABLE TRIGGER"]) {
            let names = if self.accept("ALL") { Vec::new() } else { self.list(Self::name)? };
            AlterTableAction::Trigger(word.starts_with("ENABLE"), names)
        } else {
            AlterTableAction::Words(self.alter_words()?)
        };
        Ok(StatementKind::AlterTable(Box::new(AlterTable { table, action })))
    }

    fn alter_words(&mut self) -> Parse<Phrase> {
        if !self.sees_any(&["SWITCH", "REBUILD", "SET", "ENABLE", "DISABLE"]) {
            return Err(self.unexpected());
        }
        let first = PhraseItem::Word(self.take_name());
        let mut phrase = Phrase { items: vec![first] };
        if !self.begins_statement() && !matches!(self.kind(), TokenKind::End) && !self.sees(";") {
            phrase.items.extend(self.phrase_while(|parser| !parser.begins_statement())?.items);
        }
        Ok(phrase)
    }

    fn alter_column(&mut self) -> Parse<AlterTableAction> {
        if self.is_name(0) && (self.is(1, "ADD") || self.is(1, "DROP")) {
            let name = self.name()?;
            let adds = self.sees("ADD");
            self.advance();
            let phrase = self.phrase_while(|parser| !parser.begins_statement())?;
            return Ok(AlterTableAction::AlterProperty(name, adds, phrase));
        }
        let column = self.column()?;
        let options = if self.sees("WITH (") {
            self.advance();
            self.parens(Self::phrase)?
        } else {
            Vec::new()
        };
        Ok(AlterTableAction::AlterColumn(Box::new(column), options))
    }

    fn drop_elements(&mut self) -> Parse<AlterTableAction> {
        if self.sees("PERIOD FOR SYSTEM_TIME") {
            let name = self.take_name();
            self.expect("FOR SYSTEM_TIME")?;
            let element = DropElement { column: None, if_exists: false, name, options: Vec::new() };
            return Ok(AlterTableAction::Drop(vec![element]));
        }
        let mut is_column = false;
        let elements = self.list(|parser| {
            match parser.accept_any(&["COLUMN", "CONSTRAINT"]) {
                Some(word) => is_column = word == "COLUMN",
                None => is_column &= !parser.sees("CONSTRAINT"),
            }
            let if_exists = parser.accept("IF EXISTS");
            let name = parser.name()?;
            let mut options = Vec::new();
            if parser.sees("WITH") && parser.is(1, "(") {
                parser.advance();
                options = parser.parens(Self::phrase)?;
            }
            Ok(DropElement { column: Some(is_column), if_exists, name, options })
        })?;
        Ok(AlterTableAction::Drop(elements))
    }
}
