-- ORDER BY of a UNION by a column of its first query that has another name there, as mssql-django writes it.
CREATE TABLE t (id INT PRIMARY KEY, num INT, other INT)
INSERT t VALUES (1, 30, 2), (2, 20, 2), (3, 10, 1)
GO
SELECT t.id AS Col1, t.num AS Col2 FROM t WHERE id < 3 UNION SELECT t.id AS Col1, t.num AS Col2 FROM t WHERE id > 1 ORDER BY [num]
SELECT t.id AS Col1, t.num AS Col2 FROM t UNION ALL SELECT 9, 15 ORDER BY t.NUM DESC OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY
-- A name of the result goes first.
SELECT t.id AS num, t.num AS id FROM t UNION SELECT 7, 1 ORDER BY num
GO
SELECT t.id AS Col1 FROM t UNION SELECT num FROM t ORDER BY num
GO
SELECT t.id + 0 AS Col1 FROM t UNION SELECT num FROM t ORDER BY id
GO
