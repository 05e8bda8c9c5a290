# profile-summary: figures of small traces that can be added up by hand.

load test_helper

setup() {
	cd "$TMP" || return
}

# trace FILE [MEMBERS]: what is on standard input, an event a line,
#	CATEGORY|NAME|TS|DUR|PID|TID[|CORRELATION[|ARGS]]
# in µs, as a trace with these members around it.
trace() {
	awk -F'|' -v members="${2:+$2, }" '
		BEGIN { printf "{%s\"traceEvents\": [\n", members }
		NF {
			args = $7 == "" ? "" : "\"correlation\": " $7
			if ($8 != "")
				args = args (args == "" ? "" : ", ") $8
			printf "%s{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"ts\": %s, \"dur\": %s, \"pid\": %s, \"tid\": %s, \"args\": {%s}}",
				sep, $1, $2, $3, $4, $5, $6, args
			sep = ",\n"
		}
		END { print "\n]}" }' >"$1"
}

# figures PATH NAME...: these figures in µs, of the object at PATH.
figures() {
	local path=$1
	shift
	jq -c "$path | [$(sed 's/[^ ]*/.&/g; s/ /, /g' <<<"$*")] |
		map(. * 1e6 | round)" <<<"$output"
}

# says PATH JSON: what stands there.
says() {
	local found
	found=$(jq -c "$1" <<<"$output")
	[ "$found" = "$2" ] || fail_with "$1 is $found, not $2"
}

summary() {
	run_split profile-summary -f json "$@"
	assert_status 0
	[ -z "$stderr" ] || fail_with "expected nothing on stderr"
}

# A gap of each cause: 42 µs host, 70 sync, 95 launch, 100 device, 10 unknown.
gaps_trace() {
	trace "$1" <<-'END'
		cuda_runtime|cudaLaunchKernel|0|5|1|1|1
		kernel|gemm_a|10|20|0|7|1
		cuda_runtime|cudaLaunchKernel|60|10|1|1|2
		kernel|gemm_b|72|28|0|7|2
		cuda_runtime|cudaStreamSynchronize|90|70|1|1
		cuda_runtime|cudaLaunchKernel|160|5|1|1|3
		kernel|gemm_c|170|30|0|7|3
		cuda_runtime|cudaLaunchKernel|200|90|1|1|4
		kernel|gemm_d|295|5|0|7|4
		cuda_runtime|cudaLaunchKernel|296|1|1|1|5
		kernel|gemm_e|400|100|0|7|5
		kernel|gemm_f|510|10|0|7|99
	END
}

@test "busy, idle and the cause of each gap" {
	gaps_trace t.json
	summary t.json
	says '.traces | length' 1
	[ "$(figures '.traces[0].devices[0]' span busy idle compute)" = \
		'[510,193,317,193]' ]
	[ "$(figures '.traces[0].devices[0].gaps.causes | map_values(.time)' \
		host sync launch device unknown collective)" = \
		'[42,70,95,100,10,0]' ]
	[ "$(figures '.traces[0].devices[0].gaps.after_sync' time)" = '[70]' ]
	says '.traces[0].devices[0].gaps.longest[0] | [.cause, .before, .after]' \
		'["device","gemm_d","gemm_e"]'
	says '[.traces[0].verdicts[].kind]' '["launch-bound"]'
}

@test "kernels that touch leave no gap, and waits that touch are one" {
	trace t.json <<-'END'
		cuda_runtime|cudaLaunchKernel|0|5|1|1|1
		kernel|gemm_a|10|10|0|7|1
		cuda_runtime|cudaLaunchKernel|6|2|1|1|2
		kernel|gemm_b|20|10|0|7|2
		cuda_runtime|cudaStreamSynchronize|30|20|1|1
		cuda_runtime|cudaStreamSynchronize|50|20|1|1
		cuda_runtime|cudaLaunchKernel|80|5|1|1|3
		kernel|gemm_c|90|10|0|7|3
	END
	summary t.json
	[ "$(figures '.traces[0].devices[0]' span busy idle)" = '[90,30,60]' ]
	says '.traces[0].devices[0].gaps | [.count, .causes.sync.count]' '[1,1]'
}

@test "a gloo collective on the host is a cause of its own" {
	trace t.json <<-'END'
		cuda_runtime|cudaLaunchKernel|0|5|1|1|1
		kernel|gemm_a|10|10|0|7|1
		user_annotation|gloo:all_reduce|25|60|1|2
		cuda_runtime|cudaLaunchKernel|90|5|1|1|2
		kernel|gemm_b|96|4|0|7|2
	END
	summary t.json
	[ "$(figures '.traces[0].devices[0].gaps.causes | map_values(.time)' \
		collective host)" = '[76,0]' ]
	says '[.traces[0].verdicts[].kind]' '["host-collective-bound"]'
}

@test "steps: batch, host, GPU, period, bubble and rate" {
	trace t.json <<-'END'
		user_annotation|step[DECODE bs=4]|0|100|1|1
		cuda_runtime|cudaLaunchKernel|10|5|1|1|1
		kernel|flash_fwd|20|60|0|7|1
		user_annotation|step[DECODE bs=4]|100|100|1|1
		cuda_runtime|cudaLaunchKernel|110|5|1|1|2
		kernel|flash_fwd|130|40|0|7|2
	END
	summary t.json
	says '.traces[0].steps | map([.kind, .count, .batch, .tokens, .kernels,
		.launches])' '[["decode",2,8,8,2,2]]'
	[ "$(figures '.traces[0].steps[0] |
		{h: .host.total, g: .gpu.p50, p: .period.p50, b: .bubble.max}' \
		h g p b)" = '[200,50,100,50]' ]
	says '.traces[0].steps[0].rate | round' 40000
	says '.traces[0].steps[0].categories[0].name' '"attention"'
	run_split profile-summary -f tsv t.json
	[ "$(sed -n 's|^t.json\t\tstep/decode/||p' <<<"$output" |
		tr '\t\n' '= ')" = \
		'count=2 batch=8 tokens=8 rate=40000 host=0.0001 gpu=5e-05 '`
		`'period=0.0001 bubble=5e-05 kernels=2 launches=2 graph_launches=0 ' ]
}

@test "the time of the profiler itself is apart" {
	trace t.json <<-'END'
		kernel|gemm_a|10|10|0|7|1
		overhead|Activity Buffer Request|0|500|-1|0
		overhead|Resource Flush|600|30|-1|0
	END
	summary t.json
	says '.traces[0].host.overhead.count' 2
	[ "$(figures '.traces[0].host.overhead' time)" = '[530]' ]
	[ "$(figures '.traces[0].devices[0]' span)" = '[10]' ]
}

@test "graphs: launches without GPU events make a trace incomplete" {
	trace t.json <<-'END'
		cuda_runtime|cudaGraphLaunch|0|5|1|1|1
		kernel|gemm|10|10|0|7|1
		kernel|gemm|20|10|0|7|1
		kernel|silu|30|10|0|7|1
		cuda_runtime|cudaGraphLaunch|32|5|1|1|2
	END
	summary t.json
	says '.traces[0].graphs | [.launches, .events, .empty]' '[2,3,1]'
	says '[.traces[0].verdicts[].kind]' '["incomplete","gpu-bound"]'
}

@test "copies: bytes, pageable memory, and what no kernel hides" {
	trace t.json <<-'END'
		kernel|gemm|0|14|0|7
		gpu_memcpy|Memcpy HtoD (Pageable -> Device)|10|10|0|8||"bytes": 1000
		gpu_memcpy|Memcpy DtoH (Device -> Pinned)|20|2|0|8||"bytes": 10
	END
	summary t.json
	says '.traces[0].devices[0].copies |
		map([.kind, .count, .bytes, .pageable])' \
		'[["HtoD",1,1000,1],["DtoH",1,10,0]]'
	[ "$(figures '.traces[0].devices[0]' copy exposed_copy)" = '[12,8]' ]
	[ "$(figures '.traces[0].devices[0].copies[0]' time exposed)" = \
		'[10,6]' ]
	says '[.traces[0].verdicts[].kind]' '["copy-bound"]'
}

# Rank 1 comes 40 and 50 µs late for two collectives; its clock is 1 ms ahead.
two_ranks() {
	mkdir -p "$1"
	trace "$1/e-TP-0.trace.json" \
		'"distributedInfo": {"rank": 0, "world_size": 2}' <<-'END'
			kernel|ncclDevKernel_AllReduce_Sum_bf16|0|10|0|7
			kernel|ncclDevKernel_AllReduce_Sum_bf16|100|60|0|7
			kernel|ncclDevKernel_AllReduce_Sum_bf16|200|70|0|7
		END
	trace "$1/e-TP-1.trace.json" \
		'"distributedInfo": {"rank": 1, "world_size": 2}' <<-'END'
			kernel|ncclDevKernel_AllReduce_Sum_bf16|1000|10|1|7
			kernel|ncclDevKernel_AllReduce_Sum_bf16|1140|20|1|7
			kernel|ncclDevKernel_AllReduce_Sum_bf16|1250|20|1|7
		END
}

# decodes BATCH LARGE SMALL: the verdicts of a GPU whose step of decoding spends
# so many µs in an attention kernel and in another one, after a prefill of 50.
decodes() {
	trace t.json <<-END
		user_annotation|step[EXTEND bs=1 toks=9]|0|50|1|1
		cuda_runtime|cudaLaunchKernel|1|2|1|1|1
		kernel|gemm|10|50|0|7|1
		user_annotation|step[DECODE bs=$1]|50|100|1|1
		cuda_runtime|cudaLaunchKernel|51|2|1|1|2
		kernel|flash_fwd|60|$2|0|7|2
		cuda_runtime|cudaLaunchKernel|54|2|1|1|3
		kernel|silu|$((60 + $2))|$3|0|7|3
	END
	summary t.json
	says '[.traces[0].verdicts[].kind]' "[\"$4\"]"
}

@test "small batches are bound by memory when the large kernels take the time" {
	decodes 64 50 50 memory-bound
	decodes 64 49 51 gpu-bound
	decodes 65 50 50 gpu-bound
	# Half of what the steps took is decoding.
	decodes 64 50 0 memory-bound
	decodes 64 49 0 gpu-bound
}

# overlaps TIME BEGIN UNTIL VERDICT...: of two kernels of one stream, the first
# TIME µs long, the second from BEGIN until UNTIL.
overlaps() {
	trace t.json <<-END
		kernel|gemm|0|$1|0|7
		kernel|gemm|$2|$(($3 - $2))|0|7
	END
	summary t.json
	says '[.traces[0].verdicts[].kind] | join(" ")' "\"${*:4}\""
}

@test "kernels of one stream that overlap for long make times suspect" {
	overlaps 20000 17000 40000 suspect-times gpu-bound
	# Not by less than a twentieth, nor by less than a millisecond.
	overlaps 20000 18000 40000 gpu-bound
	overlaps 2000 1000 4000 gpu-bound
	overlaps 2000 999 4000 suspect-times gpu-bound
}

@test "the devices of a merged file have the ranks that their names give" {
	trace merged.json '"distributedInfo": {"rank": 3, "world_size": 16}' <<-'END'
		kernel|ncclDevKernel_AllReduce_Sum_bf16|0|10|"[TP02-DP00] 0"|7
		kernel|ncclDevKernel_AllReduce_Sum_bf16|100|60|"[TP02-DP00] 0"|7
		kernel|ncclDevKernel_AllReduce_Sum_bf16|0|10|"[TP12-DP00] 4"|7
		kernel|ncclDevKernel_AllReduce_Sum_bf16|140|20|"[TP12-DP00] 4"|7
	END
	summary merged.json
	says '.groups | map(.members | map(.rank))' '[[2,12]]'
}

# idles GAP VERDICT: of a GPU that is idle for so many of 100 µs, in which the
# host launches its next kernel.
idles() {
	trace t.json <<-END
		cuda_runtime|cudaLaunchKernel|0|5|1|1|1
		kernel|gemm|10|50|0|7|1
		cuda_runtime|cudaLaunchKernel|59|$1|1|1|2
		kernel|gemm|$((60 + $1))|$((50 - $1))|0|7|2
	END
	summary t.json
	says '[.traces[0].verdicts[].kind]' "[\"$2\"]"
}

@test "a GPU is bound by what leaves it idle for 30%, by itself below 15%" {
	idles 30 launch-bound
	idles 29 nothing-stands-out
	idles 15 nothing-stands-out
	idles 14 gpu-bound
}

@test "a GPU whose events took no time is not called busy" {
	trace t.json <<-'END'
		kernel|gemm|10|0|0|7|1
	END
	run_split profile-summary -f table t.json
	assert_status 0
	assert_output_has "! nothing-stands-out: its events took no time"
	[[ $output != *nan* ]]
}

# early N VERDICT...: of twenty kernels N began before the call that launched
# them.
early() {
	local i
	for i in {1..20}; do
		echo "cuda_runtime|cudaLaunchKernel|$((i * 100 + (i <= $1 ? 50 : 0)))|5|1|1|$i"
		echo "kernel|gemm|$((i * 100 + 10))|90|0|7|$i"
	done | trace t.json
	summary t.json
	says '[.traces[0].verdicts[].kind] | join(" ")' "\"${*:2}\""
}

@test "kernels before their calls make times suspect, if they are not few" {
	early 1 gpu-bound
	early 2 suspect-times gpu-bound
}

# late FIRST SECOND GEMM: two ranks, rank 1 comes so late to a collective and
# rank 0 to another; rank 1 computes for GEMM µs, rank 0 for 100.
late() {
	mkdir -p late
	trace late/e-TP-0.trace.json <<-END
		kernel|ncclDevKernel_AllReduce_Sum_bf16|0|10|0|7
		kernel|ncclDevKernel_AllReduce_Sum_bf16|100|60|0|7
		kernel|ncclDevKernel_AllReduce_Sum_bf16|$((190 + $2))|$((60 - $2))|0|7
		kernel|gemm|300|100|0|7
	END
	trace late/e-TP-1.trace.json <<-END
		kernel|ncclDevKernel_AllReduce_Sum_bf16|0|10|0|7
		kernel|ncclDevKernel_AllReduce_Sum_bf16|$((100 + $1))|$((60 - $1))|0|7
		kernel|ncclDevKernel_AllReduce_Sum_bf16|190|60|0|7
		kernel|gemm|300|$3|0|7
	END
	summary late
	says '[.verdicts[].kind] | join(" ")' "\"${*:4}\""
}

@test "a straggler costs two thirds of the waiting, uneven work is a fifth more" {
	late 40 20 100 straggler
	late 40 21 100 rank-skew
	# Of 800 µs a twentieth is waited, or less.
	late 0 40 100 straggler
	late 0 39 100
	late 0 0 120 uneven-work
	late 0 0 119
}

@test "the rank that the others waited for, whatever its clock" {
	two_ranks d
	summary d
	says '.traces | map([.rank, .world_size])' '[[0,2],[1,2]]'
	says '.groups | map([.matched, (.members | map(.rank))])' '[[3,[0,1]]]'
	[ "$(figures '.groups[0].members[0]' waited caused offset)" = \
		'[90,0,0]' ]
	[ "$(figures '.groups[0].members[1]' waited caused offset)" = \
		'[0,90,1000]' ]
	[ "$(figures '.groups[0] | {t: .transfer, m: .skew.max}' t m)" = \
		'[40,50]' ]
	says '.groups[0].members | map(.last)' '[0,2]'
	says '.verdicts | map([.kind, .member, .share])' '[["straggler",1,1]]'
	says '[.traces[0].verdicts[].kind]' '["rank-wait"]'
}

@test "collectives that are not as many in each rank are not matched, but named" {
	local rank
	for rank in 0 1; do
		trace "e-TP-$rank.trace.json" \
			"\"distributedInfo\": {\"rank\": $rank}" <<-END
				kernel|ncclDevKernel_AllReduce_Sum_bf16|0|10|$rank|7
				kernel|ncclDevKernel_AllReduce_Sum_bf16|100|10|$rank|7
				kernel|ncclDevKernel_ReduceScatter_Sum_bf16|200|10|$rank|7
				kernel|ncclDevKernel_AllGather_RING_LL|300|10|$rank|7
				kernel|ncclDevKernel_$([ $rank = 0 ] &&
					echo AllGather_RING_LL ||
					echo ReduceScatter_Sum_bf16)|400|10|$rank|7
			END
	done
	summary e-TP-*
	says '.groups | map([.matched, .unmatched])' '[[2,'`
		`'[":ncclDevKernel_AllGather_RING_LL",":ncclDevKernel_ReduceScatter_Sum_bf16"]]]'
	run_split profile-summary -f table e-TP-*
	assert_output_has "2 collectives matched, 2 kinds not"
	run_split profile-summary -f tsv e-TP-*
	assert_output_has $'\tunmatched\t2\n'
}

@test "the groups of several directories are in their order" {
	two_ranks b
	two_ranks a
	mv a/e-TP-0.trace.json a/z-TP-0.trace.json
	mv a/e-TP-1.trace.json a/z-TP-1.trace.json
	cp a/z-TP-0.trace.json a/g-TP-0.trace.json
	cp a/z-TP-1.trace.json a/g-TP-1.trace.json
	summary b a
	says '.groups | map(.name)' '["g","z","e"]'
}

@test "a table begins with the verdicts" {
	gaps_trace t.json
	run_split profile-summary -f table t.json
	assert_status 0
	local lines
	mapfile -t lines <<<"$output"
	[[ ${lines[0]} == "t.json: "* ]]
	[[ ${lines[1]} == "! launch-bound: "* ]]
	[ "$(sed -n '2,3p' <<<"$output" | tr -s '\n ' ' ')" = "! launch-bound: the GPU was idle 62% of 510 µs, 95.0 µs of it while the host issued work (5 launches of 22.2 µs each); use CUDA graphs or fewer kernels " ]
	# A line is broken behind a semicolon, if there is one.
	[ "$(sed -n '4,5p' <<<"$output")" = "GPU 0: busy 193 µs (38%): compute 193 µs, exposed communication 0.00 ms, exposed copies 0.00 ms;
  idle 317 µs: launch 95.0 µs, host 42.0 µs, sync 70.0 µs, device 100 µs, unknown 10.0 µs" ]
	run awk 'length($0) > 120' <<<"$output"
	refute_output
	run_split profile-summary -f table t.json
	assert_output_has "gap of 100 µs"
	two_ranks d
	run_split profile-summary -f table d
	assert_status 0
	[[ $(tr -s '\n ' ' ' <<<"$output") == *"straggler: ranks waited for each other 17% of the time; rank 1 came last 2 of 2 times and cost the others 90.0 µs"* ]]
}

@test "a truncated trace is summarised as far as it goes" {
	gaps_trace t.json
	head -c 900 t.json >cut.json
	run_split profile-summary -f json cut.json
	assert_status 1
	assert_stderr_has "profile-summary: cut.json: byte 889: truncated inside an event"
	says '.traces[0] | [.truncated, .events > 3, .verdicts[0].kind]' \
		'[true,true,"incomplete"]'
	gzip -k t.json
	head -c -30 t.json.gz >cut.json.gz
	run_split profile-summary -f json cut.json.gz
	assert_status 1
	says '.traces[0].truncated' true
}

@test "a damaged event is skipped, counted and reported" {
	gaps_trace t.json
	sed -i '4s/"ts"/"ts": 1 "x"/' t.json
	run_split profile-summary -f json t.json
	assert_status 1
	[ "$stderr" = "profile-summary: t.json: skipped 1 damaged event" ]
	says '.traces[0] | [.damaged, .events]' '[1,11]'
}

@test "what is not a trace is status 3, and one of several is status 1" {
	echo '{"samples": []}' >dump.json
	run_split profile-summary dump.json
	assert_status 3
	refute_output
	assert_stderr_has "profile-summary: dump.json: not a profile"
	: >empty.json
	run_split profile-summary empty.json
	assert_status 3
	refute_output
	local text
	for text in '[]' '[1, 2]' '[a]' '[{"name": "a", "ts": 1, "dur": 2}]' \
		'[{"ph": 7}' '{"traceEvents": [{"cat": "kernel"}]}' \
		'{"traceEvents": [5, null]}'; do
		echo "$text" >list.json
		run_split profile-summary list.json
		assert_status 3
		refute_output
		run_split profile-summary --compare --threshold 5 list.json list.json
		assert_status 3
	done
	run_split profile-summary no-such.json
	assert_status 4
	gaps_trace t.json
	run_split profile-summary -f json dump.json t.json
	assert_status 1
	says '[.traces[].file]' '["t.json"]'
}

@test "a trace without GPU events says so" {
	trace t.json <<<'cpu_op|aten::add|0|5|1|1'
	summary t.json
	says '[.traces[0].verdicts[].kind]' '["no-gpu"]'
}

@test "--compare judges, and --threshold fails what got worse by more" {
	mkdir a b
	trace a/t.json <<-'END'
		kernel|gemm|0|10|0|7
		kernel|silu|20|10|0|7
	END
	trace b/t.json <<-'END'
		kernel|gemm|0|20|0|7
		kernel|silu|20|10|0|7
	END
	summary --compare a b
	says '.changes[] | select(.key == "kernel/gemm") |
		[.change, .verdict]' '[1,"worse"]'
	says '.changes[] | select(.key == "utilisation") | .verdict' '"better"'
	says '.changes[] | select(.key == "kernel/silu") | .verdict' '"same"'
	run_split profile-summary -f json --compare --threshold 50 a b
	assert_status 5
	assert_stderr_has "kernel/gemm: got worse by 100%, more than 50%"
	run_split profile-summary -f json --compare --threshold 99.9% a b
	assert_status 5
	run_split profile-summary -f json --compare --threshold 100% a b
	assert_status 0
	local text
	for text in '' -1 x% 5%% ' 5' '5 %' nan inf 0x10; do
		run_split profile-summary --compare --threshold="$text" a b
		assert_status 2
		assert_stderr_has "--threshold=$text: expected a percentage from 0 to 1000000"
	done
	run_split profile-summary --compare a
	assert_status 2
	run_split profile-summary --threshold 5 a
	assert_status 2
}

@test "changes are a document, or a line each" {
	trace a.json <<<'kernel|gemm|0|100|0|7'
	trace b.json <<<'kernel|gemm|0|200|0|7'
	run_split profile-summary --compare -f jsonl a.json b.json
	assert_status 0
	[ "${output%%$'\n'*}" = '{"key":"kernel/gemm","from":0.0001,'`
		`'"to":0.0002,"change":1.0,"low":null,"high":null,"verdict":"worse"}' ]
	[ "$(jq -c . <<<"$output")" = \
		"$(profile-summary --compare -f json a.json b.json |
			jq -c '.changes[]')" ]
}

@test "what takes under 1% of the GPU's time on both sides is noise" {
	# 10 ms of gemm; tiny takes 0.5% and then 0.97%, grown 0.8% and 1.5%.
	trace a.json <<-'END'
		kernel|gemm|0|10000|0|7
		kernel|tiny|10000|50|0|7
		kernel|grown|10050|81|0|7
		gpu_memcpy|Memcpy HtoD|10131|20|0|7
	END
	trace b.json <<-'END'
		kernel|gemm|0|10000|0|7
		kernel|tiny|10000|100|0|7
		kernel|grown|10100|155|0|7
		gpu_memcpy|Memcpy HtoD|10255|60|0|7
	END
	summary --compare a.json b.json
	says '.changes[] | select(.key == "kernel/tiny") |
		[.change, .verdict]' '[1,"noise"]'
	says '.changes[] | select(.key == "kernel/grown") | .verdict' '"worse"'
	says '.changes[] | select(.key == "copy") | .verdict' '"noise"'
	run_split profile-summary -f json --compare --threshold 5 a.json b.json
	assert_status 5
	assert_stderr_lines 1
	assert_stderr_has "kernel/grown: got worse by 91.358%"
}

@test "a kernel named like a count of steps can get worse" {
	trace a.json <<<'kernel|my/count|0|10|0|7'
	trace b.json <<<'kernel|my/count|0|20|0|7'
	run_split profile-summary -f json --compare --threshold 5 a.json b.json
	assert_status 5
	assert_stderr_has "kernel/my/count: got worse by 100%, more than 5%"
}

@test "a comparison of nothing is a failure" {
	trace gpu.json <<<'kernel|gemm|0|10|0|7'
	trace host.json <<<'cpu_op|aten::add|0|5|1|1'
	run_split profile-summary --compare host.json gpu.json
	assert_status 1
	assert_stderr_has "host.json and gpu.json have no figures in common: nothing was compared"
	assert_output_has '"verdict"'
	run_split profile-summary --compare --threshold 5 gpu.json host.json
	assert_status 5
	assert_stderr_has "utilisation is missing"
}

@test "a directory has its traces, but not merged ones" {
	two_ranks d
	gzip d/e-TP-1.trace.json
	cp d/e-TP-0.trace.json d/merged-e.trace.json
	echo text >d/notes.txt
	summary d
	says '[.traces[].file]' '["e-TP-0.trace.json","e-TP-1.trace.json.gz"]'
	run_split profile-summary -f jsonl d
	assert_status 0
	[ "$(jq -c 'has("members")' <<<"$output" | tr '\n' ' ')" = \
		'false false true ' ]
	mkdir none
	run_split profile-summary none
	assert_status 3
	refute_output
}

@test "plain, gzip, standard input and any number of threads say the same" {
	local way
	gaps_trace t.json
	gzip -c t.json >t.gz
	profile-summary -f json t.json | jq 'del(.traces[].file)' >want
	for way in "profile-summary -f json t.gz" \
		"profile-summary -f json <t.json" \
		"profile-summary -f json - <t.gz" \
		"cat t.gz | profile-summary -f json"; do
		bash -c "$way" | jq 'del(.traces[].file)' | diff want -
	done
	two_ranks d
	profile-summary -f json -j 1 d t.json >one
	profile-summary -f json -j 8 d t.json | cmp one -
}

@test "kernels are listed by short name, with their category" {
	trace t.json <<-'END'
		kernel|void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)|0|50|0|7
		kernel|void flash::flash_fwd_kernel<Traits<128, (bool)1> >(flash::Params)|60|40|0|7
		kernel|void (anonymous namespace)::rms_norm_kernel<c10::BFloat16>(int*)|110|30|0|7
		kernel|nvjet_tst_128x64|150|20|0|7
	END
	summary t.json
	says '.traces[0].devices[0].top | map([.name, .category])' \
		'[["vectorized_elementwise_kernel(add)","elementwise"],["flash_fwd_kernel","attention"],["rms_norm_kernel","norm"],["nvjet_tst_128x64","gemm"]]'
	says '.traces[0].devices[0].top[2].full' \
		'"void (anonymous namespace)::rms_norm_kernel<c10::BFloat16>(int*)"'
	summary --top 1 --gaps 2 t.json
	says '.traces[0].devices[0] | [(.top | length), (.gaps.longest | length)]' \
		'[1,2]'
}

@test "times keep their nanoseconds, and bad ones are counted" {
	trace t.json '"baseTimeNanoseconds": 1700000000000000000' <<-'END'
		kernel|gemm|5000000000000.001|0.001|0|7
		kernel|gemm|"5000000000000.004"|0.0005|0|7
		kernel|gemm|5000000000001|-3|0|7
		kernel|gemm|null|1|0|7
		kernel|gemm|0|0|0|7
	END
	run_split profile-summary -f json t.json
	assert_status 0
	assert_stderr_has "t.json: skipped 2 events without a valid time"
	assert_stderr_has "t.json: set 1 invalid duration to 0"
	says '.traces[0] | [.skipped, .repaired]' '[2,1]'
	says '.traces[0].devices[0].busy * 1e9 | round' 2
	says '.traces[0].devices[0].span * 1e9 | round' 999
}

# Sums over the devices of a group, and over traces, too.
@test "times that lie decades apart, and durations of years, overflow nothing" {
	local rank
	mkdir d
	for rank in 0 1; do
		trace "d/1-TP-$rank.trace.json" \
			'"distributedInfo": {"rank": '$rank', "world_size": 2}' \
			<<-'END'
			kernel|ncclDevKernel_AllReduce_Sum|-2400000000000000|20|0|7|1
			kernel|ncclDevKernel_AllReduce_Sum|-1000000000000000|20|0|7|2
			kernel|ncclDevKernel_AllReduce_Sum|2400000000000000|20|0|7|3
			kernel|gemm|0|2400000000000000|0|7|4
			kernel|gemm|0|4000000000000|0|8|5
			kernel|gemm|0|4000000000000|0|9|6
		END
	done
	run_split profile-summary -f json d
	assert_status 0
	assert_stderr_has "set 2 invalid durations to 0"
	says '.groups | map(.matched)' '[3]'
	says '.traces[0].devices[0] | [.span, .busy]' \
		'[4800000000.00002,4000000.00006]'
	says '.traces[0].repaired' 2
	run_split profile-summary --compare d d
	assert_status 0
}

# With every duration set to 0, the GPU would be called idle all the time.
@test "a trace in which no event has a valid time or duration is rejected" {
	trace untimed.json <<-'END'
		kernel|gemm|null|20|0|7|1
		kernel|gemm|"soon"|20|0|7|2
	END
	trace endless.json <<-'END'
		kernel|gemm|10|null|0|7|1
		kernel|gemm|40|-3|0|7|2
	END
	gaps_trace gaps.json
	local name what
	while read -r name what; do
		run_split profile-summary "$name.json"
		assert_status 3
		refute_output
		assert_stderr_lines 1
		assert_stderr_has "$name.json: no event has a valid $what"
		run_split profile-summary "$name.json" gaps.json
		assert_status 1
		says '.traces | length' 1
		run_split profile-summary --compare gaps.json "$name.json"
		assert_status 3
		refute_output
	done <<-END
		untimed time
		endless duration
	END
}

@test "a trace without events, and one wrong time, are reported" {
	echo '{"traceEvents": []}' >t.json
	echo '{"traceEvents": [{"ph": "M", "name": "process_name"}]}' >named.json
	local empty
	for empty in t.json named.json; do
		run_split profile-summary "$empty"
		assert_status 0
		assert_stderr_lines 1
		assert_stderr_has "$empty: no events: nothing was recorded"
		says '[.traces[] | .window, (.verdicts[] | .kind)]' '[null,"no-gpu"]'
		gaps_trace gaps.json
		run_split profile-summary --compare "$empty" gaps.json
		assert_status 3
		refute_output
		assert_stderr_has "$empty has no events: there is nothing to compare"
		run_split profile-summary --compare gaps.json "$empty"
		assert_status 3
	done
	trace t.json <<-'END'
		kernel|gemm|10|20|0|7|1
		kernel|gemm|40|20|0|7|2
		kernel|gemm|2000000000000000|20|0|7|3
	END
	run_split profile-summary t.json
	assert_status 0
	assert_stderr_lines 1
	assert_stderr_has "t.json: its events lie up to 23148 days apart"
}

@test "--threshold fails a side without GPU events, and what was 0" {
	trace t.json <<<'kernel|gemm|10|20|0|7|1'
	trace none.json <<<'cpu_op|aten::add|0|5|1|1'
	run_split profile-summary --compare --threshold 5 t.json none.json
	assert_status 5
	assert_stderr_has "utilisation is missing, and the baseline has it"
	run_split profile-summary --compare --threshold 5 none.json t.json
	assert_status 1
	assert_stderr_has "none.json and t.json have no figures in common: nothing was compared"
	# No idle time before.
	trace gap.json <<-'END'
		kernel|gemm|10|20|0|7|1
		kernel|gemm|130|20|0|7|2
	END
	run_split profile-summary --compare --threshold 5 t.json gap.json
	assert_status 5
	assert_stderr_has "idle: got worse: it was 0"
	[[ $stderr != *nan* ]]
}

# steps FILE HOST...: decode steps that take so long on the host, each with a
# kernel of a tenth of that.
steps() {
	local file=$1 at=0 n=0 dur
	shift
	for dur in "$@"; do
		n=$((n + 1))
		echo "user_annotation|step[DECODE bs=4]|$at|$dur|1|1"
		echo "cuda_runtime|cudaLaunchKernel|$at|5|1|1|$n"
		echo "kernel|gemm|$((at + 6))|$((dur / 10))|0|7|$n"
		at=$((at + dur + 10))
	done | trace "$file"
}

@test "--compare reads saved JSON, and says the same as of the traces" {
	local from to
	steps a.json 100 110 120 130 140 150
	steps b.json 200 210 220 230 240 250
	profile-summary -f json a.json >a.saved
	profile-summary -f json b.json | jq -S . | gzip >b.saved
	profile-summary -f json --compare a.json b.json | jq .changes >want
	[ "$(jq length want)" -gt 20 ]
	for from in a.json a.saved; do
		for to in b.json b.saved; do
			profile-summary -f json --compare $from $to |
				jq .changes | cmp - want
		done
	done
	profile-summary -f json --compare - b.json <a.saved | jq .changes |
		cmp - want
	run_split profile-summary a.saved
	assert_status 3
	refute_output
	assert_stderr_has "a.saved: this is the output of profile-summary, which only --compare reads"
	echo '{"traces": [{"devices": 5}], "groups": []}' >odd.saved
	run_split profile-summary --compare odd.saved a.json
	assert_status 3
	refute_output
	assert_stderr_has "odd.saved: not the JSON of profile-summary"
	echo '{"traces": [' >cut.saved
	run_split profile-summary --compare a.json cut.saved
	assert_status 3
	refute_output
}

@test "kernels that saved JSON does not list are not compared" {
	trace t.json <<-'END'
		kernel|gemm|0|50|0|7
		kernel|silu|60|10|0|7
	END
	profile-summary --top 1 -f json t.json >t.saved
	summary --compare t.saved t.json
	says '[.changes[].key | select(startswith("kernel/"))]' '["kernel/gemm"]'
	says '[.changes[].verdict] | unique' '["same"]'
}

@test "times of steps have intervals, and a change within them is noise" {
	steps a.json 100 140 120 160 180 110
	steps b.json 105 150 115 165 170 120
	steps c.json 300 340 320 360 380 310
	summary --compare a.json b.json
	says '.resamples' 1000
	says '.changes[] | select(.key == "step/decode/host") |
		[.verdict, .low < 0, .high > .change]' '["noise",true,true]'
	says '.changes[] | select(.key == "step/decode/count") | .low' null
	summary --compare a.json c.json
	says '.changes[] | select(.key == "step/decode/host") |
		[.verdict, .low > 1, .low < .change, .change < .high]' \
		'["worse",true,true,true]'
	says '.changes[0].verdict' '"worse"'
	run_split profile-summary -f json --compare --threshold 1 a.json b.json
	[[ $stderr != *step/decode/host* ]]
	run_split profile-summary -f table --compare a.json c.json
	assert_status 0
	assert_output_has "a.json to c.json: "
	assert_output_has "95% interval"
	steps few.json 100 200 300 400
	summary --compare few.json few.json
	says .resamples null
}

@test "tsv has a figure per line, of traces, groups and comparisons" {
	gaps_trace t.json
	run_split profile-summary -f tsv t.json
	assert_status 0
	[ "$(head -n 1 <<<"$output")" = $'trace\tdevice\tfigure\tvalue' ]
	grep -qxF $'t.json\t\tevents\t12' <<<"$output"
	grep -qxF $'t.json\t0\tbusy\t0.000193' <<<"$output"
	grep -qxF $'t.json\t0\tidle/launch\t9.5e-05' <<<"$output"
	grep -qxF $'t.json\t0\tkernel/gemm_e\t0.0001' <<<"$output"
	run awk -F'\t' 'NF != 4' <<<"$output"
	refute_output
	two_ranks d
	run_split profile-summary -f tsv d
	grep -qxF $'e\te-TP-1.trace.json:1\tcaused\t9e-05' <<<"$output"
	run_split profile-summary -f tsv --compare t.json t.json
	[ "$(head -n 1 <<<"$output")" = \
		$'key\tfrom\tto\tchange\tlow\thigh\tverdict' ]
	grep -q $'^idle/host\t0.0823.*\t0\t\t\tsame$' <<<"$output"
}
