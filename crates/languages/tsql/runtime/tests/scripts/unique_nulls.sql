SET NOCOUNT ON;
CREATE TABLE People (Id INT PRIMARY KEY, Email VARCHAR(40) NULL, CONSTRAINT UQ_People_Email UNIQUE (Email));
INSERT People VALUES (1, 'a@x'), (2, NULL);
INSERT People VALUES (3, NULL);
INSERT People VALUES (4, 'A@X ');
UPDATE People SET Email = NULL WHERE Id = 1;
SELECT Id, Email FROM People ORDER BY Id;
GO
-- An index says 2601. Of several columns, the whole key counts.
CREATE TABLE Pairs (A INT NULL, B INT NULL);
CREATE UNIQUE INDEX IX_Pairs ON Pairs (A, B);
INSERT Pairs VALUES (1, NULL), (NULL, 1), (NULL, NULL);
INSERT Pairs VALUES (1, NULL);
INSERT Pairs VALUES (NULL, NULL);
DELETE Pairs WHERE A IS NULL AND B IS NULL;
INSERT Pairs VALUES (NULL, NULL);
SELECT COUNT(*) AS n FROM Pairs;
GO
-- Rows that are there already.
CREATE TABLE Later (A INT NULL);
INSERT Later VALUES (NULL), (NULL);
CREATE UNIQUE INDEX IX_Later ON Later (A);
GO
ALTER TABLE Later ADD CONSTRAINT UQ_Later UNIQUE (A);
GO
CREATE UNIQUE INDEX IX_Later ON Later (A) WHERE A IS NOT NULL;
INSERT Later VALUES (NULL), (5);
INSERT Later VALUES (5);
SELECT A FROM Later ORDER BY A;
GO
-- Filters of several columns.
CREATE TABLE Posts (Id INT PRIMARY KEY, Code VARCHAR(10) NULL, Status CHAR(1) NOT NULL, Price DECIMAL(9,2) NULL);
CREATE UNIQUE NONCLUSTERED INDEX IX_Posts ON Posts (Code) INCLUDE (Price) WHERE Code IS NOT NULL AND Status = 'A';
INSERT Posts VALUES (1, 'x', 'A', 1), (2, 'x', 'B', 1), (3, 'x', 'B', 1), (4, NULL, 'A', 1), (5, NULL, 'A', 1);
INSERT Posts VALUES (6, 'X', 'a', 1);
UPDATE Posts SET Status = 'A' WHERE Id = 2;
UPDATE Posts SET Status = 'B' WHERE Id = 1;
UPDATE Posts SET Status = 'A' WHERE Id = 2;
UPDATE Posts SET Status = 'A' WHERE Id = 3;
UPDATE Posts SET Code = 'y', Status = 'A' WHERE Id = 3;
SELECT Id, Code, Status FROM Posts ORDER BY Id;
GO
-- It finds rows that the filter leaves out.
SELECT Id FROM Posts WHERE Code = 'x' ORDER BY Id;
BEGIN TRAN;
UPDATE Posts SET Status = 'B' WHERE Code = 'x';
ROLLBACK;
INSERT Posts VALUES (7, 'x', 'A', 1);
DELETE Posts WHERE Id = 2;
INSERT Posts VALUES (8, 'x', 'A', 1);
SELECT Id FROM Posts WHERE Code = 'x' AND Status = 'A';
GO
CREATE TABLE Ranges (Id INT PRIMARY KEY, N INT NULL, Kind INT NOT NULL, IsActive BIT NOT NULL, Day DATE NULL,
  INDEX IX_N UNIQUE (N) WHERE Kind IN (1, 2) AND IsActive = 1);
CREATE UNIQUE INDEX IX_Day ON Ranges (Kind) WHERE Day >= '2024-01-01' AND N <> -1;
INSERT Ranges VALUES (1, 10, 1, 1, NULL), (2, 10, 3, 1, NULL), (3, 10, 2, 0, NULL);
INSERT Ranges VALUES (4, 10, 2, 1, NULL);
INSERT Ranges VALUES (5, NULL, 1, 1, NULL);
INSERT Ranges VALUES (6, NULL, 2, 1, NULL);
INSERT Ranges VALUES (7, 70, 7, 1, '2024-05-01'), (8, 80, 7, 1, '2023-12-31'), (9, -1, 7, 1, '2024-05-01');
INSERT Ranges VALUES (10, 80, 7, 1, '2024-01-01');
SELECT Id FROM Ranges ORDER BY Id;
SELECT name, is_unique, has_filter, filter_definition FROM sys.indexes WHERE object_id = OBJECT_ID('Ranges') ORDER BY name;
GO
-- Temporary tables and variables as well.
CREATE TABLE #t (A INT NULL UNIQUE);
INSERT #t VALUES (NULL);
BEGIN TRY INSERT #t VALUES (NULL) END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS number END CATCH;
DECLARE @v TABLE (A INT NULL UNIQUE, B INT);
INSERT @v VALUES (NULL, 1);
BEGIN TRY INSERT @v VALUES (NULL, 2) END TRY BEGIN CATCH SELECT ERROR_NUMBER() AS number END CATCH;
SELECT A, B FROM @v;
GO
-- MERGE and a swap of keys within one statement.
CREATE TABLE Swap (Id INT PRIMARY KEY, K INT NULL UNIQUE);
INSERT Swap VALUES (1, 1), (2, NULL);
UPDATE Swap SET K = CASE Id WHEN 1 THEN NULL ELSE 1 END;
SELECT Id, K FROM Swap ORDER BY Id;
