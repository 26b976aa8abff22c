-- Table variables are part of no transaction.
DECLARE @t TABLE (id INT IDENTITY, a INT, twice AS a * 2);
INSERT @t (a) VALUES (5);
BEGIN TRAN;
INSERT @t (a) VALUES (1);
DECLARE @u TABLE (x INT PRIMARY KEY);
INSERT @u VALUES (7);
ROLLBACK;
INSERT @t (a) VALUES (9);
SELECT * FROM @t ORDER BY id;
SELECT * FROM @u;
BEGIN TRAN;
SAVE TRAN s;
INSERT @u VALUES (8);
ROLLBACK TRAN s;
SELECT * FROM @u ORDER BY x;
COMMIT;
GO
-- A statement that fails is undone all the same.
DECLARE @u TABLE (x INT PRIMARY KEY);
INSERT @u VALUES (1), (2), (1);
SELECT COUNT(*) AS n FROM @u;
GO
-- A CHECK of a table variable.
DECLARE @checked TABLE (id INT CHECK (id > 0), a INT, b INT, CHECK (a < b));
INSERT @checked VALUES (1, 1, 2);
INSERT @checked VALUES (0, 1, 2);
INSERT @checked VALUES (1, 3, 2);
UPDATE @checked SET id = -1;
SELECT * FROM @checked;
GO
