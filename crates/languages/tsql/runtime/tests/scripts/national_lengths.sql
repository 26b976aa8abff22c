-- Lengths of NCHAR(n) and NVARCHAR(n) count units of UTF-16, of which a character beyond the basic plane takes two (fault sql-12):
-- nchar and nvarchar in SQL Server's manual. A pair is not split: half of it is no character.
DECLARE @y nchar(5) = N'ab🙂'; SELECT @y AS y, DATALENGTH(@y) AS d;
GO
DECLARE @x nvarchar(3) = N'🙂🙂🙂'; SELECT @x AS x, DATALENGTH(@x) AS d;
GO
DECLARE @x nvarchar(4) = N'🙂🙂🙂'; SELECT @x AS x, LEN(@x) AS l, DATALENGTH(@x) AS d;
GO
DECLARE @x nvarchar(4), @c nvarchar(3) = N'🙂'; SET @x = @c + @c + @c; SELECT @x AS x, DATALENGTH(@x) AS d
SET @x = N'a'; SET @x += N'🙂🙂'; SELECT @x AS x, DATALENGTH(@x) AS d
GO
DECLARE @n nchar(3); SET @n = N'🙂'; SELECT @n + N'|' AS n, DATALENGTH(@n) AS d
DECLARE @v varchar(10) = 'abc'; SET @n = @v; SELECT @n + N'|' AS n, DATALENGTH(@n) AS d
GO
-- Code pages of several bytes a character.
DECLARE @u varchar(3), @w varchar(4); SET @u = CAST(N'abcdef' AS varchar(10)); SELECT @u AS u
GO
CREATE PROCEDURE p @x nvarchar(3), @y nchar(3) AS SELECT @x AS x, @y + N'|' AS y
GO
EXEC p N'🙂🙂🙂', N'🙂'
GO
CREATE TABLE t (x nvarchar(3), y nchar(3)); INSERT t VALUES (N'🙂a', N'🙂'); SELECT x, y + N'|' AS y FROM t
INSERT t VALUES (N'🙂🙂', N'a')
GO
DECLARE @t TABLE (x nvarchar(3)); INSERT @t VALUES (N'🙂a'); SELECT x FROM @t
SELECT LEFT(N'a🙂b', 3) AS l, LEN(N'🙂') AS n, CAST(N'🙂🙂' AS nvarchar(3)) AS c
