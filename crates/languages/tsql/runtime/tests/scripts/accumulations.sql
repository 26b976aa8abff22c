-- SELECT @s += over rows, with subqueries, functions over windows and other variables in the value.
CREATE TABLE dbo.Cust (Id INT PRIMARY KEY, Name NVARCHAR(40))
CREATE TABLE dbo.Ord (Id INT PRIMARY KEY, CustId INT, Total DECIMAL(10,2))
INSERT dbo.Cust VALUES (1, 'Anna'), (2, 'Bo'), (3, 'Cia')
INSERT dbo.Ord VALUES (1, 1, 10.5), (2, 1, 20), (3, 2, 5)
GO
DECLARE @s VARCHAR(200) = '', @n INT = 0, @sep CHAR(1) = ';'
SELECT @s += CAST((SELECT COUNT(*) FROM dbo.Ord o WHERE o.CustId = c.Id) AS VARCHAR) + @sep FROM dbo.Cust c ORDER BY c.Id
PRINT @s
SELECT @s = @s + Name + '=' + CASE WHEN EXISTS (SELECT 1 FROM dbo.Ord o WHERE o.CustId = c.Id) THEN 'y' ELSE 'n' END + @sep
FROM dbo.Cust c ORDER BY c.Id DESC
PRINT @s
SET @s = ''
SELECT @s += CAST(ROW_NUMBER() OVER (ORDER BY Name DESC) AS VARCHAR) + Name FROM dbo.Cust ORDER BY Name
PRINT @s
SELECT @n += (SELECT MAX(Id) FROM dbo.Ord)
PRINT @n
SELECT @n += COUNT(*), @s = 'last' FROM dbo.Ord
PRINT CONCAT(@n, @s)
SET @s = ''
SELECT @s += Name + ':' + CAST(SUM(o.Total) AS VARCHAR) + ' ' FROM dbo.Cust c JOIN dbo.Ord o ON o.CustId = c.Id GROUP BY c.Name ORDER BY c.Name
PRINT @s
DECLARE @list VARCHAR(100)
SELECT @list = COALESCE(@list + ', ', '') + Name FROM dbo.Cust WHERE Id IN (SELECT CustId FROM dbo.Ord) ORDER BY Id
PRINT @list
SELECT @n = CASE WHEN c.Id IN (SELECT CustId FROM dbo.Ord) THEN @n + 1 ELSE @n END FROM dbo.Cust c
PRINT @n
