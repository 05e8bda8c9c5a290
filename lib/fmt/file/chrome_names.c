#include "fmt/file/chrome_names.h"

const struct str chrome_names[CHROME_MEMBERS] = {
	[CHROME_PH] = STR("ph"),	   [CHROME_CAT] = STR("cat"),
	[CHROME_NAME] = STR("name"),	   [CHROME_PID] = STR("pid"),
	[CHROME_TID] = STR("tid"),	   [CHROME_TS] = STR("ts"),
	[CHROME_DUR] = STR("dur"),	   [CHROME_ID] = STR("id"),
	[CHROME_BIND_ID] = STR("bind_id"), [CHROME_ARGS] = STR("args"),
};

const struct str chrome_arg_names[CHROME_ARG_COUNT] = {
	[CHROME_CORRELATION] = STR("correlation"),
	[CHROME_BYTES] = STR("bytes"),
	[CHROME_GROUP] = STR("Process Group Name"),
};
