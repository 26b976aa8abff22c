CREATE TABLE Stock (Item INT PRIMARY KEY, OnHand INT NOT NULL, Note VARCHAR(20) DEFAULT 'new')
CREATE TABLE Arrivals (Item INT, N INT, Source VARCHAR(10))
INSERT INTO Stock VALUES (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c')
INSERT INTO Arrivals VALUES (1, 5, 'x'), (2, -20, 'y'), (4, 40, 'z')
GO
MERGE INTO Stock AS t
USING Arrivals AS s ON t.Item = s.Item
WHEN MATCHED AND t.OnHand + s.N = 0 THEN DELETE
WHEN MATCHED THEN UPDATE SET OnHand = t.OnHand + s.N, t.Note = s.Source
WHEN NOT MATCHED BY TARGET THEN INSERT (Item, OnHand) VALUES (s.Item, s.N)
WHEN NOT MATCHED BY SOURCE THEN UPDATE SET Note = 'none'
OUTPUT $action, inserted.Item, inserted.OnHand, deleted.Item AS Was, deleted.OnHand, s.Source;
SELECT @@ROWCOUNT AS n
SELECT * FROM Stock ORDER BY Item
GO
-- A row of the target that two rows of the source meet
INSERT INTO Arrivals VALUES (1, 6, 'w')
MERGE Stock USING Arrivals AS s ON Stock.Item = s.Item WHEN MATCHED THEN UPDATE SET OnHand = s.N;
SELECT @@ERROR AS error
SELECT OnHand FROM Stock WHERE Item = 1
GO
-- The source as a list of values, with a variable; HOLDLOCK; no action for some rows
DECLARE @item INT = 3, @n BIGINT = 7
MERGE Stock WITH (HOLDLOCK) AS t
USING (VALUES (@item, @n), (9, 99)) AS s (Item, N) ON s.Item = t.Item
WHEN MATCHED THEN UPDATE SET t.OnHand += s.N
WHEN NOT MATCHED AND s.N < 50 THEN INSERT VALUES (s.Item, s.N, DEFAULT);
SELECT @@ROWCOUNT AS n
SELECT OnHand FROM Stock WHERE Item = 3
GO
-- OUTPUT INTO a table variable, and an identity
CREATE TABLE People (Id INT IDENTITY(1, 1) PRIMARY KEY, Name VARCHAR(20))
INSERT INTO People VALUES ('Anna')
DECLARE @log TABLE (What NVARCHAR(10), Id INT, Name VARCHAR(20))
MERGE People AS p USING (SELECT 'Bo' AS Name UNION ALL SELECT 'Anna') AS s ON p.Name = s.Name
WHEN NOT MATCHED THEN INSERT (Name) VALUES (s.Name)
WHEN MATCHED THEN DELETE
OUTPUT $action, ISNULL(inserted.Id, deleted.Id), COALESCE(inserted.Name, deleted.Name) INTO @log;
SELECT * FROM @log ORDER BY Id
SELECT SCOPE_IDENTITY() AS scope, @@IDENTITY AS ident
GO
-- Rows that go first make room for those that come
MERGE Stock AS t USING (SELECT 4 AS Item, 1 AS New UNION ALL SELECT 1, 4) AS s ON t.Item = s.Item AND s.New = 1
WHEN MATCHED THEN DELETE
WHEN NOT MATCHED BY TARGET THEN INSERT (Item, OnHand) VALUES (s.New, 0);
SELECT Item, OnHand FROM Stock ORDER BY Item
GO
-- What cannot stand together
MERGE Stock AS t USING Arrivals AS s ON t.Item = s.Item
WHEN MATCHED THEN DELETE
WHEN MATCHED AND s.N = 1 THEN UPDATE SET OnHand = 1;
GO
MERGE Stock AS t USING Arrivals AS s ON t.Item = s.Item
WHEN MATCHED AND s.N = 1 THEN UPDATE SET OnHand = 1
WHEN MATCHED AND s.N = 2 THEN UPDATE SET OnHand = 2;
GO
MERGE Stock AS t USING Arrivals AS s ON t.Item = s.Item
WHEN MATCHED THEN INSERT (Item) VALUES (1);
GO
-- A trigger for each action, once
CREATE TABLE Audit (Seq INT IDENTITY(1, 1), What VARCHAR(10), Ins INT, Del INT, Total INT)
GO
CREATE TRIGGER StockChanged ON Stock AFTER INSERT, UPDATE, DELETE AS
    DECLARE @total INT = @@ROWCOUNT
    INSERT INTO Audit (What, Ins, Del, Total)
    SELECT CASE WHEN i.n > 0 AND d.n > 0 THEN 'update' WHEN i.n > 0 THEN 'insert' ELSE 'delete' END, i.n, d.n, @total
    FROM (SELECT COUNT(*) AS n FROM inserted) AS i, (SELECT COUNT(*) AS n FROM deleted) AS d
GO
SET NOCOUNT ON
DELETE FROM Arrivals
INSERT INTO Arrivals VALUES (1, 1, 'a'), (3, 3, 'c'), (5, 5, 'e'), (6, 6, 'f')
DELETE FROM Audit
MERGE Stock AS t USING Arrivals AS s ON t.Item = s.Item
WHEN MATCHED AND t.Item = 3 THEN DELETE
WHEN MATCHED THEN UPDATE SET OnHand = 100
WHEN NOT MATCHED THEN INSERT (Item, OnHand) VALUES (s.Item, s.N);
SELECT What, Ins, Del, Total FROM Audit ORDER BY What
GO
