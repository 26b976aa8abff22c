//! The layout of a file as a list of variables: the embedded dictionary of `IOL=*` and `SELECT *`.
//!
//! ```text
//!   IOLIST CUST_ID$,NAME$,*,OWED                            as it is
//!   field 1 cust_id text(6), field 3 owed decimal(12,2)     CUST_ID$,*,OWED
//! ```
//!
//! Limits: a layout with types of records has no list that all records share.

use crate::options::FileDefinition;

/// Fields of a list up to which gaps are filled.
const MOST_FIELDS: usize = 2_000;

/// Names that a program cannot give to a variable: system variables.
const RESERVED: [&str; 44] = [
    "BKG", "CHN", "CTL", "DAY", "DLM", "DSZ", "EOM", "ERR", "ERS", "ESC", "GFN", "GID", "HFN", "HLP", "HWD", "LFA",
    "LFO", "LIP", "LPG", "LWD", "MSE", "MSL", "NAR", "NID", "OBJ", "PFX", "PGN", "PRC", "PRM", "PSZ", "QUO", "RET",
    "RND", "SEP", "SID", "SSN", "SYS", "TIM", "TME", "TMS", "TSM", "UID", "UNT", "WHO",
];

/// The name of a variable for a column: capitals, `_` for all that is no letter or digit.
pub fn variable_name(column: &str, is_text: bool) -> String {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' };
    let mut name: String = column.chars().map(plain).collect();
    if !name.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
        name.insert_str(0, "F_");
    }
    if RESERVED.contains(&name.as_str()) {
        name.push('_');
    }
    if is_text {
        name.push('$');
    }
    name
}

impl FileDefinition {
    /// The variables of the fields, as an IOLIST has them; `None` for a file without a layout that all records share.
    pub fn field_list(&self) -> Option<String> {
        let text = self.layout.as_deref()?.trim();
        let words: Vec<String> = text.split_whitespace().take(2).map(str::to_lowercase).collect();
        if words.iter().map(String::as_str).eq(["by", "field"]) {
            return None;
        }
        if words.first().is_some_and(|word| word != "field") {
            let list = text.get(..6).filter(|word| word.eq_ignore_ascii_case("iolist")).map_or(text, |_| &text[6..]);
            let items: Vec<&str> = list.split([',', '\n']).map(str::trim).filter(|item| !item.is_empty()).collect();
            return (!items.is_empty()).then(|| items.join(","));
        }
        let mut names: Vec<String> = Vec::new();
        for item in items(text) {
            let mut words = item.split_whitespace().skip(1);
            let number: usize = words.next()?.parse().ok().filter(|number| (1..=MOST_FIELDS).contains(number))?;
            let column = words.next()?;
            let kind = words.next().unwrap_or("text").to_lowercase();
            let is_text = ["text", "char", "varchar"].iter().any(|word| kind.starts_with(word));
            if names.len() < number {
                names.resize(number, "*".to_owned());
            }
            names[number - 1] = variable_name(column, is_text);
        }
        (!names.is_empty()).then(|| names.join(","))
    }
}

/// The items between commas and ends of lines that are not in parentheses.
fn items(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_u32;
    let parts = text.split(move |letter: char| {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && matches!(letter, ',' | '\n')
    });
    parts.map(str::trim).filter(|item| !item.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileKind, KeyDefinitions, RecordFormat};

    #[test]
    fn layouts_are_lists_of_variables() {
        let list = |layout: &str| {
            let mut file = FileDefinition::new(FileKind::Keyed, KeyDefinitions::default(), RecordFormat::DEFAULT);
            file.layout = Some(layout.to_owned());
            file.field_list()
        };
        assert_eq!(list("IOLIST ID$,NAME$,*,OWED").as_deref(), Some("ID$,NAME$,*,OWED"));
        assert_eq!(list("id$,\n name$").as_deref(), Some("id$,name$"));
        let fields = "field 1 cust_id text(6), field 4 owed decimal(12,2), field 2 day date";
        assert_eq!(list(fields).as_deref(), Some("CUST_ID$,DAY_,*,OWED"));
        assert_eq!(list("by field 1: \"H\" header(*,CUST$)"), None);
        assert_eq!((list(""), list("field x")), (None, None));
        assert_eq!(
            (variable_name("2nd name", true), variable_name("err", false)),
            ("F_2ND_NAME$".into(), "ERR_".into())
        );
    }
}
