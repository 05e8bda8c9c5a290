#include "net/server/httpd_content.h"

#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>

#include "net/server/httpd.h"

static struct httpd_content *new_content(unsigned status,
					 struct MHD_Response *response)
{
	struct httpd_content *content = NULL;

	if (response != NULL)
		content = calloc(1, sizeof(*content));
	if (content == NULL) {
		if (response != NULL)
			MHD_destroy_response(response);
		return NULL;
	}
	*content = (struct httpd_content){response, status, 1};
	return content;
}

struct httpd_content *httpd_content_of(unsigned status, struct buf *body)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		body->n, body->p, MHD_RESPMEM_MUST_FREE);

	if (response != NULL)
		*body = buf_new(body->max);
	return new_content(status, response);
}

struct httpd_content *httpd_content_text(unsigned status, const char *text)
{
	return new_content(status,
			   MHD_create_response_from_buffer(
				   strlen(text), (void *)(uintptr_t)text,
				   MHD_RESPMEM_PERSISTENT));
}

struct httpd_content *httpd_content_file(int fd, uint64_t size)
{
	return new_content(MHD_HTTP_OK,
			   MHD_create_response_from_fd64(size, fd));
}

bool httpd_content_header(struct httpd_content *content, const char *name,
			  const char *value)
{
	return value == NULL || MHD_add_response_header(content->response, name,
							value) == MHD_YES;
}

void httpd_content_drop(struct httpd_content *content)
{
	if (content == NULL || --content->users > 0)
		return;
	MHD_destroy_response(content->response);
	free(content);
}
