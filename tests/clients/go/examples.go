package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// board is how axum's board of notes is driven: people write to /notes/ID what clients find as notes://ID.
var board = []step{
	{"connect", connectToBoard},
	{"list", listBoard},
	{"read", readBoard},
	{"watch", watchBoard},
	{"watch the list", watchListOfBoard},
	{"close", closeSession},
}

// clock is how libmicrohttpd's clock and counter are.
var clock = []step{
	{"connect", settle},
	{"list", listClock},
	{"read", count},
	{"progress", countWithProgress},
	{"watch", watchClock},
	{"close", closeSession},
}

func connectToBoard(ctx context.Context, w *world) (string, error) {
	w.onListChanged = func(context.Context, *mcp.ResourceListChangedRequest) { w.note(func() { w.listChanges++ }) }
	settled, err := settle(ctx, w)
	if err == nil && w.isStateless() { // a session listens from the first, this by a stream
		err = w.more(ctx, &w.acknowledged, 0, "acknowledgement of the listen stream")
	}
	return settled, err
}

func listBoard(ctx context.Context, w *world) (string, error) {
	if err := w.write(ctx, "a", "one"); err != nil {
		return "", err
	}
	return "what people have written, and the template", w.offers(ctx, []string{"notes://a"}, "notes://{id}")
}

func readBoard(ctx context.Context, w *world) (string, error) {
	return "one", w.says(ctx, "notes://a", "one")
}

func watchBoard(ctx context.Context, w *world) (string, error) {
	if err := w.subscribe(ctx, "notes://a"); err != nil {
		return "", err
	}
	if err := w.write(ctx, "a", "two"); err != nil {
		return "", err
	}
	if err := w.more(ctx, &w.updates, 0, "update of notes://a"); err != nil {
		return "", err
	}
	return "what people write is told", w.says(ctx, "notes://a", "two")
}

func watchListOfBoard(ctx context.Context, w *world) (string, error) {
	if err := w.more(ctx, &w.listChanges, 0, "list_changed after the first was written"); err != nil {
		return "", err
	}
	before := w.count(&w.listChanges)
	if err := w.write(ctx, "b", "new"); err != nil {
		return "", err
	}
	if err := w.more(ctx, &w.listChanges, before, "list_changed after another was written"); err != nil {
		return "", err
	}
	return "a further one is told and listed", w.offers(ctx, []string{"notes://a", "notes://b"}, "notes://{id}")
}

func listClock(ctx context.Context, w *world) (string, error) {
	return "uptime://seconds and primes://below/{n}", w.offers(ctx, []string{"uptime://seconds"}, "primes://below/{n}")
}

func count(ctx context.Context, w *world) (string, error) {
	return "25", w.says(ctx, "primes://below/100", "25")
}

func countWithProgress(ctx context.Context, w *world) (string, error) {
	heard := 0
	// Long enough for progress to come before the answer.
	text, err := w.hearing(ctx, "primes://below/2000000", func() { w.note(func() { heard++ }) })
	told := w.count(&heard)
	if err != nil || text != "148933" || told == 0 {
		return "", fmt.Errorf("they are %q after %d times progress: %v", text, told, err)
	}
	return fmt.Sprintf("%s, after %d times progress", text, told), nil
}

func watchClock(ctx context.Context, w *world) (string, error) {
	if err := w.subscribe(ctx, "uptime://seconds"); err != nil {
		return "", err
	}
	return "each second is told", w.more(ctx, &w.updates, 1, "two updates of uptime://seconds")
}

// write is what people do.
func (w *world) write(ctx context.Context, id, text string) error {
	place, err := url.JoinPath(w.host[0], "/../notes", id)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, place, strings.NewReader(text))
	if err != nil {
		return err
	}
	response, err := w.http.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusNoContent {
		return fmt.Errorf("PUT gave %s", response.Status)
	}
	return nil
}

// offers tells whether these URIs and this template are all that is listed.
func (w *world) offers(ctx context.Context, wanted []string, template string) error {
	var listed []string
	for resource, err := range w.session.Resources(ctx, nil) {
		if err != nil {
			return err
		}
		listed = append(listed, resource.URI)
	}
	templates, err := w.session.ListResourceTemplates(ctx, nil)
	if err != nil {
		return err
	}
	if !reflect.DeepEqual(listed, wanted) || len(templates.ResourceTemplates) != 1 || templates.ResourceTemplates[0].URITemplate != template {
		return fmt.Errorf("%v and %d templates are listed", listed, len(templates.ResourceTemplates))
	}
	return nil
}

// says tells whether a resource is that text.
func (w *world) says(ctx context.Context, uri, wanted string) error {
	if text, err := w.text(ctx, uri); err != nil || text != wanted {
		return fmt.Errorf("it is %q: %v", text, err)
	}
	return nil
}
