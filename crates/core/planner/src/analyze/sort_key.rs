//! Functions that compute the sort key of a text, or fold it for pattern matching.

use datafusion::arrow::array::{ArrayRef, AsArray, StringViewArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility};
use mainstay_types::Collation;
use std::sync::{Arc, LazyLock};

/// The functions: their names, their collations, and whether blanks at the end do not count.
pub(crate) const FUNCTIONS: [(&str, Collation, bool); 7] = [
    ("ci_ai_key", Collation::CaseAccentInsensitive, true),
    ("ci_ai_fold", Collation::CaseAccentInsensitive, false),
    ("ci_as_key", Collation::CaseInsensitive, true),
    ("ci_as_fold", Collation::CaseInsensitive, false),
    ("cs_as_key", Collation::CaseSensitive, true),
    ("cs_as_fold", Collation::CaseSensitive, false),
    ("binary_key", Collation::Binary, true),
];

/// The functions themselves, in the same order.
pub(crate) static MADE: LazyLock<[Arc<ScalarUDF>; 7]> = LazyLock::new(|| {
    FUNCTIONS.map(|(name, collation, pads)| Arc::new(ScalarUDF::from(SortKey::new(name, collation, pads))))
});

/// The sort key of a text.
#[derive(Debug, PartialEq, Eq, Hash)]
struct SortKey {
    name: &'static str,
    collation: Collation,
    /// True if blanks at the end do not count.
    pads: bool,
    signature: Signature,
}

impl SortKey {
    fn new(name: &'static str, collation: Collation, pads: bool) -> SortKey {
        SortKey { name, collation, pads, signature: Signature::any(1, Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for SortKey {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8View)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let is_scalar = matches!(args.args.first(), Some(ColumnarValue::Scalar(_)));
        let arrays = ColumnarValue::values_to_arrays(&args.args)?;
        let texts = match arrays.first() {
            Some(array) => cast(array, &DataType::Utf8View)?,
            None => Arc::new(StringViewArray::new_null(args.number_rows)),
        };
        let key = |text: Option<&str>| text.map(|text| self.collation.text_key(text, self.pads));
        let keys: ArrayRef = Arc::new(texts.as_string_view().iter().map(key).collect::<StringViewArray>());
        match is_scalar {
            true => Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&keys, 0)?)),
            false => Ok(ColumnarValue::Array(keys)),
        }
    }
}
