package clickhouse

import (
	"context"
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

// allowedSettings returns what to set with each query: that it cannot write, that blocks are small, and that answers
// are whole. A user of the profile readonly=1 can neither write nor set anything: if that profile lets the server leave
// something out, it is an error.
func (s *Source) allowedSettings(ctx context.Context, conn *wire.Conn) ([]wire.Setting, error) {
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
		return nil, err
	case rows == 0:
		return nil, s.target.leavesOut(wire.Setting{Name: "offset", Value: "0"})
	case readonly == "1" && limited:
		return nil, s.target.leavesOut(wire.Setting{Name: "limit", Value: "0"})
	case readonly == "1" && len(set) > 0:
		return nil, s.target.leavesOut(set[0])
	case readonly == "1":
		return nil, nil
	case readonly != "2":
		set = append(set, wire.Setting{Name: "readonly", Value: "2"})
	}
	set = append(set, wire.Setting{Name: "limit", Value: "0"}, wire.Setting{Name: "offset", Value: "0"}) // no query is told these
	return append(set, wire.Setting{Name: "max_block_size", Value: "8192"}), nil
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
