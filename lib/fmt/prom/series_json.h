/*
 * Series of metrics as JSON, sample by sample: Prometheus' responses to
 * query_range and query, VictoriaMetrics' exports, and lists of such series.
 * There may be several consecutive documents.
 *
 *	{"status": "success", "data": {"resultType": "matrix", "result": [
 *	  {"metric": {"__name__": "up", ...}, "values": [[SECONDS, "1"], ...]},
 *	  ...]}}
 *	{"metric": {"__name__": "up", ...}, "values": [1, ...],
 *	 "timestamps": [MILLISECONDS, ...]}
 *
 * Keys may be in any order. The samples of a series are returned once its
 * object ends, so memory is that of one object (LIMIT_SERIES_SAMPLES). In a
 * line of an export null means no value and is skipped.
 *
 * A sample whose value or timestamp is not valid is skipped and counted.
 *
 * A damaged document is one error; the next call continues with the next line
 * that begins with a brace. A truncated series is dropped; those before it have
 * been returned.
 */
#ifndef OBS_FMT_PROM_SERIES_JSON_H
#define OBS_FMT_PROM_SERIES_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"
#include "fmt/prom/prom.h"

/* Other findings so far. */
struct series_json_found {
	uint64_t unnamed;    /* series without a name */
	uint64_t histograms; /* series with native histograms */
	uint64_t bad;	     /* samples without a valid value or time */
	uint64_t warnings;   /* from the server, */
	char warning[200];   /* the first of them */
	bool partial;	     /* the server says that its response is partial */
};

struct series_json;

/* A reader of source, which is borrowed until it is closed. NULL if out of
 * memory. */
struct series_json *series_json_open(struct byte_source *source);
void series_json_close(struct series_json *r); /* NULL is a no-op */

/*
 * The next sample, with its timestamp: 1; 0 at the end. After ERR_INPUT or
 * ERR_LIMIT, which are about one document, call again for the next. Other
 * errors are fatal. The labels are the same array until the series changes.
 */
int series_json_next(struct series_json *r, struct prom_line *line,
		     struct err *err);

/* The number of the last sample's series, from 1. */
uint64_t series_json_number(const struct series_json *r);

const struct series_json_found *series_json_found(struct series_json *r);

/* Does the text begin such a document rather than an exposition, which may
 * begin with a brace, too? -1: it is too short to decide. */
int series_json_begins(struct str text);

#endif
