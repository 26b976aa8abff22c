-- Long lists of literals in IN and VALUES (fault sql-05), which are written for the core in a form of their own. The values are those
-- of short lists: IN, INSERT and data type conversion in Transact-SQL.
CREATE TABLE l (id INT PRIMARY KEY, v VARCHAR(10), n NVARCHAR(10), p DECIMAL(8,2), d DATETIME, f FLOAT, b BIT, x VARBINARY(4), k TINYINT)
INSERT l VALUES
    (1, 'one', N'één', 1.5, '20260131', 0.5, 1, 0x01, 1), (2, 'two', N'Δ', -2, '2026-01-31T10:11:12.343', 1e3, 0, 0x0203, 255),
    (3, 'it''s', NULL, 12.346, NULL, -1.25, 'true', NULL, NULL), (4, DEFAULT, N'x', '7', '1900-01-01', 4, 1, 0x, 0)
GO
SELECT id, v, n, p, d, f, b, x, k FROM l ORDER BY id
SELECT id FROM l WHERE id IN (0,2,-1,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18) ORDER BY id
SELECT id FROM l WHERE id NOT IN (0,2,-1,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18) ORDER BY id
SELECT id FROM l WHERE v IN ('ONE','it''s','a','b','c','d','e','f','g','h','i','j','k','l','m','n','o:p') ORDER BY id
SELECT id FROM l WHERE n IN (N'δ',N'ÉÉN',N'a',N'b',N'c',N'd',N'e',N'f',N'g',N'h',N'i',N'j',N'k',N'l',N'm',N'n') ORDER BY id
SELECT id FROM l WHERE k IN (256,255,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17) ORDER BY id
SELECT id FROM l WHERE id IN ('1','3','4','5','6','7','8','9','10','11','12','13','14','15','16','17') ORDER BY id
SELECT COUNT(*) AS c FROM l WHERE id IN (1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,NULL)
SELECT COUNT(*) AS c FROM l WHERE id NOT IN (11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,NULL)
SELECT COUNT(*) AS c FROM l WHERE CASE WHEN id IN (1,2,5,6,7,8,9,10,11,12,13,14,15,16,17,18) THEN 'in' ELSE 'out' END = 'in'
GO
-- What does not fit is an error of the statement, and puts no row in.
INSERT l (id, v) VALUES (10, 'short'), (11, 'much too long for it')
INSERT l (id, k) VALUES (10, 1), (11, 256)
INSERT l (id) VALUES (10), (NULL)
SELECT COUNT(*) AS c FROM l
GO
-- Variables and calculations among the values.
DECLARE @i INT = 20, @s VARCHAR(20) = 'var'
INSERT l (id, v, p) VALUES (@i, @s, 1), (@i + 1, 'a' + @s, @i * 0.5), (-@i, NULL, -0.5)
SELECT id, v, p FROM l WHERE id NOT BETWEEN 1 AND 4 ORDER BY id
SET @s = 'eleven char'
INSERT l (id, v) VALUES (30, 'a'), (31, @s)
SELECT COUNT(*) AS c FROM l
GO
-- A constraint is shown as it was written.
ALTER TABLE l ADD CONSTRAINT few CHECK (k IN (1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,255,0))
SELECT LEN(definition) - LEN(REPLACE(definition, ' OR ', '')) AS ors FROM sys.check_constraints WHERE name = 'few'
