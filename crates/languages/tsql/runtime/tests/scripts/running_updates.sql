-- UPDATE whose variables go on from row to row, in the order of the table.
CREATE TABLE T (Id INT PRIMARY KEY, Amount INT, Number INT, Balance INT, Note VARCHAR(10))
INSERT INTO T (Id, Amount) VALUES (3, 30), (1, 10), (2, 20)
DECLARE @n INT = 0, @sum INT = 0, @list VARCHAR(50) = ''
UPDATE T SET @n = @n + 1, Number = @n
SELECT Id, Number FROM T
SELECT @n AS n, @@ROWCOUNT AS c
UPDATE T SET @sum = Balance = @sum + Amount, Note = 'x' + CAST(Id AS VARCHAR(5)) WHERE Id < 3
PRINT @@ROWCOUNT
SELECT * FROM T
SELECT @sum AS total
UPDATE T SET Note = 'sum', @sum = @sum + Amount
SELECT @sum AS total
UPDATE T SET @list += CAST(Id AS VARCHAR(5)) + ','
SELECT @list AS list
UPDATE T SET @n = Number = @n + 5 OUTPUT inserted.Id, deleted.Number, inserted.Number WHERE Id > 1
SELECT @n AS n
GO
-- In heaps and table variables, with TOP and joins, in procedures and triggers.
CREATE TABLE #h (A INT, B INT)
INSERT INTO #h (A) VALUES (9), (7), (8)
DECLARE @i INT
SET @i = 100
UPDATE #h SET @i = B = @i + 1
SELECT * FROM #h
UPDATE TOP (2) #h SET @i = @i + 1, B = @i
SELECT * FROM #h
DECLARE @v TABLE (A INT, B INT)
INSERT INTO @v (A) VALUES (1), (2)
UPDATE @v SET @i = B = @i * 2
SELECT * FROM @v
UPDATE t SET @i = @i + h.A, Balance = @i FROM T t JOIN #h h ON h.A = t.Id + 6 WHERE t.Id = 1
SELECT Balance FROM T WHERE Id = 1
GO
CREATE TRIGGER Seen ON T AFTER UPDATE AS SELECT COUNT(*) AS rows_seen FROM inserted
GO
CREATE PROCEDURE Renumber @from INT AS UPDATE T SET @from = Number = @from + 1 RETURN @from
GO
DECLARE @r INT
EXEC @r = Renumber 40
SELECT @r AS last
EXEC @r = Renumber 50
SELECT Id, Number FROM T
UPDATE T SET @r = @r + 1 WHERE Id = 99
SELECT @r AS same, @@ROWCOUNT AS none
GO
