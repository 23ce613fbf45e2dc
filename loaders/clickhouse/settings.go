package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ClickHouse/ch-go/proto"

	"vantage/loaders/clickhouse/wire"
)

// whole are the settings with which a server answers whole or with an error. With others, which the profile of a user
// may have, it leaves out the shards that are away, or what is over a limit, and says nothing.
func whole() map[string]string {
	return map[string]string{
		"skip_unavailable_shards": "0",
		"read_overflow_mode":      "throw", "read_overflow_mode_leaf": "throw", "result_overflow_mode": "throw", "timeout_overflow_mode": "throw",
		"timeout_overflow_mode_leaf": "throw", "group_by_overflow_mode": "throw", "sort_overflow_mode": "throw", "distinct_overflow_mode": "throw",
	}
}

// allowed is how a user may ask.
type allowed struct {
	settings []wire.Setting // of each query
	limit    int            // an answer of fewer rows is whole; 0 is no limit
}

// errCut says that an answer has as many rows as the profile of the user allows, so that some may be missing.
var errCut = errors.New("the answer may be cut")

// do runs a query whose result has such columns. Who reads a result that may be cut sees it before it is an error.
func (a allowed) do(ctx context.Context, conn *wire.Conn, sql string, columns proto.Results, each func(rows int) error) error {
	all := 0
	err := conn.Do(ctx, wire.Query{SQL: sql, Settings: a.settings, Columns: columns, OnBlock: func(rows int) error {
		all += rows
		return each(rows)
	}})
	if err == nil && a.limit > 0 && all >= a.limit {
		return errCut
	}
	return err
}

// allowedSettings returns what to set with each query: that it cannot write, that blocks are small, and that answers
// are whole. A user of the profile readonly=1 can neither write nor set anything: if that profile lets the server leave
// something out, it is an error, but for a limit of rows, which an answer can be compared with.
func (s *Source) allowedSettings(ctx context.Context, conn *wire.Conn) (allowed, error) {
	var told proto.ColStr
	rows, readonly, limited := 0, "", false
	var set []wire.Setting
	err := conn.Do(ctx, wire.Query{
		SQL: settingsSQL(), Columns: proto.Results{{Name: "vantage_told", Data: &told}},
		OnBlock: func(n int) error {
			rows += n
			readonly, set = missing(told.Row(0))
			return nil
		},
		OnLimit: func() { limited = true }, // system.settings says 0, whatever the profile has
	})
	switch {
	case err != nil:
		return allowed{}, err
	case rows == 0:
		return allowed{}, s.target.leavesOut(wire.Setting{Name: "offset", Value: "0"})
	case readonly == "1" && len(set) > 0:
		return allowed{}, s.target.leavesOut(set[0])
	case readonly == "1" && limited:
		limit, err := findLimit(ctx, conn)
		return allowed{limit: limit}, err
	case readonly == "1":
		return allowed{}, nil
	case readonly != "2":
		set = append(set, wire.Setting{Name: "readonly", Value: "2"})
	}
	set = append(set, wire.Setting{Name: "limit", Value: "0"}, wire.Setting{Name: "offset", Value: "0"}) // no query is told these
	return allowed{settings: append(set, wire.Setting{Name: "max_block_size", Value: "8192"})}, nil
}

// maxLimit is the largest limit that is told from larger ones.
const maxLimit = 1 << 20

// findLimit returns to how many rows the profile limits an answer, at most maxLimit: no setting tells it.
func findLimit(ctx context.Context, conn *wire.Conn) (limit int, err error) {
	var zero proto.ColUInt8
	err = conn.Do(ctx, wire.Query{
		SQL:     fmt.Sprintf("SELECT toUInt8(0) AS vantage_zero FROM (SELECT arrayJoin(range(%d)))", maxLimit),
		Columns: proto.Results{{Name: "vantage_zero", Data: &zero}},
		OnBlock: func(rows int) error { limit += rows; return nil },
	})
	return limit, err
}

// missing returns the setting readonly, and those of whole that are others in "name=value name=value".
func missing(told string) (readonly string, set []wire.Setting) {
	for setting := range strings.FieldsSeq(told) {
		name, value, _ := strings.Cut(setting, "=")
		if want, known := whole()[name]; !known {
			readonly = value
		} else if value != want {
			set = append(set, wire.Setting{Name: name, Value: want})
		}
	}
	return readonly, set
}

// settingsSQL asks for the settings that count, as the profile of the user has them: in one row, since a limit may
// stand for this answer too. A server lacks settings that are younger than it.
func settingsSQL() string {
	names := []string{"'readonly'"}
	for name := range whole() {
		names = append(names, quoteText(name))
	}
	return "SELECT arrayStringConcat(groupArray(concat(name, '=', value)), ' ') AS vantage_told FROM system.settings WHERE name IN (" + strings.Join(names, ", ") + ")"
}

// leavesOut is the error for a profile with which rows may be missing.
func (t target) leavesOut(need wire.Setting) error {
	return &Error{text: fmt.Sprintf("the profile of %s on %s sets %s so that rows may be missing from an answer, and allows no other: ask for a user with %s=%s or with readonly=2", t.User, t.Host, need.Name, need.Name, need.Value)}
}
