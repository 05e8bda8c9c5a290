# What samples wait for, as the timeline page shows it, in a real browser.

load test_helper

# Three samples of one group of 20 seconds, the last two of which are its
# reward: #1 works longest, the others wait for it.
waiting_dump() {
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

# see CHECK [HASH]: look at the page, see tests/browser/waiting.mjs
see() {
	skip_without jq
	waiting_dump >"$TMP/dump.json"
	trace-timeline --format html "$TMP/dump.json" >"$TMP/page.html"
	look waiting "$1" "$TMP/page.html" "${2-}"
}

@test "waits and whose fault they are follow their definitions" {
	skip_without node
	node "$ROOT/tests/browser/waits.mjs"
}

@test "waits have pale striped colours of their own, light and dark" {
	see colours
}

@test "the legend names, hides and isolates waits" {
	see legend
}

@test "the address keeps which waits are hidden" {
	see hash '#hidden=%5B%5B%22group+wait%22%5D%5D'
}

@test "the tip names the wait under the pointer" {
	see tip
}

@test "a straggler has its worker, and those who waited folded under it" {
	see stragglers
}

@test "the details tell own work from waits, and whom a sample waited for" {
	see details
}

@test "samples are ordered by their own work and by what they waited" {
	see order
}

@test "the help names both waits" {
	see help
}

@test "what is said of waits stands out from its ground, light and dark" {
	skip_without jq
	waiting_dump >"$TMP/dump.json"
	trace-timeline --format html "$TMP/dump.json" >"$TMP/page.html"
	look room contrast "$TMP/page.html"
}
