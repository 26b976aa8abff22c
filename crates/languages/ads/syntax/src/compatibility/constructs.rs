//! The table of Advantage SQL's constructs that are refused, ignored, or different.
//!
//! The page docs/not-supported-adssql.md is written from it. Behaviours are those that docs/COMPAT-adssql.md states with their
//! tests.

mainstay_types::constructs! {
    SYNTAX "syntax" NotSupported:
        "A statement that cannot be read",
        "Error 7200 with the native error of the text (2115, 2117 and their like).",
        "Correct the statement; if Advantage accepts it, the construct is not supported here.",
        "SELECT FROM WHERE";
    REFUSED "refused" NotSupported:
        "A part of a statement that is refused",
        "Native error 2103 when the statement runs, with the name of the part.",
        "Rewrite the part that the message names.",
        "SELECT a FROM t WHERE a IN ( SELECT TOP 5 PERCENT b FROM u )";
    UNKNOWN_FUNCTION "unknown-function" NotSupported:
        "A function that does not exist here: ENCRYPT, DSQUERYSTRING, LASTROWVERSION, functions of XML",
        "Native error 2158.",
        "Replace the call, or create a function of that name.",
        "SELECT nosuchfunction( 1 ) FROM system.iota";
    UNKNOWN_TYPE "unknown-type" NotSupported:
        "A type that does not exist here",
        "Native error 2135.",
        "Use another type.",
        "DECLARE x nosuchtype";
    STATEMENT "statement" NotSupported:
        "GRANT, REVOKE, CREATE DATABASE, CACHE, SET TRANSACTION",
        "Native error 2103.",
        "Manage users and rights with the calls of data dictionaries or the system procedures.",
        "GRANT SELECT ON t TO ann";
    MARK "with-delete" NotSupported:
        "INSERT and UPDATE ... WITH DELETE, WITH RECALL",
        "Native error 2103.",
        "Delete or recall records with the calls of tables.",
        "UPDATE t WITH RECALL SET a = 1";
    LIBRARY "library" NotSupported:
        "Procedures and triggers in libraries (DLL, COM, .NET)",
        "Native error 2103: no code of libraries is run.",
        "Rewrite them as scripts.",
        "CREATE PROCEDURE p ( a Integer ) FUNCTION f IN LIBRARY l";
    ENCRYPTION "encryption" NotSupported:
        "Encryption of tables: sp_EncryptTable and its like",
        "Native error 2103.",
        "Decrypt the tables with Advantage before they move; encrypt the disk.",
        "EXECUTE PROCEDURE sp_EncryptTable( 't', 'x' )";
    SYSTEM_PROCEDURE "system-procedure" NotSupported:
        "System procedures that do not exist here",
        "Native error 2122.",
        "Use the call of the library that does the same.",
        "EXECUTE PROCEDURE sp_NoSuchProcedure()";
    SYSTEM_VARIABLE "system-variable" NotSupported:
        "SET of a system variable (::conn and ::stmt)",
        "Refused; ::stmt.UpdateCount, ::conn.name and their like can be read.",
        "Leave the statement out.",
        "SET ::conn.collation = 'x'";

    CONFLICT_TRIGGER "conflict-trigger" ReviewSemantics:
        "Triggers ON CONFLICT",
        "Created, and never fire: there is no replication.",
        "Leave them out.",
        "CREATE TRIGGER r ON t ON CONFLICT UPDATE BEGIN DECLARE a Integer; END";
    CLOCK "clock" ReviewSemantics:
        "NOW, CURDATE, CURTIME and their like",
        "By the system's clock in UTC; Advantage gives local time.",
        "See that dates and times of the program are compared with such values only, or convert them.",
        "SELECT NOW() FROM system.iota";
    FUNCTION_READS "function-reads" ReviewSemantics:
        "Functions that read tables",
        "They see what is committed, not the changes of the open transaction.",
        "Pass the values as arguments where a function has to see changes of its transaction.",
        "CREATE FUNCTION f ( a Integer ) RETURNS Integer BEGIN DECLARE c CURSOR AS SELECT b FROM t; RETURN 1; END";
    COLUMN_RULES "column-rules" ReviewSemantics:
        "DEFAULT, MINIMUM, MAXIMUM, ERROR MESSAGE of columns",
        "Kept in a data dictionary; in CREATE TABLE of a free table read and not kept.",
        "Create the table on a connection to a dictionary.",
        "CREATE TABLE t ( a Integer DEFAULT '1' )";
    UNIQUE_INDEX "unique-index" ReviewSemantics:
        "CREATE UNIQUE INDEX",
        "A candidate tag of a Visual FoxPro file; refused for files of FoxPro 2.",
        "Use tables of ADS_VFP or ADS_ADT.",
        "CREATE UNIQUE INDEX i ON t ( a )";
    DYNAMIC_SQL "dynamic-sql" ReviewSemantics:
        "EXECUTE IMMEDIATE of a text that is no constant",
        "The text is known when it runs: it cannot be assessed here.",
        "Look at the texts that the statement makes.",
        "DECLARE s String; EXECUTE IMMEDIATE s";
    ONLINE "online-work" ReviewPerformance:
        "sp_PackTableOnline, sp_ReindexOnline, sp_PackAllTablesOnline",
        "Done with the table for itself, and not beside its users.",
        "Run them when nobody works.",
        "EXECUTE PROCEDURE sp_ReindexOnline( 't', '' )";
    CURSOR "cursor" ReviewPerformance:
        "Cursors of scripts",
        "A cursor has all its rows when it is opened.",
        "Nothing to do, unless a cursor goes over very many rows.",
        "DECLARE c CURSOR AS SELECT a FROM t; OPEN c; CLOSE c";
    REPLICATION "replication" Ignored:
        "Links, publications, articles, subscriptions",
        "Kept in the dictionary and not used: nothing is replicated.",
        "",
        "EXECUTE PROCEDURE sp_CreatePublication( 'p', '', 0 )";
    PACKAGE "package" Ignored:
        "CREATE PACKAGE",
        "Accepted: packages need not be created.",
        "",
        "CREATE PACKAGE p";
    INDEX_OPTION "index-option" Ignored:
        "IN FILE and PAGESIZE of CREATE INDEX, POSITION of ALTER TABLE",
        "Read, and not done.",
        "",
        "";
}
