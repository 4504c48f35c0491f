package openclaw_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func eventsFirst(frames []object) []object {
	slices.SortStableFunc(frames, func(a, b object) int { return strings.Compare(a["type"].(string), b["type"].(string)) })
	return frames
}

func lines(t *testing.T, frames []object) [][]byte {
	t.Helper()
	var all [][]byte
	for _, f := range frames {
		line, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, line)
	}
	return all
}

// ownClock are events that the gateway sends when its clock says so.
var ownClock = []string{"health", "tick", "presence", "update.available", "cron", "heartbeat", "chat.metadata.changed", "task"}

// strangers are runs of other sessions that a recording has in the middle.
var strangers = []any{"r2-err-2"}

// plain leaves out what the clock makes and what is of other runs, counts the rest, and puts placeholders for what
// differs from run to run.
func plain(frames []object, others bool) []object {
	var kept []object
	seq := 0
	for _, f := range frames {
		if event, is := f["event"].(string); is && slices.Contains(ownClock, event) {
			continue
		}
		if p, is := f["payload"].(object); is && others && slices.Contains(strangers, p["runId"]) {
			continue
		}
		if _, has := f["seq"]; has {
			seq++
			f["seq"] = seq
		}
		if p, is := f["payload"].(object); is && p["messages"] != nil { // a history
			delete(p, "sessionInfo")
			delete(p, "defaults")
			delete(p, "deltaCursor")
		}
		if p, is := f["payload"].(object); is && p["channelOrder"] != nil { // what the gateway is made of
			f["payload"] = "<HEALTH>"
		}
		kept = append(kept, placeholders("", f).(object))
	}
	return kept
}

var (
	anID    = regexp.MustCompile(`00000000-0000-4000-8000-0000000000(\d\d)`)
	aPause  = regexp.MustCompile(`Retrying in \d+s \(`)
	aSum    = regexp.MustCompile(`^0{59}d(\d{4})$`)
	anItem  = regexp.MustCompile(`^commentary-0-([0-9a-f]{24})$`)
	aMoment = regexp.MustCompile(`(?i)(^ts|At|AtMs|Ms|timestamp|updatedAt|runtimeMs)$`)
)

// differs names what is another each time.
var differs = strings.Fields(`recoveryScope deviceToken appliedConfigHash canvas stateVersion providerRuntimeFailureKind
	fallbackStepFromFailureDetail`)

// cut names what was left out of the recordings.
var cut = strings.Fields("health methods session contextBudgetStatus skillsSnapshot agentMeta")

// before names what a row says of what its session went through before.
var before = strings.Fields("unread agentStatus activitySummary lastRunId totalTokens inputTokens outputTokens estimatedCostUsd contextBudgetStatus")

// fresh names what the entry of a session says that was not used yet.
var fresh = strings.Fields(`sessionId lifecycleRevision updatedAt createdVia createdAt providerOverride modelOverride
	modelOverrideSource modelOverrideRouteResolution permissionMode`)

func placeholders(name string, value any) any {
	if value != nil && (slices.Contains(differs, name) || slices.Contains(cut, name)) {
		return "<ELSE>"
	}
	switch value := value.(type) {
	case object:
		delete(value, "transcriptPosition")
		delete(value, "systemPromptReport")
		delete(value, "thinkingLevels") // of the model
		if name == "entry" {
			maps.DeleteFunc(value, func(k string, _ any) bool { return !slices.Contains(fresh, k) })
		}
		if _, row := value["participants"]; row {
			for _, name := range before {
				delete(value, name)
			}
		}
		if cost, is := value["cost"].(object); is {
			for _, part := range []string{"input", "output", "cacheRead", "cacheWrite"} {
				delete(cost, part)
			}
			if total, is := cost["total"].(float64); is {
				cost["total"] = fmt.Sprintf("%.9f", total)
			}
		}
		for k, v := range value {
			value[k] = placeholders(k, v)
		}
	case []any:
		for i, v := range value {
			value[i] = placeholders("", v)
		}
	case float64:
		if aMoment.MatchString(name) {
			return "<TS>"
		}
	case string:
		if value == "ELIDED" {
			return "<TS>"
		}
		if anItem.MatchString(value) {
			return "<ITEM_1>"
		}
		if sum := aSum.FindStringSubmatch(value); sum != nil {
			return "<SUM_" + sum[1] + ">"
		}
		value = aPause.ReplaceAllString(value, "Retrying in <TS> (")
		return anID.ReplaceAllString(value, "<ID_$1>")
	}
	return value
}
