-- sp_rename of indexes and constraints.
CREATE TABLE dbo.Ord (Id INT CONSTRAINT PK_Ord PRIMARY KEY, Amount INT CONSTRAINT DF_Amount DEFAULT 7, Code INT CONSTRAINT UQ_Code UNIQUE)
CREATE INDEX IX_A ON dbo.Ord (Amount)
ALTER TABLE dbo.Ord ADD CONSTRAINT CK_Am CHECK (Amount > 0)
EXEC sp_rename 'dbo.Ord.IX_A', 'IX_B', 'INDEX'
EXEC sp_rename N'dbo.CK_Am', N'CK_Amount', N'OBJECT'
EXEC sp_rename 'DF_Amount', 'DF_Am'
EXEC sp_rename 'dbo.PK_Ord', 'PK_Order'
EXEC sp_rename 'dbo.Ord.UQ_Code', 'UQ_C', 'INDEX'
SELECT name FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.Ord') ORDER BY name
SELECT name FROM sys.objects WHERE parent_object_id = OBJECT_ID('dbo.Ord') ORDER BY name
INSERT dbo.Ord VALUES (1, -5, 1)
INSERT dbo.Ord (Id) VALUES (1), (1)
EXEC sp_rename 'dbo.Ord.IX_Nope', 'x', 'INDEX'
EXEC sp_rename 'dbo.Ord.IX_B', 'PK_Order', 'INDEX'
ALTER TABLE dbo.Ord DROP CONSTRAINT DF_Am, CK_Amount
DROP INDEX IX_B ON dbo.Ord
SELECT name FROM sys.indexes WHERE object_id = OBJECT_ID('dbo.Ord') ORDER BY name
GO
-- A column, without saying that it is one.
CREATE TABLE untold (a INT, b INT);
EXEC sp_rename 'dbo.untold.b', 'c';
EXEC sp_rename 'untold.a', 'd';
EXEC sp_rename 'untold.nothing', 'e';
SELECT name FROM sys.columns WHERE object_id = OBJECT_ID('untold') ORDER BY column_id;
GO
-- What is said of a column goes with it to its new name, in any schema and in temporary tables too.
CREATE TYPE Price FROM NUMERIC(9, 2)
GO
CREATE SCHEMA Sales
GO
CREATE TABLE Sales.Named (a NUMERIC(5, 1) CONSTRAINT DF_Named DEFAULT 1, b SYSNAME, c Price, d DECIMAL(5, 1))
EXEC sp_rename 'Sales.Named.a', 'amount', 'COLUMN'
EXEC sp_rename 'Sales.Named.c', 'price', 'COLUMN'
SELECT c.name, TYPE_NAME(c.system_type_id) AS base, TYPE_NAME(c.user_type_id) AS type, OBJECT_NAME(c.default_object_id) AS def
FROM sys.columns AS c WHERE object_id = OBJECT_ID('Sales.Named') ORDER BY c.column_id
ALTER TABLE Sales.Named DROP CONSTRAINT DF_Named
GO
CREATE PROCEDURE Shown AS
CREATE TABLE #shown (a NUMERIC(5, 1), b DECIMAL(5, 1), c Price, d SYSNAME)
SELECT c.name, TYPE_NAME(c.user_type_id) AS type FROM tempdb.sys.columns AS c WHERE object_id = OBJECT_ID('tempdb..#shown') ORDER BY c.column_id
DROP TABLE #shown
GO
EXEC Shown
EXEC Shown
CREATE TABLE #added (a INT)
ALTER TABLE #added ADD b NUMERIC(4), c NUMERIC(4)
ALTER TABLE #added ALTER COLUMN c DECIMAL(4)
SELECT c.name, TYPE_NAME(c.user_type_id) AS type FROM tempdb.sys.columns AS c WHERE object_id = OBJECT_ID('tempdb..#added') ORDER BY c.column_id
