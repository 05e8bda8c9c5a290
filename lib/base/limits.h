/*
 * Every limit on what an input may ask for, with its reason. A size or count
 * that comes from input is checked against one of these before it is used.
 * Each is raised by a build with, say, CPPFLAGS=-DLIMIT_LABELS=10000; what
 * refuses something names it, by ERR_RAISE or the name's own arena, buffer or
 * table (base/err.h). obstools(7) lists all for users.
 */
#ifndef OBS_BASE_LIMITS_H
#define OBS_BASE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

#define KIB ((size_t)1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)

/* Values inside values, as read: Python's own picklers stop near 1,000. */
#ifndef LIMIT_DEPTH
#define LIMIT_DEPTH 10000
#endif
/* As written, by recursion: Python's json reads 990, some around the value. */
#ifndef LIMIT_DEPTH_WRITTEN
#define LIMIT_DEPTH_WRITTEN 900
#endif
/* Values, or marks, that wait on a pickle's stack (batches have 1,000, only
 * tuples more); open brackets of JSON that is skipped. */
#ifndef LIMIT_STACK
#define LIMIT_STACK (1 << 22)
#endif
/* Objects a pickle numbers, 16 bytes each: 10^5 samples have 3 * 10^7. */
#ifndef LIMIT_MEMO
#define LIMIT_MEMO 100000000
#endif
/* What one sample may take once decoded, payload left out, and as written. */
#ifndef LIMIT_SAMPLE
#define LIMIT_SAMPLE (4 * GIB)
#endif
/* What outlives its sample: strings and small objects fetched again. */
#ifndef LIMIT_KEPT
#define LIMIT_KEPT (8 * GIB)
#endif
/* One string, line of JSONL or value as written: a long talk is some MB. */
#ifndef LIMIT_STRING
#define LIMIT_STRING (1 * GIB)
#endif
/* An integer: 8 KiB have 19,729 digits, and printing takes the square of
 * them; Python's own str() refuses more than 4,300. */
#ifndef LIMIT_INT_BYTES
#define LIMIT_INT_BYTES (8 * KIB)
#endif
/* A dump that comes through a pipe is kept in an unlinked temporary file. */
#ifndef LIMIT_SPOOL
#define LIMIT_SPOOL (1024 * GIB)
#endif
/* Records of one profile in memory; more go to unlinked temporary files. */
#ifndef LIMIT_RECORDS
#define LIMIT_RECORDS (64 * MIB)
#endif
/* Events of one sample, ten times what a long agent makes. */
#ifndef LIMIT_EVENTS
#define LIMIT_EVENTS 10000000
#endif
/* One line of metrics, where info holds whole configurations in one label, or
 * one event of a profile. */
#ifndef LIMIT_LINE
#define LIMIT_LINE (64 * MIB)
#endif
/* Labels of one sample; real ones have about ten. */
#ifndef LIMIT_LABELS
#define LIMIT_LABELS 4096
#endif
/* Samples of one series in one object of JSON, 16 bytes each: Prometheus
 * answers with 11,000 at most, a week by the second has 604,800. */
#ifndef LIMIT_SERIES_SAMPLES
#define LIMIT_SERIES_SAMPLES (1 << 24)
#endif
/* Bounds of one histogram, which are kept sorted; real ones have about 30. */
#ifndef LIMIT_BUCKETS
#define LIMIT_BUCKETS 16384
#endif
/* Workers whose alarms are judged at once, of 8 KiB each. */
#ifndef LIMIT_WORKERS
#define LIMIT_WORKERS 10000
#endif
/* Metrics of one saved rollout; real ones have some hundreds. */
#ifndef LIMIT_FIGURES
#define LIMIT_FIGURES 10000
#endif
/* A body whose unit of time only its end tells is kept until then. */
#ifndef LIMIT_BODY
#define LIMIT_BODY (4 * GIB)
#endif
/* Bodies that arrive at the same time, and how large each may be even past
 * that: many bombs must not take all memory, nor a healthy worker's page. */
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
/* What an engine answers to a profiler's start or stop. */
#ifndef LIMIT_ANSWER
#define LIMIT_ANSWER (1 * MIB)
#endif
/* A list of targets, as text or as read: 10,000 workers take about 3 MB. */
#ifndef LIMIT_LIST
#define LIMIT_LIST (256 * MIB)
#endif
/* One file of a multiprocess directory: a million series are about 128 MiB. */
#ifndef LIMIT_MPDB
#define LIMIT_MPDB (256 * MIB)
#endif
/* What a snapshot's label sets, names and groups may take. */
#ifndef LIMIT_SERIES
#define LIMIT_SERIES (32 * GIB)
#endif

/* One dump in a page. A browser holds about 60 bytes an item, a row as an
 * object and all attributes as one array, which Chromium ends at 2 GiB: this
 * is what opens on a laptop with 8 GiB. A dump of 50,000 samples with 60
 * events each has 3.3 million items and 0.3 GiB. */
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
