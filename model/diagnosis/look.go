package diagnosis

import (
	"context"
	"hash/maphash"
	"math"
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
	digests      map[digestKey]digest // of texts, which are not asked for twice, whatever the settings
	seed         maphash.Seed         // of the hashes in them
	answers      map[digestKey]bool   // whose answer was wanted, besides what tells of the prompt
}

// digestKey is a sample of a step as it was.
type digestKey struct {
	step          int64
	revision, row int
}

// maxTexts is how many texts a look reads at most, wherever the log is: enough for the shares that detectors ask for. Those of
// [Texts.pickAlike] come on top.
const maxTexts = 4096

// Reading is how a look reads answers.
type Reading struct {
	Texts analysis.ReadTexts // nil: nothing can be read
	Every bool               // all are read, however many there are
	From  int64              // the first step that is shown: whether answers of a step are alike is asked from there on
}

// See looks at a run: at all its steps, and at the texts of some of its answers, in the order of the log. A text that cannot be read is
// none. previous is the look before, or nil.
func See(ctx context.Context, snap model.Snapshot, set model.Settings, how Reading, previous *Look) (*Look, error) {
	if previous == nil {
		previous = &Look{}
	}
	o, err := Observe(ctx, snap, set, previous.observations)
	if err != nil {
		return nil, err
	}
	texts := NewTexts(o, maxTexts)
	if texts.every = how.Every; how.Every {
		texts.most = math.MaxInt
	}
	if len(previous.digests) > 0 {
		texts.seed = previous.seed
	}
	look := &Look{observations: o, digests: map[digestKey]digest{}, seed: texts.seed, answers: map[digestKey]bool{}}
	if how.Texts != nil {
		look.read(ctx, snap, texts, how, previous)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	look.Diagnosis = Of(o, texts)
	look.Diagnosis.Grounds = o.grounds()
	if texts.hasWords() {
		look.Diagnosis.Answers = Answers{Read: len(look.answers), Of: o.rows, Alike: texts.alike()}
	}
	look.Diagnosis.Learning, look.Diagnosis.Sum = o.learning(), o.total
	for i := range o.Steps {
		look.Diagnosis.Numbers = append(look.Diagnosis.Numbers, o.Steps[i].Step)
	}
	look.Diagnosis.Rewards, look.Diagnosis.Averages = o.rewards().values(), o.averages()
	return look, nil
}

// read reads what texts asks for, until it asks for nothing, or it is not worth asking for more: of a far log whose link is lost it is not.
func (l *Look) read(ctx context.Context, snap model.Snapshot, texts *Texts, how Reading, previous *Look) {
	isFar := snap.Run.Progress.Link.IsRemote()
	take := func(picks []Pick) error {
		sort.Slice(picks, func(i, k int) bool { return placeOf(snap, picks[i]).Compare(placeOf(snap, picks[k])) < 0 })
		var unread []digestKey
		var places []model.Place
		for _, p := range picks {
			key := keyOf(snap, p)
			_, known := l.digests[key]
			if d, before := previous.digests[key]; before && !known {
				l.digests[key], known = d, true
			}
			if !known {
				unread, places = append(unread, key), append(places, placeOf(snap, p))
			}
		}
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		digests := make([]*digest, len(unread))
		failed := how.Texts(ctx, places, nil, func(i int, text model.Text, err error) {
			switch {
			case err == nil:
				d := texts.digest(text)
				digests[i] = &d
			case isFar:
				stop()
			}
		})
		for i, d := range digests {
			if d != nil {
				l.digests[unread[i]] = *d
			}
		}
		for _, p := range picks {
			key := keyOf(snap, p)
			d, isRead := l.digests[key]
			if !isRead {
				continue
			}
			if !p.sourcing && !p.truthing {
				l.answers[key] = true
			}
			texts.add(p, d)
		}
		return failed
	}
	for picks := texts.Next(); len(picks) > 0; picks = texts.Next() {
		if take(picks) != nil {
			return
		}
	}
	if texts.hasWords() {
		_ = take(texts.pickAlike(how.From))
	}
}

func placeOf(snap model.Snapshot, p Pick) model.Place { return snap.Steps[p.Step].Place(p.Row) }

func keyOf(snap model.Snapshot, p Pick) digestKey {
	return digestKey{snap.Steps[p.Step].Number, snap.Steps[p.Step].Revision, p.Row}
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
