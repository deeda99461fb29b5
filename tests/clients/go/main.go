// Drives one host over HTTP with the official Go SDK, in the revision that it is given.
//
//	driver REVISION KIND PLACE RECORD URL
//
// KIND is `http`, a wide host, and PLACE the socket of `breaking.py`; or an example, `axum` or `clock`. RECORD is for hosts over stdio. Prints
// one JSON object per line: first the names of all steps, then a verdict for each step that was reached.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

var stepsOf = map[string][]step{"http": wide, "axum": board, "clock": clock}

const patience = 20 * time.Second // for each step

func main() {
	if len(os.Args) != 6 {
		fmt.Fprintln(os.Stderr, "usage: driver REVISION KIND PLACE RECORD URL")
		os.Exit(2)
	}
	steps, isKnown := stepsOf[os.Args[2]]
	if !isKnown {
		fmt.Fprintf(os.Stderr, "there are no steps for %q\n", os.Args[2])
		os.Exit(2)
	}
	w := newWorld(os.Args[1], os.Args[5], os.Args[3])
	names := make([]string, len(steps))
	for i, s := range steps {
		names[i] = s.name
	}
	say(map[string]any{"steps": names})
	for _, s := range steps {
		detail, err := take(s, w)
		if err != nil {
			detail = err.Error()
		}
		say(map[string]any{"step": s.name, "ok": err == nil, "detail": detail})
		if err != nil && w.session == nil {
			return
		}
	}
}

func take(s step, w *world) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return s.take(ctx, w)
}

func say(line any) {
	text, err := json.Marshal(line)
	if err != nil {
		panic(err) // strings and booleans
	}
	fmt.Println(string(text))
}
