-- A name that is not there, in every clause.
SELECT nmae FROM customers;
SELECT id FROM custmers;
SELECT c.nmae FROM customers c;
SELECT k.name FROM customers c;
SELECT id FROM customers WHERE blance > 5;
SELECT COUNT(*) FROM customers GROUP BY ctiy;
SELECT city FROM customers GROUP BY city HAVING MAX(blance) > 5;
SELECT id FROM customers ORDER BY nmae;
SELECT c.name FROM customers c JOIN ordrs o ON o.customer = c.id;
SELECT c.name FROM customers c JOIN orders o ON o.custmer = c.id;
SELECT c.name FROM customers c JOIN orders o USING (custmer);
SELECT name FROM customers WHERE id IN (SELECT custmer FROM orders);
SELECT name FROM customers WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer = customers.idd);
SELECT uppr(name) FROM customers;
SELECT SUM(balance) OVER (PARTITION BY ctiy) FROM customers;
INSERT INTO customers (id, nmae) VALUES (1, 'x');
INSERT INTO custmers VALUES (1);
UPDATE customers SET nmae = 'x' WHERE id = 1;
UPDATE customers SET name = nmae WHERE id = 1;
UPDATE customers SET name = 'x' WHERE idd = 1;
UPDATE custmers SET name = 'x';
DELETE FROM custmers WHERE id = 1;
DELETE FROM customers WHERE idd = 1;
WITH best AS (SELECT nmae FROM customers) SELECT * FROM best;
CREATE TABLE best AS SELECT nmae FROM customers;
CREATE VIEW best AS SELECT nmae FROM customers;
CREATE INDEX by_name ON notebook (nmae);
ALTER TABLE notebook DROP COLUMN nmae;
ALTER TABLE notebook RENAME COLUMN nmae TO name;
DROP TABLE custmers;
DROP INDEX by_nmae;
-- Functions: how many arguments, and of which types.
SELECT substr(name) FROM customers;
SELECT round(name) FROM customers;
SELECT SUM(name) FROM customers;
SELECT AVG(since) FROM customers;
SELECT coalesce() FROM customers;
SELECT abs(balance, 2) FROM customers;
SELECT upper(name, city) FROM customers;
SELECT length(*) FROM customers;
-- Groups and aggregates.
SELECT name, COUNT(*) FROM customers;
SELECT city, name, COUNT(*) FROM customers GROUP BY city;
SELECT city FROM customers WHERE COUNT(*) > 1 GROUP BY city;
SELECT city FROM customers GROUP BY city HAVING balance > 5;
SELECT city FROM customers GROUP BY COUNT(*);
SELECT SUM(COUNT(*)) FROM customers;
SELECT city, COUNT(*) FROM customers GROUP BY 3;
SELECT id, row_number() FROM customers;
SELECT id FROM customers WHERE row_number() OVER (ORDER BY id) < 3;
UPDATE customers SET balance = SUM(credit);
-- Names that mean two things.
SELECT id FROM customers c JOIN orders o ON o.customer = c.id;
SELECT c.name FROM customers c, orders c;
SELECT 1 FROM customers JOIN customers ON 1 = 1;
CREATE TABLE twice (id INTEGER, id INTEGER);
CREATE TABLE notebook (id INTEGER);
-- Rows and columns that do not fit.
INSERT INTO notebook (id, id) VALUES (1, 2);
SELECT id FROM customers UNION SELECT id, name FROM customers;
SELECT id FROM customers UNION SELECT since FROM customers;
SELECT id FROM customers ORDER BY 2;
SELECT id FROM customers UNION SELECT id FROM orders ORDER BY total;
SELECT DISTINCT city FROM customers ORDER BY name;
SELECT name FROM customers WHERE id = (SELECT customer, id FROM orders);
SELECT name FROM customers WHERE id IN (SELECT customer, id FROM orders);
SELECT id FROM customers LIMIT -1;
SELECT id FROM customers LIMIT ten;
-- Values of the wrong kind.
SELECT name FROM customers WHERE id = 'abc';
SELECT name FROM customers WHERE since > 'yesterday';
SELECT name FROM customers WHERE since > '2024-02-30';
SELECT DATE '2024-13-01';
SELECT name FROM customers WHERE since BETWEEN DATE '2024-01-01' AND DATE '2024-02-30';
SELECT CAST('12a' AS INTEGER);
SELECT CAST(id AS NUMBR) FROM customers;
SELECT name + 1 FROM customers;
SELECT -name FROM customers;
SELECT since + since FROM customers;
SELECT name FROM customers WHERE name;
SELECT name FROM customers WHERE balance;
SELECT name FROM customers WHERE NOT id;
SELECT name FROM customers WHERE active = 'yes';
SELECT name FROM customers WHERE id LIKE 5;
SELECT CASE WHEN id THEN 1 ELSE 2 END FROM customers;
INSERT INTO notebook (id) VALUES ('abc');
INSERT INTO notebook (id, day) VALUES (1, 'tomorrow');
INSERT INTO notebook (id) VALUES (99999999999);
INSERT INTO notebook (id, word) VALUES (1, 'much too long for it');
UPDATE customers SET balance = 'much' WHERE id = 1001;
UPDATE customers SET since = '2024-02-30' WHERE id = 1001;
-- Signs and words that are missing, too many or misspelt.
SELECT name FROM customers WHERE (id = 1;
SELECT name FROM customers WHERE id = 1);
SELECT count(* FROM customers;
SELECT name city balance FROM customers;
SELECT name FROM customers WHERE;
SELECT name FROM customers WHERE id = ;
SELECT name FROM customers WHERE id = 1 AND;
SELECT name FROM customers WHERE id => 1;
SELECT name FROM customers WHERE id IN 1;
SELECT name FROM customers WHERE id BETWEEN 1;
SELECT name FROM customers WHERE city = "København";
SELECT name FROM customers WHERE city = København;
SELECT name FORM customers;
SELCT name FROM customers;
SELECT name FROM customers WEHRE id = 1;
SELECT name FROM customers GRUOP BY name;
SELECT name FROM customers ORDER name;
SELECT name FROM customers GROUP city;
SELECT name FROM customers ORDER BY name DSC;
SELECT name FROM customers INNER orders ON 1 = 1;
SELECT * customers;
SELECT * FROM;
SELECT * FROM customers c orders o;
SELECT order FROM orders;
SELECT select FROM orders;
SELECT * FROM order;
SELECT * FROM customers WHERE name LIKE 'A%' AND group = 1;
CREATE TABLE t (id);
CREATE TABLE t (id INTEGR);
CREATE TABLE t (id INTEGER;
INSERT INTO customers (id, name VALUES (1, 'x');
INSERT INTO customers (id) VALUES 1;
UPDATE customers name = 'x';
UPDATE customers SET name 'x';
UPDATE customers SET (name = 'x');
DELETE * FROM customers;
DROP customers;
CASE WHEN 1 THEN 2;
SELECT CASE WHEN id = 1 THEN 2 FROM customers;
SELECT name FROM customers WHERE name IS 5;
SELECT name FROM customers WHERE name = NULL OR IS NULL;
SELECT TOP FROM customers;
SHOW TABELS;
EXPLAIN SELECT nmae FROM customers;
SET statement_timout = 5;
-- Records, as xBase asks for them.
LIST nmae
LIST FOR nmae = 'X'
LIST FOR name = 'X' .AND. blance > 5
LIST FOR name = 'X .AND. balance > 5
LIST FOR name = 'X' .AN. balance > 5
LIST FOR name > 5
LIST FOR balance = 'X'
LIST FOR since > '2024-01-01'
LIST FOR name
LIST FOR (balance > 5
LIST FOR balance >
LIST FOR DTCO(since) = '01/01/20'
LIST FOR DTOC(name) = 'X'
LIST FOR LEFT(name) = 'X'
LIST FOR 'X' $ balance
LIST FOR name = 'X' .AND. balance
COUNT FOR nmae = 'X'
COUNT FOR balance > 5 .AND.
DISPLAY FOR nmae = 'X'
LIST name, blance FOR balance > 5
USE custmers
? nmae
? 1 +
.schema custmers
.mode tabel
-- What the rows have, where the statement alone tells which part of it is wrong.
SELECT name FROM customers WHERE name = 5;
SELECT CAST(name AS INTEGER) FROM customers;
SELECT CAST(name AS DATE) FROM customers;
SELECT 1 / 0;
SELECT id FROM customers WHERE city IN (5, 6);
SELECT id FROM customers WHERE balance > 0 AND 5 < city;
SELECT name::boolean FROM customers;
SELECT CAST(id AS DATE) FROM customers;
SELECT credit / 0 FROM customers;
-- Names that stand in more than one place.
SELECT name FROM customers UNION SELECT id, name FROM orders;
SELECT name nme FROM customers WHERE nme = 'x';
SELECT c.name FROM customers c JOIN orders o ON o.customer = c.id WHERE o.name = 'x';
CREATE VIEW best AS SELECT id, nmae FROM customers;
CREATE TABLE best (x, y) AS SELECT id, nmae FROM customers WITH NO DATA;
SELECT * FROM "orders.dbt";
SELECT * FROM "customers.dbx" c;
-- Clauses of LIST, and commands that make a statement of a name.
LIST OFF nmae FOR id < 3
LIST nmae OFF WHILE id < 3
LIST name WHILE nmae > 'A'
LIST name WHILE balance > 5 .AND.
LIST name FOR id > 5 TO PRINTER
COUNT NEXT 5 WHILE nmae = 'X'
.export custmers x.csv
.export "my customers" x.csv
.export SELECT nmae FROM customers x.csv
-- No place: what the rows have, or a row as a whole.
SELECT extract(yaer FROM since) FROM customers;
SELECT date_trunc('mnth', since) FROM customers;
INSERT INTO notebook VALUES (1);
INSERT INTO notebook (id, day) VALUES (1, DATE '2024-01-01', 'x');
INSERT INTO notebook (id) SELECT id, name FROM customers;
SELECT name FROM customers WHERE id = (SELECT customer FROM orders);
SELECT name FROM customers WHERE (id, city) IN (SELECT id FROM customers);
SELECT credit / (id - id) FROM customers;
INSERT INTO notebook (word) VALUES ('x');
INSERT customers VALUES (1);
GO 5000000
SKIP many
-- What is missing where the parser would read on.
DELETE customers WHERE id = 1;
SELECT FROM customers;
SELECT name, FROM customers;
SELECT name FROM customers WHERE id IN (SELECT customer, FROM orders);
SELECT name, id,;
SELECT name FROM customers JOIN orders;
SELECT name FROM customers c LEFT JOIN orders o WHERE o.customer = c.id;
DELETE FROM notebook USING customers JOIN orders;
-- Conditions of SQL at the prompt.
LIST FOR id IN (1,2) OR
LIST name FOR id IN (1,2
LIST FOR nmae LIKE 'X%'
COUNT FOR city IS NULL AND
COUNT FOR nmae IS NULL
DISPLAY FOR idd BETWEEN 1 AND 2
-- Operators between values that they are not for.
SELECT id || id + 1 FROM customers;
SELECT id ~ 'a' FROM customers;
-- What never ends.
SELECT 'open FROM customers;
