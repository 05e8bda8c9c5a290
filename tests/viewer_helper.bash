# One browser for each file of tests of the timeline page, and its dumps. Loaded
# after test_helper.

setup_file() {
	start_browser
}

teardown_file() {
	stop_browser
}

# Sixty samples, more than a window has room for, that differ in all that one
# sorts and filters by: sample i starts at i/10 s, generates for 4 s and calls
# a tool for i % 7 + 1 s. Sample 3 was tried twice; sample 5 has a point, an
# open span and an orphan; every seventh one an error.
steps_dump() {
	skip_without jq
	jq -n '
	def span(id; name; from; to; parent; attempt; attrs):
	  {type: "span_start", span_id: id, name: name, ts: (1766101000 + from),
	   parent_span_id: parent, attempt: attempt},
	  {type: "span_end", span_id: id, name: name, ts: (1766101000 + to),
	   attempt: attempt, attrs: attrs};
	def events(i; from; attempt):
	  ("\(attempt)a") as $outer | (from + 5 + i % 7) as $until |
	  [span($outer; "generate"; from; $until; null; attempt; {}),
	   span("\(attempt)b"; "sglang_generate"; from; from + 4; $outer;
	    attempt; {tokens_out: (1000 - i)}),
	   span("\(attempt)c"; "tool_call"; from + 4; $until; $outer; attempt;
	    if i % 7 == 0 then {error: "exit 1"} else {} end)];
	def odd: [{type: "event", name: "sandbox_assign", ts: 1766101001},
	  {type: "span_start", span_id: "open", name: "stuck", ts: 1766101011},
	  {type: "span_end", span_id: "nope", name: "lost", ts: 1766101014}];
	{rollout_id: 9, samples: [range(60) as $i | {index: $i,
	  group_index: (($i / 4) | floor), source: ["math", "code"][$i % 2],
	  status: ["completed", "truncated", "aborted"][$i % 3],
	  reward: (if $i % 10 == 9 then {a: 0.5, b: ($i / 100)}
	    else ($i * 7 % 10) / 10 end),
	  response_length: (10 * $i), trace: {trace_id: "t\($i)", events:
	   (events($i; $i / 10; 0) +
	    (if $i == 3 then events($i; 14; 1) else [] end) +
	    (if $i == 5 then odd else [] end))}}]}' >"$TMP/steps.json"
}

# Three samples of one group of 20 seconds, the last two of which are its
# reward: #1 works longest, the others wait for it.
waiting_dump() {
	skip_without jq
	jq -n '
	def span(id; name; from; to; parent; attrs):
	  {type: "span_start", span_id: id, name: name, ts: (1766101000 + from),
	   parent_span_id: parent},
	  {type: "span_end", span_id: id, name: name, ts: (1766101000 + to),
	   attrs: attrs};
	def sample(index; begun; done; tokens; worker):
	  {index: index, group_index: 4, source: "math", status: "completed",
	   reward: 1, trace: {trace_id: "t\(index)", events: [
	    span("g"; "generate_and_rm_group"; 0; 20; null; {}),
	    span("c"; "generate_and_rm"; 0; done; "g"; {}),
	    span("s"; "sglang_generate"; begun; done; "c";
	      {completion_tokens: tokens, worker_addr: worker}),
	    span("r"; "group_reward_model"; 18; 20; "g"; {})]}};
	{rollout_id: 8, samples: [
	  sample(0; 1; 6; 100; "http://10.0.0.1:30000"),
	  sample(1; 2; 18; 400; "http://10.0.0.2:30000"),
	  sample(2; 3; 10; 100; "http://10.0.0.1:30000")]}'
}

# rows EVENTS...: a dump of a sample for each list of jq that gives its events
rows() {
	local lists
	skip_without jq
	lists=$(printf '[%s],' "$@")
	jq -n 'def span(id; name; from; to; parent; attrs):
	  {type: "span_start", span_id: id, name: name, ts: (1766101000 + from),
	   parent_span_id: parent},
	  {type: "span_end", span_id: id, name: name, ts: (1766101000 + to),
	   attrs: attrs};
	{samples: ['"${lists%,}"'] | to_entries | map({index: .key,
	 trace: {trace_id: "t\(.key)", events: .value}})}' >"$TMP/rows.json"
}

# The page of waiting_dump: $TMP/page.html.
waiting_page() {
	waiting_dump >"$TMP/dump.json"
	trace-timeline -q -f html "$TMP/dump.json" >"$TMP/page.html"
}
