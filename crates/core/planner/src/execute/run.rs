//! Execution of a plan: the state that its leaves share during one run, and the answer.
//!
//! A [`Run`] belongs to one execution. It pins one snapshot per table, so a statement that reads a table twice sees the
//! same state of it; it carries the cancellation, and counts reads. The leaves find it in DataFusion's task context, so
//! plans have no state of a run, and many sessions can run one plan at once.
//!
//! The caller's own thread pulls the answer. Mainstay's leaves never suspend, so a plan of leaves alone runs to its end
//! without a hand-over between threads.

use crate::execute::cancellation::{CancelHandle, cancelled, timed_out};
use crate::execute::dictionaries::Dictionaries;
use crate::execute::memory::Share;
use crate::execute::reads::ReadCounts;
use crate::execute::shared_rows::SharedParts;
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use datafusion::common::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::TaskContext;
use datafusion::physical_plan::EmptyRecordBatchStream;
use futures::{Stream, StreamExt};
use mainstay_columnar::{Snapshot, Table};
use mainstay_types::interrupt::{InForce, Interrupt};
use mainstay_types::{Code, Error, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

/// How long a statement that begins again waits for what its first attempt holds.
const GIVEN_BACK_WITHIN: Duration = Duration::from_secs(10);

/// How far the running statement has come. Counts start again with every statement.
#[derive(Debug, Default)]
pub struct Progress {
    rows: AtomicU64,
    rows_total: AtomicU64,
    bytes: AtomicU64,
    bytes_total: AtomicU64,
    /// The reads of tables. They are not reset at a new statement.
    pub(crate) reads: ReadCounts,
}

impl Progress {
    /// The reads of tables by the session's statements.
    pub fn reads(&self) -> &ReadCounts {
        &self.reads
    }

    /// Row slots read.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// Row slots that the tables of the statement have, if any are known.
    pub fn rows_total(&self) -> Option<u64> {
        Some(self.rows_total.load(Ordering::Relaxed)).filter(|total| *total > 0)
    }

    /// Bytes of the tables' files, or of native tables' vectors, that were read for these rows.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Bytes that there are to read, if known.
    pub fn bytes_total(&self) -> Option<u64> {
        Some(self.bytes_total.load(Ordering::Relaxed)).filter(|total| *total > 0)
    }

    /// Counts row slots that have been read.
    pub(crate) fn advance(&self, rows: usize) {
        self.rows.fetch_add(rows as u64, Ordering::Relaxed);
    }

    /// Begins a statement that reads up to this many row slots: counts from 0 again.
    pub(crate) fn begin(&self, slots: usize) {
        self.restart();
        self.rows_total.fetch_add(slots as u64, Ordering::Relaxed);
    }

    /// Counts bytes of a file that has to be read before the statement can be planned: so many of so many are.
    pub fn note_file_read(&self, bytes: u64, of: u64) {
        self.restart();
        self.bytes.store(bytes, Ordering::Relaxed);
        self.bytes_total.store(of, Ordering::Relaxed);
    }

    /// Begins a statement that has read so many row slots already, all that there are for it.
    pub fn read(&self, slots: usize) {
        self.begin(slots);
        self.advance(slots);
    }

    fn restart(&self) {
        for counter in [&self.rows, &self.rows_total, &self.bytes, &self.bytes_total] {
            counter.store(0, Ordering::Relaxed);
        }
    }
}

/// Which state of its tables a statement sees.
pub trait View: Send + Sync {
    /// The state of a table.
    fn snapshot(&self, table: &Arc<dyn Table>) -> Result<Arc<dyn Snapshot>>;
}

/// The state that each table has when the statement first looks at it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Newest;

impl Newest {
    /// The one that all statements share.
    pub fn shared() -> Arc<dyn View> {
        static SHARED: OnceLock<Arc<dyn View>> = OnceLock::new();
        Arc::clone(SHARED.get_or_init(|| Arc::new(Newest)))
    }
}

impl View for Newest {
    fn snapshot(&self, table: &Arc<dyn Table>) -> Result<Arc<dyn Snapshot>> {
        table.snapshot()
    }
}

/// How a statement is run.
#[derive(Clone)]
pub struct RunOptions {
    /// Stops it.
    pub cancel: CancelHandle,
    /// Says how far it has come.
    pub progress: Arc<Progress>,
    /// The view that it reads; kept until its answer is gone.
    pub view: Arc<dyn View>,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions { cancel: CancelHandle::default(), progress: Arc::default(), view: Newest::shared() }
    }
}

type PinnedSnapshot = (Arc<dyn Table>, Arc<dyn Snapshot>);

/// The state that the leaves of a plan share while one statement runs.
pub(crate) struct Run {
    cancel: CancelHandle,
    /// This run has ended, or nobody reads its answer any more. A session's next statement takes the wish to
    /// cancel back; what is still at work for this one must not go on then.
    stopped: AtomicBool,
    /// The deadline of the run's statement: the next one has its own.
    deadline: Option<Instant>,
    pub(crate) progress: Arc<Progress>,
    view: Arc<dyn View>,
    snapshots: Mutex<Vec<PinnedSnapshot>>,
    snapshots_pinned: AtomicBool,
    dictionaries: Dictionaries,
    shared_parts: SharedParts,
    threads: usize,
    readers: usize,
    /// The share of its operators in the memory pool.
    share: Arc<Share>,
}

impl Run {
    /// A run that starts now, whose leaves may work with so many threads, and read with so many what nobody has read before.
    pub(crate) fn new(options: RunOptions, (threads, readers): (usize, usize), share: Arc<Share>) -> Run {
        let RunOptions { cancel, progress, view } = options;
        progress.restart();
        let deadline = cancel.deadline();
        Run {
            cancel,
            stopped: AtomicBool::new(false),
            deadline,
            progress,
            view,
            snapshots: Mutex::default(),
            snapshots_pinned: AtomicBool::new(false),
            dictionaries: Dictionaries::default(),
            shared_parts: SharedParts::default(),
            threads,
            readers,
            share,
        }
    }

    /// How many threads are worth their while.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// How many threads may read and decode what has not been.
    pub(crate) fn readers(&self) -> usize {
        self.readers
    }

    /// The numbers of texts that are grouped by numbers.
    pub(crate) fn dictionaries(&self) -> &Dictionaries {
        &self.dictionaries
    }

    /// The rows of parts of the plan that several places read.
    pub(crate) fn shared_parts(&self) -> &SharedParts {
        &self.shared_parts
    }

    /// The run that a leaf belongs to.
    pub(crate) fn of(context: &TaskContext) -> datafusion::common::Result<Arc<Run>> {
        let missing = || DataFusionError::Internal("a scan outside of a run".to_owned());
        context.session_config().get_extension::<Run>().ok_or_else(missing)
    }

    /// The state of the table that this statement sees.
    pub(crate) fn snapshot(&self, table: &Arc<dyn Table>) -> Result<Arc<dyn Snapshot>> {
        let mut pinned = self.snapshots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, snapshot)) = pinned.iter().find(|(known, _)| Arc::ptr_eq(known, table)) {
            return Ok(Arc::clone(snapshot));
        }
        let snapshot = self.view.snapshot(table)?;
        self.expect(snapshot.slots() as u64, snapshot.bytes());
        pinned.push((Arc::clone(table), Arc::clone(&snapshot)));
        self.snapshots_pinned.store(true, Ordering::Relaxed);
        Ok(snapshot)
    }

    /// The same for a scan that begins.
    pub(crate) fn scanned(&self, table: &Arc<dyn Table>) -> Result<Arc<dyn Snapshot>> {
        self.progress.reads.add(table.name(), 1, 0);
        self.snapshot(table)
    }

    /// Says that there are so many more rows to read, in so many bytes.
    pub(crate) fn expect(&self, rows: u64, bytes: u64) {
        self.progress.rows_total.fetch_add(rows, Ordering::Relaxed);
        self.progress.bytes_total.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Called by the leaves between units of work: counts these rows of a table, and ends the run when it has to end. The rows
    /// are those of a group, or of a part of one.
    pub(crate) fn advance(&self, snapshot: &dyn Snapshot, rows: usize) -> Result<()> {
        self.note_reads(snapshot, 1);
        self.count_and_check(snapshot, rows)
    }

    /// [`Run::advance`] for rows that are fetched one by one.
    pub(crate) fn advance_by_rows(&self, snapshot: &dyn Snapshot, rows: usize) -> Result<()> {
        self.note_reads(snapshot, rows as u64);
        self.count_and_check(snapshot, rows)
    }

    fn note_reads(&self, snapshot: &dyn Snapshot, reads: u64) {
        let counts = &self.progress.reads;
        if !counts.is_by_table() {
            return counts.add_unnamed(reads);
        }
        let pinned = self.snapshots.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |(_, known): &&PinnedSnapshot| std::ptr::addr_eq(Arc::as_ptr(known), snapshot);
        match pinned.iter().find(is_it) {
            Some((table, _)) => counts.add(table.name(), 0, reads),
            None => counts.add_unnamed(reads),
        }
    }

    fn count_and_check(&self, snapshot: &dyn Snapshot, rows: usize) -> Result<()> {
        self.count(rows as u64, share(snapshot.bytes(), rows as u64, snapshot.slots() as u64));
        self.check()
    }

    /// Counts rows that were read, and bytes.
    pub(crate) fn count(&self, rows: u64, bytes: u64) {
        self.progress.rows.fetch_add(rows, Ordering::Relaxed);
        self.progress.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Ends the run when it has to end.
    pub(crate) fn check(&self) -> Result<()> {
        if self.stopped.load(Ordering::Relaxed) || self.cancel.is_cancelled() {
            self.stopped.store(true, Ordering::Relaxed);
            return Err(cancelled());
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(timed_out()),
            _ => Ok(()),
        }
    }

    /// Waits for a reason to stop.
    async fn stop_requested(&self) -> Error {
        let timeout = async {
            match self.deadline {
                Some(deadline) => tokio::time::sleep_until(deadline.into()).await,
                None => std::future::pending().await,
            }
        };
        let wake = self.cancel.wish();
        if self.cancel.is_cancelled() {
            return cancelled();
        }
        tokio::select! {
            () = wake => cancelled(),
            () = timeout => timed_out(),
        }
    }

    fn notices(&self) -> Vec<String> {
        if !self.snapshots_pinned.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let pinned = self.snapshots.lock().unwrap_or_else(PoisonError::into_inner);
        pinned.iter().flat_map(|(_, snapshot)| snapshot.notices()).collect()
    }
}

impl Interrupt for Run {
    fn check(&self) -> Result<()> {
        Run::check(self)
    }
}

/// A stream that works with its run in force on the thread which drives it.
pub(crate) struct InForceStream {
    stream: SendableRecordBatchStream,
    run: Arc<Run>,
}

impl InForceStream {
    pub(crate) fn over(stream: SendableRecordBatchStream, run: Arc<Run>) -> InForceStream {
        InForceStream { stream, run }
    }
}

impl Stream for InForceStream {
    type Item = datafusion::common::Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let _in_force = InForce::new(Arc::clone(&self.run) as Arc<dyn Interrupt>);
        self.stream.poll_next_unpin(context)
    }
}

/// The bytes of some rows of a table that has these bytes in all; none if it is not known how many rows it has.
pub(crate) fn share(bytes: u64, rows: u64, of: u64) -> u64 {
    let share = (u128::from(bytes) * u128::from(rows)).checked_div(u128::from(of)).unwrap_or(0);
    u64::try_from(share).unwrap_or(u64::MAX)
}

impl Drop for Answer {
    fn drop(&mut self) {
        if let ToldBy::Run(run) = &self.told_by {
            run.stopped.store(true, Ordering::Relaxed);
            // Rows that are still collected refer to the run.
            run.shared_parts.clear();
        }
    }
}

/// The rows that a statement gives, in batches, as they come.
pub struct Answer {
    schema: SchemaRef,
    source: Source,
    told_by: ToldBy,
    /// The notice of the statement itself.
    notice: Option<String>,
    changed: Option<u64>,
}

/// The source of notices about the data for the user.
enum ToldBy {
    Nobody,
    Run(Arc<Run>),
    Snapshot(Arc<dyn Snapshot>),
}

enum Source {
    /// A running plan, and what it begins again with as long as it has given no rows.
    Stream { stream: SendableRecordBatchStream, runtime: tokio::runtime::Handle, again: Option<Box<dyn Restart>> },
    /// Rows that are here already.
    Batch(Option<RecordBatch>),
    /// The same, in several batches.
    Batches(std::vec::IntoIter<RecordBatch>),
    /// Nothing more: it ended, or failed.
    Ended,
}

impl Answer {
    /// An answer of these batches.
    pub fn of(schema: SchemaRef, batches: Vec<RecordBatch>) -> Answer {
        let source = Source::Batches(batches.into_iter());
        Answer { schema, source, told_by: ToldBy::Nobody, notice: None, changed: None }
    }

    /// The answer of a read that is over.
    pub(crate) fn direct(schema: SchemaRef, batch: RecordBatch, snapshot: Arc<dyn Snapshot>) -> Answer {
        let told_by = ToldBy::Snapshot(snapshot);
        Answer { schema, source: Source::Batch(Some(batch)), told_by, notice: None, changed: None }
    }

    /// The same answer of a statement that changed this many rows.
    pub fn with_changed(mut self, rows: u64) -> Answer {
        self.changed = Some(rows);
        self
    }

    /// The same answer of a statement that has something to say.
    pub fn with_notice(mut self, notice: Option<String>) -> Answer {
        self.notice = notice;
        self
    }

    /// How many rows the statement inserted, changed or deleted, if it is one that does.
    pub fn changed(&self) -> Option<u64> {
        self.changed
    }

    pub(crate) fn streaming(
        schema: SchemaRef,
        stream: SendableRecordBatchStream,
        runtime: tokio::runtime::Handle,
        (run, again): (Arc<Run>, Option<Box<dyn Restart>>),
    ) -> Answer {
        let source = Source::Stream { stream, runtime, again };
        Answer { schema, source, told_by: ToldBy::Run(run), notice: None, changed: None }
    }

    /// The columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The next rows, or `None` after the last. After an error there are no more.
    pub fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        let result = match &mut self.source {
            Source::Stream { stream, runtime, again } => next_of_plan((stream, &*runtime, again), &mut self.told_by),
            Source::Batch(batch) => Ok(batch.take()),
            Source::Batches(batches) => Ok(batches.next()),
            Source::Ended => Ok(None),
        };
        match result {
            Ok(Some(batch)) => self.renamed(batch).map(Some),
            ended => {
                self.source = Source::Ended;
                ended
            }
        }
    }

    /// All the remaining rows.
    pub fn collect(mut self) -> Result<Vec<RecordBatch>> {
        std::iter::from_fn(|| self.next_batch().transpose()).collect()
    }

    /// Notices about the statement, and about the data read so far: values that could not be read as they
    /// are.
    pub fn notices(&self) -> Vec<String> {
        let of_data = match &self.told_by {
            ToldBy::Nobody => Vec::new(),
            ToldBy::Run(run) => run.notices(),
            ToldBy::Snapshot(snapshot) => snapshot.notices(),
        };
        self.notice.iter().cloned().chain(of_data).collect()
    }

    /// The batch under the names that the user gave.
    fn renamed(&self, batch: RecordBatch) -> Result<RecordBatch> {
        if Arc::ptr_eq(&self.schema, &batch.schema()) {
            return Ok(batch);
        }
        let rows = batch.num_rows();
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), batch.columns().to_vec(), &options)
            .map_err(|error| Error::new(Code::Internal, format!("the plan gave other columns than it said: {error}")))
    }
}

/// The start of a statement once more, as long as none of its rows was given: see [`crate::plan::start`].
pub(crate) trait Restart: Send {
    /// The statement has given rows, or an empty batch.
    fn note_given(&mut self, are_rows: bool);

    /// Gets ready to start once more behind this error, if it is one for that.
    ///
    /// Errors: this one; `Damaged` instead where rows were given that are no more.
    fn prepare(&mut self, error: Error) -> Result<()>;

    /// Starts once more.
    fn start(&self) -> Result<(SendableRecordBatchStream, Arc<Run>)>;
}

/// The next rows of a plan. It begins again where a table has lost rows, or memory was missing, before any was given.
fn next_of_plan(
    (stream, runtime, again): (&mut SendableRecordBatchStream, &tokio::runtime::Handle, &mut Option<Box<dyn Restart>>),
    told_by: &mut ToldBy,
) -> Result<Option<RecordBatch>> {
    loop {
        let run = match told_by {
            ToldBy::Run(run) => Some(&*run),
            _ => None,
        };
        let next = || {
            let _in_force = run.map(|run| InForce::new(Arc::clone(run) as Arc<dyn Interrupt>));
            wait(runtime, next_of(stream, run))
        };
        // A panic of an operator, here or on a thread of its own, ends this statement alone.
        let next = catch_unwind(AssertUnwindSafe(next));
        let next = next.unwrap_or_else(|payload| Err(crate::execute::deep_stack::panicked(payload.as_ref())));
        let error = match (next, again.as_mut()) {
            (Ok(batch), Some(again)) => {
                again.note_given(batch.as_ref().is_none_or(|batch| batch.num_rows() > 0));
                return Ok(batch);
            }
            (next, None) => return next,
            (Err(error), Some(_)) => error,
        };
        let Some(again) = again.as_mut() else { return Err(error) };
        again.prepare(error)?;
        *stream = Box::pin(EmptyRecordBatchStream::new(stream.schema()));
        if let ToldBy::Run(before) = &*told_by {
            before.stopped.store(true, Ordering::Relaxed);
            before.shared_parts.clear();
            // A run that ends later only leaves less memory for the others.
            let _ = wait(runtime, async { tokio::time::timeout(GIVEN_BACK_WITHIN, before.share.given_back()).await });
        }
        let (new, run) = again.start()?;
        (*stream, *told_by) = (new, ToldBy::Run(run));
    }
}

async fn next_of(stream: &mut SendableRecordBatchStream, run: Option<&Arc<Run>>) -> Result<Option<RecordBatch>> {
    let next = stream.next();
    let item = match run {
        None => next.await,
        Some(run) => {
            run.check()?;
            tokio::select! {
                biased;
                item = next => item,
                stop = run.stop_requested() => {
                    run.stopped.store(true, Ordering::Relaxed);
                    return Err(stop);
                }
            }
        }
    };
    item.transpose().map_err(|error| crate::error::from_datafusion(error, None, None))
}

/// Waits for what a future gives, also on a thread that already drives one: a function of the database that a query calls
/// runs queries of its own.
pub(crate) fn wait<F: Future>(runtime: &tokio::runtime::Handle, future: F) -> F::Output {
    match tokio::runtime::Handle::try_current() {
        Ok(_) => tokio::task::block_in_place(|| runtime.block_on(future)),
        Err(_) => runtime.block_on(future),
    }
}
