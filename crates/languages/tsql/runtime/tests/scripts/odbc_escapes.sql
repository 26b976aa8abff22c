-- Functions of ODBC, over constants, variables and columns.
CREATE TABLE o (id INT PRIMARY KEY, name VARCHAR(20), made DATETIME, amount DECIMAL(9, 3))
INSERT o VALUES (1, 'Ann', {ts '2024-02-29 13:45:50'}, 10.567), (2, 'Bob', {d '2023-12-31'}, -3.999)
SELECT {fn UCASE(name)} AS u, {fn LCASE(name)} AS l, {fn LENGTH(name)} AS n, {fn CONCAT(name, '!')} AS c, {fn LOCATE('n', name)} AS at,
       {fn INSERT(name, 1, 1, 'XY')} AS i, {fn REPEAT(name, 2)} AS r, {fn SUBSTRING(name, 2, 1)} AS s, {fn LEFT(name, 2)} AS lf FROM o ORDER BY id
SELECT {fn YEAR(made)} AS y, {fn MONTH(made)} AS m, {fn DAYOFMONTH(made)} AS d, {fn DAYOFWEEK(made)} AS w, {fn DAYOFYEAR(made)} AS dy, {fn HOUR(made)} AS h,
       {fn MINUTE(made)} AS mi, {fn SECOND(made)} AS s, {fn QUARTER(made)} AS q, {fn WEEK(made)} AS wk, {fn DAYNAME(made)} AS dn, {fn MONTHNAME(made)} AS mn,
       {fn EXTRACT(YEAR FROM made)} AS ey FROM o ORDER BY id
SELECT {fn TIMESTAMPADD(SQL_TSI_DAY, 1, made)} AS a, {fn TIMESTAMPDIFF(SQL_TSI_MONTH, made, {d '2024-05-01'})} AS b, {fn TRUNCATE(amount, 1)} AS t,
       {fn MOD(id, 2)} AS m, {fn ABS(amount)} AS ab, {fn CEILING(amount)} AS ce, {fn POWER(id, 2)} AS p, {fn IFNULL(NULL, id)} AS i FROM o ORDER BY id
SELECT {fn CONVERT(amount, SQL_INTEGER)} AS a, {fn CONVERT(id, SQL_VARCHAR)} AS b, {fn POSITION('b' IN name)} AS p, {fn OCTET_LENGTH(name)} AS o, {fn BIT_LENGTH(name)} AS bits FROM o ORDER BY id
SELECT id FROM o WHERE made >= {d '2024-01-01'} AND {fn UCASE(name)} = 'ANN'
GO
DECLARE @t VARCHAR(10) = {fn UCASE('abc')}, @n DATETIME = {fn NOW()}
PRINT @t
IF {fn NOW()} >= @n AND {fn LENGTH(@t)} = 3 PRINT {fn CONCAT(@t, 'd')}
SELECT CASE WHEN {fn CURDATE()} = CONVERT(VARCHAR(10), GETDATE(), 120) THEN 'same' END AS today, {fn LENGTH({fn CURTIME()})} AS time, {fn USER()} AS u, {fn DATABASE()} AS db
SELECT {d '2024-02-29'} AS d, {t '10:20:30'} AS t, {ts '2024-02-29 10:20:30.123'} AS ts, {guid '00000000-0000-0000-0000-0000000000AB'} AS g, {fn PI()} AS pi
SELECT {fn NOSUCH(1)}
GO
-- Outer joins and calls.
CREATE TABLE o2 (id INT, x INT)
INSERT o2 VALUES (1, 10)
SELECT o.id, o2.x FROM {oj o LEFT OUTER JOIN o2 ON o2.id = o.id} ORDER BY o.id
GO
CREATE PROCEDURE twice @n INT, @r INT = 0 OUTPUT AS SET @r = @n * 2 SELECT @r AS r RETURN 7
GO
{call twice(4)}
GO
DECLARE @s INT, @r INT
{@s = call twice(5, @r OUTPUT)}
SELECT @s AS s, @r AS r
{call twice}
GO
