package diagnosis

import (
	"context"
	"hash/maphash"
	"slices"
	"sort"
	"time"

	"vantage/model"
	"vantage/model/analysis"
)

// Look is a look at a run: what was found, and what the next look at the same run need not see again.
type Look struct {
	Diagnosis    *Diagnosis
	Dated        time.Time // that the newest row gives itself, zero if it gives none: see model.TimeOf; the caller of See sets it
	observations *Observations
	digests      map[digestKey]digest // of texts of a far log, which are not asked for twice
	seed         maphash.Seed         // of the hashes in them
}

// digestKey is a sample of a step as it was.
type digestKey struct {
	step          int64
	revision, row int
}

// maxTexts is how many texts a look reads at most, wherever the log is: enough for the shares that detectors ask for.
const maxTexts = 4096

// See looks at a run: at all its steps, and at the texts of some of its answers, in the order of the log. A text that cannot be read is
// none. previous is the look before, or nil.
func See(ctx context.Context, snap model.Snapshot, set model.Settings, read analysis.ReadTexts, previous *Look) (*Look, error) {
	if previous == nil {
		previous = &Look{}
	}
	o, err := Observe(ctx, snap, set, previous.observations)
	if err != nil {
		return nil, err
	}
	texts, look := NewTexts(o, maxTexts), &Look{observations: o}
	if snap.Run.Progress.Link.IsRemote() {
		look.digests = map[digestKey]digest{}
		if len(previous.digests) > 0 {
			texts.seed = previous.seed
		}
		look.seed = texts.seed
	}
	for picks := texts.Next(); len(picks) > 0 && read != nil; picks = texts.Next() {
		if texts.read(ctx, snap, picks, read, previous.digests, look.digests) != nil {
			break
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	look.Diagnosis = Of(o, texts)
	look.Diagnosis.Grounds = o.grounds()
	look.Diagnosis.Learning, look.Diagnosis.Sum = o.learning(), o.total
	for i := range o.Steps {
		look.Diagnosis.Numbers = append(look.Diagnosis.Numbers, o.Steps[i].Step)
	}
	look.Diagnosis.Rewards, look.Diagnosis.Averages = o.rewards().values(), o.averages()
	return look, nil
}

// read reads the texts of some samples that are not among those before, and keeps all if keep is not nil. It fails if it is not worth
// asking for more: of a far log whose link is lost it is not.
func (t *Texts) read(ctx context.Context, snap model.Snapshot, picks []Pick, read analysis.ReadTexts, before, keep map[digestKey]digest) error {
	place := func(p Pick) model.Place { return snap.Steps[p.Step].Place(p.Row) }
	sort.Slice(picks, func(i, k int) bool { return place(picks[i]).Compare(place(picks[k])) < 0 })
	key := func(p Pick) digestKey {
		return digestKey{snap.Steps[p.Step].Number, snap.Steps[p.Step].Revision, p.Row}
	}
	digests, unread, places := make([]*digest, len(picks)), []int(nil), []model.Place(nil)
	for i, p := range picks {
		if d, known := before[key(p)]; known {
			digests[i] = &d
		} else {
			unread, places = append(unread, i), append(places, place(p))
		}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	failed := read(ctx, places, nil, func(i int, text model.Text, err error) {
		switch {
		case err == nil:
			d := t.digest(text)
			digests[unread[i]] = &d
		case keep != nil:
			stop()
		}
	})
	for i, p := range picks {
		if digests[i] == nil {
			continue
		}
		if keep != nil {
			keep[key(p)] = *digests[i]
		}
		t.add(p, *digests[i])
	}
	return failed
}

// Within returns the findings that hold at one of the steps from first to last, and what cannot be told.
func (d *Diagnosis) Within(first, last int64) *Diagnosis {
	return d.only(func(f *Finding) bool { return f.Until >= first && f.Since <= last })
}

// Lasting returns the findings that hold at the newest step, and what cannot be told.
func (d *Diagnosis) Lasting() *Diagnosis { return d.only(func(f *Finding) bool { return f.Lasting }) }

func (d *Diagnosis) only(holds func(*Finding) bool) *Diagnosis {
	some := *d
	some.Findings = slices.DeleteFunc(slices.Clone(d.Findings), func(f Finding) bool { return !holds(&f) })
	return &some
}
