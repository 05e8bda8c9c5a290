/*
 * Python pickles, protocols 0 to 5, read as data: the elements of the list
 * that a dump holds, one at a time.
 *
 * Source of the format: CPython's Lib/pickletools.py, which documents every
 * opcode. Nothing is ever called or imported. A class, a function or a reduce
 * call becomes an inert VALUE_GLOBAL or VALUE_OBJECT; only the few standard
 * containers (OrderedDict, defaultdict, set, bytes, ...) are understood here.
 *
 * Streaming: when the top object is a list, or a dict with the key "samples",
 * each element of that list is handed out as soon as it is complete and
 * forgotten when the next one is asked for, so that memory does not grow with
 * the dump. Values of keys that the filter does not want are walked over
 * without being built. An object that a later element refers to again is kept
 * when it is a short string or a small object; otherwise the source is read
 * again, up to twice, which takes time and shows in nothing else.
 */
#ifndef OBS_FMT_PICKLE_PICKLE_H
#define OBS_FMT_PICKLE_PICKLE_H

#include "base/err.h"
#include "base/intern.h"
#include "base/source.h"
#include "fmt/value/value.h"
#include "fmt/value/value_filter.h"

struct pickle;

/*
 * A reader of the pickle that begins at the source's next byte. Both source
 * and filter are borrowed until pickle_close. NULL when memory ran out.
 */
struct pickle *pickle_open(struct byte_source *source,
			   const struct value_filter *filter);
void pickle_close(struct pickle *pickle);

/*
 * The next element: 1 with *element valid until the next call, 0 when the
 * pickle has ended, or an error with the byte offset in the pickle. After 0
 * or an error only pickle_top_get and pickle_close may be called.
 */
int pickle_next(struct pickle *pickle, struct value *element, struct err *err);

/*
 * The storages of torch's tensors, which live outside the pickle. One that is
 * given to pickle_read_storages is asked for the bytes of tensors of a single
 * element, so that these become numbers; of others nothing is read.
 */
struct pickle_storages {
	/* The pickle names a storage of items of so many bytes. May be NULL. */
	void (*name)(struct pickle_storages *storages, struct str key,
		     size_t item);
	/* Read n bytes of it at an offset; false: they are not there. NULL:
	 * tensors are of no interest. */
	bool (*get)(struct pickle_storages *storages, struct str key,
		    uint64_t offset, void *to, size_t n);
	/* Are their numbers big-endian? NULL: they are not. */
	bool (*is_big_endian)(struct pickle_storages *storages);
};

/* Before the first element. storages is borrowed until pickle_close; NULL is
 * a no-op. */
void pickle_read_storages(struct pickle *pickle,
			  struct pickle_storages *storages);

/* What the pickle holds as a whole, once pickle_next has given 0: a list that
 * was streamed is empty here. */
struct value pickle_top(const struct pickle *pickle);

/* The classes and functions that made objects which are nothing but data here,
 * "module.name", as far as the pickle has been read; 64 at most. */
const struct intern *pickle_classes(const struct pickle *pickle);

/* Was there a list (or a tuple) of elements: the top itself, or "samples" in
 * it? */
enum pickle_list { PICKLE_NO_LIST, PICKLE_TOP_LIST, PICKLE_SAMPLES };
enum pickle_list pickle_list_kind(const struct pickle *pickle);

/* The value of a key of the top dict as far as it has been read. */
struct value pickle_top_get(const struct pickle *pickle, const char *key);

/* Read past one whole pickle, of *size bytes, and no further than its block
 * (a legacy torch file has several pickles in a row). storages: as above. */
int pickle_skip_one(struct byte_source *source,
		    struct pickle_storages *storages, uint64_t *size,
		    struct err *err);

#endif
