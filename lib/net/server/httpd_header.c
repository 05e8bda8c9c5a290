#include <microhttpd.h>
#include <strings.h>

#include "net/server/httpd.h"

const char *httpd_header(const struct httpd_request *request, const char *name)
{
	return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND,
					   name);
}

struct header_count {
	const char *name;
	size_t n;
};

static enum MHD_Result count(void *cls, enum MHD_ValueKind kind,
			     const char *name, const char *value)
{
	struct header_count *headers = cls;

	(void)kind;
	(void)value;
	headers->n += strcasecmp(name, headers->name) == 0;
	return MHD_YES;
}

size_t httpd_count_header(const struct httpd_request *request, const char *name)
{
	struct header_count headers = {.name = name};

	MHD_get_connection_values(request->connection, MHD_HEADER_KIND, count,
				  &headers);
	return headers.n;
}
