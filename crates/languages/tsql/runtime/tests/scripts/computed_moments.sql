CREATE TABLE Heap (Id INT, Made DATETIME2(7), Note VARCHAR(10), Late AS SYSDATETIME(), Age AS DATEDIFF(MILLISECOND, Made, SYSDATETIME()))
CREATE TABLE Keyed (Id INT PRIMARY KEY, Made DATETIME2(7), Note VARCHAR(10), Age AS DATEDIFF(MILLISECOND, Made, SYSDATETIME()))
INSERT Heap (Id, Made) SELECT n, SYSDATETIME() FROM (VALUES (2), (1), (3)) AS v(n)
INSERT Keyed (Id, Made) SELECT Id, Made FROM Heap
WAITFOR DELAY '00:00:00.060'
GO
-- a table without a key
SELECT Id, CASE WHEN Age >= 50 THEN 'late' END AS age FROM Heap
SELECT * INTO #seen FROM Heap
SELECT Id, CASE WHEN Age >= 50 THEN 'late' END AS age FROM #seen ORDER BY Id
SELECT TOP 2 Id FROM Heap WHERE Age >= 50 ORDER BY Age DESC, Id
SELECT COUNT(*) AS n FROM Heap WHERE Age >= 50
SELECT COUNT(*) AS n FROM Heap AS a JOIN Keyed AS b ON a.Id = b.Id WHERE a.Age >= 50 AND b.Age >= 50
SELECT h.Id FROM (SELECT * FROM Heap) AS h WHERE h.Age >= 50 ORDER BY h.Id
-- targets
UPDATE Keyed SET Note = 'a' WHERE Age >= 50 AND Id = 1
SELECT Id, Note FROM Keyed
UPDATE Keyed SET Note = CASE WHEN Age >= 50 THEN 'old' ELSE 'new' END
SELECT Id, Note FROM Keyed
UPDATE TOP (1) k SET Note = 'top' FROM Keyed AS k JOIN Heap AS h ON h.Id = k.Id WHERE k.Age >= 50 AND h.Age >= 50
SELECT Id, Note FROM Keyed
UPDATE Heap SET Note = 'h' OUTPUT CASE WHEN deleted.Age >= 50 THEN 'late' END AS was, inserted.Id WHERE Heap.Age >= 50
DELETE FROM Heap OUTPUT deleted.Id, CASE WHEN deleted.Age >= 50 THEN 'late' END AS age WHERE Age >= 50 AND Id = 2
MERGE Keyed AS k USING Heap AS h ON h.Id = k.Id WHEN MATCHED AND k.Age >= 50 AND h.Age >= 50 THEN UPDATE SET Note = 'm';
SELECT Id, Note FROM Keyed
;WITH late AS (SELECT Id, Note, Age FROM Keyed) UPDATE late SET Note = 'cte' WHERE Age >= 50
SELECT Id, Note FROM Keyed
-- locked
BEGIN TRAN
SELECT Id, CASE WHEN Age >= 50 THEN 'late' END AS age FROM Keyed WITH (UPDLOCK) WHERE Age >= 50
SELECT COUNT(*) AS n FROM Keyed AS k WITH (UPDLOCK, HOLDLOCK) JOIN Heap AS h WITH (XLOCK) ON h.Id = k.Id WHERE k.Age >= 50 AND h.Age >= 50
SELECT * INTO #locked FROM Keyed WITH (UPDLOCK)
SELECT COUNT(*) AS n FROM #locked WHERE Age >= 50
COMMIT
-- table variables, cursors
DECLARE @v TABLE (Id INT, Made DATETIME, Late AS CASE WHEN DATEDIFF(MILLISECOND, Made, GETDATE()) >= 50 THEN 1 ELSE 0 END)
INSERT @v (Id, Made) VALUES (1, GETDATE())
WAITFOR DELAY '00:00:00.060'
SELECT * FROM @v AS x WHERE 0 = 1
SELECT Id, Late FROM @v
SELECT x.Late FROM @v AS x WHERE x.Late = 1
DECLARE c CURSOR FOR SELECT Id, Age FROM Heap WHERE Age >= 50
OPEN c
DECLARE @id INT, @age INT
FETCH NEXT FROM c INTO @id, @age
SELECT @id AS id, CASE WHEN @age >= 50 THEN 'late' END AS age
UPDATE Heap SET Note = 'c' WHERE CURRENT OF c
CLOSE c
DEALLOCATE c
SELECT Id, Note FROM Heap
GO
-- what triggers see
CREATE TABLE Aged (Id INT PRIMARY KEY, Made DATETIME2(7), Note VARCHAR(10), Old AS CASE WHEN DATEDIFF(MILLISECOND, Made, SYSDATETIME()) >= 50 THEN 1 ELSE 0 END)
CREATE TABLE Told (what VARCHAR(10), Id INT, Old INT)
GO
CREATE TRIGGER tells ON Aged AFTER UPDATE, DELETE AS
BEGIN
    INSERT Told SELECT 'deleted', Id, Old FROM deleted WHERE Old >= 0
    INSERT Told SELECT 'inserted', i.Id, i.Old FROM inserted AS i JOIN deleted AS d ON d.Id = i.Id AND d.Old = i.Old
    INSERT Told SELECT 'star', x.Id, x.Old FROM (SELECT * FROM deleted) AS x
END
GO
INSERT Aged (Id, Made) VALUES (1, SYSDATETIME()), (2, SYSDATETIME())
WAITFOR DELAY '00:00:00.060'
UPDATE Aged SET Note = 'u' WHERE Id = 1
DELETE Aged WHERE Id = 2
SELECT what, Id, Old FROM Told ORDER BY Id, what
GO
-- names of columns of the query around a subquery, without their table
DELETE Aged
CREATE TABLE Numbers (x INT)
INSERT Numbers VALUES (1), (2), (3)
INSERT Aged (Id, Made) VALUES (1, SYSDATETIME()), (2, SYSDATETIME())
WAITFOR DELAY '00:00:00.060'
SELECT Id FROM Aged WHERE EXISTS (SELECT 1 FROM Numbers WHERE x = Id AND Old = 1) ORDER BY Id
SELECT Id, (SELECT MAX(x) FROM Numbers WHERE Old = 1) AS most FROM Aged
SELECT TOP 1 Id FROM Aged WHERE 1 = (SELECT COUNT(*) FROM Numbers WHERE x = Id AND (SELECT MIN(x + Old) FROM Numbers) = 2)
UPDATE Aged SET Note = 'found' WHERE (SELECT COUNT(*) FROM Numbers WHERE x < 3 AND Old = 1) = 2
SELECT Id, Note FROM Aged
SELECT COUNT(*) AS n FROM Aged WHERE 0 = (SELECT COUNT(*) FROM (SELECT x, 0 AS Old FROM Numbers) AS o WHERE Old = 1)
DELETE Aged WHERE Id IN (SELECT x FROM Numbers WHERE Old = 1)
SELECT COUNT(*) AS n FROM Aged
GO
