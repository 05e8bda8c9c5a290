/*
 * Any bytes as the headers of a scrape: what is understood stays within its
 * bounds, and blanks around it change nothing.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "base/clock.h"
#include "net/client/scrape_request.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct str text = str_make((const char *)bytes, n);
	int64_t timeout = scrape_request_timeout(text);
	struct buf padded = buf_new(n + 2);

	if (timeout != INT64_MAX &&
	    (timeout < 0 || timeout > 86400 * NS_PER_SECOND))
		abort();
	buf_putc(&padded, ' ');
	buf_put(&padded, bytes, n);
	buf_putc(&padded, '\t');
	if (scrape_request_timeout(buf_str(&padded)) != timeout ||
	    scrape_request_takes_gzip(buf_str(&padded)) !=
		    scrape_request_takes_gzip(text))
		abort();
	buf_free(&padded);
	return 0;
}
