-- What stands in a list of values: calculations, conversions to the columns' types, and what they refuse.
CREATE TABLE t (Id INT IDENTITY(10, 5) PRIMARY KEY, Code CHAR(3), Name VARCHAR(5), Price DECIMAL(6,2), Small TINYINT, Made DATETIME)
GO
DECLARE @i INT = 7, @name VARCHAR(20) = 'abcde   '
INSERT INTO t (Code, Name, Price, Small, Made) VALUES ('x' + 'y', @name, @i * 0.015, @i % 4, '2026-02-03T04:05:06.789')
INSERT INTO t (Code, Name, Price, Small) VALUES (UPPER('abc'), CAST(@i AS VARCHAR(5)), '12.346', CASE WHEN @i > 5 THEN 1 ELSE 0 END)
SELECT SCOPE_IDENTITY() AS scope, @@IDENTITY AS id, IDENT_CURRENT('t') AS cur
SELECT * FROM t
GO
-- Too long for the column: 2628 names it. Blanks may be lost.
DECLARE @long VARCHAR(20) = 'abcdefgh'
INSERT INTO t (Name) VALUES (@long)
INSERT INTO t (Name) VALUES ('abcdef' + 'gh')
INSERT INTO t (Name) VALUES ('abc' + '        ')
SELECT @@ROWCOUNT AS n, SCOPE_IDENTITY() AS scope
GO
-- What does not convert, overflows or divides by zero puts nothing in.
DECLARE @zero INT = 0, @word VARCHAR(10) = 'word'
INSERT INTO t (Small) VALUES (200 + 100)
INSERT INTO t (Small) VALUES (1 / @zero)
INSERT INTO t (Price) VALUES (99999.99)
SELECT COUNT(*) AS n FROM t
INSERT INTO t (Small) VALUES (@word)
PRINT 'the batch has ended'
GO
SELECT COUNT(*) AS n FROM t
GO
-- Defaults beside calculations, and subqueries.
CREATE TABLE d (Id INT DEFAULT 5, Twice INT, Total INT)
GO
DECLARE @i INT = 3
INSERT INTO d VALUES (DEFAULT, @i + @i, (SELECT COUNT(*) FROM t) + @i)
INSERT INTO d VALUES (@i + 1, NULL, -@i), (@i + 2, @i * 2, @i - 1)
SELECT * FROM d
GO
