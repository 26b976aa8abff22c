-- sp_rename (faults sql-04, tsql-06): an index or a key without its kind, named by its table; 15336 for what a constraint, a
-- default, a computed column or a module with SCHEMABINDING needs. sp_rename in SQL Server's manual.
CREATE FUNCTION dbo.GetDef() RETURNS int AS BEGIN RETURN 42 END
GO
CREATE TABLE dbo.D(a int, b int CONSTRAINT dfb DEFAULT (dbo.GetDef()));
GO
EXEC sp_rename 'dbo.GetDef', 'GetDef_old';
GO
INSERT dbo.D(a) VALUES (1);
SELECT a, b FROM dbo.D;
GO
CREATE FUNCTION dbo.Twice(@n INT) RETURNS INT WITH SCHEMABINDING AS BEGIN RETURN 2 * @n END
GO
CREATE TABLE dbo.C(a int CHECK (dbo.Twice(a) < 10), c AS dbo.Twice(a))
GO
EXEC sp_rename 'Twice', 'Double'
GO
CREATE VIEW dbo.V WITH SCHEMABINDING AS SELECT a FROM dbo.D
GO
EXEC sp_rename 'dbo.D', 'E', 'OBJECT'
GO
DROP VIEW dbo.V
EXEC sp_rename 'dbo.D', 'E', 'OBJECT'
SELECT a, b FROM dbo.E
GO
-- A function that nothing needs.
CREATE FUNCTION dbo.Free() RETURNS int AS BEGIN RETURN 1 END
GO
EXEC sp_rename 'dbo.Free', 'Freed'
SELECT dbo.Freed() AS r
GO
-- Indexes and keys.
CREATE TABLE dbo.t2(id INT NOT NULL CONSTRAINT PK_a PRIMARY KEY, b INT CONSTRAINT UQ_a UNIQUE, c INT);
CREATE INDEX IX_b ON dbo.t2(c);
GO
EXEC sp_rename 'dbo.t2.PK_a','PK_b';
GO
EXEC sp_rename 'dbo.t2.IX_b','IX_c';
GO
EXEC sp_rename 't2.UQ_a','UQ_b';
GO
EXEC sp_rename 't2.IX_none','x';
GO
SELECT name FROM sys.indexes WHERE object_id=OBJECT_ID('dbo.t2') ORDER BY name
