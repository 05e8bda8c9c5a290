#include "fmt/file/mpdb.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/limits.h"

#include "check.h"

/* A file under construction: header, entries. */
static struct buf file;

static void put_int(int32_t i)
{
	buf_put(&file, &i, sizeof(i));
}

static void put_double(double d)
{
	buf_put(&file, &d, sizeof(d));
}

static void begin_file(int32_t used)
{
	buf_clear(&file);
	put_int(used);
	put_int(0);
}

static void put_key(const char *key)
{
	put_int((int32_t)strlen(key));
	buf_puts(&file, key);
	do
		buf_putc(&file, ' ');
	while (file.n % 8 != 0);
}

static void put_entry(const char *key, double value, double stamp)
{
	put_key(key);
	put_double(value);
	put_double(stamp);
}

/* Say in the header how much there is. */
static void end_file(void)
{
	int32_t used = (int32_t)file.n;

	memcpy(file.p, &used, sizeof(used));
}

/* Read what was built through a descriptor, as programs do. */
static int read_file(struct mpdb *db, struct err *err)
{
	int fd = memfd_create("db", MFD_CLOEXEC);
	int code;

	*err = (struct err){0};
	CHECK(fd >= 0);
	CHECK(write(fd, file.p, file.n) == (ssize_t)file.n);
	code = mpdb_read(db, fd, err);
	close(fd);
	return code;
}

static void check_names(void)
{
	struct mpdb_name name;

	check_case("a file's name says type, mode and process");
	CHECK(mpdb_name_read("counter_12.db", &name));
	CHECK(name.type == PROM_COUNTER && name.mode == MPDB_SUM);
	CHECK_STR(name.process, "12");
	CHECK(mpdb_name_read("gauge_livemostrecent_api_1.db", &name));
	CHECK(name.type == PROM_GAUGE && name.mode == MPDB_MOSTRECENT);
	CHECK(name.live);
	CHECK_STR(name.process, "api_1");
	CHECK(!mpdb_name_read("gauge_12.db", &name));
	CHECK(!mpdb_name_read("counter_.db", &name));
	CHECK(!mpdb_name_read("counter_12", &name));
	CHECK(!mpdb_name_read("_.db", &name));
}

static void check_layouts(struct mpdb *db)
{
	struct mpdb_entry entry;
	struct err err;

	check_case("entries have value and timestamp");
	begin_file(0);
	put_entry("abcd", 1.5, 7); /* 8 blanks: 4 + 4 is aligned already */
	put_entry("abc", -2, 0);
	end_file();
	buf_puts(&file, "what is not in use");
	CHECK_INT(read_file(db, &err), 0);
	CHECK(mpdb_next(db, &entry));
	CHECK_STR(entry.key, "abcd");
	CHECK_DOUBLE(entry.value, 1.5);
	CHECK_DOUBLE(entry.stamp, 7);
	CHECK(mpdb_next(db, &entry));
	CHECK_INT((int64_t)entry.at, 40);
	CHECK_DOUBLE(entry.value, -2);
	CHECK(!mpdb_next(db, &entry));

	check_case("in the old layout there is no timestamp");
	begin_file(0);
	put_key("[\"a\"]");
	put_double(3);
	put_key("[\"bc\"]");
	put_double(4);
	end_file();
	CHECK_INT(read_file(db, &err), 0);
	CHECK(mpdb_next(db, &entry));
	CHECK_DOUBLE(entry.stamp, 0);
	CHECK(mpdb_next(db, &entry));
	CHECK_STR(entry.key, "[\"bc\"]");
	CHECK_DOUBLE(entry.value, 4);
	CHECK(!mpdb_next(db, &entry));
}

static void check_cuts(struct mpdb *db)
{
	struct mpdb_entry entry;
	struct err err;
	size_t whole;

	check_case("wherever a file is cut, its whole entries are left");
	begin_file(0);
	put_entry("[\"a\"]", 1, 0);
	whole = file.n;
	put_entry("[\"b\"]", 2, 0);
	end_file();
	while (file.n-- > 1) {
		CHECK_INT(read_file(db, &err), ERR_INPUT);
		CHECK(mpdb_next(db, &entry) == (file.n >= whole));
		CHECK(!mpdb_next(db, &entry));
	}

	check_case("a file without bytes in use has no entries");
	buf_clear(&file);
	CHECK_INT(read_file(db, &err), 0);
	CHECK(!mpdb_next(db, &entry));
	begin_file(0);
	put_entry("[\"a\"]", 1, 0);
	CHECK_INT(read_file(db, &err), 0);
	CHECK(!mpdb_next(db, &entry));

	check_case("lengths beyond the file are damage, not memory");
	begin_file(INT32_MAX);
	put_int(INT32_MAX);
	put_int(0);
	CHECK_INT(read_file(db, &err), ERR_INPUT);
	CHECK_INT(err.at, 8);
	CHECK(!mpdb_next(db, &entry));
}

static int read_key(struct arena *a, const char *json, struct mpdb_key *key)
{
	struct err err;

	return mpdb_key_read(str_of(json), a, key, &err);
}

static void check_keys(void)
{
	struct arena a = arena_new(MIB);
	struct mpdb_key key;

	check_case("a key is family, sample, labels and help");
	CHECK_INT(read_key(&a,
			   "[\"f\", \"f_total\", "
			   "{\"a\": \"1\", \"b\": \"\\ud800\", \"a\": \"2\"}, "
			   "\"h\"]",
			   &key),
		  0);
	CHECK_STR(key.family, "f");
	CHECK_STR(key.sample, "f_total");
	CHECK_STR(key.help, "h");
	CHECK_INT((int64_t)key.n_labels, 2);
	CHECK_STR(key.labels[0].value, "2");
	CHECK_STR(key.labels[1].value, "\xef\xbf\xbd");

	check_case("other JSON is no key");
	CHECK_INT(read_key(&a, "[\"f\", \"f\", {}]", &key), ERR_INPUT);
	CHECK_INT(read_key(&a, "[\"f\", \"\", {}, \"\"]", &key), ERR_INPUT);
	CHECK_INT(read_key(&a, "[\"f\", \"f\", [], \"\"]", &key), ERR_INPUT);
	CHECK_INT(read_key(&a, "[\"f\", \"f\", {}, \"\"] 1", &key), ERR_INPUT);
	CHECK_INT(read_key(&a, "[\"f\", \"f\", {}, \"\"", &key), ERR_INPUT);
	arena_free(&a);
}

int main(void)
{
	struct mpdb db = mpdb_new();

	file = buf_new(MIB);
	check_names();
	check_layouts(&db);
	check_cuts(&db);
	check_keys();
	mpdb_free(&db);
	buf_free(&file);
	return check_done();
}
