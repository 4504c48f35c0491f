package claudecode

import "slices"

// inventory is what an installation without any settings offers.
type inventory struct {
	tools, commands, terminalCommands, skills, agents, capabilities, styles []string
	plugins                                                                 []string
}

// inventoryOf lists what a version says in its first line.
func inventoryOf(v version) inventory {
	switch v.name {
	case "2.1.332":
		skills := []string{"deep-research", "dataviz", "update-config", "verify", "debug", "code-review", "simplify", "batch",
			"fewer-permission-prompts", "doctor", "loop", "claude-api", "workflow-authoring", "run", "run-skill-generator", "plugin-authoring"}
		return inventory{
			tools: []string{"Task", "Bash", "CronCreate", "CronDelete", "CronList", "Edit", "EnterWorktree", "ExitWorktree", "ListAgents",
				"Monitor", "NotebookEdit", "Read", "ReportFindings", "ScheduleWakeup", "SendMessage", "Skill", "TaskStop", "ToolSearch",
				"WebFetch", "WebSearch", "Workflow", "Write"},
			skills: skills,
			commands: append(slices.Clone(skills), "agents", "auto-mode-setup", "autocompact", "clear", "color", "compact", "config",
				"output-style", "context", "effort", "fast", "focus", "heapdump", "init", "mcp", "model", "__remote-workflow",
				"workflow-launch-exec", "reload-plugins", "reload-skills", "rename", "security-review", "usage", "insights", "recap", "goal",
				"list-agents", "team-onboarding"),
			terminalCommands: []string{"doctor", "color", "focus", "reload-plugins"},
			agents:           []string{"claude", "Explore", "general-purpose", "Plan", "statusline-setup"},
			capabilities: []string{"interrupt_receipt_v1", "interrupt_cancel_queued_v1", "interrupt_send_now_v1", "interrupt_requeue_taken_v1",
				"msg_lifecycle_v1", "request_marker_lists_v1", "ask_user_question_unanswered_v1", "lifecycle_wakeup_source_v1",
				"sdk_mcp_tools_list_changed", "sdk_mcp_manifests", "mcp_read_resource_v1", "mcp_tool_ui_meta_v1", "ui_surface_v1",
				"mcp_call_result_not_for_model_v1", "mcp_call_soft_error_result_v1", "mcp_call_check_permissions_v1",
				"voice_call_talk_line_v1", "withdrawn_files_note_v2", "withdrawn_tools_v1", "ui_pane_widget_v1",
				"reload_plugins_refuse_if_busy_v1", "get_usage_detached_v1", "silent_resend_files_v1"},
			styles:  []string{"default", "Proactive", "Concise", "Explanatory", "Learning"},
			plugins: []string{"cc-plugin-agents-md", "cc-plugin-privacy", "cc-plugin-plugin-authoring"},
		}
	case "2.1.197":
		skills := []string{"deep-research", "update-config", "verify", "debug", "code-review", "simplify", "batch",
			"fewer-permission-prompts", "loop", "claude-api", "run", "run-skill-generator"}
		return inventory{
			tools: []string{"Task", "Bash", "CronCreate", "CronDelete", "CronList", "Edit", "EnterWorktree", "ExitWorktree", "NotebookEdit",
				"Read", "ReportFindings", "ScheduleWakeup", "SendMessage", "Skill", "TaskCreate", "TaskGet", "TaskList", "TaskOutput",
				"TaskStop", "TaskUpdate", "WebFetch", "WebSearch", "Workflow", "Write"},
			skills: skills,
			commands: append(slices.Clone(skills), "clear", "compact", "config", "context", "heapdump", "init", "reload-skills", "review",
				"security-review", "usage", "insights", "goal", "team-onboarding"),
			agents: []string{"claude", "Explore", "general-purpose", "Plan", "statusline-setup"},
			styles: []string{"default", "Proactive", "Explanatory", "Learning"},
		}
	}
	return inventory{
		tools: []string{"Task", "Bash", "Glob", "Grep", "ExitPlanMode", "Read", "Edit", "Write", "NotebookEdit", "WebFetch", "TodoWrite",
			"WebSearch", "BashOutput", "KillShell", "SlashCommand"},
		commands: []string{"compact", "context", "cost", "init", "pr-comments", "release-notes", "review", "security-review"},
		agents:   []string{"general-purpose", "statusline-setup"},
		styles:   []string{"default", "Explanatory", "Learning"},
	}
}

// What the CLI offers beside: to a host that answers permission questions, and to models
// that are given lists of tasks.
var (
	// shapedTools are those that --json-schema adds.
	shapedTools = []string{structuredTool}
	// freeTools need no permission.
	freeTools   = []string{"Agent", "Task", structuredTool}
	askingTools = []string{"AskUserQuestion", "EnterPlanMode", "ExitPlanMode"}
	taskTools   = []string{"TaskCreate", "TaskGet", "TaskList", "TaskUpdate"}
)

// with adds tools to a list, in its order.
func with(tools, more []string) []string {
	tools = slices.Concat(tools, more)
	slices.Sort(tools[1:]) // Task comes first
	return slices.Compact(tools)
}
