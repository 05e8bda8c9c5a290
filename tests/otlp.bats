# OTLP traces: attributes of every type, errors, events, and spans that several
# samples share.

# shellcheck disable=SC2154 # run_split sets stderr

load test_helper

setup() {
	skip_without jq
}

# rows FILE FILTER: a jq filter over the timeline's rows.
rows() {
	run_split trace-timeline --format cache -o - "$1"
	[ "$status" -eq 0 ] || fail_with "expected status 0"
	jq -c ".rows[] | $2" <<<"$output"
}

# document SPAN...
document() {
	printf '{"resourceSpans":[{"scopeSpans":[{"spans":[%s]}]}]}\n' \
		"$(IFS=, && echo "$*")"
}

# span TRACE ID PARENT NAME FROM TO [MEMBERS]
span() {
	printf '{"traceId":"%s","spanId":"%s","parentSpanId":"%s","name":"%s",' \
		"${@:1:4}"
	printf '"startTimeUnixNano":"%s000000000","endTimeUnixNano":"%s000000000"%s}' \
		"$5" "$6" "${7:+,$7}"
}

# attribute KEY TYPE VALUE
attribute() {
	printf '{"key":"%s","value":{"%sValue":%s}}' "$@"
}

@test "attributes of every type are values, in either spelling" {
	local given spelled
	given=$(
		IFS=,
		set -- "$(attribute s string '"x"')" "$(attribute b bool true)" \
			"$(attribute i int '"5"')" "$(attribute n int -6)" \
			"$(attribute d double 1.5)" "$(attribute h double '"0.5"')" \
			"$(attribute up double '"Infinity"')" \
			"$(attribute down double '"-Infinity"')" \
			"$(attribute nan double '"NaN"')" \
			"$(attribute l array '{"values":[{"stringValue":"y"},{"intValue":"7"}]}')" \
			"$(attribute m kvlist '{"values":[{"key":"k","value":{"intValue":"1"}},{"value":{"intValue":"2"}}]}')" \
			"$(attribute raw bytes '"AAE="')" \
			'{"key":"empty","value":{}}' '{"value":{"intValue":"9"}}'
		echo "\"attributes\":[$*]"
	)
	spelled=$(sed -E 's/(string|bool|int|double|array|kvlist|bytes)Value/\1_value/g' \
		<<<"$given")
	for given in "$given" "$spelled"; do
		document "$(span aa 01 '' work 1000 1003 "$given")" >"$TMP/t.json"
		run rows "$TMP/t.json" '.items[0].attrs.end_attrs'
		assert_output '{"s":"x","b":true,"i":5,"n":-6,"d":1.5,"h":0.5,'`
			`'"up":null,"down":null,"nan":null,"l":["y",7],"m":{"k":1},'`
			`'"raw":"AAE=","empty":null}'
	done
}

@test "an error has the type of the last exception, and events are points" {
	local failed='"status":{"code":2,"message":"it broke"}'
	document "$(span aa 01 '' work 1000 1003 "$failed,\"events\":[
		{\"name\":\"note\",\"timeUnixNano\":\"1001000000000\",
		 \"attributes\":[$(attribute n int '"2"')]},
		{\"name\":\"bare\",\"timeUnixNano\":1001500000000},
		{\"name\":\"exception\",\"timeUnixNano\":\"1002000000000\",
		 \"attributes\":[$(attribute exception.type string '"OSError"')]},
		{\"name\":\"without a time\"}, 7]")" \
		"$(span bb 02 '' work 1000 1002 "$failed")" >"$TMP/t.json"
	run rows "$TMP/t.json" '[.status, (.items[0].attrs.end_attrs |
		.error_type, .error_message),
		[.items[] | select(.type == "event") | [.name, .ts, .attrs]]]'
	assert_output '["failed","OSError","it broke",[["note",1001,{"n":2}],'`
		`'["bare",1001.5,{}],["exception",1002,{"exception.type":"OSError"}]]]
["failed","ERROR","it broke",[]]'
}

@test "what lies between a prompt and its samples is in the row of each" {
	local five six traj
	five="\"attributes\":[$(attribute prompt_id string '"5"')]"
	six="\"attributes\":[$(attribute prompt_id string '"6"')]"
	traj="\"attributes\":[$(attribute traj_id string '"t"')]"
	document "$(span aa 01 '' process_new_prompt 1000 1020 "$five")" \
		"$(span aa 02 01 group 1001 1019)" \
		"$(span aa 03 02 generate_and_reward 1002 1010)" \
		"$(span aa 04 02 generate_and_reward 1003 1018)" \
		"$(span aa 05 04 llm 1003 1017)" \
		"$(span bb 06 '' process_new_prompt 1000 1009 "$six")" \
		"$(span bb 07 06 inside 1001 1002)" \
		"$(span cc 08 '' rollout 1000 1009 "$traj")" >"$TMP/t.json"
	run rows "$TMP/t.json" '[.group_index, [.items[].name]]'
	assert_output '["5",["process_new_prompt","group","generate_and_reward"]]
["5",["process_new_prompt","group","generate_and_reward","llm"]]
["6",["process_new_prompt","inside"]]
[null,["rollout"]]'
}

@test "spans that are each other's parents are read, each once" {
	document "$(span aa 01 02 first 1000 1004)" \
		"$(span aa 02 01 second 1001 1003)" \
		"$(span aa 03 03 third 1002 1003)" >"$TMP/t.json"
	run rows "$TMP/t.json" '[.items[].name] | sort'
	assert_output '["first","second","third"]'
}

@test "ROLL's columns count as samples" {
	printf '%s\n' '{"responses":["a","b"],"scores":[1.0,0.5]}' \
		'{"responses":["c"],"scores":[2]}' >"$TMP/roll.jsonl"
	run_split obs-perfsum "$TMP/roll.jsonl"
	assert_status 3
	assert_stderr_has "roll.jsonl: ROLL's rollout data, 3 samples: they have no"
}

@test "of a stage that comes twice the first counts, wherever it stands" {
	local rid one two
	rid="\"attributes\":[$(attribute rid string '"7"'),$(attribute gen_ai.usage.completion_tokens int 5)]"
	one=$(span aa 02 01 decode_waiting 1001 1003)
	two=$(span aa 03 01 decode_waiting 1004 1009)
	for order in "$one,$two" "$two,$one"; do
		document "$(span aa 01 '' 'decode Req 7' 1000 1020 "$rid")" \
			"$order" >"$TMP/t.json"
		run_split obs-perfsum "$TMP/t.json"
		assert_status 0
		assert_output_has '"perf/request/queue_time/mean":2.0,'
	done
	# Of two that begin together it is the one that stands first.
	one=$(span aa 02 01 decode_forward 1004 1006)
	two=$(span aa 03 01 decode_forward 1004 1009)
	document "$(span aa 01 '' 'decode Req 7' 1000 1020 "$rid")" \
		"$one" "$two" >"$TMP/t.json"
	run_split obs-perfsum "$TMP/t.json"
	assert_output_has '"perf/decode/forward_duration/mean":2.0,'
	document "$(span aa 01 '' 'decode Req 7' 1000 1020 "$rid")" \
		"$two" "$one" >"$TMP/t.json"
	run_split obs-perfsum "$TMP/t.json"
	assert_output_has '"perf/decode/forward_duration/mean":5.0,'
}
