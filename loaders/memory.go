package loaders

import (
	"fmt"
	"runtime/metrics"

	"vantage/model/units"
)

// memoryLimit stops the reading before the system would kill the program: what was read stays on the
// screen.
type memoryLimit struct {
	limit   int64 // how much more than at the start may be held; 0 is no limit
	start   int64
	samples []metrics.Sample
	reached error
}

func newMemoryLimit(limit int64) *memoryLimit {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	m := &memoryLimit{limit: limit, samples: samples}
	m.start = m.held()
	return m
}

func (m *memoryLimit) held() int64 {
	metrics.Read(m.samples)
	return int64(m.samples[0].Value.Uint64() - m.samples[1].Value.Uint64())
}

// stops reports whether there is too little memory to read on. It then stays so.
func (m *memoryLimit) stops(read, all int64) bool {
	if m.reached != nil || m.limit <= 0 {
		return m.reached != nil
	}
	if grown := m.held() - m.start; grown > m.limit {
		m.reached = fmt.Errorf("reading stopped at %s: %s are held and the system leaves no more; open fewer files, or give the job "+
			"more memory",
			units.BytesOf(read, all), units.Bytes(grown))
	}
	return m.reached != nil
}
