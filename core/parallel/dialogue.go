package parallel

import (
	"runtime"

	"combpred/core/fault"
)

// ErrClosed is what an algorithm gets in place of an answer when its dialogue has been closed.
var ErrClosed = fault.Cancelled("the session was closed")

// Dialogue runs an algorithm that asks for things on the way: an ordinary function in a goroutine of its own, which waits while its caller
// finds the answer. The two never run at the same time, so what both know needs no locks. Only one goroutine at a time may call Next and
// Close.
type Dialogue struct {
	toCaller    chan event
	toAlgorithm chan error
	isOver      bool
	isClosed    bool // as the algorithm knows it
}

// event is what makes an algorithm stop.
type event struct {
	work func() error // to be done by the caller's goroutine, if not nil
	over bool         // the algorithm has returned err
	err  error
}

// Converse prepares f to be run up to its first question by Next. A panic of f is an error.
func Converse(f func(d *Dialogue) error) *Dialogue {
	d := &Dialogue{toCaller: make(chan event, 1), toAlgorithm: make(chan error, 1)}
	go func() {
		err := <-d.toAlgorithm
		if err == nil {
			err = protect(func(int, int) error { return f(d) }, 0, 0)
		}
		d.toCaller <- event{over: true, err: err}
	}()
	return d
}

// Ask gives way to the caller until that calls Next again; what is asked for is agreed on elsewhere. ErrClosed when there will be no
// answer, now and whenever it is called again: the algorithm has to return.
func (d *Dialogue) Ask() error {
	return d.exchange(event{})
}

// OnCaller runs f on the goroutine, and so the thread, of the caller, and returns its error. A BLAS with threads of its own keeps their
// number, among other settings, by thread.
func (d *Dialogue) OnCaller(f func() error) error {
	return d.exchange(event{work: f})
}

func (d *Dialogue) exchange(e event) error {
	if d.isClosed {
		return ErrClosed
	}
	d.toCaller <- e
	err := receive(d.toAlgorithm)
	d.isClosed = err == ErrClosed
	return err
}

// Next lets the algorithm go on, with the answer to what it has asked for, up to its next question or its end: asked is false, and err
// what it has returned. Later calls return false and nil.
func (d *Dialogue) Next() (asked bool, err error) {
	if d.isOver {
		return false, nil
	}
	d.toAlgorithm <- nil
	for {
		e := receive(d.toCaller)
		switch {
		case e.over:
			d.isOver = true
			return false, e.err
		case e.work == nil:
			return true, nil
		}
		d.toAlgorithm <- protect(func(int, int) error { return e.work() }, 0, 0)
	}
}

// Close ends the algorithm, wherever it is, and waits until it has returned.
func (d *Dialogue) Close() {
	if d.isOver {
		return
	}
	d.toAlgorithm <- ErrClosed
	<-d.toCaller
	d.isOver = true
}

// looks is how often a goroutine looks for its turn before it sleeps, some ten microseconds: a caller from C is bound to its thread, which
// takes longer to put to sleep and to wake than most answers take.
const looks = 2000

func receive[T any](from <-chan T) T {
	if runtime.GOMAXPROCS(0) > 1 {
		for range looks {
			select {
			case v := <-from:
				return v
			default:
			}
		}
	}
	return <-from
}
