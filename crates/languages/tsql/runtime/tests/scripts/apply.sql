CREATE TABLE Cust (Id INT PRIMARY KEY, Name NVARCHAR(20), Tags VARCHAR(50))
CREATE TABLE Ord (Id INT PRIMARY KEY, CustId INT, Total DECIMAL(9,2), At DATE)
INSERT INTO Cust VALUES (1, 'Anna', 'a,b'), (2, 'Bert', NULL), (3, 'Cleo', 'x')
INSERT INTO Ord VALUES (10, 1, 5.00, '2026-01-01'), (11, 1, 9.50, '2026-01-03'), (12, 1, 7.25, '2026-01-02'), (13, 3, 1.00, '2026-02-01')
GO
SELECT c.Name, o.Id, o.Total FROM Cust c CROSS APPLY (SELECT TOP 1 * FROM Ord o WHERE o.CustId = c.Id ORDER BY o.At DESC) o ORDER BY c.Id
SELECT c.Name, o.Id, o.Total FROM Cust c OUTER APPLY (SELECT TOP (2) Id, Total FROM Ord WHERE CustId = c.Id ORDER BY Total DESC) o ORDER BY c.Id, o.Total DESC
GO
SELECT c.Id, (SELECT TOP 1 o.At FROM Ord o WHERE o.CustId = c.Id ORDER BY o.At) AS FirstAt FROM Cust c ORDER BY c.Id
SELECT c.Id, (SELECT COUNT(*) FROM Ord o WHERE o.CustId = c.Id AND o.Total > 5) AS n, (SELECT MAX(Total) FROM Ord o WHERE o.CustId >= c.Id) AS m FROM Cust c ORDER BY c.Id
SELECT Name FROM Cust c WHERE EXISTS (SELECT 1 FROM Ord o WHERE o.CustId = c.Id UNION ALL SELECT 1 WHERE c.Id = 2) ORDER BY Id
SELECT Name FROM Cust c WHERE 9.50 IN (SELECT TOP 1 Total FROM Ord o WHERE o.CustId = c.Id ORDER BY o.At DESC)
GO
SELECT c.Id, s.value FROM Cust c CROSS APPLY STRING_SPLIT(c.Tags, ',') s ORDER BY c.Id, s.value
SELECT c.Id, s.value, s.ordinal FROM Cust c OUTER APPLY STRING_SPLIT(c.Tags, ',', 1) AS s ORDER BY c.Id, s.ordinal
SELECT value FROM STRING_SPLIT('a b c', ' ')
DECLARE @list NVARCHAR(100) = N'1,3'
SELECT Name FROM Cust WHERE Id IN (SELECT CAST(value AS INT) FROM STRING_SPLIT(@list, ',')) ORDER BY Id
SELECT * FROM STRING_SPLIT('a--b', '--')
GO
SELECT value FROM GENERATE_SERIES(1, 5, 2)
SELECT c.Id, g.value FROM Cust c CROSS APPLY GENERATE_SERIES(1, c.Id) g WHERE c.Id < 3 ORDER BY 1, 2
GO
SELECT [key], value, type FROM OPENJSON('{"a":1,"b":"x","c":null,"d":[1],"e":{"f":2},"g":true}')
SELECT * FROM OPENJSON('[{"Id":1,"at":{"city":"Oslo"},"tags":["a","b"]},{"Id":2}]') WITH (Id INT, City NVARCHAR(20) '$.at.city', Tags NVARCHAR(MAX) '$.tags' AS JSON)
DECLARE @j NVARCHAR(MAX) = N'{"orders":[{"no":7,"lines":[{"sku":"p","qty":2},{"sku":"q","qty":1}]},{"no":8,"lines":[]}]}'
SELECT o.no, l.sku, l.qty FROM OPENJSON(@j, '$.orders') WITH (no INT, lines NVARCHAR(MAX) AS JSON) o OUTER APPLY OPENJSON(o.lines) WITH (sku VARCHAR(10), qty INT) l
SELECT * FROM OPENJSON('{"a":') 
GO
DECLARE @x XML = '<r><i id="1"><n>one</n></i><i id="2"><n>two</n></i></r>'
SELECT t.c.value('@id', 'int') AS id, t.c.value('(n/text())[1]', 'varchar(10)') AS n, t.c.exist('n[.="two"]') AS two FROM @x.nodes('/r/i') AS t(c)
SELECT @x.value('(/r/i/n)[2]', 'nvarchar(10)') AS v, @x.query('/r/i[1]/n') AS q, @x.exist('/r/z') AS e
GO
SELECT c.Name, t.n, t.total FROM Cust c CROSS APPLY (SELECT COUNT(*) AS n, SUM(o.Total) AS total FROM Ord o WHERE o.CustId = c.Id) t ORDER BY c.Id
SELECT c.Id, v.k, v.d FROM Cust c CROSS APPLY (VALUES ('name', c.Name), ('tags', c.Tags)) v(k, d) WHERE c.Id < 3 ORDER BY c.Id, v.k
SELECT c.Id, x.rn, x.Id FROM Cust c CROSS APPLY (SELECT ROW_NUMBER() OVER (ORDER BY o.At) AS rn, o.Id FROM Ord o WHERE o.CustId = c.Id) x ORDER BY 1, 2
SELECT c.Id, (SELECT o.Total FROM Ord o WHERE o.CustId = c.Id) FROM Cust c
GO
SELECT c.Name, d.cnt FROM Cust c CROSS APPLY (SELECT COUNT(*) AS cnt FROM Ord o WHERE o.CustId = c.Id AND EXISTS (SELECT 1 FROM Ord p WHERE p.CustId = c.Id AND p.Total > o.Total)) d ORDER BY c.Id
GO
SELECT c.Id, x.n, x.last FROM Cust c OUTER APPLY (SELECT COUNT(*) AS n, MAX(CAST(o.At AS DATETIME)) AS last FROM Ord o WHERE o.CustId = c.Id) x ORDER BY c.Id
GO
-- Arguments of inline functions are columns of the tables around the call, whatever the function calls its own.
CREATE TABLE Parts (id INT PRIMARY KEY, x INT);
INSERT Parts VALUES (1, 10), (2, 20), (3, 20);
GO
CREATE FUNCTION SameX(@p INT) RETURNS TABLE AS RETURN SELECT r.id, r.x FROM Parts AS r WHERE r.x = @p;
GO
CREATE FUNCTION SameX2(@p INT) RETURNS TABLE AS RETURN
    SELECT r.id, (SELECT COUNT(*) FROM SameX(@p) AS f WHERE f.x = r.x) AS n FROM Parts AS r CROSS APPLY SameX(r.x) AS s WHERE s.id = @p;
GO
SELECT r.id, f.id AS other FROM Parts AS r CROSS APPLY SameX(r.x) AS f ORDER BY r.id, f.id;
SELECT Parts.id, f.id AS other FROM Parts CROSS APPLY SameX(Parts.x) AS f ORDER BY Parts.id, f.id;
SELECT r.id, f.id AS other FROM Parts AS r CROSS APPLY SameX(x) AS f ORDER BY r.id, f.id;
SELECT r.id, f.id AS other FROM (SELECT id, x FROM Parts WHERE id < 3) AS r OUTER APPLY SameX(x) AS f ORDER BY r.id, f.id;
SELECT p.id, f.id AS other, f.n FROM Parts AS p CROSS APPLY SameX2(p.id) AS f ORDER BY p.id, f.id;
SELECT COUNT(*) AS n FROM Parts AS r WHERE EXISTS (SELECT * FROM SameX(r.x) AS f WHERE f.id <> r.id);
SELECT * FROM Parts AS r CROSS APPLY SameX(r.nothing) AS f;
GO
