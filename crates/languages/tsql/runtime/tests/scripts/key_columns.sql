-- Keys and indexes over columns that the table does not have: 1911, which 1750 follows, as tedious' tests expect.
CREATE TABLE a (id INT NOT NULL, PRIMARY KEY (code))
GO
CREATE TYPE b AS TABLE (id INT NOT NULL, PRIMARY KEY (code))
GO
DECLARE @c b
GO
DECLARE @d TABLE (id INT NOT NULL, UNIQUE (id, code))
GO
CREATE TABLE #e (id INT NOT NULL, INDEX by_code (code))
GO
CREATE TYPE f AS TABLE (id INT NOT NULL, [Code] INT NOT NULL, PRIMARY KEY (code, id))
GO
DECLARE @f f
INSERT @f VALUES (1, 2)
SELECT * FROM @f
GO
CREATE TABLE g (id INT NOT NULL, code INT NOT NULL)
ALTER TABLE g ADD CONSTRAINT u UNIQUE (code), CONSTRAINT p PRIMARY KEY (id)
GO
SELECT name FROM sys.key_constraints WHERE parent_object_id = OBJECT_ID('g') ORDER BY name
GO
