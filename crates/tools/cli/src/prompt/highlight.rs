//! Syntax colours of the input line: keywords, functions, text, numbers, comments and commands.

use crate::commands;
use crate::tokens::{self, Kind};
use nu_ansi_term::{Color, Style};
use reedline::StyledText;
use std::collections::HashSet;

/// Colours tokens by their kind.
pub(super) struct Highlighter {
    colour: bool,
    keywords: HashSet<String>,
    functions: HashSet<String>,
}

impl Highlighter {
    /// Without colour, everything is plain.
    pub(super) fn new(colour: bool) -> Highlighter {
        let keywords = mainstay_engine::keywords().iter().map(|keyword| keyword.to_uppercase()).collect();
        let functions = mainstay_engine::functions().iter().map(|name| name.to_lowercase()).collect();
        Highlighter { colour, keywords, functions }
    }

    fn style(&self, kind: Kind, text: &str) -> Style {
        match kind {
            Kind::Text => Color::Green.normal(),
            Kind::Number => Color::Cyan.normal(),
            Kind::Comment => Style::new().dimmed(),
            Kind::Word if self.keywords.contains(&text.to_uppercase()) => Color::Blue.bold(),
            Kind::Word if self.functions.contains(&text.to_lowercase()) => Color::Yellow.normal(),
            _ => Style::new(),
        }
    }
}

impl reedline::Highlighter for Highlighter {
    fn highlight(&self, line: &str, _cursor: usize) -> StyledText {
        let mut styled = StyledText::new();
        if !self.colour {
            styled.push((Style::new(), line.to_owned()));
            return styled;
        }
        let mut start = 0;
        if let Some((_, rest)) = commands::find(line).filter(|_| !line.contains('\n')) {
            start = line.find(rest).filter(|_| !rest.is_empty()).unwrap_or(line.len());
            styled.push((Color::Purple.bold(), line[..start].to_owned()));
        }
        for token in tokens::tokens(line, start) {
            let text = token.text(line);
            styled.push((self.style(token.kind, text), text.to_owned()));
        }
        styled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reedline::Highlighter as _;

    #[test]
    fn nothing_is_lost_on_the_way_to_colour() {
        let highlighter = Highlighter::new(true);
        for line in ["", "SELECT 'a' -- b", ".mode csv", "use  customers ;", "? 1", ". x", "select\n\"é\" 漢", "\\d"]
        {
            let styled = highlighter.highlight(line, 0);
            let text: String = styled.buffer.iter().map(|(_, text)| text.as_str()).collect();
            assert_eq!(text, line);
        }
    }

    #[test]
    fn keywords_and_text_differ() {
        let styled = Highlighter::new(true).highlight("select 'x'", 0);
        assert_eq!(styled.buffer[0], (Color::Blue.bold(), "select".to_owned()));
        assert_eq!(styled.buffer[2], (Color::Green.normal(), "'x'".to_owned()));
    }
}
