/*
 * Series of metrics as JSON, sample by sample: what Prometheus answers to
 * query_range and query, what VictoriaMetrics exports, and lists of such
 * series. Several documents may follow each other.
 *
 *	{"status": "success", "data": {"resultType": "matrix", "result": [
 *	  {"metric": {"__name__": "up", ...}, "values": [[SECONDS, "1"], ...]},
 *	  ...]}}
 *	{"metric": {"__name__": "up", ...}, "values": [1, ...],
 *	 "timestamps": [MILLISECONDS, ...]}
 *
 * Keys stand in any order. The samples of a series are handed out when its
 * object ends, so memory is that of one object (LIMIT_SERIES_SAMPLES). In a
 * line of an export null stands for no value: it is left out.
 *
 * A sample whose value or timestamp is not valid is left out and counted.
 *
 * A document that is damaged is one error; the next call goes on with the next
 * line that begins with a brace. A truncated series is left out; those before
 * it have been returned.
 */
#ifndef OBS_FMT_PROM_SERIES_JSON_H
#define OBS_FMT_PROM_SERIES_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"
#include "fmt/prom/prom.h"

/* What else was found so far, besides samples. */
struct series_json_found {
	uint64_t unnamed;    /* series without a name */
	uint64_t histograms; /* series that have native histograms */
	uint64_t bad;	     /* samples without a valid value or time */
	uint64_t warnings;   /* of the server, */
	char warning[200];   /* the first of which this is */
	bool partial;	     /* the server says that its answer is partial */
};

struct series_json;

/* A reader of what source gives next, which is borrowed until it is closed.
 * NULL when memory ran out. */
struct series_json *series_json_open(struct byte_source *source);
void series_json_close(struct series_json *r); /* NULL is a no-op */

/*
 * The next sample, stamped: 1; 0 at the end. After ERR_INPUT or ERR_LIMIT,
 * which are about one document, call again for the next. Other errors are
 * final. The labels are the same array until the series changes.
 */
int series_json_next(struct series_json *r, struct prom_line *line,
		     struct err *err);

/* The number of the series that the last sample is of, from 1. */
uint64_t series_json_number(const struct series_json *r);

const struct series_json_found *series_json_found(struct series_json *r);

/* Does a text begin such a document rather than an exposition, in which a
 * brace may come first, too? -1: it is too short to tell. */
int series_json_begins(struct str text);

#endif
