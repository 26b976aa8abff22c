-- CHAR and NCHAR: the blanks up to their lengths are part of their values, and do not count in comparisons.
CREATE TABLE t (a VARCHAR(10), c CHAR(5), n NCHAR(4))
INSERT t VALUES ('abc', 'xy', 'z')
SELECT c, n FROM t
SELECT c + '|' FROM t
DECLARE @v VARCHAR(10), @c CHAR(7), @n NVARCHAR(10)
SELECT @v = c, @c = c, @n = n FROM t
SELECT '[' + @v + ']', '[' + @c + ']', '[' + @n + ']'
SELECT @v = MAX(c) FROM t
SELECT '[' + @v + ']'
CREATE TABLE u (v VARCHAR(10), c CHAR(3))
INSERT u SELECT c, a FROM t
SELECT '[' + v + ']', DATALENGTH(v) FROM u
UPDATE u SET v = t.c + t.a FROM t
SELECT v FROM u
DECLARE k CURSOR FOR SELECT c, a FROM t
OPEN k
FETCH NEXT FROM k INTO @v, @n
SELECT '[' + @v + ']', '[' + @n + ']'
CLOSE k
DEALLOCATE k
SELECT LEN(c), c + a, RTRIM(c) + a, LEFT(c, 4) + '|', SUBSTRING(c, 1, 4) + '|', REVERSE(c), CASE WHEN c LIKE '%y' THEN 1 ELSE 0 END, ISNULL(c, 'q') + '|', COALESCE(c, 'q') + '|', CHARINDEX(' ', c), QUOTENAME(c), CONCAT(c, '|'), STUFF(c, 1, 1, '') + '|' FROM t
SELECT STRING_AGG(c, ',') FROM t
SELECT c FROM t FOR XML PATH('')
SELECT c FROM t FOR JSON PATH
SELECT (SELECT c + '' FROM t FOR XML PATH(''))
GO
SELECT 1 WHERE EXISTS (SELECT 1 FROM t WHERE c = 'xy  ' AND c = 'xy' AND c <> 'x')
SELECT c, COUNT(*) FROM t GROUP BY c
SELECT UPPER(c) + '|', LOWER(n) + '|' FROM t
SELECT CAST(c AS NVARCHAR(5)) + '|', CONVERT(CHAR(3), a) + '|' FROM t
GO
CREATE TABLE Acc (Id INT PRIMARY KEY, Bal MONEY NOT NULL CHECK (Bal >= 0), Kind CHAR(2) NOT NULL DEFAULT 'N', Ref CHAR(10) NULL)
INSERT Acc (Id, Bal) VALUES (1, 100); INSERT Acc (Id, Bal, Kind, Ref) VALUES (2, 50, 'S', 'X1')
GO
-- keys made of CHAR
SELECT a.Id FROM Acc a JOIN Acc b ON a.Kind = b.Kind AND a.Id = b.Id WHERE a.Kind IN ('N', 'S ') AND RTRIM(a.Kind) + ':' + CAST(a.Id AS VARCHAR) = 'N:1'
SELECT Id FROM Acc WHERE Kind + '' = 'N'
SELECT Id FROM Acc WHERE Kind LIKE 'N'
SELECT Id FROM Acc WHERE Ref LIKE 'X1'
SELECT Id FROM Acc WHERE Ref LIKE 'X1%'
SELECT Id FROM Acc WHERE Ref LIKE '%1'
SELECT Id FROM Acc WHERE SUBSTRING(Ref, 1, 2) = 'X1' AND RIGHT(Ref, 3) = '   '
SELECT Ref, COUNT(*) FROM Acc WHERE Ref IS NOT NULL GROUP BY Ref HAVING Ref > 'A'
SELECT LEFT(Ref, 5) AS k, COUNT(*) AS n FROM Acc GROUP BY LEFT(Ref, 5)
SELECT CASE WHEN Kind = 'N' THEN 'normal' ELSE Ref END AS c FROM Acc
SELECT ISNULL(Ref, '') + '|', COALESCE(Ref, Kind) + '|' FROM Acc
SELECT CAST(Id AS CHAR(5)) + '|', CONVERT(CHAR(8), Bal, 1) + '|' FROM Acc
SELECT REPLACE(Ref, ' ', '') + '|' FROM Acc WHERE Id = 2
DECLARE @k CHAR(2), @out VARCHAR(50)
SELECT @k = Kind, @out = Ref + Kind FROM Acc WHERE Id = 2
SELECT '<' + @k + '>', '<' + @out + '>'
UPDATE Acc SET Ref = Kind + 'Z' WHERE Id = 1
SELECT '<' + Ref + '>' FROM Acc WHERE Id = 1
SELECT Kind AS k INTO #c FROM Acc
SELECT '<' + k + '>' FROM #c ORDER BY k
DECLARE @t TABLE (c CHAR(4), v VARCHAR(4))
INSERT @t SELECT Kind, Kind FROM Acc
SELECT '<' + c + '>', '<' + v + '>', DATALENGTH(v) FROM @t
SELECT MAX(Kind) + '>', MIN(Kind) + '>' FROM Acc
SELECT DISTINCT Kind + '>' FROM Acc ORDER BY Kind + '>'
SELECT Kind FROM Acc UNION SELECT 'N' ORDER BY 1
SELECT Kind + '|' FROM (SELECT Kind FROM Acc UNION ALL SELECT 'Q') x ORDER BY 1
SELECT (SELECT TOP 1 Kind FROM Acc ORDER BY Id) + '|'
SELECT LAG(Kind) OVER (ORDER BY Id) + '|', FIRST_VALUE(Kind) OVER (ORDER BY Id) + '|' FROM Acc
SELECT * FROM (SELECT Kind, Bal FROM Acc) s PIVOT (SUM(Bal) FOR Kind IN (N, S)) p
GO
CREATE FUNCTION Wrap(@s VARCHAR(20)) RETURNS VARCHAR(30) AS BEGIN RETURN '<' + @s + '>' END
GO
SELECT dbo.Wrap(Ref), dbo.Wrap(Kind) FROM Acc
CREATE TABLE Comp (A CHAR(3), B CHAR(3), C AS A + B, D AS RTRIM(A) + B, CONSTRAINT CK_Comp CHECK (A + B <> 'x  x  '))
INSERT Comp (A, B) VALUES ('p', 'q')
SELECT C + '|', D + '|', DATALENGTH(C) FROM Comp
INSERT Comp (A, B) VALUES ('x', 'x')
CREATE TABLE Bins (B BINARY(4), V VARBINARY(4))
INSERT Bins VALUES (0x01, 0x01)
SELECT B, V, DATALENGTH(B), CAST(B AS INT), B + 0x02 FROM Bins
SELECT QUOTENAME(Kind), LOWER(Kind) + '|', STUFF(Ref, 3, 1, '-') + '|', CHARINDEX(' ', Ref), PATINDEX('% %', Ref), REVERSE(Kind) + '|' FROM Acc WHERE Id = 2
SELECT CONVERT(VARBINARY(10), Kind), HASHBYTES('MD5', Kind) FROM Acc WHERE Id = 2
SELECT Id FROM Acc WHERE HASHBYTES('MD5', Kind) = HASHBYTES('MD5', 'S ')
SELECT Kind FROM Acc FOR XML RAW
SELECT Kind, Ref FROM Acc FOR JSON AUTO
EXEC sp_executesql N'SELECT Id, @p + Kind + ''|'' FROM Acc WHERE Kind = @p', N'@p CHAR(2)', 'S'
