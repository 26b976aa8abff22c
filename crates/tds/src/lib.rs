//! The protocol of SQL Server's clients: packets, tokens and values, without input or output.
