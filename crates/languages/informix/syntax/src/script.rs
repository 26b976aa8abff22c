//! Scripts: the statements of a text, as `dbaccess` takes them.
//!
//! A semicolon ends a statement. Those in a routine belong to it: it ends with the semicolon behind END PROCEDURE or END
//! FUNCTION. LOAD and UNLOAD are statements of the client, which reads and writes the files.

use crate::error::{Parse, SqlError};
use crate::lexer::{Kind, Token, tokens, unquoted};

/// A statement of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The line of the script where it begins, from 1.
    pub line: u32,
    /// The statement.
    pub kind: PieceKind,
}

/// A kind of statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// A statement for the server.
    Statement(String),
    /// LOAD FROM file DELIMITER 'c': the file, the delimiter, and the INSERT without VALUES.
    Load(String, char, String),
    /// UNLOAD TO file DELIMITER 'c': the file, the delimiter, and the query.
    Unload(String, char, String),
}

/// The statements of a script.
///
/// Errors: -202 and -282 of the text; -201 for a LOAD or UNLOAD without its file.
pub fn pieces(text: &str) -> Result<Vec<Piece>, Box<SqlError>> {
    let tokens = tokens(text, false)?;
    let word =
        |token: &Token| text.get(token.span.start as usize..token.span.end as usize).unwrap_or("").to_uppercase();
    let (mut found, mut first) = (Vec::new(), 0);
    let mut in_routine = false;
    for (place, token) in tokens.iter().enumerate() {
        let here = word(token);
        let head: Vec<String> = tokens.iter().skip(first).take(5).map(word).collect();
        if place == first {
            in_routine = head.first().is_some_and(|word| word == "CREATE")
                && head
                    .iter()
                    .skip(1)
                    .take_while(|word| *word != "(")
                    .any(|word| word == "PROCEDURE" || word == "FUNCTION")
                && !head.iter().any(|word| word == "TRIGGER");
        }
        let before = place.checked_sub(1).and_then(|place| tokens.get(place)).map(word);
        if in_routine && before.as_deref() == Some("END") && matches!(here.as_str(), "PROCEDURE" | "FUNCTION") {
            in_routine = false;
        }
        if token.kind != Kind::End && (here != ";" || in_routine) {
            continue;
        }
        if place > first {
            let own = tokens.get(first..place).unwrap_or_default();
            found.push(piece(text, own, &word)?);
        }
        first = place + 1;
    }
    Ok(found)
}

fn piece(text: &str, own: &[Token], word: &dyn Fn(&Token) -> String) -> Parse<Piece> {
    let start = own.first().map_or(0, |token| token.span.start as usize);
    let end = own.last().map_or(start, |token| token.span.end as usize);
    let line = text.get(..start).unwrap_or("").matches('\n').count() + 1;
    let line = u32::try_from(line).unwrap_or(u32::MAX);
    let whole = || text.get(start..end).unwrap_or("").to_owned();
    let heads = (own.first().map(word), own.get(1).map(word));
    let is_load = match (heads.0.as_deref(), heads.1.as_deref()) {
        (Some("LOAD"), Some("FROM")) => true,
        (Some("UNLOAD"), Some("TO")) => false,
        _ => return Ok(Piece { line, kind: PieceKind::Statement(whole()) }),
    };
    let string = |place: usize| {
        let token = own.get(place).filter(|token| matches!(token.kind, Kind::String | Kind::Quoted | Kind::Word))?;
        let raw = text.get(token.span.start as usize..token.span.end as usize)?;
        Some(if token.kind == Kind::Word { raw.to_owned() } else { unquoted(raw) })
    };
    let failed = || {
        let span = own.first().map(|token| token.span).unwrap_or_default();
        SqlError::at(SqlError::SYNTAX, span, "A syntax error has occurred: LOAD and UNLOAD name a file in quotes.")
    };
    let file = string(2).ok_or_else(failed)?;
    let has_delimiter = own.get(3).is_some_and(|token| word(token) == "DELIMITER");
    let delimiter = match has_delimiter {
        true => string(4).and_then(|text| text.chars().next()).ok_or_else(failed)?,
        false => '|',
    };
    let rest = own.get(if has_delimiter { 5 } else { 3 }).ok_or_else(failed)?;
    let rest = text.get(rest.span.start as usize..end).unwrap_or("").to_owned();
    let kind = match is_load {
        true => PieceKind::Load(file, delimiter, rest),
        false => PieceKind::Unload(file, delimiter, rest),
    };
    Ok(Piece { line, kind })
}

/// The fields of a line of a delimited file, and whether the line goes on in the next one: a backslash stands before a
/// delimiter, a backslash and an end of line that belong to a value. The last delimiter ends the line. An empty field is NULL.
pub fn fields(record: &str, delimiter: char) -> Vec<String> {
    let (mut fields, mut field) = (Vec::new(), String::new());
    let mut letters = record.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => field.extend(letters.next()),
            letter if letter == delimiter => fields.push(std::mem::take(&mut field)),
            letter => field.push(letter),
        }
    }
    if !field.is_empty() {
        fields.push(field);
    }
    fields
}

/// The records of a delimited file: lines, but for ends of lines behind a backslash.
pub fn records(text: &str) -> Vec<&str> {
    let (mut records, mut start, mut is_escaped) = (Vec::new(), 0, false);
    for (place, letter) in text.char_indices() {
        if letter == '\n' && !is_escaped {
            let record = text.get(start..place).unwrap_or("");
            records.push(record.strip_suffix('\r').unwrap_or(record));
            start = place + 1;
        }
        is_escaped = letter == '\\' && !is_escaped;
    }
    if start < text.len() {
        records.push(text.get(start..).unwrap_or(""));
    }
    records
}

/// A value as a field of a delimited file.
pub fn field(text: &str, delimiter: char) -> String {
    let mut field = String::with_capacity(text.len() + 1);
    for letter in text.chars() {
        if letter == '\\' || letter == '\n' || letter == delimiter {
            field.push('\\');
        }
        field.push(letter);
    }
    field
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_routine_is_one_statement() {
        let text = "SELECT 1 FROM t; -- a; b\nCREATE PROCEDURE p() LET a = 1; END PROCEDURE DOCUMENT 'x;';\n\n\
                    UNLOAD TO 'f.txt' DELIMITER '!' SELECT * FROM t;LOAD FROM \"g\" INSERT INTO t;";
        let found = pieces(text).unwrap();
        let statement = |text: &str| PieceKind::Statement(text.to_owned());
        assert_eq!(found[0], Piece { line: 1, kind: statement("SELECT 1 FROM t") });
        let routine = "CREATE PROCEDURE p() LET a = 1; END PROCEDURE DOCUMENT 'x;'";
        assert_eq!(found[1], Piece { line: 2, kind: statement(routine) });
        assert_eq!(found[2].kind, PieceKind::Unload("f.txt".into(), '!', "SELECT * FROM t".into()));
        assert_eq!(found[3].kind, PieceKind::Load("g".into(), '|', "INSERT INTO t".into()));
        assert_eq!(found.len(), 4);
        assert_eq!(pieces("LOAD FROM").unwrap_err().code, -201);
    }

    #[test]
    fn fields_are_read_as_they_were_written() {
        let values = ["a|b", "", "c\\d", "two\nlines"];
        let record: String = values.iter().map(|value| field(value, '|') + "|").collect();
        assert_eq!(record, "a\\|b||c\\\\d|two\\\nlines|");
        let text = format!("{record}\nx|\n");
        let found = records(&text);
        assert_eq!(found.len(), 2);
        assert_eq!(fields(found[0], '|'), values);
        assert_eq!(fields(found[1], '|'), ["x"]);
    }
}
