package structure

import "testing"

func TestCapabilityErrorsEndInTheAlternative(t *testing.T) {
	for _, c := range []struct{ alternatives, want string }{
		{"", "cycles: this needs a mean, which the structure does not have"},
		{"take samples", "cycles: this needs a mean, which the structure does not have; take samples"},
	} {
		err := CapabilityError{Structure: "cycles", Need: "a mean", Alternatives: c.alternatives}
		if err.Error() != c.want {
			t.Errorf("%q, want %q", &err, c.want)
		}
	}
}
