CREATE TABLE T (Id INT IDENTITY(1, 1) PRIMARY KEY, Name VARCHAR(10), N INT DEFAULT 7, Twice AS (N * 2))
CREATE TABLE Log (What VARCHAR(10), Id INT, Old INT, New INT)
GO
-- Of INSERT: identities, defaults and calculated columns
INSERT INTO T (Name) OUTPUT inserted.* VALUES ('a'), ('b')
INSERT INTO T (Name, N) OUTPUT 'ins', inserted.Id, NULL, inserted.N INTO Log SELECT 'c', 1
SELECT * FROM Log
GO
-- Of UPDATE: to a table and to the client at once
UPDATE T SET N = N + 1
OUTPUT 'upd', inserted.Id, deleted.N, inserted.N INTO Log (What, Id, Old, New)
OUTPUT inserted.Id, inserted.N - deleted.N AS diff, UPPER(inserted.Name) AS name
WHERE Id < 3
SELECT What, Id, Old, New FROM Log WHERE What = 'upd' ORDER BY Id
GO
-- Of DELETE, with another table's columns, into a table variable
DECLARE @gone TABLE (Id INT, What VARCHAR(10))
DELETE t OUTPUT deleted.Id, l.What INTO @gone FROM T t JOIN Log l ON l.Id = t.Id WHERE l.What = 'ins'
SELECT * FROM @gone
DELETE FROM T OUTPUT deleted.Id, deleted.Twice WHERE Id = 99
GO
-- What a change within a query gives
INSERT INTO Log (What, Id, New)
SELECT x.act, x.Id, x.N FROM (
    MERGE T AS t USING (VALUES (1, 100), (50, 200)) AS s (Id, N) ON t.Id = s.Id
    WHEN MATCHED THEN UPDATE SET N = s.N
    WHEN NOT MATCHED THEN INSERT (Name, N) VALUES ('m', s.N)
    OUTPUT $action, inserted.Id, inserted.N) AS x (act, Id, N)
WHERE x.act = 'UPDATE'
SELECT What, Id, New FROM Log WHERE New >= 100
GO
-- What is refused
UPDATE T SET N = 1 OUTPUT Id
GO
DELETE FROM T OUTPUT inserted.Id
GO
INSERT INTO T (Name) OUTPUT deleted.Id VALUES ('x')
GO
