# share/obstools/slurm on a real Slurm: two slurmd on this machine, each a node.
# GNU parallel and xargs do the same without one.

load test_helper

slurm_conf() {
	local host dir=$1
	host=$(hostname -s)
	cat <<-END
		ClusterName=test
		SlurmctldHost=$host(127.0.0.1)
		SlurmctldPort=$(free_port)
		SlurmUser=root
		SlurmdUser=root
		AuthType=auth/munge
		AuthInfo=socket=$dir/munge/sock
		StateSaveLocation=$dir/state
		SlurmdSpoolDir=$dir/spool.%n
		SlurmctldPidFile=$dir/slurmctld.pid
		SlurmdPidFile=$dir/slurmd.%n.pid
		SlurmctldLogFile=$dir/slurmctld.log
		SlurmdLogFile=$dir/slurmd.%n.log
		ProctrackType=proctrack/pgid
		TaskPlugin=task/none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		SwitchType=switch/none
		MpiDefault=none
		ReturnToService=2
		SlurmdParameters=config_overrides
		SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
		Prolog=$dir/prolog
		Epilog=$dir/epilog
		NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(free_port) CPUs=4
		NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(free_port) CPUs=4
		PartitionName=all Nodes=n1,n2 Default=YES State=UP
	END
}

# The prolog and the epilog as a site would call them, with its settings.
write_hooks() {
	local dir=$1 hook
	for hook in prolog epilog; do
		cat >"$dir/$hook" <<-END
			#!/bin/bash
			export PATH=$OBS_BIN:\$PATH
			export OBS_RECORD_CONF=$dir/record
			exec $ROOT/scripts/slurm/$hook
		END
		chmod +x "$dir/$hook"
	done
	: >"$dir/record"
}

nodes_are_up() {
	[ "$(sinfo -h -o %T)" = idle ]
}

start_slurm() {
	local dir=$1 node
	mkdir -p "$dir/munge" "$dir/state"
	chmod 700 "$dir/munge"
	head -c 1024 /dev/urandom >"$dir/munge/key"
	chmod 400 "$dir/munge/key"
	write_hooks "$dir"
	slurm_conf "$dir" >"$dir/slurm.conf"
	munged --force --key-file="$dir/munge/key" --socket="$dir/munge/sock" \
		--pid-file="$dir/munge/pid" --log-file="$dir/munge/log" \
		--seed-file="$dir/munge/seed"
	slurmctld
	for node in n1 n2; do slurmd -N "$node"; done
	eventually nodes_are_up
}

setup_file() {
	[ "$(id -u)" = 0 ] || skip "slurmd needs root"
	local command
	for command in slurmctld slurmd munged jq python3; do
		command -v "$command" >/dev/null ||
			skip "$command is not installed"
	done
	export SLURM_CONF=$BATS_FILE_TMPDIR/slurm.conf
	start_slurm "$BATS_FILE_TMPDIR" 3>&-
}

has_ended() {
	! kill -0 "$1" 2>/dev/null
}

# The daemons write their state as they end, and bats removes it after this.
teardown_file() {
	local dir=$BATS_FILE_TMPDIR pid pids
	[ -e "$dir/munge/pid" ] || return 0
	mapfile -t pids < <(cat "$dir"/*.pid "$dir/munge/pid")
	kill "${pids[@]}"
	for pid in "${pids[@]}"; do
		eventually has_ended "$pid"
	done
}

setup() {
	cd "$TMP" || return
}

# The job has ended, and its epilog.
job_is_over() {
	[ -z "$(squeue -h -j "$1" 2>/dev/null)" ]
}

# submit ARGUMENT...: run a batch job to its end; its number in $job.
submit() {
	job=$(sbatch --parsable --output="$TMP/%A_%a.out" "$@")
	job=${job%%;*}
	eventually job_is_over "$job"
}

state_of() {
	scontrol show job "$1" | grep -o 'JobState=[A-Z]*' | sort | uniq -c |
		awk '{print $1, $2}'
}

# bats test_tags=long
@test "an array over two nodes, merged, says what one run says" {
	local i slurm=$ROOT/scripts/slurm wanted=(--breakdown --stragglers 4)
	for ((i = 0; i < 40; i++)); do
		"$ROOT/scripts/gen-rollout" json "d$i.json" --samples 12 \
			--seed "$i" --rollout "$i"
		echo "$TMP/d$i.json"
	done >list
	submit --array=0-7 "$slurm/perfsum-array" list parts "${wanted[@]}"
	[ "$(state_of "$job")" = "8 JobState=COMPLETED" ]
	[ "$(find parts -type f | wc -l)" = 8 ]
	# Both nodes took part.
	[ "$(scontrol show job "$job" | grep -o ' NodeList=n[12]' | sort -u |
		wc -l)" = 2 ]
	submit --dependency="afterany:$job" "$slurm/perfsum-merge" parts \
		"${wanted[@]}" -p 95 -o merged.json
	[ "$(state_of "$job")" = "1 JobState=COMPLETED" ]
	xargs obs-perfsum --partial "${wanted[@]}" <list |
		obs-perfsum --merge-partials "${wanted[@]}" -p 95 >one.json
	cmp merged.json one.json
	# And with the peers that need no cluster.
	parallel --will-cite -j2 -N5 obs-perfsum --partial "${wanted[@]}" :::: list |
		obs-perfsum --merge-partials "${wanted[@]}" -p 95 | cmp - one.json
	xargs -P2 -n7 sh -c 'obs-perfsum --partial --breakdown --stragglers 4 "$@" \
		>xargs-$$.part' sh <list
	obs-perfsum --merge-partials "${wanted[@]}" -p 95 xargs-*.part |
		cmp - one.json
}

# bats test_tags=long
@test "a dump that cannot be read fails its task, and no other figures are lost" {
	local i
	for ((i = 0; i < 4; i++)); do
		rollout "$i" "$((i + 1))" >"d$i.json"
	done
	echo '{"samples": [' >d1.json
	printf '%s\n' "$TMP"/d?.json >list
	submit --array=2-8:2 "$ROOT/scripts/slurm/perfsum-array" list parts
	[ "$(state_of "$job")" = $'3 JobState=COMPLETED\n1 JobState=FAILED' ]
	grep -q d1.json "${job}"_4.out
	run_split "$ROOT/scripts/slurm/perfsum-merge" parts
	assert_status 0
	[ "$(jq '."perf/request/e2e_latency/mean" * 3' <<<"$output")" = 8 ]
}

# bats test_tags=long
@test "a sidecar lives as long as its job" {
	local port
	port=$(free_port)
	cat >job <<-END
		#!/bin/bash
		export PROMETHEUS_MULTIPROC_DIR=$TMP/metrics
		srun --overlap --ntasks-per-node=1 $ROOT/scripts/slurm/sidecar \
			127.0.0.1:$port &
		until curl -sf http://127.0.0.1:$port/metrics >$TMP/page; do
			sleep 0.1
		done
	END
	mkdir metrics
	python3 "$ROOT/tests/write_db.py" metrics/counter_7.db \
		'["running", "running_total", {}, "", 3]'
	submit --time=5 job
	[ "$(state_of "$job")" = "1 JobState=COMPLETED" ]
	grep '^running_total 3' page
	eventually not_there "$port"
}

not_there() {
	! curl -s "http://127.0.0.1:$1/metrics" && [ ! -e "$TMP/metrics" ]
}

recorded() {
	grep -q '^up{.*} 1' "$TMP"/record/job-*-n2.prom 2>/dev/null
}

# bats test_tags=long
@test "a prolog records on each node of a job, an epilog ends it" {
	local port
	port=$(free_port)
	echo 'running 3' >page
	obs-serve --listen "127.0.0.1:$port" -- cat page 3>&- &
	local server=$!
	printf '%s\n' "OBS_RECORD_DIR=$TMP/record" "OBS_RECORD_INTERVAL=0.2" \
		"OBS_RECORD_TARGETS=127.0.0.1:$port" >"$BATS_FILE_TMPDIR/record"
	cat >job <<-END
		#!/bin/bash
		until [ -e $TMP/enough ]; do sleep 0.1; done
	END
	job=$(sbatch --parsable -w n2 --output="$TMP/out" --time=5 job)
	eventually recorded
	local pid
	pid=$(cat record/job-"$job"-n2.pid)
	[ "$(cat "/proc/$pid/comm")" = obs-scrape ]
	touch enough
	eventually job_is_over "$job"
	[ ! -e "record/job-$job-n2.pid" ]
	eventually [ ! -e "/proc/$pid" ]
	: >"$BATS_FILE_TMPDIR/record"
	kill "$server"
	run_split obs-aggregate -f csv "record/job-$job-n2.prom"
	assert_output_has running
}
