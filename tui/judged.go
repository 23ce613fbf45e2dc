package tui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/sanitize"
	"vantage/tui/env"
	"vantage/tui/job"
)

// Judge reads the log-probs of a log again, and asks the off-policy rule that settings name about its samples.
type Judge = func(ctx context.Context, snap model.Snapshot, set model.Settings) (*model.Judged, error)

// judging is what off-policy rules make of the log, which is read again for them in the background.
type judging struct {
	judge Judge // nil: the log cannot be read again
	job   job.Job[judgingKey, judgedLog]
}

// judgingKey is the rules of the settings and of the baseline, and the complete steps that they judge.
type judgingKey struct {
	now, base model.RuleKey
	steps     uint64
}

// judgedLog is what the rules make of the log, and from when on they may be asked again.
type judgedLog struct {
	rules []*model.Judged
	again time.Time
}

// updateJudged takes what rules make of the log, and requests it for those of the settings and the baseline: again when other steps are
// complete.
func (a App) updateJudged(msg tea.Msg) App {
	if a.judging.job.Take(&a.commands, msg) {
		a.store.SetJudged(a.judging.job.Value.rules...)
		a.work.stale = true // the next snapshot has them
		for _, j := range a.judging.job.Value.rules {
			if j.WhyNone != "" && j.Name == a.env.Settings.Now.OffPolicy {
				a = a.says(sanitize.Line(j.WhyNone))
			}
		}
	}
	asked := []model.Settings{a.env.Settings.Now}
	if a.env.Settings.Base.On {
		asked = append(asked, a.env.Settings.Base.Settings)
	}
	asked = slices.DeleteFunc(asked, func(set model.Settings) bool { return set.OffPolicy == "" })
	if len(asked) == 0 || a.env.Result.Analysis == nil || a.env.IsReading() {
		return a
	}
	key := judgingKey{now: asked[0].RuleKey(), base: asked[len(asked)-1].RuleKey(), steps: env.HashOfComplete(a.env.Snap)}
	isSame := func(was, wanted judgingKey) bool { return was.now == wanted.now && was.base == wanted.base }
	if !a.judging.job.Lacks(key, isSame) {
		return a
	}
	judge, snap, again := a.judging.judge, a.env.Snap, time.Time{}
	if isSame(a.judging.job.Of, key) {
		again = a.judging.job.Value.again
	}
	a.judging.job.Start(&a.commands, key, job.Once(func(ctx context.Context) (x judgedLog, err error) {
		if err := job.Rest(ctx, again); err != nil {
			return x, err
		}
		began := time.Now()
		for _, set := range asked {
			if snap.WithJudged(x.rules...).JudgedBy(set) == nil {
				x.rules = append(x.rules, judgeWith(ctx, judge, snap, set))
			}
		}
		x.again = job.Again(began)
		return x, ctx.Err()
	}))
	return a
}

// judgeWith asks the rule of settings. If nothing can be read for it, it says why.
func judgeWith(ctx context.Context, judge Judge, snap model.Snapshot, set model.Settings) *model.Judged {
	if judge == nil {
		return &model.Judged{RuleKey: set.RuleKey(), WhyNone: set.OffPolicy + ": the log cannot be read again for its log-probs"}
	}
	judged, err := judge(ctx, snap, set)
	if err != nil {
		return &model.Judged{RuleKey: set.RuleKey(), WhyNone: err.Error()}
	}
	return judged
}
