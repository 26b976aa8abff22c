-- Options that change what statements do.
CREATE TABLE t (Id INT PRIMARY KEY, Word VARCHAR(5))
INSERT INTO t VALUES (1, 'one'), (2, 'two')
GO
-- Under IMPLICIT_TRANSACTIONS the first statement that touches a table begins a transaction.
SET IMPLICIT_TRANSACTIONS ON
DECLARE @x INT = 1
SELECT @@TRANCOUNT AS before
INSERT INTO t VALUES (3, 'three')
SELECT @@TRANCOUNT AS after_insert
ROLLBACK
SELECT @@TRANCOUNT AS after_rollback
SELECT COUNT(*) AS n FROM t
SELECT @@TRANCOUNT AS after_select
COMMIT
SET IMPLICIT_TRANSACTIONS OFF
INSERT INTO t VALUES (3, 'three')
SELECT @@TRANCOUNT AS turned_off
GO
-- FMTONLY gives columns and no rows; NOEXEC runs nothing but SET.
SET FMTONLY ON
SELECT Id, Word FROM t
SELECT 1 AS a
SET FMTONLY OFF
SET NOEXEC ON
DELETE FROM t
SELECT 1 AS never
SET NOEXEC OFF
SELECT COUNT(*) AS n FROM t
GO
-- A conversion that fails ends the batch and rolls its transaction back.
BEGIN TRAN
DELETE FROM t WHERE Id = 3
DECLARE @bad INT = 'word'
PRINT 'not reached'
GO
SELECT @@TRANCOUNT AS trancount, COUNT(*) AS n FROM t
GO
-- ROWCOUNT limits, and 0 lifts it again.
SET ROWCOUNT 2
SELECT Id FROM t ORDER BY Id
SET ROWCOUNT 0
SELECT COUNT(*) AS n FROM t
GO
