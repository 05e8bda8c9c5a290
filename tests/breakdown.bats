# obs-perfsum --breakdown and --stragglers: figures by hand, and against sums
# made another way (breakdown_check.py) and the viewer's own.

load test_helper

setup() {
	skip_without jq
	cd "$TMP" || return
}

# span NAME START END [MEMBERS [END_ATTRS]]: the two events of a span whose id
# is its name and start; MEMBERS begin with a comma.
span() {
	printf '{"type": "span_start", "name": "%s", "ts": %s, "span_id": "%s%s"%s},' \
		"$1" "$2" "$1" "$2" "${4-}"
	printf '{"type": "span_end", "name": "%s", "ts": %s, "span_id": "%s%s", "attrs": {%s}}' \
		"$1" "$3" "$1" "$2" "${5-}"
}

# sample MEMBERS SPAN...: members end in a comma
sample() {
	local members=$1 IFS=,
	shift
	printf '{%s "trace": {"events": [%s]}}' "$members" "$*"
}

dump() {
	local IFS=,
	printf '{"rollout_id": 7, "samples": [%s]}' "$*"
}

# breakdown FILTER: of dump.json
breakdown() {
	run_split obs-perfsum --breakdown -f json dump.json
	assert_status 0
	run_split jq -c ".breakdown | $1" <<<"$output"
}

span_of() {
	breakdown ".spans[] | select(.name == \"$1\") | $2"
}

# Both checks on one dump.
check_dump() {
	obs-perfsum --breakdown --stragglers 100 -f json "$1" >perfsum.json
	trace-timeline -f cache "$1" >cache.json 2>/dev/null || [ $? -eq 1 ]
	python3 "$ROOT/tests/breakdown_check.py" perfsum.json cache.json
}

check_viewer() {
	obs-perfsum --breakdown --stragglers 100 -f json "$1" >perfsum.json
	trace-timeline -f html "$1" >page.html 2>/dev/null || [ $? -eq 1 ]
	node "$ROOT/tests/browser/breakdown.mjs" page.html perfsum.json
}

# The other two that find causes agree on dump.json.
check_causes() {
	if [ -n "$(command -v python3)" ]; then
		check_dump dump.json || return
	fi
	if [ -n "$(command -v node)" ]; then
		check_viewer dump.json || return
	fi
}

@test "the figures of real dumps are those of sums made piece by piece" {
	skip_without python3
	local dump
	for dump in "$DATA"/demo.pt "$DATA"/timeline.json "$DATA"/rollout/*.pt; do
		check_dump "$dump" || fail_with "$dump"
	done
}

# bats test_tags=long
@test "so are those of random, torn and misnamed spans" {
	skip_without python3
	local seed
	for seed in $(seq 20); do
		python3 "$ROOT/tests/random_spans.py" "$seed" >dump.json
		check_dump dump.json || fail_with "seed $seed"
	done
}

# bats test_tags=long
@test "so are those of random groups, attempts, copies and workers" {
	skip_without python3
	local seed
	for seed in $(seq 30); do
		python3 "$ROOT/tests/random_groups.py" "$seed" >dump.json
		check_dump dump.json || fail_with "seed $seed"
	done
}

@test "the viewer has the same figures, and the critical path adds up to the wall time" {
	skip_without node
	local dump
	for dump in "$DATA"/demo.pt "$DATA"/timeline.json "$DATA"/rollout/*.pt; do
		check_viewer "$dump" || fail_with "$dump"
	done
}

# bats test_tags=long
@test "so it has of random spans and groups" {
	skip_without node python3
	local seed
	for seed in $(seq 10); do
		python3 "$ROOT/tests/random_spans.py" "$seed" >dump.json
		check_viewer dump.json || fail_with "seed $seed"
		python3 "$ROOT/tests/random_groups.py" "$seed" >dump.json
		check_viewer dump.json || fail_with "groups of seed $seed"
	done
}

@test "a moment belongs to the deepest span, then to the one that began last" {
	dump "$(sample '' "$(span all 0 10)" \
		"$(span tool 1 5 ', "parent_span_id": "all0"')" \
		"$(span reward 3 12 ', "parent_span_id": "all0"')")" >dump.json
	span_of all .self
	assert_output $'1\n'
	span_of tool '[.count, .total, .self]'
	assert_output $'[1,4,2]\n'
	# The child that outlasts its parent owns what follows.
	span_of reward '[.total, .self, .share, .concurrency]'
	assert_output $'[9,9,0.75,0.75]\n'
	breakdown '[.sample_time, .activities.idle]'
	assert_output $'[12,0]\n'
}

@test "quantiles of durations lie between the nearest" {
	dump "$(sample '' "$(span a 0 1)" "$(span a 1 3)" "$(span a 3 7)")" \
		>dump.json
	span_of a '[.count, .total, .p50, .p95, .max]'
	assert_output $'[3,7,2,3.8,4]\n'
}

@test "what no span owns is idle" {
	dump "$(sample '' "$(span a 0 1)" "$(span a 4 5)")" >dump.json
	breakdown '[.activities.idle, .activities.other, .sample_time]'
	assert_output $'[3,2,5]\n'
}

@test "queueing is the first part of a generation without children" {
	dump "$(sample '' "$(span sglang_generate 0 10 '' '"queue_time": 3')" \
		"$(span sglang_generate 10 11 '' '"queue_time": 5')")" >dump.json
	breakdown '[.activities.queue, .activities.decode]'
	assert_output $'[4,7]\n'
	dump "$(sample '' "$(span sglang_generate 0 10 '' '"queue_time": 3')" \
		"$(span sglang_pd_decode 1 2 \
			', "parent_span_id": "sglang_generate0"')")" >dump.json
	breakdown '[.activities.queue, .activities.decode]'
	assert_output $'[0,10]\n'
}

@test "peak, utilisation, bubble and the tail" {
	local samples=()
	for end in 2 2 2 2 2 2 2 2 2 2 10; do
		samples+=("$(sample '' "$(span a 0 "$end")")")
	done
	dump "${samples[@]}" >dump.json
	breakdown '[.samples, .wall, .sample_time, .peak, .tail]'
	assert_output $'[11,10,30,11,8]\n'
	breakdown '(.utilisation * 110 | round) == 30 and
		(.bubble * 110 | round) == 80'
	assert_output $'true\n'
	# A tenth of the samples is not under a tenth.
	dump "${samples[@]:1}" >dump.json
	breakdown .tail
	assert_output $'0\n'
}

@test "the last 5% of samples begin when the others had ended" {
	local samples=()
	for end in $(seq 20); do
		samples+=("$(sample "\"index\": $end," "$(span a 0 "$end")")")
	done
	samples+=("$(sample '"index": "x",' "$(span a 0 10)" "$(span b 10 40)")")
	dump "${samples[@]}" >dump.json
	breakdown '.last'
	assert_output $'{"seconds":20,"share":0.5,"sample":"x","row":20,"open":false,"name":"b","time":20}\n'
}

# group MEMBERS START END INSIDE...: a sample inside its group's span, with a
# span of its own for each START,END
group() {
	local members=$1 from=$2 to=$3 spans=() span
	shift 3
	for span; do
		spans+=("$(span "${SPAN-sglang_generate}" "${span%,*}" \
			"${span#*,}" ", \"parent_span_id\": \"${PARENT-generate_and_rm_group$from}\"")")
	done
	sample "$members" "$(span generate_and_rm_group "$from" "$to")" \
		"${spans[@]}"
}

@test "members of a group wait for its last one inside the span they share" {
	dump "$(group '"group_index": 0,' 0 11 0,4)" \
		"$(group '"group_index": 0,' 0 11 0,10)" \
		"$(group '"group_index": "0",' 0 11 0,1)" \
		"$(group '"group_index": null,' 0 11 0,1)" \
		"$(group '"group_index": null,' 0 11 0,2)" >dump.json
	# 7 and 1; the lone "0" waits by the span's name; null is no group.
	breakdown '[.waiting.group, .activities.group_wait, .own_time]'
	assert_output $'[18,18,37]\n'
	breakdown '[.sample_time, (.activities | add), .last.sample, .peak]'
	assert_output $'[55,55,3,5]\n'
}

@test "without a span around them, members of a group wait for nobody" {
	dump "$(sample '"group_index": 0,' "$(span a 0 4)")" \
		"$(sample '"group_index": 0,' "$(span a 0 10)")" >dump.json
	breakdown '[.waiting.group, .own_time]'
	assert_output $'[0,14]\n'
}

@test "a reward that the group shares is reward, not waiting" {
	local shared
	shared=$(span group_reward_model 7 9)
	dump "$(group '"group_index": 0,' 0 10 0,4 | sed "s/]}}$/, $shared]}}/")" \
		"$(group '"group_index": 0,' 0 10 0,6 | sed "s/]}}$/, $shared]}}/")" \
		>dump.json
	breakdown '[.waiting.group, .waiting.reward, .own_time]'
	assert_output $'[6,4,10]\n'
}

@test "a sample that did no work has no activity" {
	dump "$(sample '"index": 1,' '{"name": "p", "ts": 1}')" >dump.json
	run_split obs-perfsum --stragglers 1 -f table dump.json
	assert_status 0
	assert_output_has "#1 ended last: no work of its own"
	grep -Eq '^ +1 +null +1 +1 +0\.000( +-){5} +no work of its own *$' \
		<<<"$output"
}

@test "the client queues from generate_and_rm to its first child" {
	call() {
		printf '%s,%s,{"type": "event", "name": "p", "ts": 1, "parent_span_id": "generate_and_rm0"}' \
			"$(span generate_and_rm 0 9)" \
			"$(span sglang_generate "$1" 8 ', "parent_span_id": "generate_and_rm0"')"
	}
	dump "$(sample '"index": 1,' "$(call 3)")" \
		"$(sample '"index": 2,' "$(span generate_and_rm 0 9)")" >dump.json
	breakdown '[.waiting.client, .activities.client_queue, .own_time]'
	assert_output $'[3,3,15]\n'
	# What it waited is no part of what it ran.
	dump "$(sample '"index": 1,' "$(call 6)")" >dump.json
	run_split obs-perfsum --stragglers 1 -f table dump.json
	assert_output_has "#1 ended last: client queue, 6.00 s before the 3.00 s it ran"
	# A slow engine makes the queue long, too: it is the cause, and the queue
	# is told where it took longer.
	one() {
		sample "\"index\": $1, \"response_length\": 100," \
			"$(span generate_and_rm 0 "$4")" \
			"$(span sglang_generate "$3" "$4" ', "parent_span_id": "generate_and_rm0"' \
				'"completion_tokens": 100, "worker": "'"$2"'"')"
	}
	dump "$(one 1 a 0 1)" "$(one 2 a 0 1)" "$(one 3 a 0 1)" \
		"$(one 4 b 4 8)" >dump.json
	run_split obs-perfsum --stragglers 1 -f table dump.json
	[[ $(tr -s '\n ' ' ' <<<"$output") == *'#4 ended last: slow engine b, 3.00 of the 4.00 s it ran; before that, the client queue took 4.00 s the median'* ]]
	dump "$(one 1 a 0 1)" "$(one 2 a 0 1)" "$(one 3 a 0 1)" \
		"$(one 4 b 2 6)" >dump.json
	run_split obs-perfsum --stragglers 1 -f table dump.json
	assert_output_has $'slow engine b, 3.00 of the 4.00 s it ran\n'
	# Of copies the earliest child alone tells it, once.
	dump "$(sample '"index": 1,' "$(call 5)")" \
		"$(sample '"index": 1,' "$(call 3)")" \
		"$(sample '"index": 1,' "$(call 3)")" >dump.json
	breakdown '[.waiting.client, .own_time]'
	assert_output $'[3,16]\n'
	run_split obs-perfsum --stragglers 1 -f table dump.json
	assert_output_has "1 (row 1)"
}

@test "each attempt has its own barrier, and between attempts nobody runs" {
	local first second
	first=$(span generate_and_rm_group 0 10)
	second=$(span generate_and_rm_group 20 30 ', "attempt": 1')
	dump "$(sample '"group_index": 0,' "$first" "$(span a 0 4)" "$second" \
		"$(span b 20 29 ', "attempt": 1')")" \
		"$(sample '"group_index": 0,' "$first" "$(span a 0 9)" "$second" \
			"$(span b 20 25 ', "attempt": 1')")" >dump.json
	breakdown '[.waiting.group, .own_time, .sample_time, .peak, .last.sample]'
	assert_output $'[13,27,60,2,0]\n'
	run_split obs-perfsum --stragglers 2 -f json dump.json
	run_split jq -c '.stragglers[] |
		[.sample, .duration, .waited, .group_wait, .victims, .cause]' \
		<<<"$output"
	assert_output '[0,13,7,5,[1],"earlier attempts"]
[1,14,6,6,[0],"earlier attempts"]
'
	check_causes
}

@test "earlier attempts take no more than the sample's own time, however long" {
	local spans=() attempt
	# Together they are longer than 2^63 us.
	for attempt in 0 1 2 3; do
		spans+=("$(span generate_and_rm -4000000000000 4000000000000 \
			", \"attempt\": $attempt")")
	done
	dump "$(sample '"index": 0,' "${spans[@]}")" >dump.json
	run_split obs-perfsum -q --stragglers 1 -f json dump.json
	run_split jq -c '.stragglers[] | [.duration, .cause, .cause_time]' \
		<<<"$output"
	assert_output '[8000000000000,"earlier attempts",8000000000000]
'
}

@test "an open span of a group is no barrier, and open work ends where it is cut" {
	local open='{"type": "span_start", "name": "NAME", "ts": 0, "span_id": "x"}'
	dump "$(sample '"group_index": 0,' "${open/NAME/generate_and_rm_group}" \
		"$(span a 0 4)" '{"type": "event", "name": "p", "ts": 6}')" \
		"$(sample '"group_index": 0,' "${open/NAME/generate_and_rm}" \
			"$(span b 0 2)" '{"type": "event", "name": "p", "ts": 5}')" \
		>dump.json
	breakdown '[.waiting.group, .own_time, .last.sample, .last.open]'
	assert_output $'[0,9,1,true]\n'
	run_split obs-perfsum --breakdown --stragglers 1 -f table dump.json
	assert_output_has "#1 ended last, still open"
	assert_output_has "mostly other, still open"
}

@test "a culprit names those who waited for it, and ranks are of own work" {
	dump "$(group '"index": "a", "group_index": 0,' 0 50 0,10)" \
		"$(group '"index": "b", "group_index": 0,' 0 50 0,49)" \
		"$(group '"index": "c", "group_index": 1,' 0 60 0,20)" \
		"$(group '"index": "d", "group_index": 1,' 0 60 0,30)" >dump.json
	run_split obs-perfsum --stragglers 1 -f json dump.json
	run_split jq -c '.stragglers[] | [.sample, .last, .longest, .duration,
		.waited, .group_wait, .victims]' <<<"$output"
	assert_output $'["b",1,1,49,1,40,["a"]]\n'
	run_split obs-perfsum --stragglers 2 -f table dump.json
	assert_output_has $'\n#"b": 1 member of its group waited for it, 40.000 s in all: #"a"\n'
}

# request WORKER TOKENS START END
request() {
	span sglang_generate "$3" "$4" '' \
		"\"worker_addr\": $1, \"completion_tokens\": $2"
}

@test "rows of one index without requests are one sample if they begin as one" {
	local begin again=', "attempt": 1'
	# row BEGIN UNTIL: an attempt before that of the group, which works until then.
	row() {
		sample '"index": "a", "group_index": 0,' "$(span a "$1" 3)" \
			"$(span generate_and_rm_group 4 50 "$again")" \
			"$(span b 5 "$2" "$again")"
	}
	for begin in 1 2; do
		dump "$(row 1 10)" "$(row "$begin" 49)" >dump.json
		run_split obs-perfsum --stragglers 1 -f json dump.json
		assert_status 0
		jq -c '.stragglers[0] | [.sample, .duration, .waited, .victims]' \
			<<<"$output" >>victims
	done
	assert_same_file victims - <<-'END'
		["a",46,1,[]]
		["a",45,1,["a"]]
	END
}

# assert_worst JSON: sample, worker and cause of dump.json's one straggler.
assert_worst() {
	run_split obs-perfsum --stragglers 1 -f json dump.json
	run_split jq -c '.stragglers[] | [.sample, .worker, .cause]' <<<"$output"
	assert_output "$1"$'\n'
	check_causes
}

@test "an engine is slow by its requests, decoding where no engine is known" {
	local w1='"http://h:1"' w2='"http://h:2/"' i samples=()
	for i in 1 2 3; do
		samples+=("$(sample '"index": 0,' "$(request "$w1" 100 0 10)")")
	done
	dump "${samples[@]}" "$(sample '"index": "x",' \
		"$(request "$w2" 100 0 20)")" >dump.json
	assert_worst '["x","h:2","slow engine"]'
	run_split obs-perfsum --stragglers 2 -f table dump.json
	# 20 s and 10 s for 100 tokens.
	assert_output_has $'\nslow engine h:2: 200 ms per token with prefill, others 100 ms; 1 of the 2 samples below ran on it\nend, run: '
	# Its engine is no slower than the other: not the engine.
	dump "${samples[@]}" "$(sample '"index": "x",' \
		"$(request "$w1" 100 0 20)")" >dump.json
	assert_worst '["x","h:1","slow decode"]'
	dump "${samples[@]}" "$(sample '"index": "x",' \
		"$(request null 100 0 20)")" >dump.json
	assert_worst '["x",null,"slow decode"]'
}

@test "one engine of two is slow next to the other" {
	local w1='"http://h:1"' w2='"http://h:2/"' i samples=()
	for i in 1 2 3; do
		samples+=("$(sample '"index": 0,' "$(request "$w1" 100 0 10)")")
	done
	dump "${samples[@]}" "$(sample '"index": "x",' \
		"$(request "$w2" 100 0 15.5)")" >dump.json
	run_split obs-perfsum --stragglers 2 -f table dump.json
	assert_output_has $'\nslow engine h:2: 155 ms per token with prefill, others 100 ms;'
	assert_worst '["x","h:2","slow engine"]'
	# 1.3 times is not over 1.3 times.
	dump "${samples[@]}" "$(sample '"index": "x",' \
		"$(request "$w2" 100 0 13)")" >dump.json
	run_split obs-perfsum --stragglers 2 -f table dump.json
	assert_status 0
	[ "$(grep -c 'slow engine' <<<"$output")" -eq 0 ]
}

@test "a long answer on a slow engine has the cause that cost it more" {
	local slow='"h:2"' fast='"h:1"' samples=() i
	for i in 0 1 2 3; do
		samples+=("$(sample "\"index\": $i," "$(request "$fast" 100 0 10)")")
	done
	# On the others a token takes 0.1 s, and the median has 100 tokens:
	# of 40 s for 200, 20 are the engine's and 10 the answer's.
	samples+=("$(sample '"index": "short",' "$(request "$slow" 100 0 20)")"
		"$(sample '"index": "slow",' "$(request "$slow" 200 0 40)")"
		"$(sample '"index": "long",' "$(request "$fast" 300 0 30)")"
		"$(sample '"index": "both",' "$(request "$slow" 500 0 75)")"
		"$(sample '"index": "queue",' "$(span sglang_generate 0 90 '' \
			'"worker_addr": "h:1", "completion_tokens": 300,
			"queue_time": 60')")")
	dump "${samples[@]}" >dump.json
	run_split obs-perfsum --stragglers 5 -f json dump.json
	assert_status 0
	run_split jq -c '.stragglers[] | [.sample, .cause, .cause_time]' \
		<<<"$output"
	assert_output '["queue","engine queue",60]
["both","long answer",40]
["slow","slow engine",20]
["long","long answer",20]
["short","slow engine",10]
'
	run_split obs-perfsum --stragglers 5 -f table dump.json
	assert_output_has $'; #"queue" ended last: engine queue, 60.0 of the 90.0 s it ran\n'
	assert_output_has " slow engine 20"
	assert_output_has $'\nengine queue: too few slots, or an engine that stalled; see --what-if\n'
	check_causes
}

@test "phases come from a request's attributes or from its children, not both" {
	local pd='"pd_prefill_forward_duration": 1, "pd_prefill_bootstrap_duration": 0.5, "pd_decode_forward_duration": 0'
	local child
	child=$(span sglang_pd_prefill_forward 0 2 \
		', "parent_span_id": "sglang_generate0"' \
		'"pd_prefill_forward_duration": 2')
	dump "$(sample '' "$(span sglang_generate 0 4 '' "$pd")" "$child")" \
		"$(sample '' "$(span sglang_generate 0 4)" "$child")" >dump.json
	breakdown '.pd.prefill | [.count, .total, .max, .share, .concurrency]'
	assert_output $'[2,3.5,2,0.4375,0.875]\n'
	breakdown '.pd.prefill.segments |
		[.forward.count, .forward.total, .bootstrap.total]'
	assert_output $'[2,3,0.5]\n'
	breakdown '.pd | has("decode")'
	assert_output $'false\n'
}

@test "a sample without a time is left out" {
	dump "$(sample '' "$(span a NaN NaN)")" \
		"$(sample '' "$(span a 5 4)")" '{}' '{"trace": {"events": []}}' \
		>dump.json
	breakdown '[.samples, .wall, .utilisation, .spans, .last]'
	assert_output $'[0,0,null,[],null]\n'
	run_split obs-perfsum --breakdown --stragglers 2 -f table dump.json
	assert_status 0
}

@test "times out of all range leave finite figures" {
	dump "$(sample '' "$(span a -1e308 1e308)" "$(span b NaN 1)" \
		"$(span c 0 Infinity)" "$(span d 1e300 1e301)")" >dump.json
	breakdown '[.wall, (.spans | map(.name) | sort)]'
	assert_output $'[8000000000000,["a","d"]]\n'
}

@test "parents in a circle and names that are no text are spans like others" {
	dump "$(sample '' \
		"$(span a 0 4 ', "parent_span_id": "b1"')" \
		"$(span b 1 3 ', "parent_span_id": "a0"')")" \
		"$(sample '' "$(span x 0 1 | sed 's/"x"/null/g')" \
			"$(span x 1 2 | sed 's/"x"/[1, "y"]/g')")" >dump.json
	breakdown '[(.spans | map(.name) | sort), (.spans | map(.self) | add)]'
	assert_output $'[["None","[1, \'y\']","a","b"],6]\n'
}

# bats test_tags=long
@test "a row of very many spans side by side costs no more than their sorting" {
	skip_without python3
	python3 - >dump.json <<'END'
n = 200000
print('{"samples": [{"trace": {"events": [')
for i in range(1, n + 1):
    print('{"type": "span_start", "name": "s", "ts": %d, "span_id": %d,'
          '"parent_span_id": -1},' % (i, i))
for i in range(1, n + 1):
    print('{"type": "span_end", "name": "s", "ts": %d, "span_id": %d},'
          % (2 * n - i, i))
print('{"type": "event", "name": "p", "ts": 0}]}}]}')
END
	span_of s '[.count, .self, .max]'
	assert_output $'[200000,399998,399998]\n'
}

# causes COUNT: sample, cause and seconds of the stragglers in dump.json, if the
# page and breakdown_check.py agree
causes() {
	check_causes >&2 || return
	obs-perfsum --stragglers "$1" -f json dump.json >found || return
	jq -c '.stragglers[] | [.sample, .cause, .cause_time]' found
}

@test "the cause is the delay that cost most seconds" {
	local i samples=()
	for i in 0 1 2 3; do
		samples+=("$(sample "\"index\": $i," "$(request null 100 0 10)")")
	done
	# 100 tokens more cost 10 s, and it queued for 12.
	dump "${samples[@]}" "$(sample '"index": "queued",' \
		"$(span sglang_generate 0 32 '' \
			'"completion_tokens": 200, "queue_time": 12')")" \
		"$(sample '"index": "long",' "$(span sglang_generate 0 28 '' \
			'"completion_tokens": 200, "queue_time": 8')")" >dump.json
	[ "$(causes 2)" = '["queued","engine queue",12]
["long","long answer",10]' ]
	# A quarter of the time it ran is a cause, less is not.
	dump "${samples[@]}" "$(sample '"index": "x",' "$(span sglang_generate \
		0 12 '' '"completion_tokens": 90, "queue_time": 3')")" >dump.json
	[ "$(causes 1)" = '["x","engine queue",3]' ]
	dump "${samples[@]}" "$(sample '"index": "x",' "$(span sglang_generate \
		0 12 '' '"completion_tokens": 90, "queue_time": 2.99')")" \
		>dump.json
	[ "$(causes 1)" = '["x","mostly decode",9.01]' ]
}

@test "tools and rewards count as far as they exceed the median" {
	local i samples=()
	for i in 0 1 2; do
		samples+=("$(sample "\"index\": $i," "$(span tool_call 0 20)" \
			"$(request null 100 20 30)" "$(span reward_model 30 55)")")
	done
	# All call tools for 20 s and are judged for 25: this one's answer is
	# long.
	dump "${samples[@]}" "$(sample '"index": "long",' \
		"$(span tool_call 0 21)" "$(request null 300 21 51)" \
		"$(span reward_model 51 76)")" >dump.json
	[ "$(causes 1)" = '["long","long answer",20]' ]
	dump "${samples[@]}" "$(sample '"index": "tool",' \
		"$(span tool_call 0 60)" "$(request null 100 60 70)")" >dump.json
	[ "$(causes 1)" = '["tool","tools",40]' ]
	dump "${samples[@]}" "$(sample '"index": "reward",' \
		"$(request null 100 0 10)" "$(span reward_model 10 70)")" \
		>dump.json
	[ "$(causes 1)" = '["reward","reward",35]' ]
	# The median of four, of which two have none.
	dump "$(sample '"index": 0,' "$(span tool_call 0 8)")" \
		"$(sample '"index": 1,' "$(span a 0 1)")" \
		"$(sample '"index": 2,' "$(span a 0 1)")" \
		"$(sample '"index": 3,' "$(span tool_call 0 10)")" >dump.json
	[ "$(causes 1)" = '[3,"tools",6]' ]
}

@test "a queue at a slow engine is the engine's, as far as it is slower" {
	local i samples=()
	for i in 0 1 2; do
		samples+=("$(sample "\"index\": $i," "$(request '"h:1"' 100 0 10)")")
	done
	# Twice the time per token: of 10 s in the queue 5 are the engine's, and
	# 10 of the 20 s in which it decodes.
	dump "${samples[@]}" "$(sample '"index": "x",' "$(span sglang_generate \
		0 30 '' '"worker_addr": "h:2", "completion_tokens": 100,
		"queue_time": 10')")" >dump.json
	[ "$(causes 1)" = '["x","slow engine",15]' ]
	run_split obs-perfsum --stragglers 1 -f table dump.json
	[[ $(tr -s '\n ' ' ' <<<"$output") == *'slow engine h:2, 15.0 of the 30.0 s it ran (10.0 s of decode and 5.00 s of queue more than on the others) the median'* ]]
	dump "${samples[@]}" "$(sample '"index": "x",' "$(span sglang_generate \
		0 70 '' '"worker_addr": "h:2", "completion_tokens": 100,
		"queue_time": 50')")" >dump.json
	[ "$(causes 1)" = '["x","slow engine",35]' ]
	# Where no engine is slow, a queue is a queue.
	dump "${samples[@]}" "$(sample '"index": "x",' "$(span sglang_generate \
		0 30 '' '"worker_addr": "h:2", "completion_tokens": 100,
		"queue_time": 20')")" >dump.json
	[ "$(causes 1)" = '["x","engine queue",20]' ]
}

@test "the client's queue is the cause if nothing else is or if it outlasts the run" {
	local samples=() start expected
	# Each waits 1 s for the client, but the last: its token takes twice as
	# long as on the other worker, of 20 s 10 are the engine's.
	for i in 0 1 2; do
		samples+=("$(sample "\"index\": $i," "$(span generate_and_rm 0 11)" \
			"$(span sglang_generate 1 11 ', "parent_span_id": "generate_and_rm0"' \
				'"worker_addr": "h:1", "completion_tokens": 100')")")
	done
	while read -r start expected; do
		dump "${samples[@]}" "$(sample '"index": "x",' \
			"$(span generate_and_rm 0 $((start + 20)))" \
			"$(span sglang_generate "$start" $((start + 20)) \
				', "parent_span_id": "generate_and_rm0"' \
				'"worker_addr": "h:2", "completion_tokens": 100')")" \
			>dump.json
		[ "$(causes 1)" = "$expected" ] || fail_with "$start: $(causes 1)"
	done <<-'END'
		15 ["x","slow engine",10]
		25 ["x","client queue",25]
	END
}

@test "a straggler is told with its cause" {
	local samples=() i
	for i in 0 1 2 3 4; do
		samples+=("$(sample "\"index\": $i, \"group_index\": 1," \
			"$(span sglang_generate 0 10 '' '"completion_tokens": 100')")")
	done
	samples+=("$(sample '"index": "slow",' "$(span sglang_generate 0 20 \
		'' '"completion_tokens": 100')")"
		"$(sample '"index": "long",' "$(span sglang_generate 0 30 \
			'' '"completion_tokens": 300')")"
		"$(sample '"index": "both",' "$(span sglang_generate 0 40 \
			'' '"completion_tokens": 200')")"
		"$(sample '"index": "tool",' "$(span tool_call 0 60)" \
			"$(span sglang_generate 60 70 '' '"completion_tokens": 100')")"
		"$(sample '"index": "late",' "$(span sglang_generate 90 100 \
			'' '"completion_tokens": 100')")"
		"$(sample '"index": "reward",' "$(span reward_model 0 80)")")
	dump "${samples[@]}" >dump.json
	run_split obs-perfsum --stragglers 6 -f json dump.json
	assert_status 0
	run_split jq -c '.stragglers[] | [.sample, .cause, .activity]' <<<"$output"
	assert_output '["late","mostly decode","decode"]
["reward","reward","reward"]
["tool","tools","tool"]
["both","slow decode","decode"]
["long","long answer","decode"]
["slow","slow decode","decode"]
'
	run_split obs-perfsum --stragglers 9 -f json dump.json
	run_split jq -c '[.medians, (.stragglers[5] |
		[.group, .start, .end, .duration, .over_median, .tokens,
		.decode_rate, .span, .span_time, .activity_time])]' <<<"$output"
	assert_output '[{"duration":10,"tokens":100,"decode_rate":10},[null,0,20,20,2,100,5,"sglang_generate",20,20]]
'
	check_causes
}

@test "a straggler's times are since the earliest start" {
	dump "$(sample '' "$(span a 10 20)")" "$(sample '' "$(span a 4 8)")" \
		>dump.json
	run_split obs-perfsum --stragglers 2 -f json dump.json
	run_split jq -c '.stragglers[] | [.sample, .start, .end]' <<<"$output"
	assert_output $'[0,6,16]\n[1,0,4]\n'
}

@test "negative tokens and times outside of generation are reported, not used" {
	local attrs='"completion_tokens": -5'
	dump "$(sample '"index": 0, "response_length": -7, "non_generation_time": -2,' \
		"$(span sglang_generate 0 10 '' "$attrs")")" \
		"$(sample '"index": 1, "response_length": 8, "non_generation_time": 1,' \
			"$(span sglang_generate 0 5 '' '"completion_tokens": 10')")" \
		>dump.json
	run_split obs-perfsum --stragglers 2 --rollout-time 4 \
		--rollout-num-gpus 1 -f json dump.json
	assert_status 0
	assert_stderr_lines 1
	assert_stderr_has "dump.json: 3 negative values, such as response_length, are not used"
	jq -e '[.stragglers[].tokens] == [null, 10] and
		.stragglers[0].decode_rate == null and .medians.tokens == 10 and
		."perf/tokens_per_gpu_per_sec" == 2 and
		."perf/non_generation_time/min" == 0' <<<"$output"
	run_split obs-perfsum --what-if -f table dump.json
	assert_output_has "1 generation span without completion_tokens"
	if [ -n "$(command -v node)" ]; then
		check_viewer dump.json
	fi
}

@test "absurd numbers are short" {
	dump "$(sample '' "$(span sglang_generate 0 10 '' '"e2e_latency": 1e300')")" \
		"$(sample '' "$(span sglang_generate 0 5)")" \
		"$(sample '' "$(span sglang_generate 0 1e300)")" >dump.json
	run_split obs-perfsum -f table dump.json
	assert_output_has "; 3 requests, latency 1e+300 s on average"
	run_split obs-perfsum --breakdown -f table dump.json
	assert_stderr_has "sample 2 has times 1.16e+295 days after the others"
}

@test "those that ended last and those that ran longest are told, each once" {
	dump "$(sample '"index": "long",' "$(span a 0 60)")" \
		"$(sample '"index": "mid",' "$(span a 50 80)")" \
		"$(sample '"index": "both",' "$(span a 40 90)")" \
		"$(sample '"index": "last",' "$(span a 95 100)")" \
		"$(sample '"index": "tie",' "$(span a 20 70)")" \
		"$(sample '"index": "short",' "$(span a 0 1)")" >dump.json
	run_split obs-perfsum --stragglers 2 -f json dump.json
	assert_status 0
	run_split jq -c '.stragglers[] | [.sample, .last, .longest]' \
		<<<"$output"
	assert_output '["last",1,null]
["both",2,2]
["long",null,1]
'
	run_split obs-perfsum --stragglers 2 -f table dump.json
	[ "$(awk 'NR > 5 {print $1, $3, $4}' <<<"${output%$'\n'}")" = \
		$'"last" 1 -\n"both" 2 2\n"long" - 1' ]
	run_split obs-perfsum --stragglers 2 -f tsv dump.json
	[ "$(grep -c ^perf_straggler_last_rank <<<"$output")" -eq 2 ]
	[ "$(grep -c ^perf_straggler_end_seconds <<<"$output")" -eq 3 ]
	# More than there are: all of them.
	run_split obs-perfsum --stragglers 99 -f json dump.json
	[ "$(jq -c '[.stragglers[] | .last, .longest] | sort | map(tostring) |
		join(" ")' <<<"$output")" = '"1 1 2 2 3 3 4 4 5 5 6 6"' ]
}

@test "long names are shortened in every table, and the lines stay lines" {
	local long
	long=$(printf 'é%.0s' $(seq 3000))
	dump "$(sample "\"index\": \"$long\", \"group_index\": \"$long\"," \
		"$(span "$long" 0 1)")" >dump.json
	run_split obs-perfsum --breakdown --stragglers 1 -f table dump.json
	assert_status 0
	assert_output_has "ended last, 1.000 s in"
	assert_output_has $'\n  ééééééééé...ééééééé\n'
	[ "$(awk '{ if (length > n) n = length } END { print n }' \
		<<<"$output")" -le 250 ]
	run_split obs-perfsum --by group -f table dump.json
	assert_output_has $'ééééééé, 1 sample\n'
}

@test "saved metrics have no samples to be looked into or added to" {
	obs-perfsum -f json "$DATA/demo.pt" >saved.json
	for option in --breakdown --stragglers=2 --by=group --with=saved.json; do
		run_split obs-perfsum "$option" saved.json
		assert_status 3
		assert_stderr_lines 1
		assert_stderr_has "saved.json: holds only metrics, no samples"
	done
	run_split obs-perfsum -f table saved.json
	assert_output_has ": rollout 2, only metrics, no samples; 12 requests, latency 17.2 s on average"
}

@test "--stragglers takes a count" {
	for n in 0 -1 x 10001; do
		run_split obs-perfsum --stragglers="$n" /dev/null
		assert_status 2
	done
}

@test "a table of breakdown and stragglers fits 120 columns" {
	run_split obs-perfsum --breakdown --stragglers 3 -f table "$DATA/demo.pt"
	assert_status 0
	[ "$(awk '{ if (length > n) n = length } END { print n }' <<<"$output")" \
		-le 120 ]
	assert_output_has " ended last, "
	grep -qE '^sglang_pd_decode_forward +12 ' <<<"$output"
	grep -qE '^prefill forward +12 ' <<<"$output"
	grep -qE ' +slow engine 21$' <<<"$output"
}

# by FIELD: a dump of five samples told apart
grouped() {
	dump "$(sample '"group_index": 1, "status": "completed", "source": "math",' \
		"$(span sglang_generate 0 1 '' '"e2e_latency": 1')")" \
		"$(sample '"group_index": 1, "status": "truncated",' \
			"$(span sglang_generate 0 2 '' '"e2e_latency": 2')")" \
		"$(sample '"group_index": "1", "metadata": {"source": "code"},' \
			"$(span sglang_generate 0 3 '' '"e2e_latency": 3')")" \
		"$(sample '"status": "completed",' "$(span a 0 4)" |
			sed 's/"trace": {/&"attempt": 2, /')" \
		'{"status": "completed"}' >dump.json
}

@test "--by gives each value its own figures, and a missing one null" {
	grouped
	local field want
	while read -r field want; do
		run_split obs-perfsum --by "$field" --breakdown -f json dump.json
		assert_status 0
		run_split jq -sc "map([.$field, .breakdown.samples,
			.\"perf/request/count\"])" <<<"$output"
		assert_output "$want"$'\n'
	done <<'END'
group [[1,2,2],["1",1,1],[null,1,0]]
source [["math",1,1],[null,2,1],["code",1,1]]
status [["completed",2,1],["truncated",1,1],[null,1,1]]
attempt [[0,3,3],[2,1,0],[null,0,0]]
END
	run_split obs-perfsum --by status dump.json
	run_split jq -sc 'map(."perf/request/e2e_latency/max")' <<<"$output"
	assert_output $'[1,2,3]\n'
}

# by KEY FILTER: of dump.json
by() {
	run_split obs-perfsum --by "$1" -f json dump.json
	assert_status 0
	run_split jq -sc "map([.\"$1\", $2])" <<<"$output"
}

@test "--by tells requests apart by an attribute of their span, or of the sample" {
	local end='"engine": "a", "e2e_latency": 1' start
	start='{"type": "span_start", "name": "sglang_generate", "ts": 0,
		"span_id": 1, "attrs": {"engine": "start"}},
		{"type": "span_end", "name": "sglang_generate", "ts": 1,
		"span_id": 1, "attrs": {"engine": null}}'
	# One sample with two requests, a start's attribute, null, a field.
	dump "$(sample '"engine": "field",' \
		"$(span sglang_generate 0 1 '' "$end")" \
		"$(span sglang_generate 1 2 '' "${end/\"a\"/\"b\"}")")" \
		"$(sample '' "$start")" \
		"$(sample '"engine": "field",' "$(span sglang_generate 0 1 '' '"e2e_latency": 2')")" \
		'{"engine": "field", "response_length": 5}' \
		"$(sample '' "$(span sglang_generate 0 1)")" >dump.json
	by engine '."perf/request/count", ."perf/request/e2e_latency/max"'
	assert_output '[["a",1,1],["b",1,1],["start",1,null],["field",1,2],[null,1,null]]
'
	# A sample belongs to its last request.
	run_split obs-perfsum --by engine --breakdown -f json dump.json
	run_split jq -sc 'map([.engine, .breakdown.samples])' <<<"$output"
	assert_output $'[["a",0],["b",1],["start",1],["field",1],[null,1]]\n'
	run_split obs-perfsum --by engine -f prom dump.json
	assert_output_has 'perf_requests{dump="dump.json",rollout_id="7",engine="a"} 1'
}

@test "--by worker reads any spelling of a worker" {
	local said samples=()
	while read -r said; do
		samples+=("$(sample '"dp_rank": null,' \
			"$(span sglang_generate 0 1 '' "$said")")")
	done <<'END'
"worker_addr": "http://h:1"
"worker": "http://h:1/generate?x=1", "url": "http://other"
"worker_addr": null, "url": "HTTPS://user:pw@h:1/"
"engine": "h:1", "dp_rank": 0
"server_url": "http://h:1@0", "dp_rank": 7
"worker": 0
"worker": "", "dp_rank": 2
"engine_addr": "grpc://h:2/x"
"engine_addr": "grpc://user:pw@h:2/x"
"server": "user:pw@h:1"
"server": "user:pw@h:1@0"
"server": "h:1@node"
"other": "h:1"
END
	dump "${samples[@]}" \
		"$(sample '"worker_url": "http://s:9",' "$(span sglang_generate 0 1 '' '"x": 1')")" \
		'{"meta_info": {"e2e_latency": 1, "worker": "m"}}' >dump.json
	by worker '."perf/request/count"'
	assert_output '[["h:1",4],["h:1@0",3],["0",1],["dp_rank 2",1],["grpc://h:2/x",2],["h:1@node",1],[null,1],["s:9",1],["m",1]]
'
}

@test "a table of --by begins with one row per group" {
	local w='"worker_addr": "h:1", "e2e_latency": 4, "queue_time": 1'
	dump "$(sample '"index": 0,' "$(span sglang_generate 0 4 '' "$w")")" \
		"$(sample '"index": 1,' "$(span sglang_generate 0 2 '' \
			'"worker_addr": "h:2", "e2e_latency": 2')")" \
		"$(sample '"index": 2,' "$(span sglang_generate 0 6 '' \
			"${w/: 4/: 6}")")" >dump.json
	run_split obs-perfsum --by worker --breakdown -f table dump.json
	assert_status 0
	[ "$(head -n 5 <<<"$output")" = "dump.json: 2 groups by worker
worker  samples  requests  e2e mean (s)  max (s)  queue mean (s)
h:1           2         2         5.000    6.000           1.000
h:2           1         1         2.000    2.000               -" ] ||
		fail_with "$output"
	assert_output_has $'\ndump.json: rollout 7, worker h:2, 1 sample; '
	# One group is its report.
	run_split obs-perfsum --by status -f table dump.json
	[[ $output == "dump.json: rollout 7, status null, 3 samples; "* ]] ||
		fail_with "$output"
}

@test "--by KEY with PD timings below a request counts them with it" {
	dump "$(sample '' "$(span sglang_generate 0 4 '' '"engine": "a"')" \
		"$(span sglang_pd_prefill_forward 0 2 \
			', "parent_span_id": "sglang_generate0"' \
			'"pd_prefill_forward_duration": 2')" \
		"$(span sglang_generate 5 9 '' '"engine": "b"')")" >dump.json
	by engine '."perf/prefill/forward_duration/mean", ."perf/request/profiled_count"'
	assert_output $'[["a",2,1],["b",null,0]]\n'
}

@test "--by a key that nothing has names those that there are" {
	dump "$(sample '"index": 1,' "$(span sglang_generate 0 1 '' \
		'"engine": "a"')" "$(span tool 1 2 '' '"cmd": "x"')")" >dump.json
	local key
	for key in engin cmd; do
		run_split obs-perfsum --by "$key" -f json dump.json
		assert_status 1
		assert_stderr_lines 1
		assert_stderr_has "dump.json: --by: no sample and no request has '$key'; keys are group, source, status, attempt, worker; samples have"
		assert_stderr_has "samples have index, trace; requests have engine"
		run_split jq -c "[.\"$key\", .\"perf/request/count\"]" <<<"$output"
		assert_output $'[null,1]\n'
	done
	run_split obs-perfsum --by source dump.json
	assert_status 1
	assert_stderr_has "samples have index, trace"
	run_split obs-perfsum --by worker dump.json
	assert_status 0
	run_split obs-perfsum --by '' dump.json
	assert_status 2
	# null everywhere is a key all the same, and no samples lack nothing.
	dump "$(sample '"label": null,' "$(span a 0 1)")" >dump.json
	run_split obs-perfsum --by label dump.json
	assert_status 0
	echo '{"samples": []}' >dump.json
	run_split obs-perfsum --by label dump.json
	assert_status 0
}

@test "--by a name that means something else is by_NAME" {
	skip_without promtool
	dump "$(sample '"dump": 1, "activity": "x", "9 é": 2,' "$(span a 0 1)")" \
		>dump.json
	local key
	for key in dump activity '9 é'; do
		obs-perfsum --by "$key" --breakdown --stragglers 1 -f prom \
			dump.json >out
		run_split promtool check metrics <out
		assert_status 0
		[ -z "$output$stderr" ] || fail_with "promtool complains"
	done
	grep -qF 'by_9___="2"' out
	run_split obs-perfsum --by dump dump.json
	run_split jq -c '[.dump, .by_dump]' <<<"$output"
	assert_output $'["dump.json",1]\n'
}

@test "prom output of everything is what promtool accepts" {
	skip_without promtool
	cp "$DATA/demo.pt" 'a"\b
c.pt'
	obs-perfsum --breakdown --stragglers 2 --by group -p 50,99.9 \
		--rollout-time 3 --rollout-num-gpus 2 -f prom 'a"\b
c.pt' "$DATA"/rollout/*.pt >out
	run_split promtool check metrics <out
	assert_status 0
	[ -z "$output$stderr" ] || fail_with "promtool complains"
	grep -qF 'perf_span_self_seconds{dump="a\"\\b\nc.pt",rollout_id="2",group="0",name="reward_model"}' out
	[ "$(grep -c '^# TYPE perf_requests ' out)" -eq 1 ]
	grep -q '^perf_request_e2e_latency_p99_9{' out
	grep -q '^perf_tokens_per_gpu_per_second{' out
}

@test "every series stands once: values that read the same, a dump given twice" {
	dump '{"status": 1}' '{"status": "1"}' '{"status": ""}' '{}' \
		'{"status": NaN}' '{"status": "nan"}' '{"status": [1]}' \
		"$(sample '"index": 3, "status": true,' "$(span a 0 1)")" \
		"$(sample '"index": 3, "status": "True",' "$(span a 0 1)")" \
		"$(sample '"index": 3, "status": "True",' "$(span a 0 1)")" \
		>dump.json
	run_split obs-perfsum --by status -f tsv dump.json
	assert_status 0
	run_split sed -n 's/^perf_requests\t\(.*\)\t0\t$/\1/p' <<<"$output"
	assert_output 'dump="dump.json",rollout_id="7",status="1"
dump="dump.json",rollout_id="7",status="\"1\""
dump="dump.json",rollout_id="7",status=""
dump="dump.json",rollout_id="7",status="null"
dump="dump.json",rollout_id="7",status="nan"
dump="dump.json",rollout_id="7",status="[1]"
dump="dump.json",rollout_id="7",status="True"
dump="dump.json",rollout_id="7",status="\"True\""
'
	run_split obs-perfsum --breakdown --stragglers 9 -f prom dump.json \
		dump.json
	assert_status 0
	[ -z "$(sed -n 's/ [^ ]*$//p' <<<"$output" | grep -v '^#' | sort |
		uniq -d)" ]
}

@test "samples that take no time run side by side at their moment" {
	skip_without node
	dump "$(sample '' "$(span a 5 5)")" "$(sample '' "$(span b 5 5)")" \
		"$(sample '' "$(span c 5 5)")" >dump.json
	run_split obs-perfsum --breakdown dump.json
	[ -z "$stderr" ] || fail_with "a span of 0 s does not end before it starts"
	breakdown '[.samples, .wall, .peak, .tail]'
	assert_output $'[3,0,3,0]\n'
	check_dump dump.json
	check_viewer dump.json
	dump "$(sample '' "$(span a 5 5)")" "$(sample '' "$(span b 5 5)")" \
		"$(sample '' "$(span c 7 7)")" >dump.json
	breakdown '[.wall, .peak]'
	assert_output $'[2,2]\n'
	check_viewer dump.json
}

@test "prom and tsv have the figures of json" {
	grouped
	obs-perfsum --breakdown -f json dump.json >out.json
	obs-perfsum --breakdown -f tsv dump.json >out.tsv
	obs-perfsum --breakdown -f prom dump.json >out.prom
	local self
	self=$(jq '.breakdown.spans[] | select(.name == "a") | .self' out.json)
	grep -qxF "perf_span_self_seconds{dump=\"dump.json\",rollout_id=\"7\",name=\"a\"} $self" out.prom
	grep -qxF $'perf_span_self_seconds\tdump="dump.json",rollout_id="7",name="a"\t'"$self"$'\t' out.tsv
	[ "$(grep -vc '^#' out.prom)" -eq "$(tail -n +2 out.tsv | wc -l)" ]
	# Without a peak there is no utilisation: the sample is left out.
	echo '{"samples": []}' | obs-perfsum --breakdown -f prom >out.prom
	run ! grep -q utilisation out.prom
}

@test "the summary of trace-timeline is the table of the breakdown" {
	cp "$DATA/demo.pt" .
	obs-perfsum --breakdown -f table demo.pt | tail -n +2 >want
	trace-timeline -f summary "$DATA/demo.pt" | sed '1,/^$/d' |
		tail -n +2 >have
	assert_same_file want have
}

@test "a field of the sample names the worker where its spans do not" {
	skip_without node
	dump "$(sample '"worker_addr": "http://10.0.0.1:30000/generate",' \
		"$(span sglang_generate 0 9)")" \
		"$(sample '"worker_addr": "http://10.0.0.1:30000",' \
			"$(span sglang_generate 0 5 '' '"url": "10.0.0.2:1"')")" \
		"$(sample '"engine": null, "dp_rank": 3,' \
			"$(span sglang_generate 0 1)")" >dump.json
	run_split obs-perfsum --stragglers 3 -f json dump.json
	run_split jq -c '[.stragglers[].worker]' <<<"$output"
	assert_output $'["10.0.0.1:30000","10.0.0.2:1","dp_rank 3"]\n'
	check_viewer dump.json
}

@test "the verdict says how much of the tail the last sample spent in what" {
	local i samples=()
	for i in {0..18}; do
		samples+=("$(sample "\"index\": $i," "$(span x 0 10)")")
	done
	samples+=("$(sample '"index": 19,' "$(span y 0 11)" "$(span x 11 30)")")
	dump "${samples[@]}" >dump.json
	run_split obs-perfsum --breakdown -f table dump.json
	assert_status 0
	[[ $(tr -s '\n ' ' ' <<<"$output") == *"wall 30.000 s, 66.7% of it \
(20.000 s) went to finishing the last 5% of samples; #19 ended last, \
19.000 s of that in x "* ]] || fail_with
	# Without a tail it is of its whole time.
	dump "$(sample '"index": 7,' "$(span x 0 30)")" >dump.json
	run_split obs-perfsum --breakdown -f table dump.json
	assert_output_has "wall 30.000 s; #7 ended last, 30.000 s in x"
}
