package loaders

import (
	"slices"
	"time"

	"vantage/loaders/fileio"
)

// pollStorages asks the storages for news. While something changes it asks for every path that was opened, and after that for
// one path of each storage in turn: an idle storage is asked once a second, however many of its paths are open.
func (s *Source) pollStorages(now time.Time) {
	s.schedule.turn++
	for _, at := range s.storages {
		asks := s.asksOf(at)
		if s.schedule.idle(now) && len(asks) > 0 {
			i := s.schedule.turn % len(asks)
			asks = asks[i : i+1]
		}
		for _, ask := range asks {
			ask()
		}
	}
}

// asksOf returns what asks for news of each path that was opened in a storage. The listing of a directory tells what becomes of
// all files in it.
func (s *Source) asksOf(at fileio.Storage) (asks []func()) {
	for _, d := range s.directories {
		if d.storage == at {
			asks = append(asks, func() { s.listAgain(d) })
		}
	}
	for _, f := range s.schedule.single {
		if f.disk.Storage == at {
			asks = append(asks, func() { s.pollFile(f) })
		}
	}
	return asks
}

// followSingle follows a file of a storage that was given by itself.
func (s *Source) followSingle(f *file) {
	if !slices.Contains(s.schedule.single, f) {
		s.schedule.single = append(s.schedule.single, f)
	}
}
