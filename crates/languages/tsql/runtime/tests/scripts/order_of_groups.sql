-- The order of the rows of ROLLUP, CUBE and GROUPING SETS by what GROUPING says of them.
CREATE TABLE Sold (Dept VARCHAR(10), Kind CHAR(3), Yr INT, n INT)
INSERT Sold VALUES ('b', 'x', 2023, 1), ('a', 'y', 2024, 2), ('a', 'x', 2023, 3), ('b', 'z', 2024, 4), (NULL, 'x', 2024, 5)
GO
SELECT Dept, SUM(n) AS s FROM Sold GROUP BY ROLLUP (Dept) ORDER BY GROUPING(Dept), Dept
SELECT Yr, SUM(n) AS s FROM Sold GROUP BY ROLLUP (Yr) ORDER BY GROUPING(Yr) DESC, Yr
GO
SELECT Dept, Kind, SUM(n) AS s FROM Sold GROUP BY ROLLUP (Dept, Kind) ORDER BY GROUPING(Dept), Dept, GROUPING(Kind), Kind
GO
SELECT Dept, Kind, SUM(n) AS s FROM Sold GROUP BY Dept, Kind WITH ROLLUP ORDER BY GROUPING(Dept), GROUPING(Kind), Dept, Kind
GO
SELECT Yr, SUM(n) AS s, GROUPING(Yr) AS g FROM Sold GROUP BY CUBE (Yr) ORDER BY GROUPING(Yr), Yr
GO
SELECT Yr, SUM(n) AS s, GROUPING(Yr) FROM Sold GROUP BY CUBE (Yr) ORDER BY GROUPING(Yr), 1
GO
SELECT s.Dept, s.Yr, SUM(s.n) AS total FROM Sold AS s GROUP BY GROUPING SETS ((s.Dept, s.Yr), (s.Dept), ()) ORDER BY GROUPING_ID(s.Dept, s.Yr), s.Dept, s.Yr
GO
SELECT CASE WHEN GROUPING(Dept) = 1 THEN 'all' ELSE ISNULL(Dept, 'none') END AS Dept, SUM(n) AS s FROM Sold GROUP BY ROLLUP (Dept) ORDER BY GROUPING(Dept), Sold.Dept
GO
SELECT COALESCE(Dept, 'all') AS d, Yr, SUM(n) AS s FROM Sold WHERE Dept IS NOT NULL GROUP BY ROLLUP (Dept, Yr) HAVING GROUPING(Dept) = 0 OR GROUPING(Yr) = 1
ORDER BY CASE WHEN GROUPING(Dept) = 1 THEN 0 ELSE 1 END, d, GROUPING(Yr) DESC, Yr
GO
SELECT TOP (2) Kind, SUM(n) AS s FROM Sold GROUP BY ROLLUP (Kind) ORDER BY GROUPING(Kind) DESC, SUM(n) DESC
GO
SELECT UPPER(Dept) AS u, SUM(n) AS s FROM Sold GROUP BY ROLLUP (UPPER(Dept)) ORDER BY GROUPING(UPPER(Dept)), UPPER(Dept)
GO
-- Within an expression a name is the column's, alone it is the item's.
SELECT ISNULL(Dept, 'all') AS Dept, SUM(n) AS s FROM Sold WHERE Dept IS NOT NULL GROUP BY ROLLUP (Dept) ORDER BY GROUPING(Dept), Dept
SELECT ISNULL(Dept, 'all') AS Dept, ISNULL(Kind, '-') AS Kind, SUM(n) AS s FROM Sold WHERE Dept IS NOT NULL GROUP BY ROLLUP (Dept, Kind)
ORDER BY GROUPING(Dept) DESC, Dept DESC, GROUPING(Kind), Kind
SELECT -n AS n, Kind FROM Sold ORDER BY n + 0 DESC
SELECT -n AS n, Kind FROM Sold ORDER BY n
SELECT TOP (3) -n AS n, Kind FROM Sold ORDER BY ABS(n - 3), n
