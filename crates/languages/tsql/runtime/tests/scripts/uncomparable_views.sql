-- What has no order has none in views, common table expressions and derived tables either
CREATE TABLE docs (id INT, x XML, t TEXT, n NTEXT, i IMAGE)
GO
CREATE VIEW all_docs AS SELECT * FROM docs
GO
CREATE VIEW some_docs (a, b) AS SELECT id, d.x FROM all_docs AS d
GO
SELECT DISTINCT t FROM all_docs
GO
SELECT * FROM all_docs ORDER BY x
GO
SELECT COUNT(*) FROM some_docs GROUP BY b
GO
SELECT DISTINCT * FROM some_docs
GO
SELECT DISTINCT a FROM some_docs ORDER BY a
GO
WITH c AS (SELECT id, n FROM docs) SELECT id FROM c ORDER BY n
GO
WITH c AS (SELECT d.* FROM (SELECT id, i FROM all_docs) AS d), e (k, v) AS (SELECT id, i FROM c) SELECT DISTINCT v FROM e
GO
WITH c AS (SELECT id, x FROM docs), d AS (SELECT * FROM c) SELECT MAX(id) FROM d GROUP BY x
GO
WITH c AS (SELECT id, CAST(x AS NVARCHAR(MAX)) AS x FROM all_docs) SELECT DISTINCT x FROM c ORDER BY x
GO
