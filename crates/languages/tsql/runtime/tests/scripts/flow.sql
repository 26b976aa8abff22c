DECLARE @i INT = 0, @s INT = 0
WHILE @i < 1000
BEGIN
    SET @s += @i
    SET @i = @i + 1
END
SELECT @s AS total, @i
PRINT 'done'
GO
DECLARE @n INT = 5
IF @n > 3 PRINT 'big' ELSE PRINT 'small'
SELECT CASE WHEN @n % 2 = 0 THEN 'even' ELSE 'odd' END AS parity, @n / 2 AS half, @n * 1.5 AS more, 'a' + 'b' AS ab
GO
DECLARE @d DECIMAL(10,2) = 10.5, @k INT = 3
SELECT @d * @k AS product, @d / @k AS quotient, 7 / 2 AS seven, 7 % 3 AS rest, -7 / 2 AS negative
GO
SELECT 1 / 0
SELECT 2
GO
BEGIN TRY
    SELECT 1 / 0
END TRY
BEGIN CATCH
    SELECT ERROR_NUMBER() AS number, ERROR_MESSAGE() AS message, ERROR_SEVERITY() AS severity, ERROR_LINE() AS line
END CATCH
GO
DECLARE @x INT
SET @x = 'abc'
SELECT 1
GO
SELECT LEN('abc  '), UPPER('abc'), LEFT('abcdef', 3), SUBSTRING('abcdef', 2, 3), CHARINDEX('c', 'abc'), REPLACE('aXb', 'x', '-')
SELECT DATEADD(day, 1, CAST('2024-02-28' AS DATE)) AS d, DATEDIFF(month, '2024-01-31', '2024-03-01') AS m, YEAR('2024-05-06') AS y
SELECT CONVERT(VARCHAR(10), CAST('2024-05-06 10:20:30' AS DATETIME), 120), CAST(1.25 AS INT), CAST('12' AS INT) + 1
SELECT ISNULL(NULL, 5), COALESCE(NULL, NULL, 'x'), NULLIF(1, 1), IIF(1 = 2, 'a', 'b')
GO
RAISERROR('Value %d of %s', 16, 1, 5, 'x')
SELECT @@ERROR
GO
THROW 50001, 'mine', 3
SELECT 'not reached'
GO
SELECT foo FROM
GO
SELECT @undeclared
GO
