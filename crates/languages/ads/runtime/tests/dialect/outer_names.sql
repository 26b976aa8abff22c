CREATE TABLE customer (id Integer, name Char(10))
--;
CREATE TABLE visits (id Integer, customer Integer, total Integer)
--;
INSERT INTO customer VALUES (1, 'Ada')
--;
INSERT INTO customer VALUES (2, 'Bo')
--;
INSERT INTO visits VALUES (1, 1, 10)
--;
INSERT INTO visits VALUES (2, 1, 5)
--;
SELECT name FROM customer WHERE EXISTS (SELECT * FROM visits WHERE visits.customer = customer.id)
--;
SELECT name, (SELECT SUM(total) FROM visits WHERE visits.customer = customer.id) AS s FROM customer ORDER BY name
--;
UPDATE customer SET name = 'none' WHERE NOT EXISTS (SELECT * FROM visits WHERE visits.customer = customer.id)
--;
DELETE FROM customer WHERE 10 IN (SELECT total FROM visits WHERE visits.customer = customer.id)
--;
SELECT * FROM customer
