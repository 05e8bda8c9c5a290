#include "messages.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/redact.h"
#include "base/utf8.h"

/* Longer messages are truncated: err.h's texts fit easily. */
enum { LINE_MAX_BYTES = 2048 };

bool quiet;
bool verbose;

static const char *program_name = "obstools";
static enum status remembered = STATUS_DONE;
static pthread_mutex_t remembering = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local struct buf *held_back; /* NULL: not buffering */

void messages_begin(const char *name)
{
	program_name = name;
}

/* Copy text to out, escaping what must not reach a terminal; returns the
 * length. */
static size_t escape_controls(char *out, size_t room, const char *text)
{
	const char *end = text + strlen(text);
	size_t n = 0, used;

	for (; text < end && n + UTF8_ESCAPED_MAX < room; text += used) {
		uint32_t point;

		used = utf8_next(text, end, &point);
		if (!utf8_is_printable(point)) {
			n += utf8_escape(out + n, text, used, point);
			continue;
		}
		memcpy(out + n, text, used);
		n += used;
	}
	return n;
}

/* Buffer a line if lines are buffered. False if they are not, or if out of
 * memory. */
static bool hold_back(const char *line, size_t n)
{
	if (held_back == NULL)
		return false;
	buf_put(held_back, line, n);
	return !held_back->failed;
}

/* One write, so that lines of concurrent programs do not mix. */
static void say_line(char *text)
{
	char line[4 * LINE_MAX_BYTES];
	size_t n = 0;

	text[redact_urls(text, strlen(text))] = '\0';
	n += escape_controls(line, sizeof(line), program_name);
	line[n++] = ':';
	line[n++] = ' ';
	n += escape_controls(line + n, sizeof(line) - n, text);
	line[n++] = '\n';
	if (hold_back(line, n))
		return;
	fflush(stderr);
	/* There is nowhere to report that stderr itself is gone. */
	if (write(STDERR_FILENO, line, n) < 0)
		return;
}

void messages_buffer(struct buf *held)
{
	held_back = held;
}

void messages_flush(const struct buf *held)
{
	/* As above. */
	if (held->n > 0 && !io_write(STDERR_FILENO, held->p, held->n))
		return;
}

/* Print what is buffered even if the program ends early. */
static void stop_holding(void)
{
	if (held_back != NULL)
		messages_flush(held_back);
	held_back = NULL;
}

static void say(const char *format, va_list args)
{
	char text[LINE_MAX_BYTES];

	vsnprintf(text, sizeof(text), format, args);
	say_line(text);
}

static void say_unless_quiet(const char *format, va_list args)
{
	if (!quiet)
		say(format, args);
}

void note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_unless_quiet(format, args);
	va_end(args);
}

void detail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (verbose && !quiet)
		say(format, args);
	va_end(args);
}

void warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say_unless_quiet(format, args);
	va_end(args);
}

void fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
	status_raise(STATUS_PARTLY);
}

void exceed(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
	status_raise(STATUS_THRESHOLD);
}

void die(enum status status, const char *format, ...)
{
	va_list args;

	stop_holding();
	va_start(args, format);
	say(format, args);
	va_end(args);
	exit((int)status);
}

void die_usage(const char *format, ...)
{
	char text[LINE_MAX_BYTES];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	die(STATUS_USAGE, "%s; see '%s --help'", text, program_name);
}

/* "source:line: text", "source: byte N: text", or as much as is known. */
static char *describe(const struct err *err, char *out, size_t room)
{
	const char *source = err->source;
	const char *colon = *source ? ": " : "";
	long long at = (long long)err->at;

	if (err->unit == ERR_LINE && *source)
		snprintf(out, room, "%s:%lld: %s", source, at, err->text);
	else if (err->unit == ERR_LINE)
		snprintf(out, room, "line %lld: %s", at, err->text);
	else if (err->unit == ERR_BYTE)
		snprintf(out, room, "%s%sbyte %lld: %s", source, colon, at,
			 err->text);
	else
		snprintf(out, room, "%s%s%s", source, colon, err->text);
	return out;
}

void warn_err(const struct err *err)
{
	char text[LINE_MAX_BYTES];

	warn("%s", describe(err, text, sizeof(text)));
}

void say_err(const struct err *err)
{
	char text[LINE_MAX_BYTES];

	say_line(describe(err, text, sizeof(text)));
}

void fail_err(const struct err *err)
{
	say_err(err);
	status_raise(STATUS_PARTLY);
}

void die_err(const struct err *err)
{
	stop_holding();
	say_err(err);
	exit((int)status_of_err(err));
}

void die_memory(void)
{
	die(STATUS_INPUT, "out of memory");
}

void die_given(const char *name, const char *value, const struct err *err)
{
	if (err->code == ERR_MEMORY)
		die_err(err);
	die_usage("%s%s%s: %s", name, value ? "=" : "", value ? value : "",
		  err->text);
}

enum status status_of_err(const struct err *err)
{
	return err->code == ERR_IO ? STATUS_IO : STATUS_INPUT;
}

void status_raise(enum status status)
{
	static const int gravity[] = {
		[STATUS_DONE] = 0,  [STATUS_PARTLY] = 1, [STATUS_THRESHOLD] = 2,
		[STATUS_INPUT] = 3, [STATUS_IO] = 4,	 [STATUS_USAGE] = 5,
	};

	pthread_mutex_lock(&remembering);
	if (gravity[status] > gravity[remembered])
		remembered = status;
	pthread_mutex_unlock(&remembering);
}

enum status status_remembered(void)
{
	return remembered;
}
