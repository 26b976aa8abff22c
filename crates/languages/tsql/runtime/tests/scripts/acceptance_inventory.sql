-- Stock with triggers that count and audit it, bills of material, split lists, a dimension of dates.
CREATE TABLE Item (ItemNo varchar(10) PRIMARY KEY, Descr nvarchar(50), QtyOnHand int NOT NULL DEFAULT 0, ReorderPt int NULL, Cost decimal(10,4), LastUpd datetime NULL)
CREATE TABLE InvTran (TranId int IDENTITY(100,10), ItemNo varchar(10), TranType char(3), Qty int, TranDate datetime DEFAULT '20050101')
CREATE TABLE Audit (Id int IDENTITY, TableName sysname, Action char(1), KeyVal varchar(20), Field sysname, OldVal varchar(100), NewVal varchar(100))
GO
CREATE TRIGGER tr_InvTran ON InvTran FOR INSERT AS
IF @@ROWCOUNT = 0 RETURN
SET NOCOUNT ON
UPDATE i SET QtyOnHand = i.QtyOnHand + d.q, LastUpd = '20050102'
FROM Item i JOIN (SELECT ItemNo, SUM(CASE TranType WHEN 'ISS' THEN -Qty ELSE Qty END) q FROM inserted GROUP BY ItemNo) d ON d.ItemNo = i.ItemNo
IF EXISTS (SELECT * FROM Item i JOIN inserted n ON n.ItemNo = i.ItemNo WHERE i.QtyOnHand < 0)
BEGIN
  RAISERROR('Negative stock not allowed', 16, 1)
  ROLLBACK TRANSACTION
  RETURN
END
GO
CREATE TRIGGER tr_Item_Audit ON Item AFTER INSERT, UPDATE, DELETE AS
BEGIN
  SET NOCOUNT ON
  DECLARE @act char(1)
  SET @act = CASE WHEN EXISTS(SELECT 1 FROM inserted) AND EXISTS(SELECT 1 FROM deleted) THEN 'U' WHEN EXISTS(SELECT 1 FROM inserted) THEN 'I' ELSE 'D' END
  IF @act = 'U' AND UPDATE(Cost)
    INSERT Audit (TableName, Action, KeyVal, Field, OldVal, NewVal)
    SELECT 'Item', @act, i.ItemNo, 'Cost', CONVERT(varchar(100), d.Cost), CONVERT(varchar(100), i.Cost) FROM inserted i JOIN deleted d ON d.ItemNo = i.ItemNo WHERE ISNULL(i.Cost, -1) <> ISNULL(d.Cost, -1)
  IF @act = 'D' INSERT Audit SELECT 'Item', 'D', ItemNo, '*', Descr, NULL FROM deleted
END
GO
INSERT Item (ItemNo, Descr, Cost, ReorderPt) VALUES ('A1', N'Bolt', 0.1250, 10), ('B2', N'Nut', .05, NULL), ('C3', 'Kit', NULL, 1)
INSERT InvTran (ItemNo, TranType, Qty) SELECT 'A1', 'RCV', 100 UNION ALL SELECT 'A1', 'ISS', 30 UNION ALL SELECT 'B2', 'RCV', 5
SELECT ItemNo, QtyOnHand FROM Item ORDER BY ItemNo
INSERT InvTran (ItemNo, TranType, Qty) VALUES ('B2', 'ISS', 6)
GO
SELECT @@TRANCOUNT AS tc, ItemNo, QtyOnHand FROM Item WHERE ItemNo = 'B2'
UPDATE Item SET Cost = Cost * 1.1 WHERE ItemNo IN ('A1', 'B2')
DELETE FROM Item WHERE ItemNo = 'C3'
SELECT * FROM Audit ORDER BY Id
SELECT IDENT_CURRENT('InvTran') ic, @@IDENTITY ai
GO
-- BOM
CREATE TABLE BOM (Parent varchar(10), Child varchar(10), Qty int)
INSERT BOM SELECT 'BIKE', 'WHEEL', 2 UNION SELECT 'BIKE', 'FRAME', 1 UNION SELECT 'WHEEL', 'SPOKE', 32 UNION SELECT 'WHEEL', 'RIM', 1 UNION SELECT 'SPOKE', 'NIPPLE', 1
;WITH Explode (Child, Qty, Lvl, Path) AS (
  SELECT Child, Qty, 1, CAST(Parent + '/' + Child AS varchar(200)) FROM BOM WHERE Parent = 'BIKE'
  UNION ALL
  SELECT b.Child, b.Qty * e.Qty, e.Lvl + 1, CAST(e.Path + '/' + b.Child AS varchar(200)) FROM BOM b INNER JOIN Explode e ON b.Parent = e.Child)
SELECT REPLICATE('  ', Lvl - 1) + Child AS Part, Qty, Lvl, Path FROM Explode ORDER BY Path OPTION (MAXRECURSION 50)
GO
-- the old way: level by level with a table variable
DECLARE @t TABLE (Part varchar(10), Qty int, Lvl int, PRIMARY KEY (Part, Lvl)), @lvl int
SET @lvl = 0
INSERT @t SELECT 'BIKE', 1, 0
WHILE @@ROWCOUNT > 0
BEGIN
  SET @lvl = @lvl + 1
  INSERT @t SELECT b.Child, SUM(b.Qty * t.Qty), @lvl FROM BOM b JOIN @t t ON t.Part = b.Parent AND t.Lvl = @lvl - 1 GROUP BY b.Child
END
SELECT * FROM @t ORDER BY Lvl, Part
GO
-- string splitting
CREATE FUNCTION dbo.fnSplit (@List varchar(8000), @Delim char(1) = ',') RETURNS @r TABLE (Pos int IDENTITY(1,1), Item varchar(100)) AS
BEGIN
  DECLARE @i int
  WHILE LEN(@List) > 0
  BEGIN
    SET @i = CHARINDEX(@Delim, @List)
    IF @i = 0
    BEGIN
      INSERT @r (Item) VALUES (LTRIM(RTRIM(@List)))
      BREAK
    END
    INSERT @r (Item) SELECT LTRIM(RTRIM(LEFT(@List, @i - 1)))
    SET @List = SUBSTRING(@List, @i + 1, 8000)
  END
  RETURN
END
GO
SELECT * FROM dbo.fnSplit('A1, B2,,C3', DEFAULT) ORDER BY Pos
SELECT i.* FROM Item i WHERE i.ItemNo IN (SELECT Item FROM dbo.fnSplit('A1|Z9', '|'))
GO
CREATE FUNCTION dbo.fnTally (@s varchar(8000), @d char(1)) RETURNS TABLE WITH SCHEMABINDING AS RETURN
WITH E1(N) AS (SELECT 1 UNION ALL SELECT 1 UNION ALL SELECT 1 UNION ALL SELECT 1 UNION ALL SELECT 1 UNION ALL SELECT 1 UNION ALL SELECT 1 UNION ALL SELECT 1 UNION ALL SELECT 1 UNION ALL SELECT 1),
 E2(N) AS (SELECT 1 FROM E1 a, E1 b), E4(N) AS (SELECT 1 FROM E2 a, E2 b),
 cteTally(N) AS (SELECT TOP (ISNULL(DATALENGTH(@s),0)) ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) FROM E4),
 cteStart(N1) AS (SELECT 1 UNION ALL SELECT t.N+1 FROM cteTally t WHERE SUBSTRING(@s,t.N,1) = @d),
 cteLen(N1,L1) AS (SELECT s.N1, ISNULL(NULLIF(CHARINDEX(@d,@s,s.N1),0)-s.N1,8000) FROM cteStart s)
SELECT ItemNumber = ROW_NUMBER() OVER(ORDER BY l.N1), Item = SUBSTRING(@s, l.N1, l.L1) FROM cteLen l
GO
SELECT ItemNumber, Item FROM dbo.fnTally('one,two,three', ',') ORDER BY ItemNumber
SELECT x.id, s.Item FROM (SELECT 1 id, 'a;b' v UNION ALL SELECT 2, 'c') x CROSS APPLY dbo.fnTally(x.v, ';') s ORDER BY 1, 2
DECLARE @xml xml = '<i>' + REPLACE('x,y,z', ',', '</i><i>') + '</i>'
SELECT n.value('.', 'varchar(10)') v FROM @xml.nodes('/i') AS t(n)
GO
-- date dimension
CREATE TABLE DimDate (DateKey int PRIMARY KEY, FullDate date, Yr smallint, Qtr tinyint, Mth tinyint, MthName varchar(10), Wk tinyint, IsoWk tinyint, DayOfYr smallint, IsWeekend bit, FiscalYr smallint, LastOfMonth date)
DECLARE @d date = '20071230', @e date = '20080103'
WHILE @d <= @e
BEGIN
  INSERT DimDate SELECT CONVERT(int, CONVERT(char(8), @d, 112)), @d, YEAR(@d), DATEPART(qq, @d), MONTH(@d), DATENAME(mm, @d), DATEPART(ww, @d), DATEPART(isowk, @d), DATEPART(dy, @d), CASE WHEN DATEPART(dw, @d) IN (1, 7) THEN 1 ELSE 0 END, YEAR(DATEADD(month, 6, @d)), DATEADD(dd, -1, DATEADD(mm, DATEDIFF(mm, 0, @d) + 1, 0))
  SET @d = DATEADD(d, 1, @d)
END
SELECT * FROM DimDate ORDER BY DateKey
SELECT Yr, [1] AS Jan, [12] AS Dec FROM (SELECT Yr, Mth, DateKey FROM DimDate) s PIVOT (COUNT(DateKey) FOR Mth IN ([1], [12])) p ORDER BY Yr
GO
