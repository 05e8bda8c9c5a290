#include "profile/call_class.h"

#include <string.h>

#include "base/array.h"

const char *const call_class_names[CALL_CLASSES] = {
	[CALL_LAUNCH] = "launch", [CALL_GRAPH] = "graph", [CALL_SYNC] = "sync",
	[CALL_COPY] = "copy",	  [CALL_OTHER] = "other",
};

bool is_named(struct str s, const char *lower)
{
	size_t n = strlen(lower);

	if (s.n != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		char c = s.p[i];

		c = c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
		if (c != lower[i])
			return false;
	}
	return true;
}

enum call_class call_class_of(struct str name)
{
	static const char *const waits[] = {
		"cudamemcpy",	   "hipmemcpy",	      "hipmemcpywithstream",
		"cumemcpyhtod_v2", "cumemcpydtoh_v2", "cumemcpydtod_v2"};

	if (str_has_nocase(name, "graphlaunch"))
		return CALL_GRAPH;
	if (str_has_nocase(name, "launchkernel") ||
	    str_has_nocase(name, "launchcooperative") ||
	    str_has_nocase(name, "kernellaunch"))
		return CALL_LAUNCH;
	if (str_has_nocase(name, "synchronize"))
		return CALL_SYNC;
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++)
		if (is_named(name, waits[i]))
			return CALL_SYNC;
	return str_has_nocase(name, "memcpy") || str_has_nocase(name, "memset")
		       ? CALL_COPY
		       : CALL_OTHER;
}
