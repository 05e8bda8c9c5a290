/*
 * Python pickles, protocols 0 to 5, read as data: the elements of the list
 * that a dump holds, one at a time.
 *
 * Source of the format: CPython's Lib/pickletools.py, which documents every
 * opcode. Nothing is ever called or imported. A class, a function or a reduce
 * call becomes an inert VALUE_GLOBAL or VALUE_OBJECT; only the few standard
 * containers (OrderedDict, defaultdict, set, bytes, ...) are understood here.
 *
 * Streaming: if the top object is a list, or a dict with the key "samples",
 * each element of that list is returned as soon as it is complete and freed by
 * the next call, so memory does not grow with the dump. Values of keys that the
 * filter does not want are skipped without being built. An object referenced by
 * a later element is kept if it is a short string or a small object; otherwise
 * the source is read again, up to twice, which only costs time.
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
 * A reader of the pickle at the source's next byte. Both source and filter are
 * borrowed until pickle_close. NULL if out of memory.
 */
struct pickle *pickle_open(struct byte_source *source,
			   const struct value_filter *filter);
void pickle_close(struct pickle *pickle);

/*
 * The next element: 1 with *element valid until the next call, 0 at the end of
 * the pickle, or an error with the byte offset in the pickle. After 0 or an
 * error only call pickle_top_get and pickle_close.
 */
int pickle_next(struct pickle *pickle, struct value *element, struct err *err);

/*
 * The storages of torch's tensors, which are outside the pickle. Passed to
 * pickle_read_storages, it supplies the bytes of single-element tensors, which
 * become numbers; other tensors are not read.
 */
struct pickle_storages {
	/* The pickle names a storage; item: bytes per item. May be NULL. */
	void (*name)(struct pickle_storages *storages, struct str key,
		     size_t item);
	/* Read n bytes of it at an offset; false if it does not have them. If
	 * NULL, tensors are not read. */
	bool (*get)(struct pickle_storages *storages, struct str key,
		    uint64_t offset, void *to, size_t n);
	/* Are the numbers big-endian? NULL: no. */
	bool (*is_big_endian)(struct pickle_storages *storages);
};

/* Call before the first element. storages is borrowed until pickle_close; NULL
 * is a no-op. */
void pickle_read_storages(struct pickle *pickle,
			  struct pickle_storages *storages);

/* The records of the last element, which may be released before the next one is
 * read; NULL if elements that are still to be returned share their memory. */
struct value_records;
struct value_records *pickle_records(struct pickle *pickle);

/* The top object, once pickle_next has returned 0; a streamed list is empty in
 * it. */
struct value pickle_top(const struct pickle *pickle);

/* Where the pickle ends in the source, behind its STOP; 0 before that is
 * known. */
uint64_t pickle_end(const struct pickle *pickle);

/* The classes and functions of objects that were read as plain data,
 * "module.name", as far as the pickle has been read; 64 at most. */
const struct intern *pickle_classes(const struct pickle *pickle);

/* Was there a list (or a tuple) of elements: the top itself or its
 * "samples"? */
enum pickle_list { PICKLE_NO_LIST, PICKLE_TOP_LIST, PICKLE_SAMPLES };
enum pickle_list pickle_list_kind(const struct pickle *pickle);

/* The value of a key of the top dict, as far as it has been read. */
struct value pickle_top_get(const struct pickle *pickle, const char *key);

/* Skip one complete pickle, *size bytes, reading no further than its block (a
 * legacy torch file has several pickles in a row). storages: as above. */
int pickle_skip_one(struct byte_source *source,
		    struct pickle_storages *storages, uint64_t *size,
		    struct err *err);

#endif
