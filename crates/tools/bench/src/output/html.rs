//! One self-contained page: the tables, and a chart for each row. It has no script and loads nothing; it is light or
//! dark as the reader's system is set.

use super::chart::{Scale, chart};
use super::{grid, remarks, titled};
use crate::report::{Report, Run};

const STYLE: &str = include_str!("page.css");

/// The page.
pub fn html(run: &Run) -> String {
    let sections: String = run.reports.iter().map(|report| section(run, report)).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Mainstay bench, {}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>Mainstay bench</h1>\n{sections}</body>\n</html>\n",
        escaped(&run.machine.date)
    )
}

fn section(run: &Run, report: &Report) -> String {
    let mut out = format!("<h2>{}</h2>\n{}", escaped(&report.title), table(report));
    let remarks: String = remarks(run, report).iter().map(|remark| format!("<li>{}</li>\n", escaped(remark))).collect();
    out += &format!("<ul>\n{remarks}</ul>\n");
    out += &format!(
        "<p>Bars are medians in {}{} on a logarithmic scale: <span class=\"key ours\"></span> Mainstay, \
         <span class=\"key peer\"></span> measured in this run, <span class=\"key earlier\"></span> published or \
         measured earlier; <span class=\"key target\"></span> is the target.</p>\n",
        report.unit.symbol,
        if report.unit.rate { " (longer is better where no other unit is said)" } else { "" },
    );
    let scale = Scale::of(report);
    for line in &report.lines {
        let svg = chart(report, line, scale);
        let verdict = escaped(&line.verdict());
        out += &format!("<section>\n<h3>{} <small>{verdict}</small></h3>\n", escaped(&titled(report, line)));
        out += &format!("<code>{}</code>\n{svg}</section>\n", escaped(&line.row.text));
    }
    out
}

fn table(report: &Report) -> String {
    let grid = grid(report);
    let cells = |row: &[String], tag: &str| -> String {
        row.iter().map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect()
    };
    let mut out = format!("<div class=\"wide\"><table>\n<tr>{}</tr>\n", cells(&grid.head, "th"));
    for (row, line) in grid.body.iter().zip(&report.lines) {
        let class = if line.faults.is_empty() { "" } else { " class=\"fault\"" };
        out += &format!("<tr{class}>{}</tr>\n", cells(row, "td"));
    }
    out + "</table></div>\n"
}

/// Text that cannot be taken for markup.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::tests::sample;

    #[test]
    fn the_page_is_self_contained_and_escaped() {
        let page = html(&sample());
        assert!(page.contains("WHERE TAG&lt;'B'") && !page.contains("TAG<'B'"));
        assert!(page.contains("prefers-color-scheme: dark"));
        assert!(["http", "<script", "src=", "@import"].iter().all(|outside| !page.contains(outside)));
        assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
        assert_eq!(page.matches("<svg").count(), 1);
        assert_eq!(page.matches("class=\"fault\"").count(), 1);
    }
}
