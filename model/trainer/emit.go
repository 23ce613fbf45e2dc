package trainer

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"vantage/estimators"
	"vantage/model"
)

// Dialect writes settings as the options of a framework.
type Dialect struct {
	Framework string
	filters   bool                           // it has keep ratios
	option    func(key, value string) string // writes a key and its value; nil if options are no keys there
	size      string                         // key of the size of a group; "" if the call has it, or nobody knows it
	emit      func(model.Settings) []string  // writes estimator and scale; nil: by the fields below, and by the options of the estimator

	estimator string              // key of the estimator; "" if there is nothing to choose
	spelled   map[string]string   // what the trainer calls an estimator, where that is not its name here
	also      map[string][]Option // what an estimator needs besides
}

// Emit returns settings as lines to copy: options, or a call. An estimator or scale of
// another framework becomes the nearest of this one. Lines that begin with # say what has
// no option.
func (d Dialect) Emit(set model.Settings) []string {
	set = set.Effective()
	translated := set
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, "# "+fmt.Sprintf(format, args...)) }
	if d.Framework != set.Framework {
		translated = set.WithFramework(d.Framework)
	}
	if translated.Estimator != set.Estimator {
		say("%s has no %s of %s: this is its %s", d.Title(), set.Estimator, estimators.Title(set.Framework), translated.Estimator)
	}
	if translated.Scale != set.Scale {
		say("%s %s has no scale %s: this is its %s", d.Title(), translated.Estimator, set.Scale, translated.Scale)
	}
	if d.emit != nil {
		lines = append(lines, d.emit(translated)...)
	} else {
		lines = append(lines, d.selected(translated)...)
	}
	if !d.filters && translated.Filtering() {
		say("%s has no keep_pos_ratio, keep_neg_ratio or compute_new_adv: only EasyR1-Brian has this filter", d.Title())
	}
	if d.size != "" && set.NumGenerations > 0 {
		lines = append(lines, d.option(d.size, strconv.Itoa(set.NumGenerations)))
	}
	for _, stage := range [][2]string{{"overlong", "length penalty"}, {"group_filter", "group filter"}, {"loss", "loss"}} {
		lines = append(lines, d.stage(set, stage[0], stage[1])...)
	}
	lines = append(lines, d.offPolicy(set)...)
	for key, value := range translated.Options.All() {
		if d.option != nil {
			lines = append(lines, d.option(key, value))
		}
	}
	if set.Options != translated.Options {
		say("%s has not all of the options %s", d.Title(), set.Options)
	}
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}

// selected writes the estimator by its key, and the options of the trainer that select it, or its scale.
func (d Dialect) selected(set model.Settings) (lines []string) {
	e, err := set.FindEstimator()
	if err != nil {
		return nil
	}
	name, spelled := d.spelled[e.Name]
	if !spelled {
		name = e.Name
	}
	if d.estimator != "" && name != unnamed {
		lines = append(lines, d.option(d.estimator, name))
	}
	for _, o := range d.also[e.Name] {
		lines = append(lines, d.option(o.Key, o.Value))
	}
	scaled := len(e.Scales) == 1
	for _, o := range e.Options {
		if value, ok := selecting(o, set); ok {
			lines = append(lines, d.option(o.Key, value))
			scaled = scaled || o.Selects[value].Scale == set.Scale
		}
	}
	if !scaled {
		lines = append(lines, fmt.Sprintf("# vantage does not know what %s calls the scale %s", d.Title(), set.Scale))
	}
	if len(lines) == 0 {
		lines = append(lines, fmt.Sprintf("# %s always computes %s: it has no option for another estimator", d.Title(), e.Name))
	}
	return lines
}

// selecting returns the value of an option that selects the estimator or the scale of the settings, its default if that does.
func selecting(o estimators.Option, set model.Settings) (value string, ok bool) {
	values := slices.Sorted(maps.Keys(o.Selects))
	for _, value := range append([]string{o.Default}, values...) {
		s, known := o.Selects[value]
		ofScale, ofEstimator := s.Scale == set.Scale, s.Estimator == set.Estimator
		contradicts := !ofScale && s.Scale != "" || !ofEstimator && s.Estimator != ""
		if known && !contradicts && (ofScale || ofEstimator) {
			return value, true
		}
	}
	return "", false
}

// stage writes what the settings name of a stage, if anything; what is its name to a person.
func (d Dialect) stage(set model.Settings, setting, what string) []string {
	s := set.Stage(setting)
	switch {
	case s == nil:
		return nil
	case s.Framework != d.Framework:
		return []string{fmt.Sprintf("# %s has no %s %s of %s", d.Title(), what, s.Name, estimators.Title(s.Framework))}
	}
	lines := []string{fmt.Sprintf("# %s %s: %s", what, s.Name, s.Key)} // where that is not one key
	if s.Value != "" && s.Key != rewardFunctions {
		lines = []string{d.option(s.Key, s.Value)}
	}
	for key, value := range set.StageOptions.Of(s.Options).All() {
		lines = append(lines, d.option(key, value))
	}
	return lines
}

// rewardFunctions is the key of a list to which a length penalty is added.
const rewardFunctions = "reward_funcs"

// offPolicy writes the off-policy rule, if the settings name one.
func (d Dialect) offPolicy(set model.Settings) (lines []string) {
	rule, _, err := set.FindOffPolicy()
	if err != nil || rule == nil {
		return nil
	}
	if rule.Framework != d.Framework {
		return []string{fmt.Sprintf("# %s has no off-policy rule %s of %s", d.Title(), rule.Name, estimators.Title(rule.Framework))}
	}
	config, err := rule.Configuration(set.RuleKey().Options)
	if err != nil {
		return nil
	}
	for _, v := range config {
		lines = append(lines, d.option(v.Key, v.Text))
	}
	return lines
}

// Names returns the frameworks with a dialect.
func Names() []string {
	return model.Mapped(Dialects(), func(d Dialect) string { return d.Framework })
}

// Title names the framework to a person.
func (d Dialect) Title() string { return estimators.Title(d.Framework) }

// Find returns the dialect of a framework, which its older releases share.
func Find(framework string) (Dialect, bool) {
	framework = estimators.Newest(framework)
	for _, d := range Dialects() {
		if d.Framework == framework || framework == "swift" && d.Framework == "ms-swift" {
			return d, true
		}
	}
	return Dialect{}, false
}

// OwnFirst returns all dialects, that of a framework before the others.
func OwnFirst(framework string) []Dialect {
	own, _ := Find(framework)
	all := Dialects()
	i := max(0, slices.IndexFunc(all, func(d Dialect) bool { return d.Framework == own.Framework }))
	return slices.Concat(all[i:i+1], all[:i], all[i+1:])
}

// easyr1 has the settings by their own names.
func easyr1(set model.Settings) (lines []string) {
	for _, name := range []string{"adv_estimator", "keep_pos_ratio", "keep_neg_ratio", "compute_new_adv"} {
		setting, _ := model.FindSetting(name)
		lines = append(lines, "algorithm."+name+"="+setting.Get(set))
	}
	return lines
}

func verl(set model.Settings) []string {
	byStd, known := map[estimators.Scale]string{
		estimators.ScaleGroup: "algorithm.norm_adv_by_std_in_grpo=True", estimators.ScaleNone: "algorithm.norm_adv_by_std_in_grpo=False",
	}[set.Scale]
	if !known {
		byStd = fmt.Sprintf("# verl has no scale %q", set.Scale)
	}
	if e, err := set.FindEstimator(); err == nil && set.Scale == estimators.ScaleNone {
		if o, _ := estimators.FindOption(e.Options, "algorithm.norm_adv_by_std_in_grpo"); o.Unheard != "" {
			byStd = fmt.Sprintf("# %s divides by the standard deviation in %s, whatever norm_adv_by_std_in_grpo is", e.Name, o.Unheard)
		}
	}
	return []string{"algorithm.adv_estimator=" + set.Estimator, byStd}
}

func trl(set model.Settings) []string {
	lines := []string{"scale_rewards: " + string(set.Scale)}
	if set.Truncated == "mask" {
		lines = append(lines, "mask_truncated_completions: true")
	}
	if set.Estimator != "grpo" {
		lines = append(lines, fmt.Sprintf("# TRL's GRPOTrainer has no option for the estimator %s", set.Estimator))
	}
	return lines
}

func swift(set model.Settings) []string {
	name, scale := strings.TrimSuffix(set.Estimator, "_dynamic"), string(set.Scale)
	if name == "gdpo" {
		name, scale = "grpo", "gdpo"
	}
	lines := []string{"--advantage_estimator " + name, "--scale_rewards " + scale}
	if set.Truncated == "mask" {
		lines = append(lines, "--overlong_filter true")
	}
	return lines
}

// areal has a normalisation of rewards, and one of advantages.
func areal(set model.Settings) []string {
	level := func(part, value string) string { return "actor." + part + "=" + value }
	std := string(set.Scale)
	if set.Scale == estimators.ScaleNone {
		std = "null"
	}
	switch set.Estimator {
	case "reward_norm_leave_one_out":
		return []string{
			level("reward_norm.mean_level", "group"), level("reward_norm.mean_leave1out", "true"),
			level("reward_norm.std_level", "null"),
		}
	case "adv_norm_batch":
		return []string{
			level("reward_norm.mean_level", "group"), level("reward_norm.std_level", "null"),
			level("adv_norm.mean_level", "batch"), level("adv_norm.std_level", "batch"),
		}
	case "reward_norm_batch":
		return []string{level("reward_norm.mean_level", "batch"), level("reward_norm.std_level", std)}
	}
	lines := []string{level("reward_norm.mean_level", "group"), level("reward_norm.std_level", std)}
	if set.Estimator == "reward_norm_biased" {
		lines = append(lines, level("reward_norm.std_unbiased", "false"))
	}
	return lines
}

func twinkle(set model.Settings) []string {
	class := map[string]string{"grpo": "GRPOAdvantage", "rloo": "RLOOAdvantage"}[set.Estimator]
	if class == "" {
		return []string{"# twinkle has no estimator " + set.Estimator}
	}
	n := "num_generations"
	if set.NumGenerations > 0 {
		n = strconv.Itoa(set.NumGenerations)
	}
	return []string{fmt.Sprintf("%s()(rewards, num_generations=%s, scale='%s')", class, n, set.Scale)}
}

// Limits of interpolation. A configuration needs a few passes and some hundred values;
// references that cycle or multiply would need any number.
const (
	maxPasses     = 32
	maxValue      = 4 << 10
	maxValues     = 10_000
	maxExpansions = 100 // per pass
	maxDepth      = 32
)

// missingValue is OmegaConf's mark for a value that must be set elsewhere.
const missingValue = "???"

// node is an option with the key at which it was defined. Relative references start there,
// even if a reference to its section has copied it elsewhere.
type node struct {
	Option
	definedAt string
}

// resolve replaces references as OmegaConf does: ${a.b} from the root, ${.x} a sibling,
// ${..x} a sibling of the parent, and so on; also within text, and nested. A reference that
// is the whole value may name a section, which is then copied. It leaves resolver calls
// such as ${oc.env:X,default} as they are, and references to nothing or to themselves.
func resolve(options []Option) []Option {
	nodes := model.Mapped(options, func(o Option) node { return node{o, o.Key} })
	for range maxPasses {
		expanded := newTree(nodes).expandSections(nodes)
		if expanded == nil {
			break
		}
		nodes = expanded
	}
	tree, out := newTree(nodes), make([]Option, len(nodes))
	for i, n := range nodes {
		text, _ := tree.interpolate(n)
		out[i] = Option{n.Key, text}
	}
	return out
}

// tree is what references can name: values, and sections that contain values.
type tree struct {
	values   map[string]string
	sections map[string]bool
}

func newTree(nodes []node) tree {
	t := tree{map[string]string{}, map[string]bool{}}
	for _, n := range nodes {
		t.values[n.Key] = n.Value
		for at, c := range n.Key {
			if c == '.' {
				t.sections[n.Key[:at]] = true
			}
		}
	}
	return t
}

// expandSections replaces each value that is only a reference to a section by a copy of the
// section. It returns nil if there is none, or if a limit is exceeded: a section that
// contains a reference to itself has no end.
func (t tree) expandSections(nodes []node) []node {
	var expanded []node
	expansions := 0
	for _, n := range nodes {
		_, section := t.interpolate(n)
		if section == "" {
			expanded = append(expanded, n)
			continue
		}
		expansions++
		for _, leaf := range nodes {
			below, found := strings.CutPrefix(leaf.Key, section+".")
			if !found {
				continue
			}
			key := n.Key + "." + below
			if expansions > maxExpansions || len(expanded) >= maxValues || strings.Count(key, ".") > maxDepth {
				return nil
			}
			expanded = append(expanded, node{Option{key, leaf.Value}, leaf.definedAt})
		}
	}
	if expansions == 0 {
		return nil
	}
	return expanded
}

// interpolate replaces the references in one value, the innermost first. If one cannot be
// resolved it returns the value unchanged, and the section if the value is only a reference
// to one.
func (t tree) interpolate(n node) (text, section string) {
	text = n.Value
	for range maxPasses {
		before, path, after, found := innermostReference(text)
		if !found {
			return text, ""
		}
		path = absolutePath(n.definedAt, path)
		value, known := t.values[path]
		if !known && before+after == "" && t.sections[path] {
			return n.Value, path
		}
		if !known || len(before)+len(value)+len(after) > maxValue {
			return n.Value, ""
		}
		text = before + value + after
	}
	return n.Value, ""
}

func innermostReference(text string) (before, path, after string, found bool) {
	for end, r := range text {
		if r != '}' {
			continue
		}
		if start := strings.LastIndex(text[:end], "${"); start >= 0 {
			return text[:start], text[start+2 : end], text[end+1:], true
		}
	}
	return "", "", "", false
}

// absolutePath returns path from the root: each leading dot goes one level up from key.
// a[b] means a.b.
func absolutePath(key, path string) string {
	path = strings.NewReplacer("[", ".", "]", "").Replace(path)
	rest := strings.TrimLeft(path, ".")
	up := len(path) - len(rest)
	if up == 0 {
		return rest
	}
	levels := strings.Split(key, ".")
	return strings.Join(append(levels[:max(0, len(levels)-up)], rest), ".")
}
