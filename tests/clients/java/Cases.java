// mssql-jdbc and jTDS: the cases of ../python/cases.py, as JDBC says them. Arguments: port, user, password, driver.

import java.math.BigDecimal;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.HashMap;
import java.util.Map;

public class Cases {
    interface Body {
        void run(Connection connection) throws Exception;
    }

    static String url, user, password, driver;
    static boolean failed;

    static void check(boolean condition, Object what) {
        if (!condition) {
            throw new AssertionError(String.valueOf(what));
        }
    }

    static void run(String name, Body body) {
        run(name, "", body);
    }

    static void run(String name, String more, Body body) {
        try (Connection connection = DriverManager.getConnection(url + more, user, password)) {
            body.run(connection);
            System.out.println("PASS " + driver + " " + name);
        } catch (Throwable error) {
            failed = true;
            System.out.println("FAIL " + driver + " " + name + ": " + String.valueOf(error).replace('\n', ' '));
        }
    }

    static int one(Connection connection, String text) throws SQLException {
        try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(text)) {
            check(rows.next(), "a row");
            return rows.getInt(1);
        }
    }

    static final String SELECTED = "SELECT CAST(1 AS bit) AS c_bit, CAST(200 AS tinyint) AS c_tinyint,"
        + " CAST(-2000000000 AS int) AS c_int, CAST(9000000000000000000 AS bigint) AS c_bigint, CAST(0.1 AS float) AS c_float,"
        + " CAST(-1234567890.1234 AS decimal(20, 4)) AS c_decimal, CAST(-922337203685477.5808 AS money) AS c_money,"
        + " CAST('2024-02-29' AS date) AS c_date, CAST('2024-02-29 13:14:15.123' AS datetime) AS c_datetime,"
        + " CAST(N'日本' AS nchar(3)) AS c_nchar, CAST(N'long text é' AS text) AS c_text, CAST(N'<a>é</a>' AS xml) AS c_xml"
        + " UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL ORDER BY c_bit DESC /* types */";

    static void everyType(Connection connection) throws SQLException {
        Map<String, String> wanted = new HashMap<>();
        String[] pairs = {"c_tinyint", "200", "c_int", "-2000000000", "c_bigint", "9000000000000000000", "c_float", "0.1",
            "c_decimal", "-1234567890.1234", "c_money", "-922337203685477.5808", "c_date", "2024-02-29",
            "c_datetime", "2024-02-29 13:14:15.123", "c_nchar", "日本 ", "c_text", "long text é",
            "c_ntext", "long ntext 日", "c_xml", "<a>é</a>", "c_uniqueidentifier", "00112233-4455-6677-8899-AABBCCDDEEFF"};
        for (int i = 0; i < pairs.length; i += 2) {
            wanted.put(pairs[i], pairs[i + 1]);
        }
        try (Statement statement = connection.createStatement(); ResultSet rows = statement.executeQuery(SELECTED)) {
            check(rows.next(), "a row");
            for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                String name = rows.getMetaData().getColumnName(i), value = rows.getString(i);
                check(!wanted.containsKey(name) || wanted.get(name).equals(value), name + ": " + value);
            }
            check(rows.next(), "a second row");
            for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                check(rows.getObject(i) == null, "the row of NULLs");
            }
        }
    }

    static void parameters(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT ?, ?, ?, ?, ?")) {
            for (int i = 0; i < 4; i++) {
                statement.setInt(1, i);
                statement.setString(2, "日本");
                statement.setBytes(3, new byte[] {1, 2});
                statement.setNull(4, Types.INTEGER);
                statement.setBigDecimal(5, new BigDecimal("-12.345"));
                try (ResultSet rows = statement.executeQuery()) {
                    check(rows.next() && rows.getInt(1) == i && rows.getString(2).equals("日本"), rows);
                    check(rows.getBytes(3).length == 2 && rows.getObject(4) == null, rows.getObject(4));
                    check(rows.getBigDecimal(5).compareTo(new BigDecimal("-12.345")) == 0, rows.getBigDecimal(5));
                }
            }
        }
    }

    static void batch(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("INSERT INTO #client_rows VALUES (?)")) {
            connection.createStatement().execute("CREATE TABLE #client_rows (n int)");
            for (int i = 0; i < 10; i++) {
                statement.setInt(1, i);
                statement.addBatch();
            }
            int[] counts = statement.executeBatch();
            check(counts.length == 10 && counts[9] == 1, counts.length);
        }
    }

    static void failing(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("\n\n\n\n\n\nTHROW 50001, 'It failed as it was told to.', 3; /* fail */");
            check(false, "no error");
        } catch (SQLException error) {
            check(error.getErrorCode() == 50001 && error.getMessage().contains("told to"), error);
        }
    }

    static void twoResults(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            check(statement.execute("SELECT 1 AS n; SELECT 2 AS n /* two results */"), "a result");
            ResultSet rows = statement.getResultSet();
            check(rows.next() && rows.getInt(1) == 1, "the first result");
            check(statement.getMoreResults(), "a second result");
            rows = statement.getResultSet();
            check(rows.next() && rows.getInt(1) == 2, "the second result");
        }
    }

    static void outputs(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("IF OBJECT_ID('dbo.double_it') IS NOT NULL DROP PROCEDURE dbo.double_it");
            statement.execute("CREATE PROCEDURE dbo.double_it @n int OUTPUT, @t nvarchar(50) OUTPUT AS"
                + " BEGIN SELECT @n AS n, @t AS t; SET @n = @n * 2; SET @t = UPPER(@t); RETURN 42; END");
        }
        try (CallableStatement call = connection.prepareCall("{CALL dbo.double_it (?, ?)}")) {
            call.setInt(1, 21);
            call.registerOutParameter(1, Types.INTEGER);
            call.setString(2, "abc");
            call.registerOutParameter(2, Types.VARCHAR);
            boolean rows = call.execute();
            check(rows, "a result");
            while (call.getMoreResults() || call.getUpdateCount() != -1) {
                // Output parameters come behind all results.
            }
            check(call.getInt(1) == 42 && call.getString(2).equals("ABC"), call.getInt(1) + " " + call.getString(2));
        }
    }

    static void transactions(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        one(connection, "SELECT 1");
        connection.commit();
        connection.rollback();
        connection.setAutoCommit(true);
    }

    static void attention(Connection connection) throws Exception {
        try (Statement statement = connection.createStatement()) {
            Thread stopper = new Thread(() -> {
                try {
                    Thread.sleep(300);
                    statement.cancel();
                } catch (Exception ignored) {
                    // The statement's own error tells.
                }
            });
            long began = System.nanoTime();
            stopper.start();
            try {
                statement.execute("WAITFOR DELAY '00:00:20' /* sleep 20 */");
            } catch (SQLException expected) {
                // It was stopped.
            }
            stopper.join();
            check(System.nanoTime() - began < 5_000_000_000L, "it was not stopped");
        }
        check(one(connection, "SELECT 1") == 1, "the connection goes on");
    }

    static void catalog(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("IF OBJECT_ID('dbo.client_catalog') IS NOT NULL DROP TABLE dbo.client_catalog");
            statement.execute("CREATE TABLE dbo.client_catalog (n int NOT NULL PRIMARY KEY, t nvarchar(20) NULL)");
        }
        try (ResultSet rows = connection.getMetaData().getTables(null, "dbo", "client_catalog", new String[] {"TABLE"})) {
            check(rows.next() && rows.getString("TABLE_NAME").equals("client_catalog"), "the table");
        }
        try (ResultSet rows = connection.getMetaData().getColumns(null, "dbo", "client_catalog", null)) {
            check(rows.next() && rows.getString("COLUMN_NAME").equals("n"), "the first column");
            check(rows.next() && rows.getString("TYPE_NAME").equals("nvarchar"), "the second column's type");
            check(rows.getInt("COLUMN_SIZE") == 20, "the second column's length");
        }
        try (ResultSet rows = connection.getMetaData().getPrimaryKeys(null, "dbo", "client_catalog")) {
            check(rows.next() && rows.getString("COLUMN_NAME").equals("n"), "the key");
        }
    }

    static void scrolling(Connection connection) throws SQLException {
        int kind = ResultSet.TYPE_SCROLL_INSENSITIVE;
        try (Statement statement = connection.createStatement(kind, ResultSet.CONCUR_READ_ONLY)) {
            ResultSet rows = statement.executeQuery("SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3 ORDER BY n");
            check(rows.last() && rows.getInt(1) == 3, "the last row");
            check(rows.absolute(1) && rows.getInt(1) == 1, "the first row");
            check(rows.relative(1) && rows.getInt(1) == 2, "the second row");
            check(rows.previous() && rows.getInt(1) == 1 && !rows.previous(), "before the first row");
            int read = 0;
            while (rows.next()) {
                read += rows.getInt(1);
            }
            check(read == 6 && rows.isAfterLast(), "all rows, and the end behind them");
        }
    }

    /** Rows that are changed through the result they are read from: with locks, and as long as nobody else has changed them. */
    static void changing(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE IF EXISTS client_changes; CREATE TABLE client_changes "
                + "(n INT NOT NULL PRIMARY KEY, s NVARCHAR(20) NULL, d DECIMAL(9, 2) NULL, at DATETIME NULL)");
            statement.execute("INSERT INTO client_changes VALUES (1, 'a', 1, NULL), (2, 'b', 2, NULL), (3, 'c', 3, NULL)");
        }
        // Of mssql-jdbc: SS_SCROLL_KEYSET 1005, SS_SCROLL_DYNAMIC 1006; SS_SCROLL_LOCKS 1009, SS_OPTIMISTIC_CCVAL 1010.
        int[][] kinds = driver.equals("jTDS")
            ? new int[][] {{ResultSet.TYPE_SCROLL_SENSITIVE, ResultSet.CONCUR_UPDATABLE},
                {ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_UPDATABLE}}
            : new int[][] {{1005, ResultSet.CONCUR_UPDATABLE}, {1005, 1009}, {1006, 1010},
                {ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_UPDATABLE}};
        connection.setAutoCommit(false);
        for (int[] kind : kinds) {
            String what = kind[0] + ", " + kind[1] + ": ";
            try (PreparedStatement statement = connection.prepareStatement(
                    "SELECT n AS number, s, d, at FROM client_changes WHERE n >= ? ORDER BY n", kind[0], kind[1])) {
                statement.setInt(1, 1);
                ResultSet rows = statement.executeQuery();
                check(rows.getConcurrency() == kind[1], what + "it can be changed: " + rows.getConcurrency());
                check(rows.next() && rows.next(), what + "two rows");
                rows.updateString(2, "bb");
                rows.updateBigDecimal(3, new java.math.BigDecimal("2.50"));
                rows.updateTimestamp(4, java.sql.Timestamp.valueOf("2001-02-03 04:05:06"));
                rows.updateRow();
                check(one(connection, "SELECT COUNT(*) FROM client_changes WHERE n = 2 AND s = 'bb' AND d = 2.5 "
                    + "AND at = '20010203 04:05:06'") == 1, what + "the updated row");
                check(rows.next(), what + "the third row");
                rows.deleteRow();
                check(one(connection, "SELECT COUNT(*) FROM client_changes") == 2, what + "a row is gone");
                rows.moveToInsertRow();
                rows.updateInt(1, 9);
                rows.updateString(2, "z");
                rows.insertRow();
                check(one(connection, "SELECT COUNT(*) FROM client_changes WHERE n = 9 AND s = 'z'") == 1, what + "a new row");
                rows.moveToCurrentRow();
                if (kind[0] != ResultSet.TYPE_FORWARD_ONLY) {
                    check(rows.first() && rows.getInt(1) == 1, what + "the first row");
                    // mssql-jdbc has no absolute() of a dynamic cursor.
                    check((kind[0] == 1006 ? rows.next() : rows.absolute(2)) && rows.getString(2).equals("bb"), what + "the second row, as it is now");
                    check(rows.last() && rows.getInt(1) == 9, what + "the new row is the last");
                }
                rows.close();
            }
            connection.rollback();
            check(one(connection, "SELECT COUNT(*) FROM client_changes WHERE s IN ('a', 'b', 'c')") == 3, what + "all is back");
        }
        connection.setAutoCommit(true);
    }

    /** That VARCHAR of every code page is read and compared as what was put into it. */
    static void codePages(Connection connection) throws SQLException {
        String[][] words = {{"Polish_CI_AS", "Łódź"}, {"Cyrillic_General_CI_AS", "Привет"}, {"Greek_CI_AS", "Αθήνα"},
            {"Hebrew_CI_AS", "שלום"}, {"Thai_CI_AS", "สวัสดี"}, {"Japanese_CI_AS", "日本語"}, {"Chinese_PRC_CI_AS", "中文"},
            {"Korean_Wansung_CI_AS", "한국"}, {"Chinese_Taiwan_Stroke_CI_AS", "臺灣"},
            {"SQL_Latin1_General_CP850_CI_AS", "é½"}, {"Latin1_General_100_CI_AS_SC_UTF8", "é日Я"}};
        for (String[] word : words) {
            try (Statement statement = connection.createStatement()) {
                statement.execute("DROP TABLE IF EXISTS client_pages; CREATE TABLE client_pages (c VARCHAR(20) COLLATE " + word[0] + ")");
            }
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO client_pages VALUES (?)")) {
                insert.setString(1, word[1]);
                insert.execute();
            }
            try (PreparedStatement statement = connection.prepareStatement("SELECT c FROM client_pages WHERE c = ?")) {
                statement.setString(1, word[1]);
                ResultSet rows = statement.executeQuery();
                check(rows.next() && rows.getString(1).equals(word[1]), word[0]);
            }
        }
    }

    public static void main(String[] arguments) {
        user = arguments[1];
        password = arguments[2];
        boolean jtds = arguments[3].equals("jtds");
        driver = jtds ? "jTDS" : "mssql-jdbc";
        url = jtds
            ? "jdbc:jtds:sqlserver://127.0.0.1:" + arguments[0] + "/"
            : "jdbc:sqlserver://127.0.0.1:" + arguments[0] + ";trustServerCertificate=true;loginTimeout=10"
                + (System.getenv("RECORDING") != null ? ";encrypt=false" : "");
        String encrypted = jtds ? "" : ";encrypt=true", plain = jtds ? "" : ";encrypt=false";
        run("connect and select", encrypted, connection -> check(one(connection, "SELECT 1") == 1, "SELECT 1"));
        run("encryption of the login only", jtds ? ";ssl=off" : plain, c -> check(one(c, "SELECT 1") == 1, "SELECT 1"));
        if (!jtds) {
            String certificate = System.getenv("CERTIFICATE");
            if (certificate != null) {
                String strict = ";encrypt=strict;trustServerCertificate=false;serverCertificate=" + certificate;
                run("encryption from the first byte", strict, c -> check(one(c, "SELECT 1") == 1, "SELECT 1"));
            }
            run("packets of 32767 bytes", ";packetSize=32767", c -> check(one(c, "SELECT 1") == 1, "SELECT 1"));
        }
        run("every type", Cases::everyType);
        run("parameters", Cases::parameters);
        run("batches", Cases::batch);
        run("errors", Cases::failing);
        run("two results", Cases::twoResults);
        run("output parameters", Cases::outputs);
        run("transactions", Cases::transactions);
        run("attention", Cases::attention);
        run("scrolling", Cases::scrolling);
        if (System.getenv("REAL_SERVER") != null) {
            run("catalog", Cases::catalog);
            run("code pages", Cases::codePages);
            run("rows changed through results", Cases::changing);
        }
        System.exit(failed ? 1 : 0);
    }
}
