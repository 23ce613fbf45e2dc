package loaders

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"vantage/model"
)

// sites tell the samples of one run from those of another that lies beside it: rows of
// two folders are never of one group, though they be of the same step and prompt. A folder
// above two runs is opened easily, and validation asks what training asks.
type sites struct {
	all   []site
	known map[site]int32
	file  []int32         // the site of each file
	owner map[int64]int32 // the site that had the first samples of a step
	from  int64           // steps up to this one are the first site's, if there are any
	any   bool
	told  map[int32]bool
}

// site is where logs of one kind lie, whatever their steps.
type site struct {
	folder     string
	validation bool
}

// siteOf is the site of a file.
func siteOf(name string) site {
	parts := strings.Split(path.Dir(filepath.ToSlash(name)), "/")
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "." || part == "all" || part == "effective" })
	for i, part := range parts {
		if isNumbered(strings.ToLower(part)) {
			parts[i] = "*"
		}
	}
	return site{strings.Join(parts, "/"), IsValidation(name)}
}

// isNumbered knows folders of which a run has many that may share a step: one for each step,
// where rows may be of the step before, or process. Plain numbers are runs of a sweep, or
// versions of the policy, which share none.
func isNumbered(part string) bool {
	if _, ok := StepAfterWord(part); ok {
		return true
	}
	for _, word := range []string{"rank", "worker", "node", "shard"} {
		if rest, ok := strings.CutPrefix(part, word); ok && IsDigits(strings.TrimLeft(rest, "_-")) {
			return true
		}
	}
	return false
}

// add takes a file down; newest is the one before it that has the newest step, nil if none has.
func (p *sites) add(name string, newest *file) {
	at := siteOf(name)
	i, ok := p.known[at]
	if !ok {
		switch len(p.all) {
		case 0:
			p.known = map[site]int32{}
		case 1:
			if p.any = newest != nil; p.any {
				p.from = newest.newest
			}
		}
		i = int32(len(p.all))
		p.all, p.known[at] = append(p.all, at), i
	}
	p.file = append(p.file, i)
}

// several reports whether there is more than one site.
func (p *sites) several() bool { return len(p.all) > 1 }

// foreign reports whether another site than the file's had the first samples of the step.
func (p *sites) foreign(file int32, step int64) (owner int32, yes bool) {
	at := p.file[file]
	owner, ok := p.owner[step]
	switch {
	case ok:
	case p.any && step <= p.from:
		owner = 0
	default:
		if p.owner == nil {
			p.owner = map[int64]int32{}
		}
		p.owner[step], owner = at, at
	}
	return owner, owner != at
}

// release has a site own nothing any more, since its files are not read.
func (p *sites) release(file int32) {
	for step, owner := range p.owner {
		if owner == p.file[file] {
			delete(p.owner, step)
		}
	}
}

// apart sees to it that records of one file join no group of another site.
func (o *output) apart(records []model.Record) {
	p := &o.sites
	for from := 0; from < len(records); {
		r := &records[from]
		to := from + 1
		for to < len(records) && records[to].Step == r.Step && records[to].File == r.File {
			to++
		}
		if owner, yes := p.foreign(r.File, r.Step); yes {
			at := p.file[r.File]
			o.tellApart(owner, at, r.Step)
			for i := from; i < to; i++ {
				p.all[at].mark(&records[i])
			}
		}
		from = to
	}
}

// apartBlock is apart for columns, given back as records if they must be marked.
func (o *output) apartBlock(k *model.Block) []model.Record {
	for i, step := range k.Step {
		if i > 0 && step == k.Step[i-1] {
			continue
		}
		if _, yes := o.sites.foreign(k.File, step); yes {
			records := k.Records()
			o.apart(records)
			return records
		}
	}
	return nil
}

// mark makes prompt and group id of a record those of the site.
func (at site) mark(r *model.Record) {
	name := at.folder
	if at.validation {
		name = strings.TrimPrefix(name+" validation", " ")
	}
	if r.Prompt != 0 {
		r.Prompt = max(1, r.Prompt^Hash64([]byte(name)))
	}
	if r.Group != "" {
		r.Group = name + ": " + r.Group
	}
}

// tellApart says, once, that two folders hold the same step.
func (o *output) tellApart(owner, at int32, step int64) {
	p := &o.sites
	one, two := p.all[owner], p.all[at]
	if p.told[at] || one.validation != two.validation {
		return
	}
	if p.told == nil {
		p.told = map[int32]bool{}
	}
	p.told[at] = true
	o.note([]string{fmt.Sprintf("both read, though these two folders hold the same steps: %s and %s, both step %d. Their groups are kept apart, but the figures of such a step are of both: if these are two runs, open one of them, or `vantage compare` the two",
		one.name(), two.name(), step)})
}

func (at site) name() string {
	if at.folder == "" {
		return "the folder itself"
	}
	return at.folder
}
