-- OUTER in its old form, MATCHES, substrings, FIRST and SKIP ("SELECT statement" in the Guide to SQL: Syntax).
CREATE TABLE customer (customer_num SERIAL(101), lname CHAR(15), state CHAR(2), PRIMARY KEY (customer_num));
CREATE TABLE orders (order_num SERIAL(1001), order_date DATE, customer_num INTEGER NOT NULL, PRIMARY KEY (order_num),
  FOREIGN KEY (customer_num) REFERENCES customer (customer_num));
CREATE TABLE items (item_num SMALLINT, order_num INTEGER, total_price MONEY(8), PRIMARY KEY (item_num, order_num));
INSERT INTO customer VALUES (0, 'Pauli', 'CA');
INSERT INTO customer VALUES (0, 'Sadler', 'CA');
INSERT INTO customer VALUES (0, 'Currie', 'AZ');
INSERT INTO orders VALUES (0, '05/20/1998', 101);
INSERT INTO orders VALUES (0, '05/21/1998', 103);
INSERT INTO items VALUES (1, 1001, 250.00);
INSERT INTO items VALUES (2, 1001, 40.50);
SELECT c.customer_num, c.lname, o.order_num, o.order_date FROM customer c, OUTER orders o
  WHERE c.customer_num = o.customer_num ORDER BY 1;
SELECT c.customer_num, o.order_num, i.item_num FROM customer c, OUTER (orders o, OUTER items i)
  WHERE c.customer_num = o.customer_num AND o.order_num = i.order_num ORDER BY 1, 2, 3;
SELECT lname FROM customer WHERE lname MATCHES '[A-P]*' ORDER BY lname;
SELECT lname[1,3] FROM customer ORDER BY 1;
SELECT SKIP 1 FIRST 1 lname FROM customer ORDER BY lname;
SELECT UNIQUE state FROM customer ORDER BY state;
SELECT o.order_num, SUM(i.total_price) total FROM orders o, items i WHERE o.order_num = i.order_num
  GROUP BY o.order_num HAVING SUM(i.total_price) > 100;
