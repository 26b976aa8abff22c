//! The answers of Mainstay to all queries, in each form of the tables, are those of the loops over the rows.

use super::data::{Data, LINES_OF_SCALE_1};
use super::files::{self, Form};
use super::judge::judge;
use super::queries::QUERIES;
use super::{truth, worker};
use crate::answer::{Cell, from_json};
use crate::scratch::Scratch;
use serde_json::json;

/// Scale 0.01 takes seconds, and every query has an answer.
const ROWS: usize = LINES_OF_SCALE_1 / 100;

fn every_answer_is_right(form: Form) {
    let data = Data::new(ROWS);
    let scratch = Scratch::new().unwrap();
    let folder = scratch.folder("tables").unwrap();
    files::write(&scratch, &folder, &data, form).unwrap();
    let mut wrong = Vec::new();
    for (place, query) in QUERIES.iter().enumerate() {
        let truth = truth::answer(&data, place);
        assert!(!truth.is_empty() && truth[0] != [Cell::Null], "{} has an answer at this scale", query.key);
        let request = json!({ "sql": query.sql(data.scale), "repeats": 1, "at_most": 1, "enough_ns": 0 });
        let verdict = match worker::answer(&folder, None, &request.to_string()) {
            Ok(reply) => judge(&from_json(&reply["rows"]).unwrap(), &truth, query.order),
            Err(error) => Err(error.to_string()),
        };
        wrong.extend(verdict.err().map(|reason| format!("{}: {reason}", query.key)));
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn parquet_files_are_answered_right() {
    every_answer_is_right(Form::Parquet);
}

#[test]
fn native_tables_are_answered_right() {
    every_answer_is_right(Form::Native);
}

#[test]
fn dbf_files_are_answered_right() {
    every_answer_is_right(Form::Dbf);
}

#[test]
fn a_request_that_is_not_of_the_protocol_is_an_error() {
    let scratch = Scratch::new().unwrap();
    let folder = scratch.folder("tables").unwrap();
    for request in ["", "{}", "{\"sql\": 1}"] {
        assert!(worker::answer(&folder, None, request).is_err(), "{request}");
    }
}
