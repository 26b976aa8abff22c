-- Duplicates
CREATE TABLE T (Id INT PRIMARY KEY, K VARCHAR(10), N INT)
INSERT INTO T VALUES (1, 'a', 1), (2, 'a', 2), (3, 'b', 3), (4, 'a', 4), (5, 'b', 5)
GO
WITH d AS (SELECT *, ROW_NUMBER() OVER (PARTITION BY K ORDER BY Id) AS rn FROM T)
DELETE FROM d WHERE rn > 1
SELECT Id, K FROM T ORDER BY Id
GO
INSERT INTO T VALUES (6, 'c', 6), (7, 'd', 7)
;WITH ranked (Number, Place) AS (SELECT N, ROW_NUMBER() OVER (ORDER BY Id DESC) FROM T WHERE K <> 'a')
UPDATE ranked SET Number = Place * 10
SELECT Id, N FROM T ORDER BY Id
GO
-- A derived table, and one with TOP and an order
UPDATE x SET N = N + 1 FROM (SELECT TOP (2) N, Id FROM T ORDER BY Id) AS x
DELETE x OUTPUT deleted.Id FROM (SELECT TOP 1 * FROM T ORDER BY Id DESC) x
SELECT Id, N FROM T ORDER BY Id
GO
-- A queue
;WITH q AS (SELECT TOP (1) Id, K FROM T WITH (ROWLOCK, READPAST) ORDER BY Id)
DELETE FROM q OUTPUT deleted.Id, deleted.K
GO
-- A CTE joined with another table
CREATE TABLE Prices (K VARCHAR(10), Price MONEY)
INSERT INTO Prices VALUES ('b', 1.5), ('c', 2.5)
;WITH c AS (SELECT Id, K, N FROM T)
UPDATE c SET N = p.Price * 10 OUTPUT inserted.Id, deleted.N AS was, inserted.N, p.Price
FROM c JOIN Prices p ON p.K = c.K
GO
-- What has no rows of a table
WITH g AS (SELECT K, COUNT(*) AS n FROM T GROUP BY K) DELETE FROM g
GO
WITH u AS (SELECT K FROM T UNION ALL SELECT K FROM Prices) DELETE FROM u
GO
WITH e AS (SELECT Id, N * 2 AS twice FROM T) UPDATE e SET twice = 1
GO
-- TOP
INSERT TOP (2) INTO Prices SELECT K, N FROM T ORDER BY Id
SELECT COUNT(*) AS n FROM Prices
UPDATE TOP (50) PERCENT Prices SET Price = 0
DELETE TOP (1) FROM Prices WHERE Price = 0
SELECT COUNT(*) AS n FROM Prices
GO
-- Variables see the row as it was
DECLARE @old INT, @new INT, @sum INT = 0
UPDATE T SET @old = N, @new = N = N + 100 WHERE Id = 3
SELECT @old AS old, @new AS new
GO
-- WRITE
CREATE TABLE Docs (Id INT, Body VARCHAR(MAX))
INSERT INTO Docs VALUES (1, 'abcdef'), (2, 'abcdef'), (3, 'abcdef'), (4, 'abcdef')
UPDATE Docs SET Body.WRITE('XY', 2, 3) WHERE Id = 1
UPDATE Docs SET Body.WRITE('XY', NULL, 0) WHERE Id = 2
UPDATE Docs SET Body.WRITE('XY', 2, NULL) WHERE Id = 3
UPDATE Docs SET Body.WRITE(NULL, 2, NULL) WHERE Id = 4
SELECT Id, Body FROM Docs ORDER BY Id
GO
