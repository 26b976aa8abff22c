-- A customer's last name is made of three of ten syllables (clause 4.3.2.3).
CREATE FUNCTION last_name (@n INT) RETURNS VARCHAR(16) AS
BEGIN
    RETURN CHOOSE(@n / 100 % 10 + 1, 'BAR', 'OUGHT', 'ABLE', 'PRI', 'PRES', 'ESE', 'ANTI', 'CALLY', 'ATION', 'EING')
        + CHOOSE(@n / 10 % 10 + 1, 'BAR', 'OUGHT', 'ABLE', 'PRI', 'PRES', 'ESE', 'ANTI', 'CALLY', 'ATION', 'EING')
        + CHOOSE(@n % 10 + 1, 'BAR', 'OUGHT', 'ABLE', 'PRI', 'PRES', 'ESE', 'ANTI', 'CALLY', 'ATION', 'EING')
END
GO
-- Clause 2.4. The lines are drawn from @seed; the last one of an order that fails names an item that there is not.
CREATE PROCEDURE new_order @w_id INT, @d_id INT, @c_id INT, @lines INT, @items INT, @seed BIGINT, @fails BIT AS
BEGIN
    SET NOCOUNT ON
    DECLARE @o_id INT, @w_tax DECIMAL(4, 4), @d_tax DECIMAL(4, 4), @discount DECIMAL(4, 4), @last VARCHAR(16), @credit CHAR(2)
    DECLARE @line INT = 1, @item INT, @quantity INT, @price DECIMAL(5, 2), @name VARCHAR(24), @data VARCHAR(50)
    DECLARE @left INT, @dist CHAR(24), @stock_data VARCHAR(50), @amount DECIMAL(6, 2), @total DECIMAL(12, 2) = 0
    BEGIN TRANSACTION
    SELECT @discount = c_discount, @last = c_last, @credit = c_credit, @w_tax = w_tax
        FROM customer, warehouse WHERE w_id = @w_id AND c_w_id = w_id AND c_d_id = @d_id AND c_id = @c_id
    UPDATE district SET @d_tax = d_tax, @o_id = d_next_o_id = d_next_o_id + 1 WHERE d_w_id = @w_id AND d_id = @d_id
    SET @o_id -= 1
    INSERT INTO orders VALUES (@o_id, @d_id, @w_id, @c_id, GETDATE(), NULL, @lines, 1)
    INSERT INTO new_orders VALUES (@o_id, @d_id, @w_id)
    WHILE @line <= @lines
    BEGIN
        SET @seed = (@seed * 1103515245 + 12345) % 2147483648
        SELECT @item = IIF(@fails = 1 AND @line = @lines, @items + 1, @seed / 8 % @items + 1), @quantity = @seed / 4 % 10 + 1
        SELECT @price = NULL
        SELECT @price = i_price, @name = i_name, @data = i_data FROM item WITH (NOLOCK) WHERE i_id = @item
        IF @price IS NULL
        BEGIN
            ROLLBACK TRANSACTION
            RETURN 1
        END
        UPDATE stock
            SET @left = s_quantity = CASE WHEN s_quantity >= @quantity + 10 THEN s_quantity ELSE s_quantity + 91 END - @quantity,
                s_ytd = s_ytd + @quantity, s_order_cnt = s_order_cnt + 1, @stock_data = s_data
            WHERE s_w_id = @w_id AND s_i_id = @item
        SELECT @dist = CASE @d_id WHEN 1 THEN s_dist_01 WHEN 2 THEN s_dist_02 WHEN 3 THEN s_dist_03 WHEN 4 THEN s_dist_04
                WHEN 5 THEN s_dist_05 WHEN 6 THEN s_dist_06 WHEN 7 THEN s_dist_07 WHEN 8 THEN s_dist_08
                WHEN 9 THEN s_dist_09 ELSE s_dist_10 END
            FROM stock WHERE s_w_id = @w_id AND s_i_id = @item
        SET @amount = @quantity * @price
        SET @total += @amount
        INSERT INTO order_line VALUES (@o_id, @d_id, @w_id, @line, @item, @w_id, NULL, @quantity, @amount, @dist)
        SET @line += 1
    END
    COMMIT TRANSACTION
    SELECT @o_id AS order_id, @last AS last_name, @credit AS credit,
        CAST(@total * (1 + @w_tax + @d_tax) * (1 - @discount) AS DECIMAL(12, 2)) AS total
    RETURN 0
END
GO
-- Clause 2.5. Without @c_id the customer is the middle one of the name.
CREATE PROCEDURE payment @w_id INT, @d_id INT, @c_id INT, @last VARCHAR(16), @amount DECIMAL(6, 2) AS
BEGIN
    SET NOCOUNT ON
    DECLARE @w_name VARCHAR(10), @d_name VARCHAR(10), @credit CHAR(2), @balance DECIMAL(12, 2)
    BEGIN TRANSACTION
    UPDATE warehouse SET w_ytd = w_ytd + @amount, @w_name = w_name WHERE w_id = @w_id
    UPDATE district SET d_ytd = d_ytd + @amount, @d_name = d_name WHERE d_w_id = @w_id AND d_id = @d_id
    IF @c_id IS NULL
        SELECT @c_id = c_id FROM (SELECT TOP 50 PERCENT c_id, c_first FROM customer
            WHERE c_w_id = @w_id AND c_d_id = @d_id AND c_last = @last ORDER BY c_first) AS half ORDER BY c_first
    UPDATE customer
        SET @balance = c_balance = c_balance - @amount, c_ytd_payment = c_ytd_payment + @amount,
            c_payment_cnt = c_payment_cnt + 1, @credit = c_credit
        WHERE c_w_id = @w_id AND c_d_id = @d_id AND c_id = @c_id
    IF @credit = 'BC'
        UPDATE customer SET c_data = LEFT(CONCAT(@c_id, ' ', @d_id, ' ', @w_id, ' ', @amount, ' | ', c_data), 500)
            WHERE c_w_id = @w_id AND c_d_id = @d_id AND c_id = @c_id
    INSERT INTO history VALUES (@c_id, @d_id, @w_id, @d_id, @w_id, GETDATE(), @amount, CONCAT(@w_name, '    ', @d_name))
    COMMIT TRANSACTION
    SELECT @c_id AS customer, @balance AS balance
END
GO
-- Clause 2.6.
CREATE PROCEDURE order_status @w_id INT, @d_id INT, @c_id INT, @last VARCHAR(16) AS
BEGIN
    SET NOCOUNT ON
    DECLARE @o_id INT, @entered DATETIME, @carrier INT
    IF @c_id IS NULL
        SELECT @c_id = c_id FROM (SELECT TOP 50 PERCENT c_id, c_first FROM customer
            WHERE c_w_id = @w_id AND c_d_id = @d_id AND c_last = @last ORDER BY c_first) AS half ORDER BY c_first
    SELECT c_first, c_middle, c_last, c_balance FROM customer WHERE c_w_id = @w_id AND c_d_id = @d_id AND c_id = @c_id
    SELECT TOP (1) @o_id = o_id, @entered = o_entry_d, @carrier = o_carrier_id FROM orders
        WHERE o_w_id = @w_id AND o_d_id = @d_id AND o_c_id = @c_id ORDER BY o_id DESC
    SELECT ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d FROM order_line
        WHERE ol_w_id = @w_id AND ol_d_id = @d_id AND ol_o_id = @o_id
END
GO
-- Clause 2.7: the oldest order of each district that is not delivered yet.
CREATE PROCEDURE delivery @w_id INT, @carrier INT AS
BEGIN
    SET NOCOUNT ON
    DECLARE @d_id INT = 1, @o_id INT, @c_id INT, @total DECIMAL(12, 2)
    BEGIN TRANSACTION
    WHILE @d_id <= 10
    BEGIN
        SET @o_id = NULL
        SELECT TOP (1) @o_id = no_o_id FROM new_orders WITH (UPDLOCK) WHERE no_w_id = @w_id AND no_d_id = @d_id ORDER BY no_o_id
        IF @o_id IS NOT NULL
        BEGIN
            DELETE new_orders WHERE no_w_id = @w_id AND no_d_id = @d_id AND no_o_id = @o_id
            -- Another one was faster.
            IF @@ROWCOUNT = 0 CONTINUE
            UPDATE orders SET o_carrier_id = @carrier, @c_id = o_c_id WHERE o_w_id = @w_id AND o_d_id = @d_id AND o_id = @o_id
            UPDATE order_line SET ol_delivery_d = GETDATE() WHERE ol_w_id = @w_id AND ol_d_id = @d_id AND ol_o_id = @o_id
            SELECT @total = SUM(ol_amount) FROM order_line WHERE ol_w_id = @w_id AND ol_d_id = @d_id AND ol_o_id = @o_id
            UPDATE customer SET c_balance = c_balance + @total, c_delivery_cnt = c_delivery_cnt + 1
                WHERE c_w_id = @w_id AND c_d_id = @d_id AND c_id = @c_id
        END
        SET @d_id += 1
    END
    COMMIT TRANSACTION
END
GO
-- Clause 2.8: how many items of the last twenty orders are low.
CREATE PROCEDURE stock_level @w_id INT, @d_id INT, @threshold INT AS
BEGIN
    SET NOCOUNT ON
    DECLARE @next INT
    SELECT @next = d_next_o_id FROM district WHERE d_w_id = @w_id AND d_id = @d_id
    SELECT COUNT(DISTINCT s_i_id) AS low FROM order_line, stock
        WHERE ol_w_id = @w_id AND ol_d_id = @d_id AND ol_o_id < @next AND ol_o_id >= @next - 20
            AND s_w_id = @w_id AND s_i_id = ol_i_id AND s_quantity < @threshold
END
GO
-- Clause 3.3.2: what must hold whatever ran. A row for each condition that does not.
CREATE PROCEDURE inconsistencies AS
BEGIN
    SET NOCOUNT ON
    SELECT 1 AS condition, w_id AS place FROM warehouse
        WHERE w_ytd <> (SELECT SUM(d_ytd) FROM district WHERE d_w_id = w_id)
    UNION ALL
    SELECT 2, d_id FROM district
        WHERE d_next_o_id - 1 <> (SELECT MAX(o_id) FROM orders WHERE o_w_id = d_w_id AND o_d_id = d_id)
    UNION ALL
    SELECT 3, no_d_id FROM new_orders GROUP BY no_w_id, no_d_id HAVING MAX(no_o_id) - MIN(no_o_id) + 1 <> COUNT(*)
    UNION ALL
    SELECT 4, d_id FROM district
        WHERE (SELECT SUM(o_ol_cnt) FROM orders WHERE o_w_id = d_w_id AND o_d_id = d_id)
            <> (SELECT COUNT(*) FROM order_line WHERE ol_w_id = d_w_id AND ol_d_id = d_id)
    UNION ALL
    SELECT 5, o_id FROM orders WHERE (o_carrier_id IS NULL AND NOT EXISTS
            (SELECT * FROM new_orders WHERE no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id))
        OR (o_carrier_id IS NOT NULL AND EXISTS
            (SELECT * FROM new_orders WHERE no_w_id = o_w_id AND no_d_id = o_d_id AND no_o_id = o_id))
    UNION ALL
    SELECT 8, w_id FROM warehouse WHERE w_ytd <> (SELECT SUM(h_amount) FROM history WHERE h_w_id = w_id)
        + 300000 - (SELECT COUNT(*) FROM customer WHERE c_w_id = w_id) * 10
END
