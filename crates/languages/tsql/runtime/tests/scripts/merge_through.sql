-- Changes through common table expressions and views, by MERGE, too.
CREATE TABLE stock (id INT PRIMARY KEY, item VARCHAR(10), qty INT, closed BIT NOT NULL DEFAULT 0)
INSERT stock (id, item, qty) VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3)
GO
CREATE VIEW opened AS SELECT id, item AS name, qty FROM stock WHERE closed = 0
GO
MERGE opened AS t USING (VALUES (1, 'a', 10), (4, 'd', 40)) AS s (id, name, qty) ON t.id = s.id
WHEN MATCHED THEN UPDATE SET qty = s.qty
WHEN NOT MATCHED THEN INSERT (id, name, qty) VALUES (s.id, s.name, s.qty)
OUTPUT $action, inserted.id, inserted.name, deleted.qty;
SELECT * FROM stock ORDER BY id;
WITH c AS (SELECT id, qty AS n FROM stock WHERE id < 4)
MERGE c USING (SELECT 2 AS id, 5 AS n UNION ALL SELECT 9, 9) s ON c.id = s.id
WHEN MATCHED THEN UPDATE SET c.n = c.n + s.n
WHEN NOT MATCHED BY SOURCE THEN DELETE
OUTPUT $action AS act, deleted.id, inserted.n, deleted.n AS was;
SELECT * FROM stock ORDER BY id;
WITH c AS (SELECT id, qty, ROW_NUMBER() OVER (ORDER BY id DESC) AS rn FROM stock) DELETE c WHERE rn = 1;
WITH c AS (SELECT TOP 1 qty FROM stock ORDER BY id) UPDATE c SET qty = 99;
SELECT * FROM stock ORDER BY id;
UPDATE opened SET name = 'z' WHERE id = 2
DELETE o FROM opened o WHERE o.id = 2
INSERT opened (id, name, qty) VALUES (7, 'g', 7)
SELECT * FROM opened ORDER BY id;
MERGE opened AS t USING (SELECT 7 AS id) s ON t.id = s.id WHEN MATCHED AND t.qty = 7 THEN DELETE OUTPUT $action, deleted.*;
SELECT * FROM stock ORDER BY id;
GO
