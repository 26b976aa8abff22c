-- Columns that are called as words of the definition around them keep the letters that they were written in; mssql-django's tests.
CREATE TABLE t (id INT NOT NULL PRIMARY KEY IDENTITY(1, 1), number INT NOT NULL DEFAULT 3 CHECK (number > 0), [generated] AS (number) PERSISTED,
  [primary] INT NOT NULL, [Null] INT NULL, [check] INT UNIQUE, [Default] INT, [references] INT REFERENCES t (id))
CREATE INDEX i ON t ([generated], [primary])
GO
SELECT name FROM sys.columns WHERE object_id = OBJECT_ID('t') ORDER BY column_id
SELECT c.name FROM sys.index_columns ic JOIN sys.columns c ON c.object_id = ic.object_id AND c.column_id = ic.column_id
  JOIN sys.indexes x ON x.object_id = ic.object_id AND x.index_id = ic.index_id WHERE x.name = 'i' ORDER BY ic.key_ordinal
ALTER TABLE t ADD [not] INT NOT NULL DEFAULT 1, [constraint] INT CONSTRAINT c CHECK ([constraint] > 0)
SELECT name FROM sys.columns WHERE object_id = OBJECT_ID('t') AND column_id > 8 ORDER BY column_id
GO
