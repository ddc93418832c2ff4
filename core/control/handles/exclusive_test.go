package handles

import (
	"strings"
	"sync"
	"testing"
)

// TestOneGoroutineHasAnObject: goroutines that take and close at once use it one after another, and never after it was closed; the race
// detector would see two at once.
func TestOneGoroutineHasAnObject(t *testing.T) {
	type object struct {
		uses     int
		isClosed bool
	}
	table := NewExclusive[*object]("session", 2)
	for range 100 {
		handle := table.Open(new(object))
		var all sync.WaitGroup
		var mu sync.Mutex
		closed := 0
		for range 2 {
			all.Go(func() {
				for {
					o, release, err := table.Take(handle)
					if err != nil && strings.Contains(err.Error(), "busy") {
						continue
					}
					if err != nil {
						return
					}
					if o.isClosed {
						t.Error("it is used after it was closed")
					}
					o.uses++
					release()
				}
			})
			all.Go(func() {
				for {
					o, err := table.Close(handle)
					if err != nil && strings.Contains(err.Error(), "busy") {
						continue
					}
					if err == nil {
						o.isClosed = true
						mu.Lock()
						closed++
						mu.Unlock()
					}
					return
				}
			})
		}
		all.Wait()
		if closed != 1 || table.Len() != 0 {
			t.Fatalf("it was closed %d times, %d are open", closed, table.Len())
		}
	}
}

func TestWhatIsTakenIsBusy(t *testing.T) {
	table := NewExclusive[int]("session", 2)
	handle := table.Open(7)
	got, release, err := table.Take(handle)
	if got != 7 || err != nil {
		t.Fatal(got, err)
	}
	if _, _, err := table.Take(handle); err == nil || !strings.Contains(err.Error(), "the session is busy") {
		t.Error(err)
	}
	if _, err := table.Close(handle); err == nil || !strings.Contains(err.Error(), "the session is busy") {
		t.Error(err)
	}
	release()
	if got, err := table.Close(handle); got != 7 || err != nil {
		t.Error(got, err)
	}
	if _, _, err := table.Take(handle); err == nil || !strings.Contains(err.Error(), "has been closed") {
		t.Error(err)
	}
	if _, err := table.Close(0); err == nil {
		t.Error("0 is closed")
	}
}
