-- Views that ask the session or the catalog.
CREATE TABLE dbo.Ord (Id INT PRIMARY KEY, Who NVARCHAR(128) DEFAULT SUSER_SNAME(), D DATETIME DEFAULT GETDATE(), Total DECIMAL(10,2))
INSERT dbo.Ord (Id, Total) VALUES (1, 10.5), (2, 20)
INSERT dbo.Ord (Id, Who, D, Total) VALUES (3, 'nobody', '20010101', 5)
GO
CREATE VIEW dbo.Recent AS SELECT Id, Total, DATEDIFF(DAY, D, GETDATE()) AS age FROM dbo.Ord WHERE D > DATEADD(DAY, -1, GETDATE())
GO
CREATE VIEW dbo.Mine (Number, Amount, Db) AS SELECT Id, Total, DB_NAME() FROM dbo.Ord WHERE Who = SUSER_SNAME()
GO
CREATE VIEW dbo.Both AS SELECT r.Id, m.Amount FROM dbo.Recent r JOIN dbo.Mine AS m ON m.Number = r.Id
GO
CREATE VIEW dbo.Tables AS SELECT name, type_desc FROM sys.tables WHERE schema_id = SCHEMA_ID('dbo')
GO
SELECT Id, Total, age FROM dbo.Recent ORDER BY Id
SELECT * FROM dbo.Mine ORDER BY Number
SELECT b.* FROM dbo.Both b ORDER BY b.Id DESC
SELECT * FROM dbo.Tables
-- Nothing around it is in sight of a view.
;WITH Ord AS (SELECT 99 AS Id) SELECT (SELECT COUNT(*) FROM dbo.Mine) AS mine, (SELECT COUNT(*) FROM Ord) AS own
SELECT COUNT(*) AS n FROM dbo.Ord o WHERE EXISTS (SELECT 1 FROM dbo.Mine WHERE Number = o.Id AND Amount > 15)
SELECT c.name, TYPE_NAME(c.system_type_id) AS type FROM sys.columns c WHERE c.object_id = OBJECT_ID('dbo.Mine') ORDER BY c.column_id
SELECT name FROM sys.views ORDER BY name
UPDATE dbo.Mine SET Amount = Amount + 1 WHERE Number = 1
SELECT Number, Amount FROM dbo.Mine ORDER BY Number
GO
CREATE VIEW dbo.Mine AS SELECT GETDATE() AS d
GO
ALTER VIEW dbo.Mine AS SELECT Id FROM dbo.Ord
GO
SELECT COUNT(*) AS n FROM dbo.Mine
GO
ALTER VIEW dbo.Mine AS SELECT Id, @@SPID AS spid FROM dbo.Ord WHERE Id > 1
GO
SELECT COUNT(*) AS n, COUNT(spid) AS spids FROM dbo.Mine
DROP VIEW dbo.Mine
SELECT OBJECT_ID('dbo.Mine') AS mine
SELECT * FROM dbo.Mine
GO
-- A name with its schema is the table's, whatever common table expression has that name.
WITH Ord AS (SELECT Id FROM dbo.Ord WHERE Id > 2) SELECT (SELECT COUNT(*) FROM Ord) AS own, (SELECT COUNT(*) FROM dbo.Ord) AS all_of_them
