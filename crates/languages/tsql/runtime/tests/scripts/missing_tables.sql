-- What is said of tables that are not there: each statement in its own number, and names as they are written.
ALTER TABLE Nothing ADD c INT;
GO
ALTER TABLE dbo.Nothing ALTER COLUMN c INT;
GO
ALTER TABLE sales.Nothing DROP CONSTRAINT PK_x;
GO
ALTER TABLE dbo.Nothing NOCHECK CONSTRAINT ALL;
GO
CREATE INDEX ix ON dbo.Nothing (c);
GO
CREATE UNIQUE INDEX ix ON #nothing (c);
GO
TRUNCATE TABLE dbo.Nothing;
GO
TRUNCATE TABLE #nothing;
GO
-- They are caught where they are raised.
BEGIN TRY
    ALTER TABLE dbo.Nothing ADD c INT;
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_STATE() AS state, ERROR_MESSAGE() AS message;
END CATCH
BEGIN TRY
    CREATE INDEX ix ON Nothing (c);
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_STATE() AS state, ERROR_MESSAGE() AS message;
END CATCH
BEGIN TRY
    TRUNCATE TABLE Nothing;
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_STATE() AS state, ERROR_MESSAGE() AS message;
END CATCH
GO
SELECT * FROM dbo.Nothing;
GO
SELECT a.x FROM Sales.NoThing AS a JOIN sys.objects o ON o.object_id = a.x;
GO
INSERT INTO dbo.NoThing VALUES (1);
GO
INSERT NoThing (a) SELECT 1;
GO
UPDATE dbo.NoThing SET a = 1;
GO
UPDATE n SET a = 1 FROM Sales.NoThing n;
GO
DELETE FROM other.dbo.NoThing;
GO
MERGE dbo.NoThing AS t USING (SELECT 1 AS a) s ON t.a = s.a WHEN MATCHED THEN DELETE;
GO
CREATE TABLE T (id INT);
GO
CREATE PROCEDURE Reads AS SELECT * FROM T JOIN dbo.NoThing n ON n.id = T.id;
GO
EXEC Reads;
GO
SELECT * INTO Copy FROM dbo.NoThing;
GO
