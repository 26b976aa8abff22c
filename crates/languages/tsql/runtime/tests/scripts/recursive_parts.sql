-- Several parts that name the common table expression: each runs over the rows of the turn before.
CREATE TABLE Person (id INT PRIMARY KEY, name VARCHAR(10), mother INT, father INT);
INSERT Person VALUES (1, 'Ada', NULL, NULL), (2, 'Bo', NULL, NULL), (3, 'Cy', 1, 2), (4, 'Di', NULL, NULL), (5, 'Ed', 4, 3), (6, 'Flo', 4, 3);
GO
-- All ancestors of one, through mothers and fathers.
WITH Up (id, name, depth) AS (
    SELECT id, name, 0 FROM Person WHERE name = 'Ed'
    UNION ALL
    SELECT p.id, p.name, u.depth + 1 FROM Up u JOIN Person c ON c.id = u.id JOIN Person p ON p.id = c.mother
    UNION ALL
    SELECT p.id, p.name, u.depth + 1 FROM Up u JOIN Person c ON c.id = u.id JOIN Person p ON p.id = c.father
)
SELECT id, name, depth FROM Up ORDER BY depth, id;
GO
-- Two first parts and three that go on, without a limit.
WITH n AS (
    SELECT CAST(1 AS BIGINT) AS i, 1 AS w UNION ALL SELECT 10, 2
    UNION ALL SELECT i + 1, w * 10 FROM n WHERE i BETWEEN 1 AND 2
    UNION ALL SELECT i + 2, w FROM n WHERE i BETWEEN 10 AND 11
    UNION ALL SELECT -i, w FROM n WHERE i = 3
)
SELECT i, w FROM n ORDER BY i, w OPTION (MAXRECURSION 0);
GO
-- The parts are counted together, and read different columns.
WITH n AS (SELECT 1 AS i, 5 AS j UNION ALL SELECT i + 1, 0 FROM n UNION ALL SELECT 0, j + 1 FROM n WHERE j > 100)
SELECT COUNT(*) FROM n OPTION (MAXRECURSION 7);
GO
-- Again and again, in a procedure, and twice in a query.
CREATE PROCEDURE Count_up @to INT AS
WITH n AS (SELECT 0 AS i UNION ALL SELECT i + 2 FROM n WHERE i + 2 <= @to UNION ALL SELECT i + 1 FROM n WHERE i % 2 = 0 AND i + 1 <= @to)
SELECT COUNT(*) AS rows, MAX(i) AS most, (SELECT COUNT(*) FROM n b WHERE b.i = @to) AS last FROM n;
GO
EXEC Count_up 4;
EXEC Count_up 5;
EXEC Count_up 4;
GO
