package parallel

import "combpred/core/fault"

// ErrClosed is what an algorithm gets in place of an answer when its dialogue has been closed.
var ErrClosed = fault.Cancelled("the session was closed")

// Dialogue runs an algorithm that asks for things on the way: an ordinary function in a goroutine of its own, which waits while its caller
// finds the answer. The two never run at the same time, so what both know needs no locks. Only one goroutine at a time may call Next and
// Close.
//
// Whoever waits sleeps at once. To look for the answer a while first, as a lock does, takes longer: the other goroutine waits for this
// processor, and others take it away from a busy one only after some 50 microseconds.
type Dialogue struct {
	algorithm   func(d *Dialogue) error // nil once it has begun
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
	return &Dialogue{algorithm: f, toCaller: make(chan event, 1), toAlgorithm: make(chan error, 1)}
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
	err := <-d.toAlgorithm
	d.isClosed = err == ErrClosed
	return err
}

// Next lets the algorithm go on, with the answer to what it has asked for, up to its next question or its end: asked is false, and err
// what it has returned. Later calls return false and nil.
func (d *Dialogue) Next() (asked bool, err error) {
	if d.isOver {
		return false, nil
	}
	if f := d.algorithm; f != nil {
		d.algorithm = nil
		go func() {
			d.toCaller <- event{over: true, err: protect(func(int, int) error { return f(d) }, 0, 0)}
		}()
	} else {
		d.toAlgorithm <- nil
	}
	for {
		e := <-d.toCaller
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
	if !d.isOver && d.algorithm == nil {
		d.toAlgorithm <- ErrClosed
		<-d.toCaller
	}
	d.isOver, d.algorithm = true, nil
}
