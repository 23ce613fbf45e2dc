package commands

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"vantage/estimators"
	"vantage/loaders"
	"vantage/loaders/demo"
	"vantage/loaders/demo/illruns"
	"vantage/model"
	"vantage/model/units"
)

// demoRun is what the demo shows: a run that grows, or the log of an illness.
type demoRun struct {
	seed  uint64
	ill   string // kind of the illness, or healthy; "" is the run that grows
	write string // folder for the log, which then is not shown
}

func (p *explorer) demo() *cobra.Command {
	var d demoRun
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Explore a synthetic run, or write the log of an illness",
		Long: `demo shows a synthetic run that grows while you watch. With --ill it shows a run in which
one illness is planted; --write writes its log to a folder instead, as a trainer would,
for any other command to read. The same seed gives the same log.`,
		Example: `vantage demo
vantage demo --ill reward_hacking
vantage demo --ill grader_outage --write runs/outage
vantage demo --ill healthy --seed 7 --write runs/healthy`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			paths, set, err := p.configure(args)
			if err != nil {
				return err
			}
			if len(paths) > 0 {
				return usage(fmt.Errorf("demo reads no files, got %q", paths[0]))
			}
			example, err := d.example()
			switch {
			case err != nil:
				return usage(err)
			case d.write != "":
				return p.writeExample(cmd.Context(), example, d)
			case !isTerminal(p.out):
				return usage(errors.New("demo needs a terminal: for text run `vantage demo --ill KIND --write DIR`, then `vantage " +
					"report DIR`"))
			case d.ill != "":
				return p.showExample(cmd, set, example, d.seed)
			}
			source := demo.New(demo.Options{Seed: d.seed})
			defer source.Close()
			return p.showRuns(cmd.Context(), set, openRun{source: source, title: "demo"})
		},
	}
	cmd.Flags().Uint64Var(&d.seed, "seed", 1, "seed of the synthetic run")
	kinds := exampleKinds()
	addChoice(cmd, &d.ill, "ill", "", "plant this illness: "+estimators.Alternatives(kinds), kinds...)
	cmd.Flags().StringVar(&d.write, "write", "", "write the log of --ill to this folder, which must be empty or not there")
	_ = cmd.MarkFlagDirname("write")
	p.addFlags(cmd, ofSamples)
	p.addScreenFlags(cmd)
	return cmd
}

func exampleKinds() []string {
	return model.Mapped(illruns.Examples(), func(x illruns.Example) string { return x.Kind })
}

// example is that of --ill, an empty one without.
func (d *demoRun) example() (illruns.Example, error) {
	kinds := exampleKinds()
	i := slices.Index(kinds, d.ill)
	switch {
	case d.ill == "" && d.write != "":
		return illruns.Example{}, errors.New("--write: which log to write is missing: name an illness with --ill, or --ill healthy")
	case d.ill == "":
		return illruns.Example{}, nil
	case i < 0:
		return illruns.Example{}, fmt.Errorf("--ill: no illness %q%s: choose %s", d.ill, orMeant(d.ill, kinds),
			estimators.Alternatives(kinds))
	}
	return illruns.Examples()[i], nil
}

// writeExample writes the log of an example to a folder that has no other files, and says what to do with it.
func (p *explorer) writeExample(ctx context.Context, x illruns.Example, d demoRun) error {
	if loaders.IsElsewhere(d.write) {
		return usage(fmt.Errorf("--write %s: a log is written to a folder of this machine only", d.write))
	}
	switch inside, err := p.disk.ReadDir(d.write); {
	case len(inside) > 0:
		return usage(fmt.Errorf("--write %s: the folder is not empty: name an empty one, or one that is not there", d.write))
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return usage(fmt.Errorf("--write %s: it is not a folder that can be read: name another", d.write))
	}
	run := x.Make(d.seed)
	if err := run.Write(illruns.Place{Disk: p.disk, Folder: d.write}, illruns.Arrange{}); err != nil {
		return err
	}
	_, err := fmt.Fprintf(p.output(ctx, "text"), "wrote %s of %s: next, vantage summary %s\n", units.Plural(run.Steps, "steps"),
		x.Kind, shellWord(d.write))
	return err
}

// showExample opens the screen on the log of an example, which is removed afterwards.
func (p *explorer) showExample(cmd *cobra.Command, set model.Settings, x illruns.Example, seed uint64) error {
	folder, remove, err := p.disk.Temporary("vantage-demo-")
	if err != nil {
		return err
	}
	defer remove()
	return p.lookThenGo(cmd, "demo", func() (aim, error) {
		if err := x.Make(seed).Write(illruns.Place{Disk: p.disk, Folder: folder}, illruns.Arrange{}); err != nil {
			return aim{}, err
		}
		if text := p.scalarsAlone(cmd.Context(), []string{folder}, set); text != nil {
			return aim{scalars: text}, nil
		}
		source, err := p.open([]string{folder}, false)
		if err != nil {
			return aim{}, err
		}
		return aim{set: set, runs: []openRun{{source: source, title: "demo: " + x.Kind}}}, nil
	})
}
