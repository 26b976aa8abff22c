//! The table of constructs of Informix SQL and SPL that are refused, ignored, or different.
//!
//! The page docs/not-supported-informix.md is written from it. Behaviours are those that docs/COMPAT-informix.md states with
//! their tests.

mainstay_types::constructs! {
    SYNTAX "syntax" NotSupported:
        "A statement that cannot be read",
        "SQLCODE -201 (syntax), -202 (an illegal character), -282 (a quote that is not closed).",
        "Correct the statement; if Informix accepts it, the construct is not supported here.",
        "SELECT FROM WHERE";
    REFUSED "refused" NotSupported:
        "A part of a statement that is refused: CONNECT BY, several rows in VALUES, external routines, \
         SELECT and INSTEAD OF triggers, variables of collections and rows, ADD of a column BEFORE another",
        "SQLCODE -999 with the name of the part.",
        "Rewrite the part that the message names.",
        "SELECT a FROM t WHERE a > 0 START WITH a = 1 CONNECT BY PRIOR a = b";
    UNKNOWN_FUNCTION "unknown-function" NotSupported:
        "A function that does not exist here",
        "SQLCODE -674.",
        "Replace the call, or create a function of that name.",
        "SELECT nosuchfunction(a) FROM t";
    SYSTEM "system" NotSupported:
        "SYSTEM in SPL",
        "SQLCODE -668: no commands of the operating system are run.",
        "Run the command from the program.",
        "CREATE PROCEDURE p() SYSTEM 'ls'; END PROCEDURE";

    RIGHTS "grant-revoke" ReviewSemantics:
        "GRANT, REVOKE",
        "Accepted without an effect and without a warning: every user has all rights.",
        "Make users with 'mainstay user add', with --read-only for those who may only read.",
        "GRANT SELECT ON t TO ann";
    LOCK_TABLE "lock-table" ReviewSemantics:
        "LOCK TABLE, UNLOCK TABLE",
        "Accepted without an effect: others can change the table.",
        "Lock the rows with SELECT ... FOR UPDATE.",
        "LOCK TABLE t IN EXCLUSIVE MODE";
    DIRTY_READ "dirty-read" ReviewSemantics:
        "SET ISOLATION TO DIRTY READ, CURSOR STABILITY",
        "Reads what is committed, and waits for nobody.",
        "Nothing to do, unless the program wants to see uncommitted changes.",
        "SET ISOLATION TO DIRTY READ";
    REPEATABLE_READ "repeatable-read" ReviewSemantics:
        "SET ISOLATION TO REPEATABLE READ",
        "Serializable, but readers block nobody: of two transactions in each other's way the later one fails (-243, ISAM -143).",
        "See that the program repeats such a transaction.",
        "SET ISOLATION TO REPEATABLE READ";
    DATABASE "database" ReviewSemantics:
        "DATABASE, CREATE and DROP DATABASE, and names of tables with another database",
        "There is one database unless `sqli_databases` in the settings names a folder for more: -329 for another name; the database before a table's name is not looked at.",
        "Bring the tables of all databases into one.",
        "DATABASE stores";
    CLOCK "clock" ReviewSemantics:
        "TODAY, CURRENT",
        "By a clock in UTC; a server has its own time zone.",
        "See that the program compares such values with each other only, or converts them.",
        "SELECT TODAY FROM t";
    DYNAMIC_SQL "dynamic-sql" ReviewSemantics:
        "EXECUTE IMMEDIATE and PREPARE of a text that is no constant",
        "The text is known when it runs: it cannot be assessed here.",
        "Look at the texts that the routine makes.",
        "CREATE PROCEDURE p(s VARCHAR(100)) EXECUTE IMMEDIATE s; END PROCEDURE";
    DIVISION "division" ReviewSemantics:
        "Division of whole numbers",
        "Gives decimals as a server does; the number of decimals differs.",
        "Round where the program prints or stores the quotient.",
        "";

    RESUME "return-with-resume" ReviewPerformance:
        "RETURN ... WITH RESUME",
        "The rows of a routine are complete, up to 64 MB, before its caller sees the first.",
        "Nothing to do, unless a routine returns very many rows.",
        "CREATE FUNCTION f() RETURNING INT; RETURN 1 WITH RESUME; END FUNCTION";

    NO_EFFECT "no-effect" Ignored:
        "UPDATE STATISTICS, SET OPTIMIZATION, PDQPRIORITY, LOG, BUFFERED, STATEMENT, ENVIRONMENT, CONSTRAINTS, DEBUG FILE",
        "Accepted.",
        "",
        "UPDATE STATISTICS";
    TRACE "trace" Ignored:
        "TRACE in SPL",
        "Accepted.",
        "",
        "CREATE PROCEDURE p() TRACE ON; END PROCEDURE";
    STORAGE "storage" Ignored:
        "IN dbspace, EXTENT SIZE, NEXT SIZE, LOCK MODE of tables; listings and modifiers of routines",
        "Read, and without a meaning.",
        "",
        "";
}
