-- Unique keys of DBF tables and transactions (break-04). Nothing of what was rolled back is left: SQL Server's ROLLBACK undoes
-- all modifications. 2601 names the object, the index and the key (messages and codes of SQL Server, 2601).
--core CREATE TABLE dk (id INTEGER, name CHAR(8)) WITH (FORMAT = dbf, VERSION = vfp)
--core CREATE UNIQUE INDEX id ON dk (id)
SET NOCOUNT ON
INSERT dk VALUES (1, 'first')
GO
--@a
BEGIN TRAN
INSERT dk VALUES (10, 'a1')
GO
--@b
SET NOCOUNT ON
INSERT dk VALUES (11, 'b1')
GO
--@a
ROLLBACK
BEGIN TRAN
INSERT dk VALUES (20, 'a2')
GO
--@b
INSERT dk VALUES (21, 'b2')
GO
--@a
ROLLBACK
INSERT dk VALUES (20, 'again')
SELECT id, RTRIM(name) AS name FROM dk ORDER BY id
GO
-- A key that the transaction of another has taken is waited for.
--@a
BEGIN TRAN
INSERT dk VALUES (30, 'a3')
GO
--@b
SET LOCK_TIMEOUT 20
INSERT dk VALUES (30, 'b3')
GO
--@a
ROLLBACK
GO
--@b
INSERT dk VALUES (30, 'b3')
INSERT dk VALUES (30, 'b4')
SELECT id, RTRIM(name) AS name FROM dk WHERE id = 30
GO
--@a
INSERT dk VALUES (20, 'twice')
SELECT COUNT(*) AS twenty FROM dk WHERE id = 20
GO
