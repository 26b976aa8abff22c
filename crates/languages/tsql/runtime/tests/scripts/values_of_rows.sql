-- EXISTS where a value is wanted, and variables that an UPDATE sets.
CREATE TABLE Heads (id INT PRIMARY KEY, v INT NULL)
CREATE TABLE Parts (id INT PRIMARY KEY, a INT NULL, w INT)
INSERT Heads VALUES (1, 10), (2, 20), (3, NULL)
INSERT Parts VALUES (1, 1, 5), (2, 1, 6), (3, 2, 0)
GO
SELECT id, CASE WHEN EXISTS (SELECT * FROM Parts WHERE Parts.a = Heads.id) THEN 'yes' ELSE 'no' END AS has,
    CASE WHEN NOT EXISTS (SELECT 1 FROM Parts WHERE Parts.a = Heads.id AND w > 0) THEN 1 ELSE 0 END AS lacks
FROM Heads ORDER BY id
SELECT IIF(EXISTS (SELECT TOP 1 a FROM Parts WHERE w = 6 ORDER BY a), 'six', 'none') AS x
DECLARE @found BIT = CASE WHEN EXISTS (SELECT * FROM Heads WHERE v > 15) THEN 1 ELSE 0 END
DECLARE @none BIT = CASE WHEN EXISTS (SELECT DISTINCT v FROM Heads WHERE v > 99) THEN 1 ELSE 0 END
SELECT @found AS found, @none AS none
SELECT id, (SELECT COUNT(*) FROM Parts WHERE a = Heads.id) AS n FROM Heads WHERE EXISTS (SELECT 1 FROM Parts WHERE a = Heads.id) ORDER BY id
UPDATE Heads SET v = CASE WHEN EXISTS (SELECT * FROM Parts WHERE a = Heads.id) THEN 1 ELSE 0 END WHERE id > 1
SELECT id, v FROM Heads ORDER BY id
GO
-- What the row was, and what it has become.
DECLARE @old INT, @new INT, @other INT, @sum INT = 100
UPDATE Heads SET @old = v, @new = v = v + 5, @other = id * 10 WHERE id = 1
SELECT @old AS old, @new AS new, @other AS other
UPDATE Parts SET @sum = @sum + w, w = w + 1 WHERE id = 2
SELECT @sum AS sum, w FROM Parts WHERE id = 2
UPDATE Parts SET @other = w, @old = CASE a WHEN 1 THEN w + 1 ELSE -1 END WHERE id = 1
SELECT @other AS w, @old AS w_and_one
UPDATE Parts SET @new = w += 100 WHERE id = 3
SELECT @new AS new
UPDATE Heads SET @new = v = v + 1 WHERE id = 99
SELECT @new AS stays, @@ROWCOUNT AS n
GO
