-- JSON_OBJECT with keys and values.
DECLARE @n INT = 3
SELECT JSON_OBJECT('a':1, 'b':'x', 'n':@n) AS o, JSON_OBJECT('k':NULL ABSENT ON NULL) AS none, JSON_OBJECT() AS empty,
       JSON_ARRAY(1, 'x', NULL NULL ON NULL) AS a, JSON_OBJECT('in':JSON_ARRAY(1, 2)) AS nested
CREATE TABLE j (id INT, name VARCHAR(10))
INSERT j VALUES (1, 'one'), (2, NULL)
SELECT JSON_OBJECT('id':id, 'name':name) AS o FROM j ORDER BY id
GO
-- Locks of applications, looked at.
EXEC sp_getapplock 'res', 'Shared', 'Session'
SELECT APPLOCK_MODE('public', 'res', 'Session') AS mode, APPLOCK_MODE('public', 'res', 'Transaction') AS other,
       APPLOCK_TEST('public', 'res', 'Exclusive', 'Session') AS test
GO
--@b another session
SELECT APPLOCK_MODE('public', 'res', 'Session') AS mode, APPLOCK_TEST('public', 'res', 'Shared', 'Session') AS shared,
       APPLOCK_TEST('public', 'res', 'Exclusive', 'Session') AS exclusive, APPLOCK_TEST('public', 'res', 'No', 'Session') AS no
GO
-- COLUMNS_UPDATED(): a bit a column, from the lowest bit of the first byte on.
CREATE TABLE u (a INT, b INT, c INT, d INT, e INT, f INT, g INT, h INT, i INT)
GO
CREATE TRIGGER u_changed ON u AFTER INSERT, UPDATE AS
    SELECT COLUMNS_UPDATED() AS mask, CASE WHEN SUBSTRING(COLUMNS_UPDATED(), 1, 1) & 5 = 5 THEN 'a and c' ELSE 'not both' END AS both
GO
INSERT u (a) VALUES (1)
UPDATE u SET a = 2, c = 3
UPDATE u SET i = 1
GO
-- A common table expression that only a subquery of an assignment uses.
DECLARE @list VARCHAR(100), @count INT;
WITH c AS (SELECT id, name FROM j WHERE name IS NOT NULL)
SELECT @list = (SELECT name + ',' FROM c FOR XML PATH('')), @count = (SELECT COUNT(*) FROM c)
SELECT @list AS list, @count AS count
GO
-- The other form of LEFT_SHIFT and RIGHT_SHIFT, as tight as +.
SELECT 1 << 4 AS l, 255 >> 4 AS r, 1 << 2 + 1 AS a, 1 + 1 << 2 AS b, 2 * 3 << 1 AS c, CAST(1 AS BIGINT) << 40 AS wide
SELECT n FROM (VALUES (1), (2), (8)) AS t (n) WHERE n << 1 > 3 AND n >> 2 < 2 ORDER BY n
DECLARE @n INT = 3
SET @n = @n << 2
PRINT @n
GO
