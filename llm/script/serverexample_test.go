package script_test

import (
	"context"
	"fmt"
	"net/http"

	"github.com/actdone/actdone/llm/openai"
	"github.com/actdone/actdone/llm/script"
)

func ExampleServer() {
	s, err := script.Parse("busy.txtar", []byte(`A rate limit, then an answer.

-- script --
api text
-- fault status 429 retry-after=0s --
Slow down.
-- expect --
contains go
-- reply chunk=word --
DONE: all is well
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	player := &script.Player{Script: s}
	server, err := script.NewServer(player)
	if err != nil {
		fmt.Println(err)
		return
	}
	listener, err := script.Listen("127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	go http.Serve(listener, server)
	defer listener.Close()

	model := &openai.Client{BaseURL: "http://" + listener.Addr().String() + "/v1", Key: "none", Model: "any"}
	reply, err := model.Ask(context.Background(), "TASK: go")
	fmt.Println(reply, err)
	for _, request := range server.Calls() {
		fmt.Println(request.Code, request.At, request.Status)
	}
	fmt.Println(player.Check())
	// Output:
	// DONE: all is well <nil>
	// 429 busy.txtar:5 fault status 429
	// 200 busy.txtar:9 reply
	// <nil>
}
