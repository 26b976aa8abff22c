// IBM's JDBC driver for Informix. Arguments: port, user, password, version of the driver.

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

public class Cases {
    interface Body {
        void run(Connection connection) throws Exception;
    }

    static String url, user, password, version;
    static boolean failed;

    static void check(Object found, Object expected) {
        if (!String.valueOf(found).equals(String.valueOf(expected))) {
            throw new AssertionError("found " + found + ", expected " + expected);
        }
    }

    static Connection connect() throws SQLException {
        return DriverManager.getConnection(url + ";user=" + user + ";password=" + password);
    }

    static void run(String name, Body body) {
        try (Connection connection = connect()) {
            body.run(connection);
            System.out.println("PASS informix-jdbc " + version + " " + name);
        } catch (Throwable error) {
            failed = true;
            System.out.println("FAIL informix-jdbc " + version + " " + name + ": " + String.valueOf(error).replace('\n', ' '));
        }
    }

    static void execute(Connection connection, String... texts) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String text : texts) {
                statement.executeUpdate(text);
            }
        }
    }

    static List<String> rows(ResultSet rows) throws SQLException {
        List<String> all = new ArrayList<>();
        int columns = rows.getMetaData().getColumnCount();
        while (rows.next()) {
            List<String> row = new ArrayList<>();
            for (int column = 1; column <= columns; column++) {
                row.add(rows.getString(column));
            }
            all.add(String.join("|", row));
        }
        rows.close();
        return all;
    }

    static List<String> query(Connection connection, String text) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return rows(statement.executeQuery(text));
        }
    }

    static void fails(Connection connection, String text, int code, String word) throws SQLException {
        try {
            execute(connection, text);
        } catch (SQLException error) {
            check(error.getErrorCode(), code);
            check(error.getMessage().contains(word), true);
            return;
        }
        throw new AssertionError("no error: " + text);
    }

    static void connecting(Connection connection) throws SQLException {
        DatabaseMetaData about = connection.getMetaData();
        check(about.getDatabaseProductName(), "Informix Dynamic Server");
        check(about.getDatabaseProductVersion(), "14.10.FC7W1DE");
        check(connection.isValid(5), true);
        try {
            DriverManager.getConnection(url + ";user=" + user + ";password=wrong").close();
        } catch (SQLException error) {
            check(error.getErrorCode(), -951);
            return;
        }
        throw new AssertionError("a wrong password is accepted");
    }

    static final String TYPES = "a SMALLINT, b INTEGER, c BIGINT, d INT8, e DECIMAL(10,2), f MONEY(12,2), g FLOAT, h SMALLFLOAT,"
        + " i CHAR(5), j VARCHAR(20), k LVARCHAR(500), l DATE, m DATETIME YEAR TO FRACTION(3), n DATETIME HOUR TO SECOND,"
        + " o INTERVAL DAY(3) TO SECOND, p INTERVAL YEAR TO MONTH, q BOOLEAN, r TEXT";

    static void everyType(Connection connection) throws SQLException {
        execute(connection, "DROP TABLE IF EXISTS types", "CREATE TABLE types (" + TYPES + ")");
        int[] jdbc = {Types.SMALLINT, Types.INTEGER, Types.BIGINT, Types.BIGINT, Types.DECIMAL, Types.DECIMAL, Types.DOUBLE,
            Types.REAL, Types.CHAR, Types.VARCHAR, Types.VARCHAR, Types.DATE, Types.TIMESTAMP, Types.TIME, Types.VARCHAR,
            Types.VARCHAR, Types.BOOLEAN, Types.VARCHAR};
        String marks = "?" + ", ?".repeat(jdbc.length - 1);
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO types VALUES (" + marks + ")")) {
            for (int place = 0; place < jdbc.length; place++) {
                insert.setNull(place + 1, jdbc[place]);
            }
            check(insert.executeUpdate(), 1);
        }
        execute(connection, "INSERT INTO types (o, p, q) VALUES (INTERVAL (12 03:04:05) DAY(3) TO SECOND, INTERVAL (3-04) YEAR TO MONTH, 't')");
        try (PreparedStatement update = connection.prepareStatement("UPDATE types SET a = ?, b = ?, c = ?, d = ?, e = ?, f = ?, g = ?,"
                + " h = ?, i = ?, j = ?, k = ?, l = ?, m = ?, n = ?, r = ? WHERE q = 't'")) {
            update.setShort(1, (short) -32767);
            update.setInt(2, Integer.MAX_VALUE);
            update.setLong(3, Long.MAX_VALUE);
            update.setLong(4, -Long.MAX_VALUE);
            update.setBigDecimal(5, new BigDecimal("-99999999.99"));
            update.setBigDecimal(6, new BigDecimal("1234567890.12"));
            update.setDouble(7, 0.1);
            update.setFloat(8, -2.5f);
            update.setString(9, "ab");
            update.setString(10, "caf\u00e9");
            update.setString(11, "x".repeat(400));
            update.setDate(12, Date.valueOf("1899-12-30"));
            update.setTimestamp(13, Timestamp.valueOf("2024-02-29 23:59:59.987"));
            update.setTime(14, Time.valueOf("10:20:30"));
            update.setString(15, "a text of any length");
            check(update.executeUpdate(), 1);
        }
        List<String> found = query(connection, "SELECT * FROM types ORDER BY q");
        check(found.get(0), "null" + "|null".repeat(jdbc.length - 1));
        String[] expected = {"-32767", "2147483647", "9223372036854775807", "-9223372036854775807", "-99999999.99", "1234567890.12",
            "0.1", "-2.5", "ab   ", "caf\u00e9", "x".repeat(400), "1899-12-30", "2024-02-29 23:59:59.987", "10:20:30", "12 03:04:05",
            "3-04", "t", "a text of any length"};
        check(found.get(1).replace(" 12 03", "12 03"), String.join("|", expected));
        try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery("SELECT * FROM types WHERE q = 't'")) {
            ResultSetMetaData about = rows.getMetaData();
            check(about.getColumnTypeName(13), "datetime year to fraction(3)");
            check(about.getPrecision(5) + " " + about.getScale(5), "10 2");
            check(rows.next(), true);
            check(rows.getBoolean("q"), true);
            check(rows.getTimestamp("m"), "2024-02-29 23:59:59.987");
            check(rows.getBigDecimal("e"), "-99999999.99");
        }
    }

    static void serialNumbers(Connection connection) throws Exception {
        execute(connection, "DROP TABLE IF EXISTS numbered", "CREATE TABLE numbered (id SERIAL(100) PRIMARY KEY, v VARCHAR(10))");
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO numbered VALUES (0, 'a')");
            check(statement.getClass().getMethod("getSerial").invoke(statement), 100);
        }
        check(query(connection, "SELECT DBINFO('sqlca.sqlerrd1') FROM systables WHERE tabid = 1").get(0), "100");
    }

    static String keys(Statement statement) throws SQLException {
        try (ResultSet keys = statement.getGeneratedKeys()) {
            ResultSetMetaData about = keys.getMetaData();
            StringBuilder found = new StringBuilder();
            while (keys.next()) {
                found.append(about.getColumnName(1)).append('=').append(keys.getLong(1)).append(' ');
            }
            return found.toString().trim();
        }
    }

    static void generatedKeys(Connection connection) throws SQLException {
        for (String type : new String[] {"SERIAL(7)", "BIGSERIAL(7)", "SERIAL8(7)"}) {
            execute(connection, "DROP TABLE IF EXISTS keyed", "CREATE TABLE keyed (v VARCHAR(10), id " + type + " PRIMARY KEY)");
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate("INSERT INTO keyed (v) VALUES ('a')", Statement.RETURN_GENERATED_KEYS);
                check(keys(statement), "id=7");
                statement.executeUpdate("INSERT INTO keyed (v) VALUES ('a')", new String[] {"id"});
                check(keys(statement), "id=8");
            }
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO keyed (v) VALUES (?)", Statement.RETURN_GENERATED_KEYS)) {
                for (int id = 9; id < 12; id++) {
                    insert.setString(1, "v" + id);
                    check(insert.executeUpdate(), 1);
                    check(keys(insert), "id=" + id);
                }
            }
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO keyed (v) VALUES (?)", new String[] {"ID", "v"})) {
                insert.setString(1, "named");
                insert.executeUpdate();
                check(keys(insert), "id=12");
            }
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO keyed (v) VALUES (?)", new int[] {2})) {
                insert.setString(1, "numbered");
                insert.executeUpdate();
                check(keys(insert), "id=13");
            }
        }
    }

    static void decimals(Connection connection) throws SQLException {
        execute(connection, "DROP TABLE IF EXISTS sums", "CREATE TABLE sums (e DECIMAL(10,2))");
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO sums VALUES (?)")) {
            insert.setBigDecimal(1, new BigDecimal("1e45"));
            insert.executeUpdate();
            throw new AssertionError("a number of 46 digits is accepted");
        } catch (SQLException error) {
            check(error.getErrorCode() < 0, true);
        }
        execute(connection, "INSERT INTO sums VALUES (2.5)");
        try (PreparedStatement sum = connection.prepareStatement("SELECT e FROM sums WHERE e * ? = ? + 1 AND ABS(?) > 1")) {
            sum.setInt(1, 2);
            sum.setInt(2, 4);
            sum.setBigDecimal(3, new BigDecimal("-1.5"));
            check(rows(sum.executeQuery()), "[2.50]");
        }
    }

    static void routines(Connection connection) throws SQLException {
        execute(connection, "DROP TABLE IF EXISTS parts", "CREATE TABLE parts (id SERIAL PRIMARY KEY, name VARCHAR(10), qty INTEGER)",
            "DROP TABLE IF EXISTS part_log", "CREATE TABLE part_log (what VARCHAR(30))",
            "DROP PROCEDURE IF EXISTS add_part", "DROP FUNCTION IF EXISTS low_parts", "DROP FUNCTION IF EXISTS total");
        execute(connection,
            "CREATE PROCEDURE add_part(n VARCHAR(10), q INT DEFAULT 1) INSERT INTO parts VALUES (0, n, q); END PROCEDURE",
            "CREATE FUNCTION low_parts(least INT) RETURNING VARCHAR(10) AS name, INT AS missing; DEFINE n VARCHAR(10); DEFINE q INT; "
                + "FOREACH SELECT name, qty INTO n, q FROM parts WHERE qty < least ORDER BY id "
                + "IF q = 0 THEN LET n = UPPER(n); END IF; RETURN n, least - q WITH RESUME; END FOREACH; END FUNCTION",
            "CREATE FUNCTION total(a INT, b INT) RETURNING INT; RETURN a * b; END FUNCTION",
            "CREATE TRIGGER part_added INSERT ON parts REFERENCING NEW AS p FOR EACH ROW (INSERT INTO part_log VALUES ('new ' || p.name))");
        try (CallableStatement call = connection.prepareCall("{call add_part(?, ?)}")) {
            call.setString(1, "bolt");
            call.setInt(2, 5);
            call.execute();
            call.setString(1, "nut");
            call.setInt(2, 0);
            call.execute();
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("EXECUTE PROCEDURE add_part('gear')");
        }
        check(query(connection, "SELECT name, qty FROM parts ORDER BY id"), "[bolt|5, nut|0, gear|1]");
        check(query(connection, "SELECT COUNT(*), MAX(what) FROM part_log"), "[3|new nut]");
        try (CallableStatement call = connection.prepareCall("{call low_parts(?)}")) {
            call.setInt(1, 4);
            try (ResultSet rows = call.executeQuery()) {
                check(rows.getMetaData().getColumnLabel(2), "missing");
                StringBuilder found = new StringBuilder();
                while (rows.next()) {
                    found.append(rows.getString(1)).append(rows.getInt(2)).append(' ');
                }
                check(found.toString(), "NUT4 gear3 ");
            }
        }
        check(query(connection, "EXECUTE FUNCTION total(6, 7)"), "[42]");
        check(query(connection, "SELECT name, total(qty, 10) FROM parts WHERE total(qty, 2) > 1 ORDER BY id"), "[bolt|50, gear|10]");
        fails(connection, "EXECUTE PROCEDURE nosuch(1)", -674, "nosuch");
    }

    static void outputParameters(Connection connection) throws SQLException {
        execute(connection, "DROP PROCEDURE IF EXISTS price_of", "DROP PROCEDURE IF EXISTS stamp",
            "CREATE PROCEDURE price_of(part VARCHAR(10), OUT price DECIMAL(8,2), INOUT note VARCHAR(30), OUT made DATE) RETURNING INT; "
                + "IF part = 'bolt' THEN LET price = 12.50; LET made = MDY(2, 29, 2024); END IF; LET note = note || ' ' || part; RETURN 7; END PROCEDURE",
            "CREATE PROCEDURE stamp(OUT at_t DATETIME YEAR TO SECOND, OUT big BIGINT, OUT f FLOAT, OUT b BOOLEAN) "
                + "LET at_t = DATETIME (2024-02-29 23:59:58) YEAR TO SECOND; LET big = 9223372036854775807; LET f = 0.1; LET b = 't'; END PROCEDURE");
        try (CallableStatement call = connection.prepareCall("{call price_of(?, ?, ?, ?)}")) {
            for (String part : new String[] {"bolt", "nut"}) {
                call.setString(1, part);
                call.registerOutParameter(2, Types.DECIMAL);
                call.setString(3, "the");
                call.registerOutParameter(3, Types.VARCHAR);
                call.registerOutParameter(4, Types.DATE);
                try (ResultSet returned = call.executeQuery()) {
                    boolean isBolt = part.equals("bolt");
                    BigDecimal price = call.getBigDecimal(2);
                    check(price == null ? null : price.stripTrailingZeros(), isBolt ? "12.5" : null);
                    check(call.getString(3), "the " + part);
                    check(call.getDate(4), isBolt ? "2024-02-29" : null);
                    check(returned.next() + " " + returned.getInt(1), "true 7");
                }
            }
        }
        try (CallableStatement call = connection.prepareCall("{call stamp(?, ?, ?, ?)}")) {
            int[] types = {Types.TIMESTAMP, Types.BIGINT, Types.DOUBLE, Types.BOOLEAN};
            for (int place = 0; place < types.length; place++) {
                call.registerOutParameter(place + 1, types[place]);
            }
            call.execute();
            check(call.getTimestamp(1), "2024-02-29 23:59:58.0");
            check(call.getLong(2), Long.MAX_VALUE);
            check(call.getDouble(3), 0.1);
            check(call.getBoolean(4), true);
        }
    }

    static void batches(Connection connection) throws SQLException {
        execute(connection, "DROP TABLE IF EXISTS batch", "CREATE TABLE batch (id INTEGER PRIMARY KEY, v VARCHAR(10))");
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO batch VALUES (?, ?)")) {
            for (int id = 1; id <= 500; id++) {
                insert.setInt(1, id);
                insert.setString(2, "v" + id);
                insert.addBatch();
            }
            check(insert.executeBatch().length, 500);
        }
        connection.commit();
        check(query(connection, "SELECT COUNT(*), MIN(id), MAX(id) FROM batch"), "[500|1|500]");
        connection.commit();
    }

    static void transactions(Connection connection) throws SQLException {
        execute(connection, "DROP TABLE IF EXISTS kept", "CREATE TABLE kept (id INTEGER PRIMARY KEY)");
        connection.setAutoCommit(false);
        execute(connection, "INSERT INTO kept VALUES (1)");
        connection.rollback();
        execute(connection, "INSERT INTO kept VALUES (2)");
        Savepoint savepoint = connection.setSavepoint("here");
        execute(connection, "INSERT INTO kept VALUES (3)");
        connection.rollback(savepoint);
        fails(connection, "INSERT INTO kept VALUES (2)", -268, "kept");
        connection.commit();
        try (Connection other = connect()) {
            check(query(other, "SELECT id FROM kept"), "[2]");
        }
        execute(connection, "UPDATE kept SET id = 20 WHERE id = 2");
        try (Connection other = connect()) {
            check(query(other, "SELECT id FROM kept"), "[2]");
            fails(other, "UPDATE kept SET id = 30 WHERE id = 2", -244, "");
        }
        connection.commit();
        check(query(connection, "SELECT id FROM kept"), "[20]");
        connection.commit();
    }

    static void openStatements(Connection connection) throws SQLException {
        execute(connection, "DROP TABLE IF EXISTS many", "CREATE TABLE many (id INTEGER)");
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO many VALUES (?)")) {
            for (int id = 1; id <= 1000; id++) {
                insert.setInt(1, id);
                insert.addBatch();
            }
            insert.executeBatch();
        }
        try (Statement one = connection.createStatement(); Statement other = connection.createStatement();
                ResultSet up = one.executeQuery("SELECT id FROM many ORDER BY id");
                ResultSet down = other.executeQuery("SELECT id FROM many ORDER BY id DESC")) {
            int rows = 0;
            while (up.next() && down.next()) {
                rows++;
                check(up.getInt(1) + down.getInt(1), 1001);
            }
            check(rows, 1000);
        }
        try (PreparedStatement find = connection.prepareStatement("SELECT SKIP ? FIRST ? id FROM many WHERE id > ? ORDER BY id")) {
            find.setInt(1, 2);
            find.setInt(2, 3);
            find.setInt(3, 100);
            check(rows(find.executeQuery()), "[103, 104, 105]");
        }
        try (Statement scrolling = connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY);
                ResultSet rows = scrolling.executeQuery("SELECT id FROM many ORDER BY id")) {
            check(rows.last() + " " + rows.getInt(1) + " " + rows.getRow(), "true 1000 1000");
            check(rows.absolute(7) + " " + rows.getInt(1), "true 7");
            check(rows.relative(-2) + " " + rows.getInt(1), "true 5");
            rows.beforeFirst();
            check(rows.next() + " " + rows.getInt(1), "true 1");
            check(rows.absolute(2000), false);
        }
    }

    static void errors(Connection connection) throws SQLException {
        execute(connection, "DROP TABLE IF EXISTS child", "DROP TABLE IF EXISTS parent", "CREATE TABLE parent (id INTEGER PRIMARY KEY)",
            "CREATE TABLE child (id INTEGER NOT NULL, p INTEGER REFERENCES parent (id))", "INSERT INTO parent VALUES (1)",
            "INSERT INTO child VALUES (1, 1)");
        fails(connection, "SELECT * FROM nosuch", -206, "nosuch");
        fails(connection, "SELECT nosuch FROM parent", -217, "nosuch");
        fails(connection, "SELEC 1", -201, "syntax");
        fails(connection, "INSERT INTO parent VALUES (1)", -268, "parent_pkey");
        fails(connection, "INSERT INTO child (p) VALUES (1)", -391, "");
        fails(connection, "INSERT INTO child VALUES (2, 2)", -691, "");
        fails(connection, "DELETE FROM parent", -692, "");
        fails(connection, "EXECUTE PROCEDURE nosuch()", -674, "nosuch");
        check(query(connection, "SELECT COUNT(*) FROM child"), "[1]");
    }

    static void stopping(Connection connection) throws SQLException {
        execute(connection, "DROP TABLE IF EXISTS slow", "CREATE TABLE slow (v VARCHAR(10))");
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO slow VALUES (?)")) {
            for (int row = 0; row < 100; row++) {
                insert.setString(1, "v" + row);
                insert.addBatch();
            }
            insert.executeBatch();
        }
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(1);
            long began = System.nanoTime();
            try {
                rows(statement.executeQuery("SELECT COUNT(*) FROM slow a, slow b, slow c, slow d, slow e WHERE a.v || b.v || c.v || d.v || e.v = 'no'"));
                throw new AssertionError("the statement ends by itself");
            } catch (SQLException error) {
                check(System.nanoTime() - began < 20_000_000_000L, true);
            }
        }
        check(query(connection, "SELECT FIRST 1 v FROM slow ORDER BY v"), "[v0]");
    }

    static void metadata(Connection connection) throws SQLException {
        execute(connection, "DROP TABLE IF EXISTS line", "DROP TABLE IF EXISTS orders", "CREATE TABLE orders (id SERIAL PRIMARY KEY, day DATE)",
            "CREATE TABLE line (o INTEGER NOT NULL REFERENCES orders (id) ON DELETE CASCADE, text VARCHAR(30), amount DECIMAL(8,2))",
            "CREATE INDEX line_text ON line (text)");
        DatabaseMetaData about = connection.getMetaData();
        List<String> names = new ArrayList<>();
        ResultSet tables = about.getTables(null, null, "%", new String[] {"TABLE"});
        while (tables.next()) {
            names.add(tables.getString("table_name"));
        }
        check(names.contains("orders") && names.contains("line"), true);
        ResultSet columns = about.getColumns(null, null, "line", "%");
        List<String> found = new ArrayList<>();
        while (columns.next()) {
            found.add(columns.getString("column_name") + " " + columns.getInt("data_type") + " " + columns.getInt("column_size")
                + " " + columns.getInt("decimal_digits") + " " + columns.getInt("nullable"));
        }
        check(found, "[o 4 10 0 0, text 12 30 0 1, amount 3 8 2 1]");
        ResultSet keys = about.getPrimaryKeys(null, null, "orders");
        check(keys.next() + " " + keys.getString("column_name"), "true id");
        ResultSet imported = about.getImportedKeys(null, null, "line");
        check(imported.next() + " " + imported.getString("pktable_name") + " " + imported.getString("fkcolumn_name"), "true orders o");
        ResultSet exported = about.getExportedKeys(null, null, "orders");
        check(exported.next() + " " + exported.getString("fktable_name"), "true line");
        ResultSet indexes = about.getIndexInfo(null, null, "line", false, false);
        List<String> indexed = new ArrayList<>();
        while (indexes.next()) {
            indexed.add(indexes.getString("index_name") + " " + indexes.getString("column_name"));
        }
        check(indexed.contains("line_text text"), true);
        about.getTypeInfo().close();
        about.getSchemas().close();
        about.getCatalogs().close();
        about.getTableTypes().close();
        about.getProcedures(null, null, "%").close();
        about.getTablePrivileges(null, null, "line").close();
        about.getColumnPrivileges(null, null, "line", "%").close();
        about.getBestRowIdentifier(null, null, "orders", 0, true).close();
        if (!version.startsWith("4.10")) {
            about.getVersionColumns(null, null, "orders").close();
        }
        about.getCrossReference(null, null, "orders", null, null, "line").close();
    }

    static void longValues(Connection connection) throws SQLException {
        execute(connection, "DROP TABLE IF EXISTS long_values", "CREATE TABLE long_values (id INTEGER, b BYTE, t TEXT)");
        String text = "0123456789".repeat(10_000);
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO long_values VALUES (?, ?, ?)")) {
            insert.setInt(1, 1);
            insert.setBytes(2, text.getBytes(StandardCharsets.US_ASCII));
            insert.setString(3, text);
            check(insert.executeUpdate(), 1);
        }
        check(query(connection, "SELECT t FROM long_values").get(0).equals(text), true);
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO long_values VALUES (2, ?, NULL)")) {
            insert.setBytes(1, new byte[] {1, 0, -1});
            check(insert.executeUpdate(), 1);
        }
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT b FROM long_values ORDER BY id")) {
            check(rows.next(), true);
            check(new String(rows.getBytes(1), StandardCharsets.US_ASCII).equals(text), true);
            check(rows.next() + " " + Arrays.toString(rows.getBytes(1)), "true [1, 0, -1]");
        }
    }

    static void floatingDecimals(Connection connection) throws SQLException {
        execute(connection, "DROP TABLE IF EXISTS floating", "CREATE TABLE floating (id INTEGER, a DECIMAL, b DECIMAL(32), c DECIMAL(5))");
        List<BigDecimal> values = new ArrayList<>(Arrays.asList(null, BigDecimal.ZERO, new BigDecimal("1E-130"), new BigDecimal("-1E-130"),
            new BigDecimal("1E+125"), new BigDecimal("9.9999999999999999999999999999999E+125"), new BigDecimal("-9.9999999999999999999999999999999E+123"),
            new BigDecimal("12345678901234567890123456789012"), new BigDecimal("0.1")));
        java.util.Random random = new java.util.Random(33);
        for (int count = 0; count < 200; count++) {
            values.add(new BigDecimal(new java.math.BigInteger(100, random).subtract(java.math.BigInteger.ONE.shiftLeft(99)), random.nextInt(180) - 90));
        }
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO floating (id, b) VALUES (?, ?)")) {
            for (int place = 0; place < values.size(); place++) {
                insert.setInt(1, place);
                insert.setBigDecimal(2, values.get(place));
                check(insert.executeUpdate(), 1);
            }
        }
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT b FROM floating ORDER BY id")) {
            check(rows.getMetaData().getColumnType(1), Types.DECIMAL);
            for (BigDecimal value : values) {
                check(rows.next(), true);
                BigDecimal found = rows.getBigDecimal(1);
                check(found == null ? "null" : found.stripTrailingZeros(), value == null ? "null" : value.stripTrailingZeros());
            }
        }
        try (PreparedStatement find = connection.prepareStatement("SELECT COUNT(*) FROM floating WHERE b >= ?")) {
            find.setBigDecimal(1, new BigDecimal("1E+125"));
            try (ResultSet rows = find.executeQuery()) {
                rows.next();
                check(rows.getInt(1), 2);
            }
        }
        execute(connection, "UPDATE floating SET a = 1e20, c = 123.456 WHERE id = 8");
        check(query(connection, "SELECT a + 1, c, a / 3 FROM floating WHERE id = 8"),
            "[100000000000000000001|123.46|33333333333333333333.333333333333]");
        fails(connection, "UPDATE floating SET a = b * 10 WHERE id = 5", -1200, "");
    }

    static void smartLargeObjects(Connection connection) throws Exception {
        execute(connection, "DROP TABLE IF EXISTS smart", "CREATE TABLE smart (id INTEGER, b BLOB, c CLOB)");
        byte[] bytes = new byte[100_001];
        new java.util.Random(7).nextBytes(bytes);
        String text = "0123456789".repeat(10_000);
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO smart VALUES (?, ?, ?)")) {
            // A Blob of the driver's own seeks to the position that it is given, which counts from 0 for a server.
            insert.setInt(1, 1);
            insert.setBlob(2, new java.io.ByteArrayInputStream(bytes));
            insert.setClob(3, new java.io.StringReader(text));
            check(insert.executeUpdate(), 1);
            insert.setInt(1, 2);
            insert.setBinaryStream(2, new java.io.ByteArrayInputStream(bytes), bytes.length);
            insert.setCharacterStream(3, new java.io.StringReader(text), text.length());
            check(insert.executeUpdate(), 1);
            insert.setInt(1, 3);
            insert.setBytes(2, new byte[] {1, 0, -1});
            insert.setString(3, "abc");
            check(insert.executeUpdate(), 1);
            insert.setInt(1, 4);
            insert.setNull(2, Types.BLOB);
            insert.setNull(3, Types.CLOB);
            check(insert.executeUpdate(), 1);
        }
        connection.commit();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT b, c FROM smart ORDER BY id")) {
            check(rows.next(), true);
            java.sql.Blob blob = rows.getBlob(1);
            check(blob.length(), 100_001L);
            check(Arrays.equals(blob.getBytes(1, 100_001), bytes), true);
            check(Arrays.equals(blob.getBytes(50_001, 10), Arrays.copyOfRange(bytes, 50_000, 50_010)), true);
            java.sql.Clob clob = rows.getClob(2);
            check(clob.length(), 100_000L);
            check(clob.getSubString(12, 5), "12345");
            check(rows.next(), true);
            check(Arrays.equals(rows.getBinaryStream(1).readAllBytes(), bytes), true);
            check(rows.getString(2).equals(text), true);
            check(rows.next() + " " + Arrays.toString(rows.getBytes(1)) + " " + rows.getString(2), "true [1, 0, -1] abc");
            check(rows.next() + " " + rows.getBlob(1) + " " + rows.getString(2), "true null null");
        }
        connection.commit();
        connection.setAutoCommit(true);
        check(query(connection, "SELECT id FROM smart WHERE c = 'abc'"), "[3]");
        fails(connection, "UPDATE smart SET b = FILETOBLOB('/etc/passwd', 'server')", -999, "");
    }

    public static void main(String[] arguments) throws Exception {
        url = "jdbc:informix-sqli://127.0.0.1:" + arguments[0] + "/served:INFORMIXSERVER=mainstay";
        user = arguments[1];
        password = arguments[2];
        version = arguments[3];
        run("connecting", Cases::connecting);
        run("every type and NULL", Cases::everyType);
        run("serial numbers", Cases::serialNumbers);
        run("routines", Cases::routines);
        run("output parameters", Cases::outputParameters);
        run("generated keys", Cases::generatedKeys);
        run("decimals", Cases::decimals);
        run("batches", Cases::batches);
        run("transactions", Cases::transactions);
        run("several open statements", Cases::openStatements);
        run("errors", Cases::errors);
        run("stopping a statement", Cases::stopping);
        run("metadata", Cases::metadata);
        run("long values", Cases::longValues);
        run("floating decimals", Cases::floatingDecimals);
        run("smart large objects", Cases::smartLargeObjects);
        System.exit(failed ? 1 : 0);
    }
}
