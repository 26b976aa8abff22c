CREATE TABLE T (Id INT PRIMARY KEY, A INT, B INT, C INT, D INT, E INT, F INT, G INT, H INT)
INSERT INTO T (Id, A) VALUES (1, 1), (2, 2)
GO
CREATE TRIGGER b_second ON T AFTER UPDATE AS PRINT 'b'
GO
CREATE TRIGGER a_first ON T AFTER UPDATE AS PRINT 'a'
GO
CREATE TRIGGER c_third ON T FOR UPDATE AS PRINT CONCAT('c ', TRIGGER_NESTLEVEL(), ' ', TRIGGER_NESTLEVEL(OBJECT_ID('c_third')))
GO
-- The order, and what is switched off
UPDATE T SET A = 2 WHERE Id = 1
EXEC sp_settriggerorder @triggername = 'c_third', @order = 'First', @stmttype = 'UPDATE'
EXEC sp_settriggerorder 'a_first', 'Last', 'UPDATE'
UPDATE T SET A = 3 WHERE Id = 1
EXEC sp_settriggerorder 'b_second', 'First', 'UPDATE'
EXEC sp_settriggerorder 'b_second', 'First', 'DELETE'
GO
DISABLE TRIGGER b_second ON T
UPDATE T SET A = 4 WHERE Id = 1
ALTER TABLE T DISABLE TRIGGER ALL
UPDATE T SET A = 5 WHERE Id = 1
ENABLE TRIGGER a_first ON T
UPDATE T SET A = 6 WHERE Id = 1
ALTER TABLE T ENABLE TRIGGER ALL
UPDATE T SET A = 7 WHERE Id = 1
GO
DISABLE TRIGGER nobody ON T
GO
DROP TRIGGER a_first, b_second, c_third
SELECT TRIGGER_NESTLEVEL() AS n
GO
-- Which columns were set
CREATE TRIGGER columns_ ON T AFTER INSERT, UPDATE AS
BEGIN
    PRINT CONCAT('mask ', CONVERT(VARCHAR(10), COLUMNS_UPDATED(), 1))
    IF UPDATE(B) OR UPDATE(H) PRINT 'B or H'
    IF COLUMNS_UPDATED() & 4 = 4 PRINT 'the third'
END
GO
UPDATE T SET A = 1 WHERE Id = 1
UPDATE T SET B = B, H = 1 WHERE Id = 1
UPDATE T SET B = 2 WHERE Id = 99
INSERT INTO T (Id) VALUES (3)
GO
DROP TRIGGER columns_
GO
-- No rows: the trigger runs; @@ROWCOUNT is the statement's
CREATE TRIGGER counts ON T AFTER DELETE, UPDATE AS
BEGIN
    DECLARE @n INT = @@ROWCOUNT
    PRINT CONCAT(@n, ' rows, ', (SELECT COUNT(*) FROM deleted), ' deleted, ', (SELECT COUNT(*) FROM inserted), ' inserted')
END
GO
DELETE FROM T WHERE Id = 99
UPDATE T SET A = 0
DELETE FROM T WHERE Id = 3
GO
DROP TRIGGER counts
GO
-- One trigger's changes fire another's; its own do not fire it again
CREATE TABLE Log (N INT IDENTITY(1, 1), What VARCHAR(30), Level INT)
CREATE TABLE U (Id INT)
GO
CREATE TRIGGER outer_ ON T AFTER UPDATE AS
BEGIN
    INSERT INTO Log (What, Level) VALUES ('T', TRIGGER_NESTLEVEL())
    UPDATE T SET B = 1
    INSERT INTO U SELECT Id FROM inserted
END
GO
CREATE TRIGGER inner_ ON U AFTER INSERT AS INSERT INTO Log (What, Level) VALUES ('U', TRIGGER_NESTLEVEL())
GO
SET NOCOUNT ON
UPDATE T SET A = 9 WHERE Id = 1
SELECT What, Level FROM Log ORDER BY N
SET NOCOUNT OFF
GO
-- SCOPE_IDENTITY is the statement's, @@IDENTITY the trigger's
CREATE TABLE V (Id INT IDENTITY(100, 1), A INT)
GO
CREATE TRIGGER v_ ON V AFTER INSERT AS INSERT INTO Log (What) VALUES ('V')
GO
INSERT INTO V (A) VALUES (1)
SELECT SCOPE_IDENTITY() AS scope, @@IDENTITY - (SELECT MAX(N) FROM Log) AS of_log
GO
-- What is refused
CREATE TRIGGER nowhere ON NoTable AFTER INSERT AS PRINT 'x'
GO
CREATE TRIGGER ddl ON ALL SERVER FOR CREATE_DATABASE AS PRINT 'x'
GO
INSERT INTO V (A) OUTPUT inserted.Id VALUES (2)
GO
-- A trigger goes with its table
DROP TABLE V
CREATE TABLE V (Id INT IDENTITY(1, 1), A INT)
INSERT INTO V (A) OUTPUT inserted.Id VALUES (2)
GO
-- A trigger without a schema is in that of its table.
CREATE SCHEMA Yard
GO
CREATE TABLE Yard.Bins (id INT)
GO
CREATE TRIGGER BinFilled ON Yard.Bins AFTER INSERT AS PRINT 'filled'
GO
SELECT SCHEMA_NAME(o.schema_id) AS s, o.name, OBJECT_NAME(o.parent_object_id) AS t FROM sys.objects AS o WHERE o.name = 'BinFilled'
EXEC sp_addextendedproperty 'note', 'a', 'SCHEMA', 'Yard', 'TABLE', 'Bins', 'TRIGGER', 'BinFilled'
DROP TRIGGER BinFilled
INSERT Yard.Bins VALUES (1)
DISABLE TRIGGER BinFilled ON Yard.Bins
INSERT Yard.Bins VALUES (2)
DROP TRIGGER Yard.BinFilled
GO
