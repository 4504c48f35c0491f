package hermes

import (
	"context"
	"database/sql"
	"strings"
)

// columns names the columns of a table; versions of Hermes differ in them.
type columns map[string]bool

// columnsOf is empty where there is no such table.
func columnsOf(ctx context.Context, tx *sql.Tx, table string) (columns, error) {
	rows, err := tx.QueryContext(ctx, "SELECT name FROM pragma_table_info(?)", table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	has := columns{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		has[name] = true
	}
	return has, rows.Err()
}

// pick lists columns for a query, with null for each that the table does not have.
func (c columns) pick(names ...string) string {
	list := make([]string, len(names))
	for i, name := range names {
		if list[i] = name; !c[name] {
			list[i] = "NULL AS " + name
		}
	}
	return strings.Join(list, ", ")
}
