-- MERGE of so many rows: those for which nothing is done do not count.
CREATE TABLE Stock (Id INT PRIMARY KEY, Qty INT, Note VARCHAR(10))
CREATE TABLE News (Id INT PRIMARY KEY, Qty INT)
INSERT Stock VALUES (1, 10, NULL), (2, 20, NULL), (3, 30, NULL)
INSERT News VALUES (1, 10), (2, 21), (3, 31), (4, 40), (5, 50)
GO
MERGE TOP (2) Stock AS s USING News AS n ON n.Id = s.Id
WHEN MATCHED AND s.Qty <> n.Qty THEN UPDATE SET Qty = n.Qty, Note = 'new';
SELECT Id, Qty, Note FROM Stock
DECLARE @n INT = 1
MERGE TOP (@n) INTO Stock AS s USING News AS n ON n.Id = s.Id
WHEN NOT MATCHED THEN INSERT (Id, Qty) VALUES (n.Id, n.Qty) OUTPUT $action, inserted.Qty - inserted.Id * 10 AS rest;
SELECT COUNT(*) AS n FROM Stock
MERGE TOP (1) Stock AS s USING (SELECT 99 AS Id) AS n ON n.Id = s.Id WHEN NOT MATCHED BY SOURCE AND s.Id > 2 THEN DELETE;
SELECT COUNT(*) AS n FROM Stock
MERGE TOP (0) Stock AS s USING News AS n ON n.Id = s.Id WHEN MATCHED THEN DELETE;
SELECT COUNT(*) AS n FROM Stock
MERGE TOP (-1) Stock AS s USING News AS n ON n.Id = s.Id WHEN MATCHED THEN DELETE;
MERGE TOP (50) PERCENT Stock AS s USING News AS n ON n.Id = s.Id WHEN MATCHED THEN DELETE;
SELECT COUNT(*) AS n FROM Stock
GO
-- A share of the rows that something is done for, rounded up.
DECLARE @p FLOAT = 30
DELETE Stock INSERT Stock SELECT Id, Qty, NULL FROM News
MERGE TOP (@p) PERCENT Stock AS s USING News AS n ON n.Id = s.Id
WHEN MATCHED AND n.Id > 1 THEN UPDATE SET Note = 'shared';
SELECT COUNT(*) AS n, COUNT(Note) AS shared FROM Stock
MERGE TOP (100) PERCENT Stock AS s USING News AS n ON n.Id = s.Id + 2
WHEN NOT MATCHED BY SOURCE THEN DELETE WHEN NOT MATCHED THEN INSERT (Id, Qty) VALUES (n.Id + 10, 0) OUTPUT $action;
MERGE TOP (0) PERCENT Stock AS s USING News AS n ON n.Id = s.Id WHEN MATCHED THEN DELETE;
SELECT COUNT(*) AS n FROM Stock
MERGE TOP (101) PERCENT Stock AS s USING News AS n ON n.Id = s.Id WHEN MATCHED THEN DELETE;
