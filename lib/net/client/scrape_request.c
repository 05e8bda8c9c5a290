#include "net/client/scrape_request.h"

#include <strings.h>

#include "base/clock.h"
#include "base/num.h"

/* A limit beyond a day is none: no scraper waits so long. */
#define LONGEST 86400.0

int64_t scrape_request_timeout(struct str header)
{
	double seconds;

	if (!num_parse_double(str_trim(header), &seconds) ||
	    !(seconds > 0 && seconds <= LONGEST))
		return INT64_MAX;
	seconds -= seconds / 10 < 0.25 ? seconds / 10 : 0.25;
	return (int64_t)(seconds * (double)NS_PER_SECOND);
}

/* Cut the text before the next mark off rest. */
static struct str cut(struct str *rest, char mark)
{
	const char *at = rest->n ? memchr(rest->p, mark, rest->n) : NULL;
	size_t n = at ? (size_t)(at - rest->p) : rest->n;
	struct str piece = str_make(rest->p, n);

	if (at != NULL)
		n++;
	*rest = str_make(rest->p + n, rest->n - n);
	return str_trim(piece);
}

static bool is_word(struct str s, const char *word)
{
	return s.n == strlen(word) && strncasecmp(s.p, word, s.n) == 0;
}

/* The weight among a coding's parameters: 1 without one, 0 when malformed. */
static double weight(struct str parameters)
{
	double q = 1;

	while (parameters.n > 0) {
		struct str value = cut(&parameters, ';');
		struct str name = cut(&value, '=');

		if (is_word(name, "q") &&
		    (!num_parse_double(value, &q) || !(q >= 0 && q <= 1)))
			return 0;
	}
	return q;
}

bool scrape_request_takes_gzip(struct str header)
{
	double gzip = -1, identity = -1, others = -1; /* not mentioned */

	while (header.n > 0) {
		struct str parameters = cut(&header, ',');
		struct str coding = cut(&parameters, ';');
		double q = weight(parameters);

		if (is_word(coding, "gzip") || is_word(coding, "x-gzip"))
			gzip = q;
		else if (is_word(coding, "identity"))
			identity = q;
		else if (is_word(coding, "*"))
			others = q;
	}
	if (gzip < 0)
		gzip = others;
	return gzip > 0 && gzip >= identity;
}
