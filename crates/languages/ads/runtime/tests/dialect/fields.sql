CREATE TABLE whole (a Integer, s Short, l LongInt, n Numeric(5,0), d Double, t Time, moment TimeStamp)
--;
SELECT name, field_type, field_length FROM system.columns WHERE parent = 'whole' ORDER BY field_num
--;
INSERT INTO whole VALUES (7, 7, 7, 7, 7, '13:14:15', '2024-05-06 07:08:09')
--;
INSERT INTO whole (a) VALUES (NULL)
--;
SELECT a / 2 AS a, s / 2 AS s, l / 2 AS l, n / 2 AS n, d / 2 AS d FROM whole WHERE a IS NOT NULL
--;
SELECT COUNT(*) FROM whole WHERE a IS NULL AND s IS NULL AND l IS NULL
--;
UPDATE whole SET a = -2147483648, s = -32768, l = -9223372036854775807 WHERE a = 7
--;
SELECT a, s, l, t, moment FROM whole WHERE a < 0
--;
UPDATE whole SET s = 40000
--;
ALTER TABLE whole ADD COLUMN more Integer ALTER COLUMN n n Integer
--;
SELECT n / 2 AS n, more FROM whole WHERE a < 0
--;
CREATE TABLE stamped (id Integer, name Char(10), ver RowVersion, changed ModTime)
--;
INSERT INTO stamped (id, name) VALUES (1, 'one'), (2, 'two')
--;
SELECT id, ver, changed IS NULL AS never FROM stamped
--;
UPDATE stamped SET name = 'uno' WHERE id = 1
--;
SELECT id, ver FROM stamped ORDER BY id
--;
SELECT COUNT(*) FROM stamped WHERE changed > {ts '2020-01-01 00:00:00'}
--;
SELECT LASTAUTOINC(STATEMENT) AS n FROM system.iota
--;
CREATE TABLE both (id AutoInc, name Char(10), ver RowVersion)
--;
INSERT INTO both (name) VALUES ('a')
--;
SELECT id, ver FROM both
--;
SELECT LASTAUTOINC(STATEMENT) AS n FROM system.iota
--;
SELECT name FROM both WHERE ROWID = LASTROWID
--;
CREATE TABLE keyed (id Integer PRIMARY KEY, ver RowVersion)
--;
CREATE TABLE ci (name CICHAR(10))
--;
CREATE TABLE #ci (name CICharacter(10))
--;
DECLARE @a CICHAR(10); @a = 'HELLO'; SELECT IIF(@a = 'hello', 'same', 'other') AS a, IIF('hello' LIKE @a, 'same', 'other') AS b FROM system.iota
--;
DECLARE @a CICHAR(10); DECLARE @b String; @a = 'Ann'; IF @a = 'ANN' THEN @b = 'same'; ELSE @b = 'other'; END IF; IF @a LIKE 'aN%' THEN @b = @b + ' and like'; END IF; SELECT @b AS b FROM system.iota
--;
DECLARE @n CICHAR(10); @n = 'ANN'; SELECT name FROM people WHERE name = @n OR name IN ('x', @n)
--;
CREATE TABLE truths (id Integer, l Logical, word Char(5))
--;
INSERT INTO truths VALUES (1, TRUE, 'yes'), (2, FALSE, 'no')
--;
INSERT INTO truths (id) VALUES (3)
--;
SELECT id, l FROM truths ORDER BY id
--;
SELECT id FROM truths WHERE NOT l ORDER BY id
--;
SELECT id FROM truths WHERE l = FALSE ORDER BY id
--;
SELECT id FROM truths WHERE l
--;
SELECT id FROM truths WHERE l IS NULL
--;
SELECT l, COUNT(*) AS n FROM truths GROUP BY l ORDER BY l
--;
SELECT t.id FROM truths t INNER JOIN truths u ON t.l = u.l AND u.id = 2 ORDER BY t.id
--;
SELECT * FROM truths WHERE EMPTY(l) ORDER BY id
--;
UPDATE truths SET word = 'none' WHERE NOT l
--;
SELECT id, word FROM truths ORDER BY id
--;
DELETE FROM truths WHERE l = FALSE
--;
SELECT id FROM truths
--;
SELECT recno() AS r FROM truths WHERE l
--;
CREATE TABLE blanks (id Integer, n Numeric(6,2), word Char(5))
--;
INSERT INTO blanks VALUES (1, 5, 'five'), (2, 0, 'zero'), (3, -1, 'less')
--;
INSERT INTO blanks (id, word) VALUES (4, 'none')
--;
SELECT id, n, n + 1 AS more FROM blanks ORDER BY id
--;
SELECT id FROM blanks WHERE n = 0 ORDER BY id
--;
SELECT id FROM blanks WHERE n IS NULL ORDER BY id
--;
SELECT id FROM blanks WHERE n IS NOT NULL ORDER BY id
--;
SELECT id FROM blanks WHERE n < 1 ORDER BY id
--;
SELECT id FROM blanks WHERE NOT n = 5 ORDER BY id
--;
SELECT id FROM blanks WHERE n <> 0 ORDER BY id
--;
SELECT id FROM blanks WHERE n BETWEEN -1 AND 3 ORDER BY id
--;
SELECT id FROM blanks WHERE n NOT BETWEEN 1 AND 9 ORDER BY id
--;
SELECT id FROM blanks WHERE n IN (0, 5) ORDER BY id
--;
SELECT id FROM blanks WHERE n NOT IN (1, 5) ORDER BY id
--;
SELECT n, COUNT(*) AS rows FROM blanks GROUP BY n ORDER BY n
--;
SELECT COUNT(n) AS c, SUM(n) AS s, AVG(n) AS a, MIN(n) AS l, MAX(n) AS g FROM blanks WHERE id > 1
--;
SELECT b.id FROM blanks a INNER JOIN blanks b ON a.n = b.n WHERE a.id = 2 ORDER BY b.id
--;
SELECT a.id, b.id AS other, b.n FROM blanks a LEFT JOIN blanks b ON b.id = a.id + 3 WHERE b.n IS NULL ORDER BY a.id
--;
DECLARE @n NUMERIC(6,2); @n = 0; SELECT id FROM blanks WHERE n = @n ORDER BY id
--;
CREATE INDEX n ON blanks (n)
--;
SELECT id FROM blanks WHERE n = 0 ORDER BY id
--;
SELECT id FROM blanks WHERE n >= 0 ORDER BY n, id
--;
SELECT id FROM blanks WHERE n = 5
--;
UPDATE blanks SET n = n + 1 WHERE n = 0
--;
SELECT id, n FROM blanks ORDER BY id
--;
DELETE FROM blanks WHERE n = 1
--;
SELECT id, n FROM blanks ORDER BY id
--;
CREATE INDEX word ON blanks (word)
--;
SELECT * FROM blanks ORDER BY word
--;
SELECT * FROM truths ORDER BY id
--;
CREATE TABLE both2 (k Integer, l Logical, n Numeric(4,1))
--;
INSERT INTO both2 (k) VALUES (2)
--;
INSERT INTO both2 VALUES (1, TRUE, 1), (3, FALSE, 2)
--;
CREATE INDEX k ON both2 (k)
--;
SELECT * FROM both2 ORDER BY k
--;
SELECT k FROM both2 WHERE NOT (l = TRUE) ORDER BY k
--;
SELECT k FROM both2 WHERE l <> TRUE AND NOT (n > 1) ORDER BY k
--;
SELECT TOP 2 n, k FROM both2 ORDER BY n, k
--;
SELECT k FROM both2 WHERE l IN (FALSE) ORDER BY k
