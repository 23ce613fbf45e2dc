package loaders

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"vantage/loaders/fileio"
	"vantage/loaders/logprobs"
	"vantage/model"
	"vantage/model/offpolicy"
)

// tokens is what was found of log-probs of tokens. They are read for two questions, and what was read for the second answers the first:
// if it comes while they are read for the first, it is read for alone.
type tokens struct {
	waiting atomic.Int32                       // how often the second question waits
	cancel  atomic.Pointer[context.CancelFunc] // ends reading for the first

	mu    sync.Mutex // of all that follows
	asked time.Time  // zero before
	took  time.Duration
	err   error
	ofRun studied // what ails the run
	all   studied // with every rule, and other bounds

	latest atomic.Pointer[offpolicy.Study]

	ruled   sync.Mutex
	rulings []ruling // the newest last
}

// studied is how far the log-probs were read for a question, and what is known so far.
type studied struct {
	known *offpolicy.Growing // nil: nothing was read
	seen  logprobs.Memory
}

// tokensPause is how many times as long as reading log-probs took nothing is read again: a log that grows is read once in a while.
const tokensPause = 20

// LogProbs reads the log-probs of the tokens, if one path was opened that is a file or folder of this machine and has them; else the error
// is [logprobs.ErrNone]. still is that no weights change: see [offpolicy.Asked]. Of a log that only grew the rest is read.
func (s *Source) LogProbs(still bool) (*offpolicy.Study, error) {
	path, err := s.tokenPath()
	if err != nil {
		return nil, logprobs.ErrNone
	}
	for {
		study, err := s.logProbs(path, still)
		if !errors.Is(err, context.Canceled) {
			return study, err
		}
	}
}

// logProbs is LogProbs, whose error is [context.Canceled] if rules are to be tried, too.
func (s *Source) logProbs(path string, still bool) (study *offpolicy.Study, err error) {
	t := &s.tokens
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.asked.IsZero() && time.Since(t.asked) < tokensPause*t.took {
		return t.latest.Load(), t.err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	t.cancel.Store(&cancel)
	began := time.Now()
	switch {
	case t.waiting.Load() > 0:
		err = context.Canceled
	case t.all.known != nil:
		study, err = s.readTokens(ctx, path, &t.all, still, nil)
	case t.ofRun.known != nil || logprobs.Has(s.options.Disk, path):
		study, err = s.readTokens(ctx, path, &t.ofRun, still, nil)
	default:
		err = logprobs.ErrNone
	}
	if !errors.Is(err, context.Canceled) {
		t.latest.Store(study)
		t.asked, t.took, t.err = time.Now(), time.Since(began), err
	}
	return study, err
}

// RowFigures returns those of the rows whose log-probs were read for a whole study; nil if none were.
func (s *Source) RowFigures() *offpolicy.Rows {
	if study := s.tokens.latest.Load(); study != nil {
		return &study.Rows
	}
	return nil
}

// OffPolicy reads the log-probs of the tokens and tries every rule with them, and other bounds of each. Of a log that only grew the rest is
// read; while it is read for the first time, so far has what the steps say that are whole. The error is [logprobs.ErrNone] if the log has
// none, or a sentence on why it cannot be read.
func (s *Source) OffPolicy(ctx context.Context, soFar func(*offpolicy.Study)) (*offpolicy.Study, error) {
	path, err := s.tokenPath()
	if err != nil {
		return nil, err
	}
	still := false
	if found, err := s.Scalars(); err == nil {
		still = found.Still()
	}
	t := &s.tokens
	t.waiting.Add(1)
	if cancel := t.cancel.Load(); cancel != nil {
		(*cancel)()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting.Add(-1)
	began := time.Now()
	study, err := s.readTokens(ctx, path, &t.all, still, soFar)
	if err == nil {
		t.latest.Store(study)
		t.asked, t.took, t.err, t.ofRun = time.Now(), time.Since(began), nil, studied{}
	}
	return study, err
}

// soFarPause is how long no other part of what is read is shown.
const soFarPause = 500 * time.Millisecond

// readTokens reads what a question does not know yet of the log-probs at a path.
func (s *Source) readTokens(
	ctx context.Context, path string, r *studied, still bool, soFar func(*offpolicy.Study),
) (study *offpolicy.Study, err error) {
	if r.seen.IsEmpty() {
		*r = studied{}
	}
	if r.known != nil {
		r.known.DropNewest()
		if study, err = s.readRest(ctx, path, r, func() {}); !errors.Is(err, logprobs.ErrAgain) {
			study.Asked.Still = still
			return study, err
		}
	}
	asked := offpolicy.Asked{Still: still}
	*r = studied{known: offpolicy.NewGrowing(offpolicy.NewOfRun(asked))}
	if r == &s.tokens.all {
		r.known = offpolicy.NewGrowing(offpolicy.New(asked, true))
	}
	last, known := time.Now(), r.known
	return s.readRest(ctx, path, r, func() {
		if soFar == nil || time.Since(last) < soFarPause {
			return
		}
		if part := known.Settled(); part.Total.Compared > 0 {
			soFar(part)
		}
		last = time.Now()
	})
}

// readRest reads on. If that fails, or samples of steps that are not read again have no places yet, nothing is known any more.
func (s *Source) readRest(ctx context.Context, path string, r *studied, hasSettled func()) (*offpolicy.Study, error) {
	placeless := map[int]bool{} // steps
	add := r.known.Visit(hasSettled)
	visit := func(x offpolicy.Sample) func(int64) error {
		take := add(x)
		return func(line int64) error {
			if x.Place == nil {
				placeless[x.Step] = true
			}
			return take(line)
		}
	}
	err := logprobs.ReduceRest(s.options.Disk, path, &r.seen, s.placed(ctx, visit), func() {})
	study := r.known.All()
	delete(placeless, r.known.Newest())
	if err != nil || len(placeless) > 0 {
		*r = studied{}
	}
	return study, err
}

// placed has a visit of samples know their places.
func (s *Source) placed(ctx context.Context, visit offpolicy.Visit) func(logprobs.Sample) (take func(line int64) error) {
	numbers := s.texts.numbers()
	return func(x logprobs.Sample) func(line int64) error {
		sample := x.OfStudy()
		if whole, err := filepath.Abs(x.Where.Path); err == nil && x.Where.Path != "" {
			if file, known := numbers[whole]; known {
				sample.Place = &offpolicy.Place{
					Place: model.Place{File: file, Offset: x.Where.At, IndexInLine: x.Where.Index}, ByNumber: x.Where.Number,
				}
			}
		}
		take := visit(sample)
		return func(line int64) error { return cmp.Or(ctx.Err(), take(line)) }
	}
}

// Judge reads the log-probs of the tokens again, and asks the off-policy rule that settings name about the samples of a snapshot. Of a log
// that only grew since the rule was asked before, the new rows are read, and those of the step that was the newest. The error is one
// sentence: where the log has not what the rule reads, it says which option of its trainer writes that.
func (s *Source) Judge(ctx context.Context, snap model.Snapshot, set model.Settings) (*model.Judged, error) {
	path, err := s.tokenPath()
	if err != nil {
		return nil, err
	}
	before := s.tokens.takeRuling(set.RuleKey())
	now, err := s.rule(ctx, path, snap, set, before)
	if errors.Is(err, logprobs.ErrAgain) {
		before = ruling{}
		now, err = s.rule(ctx, path, snap, set, before)
	}
	if err != nil {
		s.tokens.keepRuling(before) // nothing was added to it
		return nil, err
	}
	s.tokens.keepRuling(now)
	return now.judged, nil
}

// ruling is what a rule made of a log, and how far it was read for that.
type ruling struct {
	judged *model.Judged // nil: nothing was read
	seen   logprobs.Memory
}

// maxRulings are kept: that of the settings, and that of the baseline.
const maxRulings = 2

// takeRuling is the ruling of a rule, which is kept no longer; the zero value if there is none.
func (t *tokens) takeRuling(of model.RuleKey) ruling {
	t.ruled.Lock()
	defer t.ruled.Unlock()
	i := slices.IndexFunc(t.rulings, func(r ruling) bool { return r.judged.RuleKey == of })
	if i < 0 {
		return ruling{}
	}
	found := t.rulings[i]
	t.rulings = slices.Delete(t.rulings, i, i+1)
	return found
}

// keepRuling keeps a ruling, if the log is one of which a part can be read.
func (t *tokens) keepRuling(r ruling) {
	if r.judged == nil || r.seen.IsEmpty() {
		return
	}
	t.ruled.Lock()
	defer t.ruled.Unlock()
	if t.rulings = append(t.rulings, r); len(t.rulings) > maxRulings {
		t.rulings = slices.Delete(t.rulings, 0, 1)
	}
}

// rule asks a rule about what was not read of a log before.
func (s *Source) rule(ctx context.Context, path string, snap model.Snapshot, set model.Settings, before ruling) (ruling, error) {
	judge, err := offpolicy.NewJudge(set)
	if err != nil {
		return ruling{}, err
	}
	byNumber, err := s.placesByNumber(ctx, snap)
	if err != nil {
		return ruling{}, err
	}
	placeless := map[string]bool{} // files of which the program has not read all samples yet
	add := func(x offpolicy.Sample) {
		switch {
		case x.Place == nil:
			placeless[x.File] = true
		case !x.Place.ByNumber:
			judge.Add(x, x.Place.Place)
		default:
			if at, known := byNumber[x.Place.Place]; known {
				judge.Add(x, at)
			}
		}
	}
	seen := before.seen
	visit := s.placed(ctx, func(x offpolicy.Sample) func(int64) error {
		return func(int64) error {
			add(x)
			return nil
		}
	})
	err = logprobs.ReduceRest(s.options.Disk, path, &seen, visit, judge.Break)
	for name := range placeless {
		seen.Forget(name)
	}
	judged, lacks := judge.Finish()
	switch {
	case err != nil && !errors.Is(err, logprobs.ErrNone):
		return ruling{}, err
	case lacks != "" && before.judged == nil:
		return ruling{}, fmt.Errorf("%s needs %s, which the log lacks: %s", set.OffPolicy, lacks, offpolicy.HowToLog(snap.Run.Framework))
	}
	return ruling{judged.Over(before.judged), seen}, nil
}

// placesByNumber are the places of the samples of files in which they are known by their number.
func (s *Source) placesByNumber(ctx context.Context, snap model.Snapshot) (map[model.Place]model.Place, error) {
	isNumbered := func(at model.Place) bool {
		f, known := s.texts.get(at.File)
		return known && filepath.Ext(f.name) == torchExtension && at.IndexInLine >= 0
	}
	var places []model.Place
	for i := range snap.Steps {
		for row := range snap.Steps[i].Rewards {
			if at := snap.Steps[i].Place(row); isNumbered(at) {
				places = append(places, at)
			}
		}
	}
	slices.SortFunc(places, model.Place.Compare)
	lines, err := s.Lines(ctx, places)
	if err != nil {
		return nil, err
	}
	all := make(map[model.Place]model.Place, len(places))
	for k, at := range places {
		all[model.Place{File: at.File, Offset: lines[k] - 1}] = at
	}
	return all, nil
}

// TokensOf reads the log-probs of one sample again. The error is [logprobs.ErrNone] if it has none.
func (s *Source) TokensOf(ctx context.Context, at model.Place) (offpolicy.Sample, error) {
	path, err := s.tokenPath()
	if err != nil {
		return offpolicy.Sample{}, err
	}
	f, known := s.texts.get(at.File)
	if !known || f.lost != "" || at.IndexInLine < 0 {
		return offpolicy.Sample{}, logprobs.ErrNone
	}
	whole, err := filepath.Abs(f.disk.FullPath())
	if err != nil {
		return offpolicy.Sample{}, err
	}
	where := logprobs.Where{Path: whole, At: at.Offset, Index: at.IndexInLine}
	if where.Number = filepath.Ext(whole) == torchExtension; where.Number {
		lines, err := s.Lines(ctx, []model.Place{at})
		if err != nil {
			return offpolicy.Sample{}, err
		}
		where.At, where.Index = lines[0]-1, 0
	}
	row, err := logprobs.ReadRow(s.options.Disk, path, where)
	return row.OfStudy(), err
}

// torchExtension is that of files of torch.save, whose samples have numbers and no bytes.
const torchExtension = ".pt"

// tokenPath is where log-probs may be.
func (s *Source) tokenPath() (string, error) {
	s.mu.Lock()
	first := s.files.first
	s.mu.Unlock()
	switch {
	case s.files.manyPaths:
		return "", errors.New("log-probs of tokens are read from one path, and several were opened: open one of them")
	case first == nil || !fileio.IsHere(first.storage):
		return "", errors.New("log-probs of tokens are read from files of this machine alone: open a copy of the log")
	}
	return first.path, nil
}

// numbers are those of the files whose texts can be read again, by their whole paths.
func (x *textIndex) numbers() map[string]int32 {
	x.mu.Lock()
	defer x.mu.Unlock()
	all := make(map[string]int32, len(x.files))
	for number, f := range x.files {
		if f.lost != "" {
			continue
		}
		if whole, err := filepath.Abs(f.disk.FullPath()); err == nil {
			all[whole] = number
		}
	}
	return all
}
