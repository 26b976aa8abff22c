CREATE TABLE kinds (id AutoInc, name CICharacter(12), word Char(6), n Numeric(8,2), i Integer, s Short, l LongInt, d Double, c CurDouble, m Money, born Date, clock Time, moment TimeStamp, ok Logical, note Memo, bytes Blob, raws Raw(4), g GUID, v VarChar(10), w NChar(5), ver RowVersion, changed ModTime)
--;
SELECT name, field_type, field_length FROM system.columns WHERE parent = 'kinds' ORDER BY field_num
--;
SELECT table_type FROM system.tables WHERE name = 'kinds'
--;
INSERT INTO kinds (name, word, n, i, s, l, d, c, m, born, clock, moment, ok, note, v, w) VALUES ('Anna', 'Anna', 12.5, 7, 7, 7, 1.5, 2.25, 3.1234, '2024-05-06', '13:14:15', '2024-05-06 07:08:09', TRUE, 'a note', 'varies', 'wide')
--;
INSERT INTO kinds (name, word) VALUES ('ANNA', 'ANNA'), ('bert', 'bert'), (NULL, '')
--;
SELECT LASTAUTOINC(STATEMENT) AS n FROM system.iota
--;
SELECT id, name, word, n, i, s, l, d, c, m, born, clock, moment, ok, note, v, w, ver FROM kinds WHERE id = 1
--;
SELECT id FROM kinds WHERE name = 'aNNa' ORDER BY id
--;
SELECT id FROM kinds WHERE word = 'anna'
--;
SELECT id FROM kinds WHERE name LIKE 'an%' OR name IN ('BERT') ORDER BY id
--;
SELECT name, COUNT(*) AS n FROM kinds WHERE name IS NOT NULL GROUP BY name ORDER BY name
--;
SELECT COUNT(DISTINCT name) AS n FROM kinds
--;
SELECT a.id, b.id AS other FROM kinds a INNER JOIN kinds b ON a.name = b.name AND a.id < b.id
--;
SELECT id FROM kinds WHERE name IS NULL AND word IS NOT NULL AND i IS NULL
--;
CREATE INDEX by_name ON kinds (name, i)
--;
SELECT id FROM kinds WHERE name = 'anna' ORDER BY id
--;
UPDATE kinds SET name = 'Bertha', m = m + 1 WHERE name = 'anna' AND i = 7
--;
SELECT id, name, m FROM kinds WHERE id < 3 ORDER BY id
--;
DELETE FROM kinds WHERE name = 'BERT'
--;
INSERT INTO kinds (name) VALUES ('carl')
--;
SELECT id, name FROM kinds ORDER BY id
--;
SELECT name, m, born INTO copied FROM kinds WHERE id < 3
--;
SELECT name, field_type, field_length FROM system.columns WHERE parent = 'copied' ORDER BY field_num
--;
SELECT COUNT(*) AS n FROM copied WHERE name = 'BERTHA'
--;
CREATE TABLE #scratch (id AutoInc, name CICharacter(10), note Memo)
--;
INSERT INTO #scratch (name, note) VALUES ('Ann', 'long'), ('ANN', NULL)
--;
SELECT id, name, note FROM #scratch WHERE name = 'ann' ORDER BY id
--;
SELECT * INTO #other FROM kinds WHERE id = 1
--;
SELECT id, name, m, ok FROM #other
--;
DROP TABLE #scratch
--;
ALTER TABLE copied ADD COLUMN town CICharacter(8) ALTER COLUMN m m CurDouble
--;
UPDATE copied SET town = 'Ulm' WHERE name = 'bertha'
--;
SELECT name, m, town FROM copied WHERE town = 'ULM'
--;
CREATE TABLE keyed (id Integer PRIMARY KEY, name CHAR(5))
--;
INSERT INTO keyed VALUES (1, 'one')
--;
INSERT INTO keyed VALUES (1, 'uno')
--;
CREATE TABLE wrong (id Nonsense)
--;
CREATE TABLE kinds (id Integer)
--;
CREATE TABLE people (id Integer)
--;
SELECT name INTO people FROM kinds
--;
DROP TABLE copied
--;
SELECT COUNT(*) AS n FROM copied
--;
SELECT a.name, p.name AS person FROM kinds a, people p WHERE a.id = 1 AND p.id = 1
