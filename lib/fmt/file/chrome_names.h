/* Members of a Chrome trace event used by its readers. */
#ifndef OBS_FMT_FILE_CHROME_NAMES_H
#define OBS_FMT_FILE_CHROME_NAMES_H

#include "base/str.h"

enum chrome_member {
	CHROME_PH,
	CHROME_CAT,
	CHROME_NAME,
	CHROME_PID,
	CHROME_TID,
	CHROME_TS,
	CHROME_DUR,
	CHROME_ID,
	CHROME_BIND_ID,
	CHROME_ARGS,
	CHROME_MEMBERS,
};

/* Members of args. */
enum chrome_arg {
	CHROME_CORRELATION,
	CHROME_BYTES,
	CHROME_GROUP, /* "Process Group Name" */
	CHROME_ARG_COUNT,
};

extern const struct str chrome_names[CHROME_MEMBERS];
extern const struct str chrome_arg_names[CHROME_ARG_COUNT];

#endif
