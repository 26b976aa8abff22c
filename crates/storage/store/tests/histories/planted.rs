//! Histories written by hand: each shows one anomaly, and the checker finds it and nothing else.

use crate::checker::{Anomaly, check, forbids};
use crate::history::History;
use mainstay_store::Isolation;

/// The kinds of anomalies in a history.
fn found(text: &str) -> Vec<Anomaly> {
    let mut kinds: Vec<Anomaly> = check(&History::of(text)).into_iter().map(|found| found.anomaly).collect();
    kinds.dedup();
    kinds
}

#[test]
fn histories_that_are_right_show_nothing() {
    let serial = "
        ok x+1 y+1 x:1
        ok x:1 x+2 y:1
        no x+9 x:1,2,9
        ok x-8 x:1,2 y:1
        ok x:1,2 y+3 y:1,3
        last x:1,2 y:1,3";
    assert_eq!(found(serial), []);
    assert_eq!(found(""), []);
    // Two that do not see each other, and have nothing in common.
    assert_eq!(found("ok x: x+1\n ok y: y+1\n last x:1 y:1"), []);
    // Time alone.
    assert_eq!(found("ok@1-2 x+1\n ok@3-4 x:1\n ok@3-5 x:1 x+2\n last x:1,2"), []);
}

#[test]
fn g0_writes_that_mix() {
    let text = "ok x+1 y+1\n ok x+2 y+2\n last x:1,2 y:2,1";
    assert_eq!(found(text), [Anomaly::G0]);
    let three = "ok x+1 z+1\n ok x+2 y+2\n ok y+3 z+3\n last x:1,2 y:2,3 z:3,1";
    assert_eq!(found(three), [Anomaly::G0]);
    let against_time = "ok@1-2 x+1\n ok@3-4 x+2\n last x:2,1";
    assert_eq!(found(against_time), [Anomaly::G0]);
}

#[test]
fn g1a_what_was_rolled_back_is_read() {
    assert_eq!(found("no x+1\n ok x:1\n last"), [Anomaly::G1a]);
    assert_eq!(found("ok y+1 x-2\n ok x:2\n last y:1"), [Anomaly::G1a]);
    assert_eq!(found("no x+1\n last x:1"), [Anomaly::G1a]);
}

#[test]
fn g1b_what_was_not_finished_is_read() {
    // The value that it read and the value that it missed are of the same transaction, which is a cycle too.
    assert_eq!(found("ok x+1 x+2\n ok x:1\n last x:1,2"), [Anomaly::G1b, Anomaly::GSingle]);
}

#[test]
fn g1c_information_in_a_circle() {
    assert_eq!(found("ok x+1 y:2\n ok y+2 x:1\n last x:1 y:2"), [Anomaly::G1c]);
    assert_eq!(found("ok x+1 y+1\n ok x+2 y:1 z+2\n ok z:2 y+3\n last x:1,2 y:1,3 z:2"), []);
    assert_eq!(found("ok x+1 z:2\n ok x+2 y:3\n ok y+3\n ok y:3 z+2 x:1,2\n last x:1,2 y:3 z:2"), [Anomaly::G1c]);
    // It reads what began only after it had ended.
    assert_eq!(found("ok@1-2 x:1\n ok@3-4 x+1\n last x:1"), [Anomaly::G1c]);
}

#[test]
fn g_single_one_half_of_a_change_is_seen() {
    assert_eq!(found("ok x+1 y+1\n ok x:1 y:\n last x:1 y:1"), [Anomaly::GSingle]);
    // A lost update as the lists show it: both were computed from nothing.
    assert_eq!(found("ok x: x+1\n ok x: x+2\n last x:1,2"), [Anomaly::GSingle]);
    // A read that is not repeated.
    assert_eq!(found("ok x: x:1\n ok x+1\n last x:1"), [Anomaly::GSingle]);
}

#[test]
fn g2_write_skew() {
    assert_eq!(found("ok x: y+1\n ok y: x+2\n last x:2 y:1"), [Anomaly::G2]);
    let three = "ok x: y+1\n ok y: z+2\n ok z: x+3\n last x:3 y:1 z:2";
    assert_eq!(found(three), [Anomaly::G2]);
    // The read-only transaction of Fekete, O'Neil and O'Neil (2004): without it the other two are serial.
    let two = "ok x: y: x+1\n ok y+2\n last x:1 y:2";
    assert_eq!(found(two), []);
    let read_only = "ok x: y: x+1\n ok y+2\n ok x: y:2\n last x:1 y:2";
    assert_eq!(found(read_only), [Anomaly::G2]);
}

#[test]
fn lists_that_cannot_be() {
    assert_eq!(found("ok x:7\n last"), [Anomaly::Garbage]);
    assert_eq!(found("ok x+1 x:1,1\n last x:1"), [Anomaly::Garbage, Anomaly::Own, Anomaly::Order][..1]);
    assert_eq!(found("ok x+1\n ok x+2\n ok x:1\n ok x:2\n last x:1,2"), [Anomaly::Order]);
    assert_eq!(found("ok x+1\n ok x+2\n last x:2"), [Anomaly::Lost]);
    assert_eq!(found("ok x+1 x:\n last x:1"), [Anomaly::Own]);
    assert_eq!(found("ok x+1 x-2 x:1,2\n last x:1"), [Anomaly::Own]);
    assert_eq!(found("ok@1-2 x+1\n ok@3-4 x:\n last x:1"), [Anomaly::Stale, Anomaly::GSingle]);
}

#[test]
fn levels_forbid_what_adya_says() {
    use Anomaly::{G0, G1a, G1b, G1c, G2, GSingle};
    let forbidden = |level| [G0, G1a, G1b, G1c, GSingle, G2].map(|anomaly| forbids(level, anomaly));
    assert_eq!(forbidden(Isolation::ReadCommitted), [true, true, true, true, false, false]);
    assert_eq!(forbidden(Isolation::RepeatableRead), [true, true, true, true, true, false]);
    assert_eq!(forbidden(Isolation::Snapshot), [true, true, true, true, true, false]);
    assert_eq!(forbidden(Isolation::Serializable), [true; 6]);
}
