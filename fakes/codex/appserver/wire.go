package appserver

import "github.com/go-json-experiment/json/jsontext"

// The messages of the app-server, members in the order in which it prints them. None has
// a member "jsonrpc". A member of type any is null wherever the fake plays it.

type notification struct {
	Method  string `json:"method"`
	Params  any    `json:"params"`
	Emitted int64  `json:"emittedAtMs"`
}

type serverRequest struct {
	Method string         `json:"method"`
	ID     jsontext.Value `json:"id"`
	Params any            `json:"params"`
}

type response struct {
	ID     jsontext.Value `json:"id"`
	Result any            `json:"result"`
}

type refusal struct {
	Error rpcError       `json:"error"`
	ID    jsontext.Value `json:"id"`
}

// rpcError is why a request was refused.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// invalidRequest is the code of every refusal.
const invalidRequest = -32600

type initialized struct {
	UserAgent string `json:"userAgent"`
	Home      string `json:"codexHome"`
	Family    string `json:"platformFamily"`
	OS        string `json:"platformOs"`
}

type configWarning struct {
	Summary string `json:"summary"`
	Details any    `json:"details"`
}

type remoteControl struct {
	Status       string `json:"status"`
	Server       string `json:"serverName"`
	Installation string `json:"installationId"`
	Environment  any    `json:"environmentId"`
}

// threadInfo is a thread as answers and thread/started tell it.
type threadInfo struct {
	ID           string        `json:"id"`
	Environments []environment `json:"environments"`
	Extra        any           `json:"extra"`
	Session      string        `json:"sessionId"`
	ForkedFrom   *string       `json:"forkedFromId"`
	AttachedTo   any           `json:"attachedToThreadId"`
	Parent       any           `json:"parentThreadId"`
	Preview      string        `json:"preview"`
	Ephemeral    bool          `json:"ephemeral"`
	Section      any           `json:"section"`
	SectionAt    any           `json:"sectionEnteredAt"`
	Project      any           `json:"projectId"`
	History      string        `json:"historyMode"`
	Provider     string        `json:"modelProvider"`
	Model        string        `json:"model"`
	Effort       any           `json:"reasoningEffort"`
	Created      int64         `json:"createdAt"`
	Updated      int64         `json:"updatedAt"`
	Recency      int64         `json:"recencyAt"`
	Status       threadStatus  `json:"status"`
	Path         *string       `json:"path"`
	Dir          string        `json:"cwd"`
	Version      string        `json:"cliVersion"`
	Originator   string        `json:"originator"`
	Source       string        `json:"source"`
	TakesInput   bool          `json:"canAcceptDirectInput"`
	ThreadSource any           `json:"threadSource"`
	Nickname     any           `json:"agentNickname"`
	Role         any           `json:"agentRole"`
	Git          any           `json:"gitInfo"`
	Name         any           `json:"name"`
	Daybreak     any           `json:"daybreakEnabled"`
	Turns        []any         `json:"turns"`
}

type environment struct {
	ID    string   `json:"environmentId"`
	Dir   string   `json:"cwd"`
	Roots []string `json:"runtimeWorkspaceRoots"`
}

// threadStatus is how a thread stands; flags are told of an active one alone.
type threadStatus struct {
	Type  string    `json:"type"`
	Flags *[]string `json:"activeFlags,omitzero"`
}

// threadAnswer is what thread/start, thread/resume and thread/fork are answered.
type threadAnswer struct {
	Thread       threadInfo `json:"thread"`
	Model        string     `json:"model"`
	Provider     string     `json:"modelProvider"`
	Tier         any        `json:"serviceTier"`
	NoPlugins    []string   `json:"disabledPluginIds"`
	Dir          string     `json:"cwd"`
	Roots        []string   `json:"runtimeWorkspaceRoots"`
	Instructions []string   `json:"instructionSources"`
	Approval     any        `json:"approvalPolicy"`
	Reviewer     string     `json:"approvalsReviewer"`
	Sandbox      sandbox    `json:"sandbox"`
	Profile      any        `json:"activePermissionProfile"`
	Effort       any        `json:"reasoningEffort"`
	MultiAgent   string     `json:"multiAgentMode"`
}

// sandbox is a policy; each type has members of its own.
type sandbox struct {
	Type      string    `json:"type"`
	Roots     *[]string `json:"writableRoots,omitzero"`
	Network   *bool     `json:"networkAccess,omitzero"`
	NoTmpDir  *bool     `json:"excludeTmpdirEnvVar,omitzero"`
	NoSlashTm *bool     `json:"excludeSlashTmp,omitzero"`
}

type threadStarted struct {
	Thread threadInfo `json:"thread"`
}

type statusChanged struct {
	Thread string       `json:"threadId"`
	Status threadStatus `json:"status"`
}

// turnInfo is a turn as answers and notifications tell it.
type turnInfo struct {
	ID        string     `json:"id"`
	Root      string     `json:"rootTurnId"`
	Items     []any      `json:"items"`
	View      string     `json:"itemsView"`
	Status    string     `json:"status"`
	Error     *turnError `json:"error"`
	Started   *int64     `json:"startedAt"`
	Completed *int64     `json:"completedAt"`
	Duration  *int64     `json:"durationMs"`
}

type turnAnswer struct {
	Turn turnInfo `json:"turn"`
}

type turnChanged struct {
	Thread string   `json:"threadId"`
	Turn   turnInfo `json:"turn"`
}

// turnError is what went wrong. Info is a word, or an object with one.
type turnError struct {
	Message      string  `json:"message"`
	Info         any     `json:"codexErrorInfo"`
	Details      *string `json:"additionalDetails"`
	Misalignment any     `json:"misalignment"`
}

type errorNotice struct {
	Error     turnError `json:"error"`
	WillRetry bool      `json:"willRetry"`
	Thread    string    `json:"threadId"`
	Turn      string    `json:"turnId"`
}

type httpStatus struct {
	Status *int `json:"httpStatusCode"`
}

type diffUpdated struct {
	Thread string `json:"threadId"`
	Turn   string `json:"turnId"`
	Diff   string `json:"diff"`
}

type usageUpdated struct {
	Thread string     `json:"threadId"`
	Turn   string     `json:"turnId"`
	Usage  tokenUsage `json:"tokenUsage"`
}

type tokenUsage struct {
	Total  tokenCount `json:"total"`
	Last   tokenCount `json:"last"`
	Window int64      `json:"modelContextWindow"`
}

type tokenCount struct {
	Total      int64 `json:"totalTokens"`
	Input      int64 `json:"inputTokens"`
	Cached     int64 `json:"cachedInputTokens"`
	CacheWrite int64 `json:"cacheWriteInputTokens"`
	Output     int64 `json:"outputTokens"`
	Reasoning  int64 `json:"reasoningOutputTokens"`
}

type rateLimitsUpdated struct {
	Limits rateLimits `json:"rateLimits"`
}

type rateLimits struct {
	ID         string `json:"limitId"`
	Name       any    `json:"limitName"`
	Model      any    `json:"normalModelSlug"`
	Primary    any    `json:"primary"`
	Secondary  any    `json:"secondary"`
	Credits    any    `json:"credits"`
	Individual any    `json:"individualLimit"`
	Control    any    `json:"spendControlReached"`
	Plan       any    `json:"planType"`
	Reached    any    `json:"rateLimitReachedType"`
}

type commandApproval struct {
	Kind        string          `json:"kind"`
	Thread      string          `json:"threadId"`
	Turn        string          `json:"turnId"`
	Item        string          `json:"itemId"`
	Started     int64           `json:"startedAtMs"`
	Environment string          `json:"environmentId"`
	Reason      *string         `json:"reason"`
	Command     string          `json:"command"`
	Dir         string          `json:"cwd"`
	Actions     []commandAction `json:"commandActions"`
	Amendment   []string        `json:"proposedExecpolicyAmendment,omitzero"`
	Available   []any           `json:"availableDecisions"`
}

type fileApproval struct {
	Thread  string `json:"threadId"`
	Turn    string `json:"turnId"`
	Item    string `json:"itemId"`
	Started int64  `json:"startedAtMs"`
	Reason  any    `json:"reason"`
	Root    any    `json:"grantRoot"`
}

type requestResolved struct {
	Thread  string         `json:"threadId"`
	Request jsontext.Value `json:"requestId"`
}

type steerAnswer struct {
	Turn string `json:"turnId"`
}

// nothing is an empty object.
type nothing struct{}

type warning struct {
	Thread  string `json:"threadId"`
	Message string `json:"message"`
}
