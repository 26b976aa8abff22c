-- Reports as a finance department asked for them: aging, running balances, explosions of parts, pivots, paging, searches.
CREATE TABLE dbo.Ledger (
    EntryID  int IDENTITY PRIMARY KEY,
    Account  char(6) NOT NULL,
    Posted   smalldatetime NOT NULL,
    DueDate  datetime NULL,
    Amount   decimal(12, 2) NOT NULL,
    Region   varchar(10) NULL
)
INSERT dbo.Ledger (Account, Posted, DueDate, Amount, Region) VALUES
 ('A100', '20090105', '20090204', 1200.00, 'North'), ('A100', '20090220', '20090322', 340.55, 'North'),
 ('A100', '20090301', NULL, -500.00, 'North'), ('B200', '20090115', '20090131', 99.99, 'South'),
 ('B200', '20081110', '20081210', 1000, 'South'), ('C300', '20090330', '20090429', 75.10, NULL),
 ('C300', '20090331', '20090430', 24.90, NULL), ('B200', '20090228', '20090330', 10.01, 'South')
GO
-- 1. Month-end aging: CASE buckets, DATEDIFF, totals by ROLLUP with GROUPING.
CREATE PROCEDURE dbo.rpt_Aging @AsOf datetime = NULL
AS
SET NOCOUNT ON
IF @AsOf IS NULL SET @AsOf = DATEADD(dd, DATEDIFF(dd, 0, GETDATE()), 0)
DECLARE @MonthEnd datetime
SET @MonthEnd = DATEADD(ms, -3, DATEADD(mm, DATEDIFF(mm, 0, @AsOf) + 1, 0))
SELECT CONVERT(varchar(23), @MonthEnd, 121) AS MonthEnd
SELECT
    CASE WHEN GROUPING(Account) = 1 THEN 'Total' ELSE Account END AS Account,
    SUM(CASE WHEN DueDate IS NULL OR DATEDIFF(day, DueDate, @MonthEnd) <= 0 THEN Amount ELSE 0 END) AS [Current],
    SUM(CASE WHEN DATEDIFF(day, DueDate, @MonthEnd) BETWEEN 1 AND 30 THEN Amount ELSE 0 END) AS [1-30],
    SUM(CASE WHEN DATEDIFF(day, DueDate, @MonthEnd) BETWEEN 31 AND 60 THEN Amount ELSE 0 END) AS [31-60],
    SUM(CASE WHEN DATEDIFF(day, DueDate, @MonthEnd) > 60 THEN Amount ELSE 0 END) AS [Over 60],
    SUM(Amount) AS Total, COUNT(*) AS n
FROM dbo.Ledger
WHERE Posted <= @MonthEnd
GROUP BY Account WITH ROLLUP
ORDER BY GROUPING(Account), Account
GO
EXEC dbo.rpt_Aging '20090315'
EXEC rpt_Aging @AsOf = '2009-02-28'
GO
-- 2. Running balances in the three ways of the time: a correlated subquery, the quirky update, a window.
SELECT EntryID, Amount, (SELECT SUM(Amount) FROM Ledger b WHERE b.Account = a.Account AND (b.Posted < a.Posted OR b.Posted = a.Posted AND b.EntryID <= a.EntryID)) AS Balance
FROM Ledger a WHERE Account = 'B200' ORDER BY Posted
CREATE TABLE #run (EntryID int, Account char(6), Posted smalldatetime, Amount decimal(12, 2), Balance decimal(12, 2) NULL, Line int NULL, PRIMARY KEY CLUSTERED (Account, Posted, EntryID))
INSERT #run (EntryID, Account, Posted, Amount) SELECT EntryID, Account, Posted, Amount FROM Ledger
DECLARE @bal decimal(12, 2), @acc char(6), @line int
SELECT @bal = 0, @acc = '', @line = 0
UPDATE #run SET
    @line = Line = CASE WHEN Account = @acc THEN @line + 1 ELSE 1 END,
    @bal = Balance = CASE WHEN Account = @acc THEN @bal + Amount ELSE Amount END,
    @acc = Account
FROM #run WITH (TABLOCKX) OPTION (MAXDOP 1)
SELECT Account, Line, Amount, Balance FROM #run ORDER BY Account, Posted, EntryID
SELECT Account, SUM(Amount) OVER (PARTITION BY Account ORDER BY Posted, EntryID ROWS UNBOUNDED PRECEDING) AS Balance,
    ROW_NUMBER() OVER (PARTITION BY Account ORDER BY Posted DESC) AS Newest,
    Amount - LAG(Amount, 1, 0) OVER (PARTITION BY Account ORDER BY Posted, EntryID) AS Change
FROM Ledger ORDER BY Account, Posted, EntryID
DROP TABLE #run
GO
-- 3. A bill of materials: a recursive expression with levels, quantities and a sort path; and the loop of before 2005.
CREATE TABLE Bom (Parent varchar(10) NOT NULL, Child varchar(10) NOT NULL, Qty decimal(8, 3) NOT NULL, PRIMARY KEY (Parent, Child))
INSERT Bom SELECT 'BIKE', 'WHEEL', 2 UNION ALL SELECT 'BIKE', 'FRAME', 1 UNION ALL SELECT 'WHEEL', 'SPOKE', 32
    UNION ALL SELECT 'WHEEL', 'RIM', 1 UNION ALL SELECT 'FRAME', 'TUBE', 3.5 UNION ALL SELECT 'RIM', 'TUBE', 0.25
GO
CREATE FUNCTION dbo.fn_Explode (@Part varchar(10))
RETURNS @t TABLE (Level int NOT NULL, Part varchar(10) NOT NULL, Qty decimal(18, 6) NOT NULL)
AS
BEGIN
    DECLARE @level int
    SET @level = 0
    INSERT @t VALUES (0, @Part, 1)
    WHILE @@ROWCOUNT > 0
    BEGIN
        SET @level = @level + 1
        INSERT @t (Level, Part, Qty)
        SELECT @level, b.Child, t.Qty * b.Qty FROM @t t JOIN Bom b ON b.Parent = t.Part WHERE t.Level = @level - 1
    END
    RETURN
END
GO
SELECT Level, Part, Qty FROM dbo.fn_Explode('BIKE') ORDER BY Level, Part, Qty
SELECT Part, SUM(Qty) AS Needed FROM dbo.fn_Explode('BIKE') e WHERE NOT EXISTS (SELECT * FROM Bom WHERE Parent = e.Part) GROUP BY Part ORDER BY Part
;WITH Parts (Part, Level, Qty, Path) AS (
    SELECT CAST('BIKE' AS varchar(10)), 0, CAST(1 AS decimal(18, 6)), CAST('BIKE' AS varchar(200))
    UNION ALL
    SELECT b.Child, p.Level + 1, CAST(p.Qty * b.Qty AS decimal(18, 6)), CAST(p.Path + '/' + b.Child AS varchar(200))
    FROM Parts p INNER JOIN Bom b ON b.Parent = p.Part
)
SELECT REPLICATE('  ', Level) + Part AS Part, Qty, Path FROM Parts ORDER BY Path OPTION (MAXRECURSION 10)
GO
-- 4. Sales per month, crossed: by CASE, by PIVOT, and with columns found when it runs.
CREATE TABLE Sales (SaleID int IDENTITY, Sold datetime, Product varchar(12), Amount money)
INSERT Sales (Sold, Product, Amount) SELECT '20080115', 'Chai', 100 UNION ALL SELECT '20080120 14:00', 'Chang', 40.5
    UNION ALL SELECT '20080203', 'Chai', 60 UNION ALL SELECT '20080331 23:59:59.997', 'Chang', 10 UNION ALL SELECT '20080401', 'Chai', 5
    UNION ALL SELECT '20080131 23:59:59.999', 'Syrup', 7
SELECT Product,
    SUM(CASE MONTH(Sold) WHEN 1 THEN Amount END) AS Jan, SUM(CASE MONTH(Sold) WHEN 2 THEN Amount END) AS Feb,
    SUM(CASE MONTH(Sold) WHEN 3 THEN Amount ELSE 0 END) AS Mar
FROM Sales WHERE Sold >= '20080101' AND Sold < '20080401' GROUP BY Product ORDER BY Product
SELECT Product, [1] AS Q1, [2] AS Q2, ISNULL([1], 0) + ISNULL([2], 0) AS Total
FROM (SELECT Product, DATEPART(quarter, Sold) AS q, Amount FROM Sales) s
PIVOT (SUM(Amount) FOR q IN ([1], [2])) p ORDER BY Product
GO
CREATE PROCEDURE rpt_CrossTab AS
SET NOCOUNT ON
DECLARE @cols nvarchar(max), @sql nvarchar(max)
SELECT @cols = STUFF((SELECT N',' + QUOTENAME(CONVERT(char(7), Sold, 126)) FROM Sales GROUP BY CONVERT(char(7), Sold, 126) ORDER BY 1 FOR XML PATH('')), 1, 1, N'')
PRINT @cols
SET @sql = N'SELECT Product, ' + @cols + N' FROM (SELECT Product, CONVERT(char(7), Sold, 126) AS m, Amount FROM Sales) s PIVOT (SUM(Amount) FOR m IN (' + @cols + N')) p ORDER BY Product'
EXEC sp_executesql @sql
GO
EXEC rpt_CrossTab
GO
-- 5. A search with what is given, and pages in two ways.
CREATE PROCEDURE dbo.SearchLedger
    @Account char(6) = NULL, @From datetime = NULL, @To datetime = NULL, @Min decimal(12, 2) = NULL,
    @Sort sysname = N'Posted', @Page int = 1, @Size int = 3, @Found int = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @sql nvarchar(4000), @where nvarchar(2000), @params nvarchar(500);
    SELECT @where = N' WHERE 1 = 1', @params = N'@a char(6), @f datetime, @t datetime, @m decimal(12, 2), @first int, @last int, @n int OUTPUT';
    IF @Account IS NOT NULL SELECT @where = @where + N' AND Account = @a';
    IF @From IS NOT NULL SELECT @where = @where + N' AND Posted >= @f';
    IF @To IS NOT NULL SELECT @where = @where + N' AND Posted < DATEADD(day, 1, @t)';
    IF @Min IS NOT NULL SELECT @where = @where + N' AND ABS(Amount) >= @m';
    IF @Sort NOT IN (N'Posted', N'Amount', N'Account') BEGIN RAISERROR ('Cannot sort by ''%s''.', 11, 1, @Sort); RETURN -1; END;
    SET @sql = N'SELECT @n = COUNT(*) FROM dbo.Ledger' + @where + N';
WITH r AS (SELECT EntryID, Account, Posted, Amount, ROW_NUMBER() OVER (ORDER BY ' + QUOTENAME(@Sort) + N', EntryID) AS rn FROM dbo.Ledger' + @where + N')
SELECT rn, EntryID, Account, Posted, Amount FROM r WHERE rn BETWEEN @first AND @last ORDER BY rn';
    DECLARE @first int, @last int; SELECT @first = (@Page - 1) * @Size + 1, @last = @Page * @Size;
    EXEC sp_executesql @sql, @params, @a = @Account, @f = @From, @t = @To, @m = @Min, @first = @first, @last = @last, @n = @Found OUTPUT;
    RETURN @@ROWCOUNT;
END
GO
DECLARE @n int, @rows int
EXEC @rows = SearchLedger @Found = @n OUTPUT
SELECT @n AS found, @rows AS given
EXEC @rows = SearchLedger @Page = 3, @Found = @n OUTPUT, @Sort = 'Amount'
SELECT @n AS found, @rows AS given
EXEC @rows = SearchLedger 'B200', @To = '20090228', @Min = 10, @Found = @n OUTPUT
SELECT @n AS found, @rows AS given
EXEC @rows = SearchLedger @Sort = N'1; DROP TABLE Ledger --'
SELECT @rows AS given
SELECT TOP (2) EntryID FROM (SELECT TOP (4) EntryID, Posted FROM Ledger ORDER BY Posted ASC, EntryID ASC) t ORDER BY Posted DESC, EntryID DESC
SELECT EntryID, Posted FROM Ledger ORDER BY Posted, EntryID OFFSET 2 * 2 ROWS FETCH NEXT 2 ROWS ONLY
GO
-- 6. Weeks and days: DATEFIRST, the first of things, working days, ages.
SET DATEFIRST 1
SELECT DATEPART(dw, '20090301') AS sunday, DATEPART(wk, '20090105') AS week, DATENAME(dw, '20090301') AS name, @@DATEFIRST AS first
SET DATEFIRST 7
SELECT DATEPART(dw, '20090301') AS sunday, DATEPART(wk, '20090105') AS week, DATEPART(isowk, '20090101') AS iso, (DATEPART(dw, '20090304') + @@DATEFIRST - 2) % 7 + 1 AS wednesday
GO
CREATE FUNCTION dbo.fn_WorkDays (@from datetime, @to datetime) RETURNS int
WITH RETURNS NULL ON NULL INPUT
AS
BEGIN
    RETURN (DATEDIFF(dd, @from, @to) + 1) - (DATEDIFF(wk, @from, @to) * 2)
        - (CASE WHEN DATENAME(dw, @from) = 'Sunday' THEN 1 ELSE 0 END)
        - (CASE WHEN DATENAME(dw, @to) = 'Saturday' THEN 1 ELSE 0 END)
END
GO
CREATE FUNCTION dbo.fn_Age (@born datetime, @on datetime) RETURNS int AS
BEGIN
    RETURN DATEDIFF(yy, @born, @on) - CASE WHEN DATEADD(yy, DATEDIFF(yy, @born, @on), @born) > @on THEN 1 ELSE 0 END
END
GO
SELECT dbo.fn_WorkDays('20090301', '20090331') AS march, dbo.fn_WorkDays('20090306', '20090309') AS weekend, dbo.fn_WorkDays(NULL, '20090309') AS unknown
SELECT dbo.fn_Age('19800229', '20090228') AS before, dbo.fn_Age('19800229', '20080229') AS onday, dbo.fn_Age('19991231', '20000101') AS baby
SELECT DATEADD(mm, 1, '20090131') AS feb, DATEADD(qq, DATEDIFF(qq, 0, '20090520'), 0) AS quarter, DATEADD(wk, DATEDIFF(wk, 0, '20090311'), 0) AS monday, DATEDIFF(hh, '20090101 00:59', '20090101 02:00') AS hours, CAST('20090101 12:00' AS datetime) + 1.25 AS later, CAST(CAST('19000102 06:00' AS datetime) AS float) AS days
GO
-- 7. Tops per group, medians, shares, duplicates.
SELECT Region, Account, Amount FROM Ledger a WHERE Amount = (SELECT MAX(Amount) FROM Ledger b WHERE ISNULL(b.Region, '') = ISNULL(a.Region, '')) ORDER BY Region
SELECT DISTINCT Account, PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY Amount) OVER (PARTITION BY Account) AS median FROM Ledger ORDER BY Account
SELECT Account, SUM(Amount) AS s, CAST(100.0 * SUM(Amount) / SUM(SUM(Amount)) OVER () AS decimal(5, 2)) AS pct, RANK() OVER (ORDER BY SUM(Amount) DESC) AS r FROM Ledger GROUP BY Account ORDER BY r
SELECT ISNULL(Region, 'n/a') AS Region, COUNT(*) AS n, COUNT(Region) AS named, COUNT(DISTINCT Account) AS accounts, AVG(Amount) AS a, MIN(DueDate) AS due FROM Ledger GROUP BY Region HAVING SUM(Amount) > 90 ORDER BY 1 DESC
;WITH d AS (SELECT *, ROW_NUMBER() OVER (PARTITION BY Account, MONTH(Posted) ORDER BY EntryID) AS rn FROM Ledger)
DELETE d OUTPUT deleted.EntryID WHERE rn > 1
SELECT Account, Amount FROM Ledger WHERE Account LIKE '[A-B]%' ORDER BY Amount DESC
GO
