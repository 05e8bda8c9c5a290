#include "net/client/scrape_request.h"

#include "base/clock.h"
#include "base/num.h"

/* Ignore a limit beyond a day: no scraper waits that long. */
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

/* The weight in a coding's parameters: 1 if missing, 0 if malformed. */
static double weight(struct str parameters)
{
	double q = 1;

	while (parameters.n > 0) {
		struct str value = str_cut(&parameters, ';');
		struct str name = str_trim(str_cut(&value, '='));

		if (str_is_nocase(name, "q") &&
		    (!num_parse_double(str_trim(value), &q) ||
		     !(q >= 0 && q <= 1)))
			return 0;
	}
	return q;
}

bool scrape_request_takes_gzip(struct str header)
{
	double gzip = -1, identity = -1, others = -1; /* not mentioned */

	while (header.n > 0) {
		struct str parameters = str_cut(&header, ',');
		struct str coding = str_trim(str_cut(&parameters, ';'));
		double q = weight(parameters);

		if (str_is_nocase(coding, "gzip") ||
		    str_is_nocase(coding, "x-gzip"))
			gzip = q;
		else if (str_is_nocase(coding, "identity"))
			identity = q;
		else if (str_is_nocase(coding, "*"))
			others = q;
	}
	if (gzip < 0)
		gzip = others;
	return gzip > 0 && gzip >= identity;
}
