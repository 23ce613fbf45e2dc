// Command references counts how much of a package a reader needs at once. For each package it prints the references between its files,
// and how many of these lead back up.
//
// A reference: a file uses a name that another file of its package defines. It leads back up if it goes against the order in which the
// files can best be read, each after what it uses. Tests do not count.
//
//	go run ./references ../..            every package of the project
//	go run ./references ../.. ./tui/...  some of them
package main

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: references DIRECTORY [PACKAGES]: name the directory of the project")
		os.Exit(2)
	}
	patterns := os.Args[2:]
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	all, err := load(os.Args[1], patterns)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%-40s %6s %11s %8s\n", "package", "files", "references", "back up")
	sum := counted{name: "all"}
	for _, p := range all {
		fmt.Println(p)
		sum.files, sum.references, sum.back = sum.files+p.files, sum.references+p.references, sum.back+p.back
	}
	fmt.Println(sum)
}

// counted is what was counted of a package.
type counted struct {
	name                    string
	files, references, back int
}

func (c counted) String() string {
	return fmt.Sprintf("%-40s %6d %11d %8d", c.name, c.files, c.references, c.back)
}

func load(dir string, patterns []string) ([]counted, error) {
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax | packages.NeedTypes |
		packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps
	loaded, err := packages.Load(&packages.Config{Mode: mode, Dir: dir}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("the packages below %s cannot be loaded: %w", dir, err)
	}
	var all []counted
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("%s does not compile: %w", p.PkgPath, p.Errors[0])
		}
		files := uses(p)
		all = append(all, counted{name: p.PkgPath, files: len(p.Syntax), references: files.references(), back: files.back()})
	}
	slices.SortFunc(all, func(a, b counted) int { return cmp.Compare(a.name, b.name) })
	return all, nil
}

// graph holds, by file, the files of the package that it uses.
type graph map[string]map[string]bool

// uses returns which files of a package use which.
func uses(p *packages.Package) graph {
	g := graph{}
	for _, f := range p.Syntax {
		g[fileOf(p, f.Pos())] = map[string]bool{}
	}
	for id, obj := range p.TypesInfo.Uses {
		if obj.Pkg() != p.Types || isLocal(obj) {
			continue
		}
		from, to := fileOf(p, id.Pos()), fileOf(p, obj.Pos())
		if _, known := g[to]; known && from != to && g[from] != nil {
			g[from][to] = true
		}
	}
	return g
}

// isLocal reports whether a name is one within a function: it is used where it is defined.
func isLocal(obj types.Object) bool {
	v, ok := obj.(*types.Var)
	return ok && !v.IsField() && v.Parent() != v.Pkg().Scope()
}

func (g graph) references() (n int) {
	for _, used := range g {
		n += len(used)
	}
	return n
}

// back counts the references against the best order that was found.
func (g graph) back() int {
	order := g.order()
	best := g.against(order)
	for improved := true; improved; { // a file goes to where fewest references lead back up
		improved = false
		for from := range order {
			for to := range order {
				next := slices.Clone(order)
				file := next[from]
				next = slices.Insert(slices.Delete(next, from, from+1), to, file)
				if n := g.against(next); n < best {
					order, best, improved = next, n, true
				}
			}
		}
	}
	return best
}

// order returns the files, those that use least of the rest first.
func (g graph) order() (order []string) {
	left := slices.Sorted(maps.Keys(g))
	for len(left) > 0 {
		weight := func(file string) (n int) {
			for _, other := range left {
				if g[file][other] {
					n++
				}
				if g[other][file] {
					n--
				}
			}
			return n
		}
		next := slices.MinFunc(left, func(a, b string) int { return cmp.Or(cmp.Compare(weight(a), weight(b)), cmp.Compare(a, b)) })
		order, left = append(order, next), slices.DeleteFunc(left, func(file string) bool { return file == next })
	}
	return order
}

// against counts the references from a file to a later one.
func (g graph) against(order []string) (n int) {
	for i, file := range order {
		for _, later := range order[i+1:] {
			if g[file][later] {
				n++
			}
		}
	}
	return n
}

func fileOf(p *packages.Package, at token.Pos) string {
	return filepath.Base(p.Fset.Position(at).Filename)
}
