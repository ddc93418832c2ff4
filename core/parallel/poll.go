package parallel

// Poll lets a long computation ask now and then whether it is to go on. It remembers the first refusal, so that nested
// loops can end one after the other without handing an error through each. The zero value never stops. It is not safe for
// concurrent use.
type Poll struct {
	ask func() error
	err error
}

// Reset makes the poll ask the given function, which may be nil: nothing stops the computation then. An earlier refusal is
// forgotten.
func (p *Poll) Reset(ask func() error) { p.ask, p.err = ask, nil }

// Stopped reports whether the computation is to stop. Cost: one call of the function until it refuses, none afterwards.
func (p *Poll) Stopped() bool {
	if p.err == nil && p.ask != nil {
		p.err = p.ask()
	}
	return p.err != nil
}

// Err returns the refusal, or nil.
func (p *Poll) Err() error { return p.err }
