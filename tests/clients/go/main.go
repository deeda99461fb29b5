// Drives one wide host over HTTP with the official Go SDK, in the revision that it is given.
//
//	driver REVISION KIND PLACE RECORD URL
//
// KIND is `http`, PLACE the socket of `breaking.py`; RECORD is for hosts over stdio. Prints one JSON object per line: first the names of all
// steps, then a verdict for each step that was reached.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

const patience = 20 * time.Second // for each step

func main() {
	if len(os.Args) != 6 {
		fmt.Fprintln(os.Stderr, "usage: driver REVISION KIND PLACE RECORD URL")
		os.Exit(2)
	}
	w := newWide(os.Args[1], os.Args[5], os.Args[3])
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

func take(s step, w *wide) (string, error) {
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
