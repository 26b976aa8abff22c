//! JSON, for programs: every figure in the suite's unit, unrounded, `null` for unknown ones.

use crate::report::{Line, Report, Run};
use crate::statistics::Statistics;
use crate::suite::{Judgement, Measured, Reference, Unit};
use serde_json::{Value, json};

/// The whole run, indented.
pub fn json(run: &Run) -> String {
    let value = json!({
        "format": 1,
        "program": format!("mainstay {}", env!("CARGO_PKG_VERSION")),
        "machine": {
            "cpu": run.machine.cpu,
            "cores": run.machine.cores,
            "memory_bytes": run.machine.memory_bytes,
            "system": run.machine.system,
            "rustc": run.machine.rustc,
            "profile": run.machine.profile,
            "date": run.machine.date,
        },
        "settings": {
            "rows": run.settings.rows, "repeats": run.settings.repeats, "peers": run.settings.peers,
        },
        "memory": { "resident_bytes": run.memory.resident_bytes, "peak_bytes": run.memory.peak_bytes },
        "suites": run.reports.iter().map(suite).collect::<Vec<_>>(),
    });
    format!("{value:#}\n")
}

fn suite(report: &Report) -> Value {
    json!({
        "name": report.suite,
        "title": report.title,
        "unit": report.unit.symbol,
        "replaces": report.replaces,
        "rows": report.lines.iter().map(|line| row(report, line)).collect::<Vec<_>>(),
        "notes": report.notes,
        "facts": report.facts.iter().map(|(label, value)| (label.clone(), value.clone().into()))
            .collect::<serde_json::Map<String, Value>>(),
    })
}

fn row(report: &Report, line: &Line) -> Value {
    let (row, unit) = (&line.row, line.unit);
    let others = row.elsewhere.iter().map(|(name, value)| ((*name).to_owned(), (*value).into()));
    let peers = report.peers.iter().zip(&line.peers);
    let mut value = json!({
        "row": row.key,
        "title": row.title,
        "text": row.text,
        "mainstay": line.ours.as_ref().map(|ours| measured(ours, unit)),
        "published": reference(row.published.as_ref()),
        "replaced_here": reference(row.replaced.as_ref()),
        "others_here": others.collect::<serde_json::Map<String, Value>>(),
        "floor": row.floor,
        "peers": peers.map(|(name, peer)| (name.clone(), peer.as_ref().map_or(Value::Null, |peer| measured(peer, unit))))
            .collect::<serde_json::Map<String, Value>>(),
        "target": { "first": row.target_first, "again": row.target_again },
        "calibration": line.pace.map(|pace| json!({
            "task": pace.task.name(),
            "reference_seconds": pace.task.reference().as_secs_f64(),
            "seconds": pace.here.as_secs_f64(),
            "factor": pace.factor(),
        })),
        "ratio": ratios(line),
        "skipped": row.skipped,
        "verdict": line.verdict(),
        "in_order": line.faults.is_empty() && row.skipped.is_none(),
    });
    if row.unit.is_some() {
        value["unit"] = unit.symbol.into();
        value["higher_is_better"] = unit.rate.into();
    }
    value
}

/// The ratios to the peer, and their limits; `null` where verdicts are not ratios.
fn ratios(line: &Line) -> Value {
    let [first, again] = line.ratios();
    line.row.ratio.map_or(
        Value::Null,
        |limits| json!({ "first": first, "again": again, "limit_first": limits.first, "limit_again": limits.again }),
    )
}

fn measured(measured: &Measured, unit: Unit) -> Value {
    let (answer, reason) = match &measured.judgement {
        Judgement::Right => ("right", None),
        Judgement::Wrong(reason) => ("wrong", Some(reason)),
        Judgement::Failed(reason) => ("failed", Some(reason)),
    };
    json!({
        "first": measured.first.map(|times| statistics(times, unit)),
        "again": measured.again.map(|times| statistics(times, unit)),
        "answer": answer,
        "reason": reason,
    })
}

fn statistics(times: Statistics, unit: Unit) -> Value {
    let [min, median, max] = unit.spread(times);
    json!({ "min": min, "median": median, "max": max, "runs": times.runs })
}

fn reference(reference: Option<&Reference>) -> Value {
    reference.map_or(Value::Null, |reference| json!({ "value": reference.value, "remark": reference.remark }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::tests::sample;

    #[test]
    fn it_parses_and_says_what_the_table_says() {
        let value: Value = serde_json::from_str(&json(&sample())).unwrap();
        let rows = value["suites"][0]["rows"].as_array().unwrap();
        assert_eq!(rows[0]["mainstay"]["again"]["median"], 0.003);
        assert_eq!(rows[0]["peers"]["SQLite"]["again"]["runs"], 3);
        assert_eq!((&rows[0]["verdict"], &rows[0]["in_order"]), (&json!("ok"), &json!(true)));
        assert_eq!((&rows[1]["verdict"], &rows[1]["mainstay"]["answer"]), (&json!("WRONG"), &json!("wrong")));
        assert_eq!((&rows[2]["mainstay"], &rows[2]["skipped"]), (&Value::Null, &json!("none")));
        assert_eq!(value["machine"]["cores"], 2);
    }
}
