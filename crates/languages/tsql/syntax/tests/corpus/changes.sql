-- INSERT, UPDATE, DELETE, MERGE.
DECLARE @id int, @t TABLE (a int, b int), @old money, @sql nvarchar(100)
INSERT INTO t VALUES (1, 'a', DEFAULT, NULL)
INSERT t (a, b) VALUES (1, 2), (3, 4), (5, (SELECT MAX(a) FROM u))
INSERT INTO t DEFAULT VALUES
INSERT INTO t (a) SELECT a FROM u WHERE a > 1 ORDER BY a OPTION (MAXDOP 1)
INSERT INTO t (SELECT a FROM u)
INSERT INTO t (a) (SELECT a FROM u)
INSERT t SELECT 1 UNION ALL SELECT 2
INSERT TOP (10) INTO t (a) SELECT a FROM u
INSERT INTO @t (a, b) EXEC dbo.AddOrder @id = 5
INSERT INTO t EXECUTE (@sql)
INSERT INTO dbo.t WITH (TABLOCK) (t.a, [b c]) VALUES (1, 2)
INSERT INTO t (a) OUTPUT inserted.id, inserted.a AS x, GETDATE() INTO @t (a, b) OUTPUT inserted.* VALUES (1)
INSERT INTO t OUTPUT inserted.* SELECT 1
INSERT INTO OPENQUERY(linked1, 'SELECT a FROM t') VALUES (1)
INSERT INTO linked1.sales.dbo.t (a) VALUES (1) OPTION (RECOMPILE)
INSERT INTO t (a) SELECT x.a FROM (MERGE INTO u USING v ON u.id = v.id WHEN MATCHED THEN UPDATE SET a = v.a OUTPUT $action, inserted.a) AS x (act, a) WHERE x.act = 'UPDATE'
UPDATE t SET a = 1
UPDATE t SET a = a + 1, t.b = DEFAULT, c = NULL, d += 1, e -= 1, f *= 2, g /= 2, h %= 2, i &= 1, j |= 1, k ^= 1 WHERE id = 5
UPDATE TOP (10) PERCENT t WITH (ROWLOCK, READPAST) SET a = 1 OUTPUT deleted.a, inserted.a WHERE b = 2
UPDATE o SET o.total = x.total FROM orders AS o JOIN (SELECT id, SUM(v) AS total FROM lines GROUP BY id) AS x ON x.id = o.id WHERE o.opened = 1 OPTION (HASH JOIN)
UPDATE numbers SET @id = next = next + 1, @old = total
UPDATE numbers SET @id += 1, @old = total = total * 2
UPDATE docs SET body.WRITE('text', 0, NULL), doc.modify('delete /a') WHERE id = 1
UPDATE @t SET a = 1 OUTPUT inserted.a INTO log (a)
UPDATE t SET a = (SELECT TOP 1 b FROM u WHERE u.id = t.id ORDER BY b DESC) WHERE EXISTS (SELECT 1 FROM u)
UPDATE OPENQUERY(linked1, 'SELECT a FROM t') SET a = 1
DELETE t
DELETE FROM t WHERE a = 1
DELETE TOP (100) FROM t WHERE d < DATEADD(year, -1, GETDATE())
DELETE FROM t OUTPUT deleted.* INTO old_t WHERE a IN (SELECT a FROM u)
DELETE l FROM lines AS l INNER JOIN orders o ON o.id = l.id WHERE o.closed = 1
DELETE FROM lines FROM orders WHERE orders.id = lines.id
DELETE @t WHERE a = 1
DELETE FROM t WITH (TABLOCKX) OUTPUT deleted.id OPTION (MAXDOP 1)
MERGE INTO stock AS s USING deliveries AS d ON s.item = d.item
WHEN MATCHED AND d.quantity + s.quantity = 0 THEN DELETE
WHEN MATCHED THEN UPDATE SET s.quantity += d.quantity, changed = GETDATE()
WHEN NOT MATCHED BY TARGET AND d.quantity > 0 THEN INSERT (item, quantity) VALUES (d.item, d.quantity)
WHEN NOT MATCHED BY SOURCE THEN UPDATE SET quantity = 0
OUTPUT $action, inserted.item, deleted.quantity AS before INTO log (act, item, quantity)
OPTION (RECOMPILE);
MERGE TOP (5) t WITH (HOLDLOCK) x USING (VALUES (1, 2)) AS v (a, b) ON x.a = v.a WHEN NOT MATCHED THEN INSERT VALUES (v.a, v.b);
MERGE t USING u ON t.a = u.a WHEN NOT MATCHED THEN INSERT DEFAULT VALUES;
MERGE @t AS x USING (SELECT 1 AS a) AS v ON x.a = v.a WHEN MATCHED THEN DELETE;
WITH v AS (SELECT 1 AS a) MERGE INTO t USING v ON t.a = v.a WHEN MATCHED THEN UPDATE SET a = 1;
IF @id = 1 MERGE t USING u ON t.a = u.a WHEN MATCHED THEN DELETE; ELSE PRINT 'no'
TRUNCATE TABLE dbo.t
TRUNCATE TABLE t WITH (PARTITIONS (1, 2, 4 TO 6))
BULK INSERT sales.dbo.orders FROM 'c:\data\orders.txt' WITH (FIELDTERMINATOR = ';', ROWTERMINATOR = '\n', FIRSTROW = 2, TABLOCK, ORDER (id ASC), FIRE_TRIGGERS)
BULK INSERT t FROM 'x.dat'
GO
