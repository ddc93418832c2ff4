package parallel

import (
	"errors"
	"testing"
)

func TestDetachedIsLeftAloneWhenCancelled(t *testing.T) {
	var mon Monitor
	begun, release, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		<-begun
		mon.Cancel()
	}()
	err := Detached(&mon, func() error {
		close(begun)
		<-release
		close(ended)
		return nil
	})
	if !errors.Is(err, ErrCancelled) {
		t.Errorf("error %v", err)
	}
	close(release)
	<-ended
	if err := Detached(&mon, func() error { panic("not to be run") }); !errors.Is(err, ErrCancelled) {
		t.Errorf("begun after cancellation: %v", err)
	}
}

func TestDetachedReturnsErrorsAndPanics(t *testing.T) {
	wrong := errors.New("wrong")
	for _, mon := range []*Monitor{nil, {}} {
		if err := Detached(mon, func() error { return wrong }); err != wrong {
			t.Errorf("error %v", err)
		}
		var panicked *PanicError
		if err := Detached(mon, func() error { panic(1) }); !errors.As(err, &panicked) {
			t.Errorf("a panic gives %v", err)
		}
	}
}
