package react_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/actdone/actdone/llm"
	"github.com/actdone/actdone/react"
)

func TestErrorTexts(t *testing.T) {
	fits := strings.Repeat("x", 200)
	for _, c := range []struct {
		err  error
		want string
	}{
		{&react.ProtocolError{Step: 2, Reply: "hm", Err: errBroken}, `step 2: broken: "hm"`},
		{&react.ProtocolError{Reply: "hm", Err: errBroken}, `broken: "hm"`},
		{&react.ProtocolError{Step: 1, Err: errBroken}, "step 1: broken"},
		{&react.ProtocolError{Step: 1, Reply: "ACT: l", Err: &llm.TruncatedError{Text: "ACT: l", Reason: "length"}}, `step 1: reply cut (length) after "ACT: l"`},
		{&react.ProtocolError{Reply: fits, Err: errBroken}, `broken: "` + fits + `"`},
		{&react.ProtocolError{Reply: fits + "x", Err: errBroken}, `broken: "` + fits + `…"`},
		{&react.ProtocolError{Reply: "x" + strings.Repeat("ä", 200), Err: errBroken}, `broken: "x` + strings.Repeat("ä", 99) + `…"`},
		{&react.ProtocolError{Reply: strings.Repeat("\x80", 300), Err: errBroken}, `broken: "…"`},
		{&react.CancelError{Step: 3, Err: context.Canceled}, "step 3: context canceled"},
		{&react.CancelError{Step: 3, Err: context.Canceled, Cause: context.Canceled}, "step 3: context canceled"},
		{&react.CancelError{Step: 3, Err: context.Canceled, Cause: errBroken}, "step 3: context canceled: broken"},
	} {
		assert.EqualError(t, c.err, c.want)
	}
}
