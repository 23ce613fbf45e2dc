package tui

import (
	"strings"

	"vantage/model/analysis"
	"vantage/themes"
)

// figureCache is the charts over the steps as they are drawn: computed once for each change of what they show,
// since each goes through all steps of all runs.
type figureCache struct {
	key    figureKey
	charts []drawnFigure
}

// drawnFigure is the chart of a figure.
type drawnFigure struct {
	chart stepChart
	rows  []string // plot and labels
}

// figureKey is all that a figureCache depends on.
type figureKey struct {
	trend, base, second *analysis.Trend
	names, over         string // the figures, and the one over each
	w, h                int
	window              stepWindow
	smoothing           int
	theme               *themes.Theme
	ascii               bool
}

// drawnFigures returns the charts of figures in w columns and h rows each, from the cache if it has them.
func (a App) drawnFigures(names []string, second string, w, h int) []drawnFigure {
	if key := a.figureKey(names, second, w, h); key != a.result.figures.key {
		return a.drawFigures(key, names)
	}
	return a.result.figures.charts
}

func (a App) figureKey(names []string, second string, w, h int) figureKey {
	key := figureKey{
		trend: a.result.trend, second: a.second.trend.value, names: strings.Join(names, "\n"), over: second, w: w, h: h,
		window: a.steps.window, smoothing: a.steps.smoothing, theme: a.display.theme, ascii: a.display.glyphs.ASCII,
	}
	if a.settings.base.on {
		key.base = a.result.baseTrend
	}
	return key
}

func (a App) drawFigures(key figureKey, names []string) []drawnFigure {
	all := make([]drawnFigure, len(names))
	for i, name := range names {
		c := a.newStepChart(name, key.over, key.w)
		all[i] = drawnFigure{c, c.draw(a.display.theme, a.display.glyphs, key.w, key.h)}
	}
	return all
}

// updateFigureCache draws what the next frame shows of figures over the steps, unless it is there.
func (a App) updateFigureCache() App {
	if a.result.trend == nil || a.result.analysis == nil || !a.drawsSteps() || a.screen().TooSmall {
		return a
	}
	frame := a.shortened(len(a.bottomLines(a.display.w)) - 1)
	w, h := frame.display.w, frame.display.h-frame.screen().Header.H-1
	names, second := []string{a.drawnMetric()}, a.steps.second
	if a.viewInSight() == viewFigures {
		grid := a.figureGrid(w, h)
		names, second, w, h = grid.inSight(), "", grid.w, grid.plotHeight()
	} else {
		chart, _ := a.stepsLayout(w, h)
		w, h = chart.Inner().W, chart.Inner().H-rowsBelowPlot
	}
	if key := a.figureKey(names, second, w, h); key != a.result.figures.key {
		a.result.figures = figureCache{key, a.drawFigures(key, names)}
	}
	return a
}
