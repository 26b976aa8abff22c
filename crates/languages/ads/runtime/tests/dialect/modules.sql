CREATE VIEW oslo AS SELECT id, name, pay FROM people WHERE city = 'Oslo'
--;
SELECT name FROM oslo o WHERE o.pay > 0
--;
CREATE FUNCTION Doubled(n Integer) RETURNS Integer BEGIN RETURN n * 2; END
--;
CREATE FUNCTION Pad(t String, len Integer) RETURNS String BEGIN DECLARE r String; r = Trim(t); WHILE Length(r) < len DO r = '0' + r; END; RETURN r; END
--;
SELECT Doubled(id), Pad(CAST(id AS SQL_CHAR(5)), 4) FROM people WHERE Doubled(id) > 6
--;
DECLARE x Integer; x = Doubled(20) + 2; SELECT x FROM system.iota
--;
SELECT Doubled(1, 2) FROM system.iota
--;
CREATE FUNCTION Doubled(n Integer) RETURNS Integer BEGIN RETURN n * 3; END
--;
ALTER FUNCTION Doubled(n Integer) RETURNS Integer BEGIN RETURN n * 3; END
--;
SELECT Doubled(2) FROM system.iota
--;
CREATE PROCEDURE Paid(least Double, total Double OUTPUT, who String OUTPUT) BEGIN
  DECLARE c CURSOR AS SELECT name, pay FROM people WHERE pay > _least ORDER BY id;
  OPEN c;
  WHILE FETCH c DO INSERT INTO __output VALUES (c.pay, TRIM(c.name)); END;
  CLOSE c;
END
--;
EXECUTE PROCEDURE Paid(1000)
--;
SELECT SUM(total) FROM (EXECUTE PROCEDURE Paid(0)) x
--;
CREATE PROCEDURE Which(n Integer, CURSOR VARYING OUTPUT) BEGIN
  IF (SELECT n FROM __input) = 1 THEN SELECT name FROM people WHERE id = 1; ELSE SELECT id FROM orders WHERE id = 100; END IF;
END
--;
EXECUTE PROCEDURE Which(1)
--;
EXECUTE PROCEDURE Which(2)
--;
DECLARE c CURSOR AS EXECUTE PROCEDURE Paid(1000); DECLARE n Integer; n = 0; OPEN c; WHILE FETCH c DO n = n + 1; END; CLOSE c; SELECT n FROM system.iota
--;
EXECUTE PROCEDURE Nobody(1)
--;
CREATE TABLE audit (what Char(10), id Integer, was Numeric(9,2), becomes Numeric(9,2))
--;
CREATE TRIGGER paid ON people AFTER UPDATE BEGIN INSERT INTO audit SELECT 'update', n.id, o.pay, n.pay FROM __new n, __old o; END
--;
CREATE TRIGGER gone ON people BEFORE DELETE BEGIN INSERT INTO audit SELECT 'delete', o.id, o.pay, NULL FROM __old o; END
--;
CREATE TRIGGER ins ON people INSTEAD OF INSERT BEGIN UPDATE __new SET city = 'Paris'; INSERT INTO audit SELECT 'insert', id, NULL, pay FROM __new; INSERT INTO orders (id, person) SELECT 900, id FROM __new; END
--;
UPDATE people SET pay = pay + 1 WHERE city = 'Lima'
--;
DELETE FROM people WHERE id = 5
--;
INSERT INTO people (id, name, pay) VALUES (50, 'Zoe', 7)
--;
SELECT * FROM audit
--;
SELECT id FROM people
--;
SELECT id, person FROM orders WHERE id = 900
--;
CREATE TRIGGER bad ON orders AFTER INSERT BEGIN RAISE Refused(5, 'no'); END
--;
INSERT INTO orders (id) VALUES (901)
--;
SELECT COUNT(*) FROM orders WHERE id = 901
--;
BEGIN TRANSACTION
--;
UPDATE orders SET person = 77 WHERE id = 900
--;
INSERT INTO orders (id) VALUES (902)
--;
SELECT id, person FROM orders WHERE id >= 900
--;
COMMIT WORK
--;
SELECT id, person FROM orders WHERE id >= 900
--;
CREATE TRIGGER told ON orders BEFORE DELETE BEGIN INSERT INTO __error VALUES (4711, 'orders are kept'); END
--;
DELETE FROM orders WHERE id = 900
--;
CREATE TRIGGER own ON orders BEFORE UPDATE BEGIN UPDATE __new SET person = 5; INSERT INTO audit SELECT 'own', person, 0, 0 FROM __new; END
--;
UPDATE orders SET person = 78 WHERE id = 900
--;
SELECT person FROM orders WHERE id = 900
--;
SELECT id FROM audit WHERE what = 'own'
--;
CREATE TRIGGER stamp ON orders INSTEAD OF INSERT BEGIN INSERT INTO orders (id, person) SELECT id + 1000, 1 FROM __new; END
--;
INSERT INTO orders (id) VALUES (1)
--;
SELECT id, person FROM orders WHERE id > 1000
--;
DROP TRIGGER orders.stamp
--;
DELETE FROM orders WHERE id > 1000
--;
DROP TRIGGER orders.told
--;
DELETE FROM orders WHERE id > 1000
--;
DROP TRIGGER orders.own
--;
SELECT name, trig_tablename, trig_event_type, trig_trigger_type FROM system.triggers ORDER BY name
--;
SELECT name, proc_input, proc_output FROM system.storedprocedures ORDER BY name
--;
SELECT name, [Return Type], [Input Parameters] FROM system.functions ORDER BY name
--;
SELECT name, view_stmt FROM system.views
--;
BEGIN TRANSACTION
--;
EXECUTE PROCEDURE Paid(2000)
--;
SELECT id INTO #some FROM people
--;
DROP TABLE #some
--;
COMMIT WORK
--;
DROP VIEW oslo
--;
SELECT * FROM oslo
--;
DROP FUNCTION Doubled
--;
DROP FUNCTION Doubled
--;
EXECUTE PROCEDURE sp_PackTable('people')
--;
EXECUTE PROCEDURE sp_GetTables()
