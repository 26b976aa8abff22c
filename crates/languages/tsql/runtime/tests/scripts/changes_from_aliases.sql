-- The target of UPDATE and DELETE is found in FROM under whatever alias it has there.
CREATE TABLE dbo.T (Id INT PRIMARY KEY, N INT)
CREATE TABLE dbo.U (Id INT PRIMARY KEY, M INT)
INSERT dbo.T VALUES (1,1),(2,2),(3,3)
INSERT dbo.U VALUES (1,10),(2,20)
UPDATE dbo.T SET N = a.N + u.M FROM dbo.T a JOIN dbo.U u ON u.Id = a.Id
SELECT * FROM dbo.T
UPDATE T SET N = a.N + u.M FROM dbo.T AS a LEFT JOIN dbo.U u ON u.Id = a.Id WHERE u.Id IS NOT NULL
SELECT * FROM dbo.T
UPDATE T SET N = 0 FROM dbo.U u, dbo.T a WHERE u.Id = a.Id AND u.Id = 2
SELECT * FROM dbo.T
DELETE dbo.T FROM dbo.T x INNER JOIN dbo.U y ON y.Id = x.Id WHERE y.M = 10
SELECT * FROM dbo.T
UPDATE dbo.T SET N = 1 FROM dbo.T a JOIN dbo.T b ON a.Id = b.Id
UPDATE dbo.T SET N = T.N + b.N FROM dbo.T JOIN dbo.T b ON T.Id = b.Id
SELECT * FROM dbo.T
GO
CREATE SCHEMA other
GO
CREATE TABLE other.T (Id INT PRIMARY KEY, N INT)
INSERT other.T VALUES (1, 100), (2, 200)
DELETE dbo.T
INSERT dbo.T VALUES (1, 1), (2, 2), (3, 3)
-- Another table of this name is another table.
UPDATE dbo.T SET N = o.N FROM other.T o JOIN dbo.T d ON d.Id = o.Id WHERE o.Id = 1
SELECT * FROM dbo.T ORDER BY Id
SELECT * FROM other.T ORDER BY Id
DELETE T OUTPUT deleted.Id FROM dbo.T AS x WHERE x.N = 2
UPDATE TOP (1) T SET N = 9 FROM T x JOIN dbo.U u ON u.Id <> x.Id
SELECT COUNT(*) AS nines FROM dbo.T WHERE N = 9
SELECT * INTO #w FROM other.T
UPDATE #w SET N = w.N + t.Id FROM #w w INNER JOIN other.T t ON t.Id = w.Id AND t.Id = 2
DELETE #w FROM #w AS w WHERE w.Id = 1
SELECT * FROM #w
