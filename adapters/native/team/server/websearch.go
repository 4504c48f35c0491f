package server

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// SearchKey names the variable with the key of the search provider.
const SearchKey = "TAVILY_API_KEY"

const (
	searchURL  = "https://api.tavily.com"
	searchTime = 15 * time.Second
	// maxAnswer bounds what is read of an answer, in bytes.
	maxAnswer = 1 << 20
	// someResults is how many results are asked for unless told otherwise.
	someResults = 5
)

// search looks things up at the search provider.
type search struct {
	key    func() string
	url    string
	client *http.Client
}

func newSearch(o ToolsOptions) search {
	client := o.HTTPClient
	if client == nil {
		client = &http.Client{
			Timeout: searchTime,
			// The key is for the provider, and not for where it points.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	return search{
		key:    func() string { return o.Env(SearchKey) },
		url:    strings.TrimSuffix(cmp.Or(o.SearchURL, searchURL), "/") + "/search",
		client: client,
	}
}

// lacks says what is missing; empty is nothing.
func (s search) lacks() string {
	if s.key() == "" {
		return SearchKey + " is not set"
	}
	return ""
}

type result struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Content string `json:"content"`
}

func (s search) do(ctx context.Context, in searchArgs) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	body, err := json.Marshal(map[string]any{"query": in.Query, "max_results": cmp.Or(in.Limit, someResults)})
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return "", errors.New("search failed: the provider's address is not one")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+s.key())
	resp, err := s.client.Do(req)
	if err != nil {
		return "", fmt.Errorf("search failed: %w", unaddressed(err))
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("search failed: the provider returned %d", resp.StatusCode)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return "", fmt.Errorf("search failed: %w", unaddressed(err))
	}
	var answer struct {
		Results []result `json:"results"`
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return "", errors.New("search failed: the provider's answer is not what was expected")
	}
	return listed(answer.Results), nil
}

// unaddressed is an error of a request without the address that it went to.
func unaddressed(err error) error {
	var of *url.Error
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// listed are results for a model.
func listed(results []result) string {
	if len(results) == 0 {
		return "no results"
	}
	var text strings.Builder
	for i, r := range results {
		fmt.Fprintf(&text, "%d. %s\n   %s\n   %s\n", i+1, oneLine(r.Title), oneLine(r.URL), oneLine(r.Content))
	}
	return strings.TrimSuffix(text.String(), "\n")
}
