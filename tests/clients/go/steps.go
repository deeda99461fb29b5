package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// step asserts one thing, and says what it found.
type step struct {
	name string
	take func(context.Context, *world) (string, error)
}

var wide = []step{
	{"connect", connect},
	{"list", list},
	{"several contents", read},
	{"permission denied", denied},
	{"progress", progress},
	{"subscribe", subscribe},
	{"a typed tool", typedTool},
	{"ask the client", checkClientRequest},
	{"input for a read", inputForARead},
	{"close", closeSession},
}

// broken are the steps over HTTP, with connections that break.
var broken = append(slices.Clone(wide[:len(wide)-1]),
	step{"break while listening", breakWhileListening},
	step{"break while calling", breakWhileCalling},
	wide[len(wide)-1],
)

const (
	denial        = 403
	internalError = -32603
)

// settle connects, and says what has been agreed upon.
func settle(ctx context.Context, w *world) (string, error) {
	if err := w.connect(ctx); err != nil {
		return "", err
	}
	told := w.session.InitializeResult()
	resources := told.Capabilities.Resources
	if told.ProtocolVersion != w.revision || resources == nil || !resources.Subscribe || !resources.ListChanged {
		return "", fmt.Errorf("negotiated %s, with resources %+v", told.ProtocolVersion, resources)
	}
	if told.ServerInfo == nil || told.ServerInfo.Name == "" {
		return "", errors.New("the server does not tell its name")
	}
	return told.ProtocolVersion + ", subscribe, listChanged", nil
}

func connect(ctx context.Context, w *world) (string, error) {
	settled, err := settle(ctx, w)
	if err != nil {
		return "", err
	}
	told := w.session.InitializeResult()
	if told.ServerInfo.Name != "wide" || told.Instructions != "Ask for anything." {
		return "", fmt.Errorf("the server is %+v: %q", told.ServerInfo, told.Instructions)
	}
	return settled, nil
}

func list(ctx context.Context, w *world) (string, error) {
	listed := map[string]*mcp.Resource{}
	for resource, err := range w.session.Resources(ctx, nil) {
		if err != nil {
			return "", err
		}
		listed[resource.URI] = resource
	}
	if len(listed) != 8 {
		return "", fmt.Errorf("%d are listed", len(listed))
	}
	if err := same(listed["wide://described"], `{
		"uri": "wide://described",
		"name": "described",
		"title": "All there is to say",
		"description": "A resource of which everything is said.",
		"mimeType": "text/plain",
		"size": 10,
		"annotations": {"audience": ["user", "assistant"], "priority": 0.5, "lastModified": "2026-01-12T15:00:58Z"},
		"icons": [{"src": "https://example.com/icon.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark"}],
		"_meta": {"example.com/colour": "green"}
	}`); err != nil {
		return "", err
	}
	templates, err := w.session.ListResourceTemplates(ctx, nil)
	if err != nil {
		return "", err
	}
	return "8 resources, a template, all fields", same(templates.ResourceTemplates, `[{
		"uriTemplate": "wide://{city}/{street}",
		"name": "place",
		"title": "A place",
		"description": "A street of a city.",
		"mimeType": "text/plain",
		"annotations": {"priority": 1},
		"icons": [{"src": "https://example.com/icon.png"}],
		"_meta": {"example.com/colour": "red"}
	}]`)
}

func read(ctx context.Context, w *world) (string, error) {
	parts, err := w.read(ctx, "wide://parts")
	if err != nil {
		return "", err
	}
	return "two parts, with _meta of their own", same(parts, `[
		{"uri": "wide://parts/1", "mimeType": "text/plain", "text": "one"},
		{"uri": "wide://parts/2", "mimeType": "application/octet-stream", "blob": "AP8=", "_meta": {"example.com/part": 2}}
	]`)
}

func denied(ctx context.Context, w *world) (string, error) {
	_, err := w.read(ctx, "wide://denied")
	return refusal(err, denial)
}

func progress(ctx context.Context, w *world) (string, error) {
	heard, enough := 0, make(chan error, 1)
	text, err := w.hearing(ctx, "wide://steps", func() {
		if heard++; heard == 3 {
			go func() {
				_, err := w.read(ctx, "wide://enough")
				enough <- err
			}()
		}
	})
	if err != nil || text != "done" || heard != 3 {
		return "", fmt.Errorf("it is %q after %d times progress: %v", text, heard, err)
	}
	return "3 of 3, while the host still reads", <-enough
}

func subscribe(ctx context.Context, w *world) (string, error) {
	if err := w.subscribe(ctx, "wide://cancelled"); err != nil {
		return "", err
	}
	if err := w.giveUp(ctx); err != nil {
		return "", err
	}
	if err := w.more(ctx, &w.updates, 0, "update of wide://cancelled"); err != nil {
		return "", err
	}
	if text, err := w.text(ctx, "wide://cancelled"); err != nil || text != "yes" {
		return "", fmt.Errorf("it is %q: %v", text, err)
	}
	return "the host hears of a cancellation, the client of the change", nil
}

func typedTool(ctx context.Context, w *world) (string, error) {
	sum, err := w.session.CallTool(ctx, &mcp.CallToolParams{Name: "add", Arguments: map[string]any{"a": 2, "b": 3}})
	if err != nil {
		return "", err
	}
	if err := same(sum.StructuredContent, `{"sum": 5}`); err != nil {
		return "", err
	}
	refused, err := w.session.CallTool(ctx, &mcp.CallToolParams{Name: "add", Arguments: map[string]any{"a": "2"}})
	if err != nil {
		return "", err
	}
	if len(refused.Content) != 1 || !refused.IsError {
		return "", fmt.Errorf("wrong arguments gave %+v", refused)
	}
	text, isText := refused.Content[0].(*mcp.TextContent)
	if !isText || !strings.HasSuffix(text.Text, "\n- a: must be an integer (got \"2\")\n- b: is missing") {
		return "", fmt.Errorf("wrong arguments gave %+v", refused.Content[0])
	}
	return "structured content, and a line for each wrong argument", nil
}

func checkClientRequest(ctx context.Context, w *world) (string, error) {
	answers := [][2]string{
		{"elicitation/create", `{"action": "accept", "content": {"name": "Ada"}}`},
		{"roots/list", `{"roots": [{"uri": "file:///home/ada", "name": "home"}]}`},
		{"sampling/createMessage", `{"role": "assistant", "content": {"type": "text", "text": "Ada"}, "model": "none"}`},
	}
	names := []string{}
	for _, answer := range answers {
		arguments := map[string]any{"method": answer[0]}
		result, err := w.session.CallTool(ctx, &mcp.CallToolParams{Name: "ask", Arguments: arguments})
		if err != nil {
			return "", fmt.Errorf("%s: %w", answer[0], err)
		}
		if err := same(result.StructuredContent, answer[1]); err != nil {
			return "", fmt.Errorf("%s: %w", answer[0], err)
		}
		names = append(names, answer[0])
	}
	return strings.Join(names, ", "), nil
}

func inputForARead(ctx context.Context, w *world) (string, error) {
	text, err := w.text(ctx, "wide://asks")
	if !w.isStateless() {
		return refusal(err, internalError)
	}
	if err != nil || text != "Hello, Ada." {
		return "", fmt.Errorf("it is %q: %v", text, err)
	}
	return text, nil
}

func breakWhileListening(ctx context.Context, w *world) (string, error) {
	before := w.count(&w.updates)
	if _, err := w.breaking("break"); err != nil {
		return "", err
	}
	if err := w.retryOnce(func() error { return w.recover(ctx, "wide://cancelled") }); err != nil {
		return "", err
	}
	if err := w.retryOnce(func() error { return w.giveUp(ctx) }); err != nil {
		return "", err
	}
	if err := w.more(ctx, &w.updates, before, "update of wide://cancelled"); err != nil {
		return "", err
	}
	if w.isStateless() {
		return "listened anew", nil
	}
	if resumed, err := w.breaking("resumed"); err != nil || resumed == 0 {
		return "", fmt.Errorf("no request named the last event seen: %v", err)
	}
	return "what was missed is said again", nil
}

func breakWhileCalling(ctx context.Context, w *world) (string, error) {
	before, err := w.breaking("resumed")
	if err != nil {
		return "", err
	}
	heard, enough := 0, make(chan error, 1)
	text, err := w.hearing(ctx, "wide://steps", func() {
		if heard++; heard == 3 {
			go func() {
				_, err := w.breaking("break")
				enough <- errors.Join(err, w.retryOnce(func() error {
					_, err := w.read(ctx, "wide://enough")
					return err
				}))
			}()
		}
	})
	if w.isStateless() {
		if err == nil || ctx.Err() != nil {
			return "", fmt.Errorf("it is %q: %v", text, err)
		}
		return "the call fails, as this revision has it", <-enough
	}
	if err != nil || text != "done" {
		return "", fmt.Errorf("it is %q: %v", text, err)
	}
	if resumed, err := w.breaking("resumed"); err != nil || resumed <= before {
		return "", fmt.Errorf("no request named the last event seen: %v", err)
	}
	return "answered on another stream", <-enough
}

func closeSession(_ context.Context, w *world) (string, error) {
	return "the client has nothing to complain of", w.session.Close()
}

// retryOnce asks once more, on a new connection, where the first request went into one that was broken already: others that are idle may be, too.
func (w *world) retryOnce(request func() error) error {
	if err := request(); err != nil {
		w.http.CloseIdleConnections()
		return request()
	}
	return nil
}

func refusal(err error, code int64) (string, error) {
	var refused *jsonrpc.Error
	if !errors.As(err, &refused) || refused.Code != code {
		return "", fmt.Errorf("not refused with %d: %v", code, err)
	}
	return fmt.Sprint(code), nil
}

// same tells whether a value is written as that JSON.
func same(found any, wanted string) error {
	written, err := json.Marshal(found)
	if err != nil {
		return err
	}
	var one, other any
	if err := errors.Join(json.Unmarshal(written, &one), json.Unmarshal([]byte(wanted), &other)); err != nil {
		return err
	}
	if !reflect.DeepEqual(one, other) {
		return fmt.Errorf("it is %s", written)
	}
	return nil
}
