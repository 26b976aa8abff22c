-- FOR XML: RAW, AUTO, PATH, ELEMENTS, ROOT, TYPE, and the joining of texts.
CREATE TABLE dbo.Emp (Id INT PRIMARY KEY, FirstName NVARCHAR(20), Salary MONEY, Hired DATETIME, Ok BIT, Note VARCHAR(30), Dept INT)
CREATE TABLE dbo.Dept (Id INT PRIMARY KEY, Title VARCHAR(20))
INSERT INTO Dept VALUES (1, 'Sales'), (2, 'R&D'), (3, 'Empty')
INSERT INTO Emp VALUES (1, N'Anna', 1234.5, '2026-01-02T03:04:05.677', 1, 'a<b', 1), (2, N'Bo', NULL, NULL, 0, NULL, 1), (3, N'Cy', 3, '2026-01-02', NULL, 'x "q"', 2)
GO
SELECT Id, FirstName, Salary, Hired, Ok, Note FROM Emp ORDER BY Id FOR XML RAW
SELECT Id, Salary FROM Emp ORDER BY Id FOR XML RAW('emp'), ROOT('emps')
SELECT Id, Salary, Note FROM Emp ORDER BY Id FOR XML RAW, ELEMENTS
SELECT Id, Salary FROM Emp WHERE Id < 3 ORDER BY Id FOR XML RAW('e'), ELEMENTS XSINIL
SELECT Id FROM Emp WHERE 1 = 0 FOR XML RAW
GO
SELECT Id, Title FROM Dept ORDER BY Id FOR XML AUTO
SELECT Dept.Title, e.Id, e.FirstName FROM Dept JOIN Emp e ON e.Dept = Dept.Id ORDER BY Dept.Id, e.Id FOR XML AUTO, ROOT('all')
SELECT d.Title, e.Id FROM Dept AS d JOIN Emp AS e ON e.Dept = d.Id ORDER BY d.Id, e.Id FOR XML AUTO, ELEMENTS
GO
SELECT Id, FirstName FROM Emp ORDER BY Id FOR XML PATH
SELECT Id AS [@id], FirstName AS [name/first], Note AS [name/note], Ok AS [flag] FROM Emp ORDER BY Id FOR XML PATH('emp'), ROOT('emps')
SELECT Id AS [@id], FirstName AS [text()] FROM Emp ORDER BY Id FOR XML PATH('e')
SELECT FirstName + ',' FROM Emp ORDER BY Id FOR XML PATH('')
SELECT FirstName AS [data()] FROM Emp ORDER BY Id FOR XML PATH('')
SELECT Id AS [a/@id], FirstName AS [a/b], Note AS [*] FROM Emp WHERE Id = 1 FOR XML PATH('r')
GO
SELECT d.Id, STUFF((SELECT ', ' + e.FirstName FROM Emp e WHERE e.Dept = d.Id ORDER BY e.Id FOR XML PATH('')), 1, 2, '') AS names FROM Dept d ORDER BY d.Id
SELECT d.Id, STUFF((SELECT ', ' + ISNULL(e.Note, '-') FROM Emp e WHERE e.Dept = d.Id ORDER BY e.Id DESC FOR XML PATH(''), TYPE).value('.', 'NVARCHAR(MAX)'), 1, 2, '') AS notes FROM Dept d ORDER BY d.Id
SELECT d.Title AS [@title], (SELECT e.Id AS [@id], e.FirstName AS [n] FROM Emp e WHERE e.Dept = d.Id ORDER BY e.Id FOR XML PATH('emp'), TYPE) FROM Dept d ORDER BY d.Id FOR XML PATH('dept'), ROOT('depts')
SELECT d.Title, (SELECT e.Id FROM Emp e WHERE e.Dept = d.Id ORDER BY e.Id FOR XML RAW) AS emps FROM Dept d WHERE d.Id = 1 FOR XML PATH('d')
DECLARE @x XML = (SELECT Id, Title FROM Dept ORDER BY Id FOR XML PATH('d'), ROOT('r'), TYPE)
SELECT @x AS x, @x.value('count(/r/d)', 'int') AS n, @x.value('(/r/d[Id=2]/Title)[1]', 'varchar(20)') AS t
DECLARE @s VARCHAR(100)
SELECT @s = STUFF((SELECT ',' + Title FROM Dept ORDER BY Id FOR XML PATH('')), 1, 1, '')
PRINT @s
GO
SELECT COUNT(*) FROM Dept FOR XML RAW
SELECT 1 AS a, 'x' AS b FOR XML RAW
SELECT 1 AS a FOR XML AUTO
;WITH XMLNAMESPACES ('urn:a' AS a) SELECT Id AS [@a:id] FROM Dept WHERE Id = 1 FOR XML PATH('a:d')
GO
SELECT CAST('2026-01-02 03:04:05.123' AS DATETIME2(3)) AS d2, CAST('03:04' AS TIME(0)) AS t, CAST('2026-01-02' AS DATE) AS d, CAST(0x0102FF AS VARBINARY(3)) AS b, CAST(1.50 AS DECIMAL(5,2)) AS n, CAST(0.1 AS FLOAT) AS f, CAST('6F9619FF-8B86-D011-B42D-00C04FC964FF' AS UNIQUEIDENTIFIER) AS g FOR XML RAW, BINARY BASE64
GO
-- An order by a column that is not shown counts within another query, too
CREATE TABLE Ordered (Id INT PRIMARY KEY, Name VARCHAR(10), Grp INT);
INSERT Ordered VALUES (1, 'one', 1), (2, 'two', 1), (3, 'three', 2);
UPDATE Ordered SET Name = 'TWO' WHERE Id = 2;
SELECT STUFF((SELECT ', ' + Name FROM Ordered ORDER BY Id DESC FOR XML PATH('')), 1, 2, '') AS names;
SELECT (SELECT Name FROM Ordered ORDER BY Id DESC FOR JSON PATH) AS names;
SELECT g.Grp, STUFF((SELECT ',' + o.Name FROM Ordered o WHERE o.Grp = g.Grp ORDER BY o.Id DESC FOR XML PATH(''), TYPE).value('.', 'VARCHAR(99)'), 1, 1, '') AS names
FROM (SELECT DISTINCT Grp FROM Ordered) AS g ORDER BY g.Grp;
GO
-- Neighbours of one name are one element; a column without a name, or a NULL of another, keeps them apart.
SELECT 1 AS a, 2 AS a, 3 AS b FOR XML PATH
SELECT 1 AS a, '' , 2 AS a FOR XML PATH('')
SELECT 1 AS a, NULL, 2 AS a FOR XML PATH('')
SELECT 1 AS [a/x], NULL AS [a/y], 2 AS [a/x], NULL AS b, 3 AS [a/x] FOR XML PATH
SELECT NULL AS [a/@id], NULL AS [a/b], NULL AS c, 'x' AS [comment()], 'y' AS [processing-instruction(p)] FOR XML PATH
SELECT CAST(NULL AS INT) AS a, NULL AS [b/c], 1 AS [b/d] FOR XML PATH, ELEMENTS XSINIL
SELECT 1 AS a, 2 AS [@b] FOR XML PATH
SELECT 1 AS [a/@x], 2 AS [a/b], 3 AS [a/@y] FOR XML PATH
SELECT 1 AS [@a] FOR XML PATH('')
SELECT CAST(1.5 AS MONEY) AS m, CAST(2 AS SMALLMONEY) AS s FOR XML PATH
SELECT CAST(0x01 AS VARBINARY(3)) AS b FOR XML RAW
GO
