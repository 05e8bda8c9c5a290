/*
 * Label matchers in Prometheus syntax: LABEL=VALUE, LABEL!=VALUE, LABEL=~REGEX,
 * LABEL!~REGEX. A missing label has the value "". A regular expression is POSIX
 * extended and anchored at both ends.
 */
#ifndef OBS_METRICS_MATCH_H
#define OBS_METRICS_MATCH_H

#include <regex.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "fmt/prom/prom.h"

struct matcher {
	const char *text; /* as written */
	struct str name;
	struct str value; /* canonical escapes; unless a regex */
	regex_t regex;
	bool is_regex;
	bool negated;
};

/* Parse "LABEL=~REGEX" etc.; the value may be quoted. The text outlives the
 * matcher, which is never freed: it belongs to an option. */
int matcher_init(struct matcher *m, const char *text, struct err *err);

/* Do all n matchers accept the labels? 1, 0, or ERR_MEMORY. scratch is for
 * decoded values. */
int matchers_accept(const struct matcher *m, size_t n,
		    const struct prom_label *labels, size_t n_labels,
		    struct buf *scratch, struct err *err);

#endif
