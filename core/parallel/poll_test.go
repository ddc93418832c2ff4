package parallel

import (
	"errors"
	"testing"
)

func TestTheFirstRefusalIsKept(t *testing.T) {
	refusal := errors.New("stop")
	calls := 0
	var p Poll
	if p.Stopped() || p.Err() != nil {
		t.Error("the zero value stops")
	}
	p.Reset(func() error {
		if calls++; calls == 2 {
			return refusal
		}
		return nil
	})
	if p.Stopped() || p.Err() != nil {
		t.Error("stops before the refusal")
	}
	for range 3 {
		if !p.Stopped() || !errors.Is(p.Err(), refusal) {
			t.Errorf("after the refusal Err is %v", p.Err())
		}
	}
	if calls != 2 {
		t.Errorf("asked %d times, must be asked no more after the refusal", calls)
	}
	if p.Reset(nil); p.Stopped() {
		t.Error("the refusal outlives Reset")
	}
}
