package trainer

import (
	"slices"
	"strings"
)

// The bounds of interpolation: a configuration needs a few steps and some hundred values,
// one that refers to itself, or doubles itself, any number.
const (
	maxPasses     = 32
	maxValue      = 4 << 10
	maxValues     = 10_000 // that grafts make
	maxExpansions = 100    // at a time
	maxDepth      = 32
)

// missingValue is how OmegaConf spells a value that must be given elsewhere.
const missingValue = "???"

// node is an option and where it was written: its references are relative to that place,
// wherever a reference to a part of the configuration has put it.
type node struct {
	Option
	definedAt string // the key there
}

// resolve replaces references as OmegaConf does: ${a.b} from the root, ${.x} beside the
// value, ${..x} beside what holds it, and so on outwards; in the midst of text too, and
// within one another. One that is a whole value may also name a part of the
// configuration, which then stands in both places. What a resolver would compute,
// ${oc.env:X,default}, stays as it is, and so does what refers to nothing, or to itself.
func resolve(options []Option) []Option {
	nodes := make([]node, len(options))
	for i, o := range options {
		nodes[i] = node{o, o.Key}
	}
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

// tree is what references may name: plain values, and parts that hold some.
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

// expandSections replaces every value that is nothing but a reference to a part of the
// configuration by that part. It returns nil if there is none, and if it becomes too much:
// a part that holds a reference to itself has no end.
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

// interpolate follows the references of one value, the innermost first. One that cannot
// be followed leaves the value as it was written; if it is all of it and names a part of
// the configuration, that is returned too.
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

// innermostReference finds ${path} with no other within it.
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

// absolutePath is a path from the root: each dot in front goes one level out from the value
// whose key is given. Brackets, a[b], are another way to write dots.
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
