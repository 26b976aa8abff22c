-- Functions, axes and variables within paths of XML.
DECLARE @x XML = N'<o id="7"><l n="1"><s>pen &amp; ink</s><q>2.5</q></l><l n="2"><s>pot</s><q>-2.5</q></l></o>'
SELECT @x.value('substring((/o/l/s)[1], 1, 3)', 'varchar(10)') AS cut, @x.value('substring((//s)[2], 2)', 'varchar(10)') AS rest,
    @x.value('floor((//q)[1])', 'int') AS low, @x.value('ceiling((//q)[1])', 'int') AS high,
    @x.value('round((//q)[1])', 'int') AS rounded, @x.value('round((//q)[2])', 'int') AS below
SELECT @x.value('(/o/attribute::id)[1]', 'int') AS id, @x.value('count(/o/descendant::*)', 'int') AS below,
    @x.value('(/child::o/descendant::q)[2]', 'decimal(9,1)') AS q, @x.value('count(//s[1])', 'int') AS firsts,
    @x.query('/o/l[2]/self::l/s') AS s
GO
-- Bytes as text in either notation
DECLARE @b VARBINARY(10) = 0x01FF10, @x XML = '<a b="Af8Q">01ff10</a>'
SELECT @x.value('xs:base64Binary(sql:variable("@b"))', 'varchar(20)') AS base64, @x.value('xs:hexBinary(sql:variable("@b"))', 'varchar(20)') AS hex,
    @x.value('xs:base64Binary(/a[1]/@b)', 'varbinary(10)') AS b1, @x.value('xs:hexBinary((/a)[1])', 'varbinary(10)') AS b2,
    @x.value('(/a/@b)[1]', 'varbinary(10)') AS b3, @x.value('xs:hexBinary("0g")', 'varbinary(10)') AS none
SELECT CAST(N'' AS XML).value('xs:base64Binary("SGVsbG8=")', 'varbinary(20)') AS decoded
CREATE TABLE Files (id INT, body VARBINARY(10))
INSERT Files VALUES (1, 0x48656C6C6F)
SELECT CAST(N'' AS XML).value('xs:base64Binary(xs:hexBinary(sql:column("body")))', 'varchar(20)') AS encoded FROM Files
GO
-- Variables and columns in the paths of nodes
DECLARE @n INT = 2, @s VARCHAR(10) = 'pen', @x XML = N'<o><l n="1"><s>pen</s></l><l n="2"><s>pot</s></l><l n="2"><s>ink</s></l></o>'
SELECT l.c.value('s[1]', 'varchar(10)') AS s FROM @x.nodes('/o/l[@n = sql:variable("@n")]') AS l(c)
SELECT l.c.value('@n', 'int') AS n FROM @x.nodes('/o/l[s = sql:variable("@s")]') AS l(c)
SELECT l.c.value('../@n', 'int') AS n FROM @x.nodes('/o/l[@n = sql:variable("@n")]/s') AS l(c)
CREATE TABLE Wanted (n INT, body XML)
INSERT Wanted VALUES (1, @x), (2, @x), (3, @x)
SELECT w.n, l.c.value('s[1]', 'varchar(10)') AS s FROM Wanted AS w CROSS APPLY w.body.nodes('/o/l[@n = sql:column("w.n")]') AS l(c) ORDER BY w.n, 2
GO
-- What is inserted has values of variables
DECLARE @v VARCHAR(10) = 'a & <b>', @n INT = 5, @more XML = '<m/>', @x XML = '<r k="1"><a/></r>'
SET @x.modify('insert <c v="{sql:variable("@v")}">{sql:variable("@n")}</c> into (/r)[1]')
SET @x.modify('insert attribute n {sql:variable("@n")} into (/r/a)[1]')
SET @x.modify('insert (<d/>, text {"it''s"}) after (/r/a)[1]')
SET @x.modify('insert sql:variable("@more") as first into (/r)[1]')
SET @x.modify('insert <e>{/r/@k}</e> into (/r/c[. = sql:variable("@n")])[1]')
SELECT @x AS x
CREATE TABLE Docs (id INT, name VARCHAR(10), body XML)
INSERT Docs VALUES (1, 'one', '<d/>'), (2, 'two', '<d/>')
UPDATE Docs SET body.modify('insert <n>{sql:column("name")}</n> into (/d)[1]')
SELECT id, body FROM Docs ORDER BY id
GO
-- A function that there is not: 2395
DECLARE @x XML = '<a/>'
SELECT @x.value('foo((/a)[1])', 'int') AS n
GO
DECLARE @x XML = '<a/>'
SELECT @x.query('xs:foo((/a)[1])') AS n
GO
DECLARE @x XML = '<a/>'
SET @x.modify('insert <b>{bar()}</b> into (/a)[1]')
GO
GO
-- Steps up, anywhere in a path.
DECLARE @x xml = '<r><a id="1"><b n="x"/></a><a id="2"><b n="y"/></a></r>'
SELECT @x.value('(//b[@n = "y"]/../@id)[1]', 'int') AS up, @x.value('(//b[../@id = "1"]/@n)[1]', 'varchar(5)') AS inner_step,
  @x.query('/r/a/b/parent::a[@id = "2"]') AS parent, @x.exist('/r/a/b/parent::c') AS none, @x.query('//b/../..') AS once
SELECT n.b.value('@n', 'varchar(5)') AS n, n.b.value('../@id', 'int') AS id, n.b.value('count(../../a)', 'int') AS count
FROM @x.nodes('/r/a/b[../@id > 1]') AS n(b)
