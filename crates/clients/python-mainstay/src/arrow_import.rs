//! Structures of Arrow's C interface that other packages hand over in capsules.
//!
//! The module holds the package's unsafe code: a capsule has a name and a pointer, and the interface (Arrow PyCapsule
//! Interface, "Capsule names and structures") says which structure a name stands for.

use crate::failure::{Class, Fault};
use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use arrow_schema::{Schema, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::sync::Arc;

/// The rows of an object with `__arrow_c_stream__`: tables, frames, readers, results.
///
/// Errors: `InterfaceError` for an object without it, and what the object raises.
pub(crate) fn stream(py: Python<'_>, object: &Bound<'_, PyAny>) -> PyResult<ArrowArrayStreamReader> {
    if !object.hasattr("__arrow_c_stream__")? {
        let message = format!(
            "an object of type {} gives no Arrow stream: pass a table of pyarrow, a frame of polars or pandas, or a result",
            object.get_type().name()?
        );
        return Err(Fault::new(Class::Interface, message).raise(py));
    }
    let given = object.call_method0("__arrow_c_stream__")?;
    let capsule = given.cast::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: a capsule of this name points to a valid ArrowArrayStream, which its consumer moves out and marks as
    // released; `from_raw` does both. The capsule is alive here, and nobody else has it.
    let reader = unsafe { ArrowArrayStreamReader::from_raw(pointer.cast::<FFI_ArrowArrayStream>().as_ptr()) };
    reader.map_err(|error| Fault::new(Class::Interface, error.to_string()).raise(py))
}

/// The schema that a consumer asks for.
///
/// Errors: `InterfaceError` for a schema that cannot be read.
pub(crate) fn schema(py: Python<'_>, requested: &Bound<'_, PyAny>) -> PyResult<SchemaRef> {
    let capsule = requested.cast::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(c"arrow_schema"))?;
    // SAFETY: a capsule of this name points to a valid ArrowSchema that the capsule owns; it is read here only.
    let schema = unsafe { Schema::try_from(pointer.cast::<FFI_ArrowSchema>().as_ref()) };
    schema.map(Arc::new).map_err(|error| Fault::new(Class::Interface, error.to_string()).raise(py))
}
