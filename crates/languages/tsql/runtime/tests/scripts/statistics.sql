-- "SET STATISTICS IO" and "SET STATISTICS PROFILE" in SQL Server's reference. A logical read is a row that an index gives, or a
-- group of up to 65,536 rows that is scanned.
CREATE TABLE Stock (Id INT NOT NULL CONSTRAINT PK_Stock PRIMARY KEY, Amount INT NOT NULL);
CREATE TABLE Moves (Id INT IDENTITY NOT NULL PRIMARY KEY, Stock INT NOT NULL, Amount INT NOT NULL);
CREATE INDEX IX_Moves ON Moves (Stock);
INSERT Stock VALUES (1, 10), (2, 20), (3, 30);
INSERT Moves (Stock, Amount) VALUES (1, 1), (1, 2), (2, 3);
CREATE TABLE #own (Id INT);
INSERT #own VALUES (1), (2);
GO
SET STATISTICS IO ON;
GO
-- One row by its key: no scan, one read.
SELECT Amount FROM Stock WHERE Id = 2;
-- A range of an index: one scan, two rows.
SELECT Amount FROM Moves WHERE Stock = 1;
-- A row by its key for each of two rows.
SELECT m.Id, s.Amount FROM Moves AS m JOIN Stock AS s ON s.Id = m.Stock WHERE m.Stock = 1;
-- All of a table: one group.
SELECT COUNT(*) AS n FROM #own;
UPDATE Stock SET Amount = Amount + 1 WHERE Id = 3;
DECLARE @amount INT;
SELECT @amount = Amount FROM Stock WHERE Id = 3;
PRINT @amount;
GO
CREATE PROCEDURE Quiet AS SET STATISTICS IO OFF; SELECT Amount FROM Stock WHERE Id = 1;
GO
-- What a procedure sets ends with it.
EXEC Quiet;
SELECT Amount FROM Stock WHERE Id = 1;
GO
SET STATISTICS IO OFF;
SELECT Amount FROM Stock WHERE Id = 1;
GO
SET STATISTICS PROFILE ON;
SELECT Id FROM Stock WHERE Id = 2;
UPDATE Stock SET Amount = 0 WHERE Amount > 5;
SET STATISTICS PROFILE OFF;
SELECT Id FROM Stock WHERE Id = 2;
GO
SET STATISTICS XML ON;
SELECT Amount FROM Stock WHERE Id = 2;
SET STATISTICS XML OFF;
GO
