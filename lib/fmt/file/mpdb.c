#include "fmt/file/mpdb.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/limits.h"
#include "fmt/json/json_read.h"

enum {
	HEADER = 8,
	LENGTH = 4, /* of a key's length */
	VALUE = 8,
	VALUE_AND_STAMP = 16
};

/* Names -------------------------------------------------------------- */

struct word {
	struct str text;
	int number;
};

static const struct word types[] = {
	{STR("counter"), PROM_COUNTER},
	{STR("gauge"), PROM_GAUGE},
	{STR("histogram"), PROM_HISTOGRAM},
	{STR("summary"), PROM_SUMMARY},
};

static const struct word modes[] = {
	{STR("all"), MPDB_ALL},
	{STR("min"), MPDB_MIN},
	{STR("max"), MPDB_MAX},
	{STR("sum"), MPDB_SUM},
	{STR("mostrecent"), MPDB_MOSTRECENT},
};

/* Remove one of the n words and the '_' after it from the front of text. */
static const struct word *take_word(const struct word *words, size_t n,
				    struct str *text)
{
	const char *stop = memchr(text->p, '_', text->n);
	struct str first;

	if (stop == NULL)
		return NULL;
	first = str_make(text->p, (size_t)(stop - text->p));
	for (size_t i = 0; i < n; i++) {
		if (!str_eq(words[i].text, first))
			continue;
		*text = str_make(stop + 1, text->n - first.n - 1);
		return &words[i];
	}
	return NULL;
}

bool mpdb_name_read(const char *name, struct mpdb_name *parts)
{
	struct str rest = str_of(name);
	const struct word *word;

	if (!str_drop_suffix(&rest, ".db"))
		return false;
	word = take_word(types, ARRAY_SIZE(types), &rest);
	if (word == NULL)
		return false;
	*parts = (struct mpdb_name){.type = (enum prom_type)word->number};
	if (parts->type == PROM_GAUGE) {
		parts->live = str_skip_prefix(&rest, "live");
		word = take_word(modes, ARRAY_SIZE(modes), &rest);
		if (word == NULL)
			return false;
		parts->mode = (enum mpdb_mode)word->number;
	}
	parts->process = rest;
	return rest.n > 0;
}

/* Files -------------------------------------------------------------- */

struct mpdb mpdb_new(void)
{
	return (struct mpdb){.bytes = buf_new(LIMIT_MPDB)};
}

void mpdb_free(struct mpdb *db)
{
	buf_free(&db->bytes);
}

static int32_t int_at(const struct mpdb *db, size_t at)
{
	int32_t i;

	memcpy(&i, db->bytes.p + at, sizeof(i));
	return i;
}

static double double_at(const struct mpdb *db, size_t at)
{
	double d;

	memcpy(&d, db->bytes.p + at, sizeof(d));
	return d;
}

/* Bytes of the entry's length, key and blanks; 0 if it is incomplete. */
static size_t key_room(const struct mpdb *db, size_t at)
{
	size_t left = db->used - at;
	int32_t length;
	size_t room;

	if (left < LENGTH)
		return 0;
	length = int_at(db, at);
	if (length <= 0 || (size_t)length > left)
		return 0;
	room = LENGTH + (size_t)length;
	return room + 8 - room % 8;
}

/* The end of a walk over entries of this layout. */
static size_t walk(const struct mpdb *db, size_t payload)
{
	size_t at = HEADER;

	while (at < db->used) {
		size_t room = key_room(db, at);

		if (room == 0 || room + payload > db->used - at)
			break;
		at += room + payload;
	}
	return at;
}

/* Fill the buffer up to size bytes, or to the end of the file. */
static int copy_up_to(struct mpdb *db, int fd, size_t size, struct err *err)
{
	struct buf *b = &db->bytes;

	if (size > b->n && buf_room(b, size - b->n) == NULL)
		return err_memory(err);
	while (b->n < size) {
		ssize_t got = pread(fd, b->p + b->n, size - b->n, (off_t)b->n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_sys(err, errno, "cannot read");
		if (got == 0)
			break;
		b->n += (size_t)got;
	}
	return 0;
}

/*
 * Copy the bytes in use that the file has (the header's count in *used), and a
 * value that begins inside them. The size is read last, because a writer
 * extends the file first.
 */
static int copy(struct mpdb *db, int fd, int32_t *used, struct err *err)
{
	struct stat st;
	size_t size;
	int code;

	buf_clear(&db->bytes);
	code = copy_up_to(db, fd, HEADER, err);
	if (code < 0)
		return code;
	*used = db->bytes.n < LENGTH ? 0 : int_at(db, 0);
	if (*used <= HEADER || db->bytes.n < HEADER)
		return 0;
	if (fstat(fd, &st) < 0)
		return err_sys(err, errno, "cannot get the size");
	size = (size_t)*used + VALUE_AND_STAMP;
	if ((uint64_t)st.st_size < size)
		size = (size_t)st.st_size;
	if (size > LIMIT_MPDB)
		return err_limit(err, LIMIT_MPDB, "LIMIT_MPDB");
	return copy_up_to(db, fd, size, err);
}

/* Is an entry at db->end impossible, whatever follows? */
static bool has_impossible_key(const struct mpdb *db, int32_t used)
{
	int64_t at = (int64_t)db->end;
	int32_t length;

	if (db->end + LENGTH > db->used)
		return false;
	length = int_at(db, db->end);
	return length <= 0 || length > used - at;
}

/*
 * The entry at db->end, if its value begins inside the bytes in use and is
 * complete in the file: the client's own collector accepts it, too.
 */
static size_t overhanging(const struct mpdb *db)
{
	size_t room = key_room(db, db->end);

	if (room == 0 || room >= db->used - db->end ||
	    room + db->payload > db->bytes.n - db->end)
		return 0;
	return room + db->payload;
}

/* Report why a file ends at db->end and not where its header says. */
static int damage_error(const struct mpdb *db, int32_t used, struct err *err)
{
	size_t n = db->bytes.n;
	int64_t at = (int64_t)db->end;

	if (n < HEADER)
		return err_at(err, ERR_INPUT, ERR_BYTE, (int64_t)n,
			      "the file is truncated inside its header");
	if (used < HEADER)
		return err_at(err, ERR_INPUT, ERR_BYTE, 0,
			      "not a file of prometheus_client: its header "
			      "has the impossible size %d",
			      used);
	if (has_impossible_key(db, used))
		return err_at(err, ERR_INPUT, ERR_BYTE, at,
			      "the impossible key length %d",
			      int_at(db, db->end));
	if (n < (size_t)used)
		return err_at(err, ERR_INPUT, ERR_BYTE, (int64_t)n,
			      "the file is truncated; %d bytes should be in "
			      "use",
			      used);
	return err_at(err, ERR_INPUT, ERR_BYTE, at,
		      "entry goes past the %d bytes in use", used);
}

/* Could a JSON list begin there? */
static bool begins_key(const struct mpdb *db, size_t at, int32_t used)
{
	int32_t length;

	if (at + LENGTH >= db->used)
		return false;
	length = int_at(db, at);
	return length > 0 && length <= used - (int64_t)at &&
	       db->bytes.p[at + LENGTH] == '[';
}

/* The layout of a file that neither layout fills: the one whose second entry
 * begins where it should. */
static size_t payload_of_damaged(const struct mpdb *db, int32_t used)
{
	size_t room = key_room(db, HEADER);

	if (room == 0 ||
	    begins_key(db, HEADER + room + VALUE_AND_STAMP, used) ||
	    !begins_key(db, HEADER + room + VALUE, used))
		return VALUE_AND_STAMP;
	return VALUE;
}

/* Detect the layout, and where the entries end. */
static int find_entries(struct mpdb *db, int32_t used, struct err *err)
{
	int code;

	db->used = db->bytes.n;
	if (db->used > (size_t)used)
		db->used = (size_t)used;
	db->end = walk(db, VALUE_AND_STAMP);
	if (db->end == (size_t)used)
		return 0;
	db->end = walk(db, VALUE);
	db->payload = VALUE;
	if (db->end == (size_t)used)
		return 0;
	db->payload = payload_of_damaged(db, used);
	db->end = walk(db, db->payload);
	code = damage_error(db, used, err);
	db->end += overhanging(db);
	return code;
}

int mpdb_read(struct mpdb *db, int fd, struct err *err)
{
	int32_t used = 0;
	int code;

	db->used = 0;
	db->at = db->end = HEADER;
	db->payload = VALUE_AND_STAMP;
	code = copy(db, fd, &used, err);
	if (code < 0)
		return code;
	if (db->bytes.n == 0 || (used == 0 && db->bytes.n >= HEADER))
		return 0;
	if (db->bytes.n < HEADER || used < HEADER)
		return damage_error(db, used, err);
	return find_entries(db, used, err);
}

bool mpdb_next(struct mpdb *db, struct mpdb_entry *entry)
{
	size_t at = db->at;
	size_t room;

	if (at >= db->end)
		return false;
	room = key_room(db, at);
	entry->at = at;
	entry->key =
		str_make(db->bytes.p + at + LENGTH, (size_t)int_at(db, at));
	entry->value = double_at(db, at + room);
	entry->stamp = db->payload == VALUE ? 0
					    : double_at(db, at + room + VALUE);
	db->at = at + room + db->payload;
	return true;
}

/* Keys --------------------------------------------------------------- */

/* The text of a value, lone surrogates (ED A0..BF xx) replaced in place by
 * U+FFFD (EF BF BD), which has the same length. */
static bool text_of(struct value v, struct str *text)
{
	char *p = (char *)v.p;

	if (v.kind != VALUE_STR)
		return false;
	*text = value_text(v);
	for (size_t i = 0; i + 2 < text->n; i++)
		if ((unsigned char)p[i] == 0xed &&
		    (unsigned char)p[i + 1] >= 0xa0)
			memcpy(p + i, "\xef\xbf\xbd", 3);
	return true;
}

static bool name_of(struct value v, struct str *name)
{
	return text_of(v, name) && name->n > 0;
}

/* The last of duplicate labels counts, as in Python. */
static void put_label(struct mpdb_key *key, struct prom_label label)
{
	for (size_t i = 0; i < key->n_labels; i++) {
		if (!str_eq(key->labels[i].name, label.name))
			continue;
		key->labels[i].value = label.value;
		return;
	}
	key->labels[key->n_labels++] = label;
}

static int read_labels(struct value dict, struct arena *a, struct mpdb_key *key,
		       struct err *err)
{
	size_t n = dict.items->n / 2;

	if (n > LIMIT_LABELS)
		return err_set(err, ERR_INPUT,
			       "more than %d labels" ERR_RAISE(LIMIT_LABELS),
			       LIMIT_LABELS);
	key->n_labels = 0;
	key->labels = arena_array(a, n + 1, sizeof(*key->labels));
	if (key->labels == NULL)
		return arena_error(a, err);
	for (size_t i = 0; i < n; i++) {
		struct prom_label label = {.hash = 0};

		if (!name_of(dict.items->v[2 * i], &label.name) ||
		    !text_of(dict.items->v[2 * i + 1], &label.value))
			return err_set(err, ERR_INPUT,
				       "key has a label that is not text");
		put_label(key, label);
	}
	return 0;
}

int mpdb_key_read(struct str json, struct arena *a, struct mpdb_key *key,
		  struct err *err)
{
	struct value list;
	int code = json_parse(json, a, &list, err);

	if (code == ERR_MEMORY)
		return code;
	if (code < 0)
		return err_set(err, ERR_INPUT, "key is not JSON");
	if (list.kind != VALUE_LIST || list.items->n != 4 ||
	    !name_of(list.items->v[0], &key->family) ||
	    !name_of(list.items->v[1], &key->sample) ||
	    list.items->v[2].kind != VALUE_DICT ||
	    !text_of(list.items->v[3], &key->help))
		return err_set(err, ERR_INPUT,
			       "key is not [family, sample, {labels}, help]");
	return read_labels(list.items->v[2], a, key, err);
}
