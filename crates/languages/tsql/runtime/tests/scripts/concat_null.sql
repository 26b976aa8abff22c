-- SET CONCAT_NULL_YIELDS_NULL OFF: NULL joined to a text is an empty one.
CREATE TABLE People (Id INT PRIMARY KEY, First VARCHAR(10), Middle VARCHAR(10), Last NVARCHAR(10))
INSERT INTO People VALUES (1, 'Ann', NULL, 'Lee'), (2, NULL, 'B', NULL), (3, 'C', 'D', 'E')
GO
CREATE PROCEDURE Joined @a VARCHAR(10), @b VARCHAR(10) AS
SELECT @a + '-' + @b AS joined
GO
CREATE PROCEDURE Own @a VARCHAR(10) AS
SET CONCAT_NULL_YIELDS_NULL OFF
DECLARE @s VARCHAR(20) = 'x' + @a
IF @s IS NULL PRINT 'null' ELSE PRINT @s
SELECT Id, First + Middle AS joined FROM People ORDER BY Id
GO
CREATE FUNCTION dbo.Glue(@a VARCHAR(10), @b VARCHAR(10)) RETURNS VARCHAR(20) AS
BEGIN
    RETURN @a + @b
END
GO
CREATE VIEW Whole AS SELECT Id, First + ' ' + Last AS Name FROM People
GO
DECLARE @n VARCHAR(10), @s VARCHAR(20) = 'a'
SELECT @s + @n AS is_null, 'a' + NULL AS is_null_too
SET CONCAT_NULL_YIELDS_NULL OFF
SELECT @s + @n AS a, 'a' + NULL AS a_too, @n + 'b' + @n AS b
SET @s += @n
SELECT @s AS s, LEN(@s + @n) AS len
IF 'a' + @n = 'a' PRINT 'equal'
SELECT Id, First + '|' + Middle + '|' + Last AS joined FROM People ORDER BY Id
SELECT Id FROM People WHERE First + Middle = 'Ann'
SELECT Id, Name FROM Whole ORDER BY Id
SELECT Id, dbo.Glue(First, Middle) AS glued FROM People ORDER BY Id
EXEC Joined 'x', NULL
SET CONCAT_NULL_YIELDS_NULL ON
SELECT @s + @n AS is_null_again
SELECT Id, First + '|' + Middle + '|' + Last AS joined FROM People ORDER BY Id
GO
EXEC Joined 'x', NULL
EXEC Own NULL
EXEC Joined 'x', NULL
SELECT Id, dbo.Glue(First, Middle) AS glued FROM People ORDER BY Id
SELECT Id, Name FROM Whole ORDER BY Id
GO
-- It lasts from batch to batch, and for what is executed as a text.
SET CONCAT_NULL_YIELDS_NULL OFF
GO
DECLARE @list VARCHAR(100)
SELECT @list = @list + First + ',' FROM People ORDER BY Id
SELECT @list AS list
EXEC ('DECLARE @x VARCHAR(5) SELECT ''t'' + @x AS x')
EXEC Joined NULL, 'y'
UPDATE People SET Middle = Middle + '!' WHERE Id = 1
SELECT Middle FROM People WHERE Id = 1
GO
SET CONCAT_NULL_YIELDS_NULL ON
EXEC Joined NULL, 'y'
GO
