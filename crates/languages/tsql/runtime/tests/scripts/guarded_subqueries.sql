-- A branch of CASE, COALESCE, IIF or ISNULL is evaluated for the rows only that come to it, subqueries included (sql-02).
-- CASE: learn.microsoft.com/sql/t-sql/language-elements/case-transact-sql, "evaluates its conditions sequentially and stops
-- with the first condition whose condition is satisfied"; subqueries: "Subqueries in CASE Expressions", Craig Freedman.
CREATE TABLE item(id int PRIMARY KEY, pieces int, price decimal(9,2) NULL); INSERT item VALUES (1,0,5),(2,2,NULL),(3,4,NULL);
CREATE TABLE cost(item int, amount int); INSERT cost VALUES (1,10),(2,20),(3,30),(3,50);
GO
PRINT 'a'; SELECT id, CASE WHEN pieces = 0 THEN 0 ELSE (SELECT SUM(amount) / i.pieces FROM cost WHERE item = i.id) END AS each FROM item i ORDER BY id;
GO
PRINT 'b'; SELECT id, COALESCE(price, (SELECT SUM(amount) * 1.0 / i.pieces FROM cost WHERE item = i.id)) AS price FROM item i ORDER BY id;
GO
PRINT 'c'; SELECT id, IIF(pieces > 0, (SELECT MAX(amount / i.pieces) FROM cost WHERE item = i.id), NULL) AS e FROM item i ORDER BY id;
GO
PRINT 'd'; SELECT id, CASE WHEN (SELECT COUNT(*) FROM cost WHERE item = i.id) = 1 THEN (SELECT amount FROM cost WHERE item = i.id) END AS only_one FROM item i ORDER BY id;
GO
PRINT 'e'; UPDATE item SET price = CASE WHEN pieces = 0 THEN price ELSE (SELECT SUM(amount) / item.pieces FROM cost WHERE cost.item = item.id) END; SELECT id, price FROM item ORDER BY id;
GO
PRINT 'f'; SELECT CASE WHEN 1 = 0 THEN (SELECT 1 / 0) ELSE 5 END AS f, COALESCE(1, (SELECT 1 / 0)) AS g;
GO
PRINT 'h'; SELECT id, CASE WHEN pieces = 0 THEN 0 ELSE (SELECT TOP 1 amount / i.pieces FROM cost WHERE item = i.id ORDER BY amount) END AS h FROM item i ORDER BY id;
GO
PRINT 'i'; SELECT id, CASE WHEN pieces = 0 THEN 0 ELSE 100 / pieces END AS i FROM item ORDER BY id;
GO
CREATE FUNCTION dbo.share(@a int) RETURNS int AS BEGIN RETURN 100 / @a END
GO
PRINT 'k'; SELECT id, CASE WHEN pieces > 0 THEN (SELECT dbo.share(i.pieces) + MAX(amount) FROM cost WHERE item = i.id) END AS k FROM item i ORDER BY id;
GO
CREATE TABLE code(id int PRIMARY KEY, s varchar(10)); INSERT code VALUES (1,'x'),(2,'12');
GO
BEGIN TRAN; INSERT code VALUES (3,'40');
PRINT 'l'; SELECT id, CASE WHEN s LIKE '[0-9]%' THEN (SELECT COUNT(*) FROM cost WHERE amount > CAST(c.s AS int)) ELSE -1 END AS l FROM code c ORDER BY id;
GO
SELECT @@TRANCOUNT AS open_transactions; IF @@TRANCOUNT > 0 COMMIT; SELECT COUNT(*) AS codes FROM code;
GO
PRINT 'the function alone'; SELECT id, CASE WHEN pieces > 0 THEN dbo.share(pieces) END AS share FROM item ORDER BY id;
GO
PRINT 'a conversion alone'; SELECT id, CASE WHEN s LIKE '[0-9]%' THEN CAST(s AS int) ELSE -1 END AS n, IIF(s LIKE '[0-9]%', CONVERT(int, s), 0) AS m FROM code ORDER BY id;
GO
PRINT 'simple CASE'; SELECT id, CASE pieces WHEN 0 THEN 0 WHEN (SELECT MAX(amount) / i.pieces - 23 FROM cost) THEN 1 ELSE 2 END AS s FROM item i ORDER BY id;
GO
PRINT 'CHOOSE'; SELECT id, CHOOSE(id, 0, (SELECT SUM(amount) / i.pieces FROM cost WHERE item = i.id), (SELECT MAX(amount) / (i.pieces - 2) FROM cost)) AS c FROM item i ORDER BY id;
GO
PRINT 'ISNULL'; SELECT id, ISNULL(NULLIF(1 - SIGN(pieces), 0), (SELECT SUM(amount) / i.pieces FROM cost WHERE item = i.id)) AS n FROM item i ORDER BY id;
GO
PRINT 'WHERE'; SELECT id FROM item i WHERE 1 = CASE WHEN pieces = 0 THEN 1 WHEN (SELECT SUM(amount) / i.pieces FROM cost WHERE item = i.id) > 15 THEN 1 ELSE 0 END ORDER BY id;
GO
PRINT 'HAVING'; SELECT pieces, COUNT(*) AS n FROM item i GROUP BY pieces HAVING CASE WHEN pieces = 0 THEN 1 ELSE (SELECT MAX(amount / i.pieces) FROM cost) END > 0 ORDER BY pieces;
GO
PRINT 'ORDER BY'; SELECT id FROM item i ORDER BY CASE WHEN pieces = 0 THEN 100 ELSE (SELECT SUM(amount) / i.pieces FROM cost WHERE item = i.id) END DESC;
GO
PRINT 'APPLY'; SELECT i.id, x.e FROM item i CROSS APPLY (SELECT CASE WHEN i.pieces = 0 THEN 0 ELSE (SELECT SUM(amount) / i.pieces FROM cost WHERE item = i.id) END AS e) x ORDER BY i.id;
GO
PRINT 'INSERT'; INSERT item (id, pieces, price) SELECT id + 10, 1, CASE WHEN pieces = 0 THEN 1 ELSE (SELECT SUM(amount) / i.pieces FROM cost WHERE item = i.id) END FROM item i; SELECT id, price FROM item WHERE id > 10 ORDER BY id;
GO
PRINT 'MERGE'; MERGE item AS t USING (SELECT id FROM item WHERE id <= 2) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET price = CASE WHEN t.pieces = 0 THEN 77 ELSE (SELECT MAX(amount / t.pieces) FROM cost) END; SELECT id, price FROM item WHERE id < 10 ORDER BY id;
GO
PRINT 'variables'; DECLARE @n int = 0, @x int; SET @x = CASE WHEN @n = 0 THEN -1 ELSE (SELECT SUM(amount) / @n FROM cost) END; SELECT @x AS x; SELECT @x = CASE WHEN @n = 0 THEN -2 ELSE (SELECT SUM(amount) / @n FROM cost) END; SELECT @x AS x; IF COALESCE(NULLIF(@x, 0), (SELECT SUM(amount) / @n FROM cost)) = -2 PRINT 'guarded'; SELECT ISNULL(@x, (SELECT amount FROM cost)) AS x, IIF(@n = 0, 9, (SELECT amount FROM cost)) AS y;
GO
PRINT 'a function'
GO
CREATE FUNCTION dbo.each(@item int) RETURNS int AS BEGIN RETURN (SELECT CASE WHEN pieces = 0 THEN 0 ELSE (SELECT SUM(amount) / i.pieces FROM cost WHERE item = i.id) END FROM item i WHERE id = @item) END
GO
SELECT id, dbo.each(id) AS e FROM item WHERE id < 10 ORDER BY id;
GO
PRINT 'CHECK and computed'; CREATE TABLE guarded(a int, b AS CASE WHEN a = 0 THEN 0 ELSE 100 / a END, CHECK (CASE WHEN a = 0 THEN 1 ELSE 10 / a END >= 0)); INSERT guarded VALUES (0),(5); SELECT a, b FROM guarded ORDER BY a;
GO
PRINT 'a branch that is reached fails'; SELECT id, CASE WHEN pieces = 99 THEN 0 ELSE (SELECT SUM(amount) / i.pieces FROM cost WHERE item = i.id) END AS each FROM item i ORDER BY id;
GO
SELECT id, CASE WHEN id = 3 THEN (SELECT amount FROM cost WHERE item = i.id) END AS several FROM item i ORDER BY id;
GO
