package clickhouse

import (
	"testing"

	"github.com/ClickHouse/ch-go/proto"
)

// Arrays whose lengths a server made up are refused before anything relies on them.
func TestCheckOfArrays(t *testing.T) {
	for _, x := range []struct {
		samples, values []uint64
		ok              bool
	}{
		{[]uint64{2, 5}, []uint64{2, 5}, true},
		{nil, nil, true},
		{[]uint64{2, 5}, []uint64{3, 5}, false},
		{[]uint64{2, 5}, []uint64{2}, false},
		{[]uint64{9, 5}, []uint64{9, 5}, false},
	} {
		b := newGroupBlock(make([]field, 1))
		b.sample.arrays.Offsets, b.values[0].arrays.Offsets = proto.ColUInt64(x.samples), proto.ColUInt64(x.values)
		if err := b.check(); (err == nil) != x.ok {
			t.Errorf("%v, %v: %v", x.samples, x.values, err)
		}
	}
}
