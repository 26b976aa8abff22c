-- What a ROLLBACK makes of temporary tables that the transaction has made, filled and dropped.
CREATE TABLE #kept (a INT)
INSERT INTO #kept VALUES (1), (2)
BEGIN TRANSACTION
DELETE FROM #kept WHERE a = 1
DROP TABLE #kept
SELECT OBJECT_ID('tempdb..#kept') AS dropped
ROLLBACK
SELECT a FROM #kept ORDER BY a
GO
BEGIN TRANSACTION
CREATE TABLE #made (a INT)
INSERT INTO #made VALUES (1)
ROLLBACK
SELECT OBJECT_ID('tempdb..#made') AS made
GO
-- Its name is free, and may be that of another table.
CREATE TABLE #made (b VARCHAR(5))
INSERT INTO #made VALUES ('free')
SELECT b FROM #made
DROP TABLE #made
GO
-- Back to a savepoint: what was made before it stays.
BEGIN TRANSACTION
CREATE TABLE #before (a INT)
SAVE TRANSACTION here
CREATE TABLE #after (a INT)
DROP TABLE #kept
ROLLBACK TRANSACTION here
COMMIT
SELECT COUNT(*) AS before_rows FROM #before
SELECT COUNT(*) AS kept_rows FROM #kept
GO
SELECT a FROM #after
GO
-- Dropped and made anew in one transaction: the old one comes back.
BEGIN TRANSACTION
DROP TABLE #kept
CREATE TABLE #kept (b VARCHAR(5))
INSERT INTO #kept VALUES ('other')
SELECT b FROM #kept
ROLLBACK
SELECT a FROM #kept ORDER BY a
GO
-- A table of a procedure that has ended does not come back, and SELECT INTO is undone as CREATE is.
CREATE PROCEDURE Makes AS
BEGIN
    CREATE TABLE #own (a INT)
    INSERT INTO #own VALUES (7)
    SELECT a FROM #own
    DROP TABLE #kept
END
GO
BEGIN TRANSACTION
EXEC Makes
SELECT 1 AS a INTO #selected
ROLLBACK
SELECT OBJECT_ID('tempdb..#own') AS own, OBJECT_ID('tempdb..#selected') AS selected
SELECT SUM(a) AS kept FROM #kept
GO
-- An error that ends the transaction undoes them, too.
SET XACT_ABORT ON
BEGIN TRANSACTION
DROP TABLE #kept
CREATE TABLE #gone (a INT NOT NULL)
INSERT INTO #gone VALUES (NULL)
GO
SET XACT_ABORT OFF
SELECT @@TRANCOUNT AS open_transactions, OBJECT_ID('tempdb..#gone') AS gone, SUM(a) AS kept FROM #kept
GO
-- What was committed stays.
BEGIN TRANSACTION
DROP TABLE #kept
CREATE TABLE #new (a INT)
COMMIT
SELECT COUNT(*) AS new_rows FROM #new
GO
SELECT a FROM #kept
GO
-- Table variables outlive a rollback.
DECLARE @v TABLE (a INT)
BEGIN TRANSACTION
INSERT INTO @v VALUES (1)
DECLARE @w TABLE (b INT)
INSERT INTO @w VALUES (2)
ROLLBACK
SELECT a FROM @v
SELECT b FROM @w
GO
