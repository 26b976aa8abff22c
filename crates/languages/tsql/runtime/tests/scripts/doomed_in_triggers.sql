-- A trigger that catches an error which dooms the transaction, and comes to its end: nothing is kept.
CREATE TABLE Orders (id INT PRIMARY KEY, v INT)
CREATE TABLE Notes (text VARCHAR(50))
GO
CREATE TRIGGER watched ON Orders AFTER INSERT AS
BEGIN TRY
    DECLARE @n INT
    SELECT @n = 1 / (v - 1) FROM inserted
END TRY
BEGIN CATCH
    PRINT CONCAT('caught ', ERROR_NUMBER(), ' ', XACT_STATE())
END CATCH
GO
INSERT INTO Orders VALUES (1, 1)
PRINT 'does not go on'
GO
INSERT INTO Orders VALUES (2, 2)
SELECT id, @@TRANCOUNT AS open_ones FROM Orders
GO
BEGIN TRAN
INSERT INTO Orders VALUES (3, 3)
INSERT INTO Orders VALUES (4, 1)
PRINT 'does not go on'
GO
SELECT id, @@TRANCOUNT AS open_ones FROM Orders
GO
-- Who calls it may catch that, and can only roll back.
BEGIN TRY
    INSERT INTO Orders VALUES (5, 1)
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n, ERROR_PROCEDURE() AS p, ERROR_LINE() AS l, ERROR_MESSAGE() AS m, XACT_STATE() AS state,
        @@TRANCOUNT AS open_ones
END CATCH
BEGIN TRY
    BEGIN TRAN
    INSERT INTO Orders VALUES (6, 1)
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n, XACT_STATE() AS state, @@TRANCOUNT AS open_ones
    ROLLBACK
END CATCH
SELECT id, @@TRANCOUNT AS open_ones FROM Orders
GO
-- A table variable keeps what it had, and gets nothing of the statement that failed.
DECLARE @seen TABLE (id INT)
INSERT INTO @seen VALUES (1)
BEGIN TRY
    INSERT INTO Orders OUTPUT inserted.id INTO @seen VALUES (6, 1)
END TRY
BEGIN CATCH
    SELECT id FROM @seen
END CATCH
GO
-- An error that dooms nothing is the trigger's own affair.
ALTER TRIGGER watched ON Orders AFTER INSERT AS
SET XACT_ABORT OFF
BEGIN TRY
    DECLARE @n INT
    SELECT @n = 1 / (v - 1) FROM inserted
END TRY
BEGIN CATCH
    INSERT INTO Notes VALUES (CONCAT('caught ', ERROR_NUMBER(), ' ', XACT_STATE()))
END CATCH
GO
INSERT INTO Orders VALUES (7, 1)
PRINT 'goes on'
SELECT id FROM Orders
SELECT text FROM Notes
GO
-- The same of a trigger in place of the change.
CREATE VIEW OrdersSeen AS SELECT id, v FROM Orders
GO
CREATE TRIGGER instead ON OrdersSeen INSTEAD OF INSERT AS
BEGIN
    INSERT INTO Notes VALUES ('before')
    BEGIN TRY
        SELECT CAST('x' AS INT) AS a
    END TRY
    BEGIN CATCH
        PRINT 'caught'
    END CATCH
END
GO
INSERT INTO OrdersSeen VALUES (8, 8)
PRINT 'does not go on'
GO
SELECT text FROM Notes
GO
