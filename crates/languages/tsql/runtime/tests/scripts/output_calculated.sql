-- OUTPUT of columns that a common table expression or view calculates: what they were of the rows that went.
CREATE TABLE t (id INT PRIMARY KEY, k VARCHAR(5), v INT);
INSERT t VALUES (1, 'a', 10), (2, 'a', 20), (3, 'b', 30), (4, 'b', 40), (5, 'b', 50);
GO
WITH d AS (SELECT id, k, ROW_NUMBER() OVER (PARTITION BY k ORDER BY id) AS n, v * 2 AS twice FROM t)
DELETE FROM d OUTPUT deleted.id, deleted.n, deleted.twice + 1 AS more WHERE n > 1 AND k = 'b';
GO
CREATE VIEW w AS SELECT id, v, v * 100 AS hundred FROM t;
GO
DECLARE @gone TABLE (id INT, hundred INT);
DELETE w OUTPUT deleted.id, deleted.hundred INTO @gone WHERE id = 3;
SELECT id, hundred FROM @gone;
UPDATE w SET v = v + 1 OUTPUT deleted.hundred AS before, inserted.v AS now WHERE id = 1;
DELETE q OUTPUT deleted.* FROM (SELECT id, v + 1 AS next FROM t) q WHERE id = 2;
GO
-- What a new row would have there is not known.
UPDATE w SET v = v + 1 OUTPUT inserted.hundred WHERE id = 1;
GO
SELECT * FROM t;
GO
