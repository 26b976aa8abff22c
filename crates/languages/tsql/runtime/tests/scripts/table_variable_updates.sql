-- UPDATE of table variables with conditions: in a batch, a function, a procedure, and a transaction.
CREATE TABLE dbo.S (Item INT PRIMARY KEY, OnHand INT NOT NULL)
INSERT dbo.S VALUES (1, 10), (2, 20)
DECLARE @all TABLE (Item INT, OnHand INT)
INSERT @all SELECT Item, OnHand FROM dbo.S
UPDATE @all SET OnHand = OnHand + 1000 WHERE Item = 2
SELECT * FROM @all
UPDATE @all SET OnHand = OnHand + (SELECT COUNT(*) FROM dbo.S) WHERE Item IN (SELECT Item FROM dbo.S)
SELECT * FROM @all
GO
CREATE FUNCTION dbo.A() RETURNS @found TABLE (Item INT, OnHand INT) AS
BEGIN
    DECLARE @all TABLE (Item INT, OnHand INT)
    INSERT @all SELECT Item, OnHand FROM dbo.S
    UPDATE @all SET OnHand = OnHand + 1000 WHERE Item = 2
    INSERT @found SELECT * FROM @all
    RETURN
END
GO
SELECT * FROM dbo.A()
GO
CREATE PROC P AS
    DECLARE @all TABLE (Item INT, OnHand INT)
    INSERT @all SELECT Item, OnHand FROM dbo.S
    UPDATE @all SET OnHand = OnHand + 1000 WHERE Item = 2
    SELECT * FROM @all
    BEGIN TRAN
    UPDATE @all SET OnHand = OnHand + 1000 WHERE Item = 2
    SELECT * FROM @all
    ROLLBACK
GO
EXEC P
GO
-- With FROM, OUTPUT, variables, and names in brackets.
DECLARE @t TABLE (Id INT PRIMARY KEY, N INT, S VARCHAR(10) DEFAULT 'x')
INSERT @t (Id, N) VALUES (1, 1), (2, 2), (3, 3)
UPDATE @t SET N = t.N + s.OnHand FROM @t t JOIN dbo.S s ON s.Item = t.Id
SELECT * FROM @t
UPDATE t SET N += 1 FROM @t AS t WHERE t.Id > 1
UPDATE @t SET N = s.OnHand FROM dbo.S s WHERE s.Item = [@t].Id
UPDATE @t SET N = 0 OUTPUT deleted.N, inserted.Id WHERE Id = 1
DECLARE @old INT
UPDATE @t SET @old = N, N = N * 2, S = DEFAULT WHERE Id = 3
SELECT @old AS old
UPDATE TOP (1) @t SET S = 'top' WHERE S = 'x'
SELECT COUNT(*) AS n FROM @t WHERE S = 'top'
DELETE @t OUTPUT deleted.Id WHERE N = 0
DELETE FROM @t WHERE EXISTS (SELECT 1 FROM dbo.S s WHERE s.Item = [@t].Id)
SELECT Id, N FROM @t
SELECT [@t].Id FROM @t JOIN dbo.S s ON s.Item <> [@t].Id
MERGE @t AS t USING (SELECT 3 AS Id, 5 AS N UNION SELECT 4, 6) AS s ON s.Id = t.Id
WHEN MATCHED THEN UPDATE SET N = s.N WHEN NOT MATCHED THEN INSERT (Id, N) VALUES (s.Id, s.N);
SELECT Id, N FROM @t ORDER BY Id
