-- Functions over windows in subqueries that give one value, of the rows of each row around: mssql-django's tests of windows.
CREATE TABLE e (id INT PRIMARY KEY, dept CHAR(1), hire DATE, salary INT)
INSERT e VALUES (1, 'a', '2001-01-01', 10), (2, 'a', '2002-01-01', 20), (3, 'a', '2003-01-01', 30), (4, 'b', '2001-06-01', 100), (5, 'b', '2000-01-01', 50)
GO
SELECT id, (SELECT TOP 1 SUM(u.salary) OVER (ORDER BY u.hire ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM e u WHERE u.dept = o.dept ORDER BY u.hire DESC) AS s
FROM e o ORDER BY id
SELECT id, (SELECT TOP 1 u.hire FROM e u WHERE u.dept = o.dept ORDER BY AVG(u.salary) OVER (ORDER BY u.hire ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) DESC, u.hire) AS h
FROM e o ORDER BY id
SELECT id, (SELECT TOP 1 RANK() OVER (ORDER BY u.salary) AS r FROM e u WHERE u.dept = o.dept ORDER BY r DESC) AS r FROM e o ORDER BY id
SELECT id, (SELECT COUNT(*) OVER (PARTITION BY u.dept) FROM e u WHERE u.id = o.id) AS n FROM e o WHERE id < 3 ORDER BY id
GO
SELECT id, (SELECT COUNT(*) OVER (PARTITION BY u.dept) FROM e u WHERE u.dept = o.dept) AS n FROM e o ORDER BY id
GO
