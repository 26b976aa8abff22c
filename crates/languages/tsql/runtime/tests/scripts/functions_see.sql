-- Functions that a query calls see what their session's transaction sees.
CREATE TABLE dbo.Stock (Item INT PRIMARY KEY, OnHand INT NOT NULL)
INSERT dbo.Stock VALUES (1, 10), (2, 20)
GO
CREATE FUNCTION dbo.OnHandOf(@item INT) RETURNS INT AS
BEGIN
    RETURN (SELECT OnHand FROM dbo.Stock WHERE Item = @item)
END
GO
CREATE FUNCTION dbo.Above(@least INT) RETURNS @found TABLE (Item INT, OnHand INT) AS
BEGIN
    DECLARE @all TABLE (Item INT, OnHand INT)
    INSERT @all SELECT Item, OnHand FROM dbo.Stock
    UPDATE @all SET OnHand = OnHand + 1000 WHERE Item = 2
    DELETE @all WHERE OnHand < @least
    INSERT @found SELECT a.Item, s.OnHand FROM @all a JOIN dbo.Stock s ON s.Item = a.Item
    RETURN
END
GO
CREATE FUNCTION dbo.CountAbove(@least INT) RETURNS INT AS
BEGIN
    DECLARE @n INT, @rows TABLE (Item INT PRIMARY KEY)
    INSERT @rows SELECT Item FROM dbo.Stock WHERE OnHand >= @least
    DELETE @rows WHERE Item IN (SELECT Item FROM dbo.Stock WHERE OnHand = 99)
    SELECT @n = COUNT(*) FROM @rows r JOIN dbo.Stock s ON s.Item = r.Item
    RETURN @n
END
GO
CREATE FUNCTION dbo.Twice(@item INT) RETURNS INT AS
BEGIN
    RETURN (SELECT dbo.OnHandOf(Item) * 2 FROM dbo.Stock WHERE Item = @item)
END
GO
-- An open transaction: its own changes, in queries of one row, of many, and under APPLY.
BEGIN TRAN
UPDATE dbo.Stock SET OnHand = 11 WHERE Item = 1
INSERT dbo.Stock VALUES (3, 30)
SELECT dbo.OnHandOf(1) AS one, dbo.OnHandOf(3) AS three
SELECT Item, dbo.OnHandOf(Item) AS f, dbo.Twice(Item) AS twice FROM dbo.Stock ORDER BY Item
SELECT s.Item, a.Item AS other, a.OnHand FROM dbo.Stock s CROSS APPLY dbo.Above(s.OnHand) a WHERE s.Item = 3 ORDER BY a.Item
SELECT dbo.CountAbove(11) AS many
SELECT COUNT(*) AS n FROM dbo.Stock WHERE dbo.OnHandOf(Item) > 10
IF dbo.OnHandOf(3) = 30 PRINT 'IF sees it'
DECLARE @n INT = dbo.OnHandOf(1) + dbo.OnHandOf(3)
PRINT @n
SELECT @n = SUM(dbo.OnHandOf(Item)) FROM dbo.Stock
PRINT @n
ROLLBACK
SELECT dbo.OnHandOf(1) AS one, dbo.OnHandOf(3) AS three, dbo.CountAbove(11) AS many
GO
-- A change whose values come from functions: they see what was there before its statement.
BEGIN TRAN
UPDATE dbo.Stock SET OnHand = dbo.OnHandOf(3 - Item) + 1
SELECT Item, OnHand FROM dbo.Stock ORDER BY Item
INSERT dbo.Stock SELECT Item + 10, dbo.OnHandOf(Item) * 100 FROM dbo.Stock
SELECT Item, OnHand FROM dbo.Stock ORDER BY Item
DELETE dbo.Stock WHERE dbo.OnHandOf(Item) > 1000
SELECT Item, OnHand, dbo.OnHandOf(Item) AS f FROM dbo.Stock ORDER BY Item
ROLLBACK
GO
-- Within procedures and triggers, and behind a savepoint.
CREATE PROCEDURE dbo.Move @from INT, @to INT, @n INT AS
BEGIN TRAN
UPDATE dbo.Stock SET OnHand = OnHand - @n WHERE Item = @from
SELECT Item, dbo.OnHandOf(Item) AS f FROM dbo.Stock WHERE Item IN (@from, @to) ORDER BY Item
SAVE TRAN half
UPDATE dbo.Stock SET OnHand = OnHand + @n WHERE Item = @to
SELECT dbo.OnHandOf(@to) AS f, @@TRANCOUNT AS open_transactions
ROLLBACK TRAN half
SELECT dbo.OnHandOf(Item) AS f FROM dbo.Stock WHERE Item = @to
ROLLBACK
GO
EXEC dbo.Move 1, 2, 5
GO
CREATE TABLE dbo.Log (Item INT, Seen INT)
GO
CREATE TRIGGER dbo.StockChanged ON dbo.Stock AFTER UPDATE AS
INSERT dbo.Log SELECT Item, dbo.OnHandOf(Item) FROM inserted
GO
UPDATE dbo.Stock SET OnHand = OnHand + 1
SELECT Item, Seen FROM dbo.Log ORDER BY Item
DROP TRIGGER dbo.StockChanged
UPDATE dbo.Stock SET OnHand = OnHand - 1
GO
-- What the transaction itself has made.
BEGIN TRAN
CREATE TABLE dbo.Fresh (n INT)
INSERT dbo.Fresh VALUES (7), (8)
GO
CREATE FUNCTION dbo.FreshSum() RETURNS INT AS
BEGIN
    RETURN (SELECT SUM(n) FROM dbo.Fresh)
END
GO
SELECT dbo.FreshSum() AS total
SELECT Item, dbo.FreshSum() AS total FROM dbo.Stock ORDER BY Item
ROLLBACK
GO
SELECT dbo.FreshSum() AS total
GO
-- Isolation levels.
SET TRANSACTION ISOLATION LEVEL SNAPSHOT
BEGIN TRAN
SELECT dbo.OnHandOf(1) AS one
UPDATE dbo.Stock SET OnHand = 1 WHERE Item = 1
SELECT dbo.OnHandOf(1) AS one FROM dbo.Stock WHERE Item = 1
ROLLBACK
SET TRANSACTION ISOLATION LEVEL READ COMMITTED
GO
-- What the session is.
CREATE FUNCTION dbo.Who() RETURNS NVARCHAR(200) AS
BEGIN
    RETURN CONCAT(@@TRANCOUNT, ' ', @@SPID, ' ', CAST(SESSION_CONTEXT(N'who') AS NVARCHAR(20)), ' ', @@DATEFIRST, ' ', XACT_STATE())
END
GO
EXEC sp_set_session_context 'who', 'me'
SET DATEFIRST 1
BEGIN TRAN
SELECT REPLACE(dbo.Who(), @@SPID, 'spid') AS who FROM dbo.Stock WHERE Item = 1
ROLLBACK
SELECT REPLACE(dbo.Who(), @@SPID, 'spid') AS who FROM dbo.Stock WHERE Item = 1
SET DATEFIRST 7
GO
-- CHECK, DEFAULT and computed columns. A check sees its row in the table.
CREATE FUNCTION dbo.CountOf(@kind INT) RETURNS INT AS
BEGIN
    RETURN (SELECT COUNT(*) FROM dbo.Part WHERE Kind = @kind)
END
GO
CREATE FUNCTION dbo.NextNumber() RETURNS INT AS
BEGIN
    RETURN (SELECT ISNULL(MAX(Number), 0) + 1 FROM dbo.Part)
END
GO
CREATE FUNCTION dbo.Padded(@n INT) RETURNS CHAR(5) WITH SCHEMABINDING AS
BEGIN
    RETURN RIGHT('00000' + CAST(@n AS VARCHAR(5)), 5)
END
GO
CREATE TABLE dbo.Part (
    Id INT IDENTITY PRIMARY KEY,
    Kind INT NOT NULL CONSTRAINT AtMostTwo CHECK (dbo.CountOf(Kind) <= 2),
    Number INT NOT NULL CONSTRAINT Numbered DEFAULT dbo.NextNumber(),
    Code AS 'P' + dbo.Padded(Number))
GO
INSERT dbo.Part (Kind) VALUES (1)
INSERT dbo.Part (Kind) VALUES (1)
INSERT dbo.Part (Kind) VALUES (1)
INSERT dbo.Part (Kind, Number) VALUES (2, 50)
SELECT Id, Kind, Number, Code FROM dbo.Part ORDER BY Id
UPDATE dbo.Part SET Kind = 1 WHERE Kind = 2
UPDATE dbo.Part SET Kind = 3, Number = 51 WHERE Kind = 2
SELECT Id, Kind, Number, Code FROM dbo.Part ORDER BY Id
INSERT dbo.Part (Kind) SELECT 4 FROM dbo.Part
SELECT COUNT(*) AS n FROM dbo.Part
ALTER TABLE dbo.Part ADD CONSTRAINT AtMostOne CHECK (dbo.CountOf(Kind) <= 1)
ALTER TABLE dbo.Part DROP CONSTRAINT AtMostTwo
INSERT dbo.Part (Kind) VALUES (1)
SELECT Id, Kind, Number, Code FROM dbo.Part ORDER BY Id
GO
DROP FUNCTION dbo.Padded
DROP FUNCTION dbo.NextNumber
DROP FUNCTION dbo.CountOf
GO
ALTER FUNCTION dbo.Padded(@n INT) RETURNS CHAR(6) AS BEGIN RETURN '' END
GO
-- Views of functions.
CREATE VIEW dbo.Shown AS SELECT Item, dbo.OnHandOf(Item) AS f FROM dbo.Stock
GO
BEGIN TRAN
UPDATE dbo.Stock SET OnHand = 77 WHERE Item = 2
SELECT Item, f FROM dbo.Shown ORDER BY Item
ROLLBACK
SELECT Item, f FROM dbo.Shown ORDER BY Item
GO
-- What other sessions do.
SET TRANSACTION ISOLATION LEVEL SNAPSHOT
BEGIN TRAN
SELECT Item, dbo.OnHandOf(Item) AS f FROM dbo.Stock WHERE Item = 1
GO
--@b
UPDATE dbo.Stock SET OnHand = 500 WHERE Item = 1
GO
SELECT Item, dbo.OnHandOf(Item) AS f, dbo.CountAbove(500) AS many FROM dbo.Stock WHERE Item = 1
COMMIT
SET TRANSACTION ISOLATION LEVEL READ COMMITTED
SELECT Item, dbo.OnHandOf(Item) AS f, dbo.CountAbove(500) AS many FROM dbo.Stock WHERE Item = 1
GO
--@b
BEGIN TRAN
UPDATE dbo.Stock SET OnHand = 10 WHERE Item = 1
SELECT Item, dbo.OnHandOf(Item) AS f FROM dbo.Stock WHERE Item = 1
GO
BEGIN TRAN
SELECT Item, dbo.OnHandOf(Item) AS f FROM dbo.Stock WHERE Item = 1
GO
--@b
COMMIT
GO
SELECT dbo.OnHandOf(1) AS f
SELECT Item, dbo.OnHandOf(Item) AS f FROM dbo.Stock WHERE Item = 1
COMMIT
GO
-- A serializable transaction has read what its functions have read.
SET TRANSACTION ISOLATION LEVEL SERIALIZABLE
BEGIN TRAN
SELECT dbo.CountAbove(0) AS many
INSERT dbo.Log VALUES (100, 1)
GO
--@b
UPDATE dbo.Stock SET OnHand = 11 WHERE Item = 2
GO
COMMIT
GO
SET TRANSACTION ISOLATION LEVEL READ COMMITTED
SELECT COUNT(*) AS n FROM dbo.Log WHERE Item = 100
GO
