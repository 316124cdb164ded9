package llmtest

// What tests of the package need of its insides.
var (
	Play     = play
	Complain = complain
	OpenFile = open
	Switched = func(path string) (update, record bool, err error) {
		m, err := switched(path)
		return m.update, m.record, err
	}
	AcceptCommand = acceptCommand
)

// ScriptsOf is matches.
var ScriptsOf = matches
