-- The types of expressions, as a client is told of them: precision and scale, operands of every pair of kinds, CASE and its
-- kin, aggregates; conversions that fail, with their numbers and texts.
DECLARE @d52 DECIMAL(5, 2) = 1, @d104 DECIMAL(10, 4) = 2, @d380 DECIMAL(38, 0) = 3, @d3810 DECIMAL(38, 10) = 4, @i INT = 5, @t TINYINT = 6
SELECT @d52 + @d104 AS added, @d52 - @d104 AS subtracted, @d52 * @d104 AS multiplied, @d52 / @d104 AS divided, @d52 % @d104 AS modulo
SELECT @d380 + @d52 AS added, @d380 * @d52 AS multiplied, @d380 / @d52 AS divided, @d3810 * @d3810 AS squared, @d3810 / @d3810 AS one
SELECT @d52 + @i AS with_int, @d52 * @i AS times_int, @d52 / @i AS by_int, @i / @d52 AS int_by, @d52 * @t AS times_tiny
SELECT -@d52 AS negated, ABS(@d52) AS absolute, ROUND(@d104, 1) AS rounded
GO
SELECT 1.0 AS a, 1.50 AS b, .5 AS c, 123456789012 AS d, 1e0 AS e, 0x1F AS f, $1 AS g, N'x' AS h, 'x' AS i, NULL AS j
GO
SELECT 1.0 / 3 AS a, 10 / 4.0 AS b, 1.0 / 3.0 AS c, 2.0 * 3.00 AS d, 5 % 3.0 AS e, 1 / 3. AS f
GO
CREATE TABLE N (t TINYINT, s SMALLINT, i INT, b BIGINT, d DECIMAL(9, 3), m MONEY, sm SMALLMONEY, r REAL, f FLOAT, bt BIT, c CHAR(5), v VARCHAR(10), nc NCHAR(5), nv NVARCHAR(10), dt DATETIME, sd SMALLDATETIME, da DATE, ti TIME(3), d2 DATETIME2(4))
INSERT N VALUES (1, 2, 3, 4, 5.125, 6.5, 7.25, 8.5, 9.75, 1, 'ab', 'cd', N'ef', N'gh', '20240229 13:14:15.678', '20240229 13:14:30', '20240229', '13:14:15.678', '20240229 13:14:15.6789')
SELECT t + s AS ts, t + i AS ti, i + b AS ib, i + d AS id, b + d AS bd, d + m AS dm, m + sm AS msm, d + r AS dr, r + f AS rf, i + r AS ir, i + m AS im FROM N
SELECT t / s AS ts, i / b AS ib, i / d AS id, d / m AS dm, m / sm AS msm, m / i AS mi, m * m AS mm, d * d AS dd, sm * i AS smi FROM N
SELECT c + v AS cv, c + nv AS cnv, v + nc AS vnc, c + c AS cc, LEN(c) AS lc, DATALENGTH(c) AS dc, DATALENGTH(nc) AS dnc FROM N
SELECT CASE WHEN i = 3 THEN t ELSE b END AS tb, CASE WHEN i = 3 THEN i ELSE d END AS id, CASE WHEN 1 = 0 THEN v ELSE nv END AS vnv, CASE i WHEN 3 THEN 'x' END AS x, CASE WHEN i = 3 THEN da ELSE dt END AS dadt FROM N
SELECT COALESCE(NULL, t, d) AS c1, ISNULL(t, 300 - 299) AS c2, ISNULL(c, 'longer than five') AS c3, COALESCE(c, 'longer than five') AS c4, NULLIF(t, i) AS c5, IIF(1 = 1, t, f) AS c6, CHOOSE(2, 1, 2.5) AS c7 FROM N
SELECT SUM(t) AS st, SUM(s) AS ss, SUM(i) AS si, SUM(b) AS sb, SUM(d) AS sd, SUM(m) AS sm, SUM(r) AS sr, SUM(f) AS sf FROM N
SELECT AVG(t) AS st, AVG(i) AS si, AVG(b) AS sb, AVG(d) AS sd, AVG(m) AS sm, AVG(sm) AS ssm, AVG(r) AS sr FROM N
SELECT MIN(c) AS c, MAX(v) AS v, MIN(dt) AS dt, MAX(da) AS da, COUNT(*) AS n, COUNT_BIG(*) AS b, STDEV(i) AS sd, VARP(d) AS vp FROM N
SELECT dt + 1 AS dt1, sd + 1 AS sd1, dt - CAST('20240228' AS DATETIME) AS diff, dt - 0.5 AS half FROM N
SELECT DATEADD(DAY, 1, da) AS da, DATEADD(HOUR, 1, ti) AS ti, DATEADD(HOUR, 1, dt) AS dt, DATEADD(DAY, 1, '20240101') AS s, DATEADD(MINUTE, 1, sd) AS sd, DATEADD(SECOND, 1, d2) AS d2 FROM N
GO
SELECT da + 1 FROM N
GO
SELECT dt FROM N WHERE da = dt
SELECT dt FROM N WHERE da + ti = dt
GO
SELECT CAST('x' AS INT)
GO
SELECT 1 + 'x'
GO
SELECT 1 + '2' AS three, '1' + 2 AS also, '1' + '2' AS twelve, 1 + N'2' AS n
SELECT 1.5 + '2' AS converted
GO
SELECT 1.5 + '2.25'
GO
SELECT CAST(300 AS TINYINT)
GO
SELECT CAST(40000 AS SMALLINT)
GO
SELECT CAST(3000000000 AS INT)
GO
SELECT CAST(1e30 AS BIGINT)
GO
SELECT CAST('300' AS TINYINT)
GO
SELECT CAST('40000' AS SMALLINT)
GO
SELECT CAST('3000000000' AS INT)
GO
SELECT CAST(12345.67 AS DECIMAL(5, 2))
GO
SELECT CAST('12345.67' AS DECIMAL(5, 2))
GO
SELECT CAST('abc' AS DECIMAL(5, 2))
GO
SELECT CAST('abc' AS FLOAT)
GO
SELECT CAST('abc' AS MONEY)
GO
SELECT CAST('abc' AS BIT)
GO
SELECT CAST('abc' AS DATETIME)
GO
SELECT CAST('20241301' AS DATE)
GO
SELECT CAST('20241301' AS DATETIME)
GO
SELECT CAST('abc' AS UNIQUEIDENTIFIER)
GO
SELECT CAST(GETDATE() AS INT) - CAST(GETDATE() AS INT) AS zero
SELECT CAST(CAST('20240101' AS DATE) AS INT)
GO
SELECT CAST(1 AS DATE)
GO
SELECT CAST(1 AS DATETIME) AS d, CAST(0.5 AS DATETIME) AS noon, CAST('' AS INT) AS i, CAST('' AS DATETIME) AS e, CAST('  12 ' AS INT) AS t, CAST('' AS FLOAT) AS f
GO
SELECT CAST('' AS DECIMAL(5, 2))
GO
SELECT 2147483647 + 1
GO
SELECT CAST(9223372036854775807 AS BIGINT) + 1
GO
SELECT CAST(255 AS TINYINT) + CAST(1 AS TINYINT)
GO
SELECT CAST(922337203685477 AS MONEY) + $1
GO
SELECT CAST(922337203685478 AS MONEY)
GO
SELECT 'a' - 1
GO
SELECT 'a' - 'b'
GO
SELECT CAST('20240101' AS DATE) + CAST('20240101' AS DATE)
GO
SELECT CAST('a' AS TEXT) + 'b'
GO
SELECT NEWID() + 1
GO
SELECT CAST(1.999 AS INT) AS cut, CAST(-1.999 AS INT) AS cut_up, CAST(1.5 AS DECIMAL(5, 0)) AS rounded, CAST(2.5 AS DECIMAL(5, 0)) AS half, CAST(1.9999 AS MONEY) AS m, CAST(CAST(2.5 AS MONEY) AS INT) AS money_rounds, CAST(CAST(2.5 AS FLOAT) AS INT) AS float_cuts, CAST(1234.56789 AS SMALLMONEY) AS sm
GO
SELECT CAST('abcdef' AS VARCHAR(3)) AS cut, CAST('abcdef' AS CHAR(3)) AS cut2, CAST(12345 AS VARCHAR(3)) AS star, CAST(12345 AS CHAR(5)) AS fits, CAST(-12345 AS VARCHAR(5)) AS star2
SELECT CAST(123.45 AS VARCHAR(3))
GO
SELECT CAST(12345 AS NVARCHAR(3))
GO
SELECT CAST('abc' AS BIT)
GO
SELECT CAST('true' AS BIT) AS t, CAST('False' AS BIT) AS f, CAST(5 AS BIT) AS five, CAST('0' AS BIT) AS zero, CAST(0.1 AS BIT) AS tenth, ~CAST(1 AS BIT) AS inverted
GO
