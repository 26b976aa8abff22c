-- Parts of a text: the function that everybody has
CREATE FUNCTION dbo.Parts (@text VARCHAR(200), @by CHAR(1) = ',')
RETURNS @parts TABLE (Place INT IDENTITY(1, 1) PRIMARY KEY, Part VARCHAR(50))
AS
BEGIN
    DECLARE @at INT
    WHILE LEN(@text) > 0
    BEGIN
        SET @at = CHARINDEX(@by, @text + @by)
        INSERT INTO @parts (Part) VALUES (LTRIM(LEFT(@text, @at - 1)))
        SET @text = STUFF(@text, 1, @at, '')
    END
    RETURN
END
GO
SELECT Place, Part FROM dbo.Parts('a,b, c', ',') ORDER BY Place
SELECT * FROM dbo.Parts('x;y', ';') AS p WHERE p.Part <> 'x'
SELECT COUNT(*) AS n FROM dbo.Parts('1,2,3', DEFAULT)
DECLARE @ids VARCHAR(50) = '1,3'
SELECT a.Part AS l, b.Part AS r FROM dbo.Parts(@ids, ',') a CROSS JOIN dbo.Parts('x,y', ',') b ORDER BY a.Place, b.Place
GO
SELECT * FROM dbo.Parts('a')
GO
SELECT * FROM dbo.Parts('a', ',', 1)
GO
-- In conditions, changes and variables
CREATE TABLE Orders (Id INT PRIMARY KEY, Codes VARCHAR(50))
INSERT INTO Orders SELECT CAST(Part AS INT), Part + 'x,' + Part + 'y' FROM dbo.Parts('1,2,3', ',')
INSERT INTO Orders VALUES (4, NULL), (5, '')
DECLARE @ids VARCHAR(50) = '1,3', @n INT
SELECT Id FROM Orders WHERE Id IN (SELECT Part FROM dbo.Parts(@ids, ',')) ORDER BY Id
UPDATE o SET Codes = o.Codes + ',z' FROM Orders o JOIN dbo.Parts(@ids, ',') p ON p.Part = o.Id
SELECT @n = COUNT(*) FROM dbo.Parts('a,b,c,d', ',')
SELECT @n AS n, (SELECT MAX(Place) FROM dbo.Parts('a,b', ',')) AS m
IF EXISTS (SELECT * FROM dbo.Parts(@ids, ',') WHERE Part = '3') PRINT 'three'
GO
-- For the rows of another table
SELECT o.Id, p.Place, p.Part FROM Orders o CROSS APPLY dbo.Parts(o.Codes, ',') p ORDER BY o.Id, p.Place
SELECT o.Id, p.Part FROM Orders o OUTER APPLY dbo.Parts(o.Codes, ',') p WHERE o.Id > 2 ORDER BY o.Id, p.Place
;WITH few AS (SELECT Id, Codes FROM Orders WHERE Id = 2)
SELECT s.Id, p.* FROM few s CROSS APPLY dbo.Parts(s.Codes, ',') p ORDER BY p.Place
GO
-- It sees what its transaction has done, and calls itself
CREATE FUNCTION dbo.Under (@id INT) RETURNS @all TABLE (Id INT, Depth INT) AS
BEGIN
    INSERT INTO @all SELECT Id, 1 FROM Tree WHERE Parent = @id
    IF @@ROWCOUNT > 0
        INSERT INTO @all SELECT u.Id, u.Depth + 1 FROM Tree t CROSS APPLY dbo.Under(t.Id) u WHERE t.Parent = @id
    RETURN
END
GO
CREATE TABLE Tree (Id INT PRIMARY KEY, Parent INT)
INSERT INTO Tree VALUES (1, NULL), (2, 1), (3, 1), (4, 2), (5, 4)
BEGIN TRAN
INSERT INTO Tree VALUES (6, 5)
SELECT Id, Depth FROM dbo.Under(1) ORDER BY Id
ROLLBACK
SELECT Id, Depth FROM dbo.Under(1) ORDER BY Id
GO
-- In a procedure, again and again
CREATE PROCEDURE Count_ @text VARCHAR(100) AS SELECT COUNT(*) AS n FROM dbo.Parts(@text, ',')
GO
EXEC Count_ 'a'
EXEC Count_ 'a,b'
EXEC Count_ ''
GO
ALTER FUNCTION dbo.Parts (@text VARCHAR(200), @by CHAR(1)) RETURNS @t TABLE (Whole VARCHAR(200)) AS
BEGIN
    INSERT INTO @t VALUES (@text), (@by)
    RETURN
END
GO
EXEC Count_ 'a,b,c'
SELECT * FROM dbo.Parts('a', ',')
DROP FUNCTION dbo.Parts
GO
-- An error within ends the statement that calls
CREATE FUNCTION dbo.Failing (@n INT) RETURNS @t TABLE (n INT NOT NULL) AS
BEGIN
    INSERT INTO @t VALUES (10 / @n)
    RETURN
END
GO
SELECT n FROM dbo.Failing(5)
SELECT n FROM dbo.Failing(0)
PRINT 'on'
GO
-- A query in whose place it would stand itself has no end.
CREATE FUNCTION Own() RETURNS TABLE AS RETURN SELECT 1 AS a
GO
ALTER FUNCTION Own() RETURNS TABLE AS RETURN SELECT * FROM Own()
GO
SELECT * FROM Own()
SELECT a FROM dbo.OWN() AS o
PRINT 'on'
GO
CREATE FUNCTION Lower_(@n INT) RETURNS TABLE AS RETURN SELECT @n AS a
GO
CREATE FUNCTION Upper_(@n INT) RETURNS TABLE AS RETURN SELECT x.a + y.a AS a FROM Lower_(@n) AS x CROSS APPLY dbo.LOWER_(x.a) AS y
GO
SELECT u.a, v.a FROM Upper_(7) AS u CROSS APPLY Upper_(u.a) AS v
GO
ALTER FUNCTION Lower_(@n INT) RETURNS TABLE AS RETURN SELECT y.a FROM (VALUES (1)) AS x (a) CROSS APPLY Upper_(x.a) AS y
GO
SELECT * FROM Upper_(7)
SELECT * FROM (VALUES (1)) AS x (a) CROSS APPLY Lower_(x.a) AS y
GO
CREATE VIEW Seen AS SELECT 1 AS a
GO
CREATE FUNCTION Looks() RETURNS TABLE AS RETURN SELECT a, GETDATE() AS d FROM Seen
GO
ALTER VIEW Seen AS SELECT a, GETDATE() AS d FROM Looks()
GO
SELECT a FROM Seen
SELECT a FROM Looks()
GO
-- Nor may there be more than 32 of them within each other.
CREATE FUNCTION Deep1() RETURNS TABLE AS RETURN SELECT 1 AS a
GO
DECLARE @n INT = 2, @text VARCHAR(400)
WHILE @n <= 33 BEGIN
  SET @text = CONCAT('CREATE FUNCTION Deep', @n, '() RETURNS TABLE AS RETURN SELECT a + 1 AS a FROM Deep', @n - 1, '()')
  EXEC(@text)
  SET @n += 1
END
GO
SELECT a FROM Deep32()
SELECT a FROM Deep33()
GO
-- A function that is a query may call one that fills a table with what it is given itself.
CREATE FUNCTION Filled(@x NVARCHAR(50)) RETURNS @r TABLE (a INT IDENTITY, b NVARCHAR(50)) AS BEGIN INSERT @r VALUES (@x) RETURN END
GO
CREATE FUNCTION Asks(@x INT) RETURNS TABLE AS RETURN SELECT m.b, @x AS x FROM Filled(@x) AS m
GO
CREATE FUNCTION AsksOfObject(@x INT) RETURNS TABLE AS RETURN SELECT m.b FROM Filled('of $1 ' + OBJECT_NAME(@x)) AS m
GO
CREATE FUNCTION AsksTwice(@x INT, @y VARCHAR(9)) RETURNS TABLE AS RETURN SELECT a.x, a.b, m.b AS c FROM Asks(@x) AS a, Filled(@y + '$2') AS m
GO
SELECT * FROM Asks(5)
DECLARE @y INT = 7, @z INT = 8, @s VARCHAR(9) = 's'
SELECT @s AS s, b, x FROM Asks(@y)
SELECT @s AS s, b, x FROM Asks(@y + @z) WHERE @z = 8
SELECT * FROM AsksTwice(@z - @y, @s)
SELECT * FROM AsksTwice(@z, '$1')
GO
SELECT * FROM AsksOfObject(OBJECT_ID('Filled'))
DECLARE @y INT = OBJECT_ID('Asks')
SELECT * FROM AsksOfObject(@y)
SELECT b INTO #asked FROM AsksOfObject(@y)
SELECT * FROM #asked
GO
-- What it does not use is not asked for.
CREATE FUNCTION Unused(@x INT, @y INT) RETURNS TABLE AS RETURN SELECT @y AS y
GO
DECLARE @a INT = 1, @b INT = 2
SELECT y, @a + @b AS s FROM Unused(@a, @b)
SELECT y FROM Unused(@a * 2, @b * 2)
GO
-- Its parameter is not the variable of that name where it is called.
CREATE FUNCTION NamesIt(@x INT) RETURNS TABLE AS RETURN SELECT OBJECT_NAME(@x) AS n
GO
DECLARE @x INT = OBJECT_ID('Asks'), @other INT = OBJECT_ID('Filled')
SELECT n FROM NamesIt(@other)
SELECT n FROM NamesIt(@x)
GO
