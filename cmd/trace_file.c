#include "trace_file.h"

#include "common.h"

int trace_file_read(struct records *records, const char *path, bool strict,
		    struct err *err)
{
	int code = records_load_file(records, path, err);

	while (code == 0) {
		code = records_index(records, err);
		if (code == 0)
			return 0;
		err_in(err, path);
		if (code < 0 || strict)
			return err->code;
		fail_err(err);
		*err = (struct err){0};
		code = 0;
	}
	err_in(err, path);
	return code;
}
