-- The types of what rows are grouped by.
SELECT Dept, Kind, SUM(n) AS s FROM (VALUES ('b', 'x', 1), ('a', 'y', 2), ('a', 'x', 3), ('b', 'z', 4)) v(Dept, Kind, n) GROUP BY Dept, Kind WITH ROLLUP ORDER BY Dept, Kind
SELECT CASE WHEN GROUPING(Dept) = 1 THEN 'Total' ELSE Dept END AS Dept, SUM(n) AS s FROM (VALUES ('b', 1), ('a', 2)) v(Dept, n) GROUP BY ROLLUP (Dept) ORDER BY 2
SELECT CASE WHEN n > 1 THEN 'many' ELSE 'one' END AS c, COUNT(*) AS k, UPPER(d) AS u FROM (VALUES ('b', 1), ('a', 2)) v(d, n) GROUP BY CASE WHEN n > 1 THEN 'many' ELSE 'one' END, UPPER(d) ORDER BY 1
SELECT CAST(m AS MONEY) AS m, COUNT(*) FROM (VALUES (1.5), (1.5)) v(m) GROUP BY CAST(m AS MONEY)
CREATE TABLE Sold (Day DATETIME, Kind CHAR(2), Price MONEY)
INSERT Sold VALUES ('20240105', 'a', 1.5), ('20240203', 'b', 2), ('20240204', 'a', 4)
SELECT YEAR(Day) AS y, [1] AS Jan, [2] AS Feb FROM (SELECT Day, MONTH(Day) AS m, Price FROM Sold) s PIVOT (SUM(Price) FOR m IN ([1], [2])) p GROUP BY YEAR(Day), [1], [2] ORDER BY 1, 2
SELECT Kind + '|' AS k, CONVERT(CHAR(6), Day, 112) AS m, SUM(Price) AS s FROM Sold GROUP BY Kind + '|', CONVERT(CHAR(6), Day, 112) ORDER BY 1, 2
SELECT ISNULL(Kind, 'all') AS Kind, SUM(Price) AS s FROM Sold GROUP BY Kind WITH ROLLUP ORDER BY 2
GO
-- Windows over the rows of ROLLUP
CREATE TABLE Windowed (b VARCHAR(10), c INT)
INSERT Windowed VALUES ('x', 1), ('X', 2), ('y', 5)
SELECT b, SUM(c) AS s, ROW_NUMBER() OVER (ORDER BY b) AS n, SUM(SUM(c)) OVER () AS a, GROUPING(b) AS g,
  RANK() OVER (PARTITION BY GROUPING(b) ORDER BY SUM(c) DESC) AS r
FROM Windowed GROUP BY ROLLUP (b) ORDER BY g, b
SELECT LAG(SUM(c)) OVER (ORDER BY SUM(c)) AS l, SUM(c) AS s FROM Windowed GROUP BY CUBE (b) ORDER BY s
SELECT COUNT(*) OVER () AS n, MAX(c) AS m FROM Windowed GROUP BY GROUPING SETS ((b), ()) ORDER BY m
DROP TABLE Windowed
