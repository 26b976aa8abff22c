//! Programs and procedures in one typed form: the form, its bytecode, the machine that runs it.
