package tui

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vantage/internal/testkit/repotest"
	"vantage/loaders"
	"vantage/loaders/demo/illruns"
	logged "vantage/loaders/scalars"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/model/scalars"
	"vantage/themes"
)

// galleryPicture is a finding on the screen, in the log of an illness that the demo writes.
type galleryPicture struct {
	docPicture
	example illruns.Example
}

// galleryPictures are those of the gallery: of each illness of which there are samples.
func galleryPictures() (all []galleryPicture) {
	for _, x := range illruns.Examples() {
		if x.Kind != illruns.HealthyName && x.Kind != string(diagnosis.NothingTrains) {
			all = append(all, galleryPicture{docPicture{name: "ill-" + x.Kind, alt: diagnosis.Kind(x.Kind).Words()}, x})
		}
	}
	return all
}

// wholeLog is a log that was read before, and what its trainer logged next to it. Its clock is that of no day.
type wholeLog struct {
	*loaders.Source
	chunks []*model.Chunk
}

// readWhole reads the log of a folder.
func readWhole(t *testing.T, folder string) *wholeLog {
	t.Helper()
	source, err := loaders.Open([]string{folder}, loaders.Options{Split: "train"})
	if err != nil {
		t.Fatal(err)
	}
	log := &wholeLog{Source: source}
	t.Cleanup(func() { source.Close() })
	for {
		chunk, err := source.Next(t.Context())
		if err != nil {
			return log
		}
		chunk.Progress.LastWrite, chunk.Progress.StepTime = time.Time{}, 0
		log.chunks = append(log.chunks, chunk)
	}
}

func (l *wholeLog) Next(ctx context.Context) (*model.Chunk, error) {
	if len(l.chunks) == 0 {
		return l.Source.Next(ctx) // the end
	}
	chunk := l.chunks[0]
	l.chunks = l.chunks[1:]
	return chunk, nil
}

// The pictures of the gallery are frames of the program: the first finding of each log, with its course.
func TestPicturesOfTheGallery(t *testing.T) {
	repotest.OneGoroutine(t)
	t.Parallel()
	const w, h, limit = 92, 20, 25_000
	for _, p := range galleryPictures() {
		t.Run(p.example.Kind, func(t *testing.T) {
			repotest.OneIn(t, 8)
			t.Parallel()
			driveExample(t, p.example, w, h, func(d *driver) {
				d.press("0", "enter")
				d.wantText(diagnosis.Kind(p.example.Kind).Words())
				d.wantText("! onset at step ")
				svg := d.app.picture()
				if len(svg) > limit {
					t.Errorf("%d bytes, more than %d", len(svg), limit)
				}
				matchFile(t, filepath.Join("..", ".github", "pictures", p.name+".svg"), svg)
			})
		})
	}
}

// driveExample drives App on the log of an illness that the demo writes.
func driveExample(t *testing.T, x illruns.Example, w, h int, f func(*driver)) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "rollouts")
	if err := x.Make(1).Write(illruns.Place{Folder: folder}, illruns.Arrange{}); err != nil {
		t.Fatal(err)
	}
	log := readWhole(t, folder)
	look := func(ctx context.Context, snap model.Snapshot, set model.Settings, previous *diagnosis.Look) (*diagnosis.Look, error) {
		look, err := diagnosis.See(ctx, snap, set, diagnosis.Reading{Texts: analysis.ReadTextsOf(log)}, previous)
		if found, none := logged.Read(nil, folder); err == nil && none == nil {
			scalars.Add(look.Diagnosis, found.Scalars)
		}
		if study, none := log.LogProbs(false); err == nil && none == nil {
			study.Diagnose(look.Diagnosis)
		}
		return look, err
	}
	driveWith(t, log, w, h, Options{Settings: model.DefaultSettings(), Look: look}, func(d *driver) {
		d.app.env.Display.Theme, d.app.env.Display.NoColor = themes.Default(true), false
		d.app.env.Title = "runs/" + strings.ReplaceAll(x.Kind, "_", "-")
		f(d)
	})
}
