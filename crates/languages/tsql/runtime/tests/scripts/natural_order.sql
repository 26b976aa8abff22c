-- Rows of one table come in the order of its clustered index, without ORDER BY.
CREATE TABLE Orders (Id INT NOT NULL CONSTRAINT PK_Orders PRIMARY KEY, Customer NVARCHAR(10), Total INT)
INSERT INTO Orders VALUES (30, 'c', 3), (10, 'a', 1), (20, 'b', 2), (40, 'a', 4)
UPDATE Orders SET Total = Total + 1 WHERE Id = 10
SELECT * FROM Orders
SELECT Customer FROM Orders WHERE Total > 2
SELECT TOP 2 * FROM Orders
SELECT TOP 1 Id FROM Orders WHERE Customer = 'a'
SELECT TOP 50 PERCENT Id FROM Orders
SELECT (SELECT TOP 1 Id FROM Orders) AS first_id
DECLARE @last INT, @list VARCHAR(100) = ''
SELECT @last = Id FROM Orders
SELECT @list = @list + CAST(Id AS VARCHAR(10)) + ',' FROM Orders
SELECT @last AS last_id, @list AS list
SELECT STUFF((SELECT ',' + CAST(Id AS VARCHAR(10)) FROM Orders FOR XML PATH('')), 1, 1, '') AS ids
GO
-- What is said counts before it.
SELECT Id FROM Orders ORDER BY Total DESC
SELECT DISTINCT Customer FROM Orders ORDER BY Customer
SELECT Id AS Total, Total AS Id FROM Orders
GO
-- A cursor walks in that order, and so do numbers that are given.
DECLARE c CURSOR FOR SELECT Id FROM Orders
DECLARE @id INT
OPEN c
FETCH NEXT FROM c INTO @id
WHILE @@FETCH_STATUS = 0 BEGIN PRINT @id FETCH NEXT FROM c INTO @id END
CLOSE c DEALLOCATE c
CREATE TABLE Copy1 (N INT IDENTITY, Id INT)
INSERT INTO Copy1 (Id) SELECT Id FROM Orders
SELECT N, Id FROM Copy1
INSERT INTO Copy1 (Id) SELECT Id FROM Orders ORDER BY Total DESC
SELECT N, Id FROM Copy1 WHERE N > 4
SELECT IDENTITY(INT, 1, 1) AS N, Id INTO Copy2 FROM Orders
SELECT * FROM Copy2
GO
-- UPDATE TOP and DELETE TOP take the first rows.
UPDATE TOP (1) Orders SET Total = 100
DELETE TOP (1) FROM Orders WHERE Total < 100
SELECT * FROM Orders
GO
-- A heap keeps the order in which rows were put in, whatever changes them.
CREATE TABLE #t (Kind INT, Name VARCHAR(10))
INSERT INTO #t VALUES (1, 'one'), (2, 'two'), (3, 'three')
UPDATE #t SET Name = 'ONE' WHERE Kind = 1
SELECT * FROM #t
SELECT TOP 1 * FROM #t
SELECT Name FROM #t WHERE Kind <> 2
DECLARE @v TABLE (a INT, b INT)
INSERT INTO @v VALUES (9, 1), (8, 2), (7, 3)
UPDATE @v SET b = 5 WHERE a = 9
SELECT * FROM @v
DECLARE @s VARCHAR(20) = ''
SELECT @s += CAST(a AS VARCHAR(5)) FROM @v
PRINT @s
DROP TABLE #t
GO
-- Keys of several columns, descending ones, texts.
CREATE TABLE Lines (Ord INT, Line INT, Item VARCHAR(5), PRIMARY KEY (Ord, Line DESC))
INSERT INTO Lines VALUES (2, 1, 'x'), (1, 1, 'y'), (1, 2, 'z'), (2, 2, 'w')
UPDATE Lines SET Item = 'Y' WHERE Ord = 1 AND Line = 1
SELECT * FROM Lines
SELECT Line FROM Lines WHERE Ord = 1
CREATE TABLE Customers (Code NCHAR(5) PRIMARY KEY, City NVARCHAR(20))
INSERT INTO Customers VALUES ('BOLID', 'Madrid'), ('alfki', 'Berlin'), ('ANATR', 'Mexico')
SELECT * FROM Customers
SELECT TOP 1 Code FROM Customers
GO
-- Which index is clustered is said.
CREATE TABLE n1 (Id INT PRIMARY KEY NONCLUSTERED, Place INT)
INSERT INTO n1 VALUES (3, 1), (1, 2), (2, 1)
SELECT * FROM n1
CREATE CLUSTERED INDEX ix_place ON n1 (Place)
UPDATE n1 SET Id = 5 WHERE Id = 3
SELECT * FROM n1
SELECT name, type_desc, is_primary_key FROM sys.indexes WHERE object_id = OBJECT_ID('n1') AND name NOT LIKE 'PK%'
CREATE CLUSTERED INDEX ix_other ON n1 (Id)
GO
DROP INDEX n1.ix_place
SELECT * FROM n1
SELECT index_id, type_desc FROM sys.indexes WHERE object_id = OBJECT_ID('n1')
CREATE TABLE n2 (Id INT PRIMARY KEY, Name VARCHAR(5) UNIQUE CLUSTERED)
INSERT INTO n2 VALUES (1, 'z'), (2, 'a')
SELECT * FROM n2
CREATE TABLE n3 (Id INT PRIMARY KEY CLUSTERED, Name VARCHAR(5) UNIQUE CLUSTERED)
GO
CREATE TABLE #c (a INT, b INT)
INSERT INTO #c VALUES (2, 1), (1, 2), (1, 1)
CREATE CLUSTERED INDEX ix ON #c (a)
SELECT * FROM #c
CREATE UNIQUE CLUSTERED INDEX ix2 ON Orders (Total)
GO
CREATE VIEW AllOrders AS SELECT Id, Total FROM Orders
GO
SELECT * FROM AllOrders ORDER BY Id
GO
CREATE SCHEMA other
GO
CREATE TABLE other.Heap (a INT)
INSERT INTO other.Heap VALUES (2), (1)
UPDATE other.Heap SET a = 3 WHERE a = 2
SELECT * FROM other.Heap
SELECT h.* FROM other.Heap h
SELECT * INTO Heap2 FROM other.Heap
SELECT * FROM Heap2
GO
-- Tables of more rows than fit into the row executor: by a number, by several columns, by a text, and a heap.
CREATE TABLE b1 (id INT PRIMARY KEY, v INT)
CREATE TABLE b2 (a INT, b INT, v INT, PRIMARY KEY (a, b DESC))
CREATE TABLE b3 (code VARCHAR(10) PRIMARY KEY, v INT)
CREATE TABLE b4 (id INT, v INT)
INSERT INTO b1 SELECT (value * 7919) % 6007, 0 FROM GENERATE_SERIES(1, 6000)
INSERT INTO b2 SELECT id % 10, id, 0 FROM b1 WHERE id % 3 > 0 UPDATE b2 SET v = 1 WHERE b % 7 = 0
INSERT INTO b3 SELECT CASE id % 2 WHEN 0 THEN 'k' ELSE 'K' END + RIGHT('0000' + CAST(id AS VARCHAR(5)), 5), 0 FROM b1 UPDATE b3 SET v = 1 WHERE v = 0 AND code LIKE '%7'
INSERT INTO b4 SELECT value, 0 FROM GENERATE_SERIES(1, 6000)
GO
CREATE TABLE #o (n INT IDENTITY, x VARCHAR(30))
INSERT INTO #o (x) SELECT id FROM b4
SELECT COUNT(*) AS heap_as_it_was FROM #o a JOIN #o b ON b.n = a.n + 1 WHERE CAST(b.x AS INT) < CAST(a.x AS INT)
UPDATE b1 SET v = 1 WHERE id % 5 = 0
UPDATE b4 SET v = 1 WHERE id % 5 = 0
TRUNCATE TABLE #o
INSERT INTO #o (x) SELECT id FROM b1
SELECT COUNT(*) AS numbers FROM #o a JOIN #o b ON b.n = a.n + 1 WHERE CAST(b.x AS INT) < CAST(a.x AS INT)
TRUNCATE TABLE #o
INSERT INTO #o (x) SELECT a * 10000 + 9999 - b FROM b2
SELECT COUNT(*) AS pairs, (SELECT COUNT(*) FROM #o) AS n FROM #o a JOIN #o b ON b.n = a.n + 1 WHERE CAST(b.x AS INT) < CAST(a.x AS INT)
TRUNCATE TABLE #o
INSERT INTO #o (x) SELECT code FROM b3 WHERE v < 2
SELECT COUNT(*) AS texts FROM #o a JOIN #o b ON b.n = a.n + 1 WHERE b.x < a.x
TRUNCATE TABLE #o
INSERT INTO #o (x) SELECT id FROM b4
SELECT COUNT(*) AS heap FROM #o a JOIN #o b ON b.n = a.n + 1 WHERE CAST(b.x AS INT) < CAST(a.x AS INT)
SELECT TOP 3 id FROM b4
SELECT TOP 3 id, v FROM b1 WHERE v = 1
SELECT TOP 2 code FROM b3
SELECT TOP 2 a, b FROM b2 WHERE v = 1
GO
