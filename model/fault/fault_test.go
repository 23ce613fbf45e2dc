package fault_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vantage/model/fault"
)

// A panic of one of several goroutines is one of who waits for them, once all have ended, with the stack of the first.
func TestGroupCarriesAPanic(t *testing.T) {
	ended := false
	got := fault.Try(func() bool {
		var all fault.Group
		all.Go(func() { panic("in a goroutine") })
		all.Here(func() { ended = true })
		all.Wait()
		return true
	})
	if _, failed := got.Result(); !ended || failed == nil || failed.Reason() != "in a goroutine" || !strings.Contains(string(failed.Stack), "TestGroupCarriesAPanic") {
		t.Errorf("ended %v, %+v", ended, failed)
	}
}

func TestLaterCarriesAPanic(t *testing.T) {
	if outcome := <-fault.Later(func() int { return 7 }); outcome.Get() != 7 {
		t.Error("the value is lost")
	}
	outcome := <-fault.Later(func() int { panic(strings.Repeat("long ", 1000)) })
	if _, failed := outcome.Result(); failed == nil || len([]rune(failed.Reason())) != 200 {
		t.Errorf("%v", failed)
	}
}

func TestGoIsHeardByMain(t *testing.T) {
	fault.Go(func() { panic("nobody waits") })
	if failed := <-fault.Unheard(); failed.Reason() != "nobody waits" {
		t.Error(failed)
	}
}

// A goroutine elsewhere would bring the program down with a trace on a terminal that stays raw; a recover elsewhere would be a second way.
func TestNoOtherPackageStartsAGoroutine(t *testing.T) {
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case e.IsDir() && (strings.HasPrefix(e.Name(), ".") && name != "." || name == "internal" || name == "model/fault"):
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s has a go statement: take fault.Go, fault.Later or a fault.Group", files.Position(n.Pos()))
			case *ast.SelectorExpr:
				if of, ok := n.X.(*ast.Ident); ok && of.Name == "sync" && n.Sel.Name == "WaitGroup" {
					t.Errorf("%s has a sync.WaitGroup: take a fault.Group", files.Position(n.Pos()))
				}
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "recover" {
					t.Errorf("%s recovers: take fault.Catch", files.Position(n.Pos()))
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
