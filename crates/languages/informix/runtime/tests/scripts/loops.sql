-- FOR over ranges and lists, WHILE, LOOP, labels, CASE, FOREACH with RETURN WITH RESUME, recursion.
CREATE PROCEDURE loops() RETURNING VARCHAR(80);
  DEFINE i, j INT; DEFINE s VARCHAR(80);
  LET s = '';
  FOR i = 1 TO 3 LET s = s || i; END FOR
  FOR i = 10 TO 1 STEP -4 LET s = s || ',' || i; END FOR
  FOR i IN (1 TO 2, 7, 20 TO 30 STEP 5) LET s = s || ';' || i; END FOR
  LET i = 0;
  WHILE i < 10
    LET i = i + 1;
    IF i = 3 THEN CONTINUE WHILE; END IF
    IF i > 5 THEN EXIT WHILE; END IF
    LET s = s || '.' || i;
  END WHILE
  LOOP LET i = i + 1; EXIT WHEN i > 6; END LOOP;
  CASE i WHEN 7 THEN LET s = s || ' seven'; ELSE LET s = s || ' other'; END CASE
  RETURN s;
END PROCEDURE;
EXECUTE PROCEDURE loops();
CREATE FUNCTION fact(n INT) RETURNING BIGINT; IF n < 2 THEN RETURN 1; END IF; RETURN n * fact(n - 1); END FUNCTION;
EXECUTE FUNCTION fact(20);
CREATE TABLE emp (id INT PRIMARY KEY, name VARCHAR(20), mgr INT, sal DECIMAL(8,2));
INSERT INTO emp VALUES (1, 'ann', NULL, 1000);
INSERT INTO emp VALUES (2, 'bob', 1, 800.50);
INSERT INTO emp VALUES (10, 'dan', 2, 600);
CREATE FUNCTION chain(p INT) RETURNING VARCHAR(20) AS boss, INT AS depth;
  DEFINE m INT; DEFINE n VARCHAR(20); DEFINE d INT;
  LET d = 0;
  LET m = p;
  WHILE m IS NOT NULL
    SELECT mgr, name INTO m, n FROM emp WHERE id = m;
    RETURN n, d WITH RESUME;
    LET d = d + 1;
  END WHILE
END FUNCTION;
EXECUTE FUNCTION chain(10);
CREATE PROCEDURE raise_all(pct DECIMAL(5,2)) RETURNING INT;
  DEFINE n, e INT;
  LET n = 0;
  FOREACH c FOR SELECT id INTO e FROM emp WHERE sal < 900
    UPDATE emp SET sal = sal + sal * pct / 100 WHERE CURRENT OF c;
    LET n = n + 1;
  END FOREACH
  RETURN n;
END PROCEDURE;
EXECUTE PROCEDURE raise_all(10);
SELECT name, sal FROM emp ORDER BY id;
