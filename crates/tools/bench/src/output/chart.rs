//! The chart of one row as inline SVG: a bar for each system on a logarithmic scale, the same for all rows
//! of a suite, so that bars can be compared down the page.
//!
//! ```text
//!   Mainstay again  ███|             0.0031        | marks the target
//!   Mainstay first  ██████████   |   0.42
//!   SQLite now      ██████           0.017
//!   OpenADS here    ████████████████████  58
//!   published       ███████████████████   42
//! ```
//!
//! Colours come from CSS classes, so that the page chooses light or dark.

use super::{figure, known};
use crate::report::{Line, Report};
use crate::statistics::Statistics;
use crate::suite::{Judgement, Measured};

const LABEL_WIDTH: f64 = 170.0;
const PLOT_WIDTH: f64 = 470.0;
const VALUE_WIDTH: f64 = 110.0;
const BAR_HEIGHT: f64 = 14.0;
const STEP: f64 = 20.0;

/// The decades that a suite's charts span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    lowest: i32,
    highest: i32,
}

struct Bar {
    class: &'static str,
    label: String,
    value: f64,
    shown: String,
    target: Option<f64>,
}

impl Scale {
    /// The scale on which every figure of the report has a place.
    pub fn of(report: &Report) -> Scale {
        let values =
            report.lines.iter().flat_map(|line| bars(report, line)).flat_map(|bar| [Some(bar.value), bar.target]);
        let (mut lowest, mut highest) = (0, 1);
        for value in values.flatten().filter(|value| *value > 0.0) {
            lowest = lowest.min(value.log10().floor() as i32);
            highest = highest.max(value.log10().ceil() as i32);
        }
        Scale { lowest, highest }
    }

    /// How far to the right a figure is.
    fn x(self, value: f64) -> f64 {
        let decades = f64::from(self.highest - self.lowest);
        let place = (value.max(f64::MIN_POSITIVE).log10() - f64::from(self.lowest)) / decades;
        PLOT_WIDTH * place.clamp(0.0, 1.0)
    }
}

/// The chart of a line, or nothing when it has no figures.
pub fn chart(report: &Report, line: &Line, scale: Scale) -> String {
    let bars = bars(report, line);
    if bars.is_empty() {
        return String::new();
    }
    let plot_height = STEP * bars.len() as f64;
    let (width, height) = (LABEL_WIDTH + PLOT_WIDTH + VALUE_WIDTH, plot_height + 18.0);
    let mut svg = format!(
        "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">\n",
        super::html::escaped(&line.row.title)
    );
    for decade in scale.lowest..=scale.highest {
        let x = LABEL_WIDTH + scale.x(10f64.powi(decade));
        svg += &format!("<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"0\" y2=\"{plot_height}\"/>");
        let label = known(10f64.powi(decade));
        svg += &format!("<text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\">{label}</text>\n", plot_height + 13.0);
    }
    for (place, bar) in bars.iter().enumerate() {
        svg += &drawn(bar, STEP * place as f64 + (STEP - BAR_HEIGHT) / 2.0, scale);
    }
    svg + "</svg>\n"
}

fn drawn(bar: &Bar, y: f64, scale: Scale) -> String {
    let Bar { class, label, value, shown, target } = bar;
    let (width, baseline) = (scale.x(*value).max(1.0), y + BAR_HEIGHT - 3.0);
    let mut svg = format!(
        "<text class=\"label\" x=\"{:.1}\" y=\"{baseline:.1}\">{}</text>\
         <rect class=\"{class}\" x=\"{LABEL_WIDTH}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{BAR_HEIGHT}\"/>\
         <text class=\"value\" x=\"{:.1}\" y=\"{baseline:.1}\">{}</text>\n",
        LABEL_WIDTH - 8.0,
        super::html::escaped(label),
        LABEL_WIDTH + width + 6.0,
        super::html::escaped(shown),
    );
    if let Some(target) = target {
        let x = LABEL_WIDTH + scale.x(*target);
        let (from, to) = (y - 2.0, y + BAR_HEIGHT + 2.0);
        svg += &format!("<line class=\"target\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{from:.1}\" y2=\"{to:.1}\"/>\n");
    }
    svg
}

fn bars(report: &Report, line: &Line) -> Vec<Bar> {
    let row = &line.row;
    let unit = line.unit;
    let measured = |class, label: String, times: Option<Statistics>, target: Option<f64>| {
        times.map(|times| {
            let value = unit.of(times.median);
            Bar { class, label, value, shown: figure(value), target }
        })
    };
    let ours = line.ours.as_ref().filter(|ours| is_right(ours));
    let [target_first, target_again] = line.targets();
    let ours_again = if report.has_first { "Mainstay again" } else { "Mainstay" };
    let mut bars: Vec<Option<Bar>> = vec![
        measured("ours", ours_again.into(), ours.and_then(|ours| ours.again), target_again),
        measured("ours", "Mainstay first".into(), ours.and_then(|ours| ours.first), target_first),
    ];
    for (name, peer) in report.peers.iter().zip(&line.peers) {
        let times = peer.as_ref().filter(|peer| is_right(peer)).and_then(|peer| peer.again);
        bars.push(measured("peer", format!("{name} now"), times, None));
    }
    let earlier = |label: String, value: f64, remark: &str| {
        let shown = if remark.is_empty() { known(value) } else { format!("{} ({remark})", known(value)) };
        Some(Bar { class: "earlier", label, value, shown, target: None })
    };
    for (name, value) in &row.elsewhere {
        bars.push(earlier(format!("{name} here"), *value, ""));
    }
    for (label, reference) in
        [(format!("{} here", report.replaces), &row.replaced), ("published".into(), &row.published)]
    {
        bars.extend(reference.as_ref().map(|reference| earlier(label, reference.value, reference.remark)));
    }
    bars.into_iter().flatten().collect()
}

fn is_right(measured: &Measured) -> bool {
    measured.judgement == Judgement::Right
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::tests::sample;

    #[test]
    fn every_figure_has_a_place_on_the_scale() {
        let run = sample();
        let report = &run.reports[0];
        let scale = Scale::of(report);
        assert_eq!(scale, Scale { lowest: -3, highest: 4 });
        assert!(scale.x(0.003) < scale.x(0.017) && scale.x(2_278.0) <= PLOT_WIDTH && scale.x(0.0) == 0.0);
    }

    #[test]
    fn a_wrong_answer_has_no_bar() {
        let run = sample();
        let report = &run.reports[0];
        let count = chart(report, &report.lines[0], Scale::of(report));
        assert_eq!(count.matches("<rect").count(), 7);
        assert_eq!(count.matches("class=\"target\"").count(), 2);
        assert_eq!(chart(report, &report.lines[1], Scale::of(report)), "");
    }
}
