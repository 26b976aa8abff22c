-- Numbers with a point in the definition of a table: defaults, checks, computed columns.
CREATE TABLE d1 (id INT, a DECIMAL(9,2) DEFAULT 1.5, b MONEY DEFAULT $2.5, c FLOAT DEFAULT 1e3, d INT DEFAULT 2.7,
  e VARCHAR(10) DEFAULT 1.5, f MONEY DEFAULT 10.25, g DECIMAL(10,2) DEFAULT 1/3.0, h MONEY DEFAULT ROUND(1.55, 1))
INSERT INTO d1 (id) VALUES (1)
INSERT INTO d1 (id, a) VALUES (2, DEFAULT)
SELECT * FROM d1
GO
CREATE TABLE c1 (id INT, x DECIMAL(9,2) CHECK (x >= 0.5), w MONEY CONSTRAINT cw CHECK (w <> 2.5), z FLOAT CHECK (z < 1.5),
  v INT CHECK (v * 1.0 / 3 > 0.5), y DECIMAL(5,2) CHECK (y BETWEEN 0.1 AND 0.9))
GO
INSERT INTO c1 (id, w) VALUES (1, 2.5)
GO
INSERT INTO c1 (id, x, z, v, y) VALUES (1, 0.5, 1.4, 2, 0.9)
SELECT * FROM c1
UPDATE c1 SET w = 2.5
UPDATE c1 SET w = 2.51
GO
CREATE TABLE p1 (id INT, amt DECIMAL(9,2), a AS id * 1.5, q AS id / 2.0, c AS amt * 2)
INSERT INTO p1 (id, amt) VALUES (3, 10)
SELECT * FROM p1
UPDATE p1 SET amt = 2.25
SELECT c FROM p1
DECLARE @t TABLE (a INT, b DECIMAL(9,2) DEFAULT 0.25)
INSERT INTO @t (a) VALUES (1)
INSERT INTO @t VALUES (2, 1.5)
SELECT * FROM @t
CREATE TABLE #t (a INT)
INSERT INTO #t VALUES (1)
ALTER TABLE #t ADD d DECIMAL(5,2) NOT NULL DEFAULT 2.25 WITH VALUES
SELECT * FROM #t
GO
-- Defaults are converted to the types of their columns by T-SQL's own rules.
CREATE TABLE dt (id INT, a DATETIME DEFAULT '20240101', b DATETIME DEFAULT '1/31/2024', c DATETIME DEFAULT '', d DATETIME DEFAULT 0,
  e DATE DEFAULT '20240131', f TIME(0) DEFAULT '10:30 PM', g BIT DEFAULT 5, h VARBINARY(4) DEFAULT 1, i BINARY(4) DEFAULT 0,
  j SMALLDATETIME DEFAULT 'Jan 5 2024')
INSERT INTO dt (id) VALUES (1)
SELECT * FROM dt
SELECT definition FROM sys.default_constraints WHERE parent_object_id = OBJECT_ID('dt') ORDER BY parent_column_id
ALTER TABLE dt ADD k DATETIME NULL
ALTER TABLE dt ADD CONSTRAINT dk DEFAULT '20250101' FOR k
INSERT INTO dt (id) VALUES (2)
SELECT k FROM dt
CREATE TABLE dl (id INT, a VARCHAR(20) DEFAULT GETDATE())
INSERT INTO dl (id) VALUES (1)
SELECT LEN(a) FROM dl
GO
-- A computed column of the clock is of the moment at which it is read.
CREATE TABLE Moments (Id INT PRIMARY KEY, Made DATETIME2(7), Late AS SYSDATETIME(), Age AS DATEDIFF(MILLISECOND, Made, SYSDATETIME()), Kind AS Id + 1)
INSERT INTO Moments (Id, Made) VALUES (1, SYSDATETIME()), (2, SYSDATETIME())
WAITFOR DELAY '00:00:00.060'
SELECT Id, CASE WHEN Age >= 50 THEN 'late' ELSE 'early' END AS age, CASE WHEN Late > DATEADD(MILLISECOND, 50, Made) THEN 1 ELSE 0 END AS late, Kind FROM Moments
SELECT COUNT(*) AS n FROM Moments AS m JOIN Moments AS o ON o.Id = m.Id WHERE m.Age >= 50 AND o.Age >= 50
SELECT * INTO #copy FROM Moments
SELECT COUNT(*) AS n, MIN(Kind) AS k FROM #copy WHERE Age >= 50
SELECT Id FROM Moments WITH (UPDLOCK) ORDER BY Id
UPDATE Moments SET Made = SYSDATETIME() WHERE Id = 2
DELETE FROM Moments WHERE Id = 2
SELECT Id, Kind FROM Moments FOR JSON AUTO
GO
CREATE VIEW OldMoments AS SELECT Id FROM Moments WHERE Age >= 50
GO
SELECT Id FROM OldMoments
GO
-- Defaults that ask the session that writes.
CREATE TABLE Asked (Id INT PRIMARY KEY, Host NVARCHAR(128) DEFAULT HOST_NAME(), App VARCHAR(60) NOT NULL DEFAULT (APP_NAME()), V ROWVERSION)
INSERT INTO Asked (Id) VALUES (1)
INSERT INTO Asked (Id, Host) SELECT 2, 'given'
ALTER TABLE Asked ADD Again NVARCHAR(128) NULL CONSTRAINT DF_Again DEFAULT HOST_NAME()
INSERT INTO Asked (Id) VALUES (3)
SELECT Id, CASE WHEN Host = HOST_NAME() THEN 'own' ELSE Host END AS host, CASE WHEN App = APP_NAME() THEN 'own' END AS app,
    CASE WHEN Again = HOST_NAME() THEN 'own' END AS again FROM Asked ORDER BY Id
SELECT c.name, c.is_nullable, d.definition FROM sys.columns c LEFT JOIN sys.default_constraints d ON d.object_id = c.default_object_id
WHERE c.object_id = OBJECT_ID('Asked') ORDER BY c.column_id
GO
--@b
INSERT INTO Asked (Id) VALUES (4)
SELECT CASE WHEN Host = HOST_NAME() THEN 'own' END AS host FROM Asked WHERE Id = 4
GO
-- A new column that takes NULL is NULL in the rows that are there, unless its default is WITH VALUES.
ALTER TABLE Asked ADD N INT NULL DEFAULT 5, W INT NULL DEFAULT 6 WITH VALUES, M INT NOT NULL DEFAULT 7, P INT DEFAULT 8
INSERT INTO Asked (Id) VALUES (5)
SELECT Id, N, W, M, P FROM Asked WHERE Id >= 4 ORDER BY Id
GO
-- Columns of the moment under cursors, changes of their table and changes of others.
CREATE TABLE Due (Id INT PRIMARY KEY, Age INT)
DECLARE c CURSOR DYNAMIC FOR SELECT Id, Kind FROM Moments WHERE Age >= 50
OPEN c
FETCH NEXT FROM c
UPDATE Moments SET Made = Made WHERE CURRENT OF c
FETCH NEXT FROM c
CLOSE c
DEALLOCATE c
INSERT INTO Due SELECT Id, CASE WHEN Age >= 50 THEN 1 END FROM Moments
UPDATE d SET Age = 2 FROM Due AS d JOIN Moments AS m ON m.Id = d.Id WHERE m.Age >= 50
MERGE Due AS d USING Moments AS m ON m.Id = d.Id WHEN MATCHED AND m.Age >= 50 THEN UPDATE SET Age = d.Age + 1;
SELECT Id, Age FROM Due
UPDATE TOP (1) m SET Made = m.Made FROM Moments AS m JOIN Due AS d ON d.Id = m.Id WHERE 1 = 0
SELECT TOP (1) * FROM (SELECT Id, Kind FROM Moments) AS x
GO
-- Defaults that tell the moment or make numbers are shown as the functions that they are.
CREATE TABLE moments_told (
    a DATETIME DEFAULT GETDATE(), b DATETIME DEFAULT GETUTCDATE(), c DATETIME2 DEFAULT SYSDATETIME(),
    d DATETIME2 DEFAULT SYSUTCDATETIME(), e DATETIMEOFFSET DEFAULT SYSDATETIMEOFFSET(), f DATE DEFAULT CAST(GETDATE() AS DATE),
    g UNIQUEIDENTIFIER DEFAULT NEWSEQUENTIALID(), h UNIQUEIDENTIFIER DEFAULT NEWID(), i DATETIME DEFAULT CURRENT_TIMESTAMP,
    j INT
);
INSERT moments_told (j) VALUES (1), (2);
SELECT COUNT(DISTINCT g) AS g, COUNT(DISTINCT h) AS h, COUNT(a) AS a, COUNT(b) AS b, COUNT(d) AS d, COUNT(f) AS f FROM moments_told;
SELECT definition FROM sys.default_constraints WHERE parent_object_id = OBJECT_ID('moments_told') ORDER BY parent_column_id;
GO
-- Who writes a row is who is asked.
CREATE TABLE written_by (id INT, a SYSNAME DEFAULT SUSER_SNAME(), b SYSNAME DEFAULT SYSTEM_USER, c SYSNAME DEFAULT ORIGINAL_LOGIN(),
    d SYSNAME DEFAULT USER_NAME(), e SYSNAME DEFAULT CURRENT_USER, f SYSNAME DEFAULT SESSION_USER);
INSERT written_by (id) VALUES (1);
SELECT CASE WHEN a = SUSER_SNAME() AND b = a AND c = a THEN 'login' END AS l, d, e, f FROM written_by;
SELECT definition FROM sys.default_constraints WHERE parent_object_id = OBJECT_ID('written_by') ORDER BY parent_column_id;
GO
