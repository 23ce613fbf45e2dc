package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/compare"
	"vantage/model/report"
)

// parseWith returns the settings that --with names: those that leave the log and its groups as they are.
func parseWith(given []string) (options []model.Option, err error) {
	for _, text := range given {
		key, value, found := strings.Cut(text, "=")
		setting, known := model.FindSetting(key)
		isSwitch := known && !found && setting.Name == "compute_new_adv"
		decidesOnLog := known && (setting.About == model.AboutRewards || setting.About == model.AboutGroups)
		switch {
		case isSwitch:
			value = "true"
		case !found || key == "":
			return nil, fmt.Errorf("--with %s: expected KEY=VALUE, such as keep-neg-ratio=0.5 or estimator=rloo", text)
		case decidesOnLog:
			return nil, fmt.Errorf("--with %s: both settings are of the same rewards and groups; give it as a flag, --%s", text,
				setting.Flag())
		}
		options = append(options, model.Option{Name: key, Value: value})
	}
	if _, err := setAll(options); err != nil {
		return nil, fmt.Errorf("--with: %w", err)
	}
	return options, nil
}

// alsoWith returns a program whose command line has more settings, and these settings. The log is read with the columns that both need.
func (p *program) alsoWith(options []model.Option) (*program, model.Settings, error) {
	other := *p
	other.settings = slices.Concat(p.settings, options)
	set, err := setAll(other.settings)
	if err != nil {
		return nil, set, usage(fmt.Errorf("--with: %w", err))
	}
	set = other.selectColumns(set)
	if err := other.validate(set); err != nil {
		return nil, set, usage(fmt.Errorf("--with: %w", err))
	}
	p.columns.Inputs = other.columns.Inputs
	isRead := func(name string) bool { return slices.Contains(p.columns.Rewards, name) }
	more := slices.DeleteFunc(slices.Clone(other.columns.Rewards), isRead)
	p.columns.Rewards = append(slices.Clip(p.columns.Rewards), more...)
	return &other, set, nil
}

// compareSettings compares a run with itself under other settings, and writes which advantages change their sign.
func (c *call) compareSettings(ctx context.Context, with []string, options []model.Option, where *selection) error {
	if len(c.paths) != 1 {
		return usage(errors.New("compare --with takes one run: vantage compare PATH --with KEY=VALUE"))
	}
	other, second, err := c.p.alsoWith(options)
	if err != nil {
		return err
	}
	c.note(c.p.configSummary)
	source, snap, err := c.p.readOpen(ctx, c.paths)
	if err != nil {
		return err
	}
	defer source.Close()
	c.note(snap.Run.LeftOut()...)
	s := &report.Signs{Head: newHead(c.paths), With: with}
	for k, of := range []struct {
		p   *program
		set model.Settings
	}{{c.p, c.set}, {other, second}} {
		if s.Settings[k], s.Choices[k], err = of.p.choose(ctx, snap, of.set); err != nil {
			return err
		}
	}
	s.Settings[1].Proved = s.Settings[0].Proved // both are of the same groups
	if snap, err = other.judged(ctx, source, snap, s.Settings[:]...); err != nil {
		return err
	}
	s.Signs, err = compare.Settings(ctx, snap, s.Settings[0], s.Settings[1], func(a *analysis.Analysis) []int { return where.of(a) })
	if err != nil {
		return classifyError(err)
	}
	if where.text != "" && where.matching == 0 {
		return where.nothing()
	}
	s.Where, s.Settings = where.sentence(), [2]model.Settings{s.Settings[0].Effective(), s.Settings[1].Effective()}
	write := map[string]func(io.Writer, *report.Signs) error{
		"text": report.SignsText, "md": report.SignsMarkdown, "csv": csvOf((*report.Signs).Table), "json": report.SignsJSON,
	}[c.format]
	return write(c.output(ctx), s)
}
