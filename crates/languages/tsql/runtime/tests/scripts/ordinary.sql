-- What ordinary procedures do, construct by construct; the table in COMPAT-tsql.md names each by its number.
SET NOCOUNT ON;
CREATE TABLE Items (Id INT IDENTITY PRIMARY KEY, Name VARCHAR(20) NOT NULL, Price DECIMAL(9,2) NOT NULL DEFAULT 1, Qty INT NULL, Parent INT NULL);
INSERT Items (Name, Price, Qty) VALUES ('apple', 1.50, 10), ('pear', 2.25, NULL), ('plum', 0.75, 30);
GO
-- 1 WHILE of more than 10,000 turns
DECLARE @i INT = 0, @sum BIGINT = 0;
WHILE @i < 25000 BEGIN SET @i += 1; SET @sum += @i; END;
SELECT @i AS turns, @sum AS total;
GO
-- 2 RETURN returns
CREATE PROCEDURE R1 @x INT AS
  IF @x > 5 RETURN 1;
  PRINT 'went on';
  RETURN -1;
GO
DECLARE @s INT;
EXEC @s = R1 9; SELECT @s AS status;
EXEC @s = R1 1; SELECT @s AS status;
GO
-- 3 @@ROWCOUNT after each kind of statement
UPDATE Items SET Qty = 20 WHERE Qty IS NULL; SELECT @@ROWCOUNT AS updated;
DELETE Items WHERE Name = 'nothing'; SELECT @@ROWCOUNT AS deleted;
SELECT Name FROM Items WHERE Id < 3 ORDER BY Id; SELECT @@ROWCOUNT AS selected;
DECLARE @n INT = 1; SELECT @@ROWCOUNT AS declared;
SET @n = 2; SELECT @@ROWCOUNT AS was_set;
IF @@ROWCOUNT = 1 PRINT 'one';
PRINT 'x'; SELECT @@ROWCOUNT AS printed;
GO
-- 4 DECIMAL x INT and others
DECLARE @p DECIMAL(9,2) = 1.5, @q INT = 3, @m MONEY = 2.5, @f FLOAT = 0.5;
SELECT @p * @q AS dec_int, @p / @q AS quotient, @q / 2 AS whole, @q / 2.0 AS fraction, @m * @q AS money, @f * @q AS float, @q % 2 AS rest;
SELECT Price * Qty AS total, Price * 1.175 AS taxed, ROUND(Price * 1.175, 2) AS rounded FROM Items ORDER BY Id;
GO
-- 5 OUTPUT parameters
CREATE PROCEDURE Out1 @in INT, @out INT OUTPUT, @text VARCHAR(10) = 'def' OUTPUT AS SET @out = @in * 2; SET @text = @text + '!';
GO
DECLARE @o INT, @t VARCHAR(10) = 'abc';
EXEC Out1 21, @o OUTPUT, @t OUTPUT; SELECT @o AS o, @t AS t;
EXEC Out1 @in = 1, @out = @o; SELECT @o AS unchanged;
EXEC Out1 @out = @o OUT, @in = 4; SELECT @o AS named;
GO
-- 6 SELECT @v = from rows, none and several; aggregates
DECLARE @v VARCHAR(20) = 'before', @c INT;
SELECT @v = Name FROM Items WHERE Id = 99; SELECT @v AS none;
SELECT @v = Name FROM Items ORDER BY Id; SELECT @v AS last;
SET @v = (SELECT Name FROM Items WHERE Id = 99); SELECT @v AS empty_;
SELECT @c = COUNT(*), @v = MAX(Name) FROM Items; SELECT @c AS c, @v AS m;
GO
-- 7 accumulation of text
DECLARE @list VARCHAR(100) = '';
SELECT @list = @list + Name + ',' FROM Items ORDER BY Name; SELECT @list AS list;
SELECT STUFF((SELECT ', ' + Name FROM Items ORDER BY Id FOR XML PATH('')), 1, 2, '') AS list;
SELECT STRING_AGG(Name, '|') WITHIN GROUP (ORDER BY Name DESC) AS list FROM Items;
GO
-- 8 TRY/CATCH with a transaction
CREATE PROCEDURE Move @fail BIT AS
  SET NOCOUNT ON;
  BEGIN TRY
    BEGIN TRAN;
    UPDATE Items SET Qty = Qty - 1 WHERE Id = 1;
    IF @fail = 1 RAISERROR('failed: %s', 16, 1, 'on purpose');
    COMMIT;
    RETURN 0;
  END TRY
  BEGIN CATCH
    IF @@TRANCOUNT > 0 ROLLBACK;
    DECLARE @e NVARCHAR(4000) = ERROR_MESSAGE();
    PRINT @e;
    RETURN ERROR_NUMBER();
  END CATCH;
GO
DECLARE @s INT;
EXEC @s = Move 1; SELECT @s AS status, Qty, @@TRANCOUNT AS trans FROM Items WHERE Id = 1;
EXEC @s = Move 0; SELECT @s AS status, Qty, @@TRANCOUNT AS trans FROM Items WHERE Id = 1;
GO
-- 9 identities
INSERT Items (Name) VALUES ('fig');
SELECT SCOPE_IDENTITY() AS s, @@IDENTITY AS i, IDENT_CURRENT('Items') AS c;
SET IDENTITY_INSERT Items ON; INSERT Items (Id, Name) VALUES (10, 'kiwi'); SET IDENTITY_INSERT Items OFF;
INSERT Items (Name) OUTPUT inserted.Id, inserted.Price VALUES ('lime');
GO
-- 10 cursors
DECLARE c CURSOR LOCAL FAST_FORWARD FOR SELECT Id, Name FROM Items WHERE Id < 4 ORDER BY Id;
DECLARE @id INT, @name VARCHAR(20);
OPEN c; FETCH NEXT FROM c INTO @id, @name;
WHILE @@FETCH_STATUS = 0 BEGIN PRINT CONCAT(@id, ' ', @name); FETCH NEXT FROM c INTO @id, @name; END;
CLOSE c; DEALLOCATE c;
GO
-- 11 temporary tables and variables in procedures; INSERT ... EXEC
CREATE PROCEDURE Temp1 AS CREATE TABLE #t (a INT PRIMARY KEY, b VARCHAR(5)); INSERT #t VALUES (1, 'x'), (2, 'y'); SELECT a, b FROM #t;
GO
CREATE TABLE #got (a INT, b VARCHAR(5)); INSERT #got EXEC Temp1; SELECT COUNT(*) AS n FROM #got; DROP TABLE #got;
DECLARE @tv TABLE (a INT, b AS a * 2); INSERT @tv (a) VALUES (4); SELECT a, b FROM @tv;
GO
-- 12 dynamic SQL
DECLARE @sql NVARCHAR(200) = N'SELECT @n = COUNT(*) FROM ' + QUOTENAME('Items') + N' WHERE Id < @max', @cnt INT;
EXEC sp_executesql @sql, N'@max INT, @n INT OUTPUT', @max = 4, @n = @cnt OUTPUT; SELECT @cnt AS n;
EXEC ('SELECT ' + '1' + ' AS one');
GO
-- 13 functions: scalar, inline, multi-statement
CREATE FUNCTION Tax (@p DECIMAL(9,2)) RETURNS DECIMAL(9,2) AS BEGIN DECLARE @r DECIMAL(9,2) = @p * 0.2; RETURN @r; END;
GO
CREATE FUNCTION Dear (@min DECIMAL(9,2)) RETURNS TABLE AS RETURN SELECT Id, Name FROM Items WHERE Price >= @min;
GO
CREATE FUNCTION Numbers (@n INT) RETURNS @t TABLE (n INT) AS BEGIN DECLARE @i INT = 1; WHILE @i <= @n BEGIN INSERT @t VALUES (@i); SET @i += 1; END; RETURN; END;
GO
SELECT Name, dbo.Tax(Price) AS tax FROM Items WHERE Id < 3 ORDER BY Id; SELECT Name FROM dbo.Dear(2) ORDER BY Id; SELECT SUM(n) AS s FROM dbo.Numbers(4);
GO
-- 14 CASE, ISNULL, COALESCE, NULLIF, IIF, CHOOSE
SELECT CASE WHEN Qty > 15 THEN 'many' WHEN Qty IS NULL THEN 'unknown' ELSE 'few' END AS c, ISNULL(Qty, 0) AS i, COALESCE(Parent, Qty, -1) AS co, NULLIF(Qty, 30) AS n, IIF(Qty > 15, 1, 0) AS f FROM Items WHERE Id < 5 ORDER BY Id;
GO
-- 15 dates
DECLARE @d DATETIME = '2024-02-28T23:59:59.998';
SELECT @d AS rounded, DATEADD(day, 1, @d) AS next, DATEDIFF(month, '2024-01-31', @d) AS months, DATENAME(weekday, @d) AS day, CONVERT(VARCHAR(10), @d, 103) AS uk, EOMONTH(@d) AS last, DATEPART(iso_week, @d) AS w;
GO
-- 16 text
SELECT LEN('abc  ') AS len, DATALENGTH(N'abc') AS bytes, SUBSTRING('hello', 2, 3) AS sub, CHARINDEX('l', 'hello', 4) AS at, REPLACE('aXbX', 'x', '-') AS rep, LEFT('abc', 2) + RIGHT('abc', 1) AS lr, LTRIM(RTRIM('  a ')) AS tr, REPLICATE('ab', 2) AS re, STUFF('abcdef', 2, 3, 'X') AS st, PATINDEX('%[0-9]%', 'ab3') AS pat, UPPER('a') + LOWER('B') AS ul, REVERSE('abc') AS rev, STR(3.14159, 6, 2) AS str;
SELECT 'a' + NULL AS n, CONCAT('a', NULL, 1) AS c, 'A' + CAST(5 AS VARCHAR(3)) AS s, CASE WHEN 'abc' = 'ABC ' THEN 'same' ELSE 'not' END AS cmp;
GO
-- 17 errors do not end the batch; @@ERROR
SELECT 1 / 0 AS x; SELECT @@ERROR AS e; SELECT @@ERROR AS reset;
INSERT Items (Name) VALUES (NULL); SELECT @@ERROR AS e;
GO
-- 18 queries: joins, groups, HAVING, TOP, DISTINCT, EXISTS, IN, CTE, windows, APPLY, PIVOT
SELECT a.Name, COUNT(b.Id) AS cheaper FROM Items a LEFT JOIN Items b ON b.Price < a.Price GROUP BY a.Name HAVING COUNT(b.Id) > 0 ORDER BY cheaper DESC, a.Name;
SELECT TOP 2 WITH TIES Name, Price FROM Items ORDER BY Price DESC;
WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT SUM(i) AS s FROM n;
SELECT Name, ROW_NUMBER() OVER (ORDER BY Price DESC, Id) AS r, SUM(Price) OVER () AS total FROM Items WHERE Id < 4;
SELECT i.Name, x.n FROM Items i CROSS APPLY (SELECT TOP 1 o.Name AS n FROM Items o WHERE o.Id > i.Id ORDER BY o.Id) x WHERE i.Id < 3 ORDER BY i.Id;
SELECT [apple], [pear] FROM (SELECT Name, Qty FROM Items) s PIVOT (SUM(Qty) FOR Name IN ([apple], [pear])) p;
GO
-- 19 MERGE, UPDATE FROM, DELETE FROM, OUTPUT
MERGE Items AS t USING (VALUES ('apple', 99), ('melon', 5)) AS s (Name, Qty) ON t.Name = s.Name WHEN MATCHED THEN UPDATE SET Qty = s.Qty WHEN NOT MATCHED THEN INSERT (Name, Qty) VALUES (s.Name, s.Qty) OUTPUT $action, inserted.Name;
UPDATE i SET Parent = p.Id FROM Items i JOIN Items p ON p.Name = 'apple' WHERE i.Name = 'melon';
DELETE i OUTPUT deleted.Name FROM Items i JOIN Items p ON p.Id = i.Parent;
GO
-- 20 triggers, defaults, checks, foreign keys
CREATE TABLE Notes (Id INT IDENTITY, Item INT NOT NULL CONSTRAINT FK_Notes REFERENCES Items(Id), Words VARCHAR(10) CONSTRAINT CK_Notes CHECK (LEN(Words) > 1), At DATETIME DEFAULT GETDATE());
GO
CREATE TRIGGER NotesTrigger ON Notes AFTER INSERT AS UPDATE Items SET Qty = ISNULL(Qty, 0) + 1000 FROM Items JOIN inserted ON inserted.Item = Items.Id;
GO
INSERT Notes (Item, Words) VALUES (2, 'ok'); SELECT Qty FROM Items WHERE Id = 2;
INSERT Notes (Item, Words) VALUES (77, 'ok');
INSERT Notes (Item, Words) VALUES (2, 'x');
INSERT Notes (Item, Words) VALUES (2, 'much too long');
GO
-- 21 GOTO, nested transactions, save points
BEGIN TRAN; SAVE TRAN a; UPDATE Items SET Qty = 0; ROLLBACK TRAN a; SELECT @@TRANCOUNT AS t, MIN(Qty) AS q FROM Items; BEGIN TRAN; COMMIT; SELECT @@TRANCOUNT AS t; ROLLBACK; SELECT @@TRANCOUNT AS t;
GO
-- 22 overflow, conversion
DECLARE @t TINYINT = 255; SET @t = @t + 1; SELECT @t AS t;
GO
SELECT CAST('abc' AS INT) AS i;
GO
SELECT TRY_CAST('abc' AS INT) AS i, TRY_CONVERT(DATE, '2024-13-01') AS d, ISNUMERIC('1e5') AS n, CAST(2.5 AS INT) AS cut, CAST(-2.7 AS INT) AS neg, CONVERT(DECIMAL(5,1), 2.25) AS r, CAST('  12 ' AS INT) AS sp;
GO
-- 23 SET ROWCOUNT, TOP with a variable, OFFSET
SET ROWCOUNT 2; DELETE Notes; UPDATE Items SET Price = Price + 1; SELECT @@ROWCOUNT AS n; SET ROWCOUNT 0;
DECLARE @top INT = 2; SELECT TOP (@top) Id FROM Items ORDER BY Id; SELECT Id FROM Items ORDER BY Id OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY;
GO
-- 24 moments go on within a batch
DECLARE @from DATETIME2 = SYSDATETIME(), @turns INT = 0;
WHILE DATEDIFF(ms, @from, SYSDATETIME()) < 20 SET @turns += 1;
SELECT CASE WHEN @turns > 0 THEN 'goes on' END AS clock;
GO
