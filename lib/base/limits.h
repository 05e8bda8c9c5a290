/*
 * Every limit on what an input may ask for, with its reason. A size or count
 * that comes from input is checked against one of these before it is used.
 */
#ifndef OBS_BASE_LIMITS_H
#define OBS_BASE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

/* Values inside values. Readers keep their own stack, so this bounds memory
 * and the writers' recursion; Python's own picklers stop near 1,000. */
enum { LIMIT_DEPTH = 10000 };

/* Objects that a pickle may number for later use. A 24 GB dump of 10^5
 * samples has about 3 * 10^7; each costs 16 bytes. */
#define LIMIT_MEMO ((size_t)100 * 1000 * 1000)

/* What one sample may take once decoded, payload left out. */
#define LIMIT_SAMPLE (4 * GIB)

/* What outlives its sample: strings and small objects fetched again. */
#define LIMIT_KEPT (8 * GIB)

/* One string, and one line of JSONL: a long conversation is some MB. */
#define LIMIT_STRING (1 * GIB)

/* An integer: 8 KiB have 19,729 digits, and printing takes the square of
 * them; Python's own str() refuses more than 4,300. */
#define LIMIT_INT_BYTES (8 * KIB)

/* A dump that comes through a pipe is kept in an unlinked temporary file. */
#define LIMIT_SPOOL (1024 * GIB)

/* Items of the span model in one sample, ten times what a long agent makes. */
#define LIMIT_EVENTS ((size_t)10 * 1000 * 1000)

/* One line of an exposition: info metrics hold whole configurations of many
 * KiB in one label value. */
#define LIMIT_LINE (64 * MIB)

/* Labels of one sample; real ones have about ten. */
enum { LIMIT_LABELS = 4096 };

/* Bounds of one histogram, which are kept sorted; real ones have about 30. */
enum { LIMIT_BUCKETS = 16384 };

/* A body whose unit of time only its end tells is kept until then. */
#define LIMIT_BODY (4 * GIB)

/* Bodies of HTTP answers that arrive at the same time, and how large each may
 * be even when that is passed: many decompression bombs at once must not take
 * all memory, nor cost a healthy worker its page. */
#define LIMIT_ARRIVING (2 * GIB)
#define LIMIT_ARRIVING_EACH (32 * MIB)

/* A list of targets, as text or as read: 10,000 workers take about 3 MB. */
#define LIMIT_LIST (256 * MIB)

/* One file of a multiprocess directory, which doubles from 64 KiB as series
 * come: a process with a million has about 128 MiB in use. */
#define LIMIT_MPDB (256 * MIB)

/* What a snapshot's label sets, names and groups may take. */
#define LIMIT_SERIES (32 * GIB)

/* One dump in a page. A browser holds about 60 bytes an item, a row as an
 * object and all attributes as one array, which Chromium ends at 2 GiB: this
 * is what opens on a laptop with 8 GiB. A dump of 50,000 samples with 60
 * events each has 3.3 million items and 0.3 GiB. */
#define LIMIT_PAGE_ROWS ((uint64_t)100 * 1000)
#define LIMIT_PAGE_ITEMS ((uint64_t)8 * 1000 * 1000)
#define LIMIT_PAGE_ATTRS ((uint64_t)1 * GIB)

#endif
