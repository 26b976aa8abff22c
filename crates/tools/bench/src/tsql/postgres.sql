-- The procedures of the suite in PL/pgSQL, over the same tables and rows. What commits is a procedure, everything else a function.
CREATE TABLE target (id int, number int, name varchar(50));
CREATE TABLE rows1000 (id int PRIMARY KEY, number int, name varchar(50));
CREATE TABLE sales (id int PRIMARY KEY, group_id int, amount numeric(10,2));
CREATE TABLE accounts (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, balance int);
CREATE TABLE products (id int PRIMARY KEY, price numeric(10,2), stock int);
CREATE TABLE order_lines (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, product_id int, quantity int, total numeric(12,2));
INSERT INTO rows1000 SELECT i, i * 2, 'name' FROM generate_series(1, 1000) AS i;
INSERT INTO sales SELECT i, i % 10, i * 0.01 FROM generate_series(1, 10000) AS i;
INSERT INTO products VALUES (1, 2.50, 1000000000);
ANALYZE;

CREATE FUNCTION simple_select() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;

CREATE FUNCTION select_with_params(a int, b int, s varchar, OUT total int, OUT name varchar) LANGUAGE plpgsql AS $$
BEGIN total := a + b; name := s; END $$;

CREATE FUNCTION arithmetic(x int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE r int := (x * 2) + (x / 2) - (x % 7);
BEGIN RETURN r * r; END $$;

CREATE FUNCTION control_flow(x int) RETURNS varchar LANGUAGE plpgsql AS $$
DECLARE r varchar(10);
BEGIN
    IF x < 10 THEN r := 'a'; ELSIF x < 20 THEN r := 'b'; ELSIF x < 30 THEN r := 'c'; ELSIF x < 40 THEN r := 'd';
    ELSE r := 'e'; END IF;
    RETURN r;
END $$;

CREATE FUNCTION while_loop(n int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE i int := 0; s int := 0;
BEGIN
    WHILE i < n LOOP s := s + i; i := i + 1; END LOOP;
    RETURN s;
END $$;

CREATE PROCEDURE table_insert(id int, n int, s varchar) LANGUAGE plpgsql AS $$
BEGIN INSERT INTO target (id, number, name) VALUES (id, n, s); COMMIT; END $$;

CREATE FUNCTION table_select(low int, high int) RETURNS TABLE (i int, n int, s varchar) LANGUAGE plpgsql AS $$
BEGIN RETURN QUERY SELECT id, number, name FROM rows1000 WHERE id >= low AND id < high; END $$;

CREATE FUNCTION table_select_aggregate()
RETURNS TABLE (g int, n bigint, s numeric, a numeric, lo numeric, hi numeric) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT group_id, COUNT(*), SUM(amount), ROUND(AVG(amount), 6), MIN(amount), MAX(amount)
                 FROM sales GROUP BY group_id ORDER BY group_id;
END $$;

CREATE FUNCTION temp_table() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE s bigint;
BEGIN
    CREATE TEMPORARY TABLE t (a int);
    FOR i IN 1..100 LOOP INSERT INTO t VALUES (i); END LOOP;
    SELECT SUM(a) INTO s FROM t;
    DROP TABLE t;
    RETURN s;
END $$;

CREATE PROCEDURE transaction1(INOUT result int) LANGUAGE plpgsql AS $$
DECLARE new_id int;
BEGIN
    INSERT INTO accounts (balance) VALUES (100) RETURNING id INTO new_id;
    UPDATE accounts SET balance = balance + 50 WHERE id = new_id;
    COMMIT;
    SELECT balance INTO result FROM accounts WHERE id = new_id;
END $$;

CREATE PROCEDURE complex_procedure(product int, wanted int, INOUT result numeric) LANGUAGE plpgsql AS $$
DECLARE unit_price numeric(10,2); in_stock int; sum numeric(12,2);
BEGIN
    SELECT price, stock INTO unit_price, in_stock FROM products WHERE id = product;
    IF in_stock IS NULL OR in_stock < wanted THEN RAISE EXCEPTION 'Not in stock'; END IF;
    sum := unit_price * wanted;
    INSERT INTO order_lines (product_id, quantity, total) VALUES (product, wanted, sum);
    UPDATE products SET stock = stock - wanted WHERE id = product;
    COMMIT;
    result := sum;
END $$;

CREATE FUNCTION string_operations(s varchar, OUT u text, OUT l text, OUT c text, OUT t text, OUT f text, OUT n int)
LANGUAGE plpgsql AS $$
BEGIN
    u := UPPER(s); l := LOWER(s); c := s || '!'; t := LTRIM(RTRIM('  ' || s || '  ')); f := LEFT(s, 3); n := LENGTH(s);
END $$;

CREATE FUNCTION case_expression(x int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN RETURN CASE WHEN x < 10 THEN 'low' WHEN x < 100 THEN 'middle' ELSE 'high' END; END $$;
