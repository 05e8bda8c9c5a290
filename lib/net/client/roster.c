#include "net/client/roster.h"

#include "base/limits.h"
#include "fmt/json/json_small.h"
#include "fmt/prom/prom.h"
#include "net/client/url.h"

/* What every reader of an item needs. */
struct roster {
	const struct target_rules *rules;
	struct target_list *list;
	struct err *err;
};

static struct str member_text(const struct json_small *item, const char *name)
{
	return json_small_text(json_small_member(item, name));
}

static int add(struct roster *r, const struct target_entry *entry)
{
	return target_add(r->list, r->rules, entry, r->err);
}

static int add_base(struct roster *r, struct str url)
{
	struct target_entry entry = {.listed = url, .is_base = true};

	return add(r, &entry);
}

/* A worker of a router. dp_base_url is the url less its rank. */
static int add_worker(struct roster *r, const struct json_small *item)
{
	const struct json_small *labels = json_small_member(item, "labels");
	struct str base = member_text(item, "dp_base_url");
	struct target_entry entry = {
		.listed = base.n > 0 ? base : member_text(item, "url"),
		.metrics_url = member_text(item, "metrics_url"),
		.role = member_text(item, "worker_type"),
		.is_base = true,
	};

	if (entry.metrics_url.n == 0)
		entry.metrics_url = member_text(labels, "metrics_url");
	if (entry.listed.n == 0) {
		r->list->skipped++;
		return 0;
	}
	return add(r, &entry);
}

/* HOST:PORT of a Ray node; an IPv6 address is listed without brackets. */
static int add_node(struct roster *r, struct str host, double port)
{
	const char *form = memchr(host.p, ':', host.n) ? "[%.*s]:%d"
						       : "%.*s:%d";
	struct buf address = buf_new(512);
	struct target_entry entry = {0};
	int rc;

	buf_printf(&address, form, STR_ARG(host), (int)port);
	entry.listed = buf_str(&address);
	rc = address.failed ? buf_refused(&address, r->err) : add(r, &entry);
	buf_free(&address);
	return rc;
}

/* A node by the names of its host and port; a node without them, or one that
 * is dead, is skipped. */
static int add_node_of(struct roster *r, const struct json_small *node,
		       const char *host, const char *port)
{
	struct str address = member_text(node, host);
	double number;

	if (address.n > 0 &&
	    json_small_number(json_small_member(node, port), &number) &&
	    number >= 1 && number <= 65535)
		return add_node(r, address, number);
	r->list->skipped++;
	return 0;
}

static int add_python_node(struct roster *r, const struct json_small *item)
{
	if (json_small_is_false(json_small_member(item, "Alive")))
		return 0;
	return add_node_of(r, item, "NodeManagerAddress", "MetricsExportPort");
}

static int add_dashboard_node(struct roster *r, const struct json_small *item)
{
	const struct json_small *raylet = json_small_member(item, "raylet");
	struct str state = member_text(raylet, "state");

	if (state.n > 0 && !str_has_nocase(state, "alive"))
		return 0;
	return add_node_of(r, raylet, "nodeManagerAddress",
			   "metricsExportPort");
}

/* The labels of a group. Names that begin with "__" steer the scrape and are
 * not added to samples. */
static int read_labels(struct roster *r, const struct json_small *labels,
		       struct target_entry *entry)
{
	struct prom_label *v;
	size_t n = 0;

	for (const struct json_small *l = json_small_first(labels); l;
	     l = json_small_next(l))
		n++;
	v = arena_array(&r->list->arena, n + 1, sizeof(*v));
	if (v == NULL)
		return arena_refused(&r->list->arena, r->err);
	entry->labels = v;
	for (const struct json_small *l = json_small_first(labels); l;
	     l = json_small_next(l)) {
		struct str name =
			str_of(json_small_name(l) ? json_small_name(l) : "");
		struct str value = json_small_text(l);

		if (!prom_plain_label(name) || value.p == NULL)
			return err_set(r->err, ERR_INPUT,
				       "a label of a group must be NAME: TEXT");
		if (str_is(name, "__scheme__"))
			entry->scheme = arena_str(&r->list->arena, value);
		if (str_is(name, "__metrics_path__"))
			entry->path = arena_str(&r->list->arena, value);
		if (str_starts(name, "__") || value.n == 0)
			continue;
		v[entry->label_n++] =
			prom_label_of(arena_str(&r->list->arena, name),
				      arena_str(&r->list->arena, value));
	}
	if (r->list->arena.failed)
		return arena_refused(&r->list->arena, r->err);
	return 0;
}

static int add_group(struct roster *r, const struct json_small *item)
{
	const struct json_small *targets = json_small_member(item, "targets");
	struct target_entry entry = {0};
	int rc = read_labels(r, json_small_member(item, "labels"), &entry);

	for (const struct json_small *t = json_small_first(targets);
	     t && rc == 0; t = json_small_next(t)) {
		entry.listed = json_small_text(t);
		if (entry.listed.p == NULL)
			return err_set(r->err, ERR_INPUT,
				       "a target of a group must be text");
		rc = add(r, &entry);
	}
	return rc;
}

/* Items by the member that only they have. */
static const struct shape {
	const char *member;
	int (*add)(struct roster *r, const struct json_small *item);
} shapes[] = {
	{"targets", add_group},
	{"url", add_worker},
	{"NodeManagerAddress", add_python_node},
	{"raylet", add_dashboard_node},
};

enum { N_SHAPES = sizeof(shapes) / sizeof(*shapes) };

static int add_item(struct roster *r, const struct json_small *item)
{
	if (json_small_text(item).p)
		return add_base(r, json_small_text(item));
	for (size_t i = 0; i < N_SHAPES; i++)
		if (json_small_member(item, shapes[i].member))
			return shapes[i].add(r, item);
	r->list->skipped++;
	return 0;
}

/* Where documents keep their array: at the end of one of these paths. */
static const char *const places[][3] = {
	{NULL},
	{"workers"},
	{"urls"},
	{"data", "summary"},
	{"data", "result", "result"},
};

enum { N_PLACES = sizeof(places) / sizeof(*places) };

static const struct json_small *find_array(const struct json_small *root)
{
	for (size_t i = 0; i < N_PLACES; i++) {
		const struct json_small *at = root;

		for (size_t k = 0; k < 3 && places[i][k]; k++)
			at = json_small_member(at, places[i][k]);
		if (json_small_is_array(at))
			return at;
	}
	return NULL;
}

int roster_read(struct target_list *list, const struct target_rules *rules,
		struct str body, struct err *err)
{
	struct roster r = {rules, list, err};
	struct json_small *root = json_small_parse(body, err);
	const struct json_small *array = find_array(root);
	int rc = 0;

	if (root == NULL)
		return err->code;
	if (array == NULL)
		rc = err_set(err, ERR_INPUT,
			     "holds no list of workers or targets");
	for (const struct json_small *item = json_small_first(array);
	     item && rc == 0; item = json_small_next(item))
		rc = add_item(&r, item);
	json_small_free(root);
	return rc;
}

bool roster_can_write(const struct target *t)
{
	return t->url && !t->socket && !t->user && !strchr(t->url, '?');
}

/* HOST:PORT of a URL. In file_sd the '%' before a zone stands bare. */
static void put_host(struct buf *out, const struct url *url)
{
	const char *zone = memmem(url->host.p, url->host.n, "%25", 3);
	size_t n = zone ? (size_t)(zone + 1 - url->host.p) : url->host.n;

	buf_put(out, url->host.p, n);
	if (zone)
		buf_put(out, zone + 3, url->host.n - n - 2);
	buf_printf(out, ":%d", url_port(url));
	buf_putc(out, '\0');
}

static bool add_scratch(struct json_small *to, const char *name,
			const struct buf *scratch)
{
	return !scratch->failed && json_small_add_text(to, name, scratch->p);
}

static bool add_text(struct json_small *object, const char *name,
		     struct str text, struct buf *scratch)
{
	buf_clear(scratch);
	buf_put(scratch, text.p, text.n);
	buf_putc(scratch, '\0');
	return add_scratch(object, name, scratch);
}

/* One group a target, since each has its own labels. Returns false when
 * memory runs out. */
static bool add_target(struct json_small *root, const struct target *t,
		       struct buf *scratch)
{
	struct json_small *group = json_small_add_object(root, NULL);
	struct json_small *targets = json_small_add_array(group, "targets");
	struct json_small *labels = json_small_add_object(group, "labels");
	struct err ignored;
	struct url url;
	bool added;

	if (!targets || !labels)
		return false;
	/* It was put together from parts, so it has them. */
	url_parse(str_of(t->url), &url, &ignored);
	buf_clear(scratch);
	put_host(scratch, &url);
	added = add_scratch(targets, NULL, scratch) &&
		add_text(labels, "__scheme__", url.scheme, scratch) &&
		add_text(labels, "__metrics_path__", url.path, scratch);
	for (size_t i = 0; added && i < t->label_n; i++)
		added = json_small_add_text(labels, t->labels[i].name.p,
					    t->labels[i].value.p);
	return added;
}

int roster_write(const struct target_list *list, struct buf *out,
		 struct err *err)
{
	struct buf scratch = buf_new(64 * KIB);
	struct json_small *root = json_small_new_array();
	bool added = root != NULL;
	int rc;

	for (size_t i = 0; added && i < list->n; i++)
		if (roster_can_write(&list->v[i]))
			added = add_target(root, &list->v[i], &scratch);
	rc = added ? json_small_print(root, true, out, err) : err_memory(err);
	buf_putc(out, '\n');
	json_small_free(root);
	buf_free(&scratch);
	return rc;
}

int roster_write_lines(const struct target_list *list, struct buf *out,
		       struct err *err)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct target *t = &list->v[i];

		if (t->problem)
			continue;
		buf_printf(out, "%s\t", t->address);
		if (t->socket)
			buf_printf(out, "unix:%s:%s\n", t->socket,
				   strchr(t->url + strlen("http://"), '/'));
		else
			buf_printf(out, "%s\n", t->url);
	}
	return out->failed ? buf_refused(out, err) : 0;
}
