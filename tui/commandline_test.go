package tui

import (
	"slices"
	"strings"
	"testing"

	"vantage/tui/view"
)

func TestCommandLineRunsAndCompletes(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(30), 120, 36, filterSettings(), func(d *driver) {
		files := &memoryFiles{}
		d.app.outside.files = files
		run := func(text string) { d.press(":"); d.typeText(text); d.press("enter") }
		run("step 12")
		if got := d.app.env.Result.Analysis.Step; got != 12 || d.app.env.Place.Follow {
			t.Errorf("step %d", got)
		}
		run("keep pos .4")
		run("scale group")
		run("recompute off")
		if set := d.app.env.Settings.Now; set.KeepPos != 0.4 || set.Recompute {
			t.Errorf("%+v", set)
		}
		run("filter fate:alive")
		if d.app.env.Settings.Filter != "fate:alive" {
			t.Error(d.app.env.Settings.Filter)
		}
		run("export md")
		if files.name != "export.md" || !strings.HasPrefix(files.data, "## made") {
			t.Errorf("%s %.40q", files.name, files.data)
		}
		run("theme light")
		if d.app.env.Display.Theme.Name != "light" {
			t.Error(d.app.env.Display.Theme.Name)
		}
		run("framework openrlhf")
		run("est dr_grpo")
		run("option reward.clip_range=-0.1 0.1")
		if set := d.app.env.Settings.Now; set.Options != "reward.clip_range=-0.1 0.1" || slices.ContainsFunc(d.app.env.Result.Analysis.Unfiltered, func(x float64) bool { return x > float64(float32(0.1)) }) {
			t.Errorf("%+v, advantages %.5v", set, d.app.env.Result.Analysis.Unfiltered)
		}
		if frame := d.frame(); !strings.Contains(frame, "clip_range=-0.1 0.1") {
			t.Errorf("the header does not say it:\n%.600s", frame)
		}
		run("option clip_range=")
		if set := d.app.env.Settings.Now; set.Options != "" {
			t.Errorf("%+v", set)
		}
		for text, want := range map[string]string{
			"option gamma=1": "openrlhf dr_grpo has no option gamma: it has reward.clip_range", "option clip_range=1": "must be two numbers",
			"stpe 3": `no command is called "stpe" — did you mean step?`, "step x": "step takes a number", "step 99": "there is no step 99: the run has steps 1 to 30",
			"keep pos 7": "must be in", "est foo": `openrlhf has no estimator "foo": choose`, "est dr_gpro": `no estimator "dr_gpro"`, "framework very": "did you mean verl?", "framework trll": "did you mean trl?",
			"theme lihgt": "did you mean light?", "filter fat:alive": "did you mean fate?", "filter fate:alvie": `not "alvie" — did you mean alive?`, "filter rewrad>1": "did you mean reward?",
			"goal cots": "did you mean cost?", "sweep al": "did you mean all?", "sort rewrd": "did you mean reward?", "recompute onn": "did you mean on?", "mouse of": "did you mean off?", "keep negative 0.5": "keep takes pos or neg",
			"groupfilter filter_grops": "did you mean", "loss dpao": "did you mean", "export cvs": "did you mean csv?", "export shown cvs": "did you mean csv?", "option clip_rnge=1 2": "did you mean reward.clip_range",
			"reward foo": "the log has no reward column", "theme pink": `there is no theme "pink": choose dark`, "export pdf": "export writes md",
			"note why?": "marks and notes are gone: keep them in a file of your own", "marks": "marks and notes are gone", "export svg": "pictures of the screen are gone: take one in the terminal",
		} {
			run(text)
			if !strings.Contains(d.app.overlays.notice, want) || d.app.position.view != view.Command {
				t.Errorf("%s: %q", text, d.app.overlays.notice)
			}
			d.press("esc")
		}
		d.press(":")
		d.typeText("export tx")
		if d.press("tab"); d.app.views.command.text != "export txt " {
			t.Errorf("completed to %q", d.app.views.command.text)
		}
		d.press("esc", ":")
		d.typeText("fra")
		d.press("tab")
		if d.app.views.command.text != "framework " {
			t.Errorf("completed to %q", d.app.views.command.text)
		}
		d.typeText("tw")
		d.press("tab", "enter")
		if d.app.env.Settings.Now.Framework != "twinkle" {
			t.Error(d.app.env.Settings.Now.Framework)
		}
	})
}

// Every argument is completed, not only the first; a filter, term by term.
func TestEveryArgumentIsCompleted(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(12), 120, 36, filterSettings(), func(d *driver) {
		for typed, want := range map[string]string{
			"ste": "step", "step 1": "step 1", "step 2": "step 2 ", "ex": "export ", "export sh": "export shown ", "export shown j": "export shown jsonl ",
			"sweep la": "sweep last ", "filter fa": "filter fate:", "filter fate:al": "filter fate:alive ", "filter pro": "filter prompt~", "sort re": "sort reward ", "framework tw": "framework twinkle ", "theme li": "theme light ", "est rl": "est rloo ", "filter fate:ki": "filter fate:killed ", "filter std>0 and sample.le": "filter std>0 and sample.length ",
			"scale g": "scale group ", "keep p": "keep pos ", "keep pos x": "keep pos x", "fo": "forget ", "option x": "option x", "th": "theme ", "nosuch x": "nosuch x",
		} {
			d.press(":")
			d.typeText(typed)
			d.frame()
			d.press("tab")
			if d.app.views.command.text != want {
				t.Errorf("%q is completed to %q, want %q", typed, d.app.views.command.text, want)
			}
			d.press("esc")
		}
	})
}
