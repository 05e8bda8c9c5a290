#include "sink/board/board_column.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

const struct board_column board_columns[BOARD_COLUMNS] = {
	{"RUN/CAP", "running", "running requests, and the cap on them",
	 BOARD_RUNNING, 8, 0, true},
	{"QUEUE", "queue", "waiting requests", BOARD_QUEUE, 6, 0, true},
	{"KV %", "kv_usage", "KV cache in use", BOARD_KV_USAGE, 5, 1, true},
	{"HIT %", "hit_rate", "prompt tokens found in the prefix cache",
	 BOARD_HIT_RATE, 6, 6, true},
	{"OUT tok/s", "tokens_per_second", "output tokens per second",
	 BOARD_TOKENS, 10, 0, true},
	{"TOK/S/REQ", "tokens_per_second_per_request",
	 "output tokens per second per running request", BOARD_REQUEST_TOKENS,
	 10, 2, true},
	{"TTFT p95", "ttft_p95", "time to the first token, 95th percentile",
	 BOARD_TTFT_P95, 9, 4, true},
	{"QUEUE p95", "queue_p95", "time in the queue, 95th percentile",
	 BOARD_QUEUE_P95, 10, 5, true},
	{"RETR/m", "retracted_per_minute",
	 "requests that lost their KV cache, per minute", BOARD_RETRACTED, 7, 7,
	 false},
	{"ABRT/m", "aborted_per_minute", "aborted requests per minute",
	 BOARD_ABORTED, 7, 8, false},
	{"IDLE %", "idle_share", "time the scheduler had no work",
	 BOARD_IDLE_SHARE, 7, 9, true},
	{"WEIGHTS", "weight_version", "version of the weights", BOARD_WEIGHTS,
	 8, 10, false},
	{"AGE", "age", "time since the last answer", BOARD_AGE, 6, 3, false},
};

size_t board_column_find(struct str key)
{
	size_t i = 0;

	while (i < BOARD_COLUMNS && !str_is(key, board_columns[i].key))
		i++;
	return i;
}

/* What is unknown is a dash. */
static size_t print(char out[BOARD_CELL_MAX], const char *format, double value)
{
	int n = isfinite(value) ? snprintf(out, BOARD_CELL_MAX, format, value)
				: snprintf(out, BOARD_CELL_MAX, "-");

	return n < BOARD_CELL_MAX ? (size_t)n : BOARD_CELL_MAX - 1;
}

size_t board_put_count(char out[BOARD_CELL_MAX], double value)
{
	char digits[BOARD_CELL_MAX];
	size_t n, k = 0;

	if (!(fabs(value) < 1e12))
		return print(out, "%.3g", value);
	n = print(digits, "%.0f", value);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0 && digits[i - 1] != '-')
			out[k++] = ',';
		out[k++] = digits[i];
	}
	out[k] = '\0';
	return k;
}

size_t board_put_short(char out[BOARD_CELL_MAX], double value)
{
	if (fabs(value) >= 1e9)
		return print(out, "%.3gG", value / 1e9);
	if (fabs(value) >= 1e6)
		return print(out, "%.1fM", value / 1e6);
	if (fabs(value) >= 1e4)
		return print(out, "%.1fk", value / 1e3);
	return board_put_count(out, value);
}

size_t board_put_tenths(char out[BOARD_CELL_MAX], double value)
{
	return print(out, "%.1f", value);
}

size_t board_put_time(char out[BOARD_CELL_MAX], double seconds)
{
	if (seconds < 120)
		return print(out, "%.0f s", seconds);
	if (seconds < 7200)
		return print(out, "%.0f m", floor(seconds / 60));
	if (seconds < 360000)
		return print(out, "%.3g h", floor(seconds / 360) / 10);
	return print(out, "%.15g d", floor(seconds / 86400));
}

/* A duration of requests: two digits at least. */
static size_t put_seconds(char out[BOARD_CELL_MAX], double seconds)
{
	if (seconds < 10)
		return print(out, "%.2f s", seconds);
	if (seconds < 100)
		return print(out, "%.1f s", seconds);
	return print(out, "%.0f s", seconds);
}

static size_t put_running(char out[BOARD_CELL_MAX],
			  const double values[BOARD_VALUES])
{
	size_t n = board_put_count(out, values[BOARD_RUNNING]);

	if (!isfinite(values[BOARD_CAP]) || n > BOARD_CELL_MAX / 2)
		return n;
	out[n++] = '/';
	n += (size_t)snprintf(out + n, BOARD_CELL_MAX - n, "%.6g",
			      values[BOARD_CAP]);
	return n;
}

/* A rate of tokens, marked if only the engine reports it. */
static size_t put_tokens(char out[BOARD_CELL_MAX], double value, bool whole,
			 const double values[BOARD_VALUES])
{
	char text[BOARD_CELL_MAX];
	size_t n = whole ? board_put_count(text, value)
			 : print(text, "%.1f", value);

	if (values[BOARD_TOKENS_FROM] != (double)TOKENS_REPORTED ||
	    n + 2 > BOARD_CELL_MAX) {
		memcpy(out, text, n + 1);
		return n;
	}
	out[0] = BOARD_REPORTED;
	memcpy(out + 1, text, n + 1);
	return n + 1;
}

size_t board_cell(char out[BOARD_CELL_MAX], const struct board_column *column,
		  const double values[BOARD_VALUES])
{
	double value = values[column->value];

	out[0] = '\0';
	if (!isfinite(value))
		return 0;
	switch (column->value) {
	case BOARD_RUNNING:
		return put_running(out, values);
	case BOARD_KV_USAGE:
	case BOARD_HIT_RATE:
	case BOARD_IDLE_SHARE:
		return print(out, "%.0f", value * 100);
	case BOARD_TOKENS:
		return put_tokens(out, value, true, values);
	case BOARD_REQUEST_TOKENS:
		return put_tokens(out, value, false, values);
	case BOARD_TTFT_P95:
	case BOARD_QUEUE_P95:
		return put_seconds(out, value);
	case BOARD_WEIGHTS:
		return print(out, "v%.10g", value);
	case BOARD_AGE:
		return board_put_time(out, value);
	case BOARD_RETRACTED:
	case BOARD_ABORTED:
		return print(out, value > 0 && value < 10 ? "%.1f" : "%.0f",
			     value);
	default:
		return board_put_count(out, value);
	}
}
