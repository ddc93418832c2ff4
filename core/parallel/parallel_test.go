package parallel

import (
	"errors"
	"math"
	"strings"
	"sync/atomic"
	"testing"
)

func TestForCoversEveryIndexOnce(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 7} {
		for _, n := range []int{0, 1, 5, 100} {
			for _, grain := range []int{0, 1, 3, 1000} {
				seen := make([]atomic.Int32, n)
				var mon Monitor
				err := For(n, grain, workers, &mon, func(lo, hi int) error {
					for i := lo; i < hi; i++ {
						seen[i].Add(1)
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				for i := range seen {
					if got := seen[i].Load(); got != 1 {
						t.Fatalf("n=%d grain=%d workers=%d: index %d visited %d times", n, grain, workers, i, got)
					}
				}
				if mon.Steps() != n {
					t.Errorf("n=%d: %d steps counted", n, mon.Steps())
				}
			}
		}
	}
}

func TestForReturnsPanicsAsErrors(t *testing.T) {
	for _, workers := range []int{1, 4} {
		err := For(100, 1, workers, nil, func(lo, _ int) error {
			if lo == 57 {
				panic("broken body")
			}
			return nil
		})
		var p *PanicError
		if !errors.As(err, &p) || !strings.Contains(err.Error(), "broken body") || !strings.Contains(err.Error(), "goroutine") {
			t.Errorf("workers=%d: got %v, want a PanicError with the value and a stack", workers, err)
		}
	}
}

func TestForReturnsTheLowestErrorOfASingleWorker(t *testing.T) {
	boom := errors.New("boom")
	calls := 0
	err := For(10, 1, 1, nil, func(lo, _ int) error {
		calls++
		if lo >= 3 {
			return boom
		}
		return nil
	})
	if !errors.Is(err, boom) || calls != 4 {
		t.Errorf("got %v after %d calls, want boom after 4", err, calls)
	}
}

func TestMonitorCancels(t *testing.T) {
	var mon Monitor
	visited := 0
	err := For(1000, 1, 1, &mon, func(_, _ int) error {
		if visited++; visited == 10 {
			mon.Cancel()
		}
		return nil
	})
	if !errors.Is(err, ErrCancelled) || visited != 10 {
		t.Errorf("got %v after %d indices, want ErrCancelled after 10", err, visited)
	}
}

func TestNilMonitorIsNeverCancelled(t *testing.T) {
	var mon *Monitor
	mon.Cancel()
	mon.Advance(3)
	mon.Report(1)
	if mon.Err() != nil || mon.Steps() != 0 {
		t.Error("a nil monitor must do nothing")
	}
}

func TestQuietMonitorsAreCancelledAndTellNothing(t *testing.T) {
	var words Words
	for _, mon := range []*Monitor{{}, Watching(&words)} {
		mon.Advance(2)
		mon.Report(0.5)
		quiet := mon.Quiet()
		if err := For(10, 1, 2, quiet, func(lo, hi int) error { return nil }); err != nil {
			t.Error(err)
		}
		quiet.Quiet().Report(3)
		if mon.Steps() != 2 || math.Float64frombits(mon.words().value.Load()) != 0.5 {
			t.Errorf("%d steps, value %g", mon.Steps(), math.Float64frombits(mon.words().value.Load()))
		}
		if mon.Cancel(); !errors.Is(quiet.Err(), ErrCancelled) || !errors.Is(quiet.Quiet().Err(), ErrCancelled) {
			t.Error("is not cancelled")
		}
	}
	if words.step.Load() != 2 || words.cancel.Load() == 0 {
		t.Error("the words given are not those watched")
	}
	if (*Monitor)(nil).Quiet() != nil {
		t.Error("a nil monitor stays nil")
	}
}

func TestReportKeepsTheBits(t *testing.T) {
	var mon Monitor
	mon.Report(0.125)
	if got := math.Float64frombits(mon.words().value.Load()); got != 0.125 {
		t.Errorf("got %g", got)
	}
}

// TestDetachedFromWhatDoesNotEnd: results and panics come back, and a call that does not end is left when the monitor is cancelled.
func TestDetachedFromWhatDoesNotEnd(t *testing.T) {
	for _, mon := range []*Monitor{nil, new(Monitor)} {
		want := errors.New("no")
		if err := Detached(mon, func() error { return want }); err != want {
			t.Errorf("the error is %v, want %v", err, want)
		}
		if _, ok := errors.AsType[*PanicError](Detached(mon, func() error { panic("oh") })); !ok {
			t.Error("a panic does not come back as an error")
		}
	}
	mon, release := new(Monitor), make(chan struct{})
	defer close(release)
	err := Detached(mon, func() error { mon.Cancel(); <-release; return nil })
	if !errors.Is(err, ErrCancelled) {
		t.Errorf("a call that does not end gives %v, want that it is cancelled", err)
	}
	if err := Detached(mon, func() error { t.Error("called after it was cancelled"); return nil }); err == nil {
		t.Error("a cancelled monitor is no error")
	}
}
