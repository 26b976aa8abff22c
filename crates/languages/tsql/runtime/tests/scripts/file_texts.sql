-- Texts of files compare as those of tables do: without regard to case, and to blanks at their ends.
--file prices.csv item,name,price
--file prices.csv A1,Bolt,2.50
--file prices.csv a1,bolt ,0.75
--file prices.csv B2,NUT,1.00
--file prices.csv b3,Ärger,4.00
--file prices.csv C4,ärger,5.00
--file prices.csv ,,9
--core CREATE TABLE stock (code CHAR(4), name VARCHAR(10), qty INTEGER, note TEXT) WITH (FORMAT = dbf, VERSION = vfp)
--core INSERT INTO stock VALUES ('A1', 'Bolt', 1, 'One'), ('a1', 'BOLT', 2, 'one'), ('b2', 'nut', 3, 'two'), ('C4', 'Ärger', 4, NULL), ('100', 'x', 5, 'x'), ('200', 'y', 6, 'y')
--core CREATE INDEX code ON stock (code)
--core CREATE INDEX name ON stock (upper(name))
SELECT item, price FROM prices WHERE item = 'A1' ORDER BY price
SELECT item, price FROM prices WHERE name = 'BOLT' ORDER BY price
SELECT item FROM prices WHERE name LIKE 'n%' OR name IN ('ÄRGER', 'x') ORDER BY price
SELECT item FROM prices WHERE name <> 'bolt' ORDER BY price
SELECT item FROM prices WHERE item BETWEEN 'a' AND 'b9' ORDER BY price
SELECT price FROM prices WHERE item > 'B2' ORDER BY price
SELECT price FROM prices ORDER BY name, price
GO
SELECT UPPER(RTRIM(MIN(name))) AS name, COUNT(*) AS n, SUM(price) AS total FROM prices GROUP BY name ORDER BY name
SELECT COUNT(*) AS n FROM (SELECT DISTINCT item FROM prices) d
SELECT COUNT(DISTINCT item) AS items, UPPER(MAX(item)) AS last FROM prices
SELECT COUNT(*) AS n FROM (SELECT item FROM prices UNION SELECT 'c4') u
SELECT COUNT(*) AS n FROM (SELECT item FROM prices INTERSECT SELECT code FROM stock) u
SELECT price FROM prices WHERE item NOT IN (SELECT code FROM stock) ORDER BY price
SELECT price, ROW_NUMBER() OVER (PARTITION BY item ORDER BY price) AS nr FROM prices ORDER BY price
SELECT p.price, s.qty FROM prices p JOIN stock s ON s.code = p.item ORDER BY 1, 2
SELECT CASE name WHEN 'NUT' THEN 'found' END AS c FROM prices ORDER BY price
SELECT price FROM prices WHERE name COLLATE Latin1_General_BIN = 'Bolt' ORDER BY price
SELECT x.n FROM (SELECT UPPER(name) AS n FROM prices) x WHERE x.n = 'nut'
GO
SELECT qty FROM stock WHERE code = 'A1' ORDER BY qty
SELECT qty FROM stock WHERE name = 'bolt' AND note = 'ONE' ORDER BY qty
SELECT qty FROM stock WHERE code LIKE 'a%' ORDER BY qty
SELECT qty FROM stock WHERE code IN ('c4', 'B2', '100') ORDER BY qty
SELECT qty FROM stock WHERE code BETWEEN '100' AND '199' ORDER BY qty
SELECT qty FROM stock WHERE code >= '200' ORDER BY qty
SELECT COUNT(*) AS n FROM stock GROUP BY name ORDER BY name
DECLARE @c VARCHAR(10) = 'B2 '
SELECT qty FROM stock WHERE code = @c
UPDATE stock SET qty += 10 WHERE code = 'a1'
SELECT @@ROWCOUNT AS changed
DELETE FROM stock WHERE name = 'X'
MERGE stock AS t USING (SELECT 'B2' AS code) AS s ON t.code = s.code WHEN MATCHED THEN UPDATE SET qty = 33;
SELECT code, qty FROM stock ORDER BY code, qty
GO
-- In a view, a function, and a table of the database's own
CREATE VIEW cheap AS SELECT item, name FROM prices WHERE price < 3
GO
SELECT item FROM cheap WHERE name = 'BOLT' ORDER BY name COLLATE Latin1_General_BIN
SELECT item, name INTO copied FROM prices
SELECT COUNT(*) AS n FROM copied WHERE item = 'a1'
SELECT COUNT(*) AS n FROM copied c JOIN prices p ON c.name = p.name
GO
