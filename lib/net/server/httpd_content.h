/*
 * What httpd.c sends: a response that several requests may share.
 */
#ifndef OBS_NET_SERVER_HTTPD_CONTENT_H
#define OBS_NET_SERVER_HTTPD_CONTENT_H

#include <stddef.h>

struct httpd_content {
	struct MHD_Response *response;
	unsigned status;
	size_t users; /* its creator and the requests it answers */
};

#endif
