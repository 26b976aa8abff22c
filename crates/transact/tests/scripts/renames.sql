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
-- A column, without saying that it is one.
CREATE TABLE untold (a INT, b INT);
EXEC sp_rename 'dbo.untold.b', 'c';
EXEC sp_rename 'untold.a', 'd';
EXEC sp_rename 'untold.nothing', 'e';
SELECT name FROM sys.columns WHERE object_id = OBJECT_ID('untold') ORDER BY column_id;
GO
