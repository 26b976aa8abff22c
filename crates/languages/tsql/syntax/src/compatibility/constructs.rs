//! The table of T-SQL's constructs that are refused, ignored, or different from SQL Server.
//!
//! The page docs/not-supported-tsql.md is written from it. docs/COMPAT-tsql.md states the behaviours with their tests.

mainstay_types::constructs! {
    SYNTAX "syntax" NotSupported:
        "A statement that cannot be read",
        "SQL Server's message for the text (102, 156 and their like); a batch with one does not run.",
        "Correct the statement; if SQL Server accepts it, the construct is not supported here.",
        "SELECT FROM WHERE";
    REFUSED "refused" NotSupported:
        "A part of a statement that is refused",
        "Error 40515 when the statement runs, with the name of the part.",
        "Rewrite the part that the message names.",
        "SELECT GROUPING_ID(a), COUNT(*) FROM t GROUP BY ALL a UNION SELECT 1, COUNT(*) FROM u GROUP BY ALL b";
    UNKNOWN_FUNCTION "unknown-function" NotSupported:
        "A function that does not exist here",
        "Error 195 when the statement runs.",
        "Replace the call, or create a function in a schema and call it by both names.",
        "SELECT CERTENCODED(1) AS c";
    UNKNOWN_TYPE "unknown-type" NotSupported:
        "A type that does not exist here",
        "Error 2715: neither a type of SQL Server nor one that the assessed scripts define.",
        "Define the type before it is used, or use another type.",
        "CREATE TABLE t (a nosuchtype)";
    UNKNOWN_COLLATION "unknown-collation" NotSupported:
        "A collation that does not exist here",
        "Error 448.",
        "Use one of the collations that fn_helpcollations lists.",
        "SELECT a COLLATE Nosuch_CI_AS FROM t";
    SPATIAL "spatial-types" NotSupported:
        "hierarchyid, geography, geometry",
        "Error 2715 for a column, 40515 for a variable: there are no values of these types.",
        "Keep paths as text, and coordinates as two numbers.",
        "DECLARE @h hierarchyid";
    LINKED_SERVER "linked-server" NotSupported:
        "Linked servers: OPENQUERY, OPENDATASOURCE, names of four parts, EXEC ... AT",
        "Errors 7202 and 40515: there are no other servers.",
        "Bring the tables into this database, or into a folder below the database's.",
        "SELECT * FROM OPENQUERY(far, 'SELECT 1 AS a') AS x";
    OPENROWSET "openrowset" NotSupported:
        "OPENROWSET of a provider, or of a file's rows",
        "Error 40515; OPENROWSET(BULK ..., SINGLE_CLOB) works.",
        "Put a CSV or Parquet file into the folder: it is a table. Or use BULK INSERT.",
        "SELECT * FROM OPENROWSET(BULK 'x.csv', FORMAT = 'CSV') AS x";
    FULL_TEXT "full-text" NotSupported:
        "Full-text search: CONTAINS, FREETEXT, CONTAINSTABLE, FREETEXTTABLE, its indexes and catalogs",
        "Error 40515.",
        "Use LIKE, or a table of words.",
        "SELECT a FROM t WHERE CONTAINS(a, 'x')";
    TEMPORAL "temporal-table" NotSupported:
        "System-versioned tables: PERIOD FOR SYSTEM_TIME, FOR SYSTEM_TIME",
        "Error 40515.",
        "Keep the history in a second table, filled by a trigger.",
        "CREATE TABLE t (a INT, s DATETIME2 GENERATED ALWAYS AS ROW START, e DATETIME2 GENERATED ALWAYS AS ROW END, \
         PERIOD FOR SYSTEM_TIME (s, e))";
    TABLESAMPLE "tablesample" NotSupported:
        "TABLESAMPLE",
        "Error 40515.",
        "Use TOP with ORDER BY NEWID().",
        "SELECT * FROM t TABLESAMPLE (10 PERCENT)";
    COLUMNSTORE "columnstore" NotSupported:
        "Columnstore indexes",
        "Error 40515: tables are kept in columns anyway.",
        "Leave the index out.",
        "CREATE CLUSTERED COLUMNSTORE INDEX ix ON t";
    GRAPH "graph-table" NotSupported:
        "Graph tables: AS NODE, AS EDGE",
        "The table is created as a plain one: it has neither $node_id nor $edge_id, and MATCH is not read.",
        "Use plain tables with keys.",
        "CREATE TABLE person (id INT) AS NODE";
    CLR "clr" NotSupported:
        "Assemblies: CREATE ASSEMBLY, EXTERNAL NAME, user types and aggregates of assemblies",
        "Error 40515: no code of .NET is run.",
        "Rewrite the function or procedure in T-SQL.",
        "CREATE PROCEDURE p AS EXTERNAL NAME a.b.c";
    SERVICE_BROKER "service-broker" NotSupported:
        "Service Broker: queues, services, conversations, SEND, RECEIVE",
        "Read, and error 40515 when the statement runs.",
        "Use a table as the queue, read with READPAST.",
        "RECEIVE TOP (1) * FROM q";
    DENY "deny-revoke" NotSupported:
        "DENY, REVOKE",
        "Error 40515: there are no permissions on objects.",
        "Make users with 'mainstay user add', with --read-only for those who may only read.",
        "DENY SELECT ON t TO ann";
    IMPERSONATION "execute-as" NotSupported:
        "EXECUTE AS another user or login",
        "Error 40515; CALLER, SELF, OWNER and the session's own user are accepted.",
        "Leave it out, or connect as that user.",
        "EXECUTE AS USER = 'ann'";
    BACKUP "backup-restore" NotSupported:
        "BACKUP LOG, differential backups, several devices, RESTORE DATABASE",
        "Error 40515; BACKUP DATABASE ... TO DISK and RESTORE VERIFYONLY work.",
        "Use BACKUP DATABASE or 'mainstay backup', and 'mainstay restore'.",
        "BACKUP LOG d TO DISK = 'x.trn'";
    SERVER_TRIGGER "server-trigger" NotSupported:
        "Triggers of the server (ON ALL SERVER)",
        "Error 40515.",
        "Use a trigger of the database, or of a table.",
        "CREATE TRIGGER r ON ALL SERVER FOR CREATE_TABLE AS PRINT 'x'";
    INDEXED_VIEW "indexed-view" NotSupported:
        "Indexes on views",
        "Error 40515.",
        "Leave the index out, or keep the result in a table.",
        "CREATE VIEW v AS SELECT a FROM t\nGO\nCREATE UNIQUE CLUSTERED INDEX ix ON v (a)";
    XML_SCHEMA "xml-schema-collection" NotSupported:
        "XML schema collections, XML and spatial indexes",
        "Error 40515.",
        "Leave them out; XML values need no index here.",
        "CREATE XML SCHEMA COLLECTION c AS '<a/>'";
    RAISERROR_OLD "raiserror-old" NotSupported:
        "RAISERROR 50001 'text' (before SQL Server 2012)",
        "Error 40515.",
        "Write RAISERROR ('text', 16, 1) or THROW.",
        "RAISERROR 50001 'x'";
    VARIABLE_PROPERTY "variable-property" NotSupported:
        "SET of a property of a variable (@p.X = 1)",
        "Error 40515: there are no user types with properties.",
        "Use separate variables.",
        "DECLARE @p xml; SET @p.X = 1";
    BULK_OPTION "bulk-insert" NotSupported:
        "BULK INSERT with FORMATFILE, ERRORFILE, native data, a data source",
        "Error 40515; delimited files with FIELDTERMINATOR, ROWTERMINATOR, FIRSTROW and CODEPAGE work.",
        "Export the file as delimited text.",
        "BULK INSERT t FROM 'x.dat' WITH (FORMATFILE = 'x.fmt')";
    ALTER_PROPERTY "alter-column-property" NotSupported:
        "ALTER COLUMN ADD and DROP of a property (MASKED, SPARSE, PERSISTED, ROWGUIDCOL)",
        "Error 40515.",
        "Leave the statement out.",
        "ALTER TABLE t ALTER COLUMN a ADD SPARSE";
    TRUNCATE_PARTITIONS "truncate-partitions" NotSupported:
        "TRUNCATE TABLE ... WITH (PARTITIONS ...)",
        "Error 40515: there are no partitions.",
        "Use DELETE with a condition.",
        "TRUNCATE TABLE t WITH (PARTITIONS (1))";
    DEFINITION "definition" NotSupported:
        "Definitions and statements about parts of the server that do not exist here: certificates, keys, audits, \
         endpoints, security policies, resource pools, CREATE DEFAULT, CREATE RULE",
        "Error 40515.",
        "Leave the statement out of the script.",
        "CREATE CERTIFICATE c WITH SUBJECT = 'x'";
    SYSTEM_PROCEDURE "system-procedure" NotSupported:
        "System and extended procedures that do not exist here: xp_cmdshell, sp_OACreate, sp_send_dbmail, jobs of \
         the agent",
        "Error 2812 when the call runs.",
        "Do it in the program, or in a script of the operating system.",
        "EXEC xp_cmdshell 'dir'";
    SYSTEM_VIEW "system-view" NotSupported:
        "System views and tables that do not exist here, tables of msdb",
        "Error 208 when the statement runs.",
        "Leave the statement out, or ask another view.",
        "SELECT * FROM sys.dm_no_such_view";

    READ_UNCOMMITTED "read-uncommitted" ReviewSemantics:
        "NOLOCK, READUNCOMMITTED, SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED",
        "Reads what is committed, and waits for nobody. Changes that others have not committed are not seen.",
        "Nothing to do, unless the program wants to see uncommitted changes.",
        "SELECT a FROM t WITH (NOLOCK)";
    SERIALIZABLE "serializable" ReviewSemantics:
        "REPEATABLE READ, SERIALIZABLE",
        "The level is kept, but readers block nobody: of two transactions in each other's way the later one is the \
         victim of a deadlock (1205).",
        "See that the program repeats a transaction after 1205, or take UPDLOCK where it reads first.",
        "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE";
    OTHER_DATABASE "other-database" ReviewSemantics:
        "Names of three parts: another database",
        "The database's name is not looked at: the table of this database is meant, under the same schema.",
        "Bring the tables of all databases into one, and see that no two have the same name.",
        "SELECT a FROM other.dbo.t";
    USE_DATABASE "use" ReviewSemantics:
        "USE",
        "Error 911 for a name other than this database, the system's, and those that CREATE DATABASE has named; \
         there is one database.",
        "Leave USE out, or name the folder as the database was named.",
        "USE sales";
    COLLATION_FORM "collation" ReviewSemantics:
        "Collations that mind case and not accents (_CS_AI)",
        "Compares as _CS_AS: accents count.",
        "See that keys and comparisons do not depend on accents.",
        "SELECT a COLLATE Latin1_General_CS_AI FROM t";
    DYNAMIC_SQL "dynamic-sql" ReviewSemantics:
        "EXEC of a text in a variable, sp_executesql",
        "The text is known when it runs: it cannot be assessed here.",
        "Look at the texts that the statement makes, or collect them and assess them as a script.",
        "DECLARE @s NVARCHAR(MAX) = N'x'; EXEC (@s)";
    CASCADE "cascade-triggers" ReviewSemantics:
        "ON DELETE and ON UPDATE CASCADE, SET NULL, SET DEFAULT",
        "Done, but rows that the key changes do not fire triggers of their table.",
        "Look at triggers of the referencing table.",
        "CREATE TABLE c (a INT REFERENCES p (a) ON DELETE CASCADE)";
    MASKED "masked-column" ReviewSemantics:
        "MASKED and ENCRYPTED columns",
        "The option is ignored: every user sees the values as they are.",
        "Give access to such columns through a view.",
        "CREATE TABLE t (a INT MASKED WITH (FUNCTION = 'default()'))";
    EXECUTE_AS_OPTION "module-execute-as" ReviewSemantics:
        "WITH EXECUTE AS of procedures, functions and triggers",
        "Ignored: a module has the rights of its caller.",
        "See that callers may do what the module does.",
        "CREATE PROCEDURE p WITH EXECUTE AS OWNER AS SELECT 1";
    DISTRIBUTED "distributed-transaction" ReviewSemantics:
        "BEGIN DISTRIBUTED TRANSACTION",
        "A local transaction.",
        "See that no other server takes part.",
        "BEGIN DISTRIBUTED TRANSACTION";
    PARTITION_SWITCH "partition-switch" ReviewSemantics:
        "ALTER TABLE ... SWITCH",
        "Accepted, and no rows are moved.",
        "Write INSERT ... SELECT and DELETE, or exchange the names of two tables.",
        "ALTER TABLE t SWITCH TO u";
    NUMBERED "numbered-procedure" ReviewSemantics:
        "Numbered procedures (p;2)",
        "The number is ignored: the group has one procedure.",
        "Give each procedure a name of its own.",
        "EXEC p;2";
    SERVER_FACTS "server-facts" ReviewSemantics:
        "@@VERSION, @@CPU_BUSY, @@IO_BUSY and other facts of the server",
        "@@VERSION and its like are constants; counters are 0.",
        "See that the program does not decide by them.",
        "SELECT @@CPU_BUSY AS b";
    XML_DIRECTIVE "xml-schema-directive" ReviewSemantics:
        "FOR XML ..., XMLSCHEMA and XMLDATA",
        "The directive is ignored: the result has no schema.",
        "Read the result without a schema.",
        "SELECT a FROM t FOR XML AUTO, XMLSCHEMA";
    TYPED_XML "typed-xml" ReviewSemantics:
        "xml of a schema collection",
        "A plain xml: values are not validated.",
        "Validate documents in the program.",
        "CREATE TABLE t (a xml (dbo.c))";
    SET_DIFFERENT "set-option-value" ReviewSemantics:
        "SET ANSI_PADDING OFF, NUMERIC_ROUNDABORT ON, CURSOR_CLOSE_ON_COMMIT ON",
        "Shown by @@OPTIONS and without an effect.",
        "See that the program does not rely on it.",
        "SET ANSI_PADDING OFF";
    EXECUTE_AS_TEXT "execute-text-as" ReviewSemantics:
        "EXEC ('text') AS USER or LOGIN",
        "AS is ignored: the text runs with the rights of the session.",
        "Leave AS out.",
        "EXEC ('SELECT 1') AS USER = 'ann'";

    INCLUDE "index-include" ReviewPerformance:
        "INCLUDE of an index",
        "Ignored: the columns are read from the table.",
        "Nothing to do, or look at the time of the queries that the index was made for.",
        "CREATE INDEX ix ON t (a) INCLUDE (b)";
    INDEX_FILTER "index-filter" ReviewPerformance:
        "WHERE of an index that is not unique",
        "Filters of comparisons of columns with constants, IN and IS NULL, joined by AND, are kept; with any other \
         the index has all rows.",
        "Nothing to do.",
        "CREATE INDEX ix ON t (a) WHERE b = 1";
    MANY_CONDITIONS "many-conditions" ReviewPerformance:
        "More than 200 conditions joined by OR",
        "Takes up to a second to plan.",
        "Use IN, or a table of the values.",
        "";
    SCALAR_FUNCTION "scalar-function" ReviewPerformance:
        "Scalar functions of the database in queries",
        "Run once for each row.",
        "Use an inline table function, or the expression itself, where the query reads many rows.",
        "SELECT dbo.f(a) FROM t";

    TABLE_HINT "table-hint" Ignored:
        "Table hints: INDEX, FORCESEEK, ROWLOCK, PAGLOCK, TABLOCK of a query and their like",
        "Ignored; UPDLOCK, XLOCK, HOLDLOCK, READPAST and TABLOCKX work.",
        "",
        "SELECT a FROM t WITH (ROWLOCK)";
    JOIN_HINT "join-hint" Ignored:
        "Join hints: LOOP, HASH, MERGE, REMOTE",
        "Ignored: the planner decides.",
        "",
        "SELECT 1 FROM t INNER LOOP JOIN u ON t.a = u.a";
    QUERY_HINT "query-hint" Ignored:
        "Query hints: OPTION (RECOMPILE, MAXDOP, FORCE ORDER, OPTIMIZE FOR and their like)",
        "Ignored; MAXRECURSION works.",
        "",
        "SELECT a FROM t OPTION (RECOMPILE)";
    GRANT "grant" Ignored:
        "GRANT",
        "A warning that it has no effect: there are no permissions on objects.",
        "Make users with 'mainstay user add', with --read-only for those who may only read.",
        "GRANT SELECT ON t TO ann";
    PRINCIPAL "principal" Ignored:
        "CREATE and ALTER of users, logins and roles",
        "A warning that it has no effect.",
        "Make users with 'mainstay user add'.",
        "CREATE USER ann";
    STORAGE "storage-option" Ignored:
        "Filegroups, FILLFACTOR, compression, partitions of tables and indexes",
        "Ignored.",
        "",
        "CREATE TABLE t (a INT) ON [PRIMARY]";
    INDEX_OPTION "index-option" Ignored:
        "Options of an index but IGNORE_DUP_KEY and DROP_EXISTING; ALTER INDEX",
        "Ignored.",
        "",
        "CREATE INDEX ix ON t (a) WITH (FILLFACTOR = 80)";
    COLUMN_OPTION "column-option" Ignored:
        "SPARSE, ROWGUIDCOL, FILESTREAM, HIDDEN, NOT FOR REPLICATION",
        "Ignored.",
        "",
        "CREATE TABLE t (a INT SPARSE)";
    TABLE_OPTION "table-option" Ignored:
        "MEMORY_OPTIMIZED, DURABILITY and other options of a table; ALTER TABLE REBUILD and SET",
        "Ignored: the table is one like any other.",
        "",
        "CREATE TABLE t (a INT) WITH (MEMORY_OPTIMIZED = ON)";
    MODULE_OPTION "module-option" Ignored:
        "WITH RECOMPILE, ENCRYPTION, NATIVE_COMPILATION of modules; EXEC ... WITH RECOMPILE, RESULT SETS",
        "Ignored; the text of a module can be read by everybody.",
        "",
        "CREATE PROCEDURE p WITH RECOMPILE AS SELECT 1";
    DATABASE "database-definition" Ignored:
        "CREATE and ALTER DATABASE, partition functions and schemes",
        "Accepted: the folder is the database, and files, recovery models and options mean nothing.",
        "",
        "CREATE DATABASE d";
    MAINTENANCE "maintenance" Ignored:
        "CHECKPOINT, UPDATE STATISTICS, CREATE STATISTICS, DBCC but CHECKIDENT, OPENTRAN, INPUTBUFFER and \
         USEROPTIONS",
        "Accepted.",
        "",
        "CHECKPOINT";
    REVERT "revert" Ignored:
        "REVERT, EXECUTE AS CALLER, SELF and OWNER",
        "Accepted.",
        "",
        "REVERT";
    TRANSACTION_OPTION "transaction-option" Ignored:
        "WITH MARK, DELAYED_DURABILITY",
        "Accepted; durability is a setting of the database.",
        "",
        "COMMIT TRANSACTION WITH (DELAYED_DURABILITY = ON)";
    RAISERROR_LOG "raiserror-log" Ignored:
        "RAISERROR ... WITH LOG",
        "The message is sent and not logged.",
        "",
        "RAISERROR ('x', 16, 1) WITH LOG";
    TYPE_WARNING "cursor-type-warning" Ignored:
        "TYPE_WARNING of a cursor",
        "Accepted: 16956 is not sent.",
        "",
        "DECLARE c CURSOR KEYSET TYPE_WARNING FOR SELECT a FROM t";
    SET_IGNORED "set-option" Ignored:
        "SET options without a meaning here: FORCEPLAN, QUERY_GOVERNOR_COST_LIMIT, REMOTE_PROC_TRANSACTIONS \
         and others",
        "Accepted.",
        "",
        "SET FORCEPLAN ON";
    REPLICATION "replication" Ignored:
        "FOR REPLICATION, NOT FOR REPLICATION of modules and constraints",
        "Ignored: there is no replication.",
        "",
        "CREATE PROCEDURE p FOR REPLICATION AS SELECT 1";
}
