package main

// #include "combpred.h"
import "C"

import (
	"runtime"
	"slices"
	"time"

	"combpred/capi/cabi"
	"combpred/core/control/handles"
	"combpred/core/fault"
	"combpred/core/parallel"
	"combpred/core/slicex"
)

// sessions are the open ones.
var sessions = handles.NewExclusive[*session]("session", 2)

// session is an algorithm that asks its caller for things. Its oracle fills the request, asks, and reads the answers.
type session struct {
	dialogue *parallel.Dialogue
	mon      *parallel.Monitor // of the caller's control
	request  C.cp_request
	lent     runtime.Pinner // what the request points to
	listed   []listed       // outputs that wait for the caller
	waiting  time.Time      // since when the caller waits
	isAsked  bool           // there is a request that the caller does not know yet
	isOver   bool
	end      error // of the algorithm, not yet told
}

// listed is an output of a list, and its score.
type listed struct {
	parts []int32
	value float64
}

// openSession writes the handle of a session that does run, up to its first request: what run refuses before is an error at once.
func openSession(to *C.cp_session, mon *parallel.Monitor, run func(s *session) error) error {
	if _, err := cabi.One(to, "session"); err != nil {
		return err
	}
	if err := mon.Err(); err != nil {
		return err
	}
	s := &session{mon: mon}
	s.dialogue = parallel.Converse(func(*parallel.Dialogue) error { return run(s) })
	s.advance()
	if s.end != nil && fault.KindOf(s.end) != fault.KindNotConverged {
		return s.end
	}
	*to = C.cp_session(sessions.Open(s))
	return nil
}

// advance lets the algorithm go on to its next request, or its end.
func (s *session) advance() {
	s.waiting = time.Now()
	s.isAsked, s.end = s.dialogue.Next()
	s.isOver = !s.isAsked
}

// lend returns the address of a slice, for a field of the request: the caller may use it until it goes on with the session. The slice must
// not move to other memory until then.
func lend[T any](s *session, data []T) *T {
	if len(data) == 0 {
		return nil
	}
	s.lent.Pin(&data[0])
	return &data[0]
}

// room is lend for answers, which the caller is to write: the slice is in, where that has the room, and all zero.
func room[T any](s *session, in []T, n int) ([]T, *T) {
	in = slicex.Grow(in, n)
	clear(in)
	return in, lend(s, in)
}

// ask gives the request to the caller, as one for what the number says, and returns when there are answers. Then the request is empty.
func (s *session) ask(number C.int64_t) error {
	s.request.ask = number
	err := s.dialogue.Ask()
	s.lent.Unpin()
	s.request = C.cp_request{}
	return fault.First(err, s.mon.Err())
}

// tell lists an output, and says whether more are wanted. The caller gets one at a time, but not each is worth to wake its thread.
func (s *session) tell(y []int32, value float64) bool {
	s.listed = append(s.listed, listed{slices.Clone(y), value})
	if len(s.listed) < mostListed && time.Since(s.waiting) < longestWait {
		return true
	}
	return s.ask(C.CP_ASK_LISTED) == nil
}

// Bounds of what is listed ahead of the caller.
const (
	mostListed  = 64
	longestWait = 100 * time.Microsecond
)

// next lets the algorithm go on up to the next request.
func (s *session) next() error {
	for len(s.listed) == 0 {
		if s.isOver {
			err := s.end
			if s.end = nil; err != nil && fault.KindOf(err) != fault.KindNotConverged {
				s.request = C.cp_request{}
			}
			s.request.ask = C.CP_ASK_DONE // with what the algorithm has left there
			return err
		}
		if !s.isAsked {
			s.advance()
			continue
		}
		s.isAsked = false
		if s.request.ask != C.CP_ASK_LISTED {
			return nil
		}
	}
	first := s.listed[0]
	s.listed = s.listed[1:]
	s.lent.Unpin()
	s.request = C.cp_request{ask: C.CP_ASK_LISTED, n: 1, value: C.double(first.value), parts: (*C.cp_in_i32)(lend(s, first.parts))}
	return nil
}

// onCaller runs f on the thread of the caller.
func (s *session) onCaller(f func() error) error { return s.dialogue.OnCaller(f) }

//export go_cp_session_next
func go_cp_session_next(handle C.cp_session, request *C.cp_request, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		to, err := cabi.OutRecord(request, "request", false)
		if err != nil {
			return err
		}
		s, release, err := sessions.Take(uint64(handle))
		if err != nil {
			return err
		}
		defer release()
		err = s.next()
		to.Set(s.request)
		return err
	})
}

//export go_cp_session_close
func go_cp_session_close(handle C.cp_session, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		s, err := sessions.Close(uint64(handle))
		if err != nil {
			return err
		}
		s.dialogue.Close()
		s.lent.Unpin()
		return nil
	})
}
