// Drives one host with the official Go SDK, in the revision that it is given.
//
//	driver REVISION KIND PLACE RECORD URL
//	driver REVISION wide PLACE RECORD COMMAND...
//
// KIND is `http` or `wide`, a wide host over HTTP or stdio; for `http` PLACE is the socket of `breaking.py`. Or it is an example, `axum` or `clock`. Prints
// one JSON object per line: first the names of all steps, then a verdict for each step that was reached.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

var stepsOf = map[string][]step{"http": broken, "wide": wide, "axum": board, "clock": clock}

const patience = 20 * time.Second // for each step

func main() {
	if len(os.Args) < 6 {
		fmt.Fprintln(os.Stderr, "usage: driver REVISION KIND PLACE RECORD URL|COMMAND...")
		os.Exit(2)
	}
	steps, isKnown := stepsOf[os.Args[2]]
	if !isKnown {
		fmt.Fprintf(os.Stderr, "there are no steps for %q\n", os.Args[2])
		os.Exit(2)
	}
	w := newWorld(os.Args[1], os.Args[3], os.Args[5:])
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
