//! The operators: texts to numbers, two numbers to a word, and back to texts.

use crate::execute::dictionaries::Dictionary;
use crate::execute::run::Run;
use crate::leaves::scan::leaf_properties;
use arrow_array::cast::AsArray;
use arrow_array::types::{UInt32Type, UInt64Type};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array, UInt64Array};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::StreamExt;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Numbers of dictionaries: no two plans have the same.
static NEXT_DICTIONARY: AtomicU64 = AtomicU64::new(1);

/// The work of an operator on a batch.
type Change = Box<dyn FnMut(&RecordBatch) -> Result<Vec<ArrayRef>> + Send>;

/// Gives numbers instead of the texts of a column.
#[derive(Debug)]
pub(super) struct Encode {
    input: Arc<dyn ExecutionPlan>,
    column: usize,
    dictionary: u64,
    properties: Arc<PlanProperties>,
}

impl Encode {
    pub(super) fn new(input: Arc<dyn ExecutionPlan>, column: usize) -> Encode {
        Encode::with_dictionary(input, column, NEXT_DICTIONARY.fetch_add(1, Ordering::Relaxed))
    }

    fn with_dictionary(input: Arc<dyn ExecutionPlan>, column: usize, dictionary: u64) -> Encode {
        let mut fields: Vec<FieldRef> = input.schema().fields().to_vec();
        fields[column] = Arc::new(Field::new(fields[column].name(), DataType::UInt32, false));
        let properties = properties_of(&input, Arc::new(Schema::new(fields)));
        Encode { input, column, dictionary, properties }
    }

    /// The number of its dictionary.
    pub(super) fn dictionary(&self) -> u64 {
        self.dictionary
    }

    /// The scan whose texts are numbered, here and perhaps below.
    pub(super) fn scan(&self) -> &Arc<dyn ExecutionPlan> {
        match self.input.downcast_ref::<Encode>() {
            Some(below) => below.scan(),
            None => &self.input,
        }
    }
}

/// Puts two columns of numbers into one of words, behind all others.
#[derive(Debug)]
pub(super) struct Pack {
    input: Arc<dyn ExecutionPlan>,
    columns: [usize; 2],
    properties: Arc<PlanProperties>,
}

impl Pack {
    pub(super) fn new(input: Arc<dyn ExecutionPlan>, columns: [usize; 2]) -> Pack {
        let mut fields: Vec<FieldRef> = input.schema().fields().to_vec();
        fields.push(Arc::new(Field::new("packed", DataType::UInt64, false)));
        let properties = properties_of(&input, Arc::new(Schema::new(fields)));
        Pack { input, columns, properties }
    }
}

/// The texts that [`Decode`] gives for groups.
#[derive(Clone, Debug)]
pub(super) struct Shown {
    /// For each group column, the dictionary of its numbers; `None` for one that is as it was.
    pub(super) dictionaries: Vec<Option<u64>>,
    /// True if the numbers come as one word.
    pub(super) packed: bool,
    /// The columns as they were to be.
    pub(super) schema: SchemaRef,
}

/// Gives the texts of numbers.
#[derive(Debug)]
pub(super) struct Decode {
    input: Arc<dyn ExecutionPlan>,
    shown: Shown,
    properties: Arc<PlanProperties>,
}

impl Decode {
    pub(super) fn new(input: Arc<dyn ExecutionPlan>, shown: Shown) -> Decode {
        let properties = properties_of(&input, Arc::clone(&shown.schema));
        Decode { input, shown, properties }
    }
}

fn properties_of(input: &Arc<dyn ExecutionPlan>, schema: SchemaRef) -> Arc<PlanProperties> {
    leaf_properties(schema, input.properties().partitioning.partition_count())
}

fn locked(dictionary: &Mutex<Dictionary>) -> MutexGuard<'_, Dictionary> {
    dictionary.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The batches of an input, each changed.
fn changed(batches: SendableRecordBatchStream, schema: SchemaRef, mut change: Change) -> SendableRecordBatchStream {
    let of = Arc::clone(&schema);
    let batches = batches.map(move |batch| {
        let batch = batch?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        Ok(RecordBatch::try_new_with_options(Arc::clone(&of), change(&batch)?, &options)?)
    });
    Box::pin(RecordBatchStreamAdapter::new(schema, batches))
}

fn other_type(column: &str) -> DataFusionError {
    DataFusionError::Internal(format!("the column {column} of numbers or texts has another type"))
}

/// The common part of the three operators.
macro_rules! operator {
    ($node:ident, $name:literal, |$self:ident, $input:ident| $rebuilt:expr) => {
        fn name(&self) -> &'static str {
            $name
        }

        fn properties(&self) -> &Arc<PlanProperties> {
            &self.properties
        }

        fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
            vec![&self.input]
        }

        fn with_new_children(
            self: Arc<Self>,
            mut children: Vec<Arc<dyn ExecutionPlan>>,
        ) -> Result<Arc<dyn ExecutionPlan>> {
            let ($self, $input) = (&*self, children.remove(0));
            Ok(Arc::new($rebuilt))
        }

        fn apply_expressions(
            &self,
            _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
        ) -> Result<TreeNodeRecursion> {
            Ok(TreeNodeRecursion::Continue)
        }
    };
}

impl ExecutionPlan for Encode {
    operator!(Encode, "EncodeTexts", |node, input| Encode::with_dictionary(input, node.column, node.dictionary));

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let dictionary = Run::of(&context)?.dictionaries().get(self.dictionary, &context);
        let column = self.column;
        let change = move |batch: &RecordBatch| {
            let mut columns = batch.columns().to_vec();
            let texts = columns[column].as_string_view_opt().ok_or_else(|| other_type("to number"))?;
            columns[column] = locked(&dictionary).encode(texts)?;
            Ok(columns)
        };
        Ok(changed(self.input.execute(partition, context)?, self.schema(), Box::new(change)))
    }
}

impl ExecutionPlan for Pack {
    operator!(Pack, "PackGroups", |node, input| Pack::new(input, node.columns));

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let [first, second] = self.columns;
        let change = move |batch: &RecordBatch| {
            let numbers = |column: usize| {
                let numbers = batch.column(column).as_primitive_opt::<UInt32Type>();
                numbers.ok_or_else(|| other_type("to pack"))
            };
            let pairs = numbers(first)?.values().iter().zip(numbers(second)?.values());
            let words = pairs.map(|(first, second)| u64::from(*first) << 32 | u64::from(*second));
            let mut columns = batch.columns().to_vec();
            columns.push(Arc::new(UInt64Array::from_iter_values(words)));
            Ok(columns)
        };
        Ok(changed(self.input.execute(partition, context)?, self.schema(), Box::new(change)))
    }
}

impl ExecutionPlan for Decode {
    operator!(Decode, "DecodeTexts", |node, input| Decode::new(input, node.shown.clone()));

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let run = Run::of(&context)?;
        let get = |number: &Option<u64>| number.map(|number| run.dictionaries().get(number, &context));
        let dictionaries: Vec<Option<Arc<Mutex<Dictionary>>>> = self.shown.dictionaries.iter().map(get).collect();
        let packed = self.shown.packed;
        let change = move |batch: &RecordBatch| {
            let mut columns = batch.columns().to_vec();
            if packed {
                let words = columns.remove(0);
                let words = words.as_primitive_opt::<UInt64Type>().ok_or_else(|| other_type("of groups"))?;
                let part = |of: fn(u64) -> u32| -> ArrayRef {
                    Arc::new(UInt32Array::from_iter_values(words.values().iter().map(|word| of(*word))))
                };
                columns.splice(0..0, [part(|word| (word >> 32) as u32), part(|word| word as u32)]);
            }
            for (column, dictionary) in columns.iter_mut().zip(&dictionaries) {
                if let Some(dictionary) = dictionary {
                    let numbers = column.as_primitive_opt::<UInt32Type>().ok_or_else(|| other_type("of groups"))?;
                    *column = locked(dictionary).decode(numbers)?;
                }
            }
            Ok(columns)
        };
        Ok(changed(self.input.execute(partition, context)?, self.schema(), Box::new(change)))
    }
}

impl DisplayAs for Encode {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EncodeTexts: {}", self.schema().field(self.column).name())
    }
}

impl DisplayAs for Pack {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PackGroups")
    }
}

impl DisplayAs for Decode {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DecodeTexts")
    }
}
