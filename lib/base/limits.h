/*
 * Every limit on what an input may ask for, with its reason. A size or count
 * that comes from input is checked against one of these before it is used.
 * Raise one by building with, say, CPPFLAGS=-DLIMIT_LABELS=10000; error
 * messages name the limit, by ERR_RAISE or the arena, buffer or table
 * (base/err.h). obstools(7) lists all for users.
 */
#ifndef OBS_BASE_LIMITS_H
#define OBS_BASE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

/* Nesting depth when reading: Python's own picklers stop near 1,000. */
#ifndef LIMIT_DEPTH
#define LIMIT_DEPTH 10000
#endif
/* When writing, by recursion: Python's json reads 990 plus some around it. */
#ifndef LIMIT_DEPTH_WRITTEN
#define LIMIT_DEPTH_WRITTEN 900
#endif
/* Values or marks on a pickle's stack (batches have 1,000, only tuples more);
 * open brackets of skipped JSON. */
#ifndef LIMIT_STACK
#define LIMIT_STACK (1 << 22)
#endif
/* Memoized objects of a pickle, 16 bytes each: 10^5 samples have 3 * 10^7. */
#ifndef LIMIT_MEMO
#define LIMIT_MEMO 100000000
#endif
/* One decoded sample without its payload, and its output. */
#ifndef LIMIT_SAMPLE
#define LIMIT_SAMPLE (4 * GIB)
#endif
/* Data that outlives its sample: strings and small memoized objects. */
#ifndef LIMIT_KEPT
#define LIMIT_KEPT (8 * GIB)
#endif
/* One string, line of JSONL or value to write: a long chat is some MB. */
#ifndef LIMIT_STRING
#define LIMIT_STRING (1 * GIB)
#endif
/* An integer: 8 KiB have 19,729 digits, and printing is quadratic; Python's own
 * str() rejects more than 4,300. */
#ifndef LIMIT_INT_BYTES
#define LIMIT_INT_BYTES (8 * KIB)
#endif
/* A dump read from a pipe is copied to an unlinked temporary file. */
#ifndef LIMIT_SPOOL
#define LIMIT_SPOOL (1024 * GIB)
#endif
/* Records of one profile in memory; more go to unlinked temporary files. */
#ifndef LIMIT_RECORDS
#define LIMIT_RECORDS (64 * MIB)
#endif
/* Events of one sample, ten times what a long agent run has. */
#ifndef LIMIT_EVENTS
#define LIMIT_EVENTS 10000000
#endif
/* One line of metrics, where an info label may hold a whole configuration, or
 * one event of a profile. */
#ifndef LIMIT_LINE
#define LIMIT_LINE (64 * MIB)
#endif
/* Labels of one sample; real ones have about ten. */
#ifndef LIMIT_LABELS
#define LIMIT_LABELS 4096
#endif
/* Samples of one series in one JSON object, 16 bytes each: Prometheus returns
 * 11,000 at most, a week at one per second is 604,800. */
#ifndef LIMIT_SERIES_SAMPLES
#define LIMIT_SERIES_SAMPLES (1 << 24)
#endif
/* Bounds of one histogram, which are kept sorted; real ones have about 30. */
#ifndef LIMIT_BUCKETS
#define LIMIT_BUCKETS 16384
#endif
/* Workers whose alarms are evaluated at once, 8 KiB each. */
#ifndef LIMIT_WORKERS
#define LIMIT_WORKERS 10000
#endif
/* Metrics of one saved rollout; real ones have some hundreds. */
#ifndef LIMIT_FIGURES
#define LIMIT_FIGURES 10000
#endif
/* A body whose time unit is known only at its end is buffered until then. */
#ifndef LIMIT_BODY
#define LIMIT_BODY (4 * GIB)
#endif
/* Bodies in flight at once, and the size each may reach regardless: many bombs
 * must not take all memory, nor a healthy worker's response. */
#ifndef LIMIT_INFLIGHT
#define LIMIT_INFLIGHT (2 * GIB)
#endif
#ifndef LIMIT_INFLIGHT_EACH
#define LIMIT_INFLIGHT_EACH (32 * MIB)
#endif
/* The headers of one HTTP answer. */
#ifndef LIMIT_HEADERS
#define LIMIT_HEADERS (256 * KIB)
#endif
/* An engine's response to starting or stopping its profiler. */
#ifndef LIMIT_ANSWER
#define LIMIT_ANSWER (1 * MIB)
#endif
/* A list of targets, raw or parsed: 10,000 workers take about 3 MB. */
#ifndef LIMIT_LIST
#define LIMIT_LIST (256 * MIB)
#endif
/* One file of a multiprocess directory: a million series are about 128 MiB. */
#ifndef LIMIT_MPDB
#define LIMIT_MPDB (256 * MIB)
#endif
/* The label sets, names and groups of a snapshot. */
#ifndef LIMIT_SERIES
#define LIMIT_SERIES (32 * GIB)
#endif

/* One dump in a page. A browser holds about 60 bytes per item, a row as an
 * object and all attributes as one array, which Chromium limits to 2 GiB: this
 * much opens on a laptop with 8 GiB. A dump of 50,000 samples with 60 events
 * each has 3.3 million items and 0.3 GiB. */
#ifndef LIMIT_PAGE_ROWS
#define LIMIT_PAGE_ROWS 100000
#endif
#ifndef LIMIT_PAGE_ITEMS
#define LIMIT_PAGE_ITEMS 8000000
#endif
#ifndef LIMIT_PAGE_ATTRS
#define LIMIT_PAGE_ATTRS (1 * GIB)
#endif

#endif
