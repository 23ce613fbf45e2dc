package tui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"vantage/model"
)

// removesAll judges that a rule leaves nothing of any sample.
func removesAll(_ context.Context, snap model.Snapshot, set model.Settings) (*model.Judged, error) {
	of := map[model.Place]model.Judgement{}
	for i := range snap.Steps {
		for row := range snap.Steps[i].Rewards {
			of[snap.Steps[i].Place(row)] = model.Judgement{Tokens: 10}
		}
	}
	return model.NewJudged(set.RuleKey(), of), nil
}

func (d *driver) command(text string) {
	d.t.Helper()
	d.press(":")
	d.typeText(text)
	d.press("enter")
}

// A rule that is chosen reads the log again, and shows in what trains; undo, the baseline and the header have it as other settings.
func TestOffPolicyRuleOnTheScreen(t *testing.T) {
	set := model.DefaultSettings()
	set.Assumed = true
	driveWith(t, madeRun(3), 120, 36, Options{Settings: set, Judge: removesAll}, func(d *driver) {
		kept := func() int { return d.app.env.Result.Analysis.Kept }
		all := kept()
		d.command("off-policy slime/tis")
		d.wantText("C +1", "drops all 8 samples")
		if kept() != 0 || d.app.env.Result.Trend.Steps[0].Kept != 0 {
			t.Errorf("%d samples are kept of step 3, %d of step 1: want none", kept(), d.app.env.Result.Trend.Steps[0].Kept)
		}
		d.press("u")
		if kept() != all {
			t.Errorf("after undo %d samples are kept, want %d", kept(), all)
		}
		d.command("off-policy slime/tis")
		d.press("b")
		d.wantText("off-policy rule slime/tis")
		d.command("off-policy none")
		if base := d.app.env.Result.Base; kept() != all || base == nil || base.Kept != 0 {
			t.Errorf("%d samples are kept, of the baseline %+v: want %d and none", kept(), base, all)
		}
	})
}

// A log that lacks what the rule reads says so, once it was looked for.
func TestOffPolicyRuleWithoutLogProbs(t *testing.T) {
	set := model.DefaultSettings()
	set.Assumed = true
	lacks := func(context.Context, model.Snapshot, model.Settings) (*model.Judged, error) {
		return nil, errors.New("slime/tis needs log-probs: --dump-details DIR writes them")
	}
	driveWith(t, madeRun(3), 120, 36, Options{Settings: set, Judge: lacks}, func(d *driver) {
		d.command("off-policy slime/tis")
		d.wantText("slime/tis needs log-probs: --dump-details DIR writes them")
		if a := d.app.env.Result.Analysis; a.Kept != a.Rows {
			t.Errorf("%d of %d samples are kept", a.Kept, a.Rows)
		}
	})
}

// The session remembers the rule and its options, and says so.
func TestSessionRemembersTheOffPolicyRule(t *testing.T) {
	s := &memoryStore{}
	driveSession(t, s, Options{Judge: removesAll}, func(d *driver) {
		d.command("off-policy slime/tis")
		d.command("option tis_clip=3")
	})
	driveSession(t, s, Options{Judge: removesAll}, func(d *driver) {
		if set := d.app.env.Settings.Now; set.OffPolicy != "slime/tis" || set.StageOptions != "tis_clip=3" {
			t.Errorf("settings %+v", set)
		}
		if !strings.Contains(d.app.overlays.notice, "off-policy rule slime/tis") || d.app.env.Result.Analysis.Kept != 0 {
			t.Errorf("%q, %d kept", d.app.overlays.notice, d.app.env.Result.Analysis.Kept)
		}
	})
}
