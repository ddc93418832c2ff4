package parallel

import (
	"errors"
	"runtime"
	"slices"
	"testing"
	"time"

	"combpred/core/fault"
)

func TestDialoguesTakeTurns(t *testing.T) {
	asked, answer := 0, 0
	var got []int
	d := Converse(func(d *Dialogue) error {
		for i := range 4 {
			asked = i
			if err := d.Ask(); err != nil {
				return err
			}
			got = append(got, answer)
		}
		return errors.New("the end")
	})
	for i := range 4 {
		if more, err := d.Next(); !more || err != nil || asked != i {
			t.Fatalf("question %d: %v, %v, asked for %d", i, more, err, asked)
		}
		answer = 10 * i
	}
	if more, err := d.Next(); more || err == nil || err.Error() != "the end" {
		t.Errorf("at the end: %v, %v", more, err)
	}
	if more, err := d.Next(); more || err != nil {
		t.Errorf("behind the end: %v, %v", more, err)
	}
	d.Close()
	if want := []int{0, 10, 20, 30}; !slices.Equal(got, want) {
		t.Errorf("answers %v, want %v", got, want)
	}
}

func TestClosedDialoguesEnd(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, turns := range []int{0, 1, 3} {
		returned := false
		d := Converse(func(d *Dialogue) error {
			defer func() { returned = true }()
			for d.Ask() == nil {
			}
			if err := errors.Join(d.Ask(), d.OnCaller(func() error { panic("not to be run") })); fault.KindOf(err) != fault.KindCancelled {
				t.Errorf("after the end: %v", err)
			}
			return d.Ask()
		})
		for range turns {
			if more, err := d.Next(); !more || err != nil {
				t.Fatal(more, err)
			}
		}
		d.Close()
		d.Close()
		if more, err := d.Next(); more || err != nil {
			t.Errorf("a closed dialogue goes on: %v, %v", more, err)
		}
		if returned != (turns > 0) {
			t.Errorf("%d turns: returned is %v", turns, returned)
		}
	}
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
}

func TestPanicsOfDialoguesAreErrors(t *testing.T) {
	var panicked *PanicError
	if _, err := Converse(func(*Dialogue) error { panic("broken") }).Next(); !errors.As(err, &panicked) {
		t.Errorf("a panic of the algorithm gives %v", err)
	}
	d := Converse(func(d *Dialogue) error { return d.OnCaller(func() error { panic("broken") }) })
	if _, err := d.Next(); !errors.As(err, &panicked) {
		t.Errorf("a panic on the caller's goroutine gives %v", err)
	}
}

func TestWorkOnTheCallersGoroutine(t *testing.T) {
	wrong := errors.New("wrong")
	var stacks []string
	stack := func() string {
		var b [64]byte
		return string(b[:slices.Index(b[:runtime.Stack(b[:], false)], '[')])
	}
	d := Converse(func(d *Dialogue) error {
		stacks = append(stacks, stack())
		for range 2 {
			if err := d.OnCaller(func() error { stacks = append(stacks, stack()); return wrong }); err != wrong {
				t.Errorf("got %v", err)
			}
		}
		return d.Ask()
	})
	if more, err := d.Next(); !more || err != nil {
		t.Fatal(more, err)
	}
	if here := stack(); stacks[0] == here || stacks[1] != here || stacks[2] != here {
		t.Errorf("this is %s, goroutines were %v", here, stacks)
	}
	d.Close()
}

// BenchmarkDialogue is the price of a question. A caller from C keeps its thread, as here with the lock.
func BenchmarkDialogue(b *testing.B) {
	for _, locked := range []bool{false, true} {
		b.Run(map[bool]string{false: "free", true: "locked"}[locked], func(b *testing.B) {
			if locked {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
			}
			d := Converse(func(d *Dialogue) error {
				for d.Ask() == nil {
				}
				return nil
			})
			defer d.Close()
			for b.Loop() {
				if _, err := d.Next(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
