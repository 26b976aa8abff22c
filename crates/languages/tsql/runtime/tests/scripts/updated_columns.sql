-- UPDATE(column) and COLUMNS_UPDATED() as conditions of any kind in triggers.
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, c INT)
CREATE TABLE audit (id INT IDENTITY, what VARCHAR(40), old INT, new INT)
GO
CREATE TRIGGER t_changed ON t AFTER INSERT, UPDATE AS
BEGIN
    SET NOCOUNT ON
    INSERT audit (what, old, new)
    SELECT CASE WHEN UPDATE(a) AND UPDATE(b) THEN 'a and b' WHEN UPDATE(a) THEN 'a' WHEN NOT UPDATE(a) AND UPDATE(b) THEN 'b' ELSE 'other' END,
           d.a, i.a
    FROM inserted i LEFT JOIN deleted d ON d.id = i.id
    WHERE UPDATE(a) OR UPDATE(b)
    INSERT audit (what) SELECT 'c by mask' FROM inserted WHERE COLUMNS_UPDATED() & 8 = 8 AND UPDATE(c)
    IF (COLUMNS_UPDATED() & 6) > 0 AND EXISTS (SELECT * FROM inserted WHERE UPDATE(b) AND b > 100) PRINT 'b is big'
    DECLARE @which VARCHAR(10) = CASE WHEN UPDATE(c) THEN 'c' ELSE 'not c' END
    PRINT @which
    IF CASE WHEN UPDATE(a) THEN 1 ELSE 0 END = 1 PRINT 'a was named'
    SELECT IIF(UPDATE(b), 1, 0) AS b, (SELECT COUNT(*) FROM inserted WHERE NOT UPDATE(c)) AS n
    UPDATE x SET c = x.c + CASE WHEN UPDATE(a) THEN 1 ELSE 0 END FROM t x JOIN inserted i ON i.id = x.id WHERE UPDATE(a)
END
GO
INSERT t VALUES (1, 1, 1, 1), (2, 2, 2, 2)
UPDATE t SET a = 5 WHERE id = 1
UPDATE t SET b = 500 WHERE id = 2
UPDATE t SET c = 5
UPDATE t SET a = 1, b = 2 WHERE id = 1
SELECT what, old, new FROM audit ORDER BY id
SELECT * FROM t ORDER BY id
GO
-- Types of users in the old tables of the catalog.
CREATE TYPE Money4 FROM DECIMAL(19, 4) NOT NULL
CREATE TYPE dbo.Phone FROM VARCHAR(20)
GO
CREATE TABLE typed (id INT, m Money4, p Phone NULL)
SELECT c.name, c.xtype, c.length, c.isnullable, t.name AS type FROM syscolumns c JOIN systypes t ON t.xusertype = c.xusertype WHERE c.id = OBJECT_ID('typed') ORDER BY c.colid
SELECT c.name, t.name AS type, c.system_type_id, c.max_length FROM sys.columns c JOIN sys.types t ON t.user_type_id = c.user_type_id WHERE c.object_id = OBJECT_ID('typed') ORDER BY c.column_id
SELECT name, xtype, length, allownulls FROM systypes WHERE xusertype > 256 ORDER BY name
SELECT COUNT(*) AS n FROM sys.types WHERE is_user_defined = 1
EXEC sp_columns 'typed'
GO
