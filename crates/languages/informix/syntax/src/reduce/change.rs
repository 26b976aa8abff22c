//! INSERT, UPDATE, DELETE.

use super::{Mode, Reducer, quoted, text_literal};
use crate::error::{Parse, SqlError};
use crate::tree::{CurrentOf, Delete, Expr, Insert, InsertRows, Literal, Name, ObjectName, Query, Update};
use crate::types::Type;

impl Reducer<'_> {
    pub(super) fn insert(&mut self, insert: &Insert) -> Parse<()> {
        self.push("INSERT INTO ");
        self.target(&insert.target)?;
        let known = self.scope.columns(&insert.target).unwrap_or_default();
        let named = |name: &Name| known.iter().find(|(column, _)| name.is(column)).map(|(_, known)| *known);
        let types: Vec<Option<Type>> = match insert.columns.is_empty() {
            true => known.iter().map(|(_, known)| Some(*known)).collect(),
            false => insert.columns.iter().map(named).collect(),
        };
        if !insert.columns.is_empty() {
            self.push(" (");
            self.list(&insert.columns, |it, column| {
                it.name(&column.text);
                Ok(())
            })?;
            self.push(")");
        }
        match &insert.rows {
            // The rows of a routine are inserted one by one, as values.
            InsertRows::Call(_) => Err(SqlError::unsupported("a routine here")),
            InsertRows::Query(query) => {
                self.push(" ");
                let serial = types.iter().position(|known| known.is_some_and(Type::is_serial));
                let sequence = self.scope.serial_sequence(&insert.target);
                self.rows(query, &types, serial.zip(sequence))
            }
            InsertRows::Values(values) => {
                if insert.columns.is_empty() && !known.is_empty() && known.len() != values.len() {
                    let text = "Number of values in INSERT is not equal to number of columns.";
                    return Err(SqlError::new(-236, text));
                }
                self.push(" VALUES (");
                let types = types.into_iter().chain(std::iter::repeat(None));
                self.list(values.iter().zip(types), |it, (value, known)| it.assigned(value, known))?;
                self.push(")");
                Ok(())
            }
        }
    }

    /// Writes a query whose rows are stored in columns of these types: a SERIAL, whose place and sequence are given, has the
    /// next number for 0, a DECIMAL whose point floats is made of other numbers, and the other way around, and a text is cut to
    /// the length of its column.
    fn rows(&mut self, query: &Query, types: &[Option<Type>], serial: Option<(usize, String)>) -> Parse<()> {
        let given = self.output_types(query);
        let floats = |place: usize| given.get(place).and_then(|(_, known)| *known).is_some_and(Type::is_floating);
        // Texts of which it is not known that they fit.
        let is_cut = |place: usize| {
            let length = types.get(place).copied().flatten().and_then(Type::text_length);
            let from = given.get(place).and_then(|(_, known)| *known);
            let is_text = from.is_none_or(Type::is_text);
            let fits = from.and_then(Type::text_length).zip(length).is_some_and(|(from, to)| from <= to);
            length.is_some() && is_text && !fits
        };
        let names: Vec<String> = (0..types.len()).map(|place| quoted(&format!("#{place}"))).collect();
        let item = |(place, name): (usize, &String)| match (&serial, types.get(place).copied().flatten()) {
            (Some((serial, sequence)), _) if *serial == place => {
                format!("CASE WHEN {name} = 0 THEN nextval({}) ELSE {name} END", text_literal(sequence))
            }
            (_, Some(known)) if floats(place) || known.is_floating() => {
                let (before, behind) = super::floating::conversion(known);
                format!("{before}{name}{behind}")
            }
            // A text that is too long for its column is cut.
            (_, Some(known)) if is_cut(place) => format!("CAST({name} AS {})", known.sql_type()),
            _ => name.clone(),
        };
        let is_plain = |place: usize| {
            let is_floating = types.get(place).copied().flatten().is_some_and(Type::is_floating);
            !floats(place) && !is_floating && !is_cut(place)
        };
        if serial.is_none() && (0..types.len()).all(is_plain) {
            return self.query(query);
        }
        let items: Vec<String> = names.iter().enumerate().map(item).collect();
        self.push(&format!("SELECT {} FROM (", items.join(", ")));
        self.query(query)?;
        self.push(&format!(") AS \"#rows\" ({})", names.join(", ")));
        Ok(())
    }

    pub(super) fn update(&mut self, update: &Update) -> Parse<()> {
        self.push("UPDATE ");
        self.target(&update.target)?;
        let alias = update.alias.as_ref().map_or_else(|| update.target.last().to_owned(), |alias| alias.text.clone());
        self.push(" AS ");
        self.name(&alias);
        let known = self.known(&update.target, alias);
        let columns = known.columns.clone();
        self.tables.push(vec![known]);
        self.push(" SET ");
        self.list(&update.items, |it, (column, value)| {
            it.name(&column.text);
            it.push(" = ");
            let known = columns.iter().find(|(known, _)| column.is(known)).and_then(|(_, known)| *known);
            it.assigned(value, known)
        })?;
        self.condition(update.condition.as_ref())?;
        self.current_of(update.cursor.as_ref(), &update.target)
    }

    pub(super) fn delete(&mut self, delete: &Delete) -> Parse<()> {
        self.push("DELETE FROM ");
        self.target(&delete.target)?;
        let alias = delete.alias.as_ref().map_or_else(|| delete.target.last().to_owned(), |alias| alias.text.clone());
        self.push(" AS ");
        self.name(&alias);
        let known = self.known(&delete.target, alias);
        self.tables.push(vec![known]);
        self.condition(delete.condition.as_ref())?;
        self.current_of(delete.cursor.as_ref(), &delete.target)
    }

    /// Writes the condition that the row is the current one of a cursor.
    fn current_of(&mut self, cursor: Option<&CurrentOf>, target: &ObjectName) -> Parse<()> {
        if let Some(cursor) = cursor {
            let column = quoted(self.scope.row_number(target));
            self.push(&format!(" WHERE {column} = ${}", self.cursor_parameter(cursor.parameter)));
        }
        Ok(())
    }

    /// The number of the parameter of WHERE CURRENT OF: behind the variables of a routine.
    fn cursor_parameter(&self, number: usize) -> usize {
        match &self.mode {
            Mode::Routine(_, types) => types.len() + 1,
            _ => number,
        }
    }

    /// Lets a change give the rows as they were and as they have become: these columns of both, as `old.a` and `new.a`.
    pub(super) fn images(&mut self, sides: &[&str], columns: &[String]) {
        let image = |side: &&str, column: &String| {
            format!("{}.{} AS {}", quoted(side), quoted(column), quoted(&format!("{side}.{column}")))
        };
        let all: Vec<String> =
            sides.iter().flat_map(|side| columns.iter().map(move |column| image(side, column))).collect();
        self.push(&format!(" RETURNING {}", all.join(", ")));
    }

    fn condition(&mut self, condition: Option<&Expr>) -> Parse<()> {
        if let Some(condition) = condition {
            self.push(" WHERE ");
            self.expression(condition)?;
        }
        Ok(())
    }

    /// Writes the new value of a column. A text is cut to its length without a word, 0 in a SERIAL is the next number.
    pub(super) fn assigned(&mut self, value: &Expr, known: Option<Type>) -> Parse<()> {
        let Some(known) = known else { return self.expression(value) };
        if let (Mode::Routine(defaults, _), Expr::Variable(name)) = (&self.mode, value)
            && defaults.iter().any(|number| name.text == format!("?{number}"))
        {
            self.push("DEFAULT");
            return Ok(());
        }
        match (known, value) {
            (known, Expr::Literal(Literal::Integer(digits)))
                if known.is_serial() && digits.trim_matches('0').is_empty() =>
            {
                self.push("DEFAULT");
                Ok(())
            }
            (
                Type::Char(length)
                | Type::NChar(length)
                | Type::VarChar(length)
                | Type::NVarChar(length)
                | Type::LVarChar(length),
                Expr::Literal(Literal::String(text)),
            ) => {
                let cut: String = text.chars().take(length as usize).collect();
                self.push(&text_literal(&cut));
                Ok(())
            }
            // The value of a routine's variable is one of the column's type before it comes here.
            (_, Expr::Variable(name)) if self.variable_type(name).is_some() => {
                self.push(&name.text.replace('?', "$"));
                Ok(())
            }
            (_, Expr::Default) => self.expression(value),
            (_, Expr::Literal(_) | Expr::Variable(_)) => self.of_type(value, known),
            (known, value) if self.is_floating(value) => self.of_floating(value, known),
            (Type::Char(_) | Type::NChar(_) | Type::VarChar(_) | Type::NVarChar(_) | Type::LVarChar(_), value) => {
                self.push("CAST(");
                if !self.moment_as_text(value)? {
                    self.expression(value)?;
                }
                self.push(&format!(" AS {})", known.sql_type()));
                Ok(())
            }
            // A fraction of a second that the column has no room for is cut, not rounded.
            (Type::DateTime(_, last), value) => match self.type_of(value) {
                Some(Type::DateTime(_, given)) if given <= last => self.expression(value),
                _ => self.cast(value, known),
            },
            (known, value) => self.of_type(value, known),
        }
    }
}
