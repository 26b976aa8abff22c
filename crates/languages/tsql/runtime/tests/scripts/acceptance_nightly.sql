-- A nightly load: what is wrong with a row goes to a log, a MERGE keeps the history, reports turn rows into columns.
CREATE TABLE JobLog (LogId int IDENTITY, Step varchar(50), Msg nvarchar(2048), Num int, Sev int, St int, Ln int, Pr nvarchar(128))
CREATE TABLE Stage (CustNo varchar(20), Amount varchar(20), OrdDate varchar(20))
CREATE TABLE Fact (CustNo int NOT NULL, Amount money NOT NULL, OrdDate datetime NOT NULL, CONSTRAINT UQ_Fact UNIQUE (CustNo, OrdDate))
CREATE TABLE Reject (CustNo varchar(20), Reason varchar(200))
INSERT Stage VALUES ('1', '10.50', '20100101'), ('2', 'abc', '20100102'), ('x', '1', '20100103'), ('3', '7', '2010-13-45'), ('4', '$1,234.56', 'Jan 5 2010'), ('1', '3', '20100101')
GO
CREATE PROCEDURE LogError @Step varchar(50) AS
INSERT JobLog (Step, Msg, Num, Sev, St, Ln, Pr) VALUES (@Step, ERROR_MESSAGE(), ERROR_NUMBER(), ERROR_SEVERITY(), ERROR_STATE(), ERROR_LINE(), ERROR_PROCEDURE())
GO
CREATE PROCEDURE LoadFacts AS
BEGIN
  SET NOCOUNT ON; SET XACT_ABORT OFF;
  INSERT Reject SELECT CustNo, 'Not numeric' FROM Stage WHERE ISNUMERIC(Amount) = 0 OR ISNUMERIC(CustNo) = 0
  INSERT Reject SELECT CustNo, 'Bad date' FROM Stage WHERE ISDATE(OrdDate) = 0
  DECLARE @c varchar(20), @a varchar(20), @d varchar(20)
  DECLARE c CURSOR FOR SELECT CustNo, Amount, OrdDate FROM Stage WHERE CustNo NOT IN (SELECT CustNo FROM Reject)
  OPEN c
  FETCH c INTO @c, @a, @d
  WHILE @@FETCH_STATUS = 0
  BEGIN
    BEGIN TRY
      BEGIN TRANSACTION
      INSERT Fact VALUES (CAST(@c AS int), CAST(@a AS money), CAST(@d AS datetime))
      COMMIT
    END TRY
    BEGIN CATCH
      IF XACT_STATE() <> 0 ROLLBACK
      EXEC LogError 'load'
    END CATCH
    FETCH NEXT FROM c INTO @c, @a, @d
  END
  CLOSE c; DEALLOCATE c
END
GO
EXEC LoadFacts
SELECT * FROM Fact
SELECT * FROM Reject
SELECT Step, Msg, Num, Sev, St, Ln, Pr FROM JobLog
GO
-- savepoints in nested procedures
CREATE PROCEDURE Inner_ @fail bit AS
DECLARE @tc int
SET @tc = @@TRANCOUNT
IF @tc = 0 BEGIN TRAN ELSE SAVE TRAN sp_inner
BEGIN TRY
  INSERT Fact VALUES (50, 1, '20110101')
  IF @fail = 1 SELECT 1/0
  IF @tc = 0 COMMIT
END TRY
BEGIN CATCH
  DECLARE @m nvarchar(2000), @s int, @st int
  SELECT @m = ERROR_MESSAGE(), @s = ERROR_SEVERITY(), @st = ERROR_STATE()
  IF @tc = 0 ROLLBACK
  ELSE IF XACT_STATE() = 1 ROLLBACK TRAN sp_inner
  RAISERROR(@m, @s, @st)
  RETURN -1
END CATCH
GO
BEGIN TRAN
DECLARE @r int
EXEC @r = Inner_ 1
SELECT @r r, @@TRANCOUNT tc, COUNT(*) n FROM Fact WHERE CustNo = 50
EXEC @r = Inner_ 0
SELECT @r r, @@TRANCOUNT tc, COUNT(*) n FROM Fact WHERE CustNo = 50
COMMIT
GO
-- MERGE load with OUTPUT and delete
CREATE TABLE DimCust (CustKey int IDENTITY PRIMARY KEY, CustNo int, Name varchar(20), City varchar(20), IsCurrent bit, ValidFrom date, ValidTo date)
CREATE TABLE StgCust (CustNo int, Name varchar(20), City varchar(20))
INSERT DimCust VALUES (1, 'Ann', 'Oslo', 1, '20000101', '99991231'), (2, 'Bob', 'Rome', 1, '20000101', '99991231')
INSERT StgCust VALUES (1, 'Ann', 'Bergen'), (2, 'Bob', 'Rome'), (3, 'Cy', 'Paris')
INSERT INTO DimCust (CustNo, Name, City, IsCurrent, ValidFrom, ValidTo)
SELECT CustNo, Name, City, 1, '20120601', '99991231'
FROM (MERGE DimCust AS t USING StgCust AS s ON t.CustNo = s.CustNo AND t.IsCurrent = 1
  WHEN NOT MATCHED BY TARGET THEN INSERT (CustNo, Name, City, IsCurrent, ValidFrom, ValidTo) VALUES (s.CustNo, s.Name, s.City, 1, '20120601', '99991231')
  WHEN MATCHED AND (t.City <> s.City OR t.Name <> s.Name) THEN UPDATE SET IsCurrent = 0, ValidTo = '20120531'
  OUTPUT $action AS act, s.CustNo, s.Name, s.City) AS m
WHERE act = 'UPDATE';
SELECT CustNo, Name, City, IsCurrent, ValidFrom, ValidTo FROM DimCust ORDER BY CustNo, ValidFrom
GO
-- reporting: dynamic pivot, FOR XML PATH concatenation
CREATE TABLE Sales (Region varchar(10), Yr int, Amt money)
INSERT Sales VALUES ('N', 2001, 10), ('N', 2002, 20), ('S', 2001, 5), ('S', 2003, 7.5)
DECLARE @cols nvarchar(max), @sql nvarchar(max)
SELECT @cols = STUFF((SELECT DISTINCT ',' + QUOTENAME(CAST(Yr AS varchar(4))) FROM Sales FOR XML PATH(''), TYPE).value('.', 'nvarchar(max)'), 1, 1, '')
SET @sql = N'SELECT Region, ' + @cols + N' FROM (SELECT Region, Yr, Amt FROM Sales) s PIVOT (SUM(Amt) FOR Yr IN (' + @cols + N')) p ORDER BY Region'
PRINT @sql
EXEC (@sql)
SELECT Region, Years = STUFF((SELECT ', ' + CAST(x.Yr AS varchar) FROM Sales x WHERE x.Region = s.Region ORDER BY x.Yr DESC FOR XML PATH('')), 1, 2, '') FROM Sales s GROUP BY Region ORDER BY Region
SELECT Region, Yr, SUM(Amt) OVER (PARTITION BY Region ORDER BY Yr ROWS UNBOUNDED PRECEDING) run, Amt * 100.0 / SUM(Amt) OVER (PARTITION BY Region) pct, LAG(Amt, 1, 0) OVER (PARTITION BY Region ORDER BY Yr) prev FROM Sales ORDER BY Region, Yr
SELECT CASE GROUPING(Region) WHEN 1 THEN 'Total' ELSE Region END r, Yr, SUM(Amt) FROM Sales GROUP BY Region, Yr WITH CUBE ORDER BY GROUPING(Region), Region, GROUPING(Yr), Yr
GO
-- search procedure with optional parameters
CREATE PROCEDURE SearchSales @Region varchar(10) = NULL, @From int = NULL, @To int = NULL, @rows int OUTPUT AS
DECLARE @sql nvarchar(2000), @p nvarchar(500)
SET @sql = N'SELECT Region, Yr, Amt FROM Sales WHERE 1 = 1'
IF @Region IS NOT NULL SET @sql = @sql + N' AND Region = @xRegion'
IF @From IS NOT NULL SET @sql += N' AND Yr >= @xFrom'
IF @To IS NOT NULL SET @sql += N' AND Yr <= @xTo'
SET @sql += N' ORDER BY Region, Yr'
SET @p = N'@xRegion varchar(10), @xFrom int, @xTo int'
EXEC sp_executesql @sql, @p, @Region, @From, @To
SET @rows = @@ROWCOUNT
GO
DECLARE @n int
EXEC SearchSales @From = 2002, @rows = @n OUTPUT
SELECT @n
EXEC SearchSales 'S', @rows = @n OUT
GO
-- @@ERROR with a constraint in a loop; nested transaction names
ALTER TABLE Sales ADD CONSTRAINT CK_Amt CHECK (Amt < 1000)
DECLARE @e int, @rc int
UPDATE Sales SET Amt = Amt * 100
SELECT @e = @@ERROR, @rc = @@ROWCOUNT
IF @e <> 0 PRINT 'error ' + LTRIM(STR(@e)) + ', rows ' + LTRIM(STR(@rc))
INSERT Sales (Region) SELECT Region FROM Sales WHERE 1 = 0
SELECT @@ERROR, @@ROWCOUNT
SELECT TOP 1 WITH TIES Region, Amt FROM Sales ORDER BY Region
GO
SELECT name, type, type_desc FROM sys.objects WHERE name IN ('Sales', 'CK_Amt', 'SearchSales') ORDER BY name
IF OBJECT_ID('tempdb..#x') IS NOT NULL DROP TABLE #x
IF EXISTS (SELECT * FROM dbo.sysobjects WHERE id = object_id(N'[dbo].[Sales]') AND OBJECTPROPERTY(id, N'IsUserTable') = 1) PRINT 'there'
SELECT IDENTITY(int, 1, 1) AS n, Region INTO #x FROM Sales ORDER BY Region
SELECT * FROM #x
DELETE TOP (1) FROM #x
SELECT COUNT(*) FROM #x
SELECT NULLIF(1, 1), COALESCE(NULL, NULL, 3), ISNULL(NULL, 'abc'), DATALENGTH(N'abc'), REVERSE('abc'), PATINDEX('%[0-9]%', 'ab3c'), STUFF('abcdef', 2, 3, 'xx'), CHECKSUM('a'), SOUNDEX('Robert'), DIFFERENCE('Robert', 'Rupert'), CHAR(65), NCHAR(937), SPACE(2) + '|'
GO
