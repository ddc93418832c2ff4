package main

// #include "combpred.h"
import "C"

import (
	"runtime"
	"sync"

	"combpred/capi/cabi"
	"combpred/core/control/handles"
	"combpred/core/parallel"
	"combpred/core/slicex"
)

// sessions are the open ones.
var sessions = handles.New[*session]("session", 2)

// session is an algorithm that asks its caller for things. Its oracle fills the request, asks, and reads the answers.
type session struct {
	busy     sync.Mutex // held while the algorithm runs
	dialogue *parallel.Dialogue
	request  C.cp_request
	lent     runtime.Pinner // what the request points to
}

// openSession writes the handle of a session that will do run, unless it has been cancelled already. Arguments are to be checked before:
// what run refuses is told by the first call of cp_session_next.
func openSession(to *C.cp_session, mon *parallel.Monitor, run func(s *session) error) error {
	if _, err := cabi.One(to, "session"); err != nil {
		return err
	}
	if err := mon.Err(); err != nil {
		return err
	}
	s := &session{}
	s.dialogue = parallel.Converse(func(*parallel.Dialogue) error { return run(s) })
	*to = C.cp_session(sessions.Open(s))
	return nil
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
	return err
}

// onCaller runs f on the thread of the caller.
func (s *session) onCaller(f func() error) error { return s.dialogue.OnCaller(f) }

//export go_cp_session_next
func go_cp_session_next(handle C.cp_session, request *C.cp_request, badRow *C.int64_t, err *C.char, errCap C.int64_t) C.int32_t {
	return guardRows(badRow, err, errCap, func() error {
		s, err := sessions.Get(uint64(handle))
		if err != nil {
			return err
		}
		to, err := cabi.OutRecord(request, "request", false)
		if err != nil {
			return err
		}
		if !s.busy.TryLock() {
			return cabi.Illegal("the session is busy: another thread waits for its next request")
		}
		defer s.busy.Unlock()
		asked, err := s.dialogue.Next()
		if !asked {
			to.Set(C.cp_request{ask: C.CP_ASK_DONE})
			return err
		}
		to.Set(s.request)
		return nil
	})
}

//export go_cp_session_close
func go_cp_session_close(handle C.cp_session, err *C.char, errCap C.int64_t) C.int32_t {
	return guard(err, errCap, func() error {
		s, err := sessions.Get(uint64(handle))
		if err != nil {
			return err
		}
		if !s.busy.TryLock() {
			return cabi.Illegal("the session is busy: another thread waits for its next request")
		}
		defer s.busy.Unlock()
		if _, err := sessions.Close(uint64(handle)); err != nil { // another thread has been faster
			return err
		}
		s.dialogue.Close()
		return nil
	})
}
