# Wheel, fingers and keys on the timeline page.

# bats file_tags=browser

load test_helper
load viewer_helper

# see CHECK [HASH]: look at sixty samples, see tests/browser/motion.mjs
see() {
	steps_dump
	trace-timeline -q --output "$TMP/page.html" "$TMP/steps.json"
	look motion "$1" "$TMP/page.html" "${2-}"
}

@test "the wheel scrolls the samples, and zooms with Ctrl" {
	see wheel
}

@test "the first zoom is not the first time that a chart is drawn" {
	see warm
}

@test "keys that walk never zoom" {
	see keysDoNotZoom
}

@test "a point has nothing to zoom to" {
	see fitPoint
}

@test "panning stops at the ends" {
	see noVoid
}

@test "a measured range stops at the ends" {
	see measureEnds
}

@test "a drag along the axis measures" {
	see measureOnAxis
}

@test "two fingers zoom" {
	see pinch
}

@test "a finger that is held measures, one that moves scrolls" {
	see hold
}

@test "a finger held on the legend shows one activity alone" {
	see holdLegend
}

@test "an address from another screen or dump leaves the plot to be seen" {
	see address "#side=1200&window=90000000,99000000"
}
