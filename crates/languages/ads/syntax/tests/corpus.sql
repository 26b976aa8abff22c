SELECT * FROM emp

SELECT {static} DISTINCT lastname, firstname, idname FROM emp

SELECT TOP 15 PERCENT lastname, firstname FROM emp

SELECT TOP 10 START AT 11 DISTINCT e.lastname AS name, e.* FROM emp e WHERE hire_date < {d '1992-02-22'}

SELECT * FROM emp WHERE hire_date > '1993-01-31' AND hire_date < {d '1993-01-31'} + 30 OR NOT (a = 1 AND b <> 2)

SELECT emp.lastname, sal.salary FROM emp LEFT OUTER JOIN sal ON emp.emp_id = sal.emp_id, dept WHERE emp.dept_id = dept.dept_id

SELECT * FROM a INNER JOIN b ON a.x = b.x INNER JOIN c ON b.y = c.y FULL JOIN d ON d.z = c.z CROSS JOIN e

SELECT * FROM a LEFT JOIN b LEFT JOIN c ON b.y = c.y ON a.x = b.x

SELECT * FROM {oj emp LEFT OUTER JOIN sal ON emp.id = sal.id}

SELECT lastname + firstname AS fullname, count(*) AS cnt, SUM(DISTINCT salary) FROM emp GROUP BY fullname, 2 HAVING count(*) > 1 ORDER BY cnt DESC, 1

SELECT empid FROM branch1 UNION ALL SELECT empid FROM branch2 UNION SELECT x FROM y ORDER BY 1

SELECT * FROM (SELECT TOP 10 empid FROM branch1 ORDER BY empid) a, (b)

SELECT * FROM (EXECUTE PROCEDURE TopCustomers(1, '2010-02-28')) proc_results WHERE total_sales > 10000

SELECT * INTO #temp FROM emp WHERE name LIKE 'S%' AND code NOT LIKE '80@%' ESCAPE '@' AND x NOT IN (1, 2, 3)

SELECT a FROM t WHERE b IN (SELECT c FROM u WHERE u.d = t.d) AND EXISTS (SELECT * FROM v) AND e >= ALL (SELECT f FROM w)

SELECT {fn UCASE(name)}, {fn LEFT(name, 3)}, IIF(a > 1, 'x', 'y'), CONVERT(a, SQL_CHAR), CAST(a AS SQL_NUMERIC(10, 2)) FROM t

SELECT TRIM(a), TRIM('xy' FROM a), TRIM(LEADING FROM a), TRIM(TRAILING '.' FROM a), POSITION('a' IN b), EXTRACT(YEAR FROM d) FROM t

SELECT CASE WHEN a = 1 THEN 'one' ELSE 'many' END, CASE b WHEN 1 THEN 2 END, CHAR_LENGTH(c USING OCTETS), -a * (b + c) / d - 1 FROM t

SELECT TIMESTAMPADD(SQL_TSI_DAY, 30, now()), TIMESTAMPDIFF(SQL_TSI_MONTH, a, b), LASTAUTOINC(STATEMENT), NEWIDSTRING(N), USER() FROM system.iota

SELECT "user", [order by], t."a b" FROM "my table.dbf" t WHERE a IS NULL AND b IS NOT NULL AND c BETWEEN 1 AND 2 AND d NOT BETWEEN 'a' AND 'b'

SELECT a << 2, b >> 1, c & 3, d | 4, e ^ 5, ~f, g % 7, x'CA FE', 2.6e-4, -5, 1234567890123, TRUE, NULL FROM t

SELECT :name, ?, ?, ::stmt.UpdateCount, ::conn.name, @x FROM t WHERE a = :Name

SELECT DATE'1999-12-31', TIME'10:00', TIMESTAMP'1999-12-31 10:00:00', {t '10:00:00'}, {ts '1999-12-31 10:00:00'} FROM system.iota

SELECT name COLLATE ads_default_ci FROM t WHERE name COLLATE ads_default_ci = 'a'

INSERT INTO sal VALUES (34086, 'Chris Isaac', 45000.00, '1992-05-25')

INSERT INTO sal WITH DELETE (emp_id, salary) VALUES (12345, 63001.00), (54321, DEFAULT), (32997, NULL)

INSERT INTO cust_report (a, b) SELECT DISTINCT a, b FROM cust WHERE state = 'CA'

INSERT INTO ts DEFAULT VALUES

UPDATE sal WITH RECALL SET salary = 20000, lastname = 'Jones', x = (SELECT max(y) FROM z) WHERE emp_id = 370

UPDATE t1 SET t1.quantity = t.quantity FROM stock t1 INNER JOIN stock t ON t1.id = t.id WHERE t.state = 1

DELETE FROM emp WHERE id = 1

DELETE FROM emp FROM emp e INNER JOIN x ON e.id = x.id WHERE x.y = 1

MERGE INTO a USING b ON a.id = b.id WHEN MATCHED THEN UPDATE SET a.v = b.v WHEN NOT MATCHED THEN INSERT (id, v) VALUES (b.id, b.v)

MERGE t ON t.id = 1 WHEN MATCHED THEN UPDATE SET v = 2 WHEN NOT MATCHED THEN INSERT VALUES (1, 2)

CREATE TABLE emp (emp_id autoinc, name char(50), hire_date date, married logical, pay money, memo1 memo, n numeric(10, 2) CONSTRAINT NOT NULL DEFAULT '45' CONSTRAINT MINIMUM '2' CONSTRAINT MAXIMUM '169' CONSTRAINT ERROR MESSAGE 'bad', PRIMARY KEY (emp_id))

CREATE TABLE vfp (field1 CHAR(10) NULL NOCPTRANS, field2 INTEGER PRIMARY KEY) AS FREE TABLE MEMOBLOCKSIZE 512

ALTER TABLE demo10 ADD COLUMN test char(20) DEFAULT 'abcde' ALTER COLUMN lastname lastnamechanged char(40) DROP deptnum

DROP TABLE sal

CREATE UNIQUE INDEX empuniq ON emp (emp_id DESC, name)

CREATE INDEX myindex ON mytable (mydocs) CONTENT MIN WORD 3 NEW DROPCHARS ',.' KEEPSCORE

DROP INDEX emp.empuniq

CREATE VIEW GoodCustomers AS SELECT cust_name FROM customers WHERE credit_limit > 50000

DROP VIEW GoodCustomers

BEGIN TRANSACTION; SAVEPOINT a; ROLLBACK WORK TO SAVEPOINT a; COMMIT WORK; ROLLBACK

EXECUTE PROCEDURE AddRecordToData('Smith', 'John', 13, TRUE)

DECLARE strLocal String; DECLARE acVar3 Char(20), dtVal Date; strLocal = 'abc'; SET acVar3 = strLocal + 'def'; SET dtVal = (SELECT dob FROM employees WHERE empid = 1);

DECLARE i Integer, cursor1 CURSOR AS SELECT * FROM test1; OPEN cursor1; WHILE FETCH cursor1 DO IF (cursor1.val = 0) OR (cursor1.val > 50) THEN CONTINUE; END IF; i = 1; WHILE i <= 50 DO IF cursor1.val * i > 50 THEN LEAVE; ENDIF; i = i + 1; ENDWHILE; END WHILE; CLOSE cursor1;

DECLARE c CURSOR; OPEN c AS SELECT * FROM t; OPEN c AS EXECUTE PROCEDURE p(1); IF FETCH c THEN i = 1; ELSEIF i = 2 THEN i = 3; ELIF NOT FETCH c THEN i = 4; ELSE i = 5; END;

TRY CREATE TABLE #Test (id integer, name char(20)); CATCH ADS_SCRIPT_EXCEPTION IF __errcode = 2010 THEN DROP TABLE #Test; ELSE RAISE; END IF; CATCH ALL RAISE Unexpected_Structure(18, 'x'); FINALLY CLOSE c; END TRY;

TRY i = 1; FINALLY i = 2; ENDTRY; RETURN; EXECUTE IMMEDIATE 'ALTER TABLE ' + t; SET ::conn.collation = 'x';

CREATE PROCEDURE testproc(str char(20), len integer, strResult memo OUTPUT) BEGIN DECLARE strVal String; strVal = (trim(_str)); WHILE length(strVal) < _len DO strVal = strVal + strVal; END WHILE; INSERT INTO __output VALUES (strVal); END;

CREATE PROCEDURE WhichTable(which integer, CURSOR VARYING OUTPUT) BEGIN IF _which = 1 THEN SELECT * FROM user1Info; ELSE SELECT * FROM userTemplate; END; END;

CREATE FUNCTION local.ZeroPadI2Str(i Integer, len integer) RETURNS String DESCRIPTION 'pads' BEGIN DECLARE curr_len Integer; Str = Trim(Convert(i, SQL_CHAR)); if curr_len < len then return repeat('0', len - curr_len) + str; elseif curr_len > len then return left(str, len); end; return str; end;

ALTER TRIGGER mytrigger ON orders AFTER DELETE BEGIN INSERT INTO backup_orders SELECT * FROM __old; END NO MEMOS PRIORITY 2

CREATE TRIGGER ins ON orders INSTEAD OF INSERT BEGIN UPDATE __new SET date_inserted = now(); INSERT INTO mytable SELECT * FROM __new; END

CREATE PACKAGE Local DESCRIPTION 'Functions'; DROP PACKAGE Local; DROP FUNCTION Local.f; DROP PROCEDURE p; DROP TRIGGER orders.ins

SELECT o.id FROM orders.dbf o, lines.DBF WHERE lines.dbf = o.dbf

INSERT INTO orders.dbf (id) VALUES (1)

UPDATE orders.dbf SET id = 2 WHERE id = 1

DELETE FROM orders.dbf WHERE id = 2

CREATE TABLE made.dbf (id INTEGER)

DROP TABLE made.dbf
