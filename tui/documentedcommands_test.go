package tui

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// commandEffect is a command as a person types it, and what is on the screen after it and was not before.
type commandEffect struct {
	typed string
	shows string
	quits bool
}

// commandEffects returns what a person sees after each command of the documents, by its name.
func commandEffects() map[string][]commandEffect {
	return map[string][]commandEffect{
		"step":        {{typed: "step 3", shows: "step 3 "}},
		"framework":   {{typed: "framework trl", shows: "f TRL"}},
		"est":         {{typed: "est rloo", shows: "e rloo"}},
		"scale":       {{typed: "scale group", shows: ""}, {typed: "scale batch", shows: "EasyR1 (Brian's fork) grpo has no scale"}},
		"option":      {{typed: "option nosuch=1", shows: "has no option"}}, // with one: TestCommandLineRunsAndCompletes
		"keep":        {{typed: "keep pos 0.35", shows: "0.35  m"}, {typed: "keep neg .15", shows: "0.15  r"}},
		"recompute":   {{typed: "recompute off", shows: "r recompute off"}},
		"reward":      {{typed: "reward rewards/format", shows: "reward 0.500"}, {typed: "reward accuracy,rewards/format=0.5", shows: "reward 0.799"}},
		"truncated":   {{typed: "truncated mask", shows: "C +1"}},
		"solved":      {{typed: "solved 0.5", shows: "all correct Sort"}},
		"filter":      {{typed: "filter fate:alive std>0.1", shows: "fate:alive std>0.1"}},
		"sort":        {{typed: "sort reward", shows: "by reward"}, {typed: "sort std", shows: "by std of reward"}},
		"theme":       {{typed: "theme sixteen", shows: "theme: sixteen"}},
		"mouse":       {{typed: "mouse on", shows: "mouse on: "}},
		"export":      {{typed: "export md", shows: "saved /state/export.md"}, {typed: "export csv ~/x.csv", shows: "saved /here/~/x.csv"}, {typed: "export report.md", shows: "saved /here/report.md"}, {typed: "export txt", shows: "saved /state/export.txt"}, {typed: "export jsonl", shows: "saved /state/export.jsonl"}, {typed: "export shown csv", shows: "saved /state/shown.csv"}},
		"chain":       {{typed: "chain", shows: "the chain of step 15"}},
		"groupfilter": {{typed: "groupfilter verl/filter_groups", shows: "C +1"}},
		"off-policy":  {{typed: "off-policy slime/tis", shows: "C slime/tis"}},
		"loss":        {{typed: "loss trl/dapo", shows: "C trl/dapo"}},
		"run":         {{typed: "run", shows: "the run at a glance"}},
		"steps":       {{typed: "steps", shows: "critic/score/mean 0."}},
		"metric":      {{typed: "metric flips", shows: "vantage/flips "}},
		"metrics":     {{typed: "metrics", shows: "all metrics  "}},
		"range":       {{typed: "range 3 9", shows: "steps 3–9 of 1–15"}, {typed: "range last 5", shows: "steps 11–15 of 1–15"}},
		"sweep":       {{typed: "sweep", shows: "no pair beats it"}, {typed: "sweep 3 12", shows: "10 steps, 3 to 12"}, {typed: "sweep all", shows: "all 15 steps"}, {typed: "sweep last 4", shows: "4 steps, 12 to 15"}},
		"scope":       {{typed: "scope all", shows: "steps 1-15"}, {typed: "scope last 4", shows: "steps 12-15"}},
		"groupsize":   {{typed: "groupsize", shows: "group size"}},
		"offpolicy":   {{typed: "offpolicy", shows: "off-policy"}},
		"prompts":     {{typed: "prompts", shows: "prompts — which of them teach"}},
		"grep":        {{typed: "grep nosuchword", shows: "grep nosuchword — samples"}, {typed: "grep (", shows: "is wrong at character 1"}},
		"by":          {{typed: "by length", shows: "breakdown by length"}, {typed: "by rewards/format", shows: "breakdown by rewards/format"}},
		"goal":        {{typed: "goal cost 0.9", shows: "fewest samples, 90%+"}},
		"forget":      {{typed: "forget", shows: "settings and view reset"}},
		"problems":    {{typed: "problems", shows: "how the log was read"}},
		"help":        {{typed: "help", shows: "type to search all of it"}},
		"q":           {{typed: "q", quits: true}},
	}
}

var (
	commandRow     = regexp.MustCompile("^\\* `:([a-z-]+)( [^`]*)?`: .+$")
	commandInProse = regexp.MustCompile("`:([a-z-]+(?: [^`|]*)?)`")
)

// Every command that the documents list does what it says; every one that they mention in a text is one of these.
// A new command needs a line in commandEffects.
func TestDocumentedCommandsDoWhatIsWritten(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(filepath.Join("..", ".github", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, page := range append(pages, filepath.Join("..", "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if row := commandRow.FindStringSubmatch(strings.TrimSpace(line)); row != nil {
				listed[row[1]] = true
				continue
			}
			for _, found := range commandInProse.FindAllStringSubmatch(line, -1) {
				if name, _, _ := strings.Cut(found[1], " "); commandEffects()[name] == nil {
					t.Errorf("%s mentions :%s, which commandEffects does not have", page, found[1])
				}
			}
		}
	}
	if len(listed) == 0 {
		t.Fatal("no page lists the commands")
	}
	for name := range listed {
		if commandEffects()[name] == nil {
			t.Errorf("commandEffects has no %q: what does a person see after :%s?", name, name)
		}
	}
	for name, all := range commandEffects() {
		if !listed[name] {
			t.Errorf("the documents do not list :%s any more", name)
		}
		for _, e := range all {
			keyPlace{}.open(t, func(d *driver) { checkCommand(t, d, e) })
		}
	}
}

// checkCommand types a command and looks for what it shows.
func checkCommand(t *testing.T, d *driver, e commandEffect) {
	t.Helper()
	before := ansi.Strip(d.frame())
	d.press(":")
	d.typeText(e.typed)
	p := d.pressLabel("⏎")
	switch {
	case e.quits && (len(p.messages) != 1 || p.messages[0] != "tea.QuitMsg"):
		t.Errorf(":%s sends %v", e.typed, p.messages)
	case strings.Contains(before, e.shows) && e.shows != "" || !strings.Contains(p.after, e.shows):
		t.Errorf(":%s does not bring %q to the screen:\n%s", e.typed, e.shows, p.after)
	}
}
