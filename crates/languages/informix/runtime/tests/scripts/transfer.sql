-- A transaction with ON EXCEPTION in a routine, DBINFO after a change, a trigger with WHEN.
CREATE TABLE log (id SERIAL, what VARCHAR(40));
CREATE TABLE acct (no INT PRIMARY KEY, bal DECIMAL(10,2) CHECK (bal >= 0) CONSTRAINT positive);
INSERT INTO acct VALUES (1, 100);
INSERT INTO acct VALUES (2, 50);
CREATE TRIGGER acct_upd UPDATE OF bal ON acct REFERENCING OLD AS o NEW AS n
  FOR EACH ROW WHEN (o.bal <> n.bal) (INSERT INTO log (what) VALUES (n.no || ': ' || o.bal || ' -> ' || n.bal));
CREATE PROCEDURE transfer(a INT, b INT, amt DECIMAL(10,2)) RETURNING INT, VARCHAR(60);
  DEFINE esql, eisam INT; DEFINE etxt VARCHAR(60);
  ON EXCEPTION SET esql, eisam, etxt
    ROLLBACK WORK;
    RETURN esql, etxt;
  END EXCEPTION
  BEGIN WORK;
  UPDATE acct SET bal = bal + amt WHERE no = b;
  IF DBINFO('sqlca.sqlerrd2') = 0 THEN
    RAISE EXCEPTION -746, 0, 'no account ' || b;
  END IF
  UPDATE acct SET bal = bal - amt WHERE no = a;
  COMMIT WORK;
  RETURN 0, 'ok';
END PROCEDURE;
EXECUTE PROCEDURE transfer(1, 2, 30);
EXECUTE PROCEDURE transfer(1, 9, 3);
EXECUTE PROCEDURE transfer(1, 2, 20);
SELECT * FROM acct ORDER BY no;
SELECT what FROM log ORDER BY id;
