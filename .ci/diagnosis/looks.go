package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"vantage/internal/testkit/illlogs"
	"vantage/loaders/demo/illruns"
)

// look is what is said of a run while it is on.
type look struct {
	until  int   // steps that were logged by then
	step   int64 // number of the last of them
	alarms []finding
}

// How late an alarm may be, as shares of the run after the onset: half of them, and nine tenths.
const soon, late = 0.1, 0.25

// takeLooks asks the program as a run grows: at so many places, and soon and late after an illness has begun. The program is asked as a
// person asks it, of the log that is there by then, without what it said before.
func takeLooks(binary, folder string, p plan, places int) (looks []look, err error) {
	for _, until := range untils(p, places) {
		run := illruns.Make(p.scene, p.shape, p.seed)
		here := filepath.Join(folder, fmt.Sprint(until))
		if err := illlogs.Write(run, here, illruns.Arrange{Until: until}); err != nil {
			return nil, err
		}
		said, err := summary(binary, here)
		if err != nil {
			return nil, err
		}
		looks = append(looks, look{until, run.Number(until - 1), alarms(said)})
		_ = os.RemoveAll(here)
	}
	return looks, nil
}

// untils are the numbers of steps after which a run is looked at.
func untils(p plan, places int) (all []int) {
	for i := 1; i <= places; i++ {
		all = append(all, max(1, p.shape.Steps*i/places))
	}
	for _, ill := range illruns.Make(p.scene, p.shape, p.seed).Truth.Ill {
		for _, share := range []float64{soon, late} {
			all = append(all, min(p.shape.Steps, p.stepsUntil(ill)+int(share*float64(p.shape.Steps))))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// stepsUntil is how many steps are logged when an illness has begun, the first of it among them.
func (p *plan) stepsUntil(ill illruns.Planted) int {
	return int(ill.Since-p.shape.First)/max(1, p.shape.Every) + 1
}

// grown counts what was said of growing runs.
type grown struct {
	healthyLooks, falseOfHealthy int
	before, falseBefore          int // looks at ill runs before their onset
	ill, soon, late              int // illnesses that had so many steps after them, and were alarmed by then
	illLate                      int
	runs, vanished, moved        int // an alarm of one look is not in the last; since of a kind moves by more than a tenth of the run
}

func (g *grown) add(p plan, truth illruns.Truth, looks []look) {
	g.runs++
	if isGone(looks) {
		g.vanished++
	}
	if hasMoved(looks, int64(p.shape.Steps*max(1, p.shape.Every))) {
		g.moved++
	}
	for _, l := range looks {
		isFalse := slices.ContainsFunc(l.alarms, func(f finding) bool { return !slices.Contains(truth.Also, f.Kind) })
		switch {
		case len(truth.Ill) == 0:
			g.healthyLooks++
			g.falseOfHealthy += oneIf(isFalse)
		case slices.IndexFunc(truth.Ill, func(ill illruns.Planted) bool { return l.step >= ill.Since-ill.Slack }) < 0:
			g.before++
			g.falseBefore += oneIf(isFalse)
		}
	}
	for _, ill := range truth.Ill {
		at := func(share float64) (int, bool) {
			until := p.stepsUntil(ill) + int(share*float64(p.shape.Steps))
			return until, until <= p.shape.Steps
		}
		if until, has := at(soon); has {
			g.ill++
			g.soon += oneIf(isAlarmedBy(looks, ill, until))
		}
		if until, has := at(late); has {
			g.illLate++
			g.late += oneIf(isAlarmedBy(looks, ill, until))
		}
	}
}

func isAlarmedBy(looks []look, ill illruns.Planted, until int) bool {
	return slices.ContainsFunc(looks, func(l look) bool {
		return l.until <= until && slices.ContainsFunc(l.alarms, func(f finding) bool { return f.Kind == ill.Kind || f.Kind == ill.Or })
	})
}

// isGone reports whether a kind was alarmed that is not any more at the end.
func isGone(looks []look) bool {
	last := looks[len(looks)-1].alarms
	for _, l := range looks {
		for _, f := range l.alarms {
			if !slices.ContainsFunc(last, func(x finding) bool { return x.Kind == f.Kind }) {
				return true
			}
		}
	}
	return false
}

// hasMoved reports whether the onset of a kind moves by more than a tenth of the run from one look to another.
func hasMoved(looks []look, length int64) bool {
	first := map[string]int64{}
	for _, l := range looks {
		for _, f := range l.alarms {
			since, known := first[f.Kind]
			if !known {
				first[f.Kind] = f.Since
			} else if max(f.Since-since, since-f.Since) > length/10 {
				return true
			}
		}
	}
	return false
}

func oneIf(is bool) int {
	if is {
		return 1
	}
	return 0
}

// reportGrowth prints what was said of runs while they were on; with lines each look at a healthy one that alarms, and each illness that was
// alarmed too late.
func reportGrowth(results []result, lines bool) {
	var g grown
	for i := range results {
		if r := &results[i]; len(r.looks) > 0 {
			before := g
			g.add(r.plan, r.truth, r.looks)
			isWrong := g.falseOfHealthy > before.falseOfHealthy || g.illLate-g.late > before.illLate-before.late
			if lines && isWrong {
				fmt.Println(r.name, r.truth.Ill, r.looks)
			}
		}
	}
	if g.runs == 0 {
		return
	}
	fmt.Printf("\n## Looks at growing runs\n\n| | n | of | |\n| --- | ---: | ---: | --- |\n")
	for _, row := range []struct {
		name  string
		n, of int
	}{
		{"looks at healthy runs that alarm", g.falseOfHealthy, g.healthyLooks},
		{"looks at ill runs that alarm before the onset", g.falseBefore, g.before},
		{fmt.Sprintf("illnesses alarmed within %.0f %% of the run after the onset", 100*soon), g.soon, g.ill},
		{fmt.Sprintf("illnesses alarmed within %.0f %%", 100*late), g.late, g.illLate},
		{"runs with an alarm that is gone at the end", g.vanished, g.runs},
		{"runs with an onset that moves by more than a tenth of the run", g.moved, g.runs},
	} {
		fmt.Printf("| %s | %d | %d | %s |\n", row.name, row.n, row.of, interval(row.n, row.of))
	}
}
