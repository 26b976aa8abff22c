// go-mssqldb: the cases of ../python/cases.py, as this client says them. Arguments: port, user, password.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	mssql "github.com/microsoft/go-mssqldb"
)

func check(condition bool, what ...any) error {
	if condition {
		return nil
	}
	return errors.New(fmt.Sprint(what...))
}

func simple(ctx context.Context, db *sql.DB) error {
	var one int
	if err := db.QueryRowContext(ctx, "SELECT 1").Scan(&one); err != nil {
		return err
	}
	return check(one == 1, one)
}

func everyType(ctx context.Context, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, `SELECT CAST(1 AS bit) AS c_bit, CAST(200 AS tinyint) AS c_tinyint,
 CAST(-2000000000 AS int) AS c_int, CAST(9000000000000000000 AS bigint) AS c_bigint, CAST(0.1 AS float) AS c_float,
 CAST(-1234567890.1234 AS decimal(20, 4)) AS c_decimal, CAST(-922337203685477.5808 AS money) AS c_money,
 CAST('2024-02-29 13:14:15.1234567' AS datetime2(7)) AS c_datetime2,
 CAST('2024-02-29 14:44:15.1234567 +01:30' AS datetimeoffset(7)) AS c_datetimeoffset,
 CAST(N'日本' AS nchar(3)) AS c_nchar, CAST(N'long text é' AS text) AS c_text, CAST(N'<a>é</a>' AS xml) AS c_xml
 UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL ORDER BY c_bit DESC /* types */`)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	offset := time.FixedZone("", 90*60)
	wanted := map[string]string{
		"c_bit": "true", "c_tinyint": "200", "c_int": "-2000000000", "c_bigint": "9000000000000000000", "c_float": "0.1",
		"c_decimal": "-1234567890.1234", "c_money": "-922337203685477.5808",
		"c_datetime2":      time.Date(2024, 2, 29, 13, 14, 15, 123456700, time.UTC).String(),
		"c_datetimeoffset": time.Date(2024, 2, 29, 14, 44, 15, 123456700, offset).String(),
		"c_nchar":          "日本 ", "c_text": "long text é", "c_xml": "<a>é</a>", "c_sql_variant": "variant",
	}
	for row := 0; rows.Next(); row++ {
		values, places := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			return err
		}
		for i, name := range columns {
			shown := fmt.Sprint(values[i])
			if bytes, is := values[i].([]byte); is {
				shown = string(bytes)
			}
			if want, known := wanted[name]; row == 0 && known && shown != want {
				return fmt.Errorf("%s: %s", name, shown)
			}
			if row == 1 && values[i] != nil {
				return fmt.Errorf("%s of the row of NULLs: %v", name, values[i])
			}
		}
	}
	return rows.Err()
}

func parameters(ctx context.Context, db *sql.DB) error {
	var a int64
	var b string
	var c []byte
	var d sql.NullString
	var e float64
	row := db.QueryRowContext(ctx, "SELECT @p1, @p2, @p3, @p4, @p5", int64(7), "日本", []byte{1, 2}, sql.NullString{}, 1.5)
	if err := row.Scan(&a, &b, &c, &d, &e); err != nil {
		return err
	}
	return check(a == 7 && b == "日本" && len(c) == 2 && !d.Valid && e == 1.5, a, b, c, d, e)
}

func failing(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, "\n\n\n\n\n\nTHROW 50001, 'It failed as it was told to.', 3; /* fail */")
	var said mssql.Error
	if !errors.As(err, &said) {
		return fmt.Errorf("no error: %v", err)
	}
	return check(said.Number == 50001 && said.State == 3 && said.LineNo == 7, said)
}

func twoResults(ctx context.Context, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, "SELECT 1 AS n; SELECT 2 AS n /* two results */")
	if err != nil {
		return err
	}
	defer rows.Close()
	var first, second int
	for rows.Next() {
		if err := rows.Scan(&first); err != nil {
			return err
		}
	}
	if !rows.NextResultSet() {
		return errors.New("no second result")
	}
	for rows.Next() {
		if err := rows.Scan(&second); err != nil {
			return err
		}
	}
	return check(first == 1 && second == 2, first, second)
}

func outputs(ctx context.Context, db *sql.DB) error {
	text := `CREATE OR ALTER PROCEDURE dbo.double_it @n int OUTPUT, @t nvarchar(50) OUTPUT AS
BEGIN SELECT @n AS n, @t AS t; SET @n = @n * 2; SET @t = UPPER(@t); RETURN 42; END`
	if _, err := db.ExecContext(ctx, text); err != nil {
		return err
	}
	n, t := int64(21), "abc"
	var status mssql.ReturnStatus
	_, err := db.ExecContext(ctx, "dbo.double_it", sql.Named("n", sql.Out{Dest: &n, In: true}),
		sql.Named("t", sql.Out{Dest: &t, In: true}), &status)
	if err != nil {
		return err
	}
	return check(n == 42 && t == "ABC" && status == 42, n, t, status)
}

func transactions(ctx context.Context, db *sql.DB) error {
	for _, end := range []func(*sql.Tx) error{(*sql.Tx).Commit, (*sql.Tx).Rollback} {
		tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
		if err != nil {
			return err
		}
		var count int
		if err := tx.QueryRowContext(ctx, "SELECT @@TRANCOUNT").Scan(&count); err != nil {
			return err
		}
		if count != 1 {
			return fmt.Errorf("%d transactions are open", count)
		}
		if err := end(tx); err != nil {
			return err
		}
	}
	return nil
}

func attention(ctx context.Context, db *sql.DB) error {
	short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := db.ExecContext(short, "WAITFOR DELAY '00:00:20' /* sleep 20 */")
	if err == nil || time.Since(began) > 5*time.Second {
		return fmt.Errorf("it was not stopped: %v", err)
	}
	return simple(ctx, db)
}

func reuse(ctx context.Context, db *sql.DB) error {
	for i := 0; i < 20; i++ {
		if err := simple(ctx, db); err != nil {
			return err
		}
	}
	return nil
}

func bulk(ctx context.Context, db *sql.DB) error {
	connection, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer connection.Close()
	text := "DROP TABLE IF EXISTS client_bulk; CREATE TABLE client_bulk (n int, t nvarchar(100))"
	if _, err := connection.ExecContext(ctx, text); err != nil {
		return err
	}
	load, err := connection.PrepareContext(ctx, mssql.CopyIn("client_bulk", mssql.BulkOptions{}, "n", "t"))
	if err != nil {
		return err
	}
	for n := 0; n < 1000; n++ {
		if _, err := load.ExecContext(ctx, n, fmt.Sprintf("row %d é", n)); err != nil {
			return err
		}
	}
	result, err := load.ExecContext(ctx)
	if err != nil {
		return err
	}
	count, err := result.RowsAffected()
	if err != nil || count != 1000 {
		return fmt.Errorf("%d rows: %v", count, err)
	}
	return load.Close()
}

type id struct{ N int }

func table(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, "IF TYPE_ID('dbo.client_ids') IS NULL CREATE TYPE dbo.client_ids AS TABLE (n int)"); err != nil {
		return err
	}
	text := "CREATE OR ALTER PROCEDURE dbo.count_ids @ids dbo.client_ids READONLY AS SELECT COUNT(*) AS rows FROM @ids"
	if _, err := db.ExecContext(ctx, text); err != nil {
		return err
	}
	ids := make([]id, 50)
	var count int
	value := mssql.TVP{TypeName: "dbo.client_ids", Value: ids}
	if err := db.QueryRowContext(ctx, "dbo.count_ids", sql.Named("ids", value)).Scan(&count); err != nil {
		return err
	}
	return check(count == 50, count)
}

type oneCase struct {
	name string
	body func(context.Context, *sql.DB) error
}

// Order entry for as many seconds a row as the last argument says, without encryption.
func measured(port, user, password string) error {
	var seconds float64
	if _, err := fmt.Sscan(os.Args[5], &seconds); err != nil {
		return err
	}
	db, err := sql.Open("sqlserver", fmt.Sprintf("server=localhost;port=%s;user id=%s;password=%s;encrypt=disable", port, user, password))
	if err != nil {
		return err
	}
	defer db.Close()
	return measureOrderEntry(context.Background(), db, seconds)
}

func main() {
	port, user, password := os.Args[1], os.Args[2], os.Args[3]
	if len(os.Args) > 4 && os.Args[4] == "tpcc" {
		if err := measured(port, user, password); err != nil {
			fmt.Println("FAIL go-mssqldb order entry:", err)
			os.Exit(1)
		}
		return
	}
	failed := false
	cases := []oneCase{
		{"connect and select", simple}, {"every type", everyType}, {"parameters", parameters}, {"errors", failing},
		{"two results", twoResults}, {"output parameters", outputs}, {"transactions", transactions},
		{"attention", attention}, {"reset on reuse", reuse}, {"bulk load", bulk}, {"table as parameter", table},
	}
	if os.Getenv("REAL_SERVER") != "" {
		cases = append(cases, oneCase{"order entry", fiveTransactions})
	}
	for _, encrypt := range []string{"disable", "false", "true", "strict"} {
		for _, one := range cases {
			if encrypt != "disable" && one.name != "connect and select" {
				continue
			}
			trust := "TrustServerCertificate=true"
			if encrypt == "strict" {
				if os.Getenv("CERTIFICATE") == "" {
					continue
				}
				trust = "certificate=" + os.Getenv("CERTIFICATE")
			}
			target := fmt.Sprintf("server=localhost;port=%s;user id=%s;password=%s;encrypt=%s;%s;dial timeout=10",
				port, user, password, encrypt, trust)
			db, err := sql.Open("sqlserver", target)
			if err == nil {
				ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
				err = one.body(ctx, db)
				cancel()
				db.Close()
			}
			name := "go-mssqldb " + one.name
			if encrypt != "disable" {
				name += ", encrypt=" + encrypt
			}
			if err != nil {
				failed = true
				fmt.Printf("FAIL %s: %s\n", name, strings.ReplaceAll(err.Error(), "\n", " "))
			} else {
				fmt.Printf("PASS %s\n", name)
			}
		}
	}
	if failed {
		os.Exit(1)
	}
}
