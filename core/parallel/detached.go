package parallel

import "time"

// answerEvery is how often Detached looks whether it is to stop.
const answerEvery = 20 * time.Millisecond

// Detached runs f, which cannot be stopped, and returns its error, or ErrCancelled soon after mon asks for it: f then goes on to its end by
// itself, so it must touch nothing that belongs to the caller. A panic of f is an error. With a nil mon f runs in the calling goroutine.
func Detached(mon *Monitor, f func() error) error {
	body := func(int, int) error { return f() }
	if mon == nil {
		return protect(body, 0, 0)
	}
	if err := mon.Err(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- protect(body, 0, 0) }()
	ticker := time.NewTicker(answerEvery)
	defer ticker.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-ticker.C:
			if err := mon.Err(); err != nil {
				return err
			}
		}
	}
}
