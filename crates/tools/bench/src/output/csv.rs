//! CSV: a line for each row, a column for each figure, unrounded, with empty fields for unknown ones. Peers differ from
//! run to run, so each peer of the run has its own columns.

use crate::report::{Line, Report, Run};
use crate::statistics::Statistics;
use crate::suite::{Judgement, Unit};

/// Every suite; the columns of the peers are those of all suites together.
pub fn csv(run: &Run) -> String {
    let mut peers: Vec<&str> = Vec::new();
    for peer in run.reports.iter().flat_map(|report| &report.peers) {
        if !peers.contains(&peer.as_str()) {
            peers.push(peer);
        }
    }
    let mut out = record(&head(&peers));
    for report in &run.reports {
        for line in &report.lines {
            out += &record(&fields(report, line, &peers));
        }
    }
    out
}

fn head(peers: &[&str]) -> Vec<String> {
    let own = "suite,row,title,text,unit,first_min,first_median,first_max,first_runs,\
               again_min,again_median,again_max,again_runs,published,published_remark,replaced_here,\
               replaced_remark,others_here,floor,target_first,target_again,calibration,factor,verdict,reason";
    let mut head: Vec<String> = own.split(',').map(str::to_owned).collect();
    for peer in peers {
        let peer = peer.to_lowercase();
        head.extend(["min", "median", "max", "runs", "answer"].map(|figure| format!("{peer}_{figure}")));
    }
    head
}

fn fields(report: &Report, line: &Line, peers: &[&str]) -> Vec<String> {
    let (row, unit) = (&line.row, line.unit);
    let ours = line.ours.as_ref();
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let mut fields = vec![report.suite.into(), row.key.into(), row.title.clone(), row.text.clone(), unit.symbol.into()];
    fields.extend(times(ours.and_then(|ours| ours.first), unit));
    fields.extend(times(ours.and_then(|ours| ours.again), unit));
    for reference in [&row.published, &row.replaced] {
        fields.push(number(reference.as_ref().map(|reference| reference.value)));
        fields.push(reference.as_ref().map_or(String::new(), |reference| reference.remark.into()));
    }
    fields.push(row.elsewhere.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join("; "));
    fields.extend([row.floor, row.target_first, row.target_again].map(number));
    fields.push(line.pace.map_or(String::new(), |pace| pace.task.name().into()));
    fields.extend([number(line.pace.map(|pace| pace.factor())), line.verdict()]);
    let judgement = ours.map(|ours| &ours.judgement);
    fields.push(reason(judgement).or(row.skipped.as_deref()).unwrap_or_default().into());
    for peer in peers {
        let place = report.peers.iter().position(|name| name == peer);
        let measured = place.and_then(|place| line.peers.get(place)).and_then(Option::as_ref);
        fields.extend(times(measured.and_then(|measured| measured.again), unit));
        fields.push(match measured.map(|measured| &measured.judgement) {
            None => String::new(),
            Some(Judgement::Right) => "right".into(),
            Some(Judgement::Wrong(reason)) => format!("wrong: {reason}"),
            Some(Judgement::Failed(reason)) => format!("failed: {reason}"),
        });
    }
    fields
}

fn reason(judgement: Option<&Judgement>) -> Option<&str> {
    match judgement? {
        Judgement::Right => None,
        Judgement::Wrong(reason) | Judgement::Failed(reason) => Some(reason),
    }
}

fn times(times: Option<Statistics>, unit: Unit) -> [String; 4] {
    times.map_or_else(Default::default, |times| {
        let [min, median, max] = unit.spread(times).map(|figure| figure.to_string());
        [min, median, max, times.runs.to_string()]
    })
}

fn record(fields: &[String]) -> String {
    fields.iter().map(|field| quoted(field)).collect::<Vec<_>>().join(",") + "\n"
}

fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::tests::{assert_golden, sample};

    #[test]
    fn every_line_has_every_field_and_quotes_are_doubled() {
        assert_golden("sample.csv", &csv(&sample()));
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
    }
}
