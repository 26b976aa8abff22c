-- The order-entry benchmark's tables and its New-Order transaction (TPC-C, clauses 1.3 and 2.4) in PL/pgSQL, as
-- crates/tools/bench/src/tpcc has them in T-SQL: the same columns, keys, rows and steps.
CREATE TABLE warehouse (w_id INT PRIMARY KEY, w_name VARCHAR(10), w_street VARCHAR(20), w_city VARCHAR(20), w_state CHAR(2),
    w_zip CHAR(9), w_tax DECIMAL(4, 4) NOT NULL, w_ytd DECIMAL(12, 2) NOT NULL);
CREATE TABLE district (d_id INT NOT NULL, d_w_id INT NOT NULL REFERENCES warehouse (w_id), d_name VARCHAR(10),
    d_street VARCHAR(20), d_city VARCHAR(20), d_state CHAR(2), d_zip CHAR(9), d_tax DECIMAL(4, 4) NOT NULL,
    d_ytd DECIMAL(12, 2) NOT NULL, d_next_o_id INT NOT NULL, PRIMARY KEY (d_w_id, d_id));
CREATE TABLE customer (c_id INT NOT NULL, c_d_id INT NOT NULL, c_w_id INT NOT NULL, c_first VARCHAR(16), c_middle CHAR(2),
    c_last VARCHAR(16), c_credit CHAR(2), c_discount DECIMAL(4, 4) NOT NULL, c_balance DECIMAL(12, 2) NOT NULL,
    c_data VARCHAR(500), PRIMARY KEY (c_w_id, c_d_id, c_id));
CREATE INDEX customer_name ON customer (c_w_id, c_d_id, c_last, c_first);
CREATE TABLE new_orders (no_o_id INT NOT NULL, no_d_id INT NOT NULL, no_w_id INT NOT NULL,
    PRIMARY KEY (no_w_id, no_d_id, no_o_id));
CREATE TABLE orders (o_id INT NOT NULL, o_d_id INT NOT NULL, o_w_id INT NOT NULL, o_c_id INT, o_entry_d TIMESTAMP(3),
    o_carrier_id INT, o_ol_cnt INT NOT NULL, o_all_local BOOLEAN, PRIMARY KEY (o_w_id, o_d_id, o_id));
CREATE INDEX orders_customer ON orders (o_w_id, o_d_id, o_c_id, o_id);
CREATE TABLE order_line (ol_o_id INT NOT NULL, ol_d_id INT NOT NULL, ol_w_id INT NOT NULL, ol_number INT NOT NULL, ol_i_id INT,
    ol_supply_w_id INT, ol_delivery_d TIMESTAMP(3), ol_quantity INT, ol_amount DECIMAL(6, 2) NOT NULL, ol_dist_info CHAR(24),
    PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number));
CREATE TABLE item (i_id INT PRIMARY KEY, i_im_id INT, i_name VARCHAR(24), i_price DECIMAL(5, 2) NOT NULL, i_data VARCHAR(50));
CREATE TABLE stock (s_i_id INT NOT NULL, s_w_id INT NOT NULL, s_quantity INT NOT NULL, s_dist_01 CHAR(24), s_dist_02 CHAR(24),
    s_dist_03 CHAR(24), s_dist_04 CHAR(24), s_dist_05 CHAR(24), s_dist_06 CHAR(24), s_dist_07 CHAR(24), s_dist_08 CHAR(24),
    s_dist_09 CHAR(24), s_dist_10 CHAR(24), s_ytd INT NOT NULL, s_order_cnt INT NOT NULL, s_remote_cnt INT NOT NULL,
    s_data VARCHAR(50), PRIMARY KEY (s_w_id, s_i_id));

-- One warehouse of ten districts; as many items, and customers a district, as named.
CREATE PROCEDURE load_all(items INT, customers INT) LANGUAGE SQL AS $$
    INSERT INTO warehouse VALUES (1, 'main', 'First Street', 'Town', 'TX', '123411111', 0.1, 300000);
    INSERT INTO district SELECT n, 1, 'district', 'Street', 'Town', 'TX', '123411111', n * 0.01, 30000, customers + 1
        FROM generate_series(1, 10) n;
    INSERT INTO item SELECT n, n * 7 % 10000 + 1, 'item ' || n, (n * 37 % 9900 + 100) / 100.0, 'data of this item'
        FROM generate_series(1, items) n;
    INSERT INTO stock SELECT n, 1, n * 13 % 91 + 10, 'd01', 'd02', 'd03', 'd04', 'd05', 'd06', 'd07', 'd08', 'd09', 'd10', 0, 0, 0,
        'data of this stock' FROM generate_series(1, items) n;
    INSERT INTO customer SELECT c, d, 1, 'first' || c * 31 % 1000, 'OE', 'BAR', CASE WHEN c % 10 = 0 THEN 'BC' ELSE 'GC' END,
        c % 50 * 0.01, -10, repeat('customer data ', 20) FROM generate_series(1, customers) c, generate_series(1, 10) d;
    INSERT INTO orders SELECT o, d, 1, o * 7 % customers + 1, '2024-01-01',
        CASE WHEN o * 10 > customers * 7 THEN NULL ELSE o % 10 + 1 END, o % 11 + 5, TRUE
        FROM generate_series(1, customers) o, generate_series(1, 10) d;
    INSERT INTO new_orders SELECT o_id, o_d_id, o_w_id FROM orders WHERE o_carrier_id IS NULL;
    INSERT INTO order_line SELECT o_id, o_d_id, o_w_id, l, (o_id * 17 + l * 101) % items + 1, 1,
        CASE WHEN o_carrier_id IS NOT NULL THEN o_entry_d END, 5, CASE WHEN o_carrier_id IS NULL THEN l * 1.25 ELSE 0 END, 'dist'
        FROM orders, generate_series(1, 15) l WHERE l <= o_ol_cnt;
$$;

-- Gives no row for an order that names an item that there is not, which is rolled back.
CREATE FUNCTION new_order(warehouse_id INT, district_id INT, customer_id INT, lines INT, items INT, seed BIGINT, fails BOOLEAN)
RETURNS TABLE (order_id INT, last_name VARCHAR, credit CHAR, total DECIMAL) LANGUAGE plpgsql AS $$
DECLARE
    order_number INT; warehouse_tax DECIMAL(4, 4); district_tax DECIMAL(4, 4); discount DECIMAL(4, 4);
    customer_last VARCHAR(16); customer_credit CHAR(2);
    item_id INT; quantity INT; price DECIMAL(5, 2); left_over INT; dist CHAR(24); amount DECIMAL(6, 2); amounts DECIMAL(12, 2) := 0;
BEGIN
    SELECT c_discount, c_last, c_credit, w_tax INTO discount, customer_last, customer_credit, warehouse_tax
        FROM customer, warehouse WHERE w_id = warehouse_id AND c_w_id = w_id AND c_d_id = district_id AND c_id = customer_id;
    UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = warehouse_id AND d_id = district_id
        RETURNING d_tax, d_next_o_id - 1 INTO district_tax, order_number;
    INSERT INTO orders VALUES (order_number, district_id, warehouse_id, customer_id, now(), NULL, lines, TRUE);
    INSERT INTO new_orders VALUES (order_number, district_id, warehouse_id);
    FOR line IN 1 .. lines LOOP
        seed := (seed * 1103515245 + 12345) % 2147483648;
        item_id := CASE WHEN fails AND line = lines THEN items + 1 ELSE seed / 8 % items + 1 END;
        quantity := seed / 4 % 10 + 1;
        SELECT i_price INTO price FROM item WHERE i_id = item_id;
        IF price IS NULL THEN
            RAISE EXCEPTION 'no such item' USING ERRCODE = 'no_data_found';
        END IF;
        UPDATE stock SET s_quantity = CASE WHEN s_quantity >= quantity + 10 THEN s_quantity ELSE s_quantity + 91 END - quantity,
            s_ytd = s_ytd + quantity, s_order_cnt = s_order_cnt + 1 WHERE s_w_id = warehouse_id AND s_i_id = item_id
            RETURNING s_quantity INTO left_over;
        SELECT CASE district_id WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04
                WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08
                WHEN 9 THEN s_dist_09 ELSE s_dist_10 END INTO dist
            FROM stock WHERE s_w_id = warehouse_id AND s_i_id = item_id;
        amount := quantity * price;
        amounts := amounts + amount;
        INSERT INTO order_line VALUES (order_number, district_id, warehouse_id, line, item_id, warehouse_id, NULL, quantity, amount, dist);
    END LOOP;
    RETURN QUERY SELECT order_number, customer_last, customer_credit::CHAR,
        (amounts * (1 + warehouse_tax + district_tax) * (1 - discount))::DECIMAL(12, 2);
END
$$;
