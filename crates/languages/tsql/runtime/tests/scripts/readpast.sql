SET NOCOUNT ON;
CREATE TABLE Queue (Id INT PRIMARY KEY, Body VARCHAR(10), State CHAR(1) NOT NULL DEFAULT 'N');
INSERT Queue (Id, Body) VALUES (1, 'one'), (2, 'two'), (3, 'three'), (4, 'four'), (5, 'five');
GO
BEGIN TRAN;
UPDATE Queue SET State = 'W' WHERE Id = 1;
GO
--@b
-- Another one takes the next.
BEGIN TRAN;
DELETE TOP (1) FROM Queue WITH (ROWLOCK, READPAST) OUTPUT deleted.Id, deleted.Body WHERE State = 'N';
GO
--@c
SET LOCK_TIMEOUT 50;
WITH q AS (SELECT TOP (1) * FROM Queue WITH (ROWLOCK, READPAST, UPDLOCK) WHERE State = 'N' ORDER BY Id)
UPDATE q SET State = 'W' OUTPUT inserted.Id, inserted.State;
DECLARE @n INT = 2;
UPDATE TOP (@n) q SET State = 'T' OUTPUT inserted.Id FROM Queue AS q WITH (READPAST) WHERE q.State = 'N';
SELECT @@ROWCOUNT AS n;
UPDATE TOP (1) Queue WITH (READPAST) SET State = 'X' WHERE State = 'N';
SELECT @@ROWCOUNT AS n;
-- Without the hint it waits.
UPDATE Queue SET State = 'X' WHERE Id = 1;
GO
--@c
-- A plain SELECT passes them by, too.
SELECT Id FROM Queue WITH (READPAST) ORDER BY Id;
SELECT COUNT(*) AS n FROM Queue;
GO
--@b
ROLLBACK;
GO
COMMIT;
SELECT Id, State FROM Queue ORDER BY Id;
GO
-- With a trigger, and in one statement of a procedure
CREATE TABLE Log (Id INT);
GO
CREATE TRIGGER Gone ON Queue AFTER DELETE AS INSERT Log SELECT Id FROM deleted;
GO
CREATE PROCEDURE Take AS
  DECLARE @t TABLE (Id INT);
  DELETE TOP (1) FROM Queue WITH (READPAST) OUTPUT deleted.Id INTO @t;
  SELECT Id FROM @t;
GO
BEGIN TRAN;
EXEC Take;
GO
--@b
EXEC Take;
GO
COMMIT;
SELECT Id FROM Log ORDER BY Id;
SELECT COUNT(*) AS n FROM Queue;
GO
-- MERGE and others accept it.
DELETE FROM Queue WITH (READPAST);
SELECT COUNT(*) AS n FROM Queue;
-- In joins: what others hold of the table with the hint is passed by.
CREATE TABLE Jobs (Id INT PRIMARY KEY, Kind INT, State CHAR(1) NOT NULL DEFAULT 'N');
CREATE TABLE Kinds (Id INT PRIMARY KEY, Name VARCHAR(5));
INSERT Jobs (Id, Kind) VALUES (1, 1), (2, 1), (3, 2), (4, 2), (5, 2);
INSERT Kinds VALUES (1, 'a'), (2, 'b');
GO
BEGIN TRAN;
UPDATE Jobs SET State = 'W' WHERE Id IN (1, 4);
GO
--@c
UPDATE j SET State = 'D' OUTPUT inserted.Id FROM Jobs j WITH (READPAST) JOIN Kinds k ON k.Id = j.Kind WHERE k.Name = 'a';
SELECT @@ROWCOUNT AS n;
DELETE j OUTPUT deleted.Id, k.Name FROM Kinds AS k INNER JOIN Jobs AS j WITH (ROWLOCK, READPAST) ON k.Id = j.Kind AND k.Name = 'b' WHERE j.State = 'N';
-- Without the hint it waits.
UPDATE j SET State = 'X' FROM Jobs j JOIN Kinds k ON k.Id = j.Kind;
GO
COMMIT;
SELECT Id, State FROM Jobs ORDER BY Id;
GO
