-- The table that a module is given is READONLY.
CREATE TYPE dbo.Numbers AS TABLE (n INT)
CREATE TABLE kept (n INT)
GO
CREATE PROCEDURE adds @t dbo.Numbers READONLY AS
INSERT INTO @t VALUES (1)
GO
CREATE PROCEDURE changes @t dbo.Numbers READONLY AS
SELECT n FROM @t
UPDATE @t SET n = 2
GO
CREATE PROCEDURE deletes @T dbo.Numbers READONLY AS
DELETE FROM @t WHERE n = 1
DELETE x FROM @t AS x
UPDATE x SET n = 1 FROM @t AS x JOIN kept AS k ON k.n = x.n
GO
CREATE PROCEDURE merges @t dbo.Numbers READONLY AS
MERGE INTO @t AS t USING kept AS k ON k.n = t.n WHEN NOT MATCHED THEN INSERT (n) VALUES (k.n);
GO
CREATE PROCEDURE sends @t dbo.Numbers READONLY AS
DELETE FROM kept OUTPUT deleted.n INTO @t
GO
CREATE FUNCTION counts(@t dbo.Numbers READONLY) RETURNS INT AS
BEGIN
    DELETE FROM @t
    RETURN (SELECT COUNT(*) FROM @t)
END
GO
CREATE PROCEDURE lacks @t dbo.Numbers AS SELECT n FROM @t
GO
SELECT name FROM sys.objects WHERE type IN ('P', 'FN')
GO
-- What it reads is its own to keep.
CREATE PROCEDURE reads @t dbo.Numbers READONLY AS
DECLARE @own dbo.Numbers
INSERT INTO @own SELECT n + 1 FROM @t
UPDATE k SET n = k.n + 1 FROM kept AS k JOIN @t AS t ON t.n = k.n
DELETE FROM @own WHERE n = 3
SELECT n FROM @own
GO
DECLARE @given dbo.Numbers
INSERT INTO @given VALUES (1), (2)
EXEC reads @given
INSERT INTO @given VALUES (3)
EXEC sp_executesql N'INSERT INTO @t VALUES (9)', N'@t dbo.Numbers READONLY', @given
SELECT COUNT(*) AS n FROM @given
GO
