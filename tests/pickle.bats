# Pickles in every protocol, against Python's own picklers.

load test_helper

@test "random dumps in all protocols read as Python wrote them" {
	local python
	python=$(python_with pickle numpy || python_with pickle) ||
		skip "no python3"
	run_split "$python" "$ROOT/tests/random_pickles.py" 1 20
	assert_status 0
	assert_output $'0 dumps differ\n'
}
