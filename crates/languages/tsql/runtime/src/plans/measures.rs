//! Messages of SET STATISTICS IO and SET STATISTICS TIME.
//!
//! Their words are those of "SET STATISTICS IO" and "SET STATISTICS TIME" in SQL Server's reference, with the numbers 3612, 3613
//! and 3615 of `sys.messages`. A logical read is one of the core ([`mainstay_engine::ReadCounts`]): a group of up to 65,536 rows
//! that is scanned, or a row that is fetched by an index. Reads of the disk are not counted: the other counts are 0.

use mainstay_engine::TableReads;
use mainstay_tsql_types::Message;
use std::time::Duration;

/// A form in which plans are shown in place of running statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlanForm {
    /// SHOWPLAN_TEXT.
    Text,
    /// SHOWPLAN_ALL.
    All,
    /// SHOWPLAN_XML.
    Xml,
}

/// The options of SET STATISTICS that are on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Statistics {
    /// Reads of each table.
    pub(crate) io: bool,
    /// CPU time and elapsed time.
    pub(crate) time: bool,
    /// The plan of each statement with its rows.
    pub(crate) profile: bool,
    /// The same as a document.
    pub(crate) xml: bool,
}

impl Statistics {
    /// Returns true if any option is on.
    #[inline]
    pub(crate) fn any(self) -> bool {
        self.io || self.time || self.profile || self.xml
    }

    /// Puts one on or off by its word; whether there is one.
    pub(crate) fn set(&mut self, word: &str, on: bool) -> bool {
        let option = match word.to_ascii_uppercase().as_str() {
            "IO" => &mut self.io,
            "TIME" => &mut self.time,
            "PROFILE" => &mut self.profile,
            "XML" => &mut self.xml,
            _ => return false,
        };
        *option = on;
        true
    }
}

fn told(number: i32, text: String) -> Message {
    Message { number, severity: 10, state: 1, text, procedure: None, line: 1 }
}

/// Times of a statement that has run.
pub(crate) fn execution_times(cpu: Duration, elapsed: Duration) -> Message {
    let (cpu, elapsed) = (cpu.as_millis(), elapsed.as_millis());
    told(3612, format!("\r\n SQL Server Execution Times:\r\n   CPU time = {cpu} ms,  elapsed time = {elapsed} ms."))
}

/// Times of reading and compiling a text.
pub(crate) fn compile_times(cpu: Duration, elapsed: Duration) -> Message {
    let (cpu, elapsed) = (cpu.as_millis(), elapsed.as_millis());
    told(3613, format!("SQL Server parse and compile time: \r\n   CPU time = {cpu} ms, elapsed time = {elapsed} ms."))
}

/// Reads of a table, under the name that the client knows.
pub(crate) fn table_reads(table: &str, reads: &TableReads) -> Message {
    let TableReads { scans, reads, .. } = reads;
    let text = format!(
        "Table '{table}'. Scan count {scans}, logical reads {reads}, physical reads 0, page server reads 0, \
         read-ahead reads 0, page server read-ahead reads 0, lob logical reads 0, lob physical reads 0, \
         lob page server reads 0, lob read-ahead reads 0, lob page server read-ahead reads 0."
    );
    told(3615, text)
}
