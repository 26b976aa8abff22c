-- Tags of DBF and ADT tables in sys.indexes, sys.index_columns and sp_helpindex. An index is unique there if it refuses a second
-- row with its key: unique tags of ADT tables do; those of a DBF only leave such rows out.
--core CREATE TABLE stock (item INTEGER, name CHAR(8), price DECIMAL(8, 2)) WITH (FORMAT = dbf, VERSION = foxpro)
--core INSERT INTO stock VALUES (1, 'bolt', 1.5), (2, 'nut', 0.5)
--core CREATE INDEX item ON stock (item)
--core CREATE INDEX both ON stock (upper(name), item)
--core CREATE TABLE parts (item INTEGER, name CHAR(8)) WITH (FORMAT = adt)
--core INSERT INTO parts VALUES (1, 'bolt'), (2, 'nut')
--core CREATE UNIQUE INDEX item ON parts (item)
--core CREATE INDEX name ON parts (name)
SELECT OBJECT_NAME(i.object_id) AS t, i.name, i.type_desc, i.is_unique FROM sys.indexes AS i
WHERE OBJECT_NAME(i.object_id) IN ('stock', 'parts') ORDER BY t, i.index_id;
SELECT OBJECT_NAME(ic.object_id) AS t, i.name, ic.key_ordinal, COL_NAME(ic.object_id, ic.column_id) AS c
FROM sys.index_columns AS ic JOIN sys.indexes AS i ON i.object_id = ic.object_id AND i.index_id = ic.index_id
WHERE OBJECT_NAME(ic.object_id) IN ('stock', 'parts') ORDER BY t, i.index_id, ic.key_ordinal;
EXEC sp_helpindex 'stock';
EXEC sp_helpindex 'parts';
GO
