/*
 * One line of a metrics exposition, taken apart.
 *
 * Formats: Prometheus "Exposition formats", text format 0.0.4 with the quoted
 * UTF-8 names of Prometheus 3, and "OpenMetrics" 1.0, whose exemplars and
 * units are read and left out. Where parsers differ the strict reading is
 * taken: numbers are decimal and in range, UTF-8 is valid, labels are unique.
 * Lenient in two points: CR before LF, and blanks wherever they do no harm.
 *
 * Text is given in canonical escapes, not decoded: names and label values
 * have \\, \" and \n, HELP has \\ and \n (see fmt/prom/prom_text.h). So equal
 * text is equal bytes and is written as it stands. Slices point into the line
 * or into the parser's memory; they live until the next call.
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

/* The words of TYPE; untyped and unknown are the two formats' words for one
 * thing, and what a family without TYPE is. */
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
	PROM_EOF,   /* "# EOF": a body, or snapshot, ends here */
	PROM_STREAM /* "# obs-scrape stream": what follows is milliseconds */
};

struct prom_line {
	enum prom_kind kind;
	enum prom_type type;		 /* of PROM_TYPE */
	struct str name;		 /* of the sample, or of the family */
	struct str help;		 /* of PROM_HELP */
	const struct prom_label *labels; /* in the order of the line */
	size_t n_labels;
	uint64_t hash; /* of the set: those of the labels, added up */
	double value;
	bool stamped;	  /* has a timestamp */
	char odd_escape;  /* follows a backslash in a label, which escapes
			   * nothing and stands for itself; 0: there is none */
	long double time; /* NaN unless stamped */
};

/* What the timestamps of a body count. */
enum prom_unit { PROM_UNDECIDED, PROM_MILLISECONDS, PROM_SECONDS };

/*
 * A label as it stood at its place in a line before: NAME="VALUE" and the byte
 * behind it, without blanks or escapes. Lines repeat most labels of the line
 * before them, and what is repeated need not be read and hashed again.
 */
struct prom_known {
	uint64_t hash;	    /* prom_label_hash */
	uint64_t name_hash; /* the name's part of it */
	uint8_t n;
	uint8_t name_n;
	char text[238]; /* longer ones are not kept */
};

enum { PROM_KNOWN = 32 /* labels of a line that are remembered */ };

/* What a line needs while it is read; reused for each. */
struct prom_parser {
	struct arena scratch;
	struct prom_label *labels;
	size_t cap;
	bool used_scratch;
	char odd_escape;	/* of the line */
	struct prom_known name; /* of the sample before */
	struct prom_known known[PROM_KNOWN];
	size_t n_known; /* the first so many, whose names are distinct */
};

struct prom_parser prom_parser_new(void);
void prom_parser_free(struct prom_parser *p);

/* Of prom_parse: the line has a timestamp and its unit is undecided. */
enum { PROM_NEEDS_UNIT = 1, PROM_NEEDS_UNIT_FRACTION = 2 };

/*
 * Read one line, without its LF. Returns 0; ERR_INPUT, with the column in
 * err's text and the line left to the caller; another error; or, when unit is
 * PROM_UNDECIDED and there is a timestamp, PROM_NEEDS_UNIT, or
 * PROM_NEEDS_UNIT_FRACTION when the stamp is no integer.
 */
int prom_parse(struct prom_parser *p, struct str text, enum prom_unit unit,
	       struct prom_line *line, struct err *err);

#endif
