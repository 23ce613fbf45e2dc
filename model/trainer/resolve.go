package trainer

import (
	"slices"
	"strings"

	"vantage/model"
)

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
	end := strings.Index(text, "}")
	for end >= 0 {
		if start := strings.LastIndex(text[:end], "${"); start >= 0 {
			return text[:start], text[start+2 : end], text[end+1:], true
		}
		next := strings.Index(text[end+1:], "}")
		if next < 0 {
			break
		}
		end += 1 + next
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
	if up >= len(levels) {
		levels = nil
	} else {
		levels = levels[:len(levels)-up]
	}
	return strings.Join(append(slices.Clone(levels), rest), ".")
}
