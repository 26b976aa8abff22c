-- Definitions that had no script yet.
SET NOCOUNT ON;
CREATE TABLE T (Id INT IDENTITY PRIMARY KEY, At DATETIME NOT NULL DEFAULT GETDATE(), Who SYSNAME DEFAULT SUSER_SNAME(),
  Price DECIMAL(9,2) NOT NULL DEFAULT 0, Qty INT NOT NULL DEFAULT (1), Total AS Price * Qty, Kept AS UPPER(Note) PERSISTED, Note VARCHAR(20) NULL);
INSERT T (Price, Qty, Note) VALUES (2.50, 4, 'abc');
INSERT T DEFAULT VALUES;
SELECT Id, CASE WHEN DATEDIFF(s, At, GETDATE()) < 60 THEN 1 END AS now, Who, Price, Qty, Total, Kept FROM T ORDER BY Id;
UPDATE T SET Qty = 10 WHERE Id = 1;
SELECT Total FROM T WHERE Total > 5;
INSERT T (Total) VALUES (1);
GO
UPDATE T SET Total = 1;
GO
SELECT name, is_computed FROM sys.columns WHERE object_id = OBJECT_ID('T') ORDER BY column_id;
SELECT name, definition, is_persisted FROM sys.computed_columns WHERE object_id = OBJECT_ID('T') ORDER BY column_id;
GO
-- ALTER TABLE
ALTER TABLE T ADD Extra INT NULL, Flag BIT NOT NULL CONSTRAINT DF_Flag DEFAULT 1;
SELECT Id, Extra, Flag FROM T ORDER BY Id;
GO
ALTER TABLE T ADD Must INT NOT NULL;
GO
ALTER TABLE T ADD CONSTRAINT CK_Qty CHECK (Qty > 0), CONSTRAINT UQ_Note UNIQUE (Note);
ALTER TABLE T ADD CONSTRAINT DF_Extra DEFAULT 7 FOR Extra;
INSERT T (Qty) VALUES (0);
INSERT T (Note) VALUES ('abc');
INSERT T (Note) VALUES ('def');
SELECT Extra, Flag FROM T WHERE Note = 'def';
ALTER TABLE T DROP CONSTRAINT CK_Qty, DF_Extra;
ALTER TABLE T DROP COLUMN Extra;
ALTER TABLE T DROP CONSTRAINT IF EXISTS NoSuch;
ALTER TABLE T DROP COLUMN IF EXISTS NoSuch;
SELECT name FROM sys.columns WHERE object_id = OBJECT_ID('T') ORDER BY column_id;
GO
ALTER TABLE T DROP COLUMN NoSuch;
GO
ALTER TABLE T DROP COLUMN Flag;
GO
-- Indexes
CREATE TABLE Sales1 (Id INT);
CREATE INDEX IX_T ON T (Note DESC, Qty ASC) INCLUDE (Price) WITH (FILLFACTOR = 80, ONLINE = OFF);
CREATE UNIQUE INDEX IX_T2 ON T (Id, Note);
CREATE INDEX IX_T ON T (Qty);
GO
SELECT i.name, i.type_desc, i.is_unique, c.name AS col, ic.is_descending_key FROM sys.indexes i
  JOIN sys.index_columns ic ON ic.object_id = i.object_id AND ic.index_id = i.index_id
  JOIN sys.columns c ON c.object_id = i.object_id AND c.column_id = ic.column_id
  WHERE i.object_id = OBJECT_ID('T') AND i.name LIKE 'IX%' ORDER BY i.name, ic.key_ordinal;
ALTER INDEX IX_T ON T REBUILD;
ALTER INDEX ALL ON T REORGANIZE;
DROP INDEX IX_T ON T;
DROP INDEX T.IX_T2;
DROP INDEX IF EXISTS IX_T ON T;
DROP INDEX IX_T ON T;
GO
CREATE INDEX IX_Same ON Sales1 (Id); CREATE INDEX IX_Same ON T (Qty);
DROP INDEX IX_Same ON T;
SELECT OBJECT_NAME(object_id) AS t FROM sys.indexes WHERE name = 'IX_Same';
DROP INDEX IX_Same ON T;
GO
CREATE TABLE Inline1 (A INT, B INT, INDEX IX_A (A), INDEX IX_B UNIQUE (B));
SELECT name FROM sys.indexes WHERE object_id = OBJECT_ID('Inline1') AND name IS NOT NULL ORDER BY name;
GO
-- Schemas
CREATE SCHEMA Sales;
GO
CREATE SCHEMA Sales;
GO
CREATE TABLE Sales.Orders (Id INT);
INSERT Sales.Orders VALUES (1);
SELECT Id FROM Sales.Orders;
SELECT SCHEMA_NAME(schema_id) AS s, name FROM sys.tables WHERE name = 'Orders';
SELECT Id FROM Orders;
GO
DROP SCHEMA Sales;
GO
DROP TABLE Sales.Orders;
DROP SCHEMA Sales;
DROP SCHEMA IF EXISTS Sales;
SELECT SCHEMA_ID('Sales') AS s;
GO
-- ALTER, CREATE OR ALTER
CREATE PROCEDURE P AS SELECT 1 AS one;
GO
CREATE PROCEDURE P AS SELECT 2 AS two;
GO
ALTER PROCEDURE P AS SELECT 3 AS three;
GO
EXEC P;
GO
CREATE OR ALTER PROCEDURE P @x INT = 4 AS SELECT @x AS four;
GO
EXEC P;
GO
ALTER PROCEDURE NoSuch AS SELECT 1;
GO
CREATE OR ALTER FUNCTION F (@x INT) RETURNS INT AS BEGIN RETURN @x + 1 END;
GO
ALTER FUNCTION F (@x INT) RETURNS INT AS BEGIN RETURN @x + 2 END;
GO
SELECT dbo.F(1) AS f;
EXEC sp_helptext 'P';
EXEC sp_helptext 'NoSuch';
GO
SELECT OBJECT_DEFINITION(OBJECT_ID('F')) AS d;
SELECT OBJECTPROPERTY(OBJECT_ID('T'), 'IsTable') AS t, OBJECTPROPERTY(OBJECT_ID('P'), 'IsProcedure') AS p, OBJECTPROPERTY(OBJECT_ID('T'), 'TableHasPrimaryKey') AS k,
  OBJECTPROPERTY(OBJECT_ID('F'), 'IsScalarFunction') AS f, OBJECTPROPERTY(OBJECT_ID('T'), 'TableHasIdentity') AS i, OBJECTPROPERTY(OBJECT_ID('P'), 'IsView') AS v;
GO
CREATE VIEW V AS SELECT Id, Note FROM T WHERE Note IS NOT NULL;
GO
SELECT OBJECT_DEFINITION(OBJECT_ID('V')) AS d;
EXEC sp_helptext 'V';
GO
-- A computed column of those that are there
CREATE TABLE Parts (id INT PRIMARY KEY, price DECIMAL(8, 2) NOT NULL)
INSERT Parts VALUES (1, 2.50)
ALTER TABLE Parts ADD pieces INT NOT NULL DEFAULT 4, total AS price * pieces, gross AS CAST(price * 1.19 AS DECIMAL(8, 2)) PERSISTED
SELECT * FROM Parts
ALTER TABLE Parts ADD wrong AS nothing * 2
GO
DROP TABLE Parts
GO
-- Lines that are too long for its rows
DECLARE @long NVARCHAR(MAX) = N'CREATE VIEW Long AS SELECT ''' + REPLICATE(N'é', 200) + REPLICATE(N'x', 200) + N''' AS q
, 1 AS r';
EXEC (@long);
EXEC sp_helptext 'Long';
DROP VIEW Long;
GO
EXEC sp_recompile 'P';
EXEC sp_refreshview 'V';
EXEC sp_refreshsqlmodule 'P';
EXEC sp_tableoption 'T', 'text in row', 'off';
EXEC sp_updatestats;
GO
-- Views of the server
SELECT name FROM sys.databases WHERE name = 'test';
SELECT COUNT(*) AS n FROM sys.database_principals WHERE name = 'dbo';
SELECT COUNT(*) AS n FROM sys.server_principals WHERE name = 'sa';
SELECT COUNT(*) AS n FROM sys.dm_exec_sessions WHERE session_id = @@SPID;
SELECT COUNT(*) AS n FROM sys.dm_exec_connections WHERE session_id = @@SPID;
SELECT COUNT(*) AS n FROM sys.dm_exec_requests WHERE session_id = @@SPID;
SELECT name FROM sys.configurations WHERE name = 'max degree of parallelism';
SELECT text FROM sys.messages WHERE message_id = 208 AND language_id = 1033;
SELECT COUNT(*) AS n FROM sys.sql_expression_dependencies;
SELECT COUNT(*) AS n FROM sys.assemblies;
SELECT COUNT(*) AS n FROM sys.dm_os_performance_counters;
SELECT COUNT(*) AS n FROM sys.no_such_view;
GO
-- UPDATE and DELETE with FROM
CREATE TABLE A (Id INT PRIMARY KEY, V INT); CREATE TABLE B (Id INT PRIMARY KEY, W INT);
INSERT A VALUES (1, 10), (2, 20), (3, 30); INSERT B VALUES (1, 100), (3, 300);
UPDATE a SET V = a.V + b.W FROM A a JOIN B b ON b.Id = a.Id;
UPDATE A SET V = 0 FROM A LEFT JOIN B ON B.Id = A.Id WHERE B.Id IS NULL;
SELECT Id, V FROM A ORDER BY Id;
DELETE a FROM A a INNER JOIN B b ON a.Id = b.Id WHERE b.W > 200;
DELETE FROM A FROM A LEFT JOIN B ON A.Id = B.Id WHERE B.Id IS NULL;
SELECT Id, V FROM A ORDER BY Id;
SELECT Id FROM A UNION SELECT Id FROM B ORDER BY Id;
SELECT Id FROM B EXCEPT SELECT Id FROM A;
SELECT Id FROM B INTERSECT SELECT Id FROM A ORDER BY Id;
GO
-- SQL_VARIANT in a table
CREATE TABLE Var1 (Id INT, V SQL_VARIANT);
INSERT Var1 VALUES (1, 5), (2, 'text'), (3, CAST(1.5 AS DECIMAL(5,2))), (4, NULL), (5, CAST('2024-01-02' AS DATE));
SELECT Id, V FROM Var1 ORDER BY Id;
SELECT Id, SQL_VARIANT_PROPERTY(V, 'BaseType') AS base FROM Var1 ORDER BY Id;
GO
-- An index is dropped of the table that is named, whatever schema it is in.
CREATE SCHEMA Jobs
GO
CREATE TABLE Jobs.Counter (id INT, k INT)
CREATE TABLE FirstOf (a INT)
CREATE TABLE SecondOf (a INT)
CREATE INDEX ix_shared ON FirstOf (a)
CREATE INDEX ix_shared ON SecondOf (a)
CREATE INDEX ix_shared ON Jobs.Counter (k)
DROP INDEX ix_shared ON SecondOf
SELECT OBJECT_NAME(object_id) AS t FROM sys.indexes WHERE name = 'ix_shared' ORDER BY t
DROP INDEX [ix_shared] ON [Jobs].[Counter]
SELECT OBJECT_NAME(object_id) AS t FROM sys.indexes WHERE name = 'ix_shared' ORDER BY t
DROP INDEX FirstOf.ix_shared
SELECT COUNT(*) AS n FROM sys.indexes WHERE name = 'ix_shared'
DROP INDEX ix_shared ON FirstOf
GO
