-- Objects in other schemas, under other names, and types beside them.
CREATE SCHEMA old
GO
CREATE TYPE Money2 FROM DECIMAL(9,2) NOT NULL
CREATE TABLE old.Goods (Id INT IDENTITY PRIMARY KEY, Price Money2, Tax NUMERIC(5,2) CONSTRAINT DF_Tax DEFAULT 7.5, Kind VARCHAR(5) DEFAULT 'x')
GO
CREATE TRIGGER old.GoodsMade ON old.Goods AFTER INSERT AS PRINT 'made'
GO
CREATE PROCEDURE old.Show AS SELECT Id, Price, Tax FROM dbo.Goods
GO
CREATE VIEW old.Dear AS SELECT Id FROM old.Goods WHERE Price > 5
GO
CREATE FUNCTION old.Two() RETURNS INT AS BEGIN RETURN 2 END
GO
CREATE SEQUENCE old.Numbers START WITH 5
CREATE SYNONYM old.G FOR dbo.Goods
CREATE TYPE old.Ids AS TABLE (Id INT)
GO
ALTER SCHEMA dbo TRANSFER old.Goods
ALTER SCHEMA dbo TRANSFER OBJECT::old.Show
ALTER SCHEMA dbo TRANSFER old.Dear
ALTER SCHEMA dbo TRANSFER old.Two
ALTER SCHEMA dbo TRANSFER old.Numbers
ALTER SCHEMA dbo TRANSFER old.G
ALTER SCHEMA dbo TRANSFER TYPE::old.Ids
GO
INSERT dbo.Goods (Price) VALUES (3), (9)
EXEC Show
SELECT Id FROM Dear
SELECT dbo.Two() AS two, NEXT VALUE FOR Numbers AS five
SELECT COUNT(*) AS n FROM G
DECLARE @i Ids
SELECT COUNT(*) AS n FROM @i
SELECT SCHEMA_NAME(schema_id) AS s, name, type FROM sys.objects WHERE name IN ('Goods', 'Show', 'Dear', 'Two', 'Numbers', 'G', 'GoodsMade', 'DF_Tax') ORDER BY name
SELECT c.name, TYPE_NAME(c.user_type_id) AS type FROM sys.columns c WHERE c.object_id = OBJECT_ID('dbo.Goods') ORDER BY c.column_id
SELECT OBJECT_ID('old.Goods') AS gone
SELECT Id FROM old.Goods
ALTER SCHEMA dbo TRANSFER old.Goods
ALTER SCHEMA nowhere TRANSFER dbo.Goods
CREATE TABLE old.Goods (Id INT)
ALTER SCHEMA dbo TRANSFER old.Goods
ALTER SCHEMA dbo TRANSFER dbo.Goods
DROP TABLE old.Goods
DROP SCHEMA old
GO
-- renamed tables keep the names of their columns' types and defaults
EXEC sp_rename 'Goods', 'Wares'
SELECT c.name, TYPE_NAME(c.user_type_id) AS type FROM sys.columns c WHERE c.object_id = OBJECT_ID('Wares') ORDER BY c.column_id
SELECT name FROM sys.default_constraints WHERE name = 'DF_Tax'
INSERT Wares (Price) VALUES (1)
GO
-- types have names of their own
CREATE TYPE Wares AS TABLE (Id INT, Name VARCHAR(10))
CREATE TYPE Show FROM VARCHAR(10)
CREATE TYPE AddItem AS TABLE (Id INT)
GO
CREATE PROCEDURE AddItem @items AddItem READONLY AS SELECT COUNT(*) AS n FROM @items
GO
DECLARE @i AddItem
INSERT @i VALUES (1), (2)
EXEC AddItem @i
DECLARE @w dbo.Wares, @s Show = 'longer than that'
SELECT @s AS s, (SELECT COUNT(*) FROM @w) AS n, (SELECT COUNT(*) FROM Wares) AS w
CREATE TYPE AddItem AS TABLE (Id INT)
CREATE TYPE dbo.Show FROM INT
SELECT name, is_table_type FROM sys.types WHERE is_user_defined = 1 ORDER BY name
SELECT OBJECT_NAME(OBJECT_ID('AddItem')) AS p, OBJECTPROPERTY(OBJECT_ID('AddItem'), 'IsProcedure') AS is_procedure
DROP PROCEDURE AddItem
DECLARE @j AddItem
SELECT COUNT(*) AS n FROM @j
DROP TYPE AddItem
DROP TYPE AddItem
GO
DECLARE @k AddItem
