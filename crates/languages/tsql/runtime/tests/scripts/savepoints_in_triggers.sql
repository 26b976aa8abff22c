-- Savepoints and the statements that triggers run for (fault tsql-04): a trigger may roll back to a savepoint from before its
-- statement; savepoints that a trigger sets stay until the transaction ends. SAVE TRANSACTION and ROLLBACK TRANSACTION in SQL
-- Server's manual.
CREATE TABLE a(i INT); CREATE TABLE b(i INT); CREATE TABLE seen (t VARCHAR(20), n INT);
GO
CREATE TRIGGER ta ON a FOR INSERT AS
SAVE TRAN s1; INSERT b VALUES(1);
GO
CREATE TRIGGER tb ON b FOR INSERT AS ROLLBACK TRAN s1; INSERT seen SELECT 'inserted', COUNT(*) FROM inserted
GO
INSERT a VALUES(1);
GO
SELECT (SELECT COUNT(*) FROM a) a, (SELECT COUNT(*) FROM b) b, @@TRANCOUNT t;
SELECT t, n FROM seen
GO
-- A savepoint that a trigger sets is there for what follows in the transaction.
DROP TRIGGER tb
GO
ALTER TRIGGER ta ON a FOR INSERT AS SAVE TRAN s2
GO
DELETE a
BEGIN TRAN
INSERT a VALUES (1)
INSERT b VALUES (2)
ROLLBACK TRAN s2
SELECT (SELECT COUNT(*) FROM a) a, (SELECT COUNT(*) FROM b) b, @@TRANCOUNT t
COMMIT
GO
-- Within a transaction, back to a savepoint of the batch.
ALTER TRIGGER ta ON a FOR INSERT AS ROLLBACK TRAN s3
GO
DELETE a
BEGIN TRAN
INSERT b VALUES (3)
SAVE TRAN s3
INSERT b VALUES (4)
INSERT a VALUES (1)
SELECT (SELECT COUNT(*) FROM a) a, (SELECT COUNT(*) FROM b) b, @@TRANCOUNT t
COMMIT
GO
-- The transaction ends in a procedure that a trigger calls: 3609.
CREATE PROCEDURE ends AS COMMIT
GO
ALTER TRIGGER ta ON a FOR INSERT AS EXEC ends
GO
INSERT a VALUES (1)
PRINT 'not reached'
GO
SELECT COUNT(*) AS a, @@TRANCOUNT AS t FROM a
