CREATE TABLE t (id INT IDENTITY(5, 5) PRIMARY KEY, a VARCHAR(5));
CREATE TABLE u (a VARCHAR(5), k INT IDENTITY);
INSERT t VALUES ('x'), ('y'), ('z');
INSERT u VALUES ('y'), ('z');
GO
-- The identity column, whatever its name.
SELECT $identity, a FROM t WHERE $IDENTITY > 5 ORDER BY $identity DESC;
SELECT IDENTITYCOL FROM t WHERE IDENTITYCOL = 10;
SELECT t.$identity, u.$identity FROM t JOIN u ON u.a = t.a ORDER BY 1;
SELECT MAX($identity) AS most FROM t;
SELECT a FROM t WHERE $identity IN (SELECT $identity * 5 FROM u) ORDER BY a;
UPDATE t SET a = 'q' WHERE $identity = 15;
DELETE FROM t WHERE IDENTITYCOL = 5;
SELECT * FROM t ORDER BY id;
GO
CREATE TABLE none (a INT);
SELECT $identity FROM none;
GO
