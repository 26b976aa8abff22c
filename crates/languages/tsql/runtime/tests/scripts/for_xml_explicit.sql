-- Orders within customers, as they were written before PATH.
CREATE TABLE Cust (id varchar(5) PRIMARY KEY, name varchar(20), since datetime, photo varbinary(4))
CREATE TABLE Ord (no int PRIMARY KEY, cust varchar(5), note varchar(30), total money)
INSERT Cust VALUES ('ALFKI', 'Maria & Co', '19980506', 0x0102), ('BLAUS', NULL, NULL, NULL)
INSERT Ord VALUES (1, 'ALFKI', 'a<b', 10.5), (2, 'ALFKI', NULL, 20), (3, 'BLAUS', 'x', NULL)
GO
SELECT 1 AS Tag, NULL AS Parent, id AS [Customer!1!id], name AS [Customer!1!name!element], NULL AS [Order!2!no], NULL AS [Order!2!total!element], NULL AS [Order!2!!cdata]
FROM Cust
UNION ALL
SELECT 2, 1, c.id, NULL, o.no, o.total, o.note FROM Cust c JOIN Ord o ON o.cust = c.id
ORDER BY [Customer!1!id], [Order!2!no]
FOR XML EXPLICIT
GO
-- Three levels, with a root; rows of a tag go into the nearest element that is open.
SELECT 1 AS Tag, 0 AS Parent, 'all' AS [Shop!1!name], NULL AS [Customer!2!id], NULL AS [Order!3!no], NULL AS [Order!3]
UNION ALL SELECT 2, 1, 'all', id, NULL, NULL FROM Cust
UNION ALL SELECT 3, 2, 'all', cust, no, note FROM Ord
ORDER BY [Shop!1!name], [Customer!2!id], [Order!3!no]
FOR XML EXPLICIT, ROOT('shops')
GO
-- Each directive.
SELECT 1 AS tag, NULL AS parent, 'a&b' AS [e!1!attribute], 'a&b' AS [e!1!element!element], '<b/>' AS [e!1!raw!xml], 'k' AS [e!1!hidden!hide],
  NULL AS [e!1!none!element], NULL AS [e!1!nil!elementxsinil], '<o more="1">left<i/></o>' AS [e!1!!xmltext], '<o n="2">x</o>' AS [e!1!own!xmltext],
  'text<' AS [e!1!!element], CAST('<x>1</x>' AS xml) AS [e!1!typed!element], CAST('20040102' AS datetime) AS [e!1!at], 7 AS [e!1!key!id]
FOR XML EXPLICIT
GO
-- In a variable and a subquery; bytes.
DECLARE @x xml
SET @x = (SELECT 1 AS Tag, NULL AS Parent, id AS [c!1!id], photo AS [c!1!photo] FROM Cust ORDER BY id FOR XML EXPLICIT, TYPE, BINARY BASE64)
SELECT @x.value('(/c/@photo)[1]', 'varchar(10)') AS photo, @x.value('count(/c)', 'int') AS n
SELECT o.no, (SELECT 1 AS Tag, NULL AS Parent, c.name AS [c!1!!element] FROM Cust c WHERE c.id = o.cust FOR XML EXPLICIT) AS c FROM Ord o ORDER BY o.no
SELECT 1 AS Tag, NULL AS Parent, id AS [c!1!id] FROM Cust WHERE 1 = 0 FOR XML EXPLICIT
GO
-- What is wrong.
SELECT 1 AS Tag, NULL AS Parent FOR XML EXPLICIT
GO
SELECT 1 AS Tog, NULL AS Parent, 2 AS [c!1!id] FOR XML EXPLICIT
GO
SELECT 1 AS Tag, NULL AS Mother, 2 AS [c!1!id] FOR XML EXPLICIT
GO
SELECT 1 AS Tag, NULL AS Parent, 2 AS [c!x!id] FOR XML EXPLICIT
GO
SELECT 1 AS Tag, NULL AS Parent, 2 AS plain FOR XML EXPLICIT
GO
SELECT 1 AS Tag, NULL AS Parent, 2 AS [c!1!id], 3 AS [d!1!name] FOR XML EXPLICIT
GO
SELECT 1 AS Tag, NULL AS Parent, 2 AS [c!1!id], 3 AS [c!1!id] FOR XML EXPLICIT
GO
SELECT 3 AS Tag, NULL AS Parent, 2 AS [c!1!id] FOR XML EXPLICIT
GO
SELECT 1 AS Tag, 4 AS Parent, 2 AS [c!1!id] FOR XML EXPLICIT
GO
SELECT 2 AS Tag, 1 AS Parent, 2 AS [c!1!id], 3 AS [d!2!id] FOR XML EXPLICIT
GO
SELECT 1 AS Tag, NULL AS Parent, photo AS [c!1!photo] FROM Cust FOR XML EXPLICIT
GO
SELECT 1 AS Tag, NULL AS Parent, 2 AS [c!1!id] FOR XML EXPLICIT, ELEMENTS
GO
