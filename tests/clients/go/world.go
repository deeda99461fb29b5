package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stateless is the first revision without a handshake.
const stateless = "2026-07-28"

// world is a host, the client that drives it, and what came in.
type world struct {
	revision, place string
	host            []string // a URL, or a command
	http            http.Client
	session         *mcp.ClientSession
	onListChanged   func(context.Context, *mcp.ResourceListChangedRequest) // set before it connects, if the list is to be watched

	mu           sync.Mutex // of what follows
	changed      chan struct{}
	watched      string
	updates      int // of what is watched
	listChanges  int // where they are asked for
	acknowledged int // listen streams
	onProgress   func()
}

func newWorld(revision, place string, host []string) *world {
	connections := http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
	return &world{revision: revision, place: place, host: host, http: connections, changed: make(chan struct{})}
}

func (w *world) connect(ctx context.Context) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "driver", Version: "1.0.0"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada"}}, nil
		},
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: "assistant", Content: &mcp.TextContent{Text: "Ada"}, Model: "none"}, nil
		},
		ResourceUpdatedHandler: func(_ context.Context, request *mcp.ResourceUpdatedNotificationRequest) {
			w.note(func() {
				if request.Params.URI == w.watched {
					w.updates++
				}
			})
		},
		ResourceListChangedHandler: w.onListChanged,
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) {
			w.mu.Lock()
			hear := w.onProgress
			w.mu.Unlock()
			if hear != nil {
				hear()
			}
		},
	})
	client.AddRoots(&mcp.Root{URI: "file:///home/ada", Name: "home"})
	client.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
			if method == "notifications/subscriptions/acknowledged" {
				w.note(func() { w.acknowledged++ })
			}
			return next(ctx, method, request)
		}
	})
	session, err := client.Connect(ctx, w.transport(), &mcp.ClientSessionOptions{ProtocolVersion: w.revision})
	w.session = session
	return err
}

func (w *world) transport() mcp.Transport {
	if strings.HasPrefix(w.host[0], "http://") {
		return &mcp.StreamableClientTransport{Endpoint: w.host[0], HTTPClient: &w.http}
	}
	return &mcp.CommandTransport{Command: exec.Command(w.host[0], w.host[1:]...)}
}

func (w *world) isStateless() bool {
	return w.revision >= stateless
}

// note changes what came in, and wakes who waits for it.
func (w *world) note(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
	close(w.changed)
	w.changed = make(chan struct{})
}

// count tells what came in.
func (w *world) count(what *int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return *what
}

// more waits until there is more of something that comes in.
func (w *world) more(ctx context.Context, what *int, than int, awaited string) error {
	for {
		w.mu.Lock()
		there, changed := *what > than, w.changed
		w.mu.Unlock()
		if there {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("no %s came in time", awaited)
		}
	}
}

// subscribe asks to be told of a resource, and waits until that is so.
func (w *world) subscribe(ctx context.Context, uri string) error {
	before := w.count(&w.acknowledged)
	w.note(func() { w.watched = uri })
	if err := w.session.Subscribe(ctx, &mcp.SubscribeParams{URI: uri}); err != nil || !w.isStateless() {
		return err
	}
	return w.more(ctx, &w.acknowledged, before, "acknowledgement of the listen stream")
}

// recover does so again after a connection broke, where the SDK does not come back by itself. It tells neither that a listen stream is lost,
// nor that the request for another went into an idle connection which is broken, too.
func (w *world) recover(ctx context.Context, uri string) error {
	if !w.isStateless() {
		return nil
	}
	if err := w.session.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: uri}); err != nil {
		return err
	}
	w.http.CloseIdleConnections()
	return w.subscribe(ctx, uri)
}

func (w *world) read(ctx context.Context, uri string) ([]*mcp.ResourceContents, error) {
	result, err := w.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return nil, err
	}
	return result.Contents, nil
}

// text reads what has one content, a text.
func (w *world) text(ctx context.Context, uri string) (string, error) {
	contents, err := w.read(ctx, uri)
	if err != nil {
		return "", err
	}
	if len(contents) != 1 {
		return "", fmt.Errorf("%s has %d contents", uri, len(contents))
	}
	return contents[0].Text, nil
}

// hearing reads, and calls hear whenever the host says how far it is.
func (w *world) hearing(ctx context.Context, uri string, hear func()) (string, error) {
	w.note(func() { w.onProgress = hear })
	defer w.note(func() { w.onProgress = nil })
	params := &mcp.ReadResourceParams{URI: uri}
	params.SetProgressToken(uri)
	result, err := w.session.ReadResource(ctx, params)
	if err != nil {
		return "", err
	}
	return result.Contents[0].Text, nil
}

// giveUp reads what is never answered, and cancels that at the first progress.
func (w *world) giveUp(ctx context.Context) error {
	cancelled, cancel := context.WithCancel(ctx)
	defer cancel()
	if text, err := w.hearing(cancelled, "wide://endless", cancel); err == nil {
		return fmt.Errorf("wide://endless was read: %q", text)
	} else if cancelled.Err() == nil || ctx.Err() != nil {
		return fmt.Errorf("wide://endless: %w", err)
	}
	return nil
}

// breaking tells breaking.py something, and gives what it answers: how often a request has named the last event seen.
func (w *world) breaking(command string) (int, error) {
	line, err := net.Dial("unix", w.place)
	if err != nil {
		return 0, err
	}
	defer line.Close()
	if _, err := fmt.Fprintln(line, command); err != nil {
		return 0, err
	}
	answer, err := bufio.NewReader(line).ReadString('\n')
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(answer))
}
