/*
 * What routers, Ray and service discovery send, and what users list: the
 * first byte picks whether it is JSON or lines, the rest is the text. What
 * comes of it must be URLs that read back, addresses without credentials, and
 * JSON that reads back as the same targets.
 */
#include <stdint.h>
#include <stdlib.h>

#include "net/client/roster.h"
#include "net/client/url.h"

#include "fuzz.h"

static const struct target_rules rules = {.path = "/metrics",
					  .sidecar_offset = 10000};

static void check_target(const struct target *t)
{
	size_t start, end;
	struct url url;
	struct err err;

	require((t->url == NULL) != (t->problem == NULL));
	url_find_authority(str_of(t->address), &start, &end);
	require(strncmp(t->address, "unix:", 5) == 0 ||
		!memchr(t->address + start, '@', end - start));
	if (!t->url)
		return;
	require(url_parse(str_of(t->url), &url, &err) == 0);
	require(url.user.n == 0);
	require(url_scheme_is(&url, "http") || url_scheme_is(&url, "https"));
}

/* What file_sd can express is the same after a round through it. */
static void check_round_trip(const struct target_list *list)
{
	struct target_list again = target_list_new();
	struct buf text = buf_new((size_t)64 << 20);
	struct err err;
	size_t n = 0;

	require(roster_write(list, &text, &err) == 0);
	require(roster_read(&again, &rules, buf_str(&text), &err) == 0);
	for (size_t i = 0; i < list->n; i++)
		n += roster_can_write(&list->v[i]);
	require(again.n == n);
	for (size_t i = 0, k = 0; i < list->n; i++)
		if (roster_can_write(&list->v[i]))
			require(again.v[k].url != NULL && ++k > 0);
	target_list_free(&again);
	buf_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct target_list list = target_list_new();
	struct str text = {(const char *)data + 1, size - 1};
	struct err err = {0};

	if (size == 0)
		return 0;
	if (data[0] == 'j')
		roster_read(&list, &rules, text, &err);
	else
		target_add_lines(&list, &rules, text, &err);
	for (size_t i = 0; i < list.n; i++)
		check_target(&list.v[i]);
	require(target_fold(&list, &err) == 0);
	require(target_set_labels(&list, "worker_addr", NULL, 0, &err) == 0);
	check_round_trip(&list);
	target_list_free(&list);
	return 0;
}
