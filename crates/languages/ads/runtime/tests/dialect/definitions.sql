CREATE TABLE stock (id AutoInc, item Char(12), qty Integer, price Numeric(9,2), born Date, note Memo, ok Logical)
--;
INSERT INTO stock (item, qty, price, born, note, ok) VALUES ('bolt', 5, 1.25, '2026-01-02', 'a long note', TRUE)
--;
INSERT INTO stock (item, qty) VALUES ('a very long name of an item', 7), ('nut', NULL)
--;
SELECT item, qty, price, born, note, ok FROM stock
--;
CREATE TABLE stock (x Integer)
--;
CREATE INDEX price ON stock (price)
--;
CREATE UNIQUE INDEX byqty ON stock (qty)
--;
INSERT INTO stock (item, qty) VALUES ('again', 7)
--;
SELECT name, index_expression, index_options FROM system.indexes WHERE parent = 'stock' ORDER BY name
--;
SELECT name, field_type, field_length, field_decimal FROM system.columns WHERE parent = 'stock' ORDER BY field_num
--;
SELECT name, table_type FROM system.tables ORDER BY name
--;
ALTER TABLE stock ADD COLUMN weight Double ALTER COLUMN item article Char(20) DROP COLUMN born
--;
SELECT article, qty, price, note, ok, weight FROM stock
--;
DROP INDEX stock.byqty
--;
INSERT INTO stock (article, qty) VALUES ('again', 7)
--;
UPDATE stock SET weight = qty * 1.5, note = 'changed' WHERE qty = 7
--;
SELECT article, qty, weight, note FROM stock WHERE weight IS NOT NULL
--;
DELETE FROM stock WHERE article = 'nut'
--;
SELECT COUNT(*) FROM stock
--;
MERGE stock ON (article = 'screw') WHEN MATCHED THEN UPDATE SET qty = 1 WHEN NOT MATCHED THEN INSERT (article, qty) VALUES ('screw', 100)
--;
MERGE INTO stock USING orders ON (stock.qty = orders.id) WHEN MATCHED THEN UPDATE SET stock.weight = orders.amount WHEN NOT MATCHED THEN INSERT (article, qty) VALUES ('new', orders.id)
--;
SELECT article, qty, weight FROM stock ORDER BY qty, article
--;
SELECT name, pay INTO #rich FROM people WHERE pay > 1000
--;
SELECT * FROM #rich
--;
UPDATE #rich SET pay = 0 WHERE name = 'Ann'
--;
SELECT name, pay FROM #rich ORDER BY pay
--;
DROP TABLE #rich
--;
SELECT * FROM #rich
--;
SELECT city, COUNT(*) AS n INTO cities FROM people GROUP BY city
--;
SELECT * FROM cities ORDER BY city
--;
UPDATE p SET pay = o.amount FROM people p INNER JOIN orders o ON o.person = p.id WHERE o.id = 103
--;
SELECT name, pay FROM people WHERE id = 4
--;
BEGIN TRANSACTION
--;
UPDATE people SET pay = 1
--;
SAVEPOINT one
--;
DELETE FROM people WHERE id > 1
--;
ROLLBACK TO SAVEPOINT one
--;
SELECT COUNT(*), SUM(pay) FROM people
--;
ROLLBACK WORK
--;
SELECT COUNT(*), SUM(pay) FROM people
--;
DROP TABLE cities
--;
SELECT * FROM cities
--;
INSERT INTO people (id, name) SELECT id, 'x' FROM orders WHERE id > 102
--;
SELECT id, name FROM people WHERE id > 100
--;
INSERT INTO people (id, name, city) SELECT 200, name + city + 'too long', city FROM people WHERE id = 1
--;
SELECT name, city FROM people WHERE id = 200
--;
CREATE TABLE counted (id AutoInc, item Char(4))
--;
INSERT INTO counted (item) VALUES ('a'), ('b')
--;
SELECT LASTAUTOINC(STATEMENT) FROM system.iota
--;
SELECT id, item FROM counted
--;
CREATE TABLE papers (no Integer, note Memo, price Numeric(10,2), born Date)
--;
INSERT INTO papers VALUES (1, 'short', 12345.67, {d '2024-02-29'})
--;
SELECT *, UPPER(note) AS loud INTO papers2 FROM papers
--;
SELECT * INTO papers3 FROM papers2
--;
UPDATE papers3 SET note = REPEAT('long', 100)
--;
SELECT LENGTH(note) AS letters FROM papers3
--;
SELECT no, price, born, loud FROM papers3
