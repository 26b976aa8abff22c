//! An error of ours inside of one of DataFusion's.
//!
//! Every operator and function needs this direction and nothing else of [`crate::error`], which knows the texts of
//! statements and takes the errors out again.

use datafusion::common::DataFusionError;
use mainstay_types::Error;

/// Carries one of our errors through DataFusion.
pub(crate) fn to_datafusion(error: Error) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
