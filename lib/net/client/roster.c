#include "net/client/roster.h"

#include "base/array.h"
#include "base/limits.h"
#include "base/num.h"
#include "fmt/json/json_read.h"
#include "fmt/json/json_write.h"
#include "fmt/prom/prom_text.h"
#include "fmt/value/value_python.h"
#include "net/client/url.h"

/* Context of every item's reader. */
struct roster {
	const struct target_rules *rules;
	struct target_list *list;
	struct err *err;
};

/* The text of a str; p is NULL for any other value. */
static struct str text_of(struct value v)
{
	return v.kind == VALUE_STR ? value_text(v) : str_make(NULL, 0);
}

static struct str member_text(struct value item, const char *name)
{
	return text_of(value_get(item, name));
}

/* The content of a container; nothing for any other value. */
static struct value_items items_of(struct value v)
{
	if (v.kind == VALUE_LIST || v.kind == VALUE_DICT)
		return *v.items;
	return (struct value_items){.n = 0};
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

/* A router's worker. dp_base_url is the url without its rank. */
static int add_worker(struct roster *r, struct value item)
{
	struct value labels = value_get(item, "labels");
	struct str base = member_text(item, "dp_base_url");
	struct target_entry entry = {
		.listed = base.n > 0 ? base : member_text(item, "url"),
		.metrics_url = member_text(item, "metrics_url"),
		.role = member_text(item, "worker_type"),
		.is_base = true,
		.is_rank = base.n > 0,
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
	rc = address.failed ? buf_error(&address, r->err) : add(r, &entry);
	buf_free(&address);
	return rc;
}

/* A node by the names of its host and port; skipped if it has none or is
 * dead. */
static int add_node_of(struct roster *r, struct value node, const char *host,
		       const char *port)
{
	struct str address = member_text(node, host);
	double number;

	if (address.n > 0 && value_to_float(value_get(node, port), &number) &&
	    number >= 1 && number <= 65535)
		return add_node(r, address, number);
	r->list->skipped++;
	return 0;
}

static int add_python_node(struct roster *r, struct value item)
{
	struct value alive = value_get(item, "Alive");

	if (alive.kind == VALUE_BOOL && !alive.b)
		return 0;
	return add_node_of(r, item, "NodeManagerAddress", "MetricsExportPort");
}

static int add_dashboard_node(struct roster *r, struct value item)
{
	struct value raylet = value_get(item, "raylet");
	struct str state = member_text(raylet, "state");

	if (state.n > 0 && !str_has_nocase(state, "alive"))
		return 0;
	return add_node_of(r, raylet, "nodeManagerAddress",
			   "metricsExportPort");
}

/* The labels of a group. Names that begin with "__" configure the scrape and
 * are not added to samples. */
static int read_labels(struct roster *r, struct value labels,
		       struct target_entry *entry)
{
	struct arena *a = &r->list->arena;
	struct value_items items = items_of(labels);
	struct prom_label *v = arena_array(a, items.n / 2 + 1, sizeof(*v));

	if (v == NULL)
		return arena_error(a, r->err);
	entry->labels = v;
	for (uint32_t i = 0; i < items.n; i++) {
		bool pairs = labels.kind == VALUE_DICT;
		struct str name = pairs ? text_of(items.v[i++]) : str_of("");
		struct str value = text_of(items.v[i]);

		if (!prom_plain_label(name) || value.p == NULL)
			return err_set(r->err, ERR_INPUT,
				       "a label of a group must be NAME: TEXT");
		if (value.n == 0) /* as good as absent */
			continue;
		if (str_is(name, "__scheme__"))
			entry->scheme = arena_str(a, value);
		if (str_is(name, "__metrics_path__"))
			entry->path = arena_str(a, value);
		if (str_starts(name, "__"))
			continue;
		v[entry->label_n++] =
			prom_label_of(arena_str(a, name), arena_str(a, value));
	}
	return a->failed ? arena_error(a, r->err) : 0;
}

static int add_group(struct roster *r, struct value item)
{
	struct value list = value_get(item, "targets");
	struct value_items targets = items_of(list);
	struct target_entry entry = {0};
	int rc = read_labels(r, value_get(item, "labels"), &entry);

	if (rc == 0 && list.kind != VALUE_LIST)
		rc = err_set(r->err, ERR_INPUT,
			     "the targets of a group must be a list");
	for (uint32_t i = 0; i < targets.n && rc == 0; i++) {
		entry.listed = text_of(targets.v[i]);
		if (entry.listed.p == NULL)
			return err_set(r->err, ERR_INPUT,
				       "a target of a group must be text");
		rc = add(r, &entry);
	}
	return rc;
}

/* Item kinds by their distinguishing member. */
static const struct shape {
	const char *member;
	int (*add)(struct roster *r, struct value item);
} shapes[] = {
	{"targets", add_group},
	{"url", add_worker},
	{"NodeManagerAddress", add_python_node},
	{"raylet", add_dashboard_node},
};

enum { N_SHAPES = ARRAY_SIZE(shapes) };

static int add_item(struct roster *r, struct value item)
{
	if (item.kind == VALUE_STR)
		return add_base(r, value_text(item));
	for (size_t i = 0; i < N_SHAPES; i++)
		if (value_get(item, shapes[i].member).kind != VALUE_ABSENT)
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

enum { N_PLACES = ARRAY_SIZE(places) };

static struct value find_array(struct value root)
{
	for (size_t i = 0; i < N_PLACES; i++) {
		struct value at = root;

		for (size_t k = 0; k < 3 && places[i][k]; k++)
			at = value_get(at, places[i][k]);
		if (at.kind == VALUE_LIST)
			return at;
	}
	return (struct value){.kind = VALUE_ABSENT};
}

static int read_root(struct roster *r, struct value root)
{
	struct value array = find_array(root);
	int rc = 0;

	if (array.kind == VALUE_ABSENT)
		return err_set(r->err, ERR_INPUT,
			       "has no list of workers or targets");
	for (uint32_t i = 0; i < array.items->n && rc == 0; i++)
		rc = add_item(r, array.items->v[i]);
	return rc;
}

/* Parse the body; if it is not JSON, report what it looks like. */
static int parse_body(struct str body, struct arena *a, struct value *root,
		      struct err *err)
{
	struct str text = str_trim(body);
	struct err why = {0};
	int rc;

	if (text.n == 0)
		return err_set(err, ERR_INPUT,
			       "empty, not a list of workers or targets");
	if (*text.p == '<')
		return err_set(err, ERR_INPUT,
			       "HTML or XML, not a list of workers or targets");
	rc = json_parse(body, a, root, &why);
	if (rc == ERR_INPUT)
		err_at(err, rc, why.unit, why.at, "not valid JSON: %.200s",
		       why.text);
	else if (rc < 0)
		*err = why;
	return rc;
}

int roster_read(struct target_list *list, const struct target_rules *rules,
		struct str body, struct err *err)
{
	struct roster r = {rules, list, err};
	struct arena arena = arena_new(LIMIT_LIST);
	struct value root = {.kind = VALUE_ABSENT};
	int rc = parse_body(body, &arena, &root, err);

	if (rc == 0)
		rc = read_root(&r, root);
	arena_free(&arena);
	return rc;
}

bool roster_can_write(const struct target *t)
{
	return t->url && !t->socket && !t->user && !strchr(t->url, '?');
}

/* HOST:PORT of a URL. file_sd has a bare '%' before a zone. */
static void put_host(struct json_writer *w, const struct url *url)
{
	const char *zone = memmem(url->host.p, url->host.n, "%25", 3);
	size_t n = zone ? (size_t)(zone + 1 - url->host.p) : url->host.n;

	json_begin_value(w);
	out_putc(w->out, '"');
	json_escape(w->out, str_make(url->host.p, n));
	if (zone)
		json_escape(w->out, str_make(zone + 3, url->host.n - n - 2));
	out_putc(w->out, ':');
	w->out->n += num_put_int(out_room(w->out, NUM_INT_MAX), url_port(url));
	out_putc(w->out, '"');
}

static void put_label(struct json_writer *w, struct str name, struct str value)
{
	json_key_str(w, name);
	json_str(w, value);
}

/* One group per target, as each has its own labels; one line per group. */
static void put_target(struct json_writer *w, const struct target *t)
{
	struct err ignored;
	struct url url;

	/* It was built from parts, so they exist. */
	url_parse(str_of(t->url), &url, &ignored);
	json_begin_value(w);
	out_puts(w->out, "\n{");
	w->comma = false;
	json_add_begin(w, "targets", '[');
	put_host(w, &url);
	json_end(w, ']');
	json_add_begin(w, "labels", '{');
	put_label(w, str_of("__scheme__"), url.scheme);
	put_label(w, str_of("__metrics_path__"), url.path);
	for (size_t i = 0; i < t->label_n; i++)
		put_label(w, t->labels[i].name, t->labels[i].value);
	json_end(w, '}');
	json_end(w, '}');
}

int roster_write(const struct target_list *list, struct buf *text,
		 struct err *err)
{
	struct json_writer w;
	struct out out;

	if (out_open_buf(&out, text, err) < 0)
		return err->code;
	w = json_writer_on(&out);
	json_begin(&w, '[');
	for (size_t i = 0; i < list->n; i++)
		if (roster_can_write(&list->v[i]))
			put_target(&w, &list->v[i]);
	out_puts(&out, "\n]\n");
	return out_close_buf(&out, text, err);
}

/* Escape the bytes that would end a field or a line. */
static void put_field(struct buf *out, const char *text)
{
	static const char special[] = "\t\n\r\\", names[] = "tnr\\";

	for (; *text; text++) {
		const char *found = strchr(special, *text);

		if (found)
			buf_putc(out, '\\');
		buf_putc(out, found ? names[found - special] : *text);
	}
}

int roster_write_lines(const struct target_list *list, struct buf *out,
		       struct err *err)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct target *t = &list->v[i];

		if (t->problem)
			continue;
		put_field(out, t->address);
		buf_puts(out, t->socket ? "\tunix:" : "\t");
		if (t->socket)
			put_field(out, t->socket);
		if (t->socket)
			buf_printf(out, ":%s\n",
				   strpbrk(t->url + strlen("http://"), "/?"));
		else
			buf_printf(out, "%s\n", t->url);
	}
	return out->failed ? buf_error(out, err) : 0;
}
