DECLARE i Integer, total Integer;
i = 0; total = 0;
WHILE i < 10 DO
  i = i + 1;
  IF i % 2 = 0 THEN CONTINUE; END IF;
  IF i > 7 THEN LEAVE; END IF;
  total = total + i;
END WHILE;
SELECT i, total FROM system.iota;
--;
DECLARE c CURSOR AS SELECT * FROM people WHERE city = 'Oslo' ORDER BY id;
DECLARE names String, n Integer;
names = ''; n = 0;
OPEN c;
WHILE FETCH c DO
  names = names + TRIM(c.name) + ';';
  n = n + 1;
END;
CLOSE c;
SELECT names, n, n * 1.5 AS x FROM system.iota;
--;
DECLARE @city Char(4), @born Date, @pay Numeric(9, 2);
@city = 'Oslonia';
SET @born = (SELECT born FROM people WHERE id = 2);
SET @pay = (SELECT SUM(pay) FROM people) / 2;
SELECT @city, @born, @pay, id FROM people WHERE city = @city ORDER BY id;
--;
TRY
  DECLARE x Integer;
  x = 1 / 0;
CATCH ADS_SCRIPT_EXCEPTION
  SELECT __errcode AS code, __errclass AS class, __errtext AS text FROM system.iota;
END TRY;
--;
DECLARE log String;
log = '';
TRY
  TRY
    RAISE Mine(17, 'oh no');
  CATCH Other
    log = log + 'wrong;';
  FINALLY
    log = log + 'finally;';
  END TRY;
CATCH Mine
  log = log + __errclass + ' ' + TRIM(CAST(__errcode AS SQL_CHAR(10))) + ' ' + __errtext + ';';
CATCH ALL
  log = log + 'all;';
END TRY;
SELECT log FROM system.iota;
--;
RAISE Nobody(18, 'not caught');
--;
DECLARE i Integer;
i = 0;
WHILE TRUE DO
  TRY
    i = i + 1;
    IF i > 30 THEN LEAVE; END IF;
  FINALLY
    i = i + 10;
  END TRY;
END WHILE;
SELECT i FROM system.iota;
--;
DECLARE i Integer;
i = 'abc';
--;
DECLARE i Integer;
j = 1;
--;
DECLARE i Integer, i Date;
--;
DECLARE c CURSOR;
OPEN c AS SELECT id FROM people;
SELECT c.id FROM system.iota;
--;
DECLARE c CURSOR AS SELECT id FROM people;
FETCH c;
--;
DECLARE c CURSOR AS SELECT id FROM people;
OPEN c; OPEN c;
--;
EXECUTE IMMEDIATE 'SELECT COUNT(*) AS n FROM people'
--;
DECLARE t String; t = 'people';
EXECUTE IMMEDIATE 'SELECT MAX(id) AS m FROM ' + t;
--;
DECLARE d Date, t Timestamp, b Logical;
d = {d '2020-02-28'} + 2; b = d > {d '2020-02-29'};
t = CAST('2020-01-02 03:04:05' AS SQL_TIMESTAMP);
IF b AND NOT (d IS NULL) THEN SELECT d, t, b, DAYNAME(d) FROM system.iota; ELSE SELECT 'no' FROM system.iota; END;
--;
UPDATE people SET pay = pay + 1 WHERE city = 'Lima';
SELECT ::stmt.UpdateCount AS changed FROM system.iota;
--;
DECLARE i Integer; i = 2000000000; i = i + i;
--;
DECLARE i Integer;
i = 3;
SELECT CASE WHEN i = 3 THEN 'three' ELSE 'other' END AS word, name FROM people WHERE id = i;
