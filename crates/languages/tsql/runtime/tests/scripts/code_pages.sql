-- VARCHAR is of the code page of its column's collation: what the page lacks becomes ?, lengths count its bytes.
CREATE TABLE pages (
    id INT PRIMARY KEY,
    latin VARCHAR(20),
    polish VARCHAR(20) COLLATE Polish_CI_AS,
    russian VARCHAR(20) COLLATE Cyrillic_General_CI_AS,
    greek CHAR(8) COLLATE Greek_CI_AS,
    japanese VARCHAR(20) COLLATE Japanese_CI_AS,
    dos VARCHAR(20) COLLATE SQL_Latin1_General_CP850_CI_AS,
    utf VARCHAR(20) COLLATE Latin1_General_100_CI_AS_SC_UTF8,
    memo TEXT COLLATE Cyrillic_General_CI_AS)
INSERT INTO pages VALUES
    (1, N'Łódź é', N'Łódź é', N'Łódź é', N'Łódź', N'Łódź', N'Łódź é', N'Łódź é', N'Łódź'),
    (2, N'Привет', N'Привет', N'Привет', N'Привет', N'Привет', N'Привет', N'Привет', N'Привет'),
    (3, N'日本語', N'日本語', N'日本語', N'日本語', N'日本語', N'日本語', N'日本語', N'日本語')
SELECT * FROM pages ORDER BY id
SELECT id, DATALENGTH(latin) AS latin, DATALENGTH(polish) AS polish, DATALENGTH(russian) AS russian,
    DATALENGTH(greek) AS greek, DATALENGTH(japanese) AS japanese, DATALENGTH(utf) AS utf, DATALENGTH(memo) AS memo
FROM pages ORDER BY id
SELECT id, LEN(polish) AS polish, LEN(japanese) AS japanese, LEN(utf) AS utf FROM pages ORDER BY id
SELECT id, CAST(polish AS VARBINARY(20)) AS polish, CAST(russian AS VARBINARY(20)) AS russian,
    CAST(japanese AS VARBINARY(20)) AS japanese, CAST(dos AS VARBINARY(20)) AS dos, CAST(utf AS VARBINARY(20)) AS utf
FROM pages ORDER BY id
GO
-- What has no room is an error, in bytes of the page; a variable of the database's own page cuts.
CREATE TABLE narrow (a VARCHAR(4) COLLATE Japanese_CI_AS, b VARCHAR(4) COLLATE Latin1_General_100_CI_AS_SC_UTF8,
    c CHAR(5) COLLATE Japanese_CI_AS)
INSERT INTO narrow VALUES (N'日本', N'éé', N'日本')
GO
INSERT INTO narrow (a) VALUES (N'日本語')
GO
INSERT INTO narrow (b) VALUES (N'ééé')
GO
INSERT INTO narrow (c) VALUES (N'日本語')
GO
UPDATE narrow SET b = N'日本'
GO
SELECT a, b, c + '|' AS c, DATALENGTH(c) AS bytes FROM narrow
GO
-- Functions.
SELECT ASCII(polish) AS ascii_1250, UNICODE(polish) AS unicode_, ASCII(japanese) AS ascii_932 FROM pages WHERE id = 1
SELECT ASCII(russian) AS ascii_1251, UNICODE(russian) AS unicode_, UPPER(russian) AS upper_, LOWER(russian) AS lower_,
    LEFT(russian, 3) AS left_, SUBSTRING(russian, 2, 3) AS part, REVERSE(russian) AS reversed,
    STUFF(russian, 1, 1, 'x') AS stuffed, REPLACE(russian, N'в', N'В') AS replaced, russian + '!' AS added,
    CONCAT(russian, '-', id) AS joined, CHARINDEX(N'вет', russian) AS place
FROM pages WHERE id = 2
SELECT LEFT(japanese, 2) AS left_, RIGHT(japanese, 1) AS right_, SUBSTRING(japanese, 2, 1) AS part,
    DATALENGTH(LEFT(japanese, 2)) AS bytes, CHARINDEX(N'語', japanese) AS place, REPLICATE(japanese, 2) AS twice
FROM pages WHERE id = 3
SELECT HASHBYTES('MD5', russian) AS of_page, HASHBYTES('MD5', 0xCFF0E8E2E5F2) AS of_bytes FROM pages WHERE id = 2
GO
-- COLLATE casts: a text keeps its page, an N type takes that of the COLLATE, a cast from one page to another loses.
SELECT CAST(N'Привет' AS VARCHAR(10)) AS lost, CAST(N'Привет' COLLATE Cyrillic_General_CI_AS AS VARCHAR(10)) AS kept,
    CAST(CAST(N'Привет' COLLATE Cyrillic_General_CI_AS AS VARCHAR(3)) AS VARBINARY(10)) AS bytes,
    CONVERT(VARCHAR(4), N'日本語' COLLATE Japanese_CI_AS) AS cut_
SELECT russian COLLATE Polish_CI_AS AS in_polish, CAST(russian AS VARCHAR(3)) AS cut_, CAST(russian AS NVARCHAR(20)) AS wide
FROM pages WHERE id = 2
DECLARE @v VARCHAR(20) = (SELECT russian FROM pages WHERE id = 2), @n NVARCHAR(20) = (SELECT russian FROM pages WHERE id = 2)
SELECT @v AS in_a_variable, @n AS in_a_wide_one
SELECT CAST(0xCFF0E8E2E5F2 AS VARCHAR(10)) COLLATE Cyrillic_General_CI_AS AS of_bytes
GO
-- Comparisons.
SELECT id FROM pages WHERE russian = N'ПРИВЕТ'
SELECT id FROM pages WHERE polish = N'łódź É'
SELECT id FROM pages WHERE russian LIKE N'При%'
SELECT id FROM pages WHERE japanese IN (N'日本語', N'中')
SELECT a.id FROM pages a JOIN pages b ON a.russian = b.utf COLLATE Cyrillic_General_CI_AS WHERE a.id = 2
GO
-- Tables of other kinds: temporary ones, variables, SELECT INTO, views, unions.
DECLARE @t TABLE (a VARCHAR(10) COLLATE Greek_CI_AS, b VARCHAR(10))
INSERT INTO @t VALUES (N'Αθήνα', N'Αθήνα')
SELECT a, b, DATALENGTH(a) AS bytes FROM @t
SELECT russian, russian + latin AS both INTO #copied FROM pages
INSERT INTO #copied VALUES (N'Дом', N'Дом')
SELECT russian, DATALENGTH(russian) AS bytes FROM #copied
SELECT russian AS one FROM pages WHERE id = 2 UNION ALL SELECT 'abc'
DROP TABLE #copied
GO
CREATE VIEW seen AS SELECT id, russian FROM pages
GO
SELECT CAST(russian AS VARBINARY(20)) AS bytes FROM seen WHERE id = 2
SELECT MAX(russian) AS most, STRING_AGG(russian, ',') WITHIN GROUP (ORDER BY id) AS all_ FROM pages
SELECT ISNULL(russian, '') AS a, COALESCE(russian, latin) AS b, CASE WHEN id = 2 THEN russian ELSE 'x' END AS c FROM pages WHERE id = 2
GO
-- Another page for a column that has rows.
ALTER TABLE pages ALTER COLUMN latin VARCHAR(20) COLLATE Polish_CI_AS
UPDATE pages SET latin = N'Łódź' WHERE id = 1
ALTER TABLE pages ALTER COLUMN polish VARCHAR(20)
ALTER TABLE pages ADD more VARCHAR(10) COLLATE Hebrew_CI_AS NOT NULL DEFAULT N'שלום'
SELECT latin, polish, more, DATALENGTH(more) AS bytes FROM pages ORDER BY id
GO
-- The catalogue.
SELECT name, max_length, collation_name FROM sys.columns WHERE object_id = OBJECT_ID('pages') ORDER BY column_id
SELECT COLUMN_NAME, DATA_TYPE, CHARACTER_MAXIMUM_LENGTH, CHARACTER_SET_NAME, COLLATION_NAME
FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'pages' AND COLUMN_NAME IN ('russian', 'utf', 'polish')
EXEC sp_describe_first_result_set N'SELECT russian, polish FROM pages'
GO
-- A key of such a column.
CREATE TABLE keyed (name VARCHAR(20) COLLATE Cyrillic_General_CI_AS CONSTRAINT PK_keyed PRIMARY KEY, n INT)
INSERT INTO keyed VALUES (N'Привет', 1), (N'Дом', 2)
SELECT n FROM keyed WHERE name = N'дом'
INSERT INTO keyed VALUES (N'ДОМ', 3)
GO
MERGE keyed AS t USING (VALUES (N'Дом', 5), (N'Мир', 6)) AS s (name, n) ON t.name = s.name
WHEN MATCHED THEN UPDATE SET n = s.n WHEN NOT MATCHED THEN INSERT VALUES (s.name, s.n);
SELECT name, n FROM keyed ORDER BY n
DECLARE c CURSOR FOR SELECT name FROM keyed ORDER BY n
DECLARE @name VARCHAR(20), @wide NVARCHAR(20)
OPEN c
FETCH NEXT FROM c INTO @wide
CLOSE c
DEALLOCATE c
SELECT @wide AS fetched
GO
