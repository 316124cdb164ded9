package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/actdone/actdone/react"
	"github.com/actdone/actdone/react/dialects"
)

// A dialect is the protocol that a flag names.
type dialect struct{ name string }

// protocols are the protocols by name, the default first.
var protocols = []struct {
	name string
	is   react.Protocol
}{
	{"actdone", react.ActDone{}},
	{"classic", dialects.Classic{}},
	{"bracket", dialects.Bracket{}},
	{"fenced", dialects.Fenced{}},
}

// flags adds the flag that fills d.
func (d *dialect) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&d.name, "protocol", protocols[0].name, "how moves are written, a `name`: actdone, or, for models tuned to one, classic (Action: and Action Input:), bracket (Search[x]) or fenced (one shell block)")
}

// protocol returns the protocol of that name.
func (d *dialect) protocol() (react.Protocol, error) {
	var names []string
	for _, p := range protocols {
		if p.name == d.name {
			return p.is, nil
		}
		names = append(names, p.name)
	}
	last := len(names) - 1
	return nil, fmt.Errorf("--protocol %q: want %s or %s", d.name, strings.Join(slices.Clone(names[:last]), ", "), names[last])
}
