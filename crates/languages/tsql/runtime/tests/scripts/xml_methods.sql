-- The methods of XML over variables and columns.
DECLARE @x XML = N'<?xml version="1.0"?><order id="7" date="2026-01-02"><line n="1"><sku>p&amp;q</sku><qty>2</qty><price>1.50</price></line><line n="2"><sku>r</sku><qty>10</qty><price>0.25</price></line><note/></order>'
SELECT @x.value('(/order/@id)[1]', 'int') AS id, @x.value('(/order/@date)[1]', 'date') AS d, @x.value('(//sku)[2]', 'varchar(5)') AS s2, @x.value('(/order/line/sku/text())[1]', 'nvarchar(10)') AS s1
SELECT @x.value('sum(/order/line/qty)', 'int') AS qty, @x.value('count(//line)', 'int') AS n, @x.value('(/order/none)[1]', 'int') AS none, @x.value('(/order/note)[1]', 'varchar(5)') AS note
SELECT @x.exist('/order/line[qty > 5]') AS a, @x.exist('/order/line[qty > 50]') AS b, @x.exist('/order[@id="7"]') AS c, @x.exist('/order/line[@n="2" and sku="r"]') AS d
SELECT @x.query('/order/line[2]') AS l2, @x.query('/order/line/sku') AS skus, @x.query('/order/line[@n=1]/qty/text()') AS t
SELECT l.c.value('@n', 'int') AS n, l.c.value('sku[1]', 'varchar(5)') AS sku, l.c.value('(qty)[1]', 'int') * l.c.value('(price)[1]', 'decimal(9,2)') AS total, l.c.query('qty') AS q FROM @x.nodes('/order/line') AS l(c)
DECLARE @n INT = 2
SELECT @x.value('(/order/line[@n=sql:variable("@n")]/sku)[1]', 'varchar(5)') AS s
SELECT @x.exist('/order/line[qty = sql:variable("@n")]') AS e
GO
DECLARE @x XML = '<r><a>1</a><b k="v">2</b></r>'
SET @x.modify('replace value of (/r/a/text())[1] with "5"')
SET @x.modify('insert <c>3</c> into (/r)[1]')
SET @x.modify('delete /r/b')
SELECT @x AS x
SET @x.modify('insert <z/> as first into (/r)[1]')
SET @x.modify('insert attribute k {"w"} into (/r/a)[1]')
SET @x.modify('insert <y/> after (/r/a)[1]')
SET @x.modify('replace value of (/r/a/@k)[1] with "u"')
SELECT @x AS x
SET @x.modify('delete //@k')
SELECT CAST(@x AS NVARCHAR(MAX)) AS x
GO
CREATE TABLE Docs (Id INT PRIMARY KEY, Body XML)
INSERT INTO Docs VALUES (1, '<p><i>a</i><i>b</i></p>'), (2, '<p/>'), (3, NULL)
SELECT Id, Body.value('(/p/i)[1]', 'varchar(5)') AS first, Body.exist('/p/i') AS has, Body.query('/p/i[2]') AS second FROM Docs ORDER BY Id
SELECT d.Id, n.i.value('.', 'varchar(5)') AS i FROM Docs d CROSS APPLY d.Body.nodes('/p/i') AS n(i) ORDER BY d.Id, 2
SELECT d.Id, n.i.value('(./text())[1]', 'varchar(5)') AS i FROM Docs d OUTER APPLY d.Body.nodes('/p/i') AS n(i) ORDER BY d.Id, 2
SELECT Id FROM Docs WHERE Body.exist('/p[i="b"]') = 1
UPDATE Docs SET Body.modify('insert <i>z</i> into (/p)[1]') WHERE Id = 2
SELECT Body FROM Docs WHERE Id = 2
GO
INSERT INTO Docs VALUES (4, '<p><i></p>')
GO
INSERT INTO Docs VALUES (5, 'plain text')
SELECT Id, Body FROM Docs WHERE Id > 3
DECLARE @bad XML
BEGIN TRY SET @bad = '<a>&nope;</a>' END TRY BEGIN CATCH PRINT ERROR_NUMBER() END CATCH
GO
SELECT CAST('<a  b="1"  ><c></c>t</a>' AS XML) AS x, CONVERT(XML, '<a/>') AS y, CAST(CAST('<a>1</a>' AS XML) AS VARCHAR(20)) AS s
DECLARE @list VARCHAR(50) = 'x,y,z'
SELECT t.v.value('.', 'varchar(5)') AS item FROM (SELECT CAST('<v>' + REPLACE(@list, ',', '</v><v>') + '</v>' AS XML) AS d) q CROSS APPLY q.d.nodes('/v') AS t(v)
DECLARE @h XML = '<a k="9"><b i="1"><c>x</c><c>y</c></b><b i="2"><c>z</c></b></a>'
SELECT b.n.value('@i', 'int') AS i, c.n.value('.', 'char(1)') AS c FROM @h.nodes('/a/b') AS b(n) CROSS APPLY b.n.nodes('c') AS c(n)
SELECT c.n.value('../@i', 'int') AS i, c.n.value('text()[1]', 'char(1)') AS c, c.n.value('(../c[2])[1]', 'char(1)') AS n FROM @h.nodes('/a/b/c') AS c(n)
SELECT b.n.value('(../@k)[1]', 'int') AS k, c.n.value('../@i', 'int') AS i FROM @h.nodes('/a/b') AS b(n) OUTER APPLY b.n.nodes('c') AS c(n)
GO
