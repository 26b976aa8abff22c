-- The nine tables of the order-entry benchmark (TPC-C, clause 1.3).
CREATE TABLE warehouse (w_id INT NOT NULL PRIMARY KEY, w_name VARCHAR(10), w_street VARCHAR(20), w_city VARCHAR(20),
    w_state CHAR(2), w_zip CHAR(9), w_tax DECIMAL(4, 4) NOT NULL, w_ytd DECIMAL(12, 2) NOT NULL)
CREATE TABLE district (d_id INT NOT NULL, d_w_id INT NOT NULL REFERENCES warehouse (w_id), d_name VARCHAR(10),
    d_street VARCHAR(20), d_city VARCHAR(20), d_state CHAR(2), d_zip CHAR(9), d_tax DECIMAL(4, 4) NOT NULL,
    d_ytd DECIMAL(12, 2) NOT NULL, d_next_o_id INT NOT NULL, PRIMARY KEY (d_w_id, d_id))
CREATE TABLE customer (c_id INT NOT NULL, c_d_id INT NOT NULL, c_w_id INT NOT NULL, c_first VARCHAR(16), c_middle CHAR(2),
    c_last VARCHAR(16), c_street VARCHAR(20), c_city VARCHAR(20), c_state CHAR(2), c_zip CHAR(9), c_phone CHAR(16),
    c_since DATETIME, c_credit CHAR(2), c_credit_lim DECIMAL(12, 2), c_discount DECIMAL(4, 4) NOT NULL,
    c_balance DECIMAL(12, 2) NOT NULL, c_ytd_payment DECIMAL(12, 2) NOT NULL, c_payment_cnt INT NOT NULL,
    c_delivery_cnt INT NOT NULL, c_data VARCHAR(500), PRIMARY KEY (c_w_id, c_d_id, c_id))
CREATE INDEX customer_name ON customer (c_w_id, c_d_id, c_last, c_first)
CREATE TABLE history (h_c_id INT, h_c_d_id INT, h_c_w_id INT, h_d_id INT, h_w_id INT, h_date DATETIME,
    h_amount DECIMAL(6, 2) NOT NULL, h_data VARCHAR(24))
CREATE TABLE new_orders (no_o_id INT NOT NULL, no_d_id INT NOT NULL, no_w_id INT NOT NULL,
    PRIMARY KEY (no_w_id, no_d_id, no_o_id))
CREATE TABLE orders (o_id INT NOT NULL, o_d_id INT NOT NULL, o_w_id INT NOT NULL, o_c_id INT, o_entry_d DATETIME,
    o_carrier_id INT, o_ol_cnt INT NOT NULL, o_all_local BIT, PRIMARY KEY (o_w_id, o_d_id, o_id))
CREATE INDEX orders_customer ON orders (o_w_id, o_d_id, o_c_id, o_id)
CREATE TABLE order_line (ol_o_id INT NOT NULL, ol_d_id INT NOT NULL, ol_w_id INT NOT NULL, ol_number INT NOT NULL,
    ol_i_id INT, ol_supply_w_id INT, ol_delivery_d DATETIME, ol_quantity INT, ol_amount DECIMAL(6, 2) NOT NULL,
    ol_dist_info CHAR(24), PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number))
CREATE TABLE item (i_id INT NOT NULL PRIMARY KEY, i_im_id INT, i_name VARCHAR(24), i_price DECIMAL(5, 2) NOT NULL,
    i_data VARCHAR(50))
CREATE TABLE stock (s_i_id INT NOT NULL, s_w_id INT NOT NULL, s_quantity INT NOT NULL, s_dist_01 CHAR(24),
    s_dist_02 CHAR(24), s_dist_03 CHAR(24), s_dist_04 CHAR(24), s_dist_05 CHAR(24), s_dist_06 CHAR(24), s_dist_07 CHAR(24),
    s_dist_08 CHAR(24), s_dist_09 CHAR(24), s_dist_10 CHAR(24), s_ytd INT NOT NULL, s_order_cnt INT NOT NULL,
    s_remote_cnt INT NOT NULL, s_data VARCHAR(50), PRIMARY KEY (s_w_id, s_i_id))
GO
-- One warehouse of ten districts; @items items and @customers customers and orders a district.
CREATE PROCEDURE load_all @items INT, @customers INT AS
BEGIN
    SET NOCOUNT ON
    CREATE TABLE #n (n INT NOT NULL)
    DECLARE @count INT = 1
    INSERT #n VALUES (1)
    WHILE @count < @items
    BEGIN
        INSERT #n SELECT TOP (@items - @count) n + @count FROM #n
        SELECT @count = COUNT(*) FROM #n
    END
    INSERT warehouse VALUES (1, 'main', 'First Street', 'Town', 'TX', '123411111', 0.1, 300000)
    INSERT district SELECT n, 1, 'district', 'Street', 'Town', 'TX', '123411111', n * 0.01, 30000, @customers + 1
        FROM #n WHERE n <= 10
    INSERT item SELECT n, n * 7 % 10000 + 1, CONCAT('item ', n), CAST(n * 37 % 9900 + 100 AS DECIMAL(8, 2)) / 100,
        IIF(n % 10 = 3, 'some ORIGINAL data of this item', 'data of this item') FROM #n
    INSERT stock SELECT n, 1, n * 13 % 91 + 10, 'd01', 'd02', 'd03', 'd04', 'd05', 'd06', 'd07', 'd08', 'd09', 'd10', 0, 0, 0,
        IIF(n % 10 = 7, 'some ORIGINAL data of this stock', 'data of this stock') FROM #n
    INSERT customer (c_id, c_d_id, c_w_id, c_first, c_middle, c_last, c_street, c_city, c_state, c_zip, c_phone, c_since,
            c_credit, c_credit_lim, c_discount, c_balance, c_ytd_payment, c_payment_cnt, c_delivery_cnt, c_data)
        SELECT c.n, d.n, 1, CONCAT('first', c.n * 31 % 1000), 'OE', dbo.last_name((c.n - 1) % 1000), 'Street', 'Town', 'TX',
            '123411111', '0123456789012345', '20240101', IIF(c.n % 10 = 0, 'BC', 'GC'), 50000, c.n % 50 * 0.01, -10, 10, 1, 0,
            REPLICATE('customer data ', 20)
        FROM #n AS c CROSS JOIN #n AS d WHERE c.n <= @customers AND d.n <= 10
    INSERT history SELECT c_id, c_d_id, c_w_id, c_d_id, c_w_id, '20240101', 10, 'first' FROM customer
    -- The last three orders of ten are not delivered yet.
    INSERT orders SELECT o.n, d.n, 1, o.n * 7 % @customers + 1, '20240101', IIF(o.n * 10 > @customers * 7, NULL, o.n % 10 + 1),
        o.n % 11 + 5, 1 FROM #n AS o CROSS JOIN #n AS d WHERE o.n <= @customers AND d.n <= 10
    INSERT new_orders SELECT o_id, o_d_id, o_w_id FROM orders WHERE o_carrier_id IS NULL
    INSERT order_line SELECT o_id, o_d_id, o_w_id, l.n, (o_id * 17 + l.n * 101) % @items + 1, 1,
            IIF(o_carrier_id IS NULL, NULL, o_entry_d), 5, IIF(o_carrier_id IS NULL, l.n * 1.25, 0), 'dist'
        FROM orders JOIN #n AS l ON l.n <= o_ol_cnt WHERE l.n <= 15
END
