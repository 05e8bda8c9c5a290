/*
 * Parses one line of a metrics exposition.
 *
 * Formats: Prometheus "Exposition formats", text format 0.0.4 with the quoted
 * UTF-8 names of Prometheus 3, and "OpenMetrics" 1.0, whose exemplars and units
 * are checked and ignored. Where parsers differ the strictest one is followed:
 * numbers are decimal and in range, UTF-8 is valid, labels are unique. Lenient
 * in two points: CR before LF, and harmless blanks.
 *
 * Text is returned in canonical escapes, not decoded: names and label values
 * have \\, \" and \n, HELP has \\ and \n (see fmt/prom/prom_text.h). So equal
 * text is equal bytes and is written unchanged. Slices point into the line or
 * into the parser's memory; they are valid until the next call.
 *
 * Times are milliseconds since 1970 as long double, which holds every int64
 * exactly and also the OpenMetrics stamps beyond; NaN: no timestamp.
 */
#ifndef OBS_FMT_PROM_PROM_H
#define OBS_FMT_PROM_PROM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "fmt/prom/prom_label.h"

/* The words of TYPE; untyped and unknown are the two formats' words for the
 * same thing, and for a family without TYPE. */
enum prom_type {
	PROM_UNTYPED,
	PROM_COUNTER,
	PROM_GAUGE,
	PROM_HISTOGRAM,
	PROM_SUMMARY,
	PROM_GAUGEHISTOGRAM,
	PROM_INFO,
	PROM_STATESET,
	PROM_TYPES
};

enum prom_kind {
	PROM_NOTHING, /* a blank line, a comment, a UNIT */
	PROM_SAMPLE,
	PROM_HELP,
	PROM_TYPE,
	PROM_EOF,    /* "# EOF": a body, or snapshot, ends here */
	PROM_STREAM, /* "# obs-scrape stream": timestamps that follow are
		      * milliseconds */
	PROM_CLOCK   /* "# obs-scrape clock": the clock jumped by value seconds
		      * before those that follow */
};

struct prom_line {
	enum prom_kind kind;
	enum prom_type type;		 /* of PROM_TYPE */
	struct str name;		 /* of the sample, or of the family */
	struct str help;		 /* of PROM_HELP */
	const struct prom_label *labels; /* in the order of the line */
	size_t n_labels;
	struct str written; /* the labels as they would be written in this
			     * order, if they stand so in the line; p may be
			     * NULL even then */
	bool lasts;	    /* written does, as long as what was read */
	uint64_t hash;	    /* of the set: the sum over its labels */
	double value;
	bool stamped;	  /* has a timestamp */
	char odd_escape;  /* the byte after a backslash in a label that is not
			   * an escape and is kept; 0: none */
	long double time; /* NaN unless stamped */
};

/* The unit of the timestamps of a body. */
enum prom_unit { PROM_UNDECIDED, PROM_MILLISECONDS, PROM_SECONDS };

/*
 * A label as it was at its position in an earlier line: NAME="VALUE" and the
 * byte after it, without blanks or escapes. Lines repeat most labels of the
 * previous line, and repeated ones need not be parsed and hashed again. Of a
 * value that changes with each line only the length and the hash are kept.
 */
struct prom_known {
	uint64_t hash;	    /* prom_label_hash */
	uint64_t name_hash; /* the hash of the name */
	uint8_t n;
	uint8_t name_n;
	bool changes;	/* text ends behind the opening quote */
	char text[238]; /* longer ones are not kept */
};

enum { PROM_KNOWN = 32 /* remembered labels of a line */ };

/* State for parsing a line; reused for each. */
struct prom_parser {
	struct arena scratch;
	struct prom_label *labels;
	size_t cap;
	bool used_scratch;
	char odd_escape;	/* of the current line */
	struct prom_known name; /* of the previous sample */
	struct prom_known known[PROM_KNOWN];
	size_t n_known; /* the first so many, whose names are distinct */
};

struct prom_parser prom_parser_new(void);
void prom_parser_free(struct prom_parser *p);

/* From prom_parse: the line has a timestamp and its unit is undecided. */
enum { PROM_NEEDS_UNIT = 1, PROM_NEEDS_UNIT_FRACTION = 2 };

/*
 * Parse one line, without its LF. Returns 0; ERR_INPUT, with the column in
 * err's text, the line number being set by the caller; another error; or, if
 * unit is PROM_UNDECIDED and there is a timestamp, PROM_NEEDS_UNIT, or
 * PROM_NEEDS_UNIT_FRACTION if the timestamp is not an integer.
 */
int prom_parse(struct prom_parser *p, struct str text, enum prom_unit unit,
	       struct prom_line *line, struct err *err);

#endif
