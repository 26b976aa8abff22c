-- Many queries that UNION joins in a row (fault tsql-20): SQL Server has no limit of them but its memory; here it is 4,096 (191).
DECLARE @n INT = 1000
DECLARE @all NVARCHAR(MAX) = N'SELECT COUNT(*) AS n, SUM(a) AS s FROM (SELECT 1 AS a' + REPLICATE(CAST(N' UNION ALL SELECT 1' AS NVARCHAR(MAX)), @n - 1) + N') AS q'
EXEC sp_executesql @all
SET @all = REPLACE(@all, N'UNION ALL', N'UNION'); EXEC sp_executesql @all
GO
-- In their order where it says the names, and beside other operators.
DECLARE @q NVARCHAR(MAX) = N'SELECT 0 AS first' + REPLICATE(CAST(N' UNION ALL SELECT 2' AS NVARCHAR(MAX)), 100)
SET @q = N'SELECT COUNT(*) AS n, MIN(first) AS low FROM (' + @q + N' EXCEPT SELECT 5 UNION SELECT 7) AS q'
EXEC sp_executesql @q
GO
DECLARE @q NVARCHAR(MAX) = N'SELECT 1' + REPLICATE(CAST(N' UNION SELECT 1' AS NVARCHAR(MAX)), 5000)
EXEC sp_executesql @q
