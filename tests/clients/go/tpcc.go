// The order-entry benchmark's five transactions as procedures, called through go-mssqldb: the procedures, tables and
// draws of the suite tpcc of `mainstay bench`. A terminal is a connection without think times, so these are no tpmC.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	mssql "github.com/microsoft/go-mssqldb"
)

var kinds = []string{"new_order", "payment", "order_status", "delivery", "stock_level"}

// The number of the error that asks the victim of a deadlock to try again.
const deadlock = 1205

type terminal struct {
	random           *rand.Rand
	items, customers int
	number           int
}

func (t *terminal) draw(low, high int) int { return low + t.random.IntN(high-low+1) }

// A transaction in the shares of clause 5.2.3.
func (t *terminal) kind() string {
	switch share := t.draw(1, 100); {
	case share <= 45:
		return "new_order"
	case share <= 88:
		return "payment"
	case share <= 92:
		return "order_status"
	case share <= 96:
		return "delivery"
	}
	return "stock_level"
}

// A customer by number, or by last name in six cases of ten.
func (t *terminal) customer() []any {
	customer := t.draw(1, t.customers)
	if t.draw(1, 10) > 6 {
		return []any{sql.Named("c_id", customer), sql.Named("last", nil)}
	}
	syllables := []string{"BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"}
	n := (customer - 1) % 1000
	last := syllables[n/100%10] + syllables[n/10%10] + syllables[n%10]
	return []any{sql.Named("c_id", nil), sql.Named("last", mssql.VarChar(last))}
}

func (t *terminal) arguments(kind string) []any {
	t.number++
	warehouse, district := sql.Named("w_id", 1), sql.Named("d_id", t.draw(1, 10))
	switch kind {
	case "new_order":
		return []any{warehouse, district, sql.Named("c_id", t.draw(1, t.customers)), sql.Named("lines", t.draw(5, 15)),
			sql.Named("items", t.items), sql.Named("seed", t.draw(1, 2147483647)), sql.Named("fails", t.number%100 == 0)}
	case "payment":
		amount := fmt.Sprintf("%d.%02d", t.draw(1, 4999), t.draw(0, 99))
		return append([]any{warehouse, district, sql.Named("amount", mssql.VarChar(amount))}, t.customer()...)
	case "order_status":
		return append([]any{warehouse, district}, t.customer()...)
	case "delivery":
		return []any{warehouse, sql.Named("carrier", t.draw(1, 10))}
	}
	return []any{warehouse, district, sql.Named("threshold", t.draw(10, 20))}
}

// Calls transactions until the time is over; gives how many of each there were.
func (t *terminal) work(ctx context.Context, db *sql.DB, end time.Time, kind func() string) (map[string]int, error) {
	connection, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	done := map[string]int{}
	for time.Now().Before(end) {
		kind := kind()
		arguments := t.arguments(kind)
		for {
			_, err := connection.ExecContext(ctx, kind, arguments...)
			var said mssql.Error
			if errors.As(err, &said) && said.Number == deadlock {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", kind, err)
			}
			break
		}
		done[kind]++
	}
	return done, nil
}

// Makes the tables, a warehouse, and the procedures.
func loadOrderEntry(ctx context.Context, db *sql.DB, items, customers int) error {
	for _, name := range []string{"procedures.sql", "schema.sql"} {
		text, err := os.ReadFile(filepath.Join(os.Getenv("TPCC_SQL"), name))
		if err != nil {
			return err
		}
		for _, batch := range strings.Split(string(text), "\nGO\n") {
			if _, err := db.ExecContext(ctx, batch); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	_, err := db.ExecContext(ctx, "EXEC load_all @p1, @p2", items, customers)
	return err
}

// Runs terminals at once; gives how many transactions of each kind were done. Afterwards the consistency conditions of
// clause 3.3.2 must hold.
func orderEntry(ctx context.Context, db *sql.DB, terminals, items, customers int, seconds float64, kind string) (map[string]int, error) {
	var group sync.WaitGroup
	var lock sync.Mutex
	total, failed := map[string]int{}, error(nil)
	end := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	for n := range terminals {
		t := &terminal{random: rand.New(rand.NewPCG(20240229, uint64(n))), items: items, customers: customers}
		next := t.kind
		if kind != "" {
			next = func() string { return kind }
		}
		group.Go(func() {
			done, err := t.work(ctx, db, end, next)
			lock.Lock()
			defer lock.Unlock()
			failed = errors.Join(failed, err)
			for kind, count := range done {
				total[kind] += count
			}
		})
	}
	group.Wait()
	if failed != nil {
		return nil, failed
	}
	rows, err := db.QueryContext(ctx, "EXEC inconsistencies")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	if rows.Next() {
		var condition, place int
		return nil, errors.Join(fmt.Errorf("a consistency condition does not hold"), rows.Scan(&condition, &place),
			fmt.Errorf("condition %d at %d", condition, place))
	}
	return total, rows.Err()
}

// The order-entry case of the tests: a small warehouse, four terminals, half a second.
func fiveTransactions(ctx context.Context, db *sql.DB) error {
	if err := loadOrderEntry(ctx, db, 100, 30); err != nil {
		return err
	}
	done, err := orderEntry(ctx, db, 4, 100, 30, 0.5, "")
	if err != nil {
		return err
	}
	return check(done["new_order"] > 0 && done["payment"] > 0, done)
}

// Prints calls a second: each transaction alone, the mix, and the mix from several terminals.
func measureOrderEntry(ctx context.Context, db *sql.DB, seconds float64) error {
	const items, customers = 10_000, 300
	if err := loadOrderEntry(ctx, db, items, customers); err != nil {
		return err
	}
	report := func(title string, terminals int, kind string) error {
		done, err := orderEntry(ctx, db, terminals, items, customers, seconds, kind)
		total := 0
		for _, count := range done {
			total += count
		}
		fmt.Printf("%-28s %9.0f calls/s\n", title, float64(total)/seconds)
		return err
	}
	for _, kind := range kinds {
		if err := report(kind, 1, kind); err != nil {
			return err
		}
	}
	return errors.Join(report("the mix, 1 connection", 1, ""), report("the mix, 4 connections", 4, ""))
}
