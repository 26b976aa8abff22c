-- Data that comes and goes: XML, JSON, lists, tables as parameters, staging tables, merges, tables shared by procedures.
CREATE TABLE dbo.Item (Sku varchar(12) NOT NULL PRIMARY KEY, Title nvarchar(40) NULL, Price decimal(9, 2) NOT NULL, Qty int NOT NULL DEFAULT 0, Changed datetime2(0) NULL)
GO
-- 1. A document of orders is taken apart by nodes(), and the same rows come back as XML.
CREATE PROCEDURE dbo.ImportItems @doc xml, @count int OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @new TABLE (Action nvarchar(10), Sku varchar(12), Old decimal(9, 2) NULL);
    MERGE dbo.Item WITH (HOLDLOCK) AS t
    USING (SELECT i.n.value('@sku', 'varchar(12)') AS Sku,
                  i.n.value('(title/text())[1]', 'nvarchar(40)') AS Title,
                  i.n.value('(price)[1]', 'decimal(9, 2)') AS Price,
                  ISNULL(i.n.value('(qty)[1]', 'int'), 0) AS Qty
           FROM @doc.nodes('/items/item') AS i(n)) AS s
    ON (t.Sku = s.Sku)
    WHEN MATCHED AND (t.Price <> s.Price OR ISNULL(t.Title, N'') <> ISNULL(s.Title, N'')) THEN
        UPDATE SET Title = s.Title, Price = s.Price, Qty = t.Qty + s.Qty
    WHEN NOT MATCHED BY TARGET THEN
        INSERT (Sku, Title, Price, Qty) VALUES (s.Sku, s.Title, s.Price, s.Qty)
    WHEN NOT MATCHED BY SOURCE AND t.Qty = 0 THEN
        DELETE
    OUTPUT $action, ISNULL(inserted.Sku, deleted.Sku), deleted.Price INTO @new (Action, Sku, Old);
    SET @count = @@ROWCOUNT;
    SELECT * FROM @new ORDER BY Sku;
END
GO
DECLARE @n int
EXEC ImportItems N'<items><item sku="A1"><title>Bolt &amp; nut</title><price>1.50</price><qty>10</qty></item><item sku="B2"><price>20</price></item></items>', @n OUTPUT
SELECT @n AS n
EXEC ImportItems '<items><item sku="A1"><title>Bolt</title><price>1.75</price><qty>5</qty></item><item sku="C3"><title/><price>3.999</price><qty>2</qty></item></items>', @n OUTPUT
SELECT @n AS n
SELECT Sku, Title, Price, Qty FROM Item ORDER BY Sku
SELECT Sku AS '@sku', Title AS 'title', Price AS 'price', Qty AS 'stock/@on', 'pcs' AS 'stock/unit' FROM Item ORDER BY Sku FOR XML PATH('item'), ROOT('items')
SELECT Sku, Qty FROM Item ORDER BY Sku FOR XML AUTO
SELECT (SELECT Sku AS [@id], Price AS [*] FROM Item ORDER BY Sku FOR XML PATH('p'), TYPE) AS [prices], GETDATE() - GETDATE() AS [took] FOR XML PATH('export')
SELECT Sku AS 'item.sku', Title AS 'item.title', Price AS 'price' FROM Item ORDER BY Sku FOR JSON PATH, INCLUDE_NULL_VALUES
GO
-- 2. JSON goes in, with an array in each object.
DECLARE @json nvarchar(max) = N'{"batch": 7, "lines": [
  {"sku": "A1", "qty": 3, "tags": ["x", "y"]}, {"sku": "Z9", "qty": null, "price": 12.5}, {"sku": "C3", "qty": 1, "tags": []}]}'
SELECT JSON_VALUE(@json, '$.batch') AS batch, ISJSON(@json) AS ok, JSON_VALUE(@json, '$.lines[1].qty') AS missing, JSON_QUERY(@json, '$.lines[0].tags') AS tags
SELECT l.sku, l.qty, l.price, t.[key], t.value
FROM OPENJSON(@json, '$.lines') WITH (sku varchar(12), qty int, price decimal(9, 2), tags nvarchar(max) AS JSON) l
OUTER APPLY OPENJSON(l.tags) t ORDER BY l.sku, t.[key]
UPDATE i SET Qty = i.Qty + j.qty FROM Item i JOIN OPENJSON(@json, '$.lines') WITH (sku varchar(12), qty int) j ON j.sku = i.Sku WHERE j.qty IS NOT NULL
SELECT @@ROWCOUNT AS n
SELECT Sku, Qty FROM Item ORDER BY Sku
SET @json = JSON_MODIFY(JSON_MODIFY(@json, '$.batch', 8), 'append $.lines[0].tags', 'z')
SELECT JSON_VALUE(@json, '$.batch') AS batch, JSON_QUERY(@json, '$.lines[0]') AS line
GO
-- 3. Lists in text: the loop, the table of numbers, and XML.
CREATE FUNCTION dbo.fn_Split (@list varchar(8000), @sep char(1))
RETURNS @t TABLE (Pos int IDENTITY(1, 1) PRIMARY KEY, Item varchar(100) NOT NULL)
AS
BEGIN
    DECLARE @i int
    WHILE LEN(@list) > 0
    BEGIN
        SET @i = CHARINDEX(@sep, @list)
        IF @i = 0
        BEGIN
            INSERT @t (Item) VALUES (LTRIM(RTRIM(@list)))
            BREAK
        END
        IF @i > 1 INSERT @t (Item) VALUES (LTRIM(RTRIM(LEFT(@list, @i - 1))))
        SET @list = SUBSTRING(@list, @i + 1, 8000)
    END
    RETURN
END
GO
CREATE FUNCTION dbo.fn_Numbers (@list varchar(8000)) RETURNS TABLE AS RETURN
WITH e1 (n) AS (SELECT 1 FROM (VALUES (1), (1), (1), (1), (1), (1), (1), (1), (1), (1)) v (n)),
     e2 (n) AS (SELECT 1 FROM e1 a CROSS JOIN e1 b),
     tally (n) AS (SELECT ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) FROM e2)
SELECT n AS Start, CAST(SUBSTRING(@list, n, CHARINDEX(',', @list + ',', n) - n) AS int) AS Value
FROM tally WHERE n <= LEN(@list) + 1 AND SUBSTRING(',' + @list, n, 1) = ','
GO
SELECT Pos, '<' + Item + '>' AS Item FROM dbo.fn_Split(' a,b ,,c d ,', ',')
SELECT Start, Value FROM dbo.fn_Numbers('12,7,-305') ORDER BY Start
SELECT o.Sku, s.Item FROM Item o CROSS APPLY dbo.fn_Split(REPLACE(o.Title, ' ', '|'), '|') s ORDER BY o.Sku
DECLARE @x xml
SET @x = CAST('<i>' + REPLACE('red;green;blue', ';', '</i><i>') + '</i>' AS xml)
SELECT n.value('.', 'varchar(10)') AS colour FROM @x.nodes('/i') AS t(n)
SELECT value, ordinal FROM STRING_SPLIT('x y z', ' ', 1) ORDER BY ordinal DESC
DECLARE @list varchar(100)
SELECT @list = COALESCE(@list + ', ', '') + Sku FROM Item ORDER BY Sku
PRINT @list
SELECT STUFF((SELECT '; ' + Title FROM Item WHERE Title > '' ORDER BY Title FOR XML PATH(''), TYPE).value('.', 'nvarchar(max)'), 1, 2, '') AS titles
GO
-- 4. A table as a parameter.
CREATE TYPE dbo.SkuList AS TABLE (Sku varchar(12) NOT NULL PRIMARY KEY, Qty int NOT NULL CHECK (Qty > 0))
GO
CREATE PROCEDURE dbo.TakeStock @want dbo.SkuList READONLY, @user sysname = 'nobody'
AS
SET NOCOUNT, XACT_ABORT ON
IF EXISTS (SELECT 1 FROM @want w LEFT JOIN Item i ON i.Sku = w.Sku WHERE i.Sku IS NULL)
BEGIN
    DECLARE @missing nvarchar(200) = (SELECT MIN(w.Sku) FROM @want w WHERE w.Sku NOT IN (SELECT Sku FROM Item));
    THROW 51000, @missing, 7;
END
UPDATE i SET Qty -= w.Qty OUTPUT deleted.Sku, deleted.Qty AS Before, inserted.Qty AS After, @user AS ByWhom
FROM Item i JOIN @want w ON w.Sku = i.Sku WHERE i.Qty >= w.Qty
GO
DECLARE @w SkuList
INSERT @w VALUES ('A1', 4), ('C3', 500)
EXEC TakeStock @w, 'ann'
INSERT @w VALUES ('Q0', 1)
BEGIN TRY
    EXEC TakeStock @want = @w
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS n, ERROR_STATE() AS s, ERROR_MESSAGE() AS m, ERROR_LINE() AS l
END CATCH
SELECT COUNT(*) AS n FROM @w
GO
-- 5. Procedures that share a temporary table; a nested one of the same name; INSERT EXEC of what is shown.
CREATE PROCEDURE dbo.Outer_Load AS
BEGIN
    SET NOCOUNT ON
    CREATE TABLE #work (ID int IDENTITY, Sku varchar(12) COLLATE DATABASE_DEFAULT, Note varchar(40) NULL)
    INSERT #work (Sku) SELECT Sku FROM Item ORDER BY Sku DESC
    EXEC dbo.Inner_Mark 'outer'
    SELECT ID, Sku, Note FROM #work ORDER BY ID
    IF OBJECT_ID('tempdb..#work') IS NOT NULL PRINT 'there'
    DROP TABLE #work
    IF OBJECT_ID('tempdb..#work') IS NULL PRINT 'gone'
END
GO
CREATE PROCEDURE dbo.Inner_Mark @by varchar(10) AS
BEGIN
    UPDATE #work SET Note = @by + ':' + CAST(ID AS varchar(5)) WHERE ID % 2 = 1
    CREATE TABLE #own (a int)
    INSERT #own VALUES (@@ROWCOUNT)
    SELECT a AS marked FROM #own
END
GO
EXEC Outer_Load
CREATE TABLE #caught (ID int, Sku varchar(12), Note varchar(40))
CREATE TABLE #work (ID int, Sku varchar(12), Note varchar(40), Extra int NOT NULL DEFAULT 9)
INSERT #work (ID, Sku) VALUES (1, 'mine')
INSERT #caught (ID) EXEC dbo.Inner_Mark 'direct'
INSERT #caught EXEC ('SELECT ID, Sku, Note FROM #work')
SELECT * FROM #caught
SELECT @@ROWCOUNT AS n
GO
-- 6. Staging with rows that are wrong: each is told of, and the good ones go in.
CREATE TABLE #stage (Line int IDENTITY, Sku varchar(50), Price varchar(50), Sold varchar(30))
INSERT #stage (Sku, Price, Sold) VALUES ('N1', '10.50', '2012-02-29'), ('N2', '1,000.25', '29/02/2012'), ('N3', 'free', '20120301'), (NULL, '5', NULL), ('A1', '-1', '2012-13-01'), ('a sku that is far too long', '100', 'Mar 3 2012')
SELECT Line, ISNUMERIC(Price) AS num, ISDATE(Sold) AS dat, TRY_CAST(Price AS decimal(9, 2)) AS price, CASE WHEN Sold LIKE '__/__/____' THEN CONVERT(date, Sold, 103) END AS british, LEN(Sku) AS len FROM #stage ORDER BY Line
DECLARE @line int, @sku varchar(50), @price varchar(50), @bad int = 0
DECLARE c CURSOR LOCAL STATIC READ_ONLY FORWARD_ONLY FOR SELECT Line, Sku, Price FROM #stage ORDER BY Line
OPEN c
FETCH NEXT FROM c INTO @line, @sku, @price
WHILE @@FETCH_STATUS = 0
BEGIN
    BEGIN TRY
        INSERT Item (Sku, Price) VALUES (@sku, @price)
    END TRY
    BEGIN CATCH
        SET @bad += 1
        PRINT CONCAT('line ', @line, ': ', ERROR_NUMBER(), ' ', LEFT(ERROR_MESSAGE(), 45))
    END CATCH
    FETCH NEXT FROM c INTO @line, @sku, @price
END
CLOSE c; DEALLOCATE c
SELECT @bad AS bad, @@TRANCOUNT AS tc
SELECT Sku, Price FROM Item WHERE Sku LIKE 'N_' ORDER BY Sku
GO
-- 7. Synonyms, an archive by DELETE OUTPUT INTO in batches, and SELECT INTO.
CREATE TABLE dbo.Archive (Sku varchar(12), Price decimal(9, 2), ArchivedOn date NOT NULL DEFAULT '20120101')
CREATE SYNONYM dbo.OldItems FOR dbo.Archive
GO
DECLARE @n int = 1, @rounds int = 0
WHILE @n > 0
BEGIN
    DELETE TOP (2) FROM Item OUTPUT deleted.Sku, deleted.Price INTO OldItems (Sku, Price) WHERE Price < 100
    SET @n = @@ROWCOUNT
    SET @rounds += 1
END
SELECT @rounds AS rounds, (SELECT COUNT(*) FROM OldItems) AS archived, (SELECT COUNT(*) FROM Item) AS left_over
SELECT IDENTITY(int, 1, 1) AS rn, Sku, Price * 1.2 AS Gross INTO #copy FROM OldItems WHERE Sku IS NOT NULL ORDER BY Sku
SELECT c.name, CASE WHEN t.name IN ('decimal', 'numeric') THEN 'exact' ELSE t.name END AS type, c.precision, c.scale, c.is_nullable FROM tempdb.sys.columns c JOIN sys.types t ON t.user_type_id = c.user_type_id WHERE c.object_id = OBJECT_ID('tempdb..#copy') ORDER BY c.column_id
SELECT * FROM #copy ORDER BY rn
GO
