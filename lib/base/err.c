#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int fill(struct err *err, enum err_code code, const char *format,
		va_list args)
{
	err->code = code;
	err->unit = ERR_NOWHERE;
	err->at = 0;
	err->source[0] = '\0';
	vsnprintf(err->text, sizeof(err->text), format, args);
	return code;
}

int err_set(struct err *err, enum err_code code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fill(err, code, format, args);
	va_end(args);
	return code;
}

int err_at(struct err *err, enum err_code code, enum err_unit unit, int64_t at,
	   const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fill(err, code, format, args);
	va_end(args);
	err->unit = unit;
	err->at = at;
	return code;
}

int err_sys(struct err *err, int errnum, const char *format, ...)
{
	va_list args;
	size_t used;

	va_start(args, format);
	fill(err, ERR_IO, format, args);
	va_end(args);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s",
		 strerror(errnum));
	return ERR_IO;
}

void err_set_limit(struct err *err, size_t max, const char *limit)
{
	static const char *const units[] = {" bytes", " KiB", " MiB", " GiB"};
	const char *raise = "";
	size_t unit = 0;

	if (strncmp(limit, "LIMIT_", 6) == 0)
		raise = ERR_RAISE();
	else if (strncmp(limit, "--", 2) == 0)
		raise = "; raise it with ";

	for (; max % 1024 == 0 && max > 0 && unit < 3; unit++)
		max /= 1024;
	err_set(err, ERR_LIMIT, "takes more than %zu%s%s%s", max, units[unit],
		raise, *raise ? limit : "");
}

int err_passed(struct err *err, const struct limit *limit)
{
	if (limit->of == NULL)
		return err_limit(err, limit->max, limit->name);
	return err_set(err, ERR_LIMIT, "has more than %zu %s" ERR_RAISE() "%s",
		       limit->max, limit->of, limit->name);
}

int err_in(struct err *err, const char *source)
{
	if (err->source[0] == '\0')
		snprintf(err->source, sizeof(err->source), "%s", source);
	return err->code;
}
