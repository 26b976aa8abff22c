-- An INSERT leaves out the rows whose keys are there already.
CREATE TABLE t (id INT NOT NULL, name VARCHAR(10));
CREATE UNIQUE INDEX t_id ON t (id) WITH (IGNORE_DUP_KEY = ON, FILLFACTOR = 90);
INSERT t VALUES (1, 'a'), (2, 'b'), (1, 'c');
SELECT @@ROWCOUNT AS n, @@ERROR AS e;
INSERT t VALUES (2, 'd');
SELECT @@ROWCOUNT AS n;
INSERT t VALUES (3, 'e');
INSERT t (id, name) SELECT id + 2, name FROM t ORDER BY id;
SELECT * FROM t ORDER BY id;
SELECT name, is_unique, ignore_dup_key FROM sys.indexes WHERE object_id = OBJECT_ID('t') ORDER BY index_id;
GO
-- UPDATE and MERGE fail.
UPDATE t SET id = 1 WHERE id = 2;
GO
MERGE t USING (VALUES (1, 'm'), (9, 'n')) s (id, name) ON t.name = s.name
WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name);
GO
-- Within a transaction, with OUTPUT, a trigger and variables.
CREATE TABLE log (n INT);
GO
CREATE TRIGGER t_in ON t AFTER INSERT AS INSERT log SELECT COUNT(*) FROM inserted;
GO
DECLARE @new TABLE (id INT);
BEGIN TRANSACTION;
INSERT t OUTPUT inserted.id INTO @new VALUES (5, 'f'), (6, 'g'), (6, 'h');
COMMIT;
SELECT id FROM @new ORDER BY id;
SELECT n FROM log;
DECLARE @id INT = 6;
WHILE @id < 9 BEGIN INSERT t VALUES (@id, 'w'); SET @id += 1 END;
SELECT COUNT(*) AS n FROM t;
GO
-- It can be switched, and goes with the index.
ALTER INDEX t_id ON t SET (IGNORE_DUP_KEY = OFF);
INSERT t VALUES (1, 'x');
GO
ALTER INDEX ALL ON t REBUILD WITH (FILLFACTOR = 80, IGNORE_DUP_KEY = ON);
INSERT t VALUES (1, 'x');
EXEC sp_rename 't.t_id', 't_key', 'INDEX';
INSERT t VALUES (1, 'x');
EXEC sp_rename 't', 'tt';
INSERT tt VALUES (1, 'x');
GO
DROP INDEX t_key ON tt;
CREATE UNIQUE INDEX t_key ON tt (id);
INSERT tt VALUES (1, 'x');
GO
-- Constraints, one of them alone.
CREATE TABLE k (id INT CONSTRAINT k_pk PRIMARY KEY, a INT CONSTRAINT k_a UNIQUE WITH (IGNORE_DUP_KEY = ON));
INSERT k VALUES (1, 1), (2, 1), (3, 3);
SELECT id, a FROM k ORDER BY id;
INSERT k VALUES (1, 5);
GO
ALTER TABLE k DROP CONSTRAINT k_a;
ALTER TABLE k ADD CONSTRAINT k_both UNIQUE (a, id) WITH (IGNORE_DUP_KEY = ON);
INSERT k VALUES (4, 3);
INSERT k SELECT id, a FROM k WHERE id = 4;
GO
-- Temporary tables and table variables.
CREATE TABLE #x (id INT, v INT, PRIMARY KEY (id) WITH (IGNORE_DUP_KEY = ON));
INSERT #x VALUES (1, 1), (1, 2), (2, 3);
SELECT id, v FROM #x ORDER BY id;
DROP TABLE #x;
CREATE TABLE #x (id INT, v INT, CONSTRAINT x_pk PRIMARY KEY (id) WITH (IGNORE_DUP_KEY = OFF));
INSERT #x VALUES (1, 1), (1, 2), (2, 3);
GO
DECLARE @t TABLE (id INT IDENTITY, code CHAR(3) NOT NULL UNIQUE WITH (IGNORE_DUP_KEY = ON));
INSERT @t (code) VALUES ('aaa'), ('bbb'), ('AAA'), ('ccc');
SELECT code FROM @t ORDER BY code;
GO
-- What is not unique takes no such option.
CREATE INDEX no ON log (n) WITH (IGNORE_DUP_KEY = ON);
GO
