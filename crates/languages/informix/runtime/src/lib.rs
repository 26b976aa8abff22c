//! Sessions of Informix SQL.
