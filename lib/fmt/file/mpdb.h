/*
 * The value files of prometheus_client's multiprocess mode, TYPE_PROCESS.db
 * and gauge_MODE_PROCESS.db: one file per process, written through a memory map
 * while we read, without locks.
 *
 * Format: prometheus_client for Python, mmap_dict.py. Numbers are in native
 * byte order; entries are 8-byte aligned after a header of 8 bytes:
 *	int32 bytes in use, header included; 4 bytes unused
 *	int32 key length; key; 1 to 8 blanks up to a multiple of 8; double value
 *	and, from release 0.18 on, double timestamp (Unix seconds, 0: none)
 * A key is the JSON list [family, sample name, {label: value}, help]. The
 * layout is the one that fills the bytes in use; in a damaged file, the place
 * of the second key decides.
 *
 * A file is copied once, header first: an entry is complete before the bytes
 * in use count it, so everything the header covers is complete. In a damaged
 * file, the entries before the damage can be read. Nothing is trusted: lengths
 * are checked against the copy, its size against LIMIT_MPDB.
 */
#ifndef OBS_FMT_FILE_MPDB_H
#define OBS_FMT_FILE_MPDB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "fmt/prom/prom.h"

/* How to combine the values of several processes. */
enum mpdb_mode {
	MPDB_SUM, /* also for anything that is not a gauge */
	MPDB_MIN,
	MPDB_MAX,
	MPDB_MOSTRECENT, /* the one with the greatest timestamp */
	MPDB_ALL,	 /* not combined: one series per process */
	MPDB_MODES
};

/* The parts of a file name. */
struct mpdb_name {
	enum prom_type type;
	enum mpdb_mode mode;
	bool live;	    /* only live processes should count */
	struct str process; /* its id, or what the application set instead;
			     * points into the name */
};

/* Read the last component of a path; false if it is not such a name. */
bool mpdb_name_read(const char *name, struct mpdb_name *parts);

struct mpdb_entry {
	struct str key; /* JSON; valid until the next file is read */
	double value;
	double stamp; /* 0: not set */
	size_t at;    /* offset in the file */
};

/* A copy of one file at a time; owns the bytes. */
struct mpdb {
	struct buf bytes;
	size_t used;	/* bytes in use that are present */
	size_t at;	/* the next entry */
	size_t end;	/* after the last complete entry */
	size_t payload; /* size of value and timestamp */
};

struct mpdb mpdb_new(void);
void mpdb_free(struct mpdb *db);

/*
 * Copy the regular file and find its entries. Returns 0; ERR_INPUT if it is
 * damaged, with the place in err, and mpdb_next returns the complete entries;
 * any other error means there are none. An empty file has no entries.
 */
int mpdb_read(struct mpdb *db, int fd, struct err *err);

/* The next entry; false at the end. */
bool mpdb_next(struct mpdb *db, struct mpdb_entry *entry);

/* A parsed key: plain text, in which a lone surrogate, which UTF-8 cannot
 * encode, becomes U+FFFD. */
struct mpdb_key {
	struct str family;
	struct str sample;
	struct str help;
	struct prom_label *labels; /* each name once; unescaped */
	size_t n_labels;
};

/* Parse a key into the arena. Returns 0, ERR_INPUT if it is not such a list, or
 * ERR_MEMORY. */
int mpdb_key_read(struct str json, struct arena *a, struct mpdb_key *key,
		  struct err *err);

#endif
