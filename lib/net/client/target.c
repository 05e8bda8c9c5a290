#include "net/client/target.h"

#include <stdlib.h>
#include <sys/un.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/utf8.h"
#include "net/client/url.h"

enum { PORT_MAX = 65535 };

#define URL_BYTES (16 * KIB)
#define SOCKET_BYTES sizeof(((struct sockaddr_un *)NULL)->sun_path)

struct target_list target_list_new(void)
{
	return (struct target_list){.arena = arena_new(LIMIT_LIST)};
}

void target_list_free(struct target_list *list)
{
	arena_free(&list->arena);
	free(list->v);
	*list = target_list_new();
}

static int append(struct target_list *list, const struct target *t,
		  struct err *err)
{
	if (!ARRAY_GROW(list->v, list->n, list->cap))
		return err_memory(err);
	list->v[list->n++] = *t;
	return 0;
}

static bool all_digits(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return s.n > 0;
}

/* Remove "@RANK" from the end of a base. It follows the authority, or the one
 * slash after that: an '@' further on is part of a path. */
static struct str cut_rank(struct str s)
{
	const char *at = memrchr(s.p, '@', s.n);
	size_t start, end, rank;

	if (at == NULL)
		return s;
	rank = (size_t)(at - s.p);
	url_find_authority(s, &start, &end);
	if (rank < start || rank > end + 1 ||
	    !all_digits(str_skip(s, rank + 1)))
		return s;
	return str_make(s.p, rank);
}

/* An endpoint being built. */
struct endpoint {
	struct url url;
	struct str socket; /* n is 0: none */
};

/* "unix:PATH[:URI]" or a URL. */
static int parse_endpoint(struct str s, struct endpoint *e, struct err *err)
{
	const char *uri;

	*e = (struct endpoint){0};
	if (!str_skip_prefix(&s, "unix:"))
		return url_parse(s, &e->url, err);
	e->socket = s;
	e->url.scheme = str_of("http");
	e->url.host = str_of("localhost");
	uri = memmem(e->socket.p, e->socket.n, ":/", 2);
	if (uri) {
		e->url.path = str_make(uri + 1, (size_t)(s.p + s.n - uri - 1));
		e->socket.n = (size_t)(uri - e->socket.p);
	}
	if (e->socket.n == 0)
		return err_set(err, ERR_INPUT,
			       "unix: needs the path of a "
			       "socket");
	if (e->socket.n >= SOCKET_BYTES)
		return err_set(err, ERR_INPUT,
			       "the socket's path has %zu bytes, more than the "
			       "%zu that the system allows",
			       e->socket.n, SOCKET_BYTES - 1);
	return 0;
}

/* A copy without credentials and trailing slash. In text that is not a URL,
 * they may be everything before an '@'. */
static const char *copy_address(struct arena *arena, struct str s)
{
	struct buf copy = buf_new(s.n + 1);
	struct str out = {NULL, 0};
	size_t start = 0, end = s.n;
	struct endpoint e;
	struct err why;
	const char *at;

	if (str_starts(s, "unix:"))
		end = 0;
	else if (parse_endpoint(s, &e, &why) == 0)
		url_find_authority(s, &start, &end);
	at = memrchr(s.p + start, '@', end - start);
	buf_put(&copy, s.p, start);
	if (at)
		start = (size_t)(at - s.p) + 1;
	buf_put(&copy, s.p + start, s.n - start);
	while (copy.n > 1 && copy.p[copy.n - 1] == '/')
		copy.n--;
	if (!copy.failed)
		out = arena_str(arena, buf_str(&copy));
	buf_free(&copy);
	return out.p;
}

static bool is_http(const struct url *url)
{
	return url_scheme_is(url, "http") || url_scheme_is(url, "https");
}

static bool is_grpc(const struct url *url)
{
	return url_scheme_is(url, "grpc") || url_scheme_is(url, "grpcs");
}

int64_t target_sidecar_port(const struct target_rules *rules, int64_t port)
{
	int64_t beside = port + rules->sidecar_offset;

	if (beside > PORT_MAX)
		beside = port - rules->sidecar_offset;
	return rules->sidecar_port ? rules->sidecar_port : beside;
}

/* From the gRPC port to the port of its HTTP sidecar. */
static int to_sidecar(struct url *url, const struct target_rules *rules,
		      struct err *err)
{
	int64_t port = target_sidecar_port(rules, url->port);

	if (url->port == 0)
		return err_set(err, ERR_INPUT, "a gRPC address needs its port");
	if (port < 1 || port > PORT_MAX)
		return err_set(err, ERR_INPUT,
			       "the sidecar's port would be %lld",
			       (long long)port);
	url->scheme = str_of("http");
	url->port = (int)port;
	url->path = url->user = str_of("");
	return 0;
}

/* PATH[?QUERY] of the endpoint: its own, from the rules, or both. */
static void put_path(struct buf *out, struct str own, bool is_base,
		     struct str path)
{
	struct str query = own;

	while (query.n > 0 && query.p[0] != '?')
		query = str_skip(query, 1);
	own.n -= query.n;
	if (is_base)
		while (own.n > 0 && own.p[own.n - 1] == '/')
			own.n--;
	else if (own.n > 1)
		path.n = 0;
	if (path.n > 0 && own.n == 1)
		own.n = 0;
	buf_put(out, own.p, own.n);
	buf_put(out, path.p, path.n);
	buf_put(out, query.p, query.n);
}

static const char *copy_text(struct arena *arena, struct str s)
{
	return s.n > 0 ? arena_str(arena, s).p : NULL;
}

/* The URL, socket and credentials of an endpoint. */
static int fill_endpoint(struct target_list *list, const struct endpoint *e,
			 struct str path, struct target *t, struct err *err)
{
	struct buf url = buf_new(URL_BYTES);
	struct url whole;
	bool fits;

	if (!buf_room(&url, URL_BYTES))
		return err_memory(err);
	url_put_origin(&url, &e->url);
	if (path.n > 0 && path.p[0] != '/' && path.p[0] != '?')
		buf_putc(&url, '/');
	buf_put(&url, path.p, path.n);
	fits = !url.failed;
	if (fits)
		t->url = copy_text(&list->arena, buf_str(&url));
	t->socket = copy_text(&list->arena, e->socket);
	t->user = copy_text(&list->arena, e->url.user);
	buf_free(&url);
	if (!fits)
		return err_set(err, ERR_INPUT, "the URL is too long");
	if (list->arena.failed)
		return arena_error(&list->arena, err);
	/* Paths of sockets and labels were not parsed as part of a URL. */
	return url_parse(str_of(t->url), &whole, err);
}

/* The endpoint given by the entry's own metrics_url. */
static int parse_named(const struct target_entry *entry, struct endpoint *e,
		       bool *keyed, struct err *err)
{
	struct endpoint worker;
	int rc = parse_endpoint(entry->metrics_url, e, err);

	if (rc < 0)
		return rc;
	if (!is_http(&e->url))
		return err_set(err, ERR_INPUT,
			       "its metrics_url is neither http nor https");
	/* The worker itself may be anything, even a bare name. */
	*keyed = parse_endpoint(cut_rank(entry->listed), &worker, err) == 0 &&
		 is_http(&worker.url) && !e->socket.n &&
		 url_same_origin(&worker.url, &e->url);
	return 0;
}

/* The endpoint derived from the address. */
static int parse_listed(const struct target_entry *entry,
			const struct target_rules *rules, struct endpoint *e,
			bool *keyed, struct err *err)
{
	int rc = parse_endpoint(cut_rank(entry->listed), e, err);

	if (rc < 0)
		return rc;
	if (e->url.scheme.n == 0 && e->url.port == 0 && e->url.host.n <= 5 &&
	    all_digits(e->url.host))
		return err_set(err, ERR_INPUT,
			       "a port alone; did you mean localhost:%.*s?",
			       STR_ARG(e->url.host));
	if (e->url.scheme.n == 0)
		e->url.scheme = entry->scheme.p ? entry->scheme
						: str_of("http");
	if (is_grpc(&e->url))
		return to_sidecar(&e->url, rules, err);
	if (!is_http(&e->url))
		return err_set(err, ERR_INPUT,
			       "no HTTP address; name it as WORKER=URL");
	*keyed = true;
	return 0;
}

static int resolve(struct target_list *list, const struct target_rules *rules,
		   const struct target_entry *entry, struct target *t,
		   struct err *err)
{
	bool named = entry->metrics_url.n > 0 && !rules->base;
	bool is_base = rules->base || (entry->is_base && !named);
	struct buf path = buf_new(URL_BYTES);
	struct endpoint e;
	int rc;

	rc = named ? parse_named(entry, &e, &t->keyed, err)
		   : parse_listed(entry, rules, &e, &t->keyed, err);
	if (rc < 0)
		return rc;
	if (!buf_room(&path, URL_BYTES))
		return err_memory(err);
	put_path(&path, e.url.path, is_base,
		 entry->path.p && !rules->base ? entry->path
					       : str_of(rules->path));
	rc = path.failed ? err_set(err, ERR_INPUT, "the URL is too long")
			 : fill_endpoint(list, &e, buf_str(&path), t, err);
	buf_free(&path);
	return rc;
}

/* Is s UTF-8 without NUL? */
static bool is_text(struct str s)
{
	return !utf8_find_bad(s.p, s.p + s.n) && !memchr(s.p, '\0', s.n);
}

int target_add(struct target_list *list, const struct target_rules *rules,
	       const struct target_entry *entry, struct err *err)
{
	struct str role = entry->role.p ? entry->role : str_of("");
	struct target t = {
		.address = copy_address(&list->arena, cut_rank(entry->listed)),
		.role = arena_str(&list->arena, role).p,
		.entries = 1,
		.ranks = entry->is_rank ||
			 cut_rank(entry->listed).n < entry->listed.n,
		.labels = entry->labels,
		.label_n = entry->label_n,
	};
	struct err why = {0};

	if (!is_text(entry->listed))
		err_set(&why, ERR_INPUT,
			"the address is not text that a label can hold; name "
			"it as WORKER=URL");
	if (why.code < 0 || resolve(list, rules, entry, &t, &why) < 0) {
		t.url = NULL;
		t.problem = arena_str(&list->arena, str_of(why.text)).p;
		if (t.address && *t.address == '\0')
			t.address = "''"; /* name for messages */
	}
	if (!t.address || list->arena.failed)
		return arena_error(&list->arena, err);
	return append(list, &t, err);
}

/* Where WORKER=URL is split: before an '=' followed by a URL, unless it is part
 * of a query. Returns s.n if it is not such a pair. */
static size_t find_pair(struct str s)
{
	static const char *const starts[] = {"http://", "https://", "unix:"};

	for (size_t i = 1; i < s.n && s.p[i] != '?'; i++) {
		for (size_t k = 0; s.p[i] == '=' && k < 3; k++)
			if (str_starts(str_skip(s, i + 1), starts[k]))
				return i;
	}
	return s.n;
}

int target_add_operand(struct target_list *list,
		       const struct target_rules *rules, struct str operand,
		       struct err *err)
{
	size_t at = rules->base ? operand.n : find_pair(operand);
	struct target_entry entry = {.listed = str_make(operand.p, at)};

	if (operand.n == 0) /* whose bytes may be NULL */
		entry.listed = str_of("");
	if (at < operand.n)
		entry.metrics_url = str_skip(operand, at + 1);
	return target_add(list, rules, &entry, err);
}

int target_add_lines(struct target_list *list, const struct target_rules *rules,
		     struct str text, struct err *err)
{
	while (text.n > 0) {
		struct str line = str_cut(&text, '\n');

		line = str_trim(str_before(line, '#'));
		if (line.n > 0 &&
		    target_add_operand(list, rules, line, err) < 0)
			return err->code;
	}
	return 0;
}

int target_add_all(struct target_list *list, const struct target_list *more,
		   struct err *err)
{
	for (size_t i = 0; i < more->n; i++)
		if (append(list, &more->v[i], err) < 0)
			return err->code;
	list->skipped += more->skipped;
	return 0;
}

/* Fetched URL. */
static uint64_t endpoint_hash(const struct target *t)
{
	struct str url = str_of(t->url);
	struct str socket = str_of(t->socket ? t->socket : "");

	return hash_mix(hash_bytes(url.p, url.n, 1),
			hash_bytes(socket.p, socket.n, 2));
}

int target_fold(struct target_list *list, struct err *err)
{
	struct map seen = map_new(true);
	size_t kept = 0;
	int code = 0;

	for (size_t i = 0; i < list->n && code >= 0; i++) {
		const struct target *t = &list->v[i];
		uint32_t at = (uint32_t)kept;

		code = t->url ? map_add(&seen, endpoint_hash(t), &at) : 1;
		if (code == 0) {
			list->v[at].entries += t->entries;
			list->v[at].ranks += t->ranks;
		} else {
			list->v[kept++] = *t;
		}
	}
	list->n = kept;
	map_free(&seen);
	return code < 0 ? err_memory(err) : 0;
}
