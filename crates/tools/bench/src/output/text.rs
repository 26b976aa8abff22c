//! The table for a terminal, and the same as Markdown.

use super::{Grid, grid, remarks};
use crate::report::Run;

/// Every suite as aligned columns with its remarks below.
pub fn text(run: &Run) -> String {
    let mut out = String::new();
    for report in &run.reports {
        out += &format!("{}\n\n{}\n", report.title, aligned(&grid(report)));
        for remark in remarks(run, report) {
            out += &format!("  {remark}\n");
        }
        out += "\n";
    }
    out
}

/// Every suite as a Markdown section.
pub fn markdown(run: &Run) -> String {
    let mut out = String::new();
    for report in &run.reports {
        let Grid { head, body } = grid(report);
        let rule: Vec<String> = (0..head.len()).map(|column| rule_of(column, head.len()).into()).collect();
        out += &format!("## {}\n\n", report.title);
        for row in [&head, &rule].into_iter().chain(&body) {
            out += &format!("| {} |\n", row.iter().map(|cell| escaped(cell)).collect::<Vec<_>>().join(" | "));
        }
        out += "\n";
        for remark in remarks(run, report) {
            out += &format!("- {}\n", escaped(&remark));
        }
        out += "\n";
    }
    out
}

fn rule_of(column: usize, columns: usize) -> &'static str {
    if is_words(column, columns) { "---" } else { "--:" }
}

fn is_words(column: usize, columns: usize) -> bool {
    column == 0 || column + 1 == columns
}

fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;")
}

fn aligned(Grid { head, body }: &Grid) -> String {
    let rows = || std::iter::once(head).chain(body);
    let width_of = |column: usize| rows().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width_of).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if is_words(column, widths.len()) { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    let rule = widths.iter().map(|&width| "-".repeat(width)).collect::<Vec<_>>().join("  ") + "\n";
    line(head) + &rule + &body.iter().map(line).collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::tests::{assert_golden, sample};

    #[test]
    fn a_terminal_gets_aligned_columns() {
        assert_golden("sample.txt", &text(&sample()));
    }

    #[test]
    fn markdown_is_a_table_whatever_is_in_the_cells() {
        assert_golden("sample.md", &markdown(&sample()));
    }
}
