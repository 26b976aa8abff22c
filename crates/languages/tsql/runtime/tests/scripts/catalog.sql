CREATE TABLE dbo.Orders (Id INT IDENTITY PRIMARY KEY, Customer NVARCHAR(40) NOT NULL, Total DECIMAL(10,2), Made DATETIME)
GO
CREATE PROCEDURE dbo.P1 AS SELECT 1
GO
SELECT name, type FROM sys.objects WHERE type IN ('U', 'P') ORDER BY name
SELECT c.name, t.name AS tab, c.max_length, c.precision, c.scale, c.is_nullable, c.is_identity
FROM sys.columns c JOIN sys.tables t ON t.object_id = c.object_id WHERE t.name = 'Orders' ORDER BY c.column_id
SELECT COLUMN_NAME, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH, IS_NULLABLE FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'Orders'
SELECT ROUTINE_NAME, ROUTINE_TYPE FROM INFORMATION_SCHEMA.ROUTINES
GO
CREATE PROCEDURE dbo.TakesInt @n INT, @s VARCHAR(3) AS SELECT @n + 1 AS n, @s AS s
GO
EXEC TakesInt '41', 'abcdef'
EXEC TakesInt 'x', 'y'
GO
