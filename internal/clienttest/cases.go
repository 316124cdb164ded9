package clienttest

// Cases are all of them. Where a client sees no error in what is one, the turn
// says so: these clients take a stream that was cut for a whole reply.
var Cases = []Case{
	both("reply", long("stop"), last),
	both("bytes", long("tool_calls", Call{"call_1", "bash", `{"command": "echo Grüße, 世界 🎉"}`}), last),
	both("calls",
		Turn{Text: "I will look.", Calls: []Call{{"call_1", "bash", `{"command": "ls"}`}, {"mine", "bash", `{}`}}, Finish: "tool_calls", Usage: [3]int{80, 20}},
		Turn{Calls: []Call{{"call_2", "bash", `{"command": "cat a", "deep": {"list": [1, 2]}}`}}, Finish: "tool_calls"},
		Turn{Text: "One file.", Finish: "stop"}),
	both("status",
		refused(Problem{Status: 429, Message: "Rate limit reached for requests", Code: "rate_limit_exceeded", RetryAfter: "20"}),
		refused(Problem{Status: 400, Message: "The prompt is too long"}),
		refused(Problem{Status: 401, Message: "Incorrect API key provided"}),
		refused(Problem{Status: 404, Message: "The model does not exist"}),
		refused(Problem{Status: 500, Message: "The server had an error"}),
		refused(Problem{Status: 503, Message: "Service Unavailable"}),
		here),
	{Name: "retry", Retries: 1, Plain: []Turn{here}, Stream: []Turn{here}},
	both("finish", Turn{Text: "ACT: bash rm -r bui", Finish: "length"}, Turn{Text: "I can", Finish: "content_filter"}, whole),
	{Name: "cut", Plain: []Turn{refused(broken), whole}, Stream: []Turn{{Text: begun}, whole}},
	{Name: "reset", Plain: []Turn{refused(broken), whole}, Stream: []Turn{{Text: begun, Error: &broken}, whole}},
	{Name: "badjson", Plain: []Turn{refused(broken), whole}, Stream: []Turn{{Text: begun, Error: &broken}, whole}},
	{Name: "errframe", Plain: []Turn{{}, whole}, Stream: []Turn{{Text: begun, Error: &broken}, whole}},
	both("empty", Turn{}, whole),
	{Name: "raw", Plain: []Turn{refused(broken), whole}, Stream: []Turn{{}, whole}},
}

// begun is what arrives before a fault.
const begun = "ACT: bash rm "

var (
	broken = Problem{Broken: true}
	last   = Turn{Text: "  That is all.", Finish: "stop", Usage: [3]int{150, 3, 0}}
	here   = Turn{Text: "Here I am.", Finish: "stop"}
	whole  = Turn{Text: "Whole.", Finish: "stop"}
)

// both makes a case that comes out alike as a stream and as whole replies.
func both(name string, turns ...Turn) Case { return Case{Name: name, Plain: turns, Stream: turns} }

// long is a reply of several lines.
func long(finish string, calls ...Call) Turn {
	return Turn{Text: "Grüße, 世界 🎉\n\ntwo  blanks and a tab\there\n", Calls: calls, Finish: finish, Usage: [3]int{120, 9, 100}}
}

func refused(p Problem) Turn { return Turn{Error: &p} }
